"""Evaluation of a profile at all infosets, also at those that it never reaches.

NashConv measures a profile along its own path only. These figures show whether it plays nonsense after a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.errors import GameError, check_range
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import infoset_sums, own_reach, reach, require_profile
from tefuda.forms.paths import deeper_levels
from tefuda.forms.programs import Workspace, program, realised
from tefuda.forms.sequence import chance_reach, sequence_form
from tefuda.forms.tree import Tree
from tefuda.views import short_repr

TREMBLE = 1e-3  # probability of a mistake of the opponents, unless given

#: Where an infoset lies under a profile: the players lead there; only an own deviation does; the others never do.
ON_PATH, OFF_PATH, UNREACHABLE, COMPLETED = "on", "off", "unreachable", "completed"
MARKS = {
    ON_PATH: "on the path", OFF_PATH: "off the path", UNREACHABLE: "unreachable",
    COMPLETED: "off the path, completed by a best response",
}  # fmt: skip
_COMPLETION_TREMBLE = 1e-6  # of the opponents of a completed infoset
_NEVER = 1e-6  # strategies of iterative methods never reach exactly 0


def infoset_marks(profile: Profile) -> tuple[str, ...]:
    """Return a mark of `MARKS` for each infoset.

    ``"unreachable"``: whatever the player does, the others do not lead there, so that the profile implies no beliefs.
    ``"completed"``: see `completed`.
    """
    tree, reached = profile.tree, reach(profile)
    own = reached.own[tree.first_history, tree.infoset_player]
    chance = infoset_sums(tree, reached.chance)
    others = np.divide(own_reach(profile), chance, out=np.zeros(tree.infosets), where=chance > 0)
    added = False if profile.completed is None else profile.completed
    kinds = [np.broadcast_to(added, own.shape), others <= _NEVER, own <= _NEVER]
    return tuple(np.select(kinds, [COMPLETED, UNREACHABLE, OFF_PATH], ON_PATH).tolist())


def require_possible(tree: Tree, user: str) -> None:
    """Raise GameError if chance never leads to some infoset: methods that weigh all would count it."""
    never = np.flatnonzero(infoset_sums(tree, chance_reach(tree)) == 0)
    if never.size:
        raise GameError(
            f"{user} weighs every infoset, and chance never leads to {tree.name_of(int(never[0]))} of {tree.name}; "
            "leave out outcomes of probability 0, or use another method."
        )


def completed(profile: Profile, weights: np.ndarray) -> Profile:
    """Return a profile with best responses at the infosets that it never weighs, which it marks.

    The owners of these infosets never reach them, so no best response to the profile gains more or less. The opponents
    play the profile with trembles of 1e-6. Infosets to which chance never leads are left.

    Args:
        profile: strategies of all players.
        weights: `[R]` sums that the strategies are proportional to.
    """
    tree, form = profile.tree, sequence_form(profile.tree)
    never = np.ones(tree.infosets, dtype=bool)
    never[tree.infoset_of_row[weights > 0]] = False
    if not never.any():
        return profile
    never &= infoset_sums(tree, chance_reach(tree)) > 0
    work, players = Workspace(form, "x u v plan"), range(tree.players)
    layout, trembling = work.layout, profile.mixed(Profile.uniform(tree), _COMPLETION_TREMBLE)
    work["x"][:] = realised(form, form.spread(trembling.probabilities))
    work.run(program(*([*layout.gather(p), layout.fold_best(p), layout.choose(p, "plan")] for p in players)))
    best = work["plan"][form.sequence]
    return Profile(tree, np.where(never[tree.infoset_of_row], best, profile.probabilities), never)


@dataclass(frozen=True, eq=False)
class OffPathRegret:
    """Regrets of a profile at all infosets, if the opponents sometimes tremble.

    Attributes:
        tree: the game.
        epsilon: probability of a tremble at each decision of the opponents.
        regrets: `[I]` regret at each infoset, given that it is reached; 0 where chance never leads.
        dominated: `[R]` whether an action is played with a probability above epsilon although another action is better
            at every history of the infoset, whatever follows.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> judged = td.evaluating.off_path_regret(td.Profile.uniform(tree))
    >>> round(judged.largest, 3), judged.count, judged.dominated_count
    (1.5, 12, 4)
    """

    tree: Tree
    epsilon: float
    regrets: np.ndarray  # [I]
    dominated: np.ndarray  # [R] bool

    __repr__ = short_repr

    @property
    def largest(self) -> float:
        """Largest regret."""
        return float(self.regrets.max(initial=0.0))

    @property
    def infoset(self) -> str:
        """Name of the infoset with the largest regret; "" in a game without infosets."""
        return self.tree.name_of(int(self.regrets.argmax())) if self.tree.infosets else ""

    @property
    def count(self) -> int:
        """Number of infosets whose regret is above epsilon."""
        return int((self.regrets > self.epsilon).sum())

    @property
    def dominated_count(self) -> int:
        """Number of dominated actions that are played."""
        return int(self.dominated.sum())

    def summary(self) -> dict[str, float | int | str]:
        """Return the figures as JSON values."""
        return {
            "off_path_regret": self.largest,
            "off_path_infoset": self.infoset,
            "off_path_count": self.count,
            "off_path_epsilon": self.epsilon,
            "dominated_actions": self.dominated_count,
        }


def off_path_regret(profile: Profile, epsilon: float = TREMBLE) -> OffPathRegret:
    """Return the regrets of a profile at all infosets against opponents who tremble.

    The opponents play (1 - epsilon) pi + epsilon uniform at every decision, the player pi later on. The regret at I is
    (max over a of v(I, a) - v(I)) / reach of the others. A profile that was computed for other trembles can have other
    beliefs, hence regrets; the count of dominated actions depends on no beliefs.

    Args:
        profile: strategies of all players.
        epsilon: probability of a tremble, above 0 and at most 1.

    Raises:
        ProfileError: the argument is not a profile.
        ParameterError: epsilon is out of range.
        GameError: a player has imperfect recall.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.evaluating.off_path_regret(td.solve(tree, "cfr+", iterations=1000).strategy).largest, 1)
    0.0
    """
    require_profile(profile)
    check_range("epsilon", epsilon, 1e-12, 1, whole=False)
    tree, form = profile.tree, sequence_form(profile.tree)
    if not tree.infosets:
        return OffPathRegret(tree, epsilon, np.zeros(0), np.zeros(0, dtype=bool))
    trembling = profile.mixed(Profile.uniform(tree), epsilon)
    work = Workspace(form, "g x u v")
    work["g"][:] = form.spread(profile.probabilities)
    work["x"][:] = realised(form, form.spread(trembling.probabilities))
    layout = work.layout
    work.run(program(*([*layout.gather(p), layout.fold_mean(p)] for p in range(tree.players))))
    values, starts = work["u"][form.sequence], tree.first_row[:-1]
    gains = np.maximum.reduceat(values, starts) - np.add.reduceat(profile.probabilities * values, starts)
    others = own_reach(trembling)
    regrets = np.divide(np.maximum(gains, 0.0), others, out=np.zeros(tree.infosets), where=others > 0)
    return OffPathRegret(tree, epsilon, regrets, dominated_actions(tree) & (profile.probabilities > epsilon))


def untrembled(profile: Profile, epsilon: float) -> Profile:
    """Return a profile of trembling players without their trembles; the profile itself if epsilon is 0."""
    if not epsilon:
        return profile
    rest = profile.probabilities - epsilon / profile.tree.action_counts[profile.tree.infoset_of_row]
    return Profile.from_weights(profile.tree, np.maximum(rest, 0.0))


def dominated_actions(tree: Tree) -> np.ndarray:
    """Return `[R]` whether another action is better at every history of the infoset, whatever follows.

    It compares the largest payoff below the action with the least payoff below the other one, history by history.
    Histories to which chance never leads do not count.
    """
    return tree.derived(_dominated_actions)


def _dominated_actions(tree: Tree) -> np.ndarray:
    least, largest = _payoff_bounds(tree)
    possible, dominated = chance_reach(tree) > 0, np.zeros(tree.rows, dtype=bool)
    for number in range(tree.infosets):
        nodes, actions = tree.histories_of(number), np.arange(tree.action_counts[number])
        nodes, player = nodes[possible[nodes]], int(tree.infoset_player[number])
        if len(nodes):
            children = tree.first_child[nodes][:, None] + actions
            high, low = largest[children, player], least[children, player]
            dominated[tree.rows_of(number)] = (high[:, :, None] < low[:, None, :]).all(axis=0).any(axis=1)
    return dominated


def _payoff_bounds(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return `[N, P]` the least and the largest payoffs of each player after each history."""
    least = np.full((len(tree.player), tree.players), np.inf)
    least[tree.terminals] = tree.payoffs
    largest = np.where(np.isinf(least), -np.inf, least)
    for nodes in reversed(list(deeper_levels(tree))):
        np.minimum.at(least, tree.parent[nodes], least[nodes])
        np.maximum.at(largest, tree.parent[nodes], largest[nodes])
    return least, largest
