"""Table of the seats of many hands: one row for each player in each hand, in NumPy arrays.

All statistics, filters and graphs are computed from the table, so hands are replayed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import cached_property
from operator import add
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.holdem.cards import CLASS_OF, CLASSES, hand_number
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.reports.all_in import adjusted_results
from tefuda.holdem.reports.counting import POSITIONS, HandCounts
from tefuda.workers import ProgressFunction

#: Kinds of pots: without chips beside the blinds, and by the number of raises before the flop.
POTS = ("walk", "limped", "single-raised", "3bet", "4bet")
GAP = 3600.0  # seconds between two hands of a session, at most
_PIECE = 1000  # hands that are converted at once
#: Row of a table.
ROW = np.dtype([
    ("hand", "i4"), ("player", "i1"), ("name", "i4"), ("is_hero", "?"), ("position", "i1"), ("players", "i1"),
    ("pot", "i1"), ("on_flop", "i1"), ("street", "i1"), ("showdown", "?"), ("all_in", "?"), ("hole", "i2"),
    ("board", "i1", (5,)), ("chances", "u4"), ("made", "u4"), ("bets", "i2"), ("calls", "i2"), ("folds", "i2"),
    ("effective", "f8"), ("big", "f8"), ("net", "f8"), ("rake", "f8"), ("cash", "?"), ("room", "i4"), ("stake", "i4"),
    ("start", "f8"),
])  # fmt: skip


class ChosenHands(Sequence[Any]):
    """Some of a sequence of hands, by their numbers; they are read when they are used."""

    def __init__(self, hands: Sequence[Any], numbers: Sequence[int]) -> None:
        self._hands, self._numbers = hands, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return ChosenHands(self._hands, self._numbers[place])
        return self._hands[self._numbers[place]]


@dataclass(frozen=True, eq=False)
class SeatTable:
    """Rows of players in hands.

    Attributes:
        hands: records of the hands that the rows refer to.
        rows: `[R]` rows. `net` and `rake` are in chips and nan if unknown; `effective` is the smaller of the own and
            the largest other stack, in big blinds; `start` is in seconds, nan if unknown; starts
            without a zone count as UTC.
        texts: names, rooms and stakes that the rows refer to.
        known: all-in adjusted results that were computed, in chips, by number of the hand; None: not adjusted.
    """

    hands: Sequence[Any]
    rows: np.ndarray  # [R]
    texts: tuple[str, ...]
    known: dict[int, list[float] | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.rows[name]

    def take(self, chosen: np.ndarray) -> SeatTable:
        """Return the rows that are chosen by a mask or numbers."""
        return replace(self, rows=self.rows[chosen])

    def of(self, player: str | None) -> SeatTable:
        """Return the rows of a player; of the hero for None, of all players for ``"*"``.

        Raises:
            ParameterError: no hand has a hero.
            UnknownNameError: the player is in no hand.
        """
        if player == "*":
            return self
        if player is None:
            if len(self) and not self["is_hero"].any():
                names = ", ".join(self.players[:3])
                raise ParameterError(f"no hand has a hero; name a player, such as {names}.", key="player")
            return self.take(self["is_hero"])
        if player not in self.players:
            raise UnknownNameError("player", player, self.players)
        return self.take(self["name"] == self.texts.index(player))

    @property
    def players(self) -> list[str]:
        """Names of the players, those with most hands first."""
        hands = np.bincount(self["name"], minlength=len(self.texts))
        return [self.texts[name] for name in np.argsort(-hands, kind="stable").tolist() if hands[name]]

    def keep(self, numbers: Sequence[int]) -> SeatTable:
        """Return the table of some of its hands, given by their numbers in order."""
        places = np.full(len(self.hands), -1)
        places[list(numbers)] = np.arange(len(numbers))
        rows = self.rows[places[self["hand"]] >= 0].copy()
        rows["hand"] = places[rows["hand"]]
        known = {int(places[number]): chips for number, chips in self.known.items() if places[number] >= 0}
        return replace(self, hands=ChosenHands(self.hands, numbers), rows=rows, known=known)

    @cached_property
    def bb(self) -> np.ndarray:
        """`[R]` results in big blinds."""
        return np.asarray(self["net"] / self["big"])

    @property
    def is_cash(self) -> np.ndarray:
        """`[R]` True for cash hands with a known result."""
        return np.asarray(self["cash"] & ~np.isnan(self.bb))

    @property
    def classes(self) -> np.ndarray:
        """`[R]` classes of the hole cards; -1 if unknown."""
        return np.where(self["hole"] >= 0, CLASS_OF[self["hole"]], -1)

    @property
    def sessions(self) -> np.ndarray:
        """`[R]` numbers of sessions from 1: hands in a room with gaps of at most 60 minutes; 0 if unknown."""
        order = np.lexsort((self["start"], self["room"]))
        rooms, starts = self["room"][order], self["start"][order]
        is_known = ~np.isnan(starts)
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(rooms) != 0) | (np.diff(starts) > GAP)
        numbers = np.zeros(len(order), dtype=np.int64)
        numbers[order] = np.where(is_known, np.cumsum(new & is_known), 0)
        return numbers

    def adjusted(self, progress: ProgressFunction | None = None) -> np.ndarray:
        """Return `[R]` all-in adjusted results in big blinds; equities are computed once for each hand."""
        results, all_in = self.bb.copy(), np.flatnonzero(self["all_in"])
        for done, row in enumerate(all_in.tolist()):
            if progress is not None:
                progress(done, len(all_in))
            number, player = int(self["hand"][row]), int(self["player"][row])
            if number not in self.known:
                counts = HandCounts(self.hands[number])
                self.known[number] = counts.all_in and adjusted_results(self.hands[number], counts.all_in)
            if (chips := self.known[number]) is not None:
                results[row] = chips[player] / self["big"][row]
        return results

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of a report's table, by name."""
        hands = (self.hands[number] for number in self["hand"].tolist())
        facts = [(hand.number, hand.start.isoformat() if hand.start else "", hand.hand.line) for hand in hands]
        number, start, line = map(list, zip(*facts, strict=True)) if facts else ([], [], [])
        return {
            "room": self._named("room", self.texts),
            "number": number,
            "start": start,
            "stake": self._named("stake", self.texts),
            "player": self._named("name", self.texts),
            "position": self._named("position", POSITIONS),
            "class": [CLASSES[number] if number >= 0 else "" for number in self.classes.tolist()],
            "pot": self._named("pot", POTS),
            "players": self["players"].tolist(),
            "players_on_flop": self["on_flop"].tolist(),
            "stack_bb": self["effective"].tolist(),
            "showdown": self["showdown"].tolist(),
            "net_bb": self.bb.tolist(),
            "adjusted_bb": self.adjusted().tolist(),
            "line": line,
        }

    def _named(self, column: str, names: Sequence[str]) -> list[str]:
        return [names[number] for number in self[column].tolist()]


