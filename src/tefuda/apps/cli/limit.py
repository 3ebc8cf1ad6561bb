"""Limit hold'em on the command line: learned with hands in buckets, judged by a local best response."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.holdem import holdem
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Json,
    Seed,
    given,
    next_folder,
    only_own,
    print_json,
    read_game,
    read_listed,
    read_options,
    say_how_it_ended,
    whole,
)
from tefuda.apps.cli.shared.goals import (
    GOALS,
    CheckpointSeconds,
    Iterations,
    Out,
    Resume,
    Seconds,
    Until,
    begin,
    go_on,
    goal_of,
)
from tefuda.errors import ParameterError


@holdem.command(context_settings=GAME_OPTIONS)
def limit(
    context: typer.Context,
    *,
    buckets: Annotated[
        str, typer.Option(help="Of hands on flop, turn and river; four numbers: before the flop too (169: all apart).")
    ] = "20",
    textures: Annotated[
        str, typer.Option(help="Kinds of turns and rivers that are told apart; each has its part of the buckets.")
    ] = "1,1",
    tremble: Annotated[
        float, typer.Option(help="How often others do anything, so that answers to such play are learned too.")
    ] = 0.0,
    iterations: Iterations = None,
    seconds: Seconds = None,
    until: Until = None,
    local_response: Annotated[
        float, typer.Option(help="Deals a local best response plays at each point of the curve; 0: nothing is judged.")
    ] = 1000,
    seed: Seed = 0,
    memory: Annotated[float, typer.Option(help="Bytes that regrets and averages may take.")] = 8e9,
    out: Out = None,
    checkpoint_seconds: CheckpointSeconds = 30.0,
    resume: Resume = None,
    as_json: Json = False,
) -> None:
    """Learn limit hold'em from the first blind by sampling, hands that are about as strong in one bucket.

    Options that are not listed are the table's: --players 3 --blinds 5,10 --cap 4. Figures of a local best response
    are thousandths of a big blind a hand. tefuda play holdem --limit --against RUN plays against it.
    """
    from tefuda.apps.display import show_solution

    if resume is not None:
        only_own(context, "--resume", (*GOALS, "as_json"))
        if context.args:
            raise ParameterError(f"{context.args[0]} can do nothing with --resume; leave it out.")
        solution = go_on(context, resume, only="buckets")
    else:
        solution = _begin(context)
    if as_json:
        print_json(solution.summary())
    else:
        show_solution(solution)
        print(f"play it    tefuda play holdem --limit{_table(solution.game.parameters)} --against {solution.run}")
    say_how_it_ended(solution, "tefuda solve")


def _begin(context: typer.Context) -> Any:
    """A new run."""
    from tefuda.apps.display import telling
    from tefuda.holdem.limit.buckets import Buckets
    from tefuda.holdem.limit.solver import BucketMethod, in_buckets
    from tefuda.solvers.runs.driver import new_record
    from tefuda.solvers.runs.methods import find_goal

    told = context.params
    kinds: Any = tuple(read_listed("textures", told["textures"]))
    method, buckets = BucketMethod(tremble=told["tremble"]), Buckets(_buckets(told["buckets"]), textures=kinds)
    find_goal(method, **goal_of(context))
    game = read_game("holdem", {"limit": True, **read_options(context.args)}, context)
    judge = _judge(context, game.players)
    folder = told["out"] or next_folder(Path("runs"), f"limit-{told['buckets'].replace(',', '-')}")
    new_record(folder, told["checkpoint_seconds"])
    with telling(str(folder)) as tell:
        form = in_buckets(game, buckets, memory=told["memory"], tell=tell)
    return begin(context, form, method, folder, judge=judge, name=str(folder))


def _table(parameters: dict[str, Any]) -> str:
    """The options that make a table of limit hold'em again, those that are as usual left out."""
    from tefuda.games.catalogue import load_game

    usual, texts = load_game("holdem", limit=True).parameters, []  # type: ignore[attr-defined]
    for name, value in parameters.items():
        if value != usual[name]:
            texts.append(f" --{name} {','.join(map(str, value)) if isinstance(value, list) else value}")
    return "".join(texts)


def _buckets(text: str) -> Any:
    """``"20"``: classes before the flop, and so many on each street after; or four numbers."""
    numbers = read_listed("buckets", text)
    return (169, *3 * numbers) if len(numbers) == 1 else tuple(numbers)


def _judge(context: typer.Context, players: int) -> Any:
    """Who judges: a local best response where there are two players, unless nobody shall."""
    from tefuda.holdem.limit.solver import LocalResponseJudge
    from tefuda.solvers.runs.judges import Unjudged

    deals = whole("local_response", context.params["local_response"], 0)
    if deals and (players == 2 or "local_response" in given(context)):
        return LocalResponseJudge(deals)
    return Unjudged()


@holdem.command(name="local-response")
def respond(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run of tefuda holdem limit, finished or not.")
    ],
    deals: Annotated[float, typer.Option(help="How many, each in both seats; 600 a second.")] = 10_000,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Print what a local best response wins from a run, in thousandths of a big blind a hand; nothing is solved.

    It is a lower bound of what a best response wins. The same deals are played with the same seed, whatever the run.
    """
    from tefuda.apps.display import out, telling
    from tefuda.holdem.limit.sampler import LimitPolicy
    from tefuda.holdem.limit.solver import LocalResponseJudge
    from tefuda.solvers.runs.saved import load
    from tefuda.words import fixed

    judge = LocalResponseJudge(whole("deals", deals, 2), seed)
    with telling(f"{run} local best response") as tell:
        policy = load(run).strategy
        if not isinstance(policy, LimitPolicy):
            raise ParameterError(f"{run} is no run of tefuda holdem limit; tefuda evaluate {run} judges it.")
        found = judge.response(policy, lambda done, of: tell(f"{done:,} of {of:,} deals"))
    (value, half), chips = found.millis, found.by_seat
    if as_json:
        print_json({
            "run": str(run), "deals": judge.deals, "seed": seed, "value": value, "low": value - half,
            "high": value + half, "unit": judge.unit, "chips_by_seat": list(chips),
        })  # fmt: skip
        return
    out.print(f"{judge.title}: {fixed(value, 1)} ± {fixed(half, 1)} {judge.unit}", soft_wrap=True)
    out.print(f"chips a hand in each seat: {fixed(chips[0], 3)} in the big blind, {fixed(chips[1], 3)} on the button")
