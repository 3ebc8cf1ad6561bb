"""Online outcome sampling over plain rules, with a dictionary as memory; see `oos`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tefuda.errors import GameError, quoted
from tefuda.games.answers import calling_rules, chances_of, move_numbers, payoffs_at
from tefuda.games.plays import draw_outcome
from tefuda.games.protocol import CHANCE, TERMINAL, Game, infoset_name, labels
from tefuda.solvers.protocol import normalised
from tefuda.solvers.sampled.oos import OnlineSampling


def trace_entry(game: Game, state: Any, player: int) -> Hashable:
    """Return a state's entry in a player's trace: the player's view, or None where chance moves.

    At the end of a game the entry identifies the state.
    """
    mover = game.player(state)
    if mover == CHANCE:
        return None
    return ("the end", state) if mover == TERMINAL else game.view(state, player)


class InfosetTables(NamedTuple):
    """The regrets and the average's weights of the actions at an infoset."""

    regret: list[Any]
    total: list[Any]


Memory = dict[tuple[int, Hashable], InfosetTables]


def find_infoset(memory: Memory, name: tuple[int, Hashable], count: int) -> InfosetTables | None:
    """Return the tables of an infoset, or None; GameError if its number of actions has changed."""
    tables = memory.get(name)
    if tables is not None and len(tables.regret) != count:
        raise GameError(
            f"infoset {quoted(infoset_name(*name))} must have {len(tables.regret)} actions as before, got {count}."
        )
    return tables


def visit(visited: set[Hashable], game: Game, name: tuple[int, Hashable]) -> None:
    """Add an infoset to those of a game in play; raise GameError if it came before (absent-mindedness)."""
    if name in visited:
        raise GameError(
            f"{game.name}: the infoset {quoted(infoset_name(*name))} comes twice in one game (absent-mindedness), and "
            "no method solves such games. Let view() show the number of the player's earlier actions."
        )
    visited.add(name)


