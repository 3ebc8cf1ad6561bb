"""Hand histories in the PHH format: ``.phh`` files with one hand and ``.phhs`` files with several.

- No-limit (``NT``) and limit (``FT``) hold'em are supported.
- Players are in order from the left of the button. Heads-up forced bets are listed in reverse.
- Amounts may be fractions; a chip is the largest unit that makes all of them whole.
- Files do not limit the number of raises in limit hold'em, so any number is accepted.
- A player who mucks (``p1 sm``) forfeits the pots. Of a hand shown in part (``p1 sm Ad??``), the shown cards count.
- Equal antes are dead money unless ``ante_trimming_status`` is true.
- Stacks may be unknown (``inf``).
- A negative blind is a live blind posted out of turn.

Source: PHH specification (github.com/uoftcprg/phh-std).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from tefuda.errors import ParameterError, RunError, shortened
from tefuda.files import read_bytes
from tefuda.holdem.cards import read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after
from tefuda.holdem.hands.rules import BOARD, MAX_CHIPS, NO_PLAYER, TableRules
from tefuda.holdem.histories.amounts import FINEST, FINISHING, WINNINGS, amounts_of
from tefuda.holdem.histories.phh_text import BETS, CURRENCY, FULL_BLINDS, REOPENS, TRIMMING, forced_bet_order
from tefuda.holdem.histories.record import HandHistory, Seat

_SEATS = ("antes", "blinds_or_straddles", "starting_stacks")  # an amount for each player
_PLAYERS = "players"
_PARTS = re.compile(r"\S+")
_UNKNOWN = "??"
_Part = re.Match[str]


def read_phh(path: str | Path) -> list[HandHistory]:
    """Read the hands of a file, ``.phh`` or ``.phhs``.

    Raises:
        RunError: the file cannot be read or has an impossible hand; the error marks the position.
    """
    file = Path(path)
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RunError(f"{file} must be text in UTF-8: {error}.") from None
    return read_hands(text, str(file))


def read_hands(text: str, source: str = "hands") -> list[HandHistory]:
    """Read hands from a TOML text, one hand or a table for each; `source` names the text in errors."""
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:  # numbers may be too long, too
        raise RunError(
            f"{source} is no TOML, the format of PHH files: {error}", value=error, **_toml_mark(text, str(error))
        ) from None
    if not content:
        raise RunError(f"{source} is empty; expected at least one hand.")
    if all(isinstance(value, dict) for value in content.values()):
        return [_read(value, f"{source}, hand {name}") for name, value in content.items()]
    return [_read(content, source)]


def _toml_mark(text: str, message: str) -> dict[str, Any]:
    """Return the line and position that a TOML error names, as arguments of our error."""
    match, lines = re.search(r"line (\d+), column (\d+)", message), text.splitlines()
    if match is None or int(match[1]) > len(lines):
        return {}
    column = int(match[2]) - 1
    return {"text": lines[int(match[1]) - 1], "position": (column, column + 1)}


def _read(content: Mapping[str, Any], source: str) -> HandHistory:
    variant = content.get("variant")
    if not isinstance(variant, str) or variant not in BETS:
        raise RunError(f"{source}: variant must be NT (no-limit) or FT (limit hold'em); got {shortened(variant)}.")
    amounts = {name: amounts_of(content, name, source) for name in _SEATS}
    amounts |= {name: amounts_of(content, name, source, several=False) for name in BETS[variant]}
    actions = content.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise RunError(f"{source}: actions must be a list of texts; got {shortened(actions)}.")
    all_amounts = [amount for values in amounts.values() for amount in values]
    raises = [Decimal(found) for action in actions for found in re.findall(r" cbr (\d+\.?\d*)", action)]
    unit = _unit([amount for amount in all_amounts + raises if amount.is_finite()], source)
    chips = {
        name: tuple(int(value / unit) if value.is_finite() else MAX_CHIPS for value in values)
        for name, values in amounts.items()
    }
    try:
        rules = _rules(content, variant, chips, source)
    except ParameterError as error:
        raise RunError(f"{source}: {error}") from None
    hand, shown = _Replay(rules, unit, source).play(actions)
    known = {*amounts, "variant", "actions", TRIMMING, FULL_BLINDS, REOPENS}
    fields = {name: value for name, value in content.items() if name not in known}
    for name in {FINISHING, WINNINGS} & fields.keys():
        amounts_of(fields, name, source, rules.players)
    unknown = frozenset(seat for seat, stack in enumerate(amounts["starting_stacks"]) if not stack.is_finite())
    currency = fields.pop(CURRENCY) if isinstance(fields.get(CURRENCY), str) else ""
    seats = _seats(fields, rules.stacks)
    venue, number, table = (str(fields.get(name, "")) for name in ("venue", "hand", "table"))
    return HandHistory(
        rules, hand, unit, shown, fields, unknown, seats, room=venue, number=number, table=table, currency=currency,
        start=_start(fields),
    )  # fmt: skip


def _start(fields: Mapping[str, Any]) -> datetime | None:
    """Return the start by the fields of date and time; in UTC if the zone is known."""
    try:
        day = date(*(fields[name] for name in ("year", "month", "day")))
        local = datetime.combine(day, fields["time"])
        return local.replace(tzinfo=ZoneInfo(fields["time_zone"])).astimezone(UTC)
    except (KeyError, TypeError, ValueError, ArithmeticError, OSError):
        return None


def _rules(content: Mapping[str, Any], variant: str, chips: Mapping[str, tuple[int, ...]], source: str) -> TableRules:
    """Return the rules of a file's amounts; a negative blind is a post."""
    antes, blinds, stacks = (chips[name] for name in _SEATS)
    order, sizes = forced_bet_order(len(stacks)), [chips[name][0] for name in BETS[variant]]
    limit, min_bet = ((sizes[0], sizes[1]), 0) if variant == "FT" else (None, sizes[0])
    regular, posts = (tuple(max(0, sign * blind) for blind in blinds[order]) for sign in (1, -1))
    return TableRules(
        stacks, regular, antes[order], limit, min_bet, posts=posts, dead_antes=not _flag(content, TRIMMING, source),
        full_blinds=_flag(content, FULL_BLINDS, source), reopens=_flag(content, REOPENS, source),
    )  # fmt: skip


