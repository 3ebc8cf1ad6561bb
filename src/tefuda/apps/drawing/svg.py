"""Pictures as SVG text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from tefuda.apps.drawing.marks import Drawing, Point, Shape, Stroke, Text
from tefuda.figure import WHITE

_FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def svg_text(drawing: Drawing) -> str:
    """Return a picture as a document of SVG."""
    width, height = math.ceil(drawing.width), math.ceil(drawing.height)
    title = escape(drawing.title)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="{_FONT}" role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
            *map(_stroke, drawing.strokes),
            *map(_shape, drawing.shapes),
            *map(_text, drawing.texts),
            "</svg>\n",
        ]
    )


def _stroke(stroke: Stroke) -> str:
    dashes = f' stroke-dasharray="{" ".join(f"{each:g}" for each in stroke.dashes)}"' if stroke.dashes else ""
    path = f'd="{_path(stroke.points, stroke.bend)}" fill="none"'
    return f'<path {path} stroke="{stroke.colour}" stroke-width="{stroke.width:.2f}"{dashes}/>'


def _path(points: Sequence[Point], bend: float) -> str:
    """Return a path through points, with round corners of a radius."""
    if not bend:
        return f"M{'L'.join(map(_pair, points))}"
    parts = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        ends = _pair(_towards(corner, before, bend)), _pair(_towards(corner, after, bend))
        parts.append(f"L{ends[0]}Q{_pair(corner)} {ends[1]}")
    return "".join([*parts, f"L{_pair(points[-1])}"])


def _towards(start: Point, end: Point, length: float) -> Point:
    """Return the point at a distance on the way to another, at most at half of it."""
    part = min(length / (math.dist(start, end) or 1.0), 0.5)
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def _pair(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _shape(shape: Shape) -> str:
    about = f"<title>{escape(shape.about)}</title>"
    if not shape.sides:
        place = f'cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}"'
        return f'<circle {place} fill="{shape.fill}">{about}</circle>'
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.corners)
    return f'<polygon points="{corners}" fill="{shape.fill}">{about}</polygon>'


def _text(text: Text) -> str:
    left, top, right, bottom = text.backing
    size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
    halo = f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{WHITE}"/>'
    drop = 0.35 * text.size  # from the middle of letters to their foot
    place = f'x="{text.x:.1f}" y="{text.y + drop:.1f}"'
    if text.turned:
        place = f'transform="translate({text.x + drop:.1f} {text.y:.1f}) rotate(-90)"'
    style = f'font-size="{text.size:g}" fill="{text.colour}" text-anchor="{text.anchor}"'
    style += ' font-weight="bold"' if text.bold else ""
    return f'{halo if text.halo else ""}<text {place} {style} pointer-events="none">{escape(text.content)}</text>'
