"""Online outcome sampling over rounds of Koi-Koi.

Episodes start at the deal; some are targeted at the current round.

The search of solvers/sampled/search.py (Lisy, Lanctot, Bowling 2015). The order of all cards is one
chance event, so a targeted deal is drawn from exactly the deals that agree with the round. Infosets
are named by 64 bits of hand, field and history. Probabilities of deals are divided by that of a
single deal: w and s2 begin at 1, s1 at the inverse of the share of deals that agree with the round.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.match import agent_choice
from tefuda.koikoi.kernels.rounds import act, legal_actions, must_redeal
from tefuda.koikoi.kernels.simple import single_action
from tefuda.koikoi.kernels.state import DRAWN, END, FIELD, HAND, PHASE, PLAY, POINTS, WIDTH, bit, copy, mover
from tefuda_reproductions.koikoi.kernels.mccfr import deal, deal_once, find_row
from tefuda_reproductions.koikoi.kernels.targeting import (
    START,
    extend_history,
    infoset_key,
    is_consistent,
    record_action,
    start_record,
    store_deal_weight,
    targeted_deal,
)

LONGEST = 128  # actions of a round, forced ones included
WIDEST = 24  # actions at once
# Counts: decisions of the opponent, those of them in memory; targeted episodes, those of them that reach the target.
OPPONENT_DECISIONS, KNOWN, TARGETED, REACHED = range(4)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def current_strategy(regret, row, n, gamma, sigma):
    """Fill `sigma` with regret matching mixed with a share gamma of uniform play.

    It is uniform without a positive regret or without a row.
    """
    total = 0.0
    for a in range(n):
        sigma[a] = max(regret[row + a], 0.0) if row >= 0 else 0.0
        total += sigma[a]
    for a in range(n):
        sigma[a] = gamma / n + (1.0 - gamma) * sigma[a] / total if total > 0.0 else 1.0 / n


@inlined
def nth_action(mask, number):
    """Return the n-th action of a mask."""
    for _ in range(number):
        mask &= mask - _ONE
    return np.int64(lowest(mask))


@inlined
def action_index(mask, action):
    """Return the number of actions of a mask below an action."""
    return np.int64(count(mask & (bit(action) - _ONE)))


@inlined
def begin_episode(shape, record, settings, scratch, player, turn, stream):
    """Deal; return the stream, whether the deal is targeted, and whether it agrees with the round."""
    stream = step(stream)
    targeted = uniform(stream) < settings.delta
    if targeted:
        return targeted_deal(shape, record, player, settings, turn, scratch, stream), True, True
    stream = deal_once(shape, scratch.state, scratch.deck, stream)
    stock = scratch.deck[2 * shape.hand + shape.field :]
    return stream, False, is_consistent(record, player, settings, scratch.state, stock)


@inlined
def record_decision(tables, scratch, depth, key, n, own, w, q):
    """Record a decision of an episode; return whether its infoset is new or not in memory."""
    before = tables.counts[0]
    scratch.row[depth], scratch.size[depth], scratch.own[depth] = find_row(tables, key, n, True), n, own
    scratch.w[depth], scratch.q[depth] = w, q
    return scratch.row[depth] < 0 or tables.counts[0] > before


@inlined
def episode(rules, shape, record, settings, tables, scratch, traverser, player, turn, stream):
    """Play an episode that updates `traverser`, for a search by `player`; return the stream.

    on_path: the episode follows the current round. added: an infoset has been added, and the rest
    is played uniformly. Deals that would be redealt are skipped, so targeted and other deals keep
    their probabilities.
    """
    state, delta, stock = scratch.state, settings.delta, scratch.deck[2 * shape.hand + shape.field :]
    stream, targeted, on_path = begin_episode(shape, record, settings, scratch, player, turn, stream)
    if must_redeal(shape.redeals, state):
        return stream
    hands, history = (state[HAND], state[HAND + 1]), mix(START ^ state[FIELD])
    target_length = record.lengths[0] if settings.target_match else 0
    s1, s2, w, x, depth, action_count, added = record.deal_weight[0] if on_path else 0.0, 1.0, 1.0, 1.0, 0, 0, False
    scratch.counts[TARGETED] += targeted
    while state[PHASE] != END:
        scratch.counts[REACHED] += targeted and on_path and action_count == target_length
        legal, actor, drawn = legal_actions(rules, state), mover(state), np.int64(state[DRAWN])
        n, action = np.int64(count(legal)), np.int64(lowest(legal))
        if n > 1:
            recorded, sigma = not added, scratch.sigma[depth]
            if recorded:
                key, q = infoset_key(history, actor, hands[actor]), delta * s1 + (1.0 - delta) * s2
                added = record_decision(tables, scratch, depth, key, n, actor == traverser, w, q)
                scratch.counts[OPPONENT_DECISIONS] += actor != player
                scratch.counts[KNOWN] += actor != player and not added
            current_strategy(tables.regret, np.int64(-1) if added else scratch.row[depth], n, settings.gamma, sigma)
            guided = on_path and action_count < target_length and (settings.follow_match or not added)
            goal_action = action_index(legal, record.actions[action_count]) if guided else np.int64(-1)
            explored = settings.epsilon if actor == traverser and not added else 0.0
            stream, a, p1, p2 = sample_action(sigma, scratch.phi, n, explored, goal_action, targeted, stream)
            action, scratch.choice[depth] = nth_action(legal, a), a
            x *= 1.0 if recorded else sigma[a]
            w *= 1.0 if actor == traverser else sigma[a]
            s1, s2, depth = s1 * p1, s2 * p2, depth + recorded
        on_path = on_path and (action_count >= target_length or record.actions[action_count] == action)
        action_count += 1
        act(rules, state, stock, action)
        history = extend_history(history, action, state, stock, drawn)
    points = np.float64(np.int64(state[POINTS]))
    update_tables(
        tables, scratch, depth, x, (points if traverser == 0 else -points) / (delta * s1 + (1.0 - delta) * s2)
    )
    return stream


@inlined
def sample_action(sigma, phi, n, explored, goal_action, targeted, stream):
    """Choose an action; in a targeted episode, `goal_action` unless it is -1.

    Return the stream, the index of the action, and its probabilities in a targeted episode and in
    another.
    """
    for a in range(n):
        phi[a] = explored / n + (1.0 - explored) * sigma[a]
    stream = step(stream)
    a = goal_action if targeted and goal_action >= 0 else pick(phi, np.int64(0), n, uniform(stream))
    p1 = phi[a] if goal_action < 0 else 1.0 if a == goal_action else 0.0
    return stream, a, p1, phi[a]


@inlined
def update_tables(tables, scratch, depth, x, scaled):
    """Update the decisions of an episode, from the end back."""
    for d in range(depth - 1, -1, -1):
        row, n, choice = scratch.row[d], scratch.size[d], scratch.choice[d]
        below_reach = x * scratch.sigma[d, choice]
        if row >= 0:
            for a in range(n):
                if scratch.own[d]:
                    tables.regret[row + a] += ((x if a == choice else 0.0) - below_reach) * scaled * scratch.w[d]
                else:
                    tables.total[row + a] += scratch.w[d] * scratch.sigma[d, a] / scratch.q[d]
        x = below_reach


@inlined
def clear(tables):
    """Clear tables."""
    for slot in range(tables.keys.shape[0]):
        tables.keys[slot] = _ZERO
    for row in range(tables.counts[1]):
        tables.regret[row] = tables.total[row] = 0.0
    tables.counts[0] = tables.counts[1] = 0


@inlined
def search(rules, shape, record, settings, tables, scratch, player, legal, probabilities, stream):
    """Search the current infoset of a round and fill in its average strategy; return the stream."""
    store_deal_weight(shape, record, player, settings)
    for iteration in range(settings.iterations):
        for traverser in range(2):
            stream = episode(rules, shape, record, settings, tables, scratch, traverser, player, iteration, stream)
    n, total = np.int64(count(legal)), 0.0
    row = find_row(tables, infoset_key(record.history[0], player, record.start[player]), n, False)
    for a in range(n):
        probabilities[a] = tables.total[row + a] if row >= 0 else 0.0
        total += probabilities[a]
    for a in range(n):
        probabilities[a] = probabilities[a] / total if total > 0.0 else 1.0 / n
    return stream


@kernel
def replay(rules, shape, record, player, state, actions):
    """Fill `record` with a player's knowledge of a round from `state` with stock `record.drawn`.

    state: `[WIDTH]`, played to the current decision; only the player's knowledge is recorded.
    actions: `[n]` int64.
    """
    start_record(state, record, player)
    stock = record.drawn[: shape.cards.shape[0] - 2 * shape.hand - shape.field]
    for index in range(actions.shape[0]):
        actor, played = mover(state), state[PHASE] == PLAY
        act(rules, state, stock, actions[index])
        record_action(record, player, actor, played, actions[index], state, stock)


@kernel
def duel(rules, shape, settings, tables, scratch, record, players, deals, luck, points_won):
    """Play deals; fill `points_won` `[deals, 2]` with the points of agent 0, which searches, by dealer.

    players: agent 1 plays as the second one.
    """
    deck, state, probabilities = shape.cards.copy(), np.zeros(WIDTH, dtype=np.uint64), np.zeros(WIDEST)
    stock, opened = deck[2 * shape.hand + shape.field :], np.zeros(WIDTH, dtype=np.uint64)
    for number in range(points_won.shape[0]):
        deals = deal(shape, opened, deck, deals)
        for dealer in range(2):
            copy(state, opened)
            clear(tables)
            start_record(state, record, dealer)
            while state[PHASE] != END:
                player, legal, played = mover(state), legal_actions(rules, state), state[PHASE] == PLAY
                action = np.int64(lowest(legal))
                if count(legal) > 1 and player == dealer:
                    luck = step(
                        search(rules, shape, record, settings, tables, scratch, player, legal, probabilities, luck)
                    )
                    action = nth_action(legal, pick(probabilities, np.int64(0), np.int64(count(legal)), uniform(luck)))
                elif count(legal) > 1:
                    action, taken, _, luck = agent_choice(rules, players, players.searches, 1, state, luck)
                    action = single_action(state, action, taken)
                act(rules, state, stock, action)
                record_action(record, dealer, player, played, action, state, stock)
            points = np.int64(state[POINTS])
            points_won[number, dealer] = points if dealer == 0 else -points
