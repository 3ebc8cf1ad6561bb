"""The games that are solved to solve a subgame again: copies of what is below, each behind another opening.

Dimension letters: R roots of the subgame, S seats of the other player, N histories of the new game.

    unsafe      chance draws a root by the blueprint's reach of all; nobody may have come otherwise
    gadget      chance draws a root by its own and the player's reach; the other, knowing its seat, leaves with what it
                could make of the blueprint there, or stays (CFR-D: Burch, Johanson, Bowling 2014)
    max-margin  the other picks a seat and is paid what it gets there less what it could make of the blueprint, so that
                the player makes the least gap as large as it can (Moravcik et al. 2016)
    reach       max-margin, and what the other gave up on the way is added to what it could make
                (Brown and Sandholm 2017)

All are zero-sum: payoffs are the other's, and the player's their negatives. Roots that chance and the player never come
to, and seats of such roots alone, are left out: nothing done there matters to the other, and a gap of 0 - 0 would be
the least one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tefuda.errors import ParameterError, UnknownNameError, check_range, shortened
from tefuda.resolving.entrance import Entrance

_NEVER = 1e-12  # parts of the whole reach that are left out: they cannot be told from round-off


@dataclass(frozen=True)
class Root:
    """Where a copy of what is below a root hangs. Below, the other is paid `scale` times its payoff less `shift`."""

    place: int
    scale: float = 1.0
    shift: float = 0.0
    into: ClassVar[tuple[Part, ...]] = ()


@dataclass(frozen=True)
class End:
    """Where the other is paid an amount."""

    payoff: float
    into: ClassVar[tuple[Part, ...]] = ()


@dataclass(frozen=True)
class Draw:
    """Where chance draws what comes next."""

    chances: tuple[float, ...]
    into: tuple[Part, ...]


@dataclass(frozen=True)
class Choice:
    """Where the other chooses what comes next, knowing `key`. Choices of one key have the same labels."""

    key: Hashable
    labels: tuple[Hashable, ...]
    into: tuple[Part, ...]


Part = Root | End | Draw | Choice


@dataclass(frozen=True)
class How(ABC):
    """A way to solve a subgame again: `opening` says what stands before it. safe: whether that gives nothing away."""

    name: str
    safe: ClassVar[bool] = True  # as far as it is solved exactly

    @abstractmethod
    def opening(self, entrance: Entrance) -> Part | None:
        """The top of the game to solve; None if the player never comes here."""

    def alternatives(self, entrance: Entrance) -> np.ndarray:
        """`[S]` what the other may get at each seat, counterfactual."""
        return entrance.worth


@dataclass(frozen=True)
class Unsafe(How):
    """The other is believed to have come as the blueprint does.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.resolve(td.Profile.uniform(tree), "1: K|b", td.Unsafe()).profile["1: Q|b"]
    {'p': 0.0, 'b': 1.0}

    Where the blueprint's other never comes, or its player does not either, their part of the reach is left out: one has
    to believe something.
    """

    name: str = "unsafe"
    safe: ClassVar[bool] = False

    def opening(self, entrance: Entrance) -> Part | None:
        """See `How`."""
        chance = entrance.chance
        weights = (entrance.reach * entrance.belief, entrance.reach, chance * entrance.belief)
        found = next((weight for weight in weights if weight.any()), chance)
        return _drawn(found, [Root(place) for place in range(len(found))])


@dataclass(frozen=True)
class Gadget(How):
    """The other leaves with what it could make of the blueprint, or stays.

    Args:
        name: how it is called.
        gifts: the part of what the other gave up on the way that is added, from 0 to 1.

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
    """The player makes the least gap as large as it can: what the other could make less what it can make now.

    Gaps are in units of counterfactual value, as the sums are that safety is about. `lookahead.from_a_public_state` and
    `holdem.subgame.Picking` say the same over ranges and over hands.

    Args:
        name: how it is called.
        gifts: see `Gadget`.

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
    """A way by its name in `HOWS`, or the value itself.

    Raises:
        UnknownNameError: there is no such way.
        ParameterError: neither a name nor a way.
    """
    if isinstance(how, How):
        return how
    if not isinstance(how, str):
        raise ParameterError(f"a way to solve again, or its name, is wanted here; got {shortened(how)}.")
    if how not in HOWS:
        raise UnknownNameError("way to solve again", how, HOWS)
    return HOWS[how]


def _drawn(weights: np.ndarray, into: Sequence[Part]) -> Part | None:
    """Chance draws by weights; what is next to never drawn is left out."""
    total = weights.sum()
    found = [
        (float(weight / total), part) for weight, part in zip(weights, into, strict=True) if weight > _NEVER * total
    ]
    chances = tuple(chance / sum(chance for chance, _ in found) for chance, _ in found)
    return Draw(chances, tuple(part for _, part in found)) if found else None
