"""check_game: walk a game and say what is wrong with it, with the histories that show it.

Shipped for users' own games: run it in their tests. The walk is whole up to a limit of histories; beyond that random
games are played, and the report says so.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.game import CHANCE, TERMINAL, Game, infoset_name

_TOLERANCE = 1e-9
LONGEST = 10_000  # moves; a longer game is taken for one that never ends
_SHOWN = 3

History = tuple[Hashable, ...]


@dataclass(frozen=True)
class Fault:
    """One kind of fault: its name, what is wrong, and histories that show it (the first few).

    >>> fault = tf.Fault("views", "a card shows", (("K", "b"),))
    >>> fault.kind, fault.histories
    ('views', (('K', 'b'),))
    """

    kind: str
    message: str
    histories: tuple[History, ...] = ()

    def __str__(self) -> str:
        shown = "".join(f"\n      at {_path(history)}" for history in self.histories)
        return f"  - {self.kind}: {self.message}{shown}"


@dataclass(frozen=True)
class Report:
    """What `check_game` found: faults, warnings, and how much it looked at.

    >>> report = tf.check_game(tf.load_game("kuhn"))
    >>> report.ok, report.infosets
    (True, 12)
    """

    game: str
    histories: int
    terminals: int
    infosets: int
    whole: bool
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        looked = "all" if self.whole else "random games:"
        head = f"check_game {self.game}: {looked} {self.histories:,} histories, {self.infosets:,} infosets"
        verdict = "no fault" if self.ok else f"{len(self.faults)} fault{'s' if len(self.faults) > 1 else ''}"
        lines = [f"{head}: {verdict}", *map(str, self.faults)]
        if self.warnings:
            lines += ["  worth a look:", *map(str, self.warnings)]
        return "\n".join(lines)


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

    >>> print(tf.check_game(tf.load_game("kuhn")))
    check_game kuhn: all 55 histories, 12 infosets: no fault
    """
    inspector = _Inspector(game)
    if inspector.has_protocol():
        inspector.walk(limit)
        if not inspector.whole:
            rng = rng or np.random.default_rng(0)
            for _ in range(samples):
                inspector.sample(rng)
        inspector.finish()
    return inspector.report()


def missing_functions(game: object) -> list[str]:
    """What an object lacks to be a game."""
    needed = ("root", "player", "actions", "chances", "child", "payoffs", "view")
    missing = [name for name in needed if not callable(getattr(game, name, None))]
    if not isinstance(getattr(game, "name", None), str):
        missing.append("name (a string)")
    players = getattr(game, "players", None)
    if not isinstance(players, int) or isinstance(players, bool) or players < 1:
        missing.append("players (a whole number of at least 1)")
    return missing


class _Stop(Exception):
    """This history cannot be followed further; the fault is already noted."""


@dataclass
class _Seen:
    """What is known of one infoset: where it was first met, its actions, its owner's past."""

    history: History
    actions: tuple[Hashable, ...]
    past: tuple[Any, ...]
    count: int = 1


@dataclass
class _Node:
    state: Any
    history: History
    pasts: tuple[tuple[Any, ...], ...]
    parent: Any = None


