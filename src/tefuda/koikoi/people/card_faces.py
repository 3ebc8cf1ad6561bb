"""The 48 cards of hanafuda and their back as one SVG document of symbols.

The drawings are in card_faces.toml. A mark names the kind of a card without colour: star bright,
ring animal, flag ribbon (with letters, stripes, or plain), dash chaff. Chaff cards of a month
differ in their number of plants.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tefuda.koikoi.cards import ANIMAL, BRIGHT, CHAFF, DECK, Card

WIDTH, HEIGHT = 120, 196
BACK = "back"
_BOOK = tomllib.loads((Path(__file__).parent / "card_faces.toml").read_text("utf-8"))
_INK, _WHITE, _RED = (_BOOK["palette"][name] for name in ("ink", "white", "back"))
_POEM_MONTHS, _BLUE_MONTHS = (1, 2, 3), (6, 9, 10)


def _colour(name: str) -> str:
    """Return the attribute of a colour; "" for the inherited one."""
    return "" if name == "inherit" else f' fill="{_BOOK["palette"].get(name, name)}"'


def _line(colour: str, width: str, path: str) -> str:
    colour = _BOOK["palette"].get(colour, colour)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'


def _dots(colour: str, radius: str, *places: str) -> str:
    """Return discs at ``X,Y`` or ``X,Y,RADIUS``."""
    discs = ((*place.split(","), radius)[:3] for place in places)
    return f"<g{_colour(colour)}>" + "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in discs) + "</g>"


def _petals(colour: str, number: str, distance: str, wide: str, long: str, turn: str = "0") -> str:
    """Return ellipses around the origin."""
    turns = (float(turn) + 360 * k / int(number) for k in range(int(number)))
    petal = f'<ellipse cy="-{distance}" rx="{wide}" ry="{long}" transform="rotate('
    return f"<g{_colour(colour)}>" + "".join(f'{petal}{angle:g})"/>' for angle in turns) + "</g>"


def _leaves(colour: str, wide: str, long: str, *places: str) -> str:
    """Return pointed leaves at ``X,Y,TURN``."""
    side = 2 * float(wide)
    shape = f'<path d="M0-{long}Q{side:g} 0 0 {long}Q-{side:g} 0 0-{long}Z" transform="translate('
    leaves = (place.split(",") for place in places)
    return f"<g{_colour(colour)}>" + "".join(f'{shape}{x} {y}) rotate({turn})"/>' for x, y, turn in leaves) + "</g>"


def _placed(name: str, x: str = "0", y: str = "0", size: str = "1", turn: str = "0", colour: str = "inherit") -> str:
    """Return a motif at a place; a negative size mirrors it."""
    scale = float(size)
    moves = [f"translate({x} {y})" * ((x, y) != ("0", "0")), f"rotate({turn})" * (turn != "0")]
    moves.append(f"scale({scale:g} {abs(scale):g})" if scale < 0 else f"scale({scale:g})" * (scale != 1))
    moved = " ".join(filter(None, moves))
    return f'<use href="#{name}"' + f' transform="{moved}"' * bool(moved) + f"{_colour(colour)}/>"


def _shape(line: str) -> str:
    """Return a shape as SVG; the shapes are listed in card_faces.toml."""
    shape, *given = line.split(" ")
    if shape == "fill":
        return f'<path d="{" ".join(given[1:])}"{_colour(given[0])}/>'
    if shape == "outline":
        d, edge = " ".join(given[1:]), f'stroke="{_INK}" stroke-width="1.5" stroke-linejoin="round"'
        return f'<path d="{d}"{_colour(given[0])} {edge}/>'
    if shape == "line":
        return _line(given[0], given[1], " ".join(given[2:]))
    shapes: dict[str, Callable[..., str]] = {"dots": _dots, "petals": _petals, "leaves": _leaves}
    return shapes[shape](*given) if shape in shapes else _placed(shape, *given)


def _drawn(text: str) -> str:
    return "".join(map(_shape, text.strip().split("\n")))


def _mark(card: Card) -> str:
    """Return the name of the mark of a card's kind."""
    if card.kind in (BRIGHT, ANIMAL, CHAFF):
        return {BRIGHT: "bright", ANIMAL: "animal", CHAFF: "chaff"}[card.kind]
    return "poem" if card.month in _POEM_MONTHS else "blue" if card.month in _BLUE_MONTHS else "ribbon"


def _face(card: Card) -> str:
    grounds = _BOOK["grounds"]
    number = f'<text x="8" y="29" font-family="sans-serif" font-size="30" font-weight="bold">{card.month}</text>'
    return (
        f'<use href="#ground"{_colour(grounds.get(card.code, grounds[card.kind]))}/>{_drawn(_BOOK["cards"][card.code])}'
        f'<use href="#band"/>{number}{_drawn(_BOOK["marks"][_mark(card)])}<use href="#frame"/>'
    )


def _back() -> str:
    rows = [(x, y) for y in range(12, 190, 18) for x in range(16, 110, 22)]
    between = [(x, y) for y in range(21, 190, 18) for x in range(27, 100, 22)]
    seals = "".join(f'<use href="#seal" x="{x}" y="{y}"/>' for x, y in (*rows, *between))
    return f'<use href="#ground" fill="{_RED}"/>{seals}<use href="#frame"/>'


@cache
def card_sprite() -> str:
    """Return an SVG document with a symbol for each card, whose id is its code, and for the back.

    >>> '<symbol id="1B" viewBox="0 0 120 196">' in card_sprite()
    True
    """
    inner = f'x="2" y="2" width="{WIDTH - 4}" height="{HEIGHT - 4}" rx="9"'
    parts = [
        f'<rect id="ground" {inner}/><rect id="frame" {inner} fill="none" stroke="{_INK}" stroke-width="4"/>',
        f'<path id="band" d="M2 36V11Q2 2 11 2H109Q118 2 118 11V36Z" fill="{_WHITE}" stroke="{_INK}"/>',
        *(f'<g id="{name}">{_drawn(text)}</g>' for name, text in _BOOK["motifs"].items()),
    ]
    faces = {BACK: _back(), **{card.code: _face(card) for card in DECK}}
    symbols = (f'<symbol id="{name}" viewBox="0 0 {WIDTH} {HEIGHT}">{face}</symbol>' for name, face in faces.items())
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{"".join(parts)}</defs>{"".join(symbols)}</svg>'


def card_names() -> dict[str, dict[str, str]]:
    """Return codes and names in English and Japanese, by deck and code: ``hanafuda.1B``."""
    return {
        f"hanafuda.{card.code}": {"en": f"{card.code} {card.english}", "ja": f"{card.code} {card.japanese}"}
        for card in DECK
    }
