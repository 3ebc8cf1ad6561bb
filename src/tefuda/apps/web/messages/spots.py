"""Messages of the nodes of hold'em: solved spots, limit games, push or fold, with the players' ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.messages.message import Message
from tefuda.games.parameters import json_parameters
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, hand_text
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands
from tefuda.holdem.preflop.pushfold import PushFold
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.grid import Group, HoldemNode, RangeView, class_sizes, sized_kind
from tefuda.holdem.spots.node import Node as SpotNode
from tefuda.solvers.runs.solution import Solution

_DIGITS = 5  # significant digits of figures of hands: a message of 1,000 hands stays below 200 kB


class Choice(Message):
    """A decision or a card on the way to a node, and the line after it; a card has no player."""

    name: str
    kind: str
    player: int | None
    line: str


class Action(Message):
    """An action of the player to act, see `PublicAction`."""

    name: str
    label: str
    kind: str
    share: float | None
    line: str | None
    part: float | None


class About(Message):
    """The solution to which a node belongs.

    Attributes:
        game: name of the game with which a table practises; "" if there is none.
        parameters: its parameters.
        quality: name of the figure.
        locks: locked nodes.
    """

    name: str
    game: str
    parameters: Mapping[str, Any]
    iterations: int
    quality: str
    figure: float
    locks: Sequence[str] = ()


class HandGroup(Message):
    """A part of a player's range, see `Group`."""

    name: str
    frequency: float
    shares: Sequence[float]
    ev: float
    equity: float


class Player(Message):
    """A player's range.

    Attributes:
        hands: number of hands, each by its weight.
        acts: whether the player is to act.
        rows: a row for each hand: hand, class, frequency, reach, made hand, draw, EV, equity, shares and losses of the
            actions.
    """

    name: str
    ev: float
    equity: float
    hands: float
    acts: bool
    made_hands: Sequence[HandGroup]
    draws: Sequence[HandGroup]
    rows: Sequence[Sequence[Any]]


class Node(Message):
    """A node with both ranges, see `HoldemNode`.

    Attributes:
        path: the way to the node.
        cards: cards that may come next.
        class_sizes: number of hands that the board leaves of each class.
        made_hands: names of the made hands, to which rows refer by number, as to `draws`.
        curves: chart of the equity curves in per cent; None where no equity is known.
    """

    line: str
    path: Sequence[Choice]
    street: str
    board: Sequence[str]
    player: int | None
    pot: float | None
    behind: float | None
    probability: float | None
    actions: Sequence[Action]
    cards: Sequence[str]
    seats: Sequence[str]
    indifference: float
    solution: About
    classes: Sequence[str]
    class_sizes: Sequence[int]
    made_hands: Sequence[str]
    draws: Sequence[str]
    players: Sequence[Player]
    curves: Mapping[str, Any] | None


class NextCard(Message):
    """A node after a card: share of each action, and EV and equity of both players."""

    card: str
    shares: Sequence[float]
    ev: Sequence[float]
    equity: Sequence[float]


class NextCards(Message):
    """The nodes after all cards that may come next; actions are those of the player to act there, if any."""

    player: int | None
    actions: Sequence[Action]
    cards: Sequence[NextCard]


def evs_message(node: SpotNode) -> dict[str, Mapping[str, Sequence[float]]]:
    """Return the EV of each action at a node of a spot by hand, for the hands that reach the node."""
    evs = list(node.action_evs.values())
    hands = np.flatnonzero(node.reach[node.player] > 0).tolist() if node.player is not None else []
    return {"hands": {hand_text(hand): [float(f"{each[hand]:.9g}") for each in evs] for hand in hands}}


def cards_message(node: SpotNode) -> NextCards:
    """Return the nodes of a spot after each card that may come next."""
    after = {card: node.at(f"{node.line}/{card}") for card in node.outcomes()}
    if not after:
        return NextCards(None, [], [])
    first = next(iter(after.values()))
    cards = [
        NextCard(card, list(each.frequencies.values()), [each.ev(0), each.ev(1)], [each.equity(0), each.equity(1)])
        for card, each in after.items()
    ]
    return NextCards(first.player, [Action.of(action) for action in first.actions()], cards)


