"""Compilation of rules to a tree: a traversal of all histories that validates the rules' answers."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tefuda.errors import GameError, SizeError, TefudaError, shortened
from tefuda.forms.cache import NODE_ARRAYS, cache_path, load_tree, save_tree
from tefuda.forms.form import Saved
from tefuda.forms.tree import Tree
from tefuda.games.answers import (
    EXACT_INTEGERS,
    LARGEST_PAYOFF,
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
_CACHE_FROM = 50_000  # histories; smaller trees are built as fast as they are read


def rebuild_tree(rules: Game | Tree, saved: Saved, building: BuildProgress | None = None) -> Tree:
    """Return the tree of a saved run; see `form.REPRESENTATIONS`."""
    return rules if isinstance(rules, Tree) else compile_game(rules, progress=building)


def compile_game(game: Game, *, progress: BuildProgress | None = None, cache: bool = True, force: bool = False) -> Tree:
    """Return a game as arrays.

    Every answer of the rules is validated, states must not change their hash, and views must have distinct
    names. `check_game` tests 50 histories and one in 200 for all other faults, such as answers that are not
    repeatable. Imperfect recall, and payoffs with another sum than declared, are accepted.

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
    if path is not None and len(tree.player) >= _CACHE_FROM:
        save_tree(path, tree)
    return tree


class _Builder:
    """A depth-first traversal and its arrays; the stack contains unopened states only."""

    def __init__(self, game: Game, progress: BuildProgress | None) -> None:
        self.game, self.progress = game, progress
        self.player, self.child_count = array("b", [0]), array("h", [0])
        self.parent, self.first_child = array("i", [-1]), array("i", [0])
        self.infoset, self.label_set = array("i", [-1]), array("i", [-1])
        self.chance, self.payoffs, self.terminals = array("d", [1.0]), array("d"), array("i")
        self.known: dict[tuple[int, Hashable], int] = {}
        self.infoset_labels: list[tuple[Hashable, ...]] = []
        self.label_sets: dict[tuple[Hashable, ...], int] = {}

    def build(self) -> Tree:
        game, players = self.game, self.game.players
        stack, report_at = [(0, game.root())], _REPORT_EVERY
        while stack:
            node, state = stack.pop()
            mover = game.player(state)
            if mover.__class__ is not int or not TERMINAL <= mover < players:
                mover = mover_of(mover, players)
            self.player[node] = mover
            chances: Sequence[float]
            if mover >= 0:
                actions = self._enter_infoset(node, mover, state)
                chances = (1.0,) * len(actions)
            elif mover == CHANCE:
                actions, chances = outcomes_of(game.chances(state))
            else:
                payoffs = game.payoffs(state)
                plain = payoffs.__class__ is tuple and len(payoffs) == players
                if not plain or min(payoffs) < -EXACT_INTEGERS or max(payoffs) > EXACT_INTEGERS:
                    payoffs = payoffs_of(payoffs, players)
                self.terminals.append(node)
                self.payoffs.extend(payoffs)
                continue
            first = self._add_children(node, actions, chances)
            child, before = game.child, hash(state)
            stack += [(first + i, child(state, actions[i])) for i in range(len(actions) - 1, -1, -1)]
            if hash(state) != before:
                raise InvalidAnswer("mutated state", "child() changed the state it was given; return a new one")
            if first >= report_at:
                self._refuse_endless(first)
                report_at = first + _REPORT_EVERY
                if self.progress is not None:
                    self.progress(first)
        return self._tree()

    def _refuse_endless(self, node: int) -> None:
        depth = 0
        while (node := self.parent[node]) >= 0:
            depth += 1
        if depth > LONGEST:
            raise endless_game(self.game)

    def _enter_infoset(self, node: int, mover: int, state: Any) -> Labels:
        actions, view = self.game.actions(state), self.game.view(state, mover)
        number = self.known.get((mover, view))
        if number is None:
            view_of(view)
            number = len(self.known)
            self.known[mover, str(view) if isinstance(view, str) else view] = number  # a text without attributes
            self.infoset_labels.append(actions_of(actions))
        self.infoset[node] = number
        labels = self.infoset_labels[number]
        if labels is not actions and labels != tuple(actions):
            both = f"{shortened(labels)} at one history and {shortened(actions)} at another"
            raise InvalidAnswer("actions differ", f"infoset {infoset_name(mover, view)!r} offers {both}")
        return labels

    def _add_children(self, node: int, labels: tuple[Hashable, ...], chances: Any) -> int:
        first, count = len(self.player), len(labels)
        if count > WIDEST:
            raise SizeError(
                f"{name_of(self.game)} has a history with {count:,} children; a tree holds {WIDEST:,}. Split the move "
                "in several."
            )
        self.first_child[node] = first
        self.child_count[node] = count
        self.label_set[node] = self.label_sets.setdefault(labels, len(self.label_sets))
        self.player.extend((0,) * count)
        self.child_count.extend((0,) * count)
        self.parent.extend((node,) * count)
        self.first_child.extend((0,) * count)
        self.infoset.extend((-1,) * count)
        self.label_set.extend((-1,) * count)
        self.chance.extend(chances)
        return first

    def _tree(self) -> Tree:
        payoffs = np.array(self.payoffs).reshape(-1, self.game.players)
        if not (np.abs(payoffs) <= LARGEST_PAYOFF).all():  # so that nan is refused
            raise InvalidAnswer("payoffs", f"payoffs must be finite numbers up to {LARGEST_PAYOFF:g}")
        if len({infoset_name(player, key) for player, key in self.known}) < len(self.known):
            raise InvalidAnswer("view names", "two views have the same printed name; make their names differ")
        # Terminals are met depth-first; rising numbers let them be found by search and read in order.
        order = np.argsort(np.array(self.terminals), kind="stable")
        counts = [len(labels) for labels in self.infoset_labels]
        arrays: dict[str, Any] = {name: np.array(getattr(self, name)) for name in NODE_ARRAYS}
        return Tree(
            name=self.game.name,
            parameters=json_parameters(self.game),
            players=self.game.players,
            terminals=np.array(self.terminals)[order],
            payoffs=payoffs[order],
            infoset_player=np.array([player for player, _ in self.known], dtype=np.int8),
            infoset_labels=np.array([self.label_sets[labels] for labels in self.infoset_labels], dtype=np.int32),
            first_row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            keys=tuple(key for _, key in self.known),
            label_sets=tuple(self.label_sets),
            rules=self.game,
            **arrays,
        )
