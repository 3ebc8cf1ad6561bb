"""Compilation of rules to a tree: a traversal of all histories that validates the rules' answers."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tefuda.errors import GameError, SizeError, TefudaError, shortened
from tefuda.forms.bundles import BundledArrays, Bundles, NotBundled
from tefuda.forms.cache import cache_path, disagreement, is_of_package, load_tree, save_tree
from tefuda.forms.form import Saved
from tefuda.forms.tree import Tree
from tefuda.games.answers import (
    EXACT_INTEGERS,
    LARGEST_PAYOFF,
    Conversions,
    InvalidAnswer,
    Labels,
    actions_of,
    endless_game,
    error_text,
    mover_of,
    name_of,
    outcomes_of,
    payoffs_of,
    require_game,
    view_of,
)
from tefuda.games.check import check_game
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, WIDEST, Game, infoset_name
from tefuda.games.report import raise_if_faulty
from tefuda.games.size import refuse_if_too_large

#: Callback for the number of histories built so far.
BuildProgress = Callable[[int], None]
_REPORT_EVERY = 1 << 14
_CHECK_EVERY = 200  # one history in 200 is checked by `check_game`
_COMPARED = 20  # games along which a bundled tree is compared with its rules; and one in 5000 more
_CACHE_FROM = 50_000  # histories; smaller trees are built as fast as they are read


def rebuild_tree(rules: Game | Tree, saved: Saved, building: BuildProgress | None = None) -> Tree:
    """Return the tree of a saved run; see `form.REPRESENTATIONS`."""
    return rules if isinstance(rules, Tree) else compile_game(rules, progress=building)


def compile_game(game: Game, *, progress: BuildProgress | None = None, cache: bool = True, force: bool = False) -> Tree:
    """Return a game as arrays.

    Every answer of the rules is validated, states must not change their hash, and views must have distinct
    names. `check_game` tests 50 histories and one in 200 for all other faults, such as answers that are not
    repeatable. Imperfect recall, and payoffs with another sum than declared, are accepted.

    Card games of this package are compiled for all deals at once: their rules are asked at representative deals, and
    the tree is compared with them along random games. It is the same tree as that of all histories, bit for bit.

    Args:
        game: any object with the seven functions.
        progress: callback for the number of histories built so far.
        cache: cache large trees of the games in `GAMES` on disk.
        force: compile even if the size estimate exceeds the memory limit.

    Returns:
        The compiled tree.

    Raises:
        GameError: the rules are not a game; the message shows the histories at fault.
        SizeError: the tree does not fit in memory.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> len(tree.player), tree.infosets
    (55, 12)
    """
    require_game(game)
    path = cache_path(game) if cache else None
    if path is not None and os.path.exists(path) and (found := load_tree(path, game)) is not None:
        return Tree(game.name, json_parameters(game), game.players, **found, rules=game)
    bundled = _bundled_tree(game, progress, force) if is_of_package(game) else None
    tree = bundled or _tree_of(game, progress, force)
    if path is not None and len(tree.player) >= _CACHE_FROM:
        save_tree(path, tree)
    return tree


def _bundled_tree(game: Game, progress: BuildProgress | None, force: bool) -> Tree | None:
    """Return the tree of a game with public actions; None for other games or if the rules disagree."""
    if not getattr(game, "public_actions", False):
        return None
    report_at = _REPORT_EVERY

    def grown(histories: int) -> None:
        nonlocal report_at
        if histories < report_at:
            return
        if report_at == _REPORT_EVERY:
            refuse_if_too_large(game, force)
        report_at = histories + _REPORT_EVERY
        if progress is not None:
            progress(histories)

    try:
        arrays = BundledArrays(Bundles(game, grown)).fields()
    except NotBundled:
        return None
    if disagreement(arrays, game, _sample(len(arrays["terminals"]))) is not None:
        return None
    return Tree(game.name, json_parameters(game), game.players, **arrays, rules=game)


def _sample(ends: int) -> np.ndarray:
    """Return the indices of random terminal histories, to compare their games with the rules."""
    return np.random.default_rng(0).integers(ends, size=_COMPARED + ends // 5000)


def _tree_of(game: Game, progress: BuildProgress | None, force: bool) -> Tree:
    """Return the tree of a game, compiled history by history, and checked."""
    raise_if_faulty(game, check_game(game, limit=50, samples=5))
    try:
        refuse_if_too_large(game, force)
        tree = _Builder(game, progress).build()
    except (TefudaError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise_if_faulty(game, check_game(game))
        what = str(error) if isinstance(error, InvalidAnswer) else f"its rules raised {error_text(error)}"
        raise GameError(f"{name_of(game)} is not a game that can be compiled: {what}") from error
    if (histories := len(tree.player)) > 50 * _CHECK_EVERY:
        raise_if_faulty(
            game, check_game(game, limit=histories // _CHECK_EVERY, samples=histories // (20 * _CHECK_EVERY))
        )
    return tree


class _Builder:
    """A depth-first traversal, and one entry in its arrays for each inner and each terminal history.

    The children of a history get the next numbers when it is opened. The stack contains unopened inner histories.

    Attributes:
        opened: numbers of the inner histories in the order of opening. first_child, infoset, label_set: theirs.
        chances: probabilities of the children of chance histories, in the order of opening.
        terminals, payoffs: the terminal histories, rising, and P numbers for each.
        known: for each player, the infosets by view.
        keys, infoset_player, infoset_labels: views, players and label sets of the infosets.
        label_sets: numbers of the tuples of labels.
    """

    def __init__(self, game: Game, progress: BuildProgress | None) -> None:
        self.game, self.progress = game, progress
        self.opened, self.first_child = array("i"), array("i")
        self.infoset, self.label_set = array("i"), array("i")
        self.chances, self.payoffs, self.terminals = array("d"), array("d"), array("i")
        self.known: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.keys: list[Hashable] = []
        self.infoset_player, self.infoset_labels = array("b"), array("i")
        self.actions: list[Labels] = []
        self.label_sets: dict[Labels, int] = {}
        self.checked_actions, self.checked_chances = Conversions(actions_of), Conversions(outcomes_of)
        self.checked_payoffs = Conversions(lambda answer: _numbers_of(answer, game.players))

    def build(self) -> Tree:
        """Visit all histories; return the tree."""
        game, players, checked_payoffs = self.game, self.game.players, self.checked_payoffs
        child, mover_at, payoffs_at, add_end = game.child, game.player, game.payoffs, self.terminals.append
        stack: list[tuple[int, int, Any]] = []
        first, states, report_at = 0, [game.root()], _REPORT_EVERY
        while True:
            inner = []
            for number, state in enumerate(states, first):
                mover = mover_at(state)
                if mover.__class__ is not int or not TERMINAL <= mover < players:
                    mover = mover_of(mover, players)
                if mover != TERMINAL:
                    inner.append((number, mover, state))
                    continue
                answer = payoffs_at(state)
                found = checked_payoffs.known.get(id(answer))  # here for speed
                self.payoffs.extend(checked_payoffs(answer) if found is None else found[1])
                add_end(number)
            first += len(states)
            inner.reverse()
            stack += inner
            if not stack:
                return self._tree(first)
            node, mover, state = stack.pop()
            labels = self._enter_infoset(mover, state) if mover >= 0 else self._draw(state)
            self.opened.append(node)
            self.first_child.append(first)
            before = hash(state)
            states = [child(state, label) for label in labels]
            if hash(state) != before:
                raise InvalidAnswer("mutated state", "child() changed the state it was given; return a new one")
            if first >= report_at:
                self._refuse_endless(node)
                report_at = first + _REPORT_EVERY
                if self.progress is not None:
                    self.progress(first)

    def _refuse_endless(self, node: int) -> None:
        depth = 0
        while node:
            node = self.opened[bisect_right(self.first_child, node) - 1]
            depth += 1
        if depth > LONGEST:
            raise endless_game(self.game)

    def _enter_infoset(self, mover: int, state: Any) -> Labels:
        """Add a history of a player; return its actions."""
        actions, view = self.game.actions(state), self.game.view(state, mover)
        number = self.known[mover].get(view)
        if number is None:
            number = self._add_infoset(mover, view, actions)
        labels = self.actions[number]
        if labels is not actions and labels != tuple(actions):
            both = f"{shortened(labels)} at one history and {shortened(actions)} at another"
            raise InvalidAnswer("actions differ", f"infoset {infoset_name(mover, view)!r} offers {both}")
        self.infoset.append(number)
        self.label_set.append(self.infoset_labels[number])
        return labels

    def _add_infoset(self, mover: int, view: Hashable, actions: Any) -> int:
        if view.__class__ is not str:
            view_of(view)
            view = str(view) if isinstance(view, str) else view  # a text without attributes
        number = self.known[mover][view] = len(self.keys)
        labels = self.checked_actions(actions)
        self.keys.append(view)
        self.actions.append(labels)
        self.infoset_player.append(mover)
        self.infoset_labels.append(self._label_set_of(labels))
        return number

    def _draw(self, state: Any) -> Labels:
        """Add a history of chance; return its outcomes."""
        labels, chances = self.checked_chances(self.game.chances(state))
        self.infoset.append(-1)
        self.label_set.append(self._label_set_of(labels))
        self.chances.extend(chances)
        return labels

    def _label_set_of(self, labels: Labels) -> int:
        if len(labels) > WIDEST:
            raise SizeError(
                f"{name_of(self.game)} has a history with {len(labels):,} children; a tree holds {WIDEST:,}. Split "
                "the move in several."
            )
        return self.label_sets.setdefault(labels, len(self.label_sets))

    def _tree(self, histories: int) -> Tree:
        payoffs = np.array(self.payoffs).reshape(-1, self.game.players)
        if not (np.abs(payoffs) <= LARGEST_PAYOFF).all():  # so that nan is refused
            raise InvalidAnswer("payoffs", f"payoffs must be finite numbers up to {LARGEST_PAYOFF:g}")
        others = [name for name in zip(self.infoset_player, self.keys, strict=True) if name[1].__class__ is not str]
        if others and len(set(map(infoset_name, self.infoset_player, self.keys))) < len(self.keys):
            raise InvalidAnswer("view names", "two views have the same printed name; make their names differ")
        counts = [len(labels) for labels in self.actions]
        infoset_player = np.array(self.infoset_player)
        return Tree(
            name=self.game.name,
            parameters=json_parameters(self.game),
            players=self.game.players,
            **self._node_arrays(histories, infoset_player),
            terminals=np.array(self.terminals),
            payoffs=payoffs,
            infoset_player=infoset_player,
            infoset_labels=np.array(self.infoset_labels),
            first_row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            keys=tuple(self.keys),
            label_sets=tuple(self.label_sets),
            rules=self.game,
        )

    def _node_arrays(self, histories: int, infoset_player: np.ndarray) -> dict[str, np.ndarray]:
        """Return the arrays of all histories from those of the inner ones."""
        opened, infoset, label_set = np.array(self.opened), np.array(self.infoset), np.array(self.label_set)
        counts = np.array([len(labels) for labels in self.label_sets], dtype=np.int16)[label_set]
        movers = np.append(infoset_player, np.int8(CHANCE))[infoset]  # chance has infoset -1, the last
        arrays = {
            "player": _scattered(histories, opened, movers, TERMINAL),
            "parent": np.append(np.int32(-1), np.repeat(opened, counts)),
            "first_child": _scattered(histories, opened, np.array(self.first_child), 0),
            "child_count": _scattered(histories, opened, counts, 0),
            "infoset": _scattered(histories, opened, infoset, -1),
            "label_set": _scattered(histories, opened, label_set, -1),
        }
        chance = np.ones(histories)
        chance[1:][np.repeat(infoset < 0, counts)] = self.chances
        return {**arrays, "chance": chance}


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
