"""Matrix games as tables: best responses, pure equilibria and strictly dominated actions are marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import product
from typing import NamedTuple

import numpy as np

from tefuda.apps.display.consoles import text_of
from tefuda.apps.grids import Grid, latex_text
from tefuda.errors import SizeError
from tefuda.figure import LINE
from tefuda.games.answers import exact_number
from tefuda.games.small.matrix import Matrix
from tefuda.solvers.exact.bimatrix import dominating_mixture
from tefuda.words import display_width, number_text, one_line

_MOST_CELLS = 1_000  # larger tables cannot be read, and exact domination takes over 2 s
#: Actions of player 0 below each other, those of player 1 side by side, with the cells.
Rows = list[list[str]]


class _Style(NamedTuple):
    """A format of tables: marks with braces for a text, and functions that escape texts and join rows."""

    best: str
    equilibrium: str
    dominated: str  # names of actions
    faded: str  # cells of dominated actions
    escape: Callable[[str], str]
    table: Callable[[str, Rows], str]
    note: Callable[[list[str]], str]


def table_text(game: Matrix, ending: str) -> str:
    """Return the table of a matrix game; for three players, one for each action of the third.

    Args:
        game: the game.
        ending: a key of `STYLES`.

    Raises:
        SizeError: the game has over 1,000 cells.
    """
    style, shown, players = STYLES[ending], np.array(game.payoff_table, dtype=object), range(game.players)
    if (cells := shown.size // game.players) > _MOST_CELLS:
        raise SizeError(f"{game.name} has {cells:,} cells; tables of at most {_MOST_CELLS:,} are drawn.")
    exact = np.frompyfunc(exact_number, 1, 1)(shown)
    best = np.stack([exact[..., p] == exact[..., p].max(axis=p, keepdims=True) for p in players], axis=-1)
    names = [list(map(one_line, labels)) for labels in (*game.labels, ("",))][: max(2, game.players)]
    dominated = dict(_dominated(exact, names))
    heads = [
        [style.dominated.format(name) if (player, action) in dominated else name for action, name in enumerate(texts)]
        for player, texts in enumerate([*map(style.escape, own)] for own in names)
    ]

    def cell(*place: int) -> str:
        place = place[: game.players]
        texts = [style.escape(number_text(amount)) for amount in shown[place]]
        inside = ", ".join(
            style.best.format(text) if good else text for text, good in zip(texts, best[place], strict=True)
        )
        inside = style.equilibrium.format(inside) if best[place].all() else inside
        grey = any(each in dominated for each in enumerate(place))
        return style.faded.format(inside) if grey else inside

    tables = []
    for rest in product(*(range(len(own)) for own in names[2:])):
        title = ", ".join(f"player {player}: {names[player][action]}" for player, action in enumerate(rest, 2))
        body = [[head, *(cell(i, j, *rest) for j in range(len(names[1])))] for i, head in enumerate(heads[0])]
        tables.append(style.table(style.escape(title), [["", *heads[1]], *body]))
    return "\n".join([*tables, style.note(list(dominated.values()))])


def _dominated(payoffs: np.ndarray, names: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield player and number of each strictly dominated action, and a sentence with a better mixture."""
    for player in range(payoffs.shape[-1]):
        table = np.moveaxis(payoffs[..., player], player, 0).reshape(payoffs.shape[player], -1).tolist()
        for action, name in enumerate(names[player]):
            if mixture := dominating_mixture(table, action):
                pairs = [(share, other) for share, other in zip(mixture, names[player], strict=True) if share]
                better = " + ".join(other if share == 1 else f"{share} {other}" for share, other in pairs)
                yield (player, action), f"{name} of player {player} is strictly dominated by {better}."


def _html(title: str, rows: Rows) -> str:
    def row(cells: Sequence[str], first: bool) -> str:
        kinds = ["th" if first or not column else "td" for column in range(len(cells))]
        style = ' style="padding:4px 9px;text-align:center"'
        return "".join(f"<{kind}{style}>{cell}</{kind}>" for kind, cell in zip(kinds, cells, strict=True))

    body = "".join(f"<tr>{row(cells, not number)}</tr>" for number, cells in enumerate(rows))
    return f"<table>{f'<caption>{title}</caption>' if title else ''}{body}</table>"


def _latex(title: str, rows: Rows) -> str:
    heads, *body = (" & ".join(cells) + r" \\" for cells in rows)
    lines = [rf"\begin{{tabular}}{{l|{'c' * (len(rows[0]) - 1)}}}", rf"{heads} \hline", *body, r"\end{tabular}", ""]
    return "\n".join([*([rf"\noindent {title}", ""] if title else []), *lines])


def _latex_note(sentences: list[str]) -> str:
    if not sentences:
        return ""
    return rf"{{\footnotesize {latex_text(' '.join(sentences))}}} % \textcolor needs \usepackage{{xcolor}}" + "\n"


def _terminal(title: str, rows: Rows) -> str:
    width = sum(max(map(display_width, column)) + 3 for column in zip(*rows, strict=True)) + 1
    return text_of(Grid(tuple(rows[0]), tuple(map(tuple, rows[1:])), title), max(width, display_width(title)))


def _terminal_note(sentences: list[str]) -> str:
    return "\n".join(["* best response   [ ] pure equilibrium   ( ) strictly dominated", *sentences])


def _html_note(sentences: list[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _ascii_minus(text: str) -> str:
    return text.replace("\u2212", "-")


_BOX, _GREY = '<span style="border:2px solid;padding:1px 5px">{}</span>', f'<span style="color:{LINE}">{{}}</span>'
_TEX_GREY = r"\textcolor{{gray}}{{{}}}"
#: Formats by the ending of their files.
STYLES = {
    ".html": _Style("<u>{}</u>", _BOX, _GREY, _GREY, escape, _html, _html_note),
    ".tex": _Style(r"\underline{{{}}}", r"\fbox{{{}}}", _TEX_GREY, _TEX_GREY, latex_text, _latex, _latex_note),
    ".txt": _Style("{}*", "[{}]", "({})", "{}", _ascii_minus, _terminal, _terminal_note),
}
