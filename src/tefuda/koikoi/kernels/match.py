"""Rounds of Koi-Koi between players of all kinds, each from its own view."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.belief import PAST_CARD, PAST_FIELD, PAST_OTHER, PAST_OWN, PAST_PHASE, PAST_TAKEN
from tefuda.koikoi.kernels.clairvoyant import ClairvoyantScratch, plan_turn
from tefuda.koikoi.kernels.network import Accumulator, Net, best_play, count_skipped, pick_drawn, stop_or_call
from tefuda.koikoi.kernels.playout import BY_TABLES, EXPECTED, FINAL, tables_choice, utility_of
from tefuda.koikoi.kernels.rounds import act, deal_round, next_turn, open_round
from tefuda.koikoi.kernels.search import SearchScratch, SearchSettings, evaluate, store_knowledge
from tefuda.koikoi.kernels.simple import simple_choice, single_action
from tefuda.koikoi.kernels.state import (
    END,
    HAND,
    KOI,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PLAY,
    POINTS,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    bit,
    mover,
    visible_cards,
)
from tefuda.koikoi.kernels.tables import MAX_TABLES, ValueTables, phase_in, play_turn, update_tables

CLAIRVOYANT, SEARCHER, NETWORK = 3, 4, 5  # kinds of players, after RANDOM, GREEDY, BY_TABLES
_ZERO = np.uint64(0)


class Players(NamedTuple):
    """The players of a duel, agents 0 and 1, and their scratch; parts that neither needs are None.

    Attributes:
        tables: value tables of each agent, or None for each; a conditional expression would be
            typed as optional, and all code that receives it would be compiled twice.
        nets: networks of each agent.
        accumulators: scratch of each network.
        rollouts: `[2, 2]`, kinds of both players in playouts by simple players of each kind.
        searches: settings of each searcher.
        kinds: `[2]`.
        utility: `[2, 2, N]`, of each agent, as `evaluate` reads it.
        past_plays: `[2, 8, 6]` uint64.
        indices: scratch of `find_entries`.
        scratch: scratch of searchers.
        clairvoyant: scratch of a clairvoyant player.
    """

    tables: tuple[ValueTables | None, ...]
    nets: tuple[Net, ...] | None
    accumulators: tuple[Accumulator, ...] | None
    rollouts: np.ndarray | None
    searches: tuple[SearchSettings, ...] | None
    kinds: np.ndarray
    utility: np.ndarray
    past_plays: np.ndarray
    indices: np.ndarray
    scratch: SearchScratch | None
    clairvoyant: ClairvoyantScratch | None


@kernel(refcounts=False)
def network_choice(rules, net, accumulator, utility, past_plays, state, player):
    """Return the action of a network player and the capture; past_plays: `[n, 6]`, the opponent's."""
    taking, discarding = count_skipped(past_plays)
    accumulator.known_rows[0] = -1
    if state[PHASE] == KOI:
        stop, call = stop_or_call(rules, net, accumulator, state, player, taking, discarding)
        if call > -1e8 and utility_of(utility[EXPECTED], call) > utility_of(utility[FINAL], stop):
            return np.int64(STOP + 1), _ZERO
        return np.int64(STOP), _ZERO
    card = np.int64(state[SHOWN])
    if state[PHASE] == PICK_DRAW:
        return card, pick_drawn(rules, net, accumulator, state, player, card, taking, discarding)
    laid = card if state[PHASE] == PICK_HAND else -1
    chosen, taken, _ = best_play(rules, net, accumulator, state, player, laid, taking, discarding)
    return np.int64(lowest(chosen)), taken


