"""Depth-limited solving: a lookahead to the cut, and a new one at each public state of the cut.

The first lookahead begins at the root of the game. A later one begins at a public state of the cut, with the player's
reach there and the opponent's values, so that the opponent gains nothing by the change (`trunk.resolving_lookahead`). A
lookahead with nothing below its cut reaches the ends of the game.
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
from tefuda.games.plays import pick
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
    """A solver of both players' lookaheads on demand; arguments as of `DepthLimitedAgent`."""

    def __init__(self, tree: Tree, cut: Cut, leaves: LeafEvaluator, seconds: float | None = None) -> None:
        require_two_player_constant_sum(tree, "depth-limited solving")
        self.tree, self.cut, self.leaves, self.seconds = tree, cut, leaves, seconds
        self._entries = dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]()  # own reach, and the opponent's values
        self._solved = dict[tuple[int, int], tuple[Lookahead, LookaheadSolution]]()
        require_subgames(trunk_of(tree, cut), cut)

    @property
    def lookaheads(self) -> int:
        """Number of lookaheads solved, for both players together."""
        return len(self._solved)

    def solve(self, player: int, start: int = -1) -> tuple[Lookahead, LookaheadSolution]:
        """Return a player's lookahead from a reached public state, or the root (-1), and its solution."""
        if (player, start) not in self._solved:
            trunk = trunk_of(self.tree, self.cut, start)
            entry = self._entries.get((player, start))
            lookahead = root_lookahead(trunk) if entry is None else resolving_lookahead(trunk, player, *entry)
            shared = self._solved.get((1 - player, start))
            if start < 0 and shared is not None and shared[1].optimal_for_both:
                solution = shared[1]
            else:
                leaves = self.leaves if trunk.subgames else _EXACT
                solution = leaves.solve_lookahead(lookahead, player, self.seconds)
            self._solved[player, start] = lookahead, solution
            reaches = trunk.split(player, solution.plans[lookahead.ends[player]])
            values = trunk.split(1 - player, solution.values[1 - player])
            for sub, own_reach, opponent_values in zip(trunk.subgames, reaches, values, strict=True):
                self._entries[player, sub.public_state] = own_reach, opponent_values
        return self._solved[player, start]

    def strategy(self, player: int, infoset: int) -> np.ndarray:
        """Return a player's probabilities at an infoset, by all lookaheads on the way to it."""
        start, rows = -1, self.tree.rows_of(infoset)
        while True:
            lookahead, solution = self.solve(player, start)
            first = int(np.searchsorted(lookahead.form.rows, rows.start))
            if first < len(lookahead.form.rows) and lookahead.form.rows[first] == rows.start:
                sequences = lookahead.form.sequence[first : first + rows.stop - rows.start]
                return match_regrets(solution.plans[sequences])
            start = next(sub.public_state for sub in lookahead.trunk.subgames if infoset in sub.infosets)

    def profile(self, progress: Callable[[int, int], None] | None = None) -> Profile:
        """Return the whole profile; `progress` is called with the numbers of solved and of known lookaheads."""
        weights, pending, done = np.zeros(self.tree.rows), [(0, -1), (1, -1)], 0
        while pending:
            player, start = pending.pop()
            lookahead, solution = self.solve(player, start)
            rows = lookahead.form.rows
            mine = self.tree.player_of_row[rows] == player
            weights[rows[mine]] = solution.plans[lookahead.form.sequence[mine]]
            pending += [(player, sub.public_state) for sub in lookahead.trunk.subgames]
            done += 1
            if progress is not None:
                progress(done, done + len(pending))
        return Profile.from_weights(self.tree, weights)


@dataclass(frozen=True, eq=False)
class DepthLimited(Displayable):
    """The result of depth-limited solving.

    Attributes:
        profile: strategies of the whole game, each lookahead solved where play reaches it.
        cut: depth limit of each lookahead.
        leaves: name of the leaf evaluator.
        subgames: number of subgames at the first cut.
        lookaheads: number of lookaheads solved.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> result = td.depth_limited(tree, "deal")
    >>> result.subgames, result.nash_conv < 1e-8
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
        tree: tree of a two-player constant-sum game.
        cut: depth limit of each lookahead: a number of moves of players, ``"deal"`` (the next deal after a move), or a
            list of public states.
        leaves: values below the cut: ``"exact"``, a value function such as `ValueNetwork`, `Continuations`, or any
            object with their method `solve_lookahead`.
        progress: called with the numbers of solved and of known lookaheads.

    Returns:
        The profile, and the number of lookaheads.

    Raises:
        GameError: the game is not a two-player constant-sum game.
        ParameterError: an unknown cut, or one with nothing below it.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.depth_limited(tree, 2).subgames
    1
    """
    solver = DepthLimitedSolver(tree, cut, find_leaves(leaves))
    profile = solver.profile(progress)
    first = trunk_of(tree, cut)
    return DepthLimited(profile, cut, solver.leaves.name, len(first.subgames), solver.lookaheads)


def find_leaves(leaves: Any) -> LeafEvaluator:
    """Return the leaf evaluator of an argument `leaves`; raise ParameterError if it is of another kind."""
    if isinstance(leaves, str) and leaves == "exact":
        return _EXACT
    if callable(getattr(leaves, "solve_lookahead", None)):
        return leaves
    if callable(getattr(leaves, "values", None)):
        return ValuedLeaves(leaves)
    raise ParameterError(
        "leaves must be 'exact', a value function with values(trunk, ranges), or an object with "
        f"solve_lookahead(lookahead, player, seconds), got {shortened(leaves)}.",
        key="leaves",
        value=leaves,
    )


@dataclass
class DepthLimitedAgent(FixedAgent):
    """An agent that solves a lookahead at each depth limit that play reaches.

    `depth_limited` tabulates its strategy. It plays on a tree, or over the rules that its tree was compiled from. It
    solves each lookahead once.

    Args:
        name: name of the agent.
        tree: tree of a two-player constant-sum game.
        cut: see `depth_limited`.
        leaves: see `depth_limited`.
        seconds: time limit of each lookahead in seconds, exceeded by a round at most; default: none. An exact lookahead
            that is stopped plays the plan with the best proved bound. A lookahead that reaches the end of the game is a
            linear program, which does not stop.

    Raises:
        ParameterError: an unknown cut or leaves, or a number out of range.
        GameError: the game is not a two-player constant-sum game.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> agent = td.resolving.DepthLimitedAgent("depth-limited", tree, "deal")
    >>> uniform = td.ProfileAgent("uniform", td.Profile.uniform(tree))
    >>> bool(td.duplicate_match(tree, [agent, uniform], deals=100).mean[0] > 0)
    True
    """

    name: str
    tree: Tree
    cut: Cut = "deal"
    leaves: Any = "exact"
    seconds: float | None = None
    _solver: DepthLimitedSolver = field(init=False, repr=False)
    _seat: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_range("seconds", self.seconds, 0, whole=False)
        self._solver = DepthLimitedSolver(self.tree, self.cut, find_leaves(self.leaves), self.seconds)

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`; solutions are stored. Raise ProfileError for another game."""
        ProfileAgent(self.name, Profile.uniform(self.tree)).start(game, seat)
        self._seat = seat

    def act(self, turn: Decision) -> int:
        return pick(self._solver.strategy(self._seat, turn.number(self.tree)).tolist(), turn.uniform)


def default_agent(tree: Tree) -> DepthLimitedAgent:
    """Return the roster's agent: exact leaves, cut at the next deal or, without deals, after two moves."""
    return DepthLimitedAgent("depth-limited", tree, "deal" if trunk_of(tree, "deal").subgames else 2)
