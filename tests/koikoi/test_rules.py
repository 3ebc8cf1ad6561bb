"""Rules of Koi-Koi: yaku, points, options, redeals. Figures: docs/koikoi.md."""

import random
from fractions import Fraction
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.kernels import clairvoyant, playout, simple, tables, training, tree
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels.rounds import act
from tefuda.koikoi.rules import PRESETS, find_rules, is_teyaku, must_redeal
from tefuda.koikoi.simulator import compile_rules
from tests.conftest import refused
from tests.koikoi.random_rounds import ANIMALS, CHAFF, RIBBONS

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
def test_points_of_piles(pile, base, japan):
    assert PRESETS["standard"].pile_points(mask_of(pile)) == base
    assert tuple(PRESETS["koikoi_japan"].pile_points(mask_of(pile), calls) for calls in (0, 1, 3, 4)) == japan


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
    assert score.base == sum(tables for _, tables in score.yaku)
    assert score.points == score.bonus * int(np.prod([factor for _, factor in score.factors], dtype=int))


# Piles by the growing forms. Boar, deer and butterfly 5, and 1 for each further animal; akatan and aotan 5, and 1 for
# each further ribbon; both 10, and 1 for each of the other four. Tane and tan only without them.
GROWN = (
    ({20, 24, 36}, 5),
    ({20, 24, 36, 4}, 6),
    (ANIMALS, 11),
    (ANIMALS - {24}, 4),
    ({1, 5, 9}, 5),
    ({1, 5, 9, 13, 17}, 7),
    ({1, 5, 9, 21, 33}, 7),
    ({21, 33, 37, 1, 13}, 7),
    ({1, 5, 9, 21, 33, 37}, 10),
    (RIBBONS, 14),
    (RIBBONS - {9}, 11),
    (RIBBONS - {9, 37}, 4),
    ({20, 24, 36, 32, 1, 5, 9, 42}, 6 + 6),
    ({0, 8, 28, 20, 24, 36}, 5 + 5),
    (set(range(48)), 10 + 11 + 14 + 5 + 5 + 16),
)


@pytest.mark.parametrize("pile, base", GROWN)
def test_growing_forms_by_hand(pile, base):
    """The preset's other differences, one call and redeals, do not change the points of piles."""
    for rules in (PRESETS["nintendo_growing"], find_rules(growing=True)):
        assert rules.pile_points(mask_of(pile)) == base
    doubled = 2 * base if base >= 7 else base
    assert PRESETS["nintendo_growing"].score(mask_of(pile)).points == doubled
    assert find_rules(growing=True, bright_factor=3, double_at=0).score(mask_of(pile)).points == base * (
        3 if len(pile & {0, 8, 28}) == 3 else 1
    )


def test_growing_forms_that_are_not_counted():
    """Without akatan, six ribbons are aotan with three more; tane counts if inoshikacho does not."""
    assert find_rules(growing=True, akatan=0).pile_points(mask_of({1, 5, 9, 21, 33, 37})) == 8
    assert find_rules(growing=True, inoshikacho=0).pile_points(mask_of(ANIMALS)) == 5
    assert find_rules(growing=True, both_tan=3).pile_points(mask_of({1, 5, 9, 21, 33, 37})) == 13


def coloured(pile: set[int], growing: bool) -> int:
    """Return the points of inoshikacho, akatan, aotan, tane and tan, counted by sets."""
    trio, red, blue = {20, 24, 36}, {1, 5, 9}, {21, 33, 37}
    animals, ribbons = len(pile & ANIMALS), len(pile & RIBBONS)
    tane, tan = max(0, animals - 4), max(0, ribbons - 4)
    if not growing:
        return sum(5 * (group <= pile) for group in (trio, red, blue)) + tane + tan
    colours = (red <= pile) + (blue <= pile)
    return (animals + 2 if trio <= pile else tane) + (2 * colours + ribbons if colours else tan)


