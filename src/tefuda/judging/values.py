"""Judging a profile exactly, for any number of players: values, best responses, NashConv, reach, regrets.

NashConv is the sum over players of what a best response would gain; exploitability is NashConv divided by the number
of players; epsilon is the largest single gain. All are in the game's own unit (chips, points) per game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda._kernels import values as kernels
from tefuda.errors import ProfileError, shortened
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.views import short_repr


class Strategies:
    """Base of `Profile`: the game and the probabilities, which is all that the functions of this module read."""

    tree: Tree
    probabilities: np.ndarray  # [R]


def require_profile(profile: object) -> None:
    """Raise ProfileError unless `profile` is a Profile."""
    if not isinstance(profile, Strategies):
        raise ProfileError(
            f"a Profile is wanted here; got {shortened(profile)}. Make one with solve(tree).profile, "
            f"Profile(tree, probabilities) or Profile.from_function(tree, function)."
        )


@dataclass(frozen=True)
class Judgement:
    """What a profile is worth: `values` `[P]` of the profile and `best` `[P]` of the best response to it.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.judge(td.Profile.uniform(tree))
    >>> found.gains.round(6).tolist(), round(found.nash_conv, 6)
    ([0.375, 0.541667], 0.916667)
    """

    values: np.ndarray  # [P]
    best: np.ndarray  # [P]

    @property
    def gains(self) -> np.ndarray:
        """`[P]` what each player would gain by a best response."""
        return self.best - self.values

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return sum(self.best.tolist()) - sum(self.values.tolist())

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.values)

    @property
    def epsilon(self) -> float:
        """The largest gain: the profile is an epsilon-Nash equilibrium."""
        return float(self.gains.max())


def judge(profile: Strategies) -> Judgement:
    """Values and best responses of a profile in one pass.

    Args:
        profile: the strategies of all players.

    Returns:
        Values and best responses, `[P]` each.

    Raises:
        ProfileError: `profile` is no profile. So does every function of this module.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.judge(td.Profile.uniform(tree)).best.round(6).tolist()
    [0.5, 0.416667]
    """
    require_profile(profile)
    tree = profile.tree
    form, result = sequence_form(tree), np.empty((2, tree.players))
    kernels.judge(form.index, form.leaf_value, profile.probabilities, result)
    return Judgement(*result)


def values(profile: Strategies) -> np.ndarray:
    """`[P]` the expected payoff of each player.

    Args:
        profile: the strategies of all players.

    Returns:
        An array `[P]` in the game's unit per game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.values(td.Profile.uniform(tree)).round(6).tolist()
    [0.125, -0.125]
    """
    return judge(profile).values


def nash_conv(profile: Strategies) -> float:
    """The sum over players of what a best response would gain; 0 exactly at an equilibrium.

    Args:
        profile: the strategies of all players.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.nash_conv(td.Profile.uniform(tree)), 6)
    0.916667
    """
    require_profile(profile)
    tree = profile.tree
    form = sequence_form(tree)  # a third of the time of judge(profile).nash_conv on Kuhn poker
    return kernels.judge(form.index, form.leaf_value, profile.probabilities, np.empty((2, tree.players)))


def exploitability(profile: Strategies) -> float:
    """NashConv divided by the number of players.

    Args:
        profile: the strategies of all players.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.exploitability(td.Profile.uniform(tree)), 6)
    0.458333
    """
    return judge(profile).exploitability


def epsilon(profile: Strategies) -> float:
    """The largest gain of a single player: the least eps for which the profile is an eps-Nash equilibrium.

    Args:
        profile: the strategies of all players.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.epsilon(td.Profile.uniform(tree)), 6)
    0.541667
    """
    return judge(profile).epsilon


def action_utilities(profile: Strategies, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Behaviour `[Q]`, and the player's sequences' counterfactual utility at their leaves `[Q]`, not folded back."""
    require_profile(profile)
    form = sequence_form(profile.tree)
    behaviour, utility = np.zeros(form.sequences), np.zeros(form.sequences)
    kernels.utilities(form.arrays, profile.probabilities, player, behaviour, utility)
    return behaviour, utility


@dataclass(frozen=True, eq=False)
class Reach:
    """Probabilities of histories as products along their paths (no quotients: 0/0 cannot occur).

    own: `[N, P]` of each player's own actions. chance: `[N]`.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.reach(td.Profile.uniform(tree))
    >>> float(found.total[tree.terminals].sum().round(9))
    1.0
    """

    own: np.ndarray  # [N, P]
    chance: np.ndarray  # [N]

    __repr__ = short_repr

    @property
    def total(self) -> np.ndarray:
        """`[N]` the probability of each history."""
        return self.own.prod(axis=1) * self.chance

    def counterfactual(self, player: int) -> np.ndarray:
        """`[N]` the probability if `player` tried to get there: chance and the others, own actions left out."""
        return np.delete(self.own, player, axis=1).prod(axis=1) * self.chance


def reach(profile: Strategies) -> Reach:
    """The reach of every history under a profile.

    Args:
        profile: the strategies of all players.

    Returns:
        The reach of each player's own actions `[N, P]` and of chance `[N]`.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> float(td.reach(td.Profile.uniform(tree)).total[0])
    1.0
    """
    require_profile(profile)
    tree = profile.tree
    own, chance = np.ones((len(tree.player), tree.players)), np.ones(len(tree.player))
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    kernels.reaches(*arrays, profile.probabilities, own, chance)
    return Reach(own, chance)


def history_values(profile: Strategies) -> np.ndarray:
    """`[N, P]` the expected payoffs once each history has been reached.

    Args:
        profile: the strategies of all players.

    Returns:
        An array `[N, P]` in the game's unit.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.history_values(td.Profile.uniform(tree))[0].round(6).tolist()
    [0.125, -0.125]
    """
    require_profile(profile)
    tree = profile.tree
    value = np.zeros((len(tree.player), tree.players))
    value[tree.terminals] = tree.payoffs
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    kernels.history_values(*arrays, profile.probabilities, value)
    return value


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Counterfactual values, each for the player who moves: of infosets `[I]` and of their actions `[R]`.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.counterfactual(td.Profile.uniform(tree))
    >>> found.regrets[:2].round(3).tolist()
    [-0.125, 0.125]
    """

    tree: Tree
    infosets: np.ndarray  # [I]
    actions: np.ndarray  # [R]

    __repr__ = short_repr

    @property
    def regrets(self) -> np.ndarray:
        """`[R]` instantaneous regrets: what always taking the action would have gained, weighted by others' reach."""
        return self.actions - self.infosets[self.tree.infoset_of_row]


def counterfactual(profile: Strategies) -> Counterfactual:
    """v_i(I) = sum over h in I of pi_-i(h) u_i(h), and v_i(I, a) (Zinkevich et al. 2007, section 3).

    Args:
        profile: the strategies of all players.

    Returns:
        Values of infosets `[I]` and of rows `[R]`, in the game's unit.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.counterfactual(td.Profile.uniform(tree))
    >>> round(float(found.infosets[tree.number("1: K|b")]), 4)
    0.0833
    """
    require_profile(profile)
    tree = profile.tree
    form, infosets = sequence_form(tree), np.empty(tree.infosets)
    utility = np.zeros(form.sequences)
    for player in range(tree.players):
        behaviour, own = action_utilities(profile, player)
        kernels.fold_all(form.arrays, player, behaviour, own, infosets, form.infoset)
        mine = slice(form.span[player], form.span[player + 1])
        utility[mine] = own[mine]
    return Counterfactual(tree, infosets, utility[form.sequence])