@inlined
def record_play(state, player, card, taken, past_plays):
    """Record a play for the opponent's beliefs, before it is performed."""
    visible, row = visible_cards(state, player), past_plays[player, (np.int64(state[TURN]) - 1) // 2]
    row[PAST_FIELD], row[PAST_OWN], row[PAST_OTHER] = visible.field, visible.own_pile, visible.opponent_pile
    laid = 1 if state[PHASE] == PLAY else 0
    row[PAST_PHASE], row[PAST_CARD], row[PAST_TAKEN] = np.uint64(phase_in(state, player, laid)), card, taken


@inlined
def perform(rules, state, stock, player, action, taken, past_plays):
    """Perform an action and its capture; if `taken` is 0, the player picks the capture later."""
    if state[PHASE] == PLAY:
        record_play(state, player, bit(action), taken, past_plays)
        act(rules, state, stock, action)
        if state[PHASE] == PICK_HAND and taken:
            act(rules, state, stock, np.int64(lowest(taken)))
    else:
        act(rules, state, stock, single_action(state, action, taken))


@inlined
def search_choice(rules, tables, players, searches, agent, known, past_plays, unseen, stream):
    """Return the action of a searcher, its capture, the number of candidates, and the stream."""
    scratch, utility = players.scratch, players.utility[agent]
    size, stream = evaluate(
        rules, tables, players.rollouts, searches[agent], utility, known, past_plays, unseen, scratch, stream
    )
    return scratch.cards[scratch.order[0]], scratch.takes[scratch.order[0]], size, stream


@inlined
def choose_without_search(rules, tables, nets, players, agent, state, past_plays, stream):
    """Return the action of an agent that does not search, the capture, and the stream.

    tables: value tables of the agent. nets: of all players; None is not compiled.
    past_plays: `[n, 6]` plays of the opponent.
    """
    player, kind, utility = mover(state), players.kinds[agent], players.utility[agent]
    stream = step(stream)
    if nets is not None and kind == NETWORK:
        action, taken = network_choice(
            rules, nets[agent], players.accumulators[agent], utility, past_plays, state, player
        )
    elif tables is not None and kind == BY_TABLES:
        action, taken = tables_choice(rules, tables, utility, 1.0, state, player, players.indices)
    else:
        action, taken = simple_choice(rules, kind, state, player, mix(stream))
    return action, taken, stream


@inlined
def is_searching(players, agent, known):
    """Return whether an agent searches; a forced stop needs no search."""
    return players.kinds[agent] == SEARCHER and not (known[PHASE] == KOI and known[HAND + mover(known)] == _ZERO)


@inlined
def agent_choice(rules, players, searches, agent, state, stream):
    """Return an agent's action from its view, the capture, the number of candidates, and the stream."""
    player, tables = mover(state), players.tables[agent]
    past_plays = players.past_plays[1 - player, : np.int64(state[TURN]) // 2]
    if searches is not None and is_searching(players, agent, state):
        unseen = players.scratch.unseen[: store_knowledge(state, player, players.scratch)]
        return search_choice(rules, tables, players, searches, agent, players.scratch.known, past_plays, unseen, stream)
    action, taken, stream = choose_without_search(
        rules, tables, players.nets, players, agent, state, past_plays, stream
    )
    return action, taken, 0, stream


@inlined
def take_turn(rules, players, clairvoyant, state, stock, agent, stream):
    """Let an agent, the player to move, act; return whether it searched, and the stream."""
    player = mover(state)
    if clairvoyant is not None and players.kinds[agent] == CLAIRVOYANT:
        plan_turn(rules, players.tables[1 - agent], players.kinds[1 - agent], state, stock, player, clairvoyant)
        perform_plan(rules, state, stock, player, clairvoyant.plan, players.past_plays)
        return False, stream
    action, taken, size, stream = agent_choice(rules, players, players.searches, agent, state, stream)
    perform(rules, state, stock, player, action, taken, players.past_plays)
    return size > 0, stream


@inlined
def perform_plan(rules, state, stock, player, plan, past_plays):
    """Perform a planned turn: the card, its capture, the capture of the drawn card, STOP or CALL."""
    perform(rules, state, stock, player, np.int64(plan[0]), plan[1], past_plays)
    if state[PHASE] == PICK_DRAW:
        act(rules, state, stock, np.int64(lowest(plan[2])))
    if state[PHASE] == KOI and mover(state) == player:
        act(rules, state, stock, np.int64(plan[3]))


@inlined
def play_round(rules, players, state, stock, dealer, luck):
    """Play a round to its end; return the points of agent 0, and the number of searched decisions.

    Players have the same luck in equal phases of equal turns, in both seatings.
    """
    searched = 0
    while state[PHASE] != END:
        luck_here = mix(luck ^ state[TURN] << np.uint64(3) ^ state[PHASE])
        more, _ = take_turn(rules, players, players.clairvoyant, state, stock, mover(state) ^ dealer, luck_here)
        searched += more
    points = np.int64(state[POINTS])
    return points if dealer == 0 else -points, searched


@inlined
def play_opening(rules, tables, players, state, stock, turns):
    """Play some turns by the tables of agent 0, if it has tables."""
    if tables is not None:
        while state[PHASE] != END and np.int64(state[TURN]) <= turns:
            player = mover(state)
            action, taken = tables_choice(rules, tables, players.utility[0], 1.0, state, player, players.indices)
            perform(rules, state, stock, player, action, taken, players.past_plays)


@kernel
def duel(rules, players, deals, luck, points_won, opening, first):
    """Play deals; return the number of searched decisions and both streams.

    Args:
        rules: compiled rules.
        players: the players.
        deals: stream of cards.
        luck: stream of choices.
        points_won: `[deals, seatings]`, receives the points of agent 0 in each seating.
        opening: number of turns that are played by the tables of agent 0.
        first: dealer of the first seating; the other player deals in the second seating.
    """
    deck, state, searched = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64), 0
    for deal in range(points_won.shape[0]):
        deals = deal_round(rules, state, deck, deals)
        luck = step(luck)
        for seating in range(points_won.shape[1]):
            open_round(state, deck)
            play_opening(rules, players.tables[0], players, state, deck[24:], opening)
            points_won[deal, seating] = 0.0
            if state[PHASE] != END:
                points_won[deal, seating], more = play_round(rules, players, state, deck[24:], first ^ seating, luck)
                searched += more
    return searched, deals, luck


@kernel
def decide(rules, players, known, past_plays, unseen, stream):
    """Return the action of agent 0, its capture, and the number of candidates in the scratch.

    known, past_plays, unseen: see `evaluate`.
    """
    return decide_by(rules, players, players.searches, known, past_plays, unseen, stream)


@inlined
def decide_by(rules, players, searches, known, past_plays, unseen, stream):
    """See `decide`. searches: settings of the searchers."""
    if searches is not None and is_searching(players, 0, known):
        action, taken, size, _ = search_choice(
            rules, players.tables[0], players, searches, 0, known, past_plays, unseen, stream
        )
        return action, taken, size
    action, taken, _ = choose_without_search(
        rules, players.tables[0], players.nets, players, 0, known, past_plays, stream
    )
    return action, taken, 0


@kernel
def learn_response(rules, players, rounds, explore, rate, trace, deals, luck):
    """Let agent 0 learn against agent 1, dealing in turn; return its mean points and the streams."""
    state, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MAX_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    tables, total = players.tables[0], 0.0
    for game in range(rounds):
        deals = deal_round(rules, state, deck, deals)
        lengths[:] = 0
        dealer = game & 1
        while state[PHASE] != END:
            if mover(state) ^ dealer:
                _, luck = take_turn(rules, players, players.clairvoyant, state, deck[24:], 1, luck)
            else:
                luck = learner_turn(rules, tables, players, state, deck[24:], explore, luck, records, lengths)
        points = np.int64(state[POINTS])
        update_tables(tables, records, lengths, np.float64(points), rate, trace)
        total += points if dealer == 0 else -points
    return total / rounds, deals, luck


@inlined
def learner_turn(rules, tables, players, state, stock, explore, stream, records, lengths):
    """Play a whole turn by the tables that learn, and record it; return the stream."""
    player, stream = mover(state), step(stream)
    row = players.past_plays[player, (np.int64(state[TURN]) - 1) // 2]
    record_play(state, player, _ZERO, _ZERO, players.past_plays)
    over, points, row[PAST_CARD], row[PAST_TAKEN] = play_turn(
        rules, tables, state, stock, player, explore, mix(stream), records, lengths, players.indices
    )
    if over:
        state[PHASE], state[POINTS] = np.uint64(END), np.uint64(points if player == 0 else -points)
    else:
        next_turn(rules, state)
    return stream
