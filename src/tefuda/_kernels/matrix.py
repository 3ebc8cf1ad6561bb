"""Regret matching on a matrix game."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.draw import match, pick
from tefuda._kernels.jit import kernel


@kernel
def expected_utilities(payoffs, sizes, strategies, player, utility):
    """utility[a] = the player's expected payoff of action a, over all combinations of the others."""
    utility[:] = 0.0
    for cell in range(payoffs.shape[0]):
        rest, own, weight = cell, 0, 1.0
        for seat in range(sizes.shape[0] - 1, -1, -1):
            action = rest % sizes[seat]
            rest //= sizes[seat]
            if seat == player:
                own = action
            else:
                weight *= strategies[seat, action]
        utility[own] += weight * payoffs[cell, player]


@kernel
def play(payoffs, sizes, regrets, fixed, sums, iterations, floor, averaging, sampled, rng):
    """Play and learn; `regrets` and `sums` `[P, A]` are updated in place. A row of `fixed` that is not 0 is kept."""
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
                regrets[player, action] = max(new, 0.0) if floor else new
                sums[player, action] += t**averaging * strategies[player, action]
