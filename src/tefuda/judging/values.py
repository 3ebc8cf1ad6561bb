"""Judging a profile exactly, for any number of players: values, best responses, NashConv, reach, regrets.

NashConv is the sum over players of what a best response would gain; exploitability is NashConv divided by the number
of players; epsilon is the largest single gain. All are in the game's own unit (chips, points) per game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda._kernels import values as kernels
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile, check_player, require_same_game
from tefuda.views import short_repr


@dataclass(frozen=True)
class Judgement:
    """What a profile is worth: `values` `[P]` of the profile and `best` `[P]` of the best response to it.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.judge(tree, tf.Profile.uniform(tree))
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


def judge(tree: Tree, profile: Profile) -> Judgement:
    """Values and best responses of a profile in one pass.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        Values and best responses, `[P]` each.

    Raises:
        ProfileError: the profile is of another game. So does everything here that takes a tree and a profile.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> tf.judge(tree, tf.Profile.uniform(tree)).best.round(6).tolist()
    [0.5, 0.416667]
    """
    require_same_game(tree, profile)
    form, result = sequence_form(tree), np.empty((2, tree.players))
    kernels.judge(form.index, form.leaf_value, profile.probabilities, result)
    return Judgement(*result)


def values(tree: Tree, profile: Profile) -> np.ndarray:
    """`[P]` the expected payoff of each player.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        An array `[P]` in the game's unit per game.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> tf.values(tree, tf.Profile.uniform(tree)).round(6).tolist()
    [0.125, -0.125]
    """
    return judge(tree, profile).values


def nash_conv(tree: Tree, profile: Profile) -> float:
    """The sum over players of what a best response would gain; 0 exactly at an equilibrium.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> round(tf.nash_conv(tree, tf.Profile.uniform(tree)), 6)
    0.916667
    """
    require_same_game(tree, profile)
    form = sequence_form(tree)  # a third of the time of judge(tree, profile).nash_conv on Kuhn poker
    return kernels.judge(form.index, form.leaf_value, profile.probabilities, np.empty((2, tree.players)))


def exploitability(tree: Tree, profile: Profile) -> float:
    """NashConv divided by the number of players.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> round(tf.exploitability(tree, tf.Profile.uniform(tree)), 6)
    0.458333
    """
    return judge(tree, profile).exploitability


def epsilon(tree: Tree, profile: Profile) -> float:
    """The largest gain of a single player: the least eps for which the profile is an eps-Nash equilibrium.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        A number of the game's unit per game, 0 at an equilibrium.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> round(tf.epsilon(tree, tf.Profile.uniform(tree)), 6)
    0.541667
    """
    return judge(tree, profile).epsilon


@dataclass(frozen=True, eq=False)
class BestResponse:
    """A best response, or a bound of one: its value to `player`, and the profile in which the player uses it.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> tf.best_response(tree, tf.Profile.uniform(tree), 0)
    BestResponse(player=0, value=0.5, profile=Profile(kuhn, 2 players, 12 infosets, 24 probabilities))
    """

    player: int
    value: float
    profile: Profile

    __repr__ = short_repr


def best_response(tree: Tree, profile: Profile, player: int) -> BestResponse:
    """The best a player can do while the others keep to `profile`; pure, and the first of equals.

    Args:
        tree: the game.
        profile: what the others play.
        player: who answers.

    Returns:
        The response, and its value in the game's unit per game.

    Raises:
        ParameterError: there is no such player.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> round(tf.best_response(tree, tf.Profile.uniform(tree), 0).value, 6)
    0.5
    """
    require_same_game(tree, profile)
    check_player(tree, player)
    form = sequence_form(tree)
    utility, plan = action_utilities(tree, profile, player)[1], np.zeros(form.sequences)
    kernels.best_plan(form.arrays, player, utility, plan, np.empty(form.sequences))
    mine = tree.player_of_row == player
    chosen = Profile(tree, np.where(mine, plan[form.sequence], profile.probabilities))
    return BestResponse(player, float(utility[form.span[player]]), chosen)


def action_utilities(tree: Tree, profile: Profile, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Behaviour `[Q]`, and the player's sequences' counterfactual utility at their leaves `[Q]`, not folded back."""
    require_same_game(tree, profile)
    form = sequence_form(tree)
    behaviour, utility = np.zeros(form.sequences), np.zeros(form.sequences)
    kernels.utilities(form.arrays, profile.probabilities, player, behaviour, utility)
    return behaviour, utility


@dataclass(frozen=True, eq=False)
class Reach:
    """Probabilities of histories as products along their paths (no quotients: 0/0 cannot occur).

    own: `[N, P]` of each player's own actions. chance: `[N]`.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.reach(tree, tf.Profile.uniform(tree))
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


def reach(tree: Tree, profile: Profile) -> Reach:
    """The reach of every history under a profile.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        The reach of each player's own actions `[N, P]` and of chance `[N]`.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> float(tf.reach(tree, tf.Profile.uniform(tree)).total[0])
    1.0
    """
    require_same_game(tree, profile)
    own, chance = np.ones((len(tree.player), tree.players)), np.ones(len(tree.player))
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    kernels.reaches(*arrays, profile.probabilities, own, chance)
    return Reach(own, chance)


def history_values(tree: Tree, profile: Profile) -> np.ndarray:
    """`[N, P]` the expected payoffs once each history has been reached.

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        An array `[N, P]` in the game's unit.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> tf.history_values(tree, tf.Profile.uniform(tree))[0].round(6).tolist()
    [0.125, -0.125]
    """
    require_same_game(tree, profile)
    value = np.zeros((len(tree.player), tree.players))
    value[tree.terminals] = tree.payoffs
    arrays = (tree.player, tree.first_child, tree.child_count, tree.infoset, tree.first_row, tree.chance)
    kernels.history_values(*arrays, profile.probabilities, value)
    return value


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Counterfactual values, each for the player who moves: of infosets `[I]` and of their actions `[R]`.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.counterfactual(tree, tf.Profile.uniform(tree))
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


def counterfactual(tree: Tree, profile: Profile) -> Counterfactual:
    """v_i(I) = sum over h in I of pi_-i(h) u_i(h), and v_i(I, a) (Zinkevich et al. 2007, section 3).

    Args:
        tree: the game.
        profile: the strategies of all players, of this very game.

    Returns:
        Values of infosets `[I]` and of rows `[R]`, in the game's unit.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.counterfactual(tree, tf.Profile.uniform(tree))
    >>> round(float(found.infosets[tree.number("1: K|b")]), 4)
    0.0833
    """
    require_same_game(tree, profile)
    form, infosets = sequence_form(tree), np.empty(tree.infosets)
    utility = np.zeros(form.sequences)
    for player in range(tree.players):
        behaviour, own = action_utilities(tree, profile, player)
        kernels.fold_all(form.arrays, player, behaviour, own, infosets, form.infoset)
        mine = slice(form.span[player], form.span[player + 1])
        utility[mine] = own[mine]
    return Counterfactual(tree, infosets, utility[form.sequence])
