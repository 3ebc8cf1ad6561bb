"""Messages of solved limit hold'em: a place with the players' ranges."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.messages.spots import ranges_message
from tefuda.figure import bet_kind
from tefuda.games.parameters import json_parameters
from tefuda.holdem.cards import CARDS, card_text, cards_text
from tefuda.holdem.hands.rules import NO_PLAYER, STREETS, TableRules
from tefuda.holdem.limit.line import LimitLine, limit_actions, read_limit_line
from tefuda.holdem.limit.node import LimitNode
from tefuda.solvers.runs.solution import Solution


def place_message(solution: Solution, name: str, text: str) -> dict[str, Any]:
    """Return a place of a solved limit game with the keys of `node_message`; unknown ones are None."""
    policy, rules = solution.strategy, solution.strategy.game.graph.rules
    line = read_limit_line(rules, text)
    seats = _seats(rules.players)
    decides = line.wagers.mover != NO_PLAYER
    node = LimitNode(policy, line.betting, cards_text(line.board)) if decides else None
    views = [(seats[player], node.range_view(player)) for player in range(rules.players)] if node else []
    return {
        "line": line.text,
        "parent": line.text.rpartition("/")[0],
        "path": [_step(line, number) for number in range(len(line.steps))],
        "street": STREETS[line.wagers.street],
        "board": [card_text(card) for card in line.board],
        "player": line.wagers.mover if decides else None,
        "pot": rules.pot(line.wagers),
        "behind": None,
        "probability": None,
        "actions": _actions(rules, line, node) if node else [],
        "cards": [card_text(card) for card in range(CARDS) if card not in line.board] if line.needs_card else [],
        "seats": seats,
        "indifference": 0.0,
        "solution": {
            "name": name,
            "parameters": json_parameters(solution.form.game),
            "iterations": solution.iterations,
            "game": "holdem",
            "quality": "local response",
            "figure": solution.evaluation.figure,
            "locks": [],
        },
        **ranges_message(views),
    }


def _seats(players: int) -> list[str]:
    """Return the names of the seats; heads-up the button posts the small blind."""
    return ["BB", "SB"] if players == 2 else ["SB", "BB", *(f"{n}" for n in range(2, players - 1)), "BTN"]


def _step(line: LimitLine, number: int) -> dict[str, Any]:
    step, done = line.steps[number], line.steps[: number + 1]
    kind = "card" if step.player is None else "action"
    return {"name": step.name, "kind": kind, "player": step.player, "line": "/".join(each.name for each in done)}


def _actions(rules: TableRules, line: LimitLine, node: LimitNode) -> list[dict[str, Any]]:
    actions = []
    highest, own = max(line.wagers.bets), line.wagers.bets[line.wagers.mover]
    pot = rules.pot(line.wagers) + highest - own
    for name, share in zip(limit_actions(rules, line.wagers), node.frequencies.values(), strict=True):
        label, _, amount = name.removesuffix(")").partition("(")
        part = (int(amount) - highest) / pot if amount else None
        kind = label.lower() if part is None else bet_kind(part)
        after = f"{line.text}/{name}".lstrip("/")
        actions.append({"name": name, "label": label, "kind": kind, "part": part, "share": share, "line": after})
    return actions
