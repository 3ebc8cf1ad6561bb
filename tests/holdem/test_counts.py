"""Sizes of whole games and values of poker on [0, 1], from betting trees and linear programs.

Sources: heads-up limit hold'em, Johanson 2013 (arXiv 1302.7008) and Bowling et al. 2015; Rhode Island hold'em, Gilpin
and Sandholm 2007, whose linear program had 91,224,226 rows; von Neumann and Morgenstern 1944 by formula.
"""

from dataclasses import dataclass
from math import comb

import pytest

import tefuda as td
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.holdem.betting import FLOP
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT, SHOWDOWN
from tefuda.holdem.spots.tree import build_tree
from tefuda.holdem.suits import count_classes
from tests.holdem.known_spots import limit_betting


def decisions(cap):
    tree = build_tree(limit_betting(100, 10**6, cap), FLOP)
    return tree, [street.decisions for street in tree.streets]


def test_limit_holdem():
    """Four bets a round: 8 decision sequences before the flop, 7 of which continue; later 10 and 9."""
    _, later = decisions(4)
    sequences = [8, *(7 * count for count in later)]
    assert sequences == [8, 70, 630, 5_670]
    classes = [count_classes(*rounds) for rounds in ((2,), (2, 3), (2, 3, 1), (2, 3, 1, 1))]
    assert sum(map(lambda one, two: one * two, sequences, classes)) == 13_803_249_787_132
    hands = comb(52, 2)
    boards = [1, comb(50, 3), comb(50, 3) * 47, comb(50, 3) * 47 * 46]
    assert sum(s * hands * b for s, b in zip(sequences, boards, strict=True)) == 319_365_922_522_608
    seen = [1, comb(48, 3), comb(48, 3) * 45, comb(48, 3) * 45 * 44]  # for a viewer of both hands
    assert sum(s * hands * comb(50, 2) * b for s, b in zip(sequences, seen, strict=True)) == 316_207_058_696_146_800


def test_rhode_island_holdem():
    """Three bets a round with one card each and two board cards, one by one."""
    tree, sequences = decisions(3)
    assert sequences == [8, 56, 392]
    own, both = [52, 52 * 51, 52 * 51 * 50], [52 * 51, 52 * 51 * 50, 52 * 51 * 50 * 49]
    assert sum(s * c for s, c in zip(sequences, own, strict=True)) == 52_128_128
    assert [count_classes(*[1] * rounds) for rounds in (1, 2, 3)] == [13, 325, 9_997]
    assert sum(s * c for s, c in zip(sequences, (13, 325, 9_997), strict=True)) == 3_937_128
    assert sum(s * c for s, c in zip(sequences, both, strict=True)) == 2_554_427_616
    ends = [int(((one.kind >= FOLD_0) & (one.kind != NEXT)).sum()) for one in tree.streets]
    assert sum(e * c for e, c in zip(ends, both, strict=True)) == 4_144_428_912
    assert int((tree.streets[2].kind == SHOWDOWN).sum()) == 7**3
    for player in (0, 1):
        infosets = sum(int((one.kind == player).sum()) * c for one, c in zip(tree.streets, own, strict=True))
        assert infosets == 26_064_064
        rows = 1 + sum(one.actions[player] * c for one, c in zip(tree.streets, own, strict=True))
        assert rows == 65_160_161 and rows + infosets + 1 == 91_224_226


@dataclass(frozen=True)
class UnitPoker:
    """Antes of 1; player 0 checks to a showdown or bets, and player 1 calls or folds."""

    hands: int
    bet: float

    name, players, parameters = "unit_poker", 2, {}

    def root(self):
        return ()

    def player(self, state):
        if len(state) < 2:
            return CHANCE
        return 0 if len(state) == 2 else 1 if state[2:] == ("bet",) else TERMINAL

    def actions(self, state):
        return ("check", "bet") if len(state) == 2 else ("fold", "call")

    def chances(self, state):
        return [(hand, 1 / self.hands) for hand in range(self.hands)]

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        one, two, *done = state
        won = 1 if done == ["bet", "fold"] else ((one > two) - (one < two)) * (1 + self.bet * (done[0] == "bet"))
        return (won, -won)

    def view(self, state, player):
        return (*state[player : player + 1], *state[2:])


#: Bet -> value to the bettor, the page's 5 digits (301 hands).
UNIT = {0.5: 0.07407, 1: 0.10000, 2: 0.11111, 4: 0.10000}


@pytest.mark.parametrize("bet", UNIT)
def test_poker_on_the_unit_interval(bet):
    """With finitely many hands ties change the formula by at most a term of 1 / hands ** 2."""
    formula = bet / ((bet + 1) * (bet + 4))
    assert formula == pytest.approx(UNIT[bet], abs=5e-6)
    found = td.solve(UnitPoker(31, bet), "lp")
    assert found.values[0] == pytest.approx(formula, abs=3 / 31**2)


@pytest.mark.slow
@pytest.mark.parametrize("bet", UNIT)
def test_poker_on_the_unit_interval_to_five_digits(bet):
    """The page's own linear program: 301 hands, equally spaced; a quarter of a minute each."""
    assert td.solve(UnitPoker(301, bet), "lp").values[0] == pytest.approx(UNIT[bet], abs=1e-5)