@dataclass
class OosSearch:
    """Online outcome sampling over plain rules, for games that are too large to compile.

    Attributes:
        game: the rules.
        method: the settings of the search.
        choice: function that returns an index drawn by probabilities.
        memory: tables by (player, view).
        trace: the target, as the player's trace entries after every move of the match; empty: no target.
        player: the player whose trace is the target.
        iterations: number of iterations so far.
        nodes: number of histories visited so far.
        uniform: source of numbers in [0, 1) for the game's ``draw``, used without a target. Without it, chance outcomes
            are listed.
    """

    game: Game
    method: OnlineSampling
    choice: Callable[[Sequence[Any]], int]
    memory: Memory = field(default_factory=dict)
    trace: tuple[Hashable, ...] = ()
    player: int = 0
    iterations: int = 0
    nodes: int = 0
    uniform: Callable[[], float] | None = None
    _visited: set[Hashable] = field(default_factory=set, init=False, repr=False)

    def set_target(self, trace: Sequence[Hashable], player: int) -> None:
        """Set the target to the state of the match, given by a player's trace entries so far."""
        self.trace, self.player = tuple(trace), player

    def advance(self, iterations: int) -> None:
        """Run iterations; each plays an episode for every player. GameError if the rules fail."""
        with calling_rules(self.game):
            for _ in range(iterations):
                for player in range(self.game.players):
                    self.episode(player)
                    if self.game.players != 2:
                        self.average(player)
                self.iterations += 1

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """Return the average strategy at an infoset; uniform if the infoset is not in memory."""
        tables = find_infoset(self.memory, (player, key), len(actions))
        return normalised(tables.total if tables else [0] * len(actions))

    def episode(self, player: int) -> None:
        """Play an episode from the root that updates `player`."""
        delta, targeted = self._target()
        self._visited.clear()
        self._play_episode(self.game.root(), 0, player, 1, (1, 1, delta), targeted)

    def _target(self) -> tuple[Any, bool]:
        """Return the share of targeted episodes, and whether this episode is targeted."""
        self.nodes += 1
        delta = self.method.delta if self.trace else 0
        return delta, self.choice([delta, 1 - delta]) == 0

    def average(self, player: int) -> None:
        """Add a trajectory to the player's average; see the kernel `oos.update_average`."""
        game, state, s1, s2 = self.game, self.game.root(), 1, 1
        delta, targeted = self._target()
        for depth in move_numbers(game):
            mover, phi = game.player(state), None
            if mover == TERMINAL:
                return
            if mover != CHANCE:
                count = len(game.actions(state))
                phi = [self._one() / count] * count
            if mover == player:
                tables = find_infoset(self.memory, (mover, game.view(state, mover)), count)
                if tables is None:
                    return
                phi = self._matched(tables.regret)
                for a, p in enumerate(phi):
                    tables.total[a] += p * s2 / (delta * s1 + (1 - delta) * s2)
            _, state, p1, p2 = self._step(state, depth, phi, targeted)
            s1, s2 = s1 * p1, s2 * p2

    def _play_episode(
        self, state: Any, depth: int, player: int, w: Any, reach: tuple[Any, Any, Any], targeted: bool
    ) -> Any:
        """Play the rest of an episode; return its probability, and payoff / sampling probability."""
        game, (s1, s2, delta) = self.game, reach
        q, mover = delta * s1 + (1 - delta) * s2, game.player(state)
        if mover == TERMINAL:
            return 1, payoffs_at(game, state)[player] / q
        phi = tables = None
        if mover != CHANCE:
            name, count = (mover, game.view(state, mover)), len(game.actions(state))
            visit(self._visited, game, name)
            tables = find_infoset(self.memory, name, count)
            if tables is None:
                return self._add_infoset(state, name, count, player, w, q)
            sigma = self._matched(tables.regret)
            explored = self.method.epsilon * (mover == player)
            phi = [explored / count + (1 - explored) * p for p in sigma]
        index, child, p1, p2 = self._step(state, depth, phi, targeted)
        chance = p2 if tables is None else sigma[index]
        further = w if mover == player else w * chance
        x, scaled = self._play_episode(child, depth + 1, player, further, (s1 * p1, s2 * p2, delta), targeted)
        if tables is None:
            return x * chance, scaled
        return self._update(tables, sigma, index, mover == player, w, q, x, scaled), scaled

    def _step(self, state: Any, depth: int, phi: list[Any] | None, targeted: bool) -> tuple[int, Any, Any, Any]:
        """Draw the next action by phi (None for chance); return its index, child state, p1 and phi."""
        game = self.game
        self.nodes += 1
        if phi is None and not self.trace and self.uniform is not None:  # there may be too many deals to list
            label, chance = draw_outcome(game, state, self.uniform)
            return 0, game.child(state, label), chance, chance
        if phi is None:
            outcomes = game.chances(state)
            chances_of(outcomes)
            phi = [chance for _, chance in outcomes]
        children = [game.child(state, action) for action in labels(game, state)]
        p1 = self._restricted(phi, children, depth)
        index = self.choice(p1 if targeted else phi)
        return index, children[index], p1[index], phi[index]

    def _matched(self, regret: list[Any]) -> list[Any]:
        positive = [max(amount, 0) for amount in regret]
        total, n, gamma = sum(positive), len(regret), self.method.gamma
        return [gamma / n + (1 - gamma) * (p / total if total > 0 else self._one() / n) for p in positive]

    def _one(self) -> Any:
        """Return 1 in the method's number type, to keep fractions exact."""
        return self.method.epsilon / self.method.epsilon

    def _restricted(self, phi: list[Any], children: list[Any], depth: int) -> list[Any]:
        """Return phi restricted to children on target; phi itself if there are none."""
        if depth + 1 >= len(self.trace):
            return phi
        entry = self.trace[depth + 1]
        on_target = [
            p if trace_entry(self.game, s, self.player) == entry else 0 for p, s in zip(phi, children, strict=True)
        ]
        mass = sum(on_target)
        return [p / mass for p in on_target] if mass > 0 else phi

    def _add_infoset(self, state: Any, name: tuple[int, Hashable], n: int, player: int, w: Any, q: Any) -> Any:
        """Add an infoset to the memory, and play uniformly to the end."""
        tables = self.memory[name] = InfosetTables([0] * n, [0] * n)
        uniform = [self._one() / n] * n
        index, child, _, _ = self._step(state, len(self.trace), uniform, False)
        x, end = self._play_out(child)
        scaled = payoffs_at(self.game, end)[player] / (q * uniform[index] * x)
        return self._update(tables, uniform, index, name[0] == player, w, q, x, scaled), scaled

    def _play_out(self, state: Any) -> tuple[Any, Any]:
        x = self._one()
        for _ in move_numbers(self.game):
            mover = self.game.player(state)
            if mover == TERMINAL:
                break
            count = 0 if mover == CHANCE else len(self.game.actions(state))
            uniform = [self._one() / count] * count if count else None
            _, state, _, chance = self._step(state, len(self.trace), uniform, False)
            x *= chance
        return x, state

    def _update(
        self, tables: InfosetTables, sigma: list[Any], index: int, own: bool, w: Any, q: Any, x: Any, scaled: Any
    ) -> Any:
        """Update regrets or averages at an infoset; return x times the probability of its action."""
        here = x * sigma[index]
        for a, p in enumerate(sigma):
            if own:
                tables.regret[a] += ((x if a == index else 0) - here) * scaled * w
            elif self.game.players == 2:
                tables.total[a] += w * p / q
        return here
