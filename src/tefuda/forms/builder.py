"""Traversals that compile rules: history by history, subtrees by workers, or all deals at once."""

from __future__ import annotations

import sys
import warnings
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Executor
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, SizeError, TefudaError, error_text, shortened
from tefuda.forms.bundles.arrays import BundledArrays
from tefuda.forms.bundles.regions import REPORT_EVERY, Bundles, NotBundled
from tefuda.forms.tree import Tree
from tefuda.games.answers import (
    EXACT_INTEGERS,
    LARGEST_PAYOFF,
    Conversions,
    InvalidAnswer,
    Labels,
    actions_of,
    endless_game,
    mover_of,
    name_of,
    outcomes_of,
    payoffs_of,
    view_of,
)
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, WIDEST, Game, infoset_name, labels
from tefuda.workers import Workers, shrinking_chunks

#: Callback for the number of histories built so far.
BuildProgress = Callable[[int], None]
_SUBTREES = 32  # for each worker, so that unequal subtrees end at about the same time
_DEEPEST_CUT = 64  # moves from the root to the subtrees
#: An unopened inner history: number, player to move, depth, state.
_Unopened = tuple[int, int, int, Any]


class Builder:
    """A depth-first traversal, and one entry in its arrays for each inner and each terminal history.

    The children of a history get the next numbers when it is opened. The stack contains unopened inner histories.

    Attributes:
        opened: numbers of the inner histories in the order of opening.
        infoset: their infosets; ``-1 - label_set`` for a history of chance.
        chances: probabilities of the children of chance histories, in the order of opening.
        payoffs: P numbers for each terminal history, in the order of their numbers.
        known: for each player, the infosets by view.
        keys, infoset_player, infoset_labels: views, players and label sets of the infosets.
        label_sets: numbers of the tuples of labels.
        histories: number of histories so far.
    """

    def __init__(self, game: Game, progress: BuildProgress | None = None) -> None:
        self.game, self.progress = game, progress
        self.opened, self.infoset = array("i"), array("i")
        self.chances, self.payoffs = array("d"), array("d")
        self.known: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.keys: list[Hashable] = []
        self.infoset_player, self.infoset_labels = array("b"), array("i")
        self.actions: list[Labels] = []
        self.label_sets: dict[Labels, int] = {}
        self.checked_actions, self.checked_chances = Conversions(actions_of), Conversions(outcomes_of)
        self.checked_payoffs = Conversions(lambda answer: _numbers_of(answer, game.players))
        self.histories = 0

    def build(self) -> Tree:
        """Visit all histories; return the tree."""
        self.visit_all([], [self.game.root()])
        return self.tree()

    def visit_all(self, stack: list[_Unopened], states: Sequence[Any] = ()) -> None:
        """Visit all histories; see `visit`."""
        for _ in self.visit(stack, states, LONGEST + 1):
            raise endless_game(self.game)

    def visit(self, stack: list[_Unopened], states: Sequence[Any], cut: int) -> Iterator[int]:
        """Add histories, open those of a stack, and visit all below; yield the histories that are not opened.

        Args:
            stack: unopened histories, the next one last.
            states: states of further histories at depth 0, which get the next numbers.
            cut: depth at which histories are not opened; the caller adds the histories below.
        """
        game, players, checked_payoffs = self.game, self.game.players, self.checked_payoffs
        child, mover_at, payoffs_at = game.child, game.player, game.payoffs
        depth, report_at = 0, self.histories + REPORT_EVERY
        while True:
            inner = []
            for number, state in enumerate(states, self.histories):
                mover = mover_at(state)
                if mover.__class__ is not int or not TERMINAL <= mover < players:
                    mover = mover_of(mover, players)
                if mover != TERMINAL:
                    inner.append((number, mover, depth, state))
                    continue
                answer = payoffs_at(state)
                found = checked_payoffs.known.get(id(answer))  # here for speed
                self.payoffs.extend(checked_payoffs(answer) if found is None else found[1])
            self.histories += len(states)
            inner.reverse()
            stack += inner
            if not stack:
                return
            node, mover, depth, state = stack.pop()
            if depth >= cut:
                yield node
                states = ()
                continue
            labels = self._enter_infoset(mover, state) if mover >= 0 else self._draw(state)
            self.opened.append(node)
            before, depth = hash(state), depth + 1
            states = [child(state, label) for label in labels]
            if hash(state) != before:
                raise InvalidAnswer("mutated state", "child() changed the state it was given; return a new one")
            if self.histories >= report_at and self.progress is not None:
                report_at = self.histories + REPORT_EVERY
                self.progress(self.histories)

    def _enter_infoset(self, mover: int, state: Any) -> Labels:
        """Add a history of a player; return its actions."""
        actions = self.game.actions(state)
        number = self.infoset_of(mover, self.game.view(state, mover), actions)
        self.infoset.append(number)
        return self.actions[number]

    def infoset_of(self, mover: int, view: Hashable, actions: Any) -> int:
        """Return the number of an infoset, which is added if it is new."""
        number = self.known[mover].get(view)
        if number is None:
            return self._add_infoset(mover, view, actions)
        labels = self.actions[number]
        if labels is not actions and labels != tuple(actions):
            both = f"{shortened(labels)} at one history and {shortened(actions)} at another"
            raise InvalidAnswer("actions differ", f"infoset {infoset_name(mover, view)!r} offers {both}")
        return number

    def _add_infoset(self, mover: int, view: Hashable, actions: Any) -> int:
        if view.__class__ is not str:
            view_of(view)
            view = str(view) if isinstance(view, str) else view  # a text without attributes
        number = self.known[mover][view] = len(self.keys)
        labels = self.checked_actions(actions)
        self.keys.append(view)
        self.actions.append(labels)
        self.infoset_player.append(mover)
        self.infoset_labels.append(self.label_set_of(labels))
        return number

    def _draw(self, state: Any) -> Labels:
        """Add a history of chance; return its outcomes."""
        labels, chances = self.checked_chances(self.game.chances(state))
        self.infoset.append(-1 - self.label_set_of(labels))
        self.chances.extend(chances)
        return labels

    def label_set_of(self, labels: Labels) -> int:
        """Return the number of a tuple of labels, which is added if it is new."""
        if len(labels) > WIDEST:
            raise SizeError(
                f"{name_of(self.game)} has a history with {len(labels):,} children; a tree holds {WIDEST:,}. Split "
                "the move in several."
            )
        return self.label_sets.setdefault(labels, len(self.label_sets))

    def tree(self) -> Tree:
        """Return the tree of all histories."""
        payoffs = np.array(self.payoffs).reshape(-1, self.game.players)
        if not (np.abs(payoffs) <= LARGEST_PAYOFF).all():  # so that nan is refused
            raise InvalidAnswer("payoffs", f"payoffs must be finite numbers up to {LARGEST_PAYOFF:g}")
        require_distinct_names(self.infoset_player, self.keys)
        counts = [len(labels) for labels in self.actions]
        return Tree(
            name=self.game.name,
            parameters=json_parameters(self.game),
            players=self.game.players,
            **self._node_arrays(),
            payoffs=payoffs,
            infoset_player=np.array(self.infoset_player),
            infoset_labels=np.array(self.infoset_labels),
            first_row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            keys=tuple(self.keys),
            label_sets=tuple(self.label_sets),
            game=self.game,
        )

    def _node_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of all histories from those of the inner ones."""
        opened, codes = np.array(self.opened), np.array(self.infoset)
        drawn, infoset = codes < 0, np.maximum(codes, np.int32(-1))  # chance has infoset -1, the last
        label_set = np.where(drawn, -1 - codes, np.append(np.array(self.infoset_labels), np.int32(0))[infoset])
        movers = np.append(np.array(self.infoset_player), np.int8(CHANCE))[infoset]
        counts = np.array([len(labels) for labels in self.label_sets], dtype=np.int16)[label_set]
        player = _scattered(self.histories, opened, movers, TERMINAL)
        chance = np.ones(self.histories)
        chance[1:][np.repeat(drawn, counts)] = self.chances
        return {
            "player": player,
            "parent": np.append(np.int32(-1), np.repeat(opened, counts)),
            "first_child": _scattered(self.histories, opened, 1 + np.cumsum(counts, dtype=np.int32) - counts, 0),
            "child_count": _scattered(self.histories, opened, counts, 0),
            "infoset": _scattered(self.histories, opened, infoset, -1),
            "label_set": _scattered(self.histories, opened, label_set, -1),
            "terminals": np.flatnonzero(player == TERMINAL).astype(np.int32),
            "chance": chance,
        }


def require_distinct_names(players: Iterable[int], keys: Sequence[Hashable]) -> None:
    """Raise InvalidAnswer if two infosets, given by players and views, have the same printed name."""
    others = any(key.__class__ is not str for key in keys)
    if others and len(set(map(infoset_name, players, keys))) < len(keys):
        raise InvalidAnswer("view names", "two views have the same printed name; make their names differ")


def _numbers_of(answer: Any, players: int) -> Sequence[float]:
    """Return checked payoffs as an array, quickly if they are a tuple of small numbers."""
    plain = answer.__class__ is tuple and len(answer) == players
    if plain and min(answer) >= -EXACT_INTEGERS and max(answer) <= EXACT_INTEGERS:
        return array("d", answer)
    return payoffs_of(answer, players)


def _scattered(size: int, places: np.ndarray, values: np.ndarray, default: int) -> np.ndarray:
    """Return an array with values at some places, and the default elsewhere."""
    found = np.full(size, default, dtype=values.dtype)
    found[places] = values
    return found


def build_by_bundles(game: Game, asked: int, progress: BuildProgress | None = None) -> Tree:
    """Return the tree of a game with public actions, built for all deals at once.

    Args:
        game: the rules.
        asked: one followed deal in `asked` is compared with the others; see `Bundles`.
        progress: callback for the number of histories built so far.

    Raises:
        NotBundled: the rules break their promise.
    """
    try:
        fields = BundledArrays(Bundles(game, progress, asked)).fields()
    except InvalidAnswer as error:
        raise NotBundled(f"at deals with other cards {error}") from None
    except (TefudaError, MemoryError):
        raise
    except Exception as error:
        raise NotBundled(f"at deals with other cards its rules raised {error_text(error)}") from None
    require_distinct_names(fields["infoset_player"].tolist(), fields["keys"])
    return Tree(game.name, json_parameters(game), game.players, **fields, game=game)


#: Indices of moves from the root.
_Path = tuple[int, ...]


class _Mark(NamedTuple):
    """The lengths of a builder's arrays at the start of a subtree."""

    histories: int
    opened: int
    infosets: int
    label_sets: int
    chances: int
    payoffs: int


