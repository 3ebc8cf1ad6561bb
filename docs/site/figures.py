"""Draw the pictures of the README and the chapters: ``python -m docs.site.figures [NAME ...]``."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import re
import sys
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path

import numpy as np
from docs.site import boards
from docs.site.pages import ROOT
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import tefuda as td
from tefuda.apps.drawing.part import tree_part
from tefuda.apps.drawing.picture import tree_drawing
from tefuda.apps.drawing.svg import svg_text
from tefuda.apps.plot import house_style, name_lines
from tefuda.figure import BLUE, GREEN, GREY, ORANGE, QUIET, RED, SHADES

SIZE = (7.2, 3.6)  # inches
DEALS = list(permutations("JQK", 2))


def regret_matching(axes: Axes) -> None:
    """Rock, paper, scissors: current and average strategy of one player."""
    payoff, rng = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]], random.Random(0)
    regrets, current, sums = np.zeros((2, 3)), np.full((2, 3), 1 / 3), np.zeros(3)
    rounds = np.unique(np.geomspace(1, 100_000, 160).astype(int))
    points = []
    for number in range(1, rounds[-1] + 1):
        sums += current[0]
        moves = [rng.choices(range(3), each)[0] for each in current]
        for player in range(2):
            earned = np.array([payoff[action][moves[1 - player]] for action in range(3)])
            regrets[player] += earned - earned[moves[player]]
        positive = np.maximum(regrets, 0)
        current = np.where(positive.sum(1, keepdims=True) > 0, positive, 1)
        current = current / current.sum(1, keepdims=True)
        if number in rounds:
            points.append((current[0], sums / number))
    for action, (name, colour) in enumerate(zip(("rock", "paper", "scissors"), (BLUE, ORANGE, GREEN), strict=True)):
        now, mean = (np.array([each[kind][action] for each in points]) for kind in range(2))
        axes.plot(rounds, now, "-", color=colour, linewidth=0.6, alpha=0.7)
        axes.plot(rounds, mean, "-", color=colour, linewidth=2.4)
        axes.text(0.62 + 0.13 * action, 0.93, name, color=colour, transform=axes.transAxes, fontweight="bold")
    axes.set(xscale="log", xlabel="rounds", ylabel="probability of the move", ylim=(0, 1))


def kuhn_tree(axes: Axes) -> None:
    """Kuhn poker: one column for each deal, histories of an infoset in one colour."""
    spots = {"": (0.0, 3), "p": (-0.22, 2), "b": (0.22, 2), "pp": (-0.36, 1), "pb": (-0.14, 1)}
    ends = {"bp": (0.12, 1), "bb": (0.32, 1), "pbp": (-0.22, 0), "pbb": (-0.06, 0)}
    edges = {child: child[:-1] for child in [*spots, *ends] if child}
    places = spots | ends
    rank = "JQK".index
    for column, (first, second) in enumerate(DEALS):
        axes.plot([2.5, column], [3.9, 3], "-", color=GREY, linewidth=0.8, zorder=0)
        axes.text(column, 3.32, first + second, ha="center", va="bottom", fontweight="bold", backgroundcolor="white")
        for child, parent in edges.items():
            (x, y), (left, top) = places[child], places[parent]
            axes.plot([column + left, column + x], [top, y], "-", color=GREY, linewidth=0.8, zorder=0)
        for history, (x, y) in places.items():
            if history in ("", "p", "b", "pb"):
                player = len(history) % 2
                card = (first, second)[player]
                box = {
                    "boxstyle": ("square", "round")[player],
                    "facecolor": SHADES[3 * player + rank(card)],
                    "linewidth": 0,
                }
                axes.text(column + x, y, card + history, ha="center", va="center", fontsize=9, bbox=box)
            else:
                stake = {"pp": 1, "bb": 2, "pbb": 2, "bp": 1, "pbp": -1}[history]
                wins = history in ("bp", "pbp") or rank(first) > rank(second)
                axes.text(column + x, y, f"{stake if wins else -stake:+d}", ha="center", va="center", fontsize=8,
                          backgroundcolor="white")  # fmt: skip
    axes.scatter(2.5, 3.9, s=130, color="white", edgecolor=GREY, marker="D", zorder=2)
    axes.text(2.68, 3.92, "chance deals a card to each player, 1/6 each deal", va="center")
    for text, y in (("player 0 acts", 3), ("player 1 acts", 2), ("player 0 acts", 1), ("chips of player 0", 0)):
        axes.text(5.62, y, text, va="center", fontsize=9, color=QUIET)
    axes.text(-0.3, 2.6, "pass", fontsize=8, color=QUIET, ha="center", va="center")
    axes.text(0.28, 2.6, "bet", fontsize=8, color=QUIET, ha="center", va="center")
    axes.set(xlim=(-0.7, 6.6), ylim=(-0.3, 4.2))
    axes.axis("off")


def kuhn_convergence(axes: Axes) -> None:
    """NashConv over deals visited: full CFR and chance sampling."""
    lines = {}
    tree = td.compile_game(td.load_game("kuhn"))
    full = td.solve(tree, dataclasses.replace(td.METHODS["cfr"], order="simultaneous"), iterations=20_000)
    for solution, deals, name, colour in (
        (full, 6, "all deals", BLUE),
        (td.solve(tree, "chance", iterations=120_000, seed=1), 1, "one sampled deal", RED),
    ):
        xs = np.array([deals * point.iteration for point in solution.curve])
        ys = np.array([point.nash_conv for point in solution.curve])
        (lines[name],) = axes.plot(xs, ys, color=colour)
    axes.set(xscale="log", yscale="log", xlabel="deals visited", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def average_and_current(axes: Axes) -> None:
    """NashConv of the average and of the current strategy of simultaneous CFR."""
    lines = {}
    tree = td.compile_game(td.load_game("kuhn"))
    solver = td.make_solver(tree, dataclasses.replace(td.METHODS["cfr"], order="simultaneous"))
    counts, points = np.unique(np.geomspace(1, 20_000, 60).astype(int)), []
    for before, after in zip([0, *counts[:-1]], counts, strict=True):
        solver.advance(int(after - before))
        points.append((solver.average().nash_conv(), solver.current().nash_conv()))
    for kind, (name, colour) in enumerate((("average", BLUE), ("current", RED))):
        ys = np.array([point[kind] for point in points])
        (lines[name],) = axes.plot(counts, ys, color=colour)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def leduc(axes: Axes) -> None:
    """NashConv of five methods on Leduc hold'em, down to round-off: the picture of the README."""
    lines = {}
    tree = td.compile_game(td.load_game("leduc"))
    for name, colour in (("CFR", GREY), ("CFR+", RED), ("DCFR", ORANGE), ("PCFR+", GREEN), ("EMA", BLUE)):
        curve = td.solve(tree, name.lower(), iterations=30_000, until=1e-9).curve
        xs, ys = np.array([point.iteration for point in curve]), np.array([point.nash_conv for point in curve])
        (lines[name],) = axes.plot(xs, ys, color=colour, linewidth=2)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="NashConv (chips per hand)", xlim=(1, 1e5))
    name_lines(axes, lines)


