"""What solving again makes of a blueprint: at each public state alone, at a whole level at once, and from there on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tefuda.errors import GameError
from tefuda.forms.subgame import subgame
from tefuda.judging.profile import Profile
from tefuda.judging.values import nash_conv, require_profile
from tefuda.resolving.entrance import Entrance, Reply
from tefuda.resolving.nesting import Nest, levels_of
from tefuda.resolving.openings import How, find_how
from tefuda.resolving.resolution import Solving, solved_again
from tefuda.solvers.exact.lp import require_two_player_constant_sum


@dataclass(frozen=True)
class Spot:
    """One public state solved again alone, for who moves there: its level, NashConv of the profile then, the margin."""

    public_state: int
    player: int
    level: int
    nash_conv: float
    margin: float


@dataclass(frozen=True)
class Survey:
    """What one way of solving again makes of a blueprint. NashConv is in the game's unit per game.

    how: the way. before: the blueprint's NashConv. spots: every public state of the levels, alone. levels: NashConv
    where both players solve at all public states of a level, and nowhere else. onward: where they solve from a level
    on, each time from what they play so far; the first is all of the game.
    """

    how: str
    before: float
    spots: tuple[Spot, ...]
    levels: tuple[float, ...]
    onward: tuple[float, ...]

    @property
    def changes(self) -> np.ndarray:
        """What each public state alone adds to NashConv."""
        return np.array([spot.nash_conv - self.before for spot in self.spots])


@dataclass(frozen=True, eq=False)
class Scope:
    """What is surveyed: a blueprint, down to how many levels of each player, and what solves."""

    blueprint: Profile
    depth: int
    solving: Solving

    @property
    def count(self) -> int:
        """How many subgames are solved for each way."""
        sizes = [sum(self.sizes(player)[level:]) for player in (0, 1) for level in range(self.depth)]
        return sum(sizes) + sum(sum(self.sizes(player)) for player in (0, 1))

    def sizes(self, player: int) -> list[int]:
        """How many public states a player has on each level."""
        return [len(members) for members in levels_of(self.blueprint.tree, player).members[: self.depth]]


def scope_of(blueprint: Profile, solving: Solving, depth: int | None = None) -> Scope:
    """What is to be surveyed; all levels if no depth is given.

    Raises:
        InputError: see `resolve`.
    """
    require_profile(blueprint)
    tree = blueprint.tree
    require_two_player_constant_sum(tree, "solving again")
    most = max(len(levels_of(tree, player).members) for player in (0, 1))
    if most == 0:
        raise GameError(f"nobody decides anything in {tree.name}; there is nothing to solve again.")
    return Scope(blueprint, most if depth is None else min(depth, most), solving)


def survey(scope: Scope, how: str | How, done: Callable[[], object] = lambda: None) -> Survey:
    """Solve again in one way, everywhere and in every combination of levels that is told.

    Args:
        scope: what, how deep, by what.
        how: see `resolve`.
        done: told of each subgame solved.
    """
    way, tree = find_how(how), scope.blueprint.tree
    spots, found = list[Spot](), np.tile(scope.blueprint.probabilities, (scope.depth, 1))
    for player in (0, 1):
        reply = Reply(scope.blueprint, player)
        for level, members in enumerate(levels_of(tree, player).members[: scope.depth]):
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
    """NashConv of who solves again from a level on."""
    found = scope.blueprint
    for player in (0, 1):
        nest = Nest(scope.blueprint, player, way, range(level, scope.depth))
        found = found.replace(player, nest.whole(scope.solving, done))  # type: ignore[arg-type]
    return nash_conv(found)
