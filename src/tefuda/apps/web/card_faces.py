"""The cards of all decks: one SVG document of symbols, and their names as words of the page.

A symbol's id is the code of its card: ``Ks``, ``K``, ``14``, ``die-3``; ``back`` and ``die-back`` are face down, and
``suit-s`` is the mark of a suit. The page sets the colour of a suit by ``--suit-s``.
"""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from functools import cache

from tefuda.figure import CARD_BACK, CARD_EDGE, CARD_STRIPES, SUIT_COLOURS
from tefuda.games.phrases import LANGUAGES, phrases
from tefuda.games.small.cards import card_words
from tefuda.koikoi.people import card_faces as hanafuda

_RANKS = "23456789TJQKA"
_NUMBERS = range(1, 100)  # cards of games with many ranks
_FACES = (string.digits + string.ascii_lowercase)[1:]  # faces of dice
_SUITS = {
    "s": (
        "M12 1C6 8 2 10 2 15a4.6 4.6 0 0 0 8.6 2.3C10.4 20 9.5 22 8 23h8c-1.5-1-2.4-3-2.6-5.7"
        "A4.6 4.6 0 0 0 22 15C22 10 18 8 12 1z"
    ),
    "h": "M12 22C4 15 1.5 11 1.5 7.2A5.2 5.2 0 0 1 12 5.4a5.2 5.2 0 0 1 10.5 1.8C22.5 11 20 15 12 22z",
    "d": "M12 1 20.5 12 12 23 3.5 12z",
    "c": (
        "M12 1a5 5 0 0 1 4.2 7.7 5 5 0 1 1-2.8 8.4C13.6 20 14.5 22 16 23H8c1.5-1 2.4-3 2.6-5.9"
        "a5 5 0 1 1-2.8-8.4A5 5 0 0 1 12 1z"
    ),
}
_INKS = {suit: SUIT_COLOURS["h" if suit in "hd" else "s"] for suit in _SUITS}  # the page can change two of them
_PIPS = {1: (5,), 2: (1, 9), 3: (1, 5, 9), 4: (1, 3, 7, 9), 5: (1, 3, 5, 7, 9), 6: (1, 3, 4, 6, 7, 9)}
_WIDTH, _HEIGHT = 60, 84


def _symbol(name: str, drawing: str, height: int = _HEIGHT) -> str:
    return f'<symbol id="{name}" viewBox="0 0 {_WIDTH} {height}">{drawing}</symbol>'


def _ground(height: int = _HEIGHT) -> str:
    size = f'width="{_WIDTH - 2}" height="{height - 2}" rx="{6 if height == _HEIGHT else 10}"'
    return f'<rect x="1" y="1" {size} fill="#fff" stroke="{CARD_EDGE}" stroke-width="1.5"/>'


def _text(text: str, x: int, y: int, size: int) -> str:
    style = f'font-family="sans-serif" font-weight="700" font-size="{size}" text-anchor="middle"'
    return f'<text x="{x}" y="{y}" {style}>{text}</text>'


def _suited(rank: str, suit: str) -> str:
    """Return a card with rank and suit: small in the corner, large in the middle."""
    shown = rank.replace("T", "10")
    marks = "".join(
        f'<use href="#suit-{suit}" x="{x}" y="{y}" width="{size}" height="{size}"/>'
        for x, y, size in ((5, 20, 10), (18, 48, 30))
    )
    corner, middle = _text(shown, 10, 17, 16), _text(shown, 33, 44, 34)
    return f'{_ground()}<g fill="var(--suit-{suit}, {_INKS[suit]})">{corner}{middle}{marks}</g>'


def _die(face: str) -> str:
    pips = _PIPS.get(int(face, 36))
    if pips is None:
        return _ground(_WIDTH) + _text(face, 30, 42, 34)
    places = (((place - 1) % 3, (place - 1) // 3) for place in pips)
    return _ground(_WIDTH) + "".join(f'<circle cx="{15 + 15 * x}" cy="{15 + 15 * y}" r="5"/>' for x, y in places)


def _back(height: int) -> str:
    stripes = "".join(f"M10 {y + 8}L50 {y}" for y in range(14, height - 21, 12))
    frame = f'<rect x="2" y="2" width="56" height="{height - 4}" rx="7" fill="{CARD_BACK}"/>'
    return f'<g stroke="{CARD_STRIPES}" stroke-width="2">{frame}<path d="{stripes}" fill="none"/></g>'


@cache
def card_sprite() -> str:
    """Return an SVG document with a symbol for each card, die, suit and back.

    >>> '<symbol id="Ks" viewBox="0 0 60 84">' in card_sprite()
    True
    """
    suits = [f'<symbol id="suit-{s}" viewBox="0 0 24 24"><path d="{d}"/></symbol>' for s, d in _SUITS.items()]
    names = [*_RANKS, *(str(number) for number in _NUMBERS if number > 9), "1"]  # "2" to "9" are ranks too
    plain = [_symbol(name, _ground() + _text(name.replace("T", "10"), 30, 55, 42)) for name in names]
    cards = [_symbol(rank + suit, _suited(rank, suit)) for rank in _RANKS for suit in _SUITS]
    dice = [_symbol(f"die-{face}", _die(face), _WIDTH) for face in _FACES]
    backs = [_symbol("back", _back(_HEIGHT)), _symbol("die-back", _back(_WIDTH), _WIDTH)]
    drawn = "".join([*suits, *plain, *cards, *dice, *backs])
    return f'<svg xmlns="http://www.w3.org/2000/svg">{drawn}</svg>'


@cache
def card_names() -> Mapping[str, Mapping[str, str]]:
    """Return the names of all cards in English and Japanese, by deck and code.

    >>> card_names()["suits.Ks"]["en"], card_names()["hanafuda.1B"]["en"]
    ('king of spades', '1B pine with crane')
    """
    suited = {f"suits.{rank}{suit}": _words(rank + suit) for rank in _RANKS for suit in _SUITS}
    ranks = {f"ranks.{rank}": _words(rank) for rank in _RANKS}
    dice = {f"dice.{face}": {"en": f"die {face}", "ja": f"サイコロ{face}"} for face in _FACES}
    suits = {f"suit.{suit}": {name: phrases("cards", name)[suit] for name in LANGUAGES} for suit in _SUITS}
    return {**suited, **ranks, **dice, **suits, **hanafuda.card_names()}


def _words(code: str) -> Mapping[str, str]:
    return {language: card_words(code, language).removeprefix("the ") for language in LANGUAGES}


def card_book() -> str:
    """Return the names of all cards as words of the page, JSON."""
    return json.dumps(card_names(), ensure_ascii=False)