def family(axes: Axes) -> None:
    """NashConv of five methods on Leduc hold'em."""
    lines = {}
    tree = td.compile_game(td.load_game("leduc"))
    for name, colour in (("cfr", GREY), ("cfr+", RED), ("dcfr", ORANGE), ("pcfr+", GREEN), ("ema", BLUE)):
        curve = td.solve(tree, name, iterations=10_000).curve
        xs, ys = np.array([point.iteration for point in curve]), np.array([point.nash_conv for point in curve])
        (lines[name],) = axes.plot(xs, ys, color=colour)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def sampling(axes: Axes) -> None:
    """NashConv over visited histories on Leduc hold'em."""
    lines = {}
    tree = td.compile_game(td.load_game("leduc"))
    for name, colour, visited in (("cfr+", BLUE, 2 * len(tree.player)), ("external", GREEN, 0), ("outcome", RED, 0)):
        goal = {"iterations": 5_000} if visited else {"nodes": 2 * 5_000 * len(tree.player)}
        curve = td.solve(tree, name, seed=1, **goal).curve
        xs = np.array([point.iteration * visited or point.nodes for point in curve])
        ys = np.array([point.nash_conv for point in curve])
        (lines[name],) = axes.plot(xs, ys, color=colour)
    axes.set(xscale="log", yscale="log", xlabel="histories visited", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def fictitious_play(axes: Axes) -> None:
    """Fictitious play on Leduc hold'em, with and without exploration in the average."""
    lines = {}
    tree = td.compile_game(td.load_game("leduc"))
    for tremble, name, colour in ((0.0, "no exploration", BLUE), (0.1, "10 % explored", RED)):
        curve = td.solve(tree, dataclasses.replace(td.METHODS["xfp"], tremble=tremble), iterations=20_000).curve
        xs, ys = np.array([point.iteration for point in curve]), np.array([point.nash_conv for point in curve])
        (lines[name],) = axes.plot(xs, ys, color=colour)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def neural_cfr(axes: Axes) -> None:
    """Draw the program of the neural chapter by steps of training, and with exact means as network."""
    text = (ROOT / "docs" / "learn" / "neural-cfr.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[:2]

    def means(rng: object, inputs: np.ndarray, targets: np.ndarray, steps: int) -> dict[bytes, np.ndarray]:
        return {row.tobytes(): targets[(inputs == row).all(1)].mean(0) for row in np.unique(inputs, axis=0)}

    def recall(table: dict[bytes, np.ndarray], inputs: np.ndarray) -> tuple[None, np.ndarray]:
        return None, np.array([table.get(row.tobytes(), np.zeros(2)) for row in inputs])

    xs = np.array([1, 2, 5, 10, 20, 50, 100])
    ways, lines = {"10 steps": (10, RED), "100 steps": (100, BLUE), "300 steps": (300, GREEN), "table": (0, GREY)}, {}
    for name, (steps, colour) in ways.items():
        program: dict = {}
        with contextlib.redirect_stdout(None):
            exec("".join(blocks), program)
        if name == "table":
            program |= {"fit": means, "predict": recall}
        solve, nash_conv = program["solve"], program["nash_conv"]
        values = [[nash_conv(solve(seed, count, steps=steps)) for seed in range(3)] for count in xs.tolist()]
        (lines[name],) = axes.plot(xs, np.array(values).mean(1), color=colour)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="NashConv (chips per hand)")
    name_lines(axes, lines)


def resolving(axes: Axes) -> None:
    """A rough blueprint of Leduc hold'em, and after re-solving each of its subgames."""
    tree = td.compile_game(td.load_game("leduc"))
    blueprint = td.solve(tree, "cfr", iterations=10).strategy
    ways = ("unsafe", "cfr-d", "max-margin", "reach")
    names = ["blueprint", *ways]
    values = [blueprint.nash_conv(), *(td.resolve_nested(blueprint, way).nash_conv() for way in ways)]
    for name, value, colour in zip(names, values, (GREY, RED, GREEN, BLUE, ORANGE), strict=True):
        axes.barh(name, value, color=colour)
        axes.text(value, name, f" {value:.2f}", va="center")
    axes.invert_yaxis()
    axes.set(xlabel="NashConv (chips per hand)")


def exploiting(axes: Axes) -> None:
    """Winnings and risk of restricted Nash responses to a timid player of Leduc hold'em."""
    tree = td.compile_game(td.load_game("leduc"))
    (timid,) = td.named_agents(tree, ["tilted"])
    found = td.exploiting.frontier(timid.profile, 0, "rnr", tuple(np.linspace(0, 1, 21)))
    won, risked = (np.array([getattr(each, name) for each in found]) for name in ("exploitation", "worst_case"))
    axes.plot(won, risked, color=BLUE, marker="o", markersize=4)
    for number in (0, 10, 20):
        axes.annotate(f"p = {number / 20:g}", (won[number], risked[number]), (6, 6), textcoords="offset points")
    axes.set(
        xlabel="won from the modelled opponent (chips per hand)", ylabel="worst case (chips per hand)", ylim=(-0.95, 0)
    )


def abstraction(axes: Axes) -> None:
    """Kuhn poker with five cards in contiguous buckets: NashConv in the real game."""
    tree, order = td.compile_game(td.load_game("kuhn", cards=5)), "9TJQK"
    best: dict[int, tuple[float, str]] = {}
    for cuts in product((0, 1), repeat=4):
        numbers = np.cumsum([0, *cuts])
        part = td.forms.partition(tree, lambda view, player, of=numbers: (int(of[order.index(view[0])]), view[2:]))
        value = td.solve(part, "cfr+", iterations=1_000).nash_conv
        count = int(numbers[-1]) + 1
        axes.scatter(count, value, color=BLUE)
        name = " ".join("".join(order[card] for card in range(5) if numbers[card] == each) for each in range(count))
        best[count] = min(best.get(count, (9.0, "")), (value, name))
    for count, (value, name) in best.items():
        axes.annotate(name, (count, value), (0, -14), textcoords="offset points", ha="center", fontsize=9)
    axes.set(xlabel="number of buckets", ylabel="NashConv (chips per hand)", xticks=range(1, 6), ylim=(-0.06, 0.52))


def large_games(axes: Axes) -> None:
    """Infosets of games from Kuhn poker to limit hold'em, by the method that fits."""
    games = (
        ("Kuhn poker", 12, BLUE), ("Leduc hold'em", 288, BLUE), ("liar's dice, one die each", 24_576, BLUE),
        ("limit hold'em in 20 buckets", 127_560, GREEN), ("Koi-Koi with 12 cards", 763_280, GREEN),
        ("limit hold'em", 319_365_922_522_608, RED), ("Koi-Koi, first decision alone", 2.9e16, RED),
    )  # fmt: skip
    for name, count, colour in games:
        axes.barh(name, count, color=colour, height=0.62)
        exponent = int(np.log10(count))
        text = f" {count:,}" if exponent < 7 else f" {count / 10**exponent:.1f} · 10{_raised(exponent)}"
        axes.text(count, name, text, va="center")
    for x, y, text, colour in (
        (2e8, 1, "exact: linear program, CFR", BLUE),
        (2e8, 3.5, "tables: CFR, sampling", GREEN),
        (3, 5, "buckets, networks, search", "white"),
    ):
        axes.text(x, y, text, color=colour, va="center", fontweight="bold")
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="infosets (logarithmic scale)", xlim=(1, 1e21))