class _Inspector:
    """Collects faults by kind; every check is one method."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.faults: dict[str, tuple[str, list[History]]] = {}
        self.infosets: dict[tuple[int, Hashable], _Seen] = {}
        self.names: dict[str, tuple[int, Hashable]] = {}
        self.histories = self.terminals = 0
        self.chance_met = self.whole = False
        self.constant = getattr(game, "constant_sum", None)

    def note(self, kind: str, message: str, *histories: History) -> None:
        """Keep the first message of a kind and its first few histories."""
        _, shown = self.faults.setdefault(kind, (message, []))
        shown.extend(histories[: max(0, _SHOWN - len(shown))])

    def report(self) -> Report:
        faults = tuple(Fault(kind, message, tuple(shown)) for kind, (message, shown) in self.faults.items())
        name = str(getattr(self.game, "name", type(self.game).__name__))
        counts = (self.histories, self.terminals, len(self.infosets))
        return Report(name, *counts, self.whole, faults, tuple(self.warnings()))

    def warnings(self) -> Iterator[Fault]:
        several = getattr(self.game, "players", 1) != 1
        if several and self.whole and len(self.infosets) > 1 and all(s.count == 1 for s in self.infosets.values()):
            first = next(iter(self.infosets.values())).history
            message = "every infoset holds a single history: the views hide nothing from anybody"
            yield Fault("perfect information", message, (first,))

    # The walk.

    def has_protocol(self) -> bool:
        missing = missing_functions(self.game)
        if missing:
            self.note("protocol", f"the game lacks {', '.join(missing)}")
        return not missing

    def start(self) -> _Node | None:
        try:
            return _Node(self.call("root", ()), (), ((),) * self.game.players)
        except _Stop:
            return None

    def walk(self, limit: int | None) -> None:
        """Visit every history depth-first until the limit."""
        start = self.start()
        stack = [start] if start else []
        while stack:
            if limit is not None and self.histories >= limit:
                self.reset()
                return
            try:
                stack.extend(reversed(list(self.visit(stack.pop()))))
            except _Stop:
                pass
        self.whole = True

    def reset(self) -> None:
        """Forget the counts of a walk that was cut short: samples are spread more evenly."""
        self.histories = self.terminals = 0

    def sample(self, rng: np.random.Generator) -> None:
        """Visit one random game."""
        node = self.start()
        while node is not None:
            try:
                children = list(self.visit(node))
            except _Stop:
                return
            node = children[int(rng.integers(len(children)))] if children else None

    def visit(self, node: _Node) -> Iterator[_Node]:
        """Check one history; yield its children."""
        self.histories += 1
        self.check_state(node)
        mover = self.call("player", node.history, node.state)
        if (
            isinstance(mover, bool)
            or not isinstance(mover, (int, np.integer))
            or not (TERMINAL <= mover < self.game.players)
        ):
            span = f"0..{self.game.players - 1}, CHANCE (-1) or TERMINAL (-2)"
            self.stop("mover", f"player() returned {mover!r}; it must be {span}", node.history)
        if mover == TERMINAL:
            self.check_payoffs(node)
            return
        if mover == CHANCE:
            labels = self.check_chances(node)
            pasts = [node.pasts] * len(labels)
        else:
            labels, pasts = self.check_infoset(node, mover)
        before = hash(node.state), repr(node.state)
        for index, label in enumerate(labels):
            state = self.call("child", node.history, node.state, label)
            yield _Node(state, (*node.history, label), pasts[index], node.state)
        if (hash(node.state), repr(node.state)) != before:
            self.note("mutated state", "child() changed the state it was given; return a new one", node.history)

    def call(self, name: str, history: History, *arguments: Any) -> Any:
        """Call one of the game's functions twice; note exceptions and answers that differ."""
        try:
            first = getattr(self.game, name)(*arguments)
            second = getattr(self.game, name)(*arguments)
        except Exception as error:
            self.stop(f"{name}() raised", f"{type(error).__name__}: {error}", history)
        if not _same(first, second):
            self.note("not repeatable", f"{name}() gave {first!r}, then {second!r} for the same state", history)
        return first

    def stop(self, kind: str, message: str, *histories: History) -> None:
        self.note(kind, message, *histories)
        raise _Stop

    # The checks.

    def check_state(self, node: _Node) -> None:
        try:
            hash(node.state)
        except TypeError:
            kind = type(node.state).__name__
            self.stop("state not hashable", f"a state is a {kind}; use tuples, strings and numbers", node.history)
        if len(node.history) > LONGEST or (node.history and node.state == node.parent):
            self.stop("endless", "the game comes back to the same state or never ends", node.history[:20])

    def check_payoffs(self, node: _Node) -> None:
        self.terminals += 1
        payoffs = self.call("payoffs", node.history, node.state)
        try:
            amounts = [float(amount) for amount in payoffs]
        except (TypeError, ValueError):
            self.stop("payoffs", f"payoffs() returned {payoffs!r}; it must be one number a player", node.history)
        if len(amounts) != self.game.players:
            self.stop("payoffs", f"{len(amounts)} payoffs for {self.game.players} players", node.history)
        if not all(map(math.isfinite, amounts)):
            self.stop("payoffs", f"payoffs {payoffs!r} are not finite", node.history)
        largest = max(map(abs, amounts))
        if self.constant is not None and abs(sum(amounts) - self.constant) > _TOLERANCE * largest:
            message = f"payoffs {payoffs!r} sum to {sum(amounts):g}, the game declares {self.constant}"
            self.note("not constant-sum", message, node.history)

    def check_labels(self, kind: str, labels: Any, history: History) -> tuple[Hashable, ...]:
        labels = tuple(labels)
        try:
            distinct = len(set(labels))
        except TypeError:
            self.stop(kind, f"the labels {labels!r} are not hashable", history)
        if not labels:
            self.stop(kind, "there is nothing to do, but the game is not over", history)
        if distinct < len(labels):
            self.stop(kind, f"the labels {labels!r} repeat", history)
        return labels

    def check_chances(self, node: _Node) -> tuple[Hashable, ...]:
        outcomes = self.call("chances", node.history, node.state)
        try:
            pairs = [(label, probability) for label, probability in outcomes]
            numbers = [float(probability) for _, probability in pairs]
        except (TypeError, ValueError):
            self.stop(
                "chances", f"chances() returned {outcomes!r}; it must be (label, probability) pairs", node.history
            )
        labels = self.check_labels("chances", [label for label, _ in pairs], node.history)
        total = sum(probability for _, probability in pairs)
        if not all(number > 0 for number in numbers):
            bad = next(pair for pair, number in zip(pairs, numbers, strict=True) if not number > 0)
            self.note("chances", f"the probability of {bad[0]!r} is {bad[1]}; leave out what cannot come", node.history)
        if not abs(float(total) - 1) <= _TOLERANCE:
            self.note("chances", f"the probabilities sum to {total}, not to 1", node.history)
        self.chance_met = True
        return labels

    def check_infoset(self, node: _Node, mover: int) -> tuple[tuple[Hashable, ...], list[Any]]:
        """Check the actions and the owner's memory; return the labels and everybody's past after each."""
        actions = self.call("actions", node.history, node.state)
        if not isinstance(actions, (tuple, list)):
            self.stop("actions", f"actions() returned {actions!r}; it must be a tuple of labels", node.history)
        labels = self.check_labels("actions", actions, node.history)
        view = self.call("view", node.history, node.state, mover)
        try:
            seen = self.infosets.get((mover, view))
        except TypeError:
            self.stop("view not hashable", f"view() returned a {type(view).__name__}", node.history)
        past = node.pasts[mover]
        if seen is None:
            self.infosets[mover, view] = _Seen(node.history, labels, past)
            self.check_name(mover, view, node.history)
        else:
            seen.count += 1
            self.check_same(infoset_name(mover, view), seen, _Seen(node.history, labels, past))
        pasts = [
            tuple((*p, (view, label)) if seat == mover else p for seat, p in enumerate(node.pasts)) for label in labels
        ]
        return labels, pasts

    def check_name(self, mover: int, view: Hashable, history: History) -> None:
        other = self.names.setdefault(infoset_name(mover, view), (mover, view))
        if other != (mover, view):
            message = f"the views {other[1]!r} and {view!r} print alike; make them print differently"
            self.note("view names", message, self.infosets[other].history, history)

    def check_same(self, name: str, one: _Seen, two: _Seen) -> None:
        """Two histories of one infoset must offer the same actions after the same past of its owner."""
        if one.actions != two.actions:
            message = f"infoset {name!r} offers {one.actions!r} at one history and {two.actions!r} at another"
            self.note("actions differ", message, one.history, two.history)
        if one.past == two.past:
            return
        earlier = [view for view, _ in one.past], [view for view, _ in two.past]
        if earlier[0] == earlier[1]:
            message = f"the view {name!r} does not show the owner's own earlier action"
        elif len(earlier[0]) != len(earlier[1]):
            message = f"the view {name!r} does not show how many actions its owner has taken"
        else:
            message = f"the view {name!r} forgets what its owner has seen before"
        self.note("imperfect recall", message, one.history, two.history)

    def finish(self) -> None:
        if self.whole and not self.terminals and not self.faults:
            self.note("endless", "no history ends")


def _same(one: Any, two: Any) -> bool:
    try:
        return bool(one == two) or repr(one) == repr(two)
    except Exception:
        return repr(one) == repr(two)


def _path(history: History) -> str:
    return " ".join(str(label) for label in history) if history else "the root"
