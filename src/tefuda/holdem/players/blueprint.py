"""A blueprint in buckets as a strategy of hands, and its answers to amounts that it does not have.

Sizes are shares of the pot after a call, so a blueprint also plays with other chips than its own. An amount between two
sizes of the blueprint is mapped to one of them at random (pseudo-harmonic mapping, Ganzfried and Sandholm 2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from tefuda.games.translation import translate_size
from tefuda.holdem.betting import Action, Betting, BettingState
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.hands.hand import CALL, FOLD, raised_to
from tefuda.holdem.hands.rules import TableRules, Wagers
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.kernels.sampler import SHOWDOWN
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.strategy import SpotStrategy

_FOLD, _CALL, _RAISE = range(3)  # actions of a graph; further ones are larger raises
_PASSIVE = ("Check", "Call")


class Place(NamedTuple):
    """A decision of a blueprint: the node of its graph, negative without one, and the highest total bet."""

    node: int
    level: float


class TableAction(NamedTuple):
    """An action at a table.

    Attributes:
        kind: 0 fold, 1 check or call, 2 bet or raise.
        share: size as a share of the pot after a call.
        all_in: whether it puts the shorter stack in.
    """

    kind: int
    share: float = 0.0
    all_in: bool = False


def table_action(rules: TableRules, before: Wagers, token: str) -> TableAction:
    """Return the action of a token of a betting line."""
    if token in (FOLD, CALL):
        return TableAction(_FOLD if token == FOLD else _CALL)
    amount, highest, mover = raised_to(rules, before, token), max(before.bets), before.mover
    most = min(bet + stack for bet, stack in zip(before.bets, before.stacks, strict=True))
    pot = rules.pot(before) + highest - before.bets[mover]
    return TableAction(_RAISE, (amount - highest) / pot, amount >= most)


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy in buckets of heads-up no-limit hold'em.

    Attributes:
        policy: the strategy of both players.
    """

    policy: BucketPolicy

    @property
    def start(self) -> Place:
        """The first decision."""
        return Place(0, float(self.policy.game.arrays.paid.max()))

    def actions(self, place: Place) -> list[TableAction]:
        """Return the actions of a decision by number, the first allowed one first; none outside of the graph."""
        if place.node < 0:
            return []
        arrays, stack = self.policy.game.arrays, min(self.policy.game.graph.rules.stacks)
        low, size = int(arrays.low[place.node]), int(arrays.size[place.node])
        rises = arrays.rise[place.node, low : low + size].tolist()
        return [
            TableAction(min(low + number, _RAISE), rise / (2 * place.level), rise > 0 and place.level + rise >= stack)
            for number, rise in enumerate(rises)
        ]

    def after(self, place: Place, number: int) -> Place:
        """Return the decision after an action, given by its number in `actions`."""
        arrays = self.policy.game.arrays
        action = int(arrays.low[place.node]) + number
        level = place.level + float(arrays.rise[place.node, action])
        return Place(int(arrays.child[place.node, action]), level)

    def mapped(self, place: Place, action: TableAction, uniform: float) -> int:
        """Return the number of the action for an action at the table; -1 if there is none."""
        known = self.actions(place)
        same_kind = [number for number, own in enumerate(known) if own.kind == action.kind]
        if action.kind != _RAISE or not same_kind:
            return same_kind[0] if same_kind else -1
        if action.all_in:
            return same_kind[-1]
        number_of = {known[number].share: number for number in same_kind}
        targets = sorted(translate_size(action.share, list(number_of)).items())
        return number_of[targets[0][0] if uniform < targets[0][1] else targets[-1][0]]

    def shares(self, place: Place, board: Sequence[int]) -> np.ndarray:
        """Return `[actions, 1326]` probabilities of the actions of a decision by hand; 0 for blocked hands."""
        game = self.policy.game
        street, size = int(game.arrays.street[place.node]), int(game.arrays.size[place.node])
        buckets = game.buckets_on(board)[street]
        rows = game.arrays.base[place.node] + np.maximum(buckets, 0) * size + np.arange(size)[:, None]
        return np.where(buckets >= 0, self.policy.sigma[rows], 0.0).astype(np.float64)

    def below(self, place: Place, compiled: CompiledSpot) -> SpotStrategy:
        """Return the strategy of a spot that plays as the blueprint does from a decision on.

        A size of the spot is translated to the nearest one of the blueprint, on a logarithmic scale. Where the
        blueprint is over, hands check and call.
        """
        game, sigma = self.policy.game, self.policy.sigma
        sums = np.zeros(compiled.stored, dtype=np.float32)
        by_street = _decisions_by_street(self, place, compiled)
        first = compiled.spot.street
        for context, board_hands in enumerate(compiled.contexts):
            board = board_hands.board
            street = len(board) - 3 - first
            buckets = game.buckets_on(board)[street + first + 1]
            for node, player, graph_node, targets, size in by_street[street]:
                shares = np.zeros((size, len(board_hands.hands[player])), dtype=np.float32)
                if graph_node < 0:
                    shares[targets[0]] = 1.0
                else:
                    own = buckets[board_hands.hands[player]]
                    rows = game.arrays.base[graph_node] + own * len(targets)
                    for number, target in enumerate(targets):
                        shares[target] += sigma[rows + number]
                sums[compiled.block(context, street, node)] = shares.ravel()
        return SpotStrategy(compiled, sums)


