"""The compiled rounds of Koi-Koi against the rules, and against figures of millions of rounds."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.bits import lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import kernel
from tefuda.koikoi.cards import DECK, ids_of, mask_of
from tefuda.koikoi.game import DRAW, END, LABELS, STOP, KoiKoi
from tefuda.koikoi.kernels import rounds as kernels
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels.simple import finish_round
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS, REDEALS, Yaku, find_rules, is_teyaku, must_redeal
from tefuda.koikoi.simulator import RoundsSimulator, compile_rules, redeal_mask
from tests.koikoi.random_rounds import DATA, needs_data


def test_simulator_follows_the_rules():
    """Rules are every preset, and one in which any ribbon cancels a yaku.

    The points at the last call must be exceeded.
    """
    rng, lower = random.Random(5), 0
    kinds = {kind: mask_of(card.id for card in DECK if card.kind == kind) for kind in "ARC"}
    windy = (Yaku("windy", "", kinds["C"], 1, 5, unless=kinds["R"]), Yaku("calm", "", kinds["A"], 1, 1, 1))
    stormy = koikoi(kasu=0, tane=0)
    paid = [koikoi(preset, exhaustion_yaku=True) for preset in ("standard", "koikoi_japan", "bga_soft")]
    stormy = replace(stormy, rules=replace(stormy.rules, extra=windy))
    for game in (*map(koikoi, PRESETS), stormy, *paid):
        compiled = compile_rules(game.rules)
        for _ in range(30 if game.rules.extra or game in paid else 8):
            deck = rng.sample(range(48), 48)
            array, cards = np.zeros(columns.WIDTH, dtype=np.uint64), np.array(deck, dtype=np.uint8)
            kernels.open_round(array, cards)
            state, stock = deal(game, deck), iter(deck[24:])
            while state.phase != END:
                if state.phase == DRAW:
                    state = game.child(state, LABELS[next(stock)])
                    continue
                actions = game.actions(state)
                assert [LABELS[number] for number in ids_of(int(kernels.legal_actions(compiled, array)))] == list(
                    actions
                )
                assert int(array[columns.PHASE]) == state.phase
                chosen = actions[-1] if game in paid else rng.choice(actions)
                kernels.act(compiled, array, cards[24:], LABELS.index(chosen))
                state = game.child(state, chosen)
            row = array.tolist()
            assert (tuple(row[:2]), row[2], tuple(row[3:5]), tuple(row[7:9])) == (
                state.hands,
                state.field,
                state.piles,
                state.calls,
            )
            assert int(array.view(np.int64)[columns.POINTS]) == state.points and row[columns.PHASE] == END
            lower += game in paid and not state.events.endswith(STOP) and state.points < 0
    assert lower > 3  # the opponent's yaku is paid


@kernel
def deal_counted(compiled, array, deck, state):
    """Deal until no reason for a redeal is left; return the stream and the number of deals."""
    deals = 0
    while True:
        state = kernels.shuffle(deck, 48, 0, 40, state)
        kernels.open_round(array, deck)
        deals += 1
        if not kernels.must_redeal(compiled.options[kernels.REDEALS], array):
            return state, deals


@kernel
def play_simple(compiled, kinds, deck, points, turns, state):
    """Play rounds by simple players; fill points to the dealer and turns, return the number of deals."""
    array, deals = np.zeros(columns.WIDTH, dtype=np.uint64), 0
    for game in range(points.shape[0]):
        state, tried = deal_counted(compiled, array, deck, state)
        deals += tried
        points[game], state = finish_round(compiled, kinds, array, deck[24:], state)
        turns[game] = array[columns.TURN]
    return deals


@kernel
def play_random(compiled, deck, points, turns, state):
    """Play rounds step by step with random players who call koi-koi in half of all cases."""
    array, deals = np.zeros(columns.WIDTH, dtype=np.uint64), 0
    for game in range(points.shape[0]):
        state, tried = deal_counted(compiled, array, deck, state)
        deals += tried
        while array[columns.PHASE] != columns.END:
            state = step(state)
            random, offered = mix(state), kernels.legal_actions(compiled, array)
            action = np.int64(lowest(pick_bit(offered, random)))  # also between STOP and CALL
            kernels.act(compiled, array, deck[24:], action)
        points[game], turns[game] = np.int64(array[columns.POINTS]), array[columns.TURN]
    return deals


def played(kinds, games, seed):
    """Return points and turns of rounds by simple players or callers, and the share of redeals."""
    compiled, deck = compile_rules(PRESETS["standard"]), np.arange(48, dtype=np.uint8)
    points, turns = np.zeros((2, games), dtype=np.int64)
    if kinds == "callers":
        deals = play_random(compiled, deck, points, turns, np.uint64(seed))
    else:
        deals = play_simple(compiled, np.array(kinds), deck, points, turns, np.uint64(seed))
    return points, turns, 1 - games / deals


# Rounds by simple players: shares won by the dealer and the opponent, points to the dealer, turns (4,000,000 each).
FIGURES = (
    ("callers", 0.5202, 0.4224, 0.5765, 13.0635),
    ((0, 0), 0.5277, 0.4525, 0.2792, 11.4564),
    ((1, 1), 0.5280, 0.4531, 0.3415, 9.8810),
    ((1, 0), 0.7822, 0.2021, 2.8029, 9.8227),
)


@pytest.mark.parametrize("games", [200_000, pytest.param(4_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kinds, won, lost, mean, turns", FIGURES)
def test_rounds_by_simple_players(kinds, won, lost, mean, turns, games):
    points, lengths, refused = played(kinds, games, 11)
    spread = 4 * np.sqrt(1 / games + 1 / 4e6)
    assert abs(points.mean() - mean) < spread * points.std()
    assert abs(lengths.mean() - turns) < spread * lengths.std()
    for share, asked in (((points > 0).mean(), won), ((points < 0).mean(), lost)):
        assert abs(share - asked) < spread * np.sqrt(asked * (1 - asked)) + 5e-5
    assert abs(refused - 0.016232644941) < 4 * np.sqrt(0.016 / games)


@needs_data
def test_greedy_deals():
    rows = json.loads((DATA / "greedy-deals.json").read_text())
    decks = np.array([row["deck"] for row in rows], dtype=np.uint8)
    states = np.zeros((100, columns.WIDTH), dtype=np.uint64)
    kernels.open_all(states, decks)
    compiled, kinds = compile_rules(PRESETS["standard"]), np.array([1, 1])
    points = [
        finish_round(compiled, kinds, array, deck[24:], np.uint64(1))[0]
        for array, deck in zip(states, decks, strict=True)
    ]
    assert points == [row["dealer_points"] for row in rows]
    assert states[:, columns.TURN].tolist() == [row["turns"] for row in rows]


def clumped(rng):
    """Return a deck in which cards of a month, and pairs, are often adjacent."""
    size = rng.choice((1, 2, 4))
    parts = [list(range(first, first + size)) for first in range(0, 48, size)]
    rng.shuffle(parts)
    deck = [card for part in parts for card in part]
    for _ in range(rng.randrange(8)):
        one, two = rng.sample(range(48), 2)
        deck[one], deck[two] = deck[two], deck[one]
    return deck


@pytest.mark.parametrize(
    "reasons", [*((reason,) for reason in REDEALS), *(rules.dealing.redeal for rules in PRESETS.values())]
)
def test_redeals(reasons):
    """Masks and counting agree; for each reason there are decks with and without it."""
    rng, states = random.Random(7), np.zeros((1500, columns.WIDTH), dtype=np.uint64)
    kernels.open_all(states, np.array([clumped(rng) for _ in states], dtype=np.uint8))
    rules, mask = find_rules(redeal=reasons, teyaku=0), redeal_mask(reasons)
    found = [bool(kernels.must_redeal(mask, array)) for array in states]
    expected = [must_redeal(rules, array[:2], array[2]) for array in states.tolist()]
    assert found == expected and 100 < sum(expected) < 1400
    assert find_rules(teyaku=6, redeal=reasons).dealing.all_redeals[: len(reasons)] == reasons


@pytest.mark.parametrize("preset", PRESETS)
def test_deals_follow_the_rules(preset):
    """No deal has a reason for a redeal; kernels and rules have the same reasons."""
    game, compiled = koikoi(preset), compile_rules(koikoi(preset).rules)
    array, deck, stream = np.zeros(columns.WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8), 5
    lucky = 0
    for _ in range(2000):
        stream = kernels.deal_round(compiled, array, deck, np.uint64(stream))
        one, two, lying = array[:3].tolist()
        assert not must_redeal(game.rules, (one, two), lying)
        lucky += is_teyaku(one) + is_teyaku(two)
    assert (lucky > 0) == (preset == "koikoi_japan")  # four pairs are played there: 4,000 hands, .0017 each
    points = compile_rules(PRESETS["koikoi_japan"]).numbers[:, 1:3].tolist()  # hanami- and tsukimi-zake, once called
    assert points.count([1, 3]) == 2
    assert compiled.options[kernels.REDEALS] == compile_rules(PRESETS[preset]).options[kernels.REDEALS]


# Rounds stepped for learners.


@pytest.mark.parametrize("preset", ["standard", "koikoi_japan", "nintendo_strict"])
def test_stepped_rounds_follow_the_rules(preset):
    """Players to move, legal actions and payoffs agree; observations follow from the view."""
    game = koikoi(preset)
    simulator, rng = RoundsSimulator(game), np.random.default_rng(1)
    games, decided = simulator.deal(20, rng), 0
    states = [(deal(game, row["deck"].tolist()), iter(row["deck"][24:].tolist())) for row in games]
    while (simulator.player(games) >= 0).any():
        on = np.flatnonzero(simulator.player(games) >= 0)
        games, states = games[on], [states[place] for place in on]
        legal, seen = simulator.legal(games), simulator.observe(games)
        both = simulator.observe_all(games).reshape(len(games), 2, -1)
        units = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        for place, (state, stock) in enumerate(states):
            actions, view = game.actions(state), game.view(state, state.mover)
            assert simulator.player(games)[place] == game.player(state)
            assert np.flatnonzero(legal[place]).tolist() == sorted(simulator.unit_of(label) for label in actions)
            row = np.zeros(simulator.features, dtype=np.float32)
            simulator.encode(view, row)
            assert np.array_equal(row, seen[place])
            assert np.array_equal(row, both[place, state.mover])
            state = game.child(state, LABELS[units[place]])
            while game.player(state) == td.CHANCE:
                state = game.child(state, LABELS[next(stock)] if state.phase == DRAW else game.actions(state)[0])
            states[place] = state, stock
            decided += 1
        games = simulator.step(games, units, rng)
        for (state, _), row, player in zip(states, simulator.payoffs(games), simulator.player(games), strict=True):
            if player < 0:
                assert tuple(row) == game.payoffs(state) and game.player(state) == td.TERMINAL
    assert decided > 200


def test_saved_games_continue():
    simulator, rng = RoundsSimulator(koikoi()), np.random.default_rng(2)
    games = simulator.deal(5, rng)
    for _ in range(4):
        games = simulator.step(games, simulator.legal(games).argmax(axis=1), rng)
    saved = simulator.save_games(games)
    assert np.array_equal(simulator.load_games(saved, 5), games)
    for place, value in ((0, saved[1]), (48, 49), (48, 50), (128, 200), (128, 79)):
        forged = saved.copy()
        forged[place] = value
        with pytest.raises(td.errors.RunError):
            simulator.load_games(forged, 5)
    for wrong in (saved[:-1], saved[: 4 * 129]):
        with pytest.raises(td.errors.RunError):
            simulator.load_games(wrong, 5)


def test_simulators_refuse():
    for game in (mini8(), td.load_game("kuhn"), KoiKoi()):
        with pytest.raises(td.errors.ParameterError, match="whole"):
            RoundsSimulator(game)
    game = koikoi()
    state = game.child(game.child(deal(game, list(range(48))), "2C2"), "7A")
    with pytest.raises(td.errors.ParameterError, match="player"):
        RoundsSimulator(game).encode(game.view(state, 0), np.zeros(249, dtype=np.float32))
    with pytest.raises(td.errors.ParameterError, match="view"):
        RoundsSimulator(koikoi()).encode("1B|2A| 9X", np.zeros(249, dtype=np.float32))
