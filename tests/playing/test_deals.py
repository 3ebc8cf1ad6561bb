"""Random streams: equal for the same deal in any seat order."""

import numpy as np
import pytest

from tefuda.playing.deals import DealSource


def drawn(stream):
    return stream.random(3).tolist()


@pytest.mark.parametrize(
    "shared, cards, luck", [("luck", True, True), ("cards", True, False), ("nothing", False, False)]
)
def test_streams_shared_by_the_seat_orders_of_a_deal(shared, cards, luck):
    dealing = DealSource(10, seed=3, shared=shared)
    assert (drawn(dealing.cards(5, 0)) == drawn(dealing.cards(5, 1))) == cards
    assert (drawn(dealing.luck(5, 0, 1)) == drawn(dealing.luck(5, 1, 1))) == luck


@pytest.mark.parametrize("shared", ["luck", "cards", "nothing"])
def test_streams_are_distinct(shared):
    """Count distinct first numbers of 3 deals, 2 seat orders, cards and 3 seats; other seeds differ."""
    first = [
        stream.random()
        for seed in (0, 1)
        for deal in range(3)
        for seating in range(2)
        for dealing in [DealSource(3, seed, shared)]
        for stream in [dealing.cards(deal, seating), *(dealing.luck(deal, seating, seat) for seat in range(3))]
    ]
    assert len(set(first)) == 2 * 3 * {"luck": 4, "cards": 7, "nothing": 8}[shared]


def test_streams_are_those_of_recorded_matches():
    """Philox has key (seed, deal) and counter (0, 0, seat, stream): cards 0, shared luck 1."""
    generator = np.random.Generator(np.random.Philox(key=[7, 2], counter=[0, 0, 0, 0]))
    assert drawn(DealSource(4, seed=7).cards(2, 1)) == drawn(generator)
    generator = np.random.Generator(np.random.Philox(key=[7, 2], counter=[0, 0, 3, 1]))
    assert drawn(DealSource(4, seed=7).luck(2, 1, 3)) == drawn(generator)
