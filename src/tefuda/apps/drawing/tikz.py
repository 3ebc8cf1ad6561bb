"""Pictures as TikZ, in documents of the class ``standalone``."""

from __future__ import annotations

from tefuda.apps.drawing.marks import Drawing, Point, Shape, Stroke, Text
from tefuda.apps.grids import latex_text

_UNIT = 0.75  # points of a pixel
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def tikz_text(drawing: Drawing) -> str:
    """Return a picture as a document of LaTeX that needs no package beyond ``tikz``."""
    used = [each.colour for each in drawing.strokes] + [each.fill for each in drawing.shapes]
    used += [each.colour for each in drawing.texts]
    return "\n".join(
        [
            r"\documentclass[tikz,border=4pt]{standalone}",
            *(rf"\definecolor{{{_name(colour)}}}{{HTML}}{{{colour[1:].upper()}}}" for colour in dict.fromkeys(used)),
            r"\begin{document}",
            rf"\begin{{tikzpicture}}[x={_UNIT}pt, y=-{_UNIT}pt, inner sep=0pt, font=\sffamily]",
            *map(_stroke, drawing.strokes),
            *map(_shape, drawing.shapes),
            *map(_text, drawing.texts),
            r"\end{tikzpicture}",
            r"\end{document}",
            "",
        ]
    )


def _name(colour: str) -> str:
    return f"c{colour[1:]}"


def _pair(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def _stroke(stroke: Stroke) -> str:
    lengths = [f"{_UNIT * each:g}pt" for each in stroke.dashes]
    dashes = f", dash pattern=on {lengths[0]} off {lengths[1]}" if lengths else ""
    bend = f", rounded corners={_UNIT * stroke.bend:g}pt" if stroke.bend else ""
    style = f"{_name(stroke.colour)}, line width={_UNIT * stroke.width:.2f}pt{dashes}{bend}"
    return rf"\draw[{style}] {' -- '.join(map(_pair, stroke.points))};"


def _shape(shape: Shape) -> str:
    outline = " -- ".join([*map(_pair, shape.corners), "cycle"])
    if not shape.sides:
        outline = f"{_pair((shape.x, shape.y))} circle[radius={_UNIT * shape.radius:.2f}pt]"
    return rf"\fill[{_name(shape.fill)}] {outline};"


def _text(text: Text) -> str:
    drop = 0.35 * text.size  # from the middle of letters to their foot
    place = (text.x + drop, text.y) if text.turned else (text.x, text.y + drop)
    style = f"{_name(text.colour)}, anchor={_ANCHORS[text.anchor]}"
    style += ", rotate=90" if text.turned else ""
    size = rf"\fontsize{{{_UNIT * text.size:g}}}{{{_UNIT * text.size:g}}}\selectfont"
    bold = r"\bfseries " if text.bold else " "
    left, top, right, bottom = text.backing
    halo = rf"\fill[white] {_pair((left, top))} rectangle {_pair((right, bottom))};" if text.halo else ""
    return rf"{halo}\node[{style}] at {_pair(place)} {{{size}{bold}{latex_text(text.content)}}};"
