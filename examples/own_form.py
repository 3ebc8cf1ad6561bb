"""Your own form and method: a matrix of payoffs, solved by multiplicative weights, saved and resumed."""

import hashlib
import tempfile
from dataclasses import dataclass

import numpy as np

import tefuda as td


class Matrix(td.Form):
    """A two-player zero-sum game: player 0 chooses a row, player 1 a column and pays."""

    representation = "payoffs"

    def __init__(self, payoffs):
        self.name, self.players, self.parameters = "payoffs", 2, {}
        self.payoffs = np.array(payoffs, dtype=float)
        self.fingerprint = hashlib.sha256(self.payoffs.tobytes()).hexdigest()

    def saved(self):
        return td.forms.Saved({"rows": len(self.payoffs)}, {"payoffs": self.payoffs})


@dataclass(frozen=True)
class Hedge(td.Method):
    """Multiplicative weights (Freund and Schapire 1999)."""

    name: str = "hedge"
    rate: float = 0.05
    accepts = ("payoffs",)

    def solver(self, form, seed=0, workers=None):
        return HedgeSolver(form, self)


class HedgeSolver(td.Solver):
    """Learns on a matrix."""

    def __init__(self, matrix, method):
        self.matrix, self.method, self.iterations = matrix, method, 0
        self.gains, self.sums = ([np.zeros(count) for count in matrix.payoffs.shape] for _ in range(2))

    @property
    def form(self):
        return self.matrix

    def advance(self, iterations):
        for _ in range(iterations):
            row, column = map(softmax, self.gains)
            self.gains[0] += self.method.rate * self.matrix.payoffs @ column
            self.gains[1] -= self.method.rate * row @ self.matrix.payoffs
            self.sums = [self.sums[0] + row, self.sums[1] + column]
            self.iterations += 1

    def average(self):
        return Mixed([sums / sums.sum() for sums in self.sums])

    def current(self):
        return Mixed([softmax(gains) for gains in self.gains])

    def state(self):
        gains, sums = map(np.concatenate, (self.gains, self.sums))
        return {"gains": gains, "sums": sums, "done": np.array(self.iterations)}

    def restore(self, state):
        split = len(self.matrix.payoffs)
        self.gains, self.sums = (np.split(state[name], [split]) for name in ("gains", "sums"))
        self.iterations = int(state["done"])


class Mixed(list):
    """Both players' mixed strategies; a policy answers for a player with a view."""

    def strategy(self, player, key, actions):
        return self[player].tolist()


def softmax(values):
    """Return the mixed strategy of cumulated gains."""
    return np.exp(values - values.max()) / np.exp(values - values.max()).sum()


if __name__ == "__main__":
    scissors = Matrix([[0, -1, 2], [1, 0, -2], [-2, 2, 0]])
    with tempfile.TemporaryDirectory() as folder:
        td.solve(scissors, Hedge(), iterations=10_000, checkpoint=f"{folder}/run")
        solution = td.resume(f"{folder}/run", method=Hedge(), game=scissors, iterations=20_000)
        print(solution)
        print([round(share, 2) for share in solution.strategy.strategy(0, "", ())])
