"""Records of rounds, replayed by the rules.

A record is a JSON object, one a line: ``deck``, 48 ids (hands of the dealer and of the opponent, field, stock in the
order of drawing); ``actions``, every action of a player, forced ones included, as numbers 0..47, 48 stop, 49 koi-koi;
and the known part of the result: ``players``, ``turns``, ``koikoi``, ``winner``, ``points``, ``exhausted``, ``piles``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError
from tefuda.files import read_bytes
from tefuda.games.protocol import TERMINAL
from tefuda.koikoi.cards import DECK, mask_of
from tefuda.koikoi.game import DRAW, LABELS, STOP, KoiKoi, Round


def deal(game: KoiKoi, deck: Sequence[int]) -> Round:
    """Return the first turn of a round with this deck, whatever its redeals; raise ParameterError for no deck."""
    if not isinstance(deck, (list, tuple)) or sorted(map(repr, deck)) != sorted(map(repr, range(48))):
        raise ParameterError("a deck is a list of the ids 0..47, each once.")
    return game.begin(mask_of(deck[:8]), mask_of(deck[8:16]), mask_of(deck[16:24]))


def replay(game: KoiKoi, deck: Sequence[int], actions: Sequence[int]) -> tuple[Round, list[Round]]:
    """Play recorded actions, forced ones included; return the last state and the state before each action.

    Raises:
        ParameterError: an action that may not be done, too few or too many of them.
    """
    state, left, stock, acted = deal(game, deck), list(actions), iter(deck[24:]), list[Round]()
    while game.player(state) != TERMINAL:
        if state.phase == DRAW:
            state = game.child(state, DECK[next(stock)].code)
            continue
        if not left:
            raise ParameterError(f"the record ends in turn {state.turn}; somebody has still to act.")
        number, possible = left.pop(0), game.actions(state)
        if not isinstance(number, int) or not 0 <= number < 50 or LABELS[number] not in possible:
            raise ParameterError(f"turn {state.turn}: {number!r} is not possible; possible are {', '.join(possible)}.")
        acted.append(state)
        state = game.child(state, LABELS[number])
    if left:
        raise ParameterError(f"the record goes on after the end, with {left}.")
    return state, acted


def result(state: Round, acted: Sequence[Round]) -> dict[str, Any]:
    """Return the result of a round that is over, as records have it; see `replay`."""
    stopped = state.events.endswith(STOP)
    return {
        "players": "".join(str(before.mover) for before in acted),
        "turns": state.turn,
        "koikoi": list(state.calls),
        "winner": state.mover if stopped else None,
        "points": abs(state.points),
        "exhausted": not stopped,
        "piles": [f"{pile:012x}" for pile in state.piles],
    }


def mismatches(game: KoiKoi, record: Mapping[str, Any]) -> list[str]:
    """Return the differences of a record from the rules."""
    try:
        state, acted = replay(game, record["deck"], record["actions"])
    except KeyError as error:
        return [f"the record lacks {error}"]
    except ParameterError as error:
        return [str(error)]
    found = result(state, acted)
    return [
        f"{name}: recorded {record[name]!r}, by the rules {value!r}"
        for name, value in found.items()
        if name in record and record[name] != value
    ]


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, one JSON object a line.

    Raises:
        RunError: the file cannot be read, or a line is no record.
    """
    for number, line in enumerate(read_bytes(Path(path)).splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("actions"), list):
            raise RunError(f"{path}, line {number}, is not a record of a round: an object with deck and actions.")
        yield record


def checked_records(game: KoiKoi, path: str | Path) -> list[dict[str, Any]]:
    """Return the records of a file, all of which must be rounds by these rules.

    Raises:
        RunError: the file cannot be read, a line is no record, or a round differs from the rules.
    """
    found = list(read_records(path))
    for number, record in enumerate(found, 1):
        if wrong := mismatches(game, record):
            raise RunError(f"{path}, round {number}: {wrong[0]}. Is it of another preset? See tefuda koikoi replay.")
    return found
