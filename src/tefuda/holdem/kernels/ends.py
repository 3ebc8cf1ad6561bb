"""Folds and showdowns of `lanes.WIDTH` reaches at once, in one pass over the hands.

Two sums are enough. With s the reach of all opposing hands and m(c) of those with card c, over all of them (compatible)
or over those beaten minus those that beat (won): sum(h) = s - m(c1) - m(c2) + the reach of h itself, where it counts.
With a rake r of the pot a showdown pays (half - r / 2) * won - r / 2 * compatible. Reaches become lanes, and lanes
values, eight by eight in registers.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import TRANSPOSED, WIDTH, broadcast, cell, load_vector, store_vector, transpose
from tefuda.holdem.kernels.arrays import (
    BLOCK,
    CARD_1,
    CARD_2,
    END,
    ENTRY,
    HAS_SHOWDOWN,
    REACH,
    REPRESENTATIVE,
    SAME_HAND,
)
from tefuda.holdem.kernels.nodes import clear


@inlined
def load(entries, reach, batch, starts, lanes, hands, count):
    """Load the reaches of a batch as lanes."""
    for lane in range(count):
        starts[lane] = entries[batch[lane], REACH] * reach.shape[1]
    for h in range(0, hands, TRANSPOSED):
        for lane in range(0, count, TRANSPOSED):
            transpose(lanes, h * WIDTH + lane, WIDTH, reach, starts, lane, h)


@inlined
def without_cards(total, sums, hands, h):
    """Return a total less the sums of both cards of hand h."""
    return total - load_vector(sums, cell(hands, h, CARD_1) * WIDTH) - load_vector(sums, cell(hands, h, CARD_2) * WIDTH)


@inlined
def compare(hands, opposing, lanes, sums, group_ends, traverser, showdown):
    """Compute the compatible reach of each hand and, at showdowns, the reach won less lost.

    One pass over groups of equal strength, from the weakest. Before a group is added, `sums` has the reach it beats
    (b), then also the reach it ties with (a), in the end all (m). won = b + a - m: a tied hand is in a and in m.
    """
    total, won = broadcast(0.0, sums), lanes.shape[1]
    met = 2 * won
    for card in range(sums.shape[0]):
        store_vector(sums, card * WIDTH, total)
    first = opponent_first = np.int64(0)
    groups = group_ends.shape[0] if showdown else 0
    for group in range(groups + 1):
        stop = np.int64(group_ends[group, traverser]) if group < groups else first
        opponent_stop = np.int64(group_ends[group, 1 - traverser]) if group < groups else np.int64(opposing.shape[0])
        for h in range(first, stop):
            beaten = without_cards(total, sums, hands, h)
            store_vector(lanes, (won + h) * WIDTH, beaten)
        for h in range(opponent_first, opponent_stop):
            one, two = cell(opposing, h, CARD_1) * WIDTH, cell(opposing, h, CARD_2) * WIDTH
            reach = load_vector(lanes, h * WIDTH)
            total = total + reach
            store_vector(sums, one, load_vector(sums, one) + reach)
            store_vector(sums, two, load_vector(sums, two) + reach)
        for h in range(first, stop):
            tied = without_cards(total, sums, hands, h)
            store_vector(lanes, (won + h) * WIDTH, load_vector(lanes, (won + h) * WIDTH) + tied)
        first, opponent_first = stop, opponent_stop
    for h in range(hands.shape[0]):
        met_reach = without_cards(total, sums, hands, h)
        if showdown:
            store_vector(lanes, (won + h) * WIDTH, load_vector(lanes, (won + h) * WIDTH) - met_reach)
        if cell(hands, h, SAME_HAND) >= 0:  # it was subtracted with each of its cards
            met_reach = met_reach + load_vector(lanes, cell(hands, h, SAME_HAND) * WIDTH)
        store_vector(lanes, (met + h) * WIDTH, met_reach)


@kernel(refcounts=False)
def copy_representatives(values, row, hands):
    """Give isomorphic hands the value of their representative."""
    value = values[row]
    for h in range(hands.shape[0]):
        value[h] = value[cell(hands, h, REPRESENTATIVE)]


@inlined
def fill_ends(entries, ends, payoffs, transposed, values, traverser, start, stop, lane, entry):
    """Fill the values of the ends of a lane for hands from `start` on."""
    for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
        end = ends[k]
        won, met = broadcast(payoffs[traverser, end, 0], values), broadcast(payoffs[traverser, end, 1], values)
        for h in range(start, stop, WIDTH):
            offset = lane * BLOCK + h - start
            value = load_vector(transposed, offset) * won + load_vector(transposed, WIDTH * BLOCK + offset) * met
            store_vector(values, end * values.shape[1] + h, value)


@inlined
def settle_batch(form, hands, opposing, group_ends, traverser, count, showdown, symmetric, work):
    """Fill the values of all ends of the batch's first `count` entries; the other lanes are not read."""
    entries, ends, payoffs = form.entries, form.ends, form.payoffs
    batch, starts, lanes, transposed, values = work.batch, work.starts, work.lanes, work.transposed, work.value
    load(entries, work.reach, batch, starts, lanes, opposing.shape[0], count)
    compare(hands, opposing, lanes, work.card_sums, group_ends, traverser, showdown)
    for start in range(0, hands.shape[0], BLOCK):
        stop = min(start + BLOCK, hands.shape[0])
        for kind in range(2):
            for h in range(start, stop, TRANSPOSED):
                offset = ((kind + 1) * lanes.shape[1] + h) * WIDTH
                for lane in range(0, count, TRANSPOSED):
                    target = (kind * WIDTH + lane) * BLOCK + h - start
                    transpose(transposed, target, BLOCK, lanes, starts, WIDTH, offset + lane)
        for lane in range(count):
            fill_ends(entries, ends, payoffs, transposed, values, traverser, start, stop, lane, batch[lane])
    for lane in range(count if symmetric else 0):
        entry = batch[lane]
        for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
            copy_representatives(values, ends[k], hands)


@inlined
def settle(form, hands, opposing, group_ends, symmetric, traverser, chunk, work):
    """Fill the values of all ends of a chunk, batch by batch; 0 where the opponent's reach is 0."""
    chunks, entries, ends, live, batch, values = form.chunks, form.entries, form.ends, work.live, work.batch, work.value
    first, last = cell(chunks, chunk, ENTRY + 2 * traverser), cell(chunks, chunk, ENTRY + 2 * traverser + 1)
    count = showdown = 0
    for entry in range(first, last):
        if live[cell(entries, entry, REACH)]:
            batch[count] = entry
            count += 1
            showdown += cell(entries, entry, HAS_SHOWDOWN)
        else:
            for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
                clear(values, ends[k])
        if count == WIDTH or (entry == last - 1 and count):
            settle_batch(form, hands, opposing, group_ends, traverser, count, showdown, symmetric, work)
            count = showdown = 0
