"""Exact evaluation of profiles: values, best responses, NashConv, reach, regrets.

All figures are in the game's unit (chips, points) per game. All functions raise ProfileError if the argument is not a
profile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda._kernels import values as kernels
from tefuda.errors import ProfileError, wrong_type
from tefuda.forms.paths import deeper_levels
from tefuda.forms.programs import Layout, program, run
from tefuda.forms.sequence import SequenceForm, has_perfect_recall, sequence_form
from tefuda.forms.tree import Tree
from tefuda.views import short_repr

_AS_GOOD = 5e-3  # relative to the largest value: solutions are less precise at rarely reached infosets


class Strategies:
    """Base of `Profile`: the game and the probabilities."""

    tree: Tree
    probabilities: np.ndarray  # [R]


def require_profile(profile: object) -> None:
    """Raise ProfileError unless `profile` is a Profile."""
    if not isinstance(profile, Strategies):
        cure = "Take solve(tree).strategy, Profile(tree, probabilities) or Profile.from_function(tree, function)."
        raise wrong_type("a Profile", profile, cure, ProfileError)


@dataclass(frozen=True)
class ProfileEvaluation:
    """Values of a profile and of the best responses to it.

    Attributes:
        values: `[P]` value of each player.
        best: `[P]` best-response value of each player; nan if a player has imperfect recall.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.evaluate(td.Profile.uniform(tree))
    >>> found.gains.round(6).tolist(), round(found.nash_conv, 6)
    ([0.375, 0.541667], 0.916667)
    """

    values: np.ndarray  # [P]
    best: np.ndarray  # [P]

    @property
    def gains(self) -> np.ndarray:
        """Gain `[P]` of each player by a best response."""
        return self.best - self.values

    @property
    def nash_conv(self) -> float:
        """Sum of the gains."""
        return sum(self.best.tolist()) - sum(self.values.tolist())

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.values)

    @property
    def epsilon(self) -> float:
        """Largest gain; the profile is an epsilon-Nash equilibrium."""
        return float(self.gains.max())


def evaluate(profile: Strategies) -> ProfileEvaluation:
    """Return the values of a profile and of the best responses to it, in one traversal.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.evaluate(td.Profile.uniform(tree)).best.round(6).tolist()
    [0.5, 0.416667]
    """
    require_profile(profile)
    if not has_perfect_recall(profile.tree):
        return ProfileEvaluation(history_values(profile)[0], np.full(profile.tree.players, np.nan))
    return ProfileEvaluation(*_evaluated(profile))


_LARGE = 1 << 20  # numbers of a state that is not stored for the next evaluation


class _Evaluator(NamedTuple):
    """A program that evaluates profiles of a tree."""

    form: SequenceForm
    layout: Layout
    steps: np.ndarray  # [S, 8]
    starts: np.ndarray  # [P] places of the empty sequences in plans
    results: np.ndarray  # [2, P] places of the values, and of those of best responses
    unused: list[np.ndarray]  # states: a new one takes longer than an evaluation of a small game

    def state(self, profile: Strategies) -> np.ndarray:
        """Return the state after the program ran for a profile; append it to `unused` when it is free."""
        try:
            state = self.unused.pop()  # no other thread has it
        except IndexError:
            state = self.layout.zeros()
            state[self.starts] = 1.0
        state[self.form.sequence] = profile.probabilities  # g is the first array
        run(self.form, state, self.steps)
        return state


def _evaluator(form: SequenceForm, best: bool) -> _Evaluator:
    """Return the program that gathers all players' utilities and folds them back.

    They are folded with the profile in the array u, and by best responses in the array leaves, if `best`.
    """
    layout = Layout(form, "g x u leaves v")
    steps = list(map(layout.realise, range(form.players)))
    for player in range(form.players):
        steps += [*layout.gather(player), layout.copy(player, "u", "leaves"), layout.fold_mean(player)]
        steps += [layout.fold_best(player, "leaves")] if best else []
    starts = form.span[:-1].astype(np.int64)
    results = np.stack([starts + layout.places[name] for name in ("u", "leaves")])
    return _Evaluator(form, layout, program(steps), starts + layout.places["x"], results, [])


def _evaluated(profile: Strategies) -> np.ndarray:
    """Return `[2, P]` the values of a profile, and those of best responses."""
    evaluator = sequence_form(profile.tree).derived(_evaluator, True)
    state = evaluator.state(profile)
    found: np.ndarray = state[evaluator.results]
    if state.size < _LARGE:
        evaluator.unused.append(state)
    return found


def values(profile: Strategies) -> np.ndarray:
    """Return the expected payoff `[P]` of each player.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.values(td.Profile.uniform(tree)).round(6).tolist()
    [0.125, -0.125]
    """
    return evaluate(profile).values


def nash_conv(profile: Strategies) -> float:
    """Return NashConv, the sum of all players' best-response gains; it is 0 exactly at an equilibrium.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.nash_conv(td.Profile.uniform(tree)), 6)
    0.916667
    """
    require_profile(profile)
    values, best = _evaluated(profile).tolist()
    return float(sum(best) - sum(values))


def exploitability(profile: Strategies) -> float:
    """Return NashConv divided by the number of players.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.exploitability(td.Profile.uniform(tree)), 6)
    0.458333
    """
    return nash_conv(profile) / profile.tree.players


def epsilon(profile: Strategies) -> float:
    """Return the largest best-response gain; the profile is an eps-Nash equilibrium for this eps.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.evaluating.epsilon(td.Profile.uniform(tree)), 6)
    0.541667
    """
    require_profile(profile)
    return ProfileEvaluation(*_evaluated(profile)).epsilon


class SequenceUtilities(NamedTuple):
    """Counterfactual utilities of all players' sequences."""

    leaves: np.ndarray  # [Q] sums over the leaves of a sequence alone
    folded: np.ndarray  # [Q] with all later leaves, under the profile
    plans: np.ndarray  # [Q] realisation plans of the profile