class _Subtrees:
    """The histories below some roots, built apart, with numbers of their own.

    The roots have the first numbers. The descendants of each root follow each other, in the whole tree too.

    Args:
        game: the rules.
        depth: depth of the roots.
        paths: for each root the indices of its moves, in the order of the traversal.
        part: index of these subtrees among all parts of the tree.
    """

    def __init__(self, game: Game, depth: int, paths: Sequence[_Path], part: int) -> None:
        builder, self.marks, self.part = Builder(game), list[_Mark](), part
        builder.histories = len(paths)
        for number, path in enumerate(paths):
            state = game.root()
            for index in path:
                state = game.child(state, labels(game, state)[index])
            self.marks.append(_mark(builder))
            builder.visit_all([(number, mover_of(game.player(state), game.players), depth, state)])
        self.marks.append(_mark(builder))
        self.opened, self.infoset = np.array(builder.opened), np.array(builder.infoset)
        self.chances, self.payoffs = np.array(builder.chances), np.array(builder.payoffs)
        self.keys, self.infoset_player = builder.keys, builder.infoset_player
        self.actions, self.label_sets = builder.actions, list(builder.label_sets)
        # Values of `infoset` in the whole tree: numbers of infosets, and from the end those of chance.
        self.codes = np.zeros(len(self.keys) + len(self.label_sets), dtype=np.int32)

    def graft(self, builder: Builder, node: int, index: int) -> None:
        """Add the descendants of a root to the traversal of the whole tree, where the root is `node`."""
        start, end = self.marks[index], self.marks[index + 1]
        shift = np.int32(builder.histories - start.histories)
        self._number_names(builder, start, end)
        inner = slice(start.opened, end.opened)
        self.opened[start.opened] = node - shift
        _extend(builder.opened, self.opened[inner] + shift)
        _extend(builder.infoset, self.codes[self.infoset[inner]])
        _extend(builder.payoffs, self.payoffs[start.payoffs : end.payoffs])
        _extend(builder.chances, self.chances[start.chances : end.chances])
        builder.histories += end.histories - start.histories

    def _number_names(self, builder: Builder, start: _Mark, end: _Mark) -> None:
        """Find the numbers of the label sets and infosets that a subtree has first."""
        for number in range(start.label_sets, end.label_sets):
            _require_portable(self.label_sets[number])
            self.codes[-1 - number] = -1 - builder.label_set_of(self.label_sets[number])
        first = slice(start.infosets, end.infosets)
        for view in self.keys[first]:
            if view.__class__ is not str:
                _require_portable(view)
        numbers = map(builder.infoset_of, self.infoset_player[first], self.keys[first], self.actions[first])
        self.codes[first] = list(numbers)


