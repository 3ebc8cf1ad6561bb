"""Routes of Home: the prepared hand of Koi-Koi, and the first decision of a solved spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tefuda.apps.web.calls import Call, get, post
from tefuda.apps.web.messages.play import TableMessage, table_message
from tefuda.apps.web.players import tables_of
from tefuda.apps.web.routes.spots import spot_figures
from tefuda.apps.web.tables import Setup
from tefuda.apps.web.workspace import Workspace
from tefuda.files import FieldSpec

if TYPE_CHECKING:
    from tefuda.apps.web.messages.start import SmallGrid

#: The table of the prepared hand. The file ``static/home.json`` shows its deal, so that Home makes no table.
PREPARED = Setup("koikoi", {"rounds": 3}, ["greedy"], mode="request")
SEED = 3482  # twelve months in the hand and on the field, and five cards that take
_CARDS = 8


def hand(workspace: Workspace, call: Call) -> TableMessage:
    """Make the table of the prepared hand, whose deal is known, so that it counts as helped; play a card."""
    tables = tables_of(workspace)
    table = tables.create(PREPARED, SEED)
    table.helped.add(0)
    if "action" in call.body:
        table.act(call.body["action"])
    tables.save(table)
    return table_message(table)


def grid(workspace: Workspace, call: Call) -> SmallGrid:
    """Return the first decision of a solved spot by class of hands."""
    from tefuda.apps.web.messages.start import small_grid

    run = call.path["run"]
    return spot_figures(workspace, run, "", "classes of hands", lambda node: small_grid(node, run))


ROUTES = (
    post("/api/home/hand", hand, {"action": FieldSpec((int,), 0, _CARDS - 1, needed=False)}),
    get("/api/home/grids/{run}", grid),
)
