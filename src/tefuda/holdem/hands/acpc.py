"""Match states of the Annual Computer Poker Competition (protocol 2.0.0).

Example: ``MATCHSTATE:0:30:cc/:9s8h|/8c8d5c``.

The fields are the position, the hand's number, the betting and the cards. Hole cards are listed by position,
separated by ``|``; hidden cards are empty. The board of each street follows a ``/``. A bet is ``rN``, where N is the
player's total in the *whole hand*; in limit it is ``r``. Positions are players: heads-up 0 posts the big blind.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tefuda.errors import ParameterError, unreadable
from tefuda.holdem.cards import cards_text, read_cards
from tefuda.holdem.hands.hand import HIDDEN, NEXT, RAISE, Hand, after, replay
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.whole import Holdem

#: First line of a client.
VERSION = "VERSION:2.0.0"
_WHAT = "match state"
_LINE = re.compile(r"MATCHSTATE:(\d{1,15}):(\d{1,15}):(?P<betting>[^:]*):(?P<cards>[^:\s]*)(?::(\S+))?\s*")


class MatchState(NamedTuple):
    """Match state.

    Attributes:
        position: player who receives the match state.
        number: number of the hand.
        hand: state of the hand, with the cards that the player knows.
        action: action after the state, as `Holdem.child` takes it; empty if there is none.
    """

    position: int
    number: int
    hand: Hand
    action: str = ""


def match_state(game: Holdem, state: Hand, position: int, number: int, action: str = "") -> str:
    """Return a state as a line for a position; other players' cards are shown only at a showdown.

    Args:
        game: hold'em.
        state: state with all hole cards dealt.
        position: player who receives the line.
        number: number of the hand.
        action: action of the player to act, appended to the state; empty: none.

    >>> from tefuda.holdem import match_state
    >>> game = td.load_game("holdem", stack=20000, blinds=[50, 100])
    >>> state = game.root()
    >>> for label in "9s 8h Ac Kd c c 8c 8d 5c".split():
    ...     state = game.child(state, label)
    >>> match_state(game, state, 0, 30, "r200")
    'MATCHSTATE:0:30:cc/:9s8h|/8c8d5c:r300'
    """
    shown = game.shown(state) if state.wagers.is_over else (False,) * game.players
    holes = [
        cards_text(state.hole(seat), "") if seat == position or shown[seat] else "" for seat in range(game.players)
    ]
    boards = [cards_text(state.board[BOARD[street] : BOARD[street + 1]], "") for street in range(3)]
    betting = "".join(_hand_total_token(game.rules, before, token) for before, token in replay(game.rules, state.line))
    line = f"MATCHSTATE:{position}:{number}:{betting}:{'/'.join(['|'.join(holes), *filter(None, boards)])}"
    return f"{line}:{written_action(game, state, action)}" if action else line


def written_action(game: Holdem, state: Hand, action: str) -> str:
    """Return an action in the protocol's form: the amount of ``"r300"`` is the total in the whole hand."""
    return _hand_total_token(game.rules, state.wagers, game.token(state, action))


def read_match_state(game: Holdem, line: str) -> MatchState:
    """Read a line, with or without a line break.

    Raises:
        ParameterError: the line is malformed or impossible; the error marks the position.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise unreadable(_WHAT, line, (0, len(line)), "is no match state; write MATCHSTATE:position:hand:betting:cards")
    position, number = int(match[1]), int(match[2])
    if position >= game.players:
        raise unreadable(_WHAT, line, match.span(1), f"is no position; write 0 to {game.players - 1}")
    state = read_state(game, line, match)
    if match[5] is None:
        return MatchState(position, number, state)
    return MatchState(position, number, state, _read_part(game.rules, state.wagers, line, *match.span(5))[1])


def read_state(game: Holdem, line: str, match: re.Match[str]) -> Hand:
    """Return the state of a line by its match, which has the groups `betting` and `cards`."""
    wagers, line_, start = game.rules.root(), "", match.start("betting")
    for part in re.finditer(r"r\d*|.", match["betting"]):
        wagers, token = _read_part(game.rules, wagers, line, *(start + offset for offset in part.span()))
        line_ += token
    return Hand(*_read_cards(game, line, match, wagers), wagers, line_)


def _read_part(rules: TableRules, wagers: Wagers, line: str, start: int, stop: int) -> tuple[Wagers, str]:
    """Return the betting after a token of a line, and the token with the amount on the street."""
    token = part = line[start:stop]
    if re.fullmatch(r"r\d{1,12}", part) and wagers.mover != NO_PLAYER:
        token = f"{RAISE}{int(part[1:]) - _before(rules, wagers)}"
    if not re.fullmatch(r"[fc/]|r\d{0,12}", token):
        raise unreadable(_WHAT, line, (start, stop), "is no action; write f, c, r, r300 or /")
    try:
        return after(rules, wagers, token), token
    except ParameterError:
        raise unreadable(_WHAT, line, (start, stop), "is no legal action there") from None


def _read_cards(
    game: Holdem, line: str, match: re.Match[str], wagers: Wagers
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the hole cards, `HIDDEN` if they are not given, and the board."""
    hands, *streets = match["cards"].split(NEXT)
    holes, board, problem = hands.split("|"), "".join(streets), ""
    wanted = [2 * (BOARD[street + 1] - BOARD[street]) for street in range(wagers.street)]
    if len(holes) != game.players or [len(street) for street in streets] != wanted:
        problem = f"must be the hole cards of {game.players} players and {BOARD[wagers.street]} cards of the board"
    elif any(len(hole) not in (0, 4) for hole in holes):
        problem = "must have two hole cards for each player, or none"
    else:
        try:
            read_cards("".join(holes) + board)
        except ParameterError as error:
            problem = f"has invalid cards: {error.message}"
    if problem:
        raise unreadable(_WHAT, line, match.span("cards"), problem)
    known = [read_cards(hole) or (HIDDEN, HIDDEN) for hole in holes]
    return tuple(card for hole in known for card in hole), read_cards(board)


def _before(rules: TableRules, wagers: Wagers) -> int:
    """Return the chips that the player to act has bet on previous streets."""
    player = wagers.mover
    return rules.stacks[player] - wagers.stacks[player] - wagers.bets[player]


def _hand_total_token(rules: TableRules, before: Wagers, token: str) -> str:
    """Return a token with its amount as the total in the whole hand."""
    return f"{RAISE}{_before(rules, before) + int(token[1:])}" if token[0] == RAISE and token != RAISE else token
