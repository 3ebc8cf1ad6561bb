"""The standard table of CFR methods: average and last iterate after 100, 1,000 and 10,000 iterations.

The games are those of Xu et al. 2024 (their program, `scripts/parallel_run.py`): twelve, of which two are endgames of
Libratus. All four endgames have curves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import InputError, ParameterError
from tefuda.evaluating.values import nash_conv
from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.games.catalogue import load_game
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.solver import HandMethod, evaluate_strategy
from tefuda.solvers.exact.anchored import Anchored
from tefuda.solvers.exact.cfr import DCFR, PCFR_PLUS, CFRMethod
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.methods import find_method
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, PublishedTable, table
from tefuda_reproductions.experiment import spread_saved

#: The games, the fastest first.
GAMES = (
    "KuhnPoker", "GoofSpielImp4", "GoofSpiel4", "subgame4", "LeducPoker", "LiarsDice4", "battleship_22_3",
    "GoofSpielImp5", "GoofSpiel5", "LiarsDice5", "subgame3", "battleship_32_3",
)  # fmt: skip
METHODS = ("cfr+", "lcfr", "dcfr", "dcfr-3", "dcfr+", "pcfr+", "pcfr+5", "pdcfr+", "ema", "rtcfr+", "rtpcfr+")
#: PCFR+ with weights t^5, and the default method over hands.
FURTHER = {
    "pcfr+5": replace(PCFR_PLUS, name="pcfr+5", averaging=5.0),
    "dcfr-3": replace(DCFR, name="dcfr-3", averaging=3.0),
}
#: Endgames on the turn have curves alone, of a part of the iterations, and at most so many.
CURVES = {"subgame2": (3, 1000), "subgame1": (100, 104)}
#: Iterations of the table's columns, and those of the curves.
COLUMNS, POINTS = (100, 1000, 10_000), (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
#: The unit of the published curves (PDCFR+'s program): exploitability, on endgames in thousandths of a blind of 100.
UNITS = {False: "NashConv / 2", True: "5 NashConv, mbb"}
#: NashConv of the reported strategy on battleship_22_3 after 1,000 iterations, by another run of tefuda.
CHECKS = {"cfr+": 4.0e-3, "dcfr": 5.0e-3, "pcfr+": 1.9e-5, "pdcfr+": 5.1e-6, "ema": 1.7e-4}
_FACTOR = 1.3  # largest ratio to these figures, which have two digits and depend on round-off


class Curve(NamedTuple):
    """Numbers of a method on a game by iterations; empty, with the reason, if it refuses the game."""

    iterations: tuple[int, ...]
    seconds: np.ndarray
    average: np.ndarray
    last: np.ndarray
    refusal: str = ""

    def at(self, iterations: int) -> tuple[float, float]:
        """Return NashConv of average and last iterate; nan without figures."""
        if self.refusal:
            return np.nan, np.nan
        place = self.iterations.index(iterations)
        return float(self.average[place]), float(self.last[place])


def find(name: str) -> CFRMethod | Anchored:
    """Return a method of the CFR family by its name, or one of `FURTHER`."""
    method = FURTHER.get(name) or find_method(name)
    if not isinstance(method, (CFRMethod, Anchored)):
        raise ParameterError(f"methods must be of the CFR family, got {name!r}.", key="methods", value=name)
    return method


@cache
def form_of(game: str) -> Any:
    """Return a game as a tree, or an endgame over hands."""
    rules = load_game(game)
    return compile_spot(rules.spot) if isinstance(rules, SpotGame) else compile_game(rules)


def method_on(form: Any, name: str) -> Method:
    """Return a method on a form; over hands, averages have the strategies that opponents face."""
    method = find(name)
    if form.representation != "hands":
        return method
    if isinstance(method, Anchored):
        raise ParameterError("it needs the realisation plans of a tree")
    return HandMethod(name, replace(method, convention="opp"))


def refusal(game: str, name: str) -> str:
    """Return the reason why a method refuses a game, or an empty text."""
    form = form_of(game)
    try:
        method = method_on(form, name)
        if form.representation == "tree":
            method.solver(form)
    except InputError as error:
        return f"refused: {error}"
    return ""


def measure(task: tuple[str, str, tuple[int, ...]]) -> list[list[float]]:
    """Return CPU seconds, NashConv of the average and of the last iterate, after each of the iterations."""
    game, name, counts = task
    form = form_of(game)
    solver, spot = method_on(form, name).solver(form), form.representation == "hands"
    rows, spent = [], 0.0
    for count in counts:
        start = time.process_time()
        solver.advance(count - solver.iterations)
        spent += time.process_time() - start
        strategies = solver.average(), solver.current()
        convs = [evaluate_strategy(one)[1] if spot else nash_conv(one) for one in strategies]
        rows.append([spent, *(max(conv, 0.0) for conv in convs)])
    return rows


def counts_of(game: str, iterations: int) -> tuple[int, ...]:
    """Return the iterations of a game's curve."""
    part, most = CURVES.get(game, (1, iterations))
    end = max(1, min(iterations // part, most))
    return (*(count for count in POINTS if count < end), end)


def curves_of(
    games: Sequence[str], methods: Sequence[str], iterations: int, folder: str, workers: int, notify: Notify
) -> dict[tuple[str, str], Curve]:
    """Return the curves of all methods on all games; those in the folder are not computed again."""
    curves = dict[tuple[str, str], Curve]()
    for game in games:
        counts = counts_of(game, iterations)
        notify(f"{game}: compiling")
        reasons = {name: refusal(game, name) for name in methods}
        tasks = [(game, name, counts) for name in methods if not reasons[name]]
        progress = partial(_report, notify, game)
        found = spread_saved(Path(folder) / "curves.json", workers, measure, tasks, progress, (len(counts), 3))
        rows = iter(found)
        for name in methods:
            seconds, average, last = np.zeros((3, 0)) if reasons[name] else next(rows).T
            curves[game, name] = Curve(counts, seconds, average, last, reasons[name])
    return curves


def _report(notify: Notify, game: str, done: int, total: int) -> None:
    notify(f"{game}: {done} of {total} methods")


def table_of(curves: dict[tuple[str, str], Curve], iterations: int) -> PublishedTable:
    """Return a row for each game and method."""
    counts = [count for count in (*COLUMNS, iterations) if count <= iterations]
    counts = list(dict.fromkeys(counts))
    rows, numbers = [], []
    for (game, name), curve in curves.items():
        if game in CURVES:
            continue
        seconds = np.nan if curve.refusal else float(curve.seconds[-1])
        rows.append((game, name, curve.refusal or UNITS[game.startswith("subgame")]))
        numbers.append([*(figure for count in counts for figure in curve.at(count)), seconds])
    columns = [f"{count:,}, {which}" for count in counts for which in ("average", "last")]
    title = f"NashConv after these iterations, average and last iterate; CPU seconds of {iterations:,}"
    return table("table", title, ("game", "method", "published unit"), rows, (*columns, "CPU s"), numbers, form=".3g")


def panels_of(curves: dict[tuple[str, str], Curve], games: Sequence[str]) -> tuple[Panel, ...]:
    """Return the curves of each game: the better iterate, or the last one of anchored methods."""
    panels = []
    for game in games:
        lines = {}
        for (other, name), curve in curves.items():
            if other == game and not curve.refusal:
                anchored = isinstance(find(name), Anchored)
                best = curve.last if anchored else np.minimum(curve.average, curve.last)
                lines[name] = [(float(n), max(float(y), 1e-16)) for n, y in zip(curve.iterations, best, strict=True)]
        panels.append(Panel(game, "iterations", lines, y_label="NashConv"))
    return tuple(panels)


def checks(curves: dict[tuple[str, str], Curve]) -> tuple[Claim, ...]:
    """Return the check values of battleship_22_3, where 1,000 iterations were run."""
    claims = []
    for name, wanted in CHECKS.items():
        curve = curves.get(("battleship_22_3", name))
        if curve is not None and 1000 in curve.iterations:
            ours = min(curve.at(1000))
            met = wanted / _FACTOR <= ours <= wanted * _FACTOR
            what = f"{name} on battleship_22_3 after 1,000 iterations"
            claims.append(Claim(what, f"{wanted:.1e} (computed)", f"{ours:.2g}", f"within a factor of {_FACTOR}", met))
    return tuple(claims)


def read_names(text: str) -> list[str]:
    """Return the different names in a text with commas, at least one."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise ParameterError(f"games and methods must be names with commas, got {text!r}.", value=text)
    return names


def run(notify: Notify, games: str, methods: str, iterations: int, workers: int, folder: str) -> ClaimTable:
    """Measure the methods on the games; all games have the curves of the endgames on the turn too."""
    names, chosen = read_names(methods), [*GAMES, *CURVES] if games == "all" else read_names(games)
    for name in names:
        find(name)
    for game in chosen:
        load_game(game)
    curves = curves_of(chosen, names, iterations, folder, workers, notify)
    notes = (
        "The published curves show exploitability, NashConv / 2, of the average; on endgames in thousandths of a big "
        "blind of 100 chips.",
        "Endgames on the turn have curves alone: an iteration takes 0.03 and 1.1 s.",
        "pcfr+5 has weights t^5 in the average, dcfr-3 weights t^3. Updates alternate. Over hands, averages have the "
        "strategies that opponents face.",
    )
    return ClaimTable(
        "The standard table of CFR methods", checks(curves), notes, panels_of(curves, chosen),
        (table_of(curves, iterations),),
    )  # fmt: skip
