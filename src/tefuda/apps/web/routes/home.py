"""Routes of the server's state, and of pages that are nodes alone."""

from __future__ import annotations

from typing import Any

import tefuda
from tefuda.apps.web.calls import Call, get
from tefuda.apps.web.messages.nodes import Node
from tefuda.apps.web.messages.solving.runs import runs_message
from tefuda.apps.web.preparing import preparation_progress
from tefuda.apps.web.workspace import Workspace


def status(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the version of the server, and the progress of its preparation."""
    return {"version": tefuda.__version__, "preparation": preparation_progress(workspace)}


def help_page(workspace: Workspace, call: Call) -> list[Node]:
    """Return the keys, the glossary, and the version."""
    from tefuda.apps.web.messages.plain_pages import help_nodes

    return help_nodes()


def learn_page(workspace: Workspace, call: Call) -> list[Node]:
    """Return the list of chapters."""
    from tefuda.apps.web.messages.plain_pages import learn_nodes

    return learn_nodes()


def strategies_page(workspace: Workspace, call: Call) -> list[Node]:
    """Return the strategies that can be explored."""
    from tefuda.apps.web.messages.plain_pages import strategies_nodes

    return strategies_nodes(runs_message(workspace.folder)["runs"])


ROUTES = (
    get("/api/status", status),
    get("/api/pages/help", help_page),
    get("/api/pages/learn", learn_page),
    get("/api/pages/explore", strategies_page),
)
