"""Where betting ends: folds and showdowns of `lanes.WIDTH` reaches side by side, in one pass over the hands.

Two sums are enough. With s the reach of all opposing hands and m(c) of those with card c, over all of them (met) or
over those beaten minus those that beat (won): sum(h) = s - m(c1) - m(c2) + the reach of h itself, where it counts.
With a rake r of the pot a showdown pays (half - r / 2) * won - r / 2 * met. Per hand and reach, 16 side by side take
about 1 ns; one after the other they took 13. Reaches become lanes, and lanes values, eight by eight in registers: one
by one that was a third of a river's time.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.lanes import TURNED, WIDTH, every, row, set_row, turn
from tefuda._kernels.weaving import part, woven
from tefuda.holdem.kernels.arrays import BLOCK, END, ENTRY, MIRRORED, ONE, REACH, SAME, SHOWN, TWIN, TWO
from tefuda.holdem.kernels.nodes import clear


@woven
def load(form, others, count, work):
    """The reaches of a batch as lanes."""
    for lane in range(count):
        work.starts[lane] = form.entries[work.batch[lane], REACH] * work.reach.shape[1]
    for h in range(0, others.shape[0], TURNED):
        for lane in range(0, count, TURNED):
            turn(work.lanes, h * WIDTH + lane, WIDTH, work.reach, work.starts, lane, h)


@woven
def compare(hands, others, lanes, table, stops, walker, shown):
    """met[h] = the reach of all hands that h can meet; if shown, won[h] = that of hands it beats less that it loses to.

    One pass over groups of equal strength, from the weakest. Before a group is added, `table` counts what it beats (b);
    then also what it ties with (a); in the end all (m). won = b + a - m: a hand that both have stands in a and in m.
    """
    total, won = every(0.0, table), lanes.shape[1]
    met = 2 * won
    for card in range(table.shape[0]):
        set_row(table, card * WIDTH, total)
    at = other = np.int64(0)
    groups = stops.shape[0] if shown else 0
    for group in range(groups + 1):
        stop = np.int64(stops[group, walker]) if group < groups else at
        end = np.int64(stops[group, 1 - walker]) if group < groups else np.int64(others.shape[0])
        for h in range(at, stop):
            beaten = total - row(table, hands[h, ONE] * WIDTH) - row(table, hands[h, TWO] * WIDTH)
            set_row(lanes, (won + h) * WIDTH, beaten)
        for h in range(other, end):
            one, two, reach = others[h, ONE] * WIDTH, others[h, TWO] * WIDTH, row(lanes, h * WIDTH)
            total = total + reach
            set_row(table, one, row(table, one) + reach)
            set_row(table, two, row(table, two) + reach)
        for h in range(at, stop):
            tied = total - row(table, hands[h, ONE] * WIDTH) - row(table, hands[h, TWO] * WIDTH)
            set_row(lanes, (won + h) * WIDTH, row(lanes, (won + h) * WIDTH) + tied)
        at, other = stop, end
    for h in range(hands.shape[0]):
        all_ = total - row(table, hands[h, ONE] * WIDTH) - row(table, hands[h, TWO] * WIDTH)
        if shown:
            set_row(lanes, (won + h) * WIDTH, row(lanes, (won + h) * WIDTH) - all_)
        if hands[h, SAME] >= 0:  # taken away with each of its cards
            all_ = all_ + row(lanes, hands[h, SAME] * WIDTH)
        set_row(lanes, (met + h) * WIDTH, all_)


@part
def same_for_twins(values, row, hands):
    """Hands that suits make alike get the very same value; the first of them comes before the others."""
    value = values[row]
    for h in range(hands.shape[0]):
        value[h] = value[hands[h, TWIN]]


@woven
def pay(form, walker, start, stop, lane, work):
    """The values of the ends of a lane, hands from `start` on: times what is won less lost, times all that is met."""
    for k in range(form.entries[work.batch[lane], END], form.entries[work.batch[lane], END + 1]):
        end = form.ends[k]
        won, met = every(form.pays[walker, end, 0], work.value), every(form.pays[walker, end, 1], work.value)
        for h in range(start, stop, WIDTH):
            at = lane * BLOCK + h - start
            value = row(work.turned, at) * won + row(work.turned, WIDTH * BLOCK + at) * met
            set_row(work.value, end * work.value.shape[1] + h, value)


@woven
def finish(form, hands, others, stops, walker, count, shown, mirrored, work):
    """The values of all ends of the batch's first `count` entries; the other lanes hold what nobody looks at."""
    load(form, others, count, work)
    compare(hands, others, work.lanes, work.table, stops, walker, shown)
    for start in range(0, hands.shape[0], BLOCK):
        stop = min(start + BLOCK, hands.shape[0])
        for kind in range(2):
            for h in range(start, stop, TURNED):
                at = ((kind + 1) * work.lanes.shape[1] + h) * WIDTH
                for lane in range(0, count, TURNED):
                    to = (kind * WIDTH + lane) * BLOCK + h - start
                    turn(work.turned, to, BLOCK, work.lanes, work.starts, WIDTH, at + lane)
        for lane in range(count):
            pay(form, walker, start, stop, lane, work)
    for lane in range(count if mirrored else 0):
        for k in range(form.entries[work.batch[lane], END], form.entries[work.batch[lane], END + 1]):
            same_for_twins(work.value, form.ends[k], hands)


@woven
def settle(form, hands, others, stops, context, walker, chunk, work):
    """The values of all ends of a chunk, batch by batch; 0 where the opponent never comes."""
    first, last = form.chunks[chunk, ENTRY + 2 * walker], form.chunks[chunk, ENTRY + 2 * walker + 1]
    count = shown = 0
    for entry in range(first, last):
        if work.live[form.entries[entry, REACH]]:
            work.batch[count] = entry
            count += 1
            shown += form.entries[entry, SHOWN]
        else:
            for k in range(form.entries[entry, END], form.entries[entry, END + 1]):
                clear(work.value, form.ends[k])
        if count == WIDTH or (entry == last - 1 and count):
            mirrored = form.contexts[context, MIRRORED] != 0
            finish(form, hands, others, stops, walker, count, shown, mirrored, work)
            count = shown = 0