#: A decision of a spot: node, player, node of the graph, actions of the spot for those of the graph, number of actions.
_Decision = tuple[int, int, int, list[int], int]


def _decisions_by_street(blueprint: Blueprint, place: Place, compiled: CompiledSpot) -> list[list[_Decision]]:
    """Return the decisions of a spot by street; outside of the graph, check or call is the only target."""
    streets = compiled.betting.streets
    by_street: list[list[_Decision]] = [[] for _ in streets]
    stack = [(0, 0, place)]
    while stack:
        street, node, here = stack.pop()
        tree, kind = streets[street], int(streets[street].kind[node])
        if kind == NEXT:
            stack.append((street + 1, compiled.betting.root_below(street, node), here))
        elif kind < FOLD_0:
            options = tree.options(node)
            sizes = list(_table_actions(compiled.spot.betting, tree.position[node], options))
            known = blueprint.actions(here)
            passive = next(number for number, action in enumerate(options) if action.name in _PASSIVE)
            targets = [_nearest(action, sizes, passive) for action in known] if known else [passive]
            by_street[street].append((node, kind, here.node if known else SHOWDOWN, targets, len(options)))
            for child, size in zip(tree.children(node), sizes, strict=True):
                number = _nearest(size, known, -1) if known else -1
                stack.append((street, child, blueprint.after(here, number) if number >= 0 else Place(SHOWDOWN, 0.0)))
    return by_street


def _table_actions(betting: Betting, position: BettingState, options: Sequence[Action]) -> Iterator[TableAction]:
    for action in options:
        if action.name == "Fold" or action.name in _PASSIVE:
            yield TableAction(_FOLD if action.name == "Fold" else _CALL)
        else:
            yield TableAction(_RAISE, betting.pot_share(position, action), action.name == "AllIn")


def _nearest(action: TableAction, candidates: Sequence[TableAction], otherwise: int) -> int:
    """Return the number of the candidate nearest to an action; `otherwise` without one of its kind."""
    same = [number for number, other in enumerate(candidates) if other.kind == action.kind]
    if action.kind != _RAISE or not same:
        return same[0] if same else otherwise
    if action.all_in:
        same = [number for number in same if candidates[number].all_in] or same
    return min(same, key=lambda number: abs(log(candidates[number].share / action.share)))


def drawn(uniform: float) -> float:
    """Return a second number in [0, 1) from the later digits of a uniform one, which draws the action."""
    return (uniform * 2.0**20) % 1.0
