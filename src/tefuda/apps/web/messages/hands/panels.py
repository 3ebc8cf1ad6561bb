"""The parts of the pages Table and Review: advice, events, buttons, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.hands.boards import Node
from tefuda.apps.web.messages.hands.sentences import (
    Words,
    amount_text,
    figure_text,
    filled,
    filled_by,
    phrase,
)
from tefuda.figure import ACTION_MARKS
from tefuda.games.picture import element, table_element

_KEYS = 9  # actions that a digit presses


def page_parts(message: Mapping[str, Any], drawing: Mapping[str, Node]) -> dict[str, Any]:
    """Return the parts of a table's page: head, both columns, and the end of the session."""
    coach, match, ended, table = (message[name] for name in ("coach", "match", "end", "id"))
    hands = match["rounds"] if match else message["hands"]
    hint = message["mode"] != "off" and bool(message["actions"])
    main = [
        element("p", {"class": "hana-match"}, match["text"]) if match else None, drawing["table"],
        _end_panel(ended, f"/tables/{table}/hands/{message['hand']}" if coach else None),
        _controls(message["actions"], "side" in drawing, ended is not None and not message["closed"], hint),
    ]  # fmt: skip
    side = [
        advice_panel(message["advice"], coach or "", message["picture"]["deck"]), drawing.get("side"),
        log_panel(message["picture"]["events"], known=message["text"]),
        _statistics_panel(message["statistics"], coach is not None),
    ]  # fmt: skip
    return {
        "head": _table_head(message["name"], message["hand"], hands, message["opponents"], message["helped"]),
        "main": [part for part in main if part],
        "side": [part for part in side if part],
        "closing": _closing_panel(table, message["seed"]),
    }


def advice_panel(advice: Mapping[str, Any] | None, coach: str, deck: str) -> Node | None:
    """Return shares and values of the actions at a decision, with the cost of the chosen one.

    The coach of Koi-Koi searches, so it has no shares.
    """
    if advice is None:
        return None
    shared = deck != "hanafuda"
    rows = [
        [
            _action(action, action["index"] == advice["chosen"], deck),
            *([percent_text(action["share"])] if shared else []),
            signed_text(action["value"]),
            phrase("coach", "as good", "") if action["good"] else "",
        ]
        for action in advice["actions"]
    ]
    head = [phrase("coach", key, key) for key in ("action", *(["share"] if shared else []), "value")]
    cost = {"cost": figure_text(advice["cost"], 3)}
    verdict = filled("coach", "hint" if advice["hint"] else advice["verdict"], lambda language: cost, "")
    title = filled("coach", "title", lambda language: {"name": coach}, "{name}")
    return element(
        "section", {"class": "panel", "data-role": "advice"}, element("h2", None, title),
        element("p", {"class": f"verdict {advice['verdict'] or ''}"}, verdict), table_element([*head, ""], rows),
    )  # fmt: skip


def _action(action: Mapping[str, Any], chosen: bool, deck: str) -> Node:
    """Return the name of an action after a small card, or its colour and letter."""
    if deck == "hanafuda" and action["cards"]:
        sign = element("card", {"deck": deck, "code": action["cards"][0]})
    else:
        mark = ACTION_MARKS.get(action["kind"], action["label"][:1].upper())
        kind = action["kind"].replace(" ", "-")
        sign = element("span", {"class": f"chip action action-{kind}", "aria-hidden": "true"}, mark)
    own = phrase("coach", "chosen", "") if chosen else None
    return element("span", {"class": "row"}, sign, element("span", None, action["text"], " " if own else None, own))


def log_panel(events: Sequence[Mapping[str, Any]], past: int | None = None, known: Words | None = None) -> Node:
    """Return the events of a hand, quiet after the first `past`, and the view in words."""
    title = phrase("log", "log", "")
    items = [
        element("li", {"class": "quiet" if past is not None and place >= past else None}, event["text"])
        for place, event in enumerate(events)
    ]
    listed = element("ol", {"tabindex": 0, "aria-label": title}, *items)
    more = known and element(
        "details", {"data-fold": "known"}, element("summary", None, phrase("log", "known", "")),
        element("p", None, known),
    )  # fmt: skip
    begins = element("p", None, phrase("log", "begins", ""))
    return element("section", {"class": "panel log"}, element("h2", None, title), listed if items else begins, more)


def _statistics_panel(statistics: Mapping[str, Mapping[str, Any]], coached: bool) -> Node:
    """Return the results of the session: hands played alone, and helped ones apart if there are any."""
    groups = {name: results for name, results in statistics.items() if name == "own" or results["hands"]}
    rows = {
        "hands": [amount_text(each["hands"]) for each in groups.values()],
        "won": [signed_text(each["won"]) for each in groups.values()],
        "mean": [signed_text(each["won"] / each["hands"] if each["hands"] else None, 3) for each in groups.values()],
        "aivat": [_interval(each["aivat"]) for each in groups.values()],
        "cost": [figure_text(each["cost"], 3) for each in groups.values()],
        "mistakes": [amount_text(each["mistakes"]) for each in groups.values()],
    }
    known = [key for key in rows if coached or key not in ("cost", "mistakes")]
    shown = [key for key in known if key != "aivat" or any(each["aivat"] for each in groups.values())]
    title = phrase("statistics", "title", "")
    table = table_element(
        ["", *(phrase("statistics", name, name) for name in groups)],
        [[phrase("statistics", key, key), *rows[key]] for key in shown],
    )
    return element("section", {"class": "panel", "data-role": "statistics"}, element("h2", None, title), table)


