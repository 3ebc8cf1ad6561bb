"""Counterfactual regret minimization with networks in place of tables: every way is a value of one dataclass.

Walks are those of waves.py, over any simulator; what they find goes to networks (extra ``deep``; deep/regrets.py).
docs/neural.md says what each field is in the papers, and what was measured.
"""

from __future__ import annotations

import importlib
import importlib.util
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tefuda.errors import MissingExtraError, ParameterError
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.settings import Validated, option, option_group
from tefuda.solvers.protocol import AnyMethod, Solver
from tefuda.solvers.sampled.waves import FALLBACKS, SCHEMES, Drawing, External, Outcome, Uniform

#: Networks by name; ``"table"``: exact tables in their place, for trees.
NETWORKS = (
    "connected", "rnn", "gru", "lstm", "rnn+attention", "gru+attention", "lstm+attention", "transformer", "table",
)  # fmt: skip


@dataclass(frozen=True)
class Fit(Validated):
    """How a network is fitted, by Adam.

    Args:
        hidden, layers: of the network.
        steps: at most so many minibatches.
        batch: rows of each, drawn with replacement; 0: all rows at once.
        rate: of learning.
        clip: the largest norm of a gradient.
        patience: passes over the rows without improvement before the rate falls; 0: it never does.
        cooling: what the rate is multiplied by then; below 1e-6 it starts again.
        loss: mean loss at which the fit ends, in units of the targets' mean square; 0: none.
    """

    hidden: int = option(64, 1)
    layers: int = option(3, 1, shared=True)
    steps: int = option(750, 1)
    batch: int = option(2048)
    rate: float = option(1e-3, high=1e6, shared=True)
    clip: float = option(1.0, high=1e6, shared=True)
    patience: int = option(0)
    cooling: float = option(0.5, high=1)
    loss: float = option(0.0, high=1e6)


@dataclass(frozen=True)
class InfosetFit(Fit):
    """How a network over infosets is fitted.

    Args:
        network: one of `NETWORKS`; those over tokens read views.
        readout: how the last layer, which is linear, is set: ``"descended"``: by Adam alone; ``"solved"``: by least
            squares over all rows, after Adam's steps (but for policies: behind theirs is a softmax).
    """

    network: str = option("connected", choices=NETWORKS, shared=True)
    readout: str = option("descended", choices=("descended", "solved"), shared=True)


