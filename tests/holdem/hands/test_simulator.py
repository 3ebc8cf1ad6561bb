"""Compiled whole hands: each move agrees with the rules, for learners and for views."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.rules_simulator import simulate_rules
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.inputs import chip_scale, raise_levels
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.holdem.hands.whole import holdem
from tests.holdem.tables import random_game


def dealt(game, state, cards):
    """Return the state after all chance moves, with cards in their order."""
    while game.player(state) == td.CHANCE:
        state = game.child(state, card_text(next(cards)))
    return state


def compared(seed, game=None, fold=0.4, passive=1.0):
    """Compare four hands at a table, random by default, with the rules; return the number of decisions."""
    rng, luck = random.Random(seed), np.random.default_rng(seed)
    game = game or random_game(rng)

    def choose(row):
        raises = np.flatnonzero(row)[-1:] if rng.random() >= passive else []
        return rng.choice([*raises] or [u for u in np.flatnonzero(row) if u or rng.random() < fold])

    try:
        simulator = HandsSimulator(game)
    except td.errors.ParameterError:
        assert game.root().wagers.waiting == 0
        return 0
    games, decided, players = simulator.deal(4, luck), 0, game.players
    hands = [(game.root(), iter(row)) for row in games[:, simulator.cards :].tolist()]
    hands = [(dealt(game, state, cards), cards) for state, cards in hands]
    while len(games):
        legal, seen = simulator.legal(games), simulator.observe(games)
        everybody = simulator.observe_all(games).reshape(len(games), players, -1)
        assert np.array_equal(simulator.load_games(simulator.save_games(games), len(games)), games)
        units = np.array([choose(row) for row in legal])
        for place, (state, cards) in enumerate(hands):
            mover, row = game.player(state), np.zeros(simulator.features, dtype=np.float32)
            assert mover == simulator.player(games)[place]
            assert [game.action_labels[unit] for unit in np.flatnonzero(legal[place])] == list(game.actions(state))
            for seat in range(players):
                assert np.array_equal(np.array(game.features(state, seat), dtype=np.float32), everybody[place, seat])
            simulator.encode(game.view(state, mover), row)
            assert np.array_equal(row, seen[place]) and np.array_equal(row, everybody[place, mover])
            hands[place] = dealt(game, game.child(state, game.action_labels[units[place]]), cards), cards
            decided += 1
        games = simulator.step(games, units, luck)
        movers, payoffs = simulator.player(games), simulator.payoffs(games)
        for (state, _), mover, row in zip(hands, movers, payoffs, strict=True):
            assert mover == game.player(state) and (mover >= 0 or tuple(row) == game.payoffs(state))
        assert not simulator.legal(games)[movers < 0].any() and not simulator.observe(games)[movers < 0].any()
        hands, games = [hand for hand, mover in zip(hands, movers, strict=True) if mover >= 0], games[movers >= 0]
    return decided


@pytest.mark.parametrize("tables", [25, pytest.param(600, marks=pytest.mark.slow)])
def test_simulator_follows_the_rules(tables):
    assert sum(map(compared, range(tables))) > 20 * tables


def test_uncapped_raises_are_distinguished_up_to_a_level():
    """In long sequences of raises, inputs equal those of the rules."""
    game = holdem(players=3, limit=True, cap=0, stack=2000)
    assert compared(0, game, fold=0.1, passive=0.15) > 100


@pytest.mark.parametrize(
    "given, chips, told", [({}, 240, 5), ({"ante": 3}, 243, 5), ({"cap": 0}, 1000, 6), ({"cap": 2}, 120, 3)]
)
def test_scales_of_chips_and_raises(given, chips, told):
    """In limit hold'em chips are scaled by the largest loss; raises count up to the cap."""
    rules = holdem(limit=True, **given).rules
    assert (chip_scale(rules), raise_levels(rules)) == (chips, told)


