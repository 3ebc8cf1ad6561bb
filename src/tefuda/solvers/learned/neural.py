"""CFR with networks in place of tables; every method is a value of `DeepCFR`.

Traversals are those of `levels`, over any simulator; networks need the extra ``deep``. The page
docs/neural.md lists the papers' values of each field, and measurements.
"""

from __future__ import annotations

import importlib.util
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import ClassVar

from tefuda.errors import MissingExtraError, ParameterError
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.settings import Validated, option, option_group
from tefuda.solvers.protocol import Method, Solver
from tefuda.solvers.sampled.levels import FALLBACKS, SCHEMES, External, Outcome, SamplingScheme, Uniform

#: Networks by name; ``"table"``: exact tables in their place, for trees.
NETWORKS = (
    "connected", "rnn", "gru", "lstm", "rnn+attention", "gru+attention", "lstm+attention", "transformer", "table",
)  # fmt: skip


@dataclass(frozen=True)
class Fit(Validated):
    """Settings of fitting a network by Adam.

    Args:
        hidden, layers: width and number of hidden layers.
        steps: maximum number of minibatches.
        batch: rows of a minibatch, drawn with replacement; 0: all rows.
        rate: learning rate.
        clip: largest norm of a gradient.
        patience: passes over the rows without improvement before the rate is lowered; 0: constant rate.
        rate_factor: factor that lowers the rate; a rate below 1e-6 is reset.
        loss_goal: mean loss that ends the fit, in units of the targets' mean square; 0: none.
    """

    hidden: int = option(64, 1)
    layers: int = option(3, 1, shared=True)
    steps: int = option(750, 1)
    batch: int = option(2048)
    rate: float = option(1e-3, high=1e6, shared=True)
    clip: float = option(1.0, high=1e6, shared=True)
    patience: int = option(0)
    rate_factor: float = option(0.5, high=1)
    loss_goal: float = option(0.0, high=1e6)


@dataclass(frozen=True)
class InfosetFit(Fit):
    """Settings of fitting a network over infosets.

    Args:
        network: one of `NETWORKS`; recurrent networks and transformers read views as tokens.
        last_layer_fit: fit of the linear last layer: ``"adam"``, or ``"least-squares"`` over all rows after
            Adam's steps (policies, which end in a softmax, use Adam alone).
    """

    network: str = option("connected", choices=NETWORKS, shared=True)
    last_layer_fit: str = option("adam", choices=("adam", "least-squares"), shared=True)


