"""The cache of compiled trees on disk.

A cached tree is validated before use: checksum, array types, shapes and ranges, consistency of the
arrays, and agreement with the rules along 200 games. An invalid file is deleted and the game is compiled
again. This detects damage, stale files and other games; the cache folder itself is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda import __version__
from tefuda.errors import RunError, error_text
from tefuda.files import LIST, ArraySpec, as_tuples, cache_folder, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.games.answers import outcomes_of, payoffs_of
from tefuda.games.catalogue import GAMES
from tefuda.games.parameters import game_parameters
from tefuda.games.protocol import CHANCE, TERMINAL, Game

_SAMPLES = 200  # games along which a cached tree is compared with its rules
NODE_ARRAYS = ("player", "parent", "first_child", "child_count", "infoset", "chance", "label_set")
_ARRAYS = (*NODE_ARRAYS, "terminals", "payoffs", "infoset_player", "infoset_labels", "first_row")
_NAMES = ("keys", "label_sets")


def is_of_package(game: Game) -> bool:
    """Return whether the rules are those of a game of this package."""
    return game.name in GAMES and type(game).__module__.startswith(("tefuda.games.", "tefuda.koikoi."))


def cache_path(game: Game) -> Path | None:
    """Return the cache file of a game of this package, or None for other games.

    The name depends on name, parameters, source code and package version.
    """
    if not is_of_package(game):
        return None
    place = Path(inspect.getfile(type(game)))
    # Rules in a folder of their own are in several files.
    files = [place] if type(game).__module__.startswith("tefuda.games.") else sorted(place.parent.glob("*.py"))
    rules = b"".join(file.read_bytes() for file in files)
    what = json.dumps([game.name, game_parameters(game), __version__], default=str).encode()
    return cache_folder() / "trees" / f"{game.name}-{hashlib.sha256(what + rules).hexdigest()[:24]}.npz"


def save_tree(path: Path, tree: Any) -> None:
    """Cache a tree unless JSON cannot represent its keys; warn if it cannot be written."""
    names = {name: list(getattr(tree, name)) for name in _NAMES}
    try:
        text = json.dumps(names)
        if as_tuples(json.loads(text)) != as_tuples(names):
            return
        write_arrays(path, {name: getattr(tree, name) for name in _ARRAYS}, names)
    except Exception as error:  # also MemoryError: the tree is complete without the file
        warnings.warn(f"the compiled tree was not cached: {str(error) or error_text(error)}", stacklevel=3)


def load_tree(path: Path, game: Game) -> dict[str, Any] | None:
    """Return the arrays and names of a cached tree, or delete the file and return None if it is invalid."""
    try:
        arrays, header = read_arrays(path)
        check_fields(path, header, dict.fromkeys(_NAMES, LIST))
        names = {name: as_tuples(header[name]) for name in _NAMES}
        if not all(isinstance(labels, tuple) for labels in names["label_sets"]):
            raise RunError(f"{path}: labels that are not lists")
        _check(path, arrays, names, game.players)
        hash(tuple(names.values()))
        sample = np.unique(np.linspace(0, len(arrays["terminals"]) - 1, _SAMPLES).astype(np.int64))
        if (node := disagreement({**arrays, **names}, game, sample)) is not None:
            raise RunError(f"{path}: the rules disagree at history {node}")
    except Exception:  # whatever a damaged file causes, MemoryError included: the game is compiled again
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return {**arrays, **names}


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


def disagreement(tree: Mapping[str, Any], game: Game, sample: np.ndarray) -> int | None:
    """Return a history at which the rules disagree with the fields of a tree, or None.

    sample: indices of the terminal histories whose games are compared.
    """
    agreed = set[int]()
    for place in sample.tolist():
        line, node = [], int(tree["terminals"][place])
        while node:
            line.append(node)
            node = int(tree["parent"][node])
        state = game.root()
        for child in reversed(line):
            if node not in agreed and _tree_answers(tree, node) != _rules_answers(game, state):
                return node
            agreed.add(node)
            labels = tree["label_sets"][tree["label_set"][node]]
            state = game.child(state, labels[child - int(tree["first_child"][node])])
            node = child
        payoffs = payoffs_of(game.payoffs(state), game.players) if game.player(state) == TERMINAL else ()
        if [float(payoff) for payoff in payoffs] != tree["payoffs"][place].tolist():
            return node
    return None


def _tree_answers(tree: Mapping[str, Any], node: int) -> tuple[int, Any, Any]:
    """Return player, labels, and infoset key or chance probabilities of an inner history."""
    player, labels = int(tree["player"][node]), tree["label_sets"][tree["label_set"][node]]
    first = int(tree["first_child"][node])
    if player == CHANCE:
        return player, labels, tree["chance"][first : first + len(labels)].tolist()
    return player, labels, tree["keys"][tree["infoset"][node]]


def _rules_answers(game: Game, state: Any) -> tuple[int, Any, Any]:
    """Return the same values by the rules."""
    player = game.player(state)
    if player == CHANCE:
        labels, chances = outcomes_of(game.chances(state))
        return player, labels, [float(chance) for chance in chances]
    if player == TERMINAL:
        return player, (), ()
    return player, tuple(game.actions(state)), game.view(state, player)


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
