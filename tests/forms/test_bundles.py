"""Compiling by bundles gives the same tree, bit for bit, as compiling history by history."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.forms import plan as planning
from tefuda.forms.builder import Builder, build_by_bundles
from tefuda.forms.bundles import regions as bundles
from tefuda.forms.bundles.deals import spread
from tefuda.forms.verify import verify
from tefuda.games.small.kuhn import Kuhn
from tefuda.games.small.leduc import Leduc
from tests.broken_promises import KINDS, Broken
from tests.card_games import SHAPES, Cards
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


def bundled(game, each=5_000, step=8):
    """The tree of a game by bundles, compared with its rules."""
    tree = build_by_bundles(game, step)
    verify(tree, game, planning.Plan("bundles", compared=20, each=each))
    return tree


def full(game):
    """The tree of a game, history by history."""
    return Builder(game).build()


@pytest.mark.parametrize("name, parameters", GAMES)
def test_bundles_agree_with_all_histories(name, parameters):
    """Games with public actions have the same arrays, keys and labels by bundles."""
    game = rules(name, **parameters)
    for step in (1, 8):
        assert_same_tree(bundled(game, step=step), full(game))


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
    histories = 1 + int(bundles.Bundles(game, lambda histories: None, step=8).root.sizes().sum())
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


@pytest.mark.parametrize("step", [1, 8])
def test_ends_with_equal_last_actions_may_differ(step):
    """Ends that fit no known outcomes, or several, are evaluated at every deal."""
    assert_same_tree(bundled(Odd(), step=step), full(Odd()))


def test_inherited_declarations_do_not_count(monkeypatch):
    """A subclass may change the rules: it is compiled history by history unless it declares them."""
    monkeypatch.setattr(bundles.Bundles, "__init__", None)
    assert Lucky().public_actions
    assert_same_tree(td.compile_game(Lucky()), full(Lucky()))


def test_compared_plays_are_compared(monkeypatch):
    """A deviation at one play is found if it is compared."""
    place = int(np.flatnonzero(full(Lucky()).payoffs[:, 0] == 50)[0])
    assert bundled(Lucky()) is not None  # so small a difference is not found by chance
    monkeypatch.setattr(planning.Plan, "plays", lambda self, tree: np.array([0, place]))
    with pytest.raises(bundles.NotBundled, match="K J~r~r~c~Q~c~r~r~c"):
        bundled(Lucky())


class DeclaredCards(Cards):
    """A random card game that declares public actions."""

    public_actions = True


class Declared(Leduc):
    """Leduc as a user's own game."""

    public_actions = True


class Answers(Declared):
    """Leduc with lists, arrays and views that are not texts."""

    def actions(self, state):
        return list(super().actions(state))

    def payoffs(self, state):
        return np.array(super().payoffs(state), dtype=float)

    def chances(self, state):
        return [list(pair) for pair in super().chances(state)]

    def view(self, state, player):
        return state[0][player], state[1], state[2]


class BoardsInOtherOrder(Declared):
    """Leduc in which the order of the boards depends on an earlier action."""

    public_actions = True

    def chances(self, state):
        cards = super().chances(state)
        return cards[:1] + cards[2:] + cards[1:2] if state[0] and state[2] == "crc" else cards


class Peeking(Declared):
    """Leduc in which the first player sees the other card with the board, after a raise at the start."""

    public_actions = True

    def view(self, state, player):
        peeked = state[0][1] if player == 0 and state[2].startswith("r") and "/" in state[2] else ""
        return f"{peeked}:{super().view(state, player)}"


@pytest.fixture
def large(monkeypatch):
    """Games that declare public actions count as large, so they are not built history by history."""
    monkeypatch.setattr(planning, "COMPARED_WHOLE", 0)


OWN = [
    *(DeclaredCards(seed, **shape) for seed, shape in enumerate(SHAPES) if not shape.keys() & {"zero", "special"}),
    Declared(distinct_suits=True),
    Declared(players=3, cap=1),
    Answers(),
    BoardsInOtherOrder(distinct_suits=True),
    Peeking(ranks=4),
]
BROKEN_CARDS = [DeclaredCards(seed, **shape) for seed, shape in enumerate(SHAPES) if shape.keys() & {"zero", "special"}]