def _raised(number: int) -> str:
    """Return a number as superscript digits."""
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def reading_a_paper(axes: Axes) -> None:
    """Ten seeds of chance-sampled CFR on Kuhn poker beside the published run of yamaoka2020."""
    tree = td.compile_game(td.load_game("kuhn"))
    runs = []
    for seed in range(1, 11):
        solver = td.make_solver(tree, "chance", seed=seed)
        solver.advance(1_000_000)
        runs.append(solver.average())
    rows = (("0: J|", 0.150246), ("0: Q|pb", 0.484070), ("0: K|", 0.452477), ("1: J|p", 0.335532), ("1: Q|b", 0.338317))
    names = ("jack\nbets", "queen calls\nafter pass, bet", "king\nbets", "jack bets\nafter pass", "queen calls\na bet")
    for place, (infoset, published) in enumerate(rows):
        ours = [run[infoset]["b"] for run in runs]
        axes.scatter([place] * len(ours), ours, color=BLUE, alpha=0.5, s=36)
        axes.scatter(place + 0.16, published, color=RED, marker="D", s=40)
    axes.annotate("ten seeds", (0, 0.27), (-8, 12), textcoords="offset points", color=BLUE, ha="center")
    axes.annotate("published run", (0.16, 0.150246), (8, -12), textcoords="offset points", color=RED)
    axes.set(xticks=range(5), xticklabels=names, ylabel="probability", ylim=(0, 1), xlim=(-0.5, 4.6))


