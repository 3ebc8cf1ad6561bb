"""Routes of the page that reviews a finished hand."""

from __future__ import annotations

from tefuda.apps.web.calls import Call, NotFound, get, post
from tefuda.apps.web.messages.play import TableMessage, table_message
from tefuda.apps.web.messages.review import ReviewMessage, review_message
from tefuda.apps.web.players import tables_of
from tefuda.apps.web.routes.play import find_table
from tefuda.apps.web.tables import PersonTable
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.files import FieldSpec
from tefuda.playing.review import DEFAULT_THRESHOLDS, Thresholds


def review(workspace: Workspace, call: Call) -> ReviewMessage:
    """Return the review of a finished hand."""
    table = find_table(workspace, call)
    with table.lock:
        return review_message(table, _hand(table, call), _thresholds(call))


def vary(workspace: Workspace, call: Call) -> TableMessage:
    """Make a variation: take another action at a decision of a finished hand."""
    table, (move, action) = find_table(workspace, call), (call.body["move"], call.body["action"])
    with table.lock:
        return table_message(tables_of(workspace).vary(table, _hand(table, call), move, action))


def _hand(table: PersonTable, call: Call) -> int:
    """Return the number of a reviewed hand; raise NotFound if there is none."""
    text = call.path["hand"]
    if table.players.reviewer is None:
        raise NotFound("this table has no coach to review its hands; choose one when you sit down.")
    if not text.isdecimal() or len(text) > 9 or int(text) >= len(table.reviews):
        raise NotFound("no finished hand has this number.")
    return int(text)


def _thresholds(call: Call) -> Thresholds:
    """Return the thresholds of the query; raise ParameterError unless they are in order."""
    given = {name: cost for name in Thresholds._fields if (cost := call.amount(name)) is not None}
    thresholds = DEFAULT_THRESHOLDS._replace(**given)
    if thresholds.blunder < thresholds.slip:
        slip, blunder = thresholds
        raise ParameterError(f"blunder must be at least slip, {slip:g}; got {blunder:g}.", key="blunder")
    return thresholds


_HAND = "/api/tables/{table}/hands/{hand}"
_WHOLE = FieldSpec((int,), 0, 10**6)
ROUTES = (get(_HAND, review), post(f"{_HAND}/variation", vary, {"move": _WHOLE, "action": _WHOLE}))
