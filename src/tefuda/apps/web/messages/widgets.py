"""The live widgets of the chapters: lines and tables of numbers for each choice of their settings.

Texts of a widget are keys of ``static/words/chapter.json``, but names of methods, actions and infosets.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

import tefuda as td
from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.errors import UnknownNameError

_PAYOFF = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])  # rock, paper, scissors against the same
_DOUBLED = np.array([[0, -1, 2], [1, 0, -2], [-2, 2, 0]])  # a decision with scissors counts twice
_MOVES = ("rock", "paper", "scissors")
_SIMULTANEOUS = dataclasses.replace(td.METHODS["cfr"], order="simultaneous")
_SEEDS = ("1", "2", "3")


class Widget(NamedTuple):
    """A widget: its function, and the values of each setting with the default first."""

    function: Callable[..., dict[str, Any]]
    settings: Mapping[str, tuple[str, ...]]


def widget_settings(chapter: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a chapter's widget, with defaults for those that are not given.

    Raises:
        UnknownNameError: a setting has no such value.
    """
    values = {}
    for name, choices in WIDGETS[chapter].settings.items():
        values[name] = given.get(name, choices[0])
        if values[name] not in choices:
            raise UnknownNameError(name, values[name][:80], choices)
    return values


@lru_cache(maxsize=128)
def widget_numbers(chapter: str, *values: str) -> dict[str, Any]:
    """Return the numbers of a chapter's widget for the values of its settings, in order."""
    return WIDGETS[chapter].function(*values)


@cache
def _tree(name: str, **parameters: Any) -> td.Tree:
    return td.compile_game(td.load_game(name, **parameters))


def _chart(
    lines: Sequence[tuple[str, Any, Any]],
    x: str = "iterations",
    y: str = "NashConv",
    scales: tuple[str, str] = ("log", "log"),
    marks: bool = False,
) -> dict[str, Any]:
    """Return a chart of lines of a name, x and y, with the labels and scales of its axes."""
    points = ((name, np.column_stack([list(xs), list(ys)]).astype(float).tolist()) for name, xs, ys in lines)
    return chart_message([Line(name, rows, marks) for name, rows in points], [[x], [y]], scales)


def _curve(name: str, solution: td.Solution, cost: float = 1, nodes: bool = False) -> tuple[str, Any, Any]:
    xs = [point.nodes if nodes else cost * point.iteration for point in solution.curve]
    return name, xs, [point.nash_conv for point in solution.curve]


def regret_matching(rounds: str, seed: str) -> dict[str, Any]:
    """Return the current and average strategies of rock, paper, scissors."""
    rng, regrets, sums = np.random.default_rng(int(seed)), np.zeros((2, 3)), np.zeros(3)
    current, points = np.full((2, 3), 1 / 3), []
    marks = set(np.unique(np.geomspace(1, int(rounds), 120).astype(int)).tolist())
    for number in range(1, int(rounds) + 1):
        sums += current[0]
        moves = [int(np.searchsorted(np.cumsum(each), rng.random())) for each in current]
        for player in range(2):
            earned = _PAYOFF[:, moves[1 - player]]
            regrets[player] += earned - earned[moves[player]]
        current = td.evaluating.match_regrets(regrets)
        if number in marks:
            points.append((number, *current[0], *sums / number))
    columns = np.array(points).T
    lines = [(f"{move}: {kind}", columns[0], columns[1 + 3 * part + index])
             for part, kind in enumerate(("current", "average")) for index, move in enumerate(_MOVES)]  # fmt: skip
    return _chart(lines, "rounds", "probability", ("log", "linear"))


def by_hand(iterations: str) -> dict[str, Any]:
    """Return the regrets and strategies of Kuhn poker after an iteration of simultaneous CFR."""
    tree = _tree("kuhn")
    step = td.solvers.trace(tree, _SIMULTANEOUS, int(iterations)).updates[-1]
    rows = []
    for number in range(tree.infosets):
        regrets = 24 * step.regrets[tree.rows_of(number)]
        rows.append([tree.name_of(number), *regrets.tolist(), step.next[number]["b"], step.average[number]["b"]])
    return {"head": ["infoset", "24 × regret of pass", "24 × regret of bet", "next: bet", "average: bet"], "rows": rows}


