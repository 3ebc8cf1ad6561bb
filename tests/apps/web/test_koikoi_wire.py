"""Koi-Koi sends nothing hidden: twin rounds, and planted leaks that the same test catches.

Twins exchange cards of the opponent's hand and of the end of the stock. Their answers must be equal as long as the
person's views are. Names of cards cannot be canaries here: the list of yaku names all cards in every message.
"""

import random

import pytest

from tefuda.apps.web.players import tables_of
from tefuda.apps.web.routes import play
from tefuda.koikoi.cards import DECK, mask_of
from tefuda.koikoi.game import DEAL, DRAW
from tefuda.koikoi.rules import find_rules, is_teyaku, must_redeal
from tefuda.playing.table import RulesTable
from tests.apps.web.wire import Wire, gaining, same_names

SETUP = {"game": "koikoi", "parameters": {"rounds": 3}, "opponents": ["greedy"], "mode": "after"}
OPPONENT, LATE = range(8, 16), range(36, 48)  # places in the deck: the opponent's hand, cards drawn last or never
FEWEST = 60  # equal answers that the twins must have together


def playable(deck):
    """Return whether a deck is dealt once and its round is played."""
    hands, field = (mask_of(deck[:8]), mask_of(deck[8:16])), mask_of(deck[16:24])
    return not (must_redeal(find_rules(), hands, field) or any(map(is_teyaku, hands)))


def twin_decks(seed):
    """Return two decks that differ in cards that the person sees late or never."""
    rng = random.Random(seed)
    while True:
        first = rng.sample(range(48), 48)
        second, places = list(first), [*rng.sample(OPPONENT, 2), *rng.sample(LATE, 2)]
        for place, card in zip(places, reversed([first[place] for place in places]), strict=True):
            second[place] = card
        if playable(first) and playable(second) and first != second:
            return first, second


def stacked(patch, deck):
    """Fix the cards of the deal and of the stock; forced moves stay."""
    drawn = RulesTable._outcome

    def outcome(self, state, uniform):
        label = drawn(self, state, uniform)
        if state.phase == DEAL:
            return DECK[deck[sum(mask.bit_count() for mask in (*state.hands, state.field))]].code
        return DECK[deck[23 + state.turn]].code if state.phase == DRAW else label

    patch.setattr(RulesTable, "_outcome", outcome)


def recorded(folder, monkeypatch, deck, choose):
    """Return the person's view at each step of a round with the answers of the server since the last one."""
    with monkeypatch.context() as patch:
        same_names(patch)
        stacked(patch, deck)
        wire, steps = Wire(folder), []
        state = wire.send("/api/tables", SETUP)
        while True:
            session = tables_of(wire.workspace).find(state["id"]).session
            view = str((session.pending or session.observed_hands[-1]).view)
            if not state["end"]:
                hint = wire.send(f"/api/tables/{state['id']}/hint", {"version": state["version"]})
                state = hint if "version" in hint else state
            wire.probe(state)
            steps.append((view, wire.answers))
            wire.answers = []
            if state["end"]:
                return steps
            action = choose(state["actions"])["index"]
            state = wire.send(f"/api/tables/{state['id']}/act", {"version": state["version"], "action": action})


def twin_answers(tmp_path, monkeypatch, seed, choose):
    """Return the pairs of answers of twins while their views are equal."""
    first, second = (
        recorded(tmp_path / f"{seed} {number}", monkeypatch, deck, choose)
        for number, deck in enumerate(twin_decks(seed))
    )
    pairs = []
    for (view, answers), (other_view, other_answers) in zip(first, second, strict=False):
        if view != other_view:
            break
        pairs += zip(answers, other_answers, strict=True)
    return pairs


@pytest.mark.parametrize("place", [0, -1])
def test_rounds_that_differ_in_unseen_cards_give_equal_bytes(tmp_path, monkeypatch, place):
    """As long as the person's views are equal, all answers are: states, hints, errors, lists, headers."""
    compared = 0
    for seed in range(4):
        pairs = twin_answers(tmp_path, monkeypatch, 10 * seed - place, lambda actions: actions[place])
        assert [(one, other) for one, other in pairs if one != other] == []
        compared += len(pairs)
    assert compared > FEWEST


LEAKS = {
    "name": lambda card: DECK[card].code,
    "id": lambda card: card,
    "length": lambda card: " " * card,
}


@pytest.mark.parametrize("leak", LEAKS)
def test_planted_leaks_are_caught(tmp_path, monkeypatch, leak):
    """A message that gains a hidden card as a name, as a number or as a length fails the test."""
    original = play.table_message

    def leaking(table):
        session = table.session
        labels = [label for label in session.history.labels[8:16] if session.pending]
        cards = sorted(card.id for card in DECK if card.code in labels)
        return gaining(original(table), [LEAKS[leak](card) for card in cards])

    monkeypatch.setattr(play, "table_message", leaking)
    pairs = twin_answers(tmp_path, monkeypatch, 1, lambda actions: actions[0])
    assert any(one != other for one, other in pairs)


def varied(folder, monkeypatch, deck):
    """Return views of the person at decisions of a round, each with the answers of a variation."""
    with monkeypatch.context() as names:
        same_names(names)
        wire = Wire(folder)
        with monkeypatch.context() as patch:
            stacked(patch, deck)
            state = over(wire, wire.send("/api/tables", SETUP))
        review, found = tables_of(wire.workspace).find(state["id"]).reviews[0], []
        moves = wire.send(f"/api/tables/{state['id']}/hands/0")["moves"]
        places = [number for number, move in enumerate(moves) if move["decision"] is not None]
        for place, entry in list(zip(places, review.decisions, strict=True))[:3]:
            wire.answers = []
            path = f"/api/tables/{state['id']}/hands/0/variation"
            over(wire, wire.send(path, {"move": place, "action": 0}))
            found.append((str(entry.decision.view), wire.answers))
        return found


def over(wire, state):
    """Take the first action until the round is over; return the state."""
    while not state["end"]:
        body = {"version": state["version"], "action": state["actions"][0]["index"]}
        state = wire.send(f"/api/tables/{state['id']}/act", body)
    return state


def test_variations_have_no_hidden_card_of_the_round(tmp_path, monkeypatch):
    """Variations of rounds that differ in unseen cards are equal to the byte, to their ends."""
    compared = 0
    for seed in range(2):
        first, second = (
            varied(tmp_path / f"{seed} {number}", monkeypatch, deck) for number, deck in enumerate(twin_decks(seed))
        )
        for (view, answers), (other_view, others) in zip(first, second, strict=False):
            if view == other_view:
                assert answers == others and len(answers) > 1
                compared += len(answers)
    assert compared > 10
