"""Where betting ends: folds and showdowns of `lanes.WIDTH` reaches side by side, in one pass over the hands.

Two sums are enough. With s the reach of all opposing hands and m(c) of those with card c, over all of them (met) or
over those beaten minus those that beat (won): sum(h) = s - m(c1) - m(c2) + the reach of h itself, where it counts.
With a rake r of the pot a showdown pays (half - r / 2) * won - r / 2 * met. Per hand and reach, 16 side by side take
about 1 ns; one after the other they took 13.
"""

from __future__ import annotations

from tefuda._kernels.holdem_arrays import END, ENTRY, MIRRORED, ONE, REACH, SAME, SHOWN, TWIN, TWO
from tefuda._kernels.jit import lean
from tefuda._kernels.lanes import WIDTH, balance, gain
from tefuda._kernels.weaving import woven

ALL = 52  # the row of a table that counts all cards


@lean
def fill(value, number):
    """value = number everywhere."""
    for h in range(value.shape[0]):
        value[h] = number


@lean
def load(lanes, lane, reach):
    """A reach as a lane."""
    for h in range(reach.shape[0]):
        lanes[h, lane] = reach[h]


@lean
def meet(hands, others, lane, met, table):
    """met[h] = the reach of all hands that the walker's hand h can meet; `table` gets the sums by card."""
    for row in range(ALL + 1):
        fill(table[row], 0.0)
    for h in range(others.shape[0]):
        gain(table, ALL, lane, h)
        gain(table, others[h, ONE], lane, h)
        gain(table, others[h, TWO], lane, h)
    for h in range(hands.shape[0]):
        balance(met, h, table, ALL, hands[h, ONE], hands[h, TWO])
        if hands[h, SAME] >= 0:
            gain(met, h, lane, hands[h, SAME])


@lean
def show(hands, others, lane, won, table, fall, stops, walker):
    """won[h] = the reach of hands that the walker's hand h beats minus those that beat it.

    Everything starts at -1; a group of equal strength counts 0 while its own hands are looked at, then +1. A hand that
    both have ties with itself, and counts 0 by itself.
    """
    for row in range(ALL + 1):
        for lane_ in range(WIDTH):
            fall[row, lane_] = -table[row, lane_]
    at = other = 0
    for group in range(stops.shape[0]):
        stop, own_stop = stops[group, 1 - walker], stops[group, walker]
        for twice in range(2):
            for h in range(other, stop):
                gain(fall, ALL, lane, h)
                gain(fall, others[h, ONE], lane, h)
                gain(fall, others[h, TWO], lane, h)
            if twice == 0:
                for h in range(at, own_stop):
                    balance(won, h, fall, ALL, hands[h, ONE], hands[h, TWO])
        at, other = own_stop, stop


@lean
def same_for_twins(value, hands):
    """Hands that suits make alike get the very same value; the first of them comes before the others."""
    for h in range(hands.shape[0]):
        value[h] = value[hands[h, TWIN]]


@lean
def pay(value, lanes, lane, won, met):
    """The values of an end: times what is won less lost, plus times all that is met."""
    first, second = value.dtype.type(won), value.dtype.type(met)
    if first == 0:
        for h in range(value.shape[0]):
            value[h] = second * lanes[2, h, lane]
    elif second == 0:
        for h in range(value.shape[0]):
            value[h] = first * lanes[1, h, lane]
    else:
        for h in range(value.shape[0]):
            value[h] = first * lanes[1, h, lane] + second * lanes[2, h, lane]


@woven
def settle(form, hands, others, stops, context, walker, chunk, work):
    """The values of all ends of a chunk, lane by lane; 0 where the opponent never comes."""
    start, stop = form.chunks[chunk, ENTRY + 2 * walker], form.chunks[chunk, ENTRY + 2 * walker + 1]
    mirrored = form.contexts[context, MIRRORED] != 0
    count = shown = 0
    for entry in range(start, stop):
        if work.live[form.entries[entry, REACH]]:
            work.batch[count] = entry
            count += 1
            shown += form.entries[entry, SHOWN]
        else:
            for k in range(form.entries[entry, END], form.entries[entry, END + 1]):
                fill(work.value[form.ends[k]], 0.0)
        if count == WIDTH or (entry == stop - 1 and count):
            for lane in range(count):  # the others hold what was there before, and nobody looks at them
                load(work.lanes[0], lane, work.reach[form.entries[work.batch[lane], REACH], : others.shape[0]])
            meet(hands, others, work.lanes[0], work.lanes[2], work.tables[0])
            if shown:
                show(hands, others, work.lanes[0], work.lanes[1], work.tables[0], work.tables[1], stops, walker)
            for lane in range(count):
                first, last = form.entries[work.batch[lane], END], form.entries[work.batch[lane], END + 1]
                for k in range(first, last):
                    end = form.ends[k]
                    value = work.value[end, : hands.shape[0]]
                    pay(value, work.lanes, lane, form.pays[walker, end, 0], form.pays[walker, end, 1])
                    if mirrored:
                        same_for_twins(value, hands)
            count = shown = 0
