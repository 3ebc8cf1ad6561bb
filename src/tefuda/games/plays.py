"""Random games, with validation of all answers of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.games.answers import (
    actions_of,
    calling_rules,
    chances_of,
    drawn_outcome_of,
    move_numbers,
    mover_of,
    payoffs_at,
)
from tefuda.games.protocol import CHANCE, TERMINAL, Game, Label, State, infoset_name


def draw_outcome(game: Game, state: State, uniform: Callable[[], float]) -> tuple[Label, Any]:
    """Draw an outcome of chance, (label, probability), by the game's ``draw`` if there is one.

    Raises:
        InvalidAnswer: the probabilities are negative or do not sum to 1, or ``draw`` returned no outcome.
    """
    own = getattr(game, "draw", None)
    if own is not None:
        return drawn_outcome_of(own(state, uniform))
    outcomes = game.chances(state)
    return outcomes[pick(chances_of(outcomes), uniform())]


def pick(probabilities: Sequence[float], uniform: float) -> int:
    """Return the index at a number `uniform` in [0, 1); never one of probability 0."""
    last = 0
    for index, chance in enumerate(probabilities):
        if chance > 0:
            if uniform < chance:
                return index
            last = index
        uniform -= chance
    return last


@dataclass(frozen=True)
class PlayedMove:
    """A step of a random game: state, player to move, and action or outcome with its probability."""

    state: State
    player: int
    action: Label
    probability: float


def play(game: Game, rng: np.random.Generator) -> tuple[list[PlayedMove], State]:
    """Play a game with uniformly random actions; return its steps and the terminal state.

    Raises:
        GameError: an exception or invalid answer of the rules, or an endless game.
    """
    with calling_rules(game):
        state, steps = game.root(), list[PlayedMove]()
        for _ in move_numbers(game):
            mover = mover_of(game.player(state), game.players)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                action, chance = draw_outcome(game, state, rng.random)
                probability = float(chance)
            else:
                actions = actions_of(game.actions(state))
                action, probability = actions[int(rng.integers(len(actions)))], 1 / len(actions)
            steps.append(PlayedMove(state, mover, action, probability))
            state = game.child(state, action)
        return steps, state


def playthrough(game: Game, rng: np.random.Generator) -> Iterator[str]:
    """Yield the lines of a random game: views, possible and chosen actions, and payoffs.

    Args:
        game: the rules.
        rng: random number generator.

    Yields:
        Lines of text.

    Raises:
        GameError: an exception or invalid answer of the rules, or an endless game.

    >>> import numpy as np
    >>> print(next(td.games.playthrough(td.load_game("kuhn"), np.random.default_rng(0))))
    kuhn, 2 players
    """
    with calling_rules(game):
        steps, end = play(game, rng)
        yield f"{game.name}, {game.players} player{'s' if game.players > 1 else ''}"
        for step in steps:
            if step.player == CHANCE:
                yield f"chance: {step.action}   (probability {step.probability:.4g})"
                continue
            options = " ".join(str(action) for action in game.actions(step.state))
            name = infoset_name(step.player, game.view(step.state, step.player))
            yield f"player {name}   may {options}   does {step.action}"
        payoffs = payoffs_at(game, end)
        yield "end: " + "  ".join(f"player {p} {float(amount):+g}" for p, amount in enumerate(payoffs))
