"""Online outcome sampling over plain rules, its memory a dictionary: see `oos`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from tefuda.errors import GameError
from tefuda.games.answers import calling_rules, chances_of, move_numbers
from tefuda.games.playthrough import draw_outcome, pick
from tefuda.games.protocol import CHANCE, TERMINAL, Game, infoset_name, labels
from tefuda.solvers.protocol import normalised
from tefuda.solvers.sampled.oos import OnlineSampling


def sight(game: Game, state: Any, player: int) -> Hashable:
    """Return a state's entry in a trace: the player's view, None where chance moves, the state itself at the end."""
    mover = game.player(state)
    if mover == CHANCE:
        return None
    return ("the end", state) if mover == TERMINAL else game.view(state, player)


class Choosing(Protocol):
    """A source of random choices."""

    def choice(self, probabilities: Sequence[Any], /) -> int:
        """Draw an index by probabilities."""


class Remembered(NamedTuple):
    """One infoset in the memory of a search over rules."""

    regret: list[Any]
    total: list[Any]


Memory = dict[tuple[int, Hashable], Remembered]


def recalled(memory: Memory, name: tuple[int, Hashable], count: int) -> Remembered | None:
    """Return an infoset in a memory, None if it is new; GameError if it had another number of actions before."""
    known = memory.get(name)
    if known is not None and len(known.regret) != count:
        raise GameError(f"infoset {infoset_name(*name)!r} had {len(known.regret)} actions before, and has {count} now.")
    return known


@dataclass
class OosSearch:
    """The search of `oos` over plain rules, its memory a dictionary, for games too large to compile.

    rng: source of random choices. uniform: source of numbers in [0, 1), by which the game's own ``draw`` deals while
    there is no target; without it chance's outcomes are listed. trace, player: the target, an infoset, by the views of
    the player after every move of the match. nodes: histories visited.

    >>> from tefuda.solvers.sampled.search import Draws
    >>> import numpy as np
    >>> search = td.OosSearch(td.load_game("kuhn"), td.OOS, Draws(np.random.default_rng(0)))
    >>> search.advance(20)
    >>> search.iterations
    20
    """

    game: Game
    method: OnlineSampling
    rng: Choosing
    memory: Memory = field(default_factory=dict)
    trace: tuple[Hashable, ...] = ()
    player: int = 0
    iterations: int = 0
    nodes: int = 0
    uniform: Callable[[], float] | None = None

    def clear(self) -> None:
        """Forget everything, the target included."""
        self.memory.clear()
        self.trace = ()

    def aim(self, trace: Sequence[Hashable], player: int) -> None:
        """Aim at the match's state: the player's `sight` of each history so far."""
        self.trace, self.player = tuple(trace), player

    def advance(self, iterations: int) -> None:
        """Run iterations of one episode for every player; GameError if the rules fail."""
        with calling_rules(self.game):
            for _ in range(iterations):
                for player in range(self.game.players):
                    self.episode(player)
                    if self.game.players != 2:
                        self.average(player)
                self.iterations += 1

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """Return the average strategy at an infoset; uniform if it is not in memory."""
        known = recalled(self.memory, (player, key), len(actions))
        return normalised(known.total if known else [0] * len(actions))

    def episode(self, player: int) -> None:
        """Run an episode from the root that updates `player`."""
        delta, targeted = self._target()
        self._walk(self.game.root(), 0, player, 1, (1, 1, delta), targeted)

    def _target(self) -> tuple[Any, bool]:
        """Return the share of the episodes that are aimed, and whether this one is."""
        self.nodes += 1
        delta = self.method.delta if self.trace else 0
        return delta, self.rng.choice([delta, 1 - delta]) == 0

    def average(self, player: int) -> None:
        """Add a trajectory to the player's average, for other than two players: see the kernel `oos.average`."""
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
                known = recalled(self.memory, (mover, game.view(state, mover)), count)
                if known is None:
                    return
                phi = self._matched(known.regret)
                for a, p in enumerate(phi):
                    known.total[a] += p * s2 / (delta * s1 + (1 - delta) * s2)
            _, state, p1, p2 = self._step(state, depth, phi, targeted)
            s1, s2 = s1 * p1, s2 * p2

    def _walk(self, state: Any, depth: int, player: int, w: Any, reach: tuple[Any, Any, Any], targeted: bool) -> Any:
        """Play the rest of an episode: (its probability by the profile, payoff / probability of drawing it)."""
        game, (s1, s2, delta) = self.game, reach
        q, mover = delta * s1 + (1 - delta) * s2, game.player(state)
        if mover == TERMINAL:
            return 1, game.payoffs(state)[player] / q
        phi = known = None
        if mover != CHANCE:
            name, count = (mover, game.view(state, mover)), len(game.actions(state))
            known = recalled(self.memory, name, count)
            if known is None:
                return self._add(state, name, count, player, w, q)
            sigma = self._matched(known.regret)
            explored = self.method.epsilon * (mover == player)
            phi = [explored / count + (1 - explored) * p for p in sigma]
        at, after, p1, p2 = self._step(state, depth, phi, targeted)
        chance = p2 if known is None else sigma[at]
        further = w if mover == player else w * chance
        x, scaled = self._walk(after, depth + 1, player, further, (s1 * p1, s2 * p2, delta), targeted)
        if known is None:
            return x * chance, scaled
        return self._learn(known, sigma, at, mover == player, w, q, x, scaled), scaled

    def _step(self, state: Any, depth: int, phi: list[Any] | None, targeted: bool) -> tuple[int, Any, Any, Any]:
        """Draw the next action by phi, None where chance moves: (its place, the state after it, its p1, its phi)."""
        game = self.game
        self.nodes += 1
        if phi is None and not self.trace and self.uniform is not None:  # deals may be more than one wants to list
            label, chance = draw_outcome(game, state, self.uniform)
            return 0, game.child(state, label), chance, chance
        if phi is None:
            outcomes = game.chances(state)
            chances_of(outcomes)
            phi = [chance for _, chance in outcomes]
        below = [game.child(state, action) for action in labels(game, state)]
        p1 = self._restricted(phi, below, depth)
        at = self.rng.choice(p1 if targeted else phi)
        return at, below[at], p1[at], phi[at]

    def _matched(self, regret: list[Any]) -> list[Any]:
        positive = [max(amount, 0) for amount in regret]
        total, n, gamma = sum(positive), len(regret), self.method.gamma
        return [gamma / n + (1 - gamma) * (p / total if total > 0 else self._one() / n) for p in positive]

    def _one(self) -> Any:
        """Return 1 in the method's type of numbers, so that fractions stay exact."""
        return self.method.epsilon / self.method.epsilon

    def _restricted(self, phi: list[Any], below: list[Any], depth: int) -> list[Any]:
        """Return phi on the children with the match's view of the target's player; phi itself if there are none."""
        if depth + 1 >= len(self.trace):
            return phi
        seen = self.trace[depth + 1]
        kept = [p if sight(self.game, s, self.player) == seen else 0 for p, s in zip(phi, below, strict=True)]
        mass = sum(kept)
        return [p / mass for p in kept] if mass > 0 else phi

    def _add(self, state: Any, name: tuple[int, Hashable], n: int, player: int, w: Any, q: Any) -> Any:
        """Add an infoset to the memory, and play on at random."""
        known = self.memory[name] = Remembered([0] * n, [0] * n)
        uniform = [self._one() / n] * n
        at, after, _, _ = self._step(state, len(self.trace), uniform, False)
        x, end = self._play_out(after)
        scaled = self.game.payoffs(end)[player] / (q * uniform[at] * x)
        return self._learn(known, uniform, at, name[0] == player, w, q, x, scaled), scaled

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

    def _learn(
        self, known: Remembered, sigma: list[Any], at: int, own: bool, w: Any, q: Any, x: Any, scaled: Any
    ) -> Any:
        """Add an episode's regrets or averages at an infoset; return x times the probability of its action."""
        here = x * sigma[at]
        for a, p in enumerate(sigma):
            if own:
                known.regret[a] += ((x if a == at else 0) - here) * scaled * w
            elif self.game.players == 2:
                known.total[a] += w * p / q
        return here


class Draws:
    """Random choices from a NumPy generator; see `Choosing`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def choice(self, probabilities: Sequence[Any]) -> int:
        """See `Choosing`."""
        return pick(probabilities, self.rng.random())
