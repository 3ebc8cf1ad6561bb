"""Counterfactual regret minimization (CFR): each method of the family is a value of one dataclass.

All methods share one traversal and one update (`_kernels.programs`); a `CFRMethod` gives the numbers of the update in
iteration t. To define a variant, write ``dataclasses.replace(CFR_PLUS, order="simultaneous")``.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda._kernels import programs as kernels
from tefuda.errors import ParameterError, check_choice, check_range, out_of_range
from tefuda.evaluating.off_path import completed, untrembled
from tefuda.evaluating.profile import Profile
from tefuda.files import NOT_NEGATIVE
from tefuda.forms.programs import Instruction, Workspace, padded, program
from tefuda.forms.sequence import SequenceForm, choices_form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.teams import Team, team_size
from tefuda.solvers.protocol import Method, TreeSolver, require_average

AVERAGING = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}
PRECISIONS = {"double": "float64", "single": "float32"}
_CHUNK = 1 << 14  # iterations of one kernel call: the schedule takes at most 1 MB


#: A number, or a pair (start, end): linear from iteration 0 to iteration `horizon`, constant after it.
Exponent = float | tuple[float, float]


@dataclass(frozen=True)
class CFRMethod(Method):
    """A member of the CFR family.

    Args:
        name: name in tables.
        order: ``"alternating"``: each player in turn is updated against the opponents' newest strategies;
            ``"simultaneous"``: all players are updated against the profile at the iteration's start.
        clip: whether stored regrets are clipped at 0 (regret matching plus).
        alpha: exponent of the discount t^alpha / (t^alpha + offset) of positive regrets, applied after iteration t's
            regret is added. None: no discount.
        beta: exponent of the discount of negative regrets; needs ``clip=False``. None: no discount.
        offset: constant in the discounts.
        prediction: strategies are matched to R + prediction * E, where E predicts the next regret r.
        memory: step of the prediction, E <- (1 - memory) E + memory * r. 1: the last regret; less: an average over
            about 1 / memory regrets.
        averaging: exponent g of the weights t^g in the average strategy, or ``"uniform"`` (0), ``"linear"`` (1),
            ``"quadratic"`` (2).
        delay: iterations left out of the average at the start: weights max(t - delay, 0)^g.
        convention: strategies that enter the average if updates alternate. ``"own"``: each player's strategy before
            its update (OpenSpiel). ``"opp"``: the strategies that the updated player faces, which is player 0's
            strategy after its update (the CFR+ paper; two players only).
        opponent: ``"regret"``: all players minimise regret; ``"best response"``: each player is trained against an
            exact best response to its own current strategy (two players only).
        horizon: iteration at which alpha, beta and averaging reach their end, if they are pairs.
        floor: probability of a tremble, which replaces an action by a random one: each of k actions has a probability
            of at least floor / k. The reported strategy has no trembles, but is sensible off its path.
        precision: type of regrets, strategies and sums: ``"double"`` (8 bytes) or ``"single"`` (4), which takes four
            fifths of the time; its round-off limits NashConv to about 1e-4 on Leduc poker.

    Raises:
        ParameterError: a value is out of range, or values contradict each other.

    >>> from dataclasses import replace
    >>> method = replace(td.METHODS["cfr"], name="mine", order="simultaneous")
    >>> td.solve(td.load_game("kuhn"), method, iterations=9)
    Solution(kuhn, mine, 9 done, NashConv 0.197, finished)
    """

    name: str = "cfr"
    order: str = option("alternating", choices=("alternating", "simultaneous"))
    clip: bool = False
    alpha: Exponent | None = None
    beta: Exponent | None = None
    offset: float = option(1.0, 0, 1e9)
    prediction: float = option(0.0, 0, 100)
    memory: float = option(1.0, 0, 1)
    averaging: Exponent = 0.0
    delay: int = option(0, 0, float("inf"))
    convention: str = option("own", choices=("own", "opp"))
    opponent: str = option("regret", choices=("regret", "best response"))
    horizon: int = option(10_000, 1, float("inf"))
    floor: float = option(0.0, 0, 0.5)
    precision: str = option("double", choices=PRECISIONS)

    reported = "better"
    parallel = True

    def __post_init__(self) -> None:
        if isinstance(self.averaging, str):
            check_choice("averaging", self.averaging, (*AVERAGING, "a number"))
            object.__setattr__(self, "averaging", AVERAGING[self.averaging])
        super().__post_init__()
        for name, low in (("alpha", -50), ("beta", -50), ("averaging", 0)):
            object.__setattr__(self, name, _check_exponent(name, getattr(self, name), low, 50))
        if self.averaging is None:
            raise out_of_range("averaging", None, "a number or a pair (at the start, at the horizon)")
        if self.clip and self.beta is not None:
            raise ParameterError(
                "clip leaves no negative regrets for beta to discount; use clip=False, or leave beta out."
            )
        if self.floor and self.opponent != "regret":
            raise ParameterError("floor needs players who minimise regret; use opponent='regret', or floor=0.")

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> CfrSolver:
        """See `Method`; the method is deterministic. workers: number of threads, see `team_size`."""
        return CfrSolver(form, self, workers)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return the numbers of the update from iteration `first` on, `[count, 10]`; columns as in the kernel."""
        t = np.arange(first, first + count, dtype=np.float64)
        rule = np.zeros((count, kernels.COLUMNS))
        rule[:, kernels.POSITIVE] = self._discount(t, self.alpha)
        rule[:, kernels.NEGATIVE] = self._discount(t, self.beta)
        rule[:, kernels.CLIP] = self.clip
        rule[:, kernels.LAMBDA] = self.prediction
        rule[:, kernels.MEMORY] = self.memory
        # Weights t^g, as a decay ((t - 1) / t)^g of the sum so far: no weight can overflow.
        counted, exponent = np.maximum(t - self.delay, 1), self._exponent(t, self.averaging)
        rule[:, kernels.DECAY] = np.where(exponent == 0, 1.0, ((counted - 1) / counted) ** exponent)
        rule[:, kernels.WEIGHT] = t > self.delay
        rule[:, kernels.TREMBLE] = self.floor
        return rule

    def _exponent(self, t: np.ndarray, value: Exponent) -> np.ndarray | float:
        if not isinstance(value, tuple):
            return value
        start, end = value
        return start + (end - start) * np.minimum(t / self.horizon, 1.0)

    def _discount(self, t: np.ndarray, exponent: Exponent | None) -> np.ndarray | float:
        """Return the discounts of the iterations t; 1 without an exponent."""
        if exponent is None:
            return 1.0
        power = t ** self._exponent(t, exponent)
        return power / (power + self.offset)


