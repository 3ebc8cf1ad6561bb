"""Messages of the pages that explore strategies and walk through iterations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.messages.formulas import formulas
from tefuda.apps.web.messages.nodes import Node, word
from tefuda.apps.web.messages.stages import stage_numbers
from tefuda.evaluating.explorer import Explorer, Position, move_probability
from tefuda.evaluating.public_table import PublicTable
from tefuda.figure import ORDERS, action_kind
from tefuda.forms.paths import label_text, path_of, texts_at
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import OPENSPIEL, is_registered, load_game
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Observation
from tefuda.solvers.exact.trace import Iteration
from tefuda.solvers.runs.snapshots import InfosetSeries
from tefuda.solvers.runs.solution import Solution

_NAMED = 2000  # infosets that are listed by name
_STATES = 200  # public states that are listed
_MERGED = 60  # histories of an infoset that are listed
_NOISE = 1e-15  # smaller sums of regrets are 0


def about(name: str, solution: Solution | None, explorer: Explorer, small: bool) -> dict[str, Any]:
    """Return a strategy's game, figures, infosets and public states."""
    tree = explorer.tree
    known = tree.game is not None
    states = explorer.public_states() if known else ()
    return {
        "id": name,
        "rules": _address(tree),
        "form": "tree",
        "game": tree.name,
        "parameters": tree.parameters,
        "players": tree.players,
        "histories": len(tree.player),
        "infosets": [tree.name_of(number) for number in range(min(tree.infosets, _NAMED))],
        "infoset_count": tree.infosets,
        "public_states": [asdict(state) for state in states[:_STATES]],
        "seats": known,
        "small": small,
        "values": explorer.values[0].tolist(),
        "nash_conv": explorer.precision * tree.players,
        "method": solution.method["name"] if solution else None,
        "iterations": solution.iterations if solution else None,
    }


def _address(tree: Tree) -> str | None:
    """Return the game with its changed parameters, ``"leduc;players=3"``; None if unknown."""
    if not is_registered(tree.name) or tree.name.startswith(OPENSPIEL):
        return None
    usual = json_parameters(load_game(tree.name))
    own = [f"{key}={json.dumps(value)}" for key, value in tree.parameters.items() if usual.get(key, value) != value]
    return ";".join([tree.name, *own])


def position(plain: Position, spoken: Position) -> dict[str, Any]:
    """Return a position; `plain` has English names, from which the kinds of actions follow."""
    message = asdict(spoken)
    kinds = [action_kind(action.name, index) for index, action in enumerate(plain.actions)]
    for action, kind in zip(message["actions"], kinds, strict=True):
        action["kind"] = kind if plain.mover >= 0 else f"order {kinds.index(kind) % ORDERS}"
    merged = sorted(message["merged"], key=lambda history: -(history["probability"] or 0))
    seen = _observation(spoken.observation)
    return message | {"observation": seen, "merged": merged[:_MERGED], "merged_count": len(merged)}


def _observation(observation: Observation | None) -> dict[str, str] | None:
    return None if observation is None else {"hand": observation.hand, "table": observation.table}


def public_table(table: PublicTable) -> dict[str, Any]:
    """Return the table of a public state."""
    return {
        "state": asdict(table.state),
        "labels": table.labels,
        "names": [action.name for action in table.actions()],
        "kinds": [action.kind for action in table.actions()],
        "rows": [asdict(row) for row in table.rows],
    }


def tree(explorer: Explorer, nodes: Sequence[int]) -> dict[str, Any]:
    """Return histories of a game, parents first, with their last moves, reach and values."""
    game, total, histories = explorer.tree, explorer.reach.total, []
    index = {node: place for place, node in enumerate(nodes)}
    for node in nodes:
        parent, infoset = int(game.parent[node]), int(game.infoset[node])
        histories.append(
            {
                "path": path_of(game, node),
                "parent": index.get(parent),
                "label": texts_at(game, parent)[node - int(game.first_child[parent])] if node else "",
                "mover": int(game.player[node]),
                "infoset": game.name_of(infoset) if infoset >= 0 else None,
                "share": move_probability(explorer.profile, node),
                "reach": float(total[node]),
                "values": explorer.values[node].tolist(),
            }
        )
    return {"histories": histories}


def series(numbers: InfosetSeries) -> dict[str, Any]:
    """Return charts of an infoset over the iterations: shares of both strategies, and regrets."""
    figures = {name: getattr(numbers, name) for name in ("average", "current", "regrets")}
    return {name: _over_time(numbers, name, rows) for name, rows in figures.items() if rows is not None}


def _over_time(numbers: InfosetSeries, figure: str, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    columns = zip(numbers.actions, zip(*rows, strict=True), strict=True)
    lines = [Line(label_text(label), list(zip(numbers.iterations, column, strict=True))) for label, column in columns]
    return chart_message(lines, [["place.iterations"], [f"place.{figure}"]], ("log", "linear"))


def walk(iteration: Iteration, infoset: str, times: int, infosets: list[str], players: int) -> dict[str, Any]:
    """Return an iteration: histories with their numbers, and the update of each infoset.

    times: factor of the regrets in the field ``scaled``.
    """
    updates = []
    for number in iteration.infosets:
        explanation = iteration.explain(number)
        update: dict[str, Any] = {**asdict(explanation), "rule": explanation.rule._asdict()}
        update["histories"] = [one.path for one in iteration.histories if one.infoset == explanation.infoset]
        update["positive"] = sum(max(action.matched, 0.0) for action in explanation.actions)
        update["total"] = sum(action.sum for action in explanation.actions)
        for action in update["actions"]:
            action |= {name: _without_noise(action[name]) for name in ("regret", "before", "after", "matched")}
            action["scaled"] = times * action["regret"]
            action["action"] = label_text(action["action"])
            action["positive"] = max(action["matched"], 0.0)
        updates.append(update)
    shown = next(update for update in updates if update["infoset"] == infoset)
    return {
        "formulas": formulas(iteration, shown, times),
        "notes": {"strategy": _uniform("noPositive", shown, "positive"), "average": _uniform("noSum", shown, "total")},
        "stages": stage_numbers(iteration.histories, updates, infoset, times),
        "game": iteration.game,
        "method": iteration.method,
        "order": iteration.order,
        "iteration": iteration.number,
        "times": times,
        "at": infoset,
        "players": players,
        "histories": [asdict(history) for history in iteration.histories],
        "infosets": updates,
        "names": infosets[:_NAMED],
    }


def _uniform(reason: str, update: Mapping[str, Any], figure: str) -> Node:
    """Return the reason for a uniform strategy, which has no formula; None for others."""
    return None if update[figure] > 0 else word(f"step.{reason}", n=len(update["actions"]))


def _without_noise(value: float) -> float:
    """Return a sum of floats without the error of its rounding."""
    return 0.0 if abs(value) < _NOISE else value
