"""Koi-Koi's own table: the same hands and payoffs as over the rules, from the same luck."""

import pickle
from collections import Counter

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.cards import read_card
from tefuda.koikoi.game import KoiKoi
from tefuda.koikoi.playing.agents import GreedyAgent
from tefuda.koikoi.playing.table import RoundsTable
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.table import RulesTable, table_of

#: Fifty deals of each: all pairs of agents, all shared seats, presets with and without options.
MATCHES = [
    ("standard", {}, (GreedyAgent(), td.RandomAgent()), "luck"),
    ("standard", {}, (td.RandomAgent("a"), td.RandomAgent("b")), "nothing"),
    ("koikoi_japan", {}, (td.RandomAgent(), GreedyAgent()), "cards"),
    ("koikoi_japan", {}, (td.RandomAgent("a"), td.RandomAgent("b")), "luck"),
    ("nintendo_strict", {}, (GreedyAgent("a"), GreedyAgent("b")), "nothing"),
    ("bga_soft", {}, (td.RandomAgent("a"), td.RandomAgent("b")), "cards"),
    ("gamedesign", {"tane_from": 2, "tan_from": 2}, (td.RandomAgent(), GreedyAgent()), "luck"),
]


def same(one, other):
    """Compare two matches hand by hand."""
    assert one.hands == other.hands and one.agents == other.agents and one.seatings == other.seatings
    assert one.payoffs.tobytes() == other.payoffs.tobytes() and np.array_equal(one.ends, other.ends)


def both(game, agents, **how):
    """Return a match at the game's own table and one over its rules."""
    assert isinstance(table_of(game), RoundsTable)
    return td.duplicate_match(game, agents, **how), td.duplicate_match(RulesTable(game), agents, **how)


@pytest.mark.parametrize("preset, changes, agents, shared", MATCHES)
def test_hands_equal_those_by_the_rules(preset, changes, agents, shared):
    fast, slow = both(koikoi(preset, **changes), agents, deals=50, seed=4, shared=shared, record=True)
    same(fast, slow)
    assert len(fast.hands) == 100 and np.array_equal(fast.payoffs[0, :, 0], -fast.payoffs[0, :, 1])


def test_redeals_and_teyaku_are_equal():
    """Three of a month on the field are frequent, but a teyaku is rare: the test searches for such deals."""
    game = KoiKoi(PRESETS["nintendo_strict"])
    agents, dealing = (td.RandomAgent("a"), td.RandomAgent("b")), DealSource(2000, 1, record=True)
    played = RoundsTable(game).play_task(Task(game, agents, (0, 1), dealing))
    fields = [Counter(read_card(label).month for label in hand.labels[16:24]) for hand in played.hands]
    again = [hand for hand, field in zip(played.hands, fields, strict=True) if max(field.values()) >= 3]
    lucky = [hand for hand in played.hands if len(hand.labels) == 24]
    assert len(again) > 20 and {hand.payoffs for hand in lucky} == {(6.0, -6.0), (-6.0, 6.0)}
    for hand in (*again[:20], *lucky[:10]):
        one = Task(game, agents, (0, 1), DealSource(1, 1, record=True), first=hand.deal)
        assert RulesTable(game).play_task(one).hands == [hand]


def test_tasks_are_played_in_parts_and_hands_are_reported():
    """Replicates begin at their deals; a table that was pickled plays the same hands."""
    game, agents, seen = koikoi(), (td.RandomAgent("a"), GreedyAgent("b")), []
    whole = td.duplicate_match(game, agents, deals=1020, record=True, on_hand=seen.append)
    parts = td.duplicate_match(game, agents, deals=510, replicates=2, record=True)
    assert whole.payoffs.tobytes() == parts.payoffs.tobytes() and tuple(seen) == whole.hands == parts.hands
    table = pickle.loads(pickle.dumps(table_of(game)))
    assert td.duplicate_match(table, agents, deals=1020).payoffs.tobytes() == whole.payoffs.tobytes()


class Last(td.RandomAgent):
    """A subclass of an agent, which may act differently."""

    def act(self, turn):
        return len(turn.actions) - 1


@pytest.mark.parametrize("other", [Last("last"), td.ScriptedAgent("script", lambda player, view, actions: actions[-1])])
def test_other_agents_play_by_the_rules(other):
    fast, slow = both(koikoi(), (GreedyAgent(), other), deals=10, record=True)
    same(fast, slow)
    assert any("koi-koi" in hand.labels for hand in fast.hands)


@pytest.mark.parametrize(
    "game", [mini8(), KoiKoi(field=7), KoiKoi(merged=True), KoiKoi(open_field=15, field=4)], ids=str
)
def test_other_games_are_played_by_the_rules(game):
    assert type(table_of(game)) is RulesTable
