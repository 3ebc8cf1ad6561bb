"""Anchored methods: CFR or mirror descent with a pull to a reference, which follows the plan.

With the pull, every equilibrium of a two-player zero-sum game is the only one of its game, and the last iterate
converges to it. The reference then moves to the iterate, or the pull falls. So the last iterates converge to one of the
equilibria, and no average is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from tefuda._kernels import perturbed
from tefuda._kernels import programs as kernels
from tefuda.errors import ParameterError, out_of_range
from tefuda.evaluating.off_path import require_possible
from tefuda.forms.programs import Instruction, Workspace, padded, program, realised
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import Validated, option, option_group
from tefuda.solvers.exact.cfr import CFRMethod, CfrSolver
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import Method

_PLUS = CFRMethod("rm+", clip=True, averaging=2.0)


@dataclass(frozen=True)
class Mirror(Validated):
    """Simultaneous steps of mirror descent at every infoset, a rule of an `Anchored`.

    With utilities q of actions, the strategy before the step p, the reference r and a distance D, the next strategy is

        argmax  <q, g> - (w / step) D(g, p) - w magnet D(g, r)

    Utilities are in units of half the range of payoffs, so the unit of payoffs does not matter.

    Args:
        step: step size in iteration 1.
        decay: exponent d of the factors t^-d of step and magnet in iteration t.
        values: utilities of an infoset and its actions. ``"dilated"``: the value of an infoset is that maximum, so
            that the step is one of dilated mirror descent over plans. Else it is the value of its play:
            ``"counterfactual"``; ``"conditional"``, divided by the reach of the others; ``"regularised"``, the same
            with payoffs -magnet log(g / r) for own actions and the opposite for the opponent's (two players, constant
            sum; perolat2021, section 3).
        distance: ``"kl"``: relative entropy; ``"euclid"``: half the squared distance.
        nested: whether w is 2 + 2 max_a (sum of w over the infosets after a) (kroer2020), which makes dilated distances
            strongly convex; else it is 1. Needs ``values="dilated"``.
        optimistic: whether each iterate is one more step on the same utilities (lee2021). Needs ``values="dilated"``.
        bound: steps of logits that leave [-bound, bound] are dropped (hennes2020), unless values are dilated.
        averaging: exponent g of the weights t^g in the average plan.
    """

    step: float = option(1.0, 1e-18, 1e18)
    decay: float = option(0.0, 0, 10)
    values: str = option("dilated", choices=("dilated", "counterfactual", "conditional", "regularised"))
    distance: str = option("kl", choices=("kl", "euclid"))
    nested: bool = option(False, choices=(False, True))
    optimistic: bool = option(False, choices=(False, True))
    bound: float = option(100.0, 1, 1e9)
    averaging: float = option(0.0, 0, 50)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values != "dilated" and (self.nested or self.optimistic):
            raise ParameterError(f"nested and optimistic need values='dilated', got {self.values!r}.", key="values")
        if self.values == "regularised" and self.distance != "kl":
            raise ParameterError("values='regularised' needs distance='kl'.", key="distance")


@dataclass(frozen=True)
class Anchored(Method):
    """A method on utilities with a pull to a reference.

    The reference is the strategy at the start of the last iteration whose number was a multiple of `every`, and uniform
    before the first one. With a `CFRMethod` the utilities are u - magnet * (x - reference), where x and the reference
    are realisation plans; with a `Mirror` the pull is part of each step.

    Args:
        name: name in tables.
        rule: update rule of the regrets, or of the strategies.
        magnet: strength of the pull, in the game's unit; with a `Mirror` in half the range of payoffs.
        floor: least probability of an action before iteration `every`. The reported strategy has no floors, and
            values of an infoset are those of its play without floors.
        every: iterations from one reference to the next; with each of them the floor halves. 0, with a `Mirror`: no
            reference; the pull is to large entropy, or to a small sum of squares.

    Raises:
        ParameterError: a value is out of range, or the rule has best responses, floors or a delay of its own.

    >>> td.solve(td.load_game("kuhn"), "rtcfr+", iterations=1000)
    Solution(kuhn, rtcfr+, 1,000 done, NashConv 0.0079, finished)
    """

    name: str
    rule: CFRMethod | Mirror = option_group(_PLUS, "rule", {"regrets": CFRMethod, "mirror": Mirror}, "rule_")
    magnet: float = option(1e-3, 0, 1e18)
    floor: float = option(1e-10, 0, 0.1)
    every: int = option(100)

    accepts = ("tree",)

    @property
    def reported(self) -> str:  # type: ignore[override]
        """The last iterate if something makes it converge, else the better one of it and the average."""
        return "current" if self.magnet or isinstance(self.rule, CFRMethod) else "better"

    @property
    def parallel(self) -> bool:  # type: ignore[override]
        """True if the rule can be split between threads."""
        return isinstance(self.rule, CFRMethod)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rule, Mirror):
            return
        if not self.every:
            raise out_of_range("every", self.every, "at least 1 with rule='regrets'")
        for name, wanted in {"opponent": "regret", "floor": 0.0, "delay": 0}.items():
            if getattr(self.rule, name) != wanted:
                raise ParameterError(
                    f"{name} of the rule of {self.name} must be {wanted!r}, got {getattr(self.rule, name)!r}."
                )

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> AnchoredSolver:
        """See `Method`; the method is deterministic. workers: number of threads, see `team_size`."""
        if isinstance(self.rule, Mirror):
            return MirrorSolver(form, self, self.rule)
        return AnchoredSolver(form, self, workers)

    def regret_rule(self) -> CFRMethod:
        """Return the rule of regrets; for a `Mirror` one with its order and averages."""
        if isinstance(self.rule, CFRMethod):
            return self.rule
        return CFRMethod(self.name, order="simultaneous", averaging=self.rule.averaging)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return the numbers of the update, see `CFRMethod.schedule`."""
        rule = self.regret_rule().schedule(first, count)
        rule[:, kernels.FLOOR] = self.floor * 0.5 ** (np.arange(first, first + count) // (self.every or np.inf))
        rule[:, kernels.MAGNET] = self.magnet
        return rule


#: Meng et al. 2025, "Efficient last-iterate convergence in solving extensive-form games": reward transformation CFR+.
RTCFR_PLUS = Anchored("rtcfr+", source="meng2025last")
#: The same with predicted regrets, which a comment of its program names.
RTPCFR_PLUS = Anchored("rtpcfr+", CFRMethod("prm+", clip=True, prediction=1.0, averaging=2.0), source="meng2025last")
#: Sokota et al. 2023, "A unified approach to reinforcement learning, quantal response equilibria, and two-player
#: zero-sum games": magnetic mirror descent in behavioural form with exact values. The magnet is the temperature.
MMD = Anchored("mmd-exact", Mirror(2.0, decay=0.5, values="conditional"), 0.5, 0.0, 0, source="sokota2023")
#: Kroer et al. 2020: online mirror descent over plans with the dilated entropy, or with dilated squares.
OMD = Anchored("omd", Mirror(30.0, nested=True), 0.0, 0.0, 0, source="kroer2020")
OMD_EUCLID = Anchored("omd-euclid", Mirror(3.0, distance="euclid", nested=True), 0.0, 0.0, 0, source="kroer2020")
#: Lee, Kroer, Luo 2021, "Last-iterate convergence in extensive-form games": optimistic mirror descent.
OOMD = Anchored("oomd", Mirror(10.0, nested=True, optimistic=True), 0.0, 0.0, 0, source="lee2021")
#: Perolat et al. 2021, "From Poincaré recurrence to convergence in imperfect information games", with exact values.
R_NAD = Anchored("r-nad", Mirror(0.3, values="regularised"), 0.2, 0.0, 100, source="perolat2021")
#: Hennes et al. 2020, "Neural replicator dynamics", with a tabular softmax.
NEURD = Anchored("neurd", Mirror(1.0, values="counterfactual"), 0.0, 0.0, 0, source="hennes2020")

FAMILY = (RTCFR_PLUS, RTPCFR_PLUS, MMD, OMD, OMD_EUCLID, OOMD, R_NAD, NEURD)


class AnchoredSolver(CfrSolver):
    """The solver of an `Anchored` on a tree; splitting the iterations does not change the result."""

    method: Anchored

    def __init__(
        self,
        tree: Tree,
        method: Anchored,
        workers: int | Executor | None = None,
        form: SequenceForm | None = None,
        names: str = "reference played",
    ) -> None:
        require_possible(tree, method.name)
        most = int(tree.action_counts.max(initial=1))
        if method.floor * most >= 1:
            raise ParameterError(f"floor must be less than 1 / {most} in this game, got {method.floor:g}.", key="floor")
        # With forced moves: the pull counts their plans too.
        form = form or sequence_form(tree).derived(padded)
        super().__init__(tree, method.regret_rule(), workers, form, names)
        self.method = method
        self._reference = self._work["reference"]
        self._reference[:] = self._x
        self._saved["reference"] = (self._reference, self._form.sequence)

    def _match(self, player: int) -> list[Instruction]:
        return [self._work.layout.pull(player), *super()._match(player)]

    def _play(self, player: int) -> list[Instruction]:
        layout = self._work.layout
        return [layout.lift(player), layout.realise(player, "played")]

    def _move(self) -> None:
        """Move the reference to the last iterate."""
        self._reference[:] = self._x

    def advance(self, iterations: int) -> None:
        """See `Solver`; the reference moves before each iteration whose number is a multiple of `every`."""
        every = self.method.every or self.iterations + iterations + 1  # 0: never
        while iterations > 0:
            past = (self.iterations + 1) % every
            if past == 0:
                self._move()
            count = min(iterations, every - past)
            super().advance(count)
            iterations -= count

    def ranges(self) -> dict[str, tuple[float, float]]:
        return super().ranges() | {"reference": (0, 1)}


_TINY = 1e-300  # has a logarithm


class MirrorSolver(AnchoredSolver):
    """The solver of an `Anchored` with a `Mirror`; the reference is a behaviour strategy."""

    def __init__(self, tree: Tree, method: Anchored, rule: Mirror) -> None:
        if rule.values == "regularised":
            require_two_player_constant_sum(tree, method.name)
        form, players = sequence_form(tree), range(tree.players)
        super().__init__(tree, method, None, form, "reference played point new reach")
        self.rule, self._range = rule, float(np.ptp(tree.payoffs, axis=0).max()) / 2 or 1.0
        self._u, self._point, self._new, self._reach = (self._work[name] for name in ("u", "point", "new", "reach"))
        self._weights = _nested_weights(form) if rule.nested else np.ones(len(form.parent))
        layout = self._work.layout
        self._gather = program(*(step for p in players for step in ([layout.accumulate(p)], layout.gather(p))))
        self._point[:], self._reference[:], self._reach[:] = self._place(self._g), self._g, 1.0
        rows = form.sequence
        self._saved = {name: (self._work[name], rows) for name in ("point", "g", "reference", "average")}
        self._units = None
        if rule.values in ("conditional", "regularised"):
            self._units = Workspace(tree.derived(_unit_form), "x g u v gap pull")
            layout, gap = self._units.layout, rule.values == "regularised"
            self._divide = program(
                *([*layout.gather(p), layout.fold_mean(p), *(layout.gather(p, "gap", "pull") * gap)] for p in players)
            )
        self._settle()

    def _place(self, g: np.ndarray) -> np.ndarray:
        """Return strategies as points of the kernel: probabilities, or their logarithms."""
        return g if self.rule.distance == "euclid" else np.log(np.maximum(g, _TINY))

    def _settle(self) -> None:
        """Set the point and the plan of the reference."""
        known = self.method.every > 0
        self._target = self._place(self._reference) * known
        self._plan = realised(self._form, self._reference if known else np.ones(self._form.sequences))

    def _move(self) -> None:
        self._reference[:] = self._g
        self._settle()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._settle()

    def _iterate(self, rules: np.ndarray) -> None:
        for t, numbers in enumerate(rules, self.iterations + 1):
            self._work.run(self._gather, numbers[None])
            self._step(t)
            self._work.run(self._realisation, numbers[None])

    def _step(self, t: int) -> None:
        """Set the strategies of all players by the utilities of iteration t."""
        rule, form, factor = self.rule, self._form, float(t) ** -self.rule.decay
        step, magnet = rule.step * factor / self._range, self.method.magnet * factor * self._range
        if self._units is not None:
            self._regularise(self._units, magnet)
        soft, pulled = rule.values == "dilated", rule.values == "regularised"
        numbers = (step, magnet, float(rule.bound), rule.distance == "euclid", soft, pulled)
        utilities = self._u.copy() if rule.optimistic else self._u
        for again in (False, True)[: 1 + rule.optimistic]:
            self._u[:] = utilities
            perturbed.mirror(
                form.index, np.uint64(0), np.uint64(len(form.groups)), numbers, self._u, self._reach, self._weights,
                self._point, self._target, self._new, self._g,
            )  # fmt: skip
            if not again:
                self._point[:] = self._new

    def _regularise(self, units: Workspace, magnet: float) -> None:
        """Set the reach of the others, and add the opponent's payoffs of the pull to the utilities."""
        units["x"][:], units["g"][:] = self._x, self._g
        units["gap"][:] = magnet * self._x * np.log(np.maximum(self._x, _TINY) / np.maximum(self._plan, _TINY))
        units.run(self._divide)
        self._reach[:] = units["u"]
        self._u += units["pull"]


def _unit_form(tree: Tree) -> SequenceForm:
    """Return the sequence form of a game with the payoff 1 at each end."""
    return sequence_form(replace(tree, payoffs=np.ones_like(tree.payoffs)))


def _nested_weights(form: SequenceForm) -> np.ndarray:
    """Return `[J]` the weights 2 + 2 max_a (sum of the weights of the infosets after a)."""
    weights, after = np.empty(len(form.parent)), np.zeros(form.sequences)
    for first, m, k, base in reversed(form.groups.astype(np.int64).tolist()):
        here = slice(first, first + m)
        weights[here] = 2 + 2 * after[base : base + k * m].reshape(k, m).max(axis=0)
        np.add.at(after, form.parent[here], weights[here])
    return weights
