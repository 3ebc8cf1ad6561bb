"""A network learns the values of positions of Koi-Koi in self-play: TD(lambda), minibatches, Adam."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import fraction, mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.learned.network import descend
from tefuda.koikoi.kernels.network import (
    SECOND,
    SLOTS,
    THIRD,
    UNIT,
    best_play,
    let_lie,
    move_rows,
    open_desk,
    output,
    pick_drawn,
    stop_or_call,
    sum_rows,
)
from tefuda.koikoi.kernels.rounds import call, deal_round, holds_more
from tefuda.koikoi.kernels.values import AFTER_TURN, BEFORE_DRAW
from tefuda.koikoi.kernels.world import DRAWN, FIELD, HAND, TURN, WIDTH, bit, copy, month, mover, settle

MOST = 17  # positions of a player in a round
_ONE, _ZERO, _S11, _S32 = np.uint64(1), np.uint64(0), np.uint64(11), np.uint64(32)


class Diary(NamedTuple):
    """Positions of rounds; G: number of rounds.

    seen: `[G, 2, MOST, SLOTS]` int16 rows. worth: `[G, 2, MOST]` float64, the network's values. best: `[G, 2, MOST +
    1]` float64: nan, or the value without the exploration that led to the position (behind the last: to the end).
    lengths: `[G, 2]`. points: `[G]` of the dealer.
    """

    seen: np.ndarray
    worth: np.ndarray
    best: np.ndarray
    lengths: np.ndarray
    points: np.ndarray


@inlined
def note(values, net, desk, kind, world, player, let, diary, game, best):
    """Note the position of a player."""
    at = diary.lengths[game, player]
    left = np.int64(count(world[HAND + player]))
    open_desk(values, net, desk, kind, left, world, player, let[1 - player, 0], let[1 - player, 1])
    copy(diary.seen[game, player, at], desk.root)
    diary.worth[game, player, at] = UNIT * np.float64(output(net, desk.sums, desk.moved, desk.second, desk.third))
    diary.best[game, player, at] = best
    diary.best[game, player, at + 1] = np.nan
    diary.lengths[game, player] = at + 1


@inlined
def lay(values, net, desk, world, player, let, explore, random):
    """Lay the best card, or explore another; return nan, or the value of the best card."""
    chosen, taken, best = best_play(values, net, desk, world, player, -1, let[1 - player, 0], let[1 - player, 1])
    regret = np.nan
    if fraction(random) < explore:
        chosen, regret = pick_bit(world[HAND + player], random << _S11), best
        taken = world[FIELD] & month(lowest(chosen))
        if count(taken) == 2:
            taken = pick_bit(taken, random << _S32)
    world[HAND + player] ^= chosen
    let[player, 1 if taken == _ZERO else 0] += let_lie(world[FIELD], chosen)
    settle(world, player, chosen, taken)
    return regret


@inlined
def end_turn(values, net, desk, world, player, let, explore, random):
    """Stop or call, if the player may stop; return the points of stopping, else nan, and the value as `lay` does."""
    if not holds_more(values, world, player):
        return np.nan, np.nan
    stop, on = stop_or_call(values, net, desk, world, player, let[1 - player, 0], let[1 - player, 1])
    tried = on > -1e8 and fraction(random) < explore
    best = max(stop, on) if tried else np.nan
    if (on > stop) == tried:
        return stop, best
    call(values, world, player)
    return np.nan, best


@inlined
def play(values, net, desks, world, stock, let, explore, state, diary, game):
    """Play a round in self-play, noted as number `game`; return the dealer's points and the stream."""
    diary.lengths[game] = 0
    while np.int64(world[TURN]) <= values.options[6]:
        player = mover(world)
        desk = desks[player]
        state = step(state)
        best = lay(values, net, desk, world, player, let, explore, mix(state))
        note(values, net, desk, BEFORE_DRAW, world, player, let, diary, game, best)
        if np.int64(world[DRAWN]) < stock.shape[0]:
            card = np.int64(stock[np.int64(world[DRAWN])])
            world[DRAWN] += _ONE
            taken = pick_drawn(values, net, desk, world, player, card, let[1 - player, 0], let[1 - player, 1])
            settle(world, player, bit(card), taken)
        state = step(state)
        points, best = end_turn(values, net, desk, world, player, let, explore, mix(state))
        if points == points:
            diary.best[game, player, diary.lengths[game, player]] = best
            return (points if player == 0 else -points), state
        note(values, net, desk, AFTER_TURN, world, player, let, diary, game, best)
        world[TURN] += _ONE
    return np.float64(values.options[5]), state


@inlined(fastmath=True)
def add_gradient(net, slope, desk, back, goal):
    """Add the gradient of half the squared error to the layers behind the first, whose sums are in `desk.sums`, and
    to `back` `[A]` the sums' own; return the error in points.
    """
    error = output(net, desk.sums, desk.moved, desk.second, desk.third) - np.float32(goal / UNIT)
    slope.b4[0] += error
    for c in range(THIRD):
        slope.w4[c] += error * desk.third[c]
        desk.third[c] = error * net.w4[c] if desk.third[c] > 0.0 else np.float32(0.0)
        slope.b3[c] += desk.third[c]
    for b in range(SECOND):
        on, total = desk.second[b], np.float32(0.0)
        for c in range(THIRD):
            slope.w3[b, c] += desk.third[c] * on
            total += desk.third[c] * net.w3[b, c]
        desk.second[b] = total if on > 0.0 else np.float32(0.0)
        slope.b2[b] += desk.second[b]
    for b in range(SECOND):
        on = desk.second[b]
        for a in range(back.shape[0]):
            slope.w2[b, a] += on * desk.moved[a]
            back[a] += (on if desk.moved[a] > 0.0 else np.float32(0.0)) * net.w2[b, a]
    return UNIT * error


@inlined(fastmath=True)
def share_out(slope, back, before, after):
    """Add the sums so far to rows that are seen `before` but not `after`, and subtract them from those seen after."""
    for slot in range(SLOTS):
        one, two = before[slot], after[slot]
        if one != two:
            for a in range(back.shape[0]):
                slope.rows[one, a] += back[a]
                slope.rows[two, a] -= back[a]


@inlined
def add_player(net, slope, desk, back, diary, game, player, trace):
    """Add the gradients of a player's positions, the last first; return the sum of squared errors.

    A row's gradient is the sum of those of the first layer wherever it is seen: summed up from the end, it is what
    is there when the row is seen no more, less what was there when it was seen first.
    """
    last, squared = diary.lengths[game, player], 0.0
    if last == 0:
        return squared
    goal = diary.points[game] if player == 0 else -diary.points[game]
    if not np.isnan(diary.best[game, player, last]):
        goal = diary.best[game, player, last]
    for a in range(back.shape[0]):
        back[a] = np.float32(0.0)
    sum_rows(net, diary.seen[game, player, last - 1], desk.sums)
    for at in range(last - 1, -1, -1):
        if at < last - 1:
            move_rows(net, diary.seen[game, player, at + 1], diary.seen[game, player, at], desk.sums)
            share_out(slope, back, diary.seen[game, player, at + 1], diary.seen[game, player, at])
        error = np.float64(add_gradient(net, slope, desk, back, goal))
        squared += error * error
        best = diary.best[game, player, at]
        goal = (1.0 - trace) * diary.worth[game, player, at] + trace * goal if np.isnan(best) else best
    for slot in range(SLOTS):
        row = diary.seen[game, player, 0, slot]
        for a in range(back.shape[0]):
            slope.rows[row, a] += back[a]
    for a in range(back.shape[0]):
        slope.b1[a] += back[a]
    return squared


@kernel
def learn(values, net, slope, flat, steps, desks, diary, batches, explore, rate, trace, first):
    """Play and learn batches of rounds; return the mean squared error in points, and the stream.

    Args:
        values: the rules.
        net: the weights.
        slope: the gradient, zero between batches.
        flat: the same memory as both, and the two moments of Adam, `[4, N]` float32.
        steps: number of earlier steps of Adam.
        desks: scratch of both players.
        diary: scratch for a batch of rounds.
        batches: number of batches.
        explore: probability of exploring another choice.
        rate: learning rate of Adam.
        trace: lambda.
        first: the stream.
    """
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    let, state, squared, total = np.zeros((2, 2), dtype=np.uint64), first, 0.0, 0
    weights, gradient, one, two = flat[0:1], flat[1:2], flat[2:3], flat[3:4]
    for batch in range(batches):
        size = 0
        for game in range(diary.points.shape[0]):
            state = deal_round(values, world, deck, state)
            let[:] = _ZERO
            desks[0].root[0] = desks[1].root[0] = -1
            diary.points[game], state = play(
                values, net, desks, world, deck[24:], let, explore, state, diary, game
            )  # fmt: skip
        for game in range(diary.points.shape[0]):
            for player in range(2):
                squared += add_player(net, slope, desks[0], desks[1].sums, diary, game, player, trace)
                size += diary.lengths[game, player]
        share = np.float32(1.0 / size)
        for n in range(gradient.shape[1]):
            gradient[0, n] *= share
        descend(weights, gradient, one, two, 0, np.float32(rate), True, steps + batch + 1)
        total += size
    return squared / total, state
