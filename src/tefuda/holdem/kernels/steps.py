"""Whole hands of hold'em stepped side by side: the rules of `holdem.hands.rules`, compiled.

A hand is a row of int64 numbers. P players, L levels of raises that inputs distinguish; sets of players are bits:

    STREET MOVER FOLDED WAITING ACTED STEP RAISES | stacks [P] | bets [4, P] by street
    | callers and raisers [4, L, 2] by street and raises before | cards: two of each player, then the board

The mover is `OVER` when a hand is over. Cards are in the row from the start; the street tells the open ones.
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
NO_PLAYER, OVER = -1, -2
FOLD, CALL = 0, 1
#: Inputs of any number of players: hand, flop, turn, river; category; street; pot, call, raises.
CARDS, CATEGORIES = 4 * 52, 9
NUMBERS = CARDS + CATEGORIES + 4
FIXED = NUMBERS + 3
#: Inputs of each player: folded, all-in, chips left, chips bet on each street.
OF_PLAYER = 7

size_amount = inlined(sizes.amount)


class TableRules(NamedTuple):
    """The rules of a table as kernels read them.

    `[P]` int64 stacks, blinds, antes; `[4]` steps; `[6]` options: whether there is a limit, cap, L, the first player to
    act, the scale of chips, whether antes are dead. By action `[U]`: kind, number, maximum, whether it bets or raises.
    """

    stacks: np.ndarray
    blinds: np.ndarray
    antes: np.ndarray
    steps: np.ndarray
    options: np.ndarray
    kinds: np.ndarray
    numbers: np.ndarray
    maxima: np.ndarray
    bets: np.ndarray
    raises: np.ndarray


@inlined
def offsets(table):
    """Return the starts of bets, of callers and raisers, and of cards, and the length of a row."""
    players = table.stacks.shape[0]
    markers = STACKS + 5 * players
    cards = markers + 8 * table.options[2]
    return STACKS + players, markers, cards, cards + 2 * players + 5


@inlined
def is_in(row, player):
    """Return whether a player has not folded."""
    return (row[FOLDED] >> player) & 1 == 0


@inlined
def pot_of(table, row):
    """Return all chips in the pot."""
    pot = 0
    for player in range(table.stacks.shape[0]):
        pot += table.stacks[player] - row[STACKS + player]
    return pot


@inlined
def open_street(table, row, street, first):
    """Open a street for all players who may have to call; `first` is the first of them to act."""
    players = table.stacks.shape[0]
    bets = STACKS + players * (1 + street)
    row[STREET], row[WAITING] = street, 0
    for player in range(players):
        if not is_in(row, player) or row[STACKS + player] == 0:
            continue
        for opponent in range(players):
            able = row[bets + opponent] + row[STACKS + opponent]
            if opponent != player and is_in(row, opponent) and able > row[bets + player]:
                row[WAITING] |= 1 << player
                break
    find_mover(table, row, (first + players - 1) % players)


@inlined
def find_mover(table, row, last):
    """Find the next player to act."""
    players = table.stacks.shape[0]
    row[MOVER] = NO_PLAYER
    for position in range(1, players + 1):
        player = (last + position) % players
        if (row[WAITING] >> player) & 1:
            row[MOVER] = player
            return


@inlined
def advance_street(table, row):
    """Open the next street with a player to act, or end the hand."""
    players, live = table.stacks.shape[0], 0
    for player in range(players):
        live += is_in(row, player)
    if live == 1:
        row[MOVER], row[WAITING] = OVER, 0
    while row[MOVER] == NO_PLAYER:
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
    bets, _, cards, _ = offsets(table)
    row[:cards] = 0
    for player in range(players):
        left = table.stacks[player] - min(table.antes[player], table.stacks[player])
        bet = min(table.blinds[player], left)
        row[STACKS + player], row[bets + player] = left - bet, bet
        row[RAISES] |= table.blinds[player] > 0
    row[STEP] = table.steps[0]
    open_street(table, row, 0, table.options[3])
    advance_street(table, row)


@inlined
def limits(table, row):
    """Return the highest bet, the chips to call, and the least and most to raise to (0: no raise)."""
    players, player = table.stacks.shape[0], row[MOVER]
    bets = STACKS + players * (1 + row[STREET])
    highest, able = 0, 0
    for opponent in range(players):
        highest = max(highest, row[bets + opponent])
        if opponent != player and is_in(row, opponent):
            able = max(able, row[bets + opponent] + row[STACKS + opponent])
    most = row[bets + player] + row[STACKS + player]
    faced, cap = highest - row[bets + player], table.options[1]
    call = min(faced, row[STACKS + player])
    late = (row[ACTED] >> player) & 1 and faced < row[STEP]
    if (cap and row[RAISES] >= cap) or late or most <= highest or able <= highest:
        return highest, call, 0, 0
    low = min(highest + row[STEP], most)
    return highest, call, low, low if table.options[0] else most


@inlined
def amount(table, row, action, highest, call, low, high):
    """Return the amount that an action raises to; 0 if it is not allowed."""
    if low == 0 or not (table.raises[action] if highest > 0 else table.bets[action]):
        return 0
    own = row[STACKS + table.stacks.shape[0] * (1 + row[STREET]) + row[MOVER]]
    pot, behind = pot_of(table, row) + highest - own, own + row[STACKS + row[MOVER]] - highest
    kind, number, most = table.kinds[action], table.numbers[action], table.maxima[action]
    return min(max(size_amount(kind, number, most, highest, pot, behind), low), high)


@inlined
def apply_action(table, row, action):
    """Take an action and advance to the next decision; a forbidden action checks or calls."""
    players, player = table.stacks.shape[0], row[MOVER]
    bets, markers, _, _ = offsets(table)
    bets += players * row[STREET]
    highest, call, low, high = limits(table, row)
    level = markers + 2 * (row[STREET] * table.options[2] + min(row[RAISES], table.options[2] - 1))
    player_bit, target = 1 << player, 0
    if action > CALL:
        target = amount(table, row, action, highest, call, low, high)
    if action == FOLD and highest > row[bets + player]:
        row[FOLDED] |= player_bit
        row[WAITING] &= ~player_bit
    elif target == 0:
        row[bets + player] += call
        row[STACKS + player] -= call
        row[WAITING] &= ~player_bit
        row[ACTED] |= player_bit
        row[level] |= player_bit
    else:
        row[STACKS + player] -= target - row[bets + player]
        row[bets + player] = target
        row[ACTED] |= player_bit
        row[level + 1] |= player_bit
        row[WAITING] = 0
        for opponent in range(players):
            if opponent != player and is_in(row, opponent) and row[STACKS + opponent]:
                row[WAITING] |= 1 << opponent
        row[STEP] = max(row[STEP], target - highest)
        row[RAISES] += 1
    find_mover(table, row, player)
    advance_street(table, row)


@inlined
def fill_allowed(table, row, allowed):
    """Fill `allowed` `[U]` with the allowed actions; of actions with the same amount the last."""
    allowed[:] = False
    highest, call, low, high = limits(table, row)
    allowed[FOLD], allowed[CALL] = highest > row[STACKS + table.stacks.shape[0] * (1 + row[STREET]) + row[MOVER]], True
    for action in range(2, allowed.shape[0]):
        target = amount(table, row, action, highest, call, low, high)
        if target:
            allowed[action] = True
            for earlier in range(2, action):
                if allowed[earlier] and amount(table, row, earlier, highest, call, low, high) == target:
                    allowed[earlier] = False


@inlined
def card_bit(card):
    """Return a card as a set of one."""
    return np.uint64(1) << np.uint64(16 * (card & 3) + (card >> 2))


@inlined
def cards_of(table, row, player, street):
    """Return the set of a player's cards and of the board on a street."""
    players = table.stacks.shape[0]
    _, _, cards, _ = offsets(table)
    card_set = card_bit(row[cards + 2 * player]) | card_bit(row[cards + 2 * player + 1])
    for position in range(0 if street == 0 else street + 2):
        card_set |= card_bit(row[cards + 2 * players + position])
    return card_set


