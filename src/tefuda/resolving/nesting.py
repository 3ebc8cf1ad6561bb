"""Nested re-solving: at every public state that is reached, each time from the strategy so far.

A player's public states stand on levels: the first level has those before which it has not moved, the next one those
that follow one of these, and so on. A solution depends only on those before it on the way there, so a table of all of
them is the strategy of an agent that re-solves during play.

The whole is safe: the subgames of a level are apart and share the other player's gifts (`Entrance.gifts`), so that
together they raise nothing, and the next level starts from the result of this one.
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
from tefuda.forms.public import public_states
from tefuda.forms.subgame import subgame
from tefuda.forms.tree import Tree
from tefuda.resolving.openings import Entrance, How, Reply, find_how
from tefuda.resolving.resolution import Resolution, Solving, by_method, solved_again
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import AnyMethod
from tefuda.workers import ProgressFunction

_SLACK = 1e-9  # of a margin, in parts of the largest payoff: round-off of a linear program


@dataclass(frozen=True)
class Levels:
    """A player's public states in the order of play.

    above: the player's public state before each, -1 if it is the first. members: the public states of each level.
    """

    above: dict[int, int]
    members: tuple[tuple[int, ...], ...]

    def path(self, public_state: int) -> tuple[int, ...]:
        """Return the player's public states up to this one, itself included; nothing for -1."""
        return (*self.path(self.above[public_state]), public_state) if public_state >= 0 else ()


@derived
def levels_of(tree: Tree, player: int) -> Levels:
    """Return a player's public states by level; raise GameError if one is no subgame, or follows another in part."""
    state, before = np.append(public_states(tree), -1), np.full(len(tree.player), -1)  # -1 of no infoset
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        nodes = np.flatnonzero(tree.depth == depth)
        parents = tree.parent[nodes]
        before[nodes] = np.where(tree.player[parents] == player, state[tree.infoset[parents]], before[parents])
    above, level = dict[int, int](), dict[int, int]()
    for one in np.unique(state[tree.infosets_of(player)]).tolist():
        found = set(before[subgame(tree, one).roots].tolist())
        if len(found) > 1:
            raise GameError(f"{tree.name}: public state {one} follows public states {sorted(found)}, not always one.")
        above[one] = found.pop()
        level[one] = level.get(above[one], -1) + 1
    count = max(level.values(), default=-1) + 1
    return Levels(above, tuple(tuple(one for one in level if level[one] == number) for number in range(count)))


@dataclass
class Nest:
    """The public states that a player has re-solved so far.

    levels: the levels on which it does so; None: all. solved: for each public state the player's rows below it and
    their probabilities; None where the blueprint stays: there was no time, or a safe way was solved so roughly that a
    seat of the other player would get more than it may.
    """

    blueprint: Profile
    player: int
    how: How
    levels: Collection[int] | None = None
    solved: dict[int, tuple[np.ndarray, np.ndarray] | None] = field(default_factory=dict)
    _reply: tuple[int, Reply] | None = None

    def __post_init__(self) -> None:
        tree = self.blueprint.tree
        require_two_player_constant_sum(tree, "solving again")
        check_player(tree, self.player)
        self._known = levels_of(tree, self.player)

    @property
    def count(self) -> int:
        """Number of public states to re-solve."""
        return sum(map(len, self._chosen(self._known.members)))

    def _chosen(self, by_level: Iterable[Any]) -> list[Any]:
        """Return the items of the levels on which the player re-solves."""
        return [one for level, one in enumerate(by_level) if self.levels is None or level in self.levels]

    def solve(self, public_state: int, solving: Solving) -> None:
        """Re-solve at a public state of the player and at those on the way there, unless that has been done."""
        tree, chosen = self.blueprint.tree, self._chosen(self._known.path(public_state))
        for before, one in zip([-1, *chosen], chosen, strict=False):
            if one not in self.solved:
                since = subgame(tree, before) if before >= 0 else None
                entrance = Entrance(self._replied(before), subgame(tree, one), since)
                self.solved[one] = self._taken(solved_again(entrance, self.how, solving))

    def _replied(self, before: int) -> Reply:
        """Return the reply to the strategy below a public state; the last one is cached, as siblings share it."""
        if self._reply is None or self._reply[0] != before:
            self._reply = before, Reply(self.profile(self._known.path(before)), self.player)
        return self._reply[1]

    def _taken(self, found: Resolution) -> tuple[np.ndarray, np.ndarray] | None:
        tree = self.blueprint.tree
        if not found.histories or (self.how.safe and found.margin < -_SLACK * np.abs(tree.payoffs).max()):
            return None
        rows = found.sub.rows
        rows = rows[tree.player_of_row[rows] == self.player]
        return rows, found.profile.probabilities[rows]

    def profile(self, path: Iterable[int]) -> Profile:
        """Return the blueprint with the solutions at these public states, in the order of play, in it."""
        values = self.blueprint.probabilities.copy()
        for one in path:
            if (taken := self.solved.get(one)) is not None:
                values[taken[0]] = taken[1]
        return Profile(self.blueprint.tree, values)

    def strategy(self, infoset: int) -> np.ndarray:
        """Return `[A]` the player's probabilities at an infoset, by what is solved on the way there."""
        tree = self.blueprint.tree
        mine = tree.rows_of(infoset)
        for one in reversed(self._known.path(int(public_states(tree)[infoset]))):
            if (taken := self.solved.get(one)) is not None:
                first = int(np.searchsorted(taken[0], mine.start))
                return taken[1][first : first + mine.stop - mine.start]
        return self.blueprint.probabilities[mine]

    def whole(self, solving: Solving, done: Callable[[], object] = lambda: None) -> Profile:
        """Return the player's strategy in the whole game, re-solved level after level; `done` hears of each state."""
        for members in self._chosen(self._known.members):
            for one in sorted(members, key=lambda one: (self._known.above[one], one)):
                self.solve(one, solving)
                done()
        return self.profile(one for members in self._chosen(self._known.members) for one in members)


