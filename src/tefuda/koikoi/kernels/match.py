"""Rounds of Koi-Koi between players of all kinds, each by what it sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import lowest
from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels import keys
from tefuda.koikoi.kernels.belief import SEEN_CARD, SEEN_FIELD, SEEN_OTHER, SEEN_OWN, SEEN_PHASE, SEEN_TAKEN
from tefuda.koikoi.kernels.mccfr import Tables, find, gather
from tefuda.koikoi.kernels.network import Desk, Net, best_play, passed_in, pick_drawn, stop_or_call
from tefuda.koikoi.kernels.playout import BY_TABLES, EXPECTED, FINAL, tables_choice, worth_of
from tefuda.koikoi.kernels.rounds import act, deal_round, next_turn, open_round
from tefuda.koikoi.kernels.search import Room, Search, evaluate, look
from tefuda.koikoi.kernels.seer import Seer, plan_turn
from tefuda.koikoi.kernels.simple import simple_choice, single
from tefuda.koikoi.kernels.values import MOST_TABLES, Worth, learn_from, phase_in, play_turn
from tefuda.koikoi.kernels.world import (
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
    sight,
)

SEER, SEARCHER, BY_NETWORK, AVERAGE = 3, 4, 5, 6  # kinds of players, behind RANDOM, GREEDY, BY_TABLES
_ZERO = np.uint64(0)


class Averages(NamedTuple):
    """Averages that were learned in an abstraction; K: number of classes of actions.

    tables: of both players. cuts: `[2]`, the share of the most probable action below which an action is never done.
    actions, worths: `[K]` int64, chances: `[K]`, scratch.
    """

    tables: tuple[Tables, ...]
    cuts: np.ndarray
    actions: np.ndarray
    worths: np.ndarray
    chances: np.ndarray


class Table(NamedTuple):
    """The players of a table by their numbers 0 and 1, and their scratch; None is what neither of them needs.

    worths: tables of each, or None for each: a conditional expression would be typed as perhaps None, and all code that
    gets it compiled twice. nets, desks, searches: of each player. rollouts: `[2, 2]`, kinds of both players in playouts
    by simple players of each kind. kinds: `[2]`. utility: `[2, 2, N]`, of each, as `evaluate` reads it. past:
    `[2, 8, 6]` uint64. found: as `values.find` fills it. room: of searchers.
    """

    worths: tuple[Worth | None, ...]
    nets: tuple[Net, ...] | None
    desks: tuple[Desk, ...] | None
    averages: Averages | None
    rollouts: np.ndarray | None
    searches: tuple[Search, ...] | None
    kinds: np.ndarray
    utility: np.ndarray
    past: np.ndarray
    found: np.ndarray
    room: Room | None
    seer: Seer | None


@kernel(refcounts=False)
def network_choice(values, net, desk, utility, past, world, player):
    """Return the action of a player by a network, and what the card takes; past: `[n, 6]` plays of the opponent."""
    taking, nothing = passed_in(past)
    desk.root[0] = -1
    if world[PHASE] == KOI:
        stop, call = stop_or_call(values, net, desk, world, player, taking, nothing)
        if call > -1e8 and worth_of(utility[EXPECTED], call) > worth_of(utility[FINAL], stop):
            return np.int64(STOP + 1), _ZERO
        return np.int64(STOP), _ZERO
    card = np.int64(world[SHOWN])
    if world[PHASE] == PICK_DRAW:
        return card, pick_drawn(values, net, desk, world, player, card, taking, nothing)
    laid = card if world[PHASE] == PICK_HAND else -1
    chosen, taken, _ = best_play(values, net, desk, world, player, laid, taking, nothing)
    return np.int64(lowest(chosen)), taken


@inlined
def average_choice(values, averages, who, world, state):
    """Return the action of a player by an average, and what the card takes; nothing if that is its next choice."""
    tables, cut, actions, chances = averages.tables[who], averages.cuts[who], averages.actions, averages.chances
    key, mask = keys.look(values, tables.parts, world, actions, averages.worths)
    n, total, most = gather(mask, actions), 0.0, 0.0
    row = find(tables, key, n, False) if n > 1 else np.int64(-1)
    for a in range(n):
        chances[a] = tables.total[row + a] if row >= 0 else 1.0
        most = max(most, chances[a])
    for a in range(n):
        if most == 0.0:
            chances[a] = 1.0
        elif chances[a] < cut * most:
            chances[a] = 0.0
        total += chances[a]
    for a in range(n):
        chances[a] /= total
    action = actions[pick(chances, np.int64(0), n, uniform(state))]
    return action, _ZERO if world[PHASE] == PLAY or world[PHASE] == KOI else bit(action)


@inlined
def note(world, player, card, taken, past):
    """Note a play for the opponent, before it is done."""
    seen, row = sight(world, player), past[player, (np.int64(world[TURN]) - 1) // 2]
    row[SEEN_FIELD], row[SEEN_OWN], row[SEEN_OTHER] = seen.field, seen.own, seen.other
    laid = 1 if world[PHASE] == PLAY else 0
    row[SEEN_PHASE], row[SEEN_CARD], row[SEEN_TAKEN] = np.uint64(phase_in(world, player, laid)), card, taken


@inlined
def do(values, world, stock, player, action, taken, past):
    """Do an action, with the card that it takes; choosing that is left to the player if nothing is given."""
    if world[PHASE] == PLAY:
        note(world, player, bit(action), taken, past)
        act(values, world, stock, action)
        if world[PHASE] == PICK_HAND and taken:
            act(values, world, stock, np.int64(lowest(taken)))
    else:
        act(values, world, stock, single(world, action, taken))


@inlined
def by_search(values, worth, table, searches, who, known, past, unseen, state):
    """Return the action of a searcher, what the card takes, the number of candidates in the room, and the stream."""
    room, utility = table.room, table.utility[who]
    size, state = evaluate(values, worth, table.rollouts, searches[who], utility, known, past, unseen, room, state)
    return room.cards[room.order[0]], room.takes[room.order[0]], size, state


@inlined
def choose(values, worth, nets, averages, table, who, world, past, state):
    """Return the action of number `who`, no searcher, what the card takes, and the stream.

    worth: tables of the player. nets, averages: of the table; what is None is not compiled. past: `[n, 6]` plays of the
    opponent.
    """
    player, kind, utility = mover(world), table.kinds[who], table.utility[who]
    state = step(state)
    if nets is not None and kind == BY_NETWORK:
        action, taken = network_choice(values, nets[who], table.desks[who], utility, past, world, player)
    elif worth is not None and kind == BY_TABLES:
        action, taken = tables_choice(values, worth, utility, 1.0, world, player, table.found)
    elif averages is not None and kind == AVERAGE:
        action, taken = average_choice(values, averages, who, world, state)
    else:
        action, taken = simple_choice(values, kind, world, player, mix(state))
    return action, taken, state


@inlined
def searching(table, who, known):
    """Return whether number `who` searches; a forced stop needs no search."""
    return table.kinds[who] == SEARCHER and not (known[PHASE] == KOI and known[HAND + mover(known)] == _ZERO)


@inlined
def ask(values, table, searches, who, world, state):
    """Return the action of number `who` by what it sees, what the card takes, the candidates searched, the stream."""
    player, worth = mover(world), table.worths[who]
    past = table.past[1 - player, : np.int64(world[TURN]) // 2]
    if searches is not None and searching(table, who, world):
        unseen = table.room.unseen[: look(world, player, table.room)]
        return by_search(values, worth, table, searches, who, table.room.known, past, unseen, state)
    action, taken, state = choose(values, worth, table.nets, table.averages, table, who, world, past, state)
    return action, taken, 0, state


@inlined
def move(values, table, seer, world, stock, who, state):
    """Let number `who`, the player in turn, act; return whether it searched, and the stream."""
    player = mover(world)
    if seer is not None and table.kinds[who] == SEER:
        plan_turn(values, table.worths[1 - who], table.kinds[1 - who], world, stock, player, seer)
        do_plan(values, world, stock, player, seer.plan, table.past)
        return False, state
    action, taken, size, state = ask(values, table, table.searches, who, world, state)
    do(values, world, stock, player, action, taken, table.past)
    return size > 0, state


@inlined
def do_plan(values, world, stock, player, plan, past):
    """Do a planned turn: the card, what it takes, what the drawn card takes, STOP or CALL."""
    do(values, world, stock, player, np.int64(plan[0]), plan[1], past)
    if world[PHASE] == PICK_DRAW:
        act(values, world, stock, np.int64(lowest(plan[2])))
    if world[PHASE] == KOI and mover(world) == player:
        act(values, world, stock, np.int64(plan[3]))


@inlined
def play_round(values, table, world, stock, dealer, luck):
    """Play a round on to its end; return the points of number 0, and the number of searched decisions.

    Players have the same luck in equal phases of equal turns, in both seatings.
    """
    searched = 0
    while world[PHASE] != END:
        here = mix(luck ^ world[TURN] << np.uint64(3) ^ world[PHASE])
        more, _ = move(values, table, table.seer, world, stock, mover(world) ^ dealer, here)
        searched += more
    points = np.int64(world[POINTS])
    return points if dealer == 0 else -points, searched


@inlined
def open_by_tables(values, worth, table, world, stock, turns):
    """Play some turns by the tables of number 0, if there are any."""
    if worth is not None:
        while world[PHASE] != END and np.int64(world[TURN]) <= turns:
            player = mover(world)
            action, taken = tables_choice(values, worth, table.utility[0], 1.0, world, player, table.found)
            do(values, world, stock, player, action, taken, table.past)


@kernel
def duel(values, table, deals, luck, won, opening, first):
    """Play deals; return the number of searched decisions and the streams.

    Args:
        values: the rules.
        table: the players.
        deals: the stream of cards.
        luck: the stream of choices.
        won: `[deals, seatings]`, filled with the points of number 0 in each seating.
        opening: number of turns that are played by the tables of number 0.
        first: the dealer of the first seating; the other player deals in the second, where there is one.
    """
    deck, world, searched = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64), 0
    for deal in range(won.shape[0]):
        deals = deal_round(values, world, deck, deals)
        luck = step(luck)
        for seating in range(won.shape[1]):
            open_round(world, deck)
            open_by_tables(values, table.worths[0], table, world, deck[24:], opening)
            won[deal, seating] = 0.0
            if world[PHASE] != END:
                won[deal, seating], more = play_round(values, table, world, deck[24:], first ^ seating, luck)
                searched += more
    return searched, deals, luck


@kernel
def decide(values, table, known, past, unseen, state):
    """Return the action of number 0, what the card takes, and the number of candidates in the room.

    known, past, unseen: as `evaluate` reads them.
    """
    return decide_by(values, table, table.searches, known, past, unseen, state)


@inlined
def decide_by(values, table, searches, known, past, unseen, state):
    """See `decide`; searches: of the table."""
    if searches is not None and searching(table, 0, known):
        action, taken, size, _ = by_search(values, table.worths[0], table, searches, 0, known, past, unseen, state)
        return action, taken, size
    action, taken, _ = choose(values, table.worths[0], table.nets, table.averages, table, 0, known, past, state)
    return action, taken, 0


@kernel
def act_of(values, table, who, world, state):
    """Return the next single action of number `who`, by what it sees of a world, and the stream."""
    action, taken, _, state = ask(values, table, table.searches, who, world, state)
    return single(world, action, taken), state


@kernel
def learn_against(values, table, rounds, explore, rate, trace, deals, luck):
    """Let number 0 learn in rounds against number 1, dealing in turn; return its mean points and the streams."""
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    worth, total = table.worths[0], 0.0
    for game in range(rounds):
        deals = deal_round(values, world, deck, deals)
        lengths[:] = 0
        dealer = game & 1
        while world[PHASE] != END:
            if mover(world) ^ dealer:
                _, luck = move(values, table, table.seer, world, deck[24:], 1, luck)
            else:
                luck = learner_turn(values, worth, table, world, deck[24:], explore, luck, records, lengths)
        points = np.int64(world[POINTS])
        learn_from(worth, records, lengths, np.float64(points), rate, trace)
        total += points if dealer == 0 else -points
    return total / rounds, deals, luck


@inlined
def learner_turn(values, worth, table, world, stock, explore, state, records, lengths):
    """Play a whole turn by tables that learn, noted as in self-play; return the stream."""
    player, state = mover(world), step(state)
    row = table.past[player, (np.int64(world[TURN]) - 1) // 2]
    note(world, player, _ZERO, _ZERO, table.past)
    over, points, row[SEEN_CARD], row[SEEN_TAKEN] = play_turn(
        values, worth, world, stock, player, explore, mix(state), records, lengths, table.found
    )
    if over:
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(points if player == 0 else -points)
    else:
        next_turn(values, world)
    return state
