"""Local best response: equal to that of small trees, and published figures of simple players."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.holdem.buckets.clusters import Buckets, cells
from tefuda.holdem.buckets.graph import LETTERS, betting_graph, limit_rules
from tefuda.holdem.buckets.local import LocalResponse, class_win_rates, local_response, local_response_to
from tefuda.holdem.buckets.response import board_response
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, BucketSampler, Deal
from tefuda.holdem.cards import CLASSES, read_cards
from tests.holdem import limits


def always(letters, found):
    """Return the strategy that takes the first legal of these actions with all hands."""
    game = Abstraction(betting_graph(limit_rules()), (1, 1, 1, 1), Buckets((1, 1, 1, 1)).assign(found))
    arrays, weights = game.arrays, np.zeros(game.rows, dtype=np.float32)
    for node in range(game.graph.nodes):
        legal = LETTERS[arrays.low[node] : arrays.low[node] + arrays.size[node]]
        weights[arrays.base[node] + legal.index(next(letter for letter in letters if letter in legal))] = 1
    return BucketPolicy(game, game.normalised(weights))


@pytest.mark.parametrize("iterations", [0, 2000])
def test_as_on_the_tree(iterations):
    sampler = limits.sampler(every=1000)
    sampler.advance(iterations)
    policy = sampler.average()
    found = local_response(policy, 4000, seed=5, deal=Deal(limits.LEFT, limits.BOARD))
    profile = limits.profile_of(policy)
    for seat in (0, 1):
        error = found.winnings[seat].std() / len(found.winnings[seat]) ** 0.5
        assert found.by_seat[seat] == pytest.approx(td.local_best_response(profile, seat).value, abs=4 * error)
        assert error < 1.2
    assert found.milliblinds == pytest.approx((100 * found.value, 100 * found.half_width))


@pytest.mark.parametrize("board", ["2c7d8d", "2c7d8dJc", "2c7d8dJc3h"])
def test_boards_that_are_known(board):
    """Whole hands, with a strategy that is nan for all kinds of turns and rivers except the board's."""
    game, cards = limits.by_texture(), read_cards(board)
    sigma = game.normalised(np.zeros(game.rows, dtype=np.float32))
    for node, street in enumerate(game.arrays.street):
        known = (0, 3, 4, 5)[street]
        if street >= 2 and known <= len(cards):
            first, size = int(game.arrays.base[node]), int(game.arrays.size[node])
            sigma[first : first + 3 * size] = np.nan
            sigma[game.rows_of(node, cards[:known], 0)] = 1 / size
    policy, deal = BucketPolicy(game, sigma), Deal(board=cards)
    hands = local_response(policy, 60, boards=2, deal=deal)
    boards = board_response(policy, 2, ahead=2, deal=deal)
    assert np.isfinite(hands.winnings).all() and np.isfinite(boards.winnings).all()


def test_always_folding_loses_750():
    found = local_response(always("fc", limits.flat()), 50)
    assert (
        found.by_seat == (5, 10) and found.half_width == 0 and found.milliblinds[0] == 750
    )  # published, and the blinds


def test_the_same_seed_wins_the_same(monkeypatch):
    policy, deal = limits.sampler().average(), Deal(limits.LEFT, limits.BOARD)
    reports = []
    one = local_response(policy, 600, 1, deal=deal, progress=lambda done, of: reports.append((done, of)))
    assert reports == [(done, 600) for done in range(100, 601, 100)]
    assert np.array_equal(one.winnings[:, :300], local_response(policy, 300, 1, deal=deal).winnings)
    assert not np.array_equal(one.winnings, local_response(policy, 600, 2, deal=deal).winnings)
    assert not np.array_equal(one.winnings[:, :100], one.winnings[:, 100:200])


def test_intervals_are_those_of_deals():
    """Four deals in both seats; the two results of a deal form one sample."""
    found = LocalResponse(10, np.array([[1.0, 3, 5, 7], [-1.0, 1, 3, 5]]))
    assert found.value == 3 and found.by_seat == (4, 2)
    deviation = (20 / 3) ** 0.5  # of 0, 2, 4, 6
    assert found.half_width == pytest.approx(1.96 * deviation / 2) and found.milliblinds[0] == pytest.approx(300)


def test_classes_before_the_flop():
    """Aces beat kings in 81.95 % with ties as one half, as in the table of equities."""
    ahead = class_win_rates()
    aces, kings = (CLASSES.index(name) for name in ("AA", "KK"))
    assert ahead[aces, kings] == pytest.approx(0.81946050, abs=1e-8) and ahead + ahead.T == pytest.approx(1)


def test_queried_strategies_get_equal_responses():
    """The slow reference, hand by hand, wins the same with the same strategy and cards."""
    game = limits.by_class(2)
    sampler = BucketSampler(game, every=1000)
    sampler.advance(1000)
    policy = sampler.average()

    def chances(done, board, node):
        size, street = int(game.arrays.size[node]), int(game.arrays.street[node])
        assert game.graph.node(done) == node and len(board) == (0, 3, 4, 5)[street]
        buckets = np.maximum(game.buckets_on(board)[street], 0)
        return policy.sigma[game.arrays.base[node] + buckets[:, None] * size + np.arange(size)]

    slow = local_response_to(chances, game.graph, game, 12, seed=4, boards=20)
    fast = local_response(policy, 12, seed=4, boards=20)
    assert slow.winnings == pytest.approx(fast.winnings, abs=1e-4)


@pytest.mark.parametrize("options", [{"hands": 1}, {"boards": -1}, {"seed": -1}])
def test_refused(options):
    with pytest.raises(ParameterError):
        local_response(limits.sampler().average(), **{"hands": 10, **options})


def test_more_players_are_refused():
    game = limits.by_class(3)
    with pytest.raises(ParameterError, match="two players"):
        local_response(BucketPolicy(game, game.normalised(np.zeros(game.rows, dtype=np.float32))), 10)


@pytest.mark.slow
def test_always_calling_or_raising():
    """Best responses win 1163.48 and 3697.69 (johanson2011); a local one nearly the first of these."""
    call, raise_ = (local_response(always(letters, cells()), 10_000) for letters in ("cf", "rc"))
    assert abs(call.milliblinds[0] - 1163.48) < 1.5 * call.milliblinds[1]
    assert 3000 < raise_.milliblinds[0] < 3697.69 + raise_.milliblinds[1]
