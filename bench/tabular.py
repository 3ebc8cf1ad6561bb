"""Full-tree solving and exact judging, side by side with OpenSpiel's C++ (extra ``openspiel``).

``python -m bench.tabular`` prints the table; with ``--write`` it also writes bench/results/tabular.json and the
README's table.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.metadata import version

import pyspiel

import tefuda as tf
from bench.pairs import Row, Work, block, compare, markdown, pin_to_one_core, seconds, write_results, write_section

# name, OpenSpiel's game, ours (the same infosets), ratio asked of a CFR+ iteration, rounds
GAMES = (
    ("Kuhn", "kuhn_poker", ("kuhn", {}), 50, 7),
    ("Leduc", "leduc_poker", ("leduc", {"distinct_suits": True}), 600, 7),
    ("3-player Leduc", "leduc_poker(players=3)", ("leduc", {"players": 3, "distinct_suits": True}), 900, 3),
)


def their_iterations(game: str, plus: bool) -> Work:
    solver = (pyspiel.CFRPlusSolver if plus else pyspiel.CFRSolver)(pyspiel.load_game(game))

    def work(count: int) -> None:
        for _ in range(count):
            solver.evaluate_and_update_policy()

    return work


def repeat(function, *arguments) -> Work:
    def work(count: int) -> None:
        for _ in range(count):
            function(*arguments)

    return work


def iteration_rows(tree: tf.Tree, name: str, theirs: str, asked: int, rounds: int) -> list[Row]:
    rows = []
    for label, method, plus in (("CFR", tf.CFR, False), ("CFR+", tf.CFR_PLUS, True)):
        if rounds < 5 and not plus:
            continue  # a minute an iteration there; CFR+ says enough
        solver = tf.make_solver(tree, method)
        work = their_iterations(theirs, plus)
        rows.append(compare(f"{name}: iteration of {label}", work, solver.advance, rounds=rounds, asked=f">= {asked}"))
    return rows


def judging_row(tree: tf.Tree, name: str, theirs: str, asked: str) -> Row:
    game = pyspiel.load_game(theirs)
    policy, profile = pyspiel.CFRSolver(game).tabular_average_policy(), tf.Profile.uniform(tree)
    works = (repeat(pyspiel.nash_conv, game, policy), repeat(tf.nash_conv, tree, profile))
    return compare(f"{name}: NashConv", *works, asked=asked)


def own_figures() -> dict[str, float]:
    """Figures of ours alone, in CPU seconds."""
    os.environ["TEFUDA_CACHE"] = tempfile.mkdtemp()
    merged = tf.load_game("leduc", players=3)
    figures = {"compile Leduc": seconds(lambda n: compiled("leduc"), 1), "compile 3-player Leduc, cold": 0.0}
    for name in ("compile 3-player Leduc, cold", "compile 3-player Leduc, from the cache"):
        figures[name] = seconds(lambda n: tf.sequence_form(tf.compile_game(merged)), 1)
    kuhn = tf.make_solver(compiled("kuhn"), tf.CFR)
    figures["1,000,000 Kuhn iterations"] = seconds(kuhn.advance, 1_000_000) * 1_000_000
    return figures


def compiled(name: str, **parameters) -> tf.Tree:
    tree = tf.compile_game(tf.load_game(name, **parameters))
    tf.sequence_form(tree)
    return tree


def run() -> tuple[list[Row], dict[str, float]]:
    pin_to_one_core()
    rows = []
    for name, theirs, (ours, parameters), asked, rounds in GAMES:
        tree = compiled(ours, **parameters)
        rows += iteration_rows(tree, name, theirs, asked, rounds)
        if rounds >= 5:
            rows.append(judging_row(tree, name, theirs, ">= 3,000" if name == "Leduc" else ""))
    distinct, merged = (tf.make_solver(compiled("leduc", distinct_suits=suits)) for suits in (True, False))
    rows.append(compare("Leduc: suits apart / merged, ours", distinct.advance, merged.advance, asked=">= 1.67"))
    block(merged.advance, 0.1)
    return rows, own_figures()


def main() -> None:
    rows, figures = run()
    names = (f"OpenSpiel {version('open_spiel')} (C++)", f"tefuda {tf.__version__}")
    text = markdown(rows, names)
    print(text)
    for what, value in figures.items():
        print(f"{what}: {value:.3g} s")
    if "--write" in sys.argv:
        versions = {name: version(name) for name in ("open_spiel", "numba", "numpy")}
        write_results("tabular", {"versions": versions, "ours_seconds": figures}, rows)
        write_section("bench tabular", text)


if __name__ == "__main__":
    main()
