"""What `tefuda holdem solve` does: a spot read from options, solved or gone on with, and shown."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from tefuda.apps.cli.common import print_json, read_assignments
from tefuda.apps.cli.interruption import collected, going_on
from tefuda.errors import ParameterError
from tefuda.words import count, harmless

_OWN = ("board", "pot", "stack", "oop", "ip")


def read(told: Mapping[str, Any], given: Mapping[str, str]) -> Any:
    """The spot that a file and options say; options stand over the file.

    Args:
        told: all options by name.
        given: those that stand on the command line.
    """
    from tefuda.holdem.spot import make_spot, read_spot

    texts: dict[str, Any] = {}
    if told["spot"] is not None:
        kept = read_spot(told["spot"]).texts()
        texts = {**{name: kept[name] for name in (*_OWN, "bets", "raises")}, **kept["more"], "name": told["spot"].stem}
    for name in _OWN:
        if name in given:
            texts[name] = told[name]
        elif name not in texts:
            raise ParameterError(f"--{name} is missing; or give a file: --spot FILE.")
    for name, key in (("bets", "bet"), ("raises", "raise")):
        if name in given or told["spot"] is None:
            texts[name] = told[name]
            for street in ("flop", "turn", "river"):
                texts.pop(f"{street}_{key}", None)
    if "rake" in given:
        texts["rake_rate"] = told["rake"]
    if "rake_cap" in given:
        texts["rake_cap"] = told["rake_cap"]
    sizes = {"pot", "stack", "cap", "rake_rate", "rake_cap", "add_allin", "force_allin", "merging"}
    for name, value in read_assignments(told["change"] or []).items():
        texts[name] = value if name in sizes else str(value)
    return make_spot(**texts)


def show_tree(spot: Any, precision: str, as_json: bool) -> None:
    """Print the betting tree and how large the spot is."""
    from tefuda.apps.display import out
    from tefuda.holdem.size import size_of
    from tefuda.holdem.tree import build_tree

    size, tree = size_of(spot), build_tree(spot.betting, spot.street)
    if as_json:
        print_json({**_size(size, precision), "tree": list(tree.lines())})
        return
    for line in tree.lines():
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    out.print(_in_words(size, precision), soft_wrap=True)


def _size(size: Any, precision: str) -> dict[str, Any]:
    return {
        "boards": size.boards,
        "all_boards": size.all_boards,
        "decisions": size.decisions,
        "hands": list(size.hands),
        "bytes": size.bytes(precision),
        "seconds_per_iteration": size.seconds,
    }


def _in_words(size: Any, precision: str) -> str:
    return (
        f"{count(size.decisions, 'decision nodes')} on {count(size.boards, 'boards')} that stand for "
        f"{size.all_boards:,}, {size.hands[0]} x {size.hands[1]} hands; {size.bytes(precision) / 1e6:,.2f} MB, about "
        f"{1e3 * size.seconds:,.2f} ms an iteration"
    )


def run(spot: Any, told: Mapping[str, Any], goal: Mapping[str, Any]) -> Any:
    """Solve a spot."""
    import numpy as np

    from tefuda.apps.display import solving
    from tefuda.holdem.compiled import compile_spot
    from tefuda.holdem.size import size_of
    from tefuda.holdem.solving import find_method, require_room, solve_spot
    from tefuda.holdem.strategy import SpotStrategy

    method, size = find_method(told["method"], told["precision"]), size_of(spot)
    require_room(size, method.precision, told["memory"])
    print(harmless(_in_words(size, method.precision)), file=sys.stderr)  # memory before anything is built
    if told["line"]:  # a wrong one is refused before anything is solved
        compiled = compile_spot(spot)
        SpotStrategy(compiled, np.zeros(compiled.stored)).player(told["line"])
    words = (
        f"tefuda holdem solve --resume {told['out']} goes on with what it holds" if told["out"] else "nothing is kept"
    )
    with going_on(words), solving(spot.name, "iterations") as report, collected() as interrupted:
        return solve_spot(
            spot, method, **goal, memory=told["memory"], checkpoint=told["out"], progress=report,
            interrupted=interrupted,
        )  # fmt: skip


def go_on(folder: Path, goal: Mapping[str, Any]) -> Any:
    """Go on with a run."""
    from tefuda.apps.display import solving
    from tefuda.holdem.solving import resume_spot

    words = f"tefuda holdem solve --resume {folder} goes on with what it holds"
    with going_on(words), solving(str(folder), "iterations") as report, collected() as interrupted:
        return resume_spot(folder, **goal, progress=report, interrupted=interrupted)


def show(solution: Any, line: str, as_json: bool) -> None:
    """Print the solution: exploitability and EV, then the strategy at a place, class by class."""
    from tefuda.apps.display import out

    figure, strategy = solution.verdict.figure, solution.policy
    acting = bool(line) or strategy.compiled.tree.streets[0].count[0] > 0  # not where all is in already
    frequencies = strategy.frequencies(line) if acting else {}
    if as_json:
        print_json(
            {
                "exploitability_percent": figure,
                "ev": list(solution.values),
                "iterations": solution.iterations,
                "seconds": solution.seconds,
                "status": solution.status,
                "stop": solution.stop,
                "line": line,
                "frequencies": frequencies,
                "run": solution.run,
            }
        )
        return
    spot = strategy.compiled.spot
    if acting:
        out.print(_table(strategy, line))
    shares = (
        ", ".join(f"{action} {_percent(share)}" for action, share in frequencies.items()) or "nothing is left to bet"
    )
    out.print(f"{line or 'root'}: {shares}", markup=False, highlight=False, soft_wrap=True)
    first, second = solution.values
    rake = "; with a rake the game is not zero-sum" if spot.rake_rate else ""
    out.print(f"EV in chips of a pot of {spot.betting.pot}: OOP {first:.4f}, IP {second:.4f}{rake}", soft_wrap=True)
    out.print(
        f"exploitability (NashConv / 2) {figure:.4g} % of the pot after {count(solution.iterations, 'iterations')}, "
        f"{solution.seconds:.2f} s; equilibria are not unique: strategies may differ where EV does not",
        soft_wrap=True,
    )


def say_how_it_ended(solution: Any) -> None:
    """A run that is not whole, or could not be saved, says so, and exits with another code."""
    if "unsaved" in solution.settings:
        print(harmless(f"tefuda: the run could not be saved: {solution.settings['unsaved']}"), file=sys.stderr)
        raise typer.Exit(1)
    if solution.status == "interrupted":
        words = f"go on with: tefuda holdem solve --resume {solution.run}" if solution.run else "nothing is kept"
        print(harmless(f"tefuda: interrupted; {words}"), file=sys.stderr)
        raise typer.Exit(130)


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.2f} %"


def _table(strategy: Any, line: str) -> Any:
    """Classes in the order of the chart, with the mean probability of each action, weighted by who comes there."""
    import numpy as np

    from tefuda.apps.display import table_of
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import CLASS_OF, CLASSES
    from tefuda.holdem.spot import PLAYERS
    from tefuda.words import fixed

    chosen, player = strategy.probabilities(line), strategy.player(line)
    own = strategy.reach(line)[player]
    sums = np.bincount(CLASS_OF, own, minlength=len(CLASSES))
    shares = {a: np.bincount(CLASS_OF, own * np.nan_to_num(p), minlength=len(CLASSES)) for a, p in chosen.items()}
    evs = strategy.evs(player) if not line else None
    columns = (PLAYERS[player], "hands", *chosen, *(("EV",) if evs is not None else ()))
    rows = []
    for number in np.flatnonzero(sums > 1e-9).tolist():
        row = [
            CLASSES[number],
            f"{sums[number]:.2f}",
            *(fixed(one[number] / sums[number], 3) for one in shares.values()),
        ]
        if evs is not None:
            here = (number == CLASS_OF) & (own > 0) & np.isfinite(evs)
            row.append(fixed(float(np.average(evs[here], weights=own[here])) if here.any() else np.nan, 2))
        rows.append(tuple(row))
    return table_of(Grid(columns, tuple(rows)))