def build_with_workers(
    game: Game, workers: int | Executor, progress: BuildProgress | None, check: Callable[[], bool]
) -> Tree | None:
    """Return the tree of a game, whose subtrees are built by workers.

    None: one process must build it, because its rules are at fault, its names cannot be compared between processes, or
    it has no subtrees to spread.

    Args:
        game: the rules.
        workers: number of processes, or an executor.
        progress: callback for the number of histories built so far.
        check: returns whether the rules are valid; a task of the workers.
    """
    if isinstance(workers, int):
        _require_importable(game)
    pool = Workers(workers, helping=True)
    try:
        depth, paths = _roots(game, _SUBTREES * pool.count)
        tasks: list[Callable[[], Any]] = [check]
        parts = enumerate(shrinking_chunks(paths, pool.count))
        tasks += [partial(_Subtrees, game, depth, roots, part) for part, roots in parts]
        whole = _Whole(game, depth, progress)
        pool.map(_attempt, tasks, on_result=whole.add)
        return whole.tree()
    except InvalidAnswer:  # one process finds the history
        return None
    except TefudaError:
        raise
    except _NotPortable as error:
        message = f"{name_of(game)} is compiled in one process: workers need views and labels of texts, numbers and "
        warnings.warn(f"{message}tuples, got {shortened(error.args[0])}.", RuntimeWarning, stacklevel=5)
        return None
    except (Exception, SystemExit):  # the rules are at fault
        return None
    finally:
        pool.close()


