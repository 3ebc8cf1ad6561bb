"""Rounds of Koi-Koi between simple players, players by tables or a network, searchers, and one that sees all cards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import count, lowest, pick_bit
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.belief import SEEN_CARD, SEEN_FIELD, SEEN_OTHER, SEEN_OWN, SEEN_PHASE, SEEN_TAKEN
from tefuda.koikoi.kernels.network import Desk, Net, passed_in, pick_drawn, pick_laid, stop_or_call
from tefuda.koikoi.kernels.network import choose_card as choose_by_network
from tefuda.koikoi.kernels.playout import BY_TABLES, EXPECTED, FINAL, copy, hidden_from, worth_of
from tefuda.koikoi.kernels.rounds import (
    CALLS,
    END,
    FIELD,
    GREEDY,
    HAND,
    KOI,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    PILE,
    PLAY,
    POINTS,
    SHOWN,
    STOP,
    TURN,
    WIDTH,
    Style,
    act,
    bit,
    deal_round,
    greedy_card,
    month,
    next_turn,
    open_round,
    score,
    taken_by,
)
from tefuda.koikoi.kernels.search import Room, Search, evaluate
from tefuda.koikoi.kernels.seer import Seer, plan_turn
from tefuda.koikoi.kernels.values import (
    AFTER_TURN,
    BEFORE_DRAW,
    MOST_TABLES,
    Worth,
    choose_card,
    draw_and_settle,
    finish_turn,
    keep,
    lay_card,
    learn_from,
    phase_of,
    settle_drawn,
    value,
)

SEER, SEARCHER, BY_NETWORK = 3, 4, 5  # kinds of players, behind RANDOM, GREEDY, BY_TABLES
_ONE, _ZERO, _S32 = np.uint64(1), np.uint64(0), np.uint64(32)


@inlined
def phase_in(world, player):
    """The tables' phase for the player in turn."""
    left = np.int64(count(world[HAND + player])) - (1 if world[PHASE] == PLAY else 0)
    return phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))


@inlined
def simple_choice(values, kind, world, player, random):
    """What a simple player does: lay and take, and stop as soon as it may; and what the card takes."""
    hand, own, field = world[HAND + player], world[PILE + player], world[FIELD]
    if world[PHASE] == PLAY:
        card = np.int64(greedy_card(values, hand, field, own) if kind == GREEDY else lowest(pick_bit(hand, random)))
        return card, taken_by(values, kind, own, card, field & month(card), random >> _S32)
    if world[PHASE] == KOI:
        return np.int64(STOP), _ZERO
    card = np.int64(world[SHOWN])
    return card, taken_by(values, kind, own, card, field & month(card), random)


@inlined
def tables_choice(values, worth, utility, world, player, random, found):
    """What a player by tables does, and what the card takes; it calls if that is of more use."""
    hand, own, other, field = world[HAND + player], world[PILE + player], world[PILE + 1 - player], world[FIELD]
    phase = phase_in(world, player)
    if world[PHASE] == PLAY:
        chosen, taken = choose_card(worth, phase, own, other, hand, field, 0.0, random, found)
        return np.int64(lowest(chosen)), taken
    if world[PHASE] == KOI:
        calls, theirs = np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player])
        if hand == _ZERO or (0 <= values.options[4] <= calls + theirs):
            return np.int64(STOP), _ZERO
        again = phase_of(np.int64(count(hand)), calls + 1, theirs)
        expected = np.float64(value(worth, AFTER_TURN, again, own, other, hand, field, found))
        points = np.float64(score(values, own, calls, theirs))
        call = worth_of(utility[EXPECTED], expected) > worth_of(utility[FINAL], points)
        return np.int64(STOP + 1 if call else STOP), _ZERO
    card = np.int64(world[SHOWN])
    left, _ = settle_drawn(worth, phase, own, other, hand, field, card, found)
    return card, field & ~left


@kernel(refcounts=False)
def network_choice(values, net, desk, utility, past, world, player):
    """The action of a player by a network, and what the card takes; past: `[n, 6]` the plays of the other."""
    taking, nothing = passed_in(past)
    desk.root[0] = -1
    if world[PHASE] == PLAY:
        chosen, taken, _ = choose_by_network(values, net, desk, world, player, taking, nothing)
        return np.int64(lowest(chosen)), taken
    if world[PHASE] == KOI:
        stop, call = stop_or_call(values, net, desk, world, player, taking, nothing)
        if call > -1e8 and worth_of(utility[EXPECTED], call) > worth_of(utility[FINAL], stop):
            return np.int64(STOP + 1), _ZERO
        return np.int64(STOP), _ZERO
    card = np.int64(world[SHOWN])
    if world[PHASE] == PICK_HAND:
        return card, pick_laid(values, net, desk, world, player, card, taking, nothing)
    return card, pick_drawn(values, net, desk, world, player, card, taking, nothing)


