"""Looking only so far ahead, and again from where play has come to.

The first lookahead begins where the game does; at each public state of its cut another begins, with the range the
player's own plan gives it and what the other's seats were worth, so that the other gains nothing by the change
(lookahead.py). Where nothing is left below, a lookahead reaches the ends of the game.

Dimension letters: R rows of the tree, S seats of a player at the start of a lookahead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, shortened
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.judging.values import nash_conv
from tefuda.resolving.limited.leaves import ExactLeaves, Found, Leaves, ValuedLeaves
from tefuda.resolving.limited.lookahead import Lookahead, from_a_public_state, from_the_start
from tefuda.resolving.limited.trunk import Cut, require_subgames, trunk_of
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.views import Viewed

_EXACT = ExactLeaves()


class _Entry(NamedTuple):
    """How a player comes to a public state: its range `[S]`, and what the other's seats `[S]` were worth."""

    reach: np.ndarray  # [S]
    worth: np.ndarray  # [S]


class Foresight:
    """The lookaheads of both players, each solved when it is first needed.

    Args:
        tree: two players, constant sum.
        cut: how far each lookahead goes, see trunk.py.
        leaves: how what is below is valued.
        seconds: the time each lookahead has; as much as it takes if left out.

    Raises:
        GameError: more or less than two players, or not constant-sum.
        ParameterError: a cut below which nothing is left.
    """

    def __init__(self, tree: Tree, cut: Cut, leaves: Leaves, seconds: float | None = None) -> None:
        require_two_player_constant_sum(tree, "looking only so far ahead")
        self.tree, self.cut, self.leaves, self.seconds = tree, cut, leaves, seconds
        self._entries = dict[tuple[int, int], _Entry]()
        self._solved = dict[tuple[int, int], tuple[Lookahead, Found]]()
        require_subgames(trunk_of(tree, cut), cut)

    @property
    def lookaheads(self) -> int:
        """How many have been solved, each player's counted."""
        return len(self._solved)

    def look(self, player: int, start: int = -1) -> tuple[Lookahead, Found]:
        """A player's lookahead from a public state it has come to, -1 being the start, and what was made of it."""
        if (player, start) not in self._solved:
            trunk = trunk_of(self.tree, self.cut, start)
            ahead = (
                from_the_start(trunk)
                if start < 0
                else from_a_public_state(trunk, player, *self._entries[player, start])
            )
            found = self._found(ahead, player, start)
            self._solved[player, start] = ahead, found
            reaches = trunk.parted(player, found.plans[ahead.ends[player]])
            worth = trunk.parted(1 - player, found.worth[1 - player])
            for there, *entry in zip(trunk.subgames, reaches, worth, strict=True):
                self._entries[player, there.public_state] = _Entry(*entry)
        return self._solved[player, start]

    def _found(self, ahead: Lookahead, player: int, start: int) -> Found:
        if start < 0 and (1 - player, start) in self._solved and self._solved[1 - player, start][1].both:
            return self._solved[1 - player, start][1]
        return (self.leaves if ahead.trunk.subgames else _EXACT).look(ahead, player, self.seconds)

    def strategy(self, player: int, infoset: int) -> np.ndarray:
        """The probabilities of the actions of one of a player's infosets, by all lookaheads on the way there."""
        start, rows = -1, self.tree.rows_of(infoset)
        while True:
            ahead, found = self.look(player, start)
            place = int(np.searchsorted(ahead.form.rows, rows.start))
            if place < len(ahead.form.rows) and ahead.form.rows[place] == rows.start:
                weights = found.plans[ahead.form.sequence[place : place + rows.stop - rows.start]]
                total = weights.sum()
                return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
            start = next(one.public_state for one in ahead.trunk.subgames if infoset in one.infosets)

    def profile(self, progress: Callable[[int, int], None] | None = None) -> Profile:
        """What both players do everywhere.

        Args:
            progress: told how many lookaheads are done, and how many are known of.
        """
        weights, waiting, done = np.zeros(self.tree.rows), [(0, -1), (1, -1)], 0
        while waiting:
            player, start = waiting.pop()
            ahead, found = self.look(player, start)
            rows = ahead.form.rows
            mine = self.tree.player_of_row[rows] == player
            weights[rows[mine]] = found.plans[ahead.form.sequence[mine]]
            waiting += [(player, one.public_state) for one in ahead.trunk.subgames]
            done += 1
            if progress is not None:
                progress(done, done + len(waiting))
        return Profile.from_weights(self.tree, weights)


@dataclass(frozen=True, eq=False)
class DepthLimited(Viewed):
    """A game played by looking only so far ahead.

    profile: what is played everywhere, each lookahead solved where play comes to it. cut, leaves: how far, and how what
    is below was valued. subgames: how many there are at the first cut. lookaheads: how many were solved.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> found = td.depth_limited(tree, "deal")
    >>> found.subgames, found.nash_conv < 1e-8
    (15, True)
    """

    profile: Profile
    cut: Cut
    leaves: str
    subgames: int
    lookaheads: int

    @property
    def nash_conv(self) -> float:
        """What best responses gain from the whole, both players together."""
        return nash_conv(self.profile)

    @property
    def exploitability(self) -> float:
        """NashConv per player."""
        return self.nash_conv / 2

    def __repr__(self) -> str:
        return (
            f"DepthLimited({self.profile.tree.name}, cut {self.cut!r}, {self.leaves} leaves, {self.subgames} subgames, "
            f"{self.lookaheads} lookaheads, NashConv {self.nash_conv:.3g})"
        )


def depth_limited(
    tree: Tree, cut: Cut = "deal", leaves: Any = "exact", *, progress: Callable[[int, int], None] | None = None
) -> DepthLimited:
    """Play a game by looking only so far ahead, again and again, and tabulate the whole.

    Args:
        tree: two players, constant sum.
        cut: how far each lookahead goes: so many moves of players, ``"deal"`` (until chance has dealt after a move), or
            a list of public states.
        leaves: how what is below is valued: ``"exact"``, a value function such as `ValueNetwork`, `Continuations`, or
            any other with their `look`.
        progress: told how many lookaheads are done, and how many are known of.

    Returns:
        The whole profile, which can be judged.

    Raises:
        GameError: more or less than two players, or not constant-sum.
        ParameterError: no such cut, or one below which nothing is left.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 2).subgames
    1
    """
    foresight = Foresight(tree, cut, find_leaves(leaves))
    profile = foresight.profile(progress)
    first = trunk_of(tree, cut)
    return DepthLimited(profile, cut, foresight.leaves.name, len(first.subgames), foresight.lookaheads)


def find_leaves(leaves: Any) -> Leaves:
    """A way to value what is below: ``"exact"``, a value function, or the value itself.

    Raises:
        ParameterError: none of these.
    """
    if isinstance(leaves, str) and leaves == "exact":
        return _EXACT
    if callable(getattr(leaves, "look", None)):
        return leaves
    if callable(getattr(leaves, "values", None)):
        return ValuedLeaves(leaves)
    raise ParameterError(
        f"leaves are 'exact', a value function with values(trunk, ranges), or have look(ahead, player, seconds); got "
        f"{shortened(leaves)}."
    )
