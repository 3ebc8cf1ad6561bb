"""Value tables by rules: shipped, cached, learned; and the files they are shipped in."""

import json
import lzma
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.players import archive
from tefuda.koikoi.players.archive import (
    SHORT,
    cached_at,
    known,
    make,
    nearest,
    pack,
    place_of,
    shipped_outlook,
    unpacked,
)
from tefuda.koikoi.players.ladder import Recipe, duel
from tefuda.koikoi.players.worth import Learning, tables
from tefuda.koikoi.rules import PRESETS, KoiKoiRules, Yaku, find_rules, once_dealt
from tefuda.koikoi.standing import Outlook

STANDARD = PRESETS["standard"]
LITTLE = Learning(2000)


@pytest.fixture
def unlearned(monkeypatch):
    """Nothing may be learned, and nothing is in the cache."""
    monkeypatch.setattr(archive, "learn", lambda *_, **__: pytest.fail("tables are learned"))
    monkeypatch.setattr(archive, "load", lambda *_: pytest.fail("tables are cached"))


@pytest.mark.parametrize("preset", PRESETS)
def test_tables_of_every_preset_are_shipped(preset, unlearned):
    """They are loaded, beat greedy play (docs/koikoi.md: by 0.9 points a round and more), and know the rounds."""
    rules = PRESETS[preset]
    found = duel(rules, Recipe("tables"), Recipe("greedy"), 2000, seed=3, worth=known(rules))
    assert found.mean > max(0.5, 5 * found.error)
    outlook = shipped_outlook(rules)
    assert outlook.ended.sum() == 200_000 and sum(outlook.chances.values()) == pytest.approx(1)
    assert outlook.ended[151:].sum() > outlook.ended[:150].sum() > 50_000  # the dealer wins more often


def test_all_shipped_tables_take_at_most_four_megabytes():
    places = {place_of(rules) for rules in PRESETS.values()}
    assert sum(place.stat().st_size for place in places) < 4_000_000
    assert len(places) == len(PRESETS) - 1 and place_of(PRESETS["bga_hard"]) == place_of(STANDARD)
    assert {place.name for place in places} == {one.name for one in Path(place_of(STANDARD)).parent.glob("*tables*")}


def test_rules_that_are_alike_once_the_cards_are_dealt_share_tables():
    for other in (
        find_rules(rounds=3, start=30, draw_dealer="keep", redeal=(), teyaku=0),
        replace(STANDARD, extra=(Yaku("tsukifuda", "", 15, 4, 4),)),
        find_rules(tsukifuda=4),
    ):
        assert place_of(other) == place_of(STANDARD) is not None
    for other in (
        find_rules(max_koikoi=2),
        find_rules(weather=True),
        find_rules(exhaustion=1),
        replace(STANDARD, extra=(Yaku("own", "", 15, 4, 4),)),
    ):
        assert place_of(other) is None and shipped_outlook(other) is None and once_dealt(other) != once_dealt(STANDARD)
    assert nearest(find_rules("koikoi_japan", exhaustion=0)) == once_dealt(PRESETS["koikoi_japan"])
    assert nearest(find_rules(double_at=9, goko=11)) == once_dealt(STANDARD)


