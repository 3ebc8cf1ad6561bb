"""Views of Koi-Koi as codes and numbers: equal for equal views, with the sums of the rules."""

import json
import math
import random
from collections import Counter

import pytest

import tefuda as td
from tefuda.koikoi.cards import ids_of, mask_of, read_cards
from tefuda.koikoi.game import END, PLAY
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import find_rules
from tests.koikoi.random_rounds import redeal_hidden, states

GAMES = (koikoi(), koikoi("koikoi_japan"), mini8())


def written(game, state, player):
    """Return the whole picture as text."""
    picture = td.games.kit_of(game).picture(game.view(state, player), player)
    return json.dumps([picture.hand, picture.table, picture.hidden, picture.piles, picture.events, picture.more])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pictures_reveal_no_hidden_card(game):
    """Not one character differs if the cards that the player has not seen are dealt again."""
    rng, compared = random.Random(5), 0
    for state in (state for seed in range(4) for state in states(game, seed)):
        for player in range(2):
            if state.start[0]:
                twin = redeal_hidden(state, player, rng)
                assert written(game, state, player) == written(game, twin, player)
                compared += twin != state
    assert compared > 20


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_picture_of_a_text_is_that_of_the_view(game):
    for state in states(game, 3):
        if state.start[0]:
            for player in range(2):
                text = td.games.kit_of(game).picture(str(game.view(state, player)), player)
                assert text == td.games.kit_of(game).picture(game.view(state, player), player)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_events_tell_all_moves(game):
    """Captures add up to the piles; the events, undone, lead back to the field of the deal."""
    kit = td.games.kit_of(game)
    for state in (state for seed in range(4) for state in states(game, seed) if state.start[0]):
        for player in range(2):
            picture, piles = kit.picture(game.view(state, player), player), ([], [])
            field, dealt = Counter(picture.table), state.plays[0].field if state.plays else state.field
            for event in reversed(picture.events):
                card, *captured = event.cards or (None,)
                if captured:
                    piles[event.player].extend(event.cards)
                    field.update(captured)
                elif card:
                    field[card] -= 1
            assert [sorted(pile) for pile in piles] == [sorted(pile) for pile in picture.piles]
            assert field == Counter(game.codes[card] for card in ids_of(dealt))


def test_scores_part_by_part():
    """Yaku add up to their sum; the factors multiply it with its bonus; the product is the payoff."""
    factors = set()
    for game in GAMES:
        for state in (states(game, seed)[-1] for seed in range(60)):
            view = game.view(state, 0)
            ending = td.games.kit_of(game).picture(view, 0).more["ending"]
            assert state.phase == END and abs(state.points) == ending["points"]
            assert ending["winner"] == (None if not state.points else int(state.points < 0))
            if ending["reason"] != "stop":
                continue
            expected, score = game.score(state, state.mover), ending["score"]
            assert [(yaku["name"]["en"], yaku["points"]) for yaku in score["yaku"]] == list(expected.yaku)
            assert sum(yaku["points"] for yaku in score["yaku"]) == score["base"] == expected.base
            product = score["bonus"] * math.prod(factor["factor"] for factor in score["factors"])
            assert score["bonus"] == expected.bonus and product == score["points"] == ending["points"]
            factors |= {factor["reason"] for factor in score["factors"]}
    assert factors == {"double_at", "opponent_called"}


def test_the_factor_of_a_call_names_its_player():
    """A winner is paid twice for the call of the loser, whoever reads it."""
    seen = set()
    for state in (states(GAMES[0], seed)[-1] for seed in range(60)):
        winner = int(state.points < 0)
        if not state.points or "opponent_called" not in dict(GAMES[0].score(state, winner).factors):
            continue
        for player in range(2):
            picture = td.games.kit_of(GAMES[0]).picture(GAMES[0].view(state, player), player)
            factors = picture.more["ending"]["score"]["factors"]
            named = {each["reason"]: (each["caller"], each["limit"]) for each in factors}
            assert named.pop("opponent_called") == (1 - winner, None)
            assert named in ({}, {"double_at": (None, 7)})
            seen.add(player == winner)
    assert seen == {True, False}


def test_choices_are_named():
    """Only the player to move has a choice; the cards that it names have captures."""
    seen = set()
    for state in states(GAMES[0], 4) + states(GAMES[0], 9):
        if not state.start[0]:
            continue
        for player in range(2):
            picture = td.games.kit_of(GAMES[0]).picture(GAMES[0].view(state, player), player)
            choice = picture.more["choice"]
            assert (choice is not None) == bool(picture.actions)
            if choice in ("lay", "take"):
                assert {event.verb for event in picture.actions.values()} == {choice}
                assert set(picture.actions) <= picture.more["captures"].keys()
            seen.add(choice)
    assert seen >= {None, "lay"}


def test_teyaku_end_a_round():
    """The winner is the player with the teyaku, from both sides."""
    game = td.load_game("koikoi")
    game = type(game)(find_rules())  # a match deals teyaku
    cards = mask_of(read_cards("1B 1R 1C1 1C2 2A 3B 4A 5A"))
    for lucky, hands in ((0, (cards, mask_of(read_cards("6A 7A 8A 9A 10A 11A 12B 2R")))),):
        field = mask_of(read_cards("3R 4R 5R 6R 7R 9R 10R 11R"))
        end = game._begin(*hands, field)
        assert end.phase == END and end.points == 6
        for player in range(2):
            ending = td.games.kit_of(game).picture(game.view(end, player), player).more["ending"]
            assert ending == {"reason": "teyaku", "winner": lucky, "points": 6, "score": None}


def test_captures_name_the_cards_and_the_yaku():
    """A card that takes the cup with the curtain completes hanami-zake."""
    game = koikoi()
    state = game.begin(*(mask_of(read_cards(text)) for text in ("9R 9C1", "1B 2A", "9A 3C1 5C1 5C2")))
    state = state._replace(piles=(mask_of(read_cards("3B")), 0))
    captures = td.games.kit_of(game).picture(game.view(state, 0), 0).more["captures"]
    assert state.phase == PLAY and captures["9R"] == [
        {"takes": ("9A",), "completes": [{"name": {"en": "hanami-zake", "ja": "花見酒"}, "points": 5}]}
    ]
