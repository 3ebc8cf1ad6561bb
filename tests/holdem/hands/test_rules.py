"""The betting of whole hands: against PokerKit on random hands, and by cases."""

import dataclasses
import random

import pytest

import tefuda as td
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.hands.kit import HandsKit
from tefuda.holdem.hands.rules import NO_PLAYER, Choices, TableRules
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.rank import strength
from tests.holdem.tables import Beside, random_rules


def play(rules, actions):
    """Return the betting after ``"r300 f c / c"``; the next street opens at each slash."""
    wagers = rules.root()
    for action in actions.split():
        if action == "/":
            wagers = rules.next_street(wagers)
        elif action[0] == "r":
            wagers = rules.raise_to(wagers, int(action[1:]))
        else:
            wagers = {"f": rules.fold, "c": rules.call}[action](wagers)
    return wagers


def no_limit(*stacks, blinds=(50, 100), **more):
    posted = blinds[::-1] if len(stacks) == 2 else (*blinds, *[0] * (len(stacks) - 2))
    return TableRules(stacks, posted, **more)


def compared(seed):
    """Compare a random hand with PokerKit at every decision.

    PokerKit differs in three rules:
    - After a short all-in as the first bet of a street, all players who have acted may raise.
    - Several short all-ins in a row are not always added up (TDA 47 counts the amount to call).
    - Pots are split when the losers have mucked, so some pots are merged and have fewer odd chips.
    """
    rng = random.Random(seed)
    rules, deck = random_rules(rng, posts=seed % 2 == 1), rng.sample(range(52), 52)
    holes, board = deck[: 2 * rules.players], deck[2 * rules.players : 2 * rules.players + 5]
    beside, coming, wagers = Beside(rules, holes), list(board), rules.root()
    parted, short = 0, False
    while True:
        while wagers.mover == NO_PLAYER and not wagers.is_over:
            wagers, short = rules.next_street(wagers), False
        beside.deal(coming)
        if wagers.is_over:
            break
        choices, theirs = rules.choices(wagers), beside.choices()
        if choices != theirs:
            assert short and (choices.call, choices.facing_bet) == (theirs.call, theirs.facing_bet)
            assert 0 in (choices.low, theirs.low)
            parted += 1
        may_raise = choices.low and theirs.low
        action = rng.choice(["c", *"cf" * choices.facing_bet, *"rr" * bool(may_raise)])
        low, high = choices.low, choices.high
        amount = rng.choice((low, high, rng.randint(low, high), min(high, 2 * low))) if action == "r" else 0
        beside.do(wagers, action, amount)
        if action == "r":
            short |= amount - max(wagers.bets) < wagers.step
            wagers = rules.raise_to(wagers, amount)
        else:
            wagers = rules.fold(wagers) if action == "f" else rules.call(wagers)
    assert not beside.state.status
    strengths = [strength([*holes[2 * player : 2 * player + 2], *board]) for player in range(rules.players)]
    payoffs, odd = rules.payoffs(wagers, strengths), 0
    for pot, contenders in rules.pots(wagers):
        best = max(strengths[player] for player in contenders)
        odd += pot % sum(strengths[player] == best for player in contenders) > 0
    assert sum(payoffs) == 0
    if odd <= 1 or len(wagers.live) == 1:
        assert payoffs == tuple(beside.state.payoffs)
    else:
        assert max(abs(one - other) for one, other in zip(payoffs, beside.state.payoffs, strict=True)) <= 9 * odd
    return parted


@pytest.mark.parametrize("hands", [100, pytest.param(5000, marks=pytest.mark.slow)])
def test_hands_are_those_of_pokerkit(hands):
    """Player to act, chips to call, raise limits and payoffs equal PokerKit's, except in few cases."""
    pytest.importorskip("pokerkit")
    assert sum(compared(seed) for seed in range(hands)) < hands / 20


def test_heads_up_the_button_posts_the_small_blind():
    rules = no_limit(1000, 1000)
    wagers = rules.root()
    assert (wagers.mover, wagers.bets) == (1, (100, 50))
    assert rules.choices(wagers) == Choices(50, 200, 1000, True)
    wagers = play(rules, "c")
    assert wagers.mover == 0 and rules.choices(wagers) == Choices(0, 200, 1000, False)
    assert play(rules, "c c /").mover == 0 and no_limit(*[1000] * 3).root().mover == 2


