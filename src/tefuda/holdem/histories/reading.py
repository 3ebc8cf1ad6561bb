"""Reading of hand histories: files and folders of all formats, hand by hand.

A hand that cannot be read is skipped with its reason, and does not affect others. The first lines of a file show its
format; text files may mix rooms.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tefuda.errors import RunError
from tefuda.files import read_bytes
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories import open_hand_history, phh
from tefuda.holdem.histories.builder import build
from tefuda.holdem.histories.collection import HandCollection, SkippedHand
from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.logs import competition_table, is_log, log_lines, read_line
from tefuda.holdem.histories.money import FinerAmountError, read_zone
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.histories.rooms import cassava, ipoker, partypoker, pokerstars, winamax

#: Formats that are read, in words.
FORMATS = (
    "hands of PokerStars and rooms with its format, GGPoker, 888poker, partypoker, Winamax, iPoker (.xml), Open Hand "
    "History (.ohh), PHH (.phh, .phhs), and ACPC logs (lines STATE:)"
)
PHH = (".phh", ".phhs")
_ENDINGS = (*PHH, ".log", ".txt", ".xml", ".ohh", ".json", ".jsonl", ".zip")  # of the files that are read from folders
#: Formats that are refused by name, by the start of a file.
_REFUSED = {
    "Bovada or Ignition": r"(Bovada|Ignition|Bodog)\b.* Hand #",
    "the Winning Poker Network": r"(Game )?Hand #\d+ - ",
    "PokerNow": r".*-- starting hand #",
}
_ROOMS = {"pokerstars": pokerstars, "cassava": cassava, "partypoker": partypoker, "winamax": winamax}
_HEADERS = re.compile("|".join(f"^(?P<{name}>{room.HEADER})" for name, room in _ROOMS.items()), re.MULTILINE)
_TABLE = re.compile(r"^\[[\w\"'.-]+\][ \t]*$", re.MULTILINE)  # start of a hand in PHH files with several
_VARIANT = re.compile(r"""^variant *= *["'](\w*)""", re.MULTILINE)
_FIRST = 2  # lines that show a format that is refused
_START = 100_000  # bytes at the start of a file that show its format
_LARGEST = 2**30  # bytes of a file in an archive
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SPACES = ("\u00a0", "\u202f", "\0")


class _Part(NamedTuple):
    """Text of one hand: its reader, and the line on which it begins."""

    text: str
    line: int
    read: Callable[[], HandHistory]


def read_histories(
    paths: str | Path | Iterable[str | Path],
    time_zone: str | None = None,
    alias: bool = False,
    table: Callable[[int], Holdem] = competition_table,
) -> HandCollection:
    """Read the hands of files and folders; each hand is replayed by the rules and balanced.

    Args:
        paths: files, folders and zip archives.
        time_zone: zone of starts for which files name none, such as ``Europe/Berlin`` or ``+02:00``.
        alias: replace names of players, and leave out tables and files.
        table: function that returns the game of an ACPC log for a number of players.

    Raises:
        RunError: a file cannot be read, or has another format.
        ParameterError: the time zone is unknown.
    """
    reader = Collector(table, time_zone)
    reader.add(paths)
    return reader.collection.aliased() if alias else reader.collection


def read_text(text: str, source: str = "hands") -> HandCollection:
    """Read the hands of a text in any format; `source` is its name, of which the ending shows PHH files.

    Raises:
        RunError: the format is unknown.
    """
    reader = Collector()
    reader.add_text(text, source, is_given=True)
    return reader.collection


def is_history(path: Path) -> bool:
    """Return True for a folder without a run, and for files with a known ending or known first lines."""
    if path.is_dir():
        return not (path / "run.json").exists()
    if (is_phh := path.suffix.lower() in PHH) or not path.is_file():
        return is_phh
    content = read_bytes(path)
    is_known = _parts(decoded(content[:_START]), path.name, competition_table) is not None
    return is_known or zipfile.is_zipfile(io.BytesIO(content))


def _files(path: Path) -> list[Path]:
    """Return a file, or the files of a folder and its subfolders that may have hands.

    Raises:
        RunError: a folder has no such files.
    """
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS and file.is_file())
    if not files:
        raise RunError(f"{path} has no hand histories; expected {', '.join(_ENDINGS)} files.", value=str(path))
    return files


