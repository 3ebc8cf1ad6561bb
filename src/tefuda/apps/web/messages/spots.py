"""Messages of solved spots: a node with both players' ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.figure import bet_kind
from tefuda.games.parameters import json_parameters
from tefuda.holdem.betting import STREETS
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, card_text, hand_text
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands
from tefuda.holdem.spots.grid import Group, RangeView
from tefuda.holdem.spots.node import INDIFFERENCE, Node
from tefuda.holdem.spots.spot import PLAYERS
from tefuda.solvers.runs.solution import Solution

_DIGITS = 5  # significant digits of figures of hands: a message of 1,000 hands stays below 200 kB


def node_message(solution: Solution, name: str, line: str) -> dict[str, Any]:
    """Return a node of a solved spot as JSON values; `name` is that of the run."""
    node = Node(solution.strategy, line)
    pot, behind = node.chips
    return {
        "line": node.line,
        "parent": node.line.rpartition("/")[0],
        "path": _path(solution, node.line),
        "street": STREETS[len(node.board) - 3],
        "board": [card_text(card) for card in node.board],
        "player": node.player,
        "pot": pot,
        "behind": behind,
        "probability": node.probability,
        "actions": _actions(node),
        "cards": [card_text(card) for card in node.next_cards] if behind else [],
        "seats": PLAYERS,
        "indifference": INDIFFERENCE * pot,
        "solution": _solution(solution, name),
        **ranges_message([(PLAYERS[player], node.range_view(player)) for player in (0, 1)]),
    }


def _solution(solution: Solution, name: str) -> dict[str, Any]:
    spot = solution.strategy.compiled.spot
    return {
        "name": name,
        "parameters": json_parameters(solution.form.game),
        "iterations": solution.iterations,
        "game": "spot",
        "quality": "exploitability",
        "figure": solution.evaluation.figure,
        "locks": [str(lock) for lock in spot.locks],
        "rake": spot.rake_rate,
    }


def _path(solution: Solution, line: str) -> list[dict[str, Any]]:
    """Return the decisions and cards on the way to a line: the choice, the player, and the line after it."""
    parts, steps = line.split("/") if line else [], []
    for number, part in enumerate(parts):
        before = Node(solution.strategy, "/".join(parts[:number]))
        kind = "card" if before.player is None else _kind(before, part)
        steps.append({"name": part, "kind": kind, "player": before.player, "line": "/".join(parts[: number + 1])})
    return steps


def _actions(node: Node) -> list[dict[str, Any]]:
    return [
        {
            "name": action,
            "label": action.partition("(")[0],
            "kind": _kind(node, action),
            "part": node.bets.get(action),
            "share": share,
            "line": f"{node.line}/{action}".lstrip("/"),
        }
        for action, share in node.frequencies.items()
    ]


def _kind(node: Node, action: str) -> str:
    """Return the kind of an action by which it is coloured, see `figure.ACTION_COLOURS`."""
    name = action.partition("(")[0]
    return {"AllIn": "all-in"}.get(name, bet_kind(node.bets[action]) if action in node.bets else name.lower())


def ranges_message(views: Sequence[tuple[str, RangeView]]) -> dict[str, Any]:
    """Return the ranges of players on a board, and the names and sizes of their groups."""
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
        starts = [0.0, *shares[:-1]]
        steps = zip(starts, shares, equities, strict=True)
        lines.append(Line(name, [(share, equity) for start, end, equity in steps for share in (start, end)]))
    known = [line for line in lines if line.points]
    labels = [["spot.percentile"], ["spot.equity percent"]]
    return chart_message(known, labels, ("linear", "linear")) if known else None


def _player(name: str, view: RangeView) -> dict[str, Any]:
    return {
        "name": name,
        "ev": view.mean("ev"),
        "equity": view.mean("equity"),
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
    figures = [view.weights, view.reach, view.figures["ev"], view.figures["equity"]]
    figures += [view.figures[f"{name} {action}"] for name in ("share", "loss") for action in view.actions]
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