@pytest.mark.parametrize("game", OWN, ids=repr)
def test_own_card_games_agree_with_all_histories(game, large):
    """A user's card games that declare public actions have the same tree by bundles."""
    assert_same_tree(td.compile_game(game), full(game))


def test_rules_of_an_own_game_are_asked_at_few_deals(large, monkeypatch):
    """The rules of a user's Leduc with suits are asked for less than a quarter of the histories."""
    asked, game = [], Declared(players=3, distinct_suits=True, cap=1)
    child = Leduc.child
    monkeypatch.setattr(Declared, "child", lambda self, *args: asked.append(args) or child(self, *args), raising=False)
    assert len(asked) < len(td.compile_game(game).player) / 4


def _breaks(**functions):
    """A class of Leduc with suits that declares public actions and has other functions."""
    return type("Broken", (Declared,), {"public_actions": True, **functions})


def _one_deal(state):
    return state[0] == ("Ks", "Jh")


def _fewer_actions(self, state):
    actions = Leduc.actions(self, state)
    return actions[:1] if _one_deal(state) and state[2] == "c" else actions


def _longer(self, state):
    return 1 if _one_deal(state) and state[2] == "rc" else Leduc.player(self, state)


def _other_payoffs(self, state):
    return (50, -50) if _one_deal(state) and state[2].startswith("crc") else Leduc.payoffs(self, state)


def _other_view(self, state, player):
    return Leduc.view(self, state, player) + "!" * (_one_deal(state) and state[2] == "c")


def _seen_later(self, state, player):
    """The view after a raise shows the other player's card."""
    return Leduc.view(self, state, player) + state[0][1 - player][:1] * ("r" in state[2])


BROKEN = {
    "actions at one deal": {"actions": _fewer_actions},
    "mover at one deal": {"player": _longer},
    "view at one deal": {"view": _other_view},
    "view after an action": {"view": _seen_later},
}


@pytest.mark.parametrize("functions", BROKEN.values(), ids=BROKEN)
def test_broken_declarations_are_refused(functions):
    """A game of about 10,000 histories that breaks its promise anywhere is refused."""
    with pytest.raises(td.errors.GameError, match=r"J[sh]"):  # the cards of a history
        td.compile_game(_breaks(**functions)(distinct_suits=True))


def test_other_payoffs_at_one_deal_are_found():
    """An end with a payoff of its own has outcomes of its own."""
    game = _breaks(payoffs=_other_payoffs)(distinct_suits=True)
    assert_same_tree(td.compile_game(game), full(game))


@pytest.mark.parametrize("game", BROKEN_CARDS, ids=repr)
def test_ends_of_other_kinds_are_found(game):
    """A game whose ends do not fall into the same outcomes is refused, or its tree is right."""
    with suppress(td.errors.GameError):
        assert_same_tree(td.compile_game(game), full(game))


def assert_refused_or_right(game):
    """The game is refused, or compiled as history by history."""
    with suppress(td.errors.GameError):
        assert_same_tree(td.compile_game(game), full(game))


