"""Compiled trees on disk."""

import numpy as np
import pytest

import tefuda as td
from tefuda import files
from tefuda.forms import cache, plan


def test_tree_cache_gives_the_same_tree(tmp_path, monkeypatch):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    game = td.load_game("leduc", players=3)
    first, second = td.compile_game(game), td.compile_game(game)
    (entry,) = (tmp_path / "trees").iterdir()
    assert first.fingerprint == second.fingerprint and first.keys == second.keys
    entry.write_bytes(entry.read_bytes()[:-1000])  # a damaged entry is rebuilt
    assert td.compile_game(game).fingerprint == first.fingerprint


@pytest.fixture(scope="module")
def tree():
    return td.compile_game(td.load_game("leduc"))


@pytest.fixture
def entry(tree, tmp_path):
    """Write a cached tree with some arrays or names replaced and a correct checksum."""

    def write(**others):
        arrays = {name: others.get(name, getattr(tree, name)) for name in cache._ARRAYS}
        names = {name: list(others.get(name, getattr(tree, name))) for name in cache._NAMES}
        files.write_arrays(tmp_path / "entry.npz", arrays, names)
        return tmp_path / "entry.npz"

    return write


def test_a_tree_is_read_as_it_was_written(tree, entry):
    found = cache.load_tree(entry(), tree.game)
    assert all(np.array_equal(getattr(found, name), getattr(tree, name)) for name in cache._ARRAYS)
    assert (found.keys, found.label_sets) == (tree.keys, tree.label_sets)


def wrong_trees(tree):
    """Return consistent trees that disagree with the rules, by kind of difference."""
    drawn = np.flatnonzero(tree.player == td.CHANCE)
    chance = tree.chance.copy()
    for node in drawn:
        first = tree.first_child[node]
        chance[first : first + 2] += (0.01, -0.01)
    sets = np.array([len(labels) for labels in tree.label_sets])
    twin = next(a for a in range(len(sets)) for b in range(a) if sets[a] == sets[b])
    labels = [
        tuple(f"{label}?" for label in one) if place == twin else one for place, one in enumerate(tree.label_sets)
    ]
    return {
        "payoffs": dict(payoffs=-tree.payoffs),
        "payoffs shifted": dict(payoffs=np.roll(tree.payoffs, 1, axis=0)),
        "chance": dict(chance=chance),
        "keys": dict(keys=tree.keys[1:] + tree.keys[:1]),
        "labels": dict(label_sets=labels),
    }


@pytest.mark.parametrize("what", ["payoffs", "payoffs shifted", "chance", "keys", "labels"])
def test_a_tree_that_the_rules_contradict_is_deleted(tree, entry, what):
    path = entry(**wrong_trees(tree)[what])
    assert cache.load_tree(path, tree.game) is None and not path.exists()


def test_a_tree_of_other_rules_is_deleted(tree, entry):
    assert cache.load_tree(entry(), td.load_game("leduc", distinct_suits=True)) is None
    assert cache.load_tree(entry(), td.load_game("kuhn")) is None


def test_every_cached_game_agrees_with_its_rules(tmp_path):
    """A tree compiled from the same rules passes the comparison, whatever the rules' type of numbers."""
    sizes = {"kuhn": {"players": 3}, "goofspiel": {"cards": 3}, "liars_dice": {"sides": 3}, "rps": {}}
    for name, parameters in sizes.items():
        tree = td.compile_game(td.load_game(name, **parameters))
        cache.save_tree(tmp_path / name, tree)
        assert cache.load_tree(tmp_path / name, tree.game) is not None, name


@pytest.mark.parametrize("error", [MemoryError(), OSError(28, "No space left on device"), RecursionError("deep")])
def test_the_cache_never_ends_a_solve(tmp_path, monkeypatch, error):
    """It is optional: a tree that cannot be written or read is compiled."""

    def broken(*arguments, **options):
        raise error

    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    monkeypatch.setattr(plan, "CACHE_FROM", 0)
    game = td.load_game("kuhn")
    whole = td.solve(game, "cfr", iterations=5)
    monkeypatch.setattr(cache, "check_fields", broken)
    assert td.solve(game, "cfr", iterations=5).nash_conv == whole.nash_conv
    monkeypatch.setattr(cache.json, "dumps", broken)
    with pytest.warns(UserWarning, match="cached"):
        cache.save_tree(tmp_path / "entry.npz", whole.tree)
    monkeypatch.undo()
    monkeypatch.setattr(files.np, "savez", broken)
    with pytest.warns(UserWarning, match="cached"):
        cache.save_tree(tmp_path / "entry.npz", whole.tree)
    assert not (tmp_path / "entry.npz").exists()
