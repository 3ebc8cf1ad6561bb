"""Views of Koi-Koi, read back."""

import json
import pickle
import random

import pytest

import tefuda as td
from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.game import DEAL, END, PLAY, Round
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.reduced import koikoi, mini8, mini12, minikoi
from tefuda.koikoi.view import read_view, state_array
from tests.koikoi.random_rounds import redeal_hidden_along, states, wander


@pytest.mark.parametrize("game", [koikoi(), koikoi("koikoi_japan"), mini8(), mini12()])
def test_views_contain_exactly_the_knowledge_of_the_player(game):
    rng = random.Random(1)
    for _ in range(12):
        for state in wander(game, rng):
            for player in (0, 1):
                seen, hidden = read_view(game, game.view(state, player), player), state.hands[1 - player]
                known = (state.hands[0], 0) if player == 0 else (0, state.hands[1])
                assert seen == state._replace(
                    hands=known, stock=state.stock | hidden, start=("", ""), events=seen.events
                )


@pytest.mark.parametrize("game", [mini8(merged=True), mini12(merged=True)], ids=str)
def test_views_of_merged_cards_contain_the_knowledge_by_kinds(game):
    """Public cards are unchanged; unseen cards are in the stock."""
    for seed in range(20):
        for state in states(game, seed):
            if (player := game.player(state)) >= 0:
                seen = read_view(game, game.view(state, player), player)
                assert (seen.phase, seen.turn, seen.calls) == (state.phase, state.turn, state.calls)
                found = (seen.field, *seen.piles, *seen.called, seen.hands[player], seen.stock)
                hidden = state.stock | state.hands[1 - player]
                real = (state.field, *state.piles, *state.called, state.hands[player], hidden)
                assert [game.text(cards) for cards in found] == [game.text(cards) for cards in real]
                assert game.actions(seen) == game.actions(state) and seen.hands[1 - player] == 0


@pytest.mark.parametrize("game", [koikoi(), mini8()], ids=str)
def test_a_view_equals_its_text_and_carries_the_same_numbers(game):
    """A view read from a file is equal; redealt hidden cards do not change its numbers."""
    rng = random.Random(2)
    for seed in range(6):
        way = states(game, seed)
        for player in (0, 1):
            for state, twin in zip(way, redeal_hidden_along(way, player, rng), strict=True):
                view, other = game.view(state, player), game.view(twin, player)
                assert view == str(view) and {view: 1}[str(view)] and json.loads(json.dumps(view)) == view
                assert repr(view) == repr(str(view)) and type(pickle.loads(pickle.dumps(view))) is str
                assert view.known == other.known and view.player == player
                if state.phase == DEAL:
                    continue
                seen, text = read_view(game, view, player), read_view(game, str(view), player)
                assert (game.actions(seen) == game.actions(text) and seen.turn == text.turn) or state.phase == END
                assert seen == text
                with pytest.raises(td.errors.ParameterError):
                    read_view(game, view, 1 - player)
                with pytest.raises(td.errors.ParameterError):
                    read_view(minikoi("1B 1R 1C1 1C2 2A 2R 2C1 2C2", [["x", 1, "1B"]]), view, player)


@pytest.mark.parametrize("game", [mini8(merged=True), mini12(merged=True)], ids=str)
def test_views_of_merged_cards_are_plain_texts(game):
    """Masks would reveal which of the merged cards is hidden."""
    views = [game.view(state, player) for state in states(game, 0) for player in (0, 1)]
    assert {type(view) for view in views} == {str}


def test_a_tree_stores_plain_texts():
    """A view's numbers would take more memory than the tree."""
    assert {type(key) for key in td.compile_game(mini8(max_koikoi=0), cache=False).keys} == {str}


@pytest.mark.parametrize(
    "game, views",
    [
        (mini8(), ("", 3, "1B|2B", "1B 1R|99X|", "3B 3R|9A 9R| 3C1/9C1", "3B 3R|9A 9R| 3B/koi-koi")),
        (koikoi(), ("", "1B|2A", "1B|2A| 9X", "1Z|2A|", "1B|1B|", None, 7)),
    ],
    ids=str,
)
def test_invalid_views_are_refused(game, views):
    for view in views:
        with pytest.raises(td.errors.ParameterError, match="view"):
            read_view(game, view, 0)


def test_states_store_the_points_at_the_last_call():
    """In koikoi_japan, hanami-zake scores 3 after a call by its owner, plus 1 for the call."""
    game, pile = koikoi("koikoi_japan"), mask_of((8, 32))
    array = state_array(game, Round(PLAY, 3, (1, 2), 0, 0, (pile, 0), (1, 0), called=(pile, 0)))
    assert array[columns.LEVEL] == 4 and array[columns.LEVEL + 1] == 0
