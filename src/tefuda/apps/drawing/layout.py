"""Places of the nodes of a drawn tree: levels, columns and heights.

Rows are half levels: row 2 l has the nodes of level l, row 2 l - 1 the texts of the moves to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

RADIUS = 11.0  # pixels, of nodes
_GAP = 8.0  # between neighbours
_LANE = 6.0  # between the lines of infosets above the nodes of a level
_SIDE = RADIUS + 5  # from a node's centre to where its infoset's line rises
_LEAST, _SLOPE, _MOST = 30.0, 0.15, 220.0  # height of moves: at least, as part of their width, and at most
_LINE = RADIUS / 2  # half the width of a move that passes a level

#: Left and right end of a subtree in each row, from its first node.
_Contour = dict[int, tuple[float, float]]


class Cell(NamedTuple):
    """The room that a node needs, in pixels.

    Attributes:
        parent: index of the parent; -1 at the first node.
        infoset: number of the infoset, or -1.
        label: width and height of the text of the last move.
        left: room to the left of the centre. right: room to the right of it.
        foot: width and height of the texts below, of a node without children.
    """

    parent: int
    infoset: int
    label: tuple[float, float]
    left: float = RADIUS
    right: float = RADIUS
    foot: tuple[float, float] = (0.0, 0.0)


class Layout(NamedTuple):
    """The places of nodes, of the texts of the moves to them, and of the lines that join infosets.

    Attributes:
        x, y: centre of each node.
        bends: middle of the text of the last move, through which the move is drawn.
        links: for each infoset, the points of its line; no line goes through other nodes of its level.
        width, height: size of the drawing.
    """

    x: list[float]
    y: list[float]
    bends: list[tuple[float, float]]
    links: dict[int, list[tuple[float, float]]]
    width: float
    height: float


def layout_of(cells: Sequence[Cell]) -> Layout:
    """Return the places of nodes that are listed each before its children, and these from left to right."""
    levels = node_levels(cells)
    x = _columns(cells, levels)
    lanes = _lanes(cells, levels, x)
    rows, y, straight = _heights(cells, levels, x, lanes)
    bends = []
    for i, cell in enumerate(cells):
        first = levels[cell.parent] + 1 if i else 0
        bend = x[i]
        if i and straight[first]:
            before = y[cell.parent]
            bend = x[cell.parent] + (x[i] - x[cell.parent]) * (rows[first] - before) / (y[i] - before)
        bends.append((bend, rows[first]))
    links = {
        number: _link([(x[i], y[i]) for i in members], lanes[number]) for number, members in _groups(cells).items()
    }
    ends = [x[i] + max(cell.right, cell.foot[0] / 2, cell.label[0] / 2) for i, cell in enumerate(cells)]
    right = max([*ends, *(place for line in links.values() for place, _ in line)])
    height = max(y[i] + max(RADIUS, cell.foot[1]) for i, cell in enumerate(cells))
    return Layout(x, y, bends, links, right + _GAP, height + _GAP)


def node_levels(cells: Sequence[Cell]) -> list[int]:
    """Return a level for each node, one for each infoset and below the parents.

    If infosets cross in time, so that there are no such levels, the levels are depths.
    """
    depths = [0] * len(cells)
    for i, cell in enumerate(cells[1:], 1):
        depths[i] = depths[cell.parent] + 1
    levels, before, groups = list(depths), list[int](), _groups(cells)
    while levels != before:
        before = list(levels)
        for i, cell in enumerate(cells[1:], 1):
            levels[i] = max(levels[i], levels[cell.parent] + 1)
        for members in groups.values():
            shared = max(levels[i] for i in members)
            for i in members:
                levels[i] = shared
        if max(levels) > len(cells):
            return depths
    return levels


def _groups(cells: Sequence[Cell]) -> dict[int, list[int]]:
    """Return the nodes of each infoset that has several."""
    groups: dict[int, list[int]] = {}
    for i, cell in enumerate(cells):
        groups.setdefault(cell.infoset, []).append(i)
    return {number: members for number, members in groups.items() if number >= 0 and len(members) > 1}


def _columns(cells: Sequence[Cell], levels: Sequence[int]) -> list[float]:
    """Return the x of each node: parents over the middle of their children, subtrees as near as they fit.

    The mean of both tight packings, from the left and from the right, also fits, and a tree drawn in a mirror is the
    mirrored drawing (the aims of Reingold and Tilford 1981; they list Buchheim, Juenger and Leipert 2002).
    """
    children: list[list[int]] = [[] for _ in cells]
    for i, cell in enumerate(cells[1:], 1):
        children[cell.parent].append(i)
    contours, places = list[_Contour]([{}] * len(cells)), [0.0] * len(cells)
    for i in reversed(range(len(cells))):
        inside = [contours[child] for child in children[i]]
        from_left = _packed(inside)
        from_right = [-place for place in _packed([_mirrored(each) for each in inside[::-1]])][::-1]
        both = [(a + b) / 2 for a, b in zip(from_left, from_right, strict=True)]
        contour = _own_rows(cells[i], levels[cells[i].parent] + 1 if i else 0, levels[i])
        for child, place in zip(children[i], both, strict=True):
            places[child] = place - (both[0] + both[-1]) / 2
            for row, (left, right) in contours[child].items():
                ends = contour.get(row, (places[child] + left, places[child] + right))
                contour[row] = min(ends[0], places[child] + left), max(ends[1], places[child] + right)
        contours[i] = contour
    places[0] = _GAP - min(left for left, _ in contours[0].values())
    for i, cell in enumerate(cells[1:], 1):
        places[i] += places[cell.parent]
    return places


def _own_rows(cell: Cell, first: int, level: int) -> _Contour:
    """Return the contour of a node alone, with its texts and the levels that the move to it passes."""
    foot = cell.foot[0] / 2
    rows = dict.fromkeys(range(2 * first - 1, 2 * level), (-_LINE, _LINE))
    half = max(cell.label[0] / 2, _LINE)
    rows[2 * first - 1] = -half, half
    rows[2 * level] = -max(cell.left, foot), max(cell.right, foot)
    return rows | ({2 * level + 1: (-foot, foot)} if foot else {})


def _packed(contours: Sequence[_Contour]) -> list[float]:
    """Return the places of contours side by side, the first at 0."""
    places, ends = list[float](), dict[int, float]()
    for contour in contours:
        place = max((ends[row] + _GAP - left for row, (left, _) in contour.items() if row in ends), default=0.0)
        places.append(place)
        for row, (_, right) in contour.items():
            ends[row] = max(ends.get(row, place + right), place + right)
    return places


def _mirrored(contour: _Contour) -> _Contour:
    return {row: (-right, -left) for row, (left, right) in contour.items()}


def _lanes(cells: Sequence[Cell], levels: Sequence[int], x: Sequence[float]) -> dict[int, int]:
    """Return the lane above the nodes of each infoset of several: 0 for neighbours, -1 on several levels."""
    lanes, ends = dict[int, int](), dict[int, list[float]]()
    for number, members in sorted(_groups(cells).items(), key=lambda group: x[group[1][0]]):
        level, inside = levels[members[0]], sorted(x[i] for i in members)
        if any(levels[i] != level for i in members):
            lanes[number] = -1
            continue
        crossed = [
            x[i]
            for i, cell in enumerate(cells)
            if cell.parent >= 0 and levels[cell.parent] < level <= levels[i] and inside[0] < x[i] < inside[-1]
        ]
        if len(crossed) == len(inside) - 2:
            lanes[number] = 0
            continue
        taken = ends.setdefault(level, [])
        free = next((lane for lane, end in enumerate(taken) if end < inside[0] - _SIDE), len(taken))
        taken[free : free + 1] = [inside[-1] + _SIDE]
        lanes[number] = free + 1
    return lanes


def _heights(
    cells: Sequence[Cell], levels: Sequence[int], x: Sequence[float], lanes: dict[int, int]
) -> tuple[list[float], list[float], list[bool]]:
    """Return the y of the moves' texts by level and of each node, and whether the moves are straight."""
    deepest = max(levels)
    rows, heights, straight = [_GAP + RADIUS] * (deepest + 1), [_GAP + RADIUS] * (deepest + 1), [False] * (deepest + 1)
    for level in range(1, deepest + 1):
        moves = [i for i, cell in enumerate(cells) if i and levels[cell.parent] + 1 == level]
        widest = max((abs(x[i] - x[cells[i].parent]) for i in moves), default=0.0)
        feet = max((cell.foot[1] for i, cell in enumerate(cells) if levels[i] == level - 1), default=0.0)
        used = max((lanes.get(cell.infoset, 0) for i, cell in enumerate(cells) if levels[i] == level), default=0)
        above = max(min(max(_LEAST, _SLOPE * widest), _MOST), feet - RADIUS)
        text = max((cells[i].label[1] for i in moves), default=0.0)
        rows[level] = heights[level - 1] + RADIUS + above + text / 2
        heights[level] = rows[level] + text / 2 + _GAP + _LANE * max(used, 0) + RADIUS
        parts = (rows[level] - heights[level - 1]) / (heights[level] - heights[level - 1])
        straight[level] = all(levels[i] == level for i in moves) and _apart(cells, moves, x, parts)
    return rows, [heights[level] for level in levels], straight


