"""Matches of Koi-Koi between rounds."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.game import KOI
from tefuda.koikoi.match_state import MatchState, MatchValue, OutcomeCounts
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.players.tables import count_outcomes
from tefuda.koikoi.reduced import koikoi
from tefuda.koikoi.rules import PRESETS, find_rules
from tests.koikoi.random_rounds import turns

STANDARD = PRESETS["standard"]


def test_matches_by_hand():
    """The winner deals next; if no player stops, the rules decide; a match ends without points."""
    standing = MatchState(PRESETS["standard"])
    assert standing.after(5) == MatchState(STANDARD, 0, 1, 5)
    assert standing.after(-5) == MatchState(STANDARD, 1, 1, -5)
    assert standing.after(0).dealer == 1 and MatchState(PRESETS["koikoi_japan"]).after(1, stopped=False).dealer == 0
    assert standing.after(-5).after(3).points == (-8, 8) and standing.after(-5).after(3).dealer == 1
    assert MatchState(PRESETS["gamedesign"]).after(6, stopped=False).dealer == 1
    japan = MatchState(PRESETS["koikoi_japan"]).after(-30)
    assert japan.rounds_left == 0 and japan.result == 0 and japan.points == (0, 60)
    with pytest.raises(td.errors.ParameterError, match="over"):
        japan.after(1)


def test_chances_of_a_match_by_hand():
    """Rounds of one point for the dealer with probability .6: two rounds, the winner deals."""
    rules = find_rules("standard", rounds=2)
    value = MatchValue(rules, OutcomeCounts(np.array([4, 0, 6]), np.zeros((3, 3), dtype=int)))
    # Two won .36; won, lost .24; lost, then the opponent deals and wins .24, or loses .16.
    assert value(MatchState(rules)) == pytest.approx(0.36 + 0.5 * (0.24 + 0.16))
    assert value(MatchState(rules, 0, 1, 1)) == pytest.approx(0.6 + 0.4 / 2)
    utility = value.utility(MatchState(rules, 0, 1, 1), 0, 2)
    assert utility[0].tolist() == [0, 0.5, 1, 1, 1]
    assert value.utility(MatchState(rules, 0, 1, 1), 1, 2)[0].tolist() == [0, 0, 0, 0.5, 1]
    assert value.utility(MatchState(rules, 1, 1, 1), 0, 2)[0].tolist() == [0, 0.5, 1, 1, 1]
    # A hundred positions with a predicted loss of a point: half of them lost it, half drew.
    value = MatchValue(rules, OutcomeCounts(np.array([4, 0, 6]), np.array([[50, 50, 0], [0, 0, 0], [0, 0, 0]])))
    assert value.utility(MatchState(rules, 0, 1, 1), 0, 2)[1].tolist() == [0, 0.75, 1, 1, 1]
    # With one point left the first round decides.
    broke = find_rules("koikoi_japan", rounds=2, start=1)
    assert MatchValue(broke, OutcomeCounts(np.array([4, 0, 6]), np.zeros((3, 3), int)))(
        MatchState(broke)
    ) == pytest.approx(0.6)


def test_ahead_in_the_last_round_a_player_stops(learned):
    """One point ahead in the last round, stopping wins the match; maximising points may call."""
    rules = find_rules("standard", rounds=1)
    outcomes = count_outcomes(rules, learned, 2000)
    value = MatchValue(rules, outcomes)
    assert outcomes.points.sum() == 2000 and abs(sum(outcomes.chances.values()) - 1) < 1e-12
    game, rng, decided = koikoi(), random.Random(2), 0
    adviser = Adviser(game, PlayerConfiguration("search", 50, depth=2), learned)
    for _ in range(12):
        for state in turns(game, rng.sample(range(48), 48), rng):
            if state.phase == KOI:
                utility = value.utility(MatchState(rules, state.mover), 0, 150)
                advice = adviser.advise(game.view(state, state.mover), state.mover, 1, utility=utility)
                assert advice[0].action == "stop" and advice[0].value == 1
                decided += 1
    assert decided > 3
