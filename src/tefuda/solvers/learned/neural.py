"""Counterfactual regret minimization with networks in place of tables: every way is a value of one dataclass.

Walks are those of waves.py, over any simulator; what they find goes to networks (extra ``deep``; deep/regrets.py).
docs/neural.md says what each field is in the papers, and what was measured.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any

from tefuda.errors import MissingExtraError, ParameterError, check_choice, check_range
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.solvers.protocol import AnyMethod, Solver
from tefuda.solvers.sampled.waves import FALLBACKS

#: Networks by name; ``"table"``: exact tables in their place, for trees.
NETWORKS = (
    "connected", "rnn", "gru", "lstm", "rnn+attention", "gru+attention", "lstm+attention", "transformer", "table",
)  # fmt: skip
REGRETS = ("mean", "sum", "discounted")
AVERAGES = ("network", "iterates", "sum")
#: What actions that walks did not draw get; what infosets that they did not meet are asked; who sets the last layer.
UNDRAWN, UNMET, READOUTS = ("share", "nothing"), ("free", "held"), ("descended", "solved")


@dataclass(frozen=True)
class DeepCFR(AnyMethod):
    """A way of learning regrets and averages. An iteration: walks for each player in turn, and a fit of its networks.

    Args:
        name: how it is called in tables.
        scheme: how the player whose walks these are draws: ``"external"``: all actions; ``"uniform"``: k of them
            (robust sampling, Li et al. 2019); ``"outcome"``: one by epsilon uniform + (1 - epsilon) strategy.
        k, epsilon: see scheme.
        undrawn: what actions get that were not drawn: their ``"share"`` of the update, -u / q, or ``"nothing"``, as the
            published listing has it, which makes regrets biased.
        walks: of each player an iteration.
        regrets: what the network is fitted to. ``"mean"``: all sampled regrets in a reservoir, those of iteration t
            weighted by t^weighting (Deep CFR). ``"sum"``: its own last answer plus the regrets that this iteration's
            walks sum up to at each infoset. ``"discounted"``: its own last answer, raised to 0 and times
            d = (t-1)^alpha / ((t-1)^alpha + offset), plus each of this iteration's regrets.
        floor: whether sums are raised to 0 (MCCFR+).
        unmet: what sums are asked of infosets that an iteration's walks did not meet. ``"free"``: nothing, as
            published, so that they drift; ``"held"``: their last answer (needs a tree).
        warm: iterations with exact tables in the networks' place, which networks then are fitted to (sums only; needs
            a tree).
        alpha, offset: see regrets.
        prediction: whether a second network, of this iteration's regrets alone, is added to the first before matching.
        baseline: whether a network of histories' values lowers the variance of walks, at all players' decisions.
        believes: whether regrets are what that network says of what follows each action, and true payoffs at ends,
            instead of what walks found (ESCHER): nothing is divided by chances. Walks must be drawn by no strategy.
        average: ``"network"``: a policy network fitted to all strategies met, in a reservoir; ``"iterates"``: exactly,
            from every iteration's strategies (SD-CFR; needs a tree); ``"sum"``: a network fitted to its own last
            answer plus own reach times strategy at each infoset met.
        weighting: iteration t counts t^weighting in averages.
        fallback: where no regret is positive: ``"argmax"`` or ``"uniform"``.
        fresh: whether regret networks are fitted from new weights each time, or from the last ones.
        network: one of `NETWORKS`; those over tokens read views.
        average_network: of the average, if another one.
        hidden, layers: of regret networks; average_hidden: of the others.
        steps, batch, rate, clip: Adam's, of regret networks; batch 0: all rows at once.
        readout: who sets the last layer, which is linear: ``"descended"``: Adam alone; ``"solved"``: least squares over
            all rows, after Adam's steps (but for policies: behind theirs is a softmax).
        patience, cooling, loss: see `deep.models.Fitting`; 0: none.
        rows: that each reservoir holds.
        average_steps, average_batch, average_patience, average_cooling, average_loss: of the average's network.
        baseline_steps, baseline_batch, baseline_rows: of the baseline's.

    Raises:
        ParameterError: a value out of range.

    >>> td.DeepCFR("mine", walks=100).unit
    'iterations'
    """

    name: str
    scheme: str = "external"
    k: int = 3
    epsilon: float = 0.6
    undrawn: str = "share"
    walks: int = 1500
    regrets: str = "mean"
    floor: bool = False
    unmet: str = "free"
    warm: int = 0
    alpha: float = 2.0
    offset: float = 1.5
    prediction: bool = False
    baseline: bool = False
    believes: bool = False
    average: str = "network"
    weighting: float = 1.0
    fallback: str = "argmax"
    fresh: bool = False
    network: str = "connected"
    average_network: str = ""
    hidden: int = 64
    layers: int = 3
    steps: int = 750
    batch: int = 2048
    rate: float = 1e-3
    clip: float = 1.0
    readout: str = "descended"
    patience: int = 0
    cooling: float = 0.5
    loss: float = 0.0
    rows: int = 1_000_000
    average_hidden: int = 64
    average_steps: int = 5000
    average_batch: int = 2048
    average_patience: int = 0
    average_cooling: float = 0.5
    average_loss: float = 0.0
    baseline_steps: int = 1000
    baseline_batch: int = 2048
    baseline_rows: int = 1_000_000

    enough = 100
    counts_nodes = True
    extra = "deep"

    def __post_init__(self) -> None:
        check_choice("scheme", self.scheme, ("external", "uniform", "outcome"))
        check_choice("regrets", self.regrets, REGRETS)
        check_choice("average", self.average, AVERAGES)
        check_choice("fallback", self.fallback, FALLBACKS)
        check_choice("network", self.network, NETWORKS)
        check_choice("average_network", self.average_network or self.network, NETWORKS)
        check_choice("undrawn", self.undrawn, UNDRAWN)
        check_choice("unmet", self.unmet, UNMET)
        check_choice("readout", self.readout, READOUTS)
        whole = ("k", "walks", "hidden", "layers", "rows", "average_hidden", "baseline_rows")
        for name in (*whole, "steps", "average_steps", "baseline_steps"):
            check_range(name, getattr(self, name), 1, 10**9)
        for name in ("warm", "batch", "patience", "average_batch", "average_patience", "baseline_batch"):
            check_range(name, getattr(self, name), 0, 10**9)
        for name in ("epsilon", "cooling", "average_cooling"):
            check_range(name, getattr(self, name), 0, 1, whole=False)
        for name in ("alpha", "offset", "weighting", "rate", "clip", "loss", "average_loss"):
            check_range(name, getattr(self, name), 0, 1e6, whole=False)
        if self.scheme == "outcome" and self.epsilon == 0:
            raise ParameterError("epsilon is 0: with scheme 'outcome' actions never tried would bias regrets.")
        if self.believes and not (self.baseline and self.scheme == "outcome" and self.epsilon == 1):
            raise ParameterError(
                "believes takes regrets from the baseline, on walks drawn by no strategy; choose baseline=True, "
                "scheme='outcome', epsilon=1 with it."
            )
        if self.prediction and self.regrets != "discounted":
            raise ParameterError("prediction adds to discounted regrets; choose regrets='discounted' with it.")
        if self.floor and self.regrets != "sum":
            raise ParameterError("floor raises sums of regrets to 0; choose regrets='sum' with it.")
        self._check_sums()

    def _check_sums(self) -> None:
        """Refuse what only sums can do, and two networks that do not read the same."""
        if self.unmet == "held" and "sum" not in (self.regrets, self.average):
            raise ParameterError("unmet='held' holds sums; choose regrets='sum' or average='sum' with it.")
        if self.warm and (self.regrets, self.average) not in (("sum", "sum"), ("sum", "iterates")):
            raise ParameterError("warm begins with tables of sums; choose regrets='sum', and no network of policies.")
        if self.average_network and self.average == "iterates":
            raise ParameterError("average='iterates' has no network; leave average_network out.")
        kinds = {self.network, self.average_network or self.network} - {"table"}
        if "connected" in kinds and len(kinds) > 1:
            raise ParameterError(f"networks {' and '.join(sorted(kinds))} read different things; choose two of a kind.")

    @property
    def reads_tokens(self) -> bool:
        """Whether its networks read views as sequences of tokens."""
        return bool({self.network, self.average_network or self.network} - {"connected", "table"})

    @property
    def growth(self) -> float:
        """See `AnyMethod`: a network of the average is fitted whenever somebody looks."""
        return 2.0 if self.average == "network" else 1.0

    def solver(self, tree: Tree, seed: int = 0) -> Solver:  # type: ignore[override]
        """A solver over the tree as a simulator.

        Raises:
            MissingExtraError: PyTorch is not installed.
        """
        return self.simulated(TreeSimulator(tree), seed)

    def simulated(self, simulator: Simulator, seed: int = 0) -> Solver:
        """A solver in PyTorch (extra ``deep``); see `deep.regrets.DeepSolver`.

        Raises:
            ParameterError: settings that need a tree.
            MissingExtraError: PyTorch is not installed.
        """
        return learner("tefuda.solvers.deep.regrets", "DeepSolver", simulator, self, seed)


def learner(module: str, kind: str, simulator: Simulator, method: AnyMethod, seed: int) -> Solver:
    """A solver of a module that needs PyTorch, by its name, for it builds on the settings that are here.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        raise MissingExtraError("deep", f"{method.name}, which learns in networks,")
    home: Any = importlib.import_module(module)
    found: Solver = getattr(home, kind)(simulator, method, seed)
    return found


