"""Validation of the rules of a game by `check_game`.

All histories are visited up to a limit; larger games are sampled by random games. The check of any rules ends within
seconds: the work is bounded, and children are generated one at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.errors import error_text, quoted, shortened
from tefuda.games.answers import (
    ENDLESS,
    TOLERANCE,
    InvalidAnswer,
    actions_of,
    attribute_of,
    drawn_outcome_of,
    missing_functions,
    mover_of,
    name_of,
    outcomes_of,
    payoffs_of,
    require_constant_sum,
    same_answer,
    view_of,
)
from tefuda.games.plays import draw_outcome
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, WIDEST, Game, infoset_name, labels
from tefuda.games.report import RECALL, Fault, History, Link, Report, history_of, raise_if_faulty
from tefuda.games.unseen_chance import UnseenChance

_SHOWN = 3  # histories reported for each kind of fault
# Approximate cost of checks in nanoseconds: a history with trivial rules, a byte of its state, and a label.
_HISTORY, _BYTE, _LABEL = 8_000, 20, 1_000
_EFFORT = 1_000_000_000  # limit for random games; a traversal has _EFFORT_EACH for each history of its limit
_EFFORT_EACH = 10_000
_WALKED = 1_000_000  # earlier views that are compared
_AVOIDING = 3  # random games that avoid ends
_TRIED = 8  # children of a history that they try
_PRINTED = 20_000_000  # bytes of states; the repr of a state costs many times its hash

_TOO_WIDE = "{} at a history; a tree holds 32,767. Split it in several moves, or (chance) give a draw()"


def check_game(game: Game, *, limit: int | None = 200_000, samples: int = 2_000) -> Report:
    """Return a report of the faults of a game; docs/games.md lists the kinds of fault.

    Args:
        game: the rules.
        limit: maximum number of histories to visit; larger games are sampled. None: no limit.
        samples: number of random games for larger games, of seed 0.

    Returns:
        The report; ``report.ok`` is True if no fault was found.

    >>> print(td.check_game(td.load_game("kuhn")))
    check_game kuhn: all 55 histories, 12 infosets: no fault
    """
    inspector = _Inspector(game)
    if missing := missing_functions(game):
        inspector.add_fault("protocol", f"the game lacks {', '.join(missing)}")
        return inspector.report()
    inspector.avoid_ends()
    if inspector.faults:  # an endless game, whose histories are long
        return inspector.report()
    inspector.visit_all(limit)
    if inspector.more:
        inspector.sample(samples)
    if inspector.complete and not inspector.terminals and not inspector.faults:
        inspector.add_fault("endless", "no history ends")
    return inspector.report()


def require_sound(
    game: Game, limit: int = 200_000, samples: int = 2_000, *, accepted: tuple[str, ...] = RECALL
) -> None:
    """Raise GameError if `check_game`, with these arguments, finds a fault of a kind that is not accepted."""
    raise_if_faulty(game, check_game(game, limit=limit, samples=samples), accepted=accepted)


class _Stop(Exception):
    """Stop of a history with a fault."""


class _Endless(Exception):
    """Stop of the check at an endless history."""


@dataclass
class _Infoset:
    """An infoset: first history, actions, number of its player's past, and number of histories."""

    history: Link
    actions: tuple[Hashable, ...]
    past: int
    count: int = 1


@dataclass
class _Node:
    """A history, with its state and labels; `pasts` has the number of each player's past."""

    state: Any
    history: Link
    pasts: tuple[int, ...]
    parent: Any = None
    depth: int = 0
    mover: int = TERMINAL
    view: Hashable = None


