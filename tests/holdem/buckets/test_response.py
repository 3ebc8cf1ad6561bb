"""Local best response on whole boards: equal to that of trees, and to the one hand by hand."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.holdem.buckets.local import local_response
from tefuda.holdem.buckets.response import BoardResponder, board_response
from tefuda.holdem.buckets.sampler import BucketPolicy, Deal
from tests.holdem import limits

DEALT = Deal(limits.LEFT, limits.BOARD)


@pytest.mark.parametrize("iterations", [0, 500, 5000])
def test_all_boards_are_the_tree(iterations):
    sampler = limits.sampler(every=1000)
    sampler.advance(iterations)
    policy = sampler.average()
    responder = BoardResponder(policy, deal=DEALT)
    found = [responder.play(np.array([card]), np.random.default_rng(0)) for card in limits.LEFT]
    profile = limits.profile_of(policy)
    exact = [td.local_best_response(profile, seat).value for seat in (0, 1)]
    assert np.mean(found, axis=0) == pytest.approx(exact, abs=1e-4)


def test_boards_share_their_arrays():
    """Arrays have the size of the remaining cards and contain no values of the previous board."""
    sampler = limits.sampler(every=1000)
    sampler.advance(300)
    policy = sampler.average()
    one = BoardResponder(policy, deal=DEALT)
    hands, own = len(limits.LEFT) * (len(limits.LEFT) - 1) // 2, (len(limits.LEFT) - 1) * (len(limits.LEFT) - 2) // 2
    assert one._sheet.reach.shape == (policy.game.graph.nodes, hands) and one._sheet.value.shape[1] == own
    for card in limits.LEFT:
        found = [
            responder.play(np.array([card]), np.random.default_rng(0))
            for responder in (one, BoardResponder(policy, deal=DEALT))
        ]
        assert found[0] == found[1]


def test_boards_and_deals_win_the_same():
    """Uniform play, one bucket for all hands; equal seeds give equal boards, whatever their number."""
    game = limits.by_class(2)
    policy = BucketPolicy(game, game.normalised(np.zeros(game.rows, dtype=np.float32)))
    reports = []
    boards = board_response(policy, 4, 3, ahead=20, progress=lambda done, of: reports.append((done, of)))
    assert reports == [(done, 4) for done in range(1, 5)]
    assert np.array_equal(board_response(policy, 2, 3, ahead=20).winnings, boards.winnings[:, :2])
    deals = local_response(policy, 800, boards=20)
    assert abs(boards.value - deals.value) < 2 * (boards.half_width + deals.half_width)
    assert boards.half_width < deals.half_width


def test_always_folding_loses_the_blinds():
    game = limits.by_class(2)
    weights = np.zeros(game.rows, dtype=np.float32)
    for node in range(game.graph.nodes):
        weights[
            game.arrays.base[node] + np.arange(4 if game.arrays.street[node] < 2 else 1) * game.arrays.size[node]
        ] = 1
    found = board_response(BucketPolicy(game, game.normalised(weights)), 2, ahead=1)
    assert found.by_seat == pytest.approx((5, 10)) and found.half_width == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("options", [{"boards": 1}, {"ahead": 0}, {"seed": -1}])
def test_refused(options):
    with pytest.raises(ParameterError):
        board_response(limits.sampler().average(), **{"boards": 2, **options})


def test_only_two_players():
    game = limits.by_class(3)
    with pytest.raises(ParameterError, match="players"):
        board_response(BucketPolicy(game, np.zeros(game.rows, dtype=np.float32)))
