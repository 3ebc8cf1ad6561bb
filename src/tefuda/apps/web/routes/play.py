"""Routes of the pages Play and Table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from tefuda.apps.web.calls import Call, Conflict, NotFound, attachment, get, json_or_text, post
from tefuda.apps.web.messages.chapters import markdown_nodes
from tefuda.apps.web.messages.play import TableMessage, table_message
from tefuda.apps.web.own_games import catalogue, load_known, own_ids
from tefuda.apps.web.players import coaches, offered, tables_of
from tefuda.apps.web.tables import CHOICES, PATIENCE, PersonTable, Setup
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import InputError, ParameterError, RunError
from tefuda.files import LIST, OBJECT, TEXT, FieldSpec
from tefuda.games.kit import kit_of
from tefuda.games.parameters import json_parameters

#: A river with wide ranges, solved within a second.
_RIVER = {
    "board": "Qs Jh 2h 8c 3d", "pot": 100, "stack": 200, "bets": "50%,100%,a", "raises": "60%,a",
    "oop": "22+,A2s+,K9s+,QTs+,J9s+,T8s+,98s,AJo+,KQo,QJo", "ip": "22+,A2s+,K9s+,QTs+,J9s+,T8s+,98s,AJo+,KQo,QJo",
}  # fmt: skip
#: Games of the page Play: an id, by which the page names them, the game and its parameters.
OFFERED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("kuhn", "kuhn", {}),
    ("leduc", "leduc", {}),
    ("leduc3", "leduc", {"players": 3}),
    ("liars_dice", "liars_dice", {}),
    ("koikoi3", "koikoi", {"rounds": 3}),
    ("koikoi6", "koikoi", {"rounds": 6}),
    ("koikoi12", "koikoi", {"rounds": 12}),
    ("river", "spot", _RIVER),
    ("holdem", "holdem", {}),
    ("holdem_any", "holdem", {"bets": "any"}),
    ("nolimit_leduc", "nolimit_leduc", {}),
    ("goofspiel", "goofspiel", {}),
    ("mini8", "mini8", {}),
    ("rps", "rps", {}),
)


def games(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the games of the page with the chosen one, and all names of the catalogue.

    A query chooses a game; parameters that no game of the page has make an entry of their own.
    """
    own = [_entry(name, name, {}) for name in own_ids()]
    listed = [*own, *(_entry(name, game, parameters) for name, game, parameters in OFFERED)]
    asked, given = call.query.get("game", OFFERED[1][0]), _parameters(call)
    chosen = next((entry for key in ("id", "game") for entry in listed if entry[key] == asked), None)
    if given:
        chosen = next((entry for entry in listed if entry["game"] == asked and _are_rules(entry, given)), None)
    if chosen is None:
        chosen = _entry("custom", asked, given)
        listed.insert(0, chosen)
    return {"games": listed, "chosen": chosen["id"], "catalogue": catalogue()}


