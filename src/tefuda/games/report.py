"""Reports of `check_game`: faults with example histories."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from tefuda.errors import GameError, SizeError, as_text
from tefuda.games.answers import name_of

_LONG = 40  # printed labels of a history

History = tuple[Hashable, ...]
#: A history: the link of its parent and the last label; None at the root.
Link = tuple[Any, Hashable] | None


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        kind: its name.
        message: description.
        histories: the first few examples.

    >>> fault = td.games.Fault("views", "a card shows", (("K", "b"),))
    >>> fault.kind, fault.histories
    ('views', (('K', 'b'),))
    """

    kind: str
    message: str
    histories: tuple[History, ...] = ()

    def __str__(self) -> str:
        shown = "".join(f"\n      at {_path(history)}" for history in self.histories)
        return f"  - {self.kind}: {self.message}{shown}"


@dataclass(frozen=True)
class Report:
    """The result of `check_game`.

    Attributes:
        game: name of the game.
        histories: number of histories checked.
        terminals: number of terminal histories among them.
        infosets: number of information sets among them.
        complete: whether all histories were checked.
        faults: faults, by kind.
        warnings: probable mistakes that leave the game usable.

    >>> report = td.check_game(td.load_game("kuhn"))
    >>> report.ok, report.infosets
    (True, 12)
    """

    game: str
    histories: int
    terminals: int
    infosets: int
    complete: bool
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()

    @property
    def ok(self) -> bool:
        """True if no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        scope = "all" if self.complete else "random games:"
        head = f"check_game {self.game}: {scope} {self.histories:,} histories, {self.infosets:,} infosets"
        evaluation = "no fault" if self.ok else f"{len(self.faults)} fault{'s' if len(self.faults) > 1 else ''}"
        lines = [f"{head}: {evaluation}", *map(str, self.faults)]
        if self.warnings:
            lines += ["  warnings:", *map(str, self.warnings)]
        return "\n".join(lines)


#: Faults with which games are compiled and played; methods that need perfect recall refuse them.
RECALL = ("imperfect recall", "absent-mindedness")


def raise_if_faulty(game: object, report: Report, use: str = "used", accepted: tuple[str, ...] = RECALL) -> None:
    """Raise GameError if a report has faults that make results wrong; SizeError for size alone.

    Args:
        game: the rules.
        report: report of `check_game`.
        use: intended use of the game, as a participle.
        accepted: kinds of faults that the use accepts.
    """
    if [fault.kind for fault in report.faults] == ["too wide"]:
        raise SizeError(f"{name_of(game)}: {report.faults[0].message}.")
    if any(fault.kind not in accepted for fault in report.faults):
        raise GameError(f"{name_of(game)} cannot be {use}: its rules have faults.", report)


def history_of(link: Link) -> History:
    """Return the labels of a history."""
    labels = []
    while link is not None:
        link, label = link
        labels.append(label)
    return tuple(reversed(labels))


def _path(history: History) -> str:
    more = f" ... ({len(history) - _LONG:,} more)" if len(history) > _LONG else ""
    return " ".join(map(as_text, history[:_LONG])) + more if history else "the root"
