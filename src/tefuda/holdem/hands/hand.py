"""State of a whole hand, and its betting line as text: ``"r210ffcf/cc"``.

``f`` fold, ``c`` check or call, ``r210`` bet or raise *to* 210 on this street (in limit just ``r``), ``/`` next street.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tefuda.errors import ParameterError, shortened
from tefuda.holdem.cards import cards_text
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers

FOLD, CALL, RAISE, NEXT = "f", "c", "r", "/"
HIDDEN = -1


class Hand(NamedTuple):
    """State of a hand.

    Attributes:
        holes: the cards dealt so far, two for each player in turn; `HIDDEN` for cards that a view does not show.
        board: cards of the board.
        wagers: state of the betting.
        line: betting line.
    """

    holes: tuple[int, ...]
    board: tuple[int, ...]
    wagers: Wagers
    line: str = ""

    def hole(self, player: int) -> tuple[int, ...]:
        """Return the hole cards of a player."""
        return self.holes[2 * player : 2 * player + 2]


def tokens(line: str) -> list[str]:
    """Split ``"r210fc/c"`` into ``r210 f c / c``.

    Raises:
        ParameterError: the text is no betting line.
    """
    parts = re.findall(r"[fc/]|r\d{0,12}", line)
    if "".join(parts) != line:
        raise ParameterError(f"{shortened(line)} is no betting line; write it as r210ffcf/cc.")
    return parts


def after(rules: TableRules, wagers: Wagers, token: str) -> Wagers:
    """Return the betting after a token.

    Raises:
        ParameterError: the action is not legal.
    """
    if token == NEXT and wagers.mover == NO_PLAYER and not wagers.is_over:
        return rules.next_street(wagers)
    if token != NEXT and wagers.mover != NO_PLAYER:
        if token == FOLD:  # even with nothing to call: rules do not list it, but hand histories contain it
            return rules.fold(wagers)
        if token == CALL:
            return rules.call(wagers)
        choices, amount = rules.choices(wagers), raised_to(rules, wagers, token)
        if (token == RAISE) == bool(rules.limit) and choices.low and choices.low <= amount <= choices.high:
            return rules.raise_to(wagers, amount)
    raise ParameterError(f"{token!r} is no legal action there.")


def raised_to(rules: TableRules, before: Wagers, token: str) -> int:
    """Return the amount on the street to which a token bets or raises."""
    return rules.choices(before).low if token == RAISE else int(token[1:])


def replay(rules: TableRules, line: str) -> Iterator[tuple[Wagers, str]]:
    """Yield the tokens of a betting line, each with the betting before it."""
    wagers = rules.root()
    for token in tokens(line):
        yield wagers, token
        wagers = after(rules, wagers, token)


def board_text(board: Sequence[int]) -> str:
    """Return the board as text: the flop sorted by rank, then turn and river."""
    return cards_text((*sorted(board[:3], reverse=True), *board[3:]), "")