@inlined
def bet_of(table, row, player):
    """Return a player's chips in the pots, without dead antes."""
    paid = table.stacks[player] - row[STACKS + player]
    return paid - min(table.antes[player], table.stacks[player]) if table.options[5] else paid


@inlined
def next_level(table, row, lower):
    """Return the smallest bet above `lower` of a player who has not folded; `NO_PLAYER` if there is none."""
    level = NO_PLAYER
    for player in range(table.stacks.shape[0]):
        paid = bet_of(table, row, player)
        if is_in(row, player) and paid > lower and (level == NO_PLAYER or paid < level):
            level = paid
    return level


@inlined
def share_pot(table, row, won, strength, lower, level, dead):
    """Share the pot between two bet levels among its winners; the first winner gets odd chips."""
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
def fill_payoffs(table, row, won, strength):
    """Fill `won` `[P]` with the payoffs of a hand that is over."""
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
    while level != NO_PLAYER:
        share_pot(table, row, won, strength, lower, level, dead)
        lower, dead = level, 0
        level = next_level(table, row, lower)


@inlined
def fill_inputs(table, row, player, inputs):
    """Fill `inputs` `[F]` with the inputs of a player; see `holdem.hands.inputs`."""
    players, street, levels = table.stacks.shape[0], row[STREET], table.options[2]
    bets, markers, cards, _ = offsets(table)
    scale, highest = table.options[4], 0
    inputs[:] = 0.0
    for position in range(2):
        inputs[row[cards + 2 * player + position]] = 1.0
    for position in range(0 if street == 0 else street + 2):
        inputs[52 * max(1, position - 1) + row[cards + 2 * players + position]] = 1.0
    if street:
        inputs[CARDS + (evaluate(cards_of(table, row, player, street)) >> CATEGORY_SHIFT)] = 1.0
    inputs[CARDS + CATEGORIES + street] = 1.0
    for seat in range(players):
        highest = max(highest, row[bets + players * street + seat])
    inputs[NUMBERS] = pot_of(table, row) / scale
    inputs[NUMBERS + 1] = min(highest - row[bets + players * street + player], row[STACKS + player]) / scale
    inputs[NUMBERS + 2] = row[RAISES] / levels
    inputs[FIXED + player] = 1.0
    history = FIXED + players * (1 + OF_PLAYER)
    for position in range(players):
        seat = (player + position) % players
        first = FIXED + players + OF_PLAYER * position
        inputs[first] = 0.0 if is_in(row, seat) else 1.0
        inputs[first + 1] = 1.0 if is_in(row, seat) and row[STACKS + seat] == 0 else 0.0
        inputs[first + 2] = row[STACKS + seat] / scale
        for index in range(4):
            inputs[first + 3 + index] = row[bets + players * index + seat] / scale
        for index in range(8 * levels):
            inputs[history + 8 * levels * position + index] = np.float32((row[markers + index] >> seat) & 1)


