"""Pages that explore the strategy of a tree: a history with its figures, and the panels below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from tefuda.apps.web.messages.nodes import (
    Node,
    address,
    component,
    field,
    link,
    number,
    percent,
    rows,
    scroll,
    signed,
    word,
)

ROOT = "-"  # the path of the first history
_RAW = ":;=,"  # letters that ids in addresses leave as they are
_LIVE = {"data-live": ""}  # of parts that a shared file leaves out
Message = Mapping[str, Any]


class Place(NamedTuple):
    """A history of a strategy as all or one of the players know it."""

    id: str
    path: str = ROOT
    seat: int | None = None

    def address(self, path: str | None = None, **query: Any) -> str:
        """Return the address of the page at this or another history."""
        return address(f"/explore/{self.part}/{component(path or self.path)}", **{"seat": self.seat, **query})

    @property
    def part(self) -> str:
        """The id as a part of an address."""
        return quote(self.id, safe=_RAW)

    def after(self, label: str) -> str:
        """Return the path after a move."""
        return label if self.path == ROOT else f"{self.path}~{label}"

    @property
    def labels(self) -> list[str]:
        """The labels of the moves so far."""
        return [] if self.path == ROOT else self.path.split("~")


def head_nodes(about: Message) -> list[Node]:
    """Return the title of a strategy, its figures, and the form that leads to an infoset."""
    method, values = about["method"], enumerate(about["values"])
    summary = word(
        "place.summary",
        made=word("place.made", method=method, n=about["iterations"]) if method else word("place.uniform"),
        conv=number(about["nash_conv"], 3),
        values=[word("place.value of", player=player, value=signed(value)) for player, value in values],
        histories=number(about["histories"]),
        infosets=number(about["infoset_count"]),
    )
    control = {"id": "go-to", "name": "infoset", "list": "infosets", "autocomplete": "off"}
    names = [["option", {"value": name}] for name in about["infosets"]]
    return [
        ["h1", {}, word("place.title", game=about["game"])],
        ["p", {}, summary],
        [
            "form",
            {"class": "row", "action": Place(about["id"]).address()},
            field(word("place.goTo"), "input", {**control, "placeholder": about["infosets"][0]}),
            ["datalist", {"id": "infosets"}, *names],
            ["button", {}, word("place.go")],
        ],
    ]


def place_page(place: Place, about: Message, position: Message) -> dict[str, Any]:
    """Return the page of a history: nodes, keys that lead on, and addresses of the panels by name.

    Args:
        place: the history and the seat.
        about: see `explore.about`.
        position: see `explore.position`.
    """
    panels = _panels(place, about, position)
    return {
        "nodes": [
            _seats(place, about),
            [
                "div",
                {"class": "place"},
                ["section", {"class": "panel"}, ["h2", {}, word("place.path")], _path(place, position)],
                ["section", {"class": "panel here"}, *_here(place, about, position)],
                [
                    "section",
                    {"class": "more"},
                    _tabs(place, panels, about["small"]),
                    ["div", {"id": "panel"}, *_merged(place, position)],
                ],
            ],
        ],
        "keys": _keys(place, about, position),
        "panels": panels,
        "infoset": position["infoset"],
    }


def _tabs(place: Place, panels: Mapping[str, str], small: bool) -> Node:
    live = {"time": _LIVE, "tree": {} if small else _LIVE}
    tabs = [
        link(place.address(show=name), word(f"place.show.{name}"), **{"class": "button", **live.get(name, {})})
        for name in panels
    ]
    return ["nav", {"class": "row tabs", "aria-label": word("place.panels")}, *tabs]


def _panels(place: Place, about: Message, position: Message) -> dict[str, str]:
    """Return the addresses of the panels that a place has; the first one is part of its page."""
    here, infoset, state = f"/api/panels/{place.part}", position["infoset"], position["public_state"]
    parts = {"values": ""}
    if state is not None:
        parts["table"] = address(f"{here}/table", number=state, seat=place.seat)
    if infoset and about["method"]:
        parts["time"] = address(f"{here}/time", infoset=infoset)
    if infoset or about["small"]:
        parts["tree"] = address(f"{here}/tree", path=place.path, seat=place.seat)
    return parts


def _player(player: Any) -> Node:
    return word("place.chance") if player < 0 else word("place.player", player=player)


def _seats(place: Place, about: Message) -> Node:
    if not about["seats"]:
        return None
    seats = [(None, word("place.allCards")), *((seat, _player(seat)) for seat in range(about["players"]))]
    buttons = [
        link(place._replace(seat=seat).address(), text, **{"class": "button", **_current(seat == place.seat, "true")})
        for seat, text in seats
    ]
    return ["nav", {"class": "row", "aria-label": word("place.seat")}, *buttons]


def _path(place: Place, position: Message) -> Node:
    """Return the moves so far as links to every history on the way."""
    labels, moves = place.labels, position["path"]
    items = [["li", {}, link(place.address(ROOT), word("place.start"), **_current(not labels))]]
    for index in range(len(labels)):
        move = moves[index] if index < len(moves) else {"mover": -1, "label": None}
        hidden = ["span", {"class": "hidden-move"}, word("place.hidden")]
        text = hidden if move["label"] is None else move["name"]
        href = place.address("~".join(labels[: index + 1]))
        here = link(href, text, **_current(index == len(labels) - 1))
        items.append(["li", {}, ["span", {"class": "quiet"}, _player(move["mover"])], here])
    return ["nav", {"aria-label": word("place.path")}, ["ol", {"class": "list moves"}, *items]]


def _current(here: bool, kind: str = "location") -> dict[str, str]:
    return {"aria-current": kind} if here else {}


def _here(place: Place, about: Message, position: Message) -> list[Node]:
    mover, infoset, seen = position["mover"], position["infoset"], position["observation"]
    title = word({-2: "place.end", -1: "place.chanceMoves"}.get(mover, "place.moves"), player=mover)
    values = position["values"] or []
    kind = "place.payoff" if mover == -2 else "place.value"
    known = "place.expected" if place.seat is None else "place.asKnown"
    reach = position["reach"]
    names = ("others",) if position["observer"] is None else ("own", "others")
    label = {"others": "place.players"} if len(names) == 1 else {}
    factors = [*names, "chance", "product"]
    step = address("/learn/step", game=about["rules"], at=infoset)
    return [
        ["h2", {"id": "here", "tabindex": -1}, title],
        infoset and ["p", {}, word("place.infoset"), " ", ["code", {}, infoset]],
        seen and ["p", {"class": "seen"}, word("place.sees", player=position["observer"]), " ",
                  ["strong", {}, seen["hand"]], f"; {seen['table']}" if seen["table"] else ""],
        *_actions(place, position),
        infoset and about["rules"] and ["p", _LIVE, link(step, word("place.step"))],
        rows(word(kind), [word(kind), *(_player(player) for player in range(len(values)))],
             [[word(known), *map(signed, values)]]),
        rows(word("place.reach"), [word("place.reach"), *(word(label.get(name, f"place.{name}")) for name in factors)],
             [[word("place.probability"), *(number(reach[name], 4) for name in factors)]]),
    ]  # fmt: skip


def _actions(place: Place, position: Message) -> list[Node]:
    """Return the actions as a bar and as a table; every part is a link to the history after it."""
    actions, decides = position["actions"], position["infoset"] is not None
    if not actions:
        return []
    players = range(len(position["values"] or ()))
    chance = position["mover"] < 0
    head = [word("place.outcome" if chance else "place.action"), word("place.probability" if chance else "place.share")]
    head += [word("place.valueTo", player=player) for player in players]
    head += [word(f"place.{name}") for name in ("cfv", "regret", "good")] if decides else []
    body = []
    for action in actions:
        name = link(place.address(place.after(action["label"])), action["name"], **{"data-label": action["label"]})
        values = action["values"] or [None] * len(players)
        row = [name, percent(action["share"]), *map(signed, values)]
        good = {True: ["span", {}, "≈ ", word("place.asGood")], False: ""}.get(action["as_good"], "–")
        body.append([*row, number(action["counterfactual"], 4), signed(action["regret"]), good] if decides else row)
    shares = [
        {name: action[name] for name in ("label", "name", "kind", "share")}
        | {"href": place.address(place.after(action["label"]))}
        for action in actions
    ]
    return [["bar", {}, shares], rows(word("place.actions"), head, body)]


def _merged(place: Place, position: Message) -> list[Node]:
    """Return the histories that look the same to the observer."""
    player, histories = position["observer"], position["merged"]
    if player is None:
        return [["p", {"class": "quiet"}, word("place.allKnown")]]
    head = [word("place.history"), word("place.given")]
    head += [word("place.valueTo", player=seat) for seat in range(len(histories[0]["values"]))]
    body = []
    for history in histories:
        here = place.seat is None and history["path"] == place.path
        name = link(place.address(history["path"]), history["path"].replace("~", " · "), **_current(here))
        first = ["span", {}, name, " ← ", word("place.here")] if here else name
        body.append([first, percent(history["probability"]), *map(signed, history["values"])])
    title, more = word("place.apart", player=player), position["merged_count"] - len(histories)
    return [
        ["h2", {}, title], ["p", {"class": "quiet"}, word("place.apartAbout", n=position["merged_count"])],
        rows(title, head, body), ["p", {}, word("place.more", n=more)] if more else None,
    ]  # fmt: skip


def _keys(place: Place, about: Message, position: Message) -> dict[str, tuple[str, str | None]]:
    """Return the word and the address of each key."""
    labels, siblings = place.labels, position["siblings"]
    place_of = siblings.index(labels[-1]) if labels and labels[-1] in siblings else None

    def beside(step: int) -> str | None:
        if place_of is None or not 0 <= place_of + step < len(siblings):
            return None
        return place.address("~".join([*labels[:-1], siblings[place_of + step]]))

    best = max(position["actions"], key=lambda action: action["share"] or 0, default=None)
    seats = [None, *range(about["players"])]
    seat = seats[(seats.index(place.seat) + 1) % len(seats)]
    return {
        "ArrowLeft": ("place.key.left", place.address("~".join(labels[:-1]) or ROOT) if labels else None),
        "ArrowRight": ("place.key.right", place.address(place.after(best["label"])) if best else None),
        "ArrowUp": ("place.key.up", beside(-1)),
        "ArrowDown": ("place.key.down", beside(1)),
        "s": ("place.key.seat", place._replace(seat=seat).address() if about["seats"] else None),
        "g": ("place.goTo", "#go-to"),
    }


def table_nodes(place: Place, table: Message) -> list[Node]:
    """Return the strategy in a public state: a row for each private information."""
    state, names = table["state"], table["names"]
    actions = [{"label": label, "name": name, "kind": kind}
               for label, name, kind in zip(table["labels"], names, table["kinds"], strict=True)]  # fmt: skip
    body = []
    for row in table["rows"]:
        hand = link(place.address(row["path"]), row["hand"], **{"data-infoset": row["infoset"]})
        shares = [{**action, "share": share} for action, share in zip(actions, row["shares"], strict=True)]
        bar = ["bar", {"class": "in-table"}, shares]
        cells = [_share(row, index) for index in range(len(names))]
        body.append([hand, ["code", {}, row["infoset"]], percent(row["reach"]), bar, *cells])
    title = word("place.publicTitle", number=state["number"], player=state["player"])
    head = [word(f"place.{name}") for name in ("hand", "infoset", "reach", "strategy")]
    return [
        ["h2", {}, title], ["p", {}, state["table"]], rows(title, [*head, *names], body),
        ["p", {"class": "quiet"}, word("place.publicAbout")],
        ["p", {}, link(place.address(ROOT, seat=None, public=state["number"]), word("place.allStates"))],
    ]  # fmt: skip


def _share(row: Message, index: int) -> Node:
    share, mixed = row["shares"][index], 0 < row["shares"][index] < 1
    value = [" (", signed(row["values"][index], 3), ")"] if row["values"] else []
    good = " ≈" if mixed and row["as_good"] and row["as_good"][index] else ""
    return ["span", {}, percent(share), *value, good]


def public_nodes(place: Place, about: Message, table: Message) -> list[Node]:
    """Return the choice of a public state, and the strategy there."""
    chosen, states = table["state"]["number"], about["public_states"]
    choices = [
        ["option", {"value": f"{state['number']}", "selected": state["number"] == chosen}, f"{state['number']}: ",
         _player(state["player"]), f" · {state['table']}"]
        for state in states
    ]  # fmt: skip
    label = word("place.publicStates", n=len(states))
    return [
        ["form", {"action": place.address()}, field(label, "select", {"name": "public"}, *choices)],
        *table_nodes(place, table),
    ]


def time_nodes(infoset: str, series: Mapping[str, Any]) -> list[Node]:
    """Return charts of shares and regrets of an infoset over the iterations."""
    charts = [["chart", {"aria-label": word(f"place.{name}")}, chart] for name, chart in series.items()]
    title = word("place.overTime", infoset=infoset)
    return [["h2", {}, title], ["p", {"class": "quiet"}, word("place.repeated")], *charts]


def drawing_nodes(place: Place, position: Message, histories: list[dict[str, Any]]) -> list[Node]:
    """Return a drawing of histories with its table."""
    title = word("place.show.tree")
    inside = [place.path] if position["observer"] is None else [each["path"] for each in position["merged"]]
    drawn = [
        {
            **{name: history[name] for name in ("parent", "label", "mover", "infoset")},
            "edge": None if history["parent"] is None else number(history["share"], 2),
            "litEdge": history["share"] >= 0.5,
            "node": signed(history["values"][0], 2),
            "href": place.address(history["path"], show="tree"),
            "here": history["path"] in inside,
            "chosen": history["infoset"] is not None and history["infoset"] == position["infoset"],
        }
        for history in histories
    ]
    head = [word(f"place.{name}") for name in ("history", "infoset", "lastMove", "reach")]
    head += [word("place.valueTo", player=player) for player in range(len(histories[0]["values"]))]
    body = [
        [link(place.address(each["path"]), each["path"].replace("~", " · ")), each["infoset"] or "",
         percent(each["share"]), number(each["reach"], 4), *map(signed, each["values"])]
        for each in histories
    ]  # fmt: skip
    return [
        ["h2", {}, title], ["p", {"class": "quiet"}, word("place.treeAbout")],
        scroll(title, ["tree", {"aria-label": title}, drawn]),
        ["details", {}, ["summary", {}, word("as table")], rows(title, head, body)],
    ]  # fmt: skip
