"""Search in Koi-Koi: every candidate is played on in determinizations of the player's view.

In the last turns there are few determinizations, and each is tried once. Parts that no player needs
are None, so that they are not compiled: tables, playouts by simple players, weighted hands, a tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.belief import cards_at, count_sets, draw_set, fill_weighted_hands, next_subset, pick_hand
from tefuda.koikoi.kernels.playout import BY_TABLES, FINAL, candidates, horizon, play_out, start_playout, utility_of
from tefuda.koikoi.kernels.rounds import LAST_TURN, shuffle
from tefuda.koikoi.kernels.simple import finish_round
from tefuda.koikoi.kernels.state import DRAWN, HAND, TURN, bit, copy, mover, unseen_cards
from tefuda.koikoi.kernels.tree import Nodes, clear, simulate

EVENLY, HALVING, TREE = range(3)  # allocations of determinizations to candidates
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_GOLDEN = 0.6180339887498949  # multiples modulo 1 fill [0, 1) evenly


class SearchSettings(NamedTuple):
    """Settings of a search.

    Attributes:
        determinizations: mean number for each candidate.
        hands: number of weighted hands of the opponent; 0: all hands are equally likely.
        temperature: noise of the opponent's plays, in points.
        rollout: RANDOM, GREEDY (both stop at once) or BY_TABLES.
        depth: number of turns before the tables value the position; 0: to the end.
        allocation: EVENLY; HALVING: the worse half of the candidates is dropped repeatedly, and the
            others share its determinizations; TREE: halving with a tree of the results that follow
            the candidates.
        prior: visits that the tables' values count for in the tree.
        explore: exploration in the tree, in points.
    """

    determinizations: int
    hands: int
    temperature: float
    rollout: int
    depth: int
    allocation: int
    prior: float
    explore: float


class SearchScratch(NamedTuple):
    """Scratch of a search; C: candidates, H: hands, K: tables.

    Attributes:
        known: `[WIDTH]`, the state without the hidden hand.
        unseen: `[48]` uint8.
        state: `[WIDTH]`.
        stock: `[48]` uint8.
        cards: `[C]` int64.
        takes: `[C]` uint64.
        sums: `[2, C]` of utilities and weights.
        order: `[C]` int64, candidates from the best.
        hands: `[H]` uint64; None without weighted hands.
        weights: `[H]`, cumulative; None without weighted hands.
        indices: `[K]` int64, table entries.
        nodes: None without a tree.
    """

    known: np.ndarray
    unseen: np.ndarray
    state: np.ndarray
    stock: np.ndarray
    cards: np.ndarray
    takes: np.ndarray
    sums: np.ndarray
    order: np.ndarray
    hands: np.ndarray | None
    weights: np.ndarray | None
    indices: np.ndarray
    nodes: Nodes | None


@inlined
def store_knowledge(state, player, scratch):
    """Store a player's knowledge of a state in the scratch; return the number of unseen cards."""
    copy(scratch.known, state)
    scratch.known[HAND + 1 - player] = _ZERO
    return unseen_cards(state, player, scratch.unseen)


@inlined
def fill_stock(state, hand, unseen, stock):
    """Append the cards that are neither known nor in `hand` to the stock; return its end."""
    size = np.int64(state[DRAWN])
    for index in range(unseen.shape[0]):
        if not bit(unseen[index]) & hand:
            stock[size] = unseen[index]
            size += 1
    return size


@inlined
def count_orders(left, draw_count, limit):
    """Return the number of orders of draws, at most `limit` + 1."""
    total = 1
    for drawn in range(draw_count):
        total *= left - drawn
        if total > limit:
            return limit + 1
    return total


@inlined
def arrange(stock, first, end, last, number):
    """Arrange the stock's places `first`..`last` - 1 in the order of a number, from the cards up to `end`."""
    for index in range(first, last):
        swapped = index + number % (end - index)
        number //= end - index
        stock[index], stock[swapped] = stock[swapped], stock[index]


@inlined
def evaluate_candidate(rules, tables, rollouts, nodes, search, utility, scratch, player, chosen, weight, stream):
    """Play a candidate on in the scratch state; return the player's utility and the stream."""
    stream = step(stream)
    last_turn = horizon(rules, scratch.state, search.depth)
    if nodes is not None and search.allocation == TREE:
        return simulate(rules, tables, search, utility, scratch, player, chosen, last_turn, weight), stream
    over, points = start_playout(
        rules, tables, scratch.state, scratch.stock, scratch.cards[chosen], scratch.takes[chosen], player,
        search.rollout, mix(stream), scratch.indices,
    )  # fmt: skip
    if over:
        return utility_of(utility[FINAL], np.float64(points)), stream
    gained, kind = 0.0, FINAL
    if tables is not None and search.rollout == BY_TABLES:
        gained, kind = play_out(rules, tables, scratch.state, scratch.stock, last_turn, player, scratch.indices)
    if rollouts is not None and search.rollout != BY_TABLES:
        ended, stream = finish_round(rules, rollouts[search.rollout], scratch.state, scratch.stock, stream)
        gained = np.float64(ended)
    return utility_of(utility[kind], gained if player == 0 else -gained), stream


@inlined
def evaluate_candidates(rules, tables, rollouts, search, utility, known, player, hand, scratch, alive, weight, stream):
    """Play the first `alive` candidates on with this hand and the stock; return the stream."""
    for index in range(alive):
        chosen = scratch.order[index]
        copy(scratch.state, known)
        scratch.state[HAND + 1 - player] = hand
        gained, stream = evaluate_candidate(
            rules, tables, rollouts, scratch.nodes, search, utility, scratch, player, chosen, weight, stream
        )
        scratch.sums[0, chosen] += weight * gained
        scratch.sums[1, chosen] += weight
    return stream


