"""What positions between two turns of Koi-Koi are worth to a player."""

import numpy as np
import pytest

from tefuda.koikoi.kernels import world as columns
from tefuda.koikoi.kernels.playout import candidates, stand
from tefuda.koikoi.kernels.values import AFTER_TURN, BEFORE_DRAW, MOST_TABLES, phase_of, value
from tefuda.koikoi.kernels.world import Sight
from tefuda.koikoi.players.worth import tables


@pytest.mark.parametrize("turn", [5, 6, 9])
def test_a_player_thinks_of_a_position_by_its_own_hand_alone(turn):
    """After its turn the tables' worth; before it that of the best card it can lay. The other's hand says nothing."""
    rng = np.random.default_rng(turn)
    worth, found = tables(), np.zeros(MOST_TABLES, dtype=np.int64)
    worth.entries[:] = rng.normal(size=worth.entries.shape)
    world, cards = np.zeros(columns.WIDTH, dtype=np.uint64), rng.permutation(48)
    held = {columns.HAND: cards[:5], columns.HAND + 1: cards[5:10], columns.FIELD: cards[10:20]}
    for column, some in {**held, columns.PILE: cards[20:24], columns.PILE + 1: cards[24:28]}.items():
        world[column] = sum(1 << int(card) for card in some)
    world[columns.PHASE], world[columns.TURN] = columns.PLAY, turn
    mover = (turn - 1) % 2
    own, other, hand, field = (int(world[at]) for at in (columns.PILE + mover, columns.PILE + 1 - mover, mover, 2))

    def thought(kind, left, *position):
        return value(worth, kind, phase_of(left, 0, 0), Sight(*map(np.uint64, position)), found)

    laid, takes, before = np.zeros(32, dtype=np.int64), np.zeros(32, dtype=np.uint64), []
    for at in range(candidates(world, mover, laid, takes)):
        card, taken = 1 << int(laid[at]), int(takes[at])
        pile, lying = (own | taken | card, field & ~taken) if taken else (own, field | card)
        before.append(thought(BEFORE_DRAW, 4, pile, other, hand & ~card, lying))
    after = thought(AFTER_TURN, 5, other, own, int(world[1 - mover]), field)
    signs = 1 - 2 * mover, 2 * mover - 1  # as points to the dealer
    assert stand(worth, world, mover, found) == pytest.approx(signs[0] * max(before), abs=1e-5)
    assert stand(worth, world, 1 - mover, found) == pytest.approx(signs[1] * after, abs=1e-5)
    for player in range(2):
        hidden = world.copy()
        hidden[columns.HAND + 1 - player] = 0
        assert stand(worth, hidden, player, found) == stand(worth, world, player, found)
