"""Training of the value network of Koi-Koi in self-play: TD(lambda), minibatches, Adam."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import fraction, mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.learned.network import descend
from tefuda.koikoi.kernels.network import (
    POINTS_PER_OUTPUT,
    SECOND,
    SLOTS,
    THIRD,
    best_play,
    move_rows,
    output,
    pick_drawn,
    skipped_months,
    stop_or_call,
    sum_rows,
    update_accumulator,
)
from tefuda.koikoi.kernels.rounds import LAST_TURN, call, deal_round, exhausted_points, may_stop
from tefuda.koikoi.kernels.state import DRAWN, FIELD, HAND, TURN, WIDTH, bit, copy, month, mover, settle
from tefuda.koikoi.kernels.tables import AFTER_TURN, BEFORE_DRAW

MAX_POSITIONS = 17  # positions of a player in a round
_ONE, _ZERO, _S11, _S32 = np.uint64(1), np.uint64(0), np.uint64(11), np.uint64(32)


class RoundBatch(NamedTuple):
    """Recorded positions of a batch of rounds; G: number of rounds.

    Attributes:
        rows: `[G, 2, MAX_POSITIONS, SLOTS]` int16.
        values: `[G, 2, MAX_POSITIONS]` float64, the network's values.
        greedy_values: `[G, 2, MAX_POSITIONS + 1]` float64, nan, or the value of the greedy choice
            if an exploring choice led to the position; the entry after the last position belongs to
            the end of the round.
        lengths: `[G, 2]`, number of positions.
        points: `[G]`, points of the dealer.
    """

    rows: np.ndarray
    values: np.ndarray
    greedy_values: np.ndarray
    lengths: np.ndarray
    points: np.ndarray


@inlined
def record_position(rules, net, accumulator, kind, state, player, skipped, batch, game, best):
    """Record the position of a player."""
    index = batch.lengths[game, player]
    left = np.int64(count(state[HAND + player]))
    update_accumulator(
        rules, net, accumulator, kind, left, state, player, skipped[1 - player, 0], skipped[1 - player, 1]
    )
    copy(batch.rows[game, player, index], accumulator.known_rows)
    batch.values[game, player, index] = POINTS_PER_OUTPUT * np.float64(
        output(net, accumulator.layer, accumulator.candidate_layer, accumulator.second, accumulator.third)
    )
    batch.greedy_values[game, player, index] = best
    batch.greedy_values[game, player, index + 1] = np.nan
    batch.lengths[game, player] = index + 1


@inlined
def play_card(rules, net, accumulator, state, player, skipped, explore, random):
    """Lay the best card, or explore another; return nan, or the value of the best card."""
    chosen, taken, best = best_play(
        rules, net, accumulator, state, player, -1, skipped[1 - player, 0], skipped[1 - player, 1]
    )
    greedy_value = np.nan
    if fraction(random) < explore:
        chosen, greedy_value = pick_bit(state[HAND + player], random << _S11), best
        taken = state[FIELD] & month(lowest(chosen))
        if count(taken) == 2:
            taken = pick_bit(taken, random << _S32)
    state[HAND + player] ^= chosen
    skipped[player, 1 if taken == _ZERO else 0] += skipped_months(state[FIELD], chosen)
    settle(state, player, chosen, taken)
    return greedy_value


@inlined
def end_turn(rules, net, accumulator, state, player, skipped, explore, random):
    """Stop or call, if the player may stop; return the points or nan, and the greedy value or nan."""
    if not may_stop(rules, state, player):
        return np.nan, np.nan
    stop, calling = stop_or_call(rules, net, accumulator, state, player, skipped[1 - player, 0], skipped[1 - player, 1])
    tried = calling > -1e8 and fraction(random) < explore
    best = max(stop, calling) if tried else np.nan
    if (calling > stop) == tried:
        return stop, best
    call(rules, state, player)
    return np.nan, best


@inlined
def play_round(rules, net, accumulators, state, stock, skipped, explore, stream, batch, game):
    """Play a round in self-play and record it as number `game`; return the dealer's points and the stream."""
    batch.lengths[game] = 0
    while np.int64(state[TURN]) <= rules.options[LAST_TURN]:
        player = mover(state)
        accumulator = accumulators[player]
        stream = step(stream)
        best = play_card(rules, net, accumulator, state, player, skipped, explore, mix(stream))
        record_position(rules, net, accumulator, BEFORE_DRAW, state, player, skipped, batch, game, best)
        if np.int64(state[DRAWN]) < stock.shape[0]:
            card = np.int64(stock[np.int64(state[DRAWN])])
            state[DRAWN] += _ONE
            taken = pick_drawn(
                rules, net, accumulator, state, player, card, skipped[1 - player, 0], skipped[1 - player, 1]
            )
            settle(state, player, bit(card), taken)
        stream = step(stream)
        points, best = end_turn(rules, net, accumulator, state, player, skipped, explore, mix(stream))
        if points == points:
            batch.greedy_values[game, player, batch.lengths[game, player]] = best
            return (points if player == 0 else -points), stream
        record_position(rules, net, accumulator, AFTER_TURN, state, player, skipped, batch, game, best)
        state[TURN] += _ONE
    return np.float64(exhausted_points(rules, state)), stream


