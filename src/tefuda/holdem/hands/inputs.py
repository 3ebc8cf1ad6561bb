"""Network inputs for whole hands, computed from a player's view.

Rules and kernels give the same numbers.

In this order:

- own cards, flop, turn, river (52 each, 0 or 1)
- category of the best five cards (9), street (4)
- pot, chips to call, number of bets and raises
- own seat (P)
- for each player, from the player itself on: folded, all-in, chips left, chips bet on each street
- for each player: called and raised, by street and number of raises before (4 L 2)

Chips are divided by the largest stack, in limit by the largest possible loss.
"""

from __future__ import annotations

from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, Hand, replay
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.kernels.rank import CATEGORY_SHIFT
from tefuda.holdem.kernels.steps import CARDS, CATEGORIES, FIXED, NUMBERS, OF_PLAYER
from tefuda.holdem.rank import strength

_LEVELS = 6  # raise counts that inputs distinguish without a cap


def raise_levels(rules: TableRules) -> int:
    """Return the number of raise counts on a street that the inputs distinguish."""
    return rules.cap + 1 if rules.cap else _LEVELS


def chip_scale(rules: TableRules) -> int:
    """Return the number of chips that the inputs scale to 1."""
    most = max(rules.stacks)
    if rules.limit is None or not rules.cap:
        return most
    return min(most, 2 * rules.cap * sum(rules.limit) + max(rules.antes))


def input_count(rules: TableRules) -> int:
    """Return the number of inputs."""
    return FIXED + rules.players * (1 + OF_PLAYER + 8 * raise_levels(rules))


def inputs(rules: TableRules, state: Hand, player: int) -> list[float]:
    """Return the inputs of a player; some player must be to act."""
    wagers, values = state.wagers, [0.0] * input_count(rules)
    scale, levels = float(chip_scale(rules)), raise_levels(rules)
    for card in state.hole(player):
        values[card] = 1.0
    for place, card in enumerate(state.board):
        values[52 * max(1, place - 1) + card] = 1.0
    if state.board:
        values[CARDS + (strength((*state.hole(player), *state.board)) >> CATEGORY_SHIFT)] = 1.0
    values[CARDS + CATEGORIES + wagers.street] = 1.0
    call = min(max(wagers.bets) - wagers.bets[player], wagers.stacks[player])
    values[NUMBERS : NUMBERS + 3] = rules.pot(wagers) / scale, call / scale, wagers.raises / levels
    values[FIXED + player] = 1.0
    street_bets, history = _action_history(rules, state)
    for place in range(rules.players):
        seat = (player + place) % rules.players
        start, folded = FIXED + rules.players + OF_PLAYER * place, bool(wagers.folded >> seat & 1)
        status = (folded, not folded and not wagers.stacks[seat], wagers.stacks[seat] / scale)
        values[start : start + OF_PLAYER] = [*map(float, status), *(street[seat] / scale for street in street_bets)]
        start = FIXED + rules.players * (1 + OF_PLAYER) + 8 * levels * place
        for street, level, raised in history[seat]:
            values[start + 2 * (street * levels + min(level, levels - 1)) + raised] = 1.0
    return values


def _action_history(rules: TableRules, state: Hand) -> tuple[list[tuple[int, ...]], list[list[tuple[int, int, bool]]]]:
    """Return the bets of each street, and the calls and raises of each player.

    A call or raise is (street, number of raises before, True for a raise).
    """
    bets, history = [(0,) * rules.players] * 4, [list[tuple[int, int, bool]]() for _ in range(rules.players)]
    for before, token in replay(rules, state.line):
        if token == NEXT:
            bets[before.street] = before.bets
        elif token != FOLD:
            history[before.mover].append((before.street, before.raises, token != CALL))
    bets[state.wagers.street] = state.wagers.bets
    return bets, history
