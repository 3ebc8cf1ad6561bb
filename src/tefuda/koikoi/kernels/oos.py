"""Online outcome sampling over rounds of Koi-Koi: episodes from the deal, some of them aimed at the current match.

The search of solvers/sampled/search.py (Lisy, Lanctot, Bowling 2015). The order of all cards is one move of chance, so
that an aimed deal is drawn from exactly those that agree with the match. Infosets are named by 64 bits of hand,
field and history. Probabilities of deals are divided by that of a deal: w and s2 begin at 1, s1 at the inverse of the
part of deals that agree with the match.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.aim import START, after, aimed_deal, could_be, name, note_act, note_odds, sit_down
from tefuda.koikoi.kernels.match import ask
from tefuda.koikoi.kernels.mccfr import deal, deal_once, find
from tefuda.koikoi.kernels.rounds import act, dealt_again, options
from tefuda.koikoi.kernels.simple import single
from tefuda.koikoi.kernels.world import DRAWN, END, FIELD, HAND, PHASE, PLAY, POINTS, WIDTH, bit, copy, mover

LONGEST = 128  # actions of a round, forced ones included
WIDEST = 24  # actions at once
# Counts: decisions of the opponent, those of them in memory; aimed episodes, those of them through the target.
OTHERS, KNOWN, AIMED, ARRIVED = range(4)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def strategy(regret, row, n, gamma, sigma):
    """Regret matching with a part gamma of uniform play into `sigma`; uniform without a positive regret or a row."""
    total = 0.0
    for a in range(n):
        sigma[a] = max(regret[row + a], 0.0) if row >= 0 else 0.0
        total += sigma[a]
    for a in range(n):
        sigma[a] = gamma / n + (1.0 - gamma) * sigma[a] / total if total > 0.0 else 1.0 / n


@inlined
def nth(mask, number):
    """Return the number-th action of a mask."""
    for _ in range(number):
        mask &= mask - _ONE
    return np.int64(lowest(mask))


@inlined
def below(mask, action):
    """Return the number of actions of a mask before one."""
    return np.int64(count(mask & (bit(action) - _ONE)))


@inlined
def begin_episode(shape, match, settings, path, player, turn, state):
    """Deal, aimed or not; return the stream, whether it is aimed, and whether it agrees with the match."""
    state = step(state)
    aimed = uniform(state) < settings.delta
    if aimed:
        return aimed_deal(shape, match, player, settings, turn, path, state), True, True
    state = deal_once(shape, path.world, path.deck, state)
    stock = path.deck[2 * shape.hand + shape.field :]
    return state, False, could_be(match, player, settings, path.world, stock)


@inlined
def note_decision(tables, path, depth, key, n, own, w, q):
    """Note a decision of an episode; return whether its infoset is new in memory, or has no room there."""
    before = tables.used[0]
    path.row[depth], path.size[depth], path.own[depth] = find(tables, key, n, True), n, own
    path.w[depth], path.q[depth] = w, q
    return path.row[depth] < 0 or tables.used[0] > before


@inlined
def episode(values, shape, match, settings, tables, path, walker, player, turn, state):
    """Play an episode that updates `walker`, for a search by `player`; return the stream.

    on: the episode follows the match. new: an infoset has been added, and the rest is played uniformly.
    Cards that would be dealt again teach nothing: so aimed deals and others have the probabilities they are given.
    """
    world, delta, stock = path.world, settings.delta, path.deck[2 * shape.hand + shape.field :]
    state, aimed, on = begin_episode(shape, match, settings, path, player, turn, state)
    if dealt_again(shape.again, world):
        return state
    hands, told = (world[HAND], world[HAND + 1]), mix(START ^ world[FIELD])
    goal = match.length[0] if settings.whole else 0
    s1, s2, w, x, depth, acted, new = match.odds[0] if on else 0.0, 1.0, 1.0, 1.0, 0, 0, False
    path.counts[AIMED] += aimed
    while world[PHASE] != END:
        path.counts[ARRIVED] += aimed and on and acted == goal
        may, who, drawn = options(values, world), mover(world), np.int64(world[DRAWN])
        n, action = np.int64(count(may)), np.int64(lowest(may))
        if n > 1:
            noted, sigma = not new, path.sigma[depth]
            if noted:
                key, q = name(told, who, hands[who]), delta * s1 + (1.0 - delta) * s2
                new = note_decision(tables, path, depth, key, n, who == walker, w, q)
                path.counts[OTHERS] += who != player
                path.counts[KNOWN] += who != player and not new
            strategy(tables.regret, np.int64(-1) if new else path.row[depth], n, settings.gamma, sigma)
            kept = on and acted < goal and (settings.keep or not new)
            wanted = below(may, match.acts[acted]) if kept else np.int64(-1)
            explored = settings.epsilon if who == walker and not new else 0.0
            state, a, p1, p2 = take(sigma, path.phi, n, explored, wanted, aimed, state)
            action, path.at[depth] = nth(may, a), a
            x *= 1.0 if noted else sigma[a]
            w *= 1.0 if who == walker else sigma[a]
            s1, s2, depth = s1 * p1, s2 * p2, depth + noted
        on = on and (acted >= goal or match.acts[acted] == action)
        acted += 1
        act(values, world, stock, action)
        told = after(told, action, world, stock, drawn)
    points = np.float64(np.int64(world[POINTS]))
    learn(tables, path, depth, x, (points if walker == 0 else -points) / (delta * s1 + (1.0 - delta) * s2))
    return state


@inlined
def take(sigma, phi, n, explored, wanted, aimed, state):
    """Choose an action: the wanted one, if any, in an aimed episode.

    Return the stream, the action's place, and its probabilities in an aimed episode and in another.
    """
    for a in range(n):
        phi[a] = explored / n + (1.0 - explored) * sigma[a]
    state = step(state)
    a = wanted if aimed and wanted >= 0 else pick(phi, np.int64(0), n, uniform(state))
    p1 = phi[a] if wanted < 0 else 1.0 if a == wanted else 0.0
    return state, a, p1, phi[a]


@inlined
def learn(tables, path, depth, x, scaled):
    """Update the decisions of an episode, from the end back."""
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
    """Search the current infoset of a match and fill in the average strategy there; return the stream."""
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
def follow(values, shape, match, player, world, acts):
    """Fill `match` with what a player has seen of a round from `world` with stock `match.drawn`.

    world: `[WIDTH]`, which is played on; only the player's knowledge is noted. acts: `[n]` int64.
    """
    sit_down(world, match, player)
    stock = match.drawn[: shape.cards.shape[0] - 2 * shape.hand - shape.field]
    for place in range(acts.shape[0]):
        who, played = mover(world), world[PHASE] == PLAY
        act(values, world, stock, acts[place])
        note_act(match, player, who, played, acts[place], world, stock)


@kernel
def duel(values, shape, settings, tables, path, matches, table, searches, deals, luck, won):
    """Fill `won` `[deals, 2]` with the points of number 0 as dealer and as the other player; return the streams.

    searches: `[2]` whether number 0 and 1 search; the others play by `table`. matches: the records of both seats.
    """
    deck, world, chances = shape.cards.copy(), np.zeros(WIDTH, dtype=np.uint64), np.zeros(WIDEST)
    stock, opened = deck[2 * shape.hand + shape.field :], np.zeros(WIDTH, dtype=np.uint64)
    for number in range(won.shape[0]):
        deals = deal(shape, opened, deck, deals)
        for dealer in range(2):
            copy(world, opened)
            for seat in range(2):
                forget(tables[seat])
                sit_down(world, matches[seat], seat)
            while world[PHASE] != END:
                player, may, played = mover(world), options(values, world), world[PHASE] == PLAY
                who, action = player ^ dealer, np.int64(lowest(may))
                if count(may) > 1 and searches[who]:
                    luck = think(
                        values, shape, matches[player], settings[who], tables[who], path, player, may, chances, luck
                    )
                    luck = step(luck)
                    action = nth(may, pick(chances, np.int64(0), np.int64(count(may)), uniform(luck)))
                elif count(may) > 1:
                    action, taken, _, luck = ask(values, table, table.searches, who, world, luck)
                    action = single(world, action, taken)
                act(values, world, stock, action)
                for seat in range(2):
                    note_act(matches[seat], seat, player, played, action, world, stock)
            points = np.int64(world[POINTS])
            won[number, dealer] = points if dealer == 0 else -points
    return deals, luck
