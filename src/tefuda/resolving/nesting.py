"""Solving again at every public state that is reached, each time from what is played so far.

A player's public states stand on levels: on the first those before which it has not moved, on the next those that
follow one of these, and so on. What is solved at one depends only on those before it on the way there, so that a table
of all of them holds what an agent plays that solves where it stands.

Safe on the whole: the subgames of a level are apart, and share what the other player gave up before (`Entrance.gifts`),
so that all together raise nothing; and the next level starts from what this one gave.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import GameError, ParameterError, check_range
from tefuda.forms.public import public_states
from tefuda.forms.subgame import subgame
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile, check_player
from tefuda.judging.values import require_profile
from tefuda.resolving.entrance import Entrance, Reply
from tefuda.resolving.openings import How, find_how
from tefuda.resolving.resolution import Resolution, Solving, by_method, solved_again
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import AnyMethod

#: Told how many subgames are solved, and how many there are.
NestingProgress = Callable[[int, int], None]
_SLACK = 1e-9  # of a margin, in parts of the largest payoff: what a linear program may leave


@dataclass(frozen=True)
class Levels:
    """A player's public states in the order of play.

    above: of each the player's public state before it, -1 if it is the first. members: the public states of each level.
    """

    above: dict[int, int]
    members: tuple[tuple[int, ...], ...]

    def path(self, public_state: int) -> tuple[int, ...]:
        """The player's public states up to this one, it included."""
        before = self.above[public_state]
        return (*(self.path(before) if before >= 0 else ()), public_state)


def levels_of(tree: Tree, player: int) -> Levels:
    """A player's public states by level, found once.

    Raises:
        GameError: one is no subgame, or follows another in part.
    """
    return tree.derived(_levels, player)


def _levels(tree: Tree, player: int) -> Levels:
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
    """What a player that solves again has solved so far.

    blueprint: what it plays elsewhere. player: who it is. how: in which way. levels: where it solves at all; None:
    everywhere. solved: by public state its rows below, and their probabilities; None where the blueprint stays: there
    was no time, or a safe way was solved so roughly that a seat of the other would get more than it may.
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
        """How many public states there are to solve at."""
        return sum(map(len, self._chosen()))

    def _chosen(self) -> list[tuple[int, ...]]:
        found = enumerate(self._known.members)
        return [members for level, members in found if self.levels is None or level in self.levels]

    def solve(self, public_state: int, solving: Solving) -> None:
        """Solve at a public state of the player, and before at those on the way there, unless that has been done."""
        tree, path = self.blueprint.tree, self._known.path(public_state)
        chosen = [one for level, one in enumerate(path) if self.levels is None or level in self.levels]
        for before, one in zip([-1, *chosen], chosen, strict=False):
            if one not in self.solved:
                since = subgame(tree, before) if before >= 0 else None
                entrance = Entrance(self._replied(before), subgame(tree, one), since)
                self.solved[one] = self._taken(solved_again(entrance, self.how, solving))

    def _replied(self, before: int) -> Reply:
        """The other's reply to what is played behind a public state; the last one is kept, as siblings share it."""
        if self._reply is None or self._reply[0] != before:
            self._reply = before, Reply(self.profile(self._known.path(before) if before >= 0 else ()), self.player)
        return self._reply[1]

    def _taken(self, found: Resolution) -> tuple[np.ndarray, np.ndarray] | None:
        tree = self.blueprint.tree
        if not found.histories or (self.how.safe and found.margin < -_SLACK * np.abs(tree.payoffs).max()):
            return None
        rows = found.sub.rows
        rows = rows[tree.player_of_row[rows] == self.player]
        return rows, found.profile.probabilities[rows]

    def profile(self, path: Sequence[int]) -> Profile:
        """What is played where the player has solved at these public states, in the order of play."""
        values = self.blueprint.probabilities.copy()
        for one in path:
            if (taken := self.solved.get(one)) is not None:
                values[taken[0]] = taken[1]
        return Profile(self.blueprint.tree, values)

    def strategy(self, infoset: int) -> np.ndarray:
        """`[A]` what the player does at an infoset, as far as it has solved on the way there."""
        tree = self.blueprint.tree
        mine = tree.rows_of(infoset)
        for one in reversed(self._known.path(int(public_states(tree)[infoset]))):
            if (taken := self.solved.get(one)) is not None:
                first = int(np.searchsorted(taken[0], mine.start))
                return taken[1][first : first + mine.stop - mine.start]
        return self.blueprint.probabilities[mine]

    def whole(self, solving: Solving, progress: Callable[[], None] = lambda: None) -> Profile:
        """What the player plays in the whole game: solved at every public state, one level after the other."""
        for members in self._chosen():
            for one in sorted(members, key=lambda one: (self._known.above[one], one)):
                self.solve(one, solving)
                progress()
        return self.profile([one for members in self._chosen() for one in members])


def nested(
    blueprint: Profile,
    how: str | How = "max-margin",
    *,
    players: Sequence[int] = (0, 1),
    levels: Collection[int] | None = None,
    method: str | AnyMethod = "lp",
    iterations: int | None = None,
    progress: NestingProgress | None = None,
) -> Profile:
    """What players play that solve again at every public state where they move, each time from what they play so far.

    Args:
        blueprint: what is played until something is solved, in a game of two players and constant sum; any profile,
            such as one lifted from an abstraction with fewer actions: what it does after actions it never learned is
            solved again like all else, and the other may make there no more than it could make of that.
        how: see `resolve`.
        players: who solves again, each against the other's blueprint.
        levels: only there, counted from 0, the player's first move; None: everywhere.
        method: see `resolve`.
        iterations: of the method at each public state.
        progress: told how far it is.

    Returns:
        What they play in the whole game, as at a table.

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
    total, found, done = sum(nest.count for nest in nests), blueprint, 0

    def tell() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    for nest in nests:
        found = found.replace(nest.player, nest.whole(solving, tell))
    return found
