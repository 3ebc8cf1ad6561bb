"""Counterfactual regret minimization: every method of the family is a value of one dataclass.

The sweep and the update are the same for all of them (see _kernels/update.py); a `Method` only says which numbers go
into the update at iteration t. To try a variant: ``dataclasses.replace(CFR_PLUS, order="simultaneous")``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tefuda._kernels import update
from tefuda._kernels.sweep import realise
from tefuda.errors import ParameterError, SolverError, check_range
from tefuda.profile import Profile
from tefuda.sequence import sequence_form
from tefuda.tree import Tree

AVERAGING = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}
ORDERS = ("alternating", "simultaneous")
CONVENTIONS = ("own", "opp")
_CHUNK = 1 << 14  # iterations a kernel call; bounds the memory of the schedule to 1 MB


@dataclass(frozen=True)
class Method:
    """A member of the CFR family.

    Args:
        name: how it is called in tables.
        order: ``"alternating"``: each player in turn is updated against the newest strategies of the others;
            ``"simultaneous"``: all against the profile of the iteration's start.
        floor: keep stored regrets at 0 or above (regret matching plus).
        alpha: before iteration t's regret is added, positive regrets are multiplied by d(t - 1),
            d(t) = t^alpha / (t^alpha + 1). None: no discount.
        beta: the same for negative regrets; needs ``floor=False``.
        averaging: the exponent g of the weights t^g in the average strategy, or ``"uniform"`` (0), ``"linear"`` (1),
            ``"quadratic"`` (2).
        delay: iterations left out of the average at the start: weights max(t - delay, 0)^g.
        convention: which strategies the average takes when updates alternate. ``"own"``: of every player the one in
            force before its update (OpenSpiel's). ``"opp"``: the one the player being updated faces, so of player 0
            the one after its update (the CFR+ paper's; two players only).

    Raises:
        ParameterError: a value out of range, or values that contradict each other.
    """

    name: str
    order: str = "alternating"
    floor: bool = False
    alpha: float | None = None
    beta: float | None = None
    averaging: float = 0.0
    delay: int = 0
    convention: str = "own"

    def __post_init__(self) -> None:
        if isinstance(self.averaging, str):
            _check_choice("averaging", self.averaging, (*AVERAGING, "a number"))
            object.__setattr__(self, "averaging", AVERAGING[self.averaging])
        _check_choice("order", self.order, ORDERS)
        _check_choice("convention", self.convention, CONVENTIONS)
        check_range("averaging", self.averaging, 0, 50, whole=False)
        check_range("delay", self.delay, 0)
        if self.floor and self.beta is not None:
            raise ParameterError("floor keeps regrets at 0 or above, so there is nothing for beta to discount.")

    unit = "iterations"

    def solver(self, tree: Tree, seed: int = 0) -> CfrSolver:
        """A solver that has done nothing yet. CFR draws nothing at random: `seed` changes nothing."""
        return CfrSolver(tree, self)

    def parameters(self) -> dict[str, Any]:
        """Everything that defines the method, as JSON values."""
        return asdict(self)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """`[count, 8]` the numbers of the update in iterations first, first + 1, ...; columns as in the kernel."""
        t = np.arange(first, first + count, dtype=np.float64)
        rule = np.zeros((count, 8))
        rule[:, update.POSITIVE] = _discount(t - 1, self.alpha)
        rule[:, update.NEGATIVE] = _discount(t - 1, self.beta)
        rule[:, update.FLOOR] = self.floor
        rule[:, update.AHEAD] = _discount(t, self.alpha)
        rule[:, update.MEMORY] = 1.0
        # Weights t^g written as decay of what was summed before: ((t - 1) / t)^g, so that no weight overflows.
        counted = np.maximum(t - self.delay, 1)
        rule[:, update.DECAY] = ((counted - 1) / counted) ** self.averaging if self.averaging else 1.0
        rule[:, update.WEIGHT] = t > self.delay
        return rule


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} is {value!r}; it must be one of {', '.join(map(str, allowed))}.")


def _discount(t: np.ndarray, exponent: float | None) -> np.ndarray | float:
    """d(t) = t^e / (t^e + 1); 1 without an exponent."""
    if exponent is None:
        return 1.0
    power = t**exponent
    return power / (power + 1)


#: Zinkevich, Johanson, Bowling, Piccione 2007, "Regret minimization in games with incomplete information".
CFR = Method("cfr")
#: Tammelin 2014, "Solving large imperfect information games using CFR+", algorithm 1.
CFR_PLUS = Method("cfr+", floor=True, averaging=1.0)


class CfrSolver:
    """Runs a `Method` on a tree. The same tree and method give the same bits, however the iterations are split.

    Raises:
        GameError: the game has imperfect recall.
        ParameterError: convention "opp" with more than two players.
    """

    def __init__(self, tree: Tree, method: Method) -> None:
        if method.convention == "opp" and tree.players != 2:
            raise ParameterError(f"convention 'opp' is for two players, not {tree.players}; use convention='own'.")
        self.tree, self.method, self.form, self.iterations = tree, method, sequence_form(tree), 0
        count = self.form.sequences
        # R and E of the update rule, the behaviour and realisation probabilities in force, and the average's sums S.
        self._regret, self._expected, self._x, self._average = np.zeros((4, count))
        self._g = self.form.spread(Profile.uniform(tree).probabilities)
        self._scratch = (np.zeros(count), np.zeros(len(self.form.pairs)), *np.zeros((2, count)))
        late = method.convention == "opp" and method.order == "alternating"
        self._early = np.array([not (late and player == 0) for player in range(tree.players)])
        self._realise()
        self._iterate(method.schedule(1, 0))  # loads the kernel, so that clocks see iterations alone

    def _realise(self) -> None:
        self._x[self.form.span[:-1]] = 1.0
        for player in range(self.tree.players):
            realise(*self.form.treeplex, player, self._g, self._x)

    def advance(self, iterations: int) -> None:
        """Run some more iterations; in each, every player is updated once."""
        while iterations > 0:
            chunk = min(iterations, _CHUNK)
            self._iterate(self.method.schedule(self.iterations + 1, chunk))
            self.iterations += chunk
            iterations -= chunk

    def _iterate(self, rules: np.ndarray) -> None:
        state = (self._regret, self._expected, self._g, self._x, self._average, *self._scratch)
        together = self.method.order == "simultaneous"
        update.iterate(*self.form.treeplex, *self.form.leaves, rules, together, self._early, *state)

    def average(self) -> Profile:
        """The average strategies so far; uniform at infosets their owner never played to.

        Raises:
            SolverError: no iteration has entered the average yet.
        """
        if self.iterations <= self.method.delay:
            raise SolverError(
                f"the average is empty after {self.iterations} iterations with delay {self.method.delay}; run more "
                f"iterations than the delay."
            )
        return Profile.from_weights(self.tree, self._average[self.form.sequence])

    def current(self) -> Profile:
        """The strategies in force."""
        return Profile.from_weights(self.tree, self._g[self.form.sequence])

    def regrets(self) -> np.ndarray:
        """`[R]` the cumulative regrets as stored, discounts and floor included."""
        return self._regret[self.form.sequence]

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on, by row of the tree."""
        arrays = {name: getattr(self, f"_{name}")[self.form.sequence] for name in _STATE}
        return {**arrays, "iterations": np.array(self.iterations)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        for name in _STATE:
            getattr(self, f"_{name}")[self.form.sequence] = state[name]
        self.iterations = int(state["iterations"])
        self._realise()


_STATE = ("regret", "expected", "g", "average")
