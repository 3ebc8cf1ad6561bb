"""Solutions of spots: the strategies of all hands at any node, and their values.

A node is given by its *line*: actions and cards separated by slashes, ``"Check/Bet(50)/Call/Ts/Check"``; the empty line
is the root. Figures by hand are `[1326]`, nan for impossible hands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.betting import BettingState
from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.compiled import CompiledSpot, NodeAddress
from tefuda.holdem.spots.locks import locks_below
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.traversal import Traversal
from tefuda.holdem.suits import Permutation, permute_hands


@dataclass(frozen=True, eq=False)
class SpotStrategy:
    """The strategies of both players, as sums that are normalised on access.

    An invalid line raises ParameterError.

    Attributes:
        compiled: the compiled spot.
        sums: `[stored]` sums of strategies, of any type; only proportions matter.

    >>> from tefuda.holdem import make_spot
    >>> solution = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), until=0.1).strategy
    >>> {action: round(share, 2) for action, share in solution.frequencies("").items()}
    {'Check': 0.25, 'AllIn(100)': 0.75}
    """

    compiled: CompiledSpot
    sums: np.ndarray  # [stored] of any type; only proportions matter

    def find(self, line: str) -> NodeAddress:
        """See `CompiledSpot.find`."""
        return self.compiled.find(line)

    def kind(self, line: str) -> int:
        """Return the kind of the node of a line, see `kernels.arrays`."""
        return self.compiled.kind(self.find(line))

    def player(self, line: str) -> int:
        """Return the player to act at a line; raise ParameterError without one."""
        kind = self.kind(line)
        if kind >= FOLD_0:
            why = "the next street's card follows" if kind == NEXT else "the hand is over"
            raise ParameterError(f"no player acts at {line or 'the root'!r}: {why}.")
        return kind

    def probabilities(self, line: str) -> dict[str, np.ndarray]:
        """Return the probabilities of each action by hand; uniform for unreached hands."""
        player, address = self.player(line), self.find(line)
        actions, block = (
            self.compiled.choices(address),
            self.compiled.block(address.context, address.street, address.node),
        )
        shares = match_regrets(self.sums[block].astype(np.float64).reshape(len(actions), -1), axis=0)
        shares = self.compiled.apply_locks(address, shares)
        return {action: self._by_hand(address, player, share) for action, share in zip(actions, shares, strict=True)}

    def _by_hand(self, address: NodeAddress, player: int, values: np.ndarray) -> np.ndarray:
        """Return `[1326]` values of a context's hands, in the line's suits."""
        by_hand = np.full(len(HANDS), np.nan)
        by_hand[self.compiled.contexts[address.context].hands[player]] = values
        return by_hand[permute_hands(address.suits)]

    def reach(self, line: str) -> tuple[np.ndarray, np.ndarray]:
        """Return `[1326]` each player's weights times its own probabilities along a line."""
        line = self.compiled.canonical_line(line)
        parts, weights = line.split("/") if line else [], [own.copy() for own in self.compiled.spot.weights]
        for number, part in enumerate(parts):
            before = "/".join(parts[:number])
            if self.kind(before) == NEXT:
                (card,) = read_cards(part)
                weights = [np.where(np.isin(HANDS, card).any(axis=1), 0.0, own) for own in weights]
            else:
                weights[self.player(before)] *= np.nan_to_num(self.probabilities(before)[part])
        return weights[0], weights[1]

    def copied_to(self, compiled: CompiledSpot, line: str = "") -> SpotStrategy | None:
        """Return the strategies from a line on, by the boards and hands of a spot.

        Hands that are unknown here play uniformly. None if the spot has other sizes.
        """
        known, start = self.compiled, self.find(line)
        rows_by_street = compiled.betting.rows_in(known.betting, start.street, start.node)
        if rows_by_street is None:
            return None
        sums, places = np.zeros(compiled.stored), list[tuple[int, Permutation]]()
        for number, context in enumerate(compiled.contexts):
            place: tuple[int, Permutation] | None = start.context, start.suits
            if context.parent >= 0:
                place = known.child_context(*places[context.parent], context.board[-1])
            if place is None:
                return None
            places.append(place)
            for player, rows in enumerate(rows_by_street[len(context.board) - len(compiled.spot.board)]):
                columns, size = self._columns(place, player, context.hands[player])
                first, known_first = (
                    int(form.contexts[board, arrays.BASE + player])
                    for form, board in ((compiled.form, number), (known.form, place[0]))
                )
                block = self.sums[known_first + rows[:, None] * size + columns]
                sums[first : first + block.size] = np.where(columns >= 0, block, 0).ravel()
        return SpotStrategy(compiled, sums)

    def _columns(self, place: tuple[int, Permutation], player: int, hands: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the indices of hands among those of a context, -1 for others, and the number of the latter."""
        context, suits = place
        known = self.compiled.contexts[context].hands[player]
        indices = np.full(len(HANDS), -1)
        indices[known] = np.arange(len(known))
        return indices[permute_hands(suits)[hands]], len(known)

    def spot_after(self, line: str) -> Spot:
        """Return the spot that starts at a line; raise ParameterError if no street starts there."""
        position, spot, reach = self.street_start(line), self.compiled.spot, self.reach(line)
        most = [max(float(own.max()), 1e-300) for own in reach]  # only proportions matter
        ranges = (Range(reach[0] / most[0]), Range(reach[1] / most[1]))
        betting = replace(
            spot.betting,
            pot=spot.betting.pot + 2 * position.matched,
            stack=spot.betting.stack - position.matched,
            start=BettingState(position.street, aggressor=position.aggressor, at=position.at),
        )
        locks = locks_below(spot.locks, self.compiled.canonical_line(line))
        after = replace(spot, board=self.board(line), betting=betting, ranges=ranges, locks=locks)
        return after.without_idle_locks()

    def street_start(self, line: str) -> BettingState:
        """Return the position in which a street starts where a line ends; raise ParameterError if none does."""
        address = self.find(line)
        if address.street == 0 or self.compiled.betting.streets[address.street].parent[address.node] >= 0:
            raise ParameterError(f"no street starts at {line or 'the root'!r}; end the line with a card.")
        return self.compiled.position(address)

    def board(self, line: str) -> tuple[int, ...]:
        """Return the board where a line leads."""
        dealt = (read_cards(part) for part in self.compiled.canonical_line(line).split("/") if len(part) == 2)
        return (*self.compiled.spot.board, *(card for cards in dealt for card in cards))

    def frequencies(self, line: str) -> dict[str, float]:
        """Return the share of each action over the hands that reach a line; nan if none does.

        A hand is weighted by its reach times the opponent's compatible reach.
        """
        shares, reach, player = self.probabilities(line), self.reach(line), self.player(line)
        weights = reach[player] * compatible_weights(reach[1 - player])
        total = weights.sum()
        return {a: float(weights @ np.nan_to_num(p) / total) if total > 0 else np.nan for a, p in shares.items()}

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`; keys are the views of `game.SpotGame`."""
        hand, _, line = str(key).partition("|")
        shares = self.probabilities(line)
        if [str(action) for action in actions] != list(shares):
            raise ParameterError(f"{line or 'the root'}: expected the actions {list(shares)}, got {list(actions)}.")
        number = hand_number(*read_cards(hand))
        probabilities = [float(share[number]) for share in shares.values()]
        if not np.isfinite(probabilities).all():
            raise ParameterError(f"{hand} is not in the range of {PLAYERS[player]}, or shares a card with the board.")
        return probabilities

    def root_values(self, player: int, mode: int = arrays.AVERAGE, threads: int = 1) -> np.ndarray:
        """Return `[n]` values of a player's hands at the root.

        A value is in centred chips, times the weight of the opponent's compatible hands.

        mode: `arrays.AVERAGE`, or `arrays.BEST` for a best response to the opponent. threads: number of threads.
        """
        return self._traversed(player, mode, 0, threads).value[0, : len(self.compiled.weights[player])].copy()

    def _traversed(self, player: int, mode: int, context: int, threads: int = 1) -> arrays.Workspace:
        """Return the workspace after a player's traversal down to a context and all below it."""
        compiled = self.compiled
        contexts = compiled.form.contexts.copy()
        while (above := compiled.contexts[context].parent) >= 0:
            contexts[above, [arrays.CHILD, arrays.CHILDREN]] = context, 1
            context = above
        traversal = Traversal(compiled, "float64", threads, compiled.form._replace(contexts=contexts))
        try:
            traversal.evaluate(player, mode, self.sums if self.sums.flags.writeable else self.sums.copy())
        finally:
            traversal.close()
        return traversal.work

    def value(self, player: int, mode: int = arrays.AVERAGE, threads: int = 1) -> float:
        """Return the centred chips that a player's strategy, or a best response, wins."""
        return float(self.compiled.weights[player] @ self.root_values(player, mode, threads=threads))

    def evs(self, player: int, line: str = "") -> np.ndarray:
        """Return `[1326]` chips won from the pot from a line on, less the chips bet; folding is 0."""
        return self._evs(player, line, [self.find(line).node])[0]

    def action_evs(self, line: str, mode: int = arrays.AVERAGE) -> dict[str, np.ndarray]:
        """Return for each action the `evs` of the player to act if it always took the action.

        mode: `arrays.AVERAGE`, or `arrays.BEST` if the player plays a best response after it.
        """
        children = self.compiled.choices(self.find(line))
        return dict(zip(children, self._evs(self.player(line), line, children.values(), mode), strict=True))

    def _evs(self, player: int, line: str, nodes: Iterable[int], mode: int = arrays.AVERAGE) -> list[np.ndarray]:
        """Return the chips by hand at the nodes of a line or after it."""
        compiled, address = self.compiled, self.find(line)
        spot, position = compiled.spot, compiled.position(address)
        values = self._traversed(player, mode, address.context).value[int(compiled.offsets[address.street]) :]
        size = int(compiled.form.contexts[address.context, arrays.SIZE + player])
        opponent_weights = compatible_weights(self.reach(line)[1 - player])
        in_pot = spot.betting.pot / 2 + position.matched + position.amounts[player]
        unit = compiled.chance(address) * spot.pairs
        with np.errstate(divide="ignore", invalid="ignore"):
            chips = [self._by_hand(address, player, values[node, :size]) * unit / opponent_weights for node in nodes]
        return [np.where(opponent_weights > 1e-12, own + in_pot, np.nan) for own in chips]