class _Inspector:
    """A traversal that collects faults by kind; each check is a method.

    Attributes:
        known: number of known histories, visited or not.
        effort: work so far, in approximate nanoseconds.
        wide: whether some outcomes of chance were drawn, because there are too many.
        more: whether some histories were not visited.
        unseen: search for chance outcomes that no view shows.
        unseen_pair: the first two histories that it found.
        impossible: the first history after an outcome of probability 0, if there is one.
        past_of: numbers of pasts by (number before, view, action). A past is a player's sequence of views and actions.
        pasts: by number, the past before and the view.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.rng, self.limit = game, np.random.default_rng(0), None  # type: Game, np.random.Generator, int | None
        self.faults: dict[str, tuple[str, list[History]]] = {}
        self.infosets: dict[tuple[int, Hashable], _Infoset] = {}
        self.names: dict[str, tuple[int, Hashable]] = {}
        self.past_of: dict[tuple[int, Hashable, Hashable], int] = {}
        self.pasts: list[tuple[int, Hashable]] = [(0, None)]
        self.histories = self.terminals = self.effort = self.bytes = self.walked = 0
        self.known = 1
        self.complete = self.more = self.wide = False
        self.constant = attribute_of(game, "constant_sum")
        self.unseen, self.unseen_pair = UnseenChance(), list[History]()
        self.impossible = list[History]()

    def add_fault(self, kind: str, message: str, *histories: Link) -> None:
        """Add a fault: the first message of its kind, and its first few histories."""
        _, shown = self.faults.setdefault(kind, (message, []))
        shown.extend(map(history_of, histories[: max(0, _SHOWN - len(shown))]))

    def report(self) -> Report:
        faults = tuple(Fault(kind, message, tuple(shown)) for kind, (message, shown) in self.faults.items())
        counts = (self.histories, self.terminals, len(self.infosets))
        return Report(name_of(self.game), *counts, self.complete, faults, tuple(self.warnings()))

    def warnings(self) -> Iterator[Fault]:
        several = attribute_of(self.game, "players") != 1
        if several and self.complete and len(self.infosets) > 1 and all(s.count == 1 for s in self.infosets.values()):
            first = history_of(next(iter(self.infosets.values())).history)
            message = "every infoset has a single history: the views hide nothing"
            yield Fault("perfect information", message, (first,))
        if self.impossible:
            message = "an outcome of chance has probability 0: no play reaches this history"
            yield Fault("impossible outcome", message, tuple(self.impossible))
        if self.complete and self.unseen_pair:
            message = "payoffs depend on chance here, but no later view does: does view() show players their own cards?"
            yield Fault("unseen chance", message, tuple(self.unseen_pair))

    def avoid_ends(self) -> None:
        """Play a few random games that avoid ends where they can; one that never ends is a fault."""
        rng = np.random.default_rng(0)
        for _ in range(_AVOIDING):
            with suppress(Exception, SystemExit):  # the traversal reports other faults with their histories
                self.avoid_end(rng)
            if self.faults:
                return

    def avoid_end(self, rng: np.random.Generator) -> None:
        game, history, effort = self.game, None, 0  # type: Game, Link, int
        state = game.root()
        mover = mover_of(game.player(state), game.players)
        for _ in range(LONGEST + 1):
            tried, parent = _some_labels(game, state, mover, rng), state
            if not tried or effort > _EFFORT:
                return
            for label in tried:
                state = game.child(parent, label)
                mover = mover_of(game.player(state), game.players)
                if mover != TERMINAL:
                    break
            effort += _HISTORY + sys.getsizeof(state)
            history = history, label
        self.histories = LONGEST + 1
        self.add_fault("endless", ENDLESS, history)

    def start(self) -> Iterator[_Node]:
        """Yield the root, unless the rules raise an exception."""
        yield _Node(self.call_twice("root", None), None, (0,) * self.game.players)

    def visit_all(self, limit: int | None) -> None:
        """Visit all histories depth-first, until more than `limit` are known."""
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
        if self.more:  # discard the counts of an incomplete traversal: random games are more representative
            self.histories = self.terminals = self.effort = 0

    def sample(self, games: int) -> None:
        try:
            for _ in range(games):
                if self.effort > _EFFORT:
                    return
                self.visit_one()
        except _Endless:
            pass

    def visit_one(self) -> None:
        try:
            node = next(self.start())
            while labels := self.check_history(node):
                node = self.follow(node, labels[int(self.rng.integers(len(labels)))])
        except _Stop:
            pass

    def children(self, node: _Node) -> Iterator[_Node]:
        """Check a history; yield its children one at a time, each after the subtree of the previous one."""
        labels, digests = self.check_history(node), [self.unseen.digest]
        for label in labels:
            yield self.follow(node, label)
            digests.append(self.unseen.digest)
        if node.mover == CHANCE and not self.unseen_pair and (pair := self.unseen.pair(digests)):
            self.unseen_pair = [(*history_of(node.history), labels[index]) for index in pair]

    def follow(self, node: _Node, label: Hashable) -> _Node:
        """Return the history after `label`; add a fault if child() changed the state."""
        with self.recording(node):
            before = self.fingerprint(node.state)
            state = self.call_twice("child", node.history, node.state, label)
            if self.fingerprint(node.state) != before:
                self.add_fault("mutated state", "child() changed its argument; return a new state", node.history)
        pasts = node.pasts
        if node.mover >= 0:
            pasts = (*pasts[: node.mover], self.past_after(node, label), *pasts[node.mover + 1 :])
        return _Node(state, (node.history, label), pasts, node.state, node.depth + 1)

    def fingerprint(self, state: Any) -> tuple[int, str]:
        """Return the hash and the repr of a state, to detect changes."""
        return hash(state), repr(state) if self.bytes < _PRINTED else ""

    def check_history(self, node: _Node) -> tuple[Hashable, ...]:
        """Check a history; return the labels of its children."""
        self.histories += 1
        with self.recording(node):
            self.check_state(node)
            mover = self.call_twice("player", node.history, node.state)
            mover = self.converted(node.history, mover_of, mover, self.game.players)
            if mover == TERMINAL:
                self.check_payoffs(node)
                return ()
            node.mover = int(mover)
            labels = self.check_chances(node) if mover == CHANCE else self.check_infoset(node)
        self.known += len(labels)
        self.effort += _LABEL * len(labels)
        return labels

    @contextmanager
    def recording(self, node: _Node) -> Iterator[None]:
        """Turn exceptions of hashing, comparing or printing states, labels and views into faults."""
        try:
            yield
        except (_Stop, _Endless):
            raise
        except (Exception, SystemExit) as error:
            self.stop("cannot be used", f"a state, label or view raised {error_text(error)}", node.history)

    def call_twice(self, name: str, history: Link, *arguments: Any) -> Any:
        """Call a function of the game twice; exceptions and different answers are faults."""
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
            self.add_fault("not repeatable", f"{name}() gave {answers} for the same state", history)
        return first

    def converted(self, history: Link, convert: Callable[..., Any], *arguments: Any) -> Any:
        """Return a converted answer; an invalid one ends the history."""
        try:
            return convert(*arguments)
        except InvalidAnswer as fault:
            self.stop(fault.kind, fault.message, history)

    def stop(self, kind: str, message: str, *histories: Link) -> None:
        self.add_fault(kind, message, *histories)
        raise _Stop

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
            self.add_fault("endless", ENDLESS, node.history)
            raise _Endless
        if node.history and node.state == node.parent:
            self.stop("endless", "the game returns to the same state: it never ends", node.history)

    def check_payoffs(self, node: _Node) -> None:
        self.terminals += 1
        payoffs = self.call_twice("payoffs", node.history, node.state)
        amounts = self.converted(node.history, payoffs_of, payoffs, self.game.players)
        self.unseen.add_end(amounts)
        self.converted(node.history, require_constant_sum, self.constant, amounts)

    def check_chances(self, node: _Node) -> tuple[Hashable, ...]:
        """Check the outcomes; return their labels, or only a drawn one if there are too many to list."""
        drawn = self.check_draw(node)
        if drawn is not None and self.limit is not None and float(drawn[1]) * self.limit < 1:
            self.wide = True
            return drawn[:1]
        outcomes = self.call_twice("chances", node.history, node.state)
        labels, numbers = self.converted(node.history, outcomes_of, outcomes)
        if not self.impossible and 0 in numbers:
            self.impossible = [(*history_of(node.history), labels[numbers.index(0)])]
        pairs = zip(labels, numbers, strict=True)
        if drawn is not None and not any(drawn[0] == a and abs(drawn[1] - p) <= TOLERANCE for a, p in pairs):
            self.add_fault("draw", f"draw() gave {quoted(drawn)}, which chances() does not list", node.history)
        return labels

    def check_draw(self, node: _Node) -> tuple[Hashable, Any] | None:
        """Return an outcome of the game's ``draw``; None if the game has none."""
        if not callable(own := getattr(self.game, "draw", None)):
            return None
        try:
            drawn = own(node.state, self.rng.random)
        except (Exception, SystemExit) as error:
            self.stop("draw() raised", error_text(error), node.history)
        return self.converted(node.history, drawn_outcome_of, drawn)

    def check_infoset(self, node: _Node) -> tuple[Hashable, ...]:
        """Check the actions and the player's memory; return the labels."""
        mover = node.mover
        actions = self.call_twice("actions", node.history, node.state)
        labels = self.converted(node.history, actions_of, actions)
        view = self.call_twice("view", node.history, node.state, mover)
        self.converted(node.history, view_of, view)
        self.unseen.add_decision(mover, view)
        infoset = self.infosets.get((mover, view))
        past = node.pasts[mover]
        if infoset is None:
            self.infosets[mover, view] = _Infoset(node.history, labels, past)
            self.check_name(mover, view, node.history)
        else:
            infoset.count += 1
            self.check_same(infoset_name(mover, view), infoset, _Infoset(node.history, labels, past))
            self.check_new(node, view, infoset)
        node.view = view
        return labels

    def check_new(self, node: _Node, view: Hashable, infoset: _Infoset) -> None:
        """Check that the player's view did not come before in the same game; bounded, as pasts are long."""
        past = node.pasts[node.mover]
        if infoset.past == past or self.walked > _WALKED:
            return
        views = self.views_of(past)
        self.walked += len(views)
        if view in views:
            message = f"the view {quoted(infoset_name(node.mover, view))} comes twice in one game"
            self.add_fault("absent-mindedness", message, node.history)

    def past_after(self, node: _Node, label: Hashable) -> int:
        """Return the number of the player's past after an action; equal pasts have equal numbers."""
        step = (node.pasts[node.mover], node.view, label)
        number = self.past_of.setdefault(step, len(self.pasts))
        if number == len(self.pasts):
            self.pasts.append(step[:2])
        return number

    def views_of(self, past: int) -> list[Hashable]:
        """Return the views of a player at its earlier decisions, the latest first."""
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
            message = f"the views {quoted(other[1])} and {quoted(view)} have the same text; make their texts different"
            self.add_fault("view names", message, self.infosets[other].history, history)

    def check_same(self, name: str, first: _Infoset, second: _Infoset) -> None:
        """Check that two histories of an infoset have the same actions and the same past of the player."""
        if first.actions != second.actions:
            both = f"{quoted(first.actions)} at one history and {quoted(second.actions)} at another"
            message = f"infoset {quoted(name)} offers {both}"
            self.add_fault("actions differ", message, first.history, second.history)
        kind = "imperfect recall"
        enough = len(self.faults.get(kind, ("", []))[1]) == _SHOWN  # the search for an example is slow
        if first.past == second.past or enough:
            return
        earlier = self.views_of(first.past), self.views_of(second.past)
        if earlier[0] == earlier[1]:
            message = f"the view {quoted(name)} does not show the player's last action"
        elif len(earlier[0]) != len(earlier[1]):
            message = f"the view {quoted(name)} does not show the number of the player's earlier actions"
        else:
            message = f"the view {quoted(name)} forgets an earlier view of the player"
        self.add_fault(kind, message, first.history, second.history)


def _some_labels(game: Game, state: Any, mover: int, rng: np.random.Generator) -> list[Hashable]:
    """Return a few labels of a history in random order; none at the end."""
    if mover == CHANCE and hasattr(game, "draw"):
        return [draw_outcome(game, state, rng.random)[0] for _ in range(_TRIED)]
    known = labels(game, state)
    return [known[number] for number in rng.permutation(len(known))[:_TRIED]]