def node_message(node: HoldemNode, solution: About) -> Node:
    """Return a node with the ranges there."""
    views = list(zip(node.seats, node.ranges(), strict=False))  # none where they are unknown
    return Node.of(
        node,
        path=_path(node),
        street=STREETS[max(0, len(node.board) - 2)],
        actions=[Action.of(action) for action in node.actions()],
        cards=node.outcomes(),
        solution=solution,
        classes=CLASSES,
        class_sizes=class_sizes(views[0][1].board if views else ()).tolist(),
        made_hands=MADE_HANDS,
        draws=DRAWS,
        players=[_player(name, view) for name, view in views],
        curves=_curves(views),
    )


def solution_message(solution: Solution, name: str) -> About:
    """Return a solved spot or limit game; `name` is that of the run."""
    form, figure = solution.form, solution.evaluation.figure
    parameters, iterations = json_parameters(form.game), solution.iterations
    if not isinstance(form, CompiledSpot):
        return About(name, "holdem", parameters, iterations, "local response", figure)
    locks = [str(lock) for lock in form.spot.locks]
    return About(name, "spot", parameters, iterations, "exploitability", figure, locks)


def push_fold_message(solution: PushFold, name: str) -> About:
    """Return push or fold, at which no table practises."""
    return About(name, "", {}, 0, "exact", solution.value)


def _path(node: HoldemNode) -> list[Choice]:
    """Return the decisions and cards on the way to a node."""
    parts, steps = node.line.split("/") if node.line else [], []
    for number, part in enumerate(parts):
        before = node.at("/".join(parts[:number]))
        kind = "card" if before.player is None else sized_kind(part, before.bets.get(part))
        steps.append(Choice(part, kind, before.player, "/".join(parts[: number + 1])))
    return steps


def _curves(views: Sequence[tuple[str, RangeView]]) -> dict[str, Any] | None:
    """Return a chart of the equity curves, as steps."""
    lines = []
    for name, view in views:
        shares, equities = np.round(100 * view.equity_curve(), 3).tolist()
        starts = [0.0, *shares][:-1]
        steps = zip(starts, shares, equities, strict=True)
        lines.append(Line(name, [(share, equity) for start, end, equity in steps for share in (start, end)]))
    known = [line for line in lines if line.points]
    labels = [["spot.percentile"], ["spot.equity percent"]]
    return chart_message(known, labels, ("linear", "linear")) if known else None


def _player(name: str, view: RangeView) -> Player:
    return Player(
        name=name,
        ev=view.mean(view.ev),
        equity=view.mean(view.equity),
        hands=float(view.reach.sum()),
        acts=bool(view.actions),
        made_hands=[_group(group) for group in view.made_hands() if group.hands],
        draws=[_group(group) for group in view.draws() if group.hands],
        rows=_rows(view),
    )


def _group(group: Group) -> HandGroup:
    return HandGroup.of(group, shares=list(group.shares.values()))


def _rows(view: RangeView) -> list[list[Any]]:
    """Return a row for each hand that reaches the node, see `Player`."""
    hands = np.flatnonzero(view.reach > 0)
    kinds = [kind(view.board) if view.board else np.full(len(HANDS), -1) for kind in (made_hands, draws)]
    figures = [view.weights, view.reach, view.ev, view.equity, *view.shares, *view.losses]
    table, number = _rounded(np.stack(figures)[:, hands].T), len(view.actions)
    return [
        [
            *(hand_text(hand), int(CLASS_OF[hand]), *row[:2], *(int(kind[hand]) for kind in kinds), *row[2:4]),
            *(row[4 : 4 + number], row[4 + number :]),
        ]
        for hand, row in zip(hands.tolist(), table, strict=True)
    ]


def _rounded(figures: np.ndarray) -> list[list[float]]:
    """Return figures with few significant digits, which keeps messages short."""
    return [[float(f"{value:.{_DIGITS}g}") + 0.0 for value in row] for row in figures.tolist()]  # no -0.0
