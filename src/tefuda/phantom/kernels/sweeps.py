"""Sweeps over the infosets of a player, whose parents have lower numbers. I infosets, S sequences."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import kernel


@kernel
def realise(player, strategy, plan):
    """Write the realisation plan `[S]` of a strategy `[S]`, whose first number is not read."""
    plan[0] = 1.0
    row = 1
    for infoset in range(player.parent.shape[0]):
        weight = plan[player.parent[infoset] >> 1]
        for sequence in range(row, row + player.actions[infoset]):
            plan[sequence] = weight * strategy[sequence]
        row += player.actions[infoset]


@kernel
def respond(player, utility):
    """Return the value of a best response to utilities `[S]`, which become those with later play."""
    row = utility.shape[0]
    for infoset in range(player.parent.shape[0] - 1, -1, -1):
        row -= player.actions[infoset]
        best = utility[row]
        for sequence in range(row + 1, row + player.actions[infoset]):
            best = max(best, utility[sequence])
        utility[player.parent[infoset] >> 1] += best
    return utility[0]


@kernel
def improve(player, utility, strategy, regret, before, after):
    """Update regrets `[S]` and the strategy `[S]` of a player by predictive regret matching+.

    Args:
        player: the infosets.
        utility: `[S]` of all sequences, which become those with later play.
        strategy: current strategy.
        regret: regrets, not negative.
        before: discount of the old regrets.
        after: discount of the new ones, to which the last regrets are added once more as the prediction.
    """
    row = utility.shape[0]
    for infoset in range(player.parent.shape[0] - 1, -1, -1):
        actions = player.actions[infoset]
        row -= actions
        mean = 0.0
        for sequence in range(row, row + actions):
            mean += strategy[sequence] * utility[sequence]
        total = 0.0
        for sequence in range(row, row + actions):
            gain = utility[sequence] - mean
            regret[sequence] = max(regret[sequence] * before + gain, 0.0)
            strategy[sequence] = max(regret[sequence] * after + gain, 0.0)
            total += strategy[sequence]
        for sequence in range(row, row + actions):
            strategy[sequence] = strategy[sequence] / total if total > 0.0 else 1.0 / actions
        utility[player.parent[infoset] >> 1] += mean


@kernel
def normalise(player, weights, strategy):
    """Write the strategy `[S]` of weights `[S]`, uniform where they are 0; return the first bad infoset.

    A bad one has a weight that is negative, infinite or nan; -1: there is none.
    """
    row, bad = 1, -1
    strategy[0] = 1.0
    for infoset in range(player.parent.shape[0]):
        actions, total = player.actions[infoset], 0.0
        for sequence in range(row, row + actions):
            if not 0.0 <= weights[sequence] < np.inf and bad < 0:
                bad = infoset
            total += weights[sequence]
        for sequence in range(row, row + actions):
            strategy[sequence] = weights[sequence] / total if total > 0.0 else 1.0 / actions
        row += actions
    return bad


@kernel
def orders(player, tries):
    """Write the tries `[I, C]` int8 of each infoset in order, 2 cell + (whether it was taken), then -1s."""
    number = np.zeros(len(player.child) // 2, np.int32)  # the infoset of a first sequence
    row = 1
    for infoset in range(len(tries)):
        number[row] = infoset
        row += player.actions[infoset]
    tries[0] = -1
    sequence = 1
    for infoset in range(len(tries)):
        length, tried = 0, 0
        while tries[infoset, length] >= 0:
            tried |= 1 << (tries[infoset, length] >> 1)
            length += 1
        for cell in range(tries.shape[1]):
            if tried >> cell & 1:
                continue
            for entry in (2 * sequence, 2 * sequence + 1):
                if player.child[entry]:
                    after = number[player.child[entry]]
                    tries[after] = tries[infoset]
                    tries[after, length] = 2 * cell + (entry & 1)
            sequence += 1