def sequence_utilities(profile: Strategies) -> SequenceUtilities:
    """Return the counterfactual utilities of all players' sequences against a profile."""
    require_profile(profile)
    evaluator = sequence_form(profile.tree).derived(_evaluator, False)
    state = evaluator.state(profile)
    return SequenceUtilities(*(evaluator.layout.view(state, name) for name in ("leaves", "u", "x")))


@dataclass(frozen=True, eq=False)
class Reach:
    """Reach of all histories.

    Attributes:
        own: `[N, P]` product of each player's action probabilities.
        chance: `[N]` product of the chance probabilities.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.evaluating.reach(td.Profile.uniform(tree))
    >>> float(found.total[tree.terminals].sum().round(9))
    1.0
    """

    own: np.ndarray  # [N, P]
    chance: np.ndarray  # [N]

    __repr__ = short_repr

    @property
    def total(self) -> np.ndarray:
        """Probability `[N]` of each history."""
        return self.own.prod(axis=1) * self.chance

    def counterfactual(self, player: int) -> np.ndarray:
        """Return the counterfactual reach `[N]`: the product of chance and the other players' reach."""
        return np.delete(self.own, player, axis=1).prod(axis=1) * self.chance


def _histories(tree: Tree) -> tuple[np.ndarray, ...]:
    return tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance


def reach(profile: Strategies) -> Reach:
    """Return the reach of every history under a profile.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> float(td.evaluating.reach(td.Profile.uniform(tree)).total[0])
    1.0
    """
    require_profile(profile)
    tree = profile.tree
    own, chance = np.ones((len(tree.player), tree.players)), np.ones(len(tree.player))
    for nodes in deeper_levels(tree):
        above = tree.parent[nodes]
        own[nodes], chance[nodes] = own[above], chance[above] * tree.chance[nodes]
        decided = tree.player[above] >= 0
        nodes, above = nodes[decided], above[decided]
        rows = tree.first_row[tree.infoset[above]] + nodes - tree.first_child[above]
        own[nodes, tree.player[above]] *= profile.probabilities[rows]
    return Reach(own, chance)


def infoset_sums(tree: Tree, values: np.ndarray) -> np.ndarray:
    """Return the sum `[I]` of values `[N]` over the histories of each infoset."""
    nodes = np.flatnonzero(tree.infoset >= 0)
    return np.bincount(tree.infoset[nodes], values[nodes], tree.infosets)


def own_reach(profile: Strategies) -> np.ndarray:
    """Return the counterfactual reach `[I]` of each infoset for its player."""
    tree, reached = profile.tree, reach(profile)
    own = (np.where(tree.player == player, reached.counterfactual(player), 0.0) for player in range(tree.players))
    return np.sum([infoset_sums(tree, values) for values in own], axis=0)


def history_values(profile: Strategies) -> np.ndarray:
    """Return the expected payoffs `[N, P]` after each history.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.evaluating.history_values(td.Profile.uniform(tree))[0].round(6).tolist()
    [0.125, -0.125]
    """
    require_profile(profile)
    tree = profile.tree
    value = np.zeros((len(tree.player), tree.players))
    value[tree.terminals] = tree.payoffs
    kernels.history_values(*_histories(tree), profile.probabilities, value)
    return value


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Counterfactual values for the player to move.

    Attributes:
        tree: the game.
        infosets: `[I]` counterfactual value of each infoset.
        actions: `[R]` counterfactual value of each infoset-action pair.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.evaluating.counterfactual(td.Profile.uniform(tree))
    >>> found.regrets[:2].round(3).tolist()
    [-0.125, 0.125]
    """

    tree: Tree
    infosets: np.ndarray  # [I]
    actions: np.ndarray  # [R]

    __repr__ = short_repr

    @property
    def regrets(self) -> np.ndarray:
        """Instantaneous counterfactual regrets `[R]`."""
        return self.actions - self.infosets[self.tree.infoset_of_row]


def counterfactual(profile: Strategies) -> Counterfactual:
    """Return the counterfactual values of all infosets and actions (Zinkevich et al. 2007, section 3).

    They are v_i(I) = sum over h in I of pi_-i(h) u_i(h), and v_i(I, a) likewise after action a.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.evaluating.counterfactual(td.Profile.uniform(tree))
    >>> round(float(found.infosets[tree.number("1: K|b")]), 4)
    0.0833
    """
    require_profile(profile)
    tree, folded = profile.tree, sequence_utilities(profile).folded
    actions = folded[sequence_form(tree).sequence]
    infosets = np.add.reduceat(profile.probabilities * actions, tree.first_row[:-1])
    return Counterfactual(tree, infosets, actions)


def action_values(profile: Strategies) -> np.ndarray:
    """Return the value `[R]` of each action given its infoset.

    It is the expected payoff if all players follow the profile afterwards; nan where chance and the opponents never
    lead.

    Args:
        profile: strategies of all players.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> [round(float(value), 3) for value in td.evaluating.action_values(td.Profile.uniform(tree))[:2]]
    [-1.25, -0.5]
    """
    require_profile(profile)
    weights = own_reach(profile)
    weights = np.where(weights > 0, weights, np.nan)
    return counterfactual(profile).actions / weights[profile.tree.infoset_of_row]


def indifference(values: Iterable[float], precision: float = 0.0) -> float:
    """Return the largest cost of an action that counts as as good as the best.

    Args:
        values: values of the actions.
        precision: exploitability of the strategy behind the values.
    """
    return max(precision, _AS_GOOD * max(map(abs, values)))
