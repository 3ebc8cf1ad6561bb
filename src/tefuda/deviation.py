"""An opponent who plays like an equilibrium but for what was seen in public (Ganzfried and Sandholm 2011, DBBR).

Cards need never be shown. At each public state n the opponent's action frequencies alpha(n), with the equilibrium's as
prior, are compared with the equilibrium's own; then, from the root, the strategy closest to the equilibrium is taken
that has these frequencies, pi(b | n) being the chance of private state b after what the opponent did before:

    minimise   sum over b of pi(b | n) |s(b) - sigma(b, n)|_1   subject to   sum over b of pi(b | n) s(b) = alpha(n)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tefuda.agents import Sight
from tefuda.answers import asking
from tefuda.errors import GameError, check_range
from tefuda.opponents import explanations
from tefuda.profile import Profile, check_player
from tefuda.response import reach
from tefuda.sequence import last_rows
from tefuda.tree import Tree, states


@dataclass(frozen=True, eq=False)
class PublicStates:
    """What everybody knows where a player moves.

    state: `[I]` the public state of each of its infosets, in the order of play; -1 at others' infosets.
    actions: `[S]` how many actions there are in each.
    """

    player: int
    state: np.ndarray
    actions: np.ndarray


def public_states(tree: Tree, player: int) -> PublicStates:
    """The public states of a player: infosets belong together if somebody else could take one for the other.

    Raises:
        GameError: the tree does not know its rules, or infosets of a public state have different actions.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    check_player(tree, player)
    known, last, numbers = states(tree), last_rows(tree)[0], dict[object, int]()
    infosets, seen = list[int](), list[int]()
    with asking(tree.rules):
        for node in np.flatnonzero(tree.player == player).tolist():
            for other in range(tree.players):
                if other != player:  # views of those who do not move may lack what they did last
                    key = other, tree.rules.view(known[node], other), int(last[node, other])
                    infosets.append(int(tree.infoset[node]))
                    seen.append(tree.infosets + numbers.setdefault(key, len(numbers)))
    size = tree.infosets + len(numbers)
    labels = connected_components(coo_array((np.ones(len(seen)), (infosets, seen)), (size, size)), False)[1]
    mine = np.flatnonzero(tree.infoset_player == player)
    _, first, place = np.unique(labels[mine], return_index=True, return_inverse=True)
    state = np.full(tree.infosets, -1)
    state[mine] = np.argsort(np.argsort(first))[place]
    for number, twin in zip(mine.tolist(), mine[first][place].tolist(), strict=True):
        if tree.labels(number) != tree.labels(twin):
            names = f"{tree.name_of(twin)!r} and {tree.name_of(number)!r}"
            raise GameError(f"{tree.name}: {names} look the same to others but have different actions.")
    return PublicStates(player, state, np.diff(tree.first_row)[mine[np.sort(first)]])


@dataclass
class DeviationModel:
    """Learns an opponent's public action frequencies, and keeps as near to the equilibrium as they allow.

    Args:
        equilibrium: what is expected of the opponent.
        player: the opponent.
        strength: how many fictitious equilibrium plays each public state starts with.
    """

    equilibrium: Profile
    player: int
    strength: float = 5.0
    counts: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_range("strength", self.strength, 0, whole=False)
        self.public = public_states(self.equilibrium.tree, self.player)
        self.counts = np.zeros((len(self.public.actions), int(self.public.actions.max(initial=0))))

    def see(self, sight: Sight) -> None:
        """Count a hand: any explanation of it went through the same public states."""
        case = explanations(self.equilibrium.tree, sight.seat, sight.moves)[0]
        for infoset, place in case.places.items():
            if (state := self.public.state[infoset]) >= 0:
                self.counts[state, place] += 1

    def mean(self) -> Profile:
        """What the opponent is thought to play."""
        return deviate(self.equilibrium, self.public, self.counts, self.strength)


def deviate(equilibrium: Profile, public: PublicStates, counts: np.ndarray, strength: float) -> Profile:
    """The profile in which a player has the public action frequencies it was seen with.

    Args:
        equilibrium: what is expected.
        public: the public states of the player.
        counts: `[S, A]` how often it chose which action.
        strength: fictitious equilibrium plays in each state.
    """
    tree = equilibrium.tree
    nodes = np.flatnonzero(tree.player == public.player)
    dealt = np.bincount(tree.infoset[nodes], reach(tree, equilibrium).chance[nodes], minlength=tree.infosets)
    parent, probabilities = last_rows(tree)[1], equilibrium.probabilities.copy()
    own = np.ones(tree.rows + 1)  # the chance of the player's actions up to a row; of row -1: none
    for state, actions in enumerate(public.actions.tolist()):
        members = np.flatnonzero(public.state == state)
        rows = tree.first_row[members][:, None] + np.arange(actions)
        share = dealt[members] * own[parent[members]]
        share = share / share.sum() if share.sum() > 0 else dealt[members] / dealt[members].sum()
        expected = share @ equilibrium.probabilities[rows]
        seen = counts[state, :actions]
        wanted = (strength * expected + seen) / (strength + seen.sum()) if strength + seen.sum() > 0 else expected
        probabilities[rows] = closest(equilibrium.probabilities[rows], share, wanted)
        own[rows] = own[parent[members]][:, None] * probabilities[rows]
    return equilibrium.replace(public.player, Profile.from_weights(tree, probabilities))


def closest(strategies: np.ndarray, share: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """`[B, A]` the strategies nearest to given ones, in the sum of absolute differences, with given frequencies.

    Every strategy gives up the same part of an action that is taken too often, and gives it to those taken too rarely
    in proportion to what they lack. No strategies are nearer: the distance is that of the frequencies themselves.

    Args:
        strategies: `[B, A]`.
        share: `[B]` how much each counts; sums to 1.
        wanted: `[A]` the frequencies.
    """
    taken = share @ strategies
    kept = np.where(taken > 0, np.minimum(1.0, wanted / np.where(taken > 0, taken, 1.0)), 1.0)
    lacking = np.maximum(wanted - taken, 0.0)
    if lacking.sum() <= 0:
        return strategies
    freed = strategies @ (1 - kept)
    return np.asarray(strategies * kept + np.outer(freed, lacking / lacking.sum()))