def kuhn_drawn() -> str:
    """Return the tree of Kuhn poker with an equilibrium as SVG."""
    tree = td.compile_game(td.load_game("kuhn"))
    return svg_text(tree_drawing(tree, tree_part(tree), td.solve(tree, "lp").strategy))


PICTURES: dict[str, Callable[[Axes], None]] = {
    "regret-matching": regret_matching,
    "kuhn-tree": kuhn_tree,
    "kuhn-convergence": kuhn_convergence,
    "average-and-current": average_and_current,
    "family": family,
    "sampling": sampling,
    "fictitious-play": fictitious_play,
    "neural-cfr": neural_cfr,
    "exploiting": exploiting,
    "abstraction": abstraction,
    "resolving": resolving,
    "large-games": large_games,
    "reading-a-paper": reading_a_paper,
}


#: Pictures of pages outside docs/learn.
ELSEWHERE: dict[str, Callable[[Axes], None]] = {"leduc": leduc, "spot": boards.spot}

#: Pictures that are SVG documents already.
DOCUMENTS = {"koikoi-table": boards.koikoi, "kuhn-drawn": kuhn_drawn}

SIZES = {kuhn_tree: (9.6, 4.2), boards.spot: (8.4, 5.6)}  # inches, other than usual


#: Titles that say what to see.
TITLES = {
    "regret-matching": "The average strategy (thick) converges to 1/3; the current one (thin) does not",
    "kuhn-tree": "Kuhn poker: histories of one information set have one colour",
    "kuhn-convergence": "Kuhn poker: sampled deals converge with noise, all deals smoothly",
    "average-and-current": "Kuhn poker: the average strategy of CFR converges, the current strategy does not",
    "family": "Leduc hold'em: methods of the CFR family differ by orders of magnitude",
    "sampling": "Leduc hold'em: in a small game full traversals beat sampling",
    "fictitious-play": "Leduc hold'em: exploration in the average strategy sets a floor for NashConv",
    "neural-cfr": "Kuhn poker: a network needs enough training to come close to a table",
    "exploiting": "Leduc hold'em: more exploitation of the model costs more in the worst case",
    "abstraction": "Kuhn poker with 5 cards: the cuts matter as much as the number of buckets",
    "resolving": "Leduc hold'em: safe re-solving improves a rough blueprint, unsafe harms it",
    "large-games": "Games grow beyond tables: infosets, and the methods that fit",
    "reading-a-paper": "Kuhn poker: the published run lies within the spread of ten seeds",
    "spot": "Texas hold'em on the turn: strategy of the first player, by hand class",
    "leduc": "Leduc hold'em: methods of the CFR family differ by orders of magnitude",
}


def draw(path: Path, picture: Callable[[Axes], None]) -> None:
    """Draw one picture into a file."""
    with house_style():
        figure, axes = plt.subplots(figsize=SIZES.get(picture, SIZE))
        picture(axes)
        axes.set_title(TITLES[path.stem], loc="left", pad=10)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    for folder, pictures in ((ROOT / "docs" / "learn", PICTURES), (ROOT / "docs", ELSEWHERE)):
        for name in sys.argv[1:] or pictures:
            if name in pictures:
                draw(folder / f"{name}.svg", pictures[name])
    for name in sys.argv[1:] or DOCUMENTS:
        if name in DOCUMENTS:
            (ROOT / "docs" / f"{name}.svg").write_text(DOCUMENTS[name](), "utf-8")
