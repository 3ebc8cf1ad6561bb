"""Re-solved turns on small decks of hold'em, where everything is exact.

Decks of 12 and 16 cards leave 36 and 78 hands on a flop with bets of the pot or all-in. A blueprint in buckets plays
the flop, and all turns with chips behind are re-solved from it for both players. They cannot repair the flop: the
*floor* is the exploitability of the blueprint's flop with an equilibrium of everything below.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tefuda.figure import Panel
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import CompiledSpot, compile_spot
from tefuda.holdem.spots.solver import HandSolver
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import insert_streets
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, PublishedTable, below, table
from tefuda_reproductions.decks.blueprint import SharedSolver
from tefuda_reproductions.decks.buckets import buckets, cells, small_deck
from tefuda_reproductions.decks.turns import exploitability, floor, least, resolve_turns, root_exploitabilities
from tefuda_reproductions.experiment import spread_saved

GADGETS = ("max-margin", "cfr-d", "unsafe")
#: Earlier figures: exploitability by cards and buckets of the blueprint, after re-solving by `GADGETS`, of the floor.
EARLIER = {
    (12, "6/6/6"): (19.13, 10.52, 13.02, 8.90, 8.81),
    (12, "12/6/6"): (19.24, 8.83, 12.72, 6.58, 6.13),
    (12, "all/6/6"): (19.49, 8.78, 12.29, 7.04, 6.85),
    (16, "6/6/6"): (20.41, 8.87, np.nan, 7.97, 7.92),
}
#: Earlier figures of the games: boards, decision nodes, infosets, pairs, the value of OOP, uniform play.
GAMES = {12: (82, 4256, 91_008, 215_424, -3.63, 92.75), 16: (170, 9056, 501_696, 1_185_600, -5.23, 89.76)}
_CLOSE = 0.005  # rounding of the earlier figures
_SEEDED = ("6/6/6",)
_TENTH, _NEAR, _WAY = 0.1, 0.05, 0.75


class Figures(NamedTuple):
    """Exploitability in percent of the pot, of a blueprint and its turns.

    turns: `[gadgets, 5]` exploitability of the whole; exploitability from the roots on, as a share of the blueprint's:
    of the sum over roots by their probability, the median and the largest; share of the places the blueprint keeps.
    """

    blueprint: float
    floor: float
    least: float
    turns: np.ndarray  # [gadgets, 5]

    @classmethod
    def read(cls, numbers: np.ndarray) -> Figures:
        """Return the figures of a row of numbers."""
        first, second, third = numbers[:3].tolist()
        return cls(first, second, third, numbers[3:].reshape(-1, 5))

    @property
    def repaired(self) -> float:
        """The share of the way from the blueprint to the floor that the first gadget closes."""
        return float((self.blueprint - self.turns[0, 0]) / (self.blueprint - self.floor))


@cache
def compiled_deck(cards: int) -> CompiledSpot:
    """Return the flop of a deck with one context for each board."""
    return compile_spot(small_deck(cards), isomorphism=False)


def blueprint(cards: int, counts: str, iterations: int, seed: int) -> SpotStrategy:
    """Return a blueprint.

    counts: buckets by street, such as ``"all/6/6"``. seed: 0 for all boards in each iteration.
    """
    compiled = compiled_deck(cards)
    numbers = [0 if count == "all" else int(count) for count in counts.split("/")]
    rng = np.random.default_rng(seed) if seed else None
    solver = SharedSolver(compiled, cells(compiled, buckets(compiled, numbers)), rng)
    solver.advance(iterations)
    return solver.average()


def figures(notify: Notify, gadgets: Sequence[str], resolving: int, task: tuple[Hashable, ...]) -> list[float]:
    """Return the `Figures` of a task (cards, buckets, iterations, seed) as numbers."""
    cards, counts, iterations, seed = int(str(task[0])), str(task[1]), int(str(task[2])), int(str(task[3]))
    name = f"{cards} cards, {counts} buckets" + (f", seed {seed}" if seed else "")
    notify(f"{name}: {iterations:,} iterations of the blueprint")
    strategy = blueprint(cards, counts, iterations, seed)
    found = [exploitability(strategy), floor(strategy, resolving), least(strategy, resolving)]
    for gadget in gadgets:
        found += _gadget_figures(strategy, gadget, resolving, notify, name)
    return found


def _gadget_figures(strategy: SpotStrategy, gadget: str, resolving: int, notify: Notify, name: str) -> list[float]:
    """Return a row of `Figures.turns`."""
    turns = resolve_turns(strategy, gadget, resolving, lambda done, of: notify(f"{name}: {gadget}, {done} of {of}"))
    both, weights = root_exploitabilities(strategy, turns)
    shares = both[:, 1] / both[:, 0]
    after, kept = exploitability(insert_streets(strategy, turns)), np.mean([not turn.accepted for turn in turns])
    in_sum = weights @ both[:, 1] / (weights @ both[:, 0])
    return [after, float(in_sum), float(np.median(shares)), float(shares.max()), float(kept)]


def games_table(iterations: int) -> PublishedTable:
    """Return the sizes of both games, their values after a number of iterations, and uniform play."""
    found = []
    for cards in GAMES:
        compiled = compiled_deck(cards)
        solver = HandSolver(compiled)
        solver.advance(iterations)
        value = solver.average().value(0)
        uniform = exploitability(SpotStrategy(compiled, np.zeros(compiled.stored)))
        found.append([len(compiled.contexts), compiled.scaled, _infosets(compiled), compiled.stored, value, uniform])
    columns = ("boards", "decision nodes", "infosets", "pairs", "value of OOP, chips", "uniform play, %")
    return table(
        "games", "Flop Ah Qs Jh with hearts and spades only", "cards", map(str, GAMES), columns, found,
        list(GAMES.values()), tolerance=_CLOSE, form=",.6g", condition="as rounded", reference="earlier",
    )  # fmt: skip


def _infosets(compiled: CompiledSpot) -> int:
    """Return the number of infosets of both players."""
    hands, streets = compiled.form.contexts[:, arrays.SIZE : arrays.SIZE + 2], compiled.betting.streets
    street = [len(context.board) - len(compiled.spot.board) for context in compiled.contexts]
    decisions = np.array([[(tree.kind == player).sum() for player in (0, 1)] for tree in streets])
    return int((hands * decisions[street]).sum())


def blueprints_table(found: Sequence[Figures]) -> PublishedTable:
    """Return the exploitability of each blueprint, after re-solving by each gadget, and of the floors."""
    ours = [[one.blueprint, *one.turns[:, 0], one.floor, one.least] for one in found]
    earlier = [[*figures, np.nan] for figures in EARLIER.values()]
    rows = [(str(cards), counts) for cards, counts in EARLIER]
    return table(
        "blueprints", "Exploitability in percent of the pot", ("cards", "buckets of flop / turn / river"), rows,
        ("blueprint", *GADGETS, "floor", "least"), ours, earlier, tolerance=np.multiply(_TENTH, earlier),
        form=".2f", condition="within a tenth", reference="earlier",
    )  # fmt: skip


def seeds_table(found: Sequence[Figures], tasks: Sequence[tuple[Hashable, ...]]) -> PublishedTable:
    """Return the figures of sampled blueprints by seed."""
    rows = [(str(cards), str(seed)) for cards, _, _, seed in tasks]
    ours = [[one.blueprint, one.turns[0, 0], one.floor, 100 * one.repaired] for one in found]
    return table(
        "sampled", "Sampled blueprints: exploitability in percent of the pot", ("cards", "seed"), rows,
        ("blueprint", "max-margin", "floor", "share of the way to the floor, %"), ours, form=".2f",
    )  # fmt: skip


def panels_of(found: Sequence[Figures], tasks: Sequence[tuple[Hashable, ...]]) -> tuple[Panel, ...]:
    """Return the figures of sampled blueprints by seed, a panel for each deck."""
    panels = []
    for cards in GAMES:
        seeds = [(int(str(task[3])), one) for task, one in zip(tasks, found, strict=True) if task[0] == cards]
        lines = {
            "blueprint": [(seed, one.blueprint) for seed, one in seeds],
            "max-margin": [(seed, float(one.turns[0, 0])) for seed, one in seeds],
            "floor": [(seed, one.floor) for seed, one in seeds],
        }
        title, scales = f"{cards} cards, sampled", ("linear", "linear")
        panels.append(Panel(title, "seed", lines, y_label="% of the pot", scales=scales, covers=(0,)))
    return tuple(panels)


def claims(found: Sequence[Figures], sampled: Sequence[Figures]) -> tuple[Claim, ...]:
    """Return the claims about max-margin on all blueprints, and about the turn roots of the first."""
    both, (first, *_) = (*found, *sampled), found
    (_, total, median, largest, _), cfrd = first.turns[0], first.turns[1]
    rises = max(one.turns[0, 0] - one.blueprint for one in both)
    way = min(one.repaired for one in both)
    roots = "exploitability from the 27 turn roots on, 12 cards, 6/6/6, as a share of the blueprint's"
    return (
        Claim("max-margin is never above its blueprint", "-", f"{rises:+.2f} at most", "at most 0", bool(rises <= 0)),
        Claim("max-margin goes at least 75 % of the way to the floor", "-", f"{way:.0%}", "75 %", bool(way >= _WAY)),
        Claim(f"{roots}: max-margin, in sum", ".50", f"{total:.2f}", "within .05", bool(abs(total - 0.50) <= _NEAR)),
        Claim(f"{roots}: max-margin, median", ".67", f"{median:.2f}", "within .05", bool(abs(median - 0.67) <= _NEAR)),
        below(f"{roots}: max-margin, largest", "none higher", largest, 1.0),
        Claim(f"{roots}: CFR-D, in sum", ".68", f"{cfrd[1]:.2f}", "within .05", bool(abs(cfrd[1] - 0.68) <= _NEAR)),
    )  # fmt: skip


def run(notify: Notify, iterations: int, resolving: int, draws: int, seeds: int, folder: str) -> ClaimTable:
    """Solve and re-solve all blueprints; figures saved in the folder are not computed again."""
    exact: list[tuple[Hashable, ...]] = [(*game, iterations, 0) for game in EARLIER]
    drawn = [(cards, counts, draws, seed) for cards in GAMES for counts in _SEEDED for seed in range(1, seeds + 1)]
    found = []
    for tasks, gadgets in ((exact, GADGETS), (drawn, GADGETS[:1])):
        file = Path(folder) / f"{len(gadgets)}-gadgets-{resolving}.json"
        function, shape = partial(figures, notify, gadgets, resolving), (3 + 5 * len(gadgets),)
        numbers = spread_saved(file, 1, function, tasks, lambda done, of: notify(f"{done} of {of} blueprints"), shape)
        found.append([Figures.read(row) for row in numbers])
    notify("values of the games")
    tables = games_table(iterations), blueprints_table(found[0]), seeds_table(found[1], drawn)
    panels = panels_of(found[1], drawn)
    return ClaimTable("Re-solved turns on small decks of hold'em", claims(*found), _NOTES, panels, tables)


_NOTES = (
    "Blueprint: linear CFR in which the hands of a bucket share regrets over all boards of a street. Buckets have "
    "equal shares of a board's hands, by equity in the deck. A sampled blueprint draws turn and river in each "
    "iteration.",
    "Floor: the blueprint's flop with an equilibrium of everything below, in which no player can deviate on the flop. "
    "Least: each player's turns and rivers minimise the gain of an opponent who may deviate on the flop, too.",
    "The earlier figures come from another program, whose division of equal equities among buckets is not known.",
)
