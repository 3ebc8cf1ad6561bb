"""Limit hold'em with hands in buckets on the command line."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.holdem import holdem
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, end, given, notifying, only_own, report
from tefuda.apps.cli.shared.goals import GOALS, begin, go_on, goal_of, new_run
from tefuda.apps.cli.shared.reading import read_game, read_listed, read_options, whole
from tefuda.errors import ParameterError


@holdem.command(context_settings=GAME_OPTIONS)
@options.taking(options.GOAL)
def limit(
    context: Context,
    *,
    buckets: Annotated[str, Option(help="Of hands on flop, turn and river; or four numbers.")] = "20",
    textures: Annotated[str, Option(help="Kinds of turns and rivers.")] = "1,1",
    tremble: Annotated[float, Option(help="Probability of random actions of others while learning.")] = 0.0,
    local_response: Annotated[float, Option(help="Deals of a local best response a point; 0: none.")] = 1000,
    seed: options.Seed = 0,
    memory: Annotated[float, Option(help="Most bytes for regrets and averages.")] = 8e9,
    as_json: options.Json = False,
) -> None:
    """Learn limit hold'em from the first blind, with hands in buckets of strength.

    Options that are not listed are the table's: --players 3 --blinds 5,10 --cap 4. Four numbers of buckets begin before
    the flop, where 169 tell all hands apart. Figures of a local best response are thousandths of a big blind a hand.
    tefuda play holdem --limit --against RUN plays against it.
    """
    from tefuda.apps.display.results import solution_report

    run = context.params["resume"]
    if run is not None:
        only_own(context, "--resume", (*GOALS, "as_json"))
        if context.args:
            raise ParameterError(f"{context.args[0]} can do nothing with --resume; leave it out.", key=context.args[0])
        solution = go_on(context, run, only="buckets")
    else:
        solution = _begin(context)
    play = f"play it    tefuda play holdem --limit{_table(solution.game.parameters)} --against {solution.run}"
    report(as_json, solution.summary(), [*solution_report(solution), play])
    end(solution, "tefuda solve")


def _begin(context: Context) -> Any:
    from tefuda.holdem.limit.buckets import Buckets
    from tefuda.holdem.limit.solver import BucketMethod, in_buckets
    from tefuda.solvers.runs.methods import find_goal

    told = context.params
    kinds: Any = tuple(read_listed("textures", told["textures"]))
    numbers = read_listed("buckets", told["buckets"])
    counts: Any = (169, *3 * numbers) if len(numbers) == 1 else tuple(numbers)
    method, buckets = BucketMethod(tremble=told["tremble"]), Buckets(counts, textures=kinds)
    find_goal(method, **goal_of(context))
    game = read_game("holdem", {"limit": True, **read_options(context.args)}, context)
    evaluator = _evaluator(context, game.players)
    folder = new_run(context, f"limit-{told['buckets'].replace(',', '-')}")
    with notifying(str(folder)) as notify:
        form = in_buckets(game, buckets, memory=told["memory"], notify=notify)
    return begin(context, form, method, folder, str(folder), evaluator=evaluator)


def _table(parameters: dict[str, Any]) -> str:
    """Return the options of a table of limit hold'em that differ from their defaults."""
    from tefuda.games.catalogue import load_game

    usual, texts = load_game("holdem", limit=True).parameters, []  # type: ignore[attr-defined]
    for name, value in parameters.items():
        if value != usual[name]:
            texts.append(f" --{name} {','.join(map(str, value)) if isinstance(value, list) else value}")
    return "".join(texts)


def _evaluator(context: Context, players: int) -> Any:
    """Return the evaluator: a local best response between two players, unless none is wanted."""
    from tefuda.holdem.limit.solver import LocalResponseEvaluator
    from tefuda.solvers.runs.evaluators import NoEvaluation

    deals = whole("local_response", context.params["local_response"], 0)
    if deals and (players == 2 or "local_response" in given(context)):
        return LocalResponseEvaluator(deals)
    return NoEvaluation()


@holdem.command(name="local-response")
def respond(
    run: options.RunFolder,
    deals: Annotated[float, Option(help="How many, each in both seats; 600 a second.")] = 10_000,
    seed: options.Seed = 1,
    as_json: options.Json = False,
) -> None:
    """Print what a local best response wins from a run; nothing is solved.

    Figures are thousandths of a big blind a hand, a lower bound of a best response.
    """
    from tefuda.holdem.limit.sampler import LimitPolicy
    from tefuda.holdem.limit.solver import LocalResponseEvaluator
    from tefuda.solvers.runs.saved import load
    from tefuda.words import fixed

    evaluator = LocalResponseEvaluator(whole("deals", deals, 2), seed)
    with notifying(f"{run} local best response") as notify:
        policy = load(run).strategy
        if not isinstance(policy, LimitPolicy):
            raise ParameterError(f"{run} is no run of tefuda holdem limit; tefuda evaluate {run} evaluates it.")
        found = evaluator.response(policy, lambda done, of: notify(f"{done:,} of {of:,} deals"))
    (value, half), chips = found.millis, found.by_seat
    content = {
        "run": str(run), "deals": evaluator.deals, "seed": seed, "value": value, "low": value - half,
        "high": value + half, "unit": evaluator.unit, "chips_by_seat": list(chips),
    }  # fmt: skip
    told = f"{evaluator.title}: {fixed(value, 1)} ± {fixed(half, 1)} {evaluator.unit}"
    seats = f"{fixed(chips[0], 3)} in the big blind, {fixed(chips[1], 3)} on the button"
    report(as_json, content, [told, f"chips a hand in each seat: {seats}"])
