"""Positions without their history, and players that use only them."""

import dataclasses
import json

import pytest

import tefuda as td
from tefuda.koikoi.game import KOI, PLAY
from tefuda.koikoi.playing.agents import GreedyAgent
from tefuda.koikoi.position import PositionAgent, Situation, position_of
from tefuda.koikoi.reduced import koikoi, mini8
from tests.koikoi.random_rounds import states


@pytest.mark.parametrize("game", [koikoi(), koikoi("koikoi_japan"), mini8(), mini8(merged=True)], ids=str)
def test_a_position_matches_the_visible_state(game):
    """Compare every field with the true state at every decision of random rounds.

    The opponent's hand is absent.
    """
    phases, calls = set(), 0
    for seed in range(12):
        for state in states(game, seed):
            player = game.player(state)
            if player < 0:
                continue
            actions, other = game.actions(state), 1 - player
            found = position_of(game, game.view(state, player), player, actions)
            assert (
                Situation(
                    **{
                        name: tuple(value) if isinstance(value, list) else value
                        for name, value in (json.loads(json.dumps(dataclasses.asdict(found))).items())
                    }
                )
                == found
            )
            text = [
                " ".join(cards) for cards in (found.hand, found.field, found.pile, found.opponent_pile, found.unseen)
            ]
            piles = state.piles[player], state.piles[other]
            masks = (state.hands[player], state.field, *piles, state.stock | state.hands[other])
            assert text == [game.text(mask) for mask in masks]
            assert found.opponent_hand == state.hands[other].bit_count() and found.actions == actions
            assert (found.turn, found.dealer) == (state.turn, player == 0)
            assert (found.calls, found.opponent_calls) == (state.calls[player], state.calls[other])
            assert found.phase == {PLAY: "play", KOI: "koi"}.get(state.phase, "pick")
            assert found.shown == (game.codes[state.shown] if state.shown >= 0 else "")
            points = [game.rules.pile_points(pile, n) for pile, n in zip(state.called, state.calls, strict=True)]
            assert (found.points_at_call, found.opponent_points_at_call) == (points[player], points[other])
            assert found.points == game.rules.pile_points(piles[0], state.calls[player])
            assert (found.phase == "koi") == (found.points > found.points_at_call and state.phase == KOI)
            phases.add(found.phase)
            calls += found.opponent_calls
    assert phases == {"play", "pick", "koi"} or game.deck != koikoi().deck
    assert calls or game.deck != koikoi().deck


def test_a_position_agent_equals_the_same_agent_by_views():
    """A greedy agent by positions plays the same match, hand by hand."""
    game, greedy = td.load_game("koikoi"), GreedyAgent()
    wanted = {}

    class Noting(GreedyAgent):
        def act(self, turn):
            place = super().act(turn)
            position = position_of(game, turn.view, turn.seat, turn.actions)
            assert wanted.setdefault(position, turn.actions[place]) == turn.actions[place]
            return place

    noted = td.duplicate_match(game, [Noting("noting"), td.RandomAgent()], deals=6, record=True)
    outside = PositionAgent("outside", wanted.__getitem__)
    found = td.duplicate_match(game, [outside, td.RandomAgent()], deals=6, record=True)
    plain = td.duplicate_match(game, [greedy, td.RandomAgent()], deals=6, record=True)
    assert found.hands == noted.hands and [hand.payoffs for hand in found.hands] == [
        hand.payoffs for hand in plain.hands
    ]


def test_illegal_answers_and_other_games_are_refused():
    with pytest.raises(td.errors.ParameterError, match="99X"):
        td.duplicate_match(td.load_game("koikoi"), [PositionAgent("bad", lambda _: "99X"), td.RandomAgent()], deals=1)
    with pytest.raises(td.errors.ParameterError, match="Koi-Koi"):
        td.duplicate_match(td.load_game("kuhn"), [PositionAgent("bad", lambda one: one.actions[0]), td.RandomAgent()])
