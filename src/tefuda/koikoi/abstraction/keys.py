"""An abstraction of Koi-Koi: how near both are to yaku, turns left, calls, and ten classes of what one may do."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, check_choice, shortened
from tefuda.games.abstract import Abstraction, abstract
from tefuda.koikoi.game import KOI, LABELS, KoiKoi
from tefuda.koikoi.kernels import keys as kernels
from tefuda.koikoi.sight import as_world, read_sight, require_single
from tefuda.koikoi.simulator import compile_rules

#: Parts of a key that may be left out, by name: how near one is to big yaku (of 3 points and more) and to small ones,
#: how near the other is, what both hold once somebody has called, who has called, turns left, the points of stopping.
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
#: Names of the classes of plays and picks. Of a class the card is meant that is worth most to greedy play.
PLAYS = (
    "0 makes a big yaku", "1 makes a yaku", "2 takes what the other needs", "3 takes for a big yaku",
    "4 takes more than chaff", "5 takes chaff", "6 lays safely", "7 lays chaff",
    "8 lays more than chaff", "9 lays what the other needs",
)  # fmt: skip
DECISIONS = ("0 stop", "1 koi-koi")


@dataclass(frozen=True)
class Keys:
    """What a player's view becomes.

    Args:
        parts: of `PARTS`, those that count; the classes that can be chosen always do.

    Raises:
        ParameterError: an unknown part.
    """

    parts: tuple[str, ...] = tuple(PARTS)

    def __post_init__(self) -> None:
        if isinstance(self.parts, str) or not isinstance(self.parts, (tuple, list)):
            raise ParameterError(
                f"parts is {shortened(self.parts)}; it must be a list of names.", key="parts", value=self.parts
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
    """Reads keys and classes from views of one game; made of the view alone."""

    game: KoiKoi
    keys: Keys = ALL_PARTS

    def look(self, view: Hashable, player: int) -> tuple[int, dict[str, str]]:
        """The key of a view, and the label of the action each class stands for."""
        return _looked(self, view, player)

    def key(self, view: Hashable, player: int) -> int:
        """What stands for a view; 0 where its player has nothing to decide."""
        return self.look(view, player)[0]

    def name(self, view: Hashable, player: int, actions: tuple[Hashable, ...]) -> list[str | None]:
        """The class of each action; None for those that are not the best of theirs."""
        classes = {label: name for name, label in self.look(view, player)[1].items()}
        return [classes.get(str(action)) for action in actions]


@lru_cache(maxsize=4096)
def _looked(reader: Reader, view: Hashable, player: int) -> tuple[int, dict[str, str]]:
    state = read_sight(reader.game, view, player)
    if state.mover != player or not reader.game.actions(state):
        return 0, {}
    actions, worths = np.zeros(kernels.CLASSES, dtype=np.int64), np.zeros(kernels.CLASSES, dtype=np.int64)
    values = compile_rules(reader.game.rules, reader.game.turns)
    key, mask = kernels.look_at(values, reader.keys.mask, as_world(reader.game, state), actions, worths)
    names = DECISIONS if state.phase == KOI else PLAYS
    return int(key), {name: LABELS[actions[at]] for at, name in enumerate(names) if int(mask) >> at & 1}


def abstract_koikoi(game: KoiKoi, keys: Keys = ALL_PARTS) -> Abstraction:
    """Koi-Koi, or a reduced game of it, in fewer infosets and actions; players forget (imperfect recall).

    Args:
        game: the real rules.
        keys: what views become.

    Raises:
        ParameterError: a game whose chaff is merged: its labels name no single cards.
    """
    require_single(game)
    reader = Reader(game, keys)
    return abstract(game, key=reader.key, actions=reader.name)
