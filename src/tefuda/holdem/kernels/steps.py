"""Whole hands of hold'em stepped side by side: the rules of `holdem.hands.rules`, compiled.

A hand is a row of int64 numbers. P players, L levels of raises that inputs distinguish; sets of players are bits:

    STREET MOVER FOLDED WAITING ACTED STEP RAISES | stacks [P] | bets [4, P] by street
    | who called and who raised [4, L, 2] by street and raises before | cards: two of each player, then the board

The mover is `OVER` when a hand is over. Cards are in the row from the start; the street says which are open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.bits import below
from tefuda._kernels.draw import mix, step
from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels import sizes
from tefuda.holdem.kernels.rank import CATEGORY_SHIFT, evaluate

STREET, MOVER, FOLDED, WAITING, ACTED, STEP, RAISES, STACKS = range(8)
NOBODY, OVER = -1, -2
FOLD, CALL = 0, 1
#: Inputs of any number of players: hand, flop, turn, river; category; street; pot, call, raises.
CARDS, CATEGORIES = 4 * 52, 9
NUMBERS = CARDS + CATEGORIES + 4
FIXED = NUMBERS + 3
#: Inputs of each player: folded, all-in, chips left, chips bet on each street.
OF_PLAYER = 7

size_amount = inlined(sizes.amount)


class Table(NamedTuple):
    """A table as kernels read it.

    `[P]` int64 stacks, blinds, antes; `[4]` steps; `[6]` options: whether there is a limit, cap, L, the first player to
    act, the scale of chips, whether antes are dead. Of units `[U]`: kind, number, whether it bets, whether it raises.
    """

    stacks: np.ndarray
    blinds: np.ndarray
    antes: np.ndarray
    steps: np.ndarray
    options: np.ndarray
    kinds: np.ndarray
    numbers: np.ndarray
    bets: np.ndarray
    raises: np.ndarray


@inlined
def places(table):
    """Return where bets, calls and raises, and cards begin, and the length of a row."""
    players = table.stacks.shape[0]
    done = STACKS + 5 * players
    cards = done + 8 * table.options[2]
    return STACKS + players, done, cards, cards + 2 * players + 5


@inlined
def is_in(row, player):
    """Return whether a player has not folded."""
    return (row[FOLDED] >> player) & 1 == 0


@inlined
def pot_of(table, row):
    """Return all chips that were put in."""
    pot = 0
    for player in range(table.stacks.shape[0]):
        pot += table.stacks[player] - row[STACKS + player]
    return pot


@inlined
def open_street(table, row, street, first):
    """Open a street for all who could still have to call; `first` is the first of them to act."""
    players = table.stacks.shape[0]
    bets = STACKS + players * (1 + street)
    row[STREET], row[WAITING] = street, 0
    for player in range(players):
        if not is_in(row, player) or row[STACKS + player] == 0:
            continue
        for other in range(players):
            able = row[bets + other] + row[STACKS + other]
            if other != player and is_in(row, other) and able > row[bets + player]:
                row[WAITING] |= 1 << player
                break
    turn(table, row, (first + players - 1) % players)


@inlined
def turn(table, row, last):
    """Find the player to act after another."""
    players = table.stacks.shape[0]
    row[MOVER] = NOBODY
    for place in range(1, players + 1):
        player = (last + place) % players
        if (row[WAITING] >> player) & 1:
            row[MOVER] = player
            return


@inlined
def go_on(table, row):
    """Go to the next street with a player to act, or to the end of the hand."""
    players, live = table.stacks.shape[0], 0
    for player in range(players):
        live += is_in(row, player)
    if live == 1:
        row[MOVER], row[WAITING] = OVER, 0
    while row[MOVER] == NOBODY:
        if row[STREET] == 3:
            row[MOVER] = OVER
            return
        street = row[STREET] + 1
        row[ACTED], row[STEP], row[RAISES] = 0, table.steps[street], 0
        open_street(table, row, street, 0)


@inlined
def start(table, row):
    """Start a hand whose cards are dealt: post antes and blinds."""
    players = table.stacks.shape[0]
    bets, _, cards, _ = places(table)
    row[:cards] = 0
    for player in range(players):
        left = table.stacks[player] - min(table.antes[player], table.stacks[player])
        bet = min(table.blinds[player], left)
        row[STACKS + player], row[bets + player] = left - bet, bet
        row[RAISES] |= table.blinds[player] > 0
    row[STEP] = table.steps[0]
    open_street(table, row, 0, table.options[3])
    go_on(table, row)


@inlined
def limits(table, row):
    """Return the highest bet, the chips to call, and the least and most that may be raised to (0: no raise)."""
    players, player = table.stacks.shape[0], row[MOVER]
    bets = STACKS + players * (1 + row[STREET])
    highest, able = 0, 0
    for other in range(players):
        highest = max(highest, row[bets + other])
        if other != player and is_in(row, other):
            able = max(able, row[bets + other] + row[STACKS + other])
    most = row[bets + player] + row[STACKS + player]
    faced, cap = highest - row[bets + player], table.options[1]
    call = min(faced, row[STACKS + player])
    late = (row[ACTED] >> player) & 1 and faced < row[STEP]
    if (cap and row[RAISES] >= cap) or late or most <= highest or able <= highest:
        return highest, call, 0, 0
    low = min(highest + row[STEP], most)
    return highest, call, low, low if table.options[0] else most


@inlined
def amount(table, row, unit, highest, call, low, high):
    """Return what a unit raises to; 0 where it is not allowed."""
    if low == 0 or not (table.raises[unit] if highest > 0 else table.bets[unit]):
        return 0
    own = row[STACKS + table.stacks.shape[0] * (1 + row[STREET]) + row[MOVER]]
    pot, behind = pot_of(table, row) + highest - own, own + row[STACKS + row[MOVER]] - highest
    return min(max(size_amount(table.kinds[unit], table.numbers[unit], highest, pot, behind), low), high)


@inlined
def act(table, row, unit):
    """Take a unit's action, and go on to the next decision; a unit that is not allowed checks or calls."""
    players, player = table.stacks.shape[0], row[MOVER]
    bets, done, _, _ = places(table)
    bets += players * row[STREET]
    highest, call, low, high = limits(table, row)
    level = done + 2 * (row[STREET] * table.options[2] + min(row[RAISES], table.options[2] - 1))
    bit, to = 1 << player, 0
    if unit > CALL:
        to = amount(table, row, unit, highest, call, low, high)
    if unit == FOLD and highest > row[bets + player]:
        row[FOLDED] |= bit
        row[WAITING] &= ~bit
    elif to == 0:
        row[bets + player] += call
        row[STACKS + player] -= call
        row[WAITING] &= ~bit
        row[ACTED] |= bit
        row[level] |= bit
    else:
        row[STACKS + player] -= to - row[bets + player]
        row[bets + player] = to
        row[ACTED] |= bit
        row[level + 1] |= bit
        row[WAITING] = 0
        for other in range(players):
            if other != player and is_in(row, other) and row[STACKS + other]:
                row[WAITING] |= 1 << other
        row[STEP] = max(row[STEP], to - highest)
        row[RAISES] += 1
    turn(table, row, player)
    go_on(table, row)


