"""Value tables of Koi-Koi: learning, saving."""

import numpy as np
import pytest

import tefuda as td
import tefuda.koikoi.players.tables as tables_module
from tefuda.koikoi.players.ladder import PlayerConfiguration, duel
from tefuda.koikoi.players.tables import TableTraining, learn_tables, load, make_tables, save
from tefuda.koikoi.rules import PRESETS

STANDARD = PRESETS["standard"]


@pytest.mark.learner
def test_learned_tables_beat_greedy_play(learned):
    """After 300,000 rounds the gain is 1.26 +- .04 over four seeds; greedy stops at once.

    4,000 pairs of rounds: s.e. .08.
    """
    found = duel(STANDARD, PlayerConfiguration("tables"), PlayerConfiguration("greedy"), 4000, seed=2, tables=learned)
    assert found.error < 0.1 and found.mean > 1.26 - 4 * np.hypot(0.04, found.error)
    again = [learn_tables(STANDARD, TableTraining(20_000), seed=1).entries for _ in range(2)]
    assert np.array_equal(*again)


def test_tables_are_saved_and_loaded(tmp_path):
    tables = learn_tables(STANDARD, TableTraining(2000), seed=1)
    save(tables, tmp_path / "worth.npz")
    assert np.allclose(load(tmp_path / "worth.npz").entries, tables.entries, atol=1e-2)
    (tmp_path / "worth.npz").write_bytes(b"nothing")
    with pytest.raises(td.errors.RunError):
        load(tmp_path / "worth.npz")


def test_learning_resumes_from_tables_without_changing_them():
    """Rates fall to the last one; the sets are animals, ribbons and chaff with the sake cup."""
    nothing = make_tables()
    some = learn_tables(STANDARD, TableTraining(200), seed=1, tables=nothing)
    assert some.entries.any() and not nothing.entries.any()
    more = learn_tables(STANDARD, TableTraining(200), seed=2, tables=some)
    assert not np.array_equal(more.entries, learn_tables(STANDARD, TableTraining(200), seed=2).entries)
    assert [TableTraining(4).rate(done) for done in (0, 2, 4)] == pytest.approx([0.405, 0.4 * 0.5**1.5 + 0.005, 0.005])
    assert [int(cards).bit_count() for cards in nothing.sets] == [9, 10, 25]
    assert not int(nothing.sets[0] & nothing.sets[1])


def test_the_stream_continues_between_blocks_as_uint64(monkeypatch):
    """As int64, half of its numbers in [0, 1) would be negative, and players would explore."""
    given, learning = [], tables_module.kernels.learn
    monkeypatch.setattr(tables_module, "_BLOCK", 2)
    monkeypatch.setattr(tables_module.kernels, "learn", lambda *args: given.append(args[-1]) or learning(*args))
    learn_tables(STANDARD, TableTraining(6), seed=1)
    assert [type(one) for one in given] == [np.uint64] * 3 and len({int(one) for one in given}) == 3