@inlined(fastmath=True)
def add_gradient(net, gradient, accumulator, layer_gradient, target):
    """Add the gradient of half the squared error to all layers; return the error in points.

    `accumulator.layer` holds the first layer; `layer_gradient` `[A]` receives its gradient.
    """
    error = output(
        net, accumulator.layer, accumulator.candidate_layer, accumulator.second, accumulator.third
    ) - np.float32(target / POINTS_PER_OUTPUT)
    gradient.b4[0] += error
    for c in range(THIRD):
        gradient.w4[c] += error * accumulator.third[c]
        accumulator.third[c] = error * net.w4[c] if accumulator.third[c] > 0.0 else np.float32(0.0)
        gradient.b3[c] += accumulator.third[c]
    for b in range(SECOND):
        on, total = accumulator.second[b], np.float32(0.0)
        for c in range(THIRD):
            gradient.w3[b, c] += accumulator.third[c] * on
            total += accumulator.third[c] * net.w3[b, c]
        accumulator.second[b] = total if on > 0.0 else np.float32(0.0)
        gradient.b2[b] += accumulator.second[b]
    for b in range(SECOND):
        on = accumulator.second[b]
        for a in range(layer_gradient.shape[0]):
            gradient.w2[b, a] += on * accumulator.candidate_layer[a]
            layer_gradient[a] += (on if accumulator.candidate_layer[a] > 0.0 else np.float32(0.0)) * net.w2[b, a]
    return POINTS_PER_OUTPUT * error


@inlined(fastmath=True)
def add_row_gradients(gradient, layer_gradient, before, after):
    """Add the summed gradient to rows active only `before`, and subtract it from rows active only `after`."""
    for slot in range(SLOTS):
        old, new = before[slot], after[slot]
        if old != new:
            for a in range(layer_gradient.shape[0]):
                gradient.rows[old, a] += layer_gradient[a]
                gradient.rows[new, a] -= layer_gradient[a]


@inlined
def backpropagate(net, gradient, accumulator, layer_gradient, batch, game, player, trace):
    """Add the gradients of a player's positions, from the last one; return the sum of squared errors.

    A row's gradient is the sum of the first layer's gradients over the positions in which the row
    is active. Running backwards, the code adds the running sum when a row is dropped, and subtracts
    it when the row appears.
    """
    last, squared = batch.lengths[game, player], 0.0
    if last == 0:
        return squared
    target = batch.points[game] if player == 0 else -batch.points[game]
    if not np.isnan(batch.greedy_values[game, player, last]):
        target = batch.greedy_values[game, player, last]
    for a in range(layer_gradient.shape[0]):
        layer_gradient[a] = np.float32(0.0)
    sum_rows(net, batch.rows[game, player, last - 1], accumulator.layer)
    for index in range(last - 1, -1, -1):
        if index < last - 1:
            move_rows(net, batch.rows[game, player, index + 1], batch.rows[game, player, index], accumulator.layer)
            add_row_gradients(
                gradient, layer_gradient, batch.rows[game, player, index + 1], batch.rows[game, player, index]
            )
        error = np.float64(add_gradient(net, gradient, accumulator, layer_gradient, target))
        squared += error * error
        best = batch.greedy_values[game, player, index]
        target = (1.0 - trace) * batch.values[game, player, index] + trace * target if np.isnan(best) else best
    for slot in range(SLOTS):
        row = batch.rows[game, player, 0, slot]
        for a in range(layer_gradient.shape[0]):
            gradient.rows[row, a] += layer_gradient[a]
    for a in range(layer_gradient.shape[0]):
        gradient.b1[a] += layer_gradient[a]
    return squared


@kernel
def learn(rules, net, gradient, flat, steps, accumulators, batch, batches, explore, rate, trace, first):
    """Play and learn batches of rounds; return the mean squared error in points, and the stream.

    Args:
        rules: compiled rules.
        net: the weights.
        gradient: the gradient, zero between batches.
        flat: `[4, N]` float32, the memory of both and of the two moments of Adam.
        steps: number of earlier steps of Adam.
        accumulators: scratch of both players.
        batch: scratch for a batch of rounds.
        batches: number of batches.
        explore: probability of an exploring choice.
        rate: learning rate of Adam.
        trace: lambda of TD(lambda).
        first: initial stream.
    """
    state, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    skipped, stream, squared, total = np.zeros((2, 2), dtype=np.uint64), first, 0.0, 0
    weights, flat_gradient, mean, variance = flat[0:1], flat[1:2], flat[2:3], flat[3:4]
    for number in range(batches):
        size = 0
        for game in range(batch.points.shape[0]):
            stream = deal_round(rules, state, deck, stream)
            skipped[:] = _ZERO
            accumulators[0].known_rows[0] = accumulators[1].known_rows[0] = -1
            batch.points[game], stream = play_round(
                rules, net, accumulators, state, deck[24:], skipped, explore, stream, batch, game
            )  # fmt: skip
        for game in range(batch.points.shape[0]):
            for player in range(2):
                squared += backpropagate(
                    net, gradient, accumulators[0], accumulators[1].layer, batch, game, player, trace
                )
                size += batch.lengths[game, player]
        share = np.float32(1.0 / size)
        for n in range(flat_gradient.shape[1]):
            flat_gradient[0, n] *= share
        descend(weights, flat_gradient, mean, variance, 0, np.float32(rate), True, steps + number + 1)
        total += size
    return squared / total, stream
