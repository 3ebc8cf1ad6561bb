"""Solutions of one spot on many boards, each in a folder of its own, over workers, with a report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, RunError, check_range
from tefuda.figure import Panel
from tefuda.files import (
    LIST,
    OBJECT,
    SECONDS,
    WHOLE,
    FieldSpec,
    check_fields,
    check_writable,
    csv_text,
    read_json,
    write_bytes,
    write_json,
)
from tefuda.holdem.cards import CARDS, HANDS, cards_text, read_cards
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.contexts import suit_group
from tefuda.holdem.spots.game import holdem
from tefuda.holdem.spots.node import Node
from tefuda.holdem.spots.size import MEMORY, require_room, size_of
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import Spot, read_lines
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import permute_card
from tefuda.locks import locked
from tefuda.solvers.runs.driver import Goal
from tefuda.solvers.runs.run import holds_run, read_run
from tefuda.solvers.runs.saved import resume
from tefuda.solvers.runs.solving import solve
from tefuda.words import parse_number
from tefuda.workers import ProgressFunction, spread

_FIGURES = "figures.json"
_READABLE = 24  # number of boards whose names fit below a picture
FLOPS = "flops"  # the text for all flops


class Board(NamedTuple):
    """A board and its weight in means.

    Attributes:
        cards: three to five cards.
        weight: weight of the board.
    """

    cards: tuple[int, ...]
    weight: float = 1.0

    @property
    def folder(self) -> str:
        """Name of its folder: ``QsJh2h``."""
        return cards_text(self.cards, "")


def read_boards(text: str, spot: Spot | None = None) -> list[Board]:
    """Read boards from text, separated by semicolons or lines.

    A weight other than 1 follows a colon.

    Args:
        text: ``"Qs Jh 2h; As Kd 7c:24"``, the name of a file of such lines (``#`` starts a comment), or ``"flops"``.
        spot: spot for ``"flops"``. Flops are isomorphic if a permutation of suits that changes no range, lock or deck
            maps them to each other; one board represents them, weighted by their number. Flops without compatible hands
            are left out. Without a spot every flop is a board.

    Returns:
        The boards with their weights.

    Raises:
        ParameterError: no board, a duplicate board, or an invalid one; the error marks it.

    >>> from tefuda.holdem import make_spot
    >>> [board.folder for board in read_boards("Qs Jh 2h; As Kd 7c:24")]
    ['QsJh2h', 'AsKd7c']
    >>> [len(read_boards("flops", make_spot("3c3d2h", 100, 100, oop, "KK,QQ"))) for oop in ("AA,JJ", "AA,JJ,AcKc")]
    [1755, 5252]
    """
    if text.strip() == FLOPS:
        return [Board(flop) for flop in combinations(range(CARDS)[::-1], 3)] if spot is None else _flops(spot)
    if not set(";\n") & set(text) and os.path.isfile(text):
        text = "\n".join(read_lines(text))
    boards = dict[frozenset[int], Board]()
    for line in text.replace(";", "\n").splitlines():
        if content := line.split("#")[0].strip():
            board = _read_board(content)
            if boards.setdefault(frozenset(board.cards), board) is not board:
                why = f"duplicate board {board.folder}; list it once, with a weight: {board.folder}:2"
                raise ParameterError(f"{why}.", key="boards", value=content, text=content)
    if not boards:
        raise ParameterError(
            "boards must be 'Qs Jh 2h; As Kd 7c', a file of such lines, or flops, got none.", key="boards"
        )
    return list(boards.values())


def _read_board(text: str) -> Board:
    cards, colon, weight = text.partition(":")
    board_cards = read_cards(cards, "boards")
    try:
        number = parse_number(weight.strip()) if colon else 1.0
    except ValueError:
        number = -1.0
    if not 3 <= len(board_cards) <= 5 or not 0 < number < 1e9:
        why = "a board has three to five cards" if number > 0 else "its weight must be a number above 0"
        raise ParameterError(f"boards: {text!r}: {why}.", key="boards", value=text, text=text)
    return Board(board_cards, number)


def _flops(spot: Spot) -> list[Board]:
    """Return the flops of a spot's deck, from the aces down; one of each class of isomorphic flops."""
    group = suit_group(spot, (), [own.weights for own in spot.ranges])
    boards, done = list[Board](), set[tuple[int, ...]]()
    for flop in combinations(sorted(spot.deck, reverse=True), 3):
        if flop not in done:
            isomorphic = {tuple(sorted((permute_card(card, p) for card in flop), reverse=True)) for p in group}
            done |= isomorphic
            if _can_meet(spot, flop):
                boards.append(Board(flop, float(len(isomorphic))))
    return boards


def _can_meet(spot: Spot, board: Sequence[int]) -> bool:
    """Return whether two hands of a spot's ranges are compatible on another board."""
    dead_cards = np.isin(HANDS, [*spot.dead_cards - {*spot.board}, *board]).any(axis=1)
    first, second = (np.where(dead_cards, 0.0, own.weights) for own in spot.ranges)
    return bool(first @ compatible_weights(second) > 0)


@dataclass(frozen=True)
class _Task:
    """One board to solve. texts: the spot, as `Spot.texts`. saves: whether the whole solution is saved."""

    texts: Mapping[str, Any]
    board: Board
    method: HandMethod
    goal: Goal
    memory: float
    folder: Path
    saves: bool

    @property
    def request(self) -> dict[str, Any]:
        """The spot, method and goal of the board's figures."""
        return {"spot": dict(self.texts), "method": _plain(self.method.parameters()), "goal": asdict(self.goal)}

    def known(self) -> dict[str, Any] | None:
        """Return the figures of a solved board from its folder, None if there are none.

        Raises:
            RunError: the figures are of another spot, method or goal.
        """
        path = self.folder / _FIGURES
        if not os.path.exists(path):
            return None
        content = read_json(path)
        if content.get("request") != self.request:
            why = "contains another spot, method or goal; use another folder, or the same options"
            raise RunError(f"{self.folder} {why}.")
        _check_figures(path, content.get("figures"), self.board)
        return {**content["figures"], "weight": self.board.weight}


_NUMBER = FieldSpec((int, float), -1e300, 1e300)
_ROW_FIELDS = {
    "pairs": replace(_NUMBER, low=0),
    "ev": LIST,
    "equity": LIST,
    "frequencies": OBJECT,
    "exploitability_percent": _NUMBER,
    "iterations": WHOLE,
    "seconds": SECONDS,
}


def _check_figures(path: Path, figures: Any, board: Board) -> None:
    check_fields(path, figures, {**_ROW_FIELDS, "board": FieldSpec((str,), choices=(cards_text(board.cards),))})
    for name in ("ev", "equity"):
        by_player = dict(zip(("oop", "ip"), figures[name], strict=False))
        check_fields(f"{path}, {name},", by_player, {"oop": _NUMBER, "ip": _NUMBER})
    check_fields(f"{path}, frequencies,", figures["frequencies"], dict.fromkeys(figures["frequencies"], _NUMBER))


def _solve_board(task: _Task) -> dict[str, Any]:
    """Return the figures of a board: load them, resume its run, or solve it."""
    if (known := task.known()) is not None:
        return known
    if holds_run(task.folder):
        run = read_run(task.folder)
        if run["game_parameters"] != task.texts or run["method_parameters"] != task.request["method"]:
            raise RunError(f"{task.folder} contains a run of another spot or method; use another folder.")
        solution = resume(task.folder, **asdict(task.goal))
    else:
        spot, folder = holdem(**task.texts).spot, task.folder if task.saves else None
        solution = solve(compile_spot(spot), task.method, **asdict(task.goal), checkpoint=folder)
    assert isinstance(solution.strategy, SpotStrategy)
    root = Node(solution.strategy)
    figures = {
        "board": cards_text(task.board.cards),
        "weight": task.board.weight,
        "pairs": solution.strategy.compiled.spot.pairs,
        "ev": list(solution.values),
        "equity": [root.equity(player) for player in (0, 1)],
        "frequencies": root.frequencies,
        "exploitability_percent": solution.evaluation.figure,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
    }
    write_json(task.folder / _FIGURES, {"request": task.request, "figures": figures})
    return figures


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return content as it is read back from a file."""
    return dict(json.loads(json.dumps(content)))


@dataclass(frozen=True)
class Report:
    """The solved boards, in the order given.

    Attributes:
        rows: figures of each solved board: the board, its weight, the pairs of compatible hands (products of weights),
            EV and equity of both players, frequencies of the root's actions, exploitability.
        boards: number of all boards.
    """

    rows: tuple[dict[str, Any], ...]
    boards: int

    def means(self) -> dict[str, Any]:
        """Return the means of EV, equity and frequencies, and the worst exploitability.

        A board counts by its weight times its pairs.
        """
        weights = np.array([row["weight"] * row["pairs"] for row in self.rows])
        actions = list(dict.fromkeys(action for row in self.rows for action in row["frequencies"]))

        def mean(figures: Iterable[float]) -> float:
            return float(np.average(list(figures), weights=weights))

        return {
            "ev": [mean(row["ev"][player] for row in self.rows) for player in (0, 1)],
            "equity": [mean(row["equity"][player] for row in self.rows) for player in (0, 1)],
            "frequencies": {a: mean(row["frequencies"].get(a, 0.0) for row in self.rows) for a in actions},
            "exploitability_percent": max(row["exploitability_percent"] for row in self.rows),
        }

    def to_csv(self) -> str:
        """Return the rows as CSV."""
        actions = list(self.means()["frequencies"]) if self.rows else []
        start, end = ("board", "weight", "pairs"), ("exploitability_percent", "iterations", "seconds")
        rows = [
            [
                *(row[name] for name in start), *row["ev"], *row["equity"],
                *(row["frequencies"].get(action, 0.0) for action in actions), *(row[name] for name in end),
            ]
            for row in self.rows
        ]  # fmt: skip
        return csv_text([*start, "ev_oop", "ev_ip", "equity_oop", "equity_ip", *actions, *end], rows)

    def panels(self) -> list[Panel]:
        """Return pictures of OOP's EV, equity and first action by board, sorted by EV, with the means."""
        rows, means = sorted(self.rows, key=lambda row: -row["ev"][0]), self.means()
        names = [row["board"] for row in rows] if len(rows) <= _READABLE else []
        pot = sum(rows[0]["ev"])

        def line(figures: Iterable[float]) -> list[tuple[int, float]]:
            return [(index, 100 * figure) for index, figure in enumerate(figures)]

        values = {"EV": line(row["ev"][0] / pot for row in rows), "equity": line(row["equity"][0] for row in rows)}
        actions = {a: line(row["frequencies"].get(a, 0.0) for row in rows) for a in means["frequencies"]}
        mean_values = {"mean EV": 100 * means["ev"][0] / pot, "mean equity": 100 * means["equity"][0]}
        mean_actions = {f"mean {action}": 100 * share for action, share in means["frequencies"].items()}
        x_label, linear, whole = "boards, sorted by OOP's EV", ("linear", "linear"), (0.0, 100.0)
        return [
            Panel("OOP", x_label, values, mean_values, "% of the pot", linear, ticks=names, covers=whole),
            Panel("OOP's first decision", x_label, actions, mean_actions, "%", linear, ticks=names, covers=whole),
        ]


def solve_boards(
    spot: Spot,
    boards: Sequence[Board],
    folder: str | Path,
    *,
    method: HandMethod = DEFAULT,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    memory: float = MEMORY,
    keep: bool = True,
    workers: int | Executor = 1,
    progress: ProgressFunction | None = None,
) -> Report:
    """Solve a spot on many boards; solved boards in the folder are loaded.

    Args:
        spot: pot, stack, ranges and sizes; hands that share a card with a board are ignored there.
        boards: distinct boards of three to five cards.
        folder: folder for a subfolder of each board, ``report.csv`` and ``report.json``, which are updated after each
            board; all workers need access.
        method: method of all boards.
        iterations: maximum number of iterations of each board. Without a goal, boards are solved to 0.5 % of the pot.
        until: exploitability in percent of the pot at which to stop.
        seconds: time limit of each board in seconds.
        memory: memory limit of a board in bytes.
        keep: whether to save whole solutions, for `show` and `resolve`, or only their figures.
        workers: number of processes, or an executor such as Dask's.
        progress: called with the numbers of solved boards and of all boards.

    Returns:
        The report of all boards.

    Raises:
        ParameterError: no hands of the ranges are compatible on a board.
        SizeError: a board exceeds the memory limit.
        RunError: the folder contains other results under these names.
    """
    goal = Goal(iterations, 0.5 if (iterations, until, seconds) == (None, None, None) else until, seconds)
    path = Path(folder)
    tasks = _make_tasks(spot, boards, _Task({}, Board(()), method, goal, memory, path, keep))
    check_writable(path / "report.csv")
    with locked(path / "report.json"):
        figures: dict[str, dict[str, Any]] = {}

        def done(row: dict[str, Any]) -> None:
            figures[row["board"]] = row
            _report(figures, tasks, path)

        try:
            spread(workers, _solve_board, tasks, progress, done)
        except KeyboardInterrupt:  # include boards solved since the last report of the workers
            figures |= {row["board"]: row for task in tasks if (row := task.known()) is not None}
            _report(figures, tasks, path)
            raise
        return _report(figures, tasks, path)


def _make_tasks(spot: Spot, boards: Sequence[Board], template: _Task) -> list[_Task]:
    """Return a checked task for each board from a template; raise as `solve_boards` does."""
    if not boards or len({frozenset(board.cards) for board in boards}) < len(boards):
        why = f"boards must be at least one, without duplicates, got {len(boards)}; use weights for duplicates."
        raise ParameterError(why, key="boards")
    for board in boards:
        check_range(f"the weight of {board.folder}", board.weight, 1e-300, 1e9, whole=False)
    for count in {len(board.cards) for board in boards}:  # spots with as many cards have the same size
        first = next(board for board in boards if len(board.cards) == count)
        require_room(size_of(_on(spot, first)), template.method.precision, template.memory)
    tasks = [
        replace(template, texts=_plain(_on(spot, board).texts()), board=board, folder=template.folder / board.folder)
        for board in boards
    ]
    for task in tasks:
        task.known()
    return tasks


def _on(spot: Spot, board: Board) -> Spot:
    start = spot.betting.start
    if start is not None and start.street != len(board.cards) - 3:
        start = start._replace(street=len(board.cards) - 3)
    return replace(spot, board=board.cards, betting=replace(spot.betting, start=start)).without_idle_locks()


def _report(figures: Mapping[str, dict[str, Any]], tasks: Sequence[_Task], path: Path) -> Report:
    """Write and return the report of the boards solved so far."""
    rows = tuple(row for task in tasks if (row := figures.get(cards_text(task.board.cards))) is not None)
    report = Report(rows, len(tasks))
    if rows:
        write_bytes(path / "report.csv", report.to_csv().encode())
        write_json(path / "report.json", {"boards": len(tasks), "rows": list(rows), "means": report.means()})
    return report
