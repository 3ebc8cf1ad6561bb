"""Routes of the page Hands: imports, the list, and one hand."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import quote, urlencode

from tefuda.apps.web.calls import Call, NotFound, get, post
from tefuda.apps.web.messages.histories import Choice, HandsMessage, by_hand, choose, hands_message
from tefuda.apps.web.messages.play import TableMessage, table_message
from tefuda.apps.web.messages.replays import HandName, ReplayMessage, replay_message
from tefuda.apps.web.messages.results import Variation
from tefuda.apps.web.own_hands import decision_spot, own_hands_of, skipped_in, spot_with_ranges
from tefuda.apps.web.plans import page_job
from tefuda.apps.web.players import RUN, tables_of
from tefuda.apps.web.run_names import find_run, list_runs
from tefuda.apps.web.solves import solves_of
from tefuda.apps.web.tables import Setup
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, check_choice
from tefuda.files import TEXT, FieldSpec
from tefuda.games.parameters import json_parameters
from tefuda.holdem.cards import hand_number
from tefuda.holdem.reports.graph import OVER
from tefuda.solvers.runs.driver import Goal
from tefuda.solvers.runs.run import read_run

_UNTIL = 0.3  # percent of the pot


def hands(workspace: Workspace, call: Call) -> HandsMessage:
    """Return the hands of a filter, one page of their list."""
    page, own = call.number("page", 1), own_hands_of(workspace)
    if not 1 <= page <= 10**6:
        raise ParameterError(f"page must be at least 1, got {page}.", key="page")
    choice = _choice(workspace, call)
    by, over = call.query.get("by", ""), call.query.get("over", OVER[0])
    check_choice("over", over, OVER)
    return hands_message(len(own.hands), skipped_in(own.folder)["reasons"], choice, own.review, by, page - 1, over)


def hand(workspace: Workspace, call: Call) -> ReplayMessage:
    """Return one hand, with its place in the list of the same filter."""
    choice, place = _find(workspace, call)
    found = choice.hand(place)
    decisions = by_hand(own_hands_of(workspace).review).get(found.identity, ())
    return replay_message(found, decisions, place, choice.name(place + 1))


def _find(workspace: Workspace, call: Call) -> tuple[Choice, int]:
    choice, name = _choice(workspace, call), HandName(call.query.get("room", ""), call.query.get("number", ""))
    if (place := choice.place(name, call.number("place", 0))) is None:
        raise NotFound("no imported hand has this address, or the filter leaves it out.")
    return choice, place


def _choice(workspace: Workspace, call: Call) -> Choice:
    own, asked = own_hands_of(workspace), (call.query.get("where", ""), call.query.get("player", ""))
    hands = own.hands
    return own.choices.get((len(hands), asked), lambda: choose(hands, *asked))


def skipped(workspace: Workspace, call: Call) -> list[dict[str, Any]]:
    """Return the last hands that were not read, without their texts."""
    names = ("reason", "detail", "source", "line")
    return [dict(zip(names, row, strict=True)) for row in skipped_in(own_hands_of(workspace).folder)["rows"]]


def upload(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Receive a part of a file."""
    body = call.body
    try:
        data = base64.b64decode(body["data"], validate=True)
    except binascii.Error:
        raise ParameterError("data must be base64.", key="data") from None
    own_hands_of(workspace).receive(body["upload"], body["name"], body["offset"], data)
    return {}


def read(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Read the files of an upload; return the state of the import."""
    return own_hands_of(workspace).start(call.body["upload"])


def state(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the state of the last import."""
    return own_hands_of(workspace).state()


def offer(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the unsolved spots in the newest hands, of rivers and of turns, with their seconds."""
    own, hands = own_hands_of(workspace), _choice(workspace, call).newest
    return {name: own.unsolved(hands, turns) for name, turns in (("rivers", False), ("turns", True))}


def price(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Price the decisions in the newest hands; return the state of the review."""
    return own_hands_of(workspace).price(_choice(workspace, call).newest, call.body["turns"])


def pricing(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the state of the review."""
    return own_hands_of(workspace).pricing()


def stop(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Stop the review."""
    own_hands_of(workspace).stop_pricing()
    return {}


def explore(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the run of a decision's spot, which starts if there is none, and the decision's line."""
    choice, place = _find(workspace, call)
    hand = choice.hand(place)
    decision = decision_spot(hand, call.body["step"])
    spot: Any = spot_with_ranges(hand, decision)
    job = page_job(spot, goal=Goal(until=_UNTIL))
    asked = ("spot", json_parameters(job.game))
    runs = (run for run in list_runs(workspace.folder) if run.status in ("running", "finished"))
    known = next((run.id for run in runs if (run.game, run.game_parameters) == asked), None)
    return {"run": known or solves_of(workspace).start(job), "line": decision.line.replace("/", "~")}


def vary(workspace: Workspace, call: Call) -> TableMessage:
    """Make a variation of a hand: take another action at a decision, against the solution of its spot."""
    (choice, place), (step, action) = _find(workspace, call), (call.body["step"], call.body["action"])
    hand = choice.hand(place)
    name, decision = RUN + call.body["run"], decision_spot(hand, step)
    if hand.hero != decision.players[decision.seat]:
        raise ParameterError(f"step must be a decision of yours, got {step}.", key="step", value=step)
    folder = find_run(workspace.folder, call.body["run"])
    setup = Setup("spot", read_run(folder)["game_parameters"], [name], name, "after", line=decision.line)
    path = "/".join(quote(part, safe="") for part in (call.query["room"], call.query["number"]))
    others = {key: text for key, text in call.query.items() if key not in ("room", "number")}
    variation = Variation(f"/hands/{path}?{urlencode(others | {'at': step + 1})}")
    return table_message(
        tables_of(workspace).vary_drill(setup, hand_number(*hand.hand.hole(hand.hero)), action, variation)
    )


ROUTES = (
    get("/api/hands", hands),
    get("/api/hands/hand", hand),
    get("/api/hands/skipped", skipped),
    get("/api/hands/import", state),
    get("/api/hands/offer", offer),
    get("/api/hands/review", pricing),
    post("/api/hands/review", price, {"turns": FieldSpec((bool,))}),
    post("/api/hands/review/stop", stop, {}),
    post("/api/hands/explore", explore, {"step": FieldSpec((int,), 0, 1000)}),
    post("/api/hands/variation", vary, {"step": FieldSpec((int,), 0, 1000), "run": TEXT, "action": TEXT}),
    post("/api/hands/import", read, {"upload": TEXT}),
    post(
        "/api/hands/upload", upload,
        {"upload": TEXT, "name": TEXT, "offset": FieldSpec((int,), 0, 2**40), "data": TEXT},
    ),
)  # fmt: skip
