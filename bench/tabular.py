"""Full-tree solving and exact evaluation, beside OpenSpiel's C++ and LiteEFG, if installed.

``python -m bench.tabular`` prints the tables. With ``--write`` it also writes bench/results/tabular.json, the tables of
docs/benchmarks.md, and the short table of the README, with ``--render`` only the tables.
LiteEFG is built from source: ``pip install LiteEFG`` takes two minutes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import pyspiel

import tefuda as td
from bench.pairs import (
    Row,
    Sections,
    Work,
    block,
    compare,
    dated,
    markdown,
    pin_to_one_core,
    publish,
    rows_of,
    seconds,
)


@dataclass(frozen=True)
class Game:
    """Game with its two names, and the target ratios of an iteration and of NashConv."""

    title: str
    theirs: str
    name: str
    parameters: dict
    iteration: int = 1
    evaluating: int = 1
    rounds: int = 5
    large: bool = False  # OpenSpiel's traversals take minutes: only an iteration of CFR+ is timed


#: Rows of the README's table.
SHORT = ("Kuhn: iteration of CFR+", "Leduc: iteration of CFR+", "Leduc: NashConv", "Liar's dice 6: iteration of CFR+")
PAGE = "docs/benchmarks.md"
APART = {"distinct_suits": True}
GOOFSPIEL = "goofspiel(imp_info=True,num_cards={},points_order=descending)"
GAMES = (
    Game("Kuhn", "kuhn_poker", "kuhn", {}, 50, rounds=7),
    Game("Leduc", "leduc_poker", "leduc", APART, 600, 3000, rounds=7),
    Game("Goofspiel 4", GOOFSPIEL.format(4), "goofspiel", {}),
    Game("Goofspiel 5", GOOFSPIEL.format(5), "goofspiel", {"cards": 5}),
    Game("Liar's dice 6", "liars_dice", "liars_dice", {}, 300, 3000, rounds=3),
    Game("3-player Leduc", "leduc_poker(players=3)", "leduc", APART | {"players": 3}, 900, rounds=3, large=True),
)


def repeat(function, *arguments) -> Work:
    def work(count: int) -> None:
        for _ in range(count):
            function(*arguments)

    return work


def openspiel_iterations(game: Game, method: str) -> Work:
    kind = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}[method]
    return repeat(kind(loaded(game)).evaluate_and_update_policy)


def loaded(game: Game):
    return pyspiel.load_game_as_turn_based(game.theirs)


def openspiel_rows(game: Game, tree: td.Tree) -> list[Row]:
    rows = []
    for method in ("cfr+",) if game.large else ("cfr", "cfr+"):
        solver, theirs = td.make_solver(tree, method), openspiel_iterations(game, method)
        what = f"{game.title}: iteration of {method.upper()}"
        rows.append(compare(what, theirs, solver.advance, rounds=game.rounds, asked=f">= {game.iteration}"))
    if not game.large:
        policy = pyspiel.CFRSolver(loaded(game)).tabular_average_policy()
        theirs, ours = (
            repeat(pyspiel.nash_conv, loaded(game), policy),
            repeat(td.nash_conv, td.Profile.uniform(tree)),
        )
        rows.append(
            compare(f"{game.title}: NashConv", theirs, ours, rounds=game.rounds, asked=f">= {game.evaluating:,}")
        )
    return rows


def liteefg_rows(game: Game, tree: td.Tree) -> list[Row]:
    """Return rows of LiteEFG, whose iteration needs two calls: update and average."""
    import LiteEFG
    from LiteEFG.baselines import CFR, CFRplus

    rows = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for method, baseline in (("cfr", CFR), ("cfr+", CFRplus)):
            environment = LiteEFG.OpenSpielEnv(loaded(game), traverse_type="Enumerate", regenerate=True)
            graph = baseline.graph()
            environment.set_graph(graph)

            def theirs(count: int, graph=graph, environment=environment) -> None:
                for _ in range(count):
                    graph.update_graph(environment)
                    environment.update_strategy(graph.current_strategy())

            solver, what = td.make_solver(tree, method), f"{game.title}: iteration of {method.upper()}"
            rows.append(compare(what, theirs, solver.advance, rounds=game.rounds, asked="> 1"))
        evaluating = repeat(environment.exploitability, graph.current_strategy(), "linear-avg-iterate")
        ours = repeat(td.nash_conv, td.Profile.uniform(tree))
        rows.append(compare(f"{game.title}: exploitability", evaluating, ours, rounds=game.rounds, asked="> 1"))
    return rows


def own_figures() -> dict[str, float]:
    """Return figures of tefuda alone, in CPU seconds."""
    os.environ["TEFUDA_CACHE"] = tempfile.mkdtemp()
    merged = td.load_game("leduc", players=3)
    figures = {"compile Leduc": seconds(lambda n: compiled("leduc"), 1), "compile 3-player Leduc, cold": 0.0}
    for name in ("compile 3-player Leduc, cold", "compile 3-player Leduc, from the cache"):
        figures[name] = seconds(lambda n: td.forms.sequence_form(td.compile_game(merged)), 1)
    kuhn = td.make_solver(compiled("kuhn"), td.METHODS["cfr"])
    figures["1,000,000 Kuhn iterations"] = seconds(kuhn.advance, 1_000_000) * 1_000_000
    leduc, bar = compiled("leduc"), 1e-9
    found = td.solve(leduc, until=bar)
    figures["Leduc to NashConv 1e-9: iterations"] = found.iterations
    figures["Leduc to NashConv 1e-9"] = found.seconds
    for name, parameters in (("leduc", {}), ("goofspiel", {"cards": 5}), ("liars_dice", {})):
        tree = compiled(name, **parameters)
        figures[f"linear program of {name} {parameters or ''}".strip()] = seconds(td.make_solver(tree, "lp").advance, 1)
    return figures


def compiled(name: str, **parameters) -> td.Tree:
    tree = td.compile_game(td.load_game(name, **parameters))
    td.forms.sequence_form(tree)
    return tree


def measure() -> dict[str, Any]:
    pin_to_one_core()
    rows = [row for game in GAMES for row in openspiel_rows(game, compiled(game.name, **game.parameters))]
    distinct, merged = (td.make_solver(compiled("leduc", distinct_suits=suits)) for suits in (True, False))
    rows.append(compare("Leduc: suits apart / merged, ours", distinct.advance, merged.advance, asked=">= 1.67"))
    block(merged.advance, 0.1)
    figures = own_figures()
    for what, value in figures.items():
        print(f"{what}: {value:.3g}{'' if 'iterations' in what and ':' in what else ' s'}")
    return {
        "programs": [f"OpenSpiel {version('open_spiel')} (C++)", f"tefuda {td.__version__}"],
        "versions": {name: version(name) for name in ("open_spiel", "numba", "numpy", "highspy")},
        "ours_seconds": figures,
        "rows": [asdict(row) for row in rows],
    }


def sections(results: dict[str, Any]) -> Sections:
    rows, names = rows_of(results), results["programs"]
    return {
        (PAGE, "bench tabular"): dated(markdown(rows, names), results),
        ("README.md", "bench short"): markdown(shortened(rows), names),
    }


def shortened(rows: list[Row]) -> list[Row]:
    """Return the rows of the README's table."""
    return [row for row in rows if row.what in SHORT]


def measure_liteefg() -> dict[str, Any]:
    pin_to_one_core()
    games = [game for game in GAMES if not game.large]
    rows = [row for game in games for row in liteefg_rows(game, compiled(game.name, **game.parameters))]
    programs = [f"LiteEFG {version('LiteEFG')} (C++)", f"tefuda {td.__version__}"]
    return {"programs": programs, "rows": [asdict(row) for row in rows]}


def liteefg_sections(results: dict[str, Any]) -> Sections:
    return {(PAGE, "bench liteefg"): dated(markdown(rows_of(results), results["programs"]), results)}


def main() -> None:
    publish("tabular", measure, sections)
    if "--render" in sys.argv or importlib.util.find_spec("LiteEFG"):
        publish("liteefg", measure_liteefg, liteefg_sections)
    else:
        print("LiteEFG is not installed")


if __name__ == "__main__":
    main()
