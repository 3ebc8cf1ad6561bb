"""Records of rounds: a deck, the numbers of what was done, the result; replayed by the rules, differences named.

A record is a JSON object, one a line: ``deck``, 48 ids (dealer's hand, the other's, field, stock in the order of
drawing); ``actions``, every action of a player, forced ones included, as numbers 0..47, 48 stop, 49 koi-koi; and what
is known of the result: ``players``, ``turns``, ``koikoi``, ``winner``, ``points``, ``exhausted``, ``piles``.
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


def check_deck(deck: Sequence[int]) -> None:
    """Raise ParameterError unless a deck holds every card once, as ids."""
    if not isinstance(deck, (list, tuple)) or sorted(map(repr, deck)) != sorted(map(repr, range(48))):
        raise ParameterError("a deck is a list of the ids 0..47, each once.")


def deal(game: KoiKoi, deck: Sequence[int]) -> Round:
    """The first turn of a round with this deck, without looking for redeals or teyaku.

    Raises:
        ParameterError: the deck does not hold every card once.
    """
    check_deck(deck)
    return game.begin(mask_of(deck[:8]), mask_of(deck[8:16]), mask_of(deck[16:24]))


def replay(game: KoiKoi, deck: Sequence[int], actions: Sequence[int]) -> tuple[Round, list[int]]:
    """Play recorded actions, forced ones included; return the last state and who acted.

    Raises:
        ParameterError: an action that may not be done, too few or too many of them.
    """
    state, left, stock, acted = deal(game, deck), list(actions), iter(deck[24:]), []
    while game.player(state) != TERMINAL:
        if state.phase == DRAW:
            state = game.child(state, DECK[next(stock)].code)
            continue
        if not left:
            raise ParameterError(f"the record ends in turn {state.turn}; somebody has still to act.")
        number, possible = left.pop(0), game.actions(state)
        if not isinstance(number, int) or not 0 <= number < 50 or LABELS[number] not in possible:
            raise ParameterError(f"turn {state.turn}: {number!r} is not possible; possible are {', '.join(possible)}.")
        acted.append(state.mover)
        state = game.child(state, LABELS[number])
    if left:
        raise ParameterError(f"the record goes on after the end, with {left}.")
    return state, acted


def result(state: Round, acted: Sequence[int]) -> dict[str, Any]:
    """What a record says of a round that is over."""
    stopped = state.events.endswith(STOP)
    return {
        "players": "".join(map(str, acted)),
        "turns": state.turn,
        "koikoi": list(state.calls),
        "winner": state.mover if stopped else None,
        "points": abs(state.points),
        "exhausted": not stopped,
        "piles": [f"{pile:012x}" for pile in state.piles],
    }


def mismatches(game: KoiKoi, record: Mapping[str, Any]) -> list[str]:
    """How a round played by the rules differs from what its record says; none: it is the same."""
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
    """The records of a file, one JSON object a line.

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
    """The records of a file, if all of them are rounds by these rules.

    Raises:
        RunError: the file cannot be read, a line is no record, or a round differs from the rules.
    """
    found = list(read_records(path))
    for number, record in enumerate(found, 1):
        if wrong := mismatches(game, record):
            raise RunError(f"{path}, round {number}: {wrong[0]}. Is it of another preset? See tefuda koikoi replay.")
    return found
