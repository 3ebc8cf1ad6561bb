"""Value tables by rules: shipped, cached, learned; and the files they are shipped in."""

import json
import lzma
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.match_state import OutcomeCounts
from tefuda.koikoi.players import archive
from tefuda.koikoi.players.archive import (
    SHORT,
    cache_path,
    load_shipped,
    load_tables,
    make_shipped,
    nearest_preset,
    shipped_outcomes,
    shipped_path,
)
from tefuda.koikoi.players.ladder import PlayerConfiguration, duel
from tefuda.koikoi.players.tables import TableTraining, make_tables
from tefuda.koikoi.rules import PRESETS, KoiKoiRules, Yaku, find_rules, rules_after_deal

STANDARD = PRESETS["standard"]
LITTLE = TableTraining(2000)


@pytest.fixture
def unlearned(monkeypatch):
    """Refuse learning, and empty the cache."""
    monkeypatch.setattr(archive, "learn_tables", lambda *_, **__: pytest.fail("tables are learned"))
    monkeypatch.setattr(archive, "load", lambda *_: pytest.fail("tables are cached"))


@pytest.mark.parametrize("preset", PRESETS)
def test_tables_of_every_preset_are_shipped(preset, unlearned):
    """They load, have outcomes, and beat greedy play by 0.9 points a round (docs/results/koikoi.md)."""
    rules = PRESETS[preset]
    found = duel(
        rules, PlayerConfiguration("tables"), PlayerConfiguration("greedy"), 2000, seed=3, tables=load_tables(rules)
    )
    assert found.mean > max(0.5, 5 * found.error)
    outcomes = shipped_outcomes(rules)
    assert outcomes.points.sum() == 200_000 and sum(outcomes.chances.values()) == pytest.approx(1)
    assert outcomes.points[151:].sum() > outcomes.points[:150].sum() > 50_000  # the dealer wins more often


def test_all_shipped_tables_take_at_most_four_megabytes():
    places = {shipped_path(rules) for rules in PRESETS.values()}
    assert sum(place.stat().st_size for place in places) < 4_000_000
    assert len(places) == len(PRESETS) - 1 and shipped_path(PRESETS["bga_hard"]) == shipped_path(STANDARD)
    assert {place.name for place in places} == {
        one.name for one in Path(shipped_path(STANDARD)).parent.glob("*tables*")
    }


def test_rules_that_are_equal_after_the_deal_share_tables():
    for other in (
        find_rules(rounds=3, start=30, draw_dealer="keep", redeal=(), teyaku=0),
        replace(STANDARD, extra=(Yaku("tsukifuda", "", 15, 4, 4),)),
        find_rules(tsukifuda=4),
    ):
        assert shipped_path(other) == shipped_path(STANDARD) is not None
    for other in (
        find_rules(max_koikoi=2),
        find_rules(weather=True),
        find_rules(exhaustion=1),
        replace(STANDARD, extra=(Yaku("own", "", 15, 4, 4),)),
    ):
        assert (
            shipped_path(other) is None
            and shipped_outcomes(other) is None
            and rules_after_deal(other) != rules_after_deal(STANDARD)
        )
    assert nearest_preset(find_rules("koikoi_japan", exhaustion=0)) == rules_after_deal(PRESETS["koikoi_japan"])
    assert nearest_preset(find_rules(double_at=9, goko=11)) == rules_after_deal(STANDARD)