def nested(
    blueprint: Profile,
    how: str | How = "max-margin",
    *,
    players: Sequence[int] = (0, 1),
    levels: Collection[int] | None = None,
    method: str | AnyMethod = "lp",
    iterations: int | None = None,
    progress: ProgressFunction | None = None,
) -> Profile:
    """Return the profile of players that re-solve wherever they move, each time from their strategy so far.

    Args:
        blueprint: any profile of a game of two players and constant sum, such as one lifted from an abstraction.
        how: see `resolve`.
        players: players who re-solve, each against the other's blueprint.
        levels: levels on which they do, counted from 0, the player's first move; all if None.
        method: see `resolve`.
        iterations: iterations of the method at each public state.
        progress: called with subgames solved and in all.

    Raises:
        InputError: see `resolve`.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> blueprint = td.solve(tree, "cfr", iterations=10).strategy
    >>> round(td.nash_conv(blueprint) / td.nash_conv(td.nested(blueprint)), 1)
    1.4
    """
    require_profile(blueprint)
    for level in levels or ():
        check_range("level", level, 0)
    if len(set(players)) < len(players):
        raise ParameterError(f"players is {list(players)}; each may be named once.", key="players", value=players)
    solving, way = by_method(method, iterations), find_how(how)
    nests = [Nest(blueprint, player, way, levels) for player in players]
    total, found, solved = sum(nest.count for nest in nests), blueprint, 0

    def done() -> None:
        nonlocal solved
        solved += 1
        if progress is not None:
            progress(solved, total)

    for nest in nests:
        found = found.replace(nest.player, nest.whole(solving, done))
    return found


@dataclass(frozen=True)
class Spot:
    """One public state re-solved alone for its player to move. nash_conv: of the profile then."""

    public_state: int
    player: int
    level: int
    nash_conv: float
    margin: float


@dataclass(frozen=True)
class Survey:
    """The NashConv of a blueprint before and after one way of re-solving, in the game's unit per game.

    spots: every public state of the levels, alone. levels: both players re-solve at all public states of one level
    only. onward: they re-solve from a level on, each time from their strategy so far.
    """

    how: str
    before: float
    spots: tuple[Spot, ...]
    levels: tuple[float, ...]
    onward: tuple[float, ...]

    @property
    def changes(self) -> np.ndarray:
        """The change of NashConv by each public state alone."""
        return np.array([spot.nash_conv - self.before for spot in self.spots])


@dataclass(frozen=True, eq=False)
class Scope:
    """The scope of a survey: a blueprint, the number of levels of each player, and a function that solves."""

    blueprint: Profile
    depth: int
    solving: Solving

    @property
    def count(self) -> int:
        """Number of subgames that are solved for each way."""
        sizes = [[len(members) for members in self.members(player)] for player in (0, 1)]
        return sum(sum(one) + sum(sum(one[level:]) for level in range(self.depth)) for one in sizes)

    def members(self, player: int) -> tuple[tuple[int, ...], ...]:
        """Return a player's public states on each level."""
        return levels_of(self.blueprint.tree, player).members[: self.depth]


def scope_of(blueprint: Profile, solving: Solving, depth: int | None = None) -> Scope:
    """Return the scope of a survey, of all levels if no depth is given; raise InputError as `resolve` does."""
    require_profile(blueprint)
    tree = blueprint.tree
    require_two_player_constant_sum(tree, "solving again")
    most = max(len(levels_of(tree, player).members) for player in (0, 1))
    if most == 0:
        raise GameError(f"nobody decides anything in {tree.name}; there is nothing to solve again.")
    return Scope(blueprint, most if depth is None else min(depth, most), solving)


def survey(scope: Scope, how: str | How, done: Callable[[], object] = lambda: None) -> Survey:
    """Re-solve in one way at each public state, on each level and from each level on; `done` hears of each subgame."""
    way, tree = find_how(how), scope.blueprint.tree
    spots, found = list[Spot](), np.tile(scope.blueprint.probabilities, (scope.depth, 1))
    for player in (0, 1):
        reply = Reply(scope.blueprint, player)
        for level, members in enumerate(scope.members(player)):
            for one in members:
                again = solved_again(Entrance(reply, subgame(tree, one)), way, scope.solving)
                spots.append(Spot(one, player, level, nash_conv(again.profile), again.margin))
                rows = again.sub.rows[tree.player_of_row[again.sub.rows] == player]
                found[level, rows] = again.profile.probabilities[rows]
                done()
    levels = tuple(nash_conv(Profile(tree, row)) for row in found)
    onward = tuple(_from(scope, way, level, done) for level in range(scope.depth))
    return Survey(way.name, nash_conv(scope.blueprint), tuple(spots), levels, onward)


def _from(scope: Scope, way: How, level: int, done: Callable[[], object]) -> float:
    """Return NashConv if both players re-solve from a level on."""
    found = scope.blueprint
    for player in (0, 1):
        nest = Nest(scope.blueprint, player, way, range(level, scope.depth))
        found = found.replace(player, nest.whole(scope.solving, done))
    return nash_conv(found)
