"""Information set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012), on trees or plain rules.

Each iteration plays a history that fits the player's view, and grows one tree of statistics. The search does not
converge to an equilibrium; online outcome sampling does, see `SearchAgent`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tefuda._kernels import oos as kernels
from tefuda.errors import GameError, check_choice, check_range, check_seed
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.evaluating.values import reach
from tefuda.forms.simulate import longest_history, traversal_histories
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import calling_rules, chances_of, move_numbers, payoffs_at, require_game
from tefuda.games.plays import draw_outcome, pick
from tefuda.games.protocol import CHANCE, TERMINAL, Game, has_method
from tefuda.playing.agents import Decision, ObservedHand, PolicyAgent
from tefuda.solvers.protocol import Policy
from tefuda.solvers.sampled.search import trace_entry

OBSERVERS = ("multiple", "single")
_ROOTS = 100, 1000  # root histories without a tree: at least, and at most one for each iteration
_ATTEMPTS = 10_000  # drawn histories at most, without a tree


@dataclass(frozen=True)
class TreeSearch:
    """A strategy that searches at each infoset: shares of visits, or the most visited action.

    Args:
        game: a tree, or rules of any size.
        iterations: number of iterations at each infoset.
        observer: ``"multiple"``: each player's statistics are by its own view; ``"single"``: by the searching player's,
            as if all opponents knew the same.
        exploration: constant of the bound, for payoffs scaled to 0..1.
        model: strategy of the opponents' earlier actions, which weights root histories; None: uniform play.
        answer: ``"shares"`` of visits, or ``"most"``: the most visited action.
        seed: random seed; an infoset's answer depends on nothing else.

    Raises:
        ParameterError: a value out of range.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.playing.TreeSearch(tree, answer="most").strategy(1, "J|b", ("p", "b"))
    [1.0, 0.0]
    """

    game: Tree | Game
    iterations: int = 1000
    observer: str = "multiple"
    exploration: float = 1.0
    model: Policy | Profile | None = None
    answer: str = "shares"
    seed: int = 0

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)
        check_choice("observer", self.observer, OBSERVERS)
        check_range("exploration", self.exploration, 0, 1e6, whole=False)
        check_choice("answer", self.answer, ("shares", "most"))
        check_seed(self.seed)
        if not isinstance(self.game, Tree):
            require_game(self.game)
        if isinstance(self.game, Tree) and isinstance(self.model, Profile):
            require_same_game(self.game, self.model)

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """Return the probabilities of the actions at an infoset.

        Raises:
            GameError: without a tree, no drawn history fits the view.
        """
        return self.search([key], player, actions)

    def search(self, trace: Sequence[Hashable], player: int, actions: Sequence[Hashable]) -> list[float]:
        """Return the probabilities at the state of a match, given by a player's trace; see `trace_entry`."""
        seed = self.seed ^ zlib.crc32(repr((player, trace[-1])).encode())
        if isinstance(self.game, Tree):
            visits = _on_tree(self, self.game, self.game.number((player, trace[-1])), seed)
        else:
            with calling_rules(self.game):
                visits = np.array(_RulesSearch(self, self.game, player, seed).run(trace, actions))
        if self.answer == "most":
            return [float(a == int(np.argmax(visits))) for a in range(len(visits))]
        return [float(share) for share in visits / visits.sum()]


def _on_tree(search: TreeSearch, tree: Tree, infoset: int, seed: int) -> np.ndarray:
    """Return the visits of the actions at an infoset."""
    player, histories = int(tree.infoset_player[infoset]), traversal_histories(tree)
    shares, roots = tree.derived(_root_shares, search.model, player), np.flatnonzero(tree.infoset == infoset)
    weights = shares[roots]
    if not weights.sum() > 0:  # the model never comes here
        weights = tree.derived(_root_shares, None, player)[roots]
    weights = weights if weights.sum() > 0 else np.ones(len(roots))
    edge = tree.derived(_edges, player if search.observer == "single" else -1)
    low, span = tree.payoffs.min(axis=0), np.maximum(np.ptp(tree.payoffs, axis=0), 1e-300)
    path = np.zeros((longest_history(tree) + 1, 2), dtype=np.int64)
    statistics = kernels.Visits(edge, np.zeros((int(edge.max()) + 1, 3)), low, span, path)
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    cumulative = np.cumsum(weights / weights.sum())
    kernels.tree_search(histories, statistics, roots, cumulative, float(search.exploration), key, search.iterations)
    return np.asarray(statistics.numbers[edge[tree.children(int(roots[0]))], 0])


