"""Messages of the pages that explore the strategy of a tree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.messages.message import Message, Seen, Words, in_languages
from tefuda.apps.web.own_games import id_of, load_own
from tefuda.evaluating import explorer, public_table
from tefuda.figure import ORDERS, action_kind
from tefuda.forms.paths import history_entries, label_text
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import OPENSPIEL
from tefuda.games.parameters import json_parameters
from tefuda.solvers.runs.snapshots import InfosetSeries
from tefuda.solvers.runs.solution import Solution

NAMED = 2000  # infosets that are listed by name
_STATES = 200  # public states that are listed
_MERGED = 60  # histories of an infoset that are listed


class State(Message):
    """A public state: its number, the player to move, and the public information."""

    number: int
    player: int
    table: Words


class About(Message):
    """A strategy with its game and figures.

    Attributes:
        rules: the game with its changed parameters, ``"leduc;players=3"``; None if the page cannot load it.
        infosets: names of the first infosets.
        infoset_count: number of all infosets.
        seats: whether the histories can be seen from a seat.
        small: whether the game is drawn as a whole.
        method: name of the method; None for uniform play, as the iterations.
    """

    rules: str | None
    game: str
    players: int
    histories: int
    infosets: Sequence[str]
    infoset_count: int
    public_states: Sequence[State]
    seats: bool
    small: bool
    values: Sequence[float]
    nash_conv: float
    method: str | None
    iterations: int | None


class Move(Message):
    """A move on the path to a position; without label and name if the observer does not know it."""

    mover: int
    label: str | None
    name: Words | None


class Column(Message):
    """An action in a public state."""

    label: str
    name: Words
    kind: str


class Action(Column):
    """An action or an outcome of chance, see `explorer.PositionAction`."""

    share: float | None
    values: Sequence[float] | None
    counterfactual: float | None
    regret: float | None
    as_good: bool | None


class Reach(Message):
    """The probability of a position, see `explorer.PositionReach`."""

    own: float
    others: float
    chance: float
    product: float


class History(Message):
    """A history that the observer cannot distinguish from the position."""

    path: str
    probability: float | None
    values: Sequence[float]


class Position(Message):
    """A history as its observer knows it, see `explorer.Position`; the likeliest histories are listed."""

    mover: int
    observer: int | None
    path: Sequence[Move]
    siblings: Sequence[str]
    infoset: str | None
    mark: str | None
    public_state: int | None
    observation: Seen | None
    values: Sequence[float] | None
    reach: Reach
    actions: Sequence[Action]
    merged: Sequence[History]
    merged_count: int


class Row(Message):
    """The strategy at one infoset of a public state, see `public_table.PublicRow`."""

    infoset: str
    hand: Words
    path: str
    reach: float
    shares: Sequence[float]
    values: Sequence[float] | None
    as_good: Sequence[bool] | None
    mark: str


class Table(Message):
    """The strategy in a public state."""

    state: State
    actions: Sequence[Column]
    rows: Sequence[Row]


class HistoryNode(Message):
    """A history in a drawing; `parent` is its index, `share` the probability of the last move."""

    path: str
    parent: int | None
    label: str
    mover: int
    infoset: str | None
    share: float


class DrawnHistory(HistoryNode):
    """A history with its reach and values."""

    reach: float
    values: Sequence[float]


def about(solution: Solution | None, explorers: Sequence[explorer.Explorer], small: bool) -> About:
    """Return a strategy; explorers: one for each language."""
    plain = explorers[0]
    tree = plain.tree
    known = tree.game is not None
    states = zip(*(each.public_states() for each in explorers), strict=True) if known else ()
    return About(
        rules=_address(tree),
        game=tree.name,
        players=tree.players,
        histories=len(tree.player),
        infosets=[tree.name_of(number) for number in range(min(tree.infosets, NAMED))],
        infoset_count=tree.infosets,
        public_states=[_state(each) for each, _ in zip(states, range(_STATES), strict=False)],
        seats=known,
        small=small,
        values=plain.values[0].tolist(),
        nash_conv=plain.precision * tree.players,
        method=solution.method["name"] if solution else None,
        iterations=solution.iterations if solution else None,
    )


def _address(tree: Tree) -> str | None:
    """Return the game with its changed parameters, ``"leduc;players=3"``; None if unknown."""
    name = id_of(tree.name)
    if name is None or name.startswith(OPENSPIEL):
        return None
    usual = json_parameters(load_own(name, {}))
    own = [f"{key}={json.dumps(value)}" for key, value in tree.parameters.items() if usual.get(key, value) != value]
    return ";".join([name, *own])


def _state(states: Sequence[public_table.PublicState]) -> State:
    return State.of(states[0], table=in_languages(state.table for state in states))


def position(positions: Sequence[explorer.Position]) -> Position:
    """Return a position; positions: that of each language."""
    plain = positions[0]
    kinds = [action_kind(action.name, index) for index, action in enumerate(plain.actions)]
    if plain.mover < 0:
        kinds = [f"order {kinds.index(kind) % ORDERS}" for kind in kinds]
    observations = [one.observation for one in positions if one.observation]
    merged = sorted(plain.merged, key=lambda history: -(history.probability or 0))
    return Position.of(
        plain,
        path=[past_move(each) for each in zip(*(one.path for one in positions), strict=True)],
        observation=Seen.in_languages(observations) if observations else None,
        reach=Reach.of(plain.reach),
        actions=[
            Action.of(each[0], name=in_languages(action.name for action in each), kind=kind)
            for *each, kind in zip(*(one.actions for one in positions), kinds, strict=True)
        ],
        merged=[History.of(history) for history in merged[:_MERGED]],
        merged_count=len(merged),
    )


def past_move(moves: Sequence[explorer.PastMove]) -> Move:
    """Return a move on the path to a position; moves: that of each language."""
    names = [move.name for move in moves if move.name is not None]
    return Move.of(moves[0], name=in_languages(names) if len(names) == len(moves) else None)


def table(tables: Sequence[public_table.PublicTable]) -> Table:
    """Return the strategy in a public state; tables: that of each language."""
    columns = zip(tables[0].labels, *(each.actions() for each in tables), strict=True)
    return Table(
        _state([each.state for each in tables]),
        [
            Column(label, in_languages(action.name for action in actions), actions[0].kind)
            for label, *actions in columns
        ],
        [
            Row.of(rows[0], hand=in_languages(row.hand for row in rows))
            for rows in zip(*(each.rows for each in tables), strict=True)
        ],
    )  # fmt: skip


def drawing(plain: explorer.Explorer, nodes: Sequence[int]) -> dict[str, list[DrawnHistory]]:
    """Return histories of a game, parents first, with their last moves, reach and values."""
    shares = [explorer.move_probability(plain.profile, node) for node in nodes]
    reaches, values = plain.reach.total[nodes].tolist(), plain.values[nodes].tolist()
    parts = zip(history_entries(plain.tree, nodes), shares, reaches, values, strict=True)
    return {"histories": [DrawnHistory(*entry, *figures) for entry, *figures in parts]}


def series(numbers: InfosetSeries) -> dict[str, Any]:
    """Return charts of an infoset over the iterations: shares of both strategies, and regrets."""
    figures = {name: getattr(numbers, name) for name in ("average", "current", "regrets")}
    return {name: _over_time(numbers, name, rows) for name, rows in figures.items() if rows is not None}


def _over_time(numbers: InfosetSeries, figure: str, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    columns = zip(numbers.actions, zip(*rows, strict=True), strict=True)
    lines = [Line(label_text(label), list(zip(numbers.iterations, column, strict=True))) for label, column in columns]
    return chart_message(lines, [["place.iterations"], [f"place.{figure}"]], ("log", "linear"))
