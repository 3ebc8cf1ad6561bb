"""Your own update rule: volatility-adaptive discounted CFR (VAD-CFR), beside two compiled methods.

Li, Schultz, Hennes, Lanctot 2026, "Discovering multiagent learning algorithms with large language models", arXiv
2602.16928, listing 5. The listing leaves two points open. Of three interpretations, only this one reproduces the
results of the paper (docs/benchmarks.md): the strategy is projected from the regrets after their update, and players
alternate.
On the command line: tefuda solve leduc --method examples/vad_cfr.py:VAD_CFR
"""

import numpy as np

import tefuda as td


def vad_cfr(regrets, utilities, strategy, iteration, volatility):
    """Update infosets with k actions: all arrays are [k, m]."""
    regret = utilities - (strategy * utilities).sum(axis=0)
    size, t = np.abs(regret).max(axis=0), float(iteration)
    volatility[:] = size if iteration == 1 else 0.1 * size + 0.9 * volatility
    level = np.minimum(volatility / 2, 1)
    alpha, beta = t ** (1.5 - 0.5 * level), t ** (-0.1 - 0.5 * level)

    def discounted(old):
        return old * np.where(old >= 0, alpha / (alpha + 1), beta / (beta + 1))

    boosted = np.where(regret > 0, 1.1, 1.0) * regret
    regrets[:] = np.maximum(discounted(regrets) + boosted, -20)
    optimism = (1 - 0.5 * level) / (1 + (t - 1) / 100)
    projected = np.maximum(discounted(regrets) + optimism * boosted, 0) ** 1.5
    weights = t ** (2 + 1.5 * np.minimum(size / 2, 1)) * np.sqrt(1 + size / 2) / (1 + size**1.5)
    return td.evaluating.match_regrets(projected, axis=0), weights


VAD_CFR = td.solvers.UpdateRule("vad-cfr", vad_cfr, state=("volatility",), delay=500)

if __name__ == "__main__":
    for game in (td.load_game("kuhn", players=3), td.load_game("leduc")):
        for method in (VAD_CFR, "pdcfr+", "ema"):
            print(td.solve(game, method, iterations=1000))
