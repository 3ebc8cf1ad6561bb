"""Gadget games: copies of a subgame, each behind another opening. A method solves them to re-solve the subgame.

The strategy of one player, `player`, is re-solved. The other player is the one who could exploit it.

Dimension letters: R roots of the subgame, S seats of the other player, N histories of the new game.

    unsafe      chance draws a root by its reach under the blueprint
    gadget      chance draws a root by its own and the player's reach; the other player, knowing its seat, terminates
                with its counterfactual best-response value or follows (CFR-D: Burch, Johanson, Bowling 2014)
    max-margin  the other player picks a seat and is paid its value there less its best-response value, so that the
                player maximises the least margin (Moravcik et al. 2016)
    reach       max-margin in which gifts of the other player on the way raise its best-response values
                (Brown and Sandholm 2017)

All are zero-sum; payoffs are the other player's. Roots that chance and the player never reach are left out, and so are
seats without other roots: nothing there matters, and a margin of 0 - 0 would be the least one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tefuda.errors import UnknownNameError, check_range, wrong_type
from tefuda.evaluating.profile import Profile, best_response
from tefuda.evaluating.values import Reach, counterfactual, history_values, reach
from tefuda.forms.sequence import last_rows
from tefuda.forms.subgame import Subgame

_NEVER = 1e-12  # parts of the whole reach that are left out: they cannot be told from round-off


@dataclass(frozen=True, eq=False)
class Reply:
    """The other player's best response to a blueprint's `player`, and its value everywhere."""

    blueprint: Profile
    player: int

    @property
    def other(self) -> int:
        """The player who replies."""
        return 1 - self.player

    @cached_property
    def reached(self) -> Reach:
        """The reach of all histories under the blueprint."""
        return reach(self.blueprint)

    @cached_property
    def reach(self) -> np.ndarray:
        """`[N]` reach of each history by chance and the player alone."""
        return self.reached.counterfactual(self.other)

    @cached_property
    def profile(self) -> Profile:
        """The blueprint with the reply in it."""
        return best_response(self.blueprint, self.other).profile

    @cached_property
    def value(self) -> np.ndarray:
        """`[N]` value of each history to the other player, who plays its reply."""
        return history_values(self.profile)[:, self.other]

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[R]` counterfactual loss of each action of the other player; 0 for the player's own."""
        lost = np.maximum(0.0, -counterfactual(self.profile).regrets)
        return np.where(self.blueprint.tree.player_of_row == self.other, lost, 0.0)

    @cached_property
    def infoset_reach(self) -> np.ndarray:
        """`[I]` the sum of `reach` over the histories of each infoset."""
        infoset = self.blueprint.tree.infoset
        nodes = np.flatnonzero(infoset >= 0)
        return np.bincount(infoset[nodes], self.reach[nodes], self.blueprint.tree.infosets)