def _seats(fields: dict[str, Any], stacks: Sequence[int]) -> tuple[Seat, ...]:
    """Return the seats by the field ``players``, which is removed; a field of another form stays."""
    names, numbers = fields.get(_PLAYERS), fields.get("seats")
    if not _is_list(names, str, len(stacks)):
        return ()
    places: Any = numbers if _is_list(numbers, int, len(stacks)) else (0,) * len(stacks)
    return tuple(map(Seat, fields.pop(_PLAYERS), places, stacks))


def _is_list(values: object, kind: type, length: int) -> bool:
    return isinstance(values, list) and len(values) == length and all(type(value) is kind for value in values)


def _flag(content: Mapping[str, Any], name: str, source: str) -> bool:
    value = content.get(name, False)
    if not isinstance(value, bool):
        raise RunError(f"{source}: {name} must be true or false; got {shortened(value)}.")
    return value


def _unit(amounts: Sequence[Decimal], source: str) -> Decimal:
    """Return the largest power of ten, at most 1, of which all amounts are multiples."""
    finest = min((int(amount.normalize().as_tuple().exponent) for amount in amounts), default=0)
    if finest < -FINEST:
        raise RunError(f"{source}: amounts may have up to {FINEST} decimals; got {-finest}.")
    return Decimal(10) ** min(finest, 0)