def test_other_tables_are_learned_once(tmp_path, monkeypatch):
    """From the nearest shipped ones, in 1.5 million rounds (15 s of one core); as many as are asked, from nothing."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    asked, rules = [], find_rules("koikoi_japan", max_koikoi=2)

    def learn(rules, learning, *, worth, progress):
        asked.append((rules, learning, worth))
        return tables(np.full(tables().entries.shape, 0.5 + len(asked), dtype=np.float32))

    monkeypatch.setattr(archive, "learn", learn)
    assert SHORT.rounds == 1_500_000 and known(rules).entries.max() == 1.5 and known(rules).entries.max() == 1.5
    (of, how, start), near = asked[0], once_dealt(PRESETS["koikoi_japan"])
    assert (of, how) == (once_dealt(rules), SHORT) and nearest(rules) == near and start is unpacked(place_of(near))[0]
    assert known(STANDARD, LITTLE).entries.max() == 2.5 and asked[1:] == [(once_dealt(STANDARD), LITTLE, None)]
    cached_at(rules, SHORT).write_bytes(b"damaged")
    assert known(rules).entries.max() == 3.5


def test_learned_tables_are_cached(tmp_path, monkeypatch):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    told = []
    first = known(STANDARD, LITTLE, progress=lambda done, all_: told.append((done, all_)))
    assert told == [(0, 2000), (2000, 2000)] and np.array_equal(known(STANDARD, LITTLE).entries, first.entries)
    assert known(find_rules("standard", rounds=3), LITTLE, progress=pytest.fail).entries.any()
    assert not cached_at(find_rules(weather=True), LITTLE).exists()
    assert not cached_at(STANDARD, Learning(2000, explore=0.1)).exists()
    assert not cached_at(replace(STANDARD, extra=(Yaku("own", "", 15, 4, 4),)), LITTLE).exists()


# Files.


def outlook(rng):
    return Outlook(rng.integers(0, 9, 301), rng.integers(0, 9, (61, 301)))


def test_what_is_packed_is_unpacked(tmp_path, monkeypatch):
    """Every number from the least to the largest; and the command gives the same bits twice."""
    rng, file, shape = np.random.default_rng(1), tmp_path / "a.safetensors", tables().entries.shape
    steps = np.zeros(shape, dtype="<i2")
    steps[1, 5, :9000] = rng.integers(-(2**15), 2**15, 9000)
    steps[0, 3, :5] = -(2**15), -1, 0, 1, 2**15 - 1
    counts = outlook(rng)
    pack(file, STANDARD, steps, counts, seed=1)
    worth, found = unpacked(file)
    assert np.array_equal(worth.entries, (steps * np.float32(0.05)).astype(np.float32))
    assert np.array_equal(found.ended, counts.ended) and np.array_equal(found.thought, counts.thought)
    monkeypatch.setattr(archive, "_SURVEYED", 100)
    for name in "bc":
        make(tmp_path / f"{name}.safetensors", PRESETS["no_sake"], Learning(300), 5)
    data = (tmp_path / "b.safetensors").read_bytes()
    assert data == (tmp_path / "c.safetensors").read_bytes() and b'seed\\": 5, \\"rounds\\": 300' in data


def forged(whole):
    """Files that are no value tables of the preset standard."""
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
    """A file with other metadata."""
    size = int.from_bytes(data[:8], "little")
    found = {"__metadata__": metadata, **json.loads(data[8 : 8 + size])}
    text = json.dumps(found).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


def test_forged_files_are_refused(tmp_path, monkeypatch):
    """With an error that names the file; no more is unpacked than tables take."""
    whole = place_of(STANDARD).read_bytes()
    for number, data in enumerate(forged(whole)):
        file = tmp_path / f"{number}.safetensors"
        file.write_bytes(data)
        monkeypatch.setattr(archive, "_shipped", lambda file=file: {once_dealt(STANDARD): file})
        assert data != whole
        with pytest.raises(td.RunError, match=file.name):
            unpacked(file)
    with pytest.raises(td.RunError, match="absent"):
        unpacked(tmp_path / "absent")


def test_tables_of_other_rules_are_refused(tmp_path, monkeypatch):
    file = place_of(PRESETS["no_sake"])
    copy = tmp_path / "a.safetensors"
    copy.write_bytes(file.read_bytes())
    monkeypatch.setattr(archive, "_shipped", lambda: {once_dealt(STANDARD): copy})
    with pytest.raises(td.RunError, match="rules"):
        unpacked(copy)


def test_counts_are_not_negative(tmp_path):
    wrong = outlook(np.random.default_rng(1))
    wrong.thought[3, 5] = -1
    pack(tmp_path / "a.safetensors", KoiKoiRules(), np.zeros(tables().entries.shape, dtype="<i2"), wrong)
    with pytest.raises(td.RunError, match="negative"):
        unpacked(tmp_path / "a.safetensors")
