"""Depth-limited solving: lookaheads to a cut, and from there again.

The first lookahead begins where the game does. At each public state of its cut another begins, with the range of the
player's own plan and the values of the other player's seats, so that the other gains nothing by the change
(`trunk.resolving_lookahead`). Where nothing is left below, a lookahead reaches the ends of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, shortened
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.regret import match_regrets
from tefuda.evaluating.values import nash_conv
from tefuda.forms.tree import Tree
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision, FixedAgent, ProfileAgent
from tefuda.resolving.limited.leaves import ExactLeaves, LeafEvaluator, LookaheadSolution, ValuedLeaves
from tefuda.resolving.limited.trunk import (
    Cut,
    Lookahead,
    require_subgames,
    resolving_lookahead,
    root_lookahead,
    trunk_of,
)
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.views import Displayable

_EXACT = ExactLeaves()


class DepthLimitedSolver:
    """The lookaheads of both players, each solved when it is first needed; arguments as of `DepthLimitedAgent`."""

    def __init__(self, tree: Tree, cut: Cut, leaves: LeafEvaluator, seconds: float | None = None) -> None:
        require_two_player_constant_sum(tree, "looking only so far ahead")
        self.tree, self.cut, self.leaves, self.seconds = tree, cut, leaves, seconds
        self._entries = dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]()  # range, and values of the other's seats
        self._solved = dict[tuple[int, int], tuple[Lookahead, LookaheadSolution]]()
        require_subgames(trunk_of(tree, cut), cut)

    @property
    def lookaheads(self) -> int:
        """Number of lookaheads solved, each player's counted."""
        return len(self._solved)

    def look(self, player: int, start: int = -1) -> tuple[Lookahead, LookaheadSolution]:
        """Return a player's lookahead from a public state that it has reached, or the start (-1), and its solution."""
        if (player, start) not in self._solved:
            trunk = trunk_of(self.tree, self.cut, start)
            entry = self._entries.get((player, start))
            ahead = root_lookahead(trunk) if entry is None else resolving_lookahead(trunk, player, *entry)
            other = self._solved.get((1 - player, start))
            if start < 0 and other is not None and other[1].both:
                found = other[1]
            else:
                found = (self.leaves if trunk.subgames else _EXACT).look(ahead, player, self.seconds)
            self._solved[player, start] = ahead, found
            reaches = trunk.split(player, found.plans[ahead.ends[player]])
            worth = trunk.split(1 - player, found.worth[1 - player])
            for there, *entries in zip(trunk.subgames, reaches, worth, strict=True):
                self._entries[player, there.public_state] = entries[0], entries[1]
        return self._solved[player, start]

    def strategy(self, player: int, infoset: int) -> np.ndarray:
        """Return a player's probabilities at an infoset, by all lookaheads on the way there."""
        start, rows = -1, self.tree.rows_of(infoset)
        while True:
            ahead, found = self.look(player, start)
            place = int(np.searchsorted(ahead.form.rows, rows.start))
            if place < len(ahead.form.rows) and ahead.form.rows[place] == rows.start:
                return match_regrets(found.plans[ahead.form.sequence[place : place + rows.stop - rows.start]])
            start = next(one.public_state for one in ahead.trunk.subgames if infoset in one.infosets)

    def profile(self, progress: Callable[[int, int], None] | None = None) -> Profile:
        """Return the whole profile; `progress` is called with the lookaheads solved and known of."""
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
class DepthLimited(Displayable):
    """A game played by depth-limited solving.

    profile: strategies of the whole game, each lookahead solved where play reaches it. leaves: name of the way to value
    what is below a cut. subgames: number of them at the first cut. lookaheads: number of them solved.

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
        """NashConv of the profile."""
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
    """Return the whole profile of a game played by depth-limited solving.

    Args:
        tree: two players, constant sum.
        cut: depth of each lookahead: a number of moves of players, ``"deal"`` (until chance has dealt after a move), or
            a list of public states.
        leaves: way to value what is below: ``"exact"``, a value function such as `ValueNetwork`, `Continuations`, or
            any value with their `look`.
        progress: called with the lookaheads solved and known of.

    Raises:
        GameError: more or less than two players, or not constant-sum.
        ParameterError: no such cut, or one below which nothing is left.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 2).subgames
    1
    """
    foresight = DepthLimitedSolver(tree, cut, find_leaves(leaves))
    profile = foresight.profile(progress)
    first = trunk_of(tree, cut)
    return DepthLimited(profile, cut, foresight.leaves.name, len(first.subgames), foresight.lookaheads)


def find_leaves(leaves: Any) -> LeafEvaluator:
    """Return a way to value what is below a cut; raise ParameterError if `leaves` names none."""
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


@dataclass
class DepthLimitedAgent(FixedAgent):
    """Solves lookaheads during play, where play reaches them; `depth_limited` tabulates its strategy.

    It plays on a tree, or over the rules that its tree was compiled from, and solves each lookahead once.

    Args:
        name: name of the agent.
        tree: two players, constant sum.
        cut: see `depth_limited`.
        leaves: see `depth_limited`.
        seconds: time limit of each lookahead, give or take a round; none if left out. An exact lookahead that is cut
            short plays the plan with the best proved bound. One that reaches the end of the game is a linear program,
            which does not stop.

    Raises:
        ParameterError: no such cut or leaves, or a number out of range.
        GameError: more or less than two players, or not constant-sum.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> agents = [td.DepthLimitedAgent("sees", tree, "deal"), td.ProfileAgent("uniform", td.Profile.uniform(tree))]
    >>> bool(td.duplicate_match(tree, agents, deals=100).mean[0] > 0)
    True
    """

    name: str
    tree: Tree
    cut: Cut = "deal"
    leaves: Any = "exact"
    seconds: float | None = None
    _ahead: DepthLimitedSolver = field(init=False, repr=False)
    _seat: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_range("seconds", self.seconds, 0, whole=False)
        self._ahead = DepthLimitedSolver(self.tree, self.cut, find_leaves(self.leaves), self.seconds)

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`; solutions are kept. Raise ProfileError if another game is played."""
        ProfileAgent(self.name, Profile.uniform(self.tree)).start(game, seat)
        self._seat = seat

    def act(self, turn: Decision) -> int:
        """See `Agent`."""
        infoset = turn.infoset if turn.infoset >= 0 else self.tree.number((turn.seat, turn.view))
        return pick(self._ahead.strategy(self._seat, infoset).tolist(), turn.uniform)


def default_agent(tree: Tree) -> DepthLimitedAgent:
    """Return the agent of the roster: to the next deal, or two moves where there is none, exact below."""
    return DepthLimitedAgent("lookahead", tree, "deal" if trunk_of(tree, "deal").subgames else 2)