#: Brown, Lerer, Gross, Sandholm 2019; settings of Steinberger's repository for Leduc.
DEEP_CFR = DeepCFR("deep-cfr")
#: Steinberger 2019.
SD_CFR = DeepCFR("sd-cfr", average="iterates")
#: Li, Hu, Zhang, Qi, Song 2019, version 1 of the paper.
DOUBLE_NEURAL = DeepCFR(
    "double-neural", scheme="uniform", k=3, walks=5000, regrets="sum", floor=True, average="sum", fallback="uniform",
    network="lstm+attention", hidden=128, average_hidden=256, steps=2000, batch=256, patience=10, cooling=0.5,
    loss=1e-4, average_steps=2000, average_batch=256, average_patience=15, average_cooling=0.7, average_loss=1e-5,
)  # fmt: skip
#: The same without what leads its sums astray: all infosets of a tree are held, last layers solved for.
DOUBLE_NEURAL_HELD = DeepCFR(
    "double-neural-held", scheme="uniform", k=3, walks=5000, regrets="sum", floor=True, average="sum", unmet="held",
    fallback="uniform", hidden=128, average_hidden=256, steps=30, batch=0, average_steps=30, average_batch=0,
    readout="solved",
)  # fmt: skip
#: Xu, Li, Fu, Fu, Xing, Cheng, AAAI 2026.
VR_DEEP_DCFR_PLUS = DeepCFR(
    "vr-deep-dcfr+", scheme="outcome", walks=10_000, regrets="discounted", baseline=True, weighting=2.0,
    fallback="uniform",
)  # fmt: skip
VR_DEEP_PDCFR_PLUS = DeepCFR(
    "vr-deep-pdcfr+", scheme="outcome", walks=10_000, regrets="discounted", alpha=2.3, offset=1.0, prediction=True,
    baseline=True, weighting=2.0, fallback="uniform",
)  # fmt: skip
#: Steinberger, Lerer, Brown 2020.
DREAM = DeepCFR(
    "dream", scheme="outcome", epsilon=0.5, walks=900, baseline=True, average="iterates", fresh=True, steps=3000,
    rows=2_000_000, baseline_batch=512, baseline_rows=200_000,
)  # fmt: skip
#: McAleer, Farina, Lanctot, Sandholm 2022; values are learned from the walks for regrets.
ESCHER = DeepCFR(
    "escher", scheme="outcome", epsilon=1.0, walks=1000, baseline=True, believes=True, average="iterates", fresh=True,
    steps=5000, rows=2_000_000, baseline_steps=5000,
)  # fmt: skip