@dataclass(frozen=True, eq=False)
class Entrance:
    """The entrance to a subgame `sub`; since: the subgame that was re-solved before on the way here, if any."""

    reply: Reply
    sub: Subgame
    since: Subgame | None = None

    @property
    def seats(self) -> np.ndarray:
        """`[R]` the other player's seat at each root."""
        return self.sub.seats[self.reply.other]

    @property
    def reach(self) -> np.ndarray:
        """`[R]` reach of each root by chance and the player alone."""
        return self.reply.reach[self.sub.roots]

    @cached_property
    def seat_reach(self) -> np.ndarray:
        """`[S]` the sum of `reach` over the roots of each seat."""
        return self.sub.summed(self.reply.other, self.reach)

    @cached_property
    def worth(self) -> np.ndarray:
        """`[S]` counterfactual best-response values of the other player's seats."""
        return self.sub.summed(self.reply.other, self.reach * self.reply.value[self.sub.roots])

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[S]` amounts by which the seats' values may rise without any loss to the player.

        An action that loses g, counterfactually, may improve by g in all. A seat receives a share of g proportional to
        its reach, so that all seats of all subgames together receive at most g. (Brown and Sandholm 2017 divide by
        reach and do not split.) Gifts above a subgame that was re-solved before are spent.
        """
        tree, found = self.sub.tree, np.zeros(len(self.seat_reach))
        last, before = last_rows(tree)
        unspent = None if self.since is None else set(self.since.infosets.tolist())
        first = np.unique(self.seats, return_index=True)[1]
        for seat, root in enumerate(self.sub.roots[first].tolist()):
            row = int(last[root, self.reply.other])
            while row >= 0:
                infoset = int(tree.infoset_of_row[row])
                if unspent is not None and infoset not in unspent:
                    break
                if (whole := self.reply.infoset_reach[infoset]) > 0:
                    found[seat] += self.reply.gifts[row] * self.seat_reach[seat] / whole
                row = int(before[infoset])
        return found


@dataclass(frozen=True)
class Root:
    """A copy of the game below root number `place`; the other is paid `scale` times its payoff less `shift` there."""

    place: int
    scale: float = 1.0
    shift: float = 0.0
    into: ClassVar[tuple[Part, ...]] = ()


@dataclass(frozen=True)
class End:
    """An end at which the other player is paid an amount."""

    payoff: float
    into: ClassVar[tuple[Part, ...]] = ()


@dataclass(frozen=True)
class Draw:
    """A move of chance."""

    chances: tuple[float, ...]
    into: tuple[Part, ...]


@dataclass(frozen=True)
class Choice:
    """A move of the other player, who knows `key`. Choices of one key have the same labels."""

    key: Hashable
    labels: tuple[Hashable, ...]
    into: tuple[Part, ...]


Part = Root | End | Draw | Choice


@dataclass(frozen=True)
class How(ABC):
    """A way to re-solve. safe: whether an exact solution is never easier to exploit than the blueprint."""

    name: str
    safe: ClassVar[bool] = True

    @abstractmethod
    def opening(self, entrance: Entrance) -> Part | None:
        """Return the top of the gadget game; None if the player never comes here."""

    def alternatives(self, entrance: Entrance) -> np.ndarray:
        """Return `[S]` the counterfactual value that the other player may have at each seat."""
        return entrance.worth


@dataclass(frozen=True)
class Unsafe(How):
    """Trust that the other player plays the blueprint.

    Where the reach of the other player, or of both, is zero everywhere, it is left out.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.resolve(td.Profile.uniform(tree), "1: K|b", td.Unsafe()).profile["1: Q|b"]
    {'p': 0.0, 'b': 1.0}
    """

    name: str = "unsafe"
    safe: ClassVar[bool] = False

    def opening(self, entrance: Entrance) -> Part | None:
        """See `How`."""
        reply, roots = entrance.reply, entrance.sub.roots
        chance, belief = reply.reached.chance[roots], reply.reached.own[roots, reply.other]
        weights = (entrance.reach * belief, entrance.reach, chance * belief)
        found = next((weight for weight in weights if weight.any()), chance)
        return _drawn(found, [Root(place) for place in range(len(found))])


@dataclass(frozen=True)
class Gadget(How):
    """Let the other player terminate with its best-response value, or follow.

    Args:
        name: name of the way.
        gifts: share, from 0 to 1, of the other player's gifts on the way that is added to its values.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> blueprint = td.solve(tree, "cfr", iterations=10).strategy
    >>> found = td.resolve(blueprint, "1: K|b", td.Gadget())
    >>> found.seats, (found.before - found.after >= -1e-9).all()
    (('0: J|b', '0: Q|b', '0: K|b'), np.True_)
    """

    name: str = "gadget"
    gifts: float = 0.0

    def __post_init__(self) -> None:
        check_range("gifts", self.gifts, 0, 1, whole=False)

    def alternatives(self, entrance: Entrance) -> np.ndarray:
        """See `How`."""
        return entrance.worth + self.gifts * entrance.gifts if self.gifts else entrance.worth

    def opening(self, entrance: Entrance) -> Part | None:
        """See `How`."""
        worth = self.alternatives(entrance) / np.maximum(entrance.seat_reach, 1e-300)
        offers = [
            Choice(("enter", seat), ("leave", "stay"), (End(float(worth[seat])), Root(place)))
            for place, seat in enumerate(entrance.seats.tolist())
        ]
        return _drawn(entrance.reach, offers)


@dataclass(frozen=True)
class MaxMargin(Gadget):
    """Maximise the least margin: the other player's best-response value at a seat less its value there.

    Margins are counterfactual. Two other gadgets say the same and share no code with this one, as both keep their game
    from look to look: `region.behind_choice` over ranges, and `holdem.spots.subgame.Picking` over hands.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.resolve(td.Profile.uniform(tree), "0: J|", td.MaxMargin(gifts=1.0)).margin, 4)
    0.0833
    """

    name: str = "max-margin"

    def opening(self, entrance: Entrance) -> Part | None:
        """See `How`; payoffs are in units of the largest reach of a seat."""
        alternatives, reach = self.alternatives(entrance), entrance.seat_reach
        unit, picks = reach.max(), dict[int, Part]()
        for seat in np.flatnonzero(reach > _NEVER * reach.sum()).tolist():
            places = np.flatnonzero(entrance.seats == seat)
            shift = alternatives[seat] / unit
            roots = [Root(int(place), float(reach[seat] / unit), float(shift)) for place in places]
            picks[seat] = _drawn(entrance.reach[places], roots)  # type: ignore[assignment]
        return Choice(("enter", "?"), tuple(picks), tuple(picks.values())) if picks else None


#: All ways by name.
HOWS: dict[str, How] = {one.name: one for one in (Unsafe(), Gadget(), MaxMargin(), MaxMargin("reach", gifts=1.0))}


def find_how(how: str | How) -> How:
    """Return a way by its name in `HOWS`, or the value itself; raise UnknownNameError or ParameterError if neither."""
    if isinstance(how, How):
        return how
    if not isinstance(how, str):
        raise wrong_type("a way to solve again, or its name,", how)
    if how not in HOWS:
        raise UnknownNameError("way to solve again", how, HOWS)
    return HOWS[how]


def _drawn(weights: np.ndarray, into: Sequence[Part]) -> Part | None:
    """Return a draw by weights, without the parts that are next to never drawn."""
    total = weights.sum()
    places = np.flatnonzero(weights > _NEVER * total).tolist()
    chances = [float(weights[place] / total) for place in places]
    parts = tuple(into[place] for place in places)
    return Draw(tuple(chance / sum(chances) for chance in chances), parts) if parts else None
