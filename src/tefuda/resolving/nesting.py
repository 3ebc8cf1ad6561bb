"""Nested re-solving: at every public state that play reaches, from the strategy so far.

A player's public states form levels. The first level has those before which the player has not moved, the next level
those that follow one of these, and so on. A solution depends only on the solutions on the way to it. So a table of all
solutions is the strategy of an agent that re-solves during play.

The whole strategy is safe. The subgames of a level are disjoint and share the opponent's gifts
(`ResolvingProblem.gifts`), so together they raise no value. The next level starts from the result of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.errors import GameError, ParameterError, check_range
from tefuda.evaluating.profile import Profile, check_player
from tefuda.evaluating.values import nash_conv, require_profile
from tefuda.forms.arrays import derived
from tefuda.forms.paths import deeper_levels
from tefuda.forms.public import public_states
from tefuda.forms.subgame import subgame
from tefuda.forms.tree import Tree
from tefuda.resolving.gadgets import Gadget, OpponentResponse, ResolvingProblem, find_gadget
from tefuda.resolving.resolution import Resolution, TreeSolver, accepts, resolve_problem, tree_solver
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import Method
from tefuda.workers import ProgressFunction

_SLACK = 1e-9  # negative margins up to this share of the largest payoff are round-off of a linear program


@dataclass(frozen=True)
class PublicStateLevels:
    """A player's public states in the order of play.

    above: the player's public state before each, -1 if it is the first. members: the public states of each level.
    """

    above: dict[int, int]
    members: tuple[tuple[int, ...], ...]

    def path(self, public_state: int) -> tuple[int, ...]:
        """Return the player's public states up to and including this one; nothing for -1."""
        return (*self.path(self.above[public_state]), public_state) if public_state >= 0 else ()


@derived
def levels_of(tree: Tree, player: int) -> PublicStateLevels:
    """Return a player's public states by level.

    Raises:
        GameError: a public state has no subgame, or only a part of it follows another.
    """
    states, before = np.append(public_states(tree), -1), np.full(len(tree.player), -1)  # -1 of no infoset
    for nodes in deeper_levels(tree):
        parents = tree.parent[nodes]
        before[nodes] = np.where(tree.player[parents] == player, states[tree.infoset[parents]], before[parents])
    above, level = dict[int, int](), dict[int, int]()
    for state in np.unique(states[tree.infosets_of(player)]).tolist():
        predecessors = set(before[subgame(tree, state).roots].tolist())
        if len(predecessors) > 1:
            raise GameError(
                f"{tree.name}: public state {state} follows public states {sorted(predecessors)}; expected one only."
            )
        above[state] = predecessors.pop()
        level[state] = level.get(above[state], -1) + 1
    count = max(level.values(), default=-1) + 1
    return PublicStateLevels(
        above, tuple(tuple(state for state in level if level[state] == number) for number in range(count))
    )


