"""Compiling by bundles gives the same tree, bit for bit, as compiling history by history."""

from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.forms import bundles
from tefuda.forms import compile as compiling
from tefuda.forms.builder import Builder
from tefuda.games.small.kuhn import Kuhn
from tefuda.games.small.leduc import Leduc
from tests.conftest import rules
from tests.same_tree import assert_same_tree

CARDS = [{"ranks": 3}, {"ranks": 2, "suits": 3}, {"ranks": 5, "suits": 1}, {"ranks": 4, "distinct_suits": True}]
GAMES = [
    *(("kuhn", {"players": players, "cards": players + more}) for players in (2, 3, 4) for more in (0, 1, 3)),
    *(("leduc", {**cards, "cap": cap}) for cards in CARDS for cap in (0, 1, 2, 3)),
    *(("leduc", {**cards, "players": 3, "cap": 1}) for cards in CARDS),
    ("leduc", {"players": 3}),
    ("leduc", {"players": 4, "ranks": 3, "cap": 0}),
    ("leduc", {"players": 4, "ranks": 3, "cap": 1}),
    ("leduc", {"ante": 3, "raises": (1, 7)}),
    *(("nolimit_leduc", {**cards, "stack": stack}) for cards in CARDS for stack in (2, 3, 5)),
    ("nolimit_leduc", {"players": 3, "ranks": 3, "stack": 3}),
    ("nolimit_leduc", {"stack": 7, "ante": 2}),
    *(("liars_dice", {"sides": sides}) for sides in (2, 3, 4, 5)),
    *(("liars_dice", {"dice": 2, "sides": sides}) for sides in (2, 3)),
    ("liars_dice", {"dice": 3, "sides": 2}),
    ("liars_dice", {"dice": (2, 1), "sides": 3}),
    ("liars_dice", {"dice": (1, 3), "sides": 2}),
    ("liars_dice", {"players": 3, "sides": 3}),
    ("liars_dice", {"players": 4, "sides": 2}),
]


def bundled(game):
    """The tree of a game by bundles; None if its histories do not form bundles."""
    return compiling._bundled_tree(game, None, force=False)


def full(game):
    """The tree of a game, history by history."""
    return Builder(game).build()


@pytest.mark.parametrize("name, parameters", GAMES)
def test_bundles_agree_with_all_histories(name, parameters):
    """Games with public actions have the same arrays, keys and labels by bundles."""
    game = rules(name, **parameters)
    assert_same_tree(bundled(game), full(game))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, parameters",
    [("liars_dice", {}), ("leduc", {"players": 3, "distinct_suits": True, "cap": 1}), ("nolimit_leduc", {"stack": 10})],
)
def test_large_games_agree(name, parameters):
    """So have larger games."""
    test_bundles_agree_with_all_histories(name, parameters)


def test_rules_are_asked_at_few_deals(monkeypatch):
    """The rules of Liar's dice are asked for less than a third of the histories."""
    game, asked = rules("liars_dice", sides=5), []
    child = type(game).child
    monkeypatch.setattr(type(game), "child", lambda self, *args: asked.append(args) or child(self, *args))
    histories = 1 + int(bundles.Bundles(game, lambda histories: None).root.sizes().sum())
    assert len(asked) < histories / 3


@dataclass(frozen=True)
class Timid(Kuhn):
    """Kuhn poker in which players never bet with the lowest card, so that actions show the hand."""

    def actions(self, state):
        mover = self.player(state)
        return ("p",) if state[0][mover] == "J" else ("p", "b")


@dataclass(frozen=True)
class Bonus(Leduc):
    """Leduc in which the player with a king wins one chip more when both call the last raise."""

    def payoffs(self, state):
        mine, theirs = super().payoffs(state)
        more = (state[0][0] == "K") - (state[0][1] == "K") if state[2].endswith("rc") else 0
        return mine + more, theirs - more


@dataclass(frozen=True)
class Lucky(Leduc):
    """Leduc in which one deal after one line pays something else."""

    def payoffs(self, state):
        return (50, -50) if state == (("K", "J"), "Q", "rrc/crrc") else super().payoffs(state)


@dataclass(frozen=True)
class Odd(Leduc):
    """Leduc in which ends with equal last actions pay by either card, or at one deal."""

    def payoffs(self, state):
        cards, board, history = state
        line, _, later = history.partition("/")
        if later != "cc":
            return super().payoffs(state)
        gain = {"cc": "JQK".index(cards[0]), "crc": "JQK".index(cards[1]), "rc": (*cards, board) == ("K", "J", "J")}
        gain = 5 * int(gain.get(line, 1))
        return gain, -gain


def test_ends_with_equal_last_actions_may_differ(monkeypatch):
    """Ends that fit no known outcomes, or several, are evaluated at every deal."""
    monkeypatch.setattr(Odd, "__module__", "tefuda.games.small.other")
    assert_same_tree(bundled(Odd()), full(Odd()))


@pytest.mark.parametrize("kind", [Timid, Bonus])
def test_rules_of_other_kinds_give_the_same_tree(kind, monkeypatch):
    """Wrongly declared actions, and payoffs of another kind, give the tree of all histories."""
    monkeypatch.setattr(kind, "__module__", "tefuda.games.small.other")
    game = kind()
    assert_same_tree(td.compile_game(game, cache=False), full(game))


def test_own_rules_are_compiled_history_by_history(monkeypatch):
    """Rules of other modules are never compiled by bundles, even if they declare public actions."""
    monkeypatch.setattr(bundles.Bundles, "__init__", None)
    assert Lucky().public_actions
    assert_same_tree(td.compile_game(Lucky()), full(Lucky()))


def test_disagreeing_rules_are_compiled_history_by_history(monkeypatch):
    """If a compared game disagrees with its rules, bundles are not used."""
    monkeypatch.setattr(Lucky, "__module__", "tefuda.games.small.other")
    game = Lucky()
    tree = full(game)
    place = int(np.flatnonzero(tree.payoffs[:, 0] == 50)[0])
    assert bundled(game) is not None  # so small a difference is not found by chance
    monkeypatch.setattr(compiling, "_sample", lambda ends: np.array([0, place]))
    assert bundled(game) is None


def test_progress_and_size_limit(monkeypatch):
    """Progress rises up to the number of histories; too large a game is refused while it grows."""
    monkeypatch.setattr(compiling, "REPORT_EVERY", 500)
    reports = []
    tree = td.compile_game(rules("leduc"), progress=reports.append)
    assert reports == sorted(set(reports)) and reports[0] >= 500 and reports[-1] <= len(tree.player)
    monkeypatch.setattr("tefuda.games.size.free_memory", lambda: 10_000.0)
    with pytest.raises(td.SizeError):
        td.compile_game(rules("leduc"))
    assert len(td.compile_game(rules("leduc"), force=True).player) == len(tree.player)


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 10, "cards": 60}), ("liars_dice", {"players": 6})])
def test_too_many_deals_are_refused_at_once(name, parameters):
    """A game with too many deals to list is refused by its estimate."""
    with pytest.raises(td.SizeError):
        td.compile_game(rules(name, **parameters))
