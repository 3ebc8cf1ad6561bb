"""Exploiting opponents at a three-player limit table, with tiny settings."""

from functools import partial

import numpy as np
import pytest

from tefuda.errors import RunError
from tefuda.files import read_json, write_json
from tefuda.holdem.buckets import clusters as page
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import limit_three
from tests.holdem.limits import flat

SMALL = {"deals": 1, "replicates": 2, "iterations": 200}
SIZE = {**SMALL, "seed": 1}


@pytest.fixture(autouse=True)
def merged_hands(monkeypatch):
    """Put all hands after the flop into one cell, which is quick to build."""
    monkeypatch.setattr(page, "_cache_by_seed", {0: flat()})
    monkeypatch.setattr(limit_three, "LINE_UPS", limit_three.LINE_UPS[:3])
    monkeypatch.setattr(limit_three, "SIMPLE", {"E": "raiser"})
    for reader in ("VirtualGameExploiter", "TableExploiter"):
        monkeypatch.setattr(limit_three, reader, partial(getattr(limit_three, reader), traversals=200))


def test_in_small(tmp_path, monkeypatch):
    """The table has every line-up; saved matches are reused, damaged ones are refused."""
    table = PAPERS["limit-three"](folder=str(tmp_path), **SMALL)
    (one,) = table.tables
    assert [row[0] for row in one.rows] == ["BDE", "ADE", "IDE"] and one.met is None
    assert all(sum(row) == pytest.approx(0, abs=1e-6) for row in one.ours) and one.ours[0][0] == one.ours[0][1]
    assert [claim.claim.split()[0] for claim in table.claims] == ["A", "A", "D", "I,"]
    assert table.claims[1].published == "+0.18 in Leduc" and table.claims[2].published == "+0.20 in Leduc"
    monkeypatch.setattr(limit_three, "duplicate_match", lambda *_, **__: pytest.fail("played again"))
    (file,) = tmp_path.glob("*.json")
    saved = read_json(file)
    again = limit_three.matches(None, None, file, SIZE, 1, pytest.fail)
    assert limit_three.table_of(again).ours == one.ours
    name = f"ADE/{'/'.join(map(str, SIZE.values()))}"
    for forged in (saved[name][:1], 5, [[None] * 3] * 2, [["x"] * 3] * 2, [[10**400] * 3] * 2):
        write_json(file, {**saved, name: forged})
        with pytest.raises(RunError):
            limit_three.matches(None, None, file, SIZE, 1, pytest.fail)


def test_nothing_is_evaluated_that_an_interval_leaves_open():
    def claim(units, deals=limit_three.ENOUGH):
        return limit_three._above("", 0.5, np.array(units), deals)

    assert claim([4.0, 5.0, 6.0]).met is True and claim([-4.0, -5.0, -6.0]).met is False
    assert claim([-1.0, 5.0, 6.0]).met is None and "holds 0" in claim([-1.0, 5.0, 6.0]).condition
    short = claim([4.0, 5.0, 6.0], limit_three.ENOUGH - 1)
    assert short.met is None and "evaluated after 5,000 deals" in short.condition and short.ours == "+5 ± 2"
    mean, half = limit_three.mean_and_half(np.array([4.0, 5.0, 6.0]))
    assert mean == 5 and half == pytest.approx(4.30265 / 3**0.5, abs=1e-4)  # Student's t of two degrees of freedom