@dataclass
class NestedResolver:
    """The solutions of a player's public states so far.

    levels: levels to re-solve; None: all. solved: for each public state the player's infoset-action pairs below it and
    their probabilities. None means that the blueprint stays: there was no time, or the solution of a safe gadget was
    so rough that the opponent would exceed a limit.
    """

    blueprint: Profile
    player: int
    gadget: Gadget
    levels: Collection[int] | None = None
    solved: dict[int, tuple[np.ndarray, np.ndarray] | None] = field(default_factory=dict)
    _response: tuple[int, OpponentResponse] | None = None

    def __post_init__(self) -> None:
        tree = self.blueprint.tree
        require_two_player_constant_sum(tree, "re-solving")
        check_player(tree, self.player)
        self._all_levels = levels_of(tree, self.player)

    @property
    def count(self) -> int:
        """Number of public states to re-solve."""
        return sum(map(len, self._selected(self._all_levels.members)))

    def _selected(self, by_level: Iterable[Any]) -> list[Any]:
        """Return the items of the levels to re-solve."""
        return [item for level, item in enumerate(by_level) if self.levels is None or level in self.levels]

    def solve(self, public_state: int, solve_tree: TreeSolver) -> None:
        """Re-solve at a public state of the player and at those on the way to it, unless solved before."""
        tree, selected = self.blueprint.tree, self._selected(self._all_levels.path(public_state))
        for before, state in zip([-1, *selected], selected, strict=False):
            if state not in self.solved:
                previous = subgame(tree, before) if before >= 0 else None
                problem = ResolvingProblem(self._response_below(before), subgame(tree, state), previous)
                self.solved[state] = self._accepted(resolve_problem(problem, self.gadget, solve_tree))

    def _response_below(self, state: int) -> OpponentResponse:
        """Return the response to the strategy below a public state; the last one is cached for its siblings."""
        if self._response is None or self._response[0] != state:
            self._response = state, OpponentResponse(self.profile(self._all_levels.path(state)), self.player)
        return self._response[1]

    def _accepted(self, resolution: Resolution) -> tuple[np.ndarray, np.ndarray] | None:
        tree = self.blueprint.tree
        slack = _SLACK * np.abs(tree.payoffs).max()
        reached = resolution.reach > 0
        replaces = not self.gadget.safe or accepts(resolution.limits[reached], resolution.after[reached], slack)
        if not resolution.histories or not replaces:
            return None
        rows = resolution.sub.rows
        rows = rows[tree.player_of_row[rows] == self.player]
        return rows, resolution.profile.probabilities[rows]

    def profile(self, path: Iterable[int]) -> Profile:
        """Return the blueprint with the solutions at these public states, in the order of play, in it."""
        values = self.blueprint.probabilities.copy()
        for state in path:
            if (solution := self.solved.get(state)) is not None:
                values[solution[0]] = solution[1]
        return Profile(self.blueprint.tree, values)

    def strategy(self, infoset: int) -> np.ndarray:
        """Return `[A]` the player's probabilities at an infoset, by the last solution on the way to it."""
        tree = self.blueprint.tree
        rows = tree.rows_of(infoset)
        for state in reversed(self._all_levels.path(int(public_states(tree)[infoset]))):
            if (solution := self.solved.get(state)) is not None:
                first = int(np.searchsorted(solution[0], rows.start))
                return solution[1][first : first + rows.stop - rows.start]
        return self.blueprint.probabilities[rows]

    def solve_all(self, solve_tree: TreeSolver, notify: Callable[[], object] = lambda: None) -> Profile:
        """Return the player's strategy in the whole game, re-solved level by level; `notify` after each state."""
        for members in self._selected(self._all_levels.members):
            for state in sorted(members, key=lambda state: (self._all_levels.above[state], state)):
                self.solve(state, solve_tree)
                notify()
        return self.profile(state for members in self._selected(self._all_levels.members) for state in members)


def resolve_nested(
    blueprint: Profile,
    gadget: str | Gadget = "max-margin",
    *,
    players: Sequence[int] = (0, 1),
    levels: Collection[int] | None = None,
    method: str | Method = "lp",
    iterations: int | None = None,
    progress: ProgressFunction | None = None,
) -> Profile:
    """Return the profile of players that re-solve at each public state, from their strategy so far.

    Args:
        blueprint: profile of a two-player constant-sum game, such as one lifted from an abstraction.
        gadget: see `resolve`.
        players: players who re-solve, each against the opponent's blueprint.
        levels: levels at which they do, counted from 0, the player's first move; default: all.
        method: see `resolve`.
        iterations: iterations of the method at each public state.
        progress: called with the number of solved subgames and the number of all subgames.

    Returns:
        The blueprint with all solutions in it.

    Raises:
        InputError: see `resolve`.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> blueprint = td.solve(tree, "cfr", iterations=10).strategy
    >>> round(td.nash_conv(blueprint) / td.nash_conv(td.resolve_nested(blueprint)), 1)
    1.4
    """
    require_profile(blueprint)
    for level in levels or ():
        check_range("level", level, 0)
    if len(set(players)) < len(players):
        raise ParameterError(
            f"players must not contain a player twice, got {list(players)}.", key="players", value=players
        )
    solve_tree, gadget = tree_solver(method, iterations), find_gadget(gadget)
    resolvers = [NestedResolver(blueprint, player, gadget, levels) for player in players]
    total, profile, solved = sum(resolver.count for resolver in resolvers), blueprint, 0

    def notify() -> None:
        nonlocal solved
        solved += 1
        if progress is not None:
            progress(solved, total)

    for resolver in resolvers:
        profile = profile.replace(resolver.player, resolver.solve_all(solve_tree, notify))
    return profile


