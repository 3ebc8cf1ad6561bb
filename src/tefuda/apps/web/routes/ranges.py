"""Routes of ranges that a person paints or writes."""

from __future__ import annotations

from tefuda.apps.web.calls import Call, post
from tefuda.apps.web.messages.ranges import RangeMessage, range_message
from tefuda.apps.web.workspace import Workspace
from tefuda.files import TEXT
from tefuda.holdem.ranges import Range


def read(workspace: Workspace, call: Call) -> RangeMessage:
    """Return the hands of a written range."""
    return range_message(Range.read(call.body["text"], "range"))


ROUTES = (post("/api/ranges", read, {"text": TEXT}),)
