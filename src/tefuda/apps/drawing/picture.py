"""The picture of a part of a tree: nodes, moves, infosets and payoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tefuda.apps.drawing.layout import RADIUS, Cell, Layout, layout_of
from tefuda.apps.drawing.marks import Drawing, Shape, Stroke, Text, text_width
from tefuda.apps.drawing.part import PartNode
from tefuda.evaluating.explorer import move_probability
from tefuda.evaluating.profile import Profile
from tefuda.figure import COLOURS, INK, LINE, QUIET, WHITE
from tefuda.forms.paths import label_text, path_of
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE, infoset_name
from tefuda.words import count, fraction_text, number_text, one_line

#: Sides and size of the shape of each player's nodes; 0 sides: a circle.
_SHAPES = ((0, 1.0), (4, 1.28), (6, 1.12), (5, 1.16), (8, 1.08), (3, 1.4))
_SMALL, _SIZE, _ROW = 10.0, 12.0, 14.0  # of texts, and from line to line
_LONGEST = 18  # letters of an infoset's or a move's text; its tooltip has all of it
_MANY, _WIDE = 12, 34.0  # moves to ends of a depth, and pixels of their texts, beyond which these are turned
_DOT, _SQUARE, _WIDEST = 2.5, 11.0, 4.0  # radius of ends, of chance nodes; width of certain moves
_DASHES = (4.0, 3.0)
_FLAT = 0.4  # slope of moves that would touch a text beside their node


def tree_drawing(tree: Tree, part: Sequence[PartNode], profile: Profile | None = None) -> Drawing:
    """Return the picture of a part of a tree.

    Args:
        tree: the game.
        part: its nodes, see `tree_part`.
        profile: strategies, shown as numbers and as widths of the moves.
    """
    lines = [move_lines(tree, node, profile) for node in part]
    turned = _turned_levels(tree, part, lines)
    named = dict[int, int]()
    for i, node in enumerate(part):
        if not node.hidden and tree.infoset[node.history] >= 0:
            named.setdefault(int(tree.infoset[node.history]), i)
    cells = [_cell(tree, node, lines[i], turned[i], i in named.values()) for i, node in enumerate(part)]
    layout = layout_of(cells)
    texts, strokes, shapes = list[Text](), list(_infoset_lines(tree, layout)), list[Shape]()
    for i, node in enumerate(part):
        texts += _move_texts(lines[i], layout.bends[i], turned[i])
        if i:
            strokes.append(_move(tree, part, layout, i, profile))
        shapes += _node_shape(tree, node, layout.x[i], layout.y[i])
        texts += _node_texts(tree, node, layout.x[i], layout.y[i])
    texts += [_view(tree, part, layout, infoset, i) for infoset, i in named.items()]
    return Drawing(one_line(tree.title), layout.width, layout.height, strokes, shapes, texts)


def move_lines(tree: Tree, node: PartNode, profile: Profile | None, *, shorten: bool = True) -> list[str]:
    """Return the lines beside the last move: its text, and its probability if it is known."""
    if node.parent < 0:
        return []
    before, text = int(tree.parent[node.history]), shortened(node.label) if shorten else one_line(node.label)
    if node.others:
        return [text]
    if tree.player[before] == CHANCE:
        return [text, fraction_text(float(tree.chance[node.history]))]
    return [text] if profile is None else [text, number_text(move_probability(profile, node.history))]


def shortened(text: str) -> str:
    """Return a text in one line of at most 18 letters."""
    text = one_line(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _turned_levels(tree: Tree, part: Sequence[PartNode], lines: Sequence[list[str]]) -> list[bool]:
    """Return whether the texts of each move are turned: at depths with many long ones above ends."""
    inner, depths = {node.parent for node in part}, [int(tree.depth[node.history]) for node in part]
    outer: dict[int, list[float]] = {}  # widths of the texts of moves to nodes without children, by depth
    for i, (depth, each) in enumerate(zip(depths, lines, strict=True)):
        if i not in inner:
            outer.setdefault(depth, []).append(_widest(each))
    turned = {depth for depth, widths in outer.items() if len(widths) > _MANY and max(widths) > _WIDE}
    return [depth in turned for depth in depths]


def _widest(lines: Sequence[str], size: float = _SIZE) -> float:
    return max((text_width(each, size) for each in lines), default=0.0)


def _cell(tree: Tree, node: PartNode, lines: Sequence[str], turned: bool, named: bool) -> Cell:
    """Return the room that a node needs."""
    size = _widest(lines) + 2, _ROW * len(lines)
    label = size[::-1] if turned else size
    foot = foot_lines(tree, node)
    if foot:
        return Cell(
            node.parent,
            -1,
            label,
            RADIUS,
            RADIUS,
            (_widest(foot, _SMALL if node.hidden else _SIZE), _ROW * (len(foot) + 0.5)),
        )
    infoset = int(tree.infoset[node.history])
    side = text_width(_infoset_text(tree, infoset), _SMALL) + 6 if named else 0.0
    reach = RADIUS + 6 if infoset >= 0 and tree.history_counts[infoset] > 1 else RADIUS * 1.3
    return Cell(node.parent, infoset, label, max(reach, RADIUS * 1.3 + side), reach)


def _infoset_text(tree: Tree, infoset: int) -> str:
    return shortened(label_text(tree.keys[infoset]))


def foot_lines(tree: Tree, node: PartNode) -> list[str]:
    """Return the lines below a node: payoffs of an end, or the number of ends that are left out."""
    if node.hidden:
        return [count(node.hidden, "ends")]
    if tree.child_count[node.history]:
        return []
    return [number_text(amount) for amount in tree.payoffs_at(node.history)]


def _node_shape(tree: Tree, node: PartNode, x: float, y: float) -> Iterator[Shape]:
    """Yield the shape of a node: a polygon for a player, a square for chance, a dot for an end."""
    player, path = int(tree.player[node.history]), path_of(tree, node.history)
    if node.hidden:
        yield from (Shape(x + step, y, 1.6, QUIET, 0, 0, one_line(path)) for step in (-6, 0, 6))
    elif not tree.child_count[node.history]:
        yield Shape(x, y, _DOT, INK, 0, 0, one_line(path))
    elif player == CHANCE:
        yield Shape(x, y, _SQUARE, QUIET, 4, 0.5, one_line(path))
    else:
        sides, size = _SHAPES[player % len(_SHAPES)]
        name = infoset_name(player, tree.keys[tree.infoset[node.history]])
        yield Shape(x, y, size * RADIUS, player_colour(player), sides, 0, one_line(f"{name} ({path})"))


def player_colour(player: int) -> str:
    """Return the colour of a player."""
    return COLOURS[player % len(COLOURS)]


def _node_texts(tree: Tree, node: PartNode, x: float, y: float) -> Iterator[Text]:
    """Yield the number of the player to move, or the lines below."""
    player = int(tree.player[node.history])
    for row, line in enumerate(foot_lines(tree, node)):
        colour = QUIET if node.hidden else player_colour(row)
        yield Text(x, y + _ROW * (row + 0.9), line, colour, _SMALL if node.hidden else _SIZE)
    if player >= 0 and not node.hidden:
        yield Text(x, y, str(player), WHITE, _SIZE, bold=True)


def _view(tree: Tree, part: Sequence[PartNode], layout: Layout, infoset: int, i: int) -> Text:
    """Return the player's view beside the first node of an infoset, away from flat moves that pass there."""
    x, y, parent = layout.x[i], layout.y[i], part[i].parent
    above = [parent] if parent >= 0 and layout.x[parent] < x else []
    below = [j for j, node in enumerate(part) if node.parent == i and layout.x[j] < x]
    flat = [abs(layout.y[j] - y) < _FLAT * (x - layout.x[j]) for j in (*above, *below)]
    step = 0.0 if not any(flat) else _SMALL * (0.7 if above and flat[0] else -0.7)
    text = _infoset_text(tree, infoset)
    return Text(x - RADIUS * 1.3 - 3, y + step, text, player_colour(int(tree.infoset_player[infoset])), _SMALL, "end")