@kernel
def deal_all(table, rows, state):
    """Shuffle and start hands `[G, W]`, by a stream that begins with `state`."""
    deck = np.arange(52)
    _, _, cards, width = offsets(table)
    for game in range(rows.shape[0]):
        for position in range(width - cards):
            state = step(state)
            swapped = position + np.int64(below(mix(state), 52 - position))
            deck[position], deck[swapped] = deck[swapped], deck[position]
            rows[game, cards + position] = deck[position]
        start(table, rows[game])


@kernel
def step_all(table, rows, actions):
    """Take an action in each hand."""
    for game in range(rows.shape[0]):
        apply_action(table, rows[game], actions[game])


@kernel
def legal_all(table, rows, legal):
    """Fill `legal` `[G, U]` with the allowed actions; none where a hand is over."""
    for game in range(rows.shape[0]):
        legal[game] = False
        if rows[game, MOVER] >= 0:
            fill_allowed(table, rows[game], legal[game])


@kernel
def observe_all(table, rows, all_players, inputs):
    """Fill `inputs` `[G, P or 1, F]` of all players or of the player to act.

    Inputs are 0 where a hand is over.
    """
    for game in range(rows.shape[0]):
        inputs[game] = 0.0
        if rows[game, MOVER] >= 0:
            for position in range(inputs.shape[1]):
                fill_inputs(table, rows[game], position if all_players else rows[game, MOVER], inputs[game, position])


@kernel
def pay_all(table, rows, won):
    """Fill `won` `[G, P]` with the payoffs of hands that are over."""
    strength = np.empty(won.shape[1], dtype=np.int64)
    for game in range(rows.shape[0]):
        fill_payoffs(table, rows[game], won[game], strength)
