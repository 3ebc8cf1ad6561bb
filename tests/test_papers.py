"""Published experiments run again: tables in their sources' form, every claim with our verdict."""

import csv
import io
import json

import numpy as np
import pytest
from bench import claims
from typer.testing import CliRunner

import tefuda as tf
from tefuda.apps.cli import app
from tefuda.papers.catalogue import PAPERS, kuhn_cfr, nfsp_exploration, three_player_verdicts
from tefuda.papers.claims import Claim, ClaimTable, PublishedTable, Source, unjudged, verdict
from tefuda.papers.sources import SOURCES
from tests.conftest import compiled

#: What is not met, of the experiments that are quick; the others run in small in test_sweep.py (nfsp), test_adaptive.py
#: (three players) and test_safe.py.
NOT_MET = {name: set() for name in ("cfr-sweeps", "kuhn-chance", "mccfr-sampling", "rps-matching")}
NOT_MET["kuhn-cfr"] = {"000-c7"}

PAPER_SOURCES = {
    "kuhn-cfr": SOURCES["takeuchi2020"],
    "kuhn-chance": SOURCES["yamaoka2020"],
    "cfr-sweeps": SOURCES["takizawa2020"],
    "nfsp-exploration": SOURCES["kawamura2018"],
    "three-player-exploitation": SOURCES["furui2011"],
}


@pytest.fixture(scope="module")
def run():
    """The table of an experiment, run once."""
    found = {}

    def once(name):
        if name not in found:
            found[name] = PAPERS[name]()
        return found[name]

    return once


@pytest.mark.parametrize("name", NOT_MET)
def test_what_is_met(run, name):
    """000-c7: the article's text clips regrets, its table comes from code that does not."""
    table = run(name)
    assert {claim.name for claim in table.claims if claim.met is False} == NOT_MET[name]
    assert all(one.met is not False for one in table.tables), [one.score for one in table.tables]
    assert table.met is not NOT_MET[name] and table.summary()["met"] == (not NOT_MET[name])
    json.dumps(table.summary(), allow_nan=False)


@pytest.mark.parametrize("name, key", [("kuhn-cfr", "takeuchi2020"), ("kuhn-chance", "yamaoka2020")])
def test_all_claims_of_a_source_are_known(run, name, key):
    names = [claim.name for claim in run(name).claims if claim.name]
    assert names == [f"{SOURCES[key].number}-{short}" for short in SOURCES[key].claims]


def test_tables_have_the_sources_form(run):
    """000: card, history, both actions; 002: eleven rows and the missing one; the worked example by hand."""
    a, b, example = run("kuhn-cfr").tables
    assert (len(a.rows), len(b.rows), b.heads) == (12, 12, ("card", "history"))
    assert b.columns == ("bet or call", "check or fold") and b.published[0] == (0.2077473540513475, 0.7922526459486573)
    assert example.ours[6][0] == pytest.approx(-5 / 4) and example.reference == "by hand"
    rows, value = run("kuhn-chance").tables
    assert [row[0] for row, cells in zip(rows.rows, rows.published, strict=True) if cells[0] is None] == ["1pb"]
    assert value.published == ((-0.05496601204878785,),) and value.tolerance <= 0.004


def test_what_is_off_is_told_and_starred():
    """A cell beyond its tolerance, one without a figure, and one that is not judged."""
    table = PublishedTable(
        "t", "", ("row",), (("a",), ("b",)), ("x", "y"), ((1.0, None), (2.0, 3.0)), ((1.2, 5.0), (2.0, 3.5)),
        ((0.1, 0.1), (0.1, 1.0)), ((0.01, None), (0.0, 0.5)), "error", "within",
    )  # fmt: skip
    assert [cell.met for cell in table.cells()] == [False, None, True, True] and not table.met
    assert table.score == "not met (2 of 3 cells within)"
    heads, rows = table.shown()
    assert heads == ["row", "x, published", "x, ours", "y, published", "y, ours"]
    assert rows[0] == ["a", "1.0000", "1.2000 ± 0.0100*", "", "5.0000"]
    found = ClaimTable("", (), tables=(table,))
    assert not found.met and found.score.endswith("; 0 of 1 tables met")
    lines = list(csv.reader(io.StringIO(found.csv())))
    assert lines[1] == ["t", "a", "x", "1.0", "1.2", "0.01", "not met"] and lines[2][3] == "" and len(lines) == 5
    unseen = PublishedTable("t", "", ("row",), (("a",),), ("x",), ((None,),), ((1.0,),))
    assert unseen.met is None and unseen.shown()[0] == ["row", "x"] and ClaimTable("", (), tables=(unseen,)).met


