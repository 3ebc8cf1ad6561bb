"""check_game: walk a game and find what is wrong with it, with the histories that show it.

Shipped for users' own games: run it in their tests. The walk is whole up to a limit of histories; beyond that random
games are played, and the report says so. Whatever the rules, it ends within seconds: children are made one at a time,
what is kept of a history are links to what is kept of its parent, and the work is bounded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.errors import shortened
from tefuda.games.answers import (
    TOLERANCE,
    InvalidAnswer,
    actions_of,
    attribute_of,
    drawn_outcome_of,
    error_text,
    missing_functions,
    mover_of,
    name_of,
    outcomes_of,
    payoffs_of,
    same_answer,
    view_of,
)
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, WIDEST, Game, infoset_name
from tefuda.games.report import Fault, History, Report
from tefuda.games.unseen_chance import UnseenChance

_SHOWN = 3
# What checking costs, in about nanoseconds: a history of rules that cost nothing, a byte of its state, and a label.
_HISTORY, _BYTE, _LABEL = 8_000, 20, 1_000
_EFFORT = 1_000_000_000  # of random games; of a walk, _EFFORT_EACH for each history of its limit
_EFFORT_EACH = 10_000
_PRINTED = 20_000_000  # bytes of states; printing a state to see whether it changed costs many times hashing it

_TOO_WIDE = "{} at a history; a tree holds 32,767. Split it in several moves, or (chance) give a draw()"

#: A history while walking: the link of its parent and the last label; None at the root.
Link = tuple[Any, Hashable] | None


def check_game(
    game: Game, *, limit: int | None = 200_000, samples: int = 2_000, rng: np.random.Generator | None = None
) -> Report:
    """Look for everything that makes rules unusable: see the kinds of fault in docs/games.md.

    Args:
        game: the object to check.
        limit: the most histories to walk; a larger game is sampled. None walks the whole game.
        samples: how many random games to play then.
        rng: draws those games; seed 0 unless given.

    Returns:
        A report; ``report.ok`` says whether the game can be used.

    >>> print(td.check_game(td.load_game("kuhn")))
    check_game kuhn: all 55 histories, 12 infosets: no fault
    """
    rng = rng or np.random.default_rng(0)
    inspector = _Inspector(game, rng)
    if missing := missing_functions(game):
        inspector.note("protocol", f"the game lacks {', '.join(missing)}")
        return inspector.report()
    inspector.walk(limit)
    if inspector.more:
        inspector.sample(samples)
    if inspector.complete and not inspector.terminals and not inspector.faults:
        inspector.note("endless", "no history ends")
    return inspector.report()


class _Stop(Exception):
    """The end of a history whose fault has been noted."""


class _Endless(Exception):
    """The end of the walk, because a history does not end."""


@dataclass
class _Seen:
    """An infoset: its first history, its actions, its owner's past (a number)."""

    history: Link
    actions: tuple[Hashable, ...]
    past: int
    count: int = 1


@dataclass
class _Node:
    """A history. pasts: the number of each player's own past. mover, view: the player to move, and its view."""

    state: Any
    history: Link
    pasts: tuple[int, ...]
    parent: Any = None
    depth: int = 0
    mover: int = TERMINAL
    view: Hashable = None


