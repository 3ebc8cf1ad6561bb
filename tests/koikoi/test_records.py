"""Recorded rounds of Koi-Koi, replayed."""

import json
import random

import pytest

import tefuda as td
from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.game import DRAW, END, LABELS, STOP
from tefuda.koikoi.records import checked_records, deal, mismatches, read_records, replay
from tefuda.koikoi.reduced import koikoi
from tests.koikoi.random_rounds import DATA, needs_data


@needs_data
def test_human_rounds_replay_without_a_mismatch():
    game, count = koikoi("koikoi_japan"), 0
    for record in read_records(DATA / "human-rounds.jsonl"):
        assert mismatches(game, record) == [], record["id"]
        count += 1
    assert count == 794


def test_differences_of_records_are_listed():
    game, deck = koikoi(), list(range(48))
    state, rng, actions = deal(game, deck), random.Random(1), []
    stock = iter(deck[24:])
    while state.phase != END:
        if state.phase == DRAW:
            state = game.child(state, LABELS[next(stock)])
            continue
        actions.append(LABELS.index(rng.choice(game.actions(state))))
        state = game.child(state, LABELS[actions[-1]])
    end, acted = replay(game, deck, actions)
    assert end == state and len(acted) == len(actions)
    good = {"deck": deck, "actions": actions, "points": abs(state.points), "turns": state.turn}
    assert mismatches(game, good) == []
    assert "points" in mismatches(game, good | {"points": 99})[0]
    assert "not possible" in mismatches(game, good | {"actions": [49, *actions[1:]]})[0]
    assert "ends in turn" in mismatches(game, good | {"actions": actions[:-1]})[0]
    assert "[48]" in mismatches(game, good | {"actions": [*actions, 48]})[0]
    assert "0..47" in mismatches(game, good | {"deck": deck[:-1]})[0]
    assert "0..47" in mismatches(game, good | {"deck": [0] * 48})[0]
    assert "lacks" in mismatches(game, {"deck": deck})[0] and "turns" in mismatches(game, good | {"turns": 99})[0]
    for wrong in (-1, 50, "7"):
        assert f"{wrong!r} is not possible" in mismatches(game, good | {"actions": [wrong, *actions[1:]]})[0]


def test_results_match_the_round():
    """Compare the moves and the deck: the dealer's hand, the opponent's hand, the field."""
    game, deck, ends = koikoi(), list(range(0, 48, 2)) + list(range(1, 48, 2)), set()
    assert (*deal(game, deck).hands, deal(game, deck).field) == tuple(mask_of(deck[k : k + 8]) for k in (0, 8, 16))
    for seed in range(20):
        state, rng, stock, actions, players = deal(game, deck), random.Random(seed), iter(deck[24:]), [], ""
        while state.phase != END:
            label = LABELS[next(stock)] if state.phase == DRAW else rng.choice(game.actions(state))
            if state.phase != DRAW:
                actions, players = [*actions, LABELS.index(label)], players + str(state.mover)
            state = game.child(state, label)
        won = {"winner": None if label != STOP else state.mover, "exhausted": label != STOP, "players": players}
        assert mismatches(game, {"deck": deck, "actions": actions, **won}) == []
        ends.add(label == STOP)
    assert ends == {True, False}


def test_files_with_wrong_records_are_refused(tmp_path):
    file = tmp_path / "rounds.jsonl"
    file.write_text("[" * 100_000)
    with pytest.raises(td.errors.RunError, match="record"):
        list(read_records(file))
    file.write_text(json.dumps({"deck": list(range(48)), "actions": []}))
    with pytest.raises(td.errors.RunError, match="preset"):
        checked_records(koikoi(), file)