@inlined
def may(table, row, allowed):
    """Fill `allowed` `[U]` with the units that may be taken; of units with the same amount the last."""
    allowed[:] = False
    highest, call, low, high = limits(table, row)
    allowed[FOLD], allowed[CALL] = highest > row[STACKS + table.stacks.shape[0] * (1 + row[STREET]) + row[MOVER]], True
    for unit in range(2, allowed.shape[0]):
        to = amount(table, row, unit, highest, call, low, high)
        if to:
            allowed[unit] = True
            for other in range(2, unit):
                if allowed[other] and amount(table, row, other, highest, call, low, high) == to:
                    allowed[other] = False


@inlined
def card_bit(card):
    """Return a card as a set of one."""
    return np.uint64(1) << np.uint64(16 * (card & 3) + (card >> 2))


@inlined
def cards_of(table, row, player, street):
    """Return the set of a player's cards and of the board on a street."""
    players = table.stacks.shape[0]
    _, _, cards, _ = places(table)
    found = card_bit(row[cards + 2 * player]) | card_bit(row[cards + 2 * player + 1])
    for place in range(0 if street == 0 else street + 2):
        found |= card_bit(row[cards + 2 * players + place])
    return found


@inlined
def bet_of(table, row, player):
    """Return the chips that a player put into pots, without dead antes."""
    paid = table.stacks[player] - row[STACKS + player]
    return paid - min(table.antes[player], table.stacks[player]) if table.options[5] else paid


@inlined
def next_level(table, row, lower):
    """Return the smallest bet above `lower` of a player who has not folded; `NOBODY` if there is none."""
    level = NOBODY
    for player in range(table.stacks.shape[0]):
        paid = bet_of(table, row, player)
        if is_in(row, player) and paid > lower and (level == NOBODY or paid < level):
            level = paid
    return level


