"""Your own solver: Hedge in place of regret matching, with the public functions of tefuda.

Each infoset plays its actions in proportion to exp(rate * cumulative counterfactual utility / sqrt(iteration)).
The solver defines an iteration, its strategies and the arrays of its state; tefuda does the rest.
On the command line: tefuda solve kuhn --method examples/hedge.py:HEDGE
"""

from dataclasses import dataclass

import numpy as np

import tefuda as td


@dataclass(frozen=True)
class Hedge(td.Method):
    """Counterfactual Hedge with a learning rate."""

    rate: float = 4.0

    def solver(self, form, seed=0, workers=None):
        return HedgeSolver(form, self)


class HedgeSolver(td.solvers.TreeSolver):
    """Runs `Hedge` on a tree."""

    def __init__(self, tree, method):
        self.tree, self.method, self.iterations = tree, method, 0
        self.utilities, self.sums = np.zeros((2, tree.rows))

    def current(self):
        exponents = self.method.rate * self.utilities / np.sqrt(max(self.iterations, 1))
        best = np.maximum.reduceat(exponents, self.tree.first_row[:-1])
        return td.Profile.from_weights(self.tree, np.exp(exponents - best[self.tree.infoset_of_row]))

    def advance(self, iterations):
        for _ in range(iterations):
            profile = self.current()
            self.utilities += td.evaluating.counterfactual(profile).actions
            own = td.evaluating.reach(profile).own[self.tree.first_history, self.tree.infoset_player]
            self.sums += own[self.tree.infoset_of_row] * profile.probabilities
            self.iterations += 1

    def average(self):
        return td.Profile.from_weights(self.tree, self.sums)

    def arrays(self):
        return {"utilities": self.utilities, "sums": self.sums}


HEDGE = Hedge("hedge")

if __name__ == "__main__":
    for method in (HEDGE, Hedge("hedge-16", rate=16.0), "cfr"):
        print(td.solve(td.load_game("kuhn"), method, iterations=1000))
