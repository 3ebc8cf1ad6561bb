"""All-in adjusted results: pots by exact equity at the moment when no more betting was possible.

The adjusted result is not an expected value of decisions: it uses cards that players showed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np

from tefuda.holdem.cards import CARDS, mask_of
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.rules import BOARD, MAX_PLAYERS, Wagers
from tefuda.holdem.kernels import odds as kernels
from tefuda.holdem.rank import MASKS

_UNIT = lcm(*range(1, MAX_PLAYERS + 1))  # share of a pot, which any number of winners divides


def pot_equities(
    holes: Sequence[Sequence[int]], pots: Sequence[Sequence[int]], board: Sequence[int], dead: Sequence[int] = ()
) -> list[list[Fraction]]:
    """Return the exact share of each pot that each hand wins, over all boards; ties split.

    Args:
        holes: two cards of each player.
        pots: numbers of the players who may win each pot.
        board: known cards of the board, none or three to five.
        dead: other cards that cannot come.

    >>> from tefuda.holdem import read_cards
    >>> pot_equities([read_cards("AhKh"), read_cards("QcQd")], [[0, 1]], read_cards("Qh7h2s9d"))[0]
    [Fraction(7, 44), Fraction(37, 44)]
    """
    known = {*board, *dead, *(card for hole in holes for card in hole)}
    left = [card for card in range(CARDS) if card not in known]
    contenders = np.array([[player in pot for player in range(len(holes))] for pot in pots])
    hands, shares = MASKS[np.array(holes)].sum(axis=1, dtype=np.uint64), np.zeros(contenders.shape, dtype=np.int64)
    missing = BOARD[3] - len(board)
    kernels.add_shares(hands, contenders, np.uint64(mask_of(board)), np.uint64(mask_of(left)), missing, _UNIT, shares)
    total = _UNIT * comb(len(left), missing)
    return [[Fraction(int(share), total) for share in row] for row in shares]


def adjusted_results(hand: Any, all_in: Wagers) -> list[float] | None:
    """Return the results of the players by equities after fees; None if live players' cards are unknown.

    Args:
        hand: record of the hand (`HandHistory`).
        all_in: betting at the moment when no more was possible.

    Returns:
        Results in chips, without cash-outs.
    """
    rules, live, holes = hand.rules, all_in.live, hand.known_holes
    if not holes.keys() >= {*live}:
        return None
    folded = [player for player in range(rules.players) if player not in live]
    dead = [card for player in folded for card in hand.hand.hole(player) if card != HIDDEN]
    places = {player: place for place, player in enumerate(live)}
    called = rules.called(all_in)
    final = all_in._replace(stacks=tuple(stack - paid for stack, paid in zip(rules.stacks, called, strict=True)))
    pots = [(chips, [places[player] for player in contenders]) for chips, contenders in rules.pots(final)]
    board = hand.hand.board[: BOARD[all_in.street]]
    shares = pot_equities([holes[player] for player in live], [players for _, players in pots], board, dead)
    results: list[float] = [-float(paid) for paid in called]
    for chips, row in zip(_after_fees(hand, [chips for chips, _ in pots]), shares, strict=True):
        for player, share in zip(live, row, strict=True):
            results[player] += float(chips * share)
    return results


def _after_fees(hand: Any, pots: Sequence[int]) -> list[int]:
    """Return the chips of each pot after fees, in whole chips; the first pot has the rest."""
    paid, total = hand.payments, sum(pots)
    left = total if paid is None else total - paid.rake - paid.jackpot + paid.added
    side = [round(Fraction(chips * left, total)) for chips in pots[1:]]
    return [left - sum(side), *side]