def _apart(cells: Sequence[Cell], moves: Sequence[int], x: Sequence[float], part: float) -> bool:
    """Return whether texts at this part of straight moves touch neither each other nor other moves."""
    ordered = sorted(moves, key=x.__getitem__)
    for i, j in pairwise(ordered):
        starts = [x[cells[k].parent] for k in (i, j)]
        a, b = (start + (x[k] - start) * part for start, k in zip(starts, (i, j), strict=True))
        slope = max(abs(x[k] - start) for start, k in zip(starts, (i, j), strict=True)) / 100
        if b - a < max(sum(cells[k].label[0] for k in (i, j)) / 2, _LINE) + _GAP / 2 + slope * 7:
            return False
    return True


def _link(points: list[tuple[float, float]], lane: int) -> list[tuple[float, float]]:
    """Return the line through the nodes of an infoset, along a lane above them if it has one."""
    points = sorted(points, key=lambda point: (point[lane < 0], point))
    if lane == 0:
        return points
    line = points[:1]
    for (a, y), (b, lower) in pairwise(points):
        if lane < 0:
            line += [(max(a, b) + 2 * _SIDE, (y + lower) / 2), (b, lower)]
            continue
        high = y - RADIUS - _LANE * lane
        line += [(a + _SIDE, y), (a + _SIDE, high), (b - _SIDE, high), (b - _SIDE, y), (b, y)]
    return line
