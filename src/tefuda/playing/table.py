"""Tables: play hands on a tree, or with the rules alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tefuda.errors import GameError, ParameterError, shortened
from tefuda.forms.paths import along_paths
from tefuda.forms.simulate import cumulative_probabilities
from tefuda.forms.tree import Tree
from tefuda.games.answers import (
    actions_of,
    calling_rules,
    drawn_outcome_of,
    endless_game,
    mover_of,
    name_of,
    outcomes_of,
    payoffs_at,
    require_game,
    revealed_views,
)
from tefuda.games.kit import kit_of
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, Game, State, has_method
from tefuda.playing.agents import Agent, Decision, Move, ObservedHand, traits
from tefuda.playing.deals import DealSource, Hand, Task, TaskResult
from tefuda.solvers.sampled.search import trace_entry

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_REMEMBERED = 4096  # states whose outcomes are cached


class HandEnd(NamedTuple):
    """The end of a hand.

    Attributes:
        payoffs: payoffs by seat.
        moves: decisions.
        number: terminal history; -1 without a tree.
        state: terminal state; None on a tree.
        labels: all labels from the root; None on a tree.
    """

    payoffs: Sequence[float]
    moves: list[Move]
    number: int
    state: State = None
    labels: tuple[Hashable, ...] | None = None


class Table:
    """Base class of tables. A game may bring its own table, see `Kit.table`.

    Attributes:
        game: argument of `Agent.start`: the tree; the rules if there is no tree.
    """

    game: Any

    def play(self, seats: Sequence[Agent], dealing: DealSource, deal: int, number: int) -> HandEnd:
        """Play a hand of a deal in a seating, given by its number."""
        raise NotImplementedError

    def observed_hand(self, end: HandEnd, seat: int) -> ObservedHand:
        """Return a finished hand as a seat observes it."""
        views, shown = self._revealed(end)
        moves = tuple(m if shown[m.player] or m.player == seat else Move(m.player, -1, m.action) for m in end.moves)
        visible = tuple(view if public else None for view, public in zip(views, shown, strict=True))
        return ObservedHand(seat, moves, views[seat], tuple(end.payoffs), visible)

    def _revealed(self, end: HandEnd) -> tuple[tuple[Any, ...], tuple[bool, ...]]:
        raise NotImplementedError

    def play_task(self, task: Task, on_hand: Callable[[Hand], object] = lambda hand: None) -> TaskResult:
        """Play all deals of a task, starting without memory; `on_hand` receives the recorded hands."""
        dealing, seats = task.dealing, [task.agents[agent] for agent in task.seating]
        payoffs, ends, hands = np.zeros((dealing.deals, len(seats))), np.zeros(dealing.deals, dtype=np.int64), []
        for seat, agent in enumerate(seats):
            agent.start(self.game, seat)
        learners = [(seat, agent) for seat, agent in enumerate(seats) if agent.profile is None]
        order = list(task.seating)
        for index in range(dealing.deals):
            deal = task.first + index
            end = self.play(seats, dealing, deal, task.number)
            payoffs[index, order], ends[index] = end.payoffs, end.number
            for seat, agent in learners:
                agent.observe_hand(self.observed_hand(end, seat))
            if dealing.record:
                labels = self.game.history(end.number) if end.labels is None else end.labels
                hands.append(Hand(deal, task.seating, labels, tuple(end.payoffs)))
                on_hand(hands[-1])
        return TaskResult(payoffs, ends, hands)


def is_table(value: object) -> TypeIs[Table]:
    """Return True if an object is a table: it has the method ``play_task``."""
    return has_method(value, "play_task")


class TreeTable(Table):
    """A table on a tree, with its arrays as lists for speed."""

    def __init__(self, tree: Tree) -> None:
        self.game = tree
        self._player, self._infoset = tree.player.tolist(), tree.infoset.tolist()
        self._first, self._count = tree.first_child.tolist(), tree.child_count.tolist()
        self._ends, self._labels = cumulative_probabilities(tree).tolist(), tree.label_set.tolist()
        self._payoffs = dict(zip(tree.terminals.tolist(), tree.payoffs.tolist(), strict=True))
        self.chances, self.turns = longest_path(tree)
        self._known_views: dict[int, tuple[tuple[object, ...], tuple[bool, ...]]] = {}

    def play(self, seats: Sequence[Agent], dealing: DealSource, deal: int, number: int) -> HandEnd:
        """See `Table`. For each deal, each seat has a random number for each of its possible decisions."""
        cards = dealing.cards(deal, number).random(self.chances).tolist()
        points = dealing.luck(deal, number).random((self.game.players, self.turns)).tolist()
        node, moves, drawn, turns = 0, list[Move](), 0, [0] * len(seats)
        while (mover := self._player[node]) != TERMINAL:
            first = self._first[node]
            if mover == CHANCE:
                last = first + self._count[node] - 1
                node = min(bisect_right(self._ends, cards[drawn], first, last), last)
                drawn += 1
                continue
            infoset, labels = self._infoset[node], self.game.label_sets[self._labels[node]]
            decision = Decision(infoset, self.game.keys[infoset], labels, points[mover][turns[mover]], mover)
            turns[mover] += 1
            index = chosen_action(seats[mover], decision)
            moves.append(Move(mover, infoset, labels[index]))
            node = first + index
        return HandEnd(self._payoffs[node], moves, node)

    def _revealed(self, end: HandEnd) -> tuple[tuple[Any, ...], tuple[bool, ...]]:
        if end.number not in self._known_views:
            if self.game.game is None:
                return (None,) * self.game.players, (True,) * self.game.players
            self._known_views[end.number] = revealed_views(self.game.game, self.game.state(end.number))
        return self._known_views[end.number]


class ActionHistory:
    """All labels of a hand from the root; given labels are replayed first.

    Args:
        given: labels to replay.
        observed: number of states, from the root, that the agents have observed already.
        fixed: number of labels, from the root, whose outcomes of chance are given instead of drawn.
    """

    def __init__(self, given: Sequence[Hashable] = (), observed: int = 0, fixed: int = 0) -> None:
        self.labels: list[Hashable] = []
        self.observed, self.fixed = observed, fixed
        self._given = tuple(given)

    def is_new(self) -> bool:
        """Return True if the agents have not observed the current state; mark it as observed."""
        new = len(self.labels) >= self.observed
        self.observed = max(self.observed, len(self.labels) + 1)
        return new

    @property
    def replaying(self) -> bool:
        """True if the next label is given."""
        return len(self.labels) < len(self._given)

    @property
    def next_label(self) -> Hashable:
        """The next given label."""
        return self._given[len(self.labels)]

    def check_drawn(self, label: Hashable) -> Hashable:
        """Return an outcome of chance; raise ParameterError if another outcome was given."""
        if len(self.labels) < self.fixed:
            return self.next_label
        if self.replaying and self.next_label != label:
            raise ParameterError(f"the outcome was {shortened(self.next_label)} before, now it is {shortened(label)}.")
        return label

    def next_action(self, decision: Decision) -> Hashable:
        """Return the given label of a decision; raise ParameterError if it is illegal."""
        label = self.next_label
        if label not in decision.actions:
            raise ParameterError(
                f"the action was {shortened(label)} before; legal actions are {shortened(decision.actions)}."
            )
        return label


class RulesTable(Table):
    """A table that uses the rules alone, for games too large to compile.

    Each seat and chance have a random stream. Outcomes are drawn by the game's ``draw``, else from the list of
    outcomes; single outcomes need no random number.

    Args:
        game: the rules.
        tree: the tree of the rules, if there is one. Its infoset numbers and random streams are used, so that the hands
            are equal to those on the tree.

    >>> checks = td.ScriptedAgent("checks", lambda player, view, actions: actions[0])
    >>> td.duplicate_match(td.playing.RulesTable(td.load_game("kuhn")), [checks, checks], deals=10).mean.tolist()
    [0.0, 0.0]
    """

    def __init__(self, game: Game, tree: Tree | None = None) -> None:
        require_game(game)
        self.game, self.tree, self.rules = tree or game, tree, game
        self._layout = longest_path(tree) if tree is not None else None
        self._draw = getattr(game, "draw", None) if tree is None else None
        self._outcomes: dict[State, tuple[Sequence[Hashable], list[float]]] = {}

    def luck(
        self, dealing: DealSource, deal: int, number: int
    ) -> tuple[Callable[[], float], list[Callable[[], float]]]:
        """Return functions that draw the next random number for chance and for each seat."""
        seats = range(self.rules.players)
        if self._layout is None:
            streams = [dealing.luck(deal, number, seat + 1) for seat in seats]
            return dealing.cards(deal, number).random, [stream.random for stream in streams]
        rows = dealing.luck(deal, number).random((len(seats), self._layout[1])).tolist()
        return dealing.cards(deal, number).random, [iter(row).__next__ for row in rows]

    def play(
        self, seats: Sequence[Agent], dealing: DealSource, deal: int, number: int, history: ActionHistory | None = None
    ) -> HandEnd:
        """See `Table`; replay the given labels of a history without the agents, and append all labels to it."""
        history, moves = history or ActionHistory(), list[Move]()
        uniform, points = self.luck(dealing, deal, number)
        observers = [(seat, observe) for seat, agent in enumerate(seats) if (observe := traits(agent).observe)]
        with calling_rules(self.rules):
            state = self.rules.root()
        while (mover := self._mover(state, observers if history.is_new() else [])) != TERMINAL:
            if mover == CHANCE:
                label = history.check_drawn(self._outcome(state, uniform))
            else:
                decision = self._turn(state, mover, points[mover]())
                label = (
                    history.next_action(decision)
                    if history.replaying
                    else decision.actions[chosen_action(seats[mover], decision)]
                )
                moves.append(Move(mover, decision.infoset, label))
            history.labels.append(label)
            if len(history.labels) > LONGEST:
                raise endless_game(self.rules)
            with calling_rules(self.rules):
                state = self.rules.child(state, label)
        with calling_rules(self.rules):
            won = list(map(float, payoffs_at(self.rules, state)))
        node = -1 if self.tree is None else reduce(self.tree.child, history.labels, 0)
        return HandEnd(won, moves, node, state, tuple(history.labels))

    def _mover(self, state: State, observers: list[tuple[int, Callable[[Hashable], object]]]) -> int:
        """Return the player to move; agents with ``observe`` receive their views."""
        with calling_rules(self.rules):
            mover = mover_of(self.rules.player(state), self.rules.players)
            views = [(observe, trace_entry(self.rules, state, seat)) for seat, observe in observers]
        for observe, view in views:
            observe(view)
        return mover

    def _turn(self, state: State, mover: int, uniform: float) -> Decision:
        with calling_rules(self.rules):
            actions, view = actions_of(self.rules.actions(state)), self.rules.view(state, mover)
        infoset = self.tree.number((mover, view)) if self.tree is not None else -1
        return Decision(infoset, view, actions, uniform, mover)

    def _outcome(self, state: State, uniform: Callable[[], float]) -> Hashable:
        with calling_rules(self.rules):
            if self._draw is not None:
                return drawn_outcome_of(self._draw(state, uniform))[0]
            labels, ends = self._listed(state)
        if len(labels) == 1 and self.tree is None:
            return labels[0]
        return labels[bisect_right(ends, uniform(), 0, len(ends) - 1)]

    def _listed(self, state: State) -> tuple[Sequence[Hashable], list[float]]:
        """Return the outcomes at a state and their cumulative probabilities, validated once."""
        if state not in self._outcomes:
            if len(self._outcomes) >= _REMEMBERED:
                self._outcomes.clear()
            possible = [pair for pair in zip(*outcomes_of(self.rules.chances(state)), strict=True) if pair[1] > 0]
            self._outcomes[state] = [label for label, _ in possible], list(accumulate(chance for _, chance in possible))
        return self._outcomes[state]

    def _revealed(self, end: HandEnd) -> tuple[tuple[Any, ...], tuple[bool, ...]]:
        return revealed_views(self.rules, end.state)


def chosen_action(agent: Agent, decision: Decision) -> int:
    """Return the index of an agent's action; raise ParameterError if it is invalid."""
    index = agent.act(decision)
    if not isinstance(index, (int, np.integer)) or not 0 <= index < len(decision.actions):
        legal = ", ".join(f"{number}: {label}" for number, label in enumerate(decision.actions))
        raise ParameterError(
            f"act() of {agent.name} returned {shortened(index)}; it must return the index of an action ({legal})."
        )
    return index


def table_of(game: Any, tree: Tree | None = None) -> Table:
    """Return the table of a tree, of rules (with their tree, if any) or of a table."""
    if isinstance(game, Tree):
        return game.derived(TreeTable)
    if is_table(game):
        return game
    table: Any = None if tree is not None else kit_of(game).table()
    if table is None:
        return RulesTable(game, tree)
    if not is_table(table):
        raise GameError(f"{name_of(game)}: table must return a table, got {shortened(table)}.")
    return table


def play_seating(task: Task, on_hand: Callable[[Hand], object] = lambda hand: None) -> TaskResult:
    """Play all deals of a task, starting without memory; `on_hand` receives the recorded hands."""
    return table_of(task.game).play_task(task, on_hand)


def longest_path(tree: Tree) -> tuple[int, int]:
    """Return the maximum number of chance events, and of decisions of a player, on a path."""
    movers = np.arange(CHANCE, tree.players, dtype=np.int8)
    chances, *turns = along_paths(tree, (tree.player[:, None] == movers).astype(np.int16)).max(axis=0).tolist()
    return chances, max(turns)
