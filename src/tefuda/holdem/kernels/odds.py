"""Shares of pots: of a hand against random hands by sampling, and of known hands over all boards."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import below, count, lowest
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.equity import next_choice
from tefuda.holdem.kernels.rank import evaluate, evaluate_ranks, unpaired

BOARD, SUITS, RANKS, LANE = 5, 4, 13, 16
ALL = np.uint64(0x1FFF)


@kernel
def mean_share(own, board, deck, missing, opponents, samples, state):
    """Return the mean share of the pot.

    `own` and `board` are sets, `deck` `[N]` the other cards, each a set of one.
    """
    total = 0.0
    for _ in range(samples):
        full_board, best, ties = board, 0, 1
        for position in range(missing + 2 * opponents):
            state = step(state)
            index = position + np.int64(below(mix(state), deck.shape[0] - position))
            deck[position], deck[index] = deck[index], deck[position]
        for position in range(missing):
            full_board |= deck[position]
        own_strength = evaluate(own | full_board)
        for position in range(missing, missing + 2 * opponents, 2):
            opponent_strength = evaluate(deck[position] | deck[position + 1] | full_board)
            best = max(best, opponent_strength)
            ties += opponent_strength == own_strength
        if own_strength >= best:
            total += 1.0 / ties
    return total / samples


@kernel
def add_shares(hands, contenders, board, deck, missing, unit, shares):
    """Add the shares of each pot over all boards.

    Boards with equal ranks are counted at once as if there were no flushes. Then, for each suit, those with a flush are
    replaced: boards with the same cards of this suit, and equal ranks beside them. That takes a thirtieth of the time
    of 1.7 million boards one by one.

    Args:
        hands: `[N]` sets of two cards.
        contenders: `[P, N]` True for the players who may win a pot.
        board: set of the known cards of the board.
        deck: set of the cards that can come.
        missing: number of cards to come.
        unit: share of a pot that one player wins; a multiple of 1 to N.
        shares: `[P, N]` int64 sums.
    """
    counts = np.zeros(RANKS, dtype=np.int64)
    for suit in range(SUITS):
        for rank in range(RANKS):
            counts[rank] += np.int64(deck >> np.uint64(LANE * suit + rank)) & 1
    add_by_ranks(hands, contenders, board, -1, np.zeros(0, dtype=np.int64), 0, counts, missing, unit, shares)
    for suit in range(SUITS):
        own, others, size = np.empty(RANKS, dtype=np.int64), counts.copy(), 0
        for rank in range(RANKS):
            if (deck >> np.uint64(LANE * suit + rank)) & np.uint64(1):
                own[size] = rank
                others[rank] -= 1
                size += 1
        held = np.empty(hands.shape[0], dtype=np.int64)
        for player in range(hands.shape[0]):
            held[player] = count(((hands[player] | board) >> np.uint64(LANE * suit)) & ALL)
        for number in range(max(BOARD - int(held.max()), 0), min(missing, size) + 1):
            add_by_ranks(hands, contenders, board, suit, own[:size], number, others, missing - number, unit, shares)


@kernel
def add_by_ranks(hands, contenders, board, suit, own, number, others, rest, unit, shares):
    """Add shares of boards with `number` more cards of a suit, and `rest` others by rank.

    Shares without flushes are subtracted. For suit -1 only these are added, and all cards count by rank. `own` are the
    ranks of the suit, `others` `[13]` the numbers of the other cards by rank.
    """
    strengths, chosen = np.empty(hands.shape[0], dtype=np.int32), np.arange(number + 1)
    while True:
        suited, rising = np.uint64(0), np.arange(rest + 1)
        for i in range(number):
            suited |= np.uint64(1) << np.uint64(own[chosen[i]])
        while True:
            full_board, ways, equal = with_ranks(with_ranks(np.uint64(0), board), suited), unit, 0
            for i in range(rest):
                rank = rising[i] - i  # ranks in rising order, with repetitions
                equal = equal + 1 if i and rank == rising[i - 1] - i + 1 else 0
                ways = ways * (others[rank] - equal) // (equal + 1)
                if not ways:
                    break
                full_board = with_rank(full_board, rank)
            if ways:
                for player in range(hands.shape[0]):
                    strengths[player] = evaluate_ranks(with_ranks(full_board, hands[player]), np.uint64(0))
                split(strengths, contenders, ways if suit < 0 else -ways, shares)
            if ways and suit >= 0:
                for player in range(hands.shape[0]):
                    flush = suited | ((hands[player] | board) >> np.uint64(LANE * suit)) & ALL
                    if count(flush) >= BOARD:
                        strengths[player] = unpaired(flush, flush)
                split(strengths, contenders, ways, shares)
            if not next_choice(rising, rest, RANKS + rest - 1):
                break
        if not next_choice(chosen, number, own.shape[0]):
            return


@inlined
def with_rank(counts, rank):
    """Return counts of ranks with one more: lane i has the ranks of which there are more than i cards."""
    place = np.uint64(rank)
    while (counts >> place) & np.uint64(1):
        place += np.uint64(LANE)
    return counts | np.uint64(1) << place


@inlined
def with_ranks(counts, cards):
    """Return counts of ranks with those of a set of cards."""
    while cards:
        counts = with_rank(counts, lowest(cards) & np.uint64(LANE - 1))
        cards &= cards - np.uint64(1)
    return counts


@inlined
def split(strengths, contenders, chips, shares):
    """Add the chips of each pot to the shares of its winners."""
    for pot in range(contenders.shape[0]):
        best, ties = -1, 0
        for player in range(strengths.shape[0]):
            if contenders[pot, player] and strengths[player] >= best:
                ties = ties + 1 if strengths[player] == best else 1
                best = strengths[player]
        for player in range(strengths.shape[0]):
            if contenders[pot, player] and strengths[player] == best:
                shares[pot, player] += chips // ties