class _Replay:
    """Replay of a hand; an error about an illegal action marks its position."""

    def __init__(self, rules: TableRules, unit: Decimal, source: str) -> None:
        self._rules, self._unit, self._source = rules, unit, source
        self._holes: list[list[int]] = [[] for _ in range(rules.players)]
        self._board: list[int] = []
        self._wagers, self._done = rules.root(), ""
        self._shown: dict[int, tuple[int, ...]] = {}
        self._number = 0

    def play(self, actions: Sequence[str]) -> tuple[Hand, tuple[tuple[int, tuple[int, ...]], ...]]:
        """Return the last state and `HandHistory.shown`."""
        for self._number, action in enumerate(actions, 1):
            parts = list(_PARTS.finditer(action.partition("#")[0]))
            if len(parts) == 1:
                self._refuse(parts[0], "has no action")
            if parts:
                {"dh": self._deal_hole, "db": self._deal_board}.get(parts[1][0], self._act)(parts)
        if any(len(hole) < 2 for hole in self._holes):
            raise RunError(f"{self._source}: every player must be dealt two cards.")
        holes = tuple(card for hole in self._holes for card in hole)
        return Hand(holes, tuple(self._board), self._wagers, self._done), tuple(self._shown.items())

    def _refuse(self, part: _Part, problem: str) -> NoReturn:
        place = f"{self._source}, action {self._number}"
        raise RunError(
            f"{place}: {part[0]!r} {problem}.", key=place, value=part[0], text=part.string, position=part.span()
        )

    def _play(self, token: str) -> None:
        self._wagers, self._done = after(self._rules, self._wagers, token), self._done + token

    def _player(self, part: _Part) -> int:
        match = re.fullmatch(r"p([1-9]\d?)", part[0])
        if match is None or int(match[1]) > self._rules.players:
            self._refuse(part, f"is no player; write p1 to p{self._rules.players}")
        return int(match[1]) - 1

    def _deal(self, part: _Part, number: int) -> list[int]:
        """Read cards and check that they have not been dealt; unknown cards are `HIDDEN`."""
        if len(part[0]) != 2 * number:
            self._refuse(part, f"must be {number} cards")
        try:
            cards = [HIDDEN if text == _UNKNOWN else read_cards(text)[0] for text in re.findall("..", part[0])]
        except ParameterError:
            self._refuse(part, "are no cards; write AcKd, or ???? for unknown cards")
        dealt_ = {card for hole in self._holes for card in hole} | {*self._board}
        known = [card for card in cards if card != HIDDEN]
        if dealt_ & {*known} or len({*known}) < len(known):
            self._refuse(part, "has a card that is already dealt")
        return cards

    def _deal_hole(self, parts: list[_Part]) -> None:
        if len(parts) != 4 or parts[0][0] != "d":
            self._refuse(parts[-1], "cannot be read; write d dh p1 AcKd")
        player, number = self._player(parts[2]), len(parts[3][0]) // 2
        if self._done or self._board or len(self._holes[player]) + number > 2:
            self._refuse(parts[2], "already has its cards")
        self._holes[player] += self._deal(parts[3], number)

    def _deal_board(self, parts: list[_Part]) -> None:
        if len(parts) != 3 or parts[0][0] != "d":
            self._refuse(parts[-1], "cannot be read; write d db Jc3d5c")
        if self._wagers.mover != NO_PLAYER or self._wagers.is_over:
            self._refuse(parts[1], "is impossible: a player is to act, or the hand is over")
        street = self._wagers.street + 1
        cards = self._deal(parts[2], BOARD[street] - BOARD[street - 1])
        if HIDDEN in cards:
            self._refuse(parts[2], "has unknown cards; the board must be known")
        self._board += cards
        self._play(NEXT)

    def _act(self, parts: list[_Part]) -> None:
        player, verb, mover = self._player(parts[0]), parts[1][0], self._wagers.mover
        if verb == "sm":
            return self._show(player, parts)
        if verb not in ("f", "cc", "cbr") or len(parts) != 2 + (verb == "cbr"):
            self._refuse(parts[-1], "cannot be read; write f, cc, cbr 300, or sm")
        if mover != player:
            self._refuse(parts[0], "is not to act; " + ("no player is" if mover == NO_PLAYER else f"p{mover + 1} is"))
        return self._play({"f": FOLD, "cc": CALL}.get(verb) or self._raised(parts[2]))

    def _raised(self, part: _Part) -> str:
        choices = self._rules.choices(self._wagers)
        if not re.fullmatch(r"\d+\.?\d*", part[0]):
            self._refuse(part, "is no amount")
        amount = Decimal(part[0]) / self._unit
        if not choices.low or not choices.low <= amount <= choices.high:
            low, high = (f"{chips * self._unit:f}" for chips in (choices.low, choices.high))
            allowed = f"raises must be from {low} to {high}" if choices.low else "no raise is allowed"
            self._refuse(part, f"is impossible; {allowed}")
        return RAISE if self._rules.limit else f"{RAISE}{int(amount)}"

    def _show(self, player: int, parts: list[_Part]) -> None:
        """Show or muck: ``sm`` mucks, ``sm -`` shows the cards dealt, ``sm Ad??`` shows in part."""
        wagers, hole, earlier = self._wagers, self._holes[player], self._shown.pop(player, (HIDDEN,))
        all_in = wagers.mover == NO_PLAYER and (wagers.is_over or self._rules.next_street(wagers).mover == NO_PLAYER)
        if len(parts) > 3 or wagers.folded >> player & 1 or not all_in or HIDDEN not in earlier:
            self._refuse(parts[1], "is impossible: the player has folded, mucked or shown, or a player is to act")
        if len(parts) == 2:
            self._shown[player] = ()
        elif parts[2][0] != "-":
            self._shown[player] = self._shown_cards(player, parts[2])
        elif len(hole) < 2 or HIDDEN in hole:
            self._refuse(parts[2], "shows cards that were not dealt; write sm AcKd, or sm to muck")
        else:
            self._shown[player] = tuple(hole)

    def _shown_cards(self, player: int, part: _Part) -> tuple[int, ...]:
        """Return the cards that a player shows, which complete those dealt to it."""
        hole, self._holes[player] = self._holes[player], []
        cards = self._deal(part, 2)
        known = [card for card in dict.fromkeys((*cards, *hole)) if card != HIDDEN]
        if len(known) > 2:
            self._refuse(part, "differs from the cards dealt")
        self._holes[player] = [*known, HIDDEN, HIDDEN][:2] if HIDDEN in hole else hole
        return tuple(cards)
