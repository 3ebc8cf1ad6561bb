"""Inputs and output units of networks: the game's own features, one-hot infosets, or encoded views."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import GameError, shortened
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import calling_rules, view_of
from tefuda.games.protocol import own_function


def infoset_features(tree: Tree) -> np.ndarray:
    """Return `[I, F]` the rules' ``features(state, player)`` at every infoset, else one-hot rows.

    Raises:
        GameError: no infoset, features of unequal length, or infosets with equal features.
    """
    if tree.infosets == 0:
        raise GameError(f"{tree.title} has no decisions, so there is nothing to learn.")
    features = own_function(tree.game, "features")
    if features is None:
        return np.eye(tree.infosets)
    known, places = states(tree), zip(tree.first_history.tolist(), tree.infoset_player.tolist(), strict=True)
    with calling_rules(tree.game):
        found = [feature_numbers(tree.name, features(known[node], player)) for node, player in places]
    if len({len(row) for row in found}) != 1:
        raise GameError(
            f"{tree.name}: features() gives {sorted({len(row) for row in found})} numbers; its length must be fixed."
        )
    rows = np.array(found)
    require_distinct(tree, rows.astype(np.float32), "features() gives the same numbers")
    return rows


def require_distinct(tree: Tree, rows: np.ndarray, fault: str) -> None:
    """Raise GameError if two infosets of a player have equal inputs `[I, F]`, hence equal strategies.

    fault: cause of equal inputs, for the message.
    """
    first: dict[tuple[int, bytes], int] = {}
    for number, (player, row) in enumerate(zip(tree.infoset_player.tolist(), rows, strict=True)):
        other = first.setdefault((player, row.tobytes()), number)
        if other != number:
            keys = f"{shortened(tree.keys[other])} and {shortened(tree.keys[number])}"
            raise GameError(
                f"{tree.name}: {fault} at the infosets {keys} of player {player}, so a network cannot "
                "distinguish them; they must differ wherever views do."
            )


def feature_numbers(name: str, features: Any) -> tuple[float, ...]:
    """Return features as finite floats; name: name of the game, for the message."""
    try:
        found = tuple(map(float, features))
    except (TypeError, ValueError, OverflowError):
        found = (np.nan,)
    if not np.isfinite(found).all():
        raise GameError(f"{name}: features() must return finite numbers; got {shortened(features)}.")
    return found


@dataclass(frozen=True)
class Units:
    """Output units of networks, one for each label.

    legal: `[I, U]` uint8, 1 where a unit is an action of the infoset.
    action: `[I, U]` int32, the index of the unit's action; an illegal unit has that of the nearest legal one.
    """

    legal: np.ndarray  # [I, U] uint8
    action: np.ndarray  # [I, U] int32


def unit_weights(tree: Tree, action: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
    """Return `[R]` weights of rows from those of units `[I, U]`; action: see `Units`."""
    rows = tree.first_row[:-1, None] + action
    return np.bincount(rows.ravel(), by_unit.astype(np.float64).ravel(), minlength=tree.rows)


def infoset_units(tree: Tree) -> Units:
    """Return the output units of every infoset."""
    labels = [tree.labels(number) for number in range(tree.infosets)]
    unit_of = {label: unit for unit, label in enumerate(dict.fromkeys(label for row in labels for label in row))}
    legal = np.zeros((tree.infosets, len(unit_of)), dtype=np.uint8)
    action = np.zeros((tree.infosets, len(unit_of)), dtype=np.int32)
    for number, row in enumerate(labels):
        units = np.array([unit_of[label] for label in row])
        legal[number, units] = 1
        action[number] = nearest_units(units, len(unit_of))
    return Units(legal, action)


def nearest_units(units: np.ndarray, count: int) -> np.ndarray:
    """Return `[count]` the index of the nearest of some units, for every unit."""
    return np.asarray(np.abs(np.arange(count)[:, None] - units[None, :]).argmin(axis=1))


class Token(NamedTuple):
    """A part of a view: its path of indices, and the part as (kind, text)."""

    place: tuple[int, ...]
    part: tuple[str, str]


_END = ("end", "")  # of a group


def tokens(view: Hashable, place: tuple[int, ...] = ()) -> Iterator[Token]:
    """Yield the parts of a view: letters of texts, other items by ``repr``, group starts and ends.

    Two views with the same set of tokens, ends excluded, are equal, except for items that print equally.
    A text is no group if it is the whole view or a single letter.
    """
    if isinstance(view, str):
        grouped = place != () and len(view) != 1
        if grouped:
            yield Token(place, ("text", ""))
        for number, letter in enumerate(view):
            yield Token((*place, number), ("letter", letter))
        if grouped:
            yield Token(place, _END)
    elif isinstance(view, (tuple, frozenset)):
        yield Token(place, (("set", "") if isinstance(view, frozenset) else ("tuple", "")))
        members = sorted(view, key=lambda one: repr([*tokens(one)])) if isinstance(view, frozenset) else view
        for number, member in enumerate(members):
            yield from tokens(member, (*place, number))
        yield Token(place, _END)
    else:
        yield Token(place, ("item", repr(view)))


def encode_view(view: Hashable, row: np.ndarray) -> None:
    """Set inputs of a zero row `[width]` to 1 by digests: two per token (ends excluded), four per view."""
    parts = list(tokens(view))
    for token in parts:
        if token.part != _END:
            row[list(_inputs(token, len(row))[:2])] = 1.0
    row[list(_digest_inputs(tuple(parts), len(row)))] = 1.0  # views whose tokens have the same inputs differ here


def _digest_inputs(known: Token | tuple[Token, ...], width: int) -> tuple[int, ...]:
    """Return four inputs for a token or a whole view, by its digest."""
    digest = blake2b(repr(known).encode(), digest_size=16).digest()
    return tuple(int.from_bytes(digest[start : start + 4], "little") % width for start in range(0, 16, 4))


_inputs = lru_cache(maxsize=1 << 16)(_digest_inputs)  # of tokens, which recur; views hardly do


def features_of_all_players(tree: Tree) -> np.ndarray:
    """Return `[D, P F]` the features of all players in turn at every decision, in the order of the nodes.

    Without features, views are encoded with the smallest of `_WIDTHS` that separates them.

    Raises:
        GameError: no width separates the views, or features are not finite or of unequal length.
    """
    rules, known, nodes = tree.game, states(tree), np.flatnonzero(tree.player >= 0)
    own = own_function(rules, "features")
    with calling_rules(rules):
        if own is None:
            views = [[view_of(rules.view(known[node], player)) for player in range(tree.players)] for node in nodes]
            return _encode_distinct(tree.name, views)
        rows = [
            feature_numbers(tree.name, own(known[node], player)) for node in nodes for player in range(tree.players)
        ]
    return np.array(rows, dtype=np.float32).reshape(len(nodes), -1)


#: Inputs that views are encoded onto for networks of histories.
_WIDTHS = (128, 512, 2048)


def _encode_distinct(name: str, views: list[list[Hashable]]) -> np.ndarray:
    """Return `[D, P F]` the encoded views of all players at every decision; distinct views differ."""
    different = {view for row in views for view in row}
    for width in _WIDTHS:
        row_of = {view: np.zeros(width, dtype=np.float32) for view in different}
        for view, row in row_of.items():
            encode_view(view, row)
        if len({row.tobytes() for row in row_of.values()}) == len(different):
            return np.array([np.concatenate([row_of[view] for view in row]) for row in views])
    raise GameError(
        f"{name}: some of its {len(different):,} views are equal on {_WIDTHS[-1]:,} inputs; give the rules "
        "features(state, player) that differ wherever views do."
    )
