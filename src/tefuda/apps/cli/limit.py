"""Limit hold'em with hands in buckets, on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.holdem import LIMIT, holdem
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    allow_only,
    exit_by_status,
    given_options,
    listed,
    notifying,
    report,
)
from tefuda.apps.cli.shared.reading import read_game, read_integers, read_options, whole_number
from tefuda.apps.cli.shared.runs import RESUME_OPTIONS, goal_of, load_holdem_run, new_run_folder, resume_run, start_run
from tefuda.errors import ParameterError


@holdem.command(
    context_settings=GAME_OPTIONS,
    **listed(LIMIT, "tefuda holdem limit --buckets 20 --iterations 1e6 --out runs/limit"),
)
@options.with_options(options.GOAL)
def limit(
    context: Context,
    *,
    buckets: Annotated[str, Option(help="Buckets on flop, turn and river; or 4 numbers.")] = "20",
    textures: Annotated[str, Option(help="Board classes on turn and river.")] = "1,1",
    tremble: Annotated[float, Option(help="Probability of random actions of opponents.")] = 0.0,
    local_response: Annotated[float, Option(help="Deals per local best response; 0: none.")] = 1000,
    seed: options.Seed = 0,
    memory: Annotated[float, Option(help="Memory limit in bytes; default: 8e9.", show_default=False)] = 8e9,
    as_json: options.Json = False,
) -> None:
    """Solve whole limit hold'em with hands in buckets.

    Other options are those of the table: --players 3 --blinds 5,10 --cap 4. With four numbers of buckets, the first is
    for hands before the flop, where 169 buckets keep all classes distinct. The value of the local best response is in
    thousandths of a big blind per hand. The preparation of hands counts in --seconds. To play against the run: tefuda
    play holdem --limit --against RUN.
    """
    from tefuda.apps.display.results import solution_report

    run = context.params["resume"]
    if run is not None:
        allow_only(context, "--resume", (*RESUME_OPTIONS, "as_json"))
        if context.args:
            raise ParameterError(f"{context.args[0]} has no effect with --resume; leave it out.", key=context.args[0])
        solution = resume_run(context, run, only="buckets")
    else:
        solution = _begin(context)
    play = f"play it    tefuda play holdem --limit{_table(solution.form.parameters)} --against {solution.run}"
    report(as_json, solution.summary(), [*solution_report(solution), play])
    exit_by_status(solution, "tefuda solve")


def _begin(context: Context) -> Any:
    from tefuda.holdem.limit.buckets import Buckets, preparation_seconds
    from tefuda.holdem.limit.solver import BucketMethod, in_buckets
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.methods import make_goal

    params = context.params
    textures: Any = tuple(read_integers("textures", params["textures"]))
    numbers = read_integers("buckets", params["buckets"])
    counts: Any = (169, *3 * numbers) if len(numbers) == 1 else tuple(numbers)
    method, buckets = BucketMethod(tremble=params["tremble"]), Buckets(counts, textures=textures)
    make_goal(method, **asdict(goal_of(context)))
    game = read_game("holdem", {"limit": True, **read_options(context.args)}, context)
    evaluator = _evaluator(context, game.players)
    folder = new_run_folder(context, f"limit-{params['buckets'].replace(',', '-')}")
    with _counting(context), notifying(str(folder)) as notify:
        notify(f"preparing hands, about {preparation_seconds(buckets.seed):.0f} s, which count in --seconds")
        form = in_buckets(game, buckets, memory=params["memory"], notify=notify)
        method.solver(form)  # compiles the kernel
    job = Job.of(form, method, goal=goal_of(context), seed=params["seed"], evaluator=evaluator)
    return start_run(context, job, folder, str(folder))


@contextmanager
def _counting(context: Context) -> Iterator[None]:
    """Subtract the time of a block from --seconds, and print the rest, which allows an iteration."""
    seconds, begin = context.params["seconds"], monotonic()
    yield
    if seconds is not None:
        rest = context.params["seconds"] = round(max(seconds - (monotonic() - begin), 0.01), 2)
        print(f"{rest:g} of {seconds:g} s are left after the preparation", file=sys.stderr)


def _table(parameters: dict[str, Any]) -> str:
    """Return the options of a table that differ from the defaults of limit hold'em."""
    from tefuda.games.catalogue import load_game

    defaults, texts = load_game("holdem", limit=True).parameters, []  # type: ignore[attr-defined]
    for name, value in parameters.items():
        if value != defaults[name]:
            texts.append(f" --{name} {','.join(map(str, value)) if isinstance(value, list) else value}")
    return "".join(texts)


def _evaluator(context: Context, players: int) -> Any:
    """Return the evaluator: a local best response for two players, or none."""
    from tefuda.holdem.limit.solver import LocalResponseEvaluator
    from tefuda.solvers.runs.evaluators import NoEvaluation

    deals = whole_number("local_response", context.params["local_response"], 0)
    if deals and (players == 2 or "local_response" in given_options(context)):
        return LocalResponseEvaluator(deals)
    return NoEvaluation()


def report_local_response(run: Path, deals: float, seed: int, as_json: bool) -> None:
    """Report a local best response to a run, which deals in both seats estimate."""
    from tefuda.holdem.limit.solver import LocalResponseEvaluator
    from tefuda.words import fixed

    evaluator = LocalResponseEvaluator(whole_number("deals", deals, 2), seed)
    with notifying(f"{run} local best response") as notify:
        policy = load_holdem_run(run, "buckets").strategy
        response = evaluator.response(policy, lambda done, of: notify(f"{done:,} of {of:,} deals"))
    (value, half), chips = response.milliblinds, response.by_seat
    content = {
        "run": str(run), "deals": evaluator.deals, "seed": seed, "value": value, "low": value - half,
        "high": value + half, "unit": evaluator.unit, "chips_by_seat": list(chips),
    }  # fmt: skip
    summary = f"{evaluator.title}: {fixed(value, 1)} ± {fixed(half, 1)} {evaluator.unit}"
    by_seat = f"{fixed(chips[0], 3)} in the big blind, {fixed(chips[1], 3)} on the button"
    report(as_json, content, [summary, f"chips per hand in each seat: {by_seat}"])