@dataclass(frozen=True)
class Mean(Validated):
    """The mean of all sampled regrets, in a reservoir (Deep CFR).

    Args:
        rows: capacity of the reservoir.
        weighting: regrets of iteration t count t^weighting.
    """

    rows: int = option(1_000_000, 1, shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class Sum(Validated):
    """The network's own last answer plus the regrets that an iteration's walks sum up to at each infoset.

    Args:
        floor: whether sums are raised to 0 (MCCFR+).
        unmet: what sums are asked of infosets that an iteration's walks did not meet. ``"free"``: nothing, as
            published, so that they drift; ``"held"``: their last answer (needs a tree).
        warm: iterations with exact tables in the networks' place, which networks then are fitted to (needs a tree).
    """

    floor: bool = option(False)
    unmet: str = option("free", choices=("free", "held"), shared=True)
    warm: int = option(0)


@dataclass(frozen=True)
class Discounted(Validated):
    """The network's own last answer, raised to 0 and discounted, plus each of an iteration's regrets.

    Args:
        alpha, offset: of the discount, (t-1)^alpha / ((t-1)^alpha + offset).
        prediction: whether a second network, of an iteration's regrets alone, is added to the first before matching.
    """

    alpha: float = option(2.0, high=1e6)
    offset: float = option(1.5, high=1e6)
    prediction: bool = option(False)

    def discount(self, iteration: int) -> float:
        """Return the weight of earlier regrets in an iteration."""
        grown = float(iteration - 1) ** self.alpha
        return grown / (grown + self.offset)


#: Targets of regret networks, and averages, by name.
REGRETS: dict[str, type | None] = {"mean": Mean, "sum": Sum, "discounted": Discounted}


@dataclass(frozen=True)
class PolicyNetwork(Validated):
    """A network of policies, fitted to all strategies met, in a reservoir.

    Args:
        fit: of the network.
        rows: capacity of the reservoir.
        weighting: strategies of iteration t count t^weighting.
    """

    fit: InfosetFit = option_group(InfosetFit(steps=5000))
    rows: int = option(1_000_000, 1, shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class Iterates(Validated):
    """Every iteration's strategies, exactly (SD-CFR; needs a tree).

    Args:
        weighting: strategies of iteration t count t^weighting.
    """

    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class PolicySum(Validated):
    """A network fitted to its own last answer plus own reach times strategy at each infoset met.

    Args:
        fit: of the network.
        unmet: see `Sum`.
        weighting: strategies of iteration t count t^weighting.
    """

    fit: InfosetFit = option_group(InfosetFit(steps=5000))
    unmet: str = option("free", choices=("free", "held"), shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


AVERAGES: dict[str, type | None] = {"network": PolicyNetwork, "iterates": Iterates, "sum": PolicySum}


@dataclass(frozen=True)
class Baseline(Validated):
    """A network of histories' values, which lowers the variance of walks at all players' decisions.

    Args:
        fit: of the network, to the steps remembered.
        rows: number of steps remembered.
        believes: whether regrets are what the network says of what follows each action, and true payoffs at ends,
            instead of what walks found (ESCHER): nothing is divided by chances. Walks must be drawn by no strategy.
    """

    fit: Fit = option_group(Fit(steps=1000), prefix="baseline_")
    rows: int = option(1_000_000, 1, name="baseline_rows")
    believes: bool = option(False)


class TorchMethod(AnyMethod):
    """A method that learns in PyTorch (extra ``deep``), over simulators. home: its solver, as ``"module:name"``."""

    home: ClassVar[str]
    accepts = ("tree", "simulator", "partition")
    extra = "deep"

    def solver(self, form: Tree | Simulator, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `AnyMethod`.

        Raises:
            ParameterError: settings that need a tree.
            MissingExtraError: PyTorch is not installed.
        """
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError("deep", f"{self.name}, which learns in networks,")
        module, kind = self.home.split(":")
        make: Any = getattr(importlib.import_module(module), kind)
        found: Solver = make(TreeSimulator(form) if isinstance(form, Tree) else form, self, seed)
        return found


@dataclass(frozen=True)
class DeepCFR(TorchMethod):
    """A way of learning regrets and averages. An iteration: walks for each player in turn, and a fit of its networks.

    Args:
        name: how it is called in tables.
        walks: of each player an iteration.
        drawing: how the player whose walks these are draws units, one of `waves.SCHEMES`.
        regrets: target of the regret networks, one of `REGRETS`.
        fit: of the regret networks.
        fresh: whether they are fitted from new weights each time, or from the last ones.
        average: one of `AVERAGES`.
        baseline: values of histories, if any.
        fallback: strategy where no regret is positive: ``"argmax"`` or ``"uniform"``.

    Raises:
        ParameterError: a value out of range.

    >>> td.DeepCFR("mine", walks=100).unit
    'iterations'
    """

    name: str
    walks: int = option(1500, 1)
    drawing: Drawing = option_group(External(), "scheme", SCHEMES)
    regrets: Mean | Sum | Discounted = option_group(Mean(), "regrets", REGRETS)
    fit: InfosetFit = option_group(InfosetFit())
    fresh: bool = option(False)
    average: PolicyNetwork | Iterates | PolicySum = option_group(PolicyNetwork(), "average", AVERAGES, "average_")
    baseline: Baseline | None = option_group(None, "baseline", {False: None, True: Baseline})
    fallback: str = option("argmax", choices=FALLBACKS)

    enough = 100
    counts_nodes = True
    home = "tefuda.solvers.deep.regrets:DeepSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        undirected = self.drawing in (Outcome("share", 1.0), Outcome("nothing", 1.0))
        if self.baseline is not None and self.baseline.believes and not undirected:
            raise ParameterError(
                "believes takes regrets from the baseline, on walks drawn by no strategy; choose scheme='outcome', "
                "epsilon=1 with it."
            )
        if self.warm and isinstance(self.average, PolicyNetwork):
            raise ParameterError("warm begins with tables of sums; choose average='sum' or 'iterates' with it.")
        if "connected" in (kinds := self._networks - {"table"}) and len(kinds) > 1:
            raise ParameterError(f"networks {' and '.join(sorted(kinds))} read different things; choose two of a kind.")

    @property
    def warm(self) -> int:
        """Iterations with tables in the networks' place; see `Sum`."""
        return self.regrets.warm if isinstance(self.regrets, Sum) else 0

    @property
    def holds(self) -> bool:
        """Whether sums of infosets that walks did not meet are asked for."""
        return "held" in (getattr(self.regrets, "unmet", ""), getattr(self.average, "unmet", ""))

    @property
    def _networks(self) -> set[str]:
        return {self.fit.network} | ({self.average.fit.network} if not isinstance(self.average, Iterates) else set())

    @property
    def reads_tokens(self) -> bool:
        """Whether its networks read views as sequences of tokens."""
        return bool(self._networks - {"connected", "table"})

    @property
    def growth(self) -> float:
        """See `AnyMethod`: a network of the average is fitted whenever somebody looks."""
        return 2.0 if isinstance(self.average, PolicyNetwork) else 1.0


#: Brown, Lerer, Gross, Sandholm 2019; settings of Steinberger's repository for Leduc.
DEEP_CFR = DeepCFR("deep-cfr")
#: Steinberger 2019.
SD_CFR = DeepCFR("sd-cfr", average=Iterates())
#: Li, Hu, Zhang, Qi, Song 2019, version 1 of the paper.
DOUBLE_NEURAL = DeepCFR(
    "double-neural", 5000, Uniform(k=3), Sum(floor=True), fallback="uniform",
    fit=InfosetFit(128, 3, 2000, 256, patience=10, loss=1e-4, network="lstm+attention"),
    average=PolicySum(InfosetFit(256, 3, 2000, 256, patience=15, cooling=0.7, loss=1e-5, network="lstm+attention")),
)  # fmt: skip
#: The same without what leads its sums astray: all infosets of a tree are held, last layers solved for.
DOUBLE_NEURAL_HELD = DeepCFR(
    "double-neural-held", 5000, Uniform(k=3), Sum(floor=True, unmet="held"), fallback="uniform",
    fit=InfosetFit(128, 3, 30, 0, readout="solved"),
    average=PolicySum(InfosetFit(256, 3, 30, 0, readout="solved"), unmet="held"),
)  # fmt: skip
#: Xu, Li, Fu, Fu, Xing, Cheng, AAAI 2026.
VR_DEEP_DCFR_PLUS = DeepCFR(
    "vr-deep-dcfr+", 10_000, Outcome(), Discounted(), average=PolicyNetwork(weighting=2.0), baseline=Baseline(),
    fallback="uniform",
)  # fmt: skip
VR_DEEP_PDCFR_PLUS = replace(
    VR_DEEP_DCFR_PLUS, name="vr-deep-pdcfr+", regrets=Discounted(alpha=2.3, offset=1.0, prediction=True)
)
#: Steinberger, Lerer, Brown 2020.
DREAM = DeepCFR(
    "dream", 900, Outcome(epsilon=0.5), Mean(2_000_000), InfosetFit(steps=3000), True, Iterates(),
    Baseline(Fit(steps=1000, batch=512), 200_000),
)  # fmt: skip
#: McAleer, Farina, Lanctot, Sandholm 2022; values are learned from the walks for regrets.
ESCHER = DeepCFR(
    "escher", 1000, Outcome(epsilon=1.0), Mean(2_000_000), InfosetFit(steps=5000), True, Iterates(),
    Baseline(Fit(steps=5000), believes=True),
)  # fmt: skip

DEEP = (
    DEEP_CFR, SD_CFR, DOUBLE_NEURAL, DOUBLE_NEURAL_HELD, VR_DEEP_DCFR_PLUS, VR_DEEP_PDCFR_PLUS, DREAM, ESCHER
)  # fmt: skip


@dataclass(frozen=True)
class PolicyGradient(TorchMethod):
    """Self-play by policy gradient. An iteration: whole games, then descent.

    What is descended on: - clipped surrogate of the mover's advantage - entropy H + kl KL(new, old) + value squares.
    Rate and entropy fall as 1 / sqrt(1 + t / decay), and kl grows with what they fall by.

    Args:
        name: how it is called in tables.
        kl: of the divergence from the policy that played; 0: PPO (Schulman et al. 2017), else magnetic mirror descent
            (Sokota et al. 2023), whose magnet is uniform play, by the entropy.
        entropy, value: weights in the loss.
        games: played an iteration.
        epochs, minibatches: passes over an iteration's decisions, and into how many parts each is cut.
        rate, clip, decay: of Adam, of ratios and values, and see above; 0: nothing falls.
        discount: of later payoffs; below 1 it is another game.
        tail: lambda of generalised advantages.
        norm: the largest norm of a gradient.
        momentum: of Adam. What answers late to who answers it makes policies circle: 0 unless set (others: .9).
        hidden, layers: of the policy and of the values.

    Raises:
        ParameterError: a value out of range.

    >>> td.PolicyGradient("mine", games=4).answer
    'better'
    """

    name: str
    kl: float = option(0.0)
    entropy: float = option(0.1)
    value: float = option(0.5)
    games: int = option(1000, 1)
    epochs: int = option(4, 1)
    minibatches: int = option(2, 1)
    rate: float = option(1e-3)
    clip: float = option(0.05)
    decay: float = option(100.0)
    discount: float = option(1.0, high=1)
    tail: float = option(1.0, high=1)
    norm: float = option(0.5)
    momentum: float = option(0.0, high=0.999)
    hidden: int = option(64, 1)
    layers: int = option(2, 1)

    answer = "better"
    enough = 800
    home = "tefuda.solvers.deep.gradient:GradientSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.minibatches > self.games:
            raise ParameterError(
                f"minibatches is {self.minibatches}, of {self.games} games; choose no more.",
                key="minibatches",
                value=self.minibatches,
            )

    def falling(self, iteration: int) -> float:
        """What rate and entropy are multiplied by, and kl divided, in an iteration, counted from 1."""
        return float(1 / (1 + (iteration - 1) / self.decay) ** 0.5) if self.decay else 1.0


#: Rudolph et al. 2026, whose rate falls to 0 at the end of a run and whose discount is .99. These numbers solve Kuhn
#: poker for nearly all seeds (docs/neural.md); theirs: 3 layers of 512 units, rate 2.5e-4, clip .1, entropy .05.
PPO = PolicyGradient("ppo")
MMD = PolicyGradient("mmd", kl=0.02)

FAMILY = (*DEEP, PPO, MMD)
