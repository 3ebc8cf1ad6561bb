"""The person's own hands at the tables of a server, as a record for models."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.tables import TableStore
from tefuda.errors import RunError
from tefuda.forms.tree import Tree
from tefuda.playing.hands import Record, read_record
from tefuda.playing.session import read_session

ME = "me"  # the opponent that is the person, from its hands at the tables
YOU, OTHERS = "you", "opponents"


def own_record(tables: TableStore, tree: Tree) -> Record:
    """Return the finished hands of a two-player game at all tables, without hands with hints."""
    hands = list[Any]()
    for name in tables.names():
        path = tables.folder / f"{name}.json"
        try:
            saved = read_session(path)
            if (saved.play, saved.parameters) != (tree.name, tree.parameters):
                continue
            helped = saved.options.get("helped", [])
            hands += [hand for hand in read_record(path, tree).hands if hand.deal not in helped]
        except RunError:  # a damaged file; the page Play names it
            continue
    return Record((YOU, OTHERS), tuple(hands))