def test_verdicts():
    """Claims keep the source's order; what nobody judges does not count as met or as not met."""
    source = Source("9", "x", "x", {"c1": "one", "c2": "two", "c3": "three"})
    claims = source.judged({"c3": unjudged("why"), "c1": verdict(np.bool_(False), "0", "at least 1")})
    assert [(claim.name, claim.what, claim.status) for claim in claims] == [
        ("9-c1", "one", "not met"), ("9-c3", "three", "not judged"),
    ]  # fmt: skip
    assert not ClaimTable("", claims).met and ClaimTable("", claims[1:]).met
    assert ClaimTable("", claims).score == "0 claims met, 1 not met, 1 not judged"
    assert Claim("", "", "", "", True).status == "met"


def test_kuhns_family():
    """Any alpha in 0..1/3 is an equilibrium; beyond it is none."""
    tree = compiled("kuhn")
    assert all(tf.nash_conv(tree, kuhn_cfr.member(tree, alpha)) < 1e-12 for alpha in (0, 0.1, 1 / 3))
    row = dict(kuhn_cfr.family(0.2))
    assert (row["0: K|"], row["0: Q|pb"]) == (pytest.approx(0.6), pytest.approx(0.2 + 1 / 3))


REFUSED = {
    "no such option": ({"gmaes": 5}, "games"),
    "not whole": ({"games": 1e6 + 0.5}, "whole number"),
    "too few": ({"seeds": 0}, "from 1 to"),
    "a number for a folder": ({"folder": 3}, "a text"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_options_are_checked_before_anything_runs(what):
    options, cure = REFUSED[what]
    with pytest.raises(tf.TefudaError, match=cure):
        PAPERS["nfsp-exploration"](lambda text: pytest.fail("it ran"), **options)


def test_whole_numbers_may_be_written_1e6():
    assert PAPERS["nfsp-exploration"].checked({"games": 1e6}) == {"games": 1_000_000}


def test_reproduce_on_the_command_line(tmp_path, monkeypatch):
    """Tables as JSON and CSV and pictures; the exit code says whether all is met; help names options and time."""
    monkeypatch.chdir(tmp_path)
    call = CliRunner().invoke
    done = call(app, ["reproduce", "rps-matching", "--json", "--csv", "x.csv", "--png", "x.png"])
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert done.exit_code == 0 and found["met"] and found["tables"][0]["rows"][1] == ["itself"]
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 7 and (tmp_path / "x.png").stat().st_size > 10_000
    text = call(app, ["reproduce", "nfsp-exploration", "--help"]).stdout
    assert "--games" in text and "10000000" in text and "an hour" in text
    assert "rps-matching" in call(app, ["reproduce", "--help"]).stdout
    refused = call(app, ["reproduce", "rps-matching", "--csv", "nowhere/x.csv"])
    assert refused.exit_code == 2 and "no folder" in refused.stderr
    assert call(app, ["reproduce", "kuhn-cfr"]).exit_code == 1


def test_nfsp_exploration_in_small(tmp_path, monkeypatch, in_threads):
    """Every claim stands in the table, in the unit named, with limits from exact solvers; nothing is trained twice."""
    monkeypatch.setattr(nfsp_exploration, "EPSILONS", (0.01, 0.05, 0.1))
    small = {"games": 1000, "seeds": 2, "workers": 1, "folder": str(tmp_path)}
    table = PAPERS["nfsp-exploration"](**small)
    assert [claim.name for claim in table.claims if claim.name] == [f"001-c{n}" for n in range(1, 17)]
    assert [one.name.split(",")[0] for one in table.tables] == ["table 1", "table 1", "figure 1", "figure 1"]
    assert not table.met and any("limit of D 0.0277" in note for note in table.notes) and len(table.panels) == 6
    assert len(list(tmp_path.iterdir())) == 2 * (4 * 2 + 2 * 2)
    figure = table.tables[2]
    assert figure.published[3] == (0.268, 0.023) and figure.published[0] == (0.038, 0.04)
    assert figure.ours[3][0] == table.tables[0].ours[2][0] and figure.error[1] == (
        None,
        None,
    )  # one run has no deviation
    average = table.tables[0].ours[0][0]
    assert average > 4  # NashConv of the average, not of greedy values: nearly uniform after 1,000 games


def test_three_player_exploitation_in_small():
    """All tables in the source's form; static rows are exact: CDE -1.872 / .533 / 1.339, as tables differ."""
    table = PAPERS["three-player-exploitation"](deals=16, replicates=2, iterations=600)
    assert [claim.name for claim in table.claims if claim.name] == [f"004-c{n}" for n in range(1, 23)]
    tables = {one.name: one for one in table.tables}
    assert list(tables) == ["table 1", "table 2", "table 3", "table 4", "table 5", "readings"]
    assert tables["table 1"].met and tables["table 1"].ours[0] == (1, 1, 4, 0)
    ours = dict(zip([row[0] for row in tables["table 2"].rows], tables["table 2"].ours, strict=True))
    assert ours["CDE"] == pytest.approx([-1.872, 0.533, 1.339], abs=0.05)
    assert ours["BDF"] == pytest.approx([0.4848, 0.4848, -0.9696], abs=0.03)
    assert ours["CDG"] == pytest.approx([-0.4493, 0.8985, -0.4493], abs=0.03)
    four = tables["table 4"]  # C by seating, exactly, as audited with another program
    assert [row[0] for row in four.ours[:6]] == pytest.approx([-2.63, -2.51, -2.53, -1.35, -1.14, -1.08], abs=0.03)
    assert four.rows[-1] == ("mean",) and four.published[-1] == pytest.approx(
        (-1.8579167, 0.8419333, 1.0159833), abs=1e-6
    )
    readings = dict(zip(tables["readings"].rows, tables["readings"].ours, strict=True))
    assert len(readings) == 8 and all(0.15 <= n[2] <= 0.2 for row, n in readings.items() if "chance" in row[0])
    status = {claim.name: claim.status for claim in table.claims}
    assert [status[f"004-c{n}"] for n in (1, 2, 12, 13, 15, 16, 22)] == ["met"] * 7
    assert (status["004-c6"], status["004-c11"]) == ("not met", "not met") and len(table.panels) == 6


def test_rock_paper_scissors_of_three():
    """One even, one always rock, one always paper: the third wins (2 + .5 + 0) / 3, the first loses a sixth."""
    assert three_player_verdicts.three_signs() == pytest.approx((-1 / 6, 5 / 6))
    assert three_player_verdicts.two_signs() == pytest.approx(0)
    tree = compiled("rps", players=3)
    assert tf.nash_conv(tree, tf.Profile.uniform(tree)) == pytest.approx(0) and tf.check_game(tree.rules).ok
    assert tree.parameters == {"players": 3} and compiled("rps").parameters == {}


def test_the_notes_of_source_003(run):
    """All claims in two experiments; the printed algorithms give what an audit with other programs gave."""
    names = [claim.name for name in ("cfr-sweeps", "mccfr-sampling") for claim in run(name).claims if claim.name]
    assert names == [f"003-{short}" for short in SOURCES["takizawa2020"].claims]
    tables = {one.name: one for one in run("cfr-sweeps").tables}
    (signs, right), (wrong, plus), (at_once, _) = tables["algorithms 1 to 4"].ours
    assert (signs, right) == (pytest.approx(0.666, abs=2e-3), pytest.approx(0.0145382128, rel=1e-6))
    assert 0.0455 <= wrong <= 0.0471 and 0.0135 <= at_once <= 0.0142 and 0.0004 <= plus <= 0.0006
    assert tables["algorithms 5, 6"].ours == ((0.5, 0.5), (0.5, -0.5))
    assert tables["section 4.4"].ours[0][0] == 0 and tables["section 4.4"].ours[1][0] > 0.2


def test_the_page_says_what_the_experiments_say(run):
    """docs/claims.md is made of the kept figures, with every table and claim; quick experiments still give them."""
    found = claims.kept()
    text = claims.PAGE.read_text(encoding="utf-8")
    assert text == claims.page(found)
    for name in ("cfr-sweeps", "kuhn-chance", "kuhn-cfr"):
        assert [one["shown"] for one in found[name]["tables"]] == [one.summary()["shown"] for one in run(name).tables]
        assert [one["status"] for one in found[name]["claims"]] == [one.status for one in run(name).claims]
    for name, one in found.items():
        assert f"## {name}" in text and all(f"**{table['name']}.**" in text for table in one["tables"])
    for source in (PAPER_SOURCES[name] for name in found if name in PAPER_SOURCES):
        assert all(f"| {source.number}-{short} |" in text for short in source.claims)
