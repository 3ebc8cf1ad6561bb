"""The stages of an iteration on a drawn game: numbers beside histories and moves, some of them lit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.nodes import number, signed
from tefuda.solvers.exact.trace import IterationHistory

_ROOT = None  # the parent of the first history
_SHARES = {"strategy": "next", "average": "average"}  # figures of an action that are shares


def stage_numbers(
    histories: Sequence[IterationHistory], updates: Sequence[Mapping[str, Any]], infoset: str, times: int
) -> dict[str, list[dict[str, Any]]]:
    """Return for each stage the texts of each history: `node` beside it and `edge` beside its last move.

    Args:
        histories: histories of the drawing, parents first.
        updates: the updates of infosets, see `explore.walk`.
        infoset: the infoset that is shown; its numbers are lit.
        times: factor of the regrets.
    """
    actions = _actions(histories, updates)
    player = next(update["player"] for update in updates if update["infoset"] == infoset)
    way = _way(histories, infoset)
    stages: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("deal", "reach", "values", "regrets", "strategy", "average")
    }
    for place, history in enumerate(histories):
        before = None if history.parent is _ROOT else histories[history.parent]
        after, here = before is not None and before.infoset == infoset, history.infoset == infoset
        share = None if before is None else number(short(history.shares[player], 3))
        dealt = before is not None and before.mover == -1
        stages["deal"].append({"edge": share, **_lit("Edge", place in way)} if dealt else {})
        lit = place in way and before is not None and before.mover != player
        others = number(short(history.others[player], 3))
        stages["reach"].append({"node": others, "edge": share, **_lit("Node", here), **_lit("Edge", lit)})
        stages["values"].append({"node": signed(short(history.values[player], 3)), **_lit("Node", here or after)})
        action = actions.get(place)
        regret = None if action is None else action["regret" if times == 1 else "scaled"]
        figures = {"regrets": signed(short(regret, 2))}
        figures |= {stage: number(short(action and action[name], 2)) for stage, name in _SHARES.items()}
        for stage, text in figures.items():
            stages[stage].append({} if action is None else {"edge": text, **_lit("Edge", after)})
    return stages


def short(value: Any, digits: int) -> float | None:
    """Return a number with few significant digits, which keeps messages short."""
    return None if value is None else float(f"{value:.{digits}g}")


def _lit(part: str, lit: bool) -> dict[str, bool]:
    return {f"lit{part}": True} if lit else {}


def _actions(
    histories: Sequence[IterationHistory], updates: Sequence[Mapping[str, Any]]
) -> dict[int, Mapping[str, Any]]:
    """Return the update of the action that leads to a history, by its place."""
    known, counts = {update["infoset"]: update["actions"] for update in updates}, dict[int, int]()
    found = {}
    for place, history in enumerate(histories):
        if (parent := history.parent) is _ROOT:
            continue
        number_of = counts[parent] = counts.get(parent, -1) + 1
        if (actions := known.get(histories[parent].infoset)) is not None:
            found[place] = actions[number_of]
    return found


def _way(histories: Sequence[IterationHistory], infoset: str) -> set[int]:
    """Return the places of the histories on the ways from the root to an infoset, without the root."""
    way = set[int]()
    for start, history in enumerate(histories):
        place = start
        while history.infoset == infoset and (parent := histories[place].parent) is not _ROOT:
            way.add(place)
            place = parent
    return way
