"""What networks see and do at an infoset: the game's own features, else an input for each infoset; and output units."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from tefuda.errors import GameError, shortened
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import asking, view_of


def infoset_features(tree: Tree) -> np.ndarray:
    """`[I, F]` the features of every infoset, from the rules' ``features(state, player)`` where they have it.

    Raises:
        GameError: nobody decides anything, or features that differ in number or are not finite numbers.
    """
    if tree.infosets == 0:
        raise GameError(f"nobody decides anything in {tree.title}: there is nothing to learn.")
    features = getattr(tree.rules, "features", None)
    if features is None:
        return np.eye(tree.infosets)
    known, places = states(tree), zip(tree.first_history.tolist(), tree.infoset_player.tolist(), strict=True)
    with asking(tree.rules):
        found = [numbers_of(tree.name, features(known[node], player)) for node, player in places]
    if len({len(row) for row in found}) != 1:
        raise GameError(
            f"{tree.name}: features() gives {sorted({len(row) for row in found})} numbers; give always as many."
        )
    return np.array(found)


def numbers_of(name: str, features: Any) -> tuple[float, ...]:
    """Features as finite floats; name: of the game, for the message."""
    try:
        found = tuple(map(float, features))
    except (TypeError, ValueError, OverflowError):
        found = (np.nan,)
    if not np.isfinite(found).all():
        raise GameError(f"{name}: features() gave {shortened(features)}; it must be finite numbers.")
    return found


@dataclass(frozen=True)
class Units:
    """Output units: a unit is a label, and equal labels share it.

    legal: which units are actions of an infoset. action: which action a unit stands for; an illegal unit for the legal
    one nearest to it.
    """

    legal: np.ndarray  # [I, U] uint8
    action: np.ndarray  # [I, U] int32


def unit_weights(tree: Tree, action: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
    """`[R]` what rows get of probabilities of units `[I, U]`; illegal units count for what they stand for."""
    rows = tree.first_row[:-1, None] + action
    return np.bincount(rows.ravel(), by_unit.astype(np.float64).ravel(), minlength=tree.rows)


def infoset_units(tree: Tree) -> Units:
    """The output units of every infoset."""
    labels = [tree.labels(number) for number in range(tree.infosets)]
    unit_of = {label: unit for unit, label in enumerate(dict.fromkeys(label for row in labels for label in row))}
    legal = np.zeros((tree.infosets, len(unit_of)), dtype=np.uint8)
    action = np.zeros((tree.infosets, len(unit_of)), dtype=np.int32)
    for number, row in enumerate(labels):
        units = np.array([unit_of[label] for label in row])
        legal[number, units] = 1
        action[number] = nearest(units, len(unit_of))
    return Units(legal, action)


def nearest(units: np.ndarray, count: int) -> np.ndarray:
    """`[count]` which of some units, by their order, every unit is or is nearest to."""
    return np.asarray(np.abs(np.arange(count)[:, None] - units[None, :]).argmin(axis=1))


def tokens(view: Hashable, place: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The smallest parts of a view, each behind where it stands: letters of text, items of tuples and sets."""
    if isinstance(view, (tuple, list)):
        for number, part in enumerate(view):
            yield from tokens(part, (*place, number))
    elif isinstance(view, str):
        for number, letter in enumerate(view):
            yield (*place, number, letter)
    elif isinstance(view, frozenset):
        for text in sorted(map(repr, view)):
            yield (*place, "in", text)
    else:
        yield (*place, repr(view))


def encode(view: Hashable, row: np.ndarray) -> None:
    """Light two inputs of a row `[width]` of zeros for every token of a view, chosen by a digest."""
    for token in tokens(view):
        row[list(_places(token, len(row)))] = 1.0


@lru_cache(maxsize=1 << 16)
def _places(token: tuple[object, ...], width: int) -> tuple[int, int]:
    """The two inputs a token lights."""
    digest = blake2b(repr(token).encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "little") % width, int.from_bytes(digest[4:], "little") % width


def features_of_all(tree: Tree) -> np.ndarray:
    """`[D, P F]` at every decision, in the order of the nodes, what all players see, one after the other.

    The rules' features, else their views encoded onto 128 inputs each.
    """
    rules, known, rows = tree.rules, states(tree), []
    own = getattr(rules, "features", None)
    with asking(rules):
        for node in np.flatnonzero(tree.player >= 0):
            for player in range(tree.players):
                row = np.zeros(128, dtype=np.float32)
                if own is None:
                    encode(view_of(rules.view(known[node], player)), row)
                rows.append(row if own is None else numbers_of(tree.name, own(known[node], player)))
    return np.array(rows, dtype=np.float32).reshape(-1, tree.players * len(rows[0]))
