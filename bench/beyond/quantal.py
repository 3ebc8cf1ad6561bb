"""Parts of `bench.beyond`: quantal response, as JSON values, and heads and rows of tables."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import RESULTS
from tefuda.apps.plot import plot_panels
from tefuda.solvers import Quantal, fit_rationality, quantal_path
from tefuda.solvers.quantal.response import FORMS
from tests.games.test_efg import BY_HAND
from tests.known_responses import (
    DIGITS,
    FIGURE_LIMIT,
    FOLDING,
    FOLDS,
    ITERATIONS,
    KUHN,
    KUHN_2000,
    NAMES,
    NAU,
    NAU_LIMIT,
    UNIFORM,
    converged,
    coverage,
    figures,
    simulated,
)
from tests.small_games import FIGURE, HORSE

PICTURE = RESULTS / "quantal.png"
#: Paths: game, its title, form, and rationality at the end.
PATHS = (
    ("kuhn", "Kuhn", "agent", 2000.0),
    ("kuhn", "Kuhn", "reduced", 2000.0),
    ("leduc", "Leduc", "agent", 100.0),
    ("leduc", "Leduc", "reduced", 100.0),
    ("sheriff", "sheriff 3, 3, 1", "agent", 100.0),
    ("sheriff", "sheriff 3, 3, 1", "reduced", 100.0),
)
Table = tuple[str, list[tuple[Any, ...]]]


def _met(asked: float, ours: float, precision: float) -> tuple[str, str, str]:
    digits = round(-np.log10(precision))
    return f"{asked:.{digits}f}", f"{ours:.{digits}f}", "yes" if abs(asked - ours) < 1.01 * precision else "no"


def measure_figures() -> dict[str, Any]:
    """Return the figures of Kuhn poker by form and rationality, and others with known values."""
    kuhn = td.compile_game(td.load_game("kuhn"))
    paths = {form: quantal_path(kuhn, 2000.0, form=form) for form in FORMS}
    uniform = quantal_path(kuhn, 5.0, form="reduced", magnet="uniform").at(5.0)
    limit = quantal_path(kuhn, 1e9, until=1e-9).last
    nau = quantal_path(td.load_game("matrix", payoffs=NAU), 1e9, until=1e-8).last
    signalling = quantal_path(td.load_game("signalling"), 1e9, until=1e-8).last
    return {
        "kuhn": [figures(paths[form].at(rationality)) for form, rationality in KUHN],
        "2000": figures(paths["agent"].at(2000.0)),
        "uniform": [float(uniform.game_values()[0]), uniform["0: J|"]["b"]],
        "limit": figures(limit),
        "nau": [*nau.game_values().tolist(), *(nau[f"{player}: move"]["0"] for player in range(3))],
        "signalling": signalling.game_values().tolist(),
        "iterations": [
            converged(Quantal(rationality=5.0, form=form, by="mmd", step=step)) for form, step in ITERATIONS
        ],
        "horse": _horse(),
        "myerson": _myerson(),
        "figure": _figure(),
        "folds": quantal_path(td.load_game("matrix", payoffs=FOLDING), 6.0).folds,
    }


def _read(text: str) -> Any:
    """Return the game of a Gambit file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.efg"
        file.write_text(text)
        return td.games.read_efg(file)


def _myerson() -> list[float]:
    """Return the limit of Myerson's card game: values, raises with the weak hand, and meets."""
    last = quantal_path(_read(BY_HAND), 1e9, until=1e-8).last
    return [*last.game_values().tolist(), last["0: black"]["Raise"], last["1: Bob"]["Meet"]]


def _figure() -> list[float]:
    """Return the limit of Myerson's figure 4.2: values, and the probability of A1."""
    last = quantal_path(_read(FIGURE), 1e9, until=1e-8).last
    return [*last.game_values().tolist(), last["0: first"]["A1"]]


def _horse() -> list[float]:
    """Return where on Selten's horse player 3 plays R with .9594762, the largest gain, and R at 40."""
    path = quantal_path(_read(HORSE), 40.0)
    chances = [path.profile(number)["2: 1"]["R"] for number in range(len(path.points))]
    where = float(np.interp(0.9594762, chances[5:], path.rationality[5:]))
    return [where, path.at(where).epsilon(), chances[-1]]


