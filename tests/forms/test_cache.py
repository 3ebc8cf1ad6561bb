"""Compiled trees on disk."""

import tefuda as tf


def test_tree_cache_gives_the_same_tree(tmp_path, monkeypatch):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    game = tf.load_game("leduc", players=3)
    first, second = tf.compile_game(game), tf.compile_game(game)
    (entry,) = (tmp_path / "trees").iterdir()
    assert first.fingerprint == second.fingerprint and first.keys == second.keys
    entry.write_bytes(entry.read_bytes()[:-1000])  # a damaged entry is built anew
    assert tf.compile_game(game).fingerprint == first.fingerprint