#: Legal choices after short all-ins (TDA 47): stacks, actions, choices.
REOPENED = [
    ((9000, 9000, 9000, 150), "c r150", Choices(100, 250, 9000, True)),  # player 0 has only posted
    ((9000, 9000, 9000, 150), "c r150 c f", Choices(50, 0, 0, True)),  # player 2 limped, and faces less than 100
    ((9000, 9000, 9000, 200), "c r200 c f", Choices(100, 300, 9000, True)),  # a full raise
    ((150, 200, 9000, 9000), "c c r150 r200", Choices(100, 300, 9000, True)),  # 50 and 50 are 100 together
    ((150, 200, 9000, 9000), "c c r150 r200 r300 r410", Choices(110, 520, 9000, True)),  # the last raise is the minimum
]


@pytest.mark.parametrize("stacks, actions, found", REOPENED)
def test_short_all_ins_reopen_nothing(stacks, actions, found):
    rules = no_limit(*stacks)
    assert rules.choices(play(rules, actions)) == found


def test_raises_are_at_least_as_large_as_the_last():
    rules = no_limit(*[10_000] * 3)
    assert rules.choices(play(rules, "r350")) == Choices(300, 600, 10_000, True)
    assert rules.choices(play(rules, "r350 r1000")) == Choices(900, 1650, 10_000, True)
    assert rules.choices(play(rules, "r350 c c / c c")) == Choices(0, 100, 9650, False)
    short = no_limit(500, 10_000, 10_000)
    assert short.choices(play(short, "c r500")) == Choices(400, 900, 10_000, True)
    assert short.choices(play(short, "f r500")) == Choices(400, 0, 0, True)  # against all-in only


def test_a_free_fold_returns_the_uncalled_bet():
    """The big blind of 100 folds, as no record forbids, against two short all-ins: 60 are returned."""
    rules = no_limit(30, 1000, 40, 1000)
    wagers = play(rules, "c f f")
    assert rules.pots(wagers) == [(90, [0, 2]), (20, [2]), (60, [1])]
    assert rules.payoffs(wagers, (9, 0, 5, 0)) == (60, -40, -20, 0)


@pytest.mark.parametrize("street, sequences, going_on", [(0, 8, 7), (1, 10, 9)])
def test_limit_streets_are_as_many_as_published(street, sequences, going_on):
    """Decisions of a street of heads-up limit hold'em, and sequences to the next street (Johanson 2013)."""
    rules = TableRules((1000, 1000), (10, 5), limit=(10, 20), cap=4)
    stack, decided, ended = [play(rules, "c c /") if street else rules.root()], 0, 0
    while stack:
        wagers = stack.pop()
        if wagers.mover == NO_PLAYER:
            ended += len(wagers.live) == 2
            continue
        decided += 1
        choices = rules.choices(wagers)
        stack += [rules.call(wagers)] + [rules.fold(wagers)] * choices.facing_bet
        stack += [rules.raise_to(wagers, choices.low)] * bool(choices.low)
    assert (decided, ended) == (sequences, going_on)


def test_limit_raises_have_one_size():
    rules = TableRules((1000, 35), (10, 5), limit=(10, 20), cap=4)
    assert rules.choices(rules.root()) == Choices(5, 20, 20, True)
    assert rules.choices(play(rules, "r20 r30")) == Choices(10, 35, 35, True)  # all-in for less
    assert rules.choices(play(rules, "c c / c c /")) == Choices(0, 20, 20, False)


def test_side_pots():
    """All-ins for 30, 80 and 200, and a fold after 20: pots of 110, 100, and 120 returned to the raiser."""
    rules = no_limit(500, 30, 80, 200, blinds=(20, 30))
    wagers = play(rules, "r80 r200 f")
    assert rules.pots(wagers) == [(110, [1, 2, 3]), (100, [2, 3]), (120, [3])]
    assert rules.payoffs(wagers, (9, 3, 2, 1)) == (-20, 80, 20, -80)
    assert rules.payoffs(wagers, (9, 1, 1, 1)) == (-20, 37 - 30 + 1, 36 + 50 - 80, 36 + 50 + 120 - 200)


def test_odd_chips_go_left_of_the_button():
    rules = no_limit(25, 25, 25, blinds=(1, 2))
    assert rules.payoffs(play(rules, "r5 f r9 c"), (0, 1, 1)) == (-1, 1, 0)
    three = play(rules, "r5 c c / c c r9 c c")
    assert rules.pot(three) == 42 and rules.payoffs(three, (1, 1, 1)) == (0, 0, 0)
    assert rules.payoffs(play(rules, "r5 c r9 c f"), (1, 1, 1)) == (-5, 3, 2)


def test_antes():
    """Antes of all players count like bets; one player's ante for all is dead money."""
    alike = no_limit(3, 500, 500, blinds=(5, 10), antes=(5, 5, 5))
    assert alike.payoffs(play(alike, "c c / c c / c c / c c"), (9, 1, 2)) == (6, -15, 9)
    dead = no_limit(500, 500, 500, blinds=(5, 10), antes=(0, 10, 0))
    assert dead.payoffs(play(dead, "c c c / c c c / c c c / c c c"), (9, 1, 2)) == (30, -20, -10)
    broke = no_limit(500, 8, 500, blinds=(5, 10), antes=(0, 10, 0))  # the ante took the stack
    assert broke.payoffs(play(broke, "c c / c c / c c / c c"), (1, 9, 2)) == (-5, 0, 5)