def _root_shares(tree: Tree, model: Policy | Profile | None, player: int) -> np.ndarray:
    """Return `[N]` counterfactual reach of the histories for the player, if the others play by the model."""
    if model is None:
        model = Profile.uniform(tree)
    profile = model if isinstance(model, Profile) else Profile.from_function(tree, model.strategy)
    return reach(profile).counterfactual(player)


def _edges(tree: Tree, observer: int) -> np.ndarray:
    """Return `[N]` numbers of the actions that lead to histories, by views of the mover or an observer."""
    edge, decisions = np.zeros(len(tree.player), dtype=np.int64), np.flatnonzero(tree.player >= 0).tolist()
    numbers, known = dict[Hashable, int](), states(tree) if observer >= 0 else []
    for node in decisions:
        key = (int(tree.player[node]), tree.game.view(known[node], observer)) if known else int(tree.infoset[node])
        for place, label in enumerate(tree.labels_at(node)):
            edge[tree.children(node).start + place] = numbers.setdefault((key, label), len(numbers))
    return edge


class _RulesSearch:
    """A search over plain rules; statistics are lists of visits, sums of payoffs, and availability."""

    def __init__(self, search: TreeSearch, game: Game, player: int, seed: int) -> None:
        self.search, self.game, self.player, self.rng = search, game, player, np.random.default_rng(seed)
        self.tables: dict[Hashable, dict[Hashable, list[float]]] = {}
        self.low, self.high = [math.inf] * game.players, [-math.inf] * game.players

    def run(self, trace: Sequence[Hashable], actions: Sequence[Hashable]) -> list[float]:
        """Return the visits of the actions at the state of a match."""
        roots, weights = self._roots(trace)
        shares = (np.array(weights) / sum(weights)).tolist()
        for _ in range(self.search.iterations):
            self._iterate(roots[pick(shares, self.rng.random())])
        table = self.tables[self._key(roots[0], self.player)]
        return [table[action][0] if action in table else 0.0 for action in actions]

    def _roots(self, trace: Sequence[Hashable]) -> tuple[list[Any], list[float]]:
        """Return drawn histories that fit the trace, or the last view alone, with importance weights."""
        roots, weights = list[Any](), list[float]()
        least, most = _ROOTS
        for _ in range(_ATTEMPTS):
            if len(roots) >= max(least, min(self.search.iterations, most)):
                break
            state, weight = self._draw_root(trace)
            if weight > 0:
                roots.append(state)
                weights.append(weight)
        if not roots:
            raise GameError(
                f"{self.game.name}: none of {_ATTEMPTS:,} drawn histories fits the view {trace[-1]!r} of player "
                f"{self.player}; use a game with a tree, or an agent that needs no such histories, such as oos."
            )
        return roots, weights

    def _draw_root(self, trace: Sequence[Hashable]) -> tuple[Any, float]:
        """Return a history drawn among those that fit the trace, and its weight: 0 if it does not fit."""
        game, state, weight, guided = self.game, self.game.root(), 1.0, len(trace) > 1
        for depth in move_numbers(game):
            mover = game.player(state)
            if mover == self.player and game.view(state, mover) == trace[-1]:
                return state, weight
            if mover == TERMINAL or (guided and depth + 1 >= len(trace)):
                return state, 0.0
            if mover == CHANCE and has_method(game, "draw"):
                children, shares = [game.child(state, draw_outcome(game, state, self.rng.random)[0])], [1.0]
            else:
                labels, shares = self._model(state, mover)
                children = [game.child(state, label) for label in labels]
            if guided:
                fits = [trace_entry(game, child, self.player) == trace[depth + 1] for child in children]
                shares = [share * fit for share, fit in zip(shares, fits, strict=True)]
            if not (mass := sum(shares)) > 0:
                return state, 0.0
            if mover != self.player:
                weight *= mass
            state = children[pick([share / mass for share in shares], self.rng.random())]
        return state, 0.0

    def _model(self, state: Any, mover: int) -> tuple[Sequence[Hashable], list[float]]:
        """Return the labels at a history and their probabilities: of chance, or of a player's earlier actions."""
        if mover == CHANCE:
            outcomes = self.game.chances(state)
            return [label for label, _ in outcomes], [float(chance) for chance in chances_of(outcomes)]
        actions, model = tuple(self.game.actions(state)), self.search.model
        if model is None or mover == self.player:
            return actions, [1 / len(actions)] * len(actions)
        return actions, [float(p) for p in model.strategy(mover, self.game.view(state, mover), actions)]

    def _key(self, state: Any, mover: int) -> Hashable:
        return mover, self.game.view(state, self.player if self.search.observer == "single" else mover)

    def _iterate(self, state: Any) -> None:
        game, path, added = self.game, list[tuple[int, list[float]]](), False
        for _ in move_numbers(game):
            mover = game.player(state)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                state = game.child(state, draw_outcome(game, state, self.rng.random)[0])
                continue
            actions = tuple(game.actions(state))
            if added:
                action = actions[int(self.rng.random() * len(actions))]
            else:
                table = self.tables.setdefault(self._key(state, mover), {})
                action, added = self._choose(table, actions, mover)
                path.append((mover, table[action]))
            state = game.child(state, action)
        payoffs = [float(amount) for amount in payoffs_at(game, state)]
        self.low, self.high = [*map(min, self.low, payoffs)], [*map(max, self.high, payoffs)]
        for mover, numbers in path:
            numbers[0] += 1
            numbers[1] += payoffs[mover]

    def _choose(
        self, table: dict[Hashable, list[float]], actions: Sequence[Hashable], mover: int
    ) -> tuple[Hashable, bool]:
        """Return an action, and whether it is new: see the kernel `oos.chosen_action`."""
        for action in actions:
            if action in table:
                table[action][2] += 1
        if new := [action for action in actions if action not in table]:
            action = new[int(self.rng.random() * len(new))]
            table[action] = [0.0, 0.0, 1.0]
            return action, True
        low, span = self.low[mover], max(self.high[mover] - self.low[mover], 1e-300)

        def bound(action: Hashable) -> tuple[float, float]:
            visits, total, available = table[action]
            spread = self.search.exploration * math.sqrt(math.log(available) / visits)
            return (total / visits - low) / span + spread, self.rng.random()

        return max(actions, key=bound), False


@dataclass
class IsmctsAgent(PolicyAgent):
    """Agent that plays a `TreeSearch`.

    At a table without a tree it draws histories that fit all its views of the hand.

    >>> search = td.playing.TreeSearch(td.compile_game(td.load_game("kuhn")), iterations=20)
    >>> td.duplicate_match(search.game, [td.playing.IsmctsAgent("i", search), td.RandomAgent()], deals=2).agents
    ('i', 'random')
    """

    policy: TreeSearch
    searches: ClassVar[bool] = True
    _trace: list[Hashable] = field(default_factory=list, init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`."""
        self._trace.clear()

    def observe(self, view: Hashable) -> None:
        """Receive a view at a table without a tree, at the first state and after each move; None at chance."""
        self._trace.append(view)

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`."""
        self._trace.clear()

    def act(self, decision: Decision) -> int:
        trace = self._trace or [decision.view]
        return pick(self.policy.search(trace, decision.seat, decision.actions), decision.uniform)
