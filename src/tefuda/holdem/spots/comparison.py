"""Exact comparison of two strategies from a root on, such as a turn.

All hands, boards and strategies below a root are known. So values and best responses are traversals without noise. Only
the choice of the roots is a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.cards import HANDS, cards_text, hand_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import CompiledSpot, compile_spot
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import translate_solution
from tefuda.holdem.suits import Permutation, permute_hands

#: Strategies of both players, together or by player, such as those of two `StreetResolution`.
Strategies = SpotStrategy | tuple[SpotStrategy, SpotStrategy]


@dataclass(frozen=True, eq=False)
class StrategyComparison:
    """Two strategies compared from a root on.

    A value has the chips won from the pot of the root less the chips bet from there on.

    Attributes:
        values: `[2, 2, 2]` chips of each player, by the strategy out of position, then the one in position.
        best_responses: `[2, 2]` chips that each player wins at most against each strategy, by the strategy.
        big_blind: chips of the big blind.
    """

    values: np.ndarray  # [2, 2, 2]
    best_responses: np.ndarray  # [2, 2]
    big_blind: float

    @property
    def gain(self) -> float:
        """The chips that the second strategy wins more than the first against the first: mean of both seats."""
        return float(self.values[0, 1, 0] + self.values[1, 0, 1] - self.values[:, 0, 0].sum()) / 2

    @property
    def exploitability(self) -> tuple[float, float]:
        """NashConv / 2 of each strategy, in chips."""
        first, second = (self.best_responses[own].sum() - self.values[:, own, own].sum() for own in (0, 1))
        return float(first) / 2, float(second) / 2

    def mbb(self, chips: float) -> float:
        """Return chips in thousandths of a big blind."""
        return 1000 * chips / self.big_blind

    def summary(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        chips = {"gain": self.gain, "exploitability": list(self.exploitability)}
        mbb = {"gain": self.mbb(self.gain), "exploitability": [self.mbb(own) for own in self.exploitability]}
        figures = {"values": self.values.tolist(), "best_responses": self.best_responses.tolist()}
        return {"big_blind": self.big_blind, **figures, "chips": chips, "mbb": mbb}


def compare_strategies(
    root: Spot, first: Strategies, second: Strategies, *, big_blind: float = 100
) -> StrategyComparison:
    """Compare two strategies from a root on, exactly.

    Args:
        root: board, pot, stacks, sizes, and both ranges with which the root is reached.
        first: a strategy of both players, or one for each player. Other sizes than those of the root are translated
            to the nearest, as `resolve_street` does.
        second: the strategy that is compared with it.
        big_blind: chips of the big blind, for figures in thousandths of it.

    Returns:
        The values of each strategy against each, and those of best responses.

    Raises:
        ParameterError: a strategy has another board or deck than the root, or lacks hands of its ranges.

    >>> from tefuda.holdem import make_spot
    >>> turn = make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a")
    >>> rough, fine = (td.solve(turn, iterations=number).strategy for number in (1, 100))
    >>> comparison = compare_strategies(turn, rough, fine)
    >>> comparison.gain > 0, comparison.exploitability[1] < comparison.exploitability[0]
    (True, True)
    """
    check_range("big_blind", big_blind, 0, whole=False)
    if not big_blind:
        raise ParameterError(f"big_blind must be more than 0, got {big_blind}.", key="big_blind", value=big_blind)
    seats = [(own, own) if isinstance(own, SpotStrategy) else own for own in (first, second)]
    known = [strategy for pair in seats for strategy in pair]
    compiled = compile_spot(root)
    if any(_symmetries(compiled) != _symmetries(strategy.compiled) for strategy in known):
        compiled = compile_spot(root, isomorphism=False)
    moved = [[_at_root(pair[player], compiled, player) for player in (0, 1)] for pair in seats]
    return _compare(compiled, moved, big_blind)


def _symmetries(compiled: CompiledSpot) -> list[tuple[set[int], tuple[Permutation, ...]]]:
    """Return the boards, and the permutations of suits that preserve strategies on them."""
    return [({*context.board}, context.group) for context in compiled.contexts]


def _compare(compiled: CompiledSpot, moved: Sequence[Sequence[np.ndarray]], big_blind: float) -> StrategyComparison:
    """Compare strategies of a compiled root, given the sums of each player."""
    betting, street, rake = compiled.spot.betting, compiled.spot.street, compiled.spot.rake_rate
    values, best = np.zeros((2, 2, 2)), np.zeros((2, 2))
    for own in (0, 1):
        for other in (0, 1):
            strategy = SpotStrategy(compiled, np.concatenate([moved[own][0], moved[other][1]]))
            values[0, own, other] = strategy.value(0)
            values[1, own, other] = strategy.value(1) if rake else -values[0, own, other]
            if own == other:
                best[own] = [strategy.value(player, arrays.BEST) for player in (0, 1)]
    half = betting.chips(betting.root(street))[0] / 2
    return StrategyComparison(values + half, best + half, big_blind)


def _at_root(strategy: SpotStrategy, compiled: CompiledSpot, player: int) -> np.ndarray:
    """Return a player's sums in a strategy, moved to the hands and boards of a root."""
    known, root = strategy.compiled.spot, compiled.spot
    if {*known.board} != {*root.board} or {*known.deck} != {*root.deck}:
        given, wanted = cards_text(known.board), cards_text(root.board)
        raise ParameterError(f"strategies must have the board {wanted} and the deck of the root, got {given}.")
    missing = np.setdiff1d(compiled.contexts[0].hands[player], strategy.compiled.contexts[0].hands[player])
    if len(missing):
        hand = hand_text(int(missing[0]))
        why = f"the range of {PLAYERS[player]} has {len(missing)} hands that the strategy lacks, such as {hand}"
        raise ParameterError(f"{why}; solve it with all hands of the root.", key=PLAYERS[player].lower())
    split = int(compiled.form.contexts[0, arrays.BASE + 1])
    if not _have_same_betting(strategy.compiled, compiled):
        sums = translate_solution(strategy, compiled).sums
        return sums[split:] if player else sums[:split]
    return np.concatenate(list(_moved_sums(strategy, compiled, player)))


def _have_same_betting(one: CompiledSpot, two: CompiledSpot) -> bool:
    """Return whether two spots have the same actions and pots on all lines."""
    return all(
        first.action == second.action and np.array_equal(first.half, second.half)
        for first, second in zip(one.betting.streets, two.betting.streets, strict=True)
    )


def _moved_sums(strategy: SpotStrategy, compiled: CompiledSpot, player: int) -> Iterator[np.ndarray]:
    """Yield a player's sums on each board of a spot with the same betting, in the order of its hands."""
    known, known_places = strategy.compiled, list[tuple[int, Permutation]]()
    for context in compiled.contexts:
        number, suits = 0, (0, 1, 2, 3)
        if context.parent >= 0:
            above, suits = known_places[context.parent]
            found = known.child_context(above, suits, context.board[-1])
            assert found is not None  # both have the same deck
            number, suits = found
        known_places.append((number, suits))
        row, street = known.form.contexts[number], len(context.board) - len(compiled.spot.board)
        size, start = int(row[arrays.SIZE + player]), int(row[arrays.BASE + player])
        actions = known.betting.streets[street].actions[player]
        sums = strategy.sums[start : start + actions * size].reshape(actions, size)
        place_of_hand = np.zeros(len(HANDS), dtype=np.int64)
        place_of_hand[known.contexts[number].hands[player]] = np.arange(size)
        yield sums[:, place_of_hand[permute_hands(suits)[context.hands[player]]]].ravel()
