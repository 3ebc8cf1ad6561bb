"""A whole hand as a state, and its actions as text: ``"r210ffcf/cc"``.

``f`` fold, ``c`` check or call, ``r210`` bet or raise *to* 210 on this street (``r`` where limits give the amount),
``/`` the next street.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tefuda.errors import ParameterError, shortened
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers

FOLD, CALL, RAISE, NEXT = "f", "c", "r", "/"
HIDDEN = -1


class Hand(NamedTuple):
    """A state of a hand.

    holes: two cards of each player in turn, as far as they are dealt; `HIDDEN` where a view does not show them.
    board: open cards. wagers: state of the betting. done: actions as text.
    """

    holes: tuple[int, ...]
    board: tuple[int, ...]
    wagers: Wagers
    line: str = ""

    def hole(self, player: int) -> tuple[int, ...]:
        """Return the cards of a player."""
        return self.holes[2 * player : 2 * player + 2]


def tokens(done: str) -> list[str]:
    """Split ``"r210fc/c"`` into ``r210 f c / c``.

    Raises:
        ParameterError: any other text.
    """
    found = re.findall(r"[fc/]|r\d{0,12}", done)
    if "".join(found) != done:
        raise ParameterError(f"{shortened(done)} is no line of actions; write r210ffcf/cc.")
    return found


def after(rules: TableRules, wagers: Wagers, token: str) -> Wagers:
    """Return the betting after a token.

    Raises:
        ParameterError: an impossible action.
    """
    if token == NEXT and wagers.mover == NO_PLAYER and not wagers.is_over:
        return rules.next_street(wagers)
    if token != NEXT and wagers.mover != NO_PLAYER:
        if token == FOLD:  # even with nothing to call: it is not listed, but records have it
            return rules.fold(wagers)
        if token == CALL:
            return rules.call(wagers)
        choices, amount = rules.choices(wagers), raised_to(rules, wagers, token)
        if (token == RAISE) == bool(rules.limit) and choices.low and choices.low <= amount <= choices.high:
            return rules.raise_to(wagers, amount)
    raise ParameterError(f"{token!r} cannot be done there.")


def raised_to(rules: TableRules, before: Wagers, token: str) -> int:
    """Return the amount on the street of a bet or raise."""
    return rules.choices(before).low if token == RAISE else int(token[1:])


def replay(rules: TableRules, done: str) -> Iterator[tuple[Wagers, str]]:
    """Yield the tokens of a line, each after the betting before it."""
    wagers = rules.root()
    for token in tokens(done):
        yield wagers, token
        wagers = after(rules, wagers, token)


def board_text(board: Sequence[int]) -> str:
    """Return the flop by rank, in any order of dealing, then turn and river."""
    return "".join(map(card_text, (*sorted(board[:3], reverse=True), *board[3:])))
