"""Messages of the nodes of hold'em: solved spots, limit games, push or fold, with the players' ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.games.parameters import json_parameters
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, hand_text
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.grid import Group, HoldemNode, RangeView, sized_kind
from tefuda.holdem.spots.pushfold import PushFold
from tefuda.solvers.runs.solution import Solution

_DIGITS = 5  # significant digits of figures of hands: a message of 1,000 hands stays below 200 kB


def node_message(node: HoldemNode, solution: dict[str, Any]) -> dict[str, Any]:
    """Return a node as JSON values, with the ranges there; solution: see `solution_message`."""
    return {
        "line": node.line,
        "parent": node.line.rpartition("/")[0],
        "path": _path(node),
        "street": STREETS[max(0, len(node.board) - 2)],
        "board": node.board,
        "player": node.player,
        "pot": node.pot,
        "behind": node.behind,
        "probability": node.probability,
        "actions": [{"label": action.label, **asdict(action)} for action in node.actions()],
        "cards": node.outcomes(),
        "seats": node.seats,
        "indifference": node.indifference,
        "solution": solution,
        **_ranges(node),
    }


def solution_message(solution: Solution, name: str) -> dict[str, Any]:
    """Return a solved spot or limit game as JSON values; `name` is that of the run."""
    message = {
        "name": name,
        "parameters": json_parameters(solution.form.game),
        "iterations": solution.iterations,
        "figure": solution.evaluation.figure,
    }
    if not isinstance(solution.form, CompiledSpot):
        return {**message, "game": "holdem", "quality": "local response", "locks": []}
    spot = solution.form.spot
    locks = [str(lock) for lock in spot.locks]
    return {**message, "game": "spot", "quality": "exploitability", "locks": locks, "rake": spot.rake_rate}


def push_fold_message(solution: PushFold, name: str) -> dict[str, Any]:
    """Return push or fold as JSON values with the keys of `solution_message`."""
    message = {"name": name, "parameters": {}, "iterations": 0, "game": ""}
    return {**message, "quality": "exact", "figure": solution.value, "locks": []}


def _path(node: HoldemNode) -> list[dict[str, Any]]:
    """Return the decisions and cards on the way to a node: the choice, the player, and the line after it."""
    parts, steps = node.line.split("/") if node.line else [], []
    for number, part in enumerate(parts):
        before = node.at("/".join(parts[:number]))
        kind = "card" if before.player is None else sized_kind(part, before.bets.get(part))
        steps.append({"name": part, "kind": kind, "player": before.player, "line": "/".join(parts[: number + 1])})
    return steps


def _ranges(node: HoldemNode) -> dict[str, Any]:
    """Return the ranges at a node, and the names and sizes of their groups."""
    views = list(zip(node.seats, node.ranges(), strict=False))  # none where they are unknown
    board = views[0][1].board if views else ()
    free = ~np.isin(HANDS, board).any(axis=1)
    return {
        "classes": CLASSES,
        "class_sizes": np.bincount(CLASS_OF[free], minlength=len(CLASSES)).tolist(),
        "made_hands": MADE_HANDS,
        "draws": DRAWS,
        "players": [_player(name, view) for name, view in views],
        "curves": _curves(views),
    }


def _curves(views: Sequence[tuple[str, RangeView]]) -> dict[str, Any] | None:
    """Return a chart of the equity curves in per cent, as steps; None where no equity is known."""
    lines = []
    for name, view in views:
        shares, equities = np.round(100 * view.equity_curve(), 3).tolist()
        starts = [0.0, *shares][:-1]
        steps = zip(starts, shares, equities, strict=True)
        lines.append(Line(name, [(share, equity) for start, end, equity in steps for share in (start, end)]))
    known = [line for line in lines if line.points]
    labels = [["spot.percentile"], ["spot.equity percent"]]
    return chart_message(known, labels, ("linear", "linear")) if known else None


def _player(name: str, view: RangeView) -> dict[str, Any]:
    return {
        "name": name,
        "ev": view.mean(view.ev),
        "equity": view.mean(view.equity),
        "hands": float(view.reach.sum()),
        "acts": bool(view.actions),
        "made_hands": [_group(group) for group in view.made_hands() if group.hands],
        "draws": [_group(group) for group in view.draws() if group.hands],
        "rows": _rows(view),
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "hands": len(group.hands),
        "frequency": group.frequency,
        "shares": list(group.shares.values()),
        "ev": group.ev,
        "equity": group.equity,
    }


def _rows(view: RangeView) -> list[list[Any]]:
    """Return a row for each hand that reaches the node.

    Columns: hand, class, frequency, reach, made hand, draw, EV, equity, shares and losses of the actions.
    """
    hands = np.flatnonzero(view.reach > 0)
    kinds = [kind(view.board) if view.board else np.full(len(HANDS), -1) for kind in (made_hands, draws)]
    figures = [view.weights, view.reach, view.ev, view.equity, *view.shares, *view.losses]
    table, number = _rounded(np.stack(figures)[:, hands].T), len(view.actions)
    return [
        [
            *(hand_text(hand), int(CLASS_OF[hand]), *row[:2], *(int(kind[hand]) for kind in kinds), *row[2:4]),
            *(row[4 : 4 + number], row[4 + number :]),
        ]
        for hand, row in zip(hands.tolist(), table, strict=True)
    ]


def _rounded(figures: np.ndarray) -> list[list[float]]:
    """Return figures with few significant digits, which keeps messages short."""
    return [[float(f"{value:.{_DIGITS}g}") + 0.0 for value in row] for row in figures.tolist()]  # no -0.0
