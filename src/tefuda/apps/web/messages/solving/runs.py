"""Messages of the page Runs: summaries of runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tefuda.apps.web.messages.nodes import Node, component, link, number, word
from tefuda.apps.web.messages.solving.run_nodes import can_explore
from tefuda.apps.web.run_names import list_runs
from tefuda.solvers.runs.listing import RunSummary


def runs_message(folder: Path) -> dict[str, Any]:
    """Return the runs of a folder, the last written first."""
    return {"runs": [_summary(folder, run) for run in list_runs(folder)]}


def _summary(folder: Path, run: RunSummary) -> dict[str, Any]:
    """Return a run's summary and its row, with parameters as text and without the path of the folder."""
    parameters = ", ".join(f"{name}={value}" for name, value in run.game_parameters.items())
    message = {**asdict(run), "game_parameters": parameters, "error": run.error.replace(f"{folder}{os.sep}", "")}
    name = run.title or run.id
    cells = _damage(message) if run.error else [["th", {"scope": "row"}, link(f"/runs/{component(run.id)}", name)]]
    cells += [] if run.error else [["td", {}, *nodes] for nodes in _cells(message)]
    row = ["tr", {"data-run": run.id}, *cells, ["td", {}, *_menu(message, name)]]
    return {**message, "name": name, "row": row}


def _damage(run: Mapping[str, Any]) -> list[Node]:
    reason = ["td", {"colspan": 6, "class": "wrong"}, word("status.damaged"), f": {run['error']}"]
    return [["th", {"scope": "row"}, run["id"]], reason, ["td", {}, ""]]


def _cells(run: Mapping[str, Any]) -> list[list[Node]]:
    """Return the figures of a run, and a box to compare it."""
    figure, value = run["figure"], run["figure"].get("value")
    unit = ["span", {"class": "quiet"}, f" {figure['title']}, {figure['unit']}"] if value is not None else None
    label = ["span", {"class": "unseen"}, word("runs.compare this", name=run["title"] or run["id"])]
    return [
        [["span", {"title": run["game_parameters"]}, run["game"]]],
        *([run["method"]], [word(f"status.{run['status']}")], [number(run["iterations"])]),
        [number(value, 4), *([unit] if unit else [])],
        [["time", {"datetime": run["written"]}, {"d": run["written"]}] if run["written"] else "–"],
        [["label", {"class": "check"}, ["input", {"type": "checkbox"}], label]],
    ]


def _menu(run: Mapping[str, Any], name: str) -> list[Node]:
    """Return a menu of the actions on a run."""

    def button(act: str) -> Node:
        return ["button", {"data-act": act}, word(f"runs.{act}")]

    place, nodes = component(run["id"]), list[Node]()
    if not run["error"]:
        files = {"class": "button", "download": f"{run['id']}.zip"}
        nodes = [button("rename"), *([button("resume")] if run["status"] == "interrupted" else [])]
        if can_explore(run["representation"], run["game"]):
            nodes.append(link(f"/explore/{place}/-", word("runs.explore"), **{"class": "button"}))
        nodes.append(link(f"/api/runs/{place}/files", word("runs.export"), **files))
    title = ["span", {"aria-label": word("runs.actions of", name=name), "role": "img"}, "⋯"]
    return [["details", {"class": "menu"}, ["summary", {}, title], ["div", {"class": "row"}, *nodes, button("bin")]]]
