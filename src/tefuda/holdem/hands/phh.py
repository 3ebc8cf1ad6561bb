"""Hand histories in the PHH format: ``.phh`` files with one hand and ``.phhs`` files with several.

- No-limit (``NT``) and limit (``FT``) hold'em are supported.
- Players are in order from the left of the button. Heads-up forced bets are listed in reverse.
- Amounts may be fractions; a chip is the largest unit that makes all of them whole.
- Files do not limit the number of raises in limit hold'em, so any number is accepted.
- A player who mucks (``p1 sm``) forfeits the pots. Of a hand shown in part (``p1 sm Ad??``), the shown cards count.
- Equal antes are dead money unless ``ante_trimming_status`` is true.
- Stacks may be unknown (``inf``).

Source: PHH specification (github.com/uoftcprg/phh-std).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tefuda.errors import ParameterError, RunError, shortened
from tefuda.files import read_bytes, write_bytes
from tefuda.holdem.cards import card_text, mask_of, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after, raised_to, replay
from tefuda.holdem.hands.rules import BOARD, MAX_CHIPS, NO_PLAYER, TableRules
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.rank import strengths

_SEATS = ("antes", "blinds_or_straddles", "starting_stacks")  # an amount for each player
_BETS = {"NT": ("min_bet",), "FT": ("small_bet", "big_bet")}
_FINISHING, _WINNINGS, _TRIMMING = "finishing_stacks", "winnings", "ante_trimming_status"
_FINEST = 4  # maximum number of decimals of an amount
_MOST = 10**9
_PARTS = re.compile(r"\S+")
_UNKNOWN = "??"
_INFINITE = Decimal("inf")
_Part = re.Match[str]


@dataclass(frozen=True)
class Record:
    """Hand history of one hand, finished or not.

    Args:
        rules: rules of the table, in chips.
        hand: last state; unknown cards are `HIDDEN`.
        unit: value of a chip in the file.
        shown: player and cards of each showdown, in order: no cards if the player mucked, `HIDDEN` for cards not shown.
        fields: all other fields of the file, such as players and venue.
        unknown_stacks: players whose stacks are not known; in `rules` they are `MAX_CHIPS`.

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
    shown: tuple[tuple[int, tuple[int, ...]], ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    unknown_stacks: frozenset[int] = frozenset()

    @property
    def game(self) -> Holdem:
        """Game with these rules in which every legal amount is listed."""
        return Holdem(self.rules, Menu() if self.rules.limit else Menu(any_amount=True))

    @cached_property
    def payoffs(self) -> tuple[int, ...] | None:
        """Payoffs in chips by the rules; None if the hand is not over or depends on unknown cards."""
        wagers, shown = self.hand.wagers, dict(self.shown)
        mucked = [player for player in shown if not shown[player]]
        cards = {player: shown.get(player, self.hand.hole(player)) for player in wagers.live if player not in mucked}
        if not wagers.is_over and len(cards) > 1:
            return None
        rivals = [[player for player in contenders if player in cards] for _, contenders in self.rules.pots(wagers)]
        for players in rivals:
            hidden = [player for player in players if HIDDEN in cards[player]]
            if len(players) > 1 and (hidden == players or not shown.keys() >= {*hidden}):
                return None
        best = {player: place - len(mucked) for place, player in enumerate(mucked)}  # the last to muck keeps a pot
        if all(rivals):
            wagers = wagers._replace(folded=wagers.folded | sum(1 << player for player in mucked))
        if len(cards) > 1:
            sets = [mask_of({*hole, *self.hand.board} - {HIDDEN}) for hole in cards.values()]
            best |= dict(zip(cards, strengths(np.array(sets, dtype=np.uint64)).tolist(), strict=True))
        return self.rules.payoffs(wagers, [best.get(player, 0) for player in range(self.rules.players)])

    @property
    def recorded(self) -> tuple[Decimal, ...] | None:
        """Results by the field ``finishing_stacks`` or ``winnings``; None if unknown, or the hand is not over.

        Raises:
            RunError: the field is no list of amounts, one for each player.
        """
        if not (self.hand.wagers.is_over or self.payoffs):
            return None
        rules, unit = self.rules, self.unit
        if _FINISHING in self.fields:
            ends = _amounts(self.fields, _FINISHING, "record", rules.players)
            if not self.unknown_stacks and all(end.is_finite() for end in ends):
                return tuple(end - stack * unit for end, stack in zip(ends, rules.stacks, strict=True))
        if _WINNINGS in self.fields:
            won, called = _amounts(self.fields, _WINNINGS, "record", rules.players), rules.called(self.hand.wagers)
            if 0 < sum(won) <= sum(called) * unit:  # more would contain uncalled bets
                return tuple(amount - chips * unit for amount, chips in zip(won, called, strict=True))
        return None

    @property
    def paid(self) -> tuple[Decimal, ...] | None:
        """Results in the file's unit by the rules: `payoffs`."""
        return None if (payoffs := self.payoffs) is None else tuple(chips * self.unit for chips in payoffs)

    @property
    def results(self) -> tuple[Decimal, ...] | None:
        """Results in the file's unit: as recorded, else by the rules; None if neither is known."""
        return self.recorded or self.paid

    @property
    def actions(self) -> tuple[str, ...]:
        """Actions in PHH notation."""
        return tuple(self._action_lines())

    def _action_lines(self) -> Iterator[str]:
        for player in range(self.rules.players):
            yield f"d dh p{player + 1} {_cards(self.hand.hole(player))}"
        for before, token in replay(self.rules, self.hand.line):
            if token == NEXT:
                yield f"d db {_cards(self.hand.board[BOARD[before.street] : BOARD[before.street + 1]])}"
            elif token in (FOLD, CALL):
                yield f"p{before.mover + 1} {'f' if token == FOLD else 'cc'}"
            else:
                yield f"p{before.mover + 1} cbr {raised_to(self.rules, before, token) * self.unit:f}"
        for player, cards in self.shown:
            yield f"p{player + 1} sm {_cards(cards)}".rstrip()


def record_of(game: Holdem, state: Hand, **fields: Any) -> Record:
    """Return the record of a hand played in a game.

    Args:
        game: hold'em.
        state: last state of the hand.
        fields: other fields of the file, such as ``players=["a", "b"]``.
    """
    over, holes = state.wagers.is_over, [(player, state.hole(player)) for player in range(game.players)]
    shown = tuple(each for each, open_ in zip(holes, game.shown(state), strict=True) if open_ and HIDDEN not in each[1])
    return Record(game.rules, state, shown=shown if over else (), fields=fields)


def winnings(records: Sequence[Record]) -> dict[str, tuple[int, Decimal]]:
    """Return each player's number of hands with a known result, and total winnings in the file's unit.

    Names come from the field ``players``; players without a name are ``p1``, ``p2``, ...
    """
    table: dict[str, tuple[int, Decimal]] = {}
    for record in records:
        for name, result in zip(_names(record), record.results or (), strict=False):
            hands, total = table.get(name, (0, Decimal(0)))
            table[name] = hands + 1, total + result
    return table


def _names(record: Record) -> list[str]:
    """Return the players' names; ``p1``, ``p2``, ... for missing names."""
    names, seats = record.fields.get("players"), [f"p{player + 1}" for player in range(record.rules.players)]
    if isinstance(names, list) and len(names) == len(seats) and all(isinstance(name, str) for name in names):
        return [name or seat for name, seat in zip(names, seats, strict=True)]
    return seats


def read_phh(path: str | Path) -> list[Record]:
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


def read_hands(text: str, source: str = "hands") -> list[Record]:
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


def _read(content: Mapping[str, Any], source: str) -> Record:
    variant = content.get("variant")
    if not isinstance(variant, str) or variant not in _BETS:
        raise RunError(f"{source}: variant must be NT (no-limit) or FT (limit hold'em); got {shortened(variant)}.")
    amounts = {name: _amounts(content, name, source) for name in (*_SEATS, *_BETS[variant])}
    actions = content.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise RunError(f"{source}: actions must be a list of texts; got {shortened(actions)}.")
    all_amounts = [amount for values in amounts.values() for amount in values]
    raises = [Decimal(found) for action in actions for found in re.findall(r" cbr (\d+\.?\d*)", action)]
    unit = _unit([amount for amount in all_amounts + raises if amount.is_finite()], source)
    antes, blinds, stacks, *bets = (tuple(_chips(value, unit) for value in values) for values in amounts.values())
    order, sizes = _forced_bet_order(len(stacks)), [bet for (bet,) in bets]
    limit, min_bet = ((sizes[0], sizes[1]), 0) if variant == "FT" else (None, sizes[0])
    try:
        rules = TableRules(stacks, blinds[order], antes[order], limit, min_bet, dead_antes=_dead_antes(content, source))
    except ParameterError as error:
        raise RunError(f"{source}: {error}") from None
    hand, shown = _Replay(rules, unit, source).play(actions)
    known = {*amounts, "variant", "actions", _TRIMMING}
    fields = {name: value for name, value in content.items() if name not in known}
    for name in {_FINISHING, _WINNINGS} & fields.keys():
        _amounts(fields, name, source, rules.players)
    unknown = frozenset(seat for seat, stack in enumerate(amounts["starting_stacks"]) if not stack.is_finite())
    return Record(rules, hand, unit, shown, fields, unknown)


def _chips(amount: Decimal, unit: Decimal) -> int:
    return int(amount / unit) if amount.is_finite() else MAX_CHIPS


def _dead_antes(content: Mapping[str, Any], source: str) -> bool:
    """Return True if a player with less than the ante may win all antes."""
    trimmed = content.get(_TRIMMING, False)
    if not isinstance(trimmed, bool):
        raise RunError(f"{source}: {_TRIMMING} must be true or false; got {shortened(trimmed)}.")
    return not trimmed


def _forced_bet_order(players: int) -> slice:
    """Return the order of forced bets in files, which is reversed heads-up."""
    return slice(None, None, -1 if players == 2 else 1)


def _amounts(content: Mapping[str, Any], name: str, source: str, players: int = 0) -> list[Decimal]:
    """Return the amounts of a field: one for each player, or a single one; unknown stacks are infinite."""
    value, several = content.get(name), name in (*_SEATS, _FINISHING, _WINNINGS)
    values: list[Any] = value if isinstance(value, list) else [value]
    right = isinstance(value, list) == several and all(
        isinstance(amount, (int, Decimal))
        and not isinstance(amount, bool)
        and not Decimal(amount).is_nan()
        and (amount == 0 or Decimal(10) ** -_FINEST <= amount <= _MOST or (amount == _INFINITE and "stacks" in name))
        for amount in values
    )
    if not right or (players and len(values) != players):
        expected = "a list of amounts, one for each player" if several else "an amount"
        raise RunError(f"{source}: {name} must be {expected}, from 0 to {_MOST:,}; got {shortened(value)}.")
    return [Decimal(amount) for amount in values]


def _unit(amounts: Sequence[Decimal], source: str) -> Decimal:
    """Return the largest power of ten, at most 1, of which all amounts are multiples."""
    finest = min((int(amount.normalize().as_tuple().exponent) for amount in amounts), default=0)
    if finest < -_FINEST:
        raise RunError(f"{source}: amounts may have up to {_FINEST} decimals; got {-finest}.")
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
        """Return the last state and `Record.shown`."""
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


def write_phh(path: str | Path, records: Sequence[Record]) -> None:
    """Write hands to a file: one hand to ``.phh``, any number to ``.phhs``.

    Raises:
        ParameterError: the file has another ending, or the number of hands for ``.phh`` is not 1.
        RunError: the file cannot be written.
    """
    file = Path(path)
    if file.suffix not in (".phh", ".phhs"):
        raise ParameterError(f"{file} must end in .phh (one hand) or .phhs (several hands).")
    if file.suffix == ".phh" and len(records) != 1:
        raise ParameterError(f"a .phh file must have one hand, got {len(records)} for {file}; write to a .phhs file.")
    texts = [hand_text(record) for record in records]
    if file.suffix == ".phhs":
        texts = [f"[{number}]\n{text}" for number, text in enumerate(texts, 1)]
    write_bytes(file, "\n".join(texts).encode())


def hand_text(record: Record) -> str:
    """Return a hand as TOML."""
    rules, order = record.rules, _forced_bet_order(record.rules.players)
    bets = zip(_BETS["FT"], rules.limit, strict=True) if rules.limit else [("min_bet", rules.min_bet)]
    content = {
        "variant": "FT" if rules.limit else "NT",
        "antes": [ante * record.unit for ante in rules.antes[order]],
        "blinds_or_straddles": [blind * record.unit for blind in rules.blinds[order]],
        **{name: bet * record.unit for name, bet in bets},
        "starting_stacks": [
            _INFINITE if player in record.unknown_stacks else stack * record.unit
            for player, stack in enumerate(rules.stacks)
        ],
        "actions": list(record.actions),
        **({_TRIMMING: not rules.dead_antes} if any(rules.antes) else {}),
        **record.fields,
    }
    return "".join(f"{_key(name)} = {_toml(value)}\n" for name, value in content.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else str(float(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(name)} = {_toml(item)}' for name, item in value.items())}}}"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _cards(cards: Sequence[int]) -> str:
    return "".join(_UNKNOWN if card == HIDDEN else card_text(card) for card in cards)