def figures_table(found: dict[str, Any]) -> Table:
    rows: list[tuple[Any, ...]] = []
    for (form, rationality), ours in zip(KUHN, found["kuhn"], strict=True):
        for name, asked, got, digits in zip(NAMES, KUHN[form, rationality], ours, DIGITS, strict=True):
            rows.append(("Kuhn", form, rationality, name, *_met(asked, got, 10.0**-digits)))
    names = (NAMES[0], *NAMES[2:5])
    ours = (found["2000"][0], *found["2000"][2:5])
    for name, asked, got, digits in zip(names, KUHN_2000, ours, (12, 8, 8, 8), strict=True):
        rows.append(("Kuhn", "agent", "2,000", name, *_met(asked, got, 10.0**-digits)))
    for name, asked, got in zip((NAMES[0], NAMES[2]), UNIFORM, found["uniform"], strict=True):
        rows.append(("Kuhn", "reduced, uniform magnet", 5, name, *_met(asked, got, 1e-12)))
    limits = (-1 / 18, 0.2017395852, 0.0, 0.6052188525, 0.3333333442)
    for name, asked, got in zip((NAMES[0], *NAMES[2:]), limits, (found["limit"][0], *found["limit"][2:]), strict=True):
        rows.append(("Kuhn", "agent", "limit (Gambit)", name, *_met(asked, got, 1e-7)))
    names = (*(f"value to player {player}" for player in range(3)), "Top", "Left", "first action of player 2")
    for name, asked, got in zip(names, (*NAU_LIMIT[0], *NAU_LIMIT[1]), found["nau"], strict=True):
        rows.append(("Nau et al., 3 players", "agent", "limit (Gambit)", name, *_met(asked, got, 1e-7)))
    for player, (asked, got) in enumerate(zip((0.0, 6.0), found["signalling"], strict=True)):
        rows.append(("signalling", "agent", "limit (Gambit)", f"value to player {player}", *_met(asked, got, 1e-6)))
    names = ("value to player 0", "value to player 1", "raise with the weak hand", "meet")
    for name, asked, got in zip(names, (1 / 3, -1 / 3, 1 / 3, 2 / 3), found["myerson"], strict=True):
        rows.append(("Myerson 1991, figure 2.1", "agent", "limit (Gambit)", name, *_met(asked, got, 1e-7)))
    names = ("value to player 0", "value to player 1", "A1")
    for name, asked, got in zip(names, FIGURE_LIMIT, found["figure"], strict=True):
        rows.append(("Myerson 1991, figure 4.2", "agent", "limit (Gambit)", name, *_met(asked, got, 1e-7)))
    for number, (asked, got) in enumerate(zip(FOLDS, found["folds"], strict=True), 1):
        rows.append(("table of 3 by 3, folding", "agent", "", f"fold {number}", *_met(asked, got, 1e-12)))
    for (form, step), ours in zip(ITERATIONS, found["iterations"], strict=True):
        asked = ITERATIONS[form, step]
        name = f"iterations of mirror descent, step {step:g}"
        rows.append(("Kuhn", form, 5, name, asked, ours, "yes" if asked == ours else "no"))
    return "game|form|rationality|figure|asked (computed)|ours|met", rows


def measure_paths() -> list[Any]:
    """Return length, time, folds, and the figures at the end of each path."""
    found = []
    for name, _, form, goal in PATHS:
        tree, start = td.compile_game(td.load_game(name)), time.process_time()
        path = quantal_path(tree, goal, form=form)
        seconds = time.process_time() - start
        end = path.at(goal)
        logs = np.log(np.maximum(end.probabilities, np.finfo(float).smallest_subnormal))
        residual = path.system.response.residual(logs, goal)
        values = end.game_values().tolist()
        found.append([len(path.points), seconds, len(path.folds), path.bifurcation, residual, values, end.nash_conv()])
    return found


def paths_table(found: list[Any]) -> Table:
    rows: list[tuple[Any, ...]] = []
    for (_, title, form, goal), (points, seconds, folds, crossing, residual, values, conv) in zip(
        PATHS, found, strict=True
    ):
        shown = ", ".join(f"{value:.6f}" for value in values)
        about = "none" if crossing is None else f"{crossing:.4f}"
        rows.append(
            (title, form, f"{goal:,.0f}", points, f"{seconds:.2g} s", folds, about, f"{residual:.0e}", shown,
             f"{conv:.6f}")
        )  # fmt: skip
    return "game|form|to|points|CPU time|folds|bifurcation|residual|values|NashConv", rows


def measure_coverage() -> dict[str, Any]:
    """Return the number of 100 simulated data sets whose interval has the truth, and a fit."""
    path = quantal_path(td.load_game("kuhn"), 200.0)
    fit = fit_rationality(path, simulated(path.at(3.0), 200, np.random.default_rng(1)))
    return {"covered": coverage(path, 3.0, sets=100, games=200), "fit": fit.summary()}


def coverage_table(found: dict[str, Any]) -> Table:
    fit, covered = found["fit"], found["covered"]
    rows: list[tuple[Any, ...]] = [
        ("data sets of 100 with the truth inside the 95 % interval", "at least 90", covered,
         "yes" if covered >= 90 else "no"),
        ("estimate of the first one, with its interval", "3", f"{fit['rationality']:.3f} ({fit['low']:.3f} to "
         f"{fit['high']:.3f})", ""),
    ]  # fmt: skip
    return "Kuhn, rationality 3, 200 games|asked|ours|met", rows


def draw() -> None:
    """Draw the path of Kuhn poker in agent form."""
    plot_panels(quantal_path(td.load_game("kuhn"), 2000.0).panels(), PICTURE)
