"""Files of hand histories: PHH, and logs of the Annual Computer Poker Competition."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from tefuda.errors import RunError
from tefuda.files import read_bytes
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.logs import competition_table, is_log, read_log
from tefuda.holdem.histories.phh import read_phh
from tefuda.holdem.histories.record import HandHistory
from tefuda.playing.hands import FORMATS

PHH = (".phh", ".phhs")
_ENDINGS = (*PHH, ".log")  # of the files that are read from folders
_START = 10_000  # bytes at the start of a file that show its format


def is_history(path: Path) -> bool:
    """Return True for a folder, a PHH file by its ending, and a log by its first lines."""
    return path.is_dir() or path.suffix in PHH or _is_log(path)


def _is_log(path: Path) -> bool:
    return path.is_file() and is_log(read_bytes(path)[:_START].decode("utf-8-sig", "replace"))


def hand_files(paths: Iterable[Path]) -> list[Path]:
    """Return all files once, with the PHH files and logs of folders and their subfolders.

    Raises:
        RunError: a folder has no such files.
    """
    files: list[Path] = []
    for path in paths:
        files += _inside(path) if path.is_dir() else [path]
    return list({os.path.realpath(file): file for file in files}.values())


def _inside(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in _ENDINGS and file.is_file())
    if not files:
        raise RunError(f"{folder} has no hand histories; expected {', '.join(_ENDINGS)} files.", value=str(folder))
    return files


def read_histories(paths: Iterable[Path], table: Callable[[int], Holdem] = competition_table) -> list[HandHistory]:
    """Read the hands of files and folders.

    Args:
        paths: PHH files, logs, and folders of them.
        table: function that returns the game of a log for a number of players.

    Raises:
        RunError: a file cannot be read, has another format, or has an impossible hand.
    """
    records: list[HandHistory] = []
    for file in hand_files(paths):
        if file.suffix in PHH:
            records += read_phh(file)
        elif _is_log(file):
            records += read_log(read_bytes(file).decode("utf-8-sig", "replace"), str(file), table)
        else:
            raise RunError(f"{file} is not a file of hands of holdem; expected {FORMATS}.", value=str(file))
    return records
