"""Re-solving a subgame: a blueprint in which one player's strategy below a public state is replaced by a better one.

Burch, Johanson, Bowling 2014 (gadget); Moravcik, Schmid, Ha, Hladik, Gaukrodger 2016 (max-margin); Brown and Sandholm
2017 (reach). Two players, constant sum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from tefuda.evaluating.profile import Profile, check_player
from tefuda.evaluating.seats import best_seat_values
from tefuda.evaluating.values import require_profile
from tefuda.forms.subgame import Subgame, subgame
from tefuda.forms.tree import Tree
from tefuda.resolving.copies import Copy
from tefuda.resolving.openings import Entrance, How, Reply, find_how
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import AnyMethod
from tefuda.solvers.runs.evaluators import NoEvaluation
from tefuda.solvers.runs.methods import find_method, solve
from tefuda.views import Displayable
from tefuda.words import significant


@dataclass(frozen=True, eq=False)
class Resolution(Displayable):
    """A subgame re-solved for one player.

    profile: the blueprint with the new strategy. reach: `[S]` probability of each seat of the other player if it tries
    to reach it. before, after: `[S]` its best-response values against the blueprint and against `profile`; limits:
    `[S]` those it may have (`before`, more for reach). All are counterfactual, in the game's unit per game. histories:
    size of the gadget game, 0 if the player never comes here.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> found = td.resolve(td.Profile.uniform(tree), "1: K|b", "max-margin")
    >>> found
    Resolution(kuhn, public state 3, player 1, max-margin, margin 0.125)
    >>> found.seats, found.before.round(3).tolist(), found.after.round(3).tolist()
    (('0: J|b', '0: Q|b', '0: K|b'), [-0.167, 0.167, 0.5], [-0.292, -0.167, 0.375])
    """

    sub: Subgame
    player: int
    how: How
    profile: Profile
    reach: np.ndarray  # [S]
    before: np.ndarray  # [S]
    after: np.ndarray  # [S]
    limits: np.ndarray  # [S]
    histories: int

    def __repr__(self) -> str:
        sub = self.sub
        return (
            f"Resolution({sub.tree.name}, public state {sub.public_state}, player {self.player}, {self.how.name}, "
            f"margin {significant(self.margin)})"
        )

    @property
    def margin(self) -> float:
        """The least difference of `limits` and `after` over the seats that are reached; 0 if none is."""
        gaps = (self.limits - self.after)[self.reach > 0]
        return float(gaps.min()) if len(gaps) else 0.0

    @property
    def seats(self) -> tuple[str, ...]:
        """`[S]` names of the other player's seats."""
        return self.sub.seat_names(1 - self.player)


def resolve(
    blueprint: Profile,
    public_state: int | str | tuple[int, Hashable],
    how: str | How = "max-margin",
    *,
    player: int | None = None,
    method: str | AnyMethod = "lp",
    iterations: int | None = None,
    seconds: float | None = None,
    since: Subgame | None = None,
) -> Resolution:
    """Re-solve the subgame at a public state.

    Args:
        blueprint: profile of a game of two players and constant sum.
        public_state: its number, or the name of an infoset in it.
        how: ``"unsafe"``, ``"gadget"``, ``"max-margin"``, ``"reach"``, or a value. All but unsafe give a strategy that
            is no easier to exploit than the blueprint, as far as `method` solves exactly.
        player: player whose strategy is re-solved; the player to move unless given.
        method: solves the gadget game: a name in `METHODS` or a value.
        iterations: iterations of the method.
        seconds: seconds of the method.
        since: subgame that was re-solved before on the way here, if any: for reach.

    Returns:
        The blueprint with the player's new strategy in the subgame, and the other player's values there.

    Raises:
        GameError: more or less than two players, not constant-sum, or no subgame, see `subgame`.
        ProfileError: `blueprint` is no profile.
        ParameterError: no such player or public state, or a number out of range.
        UnknownNameError: no such way, infoset or method.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.solve(tree, "cfr+", iterations=10).strategy
    >>> found = td.resolve(blueprint, "0: JQ|rc/", "reach")
    >>> td.nash_conv(found.profile) <= td.nash_conv(blueprint) + 1e-9, found.margin > 0
    (True, True)
    """
    require_profile(blueprint)
    tree = blueprint.tree
    require_two_player_constant_sum(tree, "solving again")
    sub, way = subgame(tree, public_state), find_how(how)
    seat = sub.mover if player is None else player
    check_player(tree, seat)
    return solved_again(Entrance(Reply(blueprint, int(seat)), sub, since), way, by_method(method, iterations, seconds))


#: Solves a game; None if there was no time.
Solving = Callable[[Tree], Profile | None]


def by_method(method: str | AnyMethod, iterations: int | None = None, seconds: float | None = None) -> Solving:
    """Return a function that solves by a method; the method is looked up at once."""
    value = find_method(method)
    return lambda tree: solve(tree, value, iterations=iterations, seconds=seconds, evaluator=NoEvaluation()).strategy


def solved_again(entrance: Entrance, how: How, solving: Solving) -> Resolution:
    """Re-solve at an entrance, see `resolve`; entrances of one blueprint and player share its `Reply`."""
    reply, opening = entrance.reply, how.opening(entrance)
    profile, histories = reply.blueprint, 0
    if opening is not None:
        copy = Copy(entrance.sub, reply.other, opening)
        if (found := solving(copy.tree)) is not None:
            profile, histories = copy.strategies(profile, found, reply.player), len(copy.tree.player)
    after = best_seat_values(entrance.sub, profile, reply.other)
    return Resolution(
        entrance.sub, reply.player, how, profile, entrance.seat_reach, entrance.worth, after,
        how.alternatives(entrance), histories,
    )  # fmt: skip
