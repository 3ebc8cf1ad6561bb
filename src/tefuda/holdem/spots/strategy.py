"""What a solver of a spot has found: strategies of all hands at any place, and what they are worth.

A place is a *line*: actions and cards with slashes between them, ``"Check/Bet(50)/Call/Ts/Check"``; the empty line is
the root. Figures are by hand, `[1326]`, nan for hands that cannot be held there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.betting import Position
from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.ranges import Range, met
from tefuda.holdem.spots.compiled import CompiledSpot, Place
from tefuda.holdem.spots.locks import below
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.tree import FOLD_0, NEXT
from tefuda.holdem.spots.walking import Walking
from tefuda.holdem.suits import moved_hands


@dataclass(frozen=True, eq=False)
class SpotStrategy:
    """The strategies of both players, as sums that are normalised when asked.

    >>> from tefuda.holdem import make_spot
    >>> found = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), until=0.1).strategy
    >>> {action: round(share, 2) for action, share in found.frequencies("").items()}
    {'Check': 0.25, 'AllIn(100)': 0.75}
    """

    compiled: CompiledSpot
    sums: np.ndarray  # [stored] of any type: proportions alone count

    own_coach = "tefuda.holdem.spots.practice:SpotCoach"

    def find(self, line: str) -> Place:
        """Where a line leads, see `CompiledSpot.find`."""
        return self.compiled.find(line)

    def spelled(self, line: str) -> str:
        """Return a line as it is spelled here, see `CompiledSpot.spelled`."""
        return self.compiled.spelled(line)

    def probabilities(self, line: str) -> dict[str, np.ndarray]:
        """The probability of each action for each hand at a place; uniform where a hand never comes.

        Args:
            line: where.

        Raises:
            ParameterError: nobody acts there.
        """
        place = self.find(line)
        tree, player = self.compiled.tree.streets[place.street], self._player(place, line)
        count, block = int(tree.count[place.node]), self.compiled.block(place.context, place.street, place.node)
        shares = self.sums[block].astype(np.float64).reshape(count, -1)
        total = shares.sum(axis=0)
        shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / count)
        lock = self.compiled.lock(place)
        if lock is not None:
            shares = shares * lock[0] + lock[1:]
        actions = [str(tree.action[child]) for child in range(tree.first[place.node], tree.first[place.node] + count)]
        return {action: self._by_hand(place, player, share) for action, share in zip(actions, shares, strict=True)}

    def player(self, line: str) -> int:
        """Whose turn it is at a place.

        Raises:
            ParameterError: nobody's, or the line leads nowhere.
        """
        return self._player(self.find(line), line)

    def _player(self, place: Place, line: str) -> int:
        kind = int(self.compiled.tree.streets[place.street].kind[place.node])
        if kind >= FOLD_0:
            more = "the next street's card follows" if kind == NEXT else "it is over"
            raise ParameterError(f"nobody acts at {line or 'the root'!r}: {more}.")
        return kind

    def _by_hand(self, place: Place, player: int, values: np.ndarray) -> np.ndarray:
        """`[1326]` values of a context's hands, under the names that suits have."""
        there, found = np.full(len(HANDS), np.nan), np.full(len(HANDS), np.nan)
        there[self.compiled.contexts[place.context].hands[player]] = values
        found[:] = there[moved_hands(place.renamed)]
        return found

    def reach(self, line: str) -> tuple[np.ndarray, np.ndarray]:
        """`[1326]` of each player a hand's weight times its own probabilities along a line; 0 for blocked hands."""
        line = self.spelled(line)
        parts, weights = line.split("/") if line else [], [one.copy() for one in self.compiled.spot.weights]
        for number, part in enumerate(parts):
            before = "/".join(parts[:number])
            place = self.find(before)
            if self.compiled.tree.streets[place.street].kind[place.node] == NEXT:
                (card,) = read_cards(part)
                weights = [np.where(np.isin(HANDS, card).any(axis=1), 0.0, one) for one in weights]
            else:
                weights[self._player(place, before)] *= np.nan_to_num(self.probabilities(before)[part])
        return weights[0], weights[1]

    def spot_after(self, line: str) -> Spot:
        """The spot that starts where a line comes to a new street, with the ranges both have there.

        Args:
            line: it ends with a card, ``"Check/Bet(50)/Call/Ts"``.

        Raises:
            ParameterError: no street starts there, or nobody comes.
        """
        position, spot, reach = self.opening(line), self.compiled.spot, self.reach(line)
        most = [max(float(one.max()), 1e-300) for one in reach]  # only the proportions count
        ranges = (Range(reach[0] / most[0]), Range(reach[1] / most[1]))
        betting = replace(
            spot.betting,
            pot=spot.betting.pot + 2 * position.matched,
            stack=spot.betting.stack - position.matched,
            start=Position(position.street, aggressor=position.aggressor),
        )
        locks = below(spot.locks, self.spelled(line))
        after = replace(spot, board=self.board(line), betting=betting, ranges=ranges, locks=locks)
        return after.without_idle_locks()

    def opening(self, line: str) -> Position:
        """The position in which a street starts where a line ends.

        Raises:
            ParameterError: none starts there.
        """
        place = self.find(line)
        tree = self.compiled.tree.streets[place.street]
        if place.street == 0 or tree.parent[place.node] >= 0:
            raise ParameterError(f"no street starts at {line or 'the root'!r}; end the line with a card.")
        return tree.position[place.node]

    def board(self, line: str) -> tuple[int, ...]:
        """The cards that lie where a line leads."""
        dealt = (read_cards(part) for part in self.spelled(line).split("/") if len(part) == 2)
        return (*self.compiled.spot.board, *(card for cards in dealt for card in cards))

    def frequencies(self, line: str) -> dict[str, float]:
        """How often each action is chosen at a place, over the hands that come there, weighted by those they meet.

        Returns:
            A share of each action; nan where nobody comes.
        """
        chosen, reach, player = self.probabilities(line), self.reach(line), self.player(line)
        weights = reach[player] * met(reach[1 - player])
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
        """`[n]` of the hands at the root, times those that each meets: centred chips, times the weight of both.

        Args:
            player: whose.
            mode: `arrays.AVERAGE`, or `arrays.BEST`: of a best response to the other.
            ranges: the weights of both at the root; the spot's unless given.
            threads: over how many boards are spread.
        """
        return self._walked(player, mode, 0, ranges, threads).value[0, : len(self.compiled.weights[player])].copy()

    def _walked(
        self, player: int, mode: int, context: int, ranges: Sequence[np.ndarray] | None = None, threads: int = 1
    ) -> arrays.Work:
        """Room after a walk for a player, down to a context and all below it: its street's values are there."""
        compiled = self.compiled
        contexts = compiled.form.contexts.copy()
        while (above := compiled.contexts[context].parent) >= 0:
            contexts[above, [arrays.CHILD, arrays.CHILDREN]] = context, 1
            context = above
        walking = Walking(compiled, "float64", threads, compiled.form._replace(contexts=contexts))
        for one, weights in enumerate(ranges or ()):
            size = len(compiled.weights[one])
            walking.weights[one, :size] = weights[:size]
        try:
            walking.look(player, mode, self.sums if self.sums.flags.writeable else self.sums.copy())
        finally:
            walking.close()
        return walking.work

    def value(self, player: int, mode: int = arrays.AVERAGE, threads: int = 1) -> float:
        """Centred chips: what a player's strategy, or a best response, wins from the pot less half of it."""
        return float(self.compiled.weights[player] @ self.root_values(player, mode, threads=threads))

    def evs(self, player: int, line: str = "") -> np.ndarray:
        """`[1326]` chips each hand takes from the pot from there on, less what it still puts in; folding is worth 0.

        Args:
            player: whose.
            line: where; the root unless given.

        Returns:
            nan for hands outside the range, and where the other never comes.
        """
        place = self.find(line)
        values = self._walked(player, arrays.AVERAGE, place.context).value
        return self._evs(player, line, place, values[self.compiled.offsets[place.street] + place.node])

    def action_evs(self, line: str) -> dict[str, np.ndarray]:
        """`[1326]` for each action what `evs` would be of who acts, if it were always chosen.

        Actions of one EV are as good: then any mix of them is.
        """
        place = self.find(line)
        player, tree = self._player(place, line), self.compiled.tree.streets[place.street]
        values = self._walked(player, arrays.AVERAGE, place.context).value
        first, count = int(tree.first[place.node]), int(tree.count[place.node])
        start = self.compiled.offsets[place.street]
        return {
            str(tree.action[child]): self._evs(player, line, place, values[start + child])
            for child in range(first, first + count)
        }

    def _evs(self, player: int, line: str, place: Place, values: np.ndarray) -> np.ndarray:
        """Counterfactual values of a place's hands, or of a child's, as chips by hand."""
        compiled = self.compiled
        spot, position = compiled.spot, compiled.tree.streets[place.street].position[place.node]
        size = int(compiled.form.contexts[place.context, arrays.SIZE + player])
        chance = float(np.prod(compiled.form.streets[1 : place.street + 1, 2]))
        others = met(self.reach(line)[1 - player])
        in_pot = spot.betting.pot / 2 + position.matched + position.amounts[player]
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = self._by_hand(place, player, values[:size]) * chance * spot.pairs / others
        return np.where(others > 1e-12, worth + in_pot, np.nan)
