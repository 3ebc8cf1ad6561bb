"""Files of hands in the PHH format: ``.phh``, a hand, and ``.phhs``, hands as numbered tables.

Read are no-limit (``NT``) and limit (``FT``) hold'em. Players stand from the left of the button; heads-up forced bets
are listed the other way round. Amounts need not be whole: chips are of the smallest unit that makes them so. How often
may be raised in limit no file says, so any number is read. Source: PHH specification (github.com/uoftcprg/phh-std).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from tefuda.errors import ParameterError, RunError, shortened
from tefuda.files import read_bytes, write_bytes
from tefuda.holdem.cards import card_text, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after, tokens
from tefuda.holdem.hands.rules import BOARD, NOBODY, TableRules
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem

_RULES = {
    "NT": ("antes", "blinds_or_straddles", "min_bet", "starting_stacks"),
    "FT": ("antes", "blinds_or_straddles", "small_bet", "big_bet", "starting_stacks"),
}
_FINEST = 4  # digits behind the point of an amount
_MOST = 10**9
_PARTS = re.compile(r"\S+")
_UNKNOWN = "??"


@dataclass(frozen=True)
class Record:
    """A hand that was played, whole or as far as it went.

    Args:
        rules: of the table, in chips.
        hand: its last state; cards that are not known are `HIDDEN`.
        unit: what a chip is worth in the file.
        shown: who showed or mucked at the end, in this order: (player, whether it showed).
        fields: all else that a file says: players, venue, ...

    >>> from tefuda.holdem import record_of
    >>> game = td.load_game("holdem")
    >>> state = game.root()
    >>> for label in "As Ks 7h 2c f".split():
    ...     state = game.child(state, label)
    >>> record_of(game, state).actions
    ('d dh p1 AsKs', 'd dh p2 7h2c', 'p2 f')
    """

    rules: TableRules
    hand: Hand
    unit: Decimal = Decimal(1)
    shown: tuple[tuple[int, bool], ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> Holdem:
        """The rules as a game in which every amount is listed."""
        return Holdem(self.rules, Menu() if self.rules.limit else Menu(free=True))

    @property
    def payoffs(self) -> tuple[int, ...] | None:
        """Chips won or lost; None if the hand is not over, or cards that decide it are not known."""
        wagers = self.hand.wagers
        live = wagers.live if wagers.is_over else []
        if not live or (len(live) > 1 and any(HIDDEN in self.hand.hole(player) for player in live)):
            return None
        return self.game.payoffs(self.hand)

    @property
    def actions(self) -> tuple[str, ...]:
        """What happened, as files have it."""
        return tuple(self._told())

    def _told(self) -> Iterator[str]:
        for player in range(self.rules.players):
            yield f"d dh p{player + 1} {_cards(self.hand.hole(player))}"
        wagers, board = self.rules.root(), self.hand.board
        for token in tokens(self.hand.done):
            mover, street = wagers.mover + 1, wagers.street
            raised = wagers.bets
            wagers = after(self.rules, wagers, token)
            if token == NEXT:
                yield f"d db {_cards(board[BOARD[street] : BOARD[street + 1]])}"
            elif token in (FOLD, CALL):
                yield f"p{mover} {'f' if token == FOLD else 'cc'}"
            else:
                amount = next(bet for bet, before in zip(wagers.bets, raised, strict=True) if bet != before)
                yield f"p{mover} cbr {amount * self.unit:f}"
        for player, showed in self.shown:
            yield f"p{player + 1} sm {_cards(self.hand.hole(player)) if showed else '-'}"


def record_of(game: Holdem, state: Hand, **fields: Any) -> Record:
    """A hand that was played in a game, whoever showed cards at its end.

    Args:
        game: of whole hands.
        state: where the hand ended.
        fields: what a file should say besides, ``players=["a", "b"]``.
    """
    shown = tuple((player, True) for player, open_ in enumerate(game.shown(state)) if open_ and state.wagers.is_over)
    return Record(game.rules, state, shown=shown, fields=fields)


def winnings(records: Sequence[Record]) -> dict[str, tuple[int, Decimal]]:
    """Return for each player the number of hands with a known result, and the sum it won in them.

    Args:
        records: hands; a hand that is not over, or whose deciding cards are not known, is left out.

    Returns:
        By the names in the field ``players``, or ``p1``, ``p2``, ... where a hand has no names. Sums are in the unit of
        the file.
    """
    table: dict[str, tuple[int, Decimal]] = {}
    for record in records:
        for name, chips in zip(_names(record), record.payoffs or (), strict=False):
            hands, total = table.get(name, (0, Decimal(0)))
            table[name] = hands + 1, total + chips * record.unit
    return table


def _names(record: Record) -> list[str]:
    """The players' names in a record; the seats' numbers if the field ``players`` is no such list."""
    names, players = record.fields.get("players"), record.rules.players
    if isinstance(names, list) and len(names) == players and all(isinstance(name, str) for name in names):
        return names
    return [f"p{player + 1}" for player in range(players)]


# Reading.


def read_phh(path: str | Path) -> list[Record]:
    """The hands of a file, ``.phh`` or ``.phhs``.

    Raises:
        RunError: it cannot be read, or a hand in it cannot have been; the place is marked.
    """
    place = Path(path)
    try:
        text = read_bytes(place).decode()
    except UnicodeDecodeError as error:
        raise RunError(f"{place} is no text in UTF-8: {error}.") from None
    return read_hands(text, str(place))


def read_hands(text: str, where: str = "hands") -> list[Record]:
    """The hands of a text in TOML: one, or tables of them.

    Args:
        text: what was written.
        where: how it is called in a message.

    Raises:
        RunError: see `read_phh`.
    """
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:  # of numbers without end too
        raise RunError(f"{where} is no TOML: {error}", value=error, **_toml_mark(text, str(error))) from None
    if not content:
        raise RunError(f"{where} holds no hand: it is empty.")
    if all(isinstance(value, dict) for value in content.values()):
        return [_read(value, f"{where}, hand {name}") for name, value in content.items()]
    return [_read(content, where)]


def _toml_mark(text: str, told: str) -> dict[str, Any]:
    """The line that a message of TOML names, and the place in it, for an error."""
    found, lines = re.search(r"line (\d+), column (\d+)", told), text.splitlines()
    if found is None or int(found[1]) > len(lines):
        return {}
    column = int(found[2]) - 1
    return {"text": lines[int(found[1]) - 1], "position": (column, column + 1)}


def _read(content: Mapping[str, Any], where: str) -> Record:
    variant = content.get("variant")
    if not isinstance(variant, str) or variant not in _RULES:
        raise RunError(f"{where}: variant is {shortened(variant)}; read are NT (no-limit) and FT (limit hold'em).")
    given = {name: _amounts(content, name, where) for name in _RULES[variant]}
    actions = content.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise RunError(f"{where}: actions are {shortened(actions)}; they must be a list of texts.")
    amounts = [amount for values in given.values() for amount in values]
    raised = [Decimal(found) for action in actions for found in re.findall(r" cbr (\d+\.?\d*)", action)]
    unit = _unit(amounts + raised, where)
    chips = {name: tuple(int(value / unit) for value in values) for name, values in given.items()}
    turn = slice(None, None, -1 if len(chips["starting_stacks"]) == 2 else 1)
    try:
        rules = TableRules(
            chips["starting_stacks"],
            chips["blinds_or_straddles"][turn],
            chips["antes"][turn],
            (chips["small_bet"][0], chips["big_bet"][0]) if variant == "FT" else None,
            chips["min_bet"][0] if variant == "NT" else 0,
        )
    except ParameterError as error:
        raise RunError(f"{where}: {error}") from None
    hand, shown = _Replay(rules, unit, where).play(actions)
    known = {*_RULES[variant], "variant", "actions"}
    return Record(rules, hand, unit, shown, {name: value for name, value in content.items() if name not in known})


def _amounts(content: Mapping[str, Any], name: str, where: str) -> list[Decimal]:
    """One amount or several."""
    value = content.get(name)
    values: list[Any] = value if isinstance(value, list) else [value]
    several = name in ("antes", "blinds_or_straddles", "starting_stacks")
    right = isinstance(value, list) == several and all(
        isinstance(one, (int, Decimal))
        and not isinstance(one, bool)
        and Decimal(one).is_finite()
        and (one == 0 or Decimal(10) ** -_FINEST <= one <= _MOST)
        for one in values
    )
    if not right:
        told = "a list of amounts, one for each player" if several else "an amount"
        raise RunError(f"{where}: {name} is {shortened(value)}; it must be {told}, from 0 to {_MOST:,}.")
    return [Decimal(one) for one in values]


def _unit(amounts: Sequence[Decimal], where: str) -> Decimal:
    """The largest power of ten, 1 at most, of which all amounts are multiples."""
    finest = min((int(amount.normalize().as_tuple().exponent) for amount in amounts), default=0)
    if finest < -_FINEST:
        raise RunError(f"{where}: amounts have up to {-finest} digits behind the point; read are {_FINEST}.")
    return Decimal(10) ** min(finest, 0)


class _Replay:
    """A hand played again, action by action; what cannot be done is refused with its place marked."""

    def __init__(self, rules: TableRules, unit: Decimal, where: str) -> None:
        self._rules, self._unit, self._where = rules, unit, where
        self._holes: list[list[int]] = [[] for _ in range(rules.players)]
        self._board: list[int] = []
        self._wagers, self._done = rules.root(), ""
        self._shown: list[tuple[int, bool]] = []
        self._action, self._number = "", 0

    def play(self, actions: Sequence[str]) -> tuple[Hand, tuple[tuple[int, bool], ...]]:
        """The last state, and who showed."""
        for number, action in enumerate(actions):
            self._action, self._number = action, number + 1
            parts = [(match[0], match.start()) for match in _PARTS.finditer(action.partition("#")[0])]
            if not parts:
                continue
            if len(parts) == 1:
                self._refuse(parts[0], "says not what is done")
            {"dh": self._deal_hole, "db": self._deal_board}.get(parts[1][0], self._act)(parts)
        if any(len(hole) < 2 for hole in self._holes):
            raise RunError(f"{self._where}: not all players are dealt two cards.")
        holes = tuple(card for hole in self._holes for card in hole)
        return Hand(holes, tuple(self._board), self._wagers, self._done), tuple(self._shown)

    def _refuse(self, part: tuple[str, int], why: str) -> NoReturn:
        text, start = part
        where, place = f"{self._where}, action {self._number}", (start, start + len(text))
        raise RunError(f"{where}: {text!r} {why}.", key=where, value=text, text=self._action, position=place)

    def _player(self, part: tuple[str, int]) -> int:
        match = re.fullmatch(r"p([1-9])", part[0])
        if match is None or int(match[1]) > self._rules.players:
            self._refuse(part, f"is no player; they are p1 to p{self._rules.players}")
        return int(match[1]) - 1

    def _dealt(self, part: tuple[str, int], number: int) -> list[int]:
        """So many cards that nobody has yet; unknown ones are `HIDDEN`."""
        texts = re.findall("..", part[0])
        if len(part[0]) != 2 * number:
            self._refuse(part, f"is not {number} cards")
        try:
            cards = [HIDDEN if text == _UNKNOWN else read_cards(text)[0] for text in texts]
        except ParameterError:
            self._refuse(part, "are no cards: write AcKd, or ???? if they are not known")
        gone = {card for hole in self._holes for card in hole} | {*self._board}
        known = [card for card in cards if card != HIDDEN]
        if gone & {*known} or len({*known}) < len(known):
            self._refuse(part, "names a card that is dealt already")
        return cards

    def _deal_hole(self, parts: list[tuple[str, int]]) -> None:
        if len(parts) != 4 or parts[0][0] != "d":
            self._refuse(parts[-1], "cannot be read; write d dh p1 AcKd")
        player = self._player(parts[2])
        number = len(parts[3][0]) // 2
        if self._done or self._board or len(self._holes[player]) + number > 2:
            self._refuse(parts[2], "has its cards already")
        self._holes[player] += self._dealt(parts[3], number)

    def _deal_board(self, parts: list[tuple[str, int]]) -> None:
        if len(parts) != 3 or parts[0][0] != "d":
            self._refuse(parts[-1], "cannot be read; write d db Jc3d5c")
        if self._wagers.mover != NOBODY or self._wagers.is_over:
            self._refuse(parts[1], "cannot be: somebody is to act, or the hand is over")
        street = self._wagers.street + 1
        cards = self._dealt(parts[2], BOARD[street] - BOARD[street - 1])
        if HIDDEN in cards:
            self._refuse(parts[2], "is not known; the board must be")
        self._board += cards
        self._wagers, self._done = self._rules.next_street(self._wagers), self._done + NEXT

    def _act(self, parts: list[tuple[str, int]]) -> None:
        player, (verb, _) = self._player(parts[0]), parts[1]
        if verb == "sm":
            self._show(player, parts)
            return
        if verb not in ("f", "cc", "cbr") or len(parts) != 2 + (verb == "cbr"):
            self._refuse(parts[-1], "cannot be read; write f, cc, cbr 300, or sm")
        if self._wagers.mover != player:
            mover = self._wagers.mover
            self._refuse(parts[0], "is not to act; " + ("nobody is" if mover == NOBODY else f"p{mover + 1} is"))
        token = {"f": FOLD, "cc": CALL}.get(verb) or self._raised(parts[2])
        self._wagers, self._done = after(self._rules, self._wagers, token), self._done + token

    def _raised(self, part: tuple[str, int]) -> str:
        choices = self._rules.choices(self._wagers)
        if not re.fullmatch(r"\d+\.?\d*", part[0]):
            self._refuse(part, "is no amount")
        amount = Decimal(part[0]) / self._unit
        if not choices.low or not choices.low <= amount <= choices.high:
            low, high = (f"{chips * self._unit:f}" for chips in (choices.low, choices.high))
            self._refuse(part, f"cannot be; raises go {f'from {low} to {high}' if choices.low else 'no further'}")
        return RAISE if self._rules.limit else f"{RAISE}{int(amount)}"

    def _show(self, player: int, parts: list[tuple[str, int]]) -> None:
        showed = len(parts) == 3 and parts[2][0] not in ("-", _UNKNOWN * 2)
        if len(parts) > 3 or self._wagers.folded >> player & 1 or self._wagers.mover != NOBODY:
            self._refuse(parts[1], "cannot be: it has folded, or somebody is to act")
        if showed:
            before, self._holes[player] = self._holes[player], []
            cards = self._dealt(parts[2], 2)
            if HIDDEN in cards or (HIDDEN not in before and {*cards} != {*before}):
                self._refuse(parts[2], "are other cards than those dealt")
            self._holes[player] = before if HIDDEN not in before else cards
        self._shown.append((player, showed))


# Writing.


def write_phh(path: str | Path, records: Sequence[Record]) -> None:
    """Write hands: one to ``.phh``, any number to ``.phhs``.

    Raises:
        ParameterError: another name, or not one hand for ``.phh``.
        RunError: the place cannot be written.
    """
    place = Path(path)
    if place.suffix not in (".phh", ".phhs"):
        raise ParameterError(f"{place} ends in {place.suffix!r}; hands are written to .phh (one) or .phhs (several).")
    if place.suffix == ".phh" and len(records) != 1:
        raise ParameterError(f"{place} holds one hand, and there are {len(records)}; name a file .phhs.")
    texts = [hand_text(record) for record in records]
    if place.suffix == ".phhs":
        texts = [f"[{number}]\n{text}" for number, text in enumerate(texts, 1)]
    write_bytes(place, "\n".join(texts).encode())


def hand_text(record: Record) -> str:
    """A hand as TOML."""
    rules, unit = record.rules, record.unit
    turn = slice(None, None, -1 if rules.players == 2 else 1)
    if rules.limit:
        bets = {"small_bet": rules.limit[0] * unit, "big_bet": rules.limit[1] * unit}
    else:
        bets = {"min_bet": rules.least * unit}
    content = {
        "variant": "FT" if rules.limit else "NT",
        "antes": [ante * unit for ante in rules.antes[turn]],
        "blinds_or_straddles": [blind * unit for blind in rules.blinds[turn]],
        **bets,
        "starting_stacks": [stack * unit for stack in rules.stacks],
        "actions": list(record.actions),
        **record.fields,
    }
    return "".join(f"{_key(name)} = {_toml(value)}\n" for name, value in content.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(name)} = {_toml(one)}' for name, one in value.items())}}}"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _cards(cards: Sequence[int]) -> str:
    return "".join(_UNKNOWN if card == HIDDEN else card_text(card) for card in cards)
