"""The effect of re-solving on a blueprint: at each public state alone, at a whole level at once, and from there on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tefuda.errors import GameError
from tefuda.forms.subgame import subgame
from tefuda.judging.profile import Profile
from tefuda.judging.values import nash_conv, require_profile
from tefuda.resolving.nesting import Nest, levels_of
from tefuda.resolving.openings import Entrance, How, Reply, find_how
from tefuda.resolving.resolution import Solving, solved_again
from tefuda.solvers.exact.lp import require_two_player_constant_sum


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