def _check_exponent(name: str, value: Any, low: float, high: float) -> Exponent | None:
    """Return a number or a pair as floats; None stays None."""
    if value is None:
        return None
    ends = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(ends) > 2 or not ends:
        raise out_of_range(name, value, "a number or a pair (at the start, at the horizon)")
    for end in ends:
        check_range(name, end, low, high, whole=False)
    return (float(ends[0]), float(ends[1])) if len(ends) == 2 else float(ends[0])


#: Zinkevich, Johanson, Bowling, Piccione 2007, "Regret minimization in games with incomplete information".
CFR = CFRMethod("cfr", source="zinkevich2007")
#: Tammelin 2014, "Solving large imperfect information games using CFR+", algorithm 1.
CFR_PLUS = CFRMethod("cfr+", clip=True, averaging=1.0, source="tammelin2014")
#: CFR+ with weights t^2 (Brown and Sandholm 2019, section "Experimental results").
CFR_PLUS_QUADRATIC = CFRMethod("cfr+quadratic", clip=True, averaging=2.0, source="brown2019")
#: Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret minimization": linear CFR.
LCFR = CFRMethod("lcfr", alpha=1.0, beta=1.0, averaging=1.0, source="brown2019")
#: The same paper: DCFR(1.5, 0, 2).
DCFR = CFRMethod("dcfr", alpha=1.5, beta=0.0, averaging=2.0, source="brown2019")
#: Xu et al. 2024, "Minimizing weighted counterfactual regret with optimistic online mirror descent" (their code).
DCFR_PLUS = CFRMethod("dcfr+", clip=True, alpha=1.5, offset=1.5, averaging=4.0, source="xu2024")
#: Farina, Kroer, Sandholm 2021, "Faster game solving via predictive Blackwell approachability", algorithm 3.
PCFR_PLUS = CFRMethod("pcfr+", clip=True, prediction=1.0, averaging=2.0, source="farina2021")
#: Meng et al. 2025, arXiv 2503.12770: predictive CFR+ with a smaller step of the prediction, here a third.
SAPCFR_PLUS = CFRMethod("sapcfr+", clip=True, prediction=1 / 3, averaging=2.0, source="meng2025")
#: The same paper: a step of a sixth.
P2PCFR_PLUS = CFRMethod("p2pcfr+", clip=True, prediction=1 / 6, averaging=2.0, source="meng2025")
#: Xu et al., IJCAI 2024, arXiv 2404.13891: predictive discounted CFR+.
PDCFR_PLUS = CFRMethod("pdcfr+", clip=True, alpha=2.3, prediction=1.0, averaging=5.0, source="xu2024")
#: Zhang, McAleer, Sandholm, arXiv 2404.09097, "Faster game solving via hyperparameter schedules": HS-DCFR(30).
HS_DCFR = CFRMethod("hs-dcfr", alpha=(1.0, 4.0), beta=(-1.0, -3.0), averaging=(30.0, 25.0), source="zhang2024")
#: The same paper: HS-PCFR+(30), which schedules only the averaging.
HS_PCFR_PLUS = CFRMethod("hs-pcfr+", clip=True, prediction=1.0, averaging=(30.0, 25.0), source="zhang2024")
#: Discounted regret matching plus with a prediction averaged over about ten iterations, at double strength
#: (docs/methods.md).
EMA = CFRMethod("ema", clip=True, alpha=2.3, prediction=2.0, memory=0.1, averaging=5.0)
#: Johanson, Bard, Burch, Bowling 2012, "Finding optimal abstract strategies in extensive-form games".
CFR_BR = CFRMethod("cfr-br", opponent="best response", source="johanson2012")

