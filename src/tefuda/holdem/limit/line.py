"""Lines of limit hold'em with their cards: ``"Raise(20)/Call/Qs/Jh/2h/Check"``."""

from __future__ import annotations

from typing import NamedTuple

from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, RAISE, after
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, TableRules, Wagers


class LimitStep(NamedTuple):
    """A part of a line.

    Attributes:
        name: action such as ``"Raise(20)"``, or a card.
        player: the player to act; None for a card.
    """

    name: str
    player: int | None


class LimitLine(NamedTuple):
    """The place to which a line leads.

    Attributes:
        steps: parts of the line.
        wagers: state of the betting; the last street's until all cards of the next one are there.
        betting: letters of the actions as in `LimitNode`, such as ``"rc/c"``.
        board: cards of the board.
    """

    steps: tuple[LimitStep, ...]
    wagers: Wagers
    betting: str
    board: tuple[int, ...]

    @property
    def needs_card(self) -> bool:
        """True if a card comes next."""
        return self.wagers.mover == NO_PLAYER and not self.wagers.is_over

    @property
    def text(self) -> str:
        """The line in canonical spelling."""
        return "/".join(step.name for step in self.steps)


def limit_actions(rules: TableRules, wagers: Wagers) -> dict[str, str]:
    """Return the letters of the actions of the player to act by name; empty without one.

    >>> from tefuda.holdem.limit.graph import limit_rules
    >>> limit_actions(limit_rules(), limit_rules().root())
    {'Fold': 'f', 'Call': 'c', 'Raise(20)': 'r'}
    """
    if wagers.mover == NO_PLAYER:
        return {}
    choices = rules.choices(wagers)
    actions = {"Fold": FOLD, "Call": CALL} if choices.facing_bet else {"Check": CALL}
    raises = {f"{'Raise' if max(wagers.bets) else 'Bet'}({choices.low})": RAISE} if choices.low else {}
    return actions | raises


def read_limit_line(rules: TableRules, text: str) -> LimitLine:
    """Read a line: actions by name and cards one by one, separated by slashes.

    Args:
        rules: limit rules.
        text: the line; empty for the first decision.

    Raises:
        ParameterError: a part is no action there, or no card that may come.

    >>> from tefuda.holdem.limit.graph import limit_rules
    >>> line = read_limit_line(limit_rules(), "Raise(20)/Call/Qs/Jh/2h/Check")
    >>> line.betting, line.wagers.street, line.wagers.mover
    ('rc/c', 1, 1)
    """
    line = LimitLine((), rules.root(), "", ())
    for part in text.split("/") if text else ():
        line = _with_card(rules, line, part) if line.needs_card else _with_action(rules, line, part)
    return line


def spell_limit_line(rules: TableRules, betting: str, board: tuple[int, ...]) -> str:
    """Return the line of a betting line in letters, which must be possible, with the cards of the board.

    >>> from tefuda.holdem.cards import read_cards
    >>> from tefuda.holdem.limit.graph import limit_rules
    >>> spell_limit_line(limit_rules(), "rc/c", read_cards("Qs Jh 2h"))
    'Raise(20)/Call/Qs/Jh/2h/Check'
    """
    line = _with_cards(rules, read_limit_line(rules, ""), board)
    for letter in betting.replace(NEXT, ""):
        names = {known: name for name, known in limit_actions(rules, line.wagers).items()}
        line = _with_cards(rules, _with_action(rules, line, names[letter]), board)
    return line.text


def _with_cards(rules: TableRules, line: LimitLine, board: tuple[int, ...]) -> LimitLine:
    """Return a line with the cards of the board that come before the next action."""
    while line.needs_card and len(line.board) < len(board):
        line = _with_card(rules, line, card_text(board[len(line.board)]))
    return line


def _with_card(rules: TableRules, line: LimitLine, part: str) -> LimitLine:
    cards = read_cards(part, "the next card")
    if len(cards) != 1 or cards[0] in line.board:
        raise ParameterError(f"after {line.text or 'the start'!r} one new card comes; got {part!r}.", key="line")
    board, wagers, betting = (*line.board, *cards), line.wagers, line.betting
    if len(board) == BOARD[wagers.street + 1]:
        wagers, betting = rules.next_street(wagers), betting + NEXT
    return LimitLine((*line.steps, LimitStep(card_text(cards[0]), None)), wagers, betting, board)


def _with_action(rules: TableRules, line: LimitLine, part: str) -> LimitLine:
    known = limit_actions(rules, line.wagers)
    if part not in known:
        allowed = ", ".join(known) or "none, the hand is over"
        raise ParameterError(f"{part!r} is not an action there; allowed: {allowed}.", key="line", value=part)
    wagers = after(rules, line.wagers, known[part])
    return LimitLine((*line.steps, LimitStep(part, line.wagers.mover)), wagers, line.betting + known[part], line.board)
