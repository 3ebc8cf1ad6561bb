"""The standard table: digits of other programs, refusals with reasons, saved curves, wrong names."""

import json

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import cfr_table

QUICK = {"games": "KuhnPoker,subgame4", "methods": "cfr+,pcfr+5,rtcfr+", "iterations": 100}


def cells(found):
    """Return the numbers of a table by row and column."""
    return {(*cell.row[:2], cell.column): cell.ours for cell in found.tables[0].cells()}


def test_cells_are_those_of_other_programs(tmp_path, monkeypatch):
    """Kuhn: OpenSpiel's CFR+ and another program's RTCFR+; endgame 4: percent of a pot of 3,750."""
    experiment = PAPERS["cfr-table"]
    found = experiment(**QUICK, folder=str(tmp_path))
    numbers = cells(found)
    assert numbers["KuhnPoker", "cfr+", "100, average"] == pytest.approx(0.0023888082, rel=1e-6)
    assert numbers["KuhnPoker", "rtcfr+", "100, last"] == pytest.approx(6.4e-2, rel=0.02)
    percent = 100 * numbers["subgame4", "cfr+", "100, average"] / 2 / 3750
    assert percent == pytest.approx(0.72, rel=0.05)  # .681 after 104 iterations
    assert numbers["KuhnPoker", "pcfr+5", "100, average"] < 1e-6 and numbers["KuhnPoker", "cfr+", "CPU s"] > 0
    empty = {key[:2] for key, figure in numbers.items() if figure is None}
    assert empty == {("subgame4", "rtcfr+")}
    assert "realisation plans" in next(row[2] for row in found.tables[0].rows if row[:2] == ("subgame4", "rtcfr+"))
    assert [panel.title for panel in found.panels] == ["KuhnPoker", "subgame4"]
    assert found.panels[0].lines["rtcfr+"][-1] == (100.0, numbers["KuhnPoker", "rtcfr+", "100, last"])
    monkeypatch.setattr(cfr_table, "measure", None)  # saved curves are not computed again
    assert cells(experiment(**QUICK, folder=str(tmp_path))) == numbers


def test_endgames_on_the_turn_have_curves_of_a_part_of_the_iterations():
    assert cfr_table.counts_of("subgame1", 1000) == (1, 3, 10)
    assert cfr_table.counts_of("subgame1", 20_000)[-1] == 104 and cfr_table.counts_of("subgame2", 1000)[-1] == 333
    assert cfr_table.counts_of("KuhnPoker", 20_000)[-4:] == (1000, 3000, 10_000, 20_000)
    assert PAPERS["cfr-table"].quick()["iterations"] == 1000
    known = {name for name in (*cfr_table.GAMES, *cfr_table.CURVES) if td.load_game(name)}
    assert len(known) == 14


@pytest.mark.parametrize(
    "options, expected",
    [
        (("--games", "Kuhnpoker"), "KuhnPoker"),
        (("--methods", "external"), "CFR family"),
        (("--methods", "pcfr"), "pcfr+"),
        (("--iterations", "0"), "iterations"),
        (("--iterations", "nan"), "iterations"),
        (("--iterations", "1e17"), "iterations"),
        (("--games", ","), "games"),
    ],
)
def test_wrong_names_are_refused(tmp_path, monkeypatch, options, expected):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["reproduce", "cfr-table", *options, "--json"])
    assert done.exit_code == 2 and expected in done.stderr + done.stdout


def test_methods_that_refuse_a_game_have_the_reason(tmp_path):
    """CFR-BR is not for hands."""
    found = PAPERS["cfr-table"](games="subgame4", methods="cfr-br,cfr+", iterations=3, folder=str(tmp_path))
    assert "opponent" in found.tables[0].rows[0][2] and found.tables[0].ours[0][0] is None
    json.dumps(found.summary(), allow_nan=False)