@pytest.fixture
def no_luck(monkeypatch):
    """No random plays are compared, so that faults are noticed always or never."""
    monkeypatch.setattr(planning, "require_sound", lambda *answer: None)
    monkeypatch.setattr(planning.Plan, "plays", lambda self, tree: np.arange(0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_promises_broken_at_one_hand_are_noticed(seed, kind, large, no_luck):
    """Answers that depend on one player's hand are noticed at every public history."""
    assert_refused_or_right(Broken(seed, kind, 1_000, 3_000))


@pytest.mark.parametrize("kind", KINDS)
def test_promises_of_large_games_broken_at_one_hand_are_noticed(kind, no_luck):
    """So they are in games that are too large to be compared whole."""
    assert_refused_or_right(Broken(0, kind, 20_001, 22_000))


class Jackpot:
    """60 cards of which one wins a jackpot after one action."""

    name, players, constant_sum, public_actions = "jackpot", 2, 0, True

    def root(self):
        return ()

    def player(self, state):
        return (td.CHANCE, 0, 1, 0, td.TERMINAL)[len(state)]

    def actions(self, state):
        return (("small", "large"), ("call",), ("show",))[len(state) - 1]

    def chances(self, state):
        return tuple(((one, two), 1 / (60 * 59)) for one in range(60) for two in range(60) if one != two)

    def child(self, state, label):
        return (*state, label)

    def payoffs(self, state):
        (one, two), size = state[:2]
        amount = (1 if one > two else -1) * (1 if size == "small" else 2)
        amount = 1000 if one == 6 and size == "large" and amount > 0 else amount
        return (amount, -amount)

    def view(self, state, player):
        return f"{state[0][player] if state else '-'} {state[1:]}"


class Doubled(Jackpot):
    """One of 60 cards may multiply its gains by 100."""

    public_actions = True

    def player(self, state):
        more = len(state) == 4 and state[0][0] == 6 and state[1] == "large"
        return 0 if more else td.TERMINAL if len(state) > 3 else super().player(state)

    def actions(self, state):
        return ("keep", "times 100") if len(state) == 4 else super().actions(state)

    def payoffs(self, state):
        gain = (1 if state[0][0] > state[0][1] else -1) * (1 if state[1] == "small" else 2)
        gain *= 100 if state[-1] == "times 100" and gain > 0 else 1
        return (gain, -gain)


class BoardDecides(Jackpot):
    """The actions depend on a public card."""

    public_actions = True

    def player(self, state):
        return (td.CHANCE, 0, td.CHANCE, 1, td.TERMINAL)[len(state)]

    def actions(self, state):
        return ("check", "bet") if len(state) == 1 else ("call", "fold", "raise")[: 2 + (state[2] == "black")]

    def chances(self, state):
        return (
            (("red", 0.5), ("black", 0.5)) if state else tuple(((one, two), 0.25) for one in (0, 1) for two in (0, 1))
        )


def test_a_jackpot_of_one_hand_is_compiled(no_luck):
    """The value to player 0 by the rules is 1.9325.

    It chooses "large" if it is likely to win, and wins 1,000 in place of 2 at 6 of 3,540 deals.
    """
    value = sum(max(2 * card - 59, 2 * (2 * card - 59) + 6 * 998 * (card == 6)) for card in range(60)) / (60 * 59)
    assert value == pytest.approx(1.9325, abs=5e-5)
    assert td.exploiting.game_value(td.compile_game(Jackpot()), 0) == pytest.approx(value)


@pytest.mark.parametrize("kind", [Doubled, BoardDecides])
def test_actions_that_depend_on_a_card_are_refused(kind, no_luck):
    """Be it a player's or a public card; without the declaration the games are compiled."""
    with pytest.raises(td.errors.GameError):
        td.compile_game(kind())
    tree = td.compile_game(type("Same", (kind,), {"public_actions": False})())
    assert (len(tree.player), tree.infosets) == ((24_899, 301) if kind is Doubled else (69, 10))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", KINDS)
def test_promises_of_games_of_all_sizes_broken_at_one_hand_are_noticed(kind, seed, no_luck):
    """300 games of up to 1,000,000 histories."""
    assert_refused_or_right(Broken(seed, kind))


def test_kept_promises_are_compiled(large, no_luck):
    """The same games without a fault are not refused."""
    for seed in range(8):
        game = Broken(seed, None, 1_000, 3_000)
        assert_same_tree(td.compile_game(game), full(game))


def test_spread_deals_hold_each_hand_with_several_others():
    """Every hand is followed at two deals or more, and beside two hands or more of each other player."""
    deals = np.array([(a, b, c, d) for a in range(5) for b in range(5) for c in range(5) for d in range(2) if a != b])
    rare = np.array([(a, number in (7, 8), number % 2) for a in range(100) for number in range(20)], dtype=int)
    for order in (deals, deals[::-1], deals[np.random.default_rng(0).permutation(len(deals))], rare):
        hands = order[:, :3].T
        chosen = hands[:, spread(hands)]
        assert chosen.shape[1] < len(order) / 3
        for own in range(3):
            for hand in set(hands[own].tolist()):
                beside = chosen[:, chosen[own] == hand]
                assert [len(set(other)) > 1 for other in beside.tolist()] == [seat != own for seat in range(3)]


def test_own_views_with_several_sets_of_actions_are_refused(large, monkeypatch):
    """Infosets at which the actions differ are refused, even if no sample shows them."""
    monkeypatch.setattr(planning, "require_sound", lambda *answer: None)

    def view(self, state, player):
        return state[0][player]

    with pytest.raises(td.errors.GameError, match="several sets of actions"):
        td.compile_game(_breaks(view=view)())


@pytest.mark.parametrize("kind", [Timid, Bonus, Lucky])
def test_small_broken_games_are_refused(kind):
    """Declared games up to 20,000 histories are compared at every history."""
    game = type("Own", (kind,), {"public_actions": True})()
    if kind is not Timid:  # their ends fall into outcomes of their own
        assert_same_tree(td.compile_game(game), full(game))
        return
    with pytest.raises(td.errors.GameError, match="public_actions"):
        td.compile_game(game)


@pytest.mark.parametrize(
    "functions, words",
    [
        ({"payoffs": lambda self, state: (float("nan"), 0.0)}, "nan"),
        ({"payoffs": lambda self, state: 1 // 0}, "ZeroDivisionError"),
        ({"actions": lambda self, state: ()}, "labels"),
        ({"actions": lambda self, state: ("c", "c")}, "c"),
        ({"player": lambda self, state: 7 if state[0] else -1}, "7"),
        ({"view": lambda self, state, player: [state[2]]}, "hash"),
    ],
)
def test_faulty_declared_games_are_refused(functions, words, large):
    """Other faults are reported as for all games."""
    with pytest.raises(td.errors.GameError) as refused:
        td.compile_game(_breaks(**functions)())
    assert words in str(refused.value)


class DealtAndShown:
    """A stake, then two cards, which are shown at once."""

    name, players, public_actions = "dealt_and_shown", 2, True

    def root(self):
        return ()

    def player(self, state):
        return (0, -1, -2)[len(state)]

    def actions(self, state):
        return (1, 2)

    def chances(self, state):
        cards = [(first, second) for first in range(4) for second in range(4) if first != second]
        return tuple((deal, 1 / len(cards)) for deal in cards)

    def child(self, state, label):
        return (*state, label)

    def payoffs(self, state):
        stake, (first, second) = state
        return (stake, -stake) if first > second else (-stake, stake)

    def view(self, state, player):
        return (state[0] if state else 0, state[1][player] if len(state) == 2 else -1)


def test_cards_that_are_dealt_and_shown(large):
    """No player moves after the deal, and one player moves nowhere."""
    game = DealtAndShown()
    assert_same_tree(td.compile_game(game), full(game))


def test_progress_and_size_limit(monkeypatch):
    """Progress rises up to the number of histories; too large a game is refused while it grows."""
    monkeypatch.setattr(bundles, "REPORT_EVERY", 500)
    reports = []
    tree = td.compile_game(rules("leduc"), progress=reports.append)
    assert reports == sorted(set(reports)) and reports[0] >= 500 and reports[-1] <= len(tree.player)
    monkeypatch.setattr(planning, "ESTIMATED_FROM", 1_500)
    monkeypatch.setattr("tefuda.games.size.free_memory", lambda: 10_000.0)
    with pytest.raises(td.errors.SizeError):
        td.compile_game(rules("leduc"))
    assert len(td.compile_game(rules("leduc"), force=True).player) == len(tree.player)


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 10, "cards": 60}), ("liars_dice", {"players": 6})])
def test_too_many_deals_are_refused_at_once(name, parameters):
    """A game with too many deals to list is refused by its estimate."""
    with pytest.raises(td.errors.SizeError):
        td.compile_game(rules(name, **parameters))