DEEP = (
    DEEP_CFR, SD_CFR, DOUBLE_NEURAL, DOUBLE_NEURAL_HELD, VR_DEEP_DCFR_PLUS, VR_DEEP_PDCFR_PLUS, DREAM, ESCHER
)  # fmt: skip


@dataclass(frozen=True)
class PolicyGradient(AnyMethod):
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
    kl: float = 0.0
    entropy: float = 0.1
    value: float = 0.5
    games: int = 1000
    epochs: int = 4
    minibatches: int = 2
    rate: float = 1e-3
    clip: float = 0.05
    decay: float = 100.0
    discount: float = 1.0
    tail: float = 1.0
    norm: float = 0.5
    momentum: float = 0.0
    hidden: int = 64
    layers: int = 2

    answer = "better"
    enough = 800
    extra = "deep"

    def __post_init__(self) -> None:
        for name in ("games", "epochs", "minibatches", "hidden", "layers"):
            check_range(name, getattr(self, name), 1, 10**9)
        check_range("momentum", self.momentum, 0, 0.999, whole=False)
        for name in ("discount", "tail"):
            check_range(name, getattr(self, name), 0, 1, whole=False)
        for name in ("kl", "entropy", "value", "rate", "clip", "decay", "norm"):
            check_range(name, getattr(self, name), 0, 1e9, whole=False)
        if self.minibatches > self.games:
            raise ParameterError(
                f"minibatches is {self.minibatches}, of {self.games} games; choose no more.",
                key="minibatches",
                value=self.minibatches,
            )

    def solver(self, tree: Tree, seed: int = 0) -> Solver:  # type: ignore[override]
        """See `DeepCFR.solver`."""
        return self.simulated(TreeSimulator(tree), seed)

    def simulated(self, simulator: Simulator, seed: int = 0) -> Solver:
        """A solver in PyTorch; see `deep.gradient.GradientSolver`."""
        return learner("tefuda.solvers.deep.gradient", "GradientSolver", simulator, self, seed)

    def falling(self, iteration: int) -> float:
        """What rate and entropy are multiplied by, and kl divided, in an iteration, counted from 1."""
        return float(1 / (1 + (iteration - 1) / self.decay) ** 0.5) if self.decay else 1.0


#: Rudolph et al. 2026, whose rate falls to 0 at the end of a run and whose discount is .99. These numbers solve Kuhn
#: poker for nearly all seeds (docs/neural.md); theirs: 3 layers of 512 units, rate 2.5e-4, clip .1, entropy .05.
PPO = PolicyGradient("ppo")
MMD = PolicyGradient("mmd", kl=0.02)

FAMILY = (*DEEP, PPO, MMD)
