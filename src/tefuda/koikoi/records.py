"""Records of rounds, and their replay by the rules.

A record is a JSON object, one per line. ``deck``: 48 ids (hands of the dealer and of the opponent,
field, stock in the order of drawing). ``actions``: every action of a player, including forced ones,
as numbers 0..47, 48 stop, 49 koi-koi. The known part of the result: ``players``, ``turns``,
``koikoi``, ``winner``, ``points`` (to the winner; if no player stops, to the dealer), ``exhausted``,
``piles``.
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
    """Return the first turn of a round with this deck; redeals are ignored.

    Raises:
        ParameterError: not a deck.
    """
    if not isinstance(deck, (list, tuple)) or sorted(map(repr, deck)) != sorted(map(repr, range(48))):
        raise ParameterError("a deck must list each of the ids 0..47 once.")
    return game.begin(mask_of(deck[:8]), mask_of(deck[8:16]), mask_of(deck[16:24]))


def replay(game: KoiKoi, deck: Sequence[int], actions: Sequence[int]) -> tuple[Round, list[Round]]:
    """Replay recorded actions, including forced ones.

    Args:
        game: the rules of the round.
        deck: ids of the deck.
        actions: numbers of the actions.

    Returns:
        The last state, and the state before each action.

    Raises:
        ParameterError: an action is illegal, or there are too few or too many of them.
    """
    state, left, stock, acted = deal(game, deck), list(actions), iter(deck[24:]), list[Round]()
    while game.player(state) != TERMINAL:
        if state.phase == DRAW:
            state = game.child(state, DECK[next(stock)].code)
            continue
        if not left:
            raise ParameterError(f"the record ends in turn {state.turn}, before the end of the round.")
        number, possible = left.pop(0), game.actions(state)
        if not isinstance(number, int) or not 0 <= number < 50 or LABELS[number] not in possible:
            raise ParameterError(
                f"turn {state.turn}: {number!r} is not possible; possible actions: {', '.join(possible)}."
            )
        acted.append(state)
        state = game.child(state, LABELS[number])
    if left:
        raise ParameterError(f"the record has actions after the end of the round: {left}.")
    return state, acted


def result(state: Round, acted: Sequence[Round]) -> dict[str, Any]:
    """Return the result of a round that is over, in the format of records; see `replay`."""
    stopped = state.events.endswith(STOP)
    return {
        "players": "".join(str(before.mover) for before in acted),
        "turns": state.turn,
        "koikoi": list(state.calls),
        "winner": state.mover if stopped else None,
        "points": abs(state.points) if stopped else state.points,
        "exhausted": not stopped,
        "piles": [f"{pile:012x}" for pile in state.piles],
    }


def mismatches(game: KoiKoi, record: Mapping[str, Any]) -> list[str]:
    """Return the differences between a record and the rules, as sentences."""
    try:
        state, acted = replay(game, record["deck"], record["actions"])
    except KeyError as error:
        return [f"the record lacks {error}"]
    except ParameterError as error:
        return [str(error)]
    replayed = result(state, acted)
    return [
        f"{name}: recorded {record[name]!r}, by the rules {value!r}"
        for name, value in replayed.items()
        if name in record and record[name] != value
    ]


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, one JSON object per line.

    Args:
        path: the file.

    Raises:
        RunError: the file cannot be read, or a line is not a record.
    """
    for number, line in enumerate(read_bytes(Path(path)).splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("actions"), list):
            raise RunError(
                f"{path}, line {number}, is not a record of a round: an object with deck and actions. "
                "Hands of match --record and play --save are read by tefuda koikoi replay."
            )
        yield record


def checked_records(game: KoiKoi, path: str | Path) -> list[dict[str, Any]]:
    """Return the records of a file, all of which must be rounds by these rules.

    Args:
        game: the rules.
        path: the file.

    Raises:
        RunError: the file cannot be read, a line is not a record, or a round differs from the
            rules.
    """
    records = list(read_records(path))
    for number, record in enumerate(records, 1):
        if wrong := mismatches(game, record):
            raise RunError(f"{path}, round {number}: {wrong[0]}. Check the preset with tefuda koikoi replay.")
    return records
