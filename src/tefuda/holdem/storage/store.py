"""Store of hands: files are imported into a folder once, and reports read counted tables.

A piece of hands, with its rows for reports, is one transaction: after a kill or on a full disk, all pieces before it
are saved, and the same import continues.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from tefuda import __version__
from tefuda.errors import ParameterError, RunError
from tefuda.files import local_secret
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.aliases import aliased, keyed, keyed_digest
from tefuda.holdem.histories.collection import HandCollection
from tefuda.holdem.histories.logs import competition_table
from tefuda.holdem.histories.reading import Collector
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.reports.table import ROW, SeatTable, seat_table
from tefuda.holdem.storage.codec import decoded_hand, encoded
from tefuda.holdem.storage.database import Database
from tefuda.workers import ProgressFunction

FILE, SECRET = "hands.sqlite", "secret"
_PIECE = 1000  # hands of a transaction
#: Form of counted rows; those of another form are recounted.
_FORM = f"{__version__} {zlib.crc32(repr(ROW.descr).encode()):x}"
_Keyed = tuple[tuple[str, str], HandHistory]  # with room and number
_TEXTS = ("name", "room", "stake")  # columns that refer to texts


class HandStore:
    """Hands in a folder.

    Args:
        folder: folder of the store.
        create: make a store if the folder has none.
        alias: replace names for ever, by keyed hashes with a secret of the folder; tables, files, texts and minutes are
            not stored. A store keeps the way in which it was made.

    Raises:
        RunError: the folder has no store, a damaged one, or cannot be written.
        ParameterError: `alias` is true, and the store has names.
    """

    def __init__(self, folder: str | Path, create: bool = False, alias: bool = False) -> None:
        self.folder = Path(folder)
        file = self.folder / FILE
        is_new = create and not (file.exists() and file.stat().st_size)  # empty: another import is making it
        secret = local_secret(self.folder / SECRET) if is_new and alias else ""
        settings = {"secret": keyed_digest(secret, FILE) if secret else ""}
        self.database = Database(self.folder / FILE, settings if create else None)
        ((known,),) = self.database.rows("SELECT value FROM setting WHERE name = 'secret'")
        if alias and not known:
            raise ParameterError(f"{self.folder} has names; choose a new folder for aliases.", key="alias")
        self.secret = local_secret(self.folder / SECRET) if known else ""
        if known and keyed_digest(self.secret, FILE) != known:
            raise RunError(f"the secret of the aliases in {self.folder} was replaced; import the files again.")

    def __len__(self) -> int:
        ((number,),) = self.database.rows("SELECT count(*) FROM hand")
        return int(number)

    def __enter__(self) -> HandStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    @property
    def hands(self) -> StoredCollection:
        """The hands of now, in the order of their import; records are read when they are used."""
        return StoredCollection(StoredHands(self.database, len(self)))

    def find(self, room: str, number: str) -> HandHistory:
        """Return a hand by its room and number.

        Raises:
            ParameterError: the store has no such hand.
        """
        for hand in _records(self.database, "(room, number) = (?, ?)", room, number):
            return hand
        raise ParameterError(f"{self.folder} has no hand {number} of {room}.", key="number", value=number)

    def add(
        self,
        paths: str | Path | Iterable[str | Path],
        time_zone: str | None = None,
        table: Callable[[int], Holdem] = competition_table,
        progress: Callable[[int], None] | None = None,
    ) -> Import:
        """Import the hands of files and folders, except those that are in the store.

        Args:
            paths: files, folders and zip archives.
            time_zone: zone of starts for which files name none.
            table: function that returns the game of an ACPC log for a number of players.
            progress: called with the number of hands read.

        Raises:
            RunError: a file cannot be read or has another format, or the store cannot be written.
            ParameterError: the time zone is unknown.
        """
        reader = Import(self, table, time_zone, progress)
        reader.add(paths)
        return reader


class StoredHands(Sequence[HandHistory]):
    """Hands of a store, read one by one."""

    def __init__(self, database: Database, number: int) -> None:
        self._database, self._number = database, number

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        number = range(len(self))[place] + 1
        for hand in _records(self._database, "id = ?", number):
            return hand
        raise self._database.damaged(f"hand {number} is missing")

    def table(self, progress: ProgressFunction | None = None) -> SeatTable:
        """Return the rows for reports; those counted by another version are counted again."""
        texts, parts, known = dict[str, int](), list[np.ndarray](), dict[int, Any]()
        query = "SELECT first, hands, form, rows, texts, adjusted, checksum FROM piece WHERE first <= ? ORDER BY first"
        for first, hands, form, rows, names, adjusted, checksum in self._database.rows(query, len(self)):
            if checksum != zlib.crc32(rows):
                raise self._database.damaged(f"the rows of hand {first} were changed")
            if form != _FORM:
                rows, names, adjusted = _counted(self[first - 1 : first - 1 + hands])
            part = np.frombuffer(rows, dtype=ROW).copy()
            numbers = np.array([texts.setdefault(name, len(texts)) for name in json.loads(names)])
            for column in _TEXTS:
                part[column] = numbers[part[column]]
            part["hand"] += first - 1
            parts.append(part)
            known |= {first - 1 + int(place): chips for place, chips in json.loads(adjusted).items()}
            if progress is not None:
                progress(first - 1 + hands, len(self))
        return SeatTable(self, np.concatenate([np.zeros(0, dtype=ROW), *parts]), tuple(texts), known)


class StoredCollection(HandCollection):
    """Hands of a store; `filter`, `report` and `graph` read the counted rows, not the records."""

    def table(self, progress: ProgressFunction | None = None) -> SeatTable:
        """Return a row for each player in each hand; see `HandCollection.table`."""
        if "_table" not in vars(self):
            vars(self)["_table"] = self.hands.table(progress)  # type: ignore[attr-defined]
        return super().table()


class Import(Collector):
    """Import of files into a store.

    Attributes:
        added: number of hands that are new in the store.
        repeated: number of hands that were in the store.
        known_files: number of files that were skipped, as this version has read them before.
    """

    def __init__(
        self, store: HandStore, table: Callable[[int], Holdem], time_zone: str | None,
        progress: Callable[[int], None] | None,
    ) -> None:  # fmt: skip
        super().__init__(table, time_zone)
        self.added, self.repeated, self.known_files = 0, 0, 0
        self._store, self._progress, self._time_zone = store, progress, time_zone
        self._piece: list[_Keyed] = []
        self._copies = Counter[str]()  # hands without a number, by their text in a file

    def add_text(self, text: str, name: str, is_given: bool) -> None:
        """Add the hands of a file, unless it was read before."""
        version = f"{__version__} {self._time_zone} {self._store.secret}"
        digest = blake2b(text.encode(), key=blake2b(version.encode()).digest()).hexdigest()
        if [*self._store.database.rows("SELECT 1 FROM file WHERE digest = ?", digest)]:
            self.files.append(name)
            self.known_files += 1
            return
        self._copies.clear()
        super().add_text(text, name, is_given)
        self._flush([digest] * (name in self.files))

    def keep(self, hand: HandHistory) -> None:
        """Add a hand to the next piece."""
        number = hand.number
        if not (number and hand.room):
            digest = keyed_digest(self._store.secret, hand.digest) if self._store.secret else hand.digest
            number = f"{number}#{digest}/{self._copies[digest]}"
            self._copies[digest] += 1
        self._piece.append(((hand.room, number), hand))
        if len(self._piece) == _PIECE:
            self._flush([])

    def _flush(self, files: list[str]) -> None:
        """Count and save a piece; `files` are hashes of complete files."""
        keys = [key for key, _ in self._piece]
        query = f"SELECT room, number FROM hand WHERE (room, number) IN (VALUES {', '.join(['(?, ?)'] * len(keys))})"
        known = {*self._store.database.rows(query, *chain.from_iterable(keys))} if keys else set()
        piece = [(key, hand) for key, hand in self._piece if key not in known]
        if self._store.secret:
            hands = aliased([hand for _, hand in piece], keyed(self._store.secret))
            piece = [(key, hand) for (key, _), hand in zip(piece, hands, strict=True)]
        saved = self._insert(piece, files)
        self.added, self.repeated = self.added + saved, self.repeated + len(keys) - saved
        self._piece = []
        if self._progress is not None:
            self._progress(self.added + self.repeated)

    def _insert(self, piece: list[_Keyed], files: list[str]) -> int:
        """Insert a piece in one transaction; return the number of its hands that no other process inserted."""
        counted, saved, first = _counted([hand for _, hand in piece]), list[HandHistory](), 0
        with self._store.database.transaction() as database:
            for key, hand in piece:
                record = encoded(hand)
                cursor = database.execute(
                    "INSERT OR IGNORE INTO hand (room, number, record, checksum) VALUES (?, ?, ?, ?)",
                    (*key, record, zlib.crc32(record.encode())),
                )
                if cursor.rowcount:
                    first = first or cursor.lastrowid or 0
                    saved.append(hand)
            if len(saved) < len(piece):
                counted = _counted(saved)
            if saved:
                row = (first, len(saved), _FORM, *counted, zlib.crc32(counted[0]))
                database.execute("INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            database.executemany("INSERT OR IGNORE INTO file VALUES (?)", [(digest,) for digest in files])
        return len(saved)


def _counted(hands: Sequence[HandHistory]) -> tuple[bytes, str, str]:
    """Return the rows of hands, their texts, and the all-in adjusted results, by place."""
    table = seat_table(hands)
    table.adjusted()
    return table.rows.tobytes(), json.dumps(table.texts), json.dumps(table.known)


def _records(database: Database, where: str, *values: object) -> Iterator[HandHistory]:
    for text, checksum in database.rows(f"SELECT record, checksum FROM hand WHERE {where}", *values):
        if zlib.crc32(text.encode()) != checksum:
            raise database.damaged("a record was changed")
        try:
            yield decoded_hand(text)
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise database.damaged(f"a record cannot be read ({error})") from None
