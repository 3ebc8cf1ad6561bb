"""A picture of Koi-Koi as elements of a page: table, yaku, choices, sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tefuda.games.phrases import LANGUAGES
from tefuda.games.picture import Picture, element, table_element
from tefuda.koikoi.cards import KINDS
from tefuda.koikoi.game import CALL, STOP, KoiKoi
from tefuda.koikoi.people.card_faces import card_names
from tefuda.koikoi.people.facts import COMPLETE
from tefuda.koikoi.people.phrases import phrases

_DECK = "hanafuda"
_LISTED = 6  # maximum number of cards of a yaku that are drawn
_FEWEST = 4  # columns of the field
Node = list[Any]


def words(key: str, *values: Any) -> dict[str, str]:
    """Return a phrase in all languages; values may be phrases too."""
    return {
        language: phrases("drawing", language)[key].format(
            *(value[language] if isinstance(value, Mapping) else value for value in values)
        )
        for language in LANGUAGES
    }


def drawing(game: KoiKoi, picture: Picture, seat: int) -> dict[str, Node]:
    """Return a picture as elements: ``table``, and ``side`` with the progress to each yaku."""
    more = picture.more
    held, turn = words("cards", more["opponent"]["hand"]), words("turn", more["turn"], more["of_turns"])
    backs = [element("card", {"deck": _DECK})] * more["opponent"]["hand"]
    top = element(
        "div", {"class": "hana-top"}, _pile(picture.piles[1 - seat], words("opponent pile")),
        element("div", {"class": "hana-backs", "role": "img", "aria-label": held}, *backs),
    )  # fmt: skip
    hand = [_place(code, picture, "lay") for code in picture.hand]
    parts = (
        element("div", None, _title("opponent", held), top),
        element("div", {"class": "hana-middle"}, _field(picture), _question(more), _sheet(picture)),
        element(
            "div", None, _title("you", turn), _pile(picture.piles[seat], words("own pile")),
            element("ul", {"class": "hana-hand list", "aria-label": words("hand")}, *hand),
            element("p", {"class": "hana-say"}),
        ),
    )  # fmt: skip
    table = element("section", {"class": "koikoi hana-table", "aria-label": words("table")}, *parts)
    side = [_yaku_list(more[name], words(f"{name} yaku"), name) for name in ("own", "opponent")]
    return {"table": table, "side": element("section", {"class": "koikoi panel"}, *side)}


def _title(name: str, text: Mapping[str, str]) -> Node:
    return element("h2", None, words(name), " ", element("small", None, text))


def _points(number: int) -> dict[str, str]:
    return words("one point") if number == 1 else words("points", number)


def _small(codes: Sequence[str], kinds: Mapping[str, str] | None = None) -> Node:
    """Return small cards in a row; kinds are classes by code."""
    names = card_names()
    items = [
        element(
            "li", {"class": kinds and kinds[code], "title": names[f"{_DECK}.{code}"]},
            element("card", {"deck": _DECK, "code": code}),
        )
        for code in codes
    ]  # fmt: skip
    return element("ul", {"class": "hana-row list"}, *items)


def _pile(codes: Sequence[str], label: Mapping[str, str]) -> Node:
    """Return captured cards by kind, with counts."""
    groups = [(kind, [code for code in codes if kind in code]) for kind in KINDS]
    counts = [
        (element("span", {"class": "hana-count"}, words(kind), f" {len(cards)}"), cards) for kind, cards in groups
    ]
    parts = [element("div", None, count, _small(cards)) for count, cards in counts]
    return element("div", {"class": "hana-pile", "role": "group", "aria-label": label}, *parts)


def _place(code: str, picture: Picture, verb: str) -> Node:
    """Return a card of the hand or the field: a button if it can be chosen."""
    action, face = picture.actions.get(code), element("card", {"deck": _DECK, "code": code})
    if action is None or action.verb != verb:
        return element("li", None, element("div", {"class": "hana-card"}, face))
    captures = picture.more["captures"][code]
    taken = [other for capture in captures for other in capture["takes"]]
    best = [other for capture in captures if capture["completes"] for other in capture["takes"]]
    gain = next((yaku["name"] for capture in captures for yaku in capture["completes"]), None)
    attributes = {
        "class": f"hana-card{' completes' if gain else ' takes' if taken else ''}", "data-label": code,
        "data-takes": " ".join(taken), "data-completes": " ".join(best), "aria-label": picture.more["effects"][code],
    }  # fmt: skip
    note = element("span", {"class": "hana-note"}, gain) if gain else None
    return element("li", None, element("button", attributes, face, note))


def _field(picture: Picture) -> Node:
    columns = f"repeat({max(_FEWEST, (len(picture.table) + 2) // 2)}, minmax(0, 6rem))"
    attributes = {"class": "hana-field list", "style": {"gridTemplateColumns": columns}, "aria-label": words("field")}
    badge = element("span", {"class": "hana-badge"}, picture.more["stock"])
    stock = element("div", {"class": "hana-card"}, element("card", {"deck": _DECK}), badge, _unseen(words("stock")))
    return element("ul", attributes, *(_place(code, picture, "take") for code in picture.table),
                   element("li", None, stock))  # fmt: skip


def _unseen(text: Mapping[str, str]) -> Node:
    return element("span", {"class": "unseen"}, " ", text)


def _question(more: Mapping[str, Any]) -> Node | None:
    """Return the question which card is taken."""
    code = more["shown"]
    if code is None:
        return None
    text = words("which", card_names()[f"{_DECK}.{code}"])
    return element("p", {"class": "hana-say row"}, element("card", {"deck": _DECK, "code": code}), text)


def _sheet(picture: Picture) -> Node | None:
    """Return the end of the round, or the choice between stop and koi-koi."""
    more = picture.more
    if more["ending"]:
        return _ending(more["ending"], more["player"])
    if CALL not in picture.actions:
        return None
    score = more["own"]["score"]
    texts = {STOP: words("stop", _points(score["points"])), CALL: words("koi-koi")}
    buttons = [
        element("button", {"class": "main" if label == STOP else None, "data-label": label}, text)
        for label, text in texts.items()
    ]
    doubles = [element("li", None, text) for text in more["doubles"]]
    parts = (
        element("div", None, _sum(score), _part(words("doubles"), doubles)),
        _part(words("near"), _near(more["own"])),
        _part(words("opponent near"), _near(more["opponent"])),
    )
    return element(
        "section", {"class": "hana-sheet", "aria-label": words("choice")}, element("h2", None, words("choice")),
        element("div", {"class": "row"}, *buttons), element("div", {"class": "hana-parts"}, *parts),
    )  # fmt: skip


def _part(title: Mapping[str, str], items: Sequence[Node]) -> Node | None:
    listed = element("ul", {"class": "list"}, *items)
    return element("div", None, element("h3", None, title), listed) if items else None


def _near(side: Mapping[str, Any]) -> list[Node]:
    return [_yaku(step, step["missing"]) for step in side["progress"] if step["near"]]


def _ending(ending: Mapping[str, Any], player: int) -> Node:
    """Return the end of a round, with its sum line by line."""
    winner, score = ending["winner"], ending["score"]
    result = "none" if winner is None else "won" if winner == player else "lost"
    return element(
        "section", {"class": "hana-sheet", "data-role": "ending"},
        element("h2", None, words(result, _points(ending["points"]))),
        element("p", None, words(f"ended by {ending['reason']}")), score and _sum(score),
    )  # fmt: skip


def _sum(score: Mapping[str, Any]) -> Node:
    return table_element([words("yaku"), words("points head")], score["lines"])


def _yaku_list(side: Mapping[str, Any], title: Mapping[str, str], name: str) -> Node:
    """Return the progress of a pile to each yaku."""
    rows = [_yaku(step, step["cards"], side["pile"]) for step in side["progress"]]
    summary = element("summary", None, element("h2", None, title))
    return element("details", {"data-fold": name}, summary, element("ol", {"class": "list"}, *rows))


def _yaku(step: Mapping[str, Any], codes: Sequence[str], pile: Sequence[str] | None = None) -> Node:
    """Return a yaku: its name, its cards if they are few, and how far it is."""
    status, missing = step["status"], step["missing"]
    kinds = None if pile is None else {
        code: "have" if code in pile else "missing" if code in missing else "gone" for code in codes
    }  # fmt: skip
    name = element("span", {"class": "name"}, step["name"])
    japanese = element("small", {"lang": "ja"}, {"en": f" {step['name']['ja']}", "ja": ""})
    count = _points(step["points"]) if status == COMPLETE else f"{step['have']}/{step['need']}"
    return element(
        "li", {"class": f"yaku {status}"},
        element("span", None, name, japanese, element("small", None, " ", _points(step["value"]))),
        _small(codes, kinds) if len(codes) <= _LISTED else None,
        element("span", {"class": "yaku-count"}, count, _unseen(words(status))),
    )  # fmt: skip


def match_line(facts: Mapping[str, Any], between: bool) -> dict[str, str]:
    """Return round, points and dealer of a match, or its winner, in words; see `MatchSeries.facts`."""
    own, opponent = facts["points"]
    result = "won" if own > opponent else "lost" if own < opponent else "even"
    key = f"over {result}" if facts["over"] else "match"
    state = words(key, facts["round"] - between, facts["rounds"], own, opponent)
    dealer = words(("deals" if facts["deals"] else "is dealt") + (" next" if between else ""))
    return {language: text + ("" if facts["over"] else dealer[language]) for language, text in state.items()}