def _require_importable(game: Game) -> None:
    """Raise ParameterError for rules that were defined at a prompt or in a notebook."""
    kind = type(game)
    if kind.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
        raise ParameterError(
            f"workers cannot import {kind.__name__}, which is defined at a prompt or in a notebook; save it in a file "
            "and import it, or leave workers out.",
            key="workers",
        )


class _NotSpread(Exception):
    """A game that workers cannot compile."""


class _NotPortable(Exception):
    """A name that may not be equal to itself in another process."""


def _roots(game: Game, count: int) -> tuple[int, list[_Path]]:
    """Return a depth with at least `count` inner histories, and the indices of their moves."""
    depth, level = 0, [((), game.root())]  # type: int, list[tuple[_Path, Any]]
    while len(level) < count:
        children = [
            ((*path, index), game.child(state, label))
            for path, state in level
            for index, label in enumerate(labels(game, state))
        ]
        depth, level = depth + 1, [child for child in children if game.player(child[1]) != TERMINAL]
        if not level or depth > _DEEPEST_CUT:
            raise _NotSpread
    return depth, [path for path, _ in level]


def _attempt(task: Callable[[], Any]) -> Any:
    """Return the result of a task; None if the rules are at fault."""
    try:
        return task()
    except (Exception, SystemExit):
        return None


class _Whole:
    """The tree of a game, to which subtrees are grafted in their order as soon as they are built.

    Args:
        game: the rules.
        depth: depth of the roots of the subtrees.
        progress: callback for the number of histories built so far.
    """

    def __init__(self, game: Game, depth: int, progress: BuildProgress | None) -> None:
        self.builder, self.progress, self.built = Builder(game), progress, 0
        self.roots = self.builder.visit([], [game.root()], depth)
        self.early: dict[int, _Subtrees] = {}  # parts, while one before them is missing
        self.grafted = 0  # number of parts

    def add(self, result: _Subtrees | bool | None) -> None:
        """Add the result of a task: subtrees, whether the rules passed a check, or None for rules at fault."""
        if not result:
            raise _NotSpread
        if not isinstance(result, _Subtrees):
            return
        self.early[result.part] = result
        self.built += result.marks[-1].histories
        if self.progress is not None:
            self.progress(self.built)
        while self.grafted in self.early:
            part = self.early.pop(self.grafted)
            for index in range(len(part.marks) - 1):
                part.graft(self.builder, next(self.roots), index)
            self.grafted += 1

    def tree(self) -> Tree:
        """Return the tree when all subtrees are grafted."""
        for _ in self.roots:
            raise _NotSpread  # the rules gave other histories before
        return self.builder.tree()


def _require_portable(name: Any) -> None:
    """Raise _NotPortable unless a view or label consists of texts, numbers and members of enumerations."""
    kind: Any = type(name)
    if isinstance(name, tuple) and kind.__eq__ is tuple.__eq__ and kind.__hash__ is tuple.__hash__:
        for part in name:
            _require_portable(part)
    elif not (kind in _PORTABLE or isinstance(name, Enum)) or name != name:
        raise _NotPortable(name)


_PORTABLE = (str, bytes, int, bool, float, Fraction, type(None))


def _mark(builder: Builder) -> _Mark:
    arrays: tuple[Sized, ...] = (builder.opened, builder.keys, builder.label_sets, builder.chances, builder.payoffs)
    return _Mark(builder.histories, *map(len, arrays))


def _extend(values: array[Any], more: np.ndarray) -> None:
    values.frombytes(more.view(np.uint8).data)
