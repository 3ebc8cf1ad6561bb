"""Ranges that are assumed for the players of a recorded hand: from files of the user, else presets.

A preset is made from a width by position and action: hands are ordered by their equity against the opponent's range,
with a bonus for suited and connected ones; hands that would raise are left out, and weights fall at the end. The widths
are rough averages of common play, not a solution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, RunError
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, RANKS, cards_text, hand_number
from tefuda.holdem.equities import equity
from tefuda.holdem.hands.hand import CALL, RAISE
from tefuda.holdem.ranges import Range
from tefuda.holdem.reports.counting import positions
from tefuda.holdem.reviews.widths import USUAL, Widths
from tefuda.holdem.spots.spot import read_lines

_OPENS = {"UTG": 0.16, "LJ": 0.18, "HJ": 0.20, "CO": 0.27, "BTN": 0.43, "SB": 0.38, "BB": 0.25}
_EARLY_OPEN = 0.12  # of players who are more than five places from the button, UTG+1 to UTG+3
_BUTTON_HEADS_UP = 0.80
_TIGHT, _LOOSE = _OPENS["UTG"], _OPENS["BTN"]  # opens between which answers to them widen
_BB_CALLS, _THREE_BETS = (0.30, 0.45), (0.06, 0.12)  # answers to the tightest and the loosest open
_COLD_CALLS, _FOUR_BETS, _FIVE_BETS = 0.09, 0.03, 0.015
_LIMPS, _CHECKS = 0.35, 0.85
_CONTINUING = 0.45  # part of the raiser's own range that calls a re-raise
_SUITED, _CONNECTED = 0.03, 0.015  # bonus in equity
_TAPER = 0.1  # last part of a width, over which weights fall to 0
_NARROWEST = 0.01  # of all hands: a range has at least one class
_RAISES = ("check", "open", "3bet", "4bet", "5bet")
_CALLS = ("limp", "call", "call-3bet", "call-4bet")
#: The opponent's action that an action answers, and the player's own one before it.
_BEFORE = {
    "call": ("open", ""), "3bet": ("open", ""), "call-3bet": ("3bet", "open"), "4bet": ("3bet", "open"),
    "call-4bet": ("4bet", "3bet"), "5bet": ("4bet", "3bet"),
}  # fmt: skip
_FLOOR = 0.05  # least weight of a hand that was held
_EVERYTHING = Range(np.ones(len(HANDS)))


class Role(NamedTuple):
    """Last action of a player before the flop.

    Attributes:
        position: position of the player.
        action: ``open``, ``limp``, ``check``, ``call``, ``3bet``, ``call-3bet``, ``4bet``, ``call-4bet`` or ``5bet``.
        versus: position of the player whose raise was answered; empty without one.
        players: number of players dealt in.
    """

    position: str
    action: str
    versus: str
    players: int

    @property
    def key(self) -> str:
        """Name of its file: ``BB-call-vs-BTN``."""
        return f"{self.position}-{self.action}" + (f"-vs-{self.versus}" if self.versus else "")


def role_of(hand: Any, player: int) -> Role:
    """Return the last action before the flop of a player in a recorded hand."""
    names, raisers, action, versus = positions(hand.rules), list[int](), "check", ""
    for before, token in hand.replay():
        if before.street or token[0] not in CALL + RAISE:
            continue
        others = [raiser for raiser in raisers if raiser != player]
        if before.mover == player and (token != CALL or hand.rules.choices(before).call):
            level = len(raisers) + (token != CALL)
            action = (_CALLS if token == CALL else _RAISES)[min(level, len(_CALLS) - (token == CALL))]
            versus = names[others[-1]] if others else ""
        if token != CALL:
            raisers.append(before.mover)
    return Role(names[player], action, versus, hand.rules.players)


class Assumption(NamedTuple):
    """Assumed range, and its source: the name of a file, or ``preset`` with the key of the role."""

    range: Range
    source: str


@dataclass(frozen=True)
class RangeBook:
    """Ranges by role.

    Args:
        folder: folder of the user's ranges; None: presets only. A role has the file ``6max-100bb/BB-call-vs-BTN``, with
            or without ``.txt``; parts of both names may be left out: ``6max/BB-call``, ``call``.
        widths: widths of the presets of heroes, and of those of other players.

    Raises:
        RunError: the folder does not exist.
    """

    folder: Path | None = None
    widths: tuple[Widths, Widths] = (USUAL, USUAL)

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise RunError(f"{self.folder} is no folder; give one with ranges such as 6max-100bb/BTN-open.txt.")

    def of(self, hand: Any, player: int) -> Assumption:
        """Return the assumed range of a player after the preflop actions of a recorded hand.

        Raises:
            ParameterError: the text of a file is no range.
        """
        role = role_of(hand, player)
        big = hand.rules.smallest_bet(0)
        stack = sorted(hand.rules.stacks)[-2] / big
        for path in self._candidates(role, hand.size or role.players, min(stack, hand.rules.stacks[player] / big)):
            text = ",".join(line.split("#")[0].strip() for line in read_lines(path))
            try:
                return Assumption(Range.read(text.strip(",")), path.name)
            except ParameterError as error:
                raise error.located(str(path)) from None
        own, others = self.widths if player == hand.hero else self.widths[::-1]
        return Assumption(preset(role, own, others), f"preset {role.key}")

    def _candidates(self, role: Role, size: int, stack: float) -> Iterator[Path]:
        """Yield existing files for a role, the most exact first."""
        if self.folder is None:
            return
        short = f"{role.position}-{role.action}"
        depths = {path: re.fullmatch(rf"{size}max-(\d+)bb", path.name) for path in sorted(self.folder.iterdir())}
        near = sorted((abs(np.log(max(int(m[1]), 1) / max(stack, 1))), path) for path, m in depths.items() if m)
        for folder in (*(path for _, path in near[:1]), self.folder / f"{size}max", self.folder):
            for name in dict.fromkeys((role.key, short, role.action)):
                yield from (path for path in (folder / name, folder / f"{name}.txt") if path.is_file())


def holding(range_: Range, hole: Sequence[int]) -> tuple[Range, float]:
    """Return a range in which a hand that was held has at least the weight 0.05, and its weight before."""
    weights, number = range_.weights.copy(), hand_number(*hole)
    before = float(weights[number])
    weights[number] = max(before, _FLOOR)
    return Range(weights), before


@cache
def preset(role: Role, widths: Widths = USUAL, others: Widths = USUAL) -> Range:
    """Return the preset range of a role.

    Args:
        role: the role.
        widths: widths of the player's ranges.
        others: widths of the opponent's ranges.

    >>> from tefuda.holdem.reviews.ranges import Role, preset
    >>> [round(preset(Role("BTN", "open", "", players)).hands / 1326, 2) for players in (2, 6)]
    [0.8, 0.43]
    """
    opens, versus = _open_width(role.position, role.players), _open_width(role.versus, role.players)
    loose = min(max((versus - _TIGHT) / (_LOOSE - _TIGHT), 0.0), 1.0)
    raises, bb_calls = (low + loose * (high - low) for low, high in (_THREE_BETS, _BB_CALLS))

    def width_of(action: str, usual: float) -> float:
        return widths.of(role.players, role.position, action, usual)

    calls, limps = width_of("call", bb_calls if role.position == "BB" else _COLD_CALLS), width_of("limp", _LIMPS)
    continuing, four_bets = width_of("call-3bet", _CONTINUING), width_of("4bet", _FOUR_BETS / opens)
    opens, raises = width_of("open", opens), width_of("3bet", raises)
    start, width = {
        "open": (0.0, opens), "limp": (opens / 2, limps), "check": (1 - _CHECKS, _CHECKS),
        "call": (raises, calls), "3bet": (0.0, raises),
        "call-3bet": (four_bets * opens, continuing * opens), "4bet": (0.0, four_bets * opens),
        "call-4bet": (_FIVE_BETS, _CONTINUING * raises), "5bet": (0.0, _FIVE_BETS),
    }[role.action]  # fmt: skip
    width = max(width, _NARROWEST)
    answered, own = _BEFORE.get(role.action, ("", ""))
    if not answered or not role.versus:
        return _slice(_EVERYTHING, _EVERYTHING, start, width)
    against = Role(role.versus, answered, "" if answered == "open" else role.position, role.players)
    before = Role(role.position, own, "" if own == "open" else role.versus, role.players)
    base = preset(before, widths, others) if own else _EVERYTHING
    return _slice(base, preset(against, others, widths), start, width)


def _open_width(position: str, players: int) -> float:
    return _BUTTON_HEADS_UP if players == 2 and position == "BTN" else _OPENS.get(position, _EARLY_OPEN)


def _slice(base: Range, against: Range, start: float, width: float) -> Range:
    """Return the hands of a range from a share of all hands on, ordered by equity and bonus."""
    first = np.unique(CLASS_OF, return_index=True)[1]
    scores = equity(_EVERYTHING, against).hands[0][first] + np.array([_bonus(name) for name in CLASSES])
    sizes = np.bincount(CLASS_OF, base.weights)
    order = np.argsort(-scores, kind="stable")
    middles = np.empty(len(order))
    middles[order] = (np.cumsum(sizes[order]) - sizes[order] / 2) / len(HANDS)
    taper, end = _TAPER * width, start + width * (1 + _TAPER / 2)
    weights = np.clip((end - middles) / taper, 0, 1) * (middles >= min(start, middles.max()))
    return Range(weights[CLASS_OF] * base.weights)


def _bonus(name: str) -> float:
    """Return the bonus of a class: suited, and ranks next to each other or with one between."""
    gap = abs(RANKS.index(name[0]) - RANKS.index(name[1]))
    return _SUITED * name.endswith("s") + _CONNECTED * (gap in (1, 2))


def resized(own: Range, against: Range, board: tuple[int, ...], factor: float) -> Range:
    """Return a range with a part of its weakest hands removed, or marginal ones added.

    Args:
        own: range of a player.
        against: range of the opponent.
        board: cards of the board, which order the hands by equity.
        factor: new weight / weight, such as 0.8 or 1.2.
    """
    free = _EVERYTHING.without(board)
    strength = np.nan_to_num(equity(free, against, cards_text(board)).hands[0], nan=-1.0)
    weights = np.where(free.weights > 0, own.weights, 0.0)
    order, change, room = np.argsort(strength, kind="stable"), abs(1 - factor) * weights.sum(), weights
    if factor > 1:
        marginal = strength[order][np.searchsorted(np.cumsum(weights[order]), change)]
        order, room = np.argsort(abs(strength - marginal), kind="stable"), np.where(free.weights > 0, 1 - weights, 0.0)
    taken = np.clip(change - (np.cumsum(room[order]) - room[order]), 0, room[order])
    weights[order] += np.sign(factor - 1) * taken
    return Range(np.clip(weights, 0, 1))
