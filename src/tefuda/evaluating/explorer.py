"""A profile explored history by history: a player's knowledge, and the figures of its actions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import GameError, check_range
from tefuda.evaluating.off_path import infoset_marks
from tefuda.evaluating.profile import Profile, check_player
from tefuda.evaluating.public_node import Hands, PublicAction, group_means
from tefuda.evaluating.public_table import PublicRow, PublicState, PublicTable
from tefuda.evaluating.values import (
    Counterfactual,
    Reach,
    action_values,
    counterfactual,
    exploitability,
    history_values,
    indifference,
    reach,
    require_profile,
)
from tefuda.figure import action_kind
from tefuda.forms.paths import ROOT, SEPARATOR, after, label_text, label_texts, moves_to, node_at, path_of, texts_at
from tefuda.forms.public import augmented_infosets, indistinguishable, public_states
from tefuda.forms.tree import known_rules
from tefuda.games.answers import calling_rules
from tefuda.games.kit import kit_of
from tefuda.games.phrases import LANGUAGES
from tefuda.games.protocol import CHANCE, Observation


@dataclass(frozen=True)
class PastMove:
    """A move on the path to a position.

    Attributes:
        mover: the player, or CHANCE.
        label: its label; None if the observer does not know it.
        name: its name in words.
    """

    mover: int
    label: str | None
    name: str | None


@dataclass(frozen=True)
class PositionAction:
    """The figures of an action, or of an outcome of chance.

    Attributes:
        label: its text, a part of paths.
        name: its name in words.
        share: its probability, as far as the observer knows.
        values: expected payoff of each player after it, as far as the observer knows; None if the players and chance
            never lead there.
        counterfactual: counterfactual value; None if the observer is not to move.
        regret: instantaneous counterfactual regret; None if the observer is not to move.
        as_good: whether its cost is within the precision of the profile; None if the observer is not to move.
    """

    label: str
    name: str
    share: float | None
    values: tuple[float, ...] | None
    counterfactual: float | None = None
    regret: float | None = None
    as_good: bool | None = None


@dataclass(frozen=True)
class PositionReach:
    """The probability of a position, as far as the observer knows: own x others x chance = product."""

    own: float
    others: float
    chance: float
    product: float


@dataclass(frozen=True)
class MergedHistory:
    """A history that the observer cannot distinguish from the position.

    Attributes:
        path: the history.
        probability: its probability given the observer's knowledge; None if the opponents and chance never lead there.
        values: expected payoffs of all players after it.
    """

    path: str
    probability: float | None
    values: tuple[float, ...]


@dataclass(frozen=True)
class Position:
    """A history of a game under a profile, as an observer knows it.

    With a seat, every field depends only on the knowledge of the player in that seat: it is equal for all histories in
    `merged`. Without a seat, the observer is the player to move, and path, values and reach are those of the history.

    Attributes:
        mover: the player to move, CHANCE or TERMINAL.
        observer: the player whose knowledge this is; None at chance and at the end without a seat.
        path: the moves so far.
        siblings: labels of the last move and its alternatives.
        infoset: name of the infoset; None if the observer is not to move.
        mark: a mark of `off_path.MARKS`; None if the observer is not to move.
        public_state: number of the public state; None at chance and at the end, and in games without rules.
        observation: the observer's information in words, at chance before the outcome; None if it has none.
        values: expected payoff of each player; None if the players and chance never lead there.
        reach: probability of the position.
        actions: the actions, or the outcomes of chance.
        merged: the histories that the observer cannot distinguish.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> position = td.Explorer(td.Profile.uniform(tree)).position("J Q~b")
    >>> position.infoset, [history.path for history in position.merged]
    ('1: Q|b', ['J Q~b', 'K Q~b'])
    """

    mover: int
    observer: int | None
    path: tuple[PastMove, ...]
    siblings: tuple[str, ...]
    infoset: str | None
    mark: str | None
    public_state: int | None
    observation: Observation | None
    values: tuple[float, ...] | None
    reach: PositionReach
    actions: tuple[PositionAction, ...]
    merged: tuple[MergedHistory, ...]


class Explorer:
    """A profile with its figures at every history.

    Args:
        profile: strategies of all players.
        language: language of the players' information in words.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> explorer = td.Explorer(td.Profile.uniform(tree))
    >>> [(action.name, action.share) for action in explorer.position("J Q~b").actions]
    [('fold', 0.5), ('call', 0.5)]
    """

    def __init__(self, profile: Profile, language: str = LANGUAGES[0]) -> None:
        require_profile(profile)
        self.profile, self.tree, self.language = profile, profile.tree, language
        self._observations: dict[int, Observation] = {}

    @cached_property
    def reach(self) -> Reach:
        """Reach of all histories."""
        return reach(self.profile)

    @cached_property
    def values(self) -> np.ndarray:
        """`[N, P]` expected payoffs after each history."""
        return history_values(self.profile)

    @cached_property
    def counterfactual(self) -> Counterfactual:
        """Counterfactual values of infosets and actions."""
        return counterfactual(self.profile)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """`[I]` the mark of each infoset, see `off_path.MARKS`."""
        return infoset_marks(self.profile)

    @cached_property
    def precision(self) -> float:
        """Exploitability of the profile; smaller costs are ignored."""
        return exploitability(self.profile)

    def observation(self, infoset: int) -> Observation:
        """Return the information of an infoset's player in words."""
        if infoset not in self._observations:
            self._observations[infoset] = self._observe(infoset, self.language)
        return self._observations[infoset]

    def _observe(self, infoset: int, language: str) -> Observation:
        tree = self.tree
        with calling_rules(tree.game):
            return kit_of(tree.game).observe(tree.keys[infoset], int(tree.infoset_player[infoset]), language)

    def path_to(self, infoset: str | tuple[int, Hashable] | int) -> str:
        """Return the path of the likeliest history of an infoset."""
        number = self.tree.number(infoset)
        inside = self.tree.histories_of(number)
        chances = self.reach.counterfactual(int(self.tree.infoset_player[number]))[inside]
        return path_of(self.tree, int(inside[chances.argmax()]))

    def possible_path(self, path: str, seat: int) -> str:
        """Return a possible path that a seat cannot distinguish from the given one.

        It is the given path unless hidden information forbids its last outcome. In Leduc no third jack is
        dealt after two jacks, but a player sees only one of them.

        Raises:
            UnknownNameError: no history that the seat cannot distinguish continues like this.
        """
        before, _, label = path.rpartition(SEPARATOR)
        node = node_at(self.tree, before or ROOT)
        if label not in texts_at(self.tree, node):
            check_player(self.tree, seat)
            known_rules(self.tree)
            others = indistinguishable(self.tree, node, seat)
            node = next((other for other in others if label in texts_at(self.tree, other)), node)
            path = after(path_of(self.tree, node), label)
        return path_of(self.tree, node_at(self.tree, path))

    def position(self, path: str = "-", seat: int | None = None) -> Position:
        """Return a history as an observer knows it.

        Args:
            path: the labels of the history joined by ``~``, such as ``"J Q~p"``; ``"-"`` is the root.
            seat: the observer; None: all cards are known, and the player to move is the observer.

        Raises:
            UnknownNameError: there is no such history.
            ParameterError: there is no such player.
            GameError: a seat is given, and the tree does not know its rules.
        """
        tree, node = self.tree, node_at(self.tree, path)
        mover = int(tree.player[node])
        if seat is not None:
            check_player(tree, seat)
            known_rules(tree)
            group = indistinguishable(tree, node, seat)
        else:
            group = tree.histories_of(int(tree.infoset[node])).tolist() if mover >= 0 else [node]
        observer = seat if seat is not None else mover if mover >= 0 else None
        weights = self._weights(group, observer)
        known, chances = (group, weights) if seat is not None else ([node], np.ones(1))
        decides = mover >= 0 and observer == mover
        infoset = int(tree.infoset[node])
        above = [int(tree.parent[one]) for one in known if tree.parent[one] >= 0]
        siblings = dict.fromkeys(text for parent in above for text in texts_at(tree, parent))
        return Position(
            mover=mover,
            observer=observer,
            path=self._past(known),
            siblings=tuple(siblings),
            infoset=tree.name_of(infoset) if decides else None,
            mark=self.marks[infoset] if decides else None,
            public_state=int(public_states(tree)[infoset]) if mover >= 0 and tree.game is not None else None,
            observation=self._observed(node, observer, decides),
            values=self._mean_values(known, chances),
            reach=self._reach(known, observer),
            actions=self._actions(group, weights, observer),
            merged=tuple(
                MergedHistory(path_of(tree, one), _number(weight), tuple(self.values[one].tolist()))
                for one, weight in zip(group, weights, strict=True)
            ),
        )

    def public_states(self) -> tuple[PublicState, ...]:
        """Return all public states with a decision, in the order of play; the tree must know its rules."""
        known_rules(self.tree)
        first = np.unique(public_states(self.tree), return_index=True)[1]
        return tuple(
            PublicState(number, int(self.tree.infoset_player[infoset]), self.observation(infoset).table)
            for number, infoset in enumerate(first.tolist())
        )

    def public_table(self, number: int) -> PublicTable:
        """Return the strategy in a public state.

        Args:
            number: number of the public state, in the order of `public_states`.

        Raises:
            ParameterError: there is no such public state.
            GameError: the tree does not know its rules.
        """
        states, tree = self.public_states(), self.tree
        check_range("public state", number, 0, len(states) - 1)
        inside = np.flatnonzero(public_states(tree) == number).tolist()
        labels = tree.labels(inside[0])
        if any(tree.labels(infoset) != labels for infoset in inside):
            raise GameError(f"{tree.name}: infosets of public state {number} have different actions.")
        nodes = np.concatenate([tree.histories_of(infoset) for infoset in inside])
        ranges = [self._hands(nodes, player) for player in range(tree.players)]
        mover = states[number].player
        ranges[mover], actions = self._acting(inside, ranges[mover], self._lines_after(nodes, len(labels)))
        rows = tuple(map(self._public_row, inside))
        return PublicTable(states[number], label_texts(labels), actions, rows, tuple(ranges))

    def _acting(
        self, inside: Sequence[int], hands: Hands, lines: Sequence[str | None]
    ) -> tuple[Hands, tuple[PublicAction, ...]]:
        """Return the hands of the player to act, which are infosets, with its actions; and these actions."""
        tree, labels = self.tree, self.tree.labels(inside[0])
        words, english = self.observation(inside[0]).actions, self._observe(inside[0], LANGUAGES[0]).actions
        names, known = ([texts.get(label, label_text(label)) for label in labels] for texts in (words, english))
        rows = tree.first_row[inside] + np.arange(len(labels))[:, None]
        shares, values = self.profile.probabilities[rows], self._action_values[rows]
        actions = map(PublicAction, names, map(action_kind, known, range(len(labels))), map(hands.mean, shares), lines)
        losses = values - values.max(axis=0)
        return replace(hands, actions=tuple(names), shares=shares, losses=losses), tuple(actions)

    def _lines_after(self, nodes: np.ndarray, actions: int) -> list[str | None]:
        """Return the number of the public state after each action; None unless one follows for sure."""
        numbers = np.append(public_states(self.tree), -1)  # -1 where no player acts
        children = (self.tree.first_child[nodes] + index for index in range(actions))
        after = [np.unique(numbers[self.tree.infoset[child]]).tolist() for child in children]
        return [str(*known) if len(known) == 1 and known != [-1] else None for known in after]

    def _hands(self, nodes: np.ndarray, player: int) -> Hands:
        augmented = augmented_infosets(self.tree)[nodes, player]
        known, first, hand = np.unique(augmented, return_index=True, return_inverse=True)
        size, reached = len(known), self.reach
        total = np.bincount(hand, reached.total[nodes], minlength=size)
        ev = group_means(hand, reached.counterfactual(player)[nodes], self.values[nodes, player], size)
        names = [self._observation_at(node, player).hand for node in nodes[first].tolist()]
        own, unknown = reached.own[nodes[first], player], np.full(size, np.nan)
        return Hands(own, total / (total.sum() or 1.0), ev, unknown, names)

    def _public_row(self, infoset: int) -> PublicRow:
        tree, rows = self.tree, self.tree.rows_of(infoset)
        values = self._action_values[rows].tolist()
        known = values[0] == values[0]
        return PublicRow(
            tree.name_of(infoset),
            self.observation(infoset).hand,
            self.path_to(infoset),
            float(self.reach.total[tree.histories_of(infoset)].sum()),
            tuple(self.profile.probabilities[rows].tolist()),
            tuple(values) if known else None,
            self._as_good(values) if known else None,
            self.marks[infoset],
        )

    @cached_property
    def _action_values(self) -> np.ndarray:
        return action_values(self.profile)

    def _as_good(self, values: Sequence[float]) -> tuple[bool, ...]:
        """Return whether each value is the best within the precision."""
        limit = max(values) - indifference(values, self.precision)
        return tuple(value >= limit for value in values)

    def _weights(self, group: Sequence[int], observer: int | None) -> np.ndarray:
        """Return the probability of each history given that one of them is reached; nan if none can be."""
        if len(group) == 1:
            return np.ones(1)
        weights = self.reach.counterfactual(int(observer or 0))[list(group)]
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(group), np.nan)

    def _mean_values(self, nodes: Sequence[int], weights: np.ndarray) -> tuple[float, ...] | None:
        total = weights.sum()
        return tuple((weights @ self.values[list(nodes)] / total).tolist()) if total > 0 else None

    def _reach(self, group: Sequence[int], observer: int | None) -> PositionReach:
        """Return the reach of histories together; without an observer, all players are others."""
        chance = self.reach.chance[list(group)]
        total = float(chance.sum())
        own, others = 1.0, self.reach.own[list(group)].prod(axis=1)
        if observer is not None:
            own = float(self.reach.own[group[0], observer])
            others = np.delete(self.reach.own[list(group)], observer, axis=1).prod(axis=1)
        product = float(others @ chance)
        return PositionReach(own, product / total, total, own * product)

    def _observed(self, node: int, observer: int | None, decides: bool) -> Observation | None:
        tree = self.tree
        while node >= 0 and tree.player[node] == CHANCE:  # a player learns nothing before the outcome
            node = int(tree.parent[node])
        if observer is None or node < 0:
            return None
        return self.observation(int(tree.infoset[node])) if decides else self._observation_at(node, observer)

    def _observation_at(self, node: int, player: int) -> Observation:
        game = self.tree.game
        with calling_rules(game):
            return kit_of(game).observe(game.view(self.tree.state(node), player), player, self.language)

    def _names(self, node: int) -> tuple[str, ...]:
        """Return the names of the actions or outcomes at a history in words."""
        texts, infoset = texts_at(self.tree, node), int(self.tree.infoset[node])
        if infoset < 0:
            return texts
        words = self.observation(infoset).actions
        return tuple(words.get(label, text) for label, text in zip(self.tree.labels(infoset), texts, strict=True))

    def _past(self, group: Sequence[int]) -> tuple[PastMove, ...]:
        """Return the moves to a group of histories; a move in which they differ has no label."""
        pasts = [self._moves(node) for node in group]
        moves = []
        for alternatives in zip(*pasts, strict=False):
            mover, label, name = alternatives[0]
            same = all(move[1:] == (label, name) for move in alternatives)
            moves.append(PastMove(mover, label if same else None, name if same else None))
        return tuple(moves)

    def _moves(self, node: int) -> list[tuple[int, str, str]]:
        """Return the mover, the label and the name of each move to a history."""
        return [
            (int(self.tree.player[above]), texts_at(self.tree, above)[index], self._names(above)[index])
            for above, index in moves_to(self.tree, node)
        ]

    def _actions(self, group: Sequence[int], weights: np.ndarray, observer: int | None) -> tuple[PositionAction, ...]:
        """Return the actions at histories that the observer cannot distinguish."""
        tree = self.tree
        pairs = (zip(texts_at(tree, node), self._names(node), strict=True) for node in group)
        names = {text: name for each in pairs for text, name in each}
        infoset = int(tree.infoset[group[0]])
        if infoset >= 0 and tree.player[group[0]] == observer:
            return self._own_actions(group, weights, infoset, names)
        return tuple(self._outcome(group, weights, text, name) for text, name in names.items())

    def _own_actions(
        self, group: Sequence[int], weights: np.ndarray, infoset: int, names: dict[str, str]
    ) -> tuple[PositionAction, ...]:
        """Return the observer's actions at its infoset."""
        tree, rows = self.tree, self.tree.rows_of(infoset)
        first, player = tree.first_child[list(group)], int(tree.infoset_player[infoset])
        values = [self._mean_values((first + index).tolist(), weights) for index in range(rows.stop - rows.start)]
        good: Sequence[bool | None] = [None] * len(values)
        if all(value is not None for value in values):
            good = self._as_good([value[player] for value in values if value is not None])
        figures = self.profile.probabilities, self.counterfactual.actions, self.counterfactual.regrets
        shares, worths, regrets = (array[rows].tolist() for array in figures)
        return tuple(map(PositionAction, names, names.values(), shares, values, worths, regrets, good))

    def _outcome(self, group: Sequence[int], weights: np.ndarray, text: str, name: str) -> PositionAction:
        """Return the figures of a move of another player or of chance."""
        tree, children, chances = self.tree, [], []
        for node, weight in zip(group, weights, strict=True):
            texts = texts_at(tree, node)
            if text in texts:
                children.append(int(tree.first_child[node]) + texts.index(text))
                chances.append(weight * move_probability(self.profile, children[-1]))
        share = np.array(chances)
        return PositionAction(text, name, _number(share.sum()), self._mean_values(children, share))


def move_probability(profile: Profile, node: int) -> float:
    """Return the probability of the last move to a history; 1 at the root."""
    tree = profile.tree
    parent = int(tree.parent[node])
    if parent < 0 or tree.infoset[parent] < 0:
        return float(tree.chance[node])
    row = int(tree.first_row[tree.infoset[parent]]) + node - int(tree.first_child[parent])
    return float(profile.probabilities[row])


def _number(value: Any) -> float | None:
    """Return a number, or None for nan."""
    return float(value) if value == value else None
