"""The three-player experiments with tiny settings, and notes on the source."""

import pytest

from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import three_players
from tefuda_reproductions.papers.sources import SOURCES


def test_three_player_exploitation_in_small(monkeypatch):
    """All tables have the source's form; static rows are exact: CDE -1.872 / .533 / 1.339."""
    monkeypatch.setattr(three_players, "ITERATIONS", (10, 100))
    monkeypatch.setattr(three_players, "_SAMPLED_SEEDS", (1,))
    table = PAPERS["three-player-exploitation"](deals=6, replicates=2, iterations=600)
    assert [claim.name for claim in table.claims if claim.name] == [f"004-c{n}" for n in range(1, 23)]
    tables = {one.name: one for one in table.tables}
    assert list(tables) == ["table 1", "table 2", "table 3", "table 4", "table 5", "readings"]
    assert tables["table 1"].met and tables["table 1"].ours[0] == (1, 1, 4, 0)
    ours = dict(zip([row[0] for row in tables["table 2"].rows], tables["table 2"].ours, strict=True))
    assert ours["CDE"] == pytest.approx([-1.872, 0.533, 1.339], abs=0.05)
    assert ours["BDF"] == pytest.approx([0.4848, 0.4848, -0.9696], abs=0.03)
    assert ours["CDG"] == pytest.approx([-0.4493, 0.8985, -0.4493], abs=0.03)
    four = tables["table 4"]  # C by seat, exactly, as audited with another program
    assert [row[0] for row in four.ours[:6]] == pytest.approx([-2.63, -2.51, -2.53, -1.35, -1.14, -1.08], abs=0.03)
    assert four.rows[-1] == ("mean",) and four.published[-1] == pytest.approx(
        (-1.8579167, 0.8419333, 1.0159833), abs=1e-6
    )
    readings = dict(zip(tables["readings"].rows, tables["readings"].ours, strict=True))
    assert len(readings) == 4 and all(0.15 <= n[2] <= 0.2 for row, n in readings.items() if "chance" in row[0])
    status = {claim.name: claim.status for claim in table.claims}
    assert [status[f"004-c{n}"] for n in (1, 2, 12, 13, 15, 16, 22)] == ["met"] * 7
    assert (status["004-c6"], status["004-c11"]) == ("not met", "not met") and len(table.panels) == 6


def test_the_notes_of_source_003(run):
    """Two experiments have all claims; the printed algorithms agree with an audit by other programs."""
    names = [claim.name for name in ("cfr-theory", "mccfr-sampling") for claim in run(name).claims if claim.name]
    assert names == [f"003-{short}" for short in SOURCES["takizawa2020"].claims]
    tables = {one.name: one for one in run("cfr-theory").tables}
    (signs, right), (wrong, plus), (at_once, _) = tables["algorithms 1 to 4"].ours
    assert (signs, right) == (pytest.approx(0.666, abs=2e-3), pytest.approx(0.0145382128, rel=1e-6))
    assert 0.0455 <= wrong <= 0.0471 and 0.0135 <= at_once <= 0.0142 and 0.0004 <= plus <= 0.0006
    assert tables["algorithms 5, 6"].ours == ((0.5, 0.5), (0.5, -0.5))
    assert tables["section 4.4"].ours[0][0] == 0 and tables["section 4.4"].ours[1][0] > 0.2
