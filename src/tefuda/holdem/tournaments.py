"""Tournaments: values of stacks by the independent chip model (ICM), and bubble factors.

The model of Malmuth and Harville (Harville 1973): each place goes to one of the players without a place, with
probabilities proportional to their stacks. Let P(S) be the probability that the set S takes the first |S| places:

    P({}) = 1,    P(S + i) += P(S) s_i / (sum of the stacks outside S)

The value of player i is the sum over S of payout(|S| + 1) times the same term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed, out_of_range
from tefuda.games.answers import exact_number
from tefuda.workers import ProgressFunction, pieces

#: Most players with chips of the recursion; values of more players are sampled.
EXACT_PLAYERS = 20
FRACTION_PLAYERS = 12  # a second; the time doubles with each player
_MOST_CHIPS, _MOST_PLAYERS = 1e15, 10_000
_PIECE = 1 << 20  # numbers that are sampled at once
_NO_CHANGE = 1e-12  # differences of values below this share of the prizes are round-off
_NORMAL_95 = 1.96

Number = float | Fraction


@dataclass(frozen=True)
class StackValues:
    """The values of the stacks of a tournament.

    Attributes:
        values: expected prize of each player: floats, or fractions on request.
        half_widths: half-width of the 95 % interval of each value; 0 unless values are sampled.
    """

    values: tuple[Number, ...]
    half_widths: tuple[float, ...]


def icm(
    stacks: Sequence[Number], payouts: Sequence[Number], exact: bool = False, *,
    before: Sequence[Number] | None = None, samples: int = 10_000, seed: int = 0,
    progress: ProgressFunction | None = None,
) -> StackValues:  # fmt: skip
    """Return the values of stacks by the independent chip model.

    Players without chips take the last places. Those who lost theirs in one hand are placed by the stacks before it;
    equal stacks share their prizes.

    Args:
        stacks: chips of each player, 0 for players who are out.
        payouts: prize of each place, the first place first; at most one for each player.
        exact: True: fractions, for at most 12 players with chips; decimals are exact as written.
        before: chips of each player before the hand; default: players without chips had equal stacks.
        samples: number of sampled orders if more than 20 players have chips.
        seed: random seed of the samples.
        progress: callback for the sampled orders and their total.

    Raises:
        ParameterError: an argument is out of range, or there are too many players for fractions.

    >>> icm([5000, 3000, 2000], [50, 30, 20], exact=True).values
    (Fraction(1075, 28), Fraction(131, 4), Fraction(202, 7))
    """
    chips, prizes = number_list("stacks", stacks), number_list("payouts", payouts)
    start = [1] * len(chips) if before is None else number_list("before", before)
    _check_tournament(chips, prizes, start)
    live = [player for player, stack in enumerate(chips) if stack]
    values = _last_places(chips, start, prizes + [0] * (len(chips) - len(prizes)))
    widths, own = np.zeros(len(chips)), [chips[player] for player in live]
    prizes = prizes[: len(live)]
    if exact:
        if len(live) > FRACTION_PLAYERS:
            raise out_of_range("exact", exact, f"False for more than {FRACTION_PLAYERS} players with chips")
        values[live] = _recursion(np.array(list(map(exact_number, own))), list(map(exact_number, prizes)))
    elif len(live) <= EXACT_PLAYERS:
        values[live] = _recursion(np.array(own, dtype=float), prizes)
    else:
        check_range("samples", samples, 2, 10**8)
        check_seed(seed)
        values[live], widths[live] = _sample(np.array(own, dtype=float), prizes, samples, seed, progress)
    typed = tuple(exact_number(value) if exact else float(value) for value in values.tolist())
    return StackValues(typed, tuple(widths.tolist()))


def bubble_factor(
    stacks: Sequence[Number], payouts: Sequence[Number], player: int, opponent: int, exact: bool = False
) -> Number:
    """Return the value that a player loses by losing all-in, divided by the value won by winning.

    The smaller of both stacks is at stake. With ICM values V the factor is (V - V_lose) / (V_win - V); infinite if
    chips that are won have no value, nan if lost chips have none either.

    Args:
        stacks: chips of each player, at most 20.
        payouts: prize of each place, the first place first.
        player: number of the player, from 0.
        opponent: number of the opponent, from 0.
        exact: True: a fraction.

    Raises:
        ParameterError: an argument is out of range, or one of both has no chips.

    >>> bubble_factor([4000, 3000, 2000, 1000], [50, 30, 20], 2, 0, exact=True)
    Fraction(1486, 631)
    """
    check_range("number of players", len(stacks), 2, EXACT_PLAYERS)
    for name, number in (("player", player), ("opponent", opponent)):
        check_range(name, number, 0, len(stacks) - 1)
        if not stacks[number]:
            raise out_of_range(name, number, "a player with chips")
    if player == opponent:
        raise out_of_range("opponent", opponent, "another player")
    values = []
    for sign in (-1, 0, 1):
        after = list(map(exact_number, stacks))
        won = sign * min(after[player], after[opponent])
        after[player], after[opponent] = after[player] + won, after[opponent] - won
        values.append(icm(after, payouts, exact, before=stacks).values[player])
    lost, gained = values[1] - values[0], values[2] - values[1]
    least = _NO_CHANGE * float(sum(payouts))
    return lost / gained if gained > least else float("inf") if lost > least else float("nan")


def number_list(name: str, values: Any) -> list[Any]:
    """Return the numbers of a sequence; raise ParameterError unless they are 0 or more."""
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(listed, str) or not isinstance(listed, Sequence) or not listed:
        raise out_of_range(name, values, "a list of numbers")
    for value in listed:
        if not isinstance(value, Real):
            raise out_of_range(name, value, "a list of numbers")
        check_range(name, float(value), 0, _MOST_CHIPS, whole=False)
    return list(listed)


def _check_tournament(stacks: list[Any], payouts: list[Any], before: list[Any]) -> None:
    if len(stacks) > _MOST_PLAYERS or not any(stacks):
        raise out_of_range("stacks", stacks, f"chips of 1 to {_MOST_PLAYERS:,} players, not all 0")
    if len(payouts) > len(stacks) or not payouts[0] or sorted(payouts, reverse=True) != payouts:
        span = f"1 to {len(stacks)} prizes, at most one for each player, the largest first and above 0"
        raise out_of_range("payouts", payouts, span)
    if len(before) != len(stacks) or any(stack and not start for stack, start in zip(stacks, before, strict=True)):
        raise ParameterError("before must have the chips of each player before the hand.", key="before", value=before)


def _last_places(stacks: list[Any], before: list[Any], prizes: list[Any]) -> np.ndarray:
    """Return `[P]` prizes of the players without chips; `prizes` has one for each place."""
    out = sorted((player for player, stack in enumerate(stacks) if not stack), key=lambda player: -before[player])
    values, first = np.zeros(len(stacks), dtype=object), len(stacks) - len(out)
    for player in out:
        tied = [place for place, other in enumerate(out, first) if before[other] == before[player]]
        values[player] = sum(exact_number(prizes[place]) for place in tied) / len(tied)
    return values


def _recursion(stacks: np.ndarray, prizes: list[Any]) -> np.ndarray:
    """Return `[P]` values; stacks `[P]` are floats, or fractions as objects."""
    players = len(stacks)
    sets = np.arange(1 << players)
    taken, ratio = (np.zeros(len(sets), dtype=stacks.dtype) for _ in range(2))  # ratio: P(S) / left(S), 0 until known
    for player, stack in enumerate(stacks):
        taken[1 << player : 2 << player] = taken[: 1 << player] + stack
    left, sizes = taken[::-1], np.bitwise_count(sets)  # the complement of a set has the same number from the end
    by_set = np.zeros(len(sets), dtype=stacks.dtype)
    for place, prize in enumerate(prizes):
        placed = sets[sizes == place]
        probability = sum(stack * ratio[placed ^ 1 << player] for player, stack in enumerate(stacks)) if place else 1
        ratio[placed] = probability / left[placed]
        by_set[placed] = prize * ratio[placed]
    without = [by_set.reshape(-1, 2, 1 << player)[:, 0].sum() for player in range(players)]
    return stacks * np.array(without, dtype=stacks.dtype)


def _sample(
    stacks: np.ndarray, prizes: list[Any], samples: int, seed: int, progress: ProgressFunction | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return `[P]` mean values over sampled orders, and half-widths of their intervals.

    The players of an order take the places by the smallest of exponential times with their stacks as rates. Each
    sample adds the probabilities of the next place given the places before it, which have less variance than prizes.
    """
    rng, players = np.random.default_rng(seed), len(stacks)
    sums, squares = np.zeros((2, players))
    for piece in pieces(samples, max(1, _PIECE // players), progress):
        rows = np.arange(min(piece.stop, samples) - piece.start)
        order = np.argsort(rng.exponential(size=(len(rows), players)) / stacks, axis=1)
        chips, values = np.tile(stacks, (len(rows), 1)), np.zeros((len(rows), players))
        for place, prize in enumerate(prizes):
            values += chips * (prize / chips.sum(axis=1, keepdims=True))
            chips[rows, order[:, place]] = 0.0
        sums, squares = sums + values.sum(axis=0), squares + (values**2).sum(axis=0)
    means = sums / samples
    deviations = np.sqrt(np.maximum(squares / samples - means**2, 0) / (samples - 1))
    return means, _NORMAL_95 * deviations