class _Inspector:
    """A walk that collects faults by kind; every check is a method.

    known: histories that are known to exist, visited or not. effort: work so far, in about nanoseconds. wide: outcomes
    of chance are drawn, as they are too many. more: there are histories that the walk has not visited. unseen, alike:
    outcomes of chance that no view shows, and the first two histories of such. past_of: numbers of pasts by (number
    before, view, action); pasts: the past before and the view, by number.
    """

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng, self.limit = game, rng, None  # type: Game, np.random.Generator, int | None
        self.faults: dict[str, tuple[str, list[History]]] = {}
        self.infosets: dict[tuple[int, Hashable], _Seen] = {}
        self.names: dict[str, tuple[int, Hashable]] = {}
        self.past_of: dict[tuple[int, Hashable, Hashable], int] = {}
        self.pasts: list[tuple[int, Hashable]] = [(0, None)]
        self.histories = self.terminals = self.effort = self.bytes = 0
        self.known = 1
        self.complete = self.more = self.wide = False
        self.constant = attribute_of(game, "constant_sum")
        self.unseen, self.alike = UnseenChance(), list[History]()

    def note(self, kind: str, message: str, *histories: Link) -> None:
        """Keep the first message of a kind and its first few histories."""
        _, shown = self.faults.setdefault(kind, (message, []))
        shown.extend(map(_labels_of, histories[: max(0, _SHOWN - len(shown))]))

    def report(self) -> Report:
        faults = tuple(Fault(kind, message, tuple(shown)) for kind, (message, shown) in self.faults.items())
        counts = (self.histories, self.terminals, len(self.infosets))
        return Report(name_of(self.game), *counts, self.complete, faults, tuple(self.warnings()))

    def warnings(self) -> Iterator[Fault]:
        several = attribute_of(self.game, "players") != 1
        if several and self.complete and len(self.infosets) > 1 and all(s.count == 1 for s in self.infosets.values()):
            first = _labels_of(next(iter(self.infosets.values())).history)
            message = "every infoset holds a single history: the views hide nothing from anybody"
            yield Fault("perfect information", message, (first,))
        if self.complete and self.alike:
            message = "payoffs depend on chance here, and no later view does: does view() show players their own cards?"
            yield Fault("unseen chance", message, tuple(self.alike))

    # The walk.

    def start(self) -> Iterator[_Node]:
        """Yield the root, unless the rules raise."""
        yield _Node(self.call("root", None), None, (0,) * self.game.players)

    def walk(self, limit: int | None) -> None:
        """Visit every history depth-first, until more than `limit` are known."""
        self.limit = limit
        stack = [self.start()]
        try:
            while stack and (limit is None or (self.known <= limit and self.effort <= _EFFORT_EACH * limit)):
                try:
                    stack.append(self.children(next(stack[-1])))
                except (StopIteration, _Stop):
                    stack.pop()
        except _Endless:
            return
        self.more = bool(stack) or self.wide
        self.complete = not self.more
        if self.more:  # forget the counts of a walk that was cut short: random games are spread more evenly
            self.histories = self.terminals = self.effort = 0

    def sample(self, games: int) -> None:
        """Visit random games."""
        try:
            for _ in range(games):
                if self.effort > _EFFORT:
                    return
                self.sample_one()
        except _Endless:
            pass

    def sample_one(self) -> None:
        try:
            node = next(self.start())
            while labels := self.look(node):
                node = self.follow(node, labels[int(self.rng.integers(len(labels)))])
        except _Stop:
            pass

    def children(self, node: _Node) -> Iterator[_Node]:
        """Check a history; yield its children, each when it is asked for, after all below the one before."""
        labels, marks = self.look(node), [self.unseen.mark]
        for label in labels:
            yield self.follow(node, label)
            marks.append(self.unseen.mark)
        if node.mover == CHANCE and not self.alike and (pair := self.unseen.pair(marks)):
            self.alike = [(*_labels_of(node.history), labels[place]) for place in pair]

    def follow(self, node: _Node, label: Hashable) -> _Node:
        """The history after `label`; notes a state that was changed on the way."""
        with self.noting(node):
            before = self.prints(node.state)
            state = self.call("child", node.history, node.state, label)
            if self.prints(node.state) != before:
                self.note("mutated state", "child() changed the state it was given; return a new one", node.history)
        pasts = node.pasts
        if node.mover >= 0:
            pasts = (*pasts[: node.mover], self.past_after(node, label), *pasts[node.mover + 1 :])
        return _Node(state, (node.history, label), pasts, node.state, node.depth + 1)

    def prints(self, state: Any) -> tuple[int, str]:
        """Return the hash and text of a state, which show whether it has changed."""
        return hash(state), repr(state) if self.bytes < _PRINTED else ""

    def look(self, node: _Node) -> tuple[Hashable, ...]:
        """Check one history; return the labels that lead on."""
        self.histories += 1
        with self.noting(node):
            self.check_state(node)
            mover = self.call("player", node.history, node.state)
            mover = self.fit(node.history, mover_of, mover, self.game.players)
            if mover == TERMINAL:
                self.check_payoffs(node)
                return ()
            node.mover = int(mover)
            labels = self.check_chances(node) if mover == CHANCE else self.check_infoset(node)
        self.known += len(labels)
        self.effort += _LABEL * len(labels)
        return labels

    @contextmanager
    def noting(self, node: _Node) -> Iterator[None]:
        """Note errors of states, labels and views that are hashed, compared or printed."""
        try:
            yield
        except (_Stop, _Endless):
            raise
        except (Exception, SystemExit) as error:
            self.stop("cannot be used", f"a state, label or view raised {error_text(error)}", node.history)

    def call(self, name: str, history: Link, *arguments: Any) -> Any:
        """Call one of the game's functions twice; note exceptions and answers that differ."""
        try:
            first = getattr(self.game, name)(*arguments)
            if isinstance(first, (tuple, list)) and len(first) > WIDEST:
                self.stop("too wide", _TOO_WIDE.format(f"{name}() lists {len(first):,} {name}"), history)
            second = getattr(self.game, name)(*arguments)
        except _Stop:
            raise
        except (Exception, SystemExit) as error:
            self.stop(f"{name}() raised", error_text(error), history)
        if not same_answer(first, second):
            answers = f"{shortened(first)}, then {shortened(second)}"
            self.note("not repeatable", f"{name}() gave {answers} for the same state", history)
        return first

    def fit(self, history: Link, convert: Callable[..., Any], *arguments: Any) -> Any:
        """Return an answer as `answers` converts it; an unfit one ends the history."""
        try:
            return convert(*arguments)
        except InvalidAnswer as fault:
            self.stop(fault.kind, fault.message, history)

    def stop(self, kind: str, message: str, *histories: Link) -> None:
        self.note(kind, message, *histories)
        raise _Stop

    # The checks.

    def check_state(self, node: _Node) -> None:
        try:
            hash(node.state)
        except Exception:
            kind = type(node.state).__name__
            self.stop("state not hashable", f"a state is a {kind}; use tuples, strings and numbers", node.history)
        size = sys.getsizeof(node.state)
        self.bytes += size
        self.effort += _HISTORY + _BYTE * size
        if node.depth > LONGEST:
            self.note("endless", f"a game of {LONGEST:,} moves has not ended: does it always end?", node.history)
            raise _Endless
        if node.history and node.state == node.parent:
            self.stop("endless", "the game comes back to the same state: it never ends", node.history)

    def check_payoffs(self, node: _Node) -> None:
        self.terminals += 1
        payoffs = self.call("payoffs", node.history, node.state)
        amounts = self.fit(node.history, payoffs_of, payoffs, self.game.players)
        self.unseen.end(amounts)
        largest = max(map(abs, amounts))
        if self.constant is not None and abs(sum(amounts) - self.constant) > TOLERANCE * largest:
            message = f"payoffs {payoffs!r} sum to {sum(amounts):g}, the game declares {self.constant}"
            self.note("not constant-sum", message, node.history)

    def check_chances(self, node: _Node) -> tuple[Hashable, ...]:
        """Check the outcomes; return their labels, or one that was drawn if there are more than are worth listing."""
        drawn = self.check_draw(node)
        if drawn is not None and self.limit is not None and float(drawn[1]) * self.limit < 1:
            self.wide = True
            return drawn[:1]
        outcomes = self.call("chances", node.history, node.state)
        labels, numbers = self.fit(node.history, outcomes_of, outcomes)
        pairs = zip(labels, numbers, strict=True)
        if drawn is not None and not any(drawn[0] == a and abs(drawn[1] - p) <= TOLERANCE for a, p in pairs):
            self.note("draw", f"draw() gave {drawn!r}, which chances() does not list", node.history)
        return labels

    def check_draw(self, node: _Node) -> tuple[Hashable, Any] | None:
        """Return an outcome of the game's own ``draw``; None if it has none."""
        if not callable(own := getattr(self.game, "draw", None)):
            return None
        try:
            drawn = own(node.state, self.rng.random)
        except (Exception, SystemExit) as error:
            self.stop("draw() raised", error_text(error), node.history)
        return self.fit(node.history, drawn_outcome_of, drawn)

    def check_infoset(self, node: _Node) -> tuple[Hashable, ...]:
        """Check the actions and the owner's memory; return the labels."""
        mover = node.mover
        actions = self.call("actions", node.history, node.state)
        labels = self.fit(node.history, actions_of, actions)
        view = self.call("view", node.history, node.state, mover)
        self.fit(node.history, view_of, view)
        self.unseen.decide(mover, view)
        seen = self.infosets.get((mover, view))
        past = node.pasts[mover]
        if seen is None:
            self.infosets[mover, view] = _Seen(node.history, labels, past)
            self.check_name(mover, view, node.history)
        else:
            seen.count += 1
            self.check_same(infoset_name(mover, view), seen, _Seen(node.history, labels, past))
        node.view = view
        return labels

    def past_after(self, node: _Node, label: Hashable) -> int:
        """Return the number of the mover's past after an action: equal pasts have equal numbers."""
        step = (node.pasts[node.mover], node.view, label)
        number = self.past_of.setdefault(step, len(self.pasts))
        if number == len(self.pasts):
            self.pasts.append(step[:2])
        return number

    def views_of(self, past: int) -> list[Hashable]:
        """Return the views of a player at its own earlier moves, the last first."""
        views = []
        while past:
            past, view = self.pasts[past]
            views.append(view)
        return views

    def check_name(self, mover: int, view: Hashable, history: Link) -> None:
        name = infoset_name(mover, view)
        self.bytes += len(name)
        self.effort += _BYTE * len(name)
        other = self.names.setdefault(name, (mover, view))
        if other != (mover, view):
            message = f"the views {other[1]!r} and {view!r} print alike; make them print differently"
            self.note("view names", message, self.infosets[other].history, history)

    def check_same(self, name: str, one: _Seen, two: _Seen) -> None:
        """Two histories of one infoset must offer the same actions after the same past of its owner."""
        if one.actions != two.actions:
            message = f"infoset {name!r} offers {one.actions!r} at one history and {two.actions!r} at another"
            self.note("actions differ", message, one.history, two.history)
        kind = "imperfect recall"
        if one.past == two.past or len(self.faults.get(kind, ("", []))[1]) == _SHOWN:  # shown enough; looking is long
            return
        earlier = self.views_of(one.past), self.views_of(two.past)
        if earlier[0] == earlier[1]:
            message = f"the view {name!r} does not show the owner's own earlier action"
        elif len(earlier[0]) != len(earlier[1]):
            message = f"the view {name!r} does not show how many actions its owner has taken"
        else:
            message = f"the view {name!r} forgets what its owner has seen before"
        self.note(kind, message, one.history, two.history)


def _labels_of(link: Link) -> History:
    labels = []
    while link is not None:
        link, label = link
        labels.append(label)
    return tuple(reversed(labels))
