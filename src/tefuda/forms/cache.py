"""The cache of compiled trees on disk.

A cached tree is validated before use: checksum, array types, shapes and ranges, consistency of the arrays, and
agreement with the rules along 200 plays or more. An invalid file is deleted and the game is compiled again. This
detects damage, stale files and other games; the cache folder itself is trusted.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError, error_text
from tefuda.files import LIST, ArraySpec, as_tuples, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.plan import CACHED
from tefuda.forms.tree import Tree
from tefuda.forms.verify import verify
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import CHANCE, TERMINAL, Game

_NODES = ("player", "parent", "first_child", "child_count", "infoset", "chance", "label_set")
_ARRAYS = (*_NODES, "terminals", "payoffs", "infoset_player", "infoset_labels", "first_row")
_NAMES = ("keys", "label_sets")


def save_tree(path: Path, tree: Tree) -> None:
    """Cache a tree unless JSON cannot represent its keys; warn if it cannot be written."""
    names = {name: list(getattr(tree, name)) for name in _NAMES}
    try:
        text = json.dumps(names)
        if as_tuples(json.loads(text)) != as_tuples(names):
            return
        write_arrays(path, {name: getattr(tree, name) for name in _ARRAYS}, names)
    except Exception as error:  # also MemoryError: the tree is complete without the file
        warnings.warn(f"the compiled tree was not cached: {str(error) or error_text(error)}", stacklevel=3)


def load_tree(path: Path, game: Game) -> Tree | None:
    """Return the cached tree of a game, or delete the file and return None if it is invalid."""
    try:
        arrays, header = read_arrays(path)
        check_fields(path, header, dict.fromkeys(_NAMES, LIST))
        names = {name: as_tuples(header[name]) for name in _NAMES}
        if not all(isinstance(labels, tuple) for labels in names["label_sets"]):
            raise RunError(f"{path}: labels that are not lists")
        _check(path, arrays, names, game.players)
        hash(tuple(names.values()))
        fields: dict[str, Any] = {**arrays, **names}
        tree = Tree(game.name, json_parameters(game), game.players, **fields, game=game)
        verify(tree, game, CACHED)
    except Exception:  # whatever a damaged file causes, MemoryError included: the game is compiled again
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return tree


def _check(path: Path, arrays: Mapping[str, np.ndarray], names: Mapping[str, Any], players: int) -> None:
    """Raise RunError for inconsistent arrays, which kernels could not traverse."""
    nodes, infosets, sets = len(arrays.get("player", ())), len(names["keys"]), len(names["label_sets"])
    number, count = ArraySpec("int32", (nodes,), 0, nodes - 1), ArraySpec("int16", (nodes,), 0)
    expected = {
        "player": ArraySpec("int8", (nodes,), TERMINAL, players - 1),
        "parent": ArraySpec("int32", (nodes,), -1, nodes - 1),
        "first_child": number,
        "child_count": count,
        "infoset": ArraySpec("int32", (nodes,), -1, infosets - 1),
        "chance": ArraySpec("float64", (nodes,), 0, 1 + 1e-9),
        "label_set": ArraySpec("int32", (nodes,), -1, sets - 1),
        "terminals": ArraySpec("int32", ("Z",), 0, nodes - 1),
        "payoffs": ArraySpec("float64", ("Z", players), -1e300, 1e300),
        "infoset_player": ArraySpec("int8", (infosets,), 0, players - 1),
        "infoset_labels": ArraySpec("int32", (infosets,), 0, sets - 1),
        "first_row": ArraySpec("int32", (infosets + 1,), 0),
    }
    check_arrays(path, arrays, expected)
    if not nodes or not _consistent(arrays, np.array([len(labels) for labels in names["label_sets"]], dtype=np.int64)):
        raise RunError(f"{path}: its arrays are inconsistent")


def _consistent(arrays: Mapping[str, np.ndarray], sizes: np.ndarray) -> bool:
    """Return whether arrays within their ranges describe a tree; sizes: lengths of the label sets."""
    player, counts, infoset = arrays["player"], arrays["child_count"].astype(np.int64), arrays["infoset"]
    inner, deciding, drawn = np.flatnonzero(player != TERMINAL), player >= 0, np.flatnonzero(player == CHANCE)
    parents = np.repeat(np.arange(len(player)), counts)
    ranks = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
    children = arrays["first_child"][parents] + ranks
    own, rows = infoset[deciding], np.diff(arrays["first_row"])
    parts = (
        len(parents) == len(player) - 1
        and np.array_equal(np.sort(children), np.arange(1, len(player)))
        and np.array_equal(arrays["parent"][children], parents)
        and bool((children > parents).all()),
        arrays["parent"][0] == -1 and np.array_equal(arrays["terminals"], np.flatnonzero(player == TERMINAL)),
        bool((counts[inner] > 0).all() and (arrays["label_set"][inner] >= 0).all()),
        np.array_equal(sizes[arrays["label_set"][inner]], counts[inner]),
        np.array_equal(infoset >= 0, deciding) and np.array_equal(arrays["infoset_player"][own], player[deciding]),
        np.array_equal(arrays["infoset_labels"][own], arrays["label_set"][deciding]),
        arrays["first_row"][0] == 0 and np.array_equal(rows, sizes[arrays["infoset_labels"]]),
    )
    if not all(parts):
        return False
    sums = np.bincount(parents, arrays["chance"][children], len(player))[drawn]
    return bool((np.abs(sums - 1) < 1e-9).all())
