"""Values of positions of Koi-Koi between two turns."""

import numpy as np
import pytest

from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels.playout import candidates, position_value
from tefuda.koikoi.kernels.state import VisibleCards
from tefuda.koikoi.kernels.tables import AFTER_TURN, BEFORE_DRAW, MAX_TABLES, phase_of, value
from tefuda.koikoi.players.tables import make_tables


@pytest.mark.parametrize("turn", [5, 6, 9])
def test_the_value_of_a_position_ignores_the_hidden_hand(turn):
    """After its turn the value is the tables' value; before its turn that of its best card."""
    rng = np.random.default_rng(turn)
    tables, indices = make_tables(), np.zeros(MAX_TABLES, dtype=np.int64)
    tables.entries[:] = rng.normal(size=tables.entries.shape)
    array, cards = np.zeros(columns.WIDTH, dtype=np.uint64), rng.permutation(48)
    held = {columns.HAND: cards[:5], columns.HAND + 1: cards[5:10], columns.FIELD: cards[10:20]}
    for column, some in {**held, columns.PILE: cards[20:24], columns.PILE + 1: cards[24:28]}.items():
        array[column] = sum(1 << int(card) for card in some)
    array[columns.PHASE], array[columns.TURN] = columns.PLAY, turn
    mover = (turn - 1) % 2
    own, other, hand, field = (int(array[at]) for at in (columns.PILE + mover, columns.PILE + 1 - mover, mover, 2))

    def thought(kind, left, *position):
        return value(tables, kind, phase_of(left, 0, 0), VisibleCards(*map(np.uint64, position)), indices)

    laid, takes, before = np.zeros(32, dtype=np.int64), np.zeros(32, dtype=np.uint64), []
    for at in range(candidates(array, mover, laid, takes)):
        card, taken = 1 << int(laid[at]), int(takes[at])
        pile, lying = (own | taken | card, field & ~taken) if taken else (own, field | card)
        before.append(thought(BEFORE_DRAW, 4, pile, other, hand & ~card, lying))
    after = thought(AFTER_TURN, 5, other, own, int(array[1 - mover]), field)
    signs = 1 - 2 * mover, 2 * mover - 1  # as points to the dealer
    assert position_value(tables, array, mover, indices) == pytest.approx(signs[0] * max(before), abs=1e-5)
    assert position_value(tables, array, 1 - mover, indices) == pytest.approx(signs[1] * after, abs=1e-5)
    for player in range(2):
        hidden = array.copy()
        hidden[columns.HAND + 1 - player] = 0
        assert position_value(tables, hidden, player, indices) == position_value(tables, array, player, indices)
