"""Lines of whole hands with their cards: ``"Raise(20)/Call/Qs/Jh/2h/Check"``.

The place to which a line leads is a `Hand` without hole cards. Its betting is that of the last street until all cards
of the next one are there.
"""

from __future__ import annotations

from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, RAISE, Hand, after, replay
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu

_LIMIT = Menu()


def betting_actions(rules: TableRules, wagers: Wagers, menu: Menu = _LIMIT) -> dict[str, str]:
    """Return the tokens of the player's actions by name, raises by rising amount; empty at the end.

    >>> from tefuda.holdem.buckets.graph import limit_rules
    >>> betting_actions(limit_rules(), limit_rules().root())
    {'Fold': 'f', 'Call': 'c', 'Raise(20)': 'r'}
    """
    if wagers.mover == NO_PLAYER:
        return {}
    choices = rules.choices(wagers)
    actions = {"Fold": FOLD, "Call": CALL} if choices.facing_bet else {"Check": CALL}
    verb, all_in = "Raise" if max(wagers.bets) else "Bet", wagers.bets[wagers.mover] + wagers.stacks[wagers.mover]
    for amount in sorted(menu.amounts(rules, wagers, choices).values()):
        actions[f"{'AllIn' if amount == all_in else verb}({amount})"] = RAISE if rules.limit else f"{RAISE}{amount}"
    return actions


def needs_card(place: Hand) -> bool:
    """Return whether a card comes next."""
    return place.wagers.mover == NO_PLAYER and not place.wagers.is_over


def read_betting_line(rules: TableRules, text: str, menu: Menu = _LIMIT) -> Hand:
    """Read a line: actions by name and cards one by one, separated by slashes.

    Args:
        rules: rules of the table.
        text: the line; empty for the first decision.
        menu: bet sizes of no-limit.

    Raises:
        ParameterError: a part is no action there, or no card that may come.

    >>> from tefuda.holdem.buckets.graph import limit_rules
    >>> place = read_betting_line(limit_rules(), "Raise(20)/Call/Qs/Jh/2h/Check")
    >>> place.line, place.wagers.street, place.wagers.mover
    ('rc/c', 1, 1)
    """
    place = Hand((), (), rules.root())
    for part in text.split("/") if text else ():
        place = _with_card(rules, place, part, menu) if needs_card(place) else _with_action(rules, place, part, menu)
    return place


def spell_betting_line(rules: TableRules, betting: str, board: tuple[int, ...], menu: Menu = _LIMIT) -> str:
    """Return the line of a betting line in tokens, which must be possible, with the cards of the board.

    >>> from tefuda.holdem.cards import read_cards
    >>> from tefuda.holdem.buckets.graph import limit_rules
    >>> spell_betting_line(limit_rules(), "rc/c", read_cards("Qs Jh 2h"))
    'Raise(20)/Call/Qs/Jh/2h/Check'
    """
    parts, cards = list[str](), list(map(card_text, board))
    for before, token in replay(rules, betting):
        if token == NEXT:
            parts += cards[BOARD[before.street] : BOARD[before.street + 1]]
        else:
            parts += (name for name, each in betting_actions(rules, before, menu).items() if each == token)
    return "/".join([*parts, *cards[BOARD[betting.count(NEXT)] :]])


def _with_card(rules: TableRules, place: Hand, part: str, menu: Menu) -> Hand:
    cards = read_cards(part, "the next card")
    if len(cards) != 1 or cards[0] in place.board:
        line = spell_betting_line(rules, place.line, place.board, menu) or "the start"
        raise ParameterError(f"after {line!r} one new card comes; got {part!r}.", key="line")
    place = place._replace(board=(*place.board, *cards))
    if len(place.board) < BOARD[place.wagers.street + 1]:
        return place
    return place._replace(wagers=rules.next_street(place.wagers), line=place.line + NEXT)


def _with_action(rules: TableRules, place: Hand, part: str, menu: Menu) -> Hand:
    known = betting_actions(rules, place.wagers, menu)
    if part not in known:
        allowed = ", ".join(known) or "none, the hand is over"
        raise ParameterError(f"{part!r} is not an action there; allowed: {allowed}.", key="line", value=part)
    return place._replace(wagers=after(rules, place.wagers, known[part]), line=place.line + known[part])
