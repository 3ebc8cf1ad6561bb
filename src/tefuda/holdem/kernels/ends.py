"""Folds and showdowns of `lanes.WIDTH` reaches side by side, in one pass over the hands.

Two sums are enough. With s the reach of all opposing hands and m(c) of those with card c, over all of them (met) or
over those beaten minus those that beat (won): sum(h) = s - m(c1) - m(c2) + the reach of h itself, where it counts.
With a rake r of the pot a showdown pays (half - r / 2) * won - r / 2 * met. Reaches become lanes, and lanes values,
eight by eight in registers.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import TRANSPOSED, WIDTH, broadcast, cell, load_vector, store_vector, transpose
from tefuda.holdem.kernels.arrays import BLOCK, END, ENTRY, ONE, REACH, SAME, SHOWN, TWIN, TWO
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
def compare(hands, others, lanes, table, stops, walker, shown):
    """met[h] = the reach of all hands that h can meet; if shown, won[h] = that of hands it beats less that it loses to.

    One pass over groups of equal strength, from the weakest. Before a group is added, `table` has the reach it beats
    (b), then also the reach it ties with (a), in the end all (m). won = b + a - m: a hand of both is in a and in m.
    """
    total, won = broadcast(0.0, table), lanes.shape[1]
    met = 2 * won
    for card in range(table.shape[0]):
        store_vector(table, card * WIDTH, total)
    at = other = np.int64(0)
    groups = stops.shape[0] if shown else 0
    for group in range(groups + 1):
        stop = np.int64(stops[group, walker]) if group < groups else at
        end = np.int64(stops[group, 1 - walker]) if group < groups else np.int64(others.shape[0])
        for h in range(at, stop):
            beaten = (
                total
                - load_vector(table, cell(hands, h, ONE) * WIDTH)
                - load_vector(table, cell(hands, h, TWO) * WIDTH)
            )
            store_vector(lanes, (won + h) * WIDTH, beaten)
        for h in range(other, end):
            one, two, reach = cell(others, h, ONE) * WIDTH, cell(others, h, TWO) * WIDTH, load_vector(lanes, h * WIDTH)
            total = total + reach
            store_vector(table, one, load_vector(table, one) + reach)
            store_vector(table, two, load_vector(table, two) + reach)
        for h in range(at, stop):
            tied = (
                total
                - load_vector(table, cell(hands, h, ONE) * WIDTH)
                - load_vector(table, cell(hands, h, TWO) * WIDTH)
            )
            store_vector(lanes, (won + h) * WIDTH, load_vector(lanes, (won + h) * WIDTH) + tied)
        at, other = stop, end
    for h in range(hands.shape[0]):
        all_ = total - load_vector(table, cell(hands, h, ONE) * WIDTH) - load_vector(table, cell(hands, h, TWO) * WIDTH)
        if shown:
            store_vector(lanes, (won + h) * WIDTH, load_vector(lanes, (won + h) * WIDTH) - all_)
        if cell(hands, h, SAME) >= 0:  # subtracted with each of its cards
            all_ = all_ + load_vector(lanes, cell(hands, h, SAME) * WIDTH)
        store_vector(lanes, (met + h) * WIDTH, all_)


@kernel(refcounts=False)
def same_for_twins(values, row, hands):
    """Give hands that are equal up to suits the value of the first of them."""
    value = values[row]
    for h in range(hands.shape[0]):
        value[h] = value[cell(hands, h, TWIN)]


@inlined
def pay(entries, ends, pays, turned, values, walker, start, stop, lane, entry):
    """Fill the values of the ends of a lane, hands from `start` on, from what is won less lost and what is met."""
    for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
        end = ends[k]
        won, met = broadcast(pays[walker, end, 0], values), broadcast(pays[walker, end, 1], values)
        for h in range(start, stop, WIDTH):
            at = lane * BLOCK + h - start
            value = load_vector(turned, at) * won + load_vector(turned, WIDTH * BLOCK + at) * met
            store_vector(values, end * values.shape[1] + h, value)


@inlined
def finish(form, hands, others, stops, walker, count, shown, mirrored, work):
    """Fill the values of all ends of the batch's first `count` entries; the other lanes are not read."""
    entries, ends, pays = form.entries, form.ends, form.pays
    batch, starts, lanes, turned, values = work.batch, work.starts, work.lanes, work.turned, work.value
    load(entries, work.reach, batch, starts, lanes, others.shape[0], count)
    compare(hands, others, lanes, work.table, stops, walker, shown)
    for start in range(0, hands.shape[0], BLOCK):
        stop = min(start + BLOCK, hands.shape[0])
        for kind in range(2):
            for h in range(start, stop, TRANSPOSED):
                at = ((kind + 1) * lanes.shape[1] + h) * WIDTH
                for lane in range(0, count, TRANSPOSED):
                    transpose(turned, (kind * WIDTH + lane) * BLOCK + h - start, BLOCK, lanes, starts, WIDTH, at + lane)
        for lane in range(count):
            pay(entries, ends, pays, turned, values, walker, start, stop, lane, batch[lane])
    for lane in range(count if mirrored else 0):
        entry = batch[lane]
        for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
            same_for_twins(values, ends[k], hands)


@inlined
def settle(form, hands, others, stops, mirrored, walker, chunk, work):
    """Fill the values of all ends of a chunk, batch by batch; 0 where the opponent's reach is."""
    chunks, entries, ends, live, batch, values = form.chunks, form.entries, form.ends, work.live, work.batch, work.value
    first, last = cell(chunks, chunk, ENTRY + 2 * walker), cell(chunks, chunk, ENTRY + 2 * walker + 1)
    count = shown = 0
    for entry in range(first, last):
        if live[cell(entries, entry, REACH)]:
            batch[count] = entry
            count += 1
            shown += cell(entries, entry, SHOWN)
        else:
            for k in range(cell(entries, entry, END), cell(entries, entry, END + 1)):
                clear(values, ends[k])
        if count == WIDTH or (entry == last - 1 and count):
            finish(form, hands, others, stops, walker, count, shown, mirrored, work)
            count = shown = 0