def test_no_decision_remains_after_all_in():
    assert no_limit(60, 30).root().mover == NO_PLAYER  # at most 60 of the blind can be called
    short = no_limit(50, 1000, 90)  # the big blind covers the other stacks
    assert short.root().mover == 2 and play(short, "c").mover == play(short, "f").mover == NO_PLAYER
    rules = no_limit(30, 60)
    assert rules.root().mover == NO_PLAYER and rules.payoffs(play(rules, "/ / /"), (2, 1)) == (30, -30)


def test_posts_are_live_and_do_not_move_the_first_player():
    """Player 3 returns with 100 and checks its option; player 2 has not posted."""
    rules = no_limit(*[1000] * 4, posts=(0, 0, 0, 100))
    wagers = rules.root()
    assert (wagers.mover, wagers.bets) == (2, (50, 100, 0, 100))
    assert rules.choices(play(rules, "f")) == Choices(0, 200, 1000, False)
    assert play(rules, "f c f c").mover == NO_PLAYER and play(rules, "f c f r300").mover == 3
    dead = no_limit(*[1000] * 4, posts=(0, 0, 0, 100), antes=(0, 0, 0, 50))
    assert dead.pot(dead.root()) == 300 and dead.root().bets == wagers.bets


def test_short_blinds_in_full():
    """A big blind of 100 is all-in for 20: players behind call 100, if an opponent has as many chips."""
    alike = dict(blinds=(50, 100), full_blinds=True)
    rules = no_limit(1000, 20, 1000, 1000, **alike)
    assert rules.choices(rules.root()) == Choices(100, 200, 1000, True)
    assert no_limit(1000, 20, 1000, 1000).root().step == rules.choices(play(rules, "c")).call == 100
    assert rules.choices(play(rules, "r250 f")) == Choices(200, 400, 1000, True)
    assert rules.choices(play(rules, "f f")) == Choices(0, 0, 0, False)  # the small blind covers the big blind
    assert rules.payoffs(play(rules, "c f f"), (0, 9, 1, 0)) == (-50, 40, 10, 0)


def test_reopened_betting():
    rules, actions = no_limit(9000, 9000, 9000, 150, reopens=True), "c r150 c f"
    assert rules.choices(play(rules, actions)) == Choices(50, 250, 9000, True)


@pytest.mark.parametrize("change", [dict(posts=(0, 0, 10)), dict(full_blinds=True), dict(reopens=True)])
def test_rules_on_request_are_not_compiled(change):
    """Their betting is another one; kernels and betting graphs refuse them."""
    rules = TableRules((10_000,) * 3, (5, 10, 0), limit=(10, 20), cap=4)
    changed = dataclasses.replace(rules, **change)
    assert rules.is_plain and not changed.is_plain
    assert changed.betting_key != rules.betting_key or change == dict(full_blinds=True)  # no player can be all-in
    game = Holdem(changed, Menu())
    assert HandsKit(game).simulator() is None
    for compiled in (lambda: HandsSimulator(game), lambda: betting_graph(changed)):
        with pytest.raises(td.errors.ParameterError, match="without posts"):
            compiled()


BAD = [
    (dict(stacks=(10, 10), blinds=(2, 1), posts=(0, -1)), "one of posts is -1"),
    (dict(stacks=(10, 10), blinds=(2, 1), posts=(0,)), "posts must have a value for each of 2"),
    (dict(stacks=(1,), blinds=(1,)), "players is 1"),
    (dict(stacks=(10,) * 11, blinds=(1,) * 11), "players is 11"),
    (dict(stacks=(10, 0), blinds=(2, 1)), "one of stacks is 0"),
    (dict(stacks=(10, 10), blinds=(2, 1, 0)), "each of 2"),
    (dict(stacks=(10, 10), blinds=(0, 0)), "blinds or antes"),
    (dict(stacks=(10, float("nan")), blinds=(2, 1)), "one of stacks is nan"),
    (dict(stacks=(10, 10), blinds=(2, 1), cap=-1), "cap is -1"),
    (dict(stacks=(10, 10), blinds=(2, 1), limit=(0, 1)), "limit is 0"),
]


@pytest.mark.parametrize("given, told", BAD)
def test_impossible_tables_are_refused(given, told):
    with pytest.raises(td.errors.ParameterError, match=told):
        TableRules(**given)