def test_other_tables_are_learned_once(tmp_path, monkeypatch):
    """The learner plays 1.5 million rounds from the nearest shipped tables (15 s), or the given training."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    asked, rules = [], find_rules("koikoi_japan", max_koikoi=2)

    def learn_tables(rules, learning, *, tables, progress):
        asked.append((rules, learning, tables))
        return make_tables(np.full(make_tables().entries.shape, 0.5 + len(asked), dtype=np.float32))

    monkeypatch.setattr(archive, "learn_tables", learn_tables)
    assert (
        SHORT.rounds == 1_500_000
        and load_tables(rules).entries.max() == 1.5
        and load_tables(rules).entries.max() == 1.5
    )
    (learned_rules, learning, start), near = asked[0], rules_after_deal(PRESETS["koikoi_japan"])
    assert (
        (learned_rules, learning) == (rules_after_deal(rules), SHORT)
        and nearest_preset(rules) == near
        and start is load_shipped(shipped_path(near))[0]
    )
    assert load_tables(STANDARD, LITTLE).entries.max() == 2.5 and asked[1:] == [
        (rules_after_deal(STANDARD), LITTLE, None)
    ]
    cache_path(rules, SHORT).write_bytes(b"damaged")
    assert load_tables(rules).entries.max() == 3.5


def test_learned_tables_are_cached(tmp_path, monkeypatch):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    reports = []
    first = load_tables(STANDARD, LITTLE, progress=lambda done, all_: reports.append((done, all_)))
    assert reports == [(0, 2000), (2000, 2000)] and np.array_equal(load_tables(STANDARD, LITTLE).entries, first.entries)
    assert load_tables(find_rules("standard", rounds=3), LITTLE, progress=pytest.fail).entries.any()
    assert not cache_path(find_rules(weather=True), LITTLE).exists()
    assert not cache_path(STANDARD, TableTraining(2000, explore=0.1)).exists()
    assert not cache_path(replace(STANDARD, extra=(Yaku("own", "", 15, 4, 4),)), LITTLE).exists()


# Files.


def outcomes(rng):
    return OutcomeCounts(rng.integers(0, 9, 301), rng.integers(0, 9, (61, 301)))


def test_shipped_files_are_saved_and_loaded(tmp_path, monkeypatch):
    """Files store the smallest and the largest numbers; the command gives the same bits twice."""
    rng, file, shape = np.random.default_rng(1), tmp_path / "a.safetensors", make_tables().entries.shape
    steps = np.zeros(shape, dtype="<i2")
    steps[1, 5, :9000] = rng.integers(-(2**15), 2**15, 9000)
    steps[0, 3, :5] = -(2**15), -1, 0, 1, 2**15 - 1
    counts = outcomes(rng)
    archive._save(file, STANDARD, steps, counts, seed=1)
    tables, found = load_shipped(file)
    assert np.array_equal(tables.entries, (steps * np.float32(0.05)).astype(np.float32))
    assert np.array_equal(found.points, counts.points) and np.array_equal(found.points_by_value, counts.points_by_value)
    monkeypatch.setattr(archive, "_COUNTED_ROUNDS", 100)
    for name in "bc":
        make_shipped(tmp_path / f"{name}.safetensors", PRESETS["no_sake"], TableTraining(300), 5)
    data = (tmp_path / "b.safetensors").read_bytes()
    assert data == (tmp_path / "c.safetensors").read_bytes() and b'seed\\": 5, \\"rounds\\": 300' in data


def forged(whole):
    """Yield files that are not value tables of the preset standard."""
    from safetensors.numpy import load, save

    size = int.from_bytes(whole[:8], "little")
    arrays, header = load(whole), whole[8 : 8 + size]
    yield b""
    yield whole[:-1]
    yield whole[:-50_000]
    yield struct.pack("<Q", 2**60) + whole[8:]
    yield save(arrays)  # no metadata
    yield whole.replace(b'format\\": 1', b'format\\": 2')
    at = header.index(b"sha256") + 8 + 20
    yield whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    yield whole.replace(b'max_koikoi\\": null', b'max_koikoi\\": 1   ')
    yield with_metadata(save(arrays), {"about": "[]"})
    yield with_metadata(save(arrays), {"about": "[" * 100_000})
    for place in (size + 500, len(whole) - 500):
        yield whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :]
    for name, size in (("entries", 10**7), ("entries", 10), ("outlook", 10**6)):
        packed = np.frombuffer(lzma.compress(bytes(size)), dtype=np.uint8)
        yield with_metadata(save({**arrays, name: packed}), json.loads(header)["__metadata__"])
    yield with_metadata(save({"entries": arrays["entries"]}), json.loads(header)["__metadata__"])


def with_metadata(data, metadata):
    """Return a file with other metadata."""
    size = int.from_bytes(data[:8], "little")
    found = {"__metadata__": metadata, **json.loads(data[8 : 8 + size])}
    text = json.dumps(found).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


def test_forged_files_are_refused(tmp_path, monkeypatch):
    """The error names the file; the decompressed size is limited."""
    whole = shipped_path(STANDARD).read_bytes()
    for number, data in enumerate(forged(whole)):
        file = tmp_path / f"{number}.safetensors"
        file.write_bytes(data)
        monkeypatch.setattr(archive, "_shipped", lambda file=file: {rules_after_deal(STANDARD): file})
        assert data != whole
        with pytest.raises(td.errors.RunError, match=file.name):
            load_shipped(file)
    with pytest.raises(td.errors.RunError, match="absent"):
        load_shipped(tmp_path / "absent")


def test_tables_of_other_rules_are_refused(tmp_path, monkeypatch):
    file = shipped_path(PRESETS["no_sake"])
    copy = tmp_path / "a.safetensors"
    copy.write_bytes(file.read_bytes())
    monkeypatch.setattr(archive, "_shipped", lambda: {rules_after_deal(STANDARD): copy})
    with pytest.raises(td.errors.RunError, match="rules"):
        load_shipped(copy)


def test_counts_are_not_negative(tmp_path):
    wrong = outcomes(np.random.default_rng(1))
    wrong.points_by_value[3, 5] = -1
    archive._save(tmp_path / "a.safetensors", KoiKoiRules(), np.zeros(make_tables().entries.shape, dtype="<i2"), wrong)
    with pytest.raises(td.errors.RunError, match="negative"):
        load_shipped(tmp_path / "a.safetensors")
