"""Messages of push or fold: both decisions, with the keys of a node of a spot."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.messages.spots import ranges_message
from tefuda.errors import ParameterError
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.spots.pushfold import PushFold

_SEATS = ("SB", "BB")
#: The player to act after each line; None where the hand is over.
_LINES = {"": 0, "AllIn": 1, "Fold": None, "AllIn/Fold": None, "AllIn/Call": None}
_KINDS = {"Fold": "fold", "AllIn": "all-in", "Call": "call"}


def push_fold_message(solution: PushFold, name: str, line: str) -> dict[str, Any]:
    """Return a decision of push or fold as JSON values, see `spots.node_message`; chips are big blinds."""
    if line not in _LINES:
        raise ParameterError(f"the lines of push or fold are {', '.join(map(repr, _LINES))}; got {line!r}.", key="line")
    player, parts = _LINES[line], line.split("/") if line else []
    views = [] if player is None else [(_SEATS[player], solution.range_view(player))]
    both = [*views, *((_SEATS[1 - player], solution.opponent_view(player)) for _ in views if player is not None)]
    actions = [
        {"name": action, "label": action, "kind": _KINDS[action], "part": None, "share": view.mean(f"share {action}"),
         "line": f"{line}/{action}".lstrip("/")}
        for _, view in views for action in view.actions
    ]  # fmt: skip
    bets = [solution.stack if "AllIn" in parts else solution.small, solution.stack if line.endswith("Call") else 1]
    return {
        "line": line,
        "parent": line.rpartition("/")[0],
        "path": [
            {"name": part, "kind": _KINDS[part], "player": number, "line": "/".join(parts[: number + 1])}
            for number, part in enumerate(parts)
        ],
        "street": STREETS[0],
        "board": [],
        "player": player,
        "pot": sum(bets) + 2 * solution.ante,
        "behind": None,
        "probability": solution.shares[0] if line == "AllIn" else None,
        "actions": actions,
        "cards": [],
        "seats": _SEATS,
        "indifference": 1e-9,
        "solution": {
            "name": name, "parameters": {}, "iterations": 0, "game": "", "quality": "exact", "figure": solution.value,
            "locks": [],
        },
        **ranges_message(sorted(both, key=lambda view: _SEATS.index(view[0]))),
    }  # fmt: skip