def base_by_sets(pile: set[int], weather: bool = False, growing: bool = False) -> int:
    """Return the points of the standard rules, with or without weather and growing, counted by sets."""
    brights, total = pile & {0, 8, 28, 40, 44}, 0
    if len(brights) == 5:
        total += 10
    elif len(brights) == 4:
        total += 7 if 40 in brights else 8
    elif len(brights) == 3 and 40 not in brights:
        total += 5
    total += coloured(pile, growing)
    for group, cancels in (({8, 32}, 40), ({28, 32}, 44)):
        total += 5 * (group <= pile and not (weather and cancels in pile))
    return total + max(0, len(pile & (CHAFF | {32})) - 9)


@pytest.mark.parametrize("weather, growing", [(False, False), (True, False), (False, True), (True, True)])
def test_random_piles_score_equally_by_sets_masks_and_kernels(weather, growing):
    """Points never fall when cards are added, except by the weather."""
    rng, rules = random.Random(0), find_rules(weather=weather, growing=growing, bright_factor=3)
    compiled, nothing = compile_rules(rules), np.zeros(24, dtype=np.uint8)
    for _ in range(3000):
        pile = set(rng.sample(range(48), rng.randrange(49)))
        assert rules.pile_points(mask_of(pile)) == base_by_sets(pile, weather, growing)
        smaller = set(list(pile)[: len(pile) // 2])
        assert weather or rules.pile_points(mask_of(smaller)) <= rules.pile_points(mask_of(pile))
        array, calls = np.zeros(columns.WIDTH, dtype=np.uint64), rng.randrange(3)
        array[[columns.PILE, columns.CALLS + 1, columns.PHASE, columns.TURN]] = mask_of(pile), calls, columns.KOI, 1
        act(compiled, array, nothing, columns.STOP)
        assert array[columns.POINTS] == rules.score(mask_of(pile), 0, calls).points


def test_options():
    assert find_rules("gamedesign").for_month(1).pile_points(mask_of((0, 1, 2, 3))) == 4
    assert find_rules("gamedesign").for_month(2).pile_points(mask_of((0, 1, 2, 3))) == 0
    assert find_rules("no_sake").pile_points(mask_of((8, 28, 32))) == 0
    assert find_rules(sake_is_kasu=False).pile_points(mask_of({*sorted(CHAFF)[:9], 32})) == 0
    foggy = find_rules(weather=True)
    for pile, points in (((8, 32), 5), ((8, 32, 40), 0), ((28, 32), 5), ((28, 32, 44), 0), ((8, 32, 44), 5)):
        assert foggy.pile_points(mask_of(pile)) == points and PRESETS["standard"].pile_points(mask_of(pile)) == 5
    soft = find_rules("bga_soft")
    assert soft.score(mask_of((0, 8, 28)), 2).points == 5 * 3 * 2
    assert soft.score(mask_of((1, 5, 9, 13, 17)), 1).points == 6 * 2  # no bright yaku
    for wrong in ({"double_at": -1}, {"own_bonus": "much"}, {"rounds": 0}, {"redeal": ("never",)}, {"tane_from": 0},
                  {"weather": 1}, {"growing": "yes"}, {"goko": "many"}):  # fmt: skip
        with pytest.raises(td.errors.ParameterError):
            find_rules(**wrong)
    with refused(td.errors.UnknownNameError, key="option of Koi-Koi", value="double_att", nearest="double_at"):
        find_rules(double_att=7)
    with refused(td.errors.UnknownNameError, key="preset", value="standart", nearest="standard"):
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
    assert not must_redeal(find_rules(redeal=("field triple",)), (other, other), quad)
    assert PRESETS["standard"].dealing.all_redeals == ("field quad", "teyaku")
    assert PRESETS["koikoi_japan"].dealing.all_redeals == ("field quad", "hand quad")
    assert must_redeal(PRESETS["standard"], (quad, pairs), other)  # both have one: void
    assert must_redeal(PRESETS["nintendo_strict"], (other, other), triple)
    assert must_redeal(PRESETS["bga_hard"], (other, other), pairs)
    assert must_redeal(PRESETS["koikoi_japan"], (other, quad), other)
    assert not must_redeal(PRESETS["koikoi_japan"], (other, pairs), other)

    played = find_rules(both_teyaku="play")
    assert not must_redeal(played, (quad, pairs), other) and must_redeal(played, (quad, pairs), quad)
    assert played.dealing.all_redeals == ("field quad", "one teyaku")
    out = find_rules(both_teyaku="play", redeal=played.dealing.all_redeals)
    assert must_redeal(out, (other, pairs), other) and not must_redeal(out, (quad, pairs), other)
    with pytest.raises(td.errors.ParameterError) as refused:
        find_rules(both_teyaku="play", redeal=("teyaku",))
    assert refused.value.key == "both_teyaku"


def interpreted(kernel):
    """Return the Python function of a kernel; it compiles the kernels that it calls."""
    return getattr(kernel, "py_func", kernel)


def test_the_higher_yaku_is_paid_if_no_player_stops():
    """Sums by hand: inoshikacho 5, hanami-zake 5, tan 1, sanko 5 with tan 1 and a 7 doubled.

    Both have called: twice. Equal or missing yaku pay the dealer's points of exhaustion.
    """
    trio, hanami, ribbons = mask_of((20, 24, 36)), mask_of((8, 32)), mask_of((1, 13, 17, 21, 25))
    brights = mask_of((0, 8, 28))
    seven = mask_of((8, 32, 28, 0))  # sanko, hanami-zake, tsukimi-zake: 15
    rules = find_rules(exhaustion=6, exhaustion_yaku=True)
    for piles, calls, points in (
        ((trio, 0), (1, 0), 5),
        ((0, trio), (0, 1), -5),
        ((trio, hanami), (1, 1), 6),
        ((ribbons, trio), (1, 1), -10),
        ((brights | ribbons, trio), (2, 1), 12),
        ((seven, trio), (1, 1), 60),
        ((trio, seven), (1, 1), -60),
        ((0, 0), (0, 0), 6),
    ):
        assert rules.exhausted_points(piles, calls) == points
        assert find_rules(exhaustion=6).exhausted_points(piles, calls) == 6
        array = np.zeros(columns.WIDTH, dtype=np.uint64)
        array[columns.PILE : columns.PILE + 2], array[columns.CALLS : columns.CALLS + 2] = piles, calls
        array[columns.TURN], compiled = 16, compile_rules(rules)
        ended = interpreted(clairvoyant.advance_to_own_turn)(compiled, None, 0, array, None, 0, None)
        assert ended == (True, points) and array[columns.TURN] == 17  # all playouts end here
        batch, worth = SimpleNamespace(lengths=[0]), np.tile(np.arange(-100.0, 101.0), (2, 1))
        for paid in (
            interpreted(playout.play_out)(compiled, None, array, None, 0, 0, None)[0],
            interpreted(tables.self_play)(compiled, None, array, None, 0, 0, None, np.zeros(2), None)[0],
            interpreted(simple.finish_round)(compiled, [0, 0], array.copy(), [], 0)[0],
            interpreted(training.play_round)(compiled, None, None, array, [], None, 0, 0, batch, 0)[0],
            interpreted(tree.final_utility)(compiled, None, worth, array, 0, 1, False, None),
        ):
            assert paid == points


def test_deal_probabilities_exactly():
    """The events are four of a month and four pairs; a hand of 8 cards has a teyaku with 11467/1905803."""
    teshi, kuttsuki = 12 * comb(44, 4) - 66, comb(12, 4) * 6**4
    assert (comb(48, 8), teshi, kuttsuki) == (377_348_994, 1_628_946, 641_520)
    assert Fraction(teshi + kuttsuki, comb(48, 8)) == Fraction(11467, 1905803)
    # By months instead: the number of hands with so many cards of each month, by generating functions.
    ways = {(0, False, 0): 1}  # cards, any month with four, months with exactly two of the hand's cards
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
