"""Lossless merging: the classes it finds, equal values, and infosets that must stay separate."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tefuda as td
from tests.abstracting.symmetric_games import loses_nothing
from tests.conftest import compiled, rules


@dataclass(frozen=True)
class WithCoin:
    """A game after an irrelevant coin, shown to some of its players."""

    game: Any
    chance: float = 0.25
    seen_by: tuple[int, ...] = (0,)
    name = "with a coin"

    @property
    def players(self):
        return self.game.players

    def root(self):
        return ("", self.game.root())

    def player(self, state):
        return self.game.player(state[1]) if state[0] else td.CHANCE

    def actions(self, state):
        return self.game.actions(state[1])

    def chances(self, state):
        return self.game.chances(state[1]) if state[0] else (("h", self.chance), ("t", 1 - self.chance))

    def child(self, state, action):
        return (state[0], self.game.child(state[1], action)) if state[0] else (action, state[1])

    def payoffs(self, state):
        return self.game.payoffs(state[1])

    def view(self, state, player):
        seen = state[0] if player in self.seen_by else ""
        return seen + self.game.view(state[1], player)


def value_of(whole):
    """Return the values of an equilibrium of the small game, and its NashConv in the real one."""
    solution = td.solve(whole, "lp")
    return solution.values, solution.nash_conv


def test_suits_of_leduc():
    """936 infosets become 288; the value is -0.085606424078."""
    whole = td.lossless(compiled("leduc", distinct_suits=True))
    values, gap = value_of(whole)
    assert whole.size == 288 and whole.forgotten is None and whole.share.min() == 1 and loses_nothing(whole)
    assert values[0] == pytest.approx(-0.085606424078, abs=1e-9) and gap < 1e-9


def test_nothing_is_merged_that_differs():
    for name, parameters in (("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {})):
        tree = compiled(name, **parameters)
        assert td.lossless(tree).size == tree.infosets


def test_actions_that_do_the_same_share_their_probability():
    """Rock, paper and scissors share a row; goofspiel has 260 abstract rows for 348 rows."""
    whole = td.lossless(compiled("rps"))
    assert whole.share == pytest.approx([1 / 3] * 6) and value_of(whole) == ((0.0, 0.0), 0.0)
    whole = td.lossless(compiled("goofspiel"))
    values, gap = value_of(whole)
    assert int(whole.first_row[-1]) == 260 and values == pytest.approx((0, 0), abs=1e-9) and gap < 1e-9
    assert td.solve(whole, "cfr-br", iterations=50).nash_conv < 0.5  # passes share actions too


def test_chaff_of_mini8():
    """With equal chaff cards as one card, 4,415 infosets become 3,875; the value is 0.177744472789."""
    whole = td.lossless(compiled("mini8", merged=True))
    values, gap = value_of(whole)
    assert whole.size == 3875 and int(whole.first_row[-1]) == 7147
    assert values[0] == pytest.approx(0.177744472789, abs=1e-9) and gap < 1e-9


@pytest.mark.slow
def test_chaff_of_mini8_card_by_card():
    """17,468 infosets become 4,353, of which 1,083 have one action."""
    whole = td.lossless(compiled("mini8"))
    values, gap = value_of(whole)
    assert whole.size == 4353 and int((whole.small.action_counts == 1).sum()) == 1083
    assert values[0] == pytest.approx(0.177744472789, abs=1e-9) and gap < 1e-9


@pytest.mark.parametrize("seen_by", [(0,), (1,), (0, 1)])
def test_a_biased_coin_that_means_nothing(seen_by):
    """Infosets that differ only in chance's weights become one."""
    tree = td.compile_game(WithCoin(rules("kuhn"), 0.25, seen_by))
    whole = td.lossless(tree)
    assert tree.infosets == 12 + 6 * len(seen_by) and whole.size == 12
    values, gap = value_of(whole)
    assert values[0] == pytest.approx(-1 / 18, abs=1e-9) and gap < 1e-9


