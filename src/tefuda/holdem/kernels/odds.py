"""Shares of pots: of a hand against random hands by sampling, and of known hands over all boards."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import below
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import kernel
from tefuda.holdem.kernels.equity import next_choice
from tefuda.holdem.kernels.rank import evaluate


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
    """Add the shares of each pot over all boards, and return the number of boards.

    Args:
        hands: `[N]` sets of two cards.
        contenders: `[P, N]` True for the players who may win a pot.
        board: set of the known cards of the board.
        deck: `[D]` the other cards, each a set of one.
        missing: number of cards to come, 1 to 5.
        unit: share of a pot that one player wins; a multiple of 1 to N.
        shares: `[P, N]` int64 sums.
    """
    chosen = np.arange(missing)
    strengths = np.empty(hands.shape[0], dtype=np.int32)
    boards = 0
    while True:
        full_board = board
        for i in range(missing):
            full_board |= deck[chosen[i]]
        for player in range(hands.shape[0]):
            strengths[player] = evaluate(hands[player] | full_board)
        for pot in range(contenders.shape[0]):
            best, ties = -1, 0
            for player in range(hands.shape[0]):
                if contenders[pot, player] and strengths[player] >= best:
                    ties = ties + 1 if strengths[player] == best else 1
                    best = strengths[player]
            for player in range(hands.shape[0]):
                if contenders[pot, player] and strengths[player] == best:
                    shares[pot, player] += unit // ties
        boards += 1
        if not next_choice(chosen, missing, deck.shape[0]):
            return boards
