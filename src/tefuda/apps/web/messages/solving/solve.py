"""Messages of the solve page: games with their parameters, plans, and the states of runs."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.apps.explaining import about, arguments_of
from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.plans import PAGE_GAMES
from tefuda.games.catalogue import find_constructor
from tefuda.locks import is_locked
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.job import Job
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import read_run

_KINDS = {bool: "flag", int: "whole", float: "number", str: "text"}
#: Defaults of parameters that differ on the page: it solves limit hold'em, which fits into buckets.
_DEFAULTS = {"holdem": {"limit": True}}


def games_message() -> list[dict[str, Any]]:
    """Return the games that the page solves, with their parameters."""
    return [_game(name) for name in PAGE_GAMES]


def _game(name: str) -> dict[str, Any]:
    make = find_constructor(name)
    meanings, defaults = arguments_of(make), _DEFAULTS.get(name, {})
    parameters = []
    for parameter in inspect.signature(make, eval_str=True).parameters.values():
        if parameter.kind == parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is parameter.empty or parameter.name in defaults
        own = None if parameter.default is parameter.empty else parameter.default
        default = defaults.get(parameter.name, own)
        parameters.append(
            {
                "name": parameter.name,
                "kind": _KINDS.get(parameter.annotation, "value"),
                "default": json.loads(json.dumps(default)),
                "needed": needed,
                "meaning": meanings.get(parameter.name, ""),
            }
        )
    return {"name": name, "about": about(make).split("\n\n")[0], "parameters": parameters}


def plan_message(job: Job) -> dict[str, Any]:
    """Return the state of a run that has not begun."""
    content = job.to_json()
    return {
        "title": "",
        **{name: content[name] for name in ("game", "game_parameters", "seed", "goal")},
        "form": job.representation,
        "method": job.method.name,
        "unit": job.method.unit,
        "iterations": 0,
        "seconds": 0.0,
        "values": [],
        "evaluator": None,
        "written": "",
    }


def run_message(folder: Path, curve: Sequence[AnyPoint]) -> dict[str, Any]:
    """Return the state of a saved run, with its curve."""
    content = read_run(folder)
    status = content["status"]
    if status == "running" and not is_locked(folder / "run.json"):
        status = "interrupted"  # its process was killed
    figure = content["figure"]
    evaluator = {name: figure[name] for name in ("title", "unit", "lower_is_better")}
    return {
        "id": folder.name,
        "title": content.get("title", ""),
        "game": content["game"],
        "game_parameters": content["game_parameters"],
        "form": content["form"]["representation"],
        "method": content["method_parameters"]["name"],
        "unit": unit_of(content["method_parameters"]),
        "seed": content["seed"],
        "goal": content["goal"],
        "status": status,
        "stop": content["stop"],
        "error": "",
        "iterations": content["iterations"],
        "seconds": content["seconds"],
        "values": content.get("values", []),
        "evaluator": evaluator,
        "written": content.get("written", ""),
        "curve": [(point.iteration, point.seconds, point.figure, point.low, point.high) for point in curve],
    }


def curves_message(runs: Sequence[Mapping[str, Any]], column: int) -> dict[str, Any]:
    """Return a chart of the curves of runs, with a target as a line.

    Args:
        runs: states of runs, see `run_message`.
        column: 0 for iterations, 1 for seconds.
    """
    methods = {run["method"] for run in runs}
    short = len(methods) == len(runs) and len({run["game"] for run in runs}) == 1
    lines = [
        Line(
            run["title"] or (run["method"] if short else run["id"]),
            [(point[column], *point[2:]) for point in run["curve"] if point[2] is not None and math.isfinite(point[2])],
        )
        for run in runs
    ]
    known = [run["evaluator"] for run in runs if run["evaluator"]] or [{"title": NashConv.title, "unit": ""}]
    figures = dict.fromkeys(text for evaluator in known for text in (evaluator["title"], evaluator["unit"]) if text)
    positive = all(value > 0 for line in lines for point in line.points for value in point[1:])
    lower = all(evaluator.get("lower_is_better", True) for evaluator in known)
    across = "seconds" if column else runs[0]["unit"] if runs else "iterations"
    targets = [run["goal"]["until"] for run in runs if (run["goal"] or {}).get("until")]
    scales = ("log", "log" if positive and lower else "linear")
    return chart_message(lines, [[across], list(figures)], scales, {"target": targets[0]} if targets else {})
