"""Match states of the Annual Computer Poker Competition (protocol 2.0.0): ``MATCHSTATE:0:30:cc/:9s8h|/8c8d5c``.

Behind the word stand the position, the hand's number, the betting and the cards: hole cards by position with ``|``
between, those not seen left out, then each street's board behind ``/``. Bets are ``rN``, N being all that the player
has put in over the *whole hand*; in limit ``r``. Positions are players as here: heads-up 0 posts the big blind.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after, story
from tefuda.holdem.hands.rules import BOARD, NOBODY, TableRules, Wagers
from tefuda.holdem.hands.whole import Holdem

#: What a client says first.
VERSION = "VERSION:2.0.0"
_LINE = re.compile(r"MATCHSTATE:(\d{1,15}):(\d{1,15}):([^:]*):([^:\s]*)(?::(\S+))?\s*")


class MatchState(NamedTuple):
    """What a dealer says of a hand: who is told, the hand's number, what it knows of it.

    answer: the action behind it, as `Holdem.child` takes it; nothing if there is none.
    """

    position: int
    number: int
    hand: Hand
    answer: str = ""


def match_state(game: Holdem, state: Hand, position: int, number: int, answer: str = "") -> str:
    """A state as a line, as a position sees it; cards of others only at a showdown.

    Args:
        game: of whole hands.
        state: a state in which all hole cards are dealt.
        position: the player who is told.
        number: of the hand.
        answer: an action of who is to act, to be written behind.

    >>> from tefuda.holdem import match_state
    >>> game = td.load_game("holdem", stack=20000, blinds=[50, 100])
    >>> state = game.root()
    >>> for label in "9s 8h Ac Kd c c 8c 8d 5c".split():
    ...     state = game.child(state, label)
    >>> match_state(game, state, 0, 30, "r200")
    'MATCHSTATE:0:30:cc/:9s8h|/8c8d5c:r300'
    """
    open_ = game.shown(state) if state.wagers.is_over else (False,) * game.players
    holes = "|".join(
        "".join(map(card_text, state.hole(player))) if player == position or open_[player] else ""
        for player in range(game.players)
    )
    boards = ["".join(map(card_text, state.board[BOARD[street] : BOARD[street + 1]])) for street in range(3)]
    betting = "".join(_written(game.rules, state))
    line = ":".join(("MATCHSTATE", str(position), str(number), betting, "/".join([holes, *filter(None, boards)])))
    return f"{line}:{written_action(game, state, answer)}" if answer else line


def written_action(game: Holdem, state: Hand, action: str) -> str:
    """An action of who is to act, as the protocol writes it: ``"r300"`` counts the whole hand."""
    if action in (FOLD, CALL):
        return action
    amount = game.amount(state, action)
    return RAISE if game.rules.limit else f"{RAISE}{_before(game.rules, state.wagers) + amount}"


def read_match_state(game: Holdem, line: str) -> MatchState:
    """What a line says, CR and LF behind it or not.

    Raises:
        ParameterError: it cannot be read, or what it says cannot be; the place is marked.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        _refuse(line, 0, len(line), "is no match state: write MATCHSTATE:position:hand:betting:cards")
    position, number = int(match[1]), int(match[2])
    if position >= game.players:
        _refuse(line, *match.span(1), f"is no position; there are {game.players}")
    wagers, done = game.rules.root(), ""
    for part in re.finditer(r"r\d*|.", match[3]):
        wagers, token = _read_part(game.rules, wagers, line, part[0], match.start(3) + part.start())
        done += token
    state = Hand(*_read_cards(game, line, match, wagers), wagers, done)
    if match[5] is None:
        return MatchState(position, number, state)
    token = _read_part(game.rules, wagers, line, match[5], match.start(5))[1]
    return MatchState(position, number, state, token)


def _read_part(rules: TableRules, wagers: Wagers, line: str, part: str, start: int) -> tuple[Wagers, str]:
    """The betting after a part of it, and the part as amounts on the street."""
    token = part
    if re.fullmatch(r"r\d{1,12}", part) and wagers.mover != NOBODY:
        token = f"{RAISE}{int(part[1:]) - _before(rules, wagers)}"
    if not re.fullmatch(r"[fc/]|r\d{0,12}", token):
        _refuse(line, start, start + len(part), "is no action; write f, c, r, r300 or /")
    try:
        return after(rules, wagers, token), token
    except ParameterError:
        _refuse(line, start, start + len(part), "cannot be done there")


def _read_cards(
    game: Holdem, line: str, match: re.Match[str], wagers: Wagers
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Hole cards, `HIDDEN` where none stand, and the board."""
    text, start = match[4], match.start(4)
    hands, *streets = text.split(NEXT)
    holes, board = hands.split("|"), "".join(streets)
    wanted = [2 * (BOARD[street + 1] - BOARD[street]) for street in range(wagers.street)]
    if len(holes) != game.players or [len(street) for street in streets] != wanted:
        _refuse(line, start, start + len(text), f"must be the cards of {game.players} and {BOARD[wagers.street]} open")
    if any(len(hole) not in (0, 4) for hole in holes):
        _refuse(line, start, start + len(hands), "must be two cards of each player, or none")
    try:
        read_cards("".join(holes) + board)
    except ParameterError as error:
        _refuse(line, start, start + len(text), f"cannot be cards: {error.message}")
    known = [read_cards(hole) or (HIDDEN, HIDDEN) for hole in holes]
    return tuple(card for hole in known for card in hole), read_cards(board)


def _before(rules: TableRules, wagers: Wagers) -> int:
    """What who is to act had put in before this street."""
    player = wagers.mover
    return rules.stacks[player] - wagers.stacks[player] - wagers.bets[player]


def _written(rules: TableRules, state: Hand) -> list[str]:
    """What was done, bets over the whole hand."""
    return [
        f"{RAISE}{_before(rules, before) + int(token[1:])}" if token[0] == RAISE and token != RAISE else token
        for before, token in story(rules, state.done)
    ]


def _refuse(line: str, start: int, stop: int, why: str) -> NoReturn:
    part = line[start:stop]
    raise ParameterError(
        f"match state: {part!r} {why}.", key="match state", value=part, text=line, position=(start, stop)
    )
