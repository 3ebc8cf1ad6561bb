"""Koi-Koi: cards, yaku, rounds, reduced games, records, the compiled simulator. Figures: docs/koikoi.md."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

import tefuda as tf
from tefuda._kernels import koikoi as kernels
from tefuda.games.protocol import TERMINAL
from tefuda.koikoi.cards import ALL, BY_CODE, DECK, codes_of, ids_of, mask_of, of_kind, read_cards
from tefuda.koikoi.game import DEAL, DRAW, END, KOI, LABELS, PICK_DRAW, PLAY, KoiKoi, Round
from tefuda.koikoi.guide import guide
from tefuda.koikoi.records import deal, mismatches, read_records, replay
from tefuda.koikoi.reduced import koikoi, mini8, mini12, minikoi
from tefuda.koikoi.rules import PRESETS, Yaku, find_rules, is_teyaku, must_redeal
from tefuda.koikoi.sight import as_world
from tefuda.koikoi.simulator import compile_rules

DATA = Path(__file__).parents[3] / "shared" / "data" / "koikoi"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the records of human rounds are not beside this checkout")

ANIMALS = {4, 12, 16, 20, 24, 29, 32, 36, 41}
RIBBONS = {1, 5, 9, 13, 17, 21, 25, 33, 37, 42}
CHAFF = set(range(48)) - ANIMALS - RIBBONS - {0, 8, 28, 40, 44}


def test_deck():
    assert [card.id for card in DECK] == list(range(48)) and len(BY_CODE) == 48
    assert {kind: of_kind(kind).bit_count() for kind in "BARC"} == {"B": 5, "A": 9, "R": 10, "C": 24}
    assert of_kind("A") == mask_of(ANIMALS) and of_kind("R") == mask_of(RIBBONS)
    assert (DECK[32].code, DECK[32].english, DECK[32].japanese) == ("9A", "chrysanthemum with sake cup", "菊に盃")
    assert (DECK[43].code, DECK[47].code, DECK[46].alike) == ("11C", "12C3", "12C")
    assert read_cards("9a, 1C2") == (32, 3) and codes_of(mask_of((3, 32))) == "1C2 9A"


@pytest.mark.parametrize("text, error", [("13B", tf.UnknownNameError), ("9A 9A", tf.ParameterError)])
def test_cards_refused(text, error):
    with pytest.raises(error):
        read_cards(text)


# Piles, base by standard rules, points by koikoi_japan with 0, 1, 3, 4 own calls.
PILES = (
    ({8, 28, 32}, 10, (2, 7, 9, 12)),
    ({0, 8, 28}, 5, (5, 6, 8, 10)),
    ({0, 8, 40}, 0, (0, 0, 0, 0)),
    ({0, 8, 28, 40}, 7, (7, 8, 10, 14)),
    ({0, 8, 28, 44}, 8, (8, 9, 11, 16)),
    ({0, 8, 28, 40, 44}, 10, (10, 11, 13, 20)),
    ({1, 5, 9, 21, 33, 37}, 12, (22, 23, 25, 44)),
    ({1, 5, 9, 13, 17}, 6, (6, 7, 9, 12)),
    (RIBBONS, 16, (26, 27, 29, 52)),
    ({4, 20, 24, 32, 36}, 6, (6, 7, 9, 12)),
    (ANIMALS, 10, (10, 11, 13, 20)),
    ({*sorted(CHAFF)[:9], 32}, 1, (1, 2, 4, 2)),
    ({*CHAFF, 32}, 16, (16, 17, 19, 32)),
    (set(range(48)), 62, (64, 69, 71, 136)),
)


@pytest.mark.parametrize("pile, base, japan", PILES)
def test_worth_of_piles(pile, base, japan):
    assert PRESETS["standard"].held(mask_of(pile)) == base
    assert tuple(PRESETS["koikoi_japan"].held(mask_of(pile), calls) for calls in (0, 1, 3, 4)) == japan


@pytest.mark.parametrize(
    "pile, opponent, points",
    [
        ({1, 5, 9, 13, 17}, 0, 6),
        ({0, 8, 28, 40}, 0, 14),
        ({13, 17, 25, 42, 1, 21, 5}, 1, 6),  # seven ribbons: 3
        ({0, 8, 28, 44}, 1, 32),
        ({0, 8, 28, 44}, 3, 32),  # once, however many calls
        ({0, 8, 28, 40, 44, 4, 12, 16, 20, 29, *sorted(CHAFF)[:11]}, 0, 26),
    ],
)
def test_final_points(pile, opponent, points):
    score = PRESETS["standard"].score(mask_of(pile), 0, opponent)
    assert score.points == points
    assert score.base == sum(worth for _, worth in score.yaku)
    assert score.points == score.bonus * int(np.prod([factor for _, factor in score.factors], dtype=int))


def base_by_sets(pile: set[int], weather: bool = False) -> int:
    """The yaku of the standard rules, with or without the weather, counted another way."""
    brights, total = pile & {0, 8, 28, 40, 44}, 0
    if len(brights) == 5:
        total += 10
    elif len(brights) == 4:
        total += 7 if 40 in brights else 8
    elif len(brights) == 3 and 40 not in brights:
        total += 5
    for group in ({20, 24, 36}, {1, 5, 9}, {21, 33, 37}):
        total += 5 * (group <= pile)
    for group, cancels in (({8, 32}, 40), ({28, 32}, 44)):
        total += 5 * (group <= pile and not (weather and cancels in pile))
    for group, need in ((ANIMALS, 5), (RIBBONS, 5), (CHAFF | {32}, 10)):
        total += max(0, len(pile & group) - need + 1)
    return total


@pytest.mark.parametrize("weather", [False, True])
def test_worth_of_random_piles_counted_by_sets_by_masks_and_compiled(weather):
    """Totals never fall when cards are added, but by the weather."""
    rng, rules = random.Random(0), find_rules(weather=weather)
    values, nothing = compile_rules(rules), np.zeros((1, 24), dtype=np.uint8)
    for _ in range(3000):
        pile = set(rng.sample(range(48), rng.randrange(49)))
        assert rules.held(mask_of(pile)) == base_by_sets(pile, weather)
        smaller = set(list(pile)[: len(pile) // 2])
        assert weather or rules.held(mask_of(smaller)) <= rules.held(mask_of(pile))
        world, calls = np.zeros((1, kernels.WIDTH), dtype=np.uint64), rng.randrange(3)
        world[0, [kernels.PILE, kernels.CALLS + 1, kernels.PHASE, kernels.TURN]] = mask_of(pile), calls, kernels.KOI, 1
        kernels.act_all(values, world, nothing, np.array([kernels.STOP]))
        assert world[0, kernels.POINTS] == rules.score(mask_of(pile), 0, calls).points


def test_options():
    assert find_rules("gamedesign").of_month(1).held(mask_of((0, 1, 2, 3))) == 4
    assert find_rules("gamedesign").of_month(2).held(mask_of((0, 1, 2, 3))) == 0
    assert find_rules("no_sake").held(mask_of((8, 28, 32))) == 0
    assert find_rules(sake_is_kasu=False).held(mask_of({*sorted(CHAFF)[:9], 32})) == 0
    foggy = find_rules(weather=True)
    for pile, worth in (((8, 32), 5), ((8, 32, 40), 0), ((28, 32), 5), ((28, 32, 44), 0), ((8, 32, 44), 5)):
        assert foggy.held(mask_of(pile)) == worth and PRESETS["standard"].held(mask_of(pile)) == 5
    soft = find_rules("bga_soft")
    assert soft.score(mask_of((0, 8, 28)), 2).points == 5 * 3 * 2
    for wrong in ({"double_at": -1}, {"own_bonus": "much"}, {"rounds": 0}, {"redeal": ("never",)}, {"tane_from": 0},
                  {"weather": 1}):  # fmt: skip
        with pytest.raises(tf.ParameterError):
            find_rules(**wrong)
    with pytest.raises(tf.UnknownNameError, match="double_at"):
        find_rules(double_att=7)
    with pytest.raises(tf.UnknownNameError, match="standard"):
        find_rules("standart")


def test_redeals_and_teyaku():
    quad, pairs, other = (
        mask_of((0, 1, 2, 3, 5, 9, 13, 17)),
        mask_of((0, 1, 4, 5, 8, 9, 12, 13)),
        mask_of(range(0, 32, 4)),
    )
    assert is_teyaku(quad) and is_teyaku(pairs) and not is_teyaku(other)
    assert not is_teyaku(mask_of((0, 1, 2, 4, 5, 8, 9, 12)))
    triple = mask_of((0, 1, 2, 4, 8, 12, 16, 20))
    assert must_redeal(PRESETS["standard"], (other, other), quad)
    assert not must_redeal(PRESETS["standard"], (other, quad), triple)
    assert must_redeal(PRESETS["standard"], (quad, pairs), other)  # both have one: void
    assert must_redeal(PRESETS["nintendo_strict"], (other, other), triple)
    assert must_redeal(PRESETS["bga_hard"], (other, other), pairs)
    assert must_redeal(PRESETS["koikoi_japan"], (other, quad), other)
    assert not must_redeal(PRESETS["koikoi_japan"], (other, pairs), other)


def test_deal_probabilities_exactly():
    """Hands with four of a month, with four pairs; one of 8 cards has a teyaku with 11467/1905803."""
    teshi, kuttsuki = 12 * comb(44, 4) - 66, comb(12, 4) * 6**4
    assert (comb(48, 8), teshi, kuttsuki) == (377_348_994, 1_628_946, 641_520)
    assert Fraction(teshi + kuttsuki, comb(48, 8)) == Fraction(11467, 1905803)
    # By months instead: the number of hands with so many cards of each month, by generating functions.
    ways = {(0, False, 0): 1}  # cards, whether a month has four, months with two of the hand's cards and nothing else
    for _ in range(12):
        step: dict = {}
        for (cards, four, two), number in ways.items():
            for count in range(5):
                if cards + count <= 8:
                    even = -99 if count in (1, 3) else two + (count == 2)
                    key = (cards + count, four or count == 4, even)
                    step[key] = step.get(key, 0) + number * comb(4, count)
        ways = step
    lucky = sum(number for (cards, four, two), number in ways.items() if cards == 8 and (four or two == 4))
    assert Fraction(lucky, comb(48, 8)) == Fraction(11467, 1905803)


# Reduced games.


@pytest.mark.parametrize(
    "parameters, counts, uniform",
    [
        pytest.param(
            {}, (173_129, 38_592, 30_312, 17_468, 34_936), (29 / 360, 4843 / 2520, 11339 / 5040), marks=pytest.mark.slow
        ),
        ({"merged": True}, (44_119, 9_704, 7_382, 4_415, 8_830), (29 / 360, 4843 / 2520, 11339 / 5040)),
        pytest.param(
            {"max_koikoi": 0},
            (116_073, 25_536, None, 8_220, None),
            (0.482539682540, 1.454166666667, 0.530753968254),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_mini8(parameters, counts, uniform):
    tree = tf.compile_game(mini8(**parameters), cache=False)
    found = (len(tree.player), len(tree.terminals), int((tree.player >= 0).sum()), tree.infosets, tree.rows)
    assert all(asked in (None, got) for asked, got in zip(counts, found, strict=True)), found
    judgement = tf.judge(tree, tf.Profile.uniform(tree))
    assert (judgement.values[0], *judgement.best) == pytest.approx(uniform, abs=1e-11)
    value = 131 / 210 if "max_koikoi" in parameters else 0.177744472789
    assert tf.solve(tree, "lp").values[0] == pytest.approx(value, abs=1e-9)


MINI12 = 1.42919366  # by EMA to NashConv 1e-8, of merged cards; of distinct ones 1.4291937 to 9e-7


@pytest.mark.slow
@pytest.mark.parametrize(
    "merged, counts",
    [
        (False, (4_080_037, 1_040_048, 931_128, 763_280, 1_530_214)),
        (True, (1_041_509, 262_364, 233_664, 191_230, 383_495)),
    ],
)
def test_mini12(merged, counts):
    tree = tf.compile_game(mini12(merged), cache=False)
    found = (len(tree.player), len(tree.terminals), int((tree.player >= 0).sum()), tree.infosets, tree.rows)
    assert found == counts
    solution = tf.solve(tree, until=1e-4)
    # Each player can secure all but what the other would gain by its best response: the value is that near.
    assert solution.nash_conv <= 1e-4 and abs(solution.values[0] - MINI12) <= solution.nash_conv


@pytest.mark.slow
def test_ones_own_reduced_game():
    """B1 of the page: value 0.346138 (+- 1.1e-6); 272,964 terminals with distinct cards."""
    game = minikoi(
        "3B 3R 3C1 3C2 8B 8A 8C1 8C2 9A 9R 9C1 9C2", field="3C1 8C1 9C1", hand=2, merged=True,
        yaku=[("hanami", 5, "3B 9A"), ("tsukimi", 5, "8B 9A"), ("brights", 3, "3B 8B"), ("tane", 1, "8A 9A"),
              ("tan", 1, "3R 9R"), ("kasu", 1, "3C1 3C2 8C1 8C2 9C1 9C2 9A", 4, 1)],
    )  # fmt: skip
    solution = tf.solve(game, "cfr+", until=2e-3, iterations=3000)
    assert abs(solution.values[0] - 0.346138) <= solution.nash_conv + 2e-6


def test_reduced_games_refuse():
    for wrong in ({"hand": 5}, {"field": 9}, {"yaku": [("tan", 1)]}, {"yaku": [("tan", 0, "3R")]}, {"merged": "maybe"}):
        with pytest.raises(tf.ParameterError):
            minikoi(**({"cards": "3B 3R 3C1 3C2 9A 9R 9C1 9C2", "yaku": [("tan", 1, "3R 9R")]} | wrong))


# Rounds.


def play_out(game: KoiKoi, rng: random.Random):
    """A random round, its states checked on the way."""
    state = game.root()
    while game.player(state) != TERMINAL:
        held = (*state.hands, state.field, state.stock, *state.piles, 1 << state.shown if state.shown >= 0 else 0)
        assert sum(held) == ALL and not any(one & two for one, two in combinations(held, 2))
        if state.phase != DEAL:
            assert all((state.field >> first & 0xF) != 0xF for first in range(0, 48, 4)), "four of a month lie open"
        labels = [label for label, _ in game.chances(state)] if game.player(state) < 0 else list(game.actions(state))
        state = game.child(state, rng.choice(labels))
    assert sum(game.payoffs(state)) == 0
    return state


@pytest.mark.parametrize("preset", PRESETS)
def test_random_rounds_keep_the_rules(preset):
    rng = random.Random(preset)
    for _ in range(12):
        play_out(koikoi(preset), rng)


def test_hidden_cards_change_no_view():
    """Swapping the opponent's hand and the stock changes neither a player's view nor what it may do."""
    game, rng = koikoi(), random.Random(3)
    for _ in range(20):
        deck = rng.sample(range(48), 48)
        state, other = deal(game, deck), None
        hidden = ids_of(state.hands[1] | state.stock)
        rng.shuffle(hidden)
        other = deal(game, [*deck[:8], *hidden[:8], *deck[16:24], *hidden[8:]])
        assert game.view(state, 0) == game.view(other, 0) and game.actions(state) == game.actions(other)
        assert state.hands[1] != other.hands[1] and game.view(state, 1) != game.view(other, 1)


def test_forced_moves_are_no_decisions():
    game = koikoi()
    state = deal(game, list(range(48)))._replace(hands=(1, 2), turn=15)
    assert state.phase == PLAY and game.player(state) == -1 and game.chances(state) == (("1B", 1),)
    koi = state._replace(phase=KOI, hands=(0, 2), piles=(mask_of((0, 8, 28)), 0))
    assert game.player(koi) == -1 and game.actions(koi) == ("stop",)
    with pytest.raises(tf.ParameterError, match="stop"):
        game.child(koi, "koi-koi")


def test_a_third_call_is_not_possible_where_one_is_allowed():
    game = koikoi("nintendo_strict")
    state = deal(game, list(range(48)))._replace(phase=KOI, calls=(0, 1))
    assert game.actions(state) == ("stop",) and koikoi().actions(state) == ("stop", "koi-koi")


def test_draw_sees_the_field_the_played_card_left():
    """Two pines lie open; the pine played takes one by choice, the pine drawn then takes the other without one."""
    game = koikoi()
    deck = [0, *range(4, 11), *range(12, 20), 1, 2, 20, 24, 28, 32, 36, 40, 3]
    state = deal(game, [*deck, *sorted(set(range(48)) - set(deck))])
    state = game.child(state, "1B")
    assert game.actions(state) == ("1R", "1C1")
    state = game.child(game.child(state, "1C1"), "1C2")
    assert state.phase == PLAY and state.turn == 2 and state.piles[0] == mask_of((0, 1, 2, 3))


def test_teyaku_ends_a_round_where_it_counts():
    game = KoiKoi(PRESETS["standard"])
    state = game.root()
    cards = [0, 1, 2, 3, 8, 12, 16, 20, *range(24, 31), 40, 4, 5, 32, 36, 9, 13, 17, 21]
    cards[11] = 44  # the other has no four of a month
    for card in cards:
        state = game.child(state, LABELS[card])
    assert state.phase == END and game.payoffs(state) == (6, -6)
    state = koikoi().root()
    for card in cards:
        state = koikoi().child(state, LABELS[card])
    assert state == koikoi().root()  # dealt again


# The compiled simulator.


def test_simulator_follows_the_rules():
    """Of every preset, and where any ribbon cancels a yaku: what must be exceeded stays what was called with."""
    rng = random.Random(5)
    kinds = {kind: mask_of(card.id for card in DECK if card.kind == kind) for kind in "ARC"}
    windy = (Yaku("windy", "", kinds["C"], 1, 5, unless=kinds["R"]), Yaku("calm", "", kinds["A"], 1, 1, 1))
    stormy = koikoi(kasu=0, tane=0)
    for game in (*map(koikoi, PRESETS), replace(stormy, rules=replace(stormy.rules, extra=windy))):
        values = compile_rules(game.rules)
        for _ in range(30 if game.rules.extra else 8):
            deck = rng.sample(range(48), 48)
            world, decks = np.zeros((1, kernels.WIDTH), dtype=np.uint64), np.array([deck], dtype=np.uint8)
            kernels.open_all(world, decks)
            state, stock, found = deal(game, deck), iter(deck[24:]), np.zeros(1, dtype=np.uint64)
            while state.phase != END:
                if state.phase == DRAW:
                    state = game.child(state, LABELS[next(stock)])
                    continue
                kernels.options_all(values, world, found)
                actions = game.actions(state)
                assert [LABELS[number] for number in ids_of(int(found[0]))] == list(actions)
                assert int(world[0, kernels.PHASE]) == state.phase
                chosen = rng.choice(actions)
                kernels.act_all(values, world, decks[:, 24:].copy(), np.array([LABELS.index(chosen)]))
                state = game.child(state, chosen)
            row = world[0].tolist()
            assert (tuple(row[:2]), row[2], tuple(row[3:5]), tuple(row[7:9])) == (
                state.hands,
                state.field,
                state.piles,
                state.calls,
            )
            assert int(world.view(np.int64)[0, kernels.POINTS]) == state.points and row[kernels.PHASE] == END


def played(kinds, calls, games, seed):
    """Points and turns of rounds by simple players."""
    style = kernels.Style(np.array(kinds), np.array([int(call * 2**32) for call in calls], dtype=np.uint64))
    points, turns = np.zeros((2, games), dtype=np.int64)
    piles, called = np.zeros((games, 2), dtype=np.uint64), np.zeros((games, 2), dtype=np.int64)
    deck = np.arange(48, dtype=np.uint8)
    values = compile_rules(PRESETS["standard"])
    deals = kernels.rounds(values, style, np.uint64(seed), deck, points, turns, piles, called)
    return points, turns, 1 - games / deals


# Rounds by simple players: shares won by the dealer and the other, points to the dealer, turns (4,000,000 rounds each).
FIGURES = (
    ((0, 0), (0.5, 0.5), 0.5202, 0.4224, 0.5765, 13.0635),
    ((0, 0), (0, 0), 0.5277, 0.4525, 0.2792, 11.4564),
    ((1, 1), (0, 0), 0.5280, 0.4531, 0.3415, 9.8810),
    ((1, 0), (0, 0), 0.7822, 0.2021, 2.8029, 9.8227),
)


@pytest.mark.parametrize("kinds, calls, won, lost, mean, turns", FIGURES)
def test_rounds_by_simple_players(kinds, calls, won, lost, mean, turns):
    games = 200_000
    points, lengths, refused = played(kinds, calls, games, 11)
    spread = 4 * np.sqrt(1 / games + 1 / 4e6)
    assert abs(points.mean() - mean) < spread * points.std()
    assert abs(lengths.mean() - turns) < spread * lengths.std()
    for share, asked in (((points > 0).mean(), won), ((points < 0).mean(), lost)):
        assert abs(share - asked) < spread * np.sqrt(asked * (1 - asked)) + 5e-5
    assert abs(refused - 0.016232644941) < 4 * np.sqrt(0.016 / games)


@pytest.mark.slow
@pytest.mark.parametrize("kinds, calls, won, lost, mean, turns", FIGURES)
def test_four_million_rounds(kinds, calls, won, lost, mean, turns):
    test_rounds_by_simple_players(kinds, calls, won, lost, mean, turns, 4_000_000)


@needs_data
def test_greedy_deals():
    rows = json.loads((DATA / "greedy-deals.json").read_text())
    decks = np.array([row["deck"] for row in rows], dtype=np.uint8)
    worlds, points = np.zeros((100, kernels.WIDTH), dtype=np.uint64), np.zeros(100, dtype=np.int64)
    kernels.open_all(worlds, decks)
    style = kernels.Style(np.array([1, 1]), np.zeros(2, dtype=np.uint64))
    values = compile_rules(PRESETS["standard"])
    kernels.finish_all(values, style, worlds, decks[:, 24:].copy(), np.uint64(1), points)
    assert points.tolist() == [row["dealer_points"] for row in rows]
    assert worlds[:, kernels.TURN].tolist() == [row["turns"] for row in rows]


# Records.


@needs_data
def test_human_rounds_replay_without_a_mismatch():
    game, count = koikoi("koikoi_japan"), 0
    for record in read_records(DATA / "human-rounds.jsonl"):
        assert mismatches(game, record) == [], record["id"]
        count += 1
    assert count == 794


def test_records_that_differ_are_named():
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
    assert "goes on" in mismatches(game, good | {"actions": [*actions, 48]})[0]
    assert "a deck is" in mismatches(game, good | {"deck": deck[:-1]})[0]
    assert "lacks" in mismatches(game, {"deck": deck})[0]


def test_pick_after_the_draw():
    game = koikoi()
    deck = [12, *range(4, 11), *range(16, 24), 1, 2, 24, 25, 28, 32, 36, 40, 0]
    deck += sorted(set(range(48)) - set(deck))
    state = game.child(deal(game, deck), "4A")
    state = game.child(state, "1B")
    assert state.phase == PICK_DRAW and game.actions(state) == ("1R", "1C1")


@needs_data
def test_replay_on_the_command_line(tmp_path, capsys):
    from tefuda.apps.cli import app

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app([*map(str, words), "--json"])
        return ended.value.code, json.loads(capsys.readouterr().out.splitlines()[-1])

    assert run("koikoi", "replay", DATA / "human-rounds.jsonl", "--preset", "koikoi_japan") == (
        0,
        {"rounds": 794, "mismatches": 0, "differ": []},
    )
    lines = (DATA / "human-rounds.jsonl").read_text().splitlines()[:3]
    wrong = json.loads(lines[1]) | {"points": 77}
    (tmp_path / "rounds.jsonl").write_text("\n".join([lines[0], json.dumps(wrong), lines[2]]))
    code, found = run("koikoi", "replay", tmp_path / "rounds.jsonl", "--preset", "koikoi_japan")
    assert code == 1 and found["mismatches"] == 1 and "points: recorded 77" in found["differ"][0]["differences"][0]
    assert run("koikoi", "replay", tmp_path / "rounds.jsonl", "--preset", "standart")[0] == 2
    (tmp_path / "rounds.jsonl").write_text("[" * 100_000)
    assert run("koikoi", "replay", tmp_path / "rounds.jsonl")[0] == 2


def test_by_name():
    assert tf.load_game("koikoi", preset="koikoi_japan", double_at=7).rules.double_at == 7
    assert tf.load_game("mini12", merged=True).name == "mini12"
    with pytest.raises(tf.UnknownNameError):
        tf.load_game("koikoi", doubles=7)


def test_what_the_weather_took_must_be_exceeded_again():
    """Who called with hanami-zake and lost it is asked when more is held than then; rules and compiled alike."""
    game, asked = koikoi(weather=True), []
    for extra in ((), (28,), (0, 28)):
        pile = mask_of((8, 32, 40, *extra))
        state = Round(PICK_DRAW, 3, (1 << 1, 1 << 5), 0, 0, (pile, 0), (1, 0), called=(mask_of((8, 32)), 0))
        world = as_world(game, state._replace(phase=KOI))
        assert world[kernels.LEVEL] == 5
        after = game._after(state)
        asked.append((after.phase, game.rules.held(pile)))
    assert asked == [(PLAY, 0), (PLAY, 5), (KOI, 12)]


def test_page_of_rules_is_made_from_the_options():
    """docs/koikoi-rules.md is that of the preset standard; every preset says what it differs in, and nothing else."""
    pages = {name: guide(rules) for name, rules in PRESETS.items()}
    assert pages["standard"] == (Path(__file__).parents[2] / "docs" / "koikoi-rules.md").read_text()
    assert len(set(pages.values())) == len(pages)
    said = {
        "koikoi_japan": (
            "| 10 more |",
            "1, 3 once one has called",
            "keeps the deal",
            "30 points",
            "a hand holds four cards",
        ),
        "gamedesign": ("| 15 |", "月札", "the dealer gets 6 points"),
        "nintendo_strict": ("called 1 time in a round", "three cards of a month lie on the field"),
        "bga_soft": ("1 + n", "bright yaku is among them"),
        "no_sake": ("inoshikacho",),
    }
    for name, words in said.items():
        assert all(word in pages[name] for word in words), name
        assert not all(word in pages["standard"] for word in words) or name == "no_sake", name
    assert "not with" not in pages["standard"]
    page = guide(find_rules(weather=True))
    assert "9A, not with 11B in the pile | 5" in page and "9A, not with 12B in the pile | 5" in page
    assert "rise again, above what they were then." in page
    assert "花見酒" in pages["standard"] and "花見酒" not in pages["no_sake"] and "Times 2" not in pages["gamedesign"]
    for one in (card for card in DECK if card.kind != "C"):
        assert f"{one.code} " in pages["standard"]
