"""Inputs of networks for whole hands: numbers from a player's view, equal by rules and by kernels.

In this order: own cards, flop, turn, river (52 each, 0 or 1); category of the best five (9); street (4); pot, chips to
call, bets and raises; own seat (P); of each player from oneself on: folded, all-in, chips left, chips bet on each
street; then of each player whether it called and raised, by street and raises before (4 L 2). Chips are parts of the
largest stack, or of the largest loss in limit.
"""

from __future__ import annotations

from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, Hand, replay
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.kernels.rank import CATEGORY_SHIFT
from tefuda.holdem.kernels.steps import CARDS, CATEGORIES, FIXED, NUMBERS, OF_PLAYER
from tefuda.holdem.rank import strength

_LEVELS = 6  # numbers of raises that inputs distinguish without a cap


def levels(rules: TableRules) -> int:
    """Return how many numbers of raises on a street inputs distinguish."""
    return rules.cap + 1 if rules.cap else _LEVELS


def scale(rules: TableRules) -> int:
    """Return the chips that count as 1."""
    most = max(rules.stacks)
    if rules.limit is None or not rules.cap:
        return most
    return min(most, 2 * rules.cap * sum(rules.limit) + max(rules.antes))


def width(rules: TableRules) -> int:
    """Return the number of inputs."""
    return FIXED + rules.players * (1 + OF_PLAYER + 8 * levels(rules))


def inputs(rules: TableRules, state: Hand, player: int) -> list[float]:
    """Return the inputs of a player in a state with a player to act."""
    wagers, seen = state.wagers, [0.0] * width(rules)
    per, high = float(scale(rules)), levels(rules)
    for card in state.hole(player):
        seen[card] = 1.0
    for place, card in enumerate(state.board):
        seen[52 * max(1, place - 1) + card] = 1.0
    if state.board:
        seen[CARDS + (strength((*state.hole(player), *state.board)) >> CATEGORY_SHIFT)] = 1.0
    seen[CARDS + CATEGORIES + wagers.street] = 1.0
    call = min(max(wagers.bets) - wagers.bets[player], wagers.stacks[player])
    seen[NUMBERS : NUMBERS + 3] = rules.pot(wagers) / per, call / per, wagers.raises / high
    seen[FIXED + player] = 1.0
    bets, done = _done(rules, state)
    for place in range(rules.players):
        seat = (player + place) % rules.players
        at, out = FIXED + rules.players + OF_PLAYER * place, bool(wagers.folded >> seat & 1)
        told = (out, not out and not wagers.stacks[seat], wagers.stacks[seat] / per)
        seen[at : at + OF_PLAYER] = [*map(float, told), *(street[seat] / per for street in bets)]
        at = FIXED + rules.players * (1 + OF_PLAYER) + 8 * high * place
        for street, level, raised in done[seat]:
            seen[at + 2 * (street * high + min(level, high - 1)) + raised] = 1.0
    return seen


def _done(rules: TableRules, state: Hand) -> tuple[list[tuple[int, ...]], list[list[tuple[int, int, bool]]]]:
    """Return the bets of each street, and calls and raises of each player: (street, raises before, whether a raise)."""
    bets, done = [(0,) * rules.players] * 4, [list[tuple[int, int, bool]]() for _ in range(rules.players)]
    for before, token in replay(rules, state.line):
        if token == NEXT:
            bets[before.street] = before.bets
        elif token != FOLD:
            done[before.mover].append((before.street, before.raises, token != CALL))
    bets[state.wagers.street] = state.wagers.bets
    return bets, done