@inlined
def sort_candidates(scratch, alive):
    """Sort candidates by their means."""
    for rank in range(1, alive):
        chosen, index = scratch.order[rank], rank
        mean = scratch.sums[0, chosen] / scratch.sums[1, chosen]
        while (
            index > 0 and scratch.sums[0, scratch.order[index - 1]] / scratch.sums[1, scratch.order[index - 1]] < mean
        ):
            scratch.order[index] = scratch.order[index - 1]
            index -= 1
        scratch.order[index] = chosen


@inlined
def opponent_hand_size(rules, known):
    """Return the number of cards in the opponent's hand."""
    return np.int64(rules.options[LAST_TURN]) // 2 - np.int64(known[TURN]) // 2


@inlined
def count_determinizations(rules, search, known, unseen, hand_count):
    """Return the numbers of draw orders and hands; 0 and 0 if there are too many determinizations."""
    hand_size, left = opponent_hand_size(rules, known), np.int64(rules.options[LAST_TURN]) - np.int64(known[DRAWN])
    sets = count_sets(unseen.shape[0], hand_size, search.determinizations)
    orders = count_orders(unseen.shape[0] - hand_size, left, search.determinizations)
    if (
        sets * orders > search.determinizations
        or (hand_count > 0 and hand_count != sets)
        or search.rollout != BY_TABLES
    ):
        return np.int64(0), np.int64(0)
    return orders, sets


@inlined
def weigh_hands(hands, rules, tables, search, known, past_plays, unseen, scratch, stream):
    """Weight hands of the opponent, if the search uses weights; return their number and the stream."""
    if hands is not None and search.hands > 0:
        return fill_weighted_hands(
            tables, search.hands, search.temperature, past_plays, unseen, opponent_hand_size(rules, known), stream,
            hands, scratch.weights, scratch.indices,
        )  # fmt: skip
    return 0, stream


@inlined
def hand_weight(hand, weights, before):
    """Return the weight of a hand from its cumulative weight and that of the hand before."""
    if weights is not None:
        return weights[hand] - before
    return 1.0


@inlined
def draw_hand(hands, weights, hand_count, number, unseen, hand_size, stream):
    """Return the opponent's hand in a determinization, weighted or uniform, and the stream."""
    if hands is not None and hand_count > 0:
        return pick_hand(hands, weights, hand_count, (number + 0.5) * _GOLDEN % 1.0), stream
    return draw_set(unseen, hand_size, stream)


@inlined
def evaluate_determinizations(
    rules,
    tables,
    rollouts,
    search,
    utility,
    known,
    player,
    unseen,
    scratch,
    hand_count,
    orders,
    count,
    alive,
    first,
    stream,
):
    """Play the first `alive` candidates on in `count` determinizations; return the stream.

    hand_count: number of weighted hands; 0: all hands are equally likely. orders: number of draw
    orders of each hand if every determinization is tried; 0 if they are sampled.
    """
    drawn, last, hand_size = (
        np.int64(known[DRAWN]),
        np.int64(rules.options[LAST_TURN]),
        opponent_hand_size(rules, known),
    )
    positions, hand, weight, before = (_ONE << np.uint64(hand_size)) - _ONE, _ZERO, 1.0, 0.0
    for number in range(first, first + count):
        if orders > 0:
            if number % orders == 0:
                hand = cards_at(positions, unseen)
                positions = next_subset(positions) if hand_size > 0 else positions
                if hand_count > 0:
                    weight = hand_weight(number // orders, scratch.weights, before)
                    before += weight
        else:
            hand, stream = draw_hand(scratch.hands, scratch.weights, hand_count, number, unseen, hand_size, stream)
        end = fill_stock(known, hand, unseen, scratch.stock)
        if orders > 0:
            arrange(scratch.stock, drawn, end, last, number % orders)
        else:
            stream = shuffle(scratch.stock, end, drawn, min(end, last), stream)
        stream = evaluate_candidates(
            rules, tables, rollouts, search, utility, known, player, hand, scratch, alive, weight, stream
        )
    return stream


@kernel
def evaluate(rules, tables, rollouts, search, utility, known, past_plays, unseen, scratch, stream):
    """Sort the candidates from the best; return their number and the stream.

    Sums of utilities and weights are left in the scratch. known: `[WIDTH]` a state without the
    hidden hand. past_plays: `[n, 6]` plays of the opponent. unseen: `[U]` uint8, the unseen cards,
    in any order. utility: `[2, 2 * M + 1]` of the player's points from -M to M: FINAL, EXPECTED.
    """
    player = mover(known)
    size = candidates(known, player, scratch.cards, scratch.takes)
    for chosen in range(size):
        scratch.order[chosen] = chosen
        scratch.sums[0, chosen], scratch.sums[1, chosen] = 0.0, 0.0
    hand_count, stream = weigh_hands(scratch.hands, rules, tables, search, known, past_plays, unseen, scratch, stream)
    orders, sets = count_determinizations(rules, search, known, unseen, hand_count)
    alive, rounds, first = size, 1, np.int64(0)
    clear(scratch.nodes)
    while search.allocation != EVENLY and orders == 0 and (1 << rounds) < size:
        rounds += 1
    for _ in range(rounds):
        count = orders * sets if orders > 0 else max(1, search.determinizations * size // (rounds * alive))
        stream = evaluate_determinizations(
            rules, tables, rollouts, search, utility, known, player, unseen, scratch, hand_count, orders, count, alive,
            first, stream,
        )  # fmt: skip
        first += count
        sort_candidates(scratch, alive)
        alive = (alive + 1) // 2
    return size, stream