def result_nodes(review: Mapping[str, Any]) -> list[Node]:
    """Return the result of a reviewed hand: sentences, payoff, cost, and luck and skill if known."""
    named = ((name, review[name]) for name in ("payoff", "luck", "skill"))
    figures = {name: signed_text(value) for name, value in named if value == value}
    figures["cost"] = figure_text(review["cost"])
    pairs = [
        node
        for name, text in figures.items()
        for node in (element("dt", None, phrase("result", name, name)), element("dd", None, text))
    ]
    lines = [element("p", None, text) for text in review["end"]["text"]]
    return [element("h2", None, phrase("result", "result", "")), *lines, element("dl", {"class": "figures"}, *pairs)]


def signed_text(value: float | None, digits: int = 4) -> str:
    """Return a number with its sign."""
    return f"{'+' if value is not None and value > 0 else ''}{figure_text(value, digits)}"


def percent_text(share: float | None) -> str:
    """Return a probability in per cent, ``<0.1 %`` if it is small but not zero."""
    if share is None:
        return "–"
    return "<0.1 %" if 0 < share < 1e-3 else f"{figure_text(100 * share, 3)} %"


def _interval(aivat: Mapping[str, float] | None) -> str:
    if aivat is None:
        return "–"
    return f"{signed_text(aivat['mean'], 3)} ({signed_text(aivat['low'], 3)} … {signed_text(aivat['high'], 3)})"


def _page(key: str, **values: Any) -> dict[str, str]:
    return filled_by("page", key, values)


def _table_head(name: Words, hand: int, hands: int, opponents: Sequence[str], helped: bool) -> list[Node]:
    """Return the title of a table and its opponents; `hands` is 0 for any number."""
    title = _page("title", game=name, hand=amount_text(hand + 1))
    against = _page("against", who=", ".join(dict.fromkeys(opponents)))
    return [
        element("h1", None, title, f" / {hands}" if hands else None),
        element("p", {"class": "quiet"}, against, " · " if helped else None, _page("helped") if helped else None),
    ]


def _end_panel(ended: Mapping[str, Any] | None, review: str | None) -> Node | None:
    """Return the result of a hand, with a link to its review if there is one."""
    if ended is None:
        return None
    lines = [element("p", None, text) for text in ended["text"]]
    link = element("a", {"class": "button", "href": review}, _page("review")) if review else None
    return element("section", {"class": "ending", "data-role": "end"}, *lines, link)


def _controls(actions: Sequence[Mapping[str, Any]], drawn: bool, following: bool, hint: bool) -> Node:
    """Return the buttons below a table; a game whose cards are buttons has none for its actions."""
    buttons = [
        _button(action["text"], str(place) if place <= _KEYS else "", {
            "class": f"act action action-{action['kind'].replace(' ', '-')}", "data-action": action["index"],
        })
        for place, action in enumerate(() if drawn else actions, 1)
    ]  # fmt: skip
    more = [_button(_page("next"), "", {"class": "main", "data-role": "next", "data-send": "next"})] * following
    more += [_button(_page("hint"), "h", {"data-role": "hint", "data-send": "hint"})] * hint
    return element("div", {"class": "row controls", "role": "group", "aria-label": _page("actions")}, *buttons, *more)


def _button(text: Words, key: str, attributes: Mapping[str, Any]) -> Node:
    """Return a button, with the key that presses it too."""
    return element("button", attributes, element("kbd", {"aria-hidden": "true"}, key) if key else None, text)


def _closing_panel(table: str, seed: str | None) -> Node:
    """Return the button that ends a session; after its end the seed, the file and the way back."""
    if seed is None:
        return element("section", {"class": "panel row"}, _button(_page("leave"), "", {
            "data-role": "leave", "data-send": "leave",
        }))  # fmt: skip
    file = element("a", {"class": "button", "href": f"/api/tables/{table}/file", "download": ""}, _page("file"))
    again = element("a", {"class": "button", "href": "/play"}, _page("again"))
    return element(
        "section", {"class": "panel", "data-role": "closed"}, element("h2", None, _page("closed")),
        element("p", None, _page("seed", seed=seed)), element("p", {"class": "row"}, file, again),
    )  # fmt: skip


def review_head(name: Words, table: str, hand: int, hands: int, helped: bool) -> list[Node]:
    """Return the title of a review, with links to the table and to the hands before and after."""
    others = [(f"/tables/{table}/hands/{hand - 1}", "before")] * (hand > 0)
    others += [(f"/tables/{table}/hands/{hand + 1}", "after")] * (hand + 1 < hands)
    links = [
        element("a", {"class": "button", "href": href}, phrase("review", key, key))
        for href, key in ((f"/tables/{table}", "table"), *others)
    ]
    note = [element("p", {"class": "quiet"}, phrase("review", "helped", ""))] * helped
    title = filled_by("review", "title", {"game": name, "hand": amount_text(hand + 1)})
    return [element("h1", None, title), element("p", {"class": "row"}, *links), *note]
