"""A solution as a strategy of a spot with other sizes: unknown amounts are read as the nearest known ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

from tefuda.holdem.betting import Action, Betting, Position
from tefuda.holdem.cards import HANDS, card_text
from tefuda.holdem.spots.compiled import START, CompiledSpot, Place
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.tree import FOLD_0, NEXT, SHOWDOWN
from tefuda.holdem.suits import inverse, moved, moved_hands

_PASSIVE = ("Check", "Call")


def lifted(found: SpotStrategy, compiled: CompiledSpot, line: str = "") -> SpotStrategy:
    """Return the strategy of a spot that plays as a solution does from a line on.

    A size becomes the one nearest to it in parts of the pot, on a logarithmic scale. Where the solution never bets or
    is over already, hands check and call. The spot has the boards, and no other hands, that the line leads to.
    """
    sums = np.zeros(compiled.stored)
    insert(found, (0, 1), sums, compiled, START, line)
    return SpotStrategy(compiled, sums)


def insert(
    found: SpotStrategy, players: tuple[int, ...], sums: np.ndarray, whole: CompiledSpot, start: Place, line: str = ""
) -> None:
    """Write players' strategies from a line of a solution on into sums of a whole spot, below a place of it.

    Sums of hands that never come in the solution stay.
    """
    for context, street, node, shares in _list_shares(found, whole, start, line):
        player = int(whole.tree.streets[street].kind[node])
        if player in players:
            hands, block = whole.contexts[context].hands[player], whole.block(context, street, node)
            known = shares[:, hands].sum(axis=0) > 0
            sums[block] = np.where(known, shares[:, hands], sums[block].reshape(len(shares), -1)).ravel()


def _list_shares(
    found: SpotStrategy, compiled: CompiledSpot, start: Place, line: str
) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Yield a solution's strategy from a line on for every decision below a place of another spot, with its suits.

    Yields:
        The context, the street, the node, and probabilities `[actions, 1326]`.
    """
    back = inverse(start.renamed)
    renamed = moved_hands(back)
    left: list[tuple[int, int, int, str | None]] = [(start.context, start.street, start.node, line)]
    while left:
        context, street, node, known = left.pop()
        tree, kind = compiled.tree.streets[street], SHOWDOWN if known is None else found.kind(known)
        if tree.kind[node] == NEXT:
            root = compiled.tree.root_below(street, node)
            for child in compiled.contexts[context].children:
                card = card_text(moved(compiled.contexts[child].board[-1], back))
                left.append((child, street + 1, root, _then(known, card) if kind == NEXT else None))
        elif tree.kind[node] < FOLD_0:
            reading = _Reading(found, known if kind < FOLD_0 else None, compiled, street, node)
            yield context, street, node, reading.shares()[:, renamed]
            left += [(context, street, child, after) for child, after in reading.below()]


class _Reading:
    """A decision of a spot read as one of a solution: `here` and `there` are positions and actions of both."""

    def __init__(self, found: SpotStrategy, line: str | None, compiled: CompiledSpot, street: int, node: int) -> None:
        tree = compiled.tree.streets[street]
        self.found, self.line, self.betting, self.children = found, line, compiled.spot.betting, tree.children(node)
        self.here = self.there = tree.position[node], tree.options(node)
        if line is not None:
            place = found.find(line)
            known = found.compiled.tree.streets[place.street]
            self.there = known.position[place.node], known.options(place.node)

    def shares(self) -> np.ndarray:
        """Return `[actions, 1326]` probabilities; 0 for hands that are unknown there."""
        (position, actions), (there, theirs) = self.here, self.there
        shares, passive = np.zeros((len(actions), len(HANDS))), [action.name in _PASSIVE for action in actions]
        if self.line is None:
            shares[passive] = 1.0
            return shares
        for action, probability in zip(theirs, self.found.probabilities(self.line).values(), strict=True):
            to = _nearest(action, actions, self.found.compiled.spot.betting, there, position)
            shares[passive.index(True) if to is None else actions.index(to)] += np.nan_to_num(probability)
        return shares

    def below(self) -> Iterator[tuple[int, str | None]]:
        """Yield each child and the line it is read as; None where the solution is over already."""
        (position, actions), (there, theirs) = self.here, self.there
        for child, action in zip(self.children, actions, strict=True):
            read = _nearest(action, theirs, self.betting, position, there) if self.line is not None else None
            yield child, None if read is None else _then(self.line, str(read))


def _then(line: str | None, part: str) -> str:
    return f"{line}/{part}" if line else part


def _nearest(
    wanted: Action, among: list[Action], betting: Betting, position: Position, there: Position
) -> Action | None:
    """Return the action `there` that an action in `position` is read as; None if none is like it."""
    same = [one for one in among if one.name == wanted.name and one.amount == wanted.amount]
    if same or wanted.name in ("Fold", *_PASSIVE):
        return next((one for one in (*same, *among) if one.name == wanted.name), None)
    sizes = [one for one in among if one.name not in ("Fold", *_PASSIVE)]
    size = _part(wanted, betting, position)
    return min(sizes, key=lambda one: abs(log(_part(one, betting, there) / size)), default=None)


def _part(action: Action, betting: Betting, position: Position) -> float:
    """Return the size of a bet or raise in parts of the pot after a call."""
    highest = max(position.amounts)
    return (action.amount - highest) / (betting.pot + 2 * (position.matched + highest))