def decoded(content: bytes) -> str:
    """Return the text of a file: by its byte order mark, else UTF-8, else Windows-1252.

    Line ends become ``\\n``, and special spaces become plain ones.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("cp1252" if encoding == "utf-8" else encoding, "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for space in _SPACES:
        text = text.replace(space, " ")
    return text


class Collector:
    """Hands of files, without duplicates; see `read_histories` for the arguments."""

    def __init__(self, table: Callable[[int], Holdem] = competition_table, time_zone: str | None = None) -> None:
        self.table, self.zone = table, read_zone(time_zone) if time_zone else None
        self.hands: list[HandHistory] = []
        self.skipped: list[SkippedHand] = []
        self.files: list[str] = []
        self.ignored: list[str] = []
        self._numbers: set[tuple[str, str]] = set()
        self._seen: set[str] = set()

    def add(self, paths: str | Path | Iterable[str | Path]) -> None:
        """Add the hands of files and folders; a file of another format is an error if the user named it."""
        for path in map(Path, [paths] if isinstance(paths, (str, Path)) else paths):
            for file in _files(path):
                if (real := os.path.realpath(file)) not in self._seen:
                    self._seen.add(real)
                    for name, text in _texts(file):
                        self.add_text(text, name, name == str(file) and not path.is_dir())
        if not self.files and self.ignored:
            raise RunError(f"no hands in {', '.join(self.ignored[:3])}; expected {FORMATS}.", value=self.ignored)

    def keep(self, hand: HandHistory) -> None:
        """Add a hand that was read."""
        self.hands.append(hand)

    def add_text(self, text: str, name: str, is_given: bool) -> None:
        """Add the hands of a text."""
        parts = _parts(text, name, self.table)
        if parts is None and is_given:
            what = "is empty" if not text.strip() else "is not a file of hands of holdem"
            if room := _refused(text):
                what = f"has hands of {room}, which are not read"
            raise RunError(f"{name} {what}; expected {FORMATS}.", value=name)
        (self.ignored if parts is None else self.files).append(name)
        for part in parts or ():
            self._add(part, name)

    @property
    def collection(self) -> HandCollection:
        """Hands that were added."""
        return HandCollection(tuple(self.hands), tuple(self.skipped), tuple(self.files), tuple(self.ignored))

    def _add(self, part: _Part, source: str) -> None:
        try:
            hand = part.read()
            key, start = (hand.room, hand.number), hand.start
            if hand.number and hand.room and key in self._numbers:
                raise SkipHand("duplicate", hand.number)
            if self.zone is not None and start is not None and start.tzinfo is None:
                start = start.replace(tzinfo=self.zone).astimezone(UTC)
        except (SkipHand, ValueError, LookupError, ArithmeticError) as error:
            skip = error if isinstance(error, SkipHand) else SkipHand("unreadable line", str(error))
            self.skipped.append(SkippedHand(skip.reason, skip.detail, source, part.line + skip.line, part.text))
            return
        self._numbers.add(key)
        digest = blake2b(part.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        self.keep(replace(hand, source=source, line=part.line, digest=digest, start=start))


def _texts(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a file, or of the files in an archive."""
    content = read_bytes(file)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        text = decoded(content)
        del content  # half of the memory
        yield str(file), text
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                if not member.is_dir() and Path(member.filename).suffix.lower() in _ENDINGS[:-1]:
                    if member.file_size > _LARGEST:
                        raise RunError(f"{file} has a file of {member.file_size:,} bytes; extract it first.")
                    yield f"{file}/{member.filename}", decoded(archive.read(member))
    except RunError:
        raise
    except Exception as error:  # a damaged archive can make the parsers raise anything
        raise RunError(f"cannot read the archive {file}: {error}", value=str(file)) from None


def _parts(text: str, name: str, table: Callable[[int], Holdem]) -> Iterator[_Part] | None:
    """Return the hands of a text; None if the format is unknown."""
    if _refused(text):
        return None
    if name.lower().endswith(PHH):
        return _divided(text, _TABLE, partial(_phh_hand, name), or_all=True)
    if is_log(text):
        return (_Part(line, number, partial(read_line, line, table)) for number, line in log_lines(text))
    if ipoker.HEADER.match(text):
        general = ipoker.GAME.split(text, maxsplit=1)[0]
        return _divided(text, ipoker.GAME, partial(_built, partial(ipoker.read, general)))
    if open_hand_history.GAME.search(text):
        return _divided(text, open_hand_history.GAME, partial(_built, open_hand_history.read))
    return _divided(text, _HEADERS, partial(_built, _room_draft)) if _HEADERS.search(text) else None


def _refused(text: str) -> str:
    """Return the room of a text in a format that is refused; empty for others."""
    start = "\n".join(text.lstrip().split("\n", _FIRST)[:_FIRST])
    return next((room for room, head in _REFUSED.items() if re.search(f"^{head}", start, re.MULTILINE)), "")


def _divided(
    text: str, start: re.Pattern[str], read: Callable[[str], HandHistory], or_all: bool = False
) -> Iterator[_Part]:
    """Yield the parts of a text from each start on; all of it if `or_all` is true and it has none."""
    starts, line, before = [match.start() for match in start.finditer(text)], 1, 0
    for begin, end in pairwise((*(starts or [0] * or_all), len(text))):
        line, before = line + text.count("\n", before, begin), begin
        yield _Part(text[begin:end], line, partial(read, text[begin:end]))


def _room_draft(text: str, digits: int) -> Draft:
    room = _HEADERS.match(text)
    lines = [row.strip() for row in text.rstrip().split("\n")]
    return _ROOMS[(room and room.lastgroup) or ""].read(lines, digits)


def _built(read: Callable[[str, int], Draft], text: str) -> HandHistory:
    """Return a hand in hundredths, or ten-thousandths if its amounts need them."""
    for digits in (2, 4):
        try:
            return build(read(text, digits))
        except FinerAmountError:
            continue
    raise SkipHand("unreadable line", "an amount has more than 4 decimals")


def _phh_hand(name: str, text: str) -> HandHistory:
    try:
        (hand,) = phh.read_hands(text, name)
    except RunError as error:
        variant = _VARIANT.search(text)
        is_other = variant is not None and variant[1] not in ("NT", "FT")
        raise SkipHand("game" if is_other else "illegal action", str(error)) from None
    return hand
