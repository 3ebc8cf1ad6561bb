"""Re-solved turns on small decks, with tiny settings."""

import pytest

from tefuda.errors import RunError
from tefuda.files import read_json, write_json
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.decks import turns
from tefuda_reproductions.papers import small_deck

every_root = turns.turn_roots
SMALL = {"iterations": 20, "resolving": 4, "draws": 30, "seeds": 1}


def test_in_small(tmp_path, monkeypatch):
    """All tables have their rows; saved figures are not computed again, damaged ones are refused."""
    monkeypatch.setattr(small_deck, "EARLIER", {key: small_deck.EARLIER[key] for key in [(12, "6/6/6")]})
    monkeypatch.setattr(small_deck, "GAMES", {12: small_deck.GAMES[12]})
    monkeypatch.setattr(turns, "turn_roots", lambda strategy: every_root(strategy)[:2])
    table = PAPERS["small-deck"](folder=str(tmp_path), **SMALL)
    games, blueprints, sampled = table.tables
    assert games.ours[0][:4] == games.published[0][:4] and games.ours[0][5] == pytest.approx(92.75, abs=0.005)
    assert blueprints.columns == ("blueprint", "max-margin", "cfr-d", "unsafe", "floor", "least")
    (row,) = blueprints.ours
    assert row[1] <= row[0] and row[2] <= row[0] and min(row) > 0
    assert sampled.rows == (("12", "1"),) and table.claims[0].met
    monkeypatch.setattr(small_deck, "figures", lambda *_: pytest.fail("computed again"))
    again = PAPERS["small-deck"](folder=str(tmp_path), **SMALL)
    assert again.tables[1].ours == blueprints.ours and again.tables[2].ours == sampled.ours
    file = next(tmp_path.glob("3-*.json"))
    write_json(file, {name: [1.0] for name in read_json(file)})
    with pytest.raises(RunError):
        PAPERS["small-deck"](folder=str(tmp_path), **SMALL)
