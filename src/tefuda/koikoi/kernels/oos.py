"""Online outcome sampling over rounds of Koi-Koi: episodes from the deal, a part of them aimed at where a match stands.

The search of solvers/sampled/search.py (Lisy, Lanctot, Bowling 2015), with the whole order of the cards as one move of
chance, so that an aimed deal is drawn from exactly those in which the match could have come here. Infosets are known by
64 bits of hand, field and all that was seen since. Probabilities of deals are divided by that of a deal: w and s2 begin
at 1, s1 at 1 / (the part of deals in which the match could have come here).
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.aim import START, after, aimed_deal, could_be, name, note_act, note_odds, sit_down
from tefuda.koikoi.kernels.duel import choose
from tefuda.koikoi.kernels.mccfr import deal, deal_once, find
from tefuda.koikoi.kernels.rounds import (
    DRAWN,
    END,
    FIELD,
    HAND,
    PHASE,
    PLAY,
    POINTS,
    TURN,
    WIDTH,
    act,
    bit,
    dealt_again,
    options,
)

LONGEST = 128  # actions of a round, forced ones included
WIDEST = 24  # actions at once
# Counts: decisions of the other on the way, of them in memory; aimed episodes, of them through the target.
OTHERS, KNOWN, AIMED, ARRIVED = range(4)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def strategy(tables, row, n, gamma, sigma):
    """Regret matching with a part of uniform play; uniform without a row."""
    total = 0.0
    for a in range(n):
        sigma[a] = max(tables.regret[row + a], 0.0) if row >= 0 else 0.0
        total += sigma[a]
    for a in range(n):
        sigma[a] = gamma / n + (1.0 - gamma) * sigma[a] / total if total > 0.0 else 1.0 / n


@inlined
def nth(mask, number):
    """The number-th action of a mask."""
    for _ in range(number):
        mask &= mask - _ONE
    return np.int64(lowest(mask))


@inlined
def below(mask, action):
    """How many actions of a mask come before one."""
    return np.int64(count(mask & (bit(action) - _ONE)))


@inlined
def begin_episode(shape, match, settings, path, player, turn, state):
    """Deal, aimed or not; return the stream, whether it is aimed, whether the match could have been dealt so."""
    state = step(state)
    aimed = uniform(state) < settings.delta
    if aimed:
        return aimed_deal(shape, match, player, settings, turn, path, state), True, True
    state = deal_once(shape, path.world, path.deck, state)
    stock = path.deck[2 * shape.hand + shape.field :]
    return state, False, could_be(match, player, settings, path.world, stock)


@inlined
def episode(values, shape, match, settings, tables, path, walker, player, turn, state):
    """One episode that updates `walker`, for a search by `player`; return the stream.

    on: the episode is where the match was. new: an infoset has been added, and all after it is played out uniformly.
    Cards that would be dealt again teach nothing: so aimed deals and others are as likely as they are said to be.
    """
    world, delta, stock = path.world, settings.delta, path.deck[2 * shape.hand + shape.field :]
    state, aimed, on = begin_episode(shape, match, settings, path, player, turn, state)
    if dealt_again(shape.again, world):
        return state
    mine, theirs, told = world[HAND], world[HAND + 1], mix(START ^ world[FIELD])
    goal = match.length[0] if settings.whole else 0
    s1, s2, w, x, depth, acted, new = match.odds[0] if on else 0.0, 1.0, 1.0, 1.0, 0, 0, False
    path.counts[AIMED] += aimed
    while world[PHASE] != END:
        path.counts[ARRIVED] += aimed and on and acted == goal
        may, mover, drawn = options(values, world), np.int64(world[TURN] - _ONE) & 1, np.int64(world[DRAWN])
        n, action = np.int64(count(may)), np.int64(lowest(may))
        if n > 1:
            noted = not new
            if noted:
                key, before = name(told, mover, mine if mover == 0 else theirs), tables.used[0]
                row = find(tables, key, n, True)
                new = row < 0 or tables.used[0] > before
                path.row[depth], path.size[depth], path.own[depth] = row, n, mover == walker
                path.w[depth], path.q[depth] = w, delta * s1 + (1.0 - delta) * s2
                depth += 1
                path.counts[OTHERS] += mover != player
                path.counts[KNOWN] += mover != player and not new
            sigma = path.sigma[depth if not noted else depth - 1]
            strategy(tables, np.int64(-1) if new else path.row[depth - 1], n, settings.gamma, sigma)
            explored = settings.epsilon if mover == walker and not new else 0.0
            kept = on and acted < goal and (settings.keep or not new)
            wanted = below(may, match.acts[acted]) if kept else np.int64(-1)
            state, a, p1, p2 = take(sigma, path.phi, n, explored, wanted, aimed, state)
            action = nth(may, a)
            if noted:
                path.at[depth - 1] = a
            else:
                x *= sigma[a]
            if mover != walker:
                w *= sigma[a]
            s1, s2 = s1 * p1, s2 * p2
        on = on and (acted >= goal or match.acts[acted] == action)
        acted += 1
        act(values, world, stock, action)
        told = after(told, action, world, stock, drawn)
    points = np.float64(np.int64(world[POINTS]))
    learn(tables, path, depth, x, (points if walker == 0 else -points) / (delta * s1 + (1.0 - delta) * s2))
    return state


@inlined
def take(sigma, phi, n, explored, wanted, aimed, state):
    """Choose an action: the wanted one, if any, where an episode is aimed.

    Return the stream, the action's place, and how likely it was in an aimed episode and in another.
    """
    for a in range(n):
        phi[a] = explored / n + (1.0 - explored) * sigma[a]
    state = step(state)
    a = wanted if aimed and wanted >= 0 else pick(phi, np.int64(0), n, uniform(state))
    p1 = phi[a] if wanted < 0 else 1.0 if a == wanted else 0.0
    return state, a, p1, phi[a]


@inlined
def learn(tables, path, depth, x, scaled):
    """Add what an episode says about the decisions on its way, from the end back."""
    for d in range(depth - 1, -1, -1):
        row, n, at = path.row[d], path.size[d], path.at[d]
        here = x * path.sigma[d, at]
        if row >= 0:
            for a in range(n):
                if path.own[d]:
                    tables.regret[row + a] += ((x if a == at else 0.0) - here) * scaled * path.w[d]
                else:
                    tables.total[row + a] += path.w[d] * path.sigma[d, a] / path.q[d]
        x = here


@inlined
def forget(tables):
    """Clear tables."""
    for slot in range(tables.keys.shape[0]):
        tables.keys[slot] = _ZERO
    for row in range(tables.used[1]):
        tables.regret[row] = tables.total[row] = 0.0
    tables.used[0] = tables.used[1] = 0


@inlined
def think(values, shape, match, settings, tables, path, player, may, chances, state):
    """Search where a match stands and fill in the average strategy there; return the stream."""
    note_odds(shape, match, player, settings)
    for iteration in range(settings.iterations):
        for walker in range(2):
            state = episode(values, shape, match, settings, tables, path, walker, player, iteration, state)
    n, total = np.int64(count(may)), 0.0
    row = find(tables, name(match.told[0], player, match.start[player]), n, False)
    for a in range(n):
        chances[a] = tables.total[row + a] if row >= 0 else 0.0
        total += chances[a]
    for a in range(n):
        chances[a] = chances[a] / total if total > 0.0 else 1.0 / n
    return state


@kernel
def think_of(values, shape, match, settings, tables, path, player, may, chances, state):
    """See `think`, from empty tables."""
    forget(tables)
    return think(values, shape, match, settings, tables, path, player, may, chances, state)


@kernel
def episode_of(values, shape, match, settings, tables, path, walker, player, turn, state):
    """See `episode`."""
    note_odds(shape, match, player, settings)
    return episode(values, shape, match, settings, tables, path, walker, player, turn, state)


@kernel
def row_at(tables, match, player):
    """The first row of the infoset where a match stands; -1 if it is not in memory."""
    return find(tables, name(match.told[0], player, match.start[player]), 0, False)


@kernel
def follow(values, shape, match, player, world, acts):
    """Fill `match` with what a player has seen of a round played from `world`; its stock is `match.drawn`.

    world: `[WIDTH]`, of which only what the player knows is noted; it is played on. acts: `[n]` int64.
    """
    sit_down(world, match, player)
    stock = match.drawn[: shape.cards.shape[0] - 2 * shape.hand - shape.field]
    for place in range(acts.shape[0]):
        mover, played = np.int64(world[TURN] - _ONE) & 1, world[PHASE] == PLAY
        act(values, world, stock, acts[place])
        note_act(match, player, mover, played, acts[place], world, stock)


@kernel
def duel(values, shape, settings, tables, path, matches, seats, searches, deals, luck, won):
    """Fill `won` `[deals, 2]` with the points of number 0 as dealer and as the other; return the streams.

    searches: `[2]` whether number 0 and 1 search; who does not plays as `seats` has it. matches: what seats know.
    """
    deck, world, chances = shape.cards.copy(), np.zeros(WIDTH, dtype=np.uint64), np.zeros(WIDEST)
    stock = deck[2 * shape.hand + shape.field :]
    for number in range(won.shape[0]):
        deals = deal(shape, world, deck, deals)
        opened = world.copy()
        for dealer in range(2):
            world[:] = opened
            forget(tables[0])
            forget(tables[1])
            for seat in range(2):
                sit_down(world, matches[seat], seat)
            while world[PHASE] != END:
                mover = np.int64(world[TURN] - _ONE) & 1
                who, may, played = mover ^ dealer, options(values, world), world[PHASE] == PLAY
                action = np.int64(lowest(may))
                if count(may) > 1 and searches[who]:
                    luck = think(
                        values, shape, matches[mover], settings[who], tables[who], path, mover, may, chances, luck
                    )
                    luck = step(luck)
                    action = nth(may, pick(chances, np.int64(0), np.int64(count(may)), uniform(luck)))
                elif count(may) > 1:
                    action, luck = choose(values, seats, who, world, luck)
                act(values, world, stock, action)
                for seat in range(2):
                    note_act(matches[seat], seat, mover, played, action, world, stock)
            points = np.int64(world[POINTS])
            won[number, dealer] = points if dealer == 0 else -points
    return deals, luck
