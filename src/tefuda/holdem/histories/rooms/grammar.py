"""Grammars of text files of card rooms: patterns of lines, most of which all rooms share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tefuda.holdem.histories.draft import POSTED, Draft, SkipHand
from tefuda.holdem.histories.money import MONEY, FinerAmountError

#: Pattern of a line, and a function that takes the draft and the groups; None ignores the line.
Line = tuple[str, Callable[..., None] | None]
_CARDS = r"\[ ?([^\[\]]*?) ?\]"


def common_lines(
    name: str = "(.+)", end: str = "", money: str = MONEY, brackets: tuple[str, str] = ("", ""), more_verbs: str = ""
) -> list[Line]:
    """Return the lines that all rooms write.

    Args:
        name: pattern of the name of the player of an action.
        end: pattern of words after an action or a forced bet.
        money: pattern of an amount.
        brackets: patterns around the amount of an action or a forced bet.
        more_verbs: further verbs of actions, such as ``|is all-In``.
    """
    amount, verbs = f"({money})".join(brackets), f"folds|checks|calls|bets|raises{more_verbs}"
    street = r"\*\*\* (?:(FIRST|SECOND|THIRD) )?(?:FLOP|TURN|RIVER) \*\*\*"
    dealing = r"\*\* Dealing (?:[Ff]lop|[Tt]urn|[Rr]iver) \*\*"
    out = "( is sitting out| out of hand.*)?"
    return [
        (rf"(?:{street}|{dealing}) (?:\[.*\] ?)??{_CARDS}", lambda draft, run, cards: draft.deal(cards, run)),
        (rf"Seat (\d+): (.+) \( ?({money})(?: in chips)?(?:, ({MONEY}) bounty)? ?\){out}", Draft.seat),
        (rf"Dealt to (.+?)(?: {_CARDS})? ?", Draft.hole),
        (rf"{name} ({verbs})(?: +{amount})?(?: to {amount})?{end}", Draft.bet),
        (rf"{name} posts (?:the |a )?{POSTED} {amount}{end}", Draft.post),
        (rf"{name} shows {_CARDS}.*", Draft.show),
        (rf"{name} mucks(?: hand| {_CARDS}.*)?", Draft.muck),
        (r"Seat (\d+) is the button", lambda draft, number: draft.place(button=number)),
        (r"Total number of players : \d+(?:/(\d+))?", lambda draft, size: draft.place(size=size)),
        (r"\*\*\* # \d+ \*\*\*|#Game No : \d+|\*\* (?:Dealing down cards|Summary) \*\*", None),
    ]  # fmt: skip


class Grammar:
    """Lines of a room: each must match a whole pattern, and the first that matches counts."""

    def __init__(self, lines: Iterable[Line]) -> None:
        parts, self._handlers = [], dict[str, tuple[range, Callable[..., None] | None]]()
        start = 1
        for number, (pattern, handler) in enumerate(lines):
            stop = start + re.compile(pattern).groups
            parts.append(f"(?P<_{number}>{pattern})")
            self._handlers[f"_{number}"] = (range(start + 1, stop + 1), handler)
            start = stop + 1
        self._match = re.compile("|".join(parts)).fullmatch

    def read(self, draft: Draft, lines: Sequence[str], first: int = 0) -> None:
        """Read lines into a draft; empty lines are ignored.

        Raises:
            SkipHand: a line matches no pattern, or is impossible; the hand is of another game, or unfinished.
            FinerAmountError: an amount has more decimals.
        """
        for draft.line, line in enumerate(lines, first):
            if not line:
                continue
            match = self._match(line)
            if match is None:
                raise SkipHand("unreadable line", line, draft.line)
            groups, handler = self._handlers[match.lastgroup or ""]
            if handler is not None:
                try:
                    handler(draft, *map(match.group, groups))
                except FinerAmountError:
                    raise
                except ValueError:
                    raise SkipHand("unreadable line", line, draft.line) from None


def read_with_summary(draft: Draft, lines: Sequence[str], hand: Grammar, summary: Grammar) -> None:
    """Read the lines after the first into a draft, those of the summary by its own grammar.

    Raises:
        SkipHand: the summary is missing, or a line is unreadable.
    """
    start = next((number for number, line in enumerate(lines) if line.startswith("*** SUMMARY")), len(lines))
    if not any(line.startswith("Total pot") for line in lines[start : start + 3]):
        raise SkipHand("cut off", "the summary is missing", len(lines) - 1)
    hand.read(draft, lines[1:start], 1)
    summary.read(draft, lines[start + 1 :], start + 1)


def first_lines(lines: Sequence[str], game: re.Pattern[str], won: str) -> tuple[str, re.Match[str]]:
    """Return the number of the hand in the first line, and the match of the second, which names the game.

    Raises:
        SkipHand: one of them does not match, or the word `won` is in no line: no player collects the pot.
    """
    named = re.search(r"Game (\d+)", lines[0])
    played = game.fullmatch(lines[1]) if len(lines) > 1 else None
    if named is None or played is None:
        raise SkipHand("unreadable line" if len(lines) > 3 else "cut off", lines[0])
    if not re.fullmatch(r"Hold'?em", played["game"], re.I) or played["limit"].startswith(("PL", "Pot")):
        raise SkipHand("game", lines[1], 1)
    if not any(won in line for line in lines):
        raise SkipHand("cut off", "no player collects the pot", len(lines) - 1)
    return named[1], played