def test_a_coin_before_a_game_that_ends_late():
    """No bid of goofspiel's first round ends the game: its importance follows from later infosets."""
    whole = td.lossless(td.compile_game(WithCoin(rules("goofspiel"), 0.25)))
    assert whole.size == 162 and int(whole.first_row[-1]) == 260


def test_three_players():
    """The coin disappears; an equilibrium of the small game is one of the real game."""
    tree = td.compile_game(WithCoin(rules("kuhn", players=3), 0.5, (0, 2)))
    whole = td.lossless(tree)
    assert (tree.infosets, whole.size) == (80, 48)
    solver = td.make_solver(whole, "cfr")
    solver.advance(300)
    small = solver.inner.average()
    assert td.evaluate(small).gains == pytest.approx(td.evaluate(solver.average()).gains, abs=1e-12)


def test_payoffs_and_chances_keep_infosets_apart():
    """Suits that pay 1e-6 more, and cards of different frequency, are not merged."""
    for lines in (("1 0", "1.000001 0"), ("2 0", "1 0")):
        rows = [[[float(x), -float(x)] for x in line.split()] for line in lines]
        assert td.lossless(td.compile_game(td.load_game("matrix", payoffs=rows))).share.min() == 1
    rows = [[[1.0, -1.0], [0.0, 0.0]]] * 2
    assert td.lossless(td.compile_game(td.load_game("matrix", payoffs=rows))).share.min() == 0.5


def test_lossy_partitions_are_detected():
    tree = compiled("leduc")
    assert loses_nothing(td.lossless(tree))
    twice = td.compile_game(td.load_game("matrix", payoffs=[[[1, -1], [0, 0]]] * 2))
    assert loses_nothing(td.forms.partition(twice, lambda view, player: view))  # equal actions need not be merged
    assert not loses_nothing(td.forms.partition(tree, lambda view, player: view.replace("J", "Q")))
    assert not loses_nothing(td.forms.partition(tree, lambda view, player: view.replace("cc/", "rc/")))


def test_the_actions_of_every_opponent_count():
    """Player 0's actions have equal values against each opponent alone, and differ against both together."""
    table = np.zeros((2, 2, 2, 3))  # player 1 prefers its second action, player 2 as well and by more
    for a, b, c in np.ndindex(2, 2, 2):
        table[a, b, c] = (a + b + c) % 2, 2 * b, 3 * c
    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0)):
        turned = np.transpose(table, (*order, 3))[..., order]
        tree = td.compile_game(td.load_game("matrix", payoffs=turned.tolist()))
        assert td.lossless(tree).share.min() == 1


@dataclass(frozen=True)
class Later:
    """One player gains `now` at once, or chooses among `later`, after `turns` useless turns."""

    now: float = 2.0
    later: tuple[float, ...] = (1.0, 1.0)
    turns: int = 0
    name = "later"
    players = 1

    def root(self):
        return ""

    def player(self, state):
        choices = state.lstrip("-")
        return td.TERMINAL if choices == "n" or len(choices) == 2 else 0

    def actions(self, state):
        if len(state) < self.turns:
            return ("-",)
        return tuple(map(str, range(len(self.later)))) if state.endswith("l") else ("n", "l")

    def chances(self, state):
        raise AssertionError("there is no chance")

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        return (self.now if state.endswith("n") else self.later[int(state[-1])],)

    def view(self, state, player):
        return state


@pytest.mark.parametrize("turns", range(8))
@pytest.mark.parametrize("later", [(1.0, 1.0), (0.5, 1.5), (0.5, 0.5, 1.0), (0.25, 0.75, 1.0)])
def test_payoffs_and_later_choices_of_one_size_are_not_the_same(turns, later):
    """An immediate payoff and a later choice of equal weight are not merged."""
    tree = td.compile_game(Later(2.0, later, turns))
    whole = td.lossless(tree)
    assert whole.share[tree.row_of(turns, "n")] == whole.share[tree.row_of(turns, "l")] == 1
    best = td.solve(whole, "cfr+", iterations=50)
    assert best.values[0] == pytest.approx(2, abs=1e-9)
