"""Gadget games: copies of a subgame below moves that protect the blueprint's guarantees.

The strategy of one player, `player`, is re-solved. The *opponent* is the player who could exploit the new strategy.

    unsafe      chance draws a root by its reach under the blueprint
    cfr-d       chance draws a root by its own and the player's reach; the opponent, knowing its augmented infoset,
                terminates with its counterfactual best-response value or follows (CFR-D: Burch, Johanson, Bowling 2014)
    max-margin  the opponent picks an augmented infoset and is paid its value there less its counterfactual
                best-response value, so that the player maximises the least margin (Moravcik et al. 2016)
    reach       max-margin in which gifts of the opponent on the way raise these best-response values
                (Brown and Sandholm 2017)

Gadget games are zero-sum; payoffs are the opponent's. Roots that chance and the player never reach are left out, and so
are augmented infosets without other roots: nothing there matters, and their margin of 0 - 0 would be the least one.

Dimension letters: R roots of the subgame, S augmented infosets of the opponent, N histories of the game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tefuda.errors import UnknownNameError, check_range, wrong_type
from tefuda.evaluating.profile import Profile, best_response
from tefuda.evaluating.values import Reach, counterfactual, history_values, infoset_sums, reach
from tefuda.forms.sequence import last_rows
from tefuda.forms.subgame import Subgame

_MIN_REACH = 1e-12  # share of the total reach below which a root is left out as round-off


@dataclass(frozen=True, eq=False)
class OpponentResponse:
    """The opponent's best response to a blueprint's `player`, and its value in every history."""

    blueprint: Profile
    player: int

    @property
    def opponent(self) -> int:
        """The player who responds."""
        return 1 - self.player

    @cached_property
    def reaches(self) -> Reach:
        """The reach of all histories under the blueprint."""
        return reach(self.blueprint)

    @cached_property
    def reach(self) -> np.ndarray:
        """`[N]` reach of each history by chance and the player alone."""
        return self.reaches.counterfactual(self.opponent)

    @cached_property
    def profile(self) -> Profile:
        """The blueprint with the best response in it."""
        return best_response(self.blueprint, self.opponent).profile

    @cached_property
    def value(self) -> np.ndarray:
        """`[N]` value of each history to the opponent if it plays its best response."""
        return history_values(self.profile)[:, self.opponent]

    @cached_property
    def gifts(self) -> np.ndarray:
        """Counterfactual loss of each infoset-action pair of the opponent; 0 for the player's own."""
        lost = np.maximum(0.0, -counterfactual(self.profile).regrets)
        return np.where(self.blueprint.tree.player_of_row == self.opponent, lost, 0.0)

    @cached_property
    def infoset_reach(self) -> np.ndarray:
        """`[I]` the sum of `reach` over the histories of each infoset."""
        return infoset_sums(self.blueprint.tree, self.reach)


