"""Agreement of agents with recorded decisions."""

import json
import math
import random

import numpy as np
import pytest
from typer.testing import CliRunner

from tefuda.koikoi.players.agreement import Agreement, decisions, measure_agreement
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.reduced import koikoi
from tests.koikoi.random_rounds import record_round


def test_greedy_play_agrees_as_often_as_the_records_follow_it():
    game, rng = koikoi(), random.Random(4)
    for share in (1.0, 0.5):
        rounds, free, same = zip(*(record_round(game, number, share, rng) for number in range(12)), strict=True)
        found = measure_agreement(game, rounds, PlayerConfiguration("greedy"))
        assert len(found.agreed) == sum(free) and found.agreed.sum() == sum(same)
        assert found.agreed.all() == (share == 1.0) and np.isnan(found.points_lost).all()
        assert [kind for _, kind, _, _ in decisions(game, rounds)] == found.decisions.tolist()


def test_a_round_is_one_sample_of_the_interval():
    """Three rounds of two decisions, of which 2, 1, 0 agree.

    Share 1/2, variance of a ratio 3/2 (1 + 0 + 1) / 36.
    """
    agreed = np.array([True, True, True, False, False, False])
    found = Agreement(np.zeros(6, int), np.array([0, 0, 1, 1, 2, 2]), agreed, np.array([0, 0.5, 1, math.nan, 0, 0]))
    (kind, count, share, half, lost), everything = found.rows()
    assert (kind, count, share, lost) == ("card", 6, 0.5, pytest.approx(0.3))
    assert half == pytest.approx(1.96 * math.sqrt(1.5 * 2) / 6) and everything[0] == "all" and everything[1] == 6


def test_on_the_command_line(tmp_path):
    from tefuda.apps.cli import app

    file, rng = tmp_path / "rounds.jsonl", random.Random(1)
    rounds = [record_round(koikoi(), number, 1.0, rng)[0] for number in range(3)]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in rounds))
    said = CliRunner().invoke(app, ["koikoi", "agree", str(file), "--agents", "greedy", "--json"])
    report = json.loads(said.stdout.splitlines()[-1])
    assert report["rounds"] == 3 and report["agents"]["greedy"]["all"]["agreed"] == 1.0
    assert report["agents"]["greedy"]["all"]["points_lost"] is None
    said = CliRunner().invoke(app, ["koikoi", "agree", str(file), "--agents", "greedy", "--first", "1"])
    assert "100.0%" in said.stdout and "1 rounds" not in said.stdout
    rounds[1]["actions"][0] = 49
    file.write_text("".join(f"{json.dumps(one)}\n" for one in rounds))
    assert CliRunner().invoke(app, ["koikoi", "agree", str(file), "--agents", "greedy"]).exit_code != 0
