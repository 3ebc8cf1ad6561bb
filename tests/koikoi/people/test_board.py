"""A round of Koi-Koi in words: piles by kind, progress of yaku, captures, points step by step."""

# ruff: noqa: RUF001

import random

import tefuda as td
from tefuda.koikoi.cards import mask_of, read_cards
from tefuda.koikoi.game import CALL
from tefuda.koikoi.people.board import Board
from tefuda.koikoi.people.facts import ending_of, progress
from tefuda.koikoi.reduced import koikoi

GAME = koikoi()


def cards(text):
    return mask_of(read_cards(text))


def lines(board, own, opponent):
    return board.progress(progress(board.game.rules, board.game.deck, own, opponent))


def test_piles_and_progress():
    """Piles have counts by kind, complete yaku with points, and yaku that need two cards at most."""
    board = Board(GAME)
    own = cards("3B 1R 2R 6A 7A 5R 9R 6R")
    assert board.pile(own) == "bright 1 3B | animal 2 6A 7A | ribbon 5 1R 2R 5R 6R 9R | chaff 0"
    has, near = lines(board, own, cards("10R 9C1"))
    assert has == "  has: tan 1"
    assert near == (
        "  near: sanko 1/3 (2 more of 1B 8B 12B); inoshikacho 2/3 (needs 10A); akatan 2/3 (needs 3R); "
        "hanami-zake 1/2 (needs 9A)"
    )  # not aotan: 10R is taken
    assert Board(GAME, "ja").pile(own).startswith("光 1 3B · タネ 2 6A 7A · 短冊 5")
    assert "赤短 2/3 (あと3R)" in lines(Board(GAME, "ja"), own, 0)[1]


def test_higher_yaku_of_a_group_are_near():
    """With three brights the fourth still counts; with inoshikacho or both colours, tane and tan do not."""
    board = Board(GAME)
    assert "shiko 3/4 (needs 12B); ameshiko 3/4 (2 more" not in "".join(lines(board, cards("1B 3B 8B"), 0))
    assert lines(board, cards("1B 3B 8B"), cards("11B"))[1].startswith("  near: shiko 3/4 (needs 12B)")
    assert (
        "sanko" not in lines(board, cards("1B 3B 8B 12B"), 0)[1]
        and "goko 4/5" in lines(board, cards("1B 3B 8B 12B"), 0)[1]
    )
    growing = Board(koikoi("nintendo_growing"))
    has, near = lines(growing, cards("6A 7A 10A 2A 1R 2R 5R 7R"), 0)
    assert (
        has == "  has: inoshikacho 6" and "tane" not in near and "akatan 2/3 (needs 3R)" in near and "tan 4/5" in near
    )


def test_captures_in_words():
    board, field = Board(GAME), cards("1B 1R 2A 4A 4R 4C1 5C1")
    said = {code: board.effect(GAME.captures(field, read_cards(code)[0])) for code in ("1C1", "2C1", "4C2", "6A")}
    assert said == {
        "1C1": "takes 1B pine with crane or 1R pine with poem ribbon",
        "2C1": "takes 2A plum with warbler",
        "4C2": "takes 4A wisteria with cuckoo, 4R wisteria with ribbon, 4C1 wisteria chaff",
        "6A": "stays",
    }
    assert Board(GAME, "ja").effect([cards("2A")]) == "2A 梅に鶯を取る"


def test_scores_are_broken_down():
    """Texts break down the reference scores.

    13 is doubled to 26; 8 after the opponent's call is 32; own calls add in koikoi_japan.
    """
    score = GAME.rules.score(cards("1B 3B 8B 11B 12B 2A 4A 5A 6A 8A 1C1 1C2 2C1 2C2 3C1 3C2 4C1 4C2 5C1 5C2 6C1"), 0, 0)
    assert Board(GAME).score(score) == "goko 10, tane 1, kasu 2, sum 13, times 2 (7 or more) = 26 points"
    score = GAME.rules.score(cards("1B 3B 8B 12B"), 0, 1)
    assert Board(GAME).score(score) == "shiko 8, times 2 (7 or more), times 2 (the opponent called koi-koi) = 32 points"
    assert Board(GAME).score(score, own=False).endswith("times 2 (you called koi-koi) = 32 points")
    assert Board(GAME).score(GAME.rules.score(cards("2A 4A 5A 6A 8A"))) == "tane 1 = 1 point"
    bright = koikoi("bga_soft")
    text = Board(bright, "ja").score(bright.rules.score(cards("1B 3B 8B")))
    assert text == "三光 5, 2倍（光の役） = 10文"
    text = Board(GAME, "ja").score(GAME.rules.score(cards("1B 3B 8B 12B"), 0, 1))
    assert text == "四光 8, 2倍（7文以上）, 2倍（相手がこいこい） = 32文"
    japan = koikoi("koikoi_japan")
    text = Board(japan, "ja").score(japan.rules.score(cards("1B 3B 8B"), 1, 0))
    assert text == "三光 5, こいこいで6 = 6文"


def test_yaku_that_are_paid_although_no_player_stopped():
    """Both call koi-koi whenever they can: ameshiko 7 and tan 1 of player 1, doubled twice."""
    game, rng = koikoi(exhaustion_yaku=True), random.Random(1)
    state = game.root()
    while game.player(state) != td.TERMINAL:
        chance = game.player(state) == td.CHANCE
        labels = [label for label, _ in game.chances(state)] if chance else game.actions(state)
        state = game.child(state, CALL if CALL in labels else rng.choice(labels))
    assert game.payoffs(state) == (-32, 32)
    for player, view in enumerate(game.view(state, player) for player in (0, 1)):
        end = ending_of(game, view, player)
        assert (end.reason, end.winner, end.points, end.score.base) == ("exhausted", 1, 32, 8)
        assert "32" in Board(game).ending(view, player) and "32" in Board(game, "ja").ending(view, player)
        assert td.games.kit_of(game).picture(view, player).more["ending"]["winner"] == 1
        plain = ending_of(koikoi(exhaustion=6), str(view), player)
        assert plain == ("exhausted", 0, 6, None)


def test_yaku_cancelled_by_the_weather_are_not_near():
    """With the rain man in the pile, the cup makes no hanami-zake, on the board."""
    own, near_by = cards("3B 11B"), {}
    for weather in (False, True):
        game = koikoi(weather=weather)
        near_by[weather] = "\n".join(lines(Board(game, "en"), own, 0))
    assert "hanami-zake" in near_by[False] and "hanami-zake" not in near_by[True]
