"""Judging a profile exactly, for any number of players: values, best responses, NashConv, reach, regrets.

NashConv is the sum over players of what a best response would gain; exploitability is NashConv divided by the number
of players; epsilon is the largest single gain. All are in the game's own unit (chips, points) per game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda._kernels import respond, walk
from tefuda.profile import Profile, check_player, require_same_game
from tefuda.sequence import sequence_form
from tefuda.tree import Tree
from tefuda.views import short_repr


@dataclass(frozen=True)
class Judgement:
    """What a profile is worth: `values` `[P]` of the profile and `best` `[P]` of the best response to it."""

    values: np.ndarray
    best: np.ndarray

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


def judge(tree: Tree, profile: Profile) -> Judgement:
    """Values and best responses of a profile in one pass.

    Raises:
        ProfileError: the profile is of another game. So does everything here that takes a tree and a profile.
    """
    require_same_game(tree, profile)
    form, result = sequence_form(tree), np.empty((2, tree.players))
    respond.judge(form.index, form.leaf_value, profile.probabilities, result)
    return Judgement(*result)


def values(tree: Tree, profile: Profile) -> np.ndarray:
    """`[P]` the expected payoff of each player."""
    return judge(tree, profile).values


def nash_conv(tree: Tree, profile: Profile) -> float:
    """The sum over players of what a best response would gain; 0 exactly at an equilibrium."""
    require_same_game(tree, profile)
    form = sequence_form(tree)  # a third of the time of judge(tree, profile).nash_conv on Kuhn poker
    return respond.judge(form.index, form.leaf_value, profile.probabilities, np.empty((2, tree.players)))


def exploitability(tree: Tree, profile: Profile) -> float:
    """NashConv divided by the number of players."""
    return judge(tree, profile).exploitability


def epsilon(tree: Tree, profile: Profile) -> float:
    """The largest gain of a single player: the least eps for which the profile is an eps-Nash equilibrium."""
    return judge(tree, profile).epsilon


@dataclass(frozen=True, eq=False)
class BestResponse:
    """A best response, or a bound of one: its value to `player`, and the profile in which the player uses it."""

    player: int
    value: float
    profile: Profile

    __repr__ = short_repr


def best_response(tree: Tree, profile: Profile, player: int) -> BestResponse:
    """The best a player can do while the others keep to `profile`; pure, and the first of equals.

    Raises:
        ParameterError: there is no such player.
    """
    require_same_game(tree, profile)
    check_player(tree, player)
    form = sequence_form(tree)
    utility, plan = action_utilities(tree, profile, player)[1], np.zeros(form.sequences)
    respond.best_plan(*form.treeplex, player, utility, plan, np.empty(form.sequences))
    mine = tree.infoset_player[tree.infoset_of_row] == player
    chosen = Profile(tree, np.where(mine, plan[form.sequence], profile.probabilities))
    return BestResponse(player, float(utility[form.span[player]]), chosen)


def action_utilities(tree: Tree, profile: Profile, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Behaviour `[Q]`, and the player's sequences' counterfactual utility at their leaves `[Q]`, not folded back."""
    require_same_game(tree, profile)
    form = sequence_form(tree)
    behaviour, utility = np.zeros(form.sequences), np.zeros(form.sequences)
    rows = (form.sequence, profile.probabilities)
    respond.utilities(*form.treeplex, *form.leaves, *rows, player, behaviour, utility)
    return behaviour, utility


@dataclass(frozen=True, eq=False)
class Reach:
    """Probabilities of histories as products along their paths (no quotients: 0/0 cannot occur).

    own: `[N, P]` of each player's own actions. chance: `[N]`.
    """

    own: np.ndarray
    chance: np.ndarray

    __repr__ = short_repr

    @property
    def total(self) -> np.ndarray:
        """`[N]` the probability of each history."""
        return self.own.prod(axis=1) * self.chance

    def counterfactual(self, player: int) -> np.ndarray:
        """`[N]` the probability if `player` tried to get there: chance and the others, own actions left out."""
        return np.delete(self.own, player, axis=1).prod(axis=1) * self.chance


def reach(tree: Tree, profile: Profile) -> Reach:
    """The reach of every history under a profile."""
    require_same_game(tree, profile)
    own, chance = np.ones((len(tree.player), tree.players)), np.ones(len(tree.player))
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    walk.reaches(*arrays, profile.probabilities, own, chance)
    return Reach(own, chance)


def history_values(tree: Tree, profile: Profile) -> np.ndarray:
    """`[N, P]` the expected payoffs once each history has been reached."""
    require_same_game(tree, profile)
    value = np.zeros((len(tree.player), tree.players))
    value[tree.terminals] = tree.payoffs
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    walk.values(*arrays, profile.probabilities, value)
    return value


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Counterfactual values, each for the player who moves: of infosets `[I]` and of their actions `[R]`."""

    tree: Tree
    infosets: np.ndarray
    actions: np.ndarray

    __repr__ = short_repr

    @property
    def regrets(self) -> np.ndarray:
        """`[R]` instantaneous regrets: what always taking the action would have gained, weighted by others' reach."""
        return self.actions - self.infosets[self.tree.infoset_of_row]


def counterfactual(tree: Tree, profile: Profile) -> Counterfactual:
    """v_i(I) = sum over h in I of pi_-i(h) u_i(h), and v_i(I, a) (Zinkevich et al. 2007, section 3)."""
    require_same_game(tree, profile)
    form, infosets = sequence_form(tree), np.empty(tree.infosets)
    utility = np.zeros(form.sequences)
    for player in range(tree.players):
        behaviour, own = action_utilities(tree, profile, player)
        respond.fold_all(*form.treeplex, player, behaviour, own, infosets, form.infoset)
        mine = slice(form.span[player], form.span[player + 1])
        utility[mine] = own[mine]
    return Counterfactual(tree, infosets, utility[form.sequence])
