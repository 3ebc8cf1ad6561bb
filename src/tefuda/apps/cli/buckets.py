"""Hold'em with hands in buckets, on the command line."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from tefuda.apps.cli.shared.common import notifying, report
from tefuda.apps.cli.shared.reading import read_integers, read_number, whole_number
from tefuda.apps.cli.shared.runs import load_holdem_run


def bucket_fields(options: dict[str, str]) -> dict[str, Any]:
    """Return the fields of the form by --buckets and --textures, which are taken from the options."""
    numbers = read_integers("buckets", options.pop("buckets", "20"))
    textures = read_integers("textures", options.pop("textures", "1,1"))
    return {"counts": (169, *3 * numbers) if len(numbers) == 1 else tuple(numbers), "textures": tuple(textures)}


def show_bucket_size(job: Any) -> None:
    """Print the size of a job of hold'em in buckets, before anything is built."""
    from tefuda.words import count

    size = job.kind.size_of(job.game, job.fields)
    decisions, rows = count(int(size.numbers["decisions"]), "decisions"), int(size.numbers["rows"])
    print(f"{decisions}, {count(rows, 'infoset-action pairs')}, {size.bytes / 1e6:,.0f} MB", file=sys.stderr)


def evaluator_of(options: dict[str, str]) -> Any:
    """Return the local best response of --deals, which is taken from the options; None: that of the form."""
    from tefuda.holdem.buckets.solver import LocalResponseEvaluator

    if "deals" not in options:
        return None
    return LocalResponseEvaluator(whole_number("deals", read_number("deals", options.pop("deals")), 2))


def count_preparation(job: Any, seconds: float) -> Any:
    """Return a job without the time that its preparation took; the rest allows an iteration."""
    goal = job.goal
    if goal.seconds is None:
        return job
    rest = round(max(goal.seconds - seconds, 0.01), 2)
    print(f"{rest:g} of {goal.seconds:g} s are left after the preparation of hands", file=sys.stderr)
    return replace(job, goal=replace(goal, seconds=rest))


def report_local_response(run: Path, deals: float, seed: int, as_json: bool) -> None:
    """Report local best responses to a run, estimated by deals in both seats; the largest menu first."""
    from tefuda.holdem.buckets.local import largest
    from tefuda.holdem.buckets.solver import LocalResponseEvaluator
    from tefuda.words import fixed

    evaluator = LocalResponseEvaluator(whole_number("deals", deals, 2), seed)
    with notifying(f"{run} local best response") as notify:
        policy = load_holdem_run(run, "buckets").strategy
        responses = evaluator.responses(policy, progress=lambda done, of: notify(f"{done:,} of {of:,} deals"))
    figures = {menu: _figures(response) for menu, response in responses.items()}
    best = figures[largest(responses)]
    content = {"run": str(run), "deals": evaluator.deals, "seed": seed, **best, "unit": evaluator.unit}
    half, chips = best["high"] - best["value"], best["chips_by_seat"]
    summary = f"{evaluator.title}: {fixed(best['value'], 1)} ± {fixed(half, 1)} {evaluator.unit}"
    by_seat = f"{fixed(chips[0], 3)} in the big blind, {fixed(chips[1], 3)} on the button"
    things: list[Any] = [summary, f"chips per hand in each seat: {by_seat}"]
    if len(figures) > 1:
        content |= {"menu": largest(responses), "menus": figures}
        things += [f"actions of the responder by street: {largest(responses)}", _menu_grid(figures)]
    report(as_json, content, things)


def _figures(response: Any) -> dict[str, Any]:
    """Return the figures of a local best response as JSON values."""
    value, half = response.milliblinds
    return {"value": value, "low": value - half, "high": value + half, "chips_by_seat": list(response.by_seat)}


def _menu_grid(figures: dict[str, dict[str, Any]]) -> Any:
    """Return the table of all menus, the largest value first."""
    from tefuda.apps.grids import Grid
    from tefuda.words import fixed

    ordered = sorted(figures.items(), key=lambda item: -item[1]["value"])
    rows = [(menu, fixed(one["value"], 1), fixed(one["low"], 1), fixed(one["high"], 1)) for menu, one in ordered]
    title = "f fold, c check or call, t sizes of the tree, m many sizes, p the pot, a all-in"
    return Grid(("actions by street", "value", "low", "high"), tuple(rows), title)