@inlined
def look(world, player, known, unseen):
    """What a player knows of a world, and the cards it has not seen; return how many these are."""
    copy(world, known)
    known[HAND + 1 - player] = _ZERO
    return hidden_from(world, player, unseen)


@inlined
def note(world, player, card, taken, past):
    """Note a play for those who watch, before it is done."""
    row = past[player, (np.int64(world[TURN]) - 1) // 2]
    row[SEEN_FIELD], row[SEEN_OWN], row[SEEN_OTHER] = world[FIELD], world[PILE + player], world[PILE + 1 - player]
    row[SEEN_PHASE], row[SEEN_CARD], row[SEEN_TAKEN] = np.uint64(phase_in(world, player)), card, taken


@inlined
def do(values, world, stock, player, action, taken, past):
    """Do what was chosen, with what it takes."""
    if world[PHASE] == KOI:
        act(values, world, stock, action)
    elif world[PHASE] == PLAY:
        note(world, player, bit(action), taken, past)
        act(values, world, stock, action)
        if world[PHASE] == PICK_HAND:
            act(values, world, stock, np.int64(lowest(taken)))
    else:
        act(values, world, stock, np.int64(lowest(taken)))


class Table(NamedTuple):
    """Who sits at a table, each by its number 0 or 1, and where they think; None is what neither of them needs.

    worths, nets, desks: of both. styles: how simple rollouts go, by kind. searches: of both. kinds: `[2]`.
    utility: `[2, 2, N]`, of both, as `evaluate` wants it. known: `[WIDTH]`. unseen: `[48]` uint8. past: `[2, 8, 6]`
    uint64. room: of searchers. seer: where one who sees all cards thinks.
    """

    worths: tuple[Worth, Worth] | None
    nets: tuple[Net, Net] | None
    desks: tuple[Desk, Desk] | None
    styles: tuple[Style, Style] | None
    searches: tuple[Search, Search] | None
    kinds: np.ndarray
    utility: np.ndarray
    known: np.ndarray
    unseen: np.ndarray
    past: np.ndarray
    room: Room
    seer: Seer | None


@inlined
def choose(values, worths, nets, searches, table, who, known, past, unseen, state):
    """What number `who` does that knows this much, and what the card takes.

    worths, nets, searches: of the table; what is None there is not compiled. known, past, unseen: as `evaluate` wants
    them. Return how many candidates are in the room, and the stream, too.
    """
    player, kind, utility = np.int64(known[TURN] - _ONE) & 1, table.kinds[who], table.utility[who]
    if searches is not None and kind == SEARCHER and not (known[PHASE] == KOI and known[HAND + player] == _ZERO):
        size, state = evaluate(
            values, thoughts_of(worths, who), table.styles, searches[who], utility, known, past, unseen, table.room,
            state,
        )  # fmt: skip
        best = table.room.order[0]
        return table.room.cards[best], table.room.takes[best], size, state
    state = step(state)
    if nets is not None and kind == BY_NETWORK:
        action, taken = network_choice(values, nets[who], table.desks[who], utility, past, known, player)
        return action, taken, 0, state
    if worths is not None and kind == BY_TABLES:
        action, taken = tables_choice(values, worths[who], utility, known, player, mix(state), table.room.found)
        return action, taken, 0, state
    action, taken = simple_choice(values, kind, known, player, mix(state))
    return action, taken, 0, state


@inlined
def thoughts_of(worths, who):
    """The tables of a player; None if nobody at the table has any."""
    return worths[who] if worths is not None else None


@inlined
def move(values, table, seer, searches, world, stock, player, who, state):
    """The player in turn, number `who`, does what it chooses; return whether it searched, and the stream."""
    kind, past = table.kinds[who], table.past
    if seer is not None and kind == SEER:
        plan_turn(values, table.worths[1 - who], table.kinds[1 - who], world, stock, player, seer)
        do_plan(values, world, stock, player, seer.plan, past)
        return False, state
    known, unseen = world, table.unseen[:0]
    if searches is not None and kind == SEARCHER:
        known, unseen = table.known, table.unseen[: look(world, player, table.known, table.unseen)]
    seen = past[1 - player, : np.int64(world[TURN]) // 2]
    action, taken, size, state = choose(
        values, table.worths, table.nets, searches, table, who, known, seen, unseen, state
    )
    do(values, world, stock, player, action, taken, past)
    return size > 0, state


@inlined
def do_plan(values, world, stock, player, plan, past):
    """Do a whole turn as planned: the card, what it takes, what the drawn card takes, whether to stop."""
    do(values, world, stock, player, np.int64(plan[0]), plan[1], past)
    if world[PHASE] == PICK_DRAW:
        act(values, world, stock, np.int64(lowest(plan[2])))
    if world[PHASE] == KOI and (np.int64(world[TURN]) - 1) % 2 == player:
        act(values, world, stock, np.int64(plan[3]))


@kernel
def play_round(values, table, world, stock, dealer, luck):
    """Play a round from where it stands; return points to the table's number 0, and searched decisions.

    Where the round stands alike, players have the same luck, in both seatings.
    """
    searched = 0
    while world[PHASE] != END:
        player = np.int64(world[TURN] - _ONE) & 1
        here = mix(luck ^ world[TURN] << np.uint64(3) ^ world[PHASE])
        more, _ = move(values, table, table.seer, table.searches, world, stock, player, player ^ dealer, here)
        searched += more
    points = np.int64(world[POINTS])
    return points if dealer == 0 else -points, searched


@inlined
def open_by_tables(values, worths, table, world, stock, turns):
    """Play so many turns by the tables of number 0, if the round lasts so long."""
    if worths is not None:
        while world[PHASE] != END and np.int64(world[TURN]) <= turns:
            player = np.int64(world[TURN] - _ONE) & 1
            action, taken = tables_choice(
                values, worths[0], table.utility[0], world, player, _ZERO, table.room.found
            )  # fmt: skip
            do(values, world, stock, player, action, taken, table.past)


@kernel
def duel(values, table, deals, luck, won, opening, first):
    """Fill `won` `[deals, seatings]` with the points of number 0 in each seating.

    Args:
        values: the rules.
        table: who plays.
        deals: the stream of cards.
        luck: the stream of choices.
        won: to be filled.
        opening: so many turns are played by the tables of number 0.
        first: the dealer of the first seating; the other player deals in the second, where there is one.

    Return the searched decisions and the streams.
    """
    deck, world, searched = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64), 0
    for deal in range(won.shape[0]):
        deals, _ = deal_round(values, world, deck, deals)
        luck = step(luck)
        for seating in range(won.shape[1]):
            open_round(world, deck)
            open_by_tables(values, table.worths, table, world, deck[24:], opening)
            won[deal, seating] = 0.0
            if world[PHASE] != END:
                won[deal, seating], more = play_round(values, table, world, deck[24:], first ^ seating, luck)
                searched += more
    return searched, deals, luck


@kernel
def decide(values, table, known, past, unseen, state):
    """What number 0 does that knows this much, what the card takes, and how many candidates are in the room.

    known, past, unseen: as `evaluate` wants them.
    """
    action, taken, size, _ = choose(
        values, table.worths, table.nets, table.searches, table, 0, known, past, unseen, state
    )  # fmt: skip
    return action, taken, size


@kernel
def learn_against(values, table, rounds, explore, rate, trace, deals, luck):
    """Number 0 learns in rounds against number 1, dealing in turn; return its mean points and the streams."""
    world, deck = np.zeros(WIDTH, dtype=np.uint64), np.arange(48).astype(np.uint8)
    records, lengths = np.zeros((2, 17, 2 + MOST_TABLES), dtype=np.int64), np.zeros(2, dtype=np.int64)
    worth, total = table.worths[0], 0.0
    for game in range(rounds):
        deals, _ = deal_round(values, world, deck, deals)
        lengths[:] = 0
        dealer = game & 1
        while world[PHASE] != END:
            player = np.int64(world[TURN] - _ONE) & 1
            if player ^ dealer:
                _, luck = move(values, table, table.seer, table.searches, world, deck[24:], player, 1, luck)
            else:
                luck = learner_turn(values, worth, table, world, deck[24:], player, explore, luck, records, lengths)
        points = np.int64(world[POINTS])
        learn_from(worth, records, lengths, np.float64(points), rate, trace)
        total += points if dealer == 0 else -points
    return total / rounds, deals, luck


@inlined
def learner_turn(values, worth, table, world, stock, player, explore, state, records, lengths):
    """A whole turn by tables that are being learned, noted as in self-play; return the stream."""
    left = np.int64(count(world[HAND + player])) - 1
    phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
    state = step(state)
    random, found, hand, pile = mix(state), table.room.found, world[HAND + player], world[PILE + player]
    field = world[FIELD]
    note(world, player, _ZERO, _ZERO, table.past)
    lay_card(worth, phase, world, player, explore, random, found)
    row = table.past[player, (np.int64(world[TURN]) - 1) // 2]
    row[SEEN_CARD] = hand ^ world[HAND + player]
    row[SEEN_TAKEN] = field & ~world[FIELD] if pile != world[PILE + player] else _ZERO
    keep(worth, BEFORE_DRAW, phase, world, records, lengths, player, found)
    draw_and_settle(worth, phase, world, stock, player, found)
    over, points = finish_turn(values, worth, world, player, left, explore, random << _S32, found)
    if over:
        world[PHASE], world[POINTS] = np.uint64(END), np.uint64(points if player == 0 else -points)
        return state
    phase = phase_of(left, np.int64(world[CALLS + player]), np.int64(world[CALLS + 1 - player]))
    keep(worth, AFTER_TURN, phase, world, records, lengths, player, found)
    next_turn(values, world)
    return state