@dataclass(frozen=True, eq=False)
class ResolvingProblem:
    """A subgame to re-solve, and the opponent's values there.

    Attributes:
        response: the opponent's best response to the blueprint.
        sub: the subgame.
        previous: the last subgame on the way here that was re-solved before, if any.
    """

    response: OpponentResponse
    sub: Subgame
    previous: Subgame | None = None

    @property
    def augmented_infosets(self) -> np.ndarray:
        """`[R]` the opponent's augmented infoset at each root."""
        return self.sub.augmented_infosets[self.response.opponent]

    @property
    def reach(self) -> np.ndarray:
        """`[R]` reach of each root by chance and the player alone."""
        return self.response.reach[self.sub.roots]

    @cached_property
    def augmented_reach(self) -> np.ndarray:
        """`[S]` the sum of `reach` over the roots of each augmented infoset."""
        return self.sub.summed(self.response.opponent, self.reach)

    @cached_property
    def best_response_values(self) -> np.ndarray:
        """`[S]` counterfactual best-response values of the opponent."""
        return self.sub.summed(self.response.opponent, self.reach * self.response.value[self.sub.roots])

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[S]` amounts by which the opponent's values may rise without any loss to the player.

        An action that loses g, counterfactually, may improve by g in all. An augmented infoset receives a share of g
        proportional to its reach, so that all those of all subgames together receive at most g. (Brown and Sandholm
        2017 divide by reach and do not split.) Gifts above the previous subgame are spent.
        """
        tree, gifts = self.sub.tree, np.zeros(len(self.augmented_reach))
        last, before = last_rows(tree)
        unspent = None if self.previous is None else set(self.previous.infosets.tolist())
        first = np.unique(self.augmented_infosets, return_index=True)[1]
        for number, root in enumerate(self.sub.roots[first].tolist()):
            row = int(last[root, self.response.opponent])
            while row >= 0:
                infoset = int(tree.infoset_of_row[row])
                if unspent is not None and infoset not in unspent:
                    break
                if (total := self.response.infoset_reach[infoset]) > 0:
                    gifts[number] += self.response.gifts[row] * self.augmented_reach[number] / total
                row = int(before[infoset])
        return gifts


@dataclass(frozen=True)
class RootCopy:
    """A copy of the game below a root; the opponent is paid `scale` times its payoff less `shift`."""

    number: int
    scale: float = 1.0
    shift: float = 0.0
    children: ClassVar[tuple[GadgetNode, ...]] = ()


@dataclass(frozen=True)
class EndNode:
    """An end at which the opponent is paid an amount."""

    payoff: float
    children: ClassVar[tuple[GadgetNode, ...]] = ()


@dataclass(frozen=True)
class ChanceNode:
    """A move of chance."""

    chances: tuple[float, ...]
    children: tuple[GadgetNode, ...]


@dataclass(frozen=True)
class DecisionNode:
    """A move of the opponent at the infoset `key`. Nodes of one key have the same labels."""

    key: Hashable
    labels: tuple[Hashable, ...]
    children: tuple[GadgetNode, ...]


GadgetNode = RootCopy | EndNode | ChanceNode | DecisionNode


@dataclass(frozen=True)
class Gadget(ABC):
    """Base class of gadgets, the ways to re-solve a subgame.

    `safe` says whether an exact solution is never more exploitable than the blueprint.

    Args:
        name: name of the gadget.

    >>> isinstance(td.resolving.MaxMargin(), td.resolving.Gadget), td.resolving.Unsafe().safe
    (True, False)
    """

    name: str
    safe: ClassVar[bool] = True

    @abstractmethod
    def top(self, problem: ResolvingProblem) -> GadgetNode | None:
        """Return the top of the gadget game; None if the player never reaches the subgame."""

    def alternative_payoffs(self, problem: ResolvingProblem) -> np.ndarray:
        """Return `[S]` the counterfactual value that the opponent may have at each augmented infoset."""
        return problem.best_response_values


@dataclass(frozen=True)
class Unsafe(Gadget):
    """Unsafe re-solving: assume that the opponent plays the blueprint.

    If the reach of the opponent, or of both players, is zero at all roots, it is ignored.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.resolve(td.Profile.uniform(tree), "1: K|b", td.resolving.Unsafe()).profile["1: Q|b"]
    {'p': 0.0, 'b': 1.0}
    """

    name: str = "unsafe"
    safe: ClassVar[bool] = False

    def top(self, problem: ResolvingProblem) -> GadgetNode | None:
        response, roots = problem.response, problem.sub.roots
        chance, belief = response.reaches.chance[roots], response.reaches.own[roots, response.opponent]
        choices = (problem.reach * belief, problem.reach, chance * belief)
        weights = next((weights for weights in choices if weights.any()), chance)
        return _draw(weights, [RootCopy(number) for number in range(len(weights))])


@dataclass(frozen=True)
class CFRDGadget(Gadget):
    """The gadget of CFR-D: the opponent terminates with its best-response value, or follows.

    Source: Burch, Johanson, Bowling 2014.

    Args:
        name: name of the gadget.
        gifts: share, from 0 to 1, of the opponent's gifts on the way that is added to its values.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> blueprint = td.solve(tree, "cfr", iterations=10).strategy
    >>> resolution = td.resolve(blueprint, "1: K|b", td.resolving.CFRDGadget())
    >>> resolution.augmented_infosets, (resolution.before - resolution.after >= -1e-9).all()
    (('0: J|b', '0: Q|b', '0: K|b'), np.True_)
    """

    name: str = "cfr-d"
    gifts: float = 0.0

    def __post_init__(self) -> None:
        check_range("gifts", self.gifts, 0, 1, whole=False)

    def alternative_payoffs(self, problem: ResolvingProblem) -> np.ndarray:
        values = problem.best_response_values
        return values + self.gifts * problem.gifts if self.gifts else values

    def top(self, problem: ResolvingProblem) -> GadgetNode | None:
        payoffs = self.alternative_payoffs(problem) / np.maximum(problem.augmented_reach, 1e-300)
        infosets, labels = problem.augmented_infosets.tolist(), ("terminate", "follow")
        choices = [
            DecisionNode(("enter", infoset), labels, (EndNode(float(payoffs[infoset])), RootCopy(root)))
            for root, infoset in enumerate(infosets)
        ]
        return _draw(problem.reach, choices)


@dataclass(frozen=True)
class MaxMargin(CFRDGadget):
    """The max-margin gadget: the player maximises its least margin.

    The margin of an augmented infoset is the opponent's best-response value there less its value against the new
    strategy; both are counterfactual. Source: Moravcik et al. 2016; with gifts Brown and Sandholm 2017.

    Args:
        name: name of the gadget.
        gifts: share, from 0 to 1, of the opponent's gifts on the way that is added to its values.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.resolve(td.Profile.uniform(tree), "0: J|", td.resolving.MaxMargin(gifts=1.0)).margin, 4)
    0.0833
    """

    # `region.max_margin_gadget` (over ranges) and `holdem.spots.subgame.MaxMarginHandGadget` (over hands) build
    # the same gadget. They share no code with this one because their games persist between solutions.

    name: str = "max-margin"

    def top(self, problem: ResolvingProblem) -> GadgetNode | None:
        """See `Gadget`; payoffs are in units of the largest reach of an augmented infoset."""
        payoffs, reach = self.alternative_payoffs(problem), problem.augmented_reach
        unit, choices = reach.max(), dict[int, GadgetNode]()
        for infoset in np.flatnonzero(reach > _MIN_REACH * reach.sum()).tolist():
            numbers = np.flatnonzero(problem.augmented_infosets == infoset)
            scale, shift = float(reach[infoset] / unit), float(payoffs[infoset] / unit)
            roots = [RootCopy(int(number), scale, shift) for number in numbers]
            choices[infoset] = _draw(problem.reach[numbers], roots)  # type: ignore[assignment]
        return DecisionNode(("enter", "?"), tuple(choices), tuple(choices.values())) if choices else None


#: All gadgets by name.
GADGETS: dict[str, Gadget] = {
    gadget.name: gadget for gadget in (Unsafe(), CFRDGadget(), MaxMargin(), MaxMargin("reach", gifts=1.0))
}


def find_gadget(gadget: str | Gadget) -> Gadget:
    """Return a gadget by its name in `GADGETS`, or the gadget given.

    Raises:
        UnknownNameError: no such name.
        ParameterError: neither a name nor a gadget.
    """
    if isinstance(gadget, Gadget):
        return gadget
    if not isinstance(gadget, str):
        raise wrong_type("a gadget or its name,", gadget)
    if gadget not in GADGETS:
        raise UnknownNameError("gadget", gadget, GADGETS)
    return GADGETS[gadget]


def _draw(weights: np.ndarray, children: Sequence[GadgetNode]) -> GadgetNode | None:
    """Return a move of chance by weights, without children of negligible weight."""
    total = weights.sum()
    numbers = np.flatnonzero(weights > _MIN_REACH * total).tolist()
    chances = [float(weights[number] / total) for number in numbers]
    nodes = tuple(children[number] for number in numbers)
    return ChanceNode(tuple(chance / sum(chances) for chance in chances), nodes) if nodes else None
