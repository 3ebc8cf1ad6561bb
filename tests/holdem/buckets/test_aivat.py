"""AIVAT with a strategy's own values: exact expectations on trees, less variance, recorded matches."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.evaluating.values import reach, values
from tefuda.holdem.buckets.aivat import match_aivat, position_values
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, BucketSampler, Deal
from tefuda.holdem.cards import read_cards
from tests.holdem import limits


def solved(game, iterations, seed=0):
    sampler = limits.sampler(game, seed=seed, every=1000)
    sampler.advance(iterations)
    return sampler.average()


def ends(game, tree, graph):
    """Return the deck and the actions of each end of a tree."""
    decks, lines = [], np.full((len(tree.terminals), graph.longest), -1)
    for number, end in enumerate(tree.terminals.tolist()):
        deal, *labels = tree.history(end)
        cards, node, line = [*read_cards(deal)], 0, []
        for label in labels:
            if node >= 0 and label in graph.labels[node]:
                line.append(int(graph.arrays.low[node]) + graph.labels[node].index(label))
                node = int(graph.arrays.child[node, line[-1]])
            else:
                cards += read_cards(label)
        lines[number, : len(line)] = line
        decks.append([*cards, *(card for card in game.left if card not in cards)])
    return np.array(decks, dtype=np.uint8), lines


@pytest.mark.parametrize("game", [limits.TURN, limits.NO_LIMIT])
@pytest.mark.parametrize("hands, factor", [(0, 1.3), (100_000, 3)])
def test_unbiased_over_all_hands_of_a_tree(game, hands, factor):
    """The mean over all ends is the value for the agent, against another strategy and with any values."""
    policy, other, tree = solved(game, 3000), solved(game, 200, 5), limits.tree(game)
    estimator = position_values(policy, hands, deal=Deal(game.left, game.board))
    decks, lines = ends(game, tree, policy.game.graph)
    for seat in (0, 1):
        own, opposing = (limits.profile_of(each, game).probabilities for each in (policy, other))
        profile = td.Profile(tree, np.where(tree.player_of_row == seat, own, opposing))
        reached = reach(profile)
        weight = (reached.chance * reached.own.prod(axis=1))[tree.terminals]
        found, payoffs, value = estimator.estimates(decks, lines, seat), tree.payoffs[:, seat], values(profile)[seat]
        played = weight > 0
        assert weight[played] @ found[played] == pytest.approx(value, abs=1e-5)  # strategies have single precision
        variance = weight[played] @ (found[played] - value) ** 2
        assert weight @ (payoffs - value) ** 2 > factor * variance


def whole(limit=True, **options):
    """Return a game of whole hands and a strategy of it, with buckets of ranks before the turn."""
    game = td.load_game("holdem", limit=limit, **options)
    few = limits.by_class(2)
    return game, Abstraction(betting_graph(game.rules, menu=game.menu), few.counts, few.sorted)


def test_recorded_hands_of_whole_games():
    """Within three standard errors of the winnings, with all-ins on each street, and of less variance."""
    game, buckets = whole(False, stack=200, bets="100%,a", raises="a")
    sampler = BucketSampler(buckets, tremble=0.1)
    sampler.advance(30_000)
    policy, flat = (
        sampler.average(),
        BucketPolicy(buckets, buckets.normalised(np.zeros(buckets.rows, dtype=np.float32))),
    )
    agents = [td.PolicyAgent("solved", policy), td.PolicyAgent("uniform", flat)]
    match = td.duplicate_match(game, agents, deals=250, record=True)
    mean, error = match_aivat(match, 0, position_values(policy, 100_000))
    assert abs(mean - match.mean[0]) < 3 * np.hypot(error, match.error[0]) and error < match.error[0] / 1.3
    with pytest.raises(ParameterError, match="record"):
        match_aivat(td.duplicate_match(game, agents, deals=2), 0, position_values(policy, 0))
    folds = BucketPolicy(buckets, policy.purified(1).sigma)
    with pytest.raises(ParameterError, match="never takes"):
        match_aivat(match, 1, position_values(folds, 0))
    with pytest.raises(ParameterError, match="its sizes"):
        match_aivat(match, 0, position_values(solved_other(), 0))


def solved_other():
    """Return a strategy with other sizes."""
    _, buckets = whole(False, stack=200, bets="33%")
    return BucketPolicy(buckets, buckets.normalised(np.zeros(buckets.rows, dtype=np.float32)))


@pytest.mark.slow
def test_unbiased_in_long_matches():
    """100,000 sampled hands: the mean of estimates is that of the payoffs within three standard errors."""
    game, tree = limits.NO_LIMIT, limits.tree(limits.NO_LIMIT)
    policy, other = solved(game, 3000), solved(game, 200, 5)
    estimator = position_values(policy, 100_000, deal=Deal(game.left, game.board))
    decks, lines = ends(game, tree, policy.game.graph)
    probabilities = [limits.profile_of(each, game).probabilities for each in (policy, other)]
    reached = reach(td.Profile(tree, np.where(tree.player_of_row == 0, *probabilities)))
    weight = (reached.chance * reached.own.prod(axis=1))[tree.terminals]
    drawn = np.random.default_rng(1).choice(len(weight), 100_000, p=weight / weight.sum())
    gap = (estimator.estimates(decks, lines, 0) - tree.payoffs[:, 0])[drawn]
    assert abs(gap.mean()) < 3 * gap.std() / len(drawn) ** 0.5


@pytest.mark.parametrize("options", [{"hands": -1}, {"seed": -1}])
def test_refused(options):
    with pytest.raises(ParameterError):
        position_values(solved(limits.TURN, 10), **options)