def as_program(seed: str) -> dict[str, Any]:
    """Return NashConv on Kuhn poker over deals visited: all deals, and one sampled deal."""
    full = td.solve(_tree("kuhn"), _SIMULTANEOUS, iterations=5_000)
    sampled = td.solve(_tree("kuhn"), "chance", iterations=30_000, seed=int(seed))
    return _chart([_curve("all deals", full, 6), _curve("one sampled deal", sampled)], "deals visited")


def average_or_current(method: str, game: str) -> dict[str, Any]:
    """Return NashConv of the average and of the current strategy."""
    solver, points = td.make_solver(_tree(game), method), []
    counts = np.unique(np.geomspace(1, 3_000, 50).astype(int)).tolist()
    for before, after in zip([0, *counts[:-1]], counts, strict=True):
        solver.advance(after - before)
        points.append((after, solver.average().nash_conv(), solver.current().nash_conv()))
    count, average, current = np.array(points).T
    return _chart([("average", count, average), ("current", count, current)])


def family(game: str, iterations: str) -> dict[str, Any]:
    """Return the curves of five methods."""
    names = ("cfr", "cfr+", "dcfr", "pcfr+", "ema")
    return _chart([_curve(name, td.solve(_tree(game), name, iterations=int(iterations))) for name in names])


def sampling(game: str, seed: str) -> dict[str, Any]:
    """Return NashConv over visited histories for full and sampled traversals."""
    tree = _tree(game)
    histories = 2 * len(tree.player)
    goal = histories * 500
    full = _curve("cfr+", td.solve(tree, "cfr+", iterations=500), histories)
    lines = [_curve(name, td.solve(tree, name, nodes=goal, seed=int(seed)), nodes=True) for name in _SAMPLED]
    return _chart([full, *lines], "histories visited")


_SAMPLED = ("external", "outcome", "vr-mccfr")


def fictitious_play(explored: str, game: str) -> dict[str, Any]:
    """Return the curve of fictitious play, with and without exploration in the average."""
    lines = []
    for name, share in (("no exploration", 0.0), (f"{explored} %", int(explored) / 100)):
        method = dataclasses.replace(td.METHODS["xfp"], tremble=share)
        lines.append(_curve(name, td.solve(_tree(game), method, iterations=2_000)))
    return _chart(lines)


def seeds(method: str) -> dict[str, Any]:
    """Return the curves of five seeds of a sampled method: the spread that a single run hides."""
    solutions = {seed: td.solve(_tree("kuhn"), method, nodes=300_000, seed=seed) for seed in range(1, 6)}
    lines = [_curve(f"{seed}", solution, nodes=True) for seed, solution in solutions.items()]
    return _chart(lines, "histories visited")


def exploiting(opponent: str, seat: str) -> dict[str, Any]:
    """Return gain and risk of restricted Nash responses to an opponent of Kuhn poker."""
    tree, bets = _tree("kuhn"), {"timid": 0.1, "uniform": 0.5, "wild": 0.9}[opponent]
    model = td.Profile.from_function(tree, lambda player, view, actions: [1 - bets, bets])
    responses = td.exploiting.frontier(model, int(seat), "rnr")
    value = td.exploiting.game_value(tree, int(seat))
    risks = [max(value - response.worst_case, 0.0) for response in responses]
    wins = [response.exploitation - value for response in responses]
    lines = [("restricted Nash", risks, wins)]
    return _chart(lines, "risk: chips per hand", "gain: chips per hand", ("linear", "linear"), marks=True)


