"""The first content of Home, before anything was played or solved: ``static/home.json``.

``python -m docs.site.home`` writes it: a deal of Koi-Koi, curves of Leduc hold'em, and a solved turn.
"""

from __future__ import annotations

import json
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.messages.message import message_json
from tefuda.apps.web.messages.play import table_message
from tefuda.apps.web.messages.start import small_grid
from tefuda.apps.web.players import tables_of
from tefuda.apps.web.routes.start import PREPARED, SEED
from tefuda.apps.web.workspace import Workspace
from tefuda.holdem import Node, make_spot

_TABLE = ("hand", "opponents", "seats", "seat", "match", "actions")
_PICTURE = ("deck", "hand", "table", "piles", "events")
_MORE = ("player", "turn", "of_turns", "stock", "shown", "captures", "choice", "ending")
_METHODS = ("cfr+", "cfr")
_SECONDS = 2.0
_POINTS = 32  # of a curve
#: The spot with which the form of the page Solve opens, static/js/spots/form.js.
SPOT = {
    "board": "Qs 7h 2d 5c", "pot": 55, "stack": 200, "bets": "33%,75%,a", "raises": "60%,a",
    "oop": "99-22,AJs-A2s,KJs-K2s,KQs:0.5,QJs-Q4s,JTs-J6s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s,"
    "AQo:0.5,ATo-A5o,KQo-K9o,QJo-Q9o,JTo-J9o,T9o-T8o,98o",
    "ip": "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K8o+,Q9o+,J9o+,T8o+,98o",
}  # fmt: skip


def prepared_deal(folder: Path) -> dict[str, Any]:
    """Return the first decision at the table of the prepared hand, as far as Home draws it."""
    state = message_json(table_message(tables_of(Workspace(folder)).create(PREPARED, SEED)))
    picture = {name: state["picture"][name] for name in _PICTURE}
    more = {name: state["picture"]["more"][name] for name in _MORE}
    hands = {side: {"hand": state["picture"]["more"][side]["hand"]} for side in ("own", "opponent")}
    return {**{name: state[name] for name in _TABLE}, "picture": {**picture, "more": more | hands}}


def recorded_curve() -> dict[str, Any]:
    """Return a chart of Leduc hold'em, solved by two methods in the seconds of Home's button."""
    lines = []
    for method in _METHODS:
        curve = td.solve(td.load_game("leduc"), method, seconds=_SECONDS).curve
        points = [curve[place] for place in np.unique(np.linspace(0, len(curve) - 1, _POINTS).astype(int))]
        lines.append(Line(method, [(point.iteration, float(f"{point.figure:.3g}")) for point in points]))
    return chart_message(lines, [["iterations"], ["NashConv"]])


def solved_turn() -> dict[str, Any]:
    """Return the button's decision after a check in the spot of the form."""
    solution = td.solve(make_spot(**SPOT), until=0.3)
    content: dict[str, Any] = message_json(small_grid(Node(solution.strategy, "Check"), ""))
    return content


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as name:
        content = {"deal": prepared_deal(Path(name)), "curve": recorded_curve(), "grid": solved_turn()}
    path = Path(str(files("tefuda.apps.web").joinpath("static", "home.json")))
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
