"""Routes of the page that reviews a finished hand."""

from __future__ import annotations

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.messages.review import ReviewMessage, review_message
from tefuda.apps.web.routes.play import find_table
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.playing.review import DEFAULT_THRESHOLDS, Thresholds


def review(workspace: Workspace, call: Call) -> ReviewMessage:
    """Return the review of a finished hand."""
    table, text = find_table(workspace, call), call.path["hand"]
    with table.lock:
        if not text.isdecimal() or len(text) > 9 or int(text) >= len(table.session.ended):
            raise NotFound("no finished hand has this number.")
        if table.players.reviewer is None:
            raise NotFound("this table has no coach to review its hands; choose one when you sit down.")
        return review_message(table, int(text), _thresholds(call))


def _thresholds(call: Call) -> Thresholds:
    """Return the thresholds of the query; raise ParameterError unless they are in order."""
    given = {name: cost for name in Thresholds._fields if (cost := call.amount(name)) is not None}
    thresholds = DEFAULT_THRESHOLDS._replace(**given)
    if thresholds.blunder < thresholds.slip:
        slip, blunder = thresholds
        raise ParameterError(f"blunder must be at least slip, {slip:g}; got {blunder:g}.", key="blunder")
    return thresholds


ROUTES = (get("/api/tables/{table}/hands/{hand}", review),)
