"""SQLite database of a store: its schema, its transactions, its errors.

Tables: `hand` (records as JSON, unique by room and number), `piece` (rows of `SeatTable` and all-in adjusted results of
the hands of a transaction), `file` (hashes of files that were read), `setting`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tefuda.errors import BusyError, RunError
from tefuda.locks import unwritable

_APPLICATION = 0x74656675  # "tefu", in the header of the file
_VERSION = 1
_PATIENCE = 60.0  # seconds until another process has finished its transaction
_SCHEMA = """
CREATE TABLE hand (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL, number TEXT NOT NULL, record TEXT NOT NULL, checksum INTEGER NOT NULL,
    UNIQUE (room, number)
);
CREATE TABLE piece (
    first INTEGER PRIMARY KEY, hands INTEGER NOT NULL, form TEXT NOT NULL, rows BLOB NOT NULL, texts TEXT NOT NULL,
    adjusted TEXT NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE file (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Database:
    """Connection to the file of a store; threads may share it for reading.

    Args:
        path: the file.
        settings: settings of a new store; None: the file must exist.

    Raises:
        RunError: the file is missing, damaged, of another program or of a newer version, or cannot be written.
    """

    def __init__(self, path: Path, settings: dict[str, str] | None = None) -> None:
        self.path = path
        if settings is None and not path.is_file():
            raise RunError(f"{path.parent} has no store of hands; import files into it with --store.", value=str(path))
        with self.checked():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, _PATIENCE, isolation_level=None, check_same_thread=False)
            if settings is not None:
                self._create(settings)
            self._check()

    def _create(self, settings: dict[str, str]) -> None:
        with self.transaction():
            if self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                return
            for statement in _SCHEMA.split(";\n"):
                self._connection.execute(statement)
            self._connection.executemany("INSERT INTO setting VALUES (?, ?)", settings.items())
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {_VERSION}")

    def _check(self) -> None:
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != _APPLICATION:
            raise RunError(
                f"{self.path} is a database of another program, not a store of hands; choose another folder."
            )
        if version != _VERSION:
            raise RunError(f"{self.path} was made by another version of tefuda, with format {version}; update tefuda.")

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Turn errors of SQLite and of the system inside the context into RunError."""
        try:
            yield
        except OSError as error:
            raise unwritable(self.path, error) from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise BusyError(self.path, "another process", None) from None
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise self.damaged(str(error)) from None
            raise unwritable(self.path, error) from None

    def damaged(self, problem: str) -> RunError:
        """Return the error of a damaged store."""
        return RunError(f"{self.path} is damaged or no store of hands: {problem}. Import the files into a new folder.")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for one transaction: all of it is saved, or nothing."""
        with self.checked():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def rows(self, query: str, *values: object) -> Iterator[tuple]:  # type: ignore[type-arg]
        """Yield the rows of a query."""
        with self.checked(), closing(self._connection.execute(query, values)) as cursor:
            yield from cursor

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
