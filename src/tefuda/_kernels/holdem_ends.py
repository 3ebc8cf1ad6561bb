"""Where betting ends: folds and showdowns of `lanes.WIDTH` reaches side by side, in one pass over the hands.

Two sums are enough. With s the reach of all opposing hands and m(c) of those with card c, over all of them (met) or
over those beaten minus those that beat (won): sum(h) = s - m(c1) - m(c2) + the reach of h itself, where it counts.
With a rake r of the pot a showdown pays (half - r / 2) * won - r / 2 * met. Per hand and reach, 16 side by side take
about 1 ns; one after the other they took 13.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.holdem_arrays import END, ENTRY, MIRRORED, ONE, REACH, SAME, SHOWN, TWIN, TWO
from tefuda._kernels.lanes import WIDTH, balance, gain, lose, more
from tefuda._kernels.weaving import part, woven

ALL = 52  # the row of a table that counts all cards
BLOCK = 128  # hands that become lanes, or come from them, at a time: 8 kB stay in the first-level cache


@part
def fill(value, number):
    """value = number everywhere."""
    for h in range(value.shape[0]):
        value[h] = number


@part
def load(lanes, lane, reach):
    """A reach as a lane."""
    for h in range(reach.shape[0]):
        lanes[h, lane] = reach[h]


@part
def count_hands(others, start, stop, lane, table):
    """Add the reach of some of the opponent's hands to the sums by card."""
    for h in range(start, stop):
        gain(table, ALL, lane, h)
        gain(table, others[h, ONE], lane, h)
        gain(table, others[h, TWO], lane, h)


@part
def compare(hands, others, lane, won, met, table, stops, walker, shown):
    """met[h] = the reach of all hands that h can meet; if shown, won[h] = that of hands it beats less that it loses to.

    One pass over groups of equal strength, from the weakest. Before a group is added, `table` counts what it beats (b);
    then also what it ties with (a); in the end all (m). won = b + a - m: a hand that both have stands in a and in m.
    """
    for row in range(ALL + 1):
        fill(table[row], 0.0)
    at = other = np.int64(0)
    for group in range(stops.shape[0] if shown else 0):
        stop, end = np.int64(stops[group, walker]), np.int64(stops[group, 1 - walker])
        for h in range(at, stop):
            balance(won, h, table, ALL, hands[h, ONE], hands[h, TWO])
        count_hands(others, other, end, lane, table)
        for h in range(at, stop):
            more(won, h, table, ALL, hands[h, ONE], hands[h, TWO])
        at, other = stop, end
    count_hands(others, other, np.int64(others.shape[0]), lane, table)
    for h in range(hands.shape[0]):
        balance(met, h, table, ALL, hands[h, ONE], hands[h, TWO])
        if shown:
            lose(won, h, met, h)
        if hands[h, SAME] >= 0:  # taken away with each of its cards
            gain(met, h, lane, hands[h, SAME])


@part
def same_for_twins(value, hands):
    """Hands that suits make alike get the very same value; the first of them comes before the others."""
    for h in range(hands.shape[0]):
        value[h] = value[hands[h, TWIN]]


@part
def pay(value, lanes, start, lane, won, met):
    """Values of an end, of hands from `start` on: times what is won less lost, plus times all that is met."""
    first, second = value.dtype.type(won), value.dtype.type(met)
    if first == 0:
        for h in range(value.shape[0]):
            value[h] = second * lanes[2, start + h, lane]
    elif second == 0:
        for h in range(value.shape[0]):
            value[h] = first * lanes[1, start + h, lane]
    else:
        for h in range(value.shape[0]):
            value[h] = first * lanes[1, start + h, lane] + second * lanes[2, start + h, lane]


@woven
def finish(form, hands, others, stops, walker, count, shown, mirrored, work):
    """The values of all ends of the batch's first `count` entries; the other lanes hold what nobody looks at."""
    for start in range(0, others.shape[0], BLOCK):
        stop = min(start + BLOCK, others.shape[0])
        for lane in range(count):
            load(work.lanes[0, start:stop], lane, work.reach[form.entries[work.batch[lane], REACH], start:stop])
    compare(hands, others, work.lanes[0], work.lanes[1], work.lanes[2], work.table, stops, walker, shown)
    for start in range(0, hands.shape[0], BLOCK):
        stop = min(start + BLOCK, hands.shape[0])
        for lane in range(count):
            for k in range(form.entries[work.batch[lane], END], form.entries[work.batch[lane], END + 1]):
                won, met = form.pays[walker, form.ends[k], 0], form.pays[walker, form.ends[k], 1]
                pay(work.value[form.ends[k], start:stop], work.lanes, start, lane, won, met)
    for lane in range(count if mirrored else 0):
        for k in range(form.entries[work.batch[lane], END], form.entries[work.batch[lane], END + 1]):
            same_for_twins(work.value[form.ends[k]], hands)


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
                fill(work.value[form.ends[k]], 0.0)
        if count == WIDTH or (entry == last - 1 and count):
            mirrored = form.contexts[context, MIRRORED] != 0
            finish(form, hands, others, stops, walker, count, shown, mirrored, work)
            count = shown = 0
