"""A whole hand as a state, and what was done in it as text: ``"r210ffcf/cc"``.

``f`` fold, ``c`` check or call, ``r210`` bet or raise *to* 210 on this street (``r`` where limits say how much), ``/``
the next street.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tefuda.errors import ParameterError, shortened
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.rules import NOBODY, TableRules, Wagers

FOLD, CALL, RAISE, NEXT = "f", "c", "r", "/"
HIDDEN = -1


class Hand(NamedTuple):
    """A state of a hand.

    holes: two cards of each player in turn, as far as they are dealt; `HIDDEN` where a view does not show them.
    board: open cards. wagers: where the betting stands. done: what was done, as text.
    """

    holes: tuple[int, ...]
    board: tuple[int, ...]
    wagers: Wagers
    done: str = ""

    def hole(self, player: int) -> tuple[int, ...]:
        """The cards of a player."""
        return self.holes[2 * player : 2 * player + 2]


def tokens(done: str) -> list[str]:
    """``"r210fc/c"`` as ``r210 f c / c``.

    Raises:
        ParameterError: something else stands there.
    """
    found = re.findall(r"[fc/]|r\d{0,12}", done)
    if "".join(found) != done:
        raise ParameterError(f"{shortened(done)} is no line of actions; write r210ffcf/cc.")
    return found


def after(rules: TableRules, wagers: Wagers, token: str) -> Wagers:
    """The betting after a part of what was done.

    Raises:
        ParameterError: it cannot be done.
    """
    if token == NEXT and wagers.mover == NOBODY and not wagers.is_over:
        return rules.next_street(wagers)
    if token == NEXT or wagers.mover == NOBODY:
        raise ParameterError(f"{token!r} cannot be done there.")
    if token == FOLD:  # even where there is nothing to call: it is not listed, but records have it
        return rules.fold(wagers)
    if token == CALL:
        return rules.call(wagers)
    choices = rules.choices(wagers)
    amount = choices.low if token == RAISE else int(token[1:] or 0)
    if (token == RAISE) != bool(rules.limit) or not choices.low or not choices.low <= amount <= choices.high:
        raise ParameterError(f"{token!r} cannot be done there.")
    return rules.raise_to(wagers, amount)


def story(rules: TableRules, done: str) -> Iterator[tuple[Wagers, str]]:
    """What was done, part by part, each with where the betting stood before."""
    wagers = rules.root()
    for token in tokens(done):
        yield wagers, token
        wagers = after(rules, wagers, token)


def board_text(board: Sequence[int]) -> str:
    """The flop by rank, whatever order it came in, then turn and river."""
    return "".join(map(card_text, (*sorted(board[:3], reverse=True), *board[3:])))
