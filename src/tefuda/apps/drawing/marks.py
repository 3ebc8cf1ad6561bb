"""A picture as strokes, shapes and texts in pixels, with y downwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tefuda.figure import INK
from tefuda.words import display_width

Point = tuple[float, float]
#: Left, top, right and bottom.
Box = tuple[float, float, float, float]

_CLASSES = {"'ijlIJ ,./:;\\|": 0.34, "f-()[]tr!": 0.41, '"*_`szc?L': 0.56, "mMW%@": 1.0, "w#+<=>^~OQDGNHU&": 0.84}
#: Widths of letters in sizes of DejaVu Sans, the widest of the fonts that the pictures name.
_WIDTHS = {letter: width for letters, width in _CLASSES.items() for letter in letters}
_USUAL = 0.66


def text_width(text: str, size: float) -> float:
    """Return the width of a text in pixels, from a table."""
    wide = (_WIDTHS.get(letter, _USUAL if letter.isascii() else max(0.9, display_width(letter) / 2)) for letter in text)
    return size * sum(wide)


class Stroke(NamedTuple):
    """A line through points; `bend` is the radius of its corners."""

    points: Sequence[Point]
    colour: str
    width: float = 1.1
    dashes: tuple[float, ...] = ()
    bend: float = 0.0


class Shape(NamedTuple):
    """A regular polygon, or a circle if it has no sides; `turn` is its angle in sides.

    `about` is shown when the mouse is over it.
    """

    x: float
    y: float
    radius: float
    fill: str
    sides: int = 0
    turn: float = 0.0
    about: str = ""

    @property
    def corners(self) -> list[Point]:
        """Corners, the first above the centre unless turned."""
        angles = [math.tau * (corner + self.turn) / self.sides for corner in range(self.sides)]
        return [(self.x + self.radius * math.sin(each), self.y - self.radius * math.cos(each)) for each in angles]

    @property
    def box(self) -> Box:
        """Box around it."""
        return self.x - self.radius, self.y - self.radius, self.x + self.radius, self.y + self.radius


class Text(NamedTuple):
    """A text in one line, centred at a point, or beginning or ending there; turned texts are read upwards."""

    x: float
    y: float
    content: str
    colour: str = INK
    size: float = 12.0
    anchor: str = "middle"
    bold: bool = False
    turned: bool = False
    halo: bool = False

    @property
    def box(self) -> Box:
        """Box around it, with the width of the table."""
        width, height = text_width(self.content, self.size), self.size
        left = self.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        if self.turned:
            return self.x - height / 2, self.y - width / 2, self.x + height / 2, self.y + width / 2
        return left, self.y - height / 2, left + width, self.y + height / 2

    @property
    def backing(self) -> Box:
        """White box behind a text over lines, which touches that of the next line."""
        left, top, right, bottom = self.box
        return left - 1, top - 1.5, right + 1, bottom + 1.5


@dataclass(frozen=True)
class Drawing:
    """A picture; shapes lie over strokes, and texts over both."""

    title: str
    width: float
    height: float
    strokes: Sequence[Stroke]
    shapes: Sequence[Shape]
    texts: Sequence[Text]
