"""Drawings of games in the format of a file."""

from __future__ import annotations

from pathlib import Path

from tefuda.apps.drawing.outline import outline
from tefuda.apps.drawing.part import tree_part
from tefuda.apps.drawing.picture import tree_drawing
from tefuda.apps.drawing.svg import svg_text
from tefuda.apps.drawing.tables import STYLES, table_text
from tefuda.apps.drawing.tikz import tikz_text
from tefuda.errors import one_of, out_of_range
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.files import write_bytes
from tefuda.forms.compile import compile_game
from tefuda.forms.paths import ROOT
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.games.small.matrix import Matrix

#: Endings of files with trees and with tables.
TREES, TABLES = (".svg", ".tex", ".txt"), tuple(STYLES)


def draw(
    game: Game | Tree,
    path: str | Path | None = None,
    *,
    profile: Profile | None = None,
    at: str = ROOT,
    levels: int | None = None,
) -> str:
    r"""Draw a game as a tree, or a matrix game as a table.

    Nodes of an infoset lie on one line and are joined by a dashed line. At most 200 ends are drawn: of a larger tree
    the first levels, with the number of the ends that are left out. In tables, best responses are underlined, pure
    equilibria boxed, and strictly dominated actions grey.

    Args:
        game: rules or a compiled game. The rules of a matrix game are drawn as a table, unless the file ends in .svg
            or another argument asks for a tree.
        path: file to write: .svg, .tex (a document of TikZ) or .txt for a tree; .html, .tex (a tabular) or .txt for a
            table. None: no file.
        profile: strategies, shown as numbers and as widths of the moves.
        at: position at which the drawing begins, labels joined by ``~``.
        levels: number of levels to draw; default: as many as fit.

    Returns:
        The text of the file, or text for a terminal.

    Raises:
        ParameterError: the file has another ending, or `levels` is below 1.
        UnknownNameError: the position does not exist.
        ProfileError: the profile is one of another game.
        SizeError: the tree does not fit into memory, or the table has over 1,000 cells.

    >>> text = td.apps.draw(td.compile_game(td.load_game("kuhn")), levels=2)
    >>> print(*text.splitlines()[2:5], sep="\n")
    ├─ J Q (1/6)  0: J| [0]
    │  ├─ p  ... 3 ends
    │  └─ b  ... 2 ends
    """
    ending = Path(path).suffix.lower() if path is not None else ".txt"
    if isinstance(game, Matrix) and ending != ".svg" and (profile, at, levels) == (None, ROOT, None):
        _require_ending(path, ending, TABLES)
        text = table_text(game, ending)
    else:
        _require_ending(path, ending, TREES)
        tree = game if isinstance(game, Tree) else compile_game(game)
        if profile is not None:
            require_same_game(tree, profile)
        part = tree_part(tree, at, levels)
        if ending == ".txt":
            text = outline(tree, part, profile)
        else:
            text = (svg_text if ending == ".svg" else tikz_text)(tree_drawing(tree, part, profile))
    if path is not None:
        write_bytes(Path(path), text.encode())
    return text


def _require_ending(path: object, ending: str, allowed: tuple[str, ...]) -> None:
    if ending not in allowed:
        raise out_of_range("path", str(path), f"a file that ends in {one_of(allowed)}")