def _entry(key: str, game: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return a game of the page, with the values of its parameter `preset`."""
    presets = list[str]()
    with suppress(InputError):  # the page shows the error when it asks for the opponents
        presets = list(kit_of(load_known(game, parameters)).presets())
    return {"id": key, "game": game, "parameters": parameters, "presets": presets}


def _are_rules(entry: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Return True if parameters make the rules of a game of the page."""
    with suppress(InputError):  # the page shows the error when it asks for the opponents
        own, asked = (load_known(entry["game"], parameters) for parameters in (entry["parameters"], given))
        return json_parameters(own) == json_parameters(asked)
    return False


_OTHERS = ("game", "language", "lang", "opponent", "coach", "mode")  # names of a query that are not parameters


def _parameters(call: Call) -> dict[str, Any]:
    """Return the parameters of a query."""
    return {name: json_or_text(text) for name, text in call.query.items() if name not in _OTHERS}


def _queried_rules(call: Call) -> Any:
    """Return the rules of the game of a query."""
    return load_known(call.query.get("game", ""), _parameters(call))


def guide(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the page of rules of a game, for games that have one."""
    text = kit_of(_queried_rules(call)).guide(call.query.get("language", "en"))
    if not text:
        raise NotFound("this game has no page of rules.")
    return {"nodes": markdown_nodes(text)}


def opponents(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the opponents and coaches of a game, whose parameters are those of the query."""
    rules = _queried_rules(call)
    return {
        "game": rules.name,
        "parameters": json_parameters(rules),
        "players": rules.players,
        "opponents": offered(workspace, rules),
        "coaches": coaches(workspace, rules),
    }


def create(workspace: Workspace, call: Call) -> TableMessage:
    """Sit down: make a table and deal the first hand."""
    body = call.body
    if not all(isinstance(name, str) for name in body["opponents"]):
        raise ParameterError("opponents must be a list of names.", key="opponents")
    return table_message(tables_of(workspace).create(Setup(**body)))


def tables(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the tables on disk, the last saved first."""
    known = tables_of(workspace)
    return {"tables": [_summary(workspace, name) for name in known.names()[:_LISTED]]}


_LISTED = 20  # tables on the page


def _summary(workspace: Workspace, name: str) -> dict[str, Any]:
    try:
        saved = tables_of(workspace).read(name)
    except RunError:
        return {"id": name, "damaged": True}
    return {
        "id": name, "damaged": False, "game": saved.play, "opponents": [*dict.fromkeys(saved.against)],
        "hands": len(saved.hands), "won": saved.options["won"], "closed": saved.options["closed"],
    }  # fmt: skip


def find_table(workspace: Workspace, call: Call) -> PersonTable:
    """Return the table of an address; raise NotFound if there is none."""
    return tables_of(workspace).find(call.path["table"])


def state(workspace: Workspace, call: Call) -> TableMessage:
    """Return the present state of a table."""
    table = find_table(workspace, call)
    with _held(table):
        return table_message(table)


@contextmanager
def _held(table: PersonTable) -> Iterator[None]:
    """Hold a table for one request; raise Conflict if another request holds it for long."""
    if not table.lock.acquire(timeout=PATIENCE):
        raise Conflict("another action is being answered at this table; wait for it.", None)
    try:
        yield
    finally:
        table.lock.release()


def _changing(
    change: Callable[[PersonTable, Mapping[str, Any]], object],
) -> Callable[[Workspace, Call], TableMessage]:
    """Return the function of a route that changes a table, if the browser knows its present version."""

    def changed(workspace: Workspace, call: Call) -> TableMessage:
        table = find_table(workspace, call)
        with _held(table):
            if call.body["version"] != table.version:
                raise Conflict("the table has changed since this page read it.", table_message(table))
            change(table, call.body)
            tables_of(workspace).save(table)
            return table_message(table)

    return changed


def drill(workspace: Workspace, call: Call) -> TableMessage:
    """Make a table whose hands begin at a line, with the setup of another table."""
    setup = find_table(workspace, call).setup
    return table_message(tables_of(workspace).create(setup._replace(line=call.body["line"])))


def _act(table: PersonTable, body: Mapping[str, Any]) -> None:
    """Take the action of a button, or bet an amount."""
    if ("action" in body) == ("amount" in body):
        raise ParameterError("give an action or an amount.", key="action")
    table.act(body["action"] if "action" in body else table.index_of(body["amount"]))


def file(workspace: Workspace, call: Call) -> Response:
    """Return the file of a table whose session is over; before, it contains the cards of the others."""
    table = find_table(workspace, call)
    with _held(table):
        if not table.closed:
            raise NotFound("the file of a table can be read when its session is over.")
        content = json.dumps({"format": 1, **table.saved()._asdict()}, indent=2)
    return attachment(content, f"{table.name}.json", "application/json")


_SETUP = {
    "game": TEXT, "parameters": OBJECT, "opponents": LIST,
    **{name: replace(field, needed=False) for name, field in CHOICES.items()},
}  # fmt: skip
_VERSION = {"version": FieldSpec((int,), 1, 10**12)}
_ACT = {
    **_VERSION,
    "action": FieldSpec((int,), 0, 10**6, needed=False),
    "amount": FieldSpec((int,), 0, 10**12, needed=False),
}
_TABLE = "/api/tables/{table}"
ROUTES = (
    get("/api/play", games),
    get("/api/play/opponents", opponents),
    get("/api/play/guide", guide),
    get("/api/tables", tables),
    post("/api/tables", create, _SETUP),
    get(_TABLE, state),
    get(f"{_TABLE}/file", file),
    post(f"{_TABLE}/act", _changing(_act), _ACT),
    post(f"{_TABLE}/next", _changing(lambda table, body: table.next_hand()), _VERSION),
    post(f"{_TABLE}/hint", _changing(lambda table, body: table.hint()), _VERSION),
    post(f"{_TABLE}/back", _changing(lambda table, body: table.take_back()), _VERSION),
    post(f"{_TABLE}/drill", drill, {"line": TEXT}),
    post(f"{_TABLE}/leave", _changing(lambda table, body: table.leave()), _VERSION),
)