def _infoset_lines(tree: Tree, layout: Layout) -> Iterator[Stroke]:
    """Yield the dashed lines that join the nodes of each infoset."""
    for infoset, points in layout.links.items():
        bend = 6.0 if points[0][1] == points[-1][1] else 99.0  # corners, or curves between levels
        yield Stroke(points, player_colour(int(tree.infoset_player[infoset])), 1.2, _DASHES, bend)


def _move(tree: Tree, part: Sequence[PartNode], layout: Layout, i: int, profile: Profile | None) -> Stroke:
    """Return the line of the last move to a node."""
    parent, node = part[i].parent, part[i]
    start, end, bend = (layout.x[parent], layout.y[parent]), (layout.x[i], layout.y[i]), layout.bends[i]
    player = int(tree.player[tree.parent[node.history]])
    if profile is None or player == CHANCE or node.others:
        return Stroke((start, bend, end), QUIET, 1.1)
    share = move_probability(profile, node.history)
    colour = player_colour(player) if share >= 5e-4 else LINE
    return Stroke((start, bend, end), colour, 0.7 + _WIDEST * share, () if share >= 5e-4 else (1.5, 2.5))


def _move_texts(lines: Sequence[str], place: tuple[float, float], turned: bool) -> Iterator[Text]:
    """Yield the lines beside a move."""
    for row, line in enumerate(lines):
        step = _ROW * (row - (len(lines) - 1) / 2)
        x, y = (place[0] + step, place[1]) if turned else (place[0], place[1] + step)
        yield Text(x, y, line, QUIET if row else INK, _SIZE, turned=turned, halo=True)
