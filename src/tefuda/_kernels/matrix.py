"""Regret matching on a matrix game."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.draw import match, pick
from tefuda._kernels.jit import kernel


@kernel
def expected_utilities(payoffs, sizes, strategies, player, utility):
    """Fill utility[a] with the player's expected payoff of action a against the others' strategies."""
    utility[:] = 0.0
    for cell in range(payoffs.shape[0]):
        rest, own, weight = cell, 0, 1.0
        for p in range(sizes.shape[0] - 1, -1, -1):
            action = rest % sizes[p]
            rest //= sizes[p]
            if p == player:
                own = action
            else:
                weight *= strategies[p, action]
        utility[own] += weight * payoffs[cell, player]


@kernel
def play(payoffs, sizes, regrets, fixed, sums, iterations, clip, averaging, sampled, rng):
    """Run regret matching; `regrets` and `sums` `[P, A]` are updated in place.

    fixed: `[P, A]` strategies of players that do not learn; rows of zeros for the others.
    """
    players = sizes.shape[0]
    strategies, beliefs = np.zeros_like(sums), np.zeros_like(sums)
    utility = np.zeros(sums.shape[1])
    for t in range(1, iterations + 1):
        for player in range(players):
            if fixed[player].sum() > 0.0:
                strategies[player] = fixed[player]
            else:
                match(regrets[player], 0, sizes[player], strategies[player])
            beliefs[player] = strategies[player]
            if sampled:
                chosen = pick(strategies[player], 0, sizes[player], rng.random())
                beliefs[player] = 0.0
                beliefs[player, chosen] = 1.0
        for player in range(players):
            expected_utilities(payoffs, sizes, beliefs, player, utility)
            mean = 0.0
            for action in range(sizes[player]):
                mean += beliefs[player, action] * utility[action]
            for action in range(sizes[player]):
                new = regrets[player, action] + utility[action] - mean
                regrets[player, action] = max(new, 0.0) if clip else new
                sums[player, action] += t**averaging * strategies[player, action]
