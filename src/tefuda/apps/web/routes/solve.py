"""Routes of the solve page and of the page of a run."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from tefuda.apps.web.calls import Call, Function, NotFound, attachment, get, post
from tefuda.apps.web.messages.solving.run_files import RUN_FILES
from tefuda.apps.web.messages.solving.solve import Run, curves_message, games_message, run_state
from tefuda.apps.web.plans import EVALUATORS, page_game, page_job, sizes
from tefuda.apps.web.run_names import find_run
from tefuda.apps.web.solves import solves_of
from tefuda.apps.web.streams import stream
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.files import LIST, OBJECT, TEXT, FieldSpec
from tefuda.games.parameters import json_parameters
from tefuda.solvers.runs.driver import Goal

_MOST = 7  # methods at once: a chart has seven colours
_NUMBER = (int, float, type(None))
_GOAL = {
    "iterations": FieldSpec((int, type(None)), 1, 10**15, needed=False),
    "until": FieldSpec(_NUMBER, -1e300, 1e300, needed=False),
    "seconds": FieldSpec(_NUMBER, 0, 1e9, needed=False),
}
_OPTIONS = ("fields", "seed", "evaluator")  # of `page_job`
_PLAN = {
    "game": TEXT,
    "parameters": OBJECT,
    "form": FieldSpec((str,), needed=False),
    "fields": FieldSpec((dict,), needed=False),
    "methods": LIST,
    "seed": FieldSpec((int,), 0, 2**63 - 1, needed=False),
    "evaluator": FieldSpec((str,), choices=EVALUATORS, needed=False),
    **_GOAL,
}


def games(workspace: Workspace, call: Call) -> Any:
    """Return the games that the page solves, with their parameters."""
    return workspace.values.get("games to solve", games_message)


def size(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the forms of a game with their methods and sizes; nothing is built."""
    game = page_game(call.query.get("game", ""), call.object("parameters"))
    forms = sizes(game, call.object("fields"))
    return {"players": game.players, "parameters": json_parameters(game), "forms": forms}


def _goal(call: Call) -> Goal:
    return Goal(**{name: call.body[name] for name in _GOAL if call.body.get(name) is not None})


def start(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Start a solve for each method; return the ids of their runs."""
    body = call.body
    methods = body["methods"]
    if not 1 <= len(methods) <= _MOST or not all(isinstance(name, str) for name in methods):
        raise ParameterError(f"methods must be a list of 1 to {_MOST} names.", key="methods")
    game, given = page_game(body["game"], body["parameters"]), {name: body[name] for name in _OPTIONS if name in body}
    plans = [  # all are checked before the first one starts
        page_job(game, method, _goal(call), representation=body.get("form", ""), **given)
        for method in dict.fromkeys(methods)
    ]
    return {"runs": [solves_of(workspace).start(plan) for plan in plans]}


def states(workspace: Workspace, call: Call) -> list[Run]:
    """Return the states of runs with their curves, by ids separated by commas."""
    runs = [run for run in call.query.get("ids", "").split(",") if run]
    if len(runs) > _MOST:
        raise ParameterError(f"at most {_MOST} runs at once, got {len(runs)}.", key="ids")
    return [run_state(solves_of(workspace).state(run)) for run in runs]


def curves(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return a chart of the curves of runs, over iterations or seconds."""
    return curves_message(states(workspace, call), int(call.query.get("over") == "seconds"))


def events(workspace: Workspace, call: Call) -> Response:
    """Return the stream of changes of all solves."""
    return stream(solves_of(workspace).channel, call)


def _interrupting(reason: str) -> Function:
    """Return the function of a route that pauses a run, to resume with the same bits, or stops it."""

    def interrupt(workspace: Workspace, call: Call) -> dict[str, Any]:
        solves_of(workspace).interrupt(call.path["run"], reason)
        return {}

    return interrupt


def resume(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Resume a run, with a new goal if one is given."""
    solves_of(workspace).resume(call.path["run"], _goal(call))
    return {}


def file(workspace: Workspace, call: Call) -> Response:
    """Return a file of a run, to be saved."""
    folder, name = find_run(workspace.folder, call.path["run"]), call.path["name"]
    if name not in RUN_FILES:
        raise NotFound(f"a run has the files {', '.join(RUN_FILES)}.", key="name")
    make, kind = RUN_FILES[name]
    return attachment(make(folder), name, kind)


ROUTES = (
    get("/api/solve/games", games),
    get("/api/solve/size", size),
    get("/api/solve/runs", states),
    get("/api/solve/curves", curves),
    get("/api/solve/events", events),
    get("/api/solve/{run}/files/{name}", file),
    post("/api/solve", start, _PLAN),
    post("/api/solve/{run}/pause", _interrupting("pause"), {}),
    post("/api/solve/{run}/stop", _interrupting("stop"), {}),
    post("/api/solve/{run}/resume", resume, _GOAL),
)
