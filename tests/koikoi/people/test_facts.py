"""The board as data: it agrees with the rules at every state, and it is a function of the view."""

import random

import pytest

from tefuda.koikoi.cards import mask_of, read_cards
from tefuda.koikoi.game import DRAW, END, KOI, PICK_DRAW, PICK_HAND, PLAY, STOP
from tefuda.koikoi.people.facts import (
    COMPLETE,
    IMPOSSIBLE,
    OPEN,
    REPLACED,
    board_facts,
    cards_by_kind,
    progress,
    turns_of,
)
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.view import read_view
from tests.koikoi.random_rounds import redeal_hidden, states

GAMES = (koikoi(), koikoi("koikoi_japan"), koikoi("nintendo_growing", weather=True), mini12(), mini8())


def facts_of(game, state, player):
    return board_facts(game, read_view(game, game.view(state, player), player), player)


def cards(text):
    return mask_of(read_cards(text))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_facts_agree_with_the_rules(game):
    """Sizes are those of the state, captures and completed yaku those of the next one."""
    seen = set()
    for state in (state for seed in range(6) for state in states(game, seed)):
        if state.phase not in (PLAY, PICK_HAND, DRAW, PICK_DRAW, KOI):
            continue
        for player in range(2):
            facts = facts_of(game, state, player)
            assert facts.own.hand == state.hands[player].bit_count() == facts.hand.bit_count()
            assert facts.opponent.hand == state.hands[1 - player].bit_count()
            assert facts.stock == state.stock.bit_count()
            assert (facts.own.pile, facts.opponent.pile) == (state.piles[player], state.piles[1 - player])
            assert facts.own.score == game.score(state, player)
        if state.phase not in (PLAY, PICK_HAND, PICK_DRAW):
            continue
        facts, mover = facts_of(game, state, state.mover), state.mover
        for card, captures in facts.captures.items():
            for capture in captures:
                after = settled(game, state, card, capture.taken)
                gained = capture.taken | 1 << card if capture.taken else 0
                assert after.piles[mover] == state.piles[mover] | gained
                before = dict(game.rules.scored_yaku(state.piles[mover], state.calls[mover]))
                now = dict(game.rules.scored_yaku(after.piles[mover], state.calls[mover]))
                assert dict(capture.completes) == {
                    yaku: points for yaku, points in now.items() if points > before.get(yaku, 0)
                }
                seen.add((state.phase, len(captures), bool(capture.completes)))
    assert {(PLAY, 1, False), (PLAY, 1, True)} <= seen
    if game.whole:
        assert {(PLAY, 2, False), (PICK_HAND, 2, False), (PICK_DRAW, 2, False)} <= seen


def settled(game, state, card, taken):
    """Return the state after the player settles a card by a capture."""
    if state.phase == PLAY:
        state = game.child(state, game.codes[card])
    if state.phase in (PICK_HAND, PICK_DRAW) and state.shown == card:
        state = game.child(state, game.codes[taken.bit_length() - 1])
    return state


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_progress_is_exact(game):
    """A yaku is complete if it counts, impossible if all cards that are left do not make it."""
    rng, seen = random.Random(1), set()
    for state in (state for seed in range(8) for state in states(game, seed)):
        own, opponent = state.piles if rng.random() < 0.5 else state.piles[::-1]
        scored = dict(game.rules.scored_yaku(own))
        for step in progress(game.rules, game.deck, own, opponent):
            assert (step.status == COMPLETE) == (step.yaku in scored) and step.points == scored.get(step.yaku, 0)
            assert step.missing == step.yaku.cards & game.deck & ~(own | opponent)
            if step.status in (OPEN, IMPOSSIBLE):
                assert step.lacks > 0 or own & step.yaku.unless
                reachable = step.yaku.points_in(own | step.missing & ~step.yaku.unless, 0) > 0
                assert reachable == (step.status == OPEN)
            if step.status == REPLACED:
                assert any(yaku.group == step.yaku.group for yaku in scored)
            seen.add(step.status)
    assert {COMPLETE, OPEN, IMPOSSIBLE} <= seen


def test_higher_brights_replace_lower_ones():
    steps = {step.yaku.name: step for step in progress(koikoi().rules, (1 << 48) - 1, cards("1B 3B 8B 11B"), 0)}
    assert [steps[name].status for name in ("goko", "shiko", "ameshiko", "sanko")] == [OPEN, OPEN, COMPLETE, REPLACED]
    assert steps["goko"].missing == cards("12B") and steps["goko"].lacks == 1 and steps["ameshiko"].points == 7


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_turns_rebuild_the_piles(game):
    """The cards of the turns are those of the piles, and the decisions those of the round."""
    for state in (state for seed in range(8) for state in states(game, seed)):
        if not state.start[0]:
            continue
        for player in range(2):
            piles, calls, waits = [0, 0], [0, 0], False
            for turn in turns_of(game, game.view(state, player), player):
                for card in filter(None, (turn.played, turn.drawn)):
                    piles[turn.mover] |= card.taken | 1 << card.card if card.taken else 0
                    waits = card.waits
                calls[turn.mover] += turn.decision not in ("", STOP)
            assert waits == (state.phase in (PICK_HAND, PICK_DRAW))
            assert calls == list(state.calls)
            assert tuple(piles) == state.piles


def test_facts_reveal_no_hidden_card():
    """Facts and turns are equal if the cards that a player has not seen are dealt again."""
    game, rng, compared = koikoi(), random.Random(2), 0
    for state in (state for seed in range(3) for state in states(game, seed)):
        if state.phase == END or not state.start[0]:
            continue
        for player in range(2):
            twin = redeal_hidden(state, player, rng)
            assert facts_of(game, state, player) == facts_of(game, twin, player)
            views = (game.view(state, player), game.view(twin, player))
            assert list(turns_of(game, views[0], player)) == list(turns_of(game, views[1], player))
            compared += twin != state
    assert compared > 50


def test_merged_chaff_are_no_choice():
    """Two merged chaff on the field are one capture; apart they are two."""
    field, card = cards("3C1 3C2"), read_cards("3B")[0]
    assert mini8(merged=True).captures(field, card) == (cards("3C1"),)
    assert mini8().captures(field, card) == (cards("3C1"), cards("3C2"))


def test_cards_by_kind():
    groups = cards_by_kind(cards("3B 2A 2R 11C 1C2"))
    assert groups == {"B": (8,), "A": (4,), "R": (5,), "C": (3, 43)}
