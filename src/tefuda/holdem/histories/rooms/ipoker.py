"""Reader of hand histories of iPoker: the games of a session in XML.

Exports group actions by player; their numbers give the order.
"""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

from tefuda.holdem.histories import draft as facts
from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.money import MONEY, currency_of, moment

#: Start of a file, and start and end of a hand.
HEADER = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?<session\b")
GAME, END = re.compile(r"<game\s[^>]*gamecode="), "</game>"
_STAKES = re.compile(rf"(?P<name>.*?)\s*(?P<small>{MONEY})\s*/\s*(?P<big>{MONEY})")
_HOLDEM = re.compile(r"Hold'?em\b\s*(NL|L|FL)?", re.I)
_POSTS = {"1": facts.SMALL, "2": facts.BIG, "15": facts.ANTE}
_ACTIONS = {
    "0": facts.FOLD, "3": facts.CALL, "4": facts.CHECK, "5": facts.ADD, "6": facts.BY, "7": facts.ALL_IN,
    "23": facts.TO,
}  # fmt: skip
_OUT = ("8", "9")
_STREETS = ("Flop", "Turn", "River")


def read(general: str, text: str, digits: int = 2) -> Draft:
    """Return the draft of a game.

    Args:
        general: text of the session before its first game.
        text: text of the game.
        digits: decimals of amounts.

    Raises the errors of `Grammar.read`.
    """
    if END not in text:
        raise SkipHand("cut off", "the game has no end")
    try:
        game = ElementTree.fromstring(text[: text.index(END) + len(END)])
    except ElementTree.ParseError as error:
        raise SkipHand("unreadable line", str(error), error.position[0] - 1) from None
    try:
        draft = _read_session(_fields(general), game, digits)
        _read_players(draft, game)
        _read_rounds(draft, game)
    except (KeyError, TypeError) as error:
        raise SkipHand("unreadable line", f"{error} is missing") from None
    return draft


def _fields(general: str) -> dict[str, str]:
    return {name: unescape(text) for name, text in re.findall(r"<(\w+)>([^<]*)</\1>", general)}


def _read_session(fields: dict[str, str], game: ElementTree.Element, digits: int) -> Draft:
    kind = fields.get("gametype", "")
    name = _HOLDEM.match(kind)
    if name is None:
        raise SkipHand("game", kind)
    draft = Draft("iPoker", game.attrib["gamecode"], digits, contains_uncalled=True)
    draft.table, draft.hero = fields.get("tablename", ""), fields.get("nickname", "")
    stakes = _STAKES.fullmatch(kind)
    currency = fields.get("currency") or (currency_of(stakes["small"]) if stakes else "")
    draft.currency = "play" if fields.get("mode") == "fun" else currency
    draft.start = moment(game.findtext("general/startdate") or "")
    if "tournamentname" in fields or "tournamentcode" in fields:
        draft.enter(fields.get("tournamentcode", ""), f"{fields.get('buyin', '')} {fields.get('currency', '')}")
    big = game.findtext("general/bigblind") or (stakes["big"] if stakes and not draft.tournament else "")
    draft.big = draft.chips(big) if big else 0
    if name[1] in ("L", "FL"):
        if stakes is None:
            raise SkipHand("unreadable line", kind)
        draft.limit = (draft.chips(stakes["small"]), draft.chips(stakes["big"]))
    return draft


def _read_players(draft: Draft, game: ElementTree.Element) -> None:
    for player in game.iterfind("general/players/player"):
        fields = player.attrib
        draft.seat(fields["seat"], fields["name"], fields["chips"])
        if fields.get("dealer") == "1":
            draft.button = int(fields["seat"])
        if draft.chips(fields["win"]):
            draft.award(fields["name"], fields["win"])
    draft.hero = draft.hero if draft.hero in draft.seats else ""


def _read_rounds(draft: Draft, game: ElementTree.Element) -> None:
    """Read cards and actions, these in the order of their numbers."""
    for round_ in sorted(game.iterfind("round"), key=lambda round_: int(round_.attrib["no"])):
        for cards in round_.iterfind("cards"):
            texts = [text[1:] + text[0].lower() for text in (cards.text or "").split()]
            if cards.attrib["type"] in _STREETS:
                draft.deal(" ".join(texts))
            elif texts and "x" not in (text[-1] for text in texts):
                draft.learn(cards.attrib["player"], " ".join(texts))
        for action in sorted(round_.iterfind("action"), key=lambda action: int(action.attrib["no"])):
            _read_action(draft, action.attrib)


def _read_action(draft: Draft, fields: dict[str, str]) -> None:
    kind, name, amount = fields["type"], fields["player"], draft.chips(fields["sum"])
    if kind in _POSTS:
        draft.post(name, _POSTS[kind], fields["sum"])
    elif kind in _ACTIONS:
        verb = _ACTIONS[kind]
        draft.act(verb, name, None if verb in (facts.FOLD, facts.CHECK) else amount)
    elif kind not in _OUT:
        raise SkipHand("unreadable line", f"action of type {kind}")
