"""What stands beside a table as elements of a page: advice, events, the results of a session or of a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tefuda.apps.web.messages.boards import Node
from tefuda.apps.web.messages.sentences import Words, amount_text, filled, phrase
from tefuda.figure import ACTION_MARKS
from tefuda.games.picture import element, table_element

_DIGITS = 4  # significant digits of figures


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
    """Return the events of a hand; those after the first `past` are quiet, and the view in words may follow."""
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


def statistics_panel(statistics: Mapping[str, Mapping[str, Any]], coached: bool) -> Node:
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
    """Return the result of a reviewed hand: sentences, and payoff, luck, skill and cost."""
    figures = {name: signed_text(review[name]) for name in ("payoff", "luck", "skill")}
    figures["cost"] = figure_text(review["cost"])
    pairs = [
        node
        for name, text in figures.items()
        for node in (element("dt", None, phrase("result", name, name)), element("dd", None, text))
    ]
    lines = [element("p", None, text) for text in review["end"]["text"]]
    return [element("h2", None, phrase("result", "result", "")), *lines, element("dl", {"class": "figures"}, *pairs)]


def figure_text(value: float | None, digits: int = _DIGITS) -> str:
    """Return a number with significant digits; a dash for None."""
    return "–" if value is None else f"{value + 0.0:,.{digits}g}".replace("-", "\N{MINUS SIGN}")


def signed_text(value: float | None, digits: int = _DIGITS) -> str:
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
