"""Replays of files of rounds: records, hands of matches, and saved games."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError, TefudaError, shortened
from tefuda.files import read_bytes
from tefuda.games.catalogue import load_game
from tefuda.koikoi.records import mismatches, read_records
from tefuda.playing.hands import replay_hands
from tefuda.playing.session import read_session, series_of, unattended_session


def replay_file(path: Path, options: Mapping[str, Any]) -> tuple[int, dict[str, list[str]]]:
    """Return the number of rounds in a file, and their differences from the rules by round.

    Args:
        path: records (see `records.read_records`), file of ``tefuda match --record``, or file of
            ``tefuda play --save``, which names its rules.
        options: preset and options of the rules.

    Raises:
        RunError: the file cannot be read.
        ParameterError: an option is invalid, or differs from a saved game.
    """
    game: Any = load_game("koikoi", **options)
    first = _first_line(path)
    if isinstance(first, dict) and "agents" in first:
        rounds, errors = replay_hands(path, game)
        return rounds, {str(number): [error] for number, error in errors.items()}
    if first is None or (isinstance(first, dict) and "play" in first):
        return _replay_session(path, options)
    rounds, differences = 0, dict[str, list[str]]()
    for record in read_records(path):
        rounds += 1
        if different := mismatches(game, record):
            differences[shortened(record.get("id", rounds))] = different
    return rounds, differences


def _first_line(path: Path) -> Any:
    """Return the first line of a file as JSON; None: the first line of an indented object."""
    first = read_bytes(path).lstrip().partition(b"\n")[0].strip()
    try:
        return None if first == b"{" else json.loads(first)
    except (ValueError, RecursionError):
        return False


def _replay_session(path: Path, options: Mapping[str, Any]) -> tuple[int, dict[str, list[str]]]:
    """Replay a saved game, up to the first round that differs."""
    saved = read_session(path)
    if saved.play != "koikoi":
        raise RunError(f"{path} is a saved game of {shortened(saved.play)}, not of koikoi.")
    for name, value in options.items():
        if value != (played := saved.parameters.get(name)):
            raise ParameterError(f"{path} was played with {name}={played!r}, got {value!r}.", key=name, value=value)
    game: Any = load_game("koikoi", **saved.parameters)
    session = unattended_session(game, saved.seed, series_of(game), None)
    try:
        session.replay(saved.hands, saved.begun)
    except (TefudaError, ValueError, TypeError, KeyError) as error:
        return len(saved.hands), {str(len(session.ended) + 1): [str(error)]}
    return len(saved.hands), {}