def seat_table(hands: Sequence[Any], progress: ProgressFunction | None = None) -> SeatTable:
    """Return the table of hands; each is replayed once.

    Args:
        hands: records of hands (`HandHistory`).
        progress: called with the number of hands done and the total.
    """
    texts: dict[str, int] = {}
    parts, rows = [np.zeros(0, dtype=ROW)], list[tuple[Any, ...]]()
    for number, hand in enumerate(hands):
        rows += _hand_rows(number, hand, lambda text: texts.setdefault(text, len(texts)))
        if number % _PIECE == _PIECE - 1 or number == len(hands) - 1:
            parts.append(np.array(rows, dtype=ROW))
            rows = []
            if progress is not None:
                progress(number + 1, len(hands))
    return SeatTable(hands, np.concatenate(parts), tuple(texts))


def _hand_rows(number: int, hand: Any, numbered: Callable[[str], int]) -> list[tuple[Any, ...]]:
    rules, wagers, counts = hand.rules, hand.hand.wagers, HandCounts(hand)
    big, net, called = rules.smallest_bet(0), hand.won, rules.called(wagers)
    won = hand.payments.collected(rules.players) if hand.payments else net and [*map(add, net, called)]
    live, total = wagers.live, sum(called)
    fees = float(hand.rake + (hand.payments.jackpot if hand.payments else 0))
    names, holes, (second, most) = hand.names, hand.known_holes, sorted(rules.stacks)[-2:]
    board = (*hand.hand.board, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN)[:5]
    room, stake = numbered(hand.room), numbered(stake_text(hand))
    start = hand.start.replace(tzinfo=hand.start.tzinfo or UTC).timestamp() if hand.start else np.nan
    pot = 0 if not counts.raises and not counts.on_flop else min(counts.raises + 1, len(POTS) - 1)
    rows = []
    for player, position in enumerate(counts.positions):
        counts.collect(player, None if won is None else won[player] > 0)
        stack = rules.stacks[player]
        rows.append((
            number, player, numbered(names[player]), player == hand.hero, POSITIONS.index(position),
            rules.players, pot, counts.on_flop, counts.streets[player],
            player in live and len(live) > 1, counts.all_in is not None and player in counts.all_in.live,
            hand_number(*holes[player]) if player in holes else -1, board, counts.chances[player],
            counts.made[player], *counts.actions[player], min(stack, second if stack == most else most) / big, big,
            np.nan if net is None else float(net[player]), fees * called[player] / total if total else 0.0,
            hand.tournament is None and hand.currency != "chips", room, stake, start,
        ))  # fmt: skip
    return rows


def stake_text(hand: Any) -> str:
    """Return the stake: ``"0.5/1 USD"``; ``"tournament"`` for tournaments."""
    if hand.tournament is not None:
        return "tournament"
    big = hand.rules.smallest_bet(0)
    small = min(filter(None, hand.rules.blinds), default=0)
    blinds = "/".join(f"{(chips * hand.unit).normalize():f}" for chips in (small, big))
    return f"{blinds} {hand.currency}{' limit' if hand.rules.limit else ''}".strip()