FAMILY = (
    CFR, CFR_PLUS, CFR_PLUS_QUADRATIC, LCFR, DCFR, DCFR_PLUS, PCFR_PLUS, SAPCFR_PLUS, P2PCFR_PLUS, PDCFR_PLUS, HS_DCFR,
    HS_PCFR_PLUS, EMA, CFR_BR,
)  # fmt: skip


class CfrSolver(TreeSolver):
    """The solver of a `CFRMethod` on a tree; splitting the iterations does not change the result.

    Args:
        tree: the game.
        method: member of the family.
        workers: number of threads, see `team_size`.
        form: sequence form of the tree, also with further arrays. Default: `choices_form`, padded.
        names: names of further arrays of the state.
    """

    def __init__(
        self,
        tree: Tree,
        method: CFRMethod,
        workers: int | Executor | None = None,
        form: SequenceForm | None = None,
        names: str = "",
    ) -> None:
        threads = team_size(workers, len(tree.player))
        if method.convention == "opp" and tree.players != 2:
            raise ParameterError(f"convention 'opp' is for two players, not {tree.players}; use convention='own'.")
        if method.opponent == "best response" and tree.players != 2:
            raise ParameterError(f"{method.name} trains against a best response: two players, not {tree.players}.")
        self.tree, self.method, self.iterations, self._floor = tree, method, 0, method.floor
        self._form = form or choices_form(tree).derived(padded)
        # R and E of the update rule, the current strategy g and its realisation plan x, the sums S of the average.
        replies = "plan reply" if method.opponent == "best response" else ""
        self._work = Workspace(
            self._form, f"regret expected g x average u v {replies} {names}", PRECISIONS[method.precision]
        )
        self._regret, self._expected, self._g, self._x, self._average = (
            self._work[name] for name in ("regret", "expected", "g", "x", "average")
        )
        self._late = method.convention == "opp" and method.order == "alternating"  # player 0 averages its new strategy
        self._prepare()
        self._program = self._iteration()
        self._realisation = program(*map(self._play, range(tree.players)))
        self._team = Team(self._work, self._program, threads) if threads > 1 else None
        self._realise()
        self._iterate(method.schedule(1, 0))  # loads the kernel, so that timings contain only iterations

    def _iteration(self) -> np.ndarray:
        """Return the program of an iteration, which updates every player once."""
        layout, method, players = self._work.layout, self.method, range(self.tree.players)
        together = method.order == "simultaneous" and method.opponent == "regret"
        steps = [step for player in players for step in layout.gather(player)] if together else []
        for player in players:
            if method.opponent == "best response":
                self._work["reply"][self._form.span[:-1]] = 1.0
                steps += self._gather_best_response(player)
            elif not together:
                steps += layout.gather(player)
            steps += self._match(player)
            added, realised = layout.accumulate(player), self._play(player)
            steps += [*realised, added] if self._late and player == 0 else [added, *realised]
        return program(steps)

    def _gather_best_response(self, player: int) -> list[Instruction]:
        """Return steps that gather a player's utilities against a best response to its strategy."""
        layout, other = self._work.layout, 1 - player
        chosen = [layout.fold_best(other), layout.choose(other, "plan"), layout.realise(other, "plan", "reply")]
        return [*layout.gather(other), *chosen, *layout.gather(player, "reply")]

    def _match(self, player: int) -> list[Instruction]:
        """Return the steps that update the regrets and the strategy of a player."""
        return [self._work.layout.match(player)]

    def _play(self, player: int) -> list[Instruction]:
        """Return the steps that fill x with the realisation plan of a player's strategy."""
        return [self._work.layout.realise(player)]

    def _prepare(self) -> None:
        """Set the first strategy, and the arrays of the state with the sequences that are saved."""
        form, tree = self._form, self.tree
        # A forced move without a sequence of its own has the numbers of the empty one: regret 0 and probability 1.
        here = np.isin(np.arange(tree.infosets), form.infoset)[tree.infoset_of_row]
        sequences = np.where(here, form.sequence, form.span[tree.player_of_row])
        self._g[sequences] = Profile.uniform(tree).probabilities
        arrays = {"regret": self._regret, "expected": self._expected, "g": self._g}
        self._saved = {name: (array, sequences) for name, array in arrays.items()}
        self._saved["average"] = (self._average, form.sequence)

    def _realise(self) -> None:
        self._x[self._form.span[:-1]] = 1.0
        self._work.run(self._realisation, self.method.schedule(max(self.iterations, 1), 1))

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration updates every player once."""
        while iterations > 0:
            chunk = min(iterations, _CHUNK)
            self._iterate(self.method.schedule(self.iterations + 1, chunk))
            self.iterations += chunk
            iterations -= chunk

    def _iterate(self, rules: np.ndarray) -> None:
        if self._team is None:
            self._work.run(self._program, rules)
        else:
            self._team.run(rules)

    def average(self) -> Profile:
        """See `Solver`; `completed` at infosets with reach 0. Raise SolverError if the average is empty."""
        require_average(self.iterations, self.method.delay)
        weights = self._by_pair("average")
        return completed(untrembled(Profile.from_weights(self.tree, weights), self._floor), weights)

    def current(self) -> Profile:
        return untrembled(Profile.from_weights(self.tree, self._g[self._form.sequence]), self._floor)

    def _by_pair(self, name: str) -> np.ndarray:
        """Return an array of the state by infoset-action pair `[R]`, of the small game if infosets are merged."""
        array, sequences = self._saved[name]
        return array[sequences]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return copies of the arrays of the state by infoset-action pair, with discounts and clipping."""
        return {name: self._by_pair(name) for name in self._saved}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {name: NOT_NEGATIVE for name in ("g", "strategy", "average") if name in self._saved}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)  # validates the state
        for name, (array, sequences) in self._saved.items():
            array[sequences] = state[name]
        self._realise()