@dataclass(frozen=True)
class MeanTarget(Validated):
    """The mean of all sampled regrets, stored in a reservoir (Deep CFR).

    Args:
        rows: capacity of the reservoir.
        weighting: regrets of iteration t have weight t^weighting.
    """

    rows: int = option(1_000_000, 1, shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class SumTarget(Validated):
    """The network's last output plus the sum of an iteration's sampled regrets at each infoset.

    Args:
        clip_regrets: raise negative sums to 0 (MCCFR+).
        unvisited: target at infosets that an iteration does not visit: ``"free"``: none, as published, so
            outputs drift; ``"fixed"``: the last output (needs a tree).
        warm_start: number of first iterations with exact tables, to which networks are then fitted (needs
            a tree).
    """

    clip_regrets: bool = option(False)
    unvisited: str = option("free", choices=("free", "fixed"), shared=True)
    warm_start: int = option(0)


@dataclass(frozen=True)
class DiscountedTarget(Validated):
    """The network's last output, clipped at 0 and discounted, plus each of an iteration's regrets.

    Args:
        alpha, offset: parameters of the discount (t-1)^alpha / ((t-1)^alpha + offset).
        prediction: add a second network, fitted to the last iteration's regrets, before regret matching.
    """

    alpha: float = option(2.0, high=1e6)
    offset: float = option(1.5, high=1e6)
    prediction: bool = option(False)

    def discount(self, iteration: int) -> float:
        """Return the weight of earlier regrets in an iteration."""
        grown = float(iteration - 1) ** self.alpha
        return grown / (grown + self.offset)


#: Targets of regret networks, and averages, by name.
REGRETS: dict[str, type | None] = {"mean": MeanTarget, "sum": SumTarget, "discounted": DiscountedTarget}


@dataclass(frozen=True)
class PolicyNetwork(Validated):
    """A policy network fitted to all sampled strategies, which are stored in a reservoir.

    Args:
        fit: settings of the network.
        rows: capacity of the reservoir.
        weighting: strategies of iteration t have weight t^weighting.
    """

    fit: InfosetFit = option_group(InfosetFit(steps=5000))
    rows: int = option(1_000_000, 1, shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class Iterates(Validated):
    """The exact average of all iterations' strategies (SD-CFR; needs a tree).

    Args:
        weighting: strategies of iteration t have weight t^weighting.
    """

    weighting: float = option(1.0, high=1e6, shared=True)


@dataclass(frozen=True)
class PolicySum(Validated):
    """A network fitted to its last output plus own reach times strategy at each sampled infoset.

    Args:
        fit: settings of the network.
        unvisited: see `SumTarget`.
        weighting: strategies of iteration t have weight t^weighting.
    """

    fit: InfosetFit = option_group(InfosetFit(steps=5000))
    unvisited: str = option("free", choices=("free", "fixed"), shared=True)
    weighting: float = option(1.0, high=1e6, shared=True)


AVERAGES: dict[str, type | None] = {"network": PolicyNetwork, "iterates": Iterates, "sum": PolicySum}


@dataclass(frozen=True)
class Baseline(Validated):
    """A network of history values, which reduces the variance of sampled values at all decisions.

    Args:
        fit: settings of the network, which is fitted to the stored steps.
        rows: number of stored steps.
        estimates_regrets: take regrets from the network's values of the next histories, and true payoffs at
            the end, instead of sampled values (ESCHER). No importance weights are used, so actions must be
            drawn independently of the strategies.
    """

    fit: Fit = option_group(Fit(steps=1000), prefix="baseline_")
    rows: int = option(1_000_000, 1, name="baseline_rows")
    estimates_regrets: bool = option(False)


class TorchMethod(Method):
    """A method that trains PyTorch networks (extra ``deep``) over simulators.

    solver_class: its solver as ``"module:name"``.
    """

    solver_class: ClassVar[str]
    accepts = ("tree", "simulator", "partition")
    extra = "deep"

    def solver(self, form: Tree | Simulator, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `Method`.

        Raises:
            ParameterError: settings that need a tree.
            MissingExtraError: PyTorch is not installed.
        """
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError("deep", f"{self.name}, which learns in networks,")
        simulator = TreeSimulator(form) if isinstance(form, Tree) else form
        solver: Solver = load_reference(self.solver_class)(simulator, self, seed)
        return solver


@dataclass(frozen=True)
class DeepCFR(TorchMethod):
    """A method that learns regrets and averages in networks.

    An iteration samples traversals for each player in turn and then fits its networks.

    Args:
        name: name in tables.
        traversals: number of traversals per player and iteration.
        scheme: sampling of the traverser's actions, one of `levels.SCHEMES`.
        regrets: target of the regret networks, one of `REGRETS`.
        fit: settings of the regret networks.
        fresh: start each fit from new weights instead of the last ones.
        average: average strategy, one of `AVERAGES`.
        baseline: network of history values, if any.
        fallback: strategy where no regret is positive: ``"argmax"`` or ``"uniform"``.

    Raises:
        ParameterError: a value out of range.

    >>> td.solvers.DeepCFR("mine", traversals=100).unit
    'iterations'
    """

    name: str
    traversals: int = option(1500, 1)
    scheme: SamplingScheme = option_group(External(), "scheme", SCHEMES)
    regrets: MeanTarget | SumTarget | DiscountedTarget = option_group(MeanTarget(), "regrets", REGRETS)
    fit: InfosetFit = option_group(InfosetFit())
    fresh: bool = option(False)
    average: PolicyNetwork | Iterates | PolicySum = option_group(PolicyNetwork(), "average", AVERAGES, "average_")
    baseline: Baseline | None = option_group(None, "baseline", {False: None, True: Baseline})
    fallback: str = option("argmax", choices=FALLBACKS)

    default_iterations = 100
    counts_nodes = True
    solver_class = "tefuda.solvers.deep.regrets:DeepSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        undirected = self.scheme in (Outcome("share", 1.0), Outcome("nothing", 1.0))
        if self.baseline is not None and self.baseline.estimates_regrets and not undirected:
            raise ParameterError(
                "estimates_regrets needs actions drawn independently of the strategies; choose scheme='outcome' and "
                "epsilon=1."
            )
        if self.warm_start and isinstance(self.average, PolicyNetwork):
            raise ParameterError("warm_start begins with tables of sums; choose average='sum' or average='iterates'.")
        if "connected" in (kinds := self._networks - {"table"}) and len(kinds) > 1:
            raise ParameterError(
                f"networks {' and '.join(sorted(kinds))} have different inputs; choose two connected networks, "
                "or two over tokens."
            )

    @property
    def warm_start(self) -> int:
        """Number of first iterations with exact tables; see `SumTarget`."""
        return self.regrets.warm_start if isinstance(self.regrets, SumTarget) else 0

    @property
    def trains_unvisited(self) -> bool:
        """True if a target also covers infosets that an iteration does not visit."""
        return "fixed" in (getattr(self.regrets, "unvisited", ""), getattr(self.average, "unvisited", ""))

    @property
    def _networks(self) -> set[str]:
        return {self.fit.network} | ({self.average.fit.network} if not isinstance(self.average, Iterates) else set())

    @property
    def reads_tokens(self) -> bool:
        """True if the networks read views as sequences of tokens."""
        return bool(self._networks - {"connected", "table"})

    @property
    def growth(self) -> float:
        """See `Method`; a policy network is fitted at every evaluation."""
        return 2.0 if isinstance(self.average, PolicyNetwork) else 1.0


#: Brown, Lerer, Gross, Sandholm 2019; settings of Steinberger's repository for Leduc.
DEEP_CFR = DeepCFR("deep-cfr", source="brown2019deep")
#: Steinberger 2019.
SD_CFR = DeepCFR("sd-cfr", average=Iterates(), source="steinberger2019")
#: Li, Hu, Zhang, Qi, Song 2019, version 1 of the paper.
DOUBLE_NEURAL = DeepCFR(
    "double-neural", 5000, Uniform(k=3), SumTarget(clip_regrets=True), fallback="uniform",
    fit=InfosetFit(128, 3, 2000, 256, patience=10, loss_goal=1e-4, network="lstm+attention"),
    average=PolicySum(
        InfosetFit(256, 3, 2000, 256, patience=15, rate_factor=0.7, loss_goal=1e-5, network="lstm+attention")
    ),
    source="li2019",
)  # fmt: skip
#: The same with targets at all infosets of a tree and last layers by least squares, so that sums do not drift.
DOUBLE_NEURAL_FIXED = DeepCFR(
    "double-neural-fixed", 5000, Uniform(k=3), SumTarget(clip_regrets=True, unvisited="fixed"), fallback="uniform",
    fit=InfosetFit(128, 3, 30, 0, last_layer_fit="least-squares"),
    average=PolicySum(InfosetFit(256, 3, 30, 0, last_layer_fit="least-squares"), unvisited="fixed"),
    source="li2019",
)  # fmt: skip
#: Xu, Li, Fu, Fu, Xing, Cheng, AAAI 2026.
VR_DEEP_DCFR_PLUS = DeepCFR(
    "vr-deep-dcfr+", 10_000, Outcome(), DiscountedTarget(), average=PolicyNetwork(weighting=2.0), baseline=Baseline(),
    fallback="uniform",
    source="xu2026",
)  # fmt: skip
VR_DEEP_PDCFR_PLUS = replace(
    VR_DEEP_DCFR_PLUS, name="vr-deep-pdcfr+", regrets=DiscountedTarget(alpha=2.3, offset=1.0, prediction=True)
)
#: Steinberger, Lerer, Brown 2020.
DREAM = DeepCFR(
    "dream", 900, Outcome(epsilon=0.5), MeanTarget(2_000_000), InfosetFit(steps=3000), True, Iterates(),
    Baseline(Fit(steps=1000, batch=512), 200_000),
    source="steinberger2020",
)  # fmt: skip
#: McAleer, Farina, Lanctot, Sandholm 2022; values are learned from the traversals for regrets.
ESCHER = DeepCFR(
    "escher", 1000, Outcome(epsilon=1.0), MeanTarget(2_000_000), InfosetFit(steps=5000), True, Iterates(),
    Baseline(Fit(steps=5000), estimates_regrets=True),
    source="mcaleer2022",
)  # fmt: skip

DEEP = (
    DEEP_CFR, SD_CFR, DOUBLE_NEURAL, DOUBLE_NEURAL_FIXED, VR_DEEP_DCFR_PLUS, VR_DEEP_PDCFR_PLUS, DREAM, ESCHER
)  # fmt: skip


@dataclass(frozen=True)
class PolicyGradient(TorchMethod):
    """Self-play by policy gradient; an iteration plays whole games and then takes gradient steps.

    The loss is - clipped surrogate of the advantage - entropy H + kl KL(new, old) + value squared errors.
    Rate and entropy are multiplied by 1 / sqrt(1 + t / decay), and kl is divided by it.

    Args:
        name: name in tables.
        kl: weight of the divergence from the policy that played; 0: PPO (Schulman et al. 2017); positive:
            magnetic mirror descent (Sokota et al. 2023) with uniform play as the magnet, by the entropy.
        entropy: weight of the entropy in the loss.
        value: weight of the squared errors of values in the loss.
        games: games per iteration.
        epochs: passes over an iteration's decisions.
        minibatches: number of minibatches of each pass.
        rate: learning rate of Adam.
        clip: clipping of probability ratios and values.
        decay: iterations until rate and entropy are 1 / sqrt(2) of the first ones; 0: no decay.
        discount: discount of later payoffs; below 1 the game is another one.
        gae_lambda: lambda of generalised advantages.
        max_norm: largest norm of a gradient.
        momentum: momentum of Adam. Momentum makes policies circle, so the default is 0 (usual: 0.9).
        hidden: width of the hidden layers of policy and critic.
        layers: number of their hidden layers.

    Raises:
        ParameterError: a value out of range.

    >>> td.solvers.PolicyGradient("mine", games=4).reported
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
    gae_lambda: float = option(1.0, high=1)
    max_norm: float = option(0.5)
    momentum: float = option(0.0, high=0.999)
    hidden: int = option(64, 1)
    layers: int = option(2, 1)

    reported = "better"
    default_iterations = 800
    solver_class = "tefuda.solvers.deep.gradient:GradientSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.minibatches > self.games:
            raise ParameterError(
                f"minibatches must be at most games, {self.games}; got {self.minibatches}.",
                key="minibatches",
                value=self.minibatches,
            )

    def decay_factor(self, iteration: int) -> float:
        """Return the factor of rate and entropy in an iteration, counted from 1; kl is divided by it."""
        return float(1 / (1 + (iteration - 1) / self.decay) ** 0.5) if self.decay else 1.0


#: Rudolph et al. 2026, whose rate falls to 0 at the end of a run and whose discount is 0.99. These numbers solve Kuhn
#: poker for nearly all seeds (docs/results/neural.md); theirs: 3 layers of 512 units, rate 2.5e-4, clip 0.1,
#: entropy 0.05.
PPO = PolicyGradient("ppo", source="schulman2017")
MMD = PolicyGradient("mmd", kl=0.02, source="sokota2023")

FAMILY = (*DEEP, PPO, MMD)
