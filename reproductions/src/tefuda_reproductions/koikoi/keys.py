"""An abstraction of Koi-Koi.

Keys summarise both players' distances to yaku, turns left and calls; actions form ten classes.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, check_choice, shortened
from tefuda.games.abstract import Abstraction, abstract
from tefuda.koikoi.game import KOI, LABELS, KoiKoi
from tefuda.koikoi.simulator import compile_rules
from tefuda.koikoi.view import read_view, state_array
from tefuda_reproductions.koikoi.kernels import keys as kernels

#: Optional parts of a key: the distances of the player and of the opponent to big yaku (of 3 points and more) and to
#: small yaku, the points of both piles after a call, the calls, turns left, the points of stopping.
PARTS: dict[str, tuple[tuple[int, int], ...]] = {
    "own big": (kernels.OWN_BIG,),
    "own small": (kernels.OWN_SMALL,),
    "other big": (kernels.OTHER_BIG,),
    "other small": (kernels.OTHER_SMALL,),
    "held": (kernels.OWN_HELD, kernels.OTHER_HELD),
    "called": (kernels.CALLED,),
    "turns": (kernels.LEFT,),
    "points": (kernels.POINTS,),
}
#: Names of the classes of plays and picks; the best card by greedy value represents its class.
PLAYS = (
    "0 makes a big yaku", "1 makes a yaku", "2 takes a card the opponent needs", "3 takes for a big yaku",
    "4 takes more than chaff", "5 takes chaff", "6 lays safely", "7 lays chaff",
    "8 lays more than chaff", "9 lays a card the opponent needs",
)  # fmt: skip
DECISIONS = ("0 stop", "1 koi-koi")


@dataclass(frozen=True)
class Keys:
    """The parts of a view that count in a key; the available action classes always count.

    Args:
        parts: names of `PARTS`.

    Raises:
        ParameterError: an unknown part.
    """

    parts: tuple[str, ...] = tuple(PARTS)

    def __post_init__(self) -> None:
        if isinstance(self.parts, str) or not isinstance(self.parts, (tuple, list)):
            raise ParameterError(
                f"parts must be a list of names, got {shortened(self.parts)}.", key="parts", value=self.parts
            )
        for part in self.parts:
            check_choice("part", part, PARTS)

    @property
    def mask(self) -> np.uint64:
        """The bits of a key that count."""
        places = (place for part in self.parts for place in PARTS[part])
        return np.uint64(sum(((1 << bits) - 1) << first for first, bits in places))


ALL_PARTS = Keys()


@dataclass(frozen=True)
class Reader:
    """A reader of keys and action classes from views of one game.

    Attributes:
        game: the rules.
        keys: the parts that count.
    """

    game: KoiKoi
    keys: Keys = ALL_PARTS

    @lru_cache(maxsize=4096)  # noqa: B019 (readers are few and equal by value)
    def read_key(self, view: Hashable, player: int) -> tuple[int, dict[str, str]]:
        """Return the key of a view, 0 if its player is not to decide, and the label of each class's action."""
        game, state = self.game, read_view(self.game, view, player)
        if state.mover != player or not game.actions(state):
            return 0, {}
        actions, class_values = np.zeros(kernels.CLASSES, dtype=np.int64), np.zeros(kernels.CLASSES, dtype=np.int64)
        values = compile_rules(game.rules, game.turns)
        key, mask = kernels.read_key(values, self.keys.mask, state_array(game, state), actions, class_values)
        names = DECISIONS if state.phase == KOI else PLAYS
        return int(key), {name: LABELS[actions[at]] for at, name in enumerate(names) if int(mask) >> at & 1}

    def key(self, view: Hashable, player: int) -> int:
        """Return the key of a view."""
        return self.read_key(view, player)[0]

    def name(self, view: Hashable, player: int, actions: tuple[Hashable, ...]) -> list[str | None]:
        """Return the class of each action; None if another action represents the class."""
        classes = {label: name for name, label in self.read_key(view, player)[1].items()}
        return [classes.get(str(action)) for action in actions]


def require_distinct_cards(game: object) -> None:
    """Check that a game is Koi-Koi with all cards different.

    Raises:
        ParameterError: another game, or one with merged chaff.
    """
    if not isinstance(game, KoiKoi):
        raise ParameterError(f"the game must be Koi-Koi or a reduced game of it; got {shortened(game)}.")
    if game.merged:
        raise ParameterError(f"{game.name} has merged chaff; use merged=False, which has the same value.")


def abstract_koikoi(game: KoiKoi, keys: Keys = ALL_PARTS) -> Abstraction:
    """Return Koi-Koi, or a reduced game, with fewer infosets and actions and with imperfect recall.

    Args:
        game: the real rules, without merged chaff.
        keys: keys of views.
    """
    require_distinct_cards(game)
    reader = Reader(game, keys)
    return abstract(game, key=reader.key, actions=reader.name)
