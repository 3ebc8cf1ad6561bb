"""Local best response at no-limit with menus: trees, arithmetic, and twins written by hand."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.games.translation import translate_size
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.buckets.local import (
    MENUS,
    TREE,
    TREE_MENUS,
    LocalResponse,
    _play,
    largest,
    local_response,
    local_responses,
    make_response,
    read_menus,
)
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, Deal
from tefuda.holdem.cards import hand_number, mask_of, read_cards
from tefuda.holdem.kernels import local as kernels
from tefuda.holdem.rank import strength
from tests.holdem import limits

BLINDS = {"stack": 20_000, "blinds": [50, 100]}
KEY = np.uint64(1)


@cache
def table(bets="50%,100%,a"):
    game = td.load_game("holdem", **BLINDS, bets=bets, raises="a")
    graph = betting_graph(game.rules, menu=game.menu)
    return Abstraction(graph, (1, 1, 1, 1), Buckets((1, 1, 1, 1)).assign(limits.flat()))


def always(letters, game):
    """Return the strategy that takes the first legal of these actions; of bets the smallest."""
    weights = np.zeros(game.rows, dtype=np.float32)
    for node, labels in enumerate(game.graph.labels):
        legal = [label[0] for label in labels]
        weights[game.arrays.base[node] + legal.index(next(letter for letter in letters if letter in legal))] = 1
    return BucketPolicy(game, weights)


def all_decks(left, cards, seat):
    """Return a deck for each hand of a seat and each board of a number of cards."""
    decks = []
    for own in combinations(left, 2):
        for board in combinations([card for card in left if card not in own], cards):
            rest = [card for card in left if card not in own + board]
            hands = (own, tuple(rest[:2])) if seat == 0 else (tuple(rest[:2]), own)
            decks.append([*hands[0], *hands[1], *board, *rest[2:]])
    return np.array(decks, dtype=np.uint8)


def exact(policy, game, seat, menu=TREE):
    """Return the value of the response over all hands and rivers of a small game."""
    deal = Deal(game.left, game.board)
    response = make_response(policy, read_menus([menu]), 0, deal, False)
    return _play(response, all_decks(deal.deck, 1, seat), seat, KEY, 0)[0].mean()


def in_parts_of_1024(policy):
    """Return a strategy with probabilities that have no rounding error."""
    arrays, sigma = policy.game.arrays, policy.sigma.copy()
    for node, (first, size) in enumerate(zip(arrays.base, arrays.size, strict=True)):
        count = policy.game.counts[arrays.street[node]]
        rows = np.round(sigma[first : first + count * size].reshape(count, size) * 1024) / 1024
        rows[np.arange(count), rows.argmax(axis=1)] += 1 - rows.sum(axis=1)
        sigma[first : first + count * size] = rows.ravel()
    return BucketPolicy(policy.game, sigma)


@pytest.mark.parametrize("game", [limits.TURN, limits.NO_LIMIT])
@pytest.mark.parametrize("iterations", [0, 3000])
def test_equal_to_the_tree(game, iterations):
    """The tree has the rules of the game alone; its response and its best response are other code."""
    sampler = limits.sampler(game, every=1000)
    sampler.advance(iterations)
    policy = in_parts_of_1024(sampler.average())
    profile = limits.profile_of(policy, game)
    for seat in (0, 1):
        value = exact(policy, game, seat)
        assert value == pytest.approx(td.local_best_response(profile, seat).value, abs=1e-9)
        best = td.best_response(profile, seat).value
        others = [exact(policy, game, seat, menu) for menu in ("fc/fc/fc/fc", "c/c/fct/fc", "c/c/fc/fct")]
        assert max(value, *others) <= best + 1e-9 and len({value, *others}) == 4


def test_always_fold():
    """750 by any bet (published); 250 by folds and calls: half a blind in one seat, and 0 over all hands."""
    policy = always("fc", table())
    responses = local_responses(policy, hands=20, boards=1)
    for menu in MENUS[1:]:
        assert responses[menu].milliblinds == (750, 0)
    board, left = read_cards("Ks Kh 7s 7h As"), (*range(20),)
    decks = np.insert(all_decks(left, 0, 1), [4], board, axis=1)  # each hand on one board
    response = make_response(policy, read_menus(["fc/fc/fc/fc"]), 1, Deal((*left, *board)), False)
    button = _play(response, decks, 1, KEY, 0)[0]
    big_blind = _play(response, decks[:, [2, 3, 0, 1, *range(4, 25)]], 0, KEY, 0)[0]
    assert (big_blind == 50).all() and button.std() > 20
    assert 1000 / 100 * np.mean([big_blind, button]) == pytest.approx(250, abs=1e-9)


@pytest.mark.parametrize("menu, level", [("c/c/fcp/fc", 300), ("c/c/fca/fc", 20_000)])
@pytest.mark.parametrize("bets", ["100%,a", "50%", "200%"])
def test_values_against_a_caller(menu, level, bets):
    """The responder bets the turn with more than half of the equity, whether the tree has the size or not."""
    left, board = read_cards("Ah Kh Qd 9c 8h 7s 6d"), read_cards("2s 3s Ts Jd")
    decks = np.insert(all_decks(left, 1, 1), [4], board, axis=1)
    response = make_response(always("c", table(bets)), read_menus([menu]), 0, Deal((*left, *board)), False)
    won = _play(response, decks, 1, KEY, 0)[0]
    for found, deck in zip(won, decks.tolist(), strict=True):
        own = deck[2:4]
        odds = {river: share(left, own, (*board, river)) for river in left if river not in own}
        paid = level if (equity := np.mean([*odds.values()])) > 0.5 + 1e-9 else 100
        assert found == pytest.approx(paid * (2 * (equity if paid == 20_000 else odds[deck[8]]) - 1), abs=1e-6)
    assert won.min() < -1 and won.max() > 100


def share(left, own, board):
    """Return the mean share of a hand against all others of a deck."""
    rest = [card for card in left if card not in (*own, *board)]
    return np.mean([beats(own, other, board) for other in combinations(rest, 2)])


def beats(own, other, board):
    mine, theirs = (strength((*board, *hand)) for hand in (own, other))
    return (mine > theirs) + (mine == theirs) / 2


def test_flops_are_compared_over_all_boards():
    """With `boards=0`, each hand of the flop meets all turns and rivers."""
    deck = read_cards("Ah Kh Qd 9c 8h 7s 6d 5c 4h 2s")
    response = make_response(always("cr", table()), read_menus([TREE]), 0, Deal(deck), False)
    response.cards.deck[:] = deck
    own, flop = deck[:2], deck[4:7]
    responder = kernels.ResponderHand(0, hand_number(*own), np.uint64(mask_of(own)), KEY)
    kernels.open_streets(response, responder)
    kernels.compare_hands(response, 1, responder)
    for other in combinations([card for card in deck if card not in own + flop], 2):
        rest = [card for card in deck if card not in own + flop + other]
        shares = [beats(own, other, flop + more) for more in combinations(rest, 2)]
        found = response.opponent.wins[1, hand_number(*other)]
        assert found == pytest.approx(np.mean(shares))


def test_sizes_outside_the_tree_have_the_likelier_answer():
    graph = table("33%,75%,150%,a").graph
    node = graph.node("cc/")
    level, sizes = 100.0, graph.arrays.rise[node, 2:6] / 200
    for share in np.linspace(0.05, 120, 400):
        chances = translate_size(float(share), sizes.tolist())
        answered = sizes[kernels.nearest_bet(graph.arrays, node, level, share) - 2]
        assert chances.get(answered, 0) >= 0.5 - 1e-9


def test_all_actions_or_drawn_ones_have_the_same_mean():
    game = limits.NO_LIMIT
    sampler = limits.sampler(game, every=1000)
    sampler.advance(300)
    policy, deal = sampler.average(), Deal(game.left, game.board)
    drawn, followed = (local_response(policy, 6000, deal=deal, draws=draws) for draws in (True, False))
    gap, half = drawn.difference(followed)
    assert abs(gap) < 2 * half and followed.half_width < drawn.half_width / 1.5
    assert followed.value == pytest.approx(np.mean([exact(policy, game, seat) for seat in (0, 1)]), abs=0.5)


def test_menus_share_their_deals():
    policy = always("cr", table())
    responses = local_responses(policy, TREE_MENUS, 30, seed=2, boards=1)
    alone = local_response(policy, 30, seed=2, boards=1, menu=TREE_MENUS[2])
    assert np.array_equal(responses[TREE_MENUS[2]].winnings, alone.winnings)
    best = largest(responses)
    assert responses[best].value == max(each.value for each in responses.values())
    gap, half = responses[TREE].difference(responses["fc/fc/fc/fc"])
    values = (responses[TREE].winnings - responses["fc/fc/fc/fc"].winnings).mean(axis=0) * 10
    assert gap == pytest.approx(values.mean()) and half == pytest.approx(1.96 * values.std(ddof=1) / 30**0.5)
    with pytest.raises(ParameterError, match="same deals"):
        alone.difference(LocalResponse(100, alone.winnings[:, :7]))


@pytest.mark.parametrize("menu", ["", "fc", "fc/fc/fc", "f/c/c/c", "fc/fc/fc/cf", "fc/fc/fc/fcmp", "fc/fc/fc/fc/fc"])
def test_menus_are_checked(menu):
    with pytest.raises(ParameterError, match="four streets"):
        read_menus([menu])
