"""Variations: equal views, other hidden cards, as often as the strategies of the opponents say."""

from collections import Counter

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.games.kit import kit_of
from tefuda.games.plays import pick
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.playing.variation import place_of_move, redeal

GAMES = ("kuhn", "leduc", "liars_dice", "koikoi", "holdem", "goofspiel", "mini8", "rps", "spot")


@pytest.mark.parametrize("name", GAMES)
def test_the_player_sees_no_difference(name):
    """At each decision of a random hand, other deals have equal views of the player to move."""
    game, uniform = td.load_game(name), np.random.default_rng(3).random
    series = kit_of(game).series()
    rules = game if series is None else series.next([])[0]
    state, labels, others = rules.root(), [], 0
    while (mover := rules.player(state)) != TERMINAL and len(labels) < 60:
        if mover == CHANCE:
            outcomes = [rules.draw(state, uniform)] if hasattr(rules, "draw") else rules.chances(state)
            label = outcomes[pick([float(chance) for _, chance in outcomes], uniform())][0]
        else:
            again = redeal(rules, labels, mover, uniform)
            other = rules.root()
            for given in again:
                other = rules.child(other, given)
            assert rules.view(other, mover) == rules.view(state, mover)
            others += again != labels
            label = rules.actions(state)[int(uniform() * len(rules.actions(state)))]
        labels.append(label)
        state = rules.child(state, label)
    assert others or len(labels) < 4


def test_hidden_cards_follow_the_strategy(kuhn):
    """After a bet the opponent holds each card as often as Bayes' rule says."""
    shares = {"J": 1 / 3, "K": 1.0}
    bets = td.StrategyAgent("bets", lambda player, view, actions: [1 - shares[view[0]], shares[view[0]]])
    uniform, rules = np.random.default_rng(5).random, td.load_game("kuhn")
    drawn = Counter(redeal(rules, [("Q", "K"), "p", "b"], 0, uniform, (None, bets))[0][1] for _ in range(2000))
    assert drawn["J"] / 2000 == pytest.approx(1 / 4, abs=0.05) and drawn["J"] + drawn["K"] == 2000


def test_moves_are_counted_without_chance():
    rules, labels = td.load_game("leduc"), [("Q", "K"), "c", "c", "K", "r", "c"]
    assert [place_of_move(rules, labels, 0, move) for move in (0, 2)] == [1, 4]
    for seat, move in ((0, 1), (1, 0), (0, 9)):
        with pytest.raises(ParameterError):
            place_of_move(rules, labels, seat, move)
