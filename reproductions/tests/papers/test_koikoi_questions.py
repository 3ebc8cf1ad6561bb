"""The open questions of takizawa2020 about Koi-Koi, with tiny settings."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tefuda.koikoi.players.ladder import DuelResult, duel
from tefuda.koikoi.reduced import minikoi
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.koikoi.online import OnlineResult
from tefuda_reproductions.papers import koikoi_questions


def without_search(rules, one, two, deals, *, seed, tables):
    """Play a duel with table players, which compile faster than the searchers they replace."""
    by_tables, other = (replace(player, kind="tables") if player.kind == "search" else player for player in (one, two))
    return duel(rules, by_tables, other, deals, seed=seed, tables=tables)


@pytest.fixture(scope="module")
def table():
    """Return the whole table at its smallest size; the exactly evaluated game has hands of one card."""
    patch = pytest.MonkeyPatch()
    tiny = minikoi("3B 3R 3C1 3C2 9A 9R", [("hanami", 5, "3B 9A"), ("tan", 1, "3R 9R")], hand=1, field=2)
    patch.setattr(koikoi_questions, "mini8", lambda: tiny)
    patch.setattr(koikoi_questions, "duel", without_search)
    reports = []
    found = PAPERS["koikoi-questions"](reports.append, deals=20, whole=2, budget=2, walks=20, rounds=2000)
    patch.undo()
    assert reports
    return found


def test_every_question_has_a_table_and_a_picture(table):
    assert [one.name for one in table.tables] == ["sizes", "reach", "weights", "deals", "mini8 exactly", "ladder"]
    assert len(table.panels) == 10 and all(panel.lines for panel in table.panels)
    json.dumps(table.summary(), allow_nan=False)
    sizes, ladder = table.tables[0], table.tables[-1]
    assert {row[0] for row in sizes.rows} == {"mini8", "mini12", "koikoi"} and sizes.columns == ("2",)
    assert ladder.ours[[row[0] for row in ladder.rows].index("greedy")][1] == 0.0  # against itself
    assert table.csv().count("\n") > 80


def test_nothing_is_evaluated_that_was_not_finished(table):
    """After 20 deals and 20 iterations of MCCFR the first two claims have no verdict."""
    verdicts = {claim.name: claim.met for claim in table.claims}
    assert verdicts["003-q7"] is None and verdicts["003-q8"] is None


def found(mean, error=0.01):
    """Return the result of a match with this mean and standard error."""
    return OnlineResult(DuelResult(np.repeat([[mean - error], [mean + error]], 2, axis=1)), 0.1, 0.2, 0.001)


@pytest.mark.parametrize(
    "mini12, whole, met",
    [(1.0, -2.0, True), (1.0, 2.0, False), (1.0, 0.0, None), (0.0, -2.0, None)],
)
def test_the_verdict_on_huge_deals(mini12, whole, met):
    """Met if aiming gains in both reduced games and loses in the whole game."""
    gains = {"mini8": 1.0, "mini12": mini12, "koikoi": whole}
    points = {}
    for game, mean in gains.items():
        points |= {(game, "plain", "10"): found(0.0 if game != "koikoi" else -2.5), (game, "aimed", "10"): found(mean)}
    rung = {"the same, commonest action": {"greedy": found(0.5).duel}}
    claims = koikoi_questions.verdicts(points, rung, koikoi_questions.Settings(10, 10, 10, 1), 200_000)
    assert (claims[0].met, claims[2].met) == (met, False)


def test_neural_self_play_has_a_row_if_requested():
    name, rung, note = koikoi_questions.networks(koikoi_questions.Settings(4, 2, 2, 1), 60, str)
    table, found = koikoi_questions.ladder({name: rung}, str)
    assert table.rows == (("NFSP, 60 games",),) and found["NFSP, 60 games"]["greedy"].points.shape == (4, 2)
    assert "60 games of self-play over compiled rounds in" in note