def test_cards_are_shuffled():
    """Each card is at each position equally often: chi-square of 52 cards at the first and last position."""
    simulator = HandsSimulator(holdem(limit=True))
    cards = simulator.deal(52_000, np.random.default_rng(0))[:, simulator.cards :]
    for place in (0, 8):
        counts = np.bincount(cards[:, place], minlength=52)
        assert ((counts - 1000) ** 2 / 1000).sum() < 98  # exceeded once in 10,000
    assert (np.diff(np.sort(cards, axis=1), axis=1) > 0).all()


def test_an_illegal_action_id_becomes_a_call():
    """As over the rules, an illegal action is replaced by the nearest legal one."""
    simulator, luck = HandsSimulator(holdem(bets="50%", raises="2x", stack=100)), np.random.default_rng(0)
    games = simulator.step(simulator.deal(3, luck), np.array([1, 1, 1]), luck)
    called = simulator.step(games, np.array([1, 1, 1]), luck)
    assert np.array_equal(simulator.step(games, np.array([0, 0, 0]), luck), called)  # no bet to call
    assert np.array_equal(simulator.step(games, np.array([2, 2, 2]), luck), called)  # 50% applies to first bets only
    assert not simulator.legal(games)[:, [0, 2]].any()
    assert not np.array_equal(simulator.step(games, np.array([3, 3, 3]), luck), called)


def test_saved_hands_continue():
    simulator, rng = HandsSimulator(holdem(players=3)), np.random.default_rng(2)
    games = simulator.deal(5, rng)
    for _ in range(3):
        games = simulator.step(games, np.ones(5, dtype=int), rng)
    saved = simulator.save_games(games)
    assert np.array_equal(simulator.load_games(saved, 5), games)
    assert not np.shares_memory(saved, games) and not np.shares_memory(simulator.load_games(saved, 5), saved)
    forged = {
        simulator.cards: saved[simulator.cards + 1], -1: 52, -2: -1, 0: 4, 1: 3, 2: 7, 3: 0, 4: 8, 5: 0, 6: -1,
        7: 10**6, simulator.bets: -5, simulator.done: 8,
    }  # fmt: skip
    for place, value in forged.items():
        wrong = saved.copy()
        wrong[place] = value
        with pytest.raises(td.errors.RunError):
            simulator.load_games(wrong, 5)
    for wrong in (saved[:-1], saved.astype(float), saved[: 4 * simulator.width]):
        with pytest.raises(td.errors.RunError):
            simulator.load_games(wrong, 5)


def test_simulators_refuse():
    with pytest.raises(td.errors.ParameterError, match="any"):
        HandsSimulator(holdem(bets="any"))
    with pytest.raises(td.errors.ParameterError, match="load_game"):
        HandsSimulator(td.load_game("kuhn"))
    with pytest.raises(td.errors.ParameterError, match="no decisions"):
        HandsSimulator(holdem(stack=3))
    with pytest.raises(td.errors.ParameterError, match="no player"):
        HandsSimulator(holdem()).encode("AhKd||cc", np.zeros(336, dtype=np.float32))


def test_learners_use_the_simulator_of_the_rules(tmp_path):
    """The rules name their simulator; runs with it are saved and resumed."""
    game = td.load_game("holdem", limit=True, stack=40)
    simulator, evaluator = simulate_rules(game, encoded=True), td.HeadToHead(td.RandomAgent(), deals=5)
    assert isinstance(simulator, HandsSimulator) and isinstance(
        simulate_rules(holdem(bets="any")), td.forms.RulesSimulator
    )
    method = td.find_method("nfsp", {"tables": 16, "batch": 8, "hidden": 8, "transitions": 2000, "behaviour": 2000})
    first = td.solve(simulator, method, iterations=100, evaluator=evaluator, checkpoint=tmp_path / "run", seed=1)
    assert np.isfinite(first.evaluation.figure)
    assert simulator.observe(simulator.deal(3, np.random.default_rng(0))).any(axis=1).all()
    more = td.resume(tmp_path / "run", iterations=200, evaluator=evaluator)
    assert more.iterations == 200 and more.form.name == "holdem"
    view = "AhKd||"
    assert sum(more.strategy.strategy(1, view, ("f", "c", "r"))) == pytest.approx(1)
