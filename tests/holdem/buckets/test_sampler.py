"""Sampled limit hold'em in buckets: without merged hands it finds the equilibrium of the tree."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.holdem.buckets.clusters import Buckets, cells
from tefuda.holdem.buckets.graph import betting_graph, limit_rules
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, BucketSampler, Deal
from tefuda.holdem.cards import read_cards
from tests.holdem import limits
from tests.spread import bar


@pytest.mark.learner
@pytest.mark.parametrize(
    "game, rows, uniform, means, deviations, value, error",
    [
        (limits.TURN, 4410, 41.0417, (5.0, 1.31), (0.36, 0.11), 0.2815, 0.028),
        (limits.NO_LIMIT, 3900, 24.2963, (6.07, 1.90), (0.28, 0.15), 0.3251, 0.023),
    ],
)
def test_nash_conv_falls_to_the_equilibrium(game, rows, uniform, means, deviations, value, error):
    """Means and deviations over 10 seeds after 5,000 and 30,000 hands; the value is by CFR+ on the tree."""
    tree, sampler = limits.tree(game), limits.sampler(game, every=1000)
    assert limits.lossless(game).rows == tree.rows == rows
    found = []
    for iterations in (0, 5000, 30_000):
        sampler.advance(iterations - sampler.iterations)
        profile = limits.profile_of(sampler.average(), game)
        found.append(td.nash_conv(profile))
    assert found[0] == pytest.approx(uniform, abs=1e-4)  # uniform play, by the tree
    assert found[1] < bar(means[0], deviations[0]) and found[2] < bar(means[1], deviations[1])
    assert td.values(profile)[1] == pytest.approx(value, abs=bar(0.01, error))


def test_regrets_of_one_iteration_are_unbiased():
    tree, game, hands = limits.tree(), limits.lossless(), 40_000
    uniform = game.normalised(np.zeros(game.rows, dtype=np.float32))
    sampler = limits.sampler(every=0, fixed=uniform, trust=(0.0, 1.0))
    total, squares = np.zeros(game.rows), np.zeros(game.rows)
    for _ in range(hands):
        sampler.advance(1)
        total += sampler.table.regret
        squares += sampler.table.regret.astype(float) ** 2
        sampler.table.regret[:] = 0  # uniform again
    mean = total / hands
    error = np.sqrt((squares / hands - mean**2) / hands)
    exact = td.evaluating.counterfactual(td.Profile.uniform(tree))
    expected = np.zeros(game.rows)
    for (player, key), infoset in tree.numbers.items():
        if player == 0:
            expected[limits.rows_of(key)] = exact.regrets[tree.rows_of(infoset)]
    seen = error > 0
    score = (mean - expected)[seen] / error[seen]
    assert seen.sum() > 1500 and (expected[~seen] == 0).all()
    assert np.abs(score).max() < 6 and 0.7 < np.sqrt((score**2).mean()) < 1.3


def test_averages_of_one_iteration_are_unbiased():
    tree, hands = limits.tree(), 20_000
    sampler = limits.sampler(every=0)
    for _ in range(hands):
        sampler.advance(1)
        sampler.table.regret[:] = 0
    reached = td.evaluating.reach(td.Profile.uniform(tree))
    # Player 1 is sampled first, before any learning; player 0 responds to player 1's updated strategy.
    for key, infoset in [(key, infoset) for (player, key), infoset in tree.numbers.items() if player == 1][::20]:
        members = tree.histories_of(infoset)
        expected = float((reached.chance[members] * reached.own[members, 1]).sum())  # the probability of a visit
        rows = limits.rows_of(key)
        found = sampler.table.total[rows].sum() / hands
        assert found == pytest.approx(expected, abs=6 * (expected / hands) ** 0.5 + 1e-4)


@pytest.mark.parametrize("tremble", [0.0, 0.3])
def test_averages_of_three_players_are_independent(tremble):
    """Each infoset counts by chance and the player's own reach against uniform opponents.

    Regrets that no traversal changes noticeably fix a strategy that is drawn for each infoset.
    """
    game, hands, rng = limits.RIVER, 40_000, np.random.default_rng(2)
    tree, sampler = limits.tree(game), limits.sampler(game, every=0, tremble=tremble)
    sampler.table.regret[:] = 1e9 * rng.dirichlet([0.5] * 2, len(sampler.table.regret))[:, 0]
    own, uniform = td.Profile.from_function(tree, sampler.current().strategy), td.Profile.uniform(tree)
    mixed = td.Profile(tree, (1 - tremble) * own.probabilities + tremble * uniform.probabilities)
    sampler.advance(hands)
    scores = []
    for player in range(3):
        reached = td.evaluating.reach(uniform.replace(player, mixed))
        for (mover, key), infoset in tree.numbers.items():
            if mover == player:
                members, rows = tree.histories_of(infoset), limits.rows_of(key, game)
                weight = float((reached.chance[members] * reached.own[members].prod(axis=1)).sum())
                expected = weight * own.probabilities[tree.rows_of(infoset)]
                error = (weight / hands) ** 0.5 + 1e-9
                scores += ((sampler.table.total[rows] / hands - expected) / error).tolist()
    assert np.abs(scores).max() < 6 and 0.3 < np.std(scores) < 1.1 and len(scores) == tree.rows


@pytest.mark.parametrize("board", ["", "2c7d8d", "2c7d8dJc", "2c7d8dJc3h"])
def test_a_known_board_is_looked_up_street_by_street(board):
    """Whole hands from the blinds; the kinds of turn and river follow from the cards before them."""
    game, cards = limits.by_texture(), read_cards(board)
    sampler = BucketSampler(game, deal=Deal(board=cards))
    sampler.advance(300)
    seen = {}
    for street, number in ((2, 4), (3, 5)):
        nodes = np.flatnonzero(game.arrays.street == street)
        first, size = game.arrays.base[nodes], game.arrays.size[nodes]
        blocks = np.concatenate([one + np.arange(3 * n) for one, n in zip(first, size, strict=True)])
        kinds = np.concatenate([np.repeat(np.arange(3), n) for n in size])
        seen[street] = np.bincount(kinds, sampler.table.total[blocks], 3).tolist()
        if len(cards) >= number:
            rows = game.rows_of(int(nodes[0]), cards[:number], 0)
            kind = (rows.start - int(first[0])) // int(size[0])
            assert [one > 0 for one in seen[street]] == [b == kind for b in range(3)]
        else:
            assert min(seen[street]) > 0


@pytest.mark.parametrize(
    "deck, board, why",
    [
        (range(52), (50, 49), "0, 3, 4 or 5"),
        (range(52), (50, 49, 50), "different"),
        (range(52), range(6), "0, 3, 4 or 5"),
        (range(8), (), "needs 9.* has 8"),
        (range(8), (0, 1, 2), "needs 6.* has 5"),
    ],
)
def test_cards_that_cannot_be_dealt(deck, board, why):
    with pytest.raises(ParameterError, match=why):
        BucketSampler(limits.by_texture(), deal=Deal(tuple(deck), tuple(board)))


def test_the_same_bits_however_it_is_split():
    whole, parts = (limits.sampler(seed=3, every=100, tremble=0.1) for _ in range(2))
    whole.advance(730)
    for iterations in (1, 99, 250, 380):
        parts.advance(iterations)
    assert np.array_equal(parts.table.regret, whole.table.regret)
    assert np.array_equal(parts.table.total, whole.table.total)
    assert not np.array_equal(limits.sampler(seed=4).average().sigma, whole.average().sigma)


def test_late_iterations_count_more(monkeypatch):
    """Results are multiplied by 1/2, 2/3, 3/4 after the blocks: block n has n times the weight of block 1."""
    plain, weighted, parts = limits.sampler(every=0), limits.sampler(every=50), []
    plain.advance(50)
    weighted.advance(50)
    for name in ("regret", "total"):
        assert np.array_equal(getattr(weighted.table, name), getattr(plain.table, name) * np.float32(0.5))
    monkeypatch.setattr(weighted, "_discount", parts.append)
    weighted.advance(120)
    assert parts == pytest.approx([2 / 3, 3 / 4])


def test_a_response_to_fixed_strategies_wins_like_a_best_response():
    tree, game = limits.tree(), limits.lossless()
    uniform = game.normalised(np.zeros(game.rows, dtype=np.float32))
    sampler = limits.sampler(every=1000, fixed=uniform, trust=(1.0, 0.0))
    sampler.advance(20_000)
    assert not sampler.table.regret[limits.rows_of_player(0)].any()  # a fixed player learns nothing
    answer = td.Profile.uniform(tree).replace(1, limits.profile_of(sampler.current()))
    best = td.best_response(td.Profile.uniform(tree), 1).value
    assert best - 0.5 < td.values(answer)[1] <= best


def test_learning_against_full_trembling_beats_uniform_play():
    tree, sampler = limits.tree(), limits.sampler(every=1000, tremble=1)
    sampler.advance(20_000)
    answers = limits.profile_of(sampler.current())
    for seat in (0, 1):
        best = td.best_response(td.Profile.uniform(tree), seat).value
        found = td.values(td.Profile.uniform(tree).replace(seat, answers))[seat]
        assert best - 0.5 < found <= best


def test_averages_exclude_trembling():
    sampler = limits.sampler(every=0, tremble=0.5)
    sampler.advance(2000)
    trembling = limits.sampler(every=0, tremble=0.5, fixed=sampler.average().sigma, trust=(0.0, 1.0))
    trembling.advance(2000)
    # A fixed player does not tremble: where it never folds, no fold occurs.
    assert (sampler.average().sigma > 0.99).any() and not trembling.table.total[limits.rows_of_player(1)].any()


def test_policies_are_queried_by_views():
    policy = limits.sampler().average()
    assert policy.strategy(0, "Th9d|2c7d8dJc|cc/cc/", ("c", "r")) == [0.5, 0.5]
    assert policy.strategy(1, "Th9d|2c7d8dJc|cc/cc/r", ("f", "c", "r")) == pytest.approx([1 / 3] * 3)
    for key in ("Th9d|2c7d8dJc|cc/cc/rf", "|2c7d8dJc|cc/cc/", "Th9d|2c7d8dJc|cc/cc/x"):
        with pytest.raises(ParameterError):
            policy.strategy(0, key, ("c", "r"))


@pytest.mark.parametrize("players", [2, 3])
def test_policies_play_at_tables_of_the_rules(players):
    game = Abstraction(betting_graph(limit_rules(players)), (1, 1, 1, 1), Buckets((1, 1, 1, 1)).assign(limits.flat()))
    calls = np.zeros(game.rows, dtype=np.float32)
    for node in range(game.graph.nodes):
        calls[game.arrays.base[node] + 1 - game.arrays.low[node]] = 1
    agents = [td.PolicyAgent(f"calls {n}", BucketPolicy(game, calls)) for n in range(players)]
    match = td.duplicate_match(td.load_game("holdem", players=players, limit=True), agents, deals=10)
    # All players call: each pays a big blind, and the best hands share the pot.
    assert match.payoffs.sum(axis=-1) == pytest.approx(0) and (match.payoffs >= -10).all()
    assert (match.payoffs.max(axis=-1) <= 10 * (players - 1)).all() and (match.payoffs == -10).any(axis=-1).mean() > 0.7


@pytest.mark.parametrize(
    "options",
    [
        {"every": -1},
        {"trust": (0.5, 0.0)},
        {"seed": -1},
        {"every": 1.5},
        {"tremble": 2},
        {"trust": (2.0, 0.0), "fixed": np.zeros(4410, dtype=np.float32)},
    ],
)
def test_refused(options):
    with pytest.raises(ParameterError):
        limits.sampler(**options)


@pytest.mark.slow
def test_whole_hands_with_three_players():
    counts = (8, 5, 5, 5)
    found = BucketSampler(Abstraction(betting_graph(limit_rules(3)), counts, Buckets(counts).assign(cells())))
    found.advance(20_000)
    strong, weak = (found.average().strategy(2, f"{hand}||", ("f", "c", "r")) for hand in ("AhAs", "7h2d"))
    assert strong[0] < 0.1 < 0.6 < weak[0] and strong[2] > 0.5 > weak[2]


@pytest.mark.parametrize("below", [0.0, 0.1, 0.4, 1.0])
def test_purified_strategies(below):
    """A twin in numpy: rare actions are dropped, the most probable one stays, the sum is 1."""
    sampler = limits.sampler(every=1000)
    sampler.advance(3000)
    policy, game = sampler.average(), limits.lossless()
    found = policy.purified(below).sigma
    for node in range(game.graph.nodes):
        size, first = int(game.arrays.size[node]), int(game.arrays.base[node])
        rows = slice(first, first + size * game.counts[int(game.arrays.street[node])])
        given, after = policy.sigma[rows].reshape(-1, size).astype(float), found[rows].reshape(-1, size)
        stays = (given >= below) | (np.arange(size) == given.argmax(axis=1)[:, None])
        wanted = given * stays / (given * stays).sum(axis=1, keepdims=True)
        assert after == pytest.approx(wanted, abs=1e-6)
    assert (policy.purified(0) is policy) and set(policy.purified(1).sigma.tolist()) == {0.0, 1.0}
    for refused in (-0.1, 1.5, np.nan, "x"):
        with pytest.raises(ParameterError):
            policy.purified(refused)
