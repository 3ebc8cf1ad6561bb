"""Solutions of spots: the strategies of all hands at any place, and their values.

A place is a *line*: actions and cards with slashes between them, ``"Check/Bet(50)/Call/Ts/Check"``; the empty line is
the root. Figures are by hand, `[1326]`, nan for hands that cannot be held there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.betting import Position
from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.compiled import CompiledSpot, NodeAddress
from tefuda.holdem.spots.locks import locks_below
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.traversal import Traversal
from tefuda.holdem.suits import permute_hands


@dataclass(frozen=True, eq=False)
class SpotStrategy:
    """The strategies of both players, as sums that are normalised when asked.

    A line that leads nowhere raises ParameterError.

    >>> from tefuda.holdem import make_spot
    >>> found = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), until=0.1).strategy
    >>> {action: round(share, 2) for action, share in found.frequencies("").items()}
    {'Check': 0.25, 'AllIn(100)': 0.75}
    """

    compiled: CompiledSpot
    sums: np.ndarray  # [stored] of any type: only proportions count

    own_coach = "tefuda.holdem.spots.practice:SpotCoach"

    def find(self, line: str) -> NodeAddress:
        """See `CompiledSpot.find`."""
        return self.compiled.find(line)

    def kind(self, line: str) -> int:
        """Return the kind of the node at a place, see tree.py."""
        return self.compiled.kind(self.find(line))

    def player(self, line: str) -> int:
        """Return the player to act at a place; raise ParameterError if none acts there."""
        kind = self.kind(line)
        if kind >= FOLD_0:
            more = "the next street's card follows" if kind == NEXT else "it is over"
            raise ParameterError(f"nobody acts at {line or 'the root'!r}: {more}.")
        return kind

    def probabilities(self, line: str) -> dict[str, np.ndarray]:
        """Return the probabilities of each action by hand; uniform for hands that never come."""
        player, place = self.player(line), self.find(line)
        actions, block = self.compiled.choices(place), self.compiled.block(place.context, place.street, place.node)
        shares = match_regrets(self.sums[block].astype(np.float64).reshape(len(actions), -1), axis=0)
        shares = self.compiled.apply_locks(place, shares)
        return {action: self._by_hand(place, player, share) for action, share in zip(actions, shares, strict=True)}

    def _by_hand(self, place: NodeAddress, player: int, values: np.ndarray) -> np.ndarray:
        """Return `[1326]` values of a context's hands, with their own suits."""
        there = np.full(len(HANDS), np.nan)
        there[self.compiled.contexts[place.context].hands[player]] = values
        return there[permute_hands(place.suits)]

    def reach(self, line: str) -> tuple[np.ndarray, np.ndarray]:
        """Return `[1326]` each player's weights of hands times their own probabilities along a line."""
        line = self.compiled.canonical_line(line)
        parts, weights = line.split("/") if line else [], [one.copy() for one in self.compiled.spot.weights]
        for number, part in enumerate(parts):
            before = "/".join(parts[:number])
            if self.kind(before) == NEXT:
                (card,) = read_cards(part)
                weights = [np.where(np.isin(HANDS, card).any(axis=1), 0.0, one) for one in weights]
            else:
                weights[self.player(before)] *= np.nan_to_num(self.probabilities(before)[part])
        return weights[0], weights[1]

    def spot_after(self, line: str) -> Spot:
        """Return the spot that starts where a line ends with a card; raise ParameterError if none does."""
        position, spot, reach = self.street_start(line), self.compiled.spot, self.reach(line)
        most = [max(float(one.max()), 1e-300) for one in reach]  # only the proportions count
        ranges = (Range(reach[0] / most[0]), Range(reach[1] / most[1]))
        betting = replace(
            spot.betting,
            pot=spot.betting.pot + 2 * position.matched,
            stack=spot.betting.stack - position.matched,
            start=Position(position.street, aggressor=position.aggressor),
        )
        locks = locks_below(spot.locks, self.compiled.canonical_line(line))
        after = replace(spot, board=self.board(line), betting=betting, ranges=ranges, locks=locks)
        return after.without_idle_locks()

    def street_start(self, line: str) -> Position:
        """Return the position in which a street starts where a line ends; raise ParameterError if none does."""
        place = self.find(line)
        if place.street == 0 or self.compiled.tree.streets[place.street].parent[place.node] >= 0:
            raise ParameterError(f"no street starts at {line or 'the root'!r}; end the line with a card.")
        return self.compiled.position(place)

    def board(self, line: str) -> tuple[int, ...]:
        """Return the board where a line leads."""
        dealt = (read_cards(part) for part in self.compiled.canonical_line(line).split("/") if len(part) == 2)
        return (*self.compiled.spot.board, *(card for cards in dealt for card in cards))

    def frequencies(self, line: str) -> dict[str, float]:
        """Return the share of each action over the hands that come, weighted by those they meet; nan if none does."""
        chosen, reach, player = self.probabilities(line), self.reach(line), self.player(line)
        weights = reach[player] * compatible_weights(reach[1 - player])
        total = weights.sum()
        return {a: float(weights @ np.nan_to_num(p) / total) if total > 0 else np.nan for a, p in chosen.items()}

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`; keys are the views of `game.SpotGame`."""
        hand, _, line = str(key).partition("|")
        chosen = self.probabilities(line)
        if [str(action) for action in actions] != list(chosen):
            raise ParameterError(f"{line or 'the root'}: actions are {list(chosen)}; got {list(actions)}.")
        number = hand_number(*read_cards(hand))
        found = [float(share[number]) for share in chosen.values()]
        if not np.isfinite(found).all():
            raise ParameterError(f"{hand} is not in the range of {PLAYERS[player]}, or shares a card with the board.")
        return found

    def root_values(
        self, player: int, mode: int = arrays.AVERAGE, ranges: Sequence[np.ndarray] | None = None, threads: int = 1
    ) -> np.ndarray:
        """Return `[n]` values of a player's hands at the root: centred chips, times the weight of hands they meet.

        mode: `arrays.AVERAGE`, or `arrays.BEST` for a best response to the other player. ranges: both players' weights
        at the root; the spot's unless given.
        """
        return self._traversed(player, mode, 0, ranges, threads).value[0, : len(self.compiled.weights[player])].copy()

    def _traversed(
        self, player: int, mode: int, context: int, ranges: Sequence[np.ndarray] | None = None, threads: int = 1
    ) -> arrays.Workspace:
        """Return the values of a player's traversal down to a context and all below it."""
        compiled = self.compiled
        contexts = compiled.form.contexts.copy()
        while (above := compiled.contexts[context].parent) >= 0:
            contexts[above, [arrays.CHILD, arrays.CHILDREN]] = context, 1
            context = above
        traversal = Traversal(compiled, "float64", threads, compiled.form._replace(contexts=contexts))
        traversal.set_ranges(ranges or ())
        try:
            traversal.evaluate(player, mode, self.sums if self.sums.flags.writeable else self.sums.copy())
        finally:
            traversal.close()
        return traversal.work

    def value(self, player: int, mode: int = arrays.AVERAGE, threads: int = 1) -> float:
        """Return centred chips that a player's strategy, or a best response, wins: less half of the pot."""
        return float(self.compiled.weights[player] @ self.root_values(player, mode, threads=threads))

    def evs(self, player: int, line: str = "") -> np.ndarray:
        """Return `[1326]` chips that hands take from the pot from there on, less those they put in; folding is 0."""
        return self._evs(player, line, [self.find(line).node])[0]

    def action_evs(self, line: str) -> dict[str, np.ndarray]:
        """Return for each action the `evs` of the player to act if it always chose it."""
        children = self.compiled.choices(self.find(line))
        return dict(zip(children, self._evs(self.player(line), line, children.values()), strict=True))

    def _evs(self, player: int, line: str, nodes: Iterable[int]) -> list[np.ndarray]:
        """Return the chips by hand of a place, or of the nodes after it."""
        compiled, place = self.compiled, self.find(line)
        spot, position = compiled.spot, compiled.position(place)
        values = self._traversed(player, arrays.AVERAGE, place.context).value[int(compiled.offsets[place.street]) :]
        size = int(compiled.form.contexts[place.context, arrays.SIZE + player])
        others = compatible_weights(self.reach(line)[1 - player])
        in_pot = spot.betting.pot / 2 + position.matched + position.amounts[player]
        unit = compiled.chance(place) * spot.pairs
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = [self._by_hand(place, player, values[node, :size]) * unit / others for node in nodes]
        return [np.where(others > 1e-12, one + in_pot, np.nan) for one in worth]