@inlined
def share_pot(table, row, won, strength, lower, level, dead):
    """Share the pot of bets between two levels, and of dead chips, among its winners; the first gets odd chips."""
    pot, best, winners, first = dead, 0, 0, 0
    for player in range(table.stacks.shape[0]):
        paid = bet_of(table, row, player)
        pot += min(paid, level) - min(paid, max(lower, 0))
        if is_in(row, player) and paid >= level:
            if strength[player] > best:
                best, winners, first = strength[player], 0, player
            winners += strength[player] == best
    for player in range(table.stacks.shape[0]):
        if is_in(row, player) and bet_of(table, row, player) >= level and strength[player] == best:
            won[player] += pot // winners
    won[first] += pot % winners


@inlined
def pay(table, row, won, strength):
    """Fill `won` `[P]` with what each player of a hand that is over wins or loses."""
    live, last, dead = 0, 0, 0
    for player in range(table.stacks.shape[0]):
        won[player] = row[STACKS + player] - table.stacks[player]
        dead += table.options[5] * min(table.antes[player], table.stacks[player])
        strength[player] = 0
        if is_in(row, player):
            live, last = live + 1, player
            strength[player] = evaluate(cards_of(table, row, player, 3))
    if live == 1:
        won[last] += pot_of(table, row)
        return
    lower = -1 if dead else 0  # the main pot is there even without a bet
    level = next_level(table, row, lower)
    while level != NOBODY:
        share_pot(table, row, won, strength, lower, level, dead)
        lower, dead = level, 0
        level = next_level(table, row, lower)


@inlined
def see(table, row, player, seen):
    """Fill `seen` `[F]` with the inputs of a player; see `holdem.hands.inputs`."""
    players, street, levels = table.stacks.shape[0], row[STREET], table.options[2]
    bets, done, cards, _ = places(table)
    scale, highest = table.options[4], 0
    seen[:] = 0.0
    for place in range(2):
        seen[row[cards + 2 * player + place]] = 1.0
    for place in range(0 if street == 0 else street + 2):
        seen[52 * max(1, place - 1) + row[cards + 2 * players + place]] = 1.0
    if street:
        seen[CARDS + (evaluate(cards_of(table, row, player, street)) >> CATEGORY_SHIFT)] = 1.0
    seen[CARDS + CATEGORIES + street] = 1.0
    for seat in range(players):
        highest = max(highest, row[bets + players * street + seat])
    seen[NUMBERS] = pot_of(table, row) / scale
    seen[NUMBERS + 1] = min(highest - row[bets + players * street + player], row[STACKS + player]) / scale
    seen[NUMBERS + 2] = row[RAISES] / levels
    seen[FIXED + player] = 1.0
    history = FIXED + players * (1 + OF_PLAYER)
    for place in range(players):
        seat = (player + place) % players
        at = FIXED + players + OF_PLAYER * place
        seen[at] = 0.0 if is_in(row, seat) else 1.0
        seen[at + 1] = 1.0 if is_in(row, seat) and row[STACKS + seat] == 0 else 0.0
        seen[at + 2] = row[STACKS + seat] / scale
        for one in range(4):
            seen[at + 3 + one] = row[bets + players * one + seat] / scale
        for one in range(8 * levels):
            seen[history + 8 * levels * place + one] = np.float32((row[done + one] >> seat) & 1)


@kernel
def deal_all(table, rows, state):
    """Shuffle and start hands `[G, W]`, by a stream that begins with `state`."""
    deck = np.arange(52)
    _, _, cards, width = places(table)
    for game in range(rows.shape[0]):
        for place in range(width - cards):
            state = step(state)
            other = place + np.int64(below(mix(state), 52 - place))
            deck[place], deck[other] = deck[other], deck[place]
            rows[game, cards + place] = deck[place]
        start(table, rows[game])


@kernel
def step_all(table, rows, units):
    """Take a unit in each hand."""
    for game in range(rows.shape[0]):
        act(table, rows[game], units[game])


@kernel
def legal_all(table, rows, legal):
    """Fill `legal` `[G, U]` with the units that may be taken; none where a hand is over."""
    for game in range(rows.shape[0]):
        legal[game] = False
        if rows[game, MOVER] >= 0:
            may(table, rows[game], legal[game])


@kernel
def observe_all(table, rows, everybody, seen):
    """Fill `seen` `[G, P or 1, F]` with the inputs of all players or the player to act; 0 where a hand is over."""
    for game in range(rows.shape[0]):
        seen[game] = 0.0
        if rows[game, MOVER] >= 0:
            for place in range(seen.shape[1]):
                see(table, rows[game], place if everybody else rows[game, MOVER], seen[game, place])


@kernel
def pay_all(table, rows, won):
    """Fill `won` `[G, P]` with the payoffs of hands that are over."""
    strength = np.empty(won.shape[1], dtype=np.int64)
    for game in range(rows.shape[0]):
        pay(table, rows[game], won[game], strength)
