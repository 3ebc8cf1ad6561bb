"""Average strategy of a search over determinizations, as a profile, for games that fit a tree.

    python -m bench.worlds          NashConv on mini8 of search over uniform play

At an infoset the search draws determinizations (consistent histories), continues each action in
each of them by a fixed profile, and chooses the action with the highest mean. With a simple profile
this is flat Monte Carlo.
"""

from __future__ import annotations

import numpy as np

import tefuda as td
from tefuda.errors import check_range
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.evaluating.values import reach, require_profile
from tefuda.games.protocol import CHANCE


def search_profile(
    play_on: Profile,
    rng: np.random.Generator,
    *,
    worlds: int,
    times: int,
    belief: Profile | None = None,
) -> Profile:
    """Return the frequency of each action that a search chooses, at every infoset.

    Args:
        play_on: strategy of all players in playouts.
        rng: random number generator.
        worlds: number of determinizations of each decision.
        times: number of repetitions of each decision.
        belief: assumed profile of the opponents so far; None: determinizations are weighed by chance
            alone.

    Raises:
        InputError: not a profile, or a belief for another game.
        ParameterError: a number is out of range.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = search_profile(td.Profile.uniform(tree), np.random.default_rng(0), worlds=50, times=20)
    >>> found["1: K|b"]  # the king never folds
    {'p': 0.0, 'b': 1.0}
    """
    check_range("worlds", worlds, 1)
    check_range("times", times, 1)
    require_profile(play_on)
    tree, belief_or_chance = play_on.tree, Profile.uniform(play_on.tree) if belief is None else belief
    require_same_game(tree, belief_or_chance)
    chosen = np.zeros(tree.rows)
    histories, starts, points = _worlds(belief_or_chance, by_chance=belief is None)
    traversal = _Traversal(play_on)
    infosets, rows = np.arange(tree.infosets), np.arange(tree.rows)
    counts = np.diff(tree.first_row)
    owner = np.repeat(infosets, counts)
    for _ in range(times):
        at = np.searchsorted(points, infosets[:, None] + rng.random((tree.infosets, worlds)) * (1 - 1e-12))
        drawn = histories[np.minimum(at, starts[1:, None] - 1)]  # [I, worlds]
        nodes = tree.first_child[drawn[owner]] + (rows - tree.first_row[owner])[:, None]
        ends = traversal.play(nodes.ravel(), rng).reshape(nodes.shape)
        means = tree.payoffs[np.searchsorted(tree.terminals, ends), tree.infoset_player[owner][:, None]].mean(axis=1)
        best = np.maximum.reduceat(means, tree.first_row[:-1])
        ties = means == best[owner]
        chosen += ties / np.add.reduceat(ties, tree.first_row[:-1])[owner]
    return Profile.from_weights(tree, chosen)


def _worlds(belief: Profile, *, by_chance: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return histories by infoset, the infosets' starts `[I + 1]`, and cumulative weights plus numbers."""
    found, tree = reach(belief), belief.tree
    histories = np.flatnonzero(tree.infoset >= 0)
    order = np.argsort(tree.infoset[histories], kind="stable")
    histories = histories[order]
    of = tree.infoset[histories]
    starts = np.searchsorted(of, np.arange(tree.infosets + 1))
    weights = np.empty(len(histories))
    for player in range(tree.players):
        own = tree.infoset_player[of] == player
        weights[own] = found.counterfactual(player)[histories[own]]
    if by_chance:
        weights = found.chance[histories]
    sums = np.add.reduceat(weights, starts[:-1])
    unseen = np.repeat(sums == 0, np.diff(starts))  # reach zero: uniform
    weights = np.where(unseen, 1.0, weights)
    weights /= np.repeat(np.add.reduceat(weights, starts[:-1]), np.diff(starts))
    points = np.cumsum(weights)
    before = np.repeat(np.concatenate([[0.0], points[starts[1:-1] - 1]]), np.diff(starts))
    return histories, starts, np.minimum(points - before, 1.0) + of


class _Traversal:
    """Parallel traversals of a tree; chance and all players sample by their probabilities."""

    def __init__(self, profile: Profile) -> None:
        tree = profile.tree
        inner = np.flatnonzero(tree.first_child)
        counts = tree.child_count[inner].astype(np.int64)
        children = np.repeat(tree.first_child[inner], counts) + _ranks(counts)
        parents = np.repeat(inner, counts)
        chance = tree.player[parents] == CHANCE
        rows = tree.first_row[tree.infoset[parents]] + _ranks(counts)
        edges = np.where(chance, tree.chance[children], profile.probabilities[np.where(chance, 0, rows)])
        total = np.cumsum(edges)
        starts = np.cumsum(counts) - counts
        before = np.repeat(np.where(starts > 0, total[starts - 1], 0.0), counts)
        self._tree = tree
        self._until = np.full(len(tree.player), 2.0)
        self._until[children] = total - before

    def play(self, nodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the terminal histories of traversals from these nodes."""
        nodes, tree = nodes.copy(), self._tree
        moving = np.flatnonzero(tree.first_child[nodes])
        while len(moving):
            here = nodes[moving]
            child, last = tree.first_child[here].astype(np.int64), tree.child_count[here] - 1
            end, point = child + last, rng.random(len(moving))
            stays = np.ones(len(moving), dtype=bool)
            while stays.any():
                stays = (child < end) & (point >= self._until[child])
                child = child + stays
            nodes[moving] = child
            moving = moving[tree.first_child[child] > 0]
        return nodes


def _ranks(counts: np.ndarray) -> np.ndarray:
    """Return 0, 1, ... within each group of the given sizes."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def main() -> None:
    tree = td.compile_game(td.load_game("mini8", merged=True))
    for worlds in (10, 100):
        found = search_profile(Profile.uniform(tree), np.random.default_rng(0), worlds=worlds, times=200)
        print(f"{worlds:4} worlds: {td.nash_conv(found):.3f}")


if __name__ == "__main__":
    main()
