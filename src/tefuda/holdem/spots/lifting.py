"""A solution as a strategy of a spot with other sizes: amounts it does not know are read as the nearest it does."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

from tefuda.holdem.betting import Action, Betting, Position
from tefuda.holdem.cards import HANDS, card_text
from tefuda.holdem.spots.compiled import CompiledSpot, Place
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.tree import FOLD_0, NEXT, SHOWDOWN
from tefuda.holdem.suits import inverse, moved, moved_hands

_PASSIVE = ("Check", "Call")


def lifted(found: SpotStrategy, compiled: CompiledSpot, line: str = "") -> SpotStrategy:
    """The strategy of a spot that plays as what was found does from a line on.

    A size becomes the one nearest to it in parts of the pot, on a logarithmic scale. Where what was found never bets or
    is over already, hands check and call.

    Args:
        found: what was found.
        compiled: a spot with the boards, and no other hands, that come there.
        line: where in the solution it starts.
    """
    sums = np.zeros(compiled.stored)
    for context, street, node, shares in list_shares(found, compiled, _ROOT, line):
        hands = compiled.contexts[context].hands[int(compiled.tree.streets[street].kind[node])]
        sums[compiled.block(context, street, node)] = shares[:, hands].ravel()
    return SpotStrategy(compiled, sums)


_ROOT = Place(0, 0, 0, (0, 1, 2, 3))


def list_shares(
    found: SpotStrategy, compiled: CompiledSpot, start: Place, line: str
) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """What was found, for every decision below a place of another spot: context, street, node, `[actions, 1326]`.

    Args:
        found: what was found.
        compiled: the other spot.
        start: where in it; suits are renamed as there.
        line: where in what was found.
    """
    back = inverse(start.renamed)
    renamed = moved_hands(back)
    left: list[tuple[int, int, int, str | None]] = [(start.context, start.street, start.node, line)]
    while left:
        context, street, node, known = left.pop()
        tree, kind = compiled.tree.streets[street], _kind(found, known)
        if tree.kind[node] == NEXT:
            root = int(compiled.tree.streets[street + 1].roots[tree.line[node]])
            for child in compiled.contexts[context].children:
                card = card_text(moved(compiled.contexts[child].board[-1], back))
                left.append((child, street + 1, root, _then(known, card) if kind == NEXT else None))
        elif tree.kind[node] < FOLD_0:
            reading = _Reading(found, known if kind < FOLD_0 else None, compiled, street, node)
            yield context, street, node, reading.shares()[:, renamed]
            left += [(context, street, child, after) for child, after in reading.below()]


class _Reading:
    """A decision of a spot read as one of another: what is done there in terms of here."""

    def __init__(self, found: SpotStrategy, line: str | None, compiled: CompiledSpot, street: int, node: int) -> None:
        tree = compiled.tree.streets[street]
        self.found, self.line, self.betting = found, line, compiled.spot.betting
        self.position = tree.position[node]
        self.children = range(int(tree.first[node]), int(tree.first[node] + tree.count[node]))
        self.actions = [action for child in self.children if (action := tree.action[child]) is not None]

    def shares(self) -> np.ndarray:
        """`[actions, 1326]` the probability of each action; 0 for hands that are unknown there."""
        shares = np.zeros((len(self.actions), len(HANDS)))
        passive = [action.name in _PASSIVE for action in self.actions]
        if self.line is None:
            shares[passive] = 1.0
            return shares
        there, theirs = _decision(self.found, self.line)
        for action, probability in zip(theirs, self.found.probabilities(self.line).values(), strict=True):
            to = _nearest(action, self.actions, self.found.compiled.spot.betting, there, self.position)
            shares[passive.index(True) if to is None else self.actions.index(to)] += np.nan_to_num(probability)
        return shares

    def below(self) -> Iterator[tuple[int, str | None]]:
        """Each child and the line it is read as; None where what was found is over already."""
        there, theirs = _decision(self.found, self.line) if self.line is not None else (self.position, [])
        for child, action in zip(self.children, self.actions, strict=True):
            read = _nearest(action, theirs, self.betting, self.position, there)
            yield child, None if read is None else _then(self.line, str(read))


def _then(line: str | None, part: str) -> str:
    return f"{line}/{part}" if line else part


def _kind(found: SpotStrategy, line: str | None) -> int:
    if line is None:
        return SHOWDOWN
    place = found.find(line)
    return int(found.compiled.tree.streets[place.street].kind[place.node])


def _decision(found: SpotStrategy, line: str) -> tuple[Position, list[Action]]:
    """The position at a line and what can be done there."""
    place = found.find(line)
    tree = found.compiled.tree.streets[place.street]
    children = range(int(tree.first[place.node]), int(tree.first[place.node] + tree.count[place.node]))
    return tree.position[place.node], [action for child in children if (action := tree.action[child]) is not None]


def _nearest(
    wanted: Action, among: list[Action], betting: Betting, position: Position, there: Position
) -> Action | None:
    """What an action, done in `position`, is read as of those that can be done `there`; None if nothing is like it."""
    same = [one for one in among if one.name == wanted.name and one.amount == wanted.amount]
    if same or wanted.name in ("Fold", *_PASSIVE):
        return next((one for one in (*same, *among) if one.name == wanted.name), None)
    sizes = [one for one in among if one.name not in ("Fold", *_PASSIVE)]
    size = _part(wanted, betting, position)
    return min(sizes, key=lambda one: abs(log(_part(one, betting, there) / size)), default=None)


def _part(action: Action, betting: Betting, position: Position) -> float:
    """What is bet, or raised by, in parts of the pot after a call."""
    highest = max(position.amounts)
    return (action.amount - highest) / (betting.pot + 2 * (position.matched + highest))