@dataclass(frozen=True)
class StateResult:
    """The NashConv of a profile, and the margin, after re-solving one public state for its player to move."""

    public_state: int
    player: int
    level: int
    nash_conv: float
    margin: float


@dataclass(frozen=True)
class ExperimentResult:
    """NashConv of a blueprint before and after re-solving with one gadget.

    All values are in the game's unit per game.

    states: results of every public state of the levels alone. levels: NashConv if both players re-solve at all public
    states of one level. from_level: NashConv if both players re-solve from a level on, from their strategy so far.
    """

    gadget: str
    before: float
    states: tuple[StateResult, ...]
    levels: tuple[float, ...]
    from_level: tuple[float, ...]

    @property
    def changes(self) -> np.ndarray:
        """The change of NashConv by each public state alone."""
        return np.array([state.nash_conv - self.before for state in self.states])


class ResolvingExperiment:
    """An experiment in which both players of a blueprint re-solve on their first levels.

    Args:
        blueprint: see `resolve`, which raises the same errors.
        solve_tree: function that solves gadget games.
        depth: number of levels of each player; default: all.
    """

    def __init__(self, blueprint: Profile, solve_tree: TreeSolver, depth: int | None = None) -> None:
        require_profile(blueprint)
        self._tree = tree = blueprint.tree
        require_two_player_constant_sum(tree, "re-solving")
        members = [levels_of(tree, player).members for player in (0, 1)]
        levels = max(map(len, members))
        if levels == 0:
            raise GameError(f"no player has a decision in {tree.name}, so there is nothing to re-solve.")
        self.blueprint, self.solve_tree = blueprint, solve_tree
        self.depth = levels if depth is None else min(depth, levels)
        self._members = [own[: self.depth] for own in members]

    @property
    def count(self) -> int:
        """Number of subgames that are solved for each gadget."""
        sizes = [list(map(len, own)) for own in self._members]
        return sum(sum(own) + sum(sum(own[level:]) for level in range(self.depth)) for own in sizes)

    def run(self, gadget: str | Gadget, notify: Callable[[], object] = lambda: None) -> ExperimentResult:
        """Re-solve each public state alone, each level, and from each level on; `notify` after each subgame."""
        gadget, tree, states = find_gadget(gadget), self._tree, list[StateResult]()
        rows_by_level = np.tile(self.blueprint.probabilities, (self.depth, 1))
        for player in (0, 1):
            response = OpponentResponse(self.blueprint, player)
            for level, members in enumerate(self._members[player]):
                for state in members:
                    problem = ResolvingProblem(response, subgame(tree, state))
                    resolution = resolve_problem(problem, gadget, self.solve_tree)
                    states.append(StateResult(state, player, level, nash_conv(resolution.profile), resolution.margin))
                    rows = resolution.sub.rows[tree.player_of_row[resolution.sub.rows] == player]
                    rows_by_level[level, rows] = resolution.profile.probabilities[rows]
                    notify()
        levels = tuple(nash_conv(Profile(tree, probabilities)) for probabilities in rows_by_level)
        from_level = tuple(self._nash_conv_from(gadget, level, notify) for level in range(self.depth))
        return ExperimentResult(gadget.name, nash_conv(self.blueprint), tuple(states), levels, from_level)

    def _nash_conv_from(self, gadget: Gadget, level: int, notify: Callable[[], object]) -> float:
        profile = self.blueprint
        for player in (0, 1):
            resolver = NestedResolver(self.blueprint, player, gadget, range(level, self.depth))
            profile = profile.replace(player, resolver.solve_all(self.solve_tree, notify))
        return nash_conv(profile)