def abstraction(cards: str) -> dict[str, Any]:
    """Return NashConv in the real game by number of buckets of neighbouring cards."""
    tree, number = _tree("kuhn", cards=int(cards)), int(cards)
    ranks = list(dict.fromkeys(tree.keys[infoset].split("|")[0] for infoset in range(tree.infosets)))
    ranks.sort(key=_ORDER.index)
    points = []
    for buckets in range(1, number + 1):
        place = {rank: index * buckets // number for index, rank in enumerate(ranks)}
        part = td.forms.partition(tree, lambda view, player, place=place: (place[view[0]], view[2:]))
        points.append((buckets, td.solve(part, "cfr+", iterations=500).nash_conv))
    return _chart([("Kuhn", *np.array(points).T)], "buckets", scales=("linear", "linear"), marks=True)


_ORDER = "23456789TJQK"


def resolving(rock: str, iterations: str) -> dict[str, Any]:
    """Return the loss of a re-solved answer by blueprint: the subgame alone, and with a gadget."""
    papers, lines = np.linspace(0, 1 - float(rock), 13), []
    for name, gadget in (("alone", False), ("with a gadget", True)):
        blueprints = (np.array([float(rock), paper, 1 - float(rock) - paper]) for paper in papers)
        answers = (_resolved(blueprint, gadget, int(iterations)) for blueprint in blueprints)
        lines.append((name, papers, [(_DOUBLED @ answer).max() for answer in answers]))
    return _chart(lines, "blueprint: paper", "loss against a best response", ("linear", "linear"), marks=True)


def _resolved(blueprint: np.ndarray, gadget: bool, iterations: int) -> np.ndarray:
    """Return the answer to a hidden move after `iterations` of CFR+, with or without terminating at 0."""
    regrets, sums, follow = np.zeros(3), np.zeros(3), np.zeros((3, 2))
    for number in range(1, iterations + 1):
        answer = td.evaluating.match_regrets(regrets)
        sums += number * answer
        values = _DOUBLED @ answer
        share = td.evaluating.match_regrets(follow)[:, 1] if gadget else np.ones(3)
        if gadget:
            both = np.column_stack([np.zeros(3), values])
            follow = np.maximum(follow + both - (share * values)[:, None], 0)
        gains = -(blueprint * share) @ _DOUBLED
        regrets = np.maximum(regrets + gains - answer @ gains, 0)
    return sums / sums.sum()


def sizes(players: str) -> dict[str, Any]:
    """Return the estimated number of histories of Leduc hold'em by number of ranks."""
    ranks = range(2, 14)
    lines = []
    for cap in (1, 2, 3):
        estimates = [
            td.games.estimate_game(td.load_game("leduc", players=int(players), ranks=number, cap=cap))
            for number in ranks
        ]
        lines.append((f"cap {cap}", ranks, [estimate.histories for estimate in estimates]))
    return _chart(lines, "ranks", "histories", ("linear", "log"))


def reproduction(deals: str) -> dict[str, Any]:
    """Return betting probabilities of ten seeds of chance-sampled CFR beside published ones."""
    runs = []
    for seed in range(1, 11):
        solver = td.make_solver(_tree("kuhn"), "chance", seed=seed)
        solver.advance(int(deals))
        average = solver.average()
        runs.append([average[infoset]["b"] for infoset in _PUBLISHED])
    means, deviations = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1)
    columns = (_PUBLISHED, _PUBLISHED.values(), means.tolist(), deviations.tolist())
    rows = [list(row) for row in zip(*columns, strict=True)]
    return {"head": ["infoset", "published", "mean of ten seeds", "standard deviation"], "rows": rows}


#: Probability of a bet or call in yamaoka2020.
_PUBLISHED = {"0: J|": 0.1502464, "1: J|p": 0.3355316, "1: Q|b": 0.3383169, "0: Q|pb": 0.4840698, "0: K|": 0.4524772}
_GAMES = ("kuhn", "leduc")
WIDGETS = {
    "regret-matching": Widget(regret_matching, {"rounds": ("1000", "10000"), "seed": _SEEDS}),
    "cfr-by-hand": Widget(by_hand, {"iterations": ("1", "2", "3", "5", "10", "100", "1000")}),
    "cfr-program": Widget(as_program, {"seed": _SEEDS}),
    "the-answer": Widget(average_or_current, {"method": ("cfr", "cfr+", "dcfr", "pcfr+"), "game": _GAMES}),
    "family": Widget(family, {"game": _GAMES[::-1], "iterations": ("300", "1000", "3000")}),
    "sampling": Widget(sampling, {"game": _GAMES, "seed": _SEEDS}),
    "fictitious-play": Widget(fictitious_play, {"explored": ("10", "1", "30"), "game": _GAMES}),
    "neural-cfr": Widget(seeds, {"method": ("outcome", "external", "vr-mccfr")}),
    "exploiting": Widget(exploiting, {"opponent": ("timid", "uniform", "wild"), "seat": ("0", "1")}),
    "abstraction": Widget(abstraction, {"cards": ("5", "8", "12")}),
    "resolving": Widget(resolving, {"rock": ("0.4", "0.2", "0.6"), "iterations": ("300", "1000")}),
    "large-games": Widget(sizes, {"players": ("2", "3")}),
    "reading-a-paper": Widget(reproduction, {"deals": ("1000", "10000", "100000")}),
}
