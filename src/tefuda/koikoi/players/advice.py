"""Decisions of a player of Koi-Koi from its view alone, with the values of all candidates."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import python_function
from tefuda.errors import ParameterError, check_range, shortened
from tefuda.koikoi.cards import DECK, ids_of
from tefuda.koikoi.game import DEAL, DRAW, END, KOI, LABELS, PICK_HAND, PLAY, KoiKoi, Play, Round
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels.values import Worth, phase_of
from tefuda.koikoi.kernels.world import DRAWN
from tefuda.koikoi.players.ladder import Recipe, search_of, sit
from tefuda.koikoi.records import deal
from tefuda.koikoi.sight import as_world, read_sight
from tefuda.koikoi.simulator import compile_rules, streams

_STRIDE = 5  # between cards of a deck, so that no hand holds three of a month
_FIRST = 32  # worlds, to measure how many fit into a limit of time
_NO_PAST, _NO_CARDS = np.zeros((0, 6), dtype=np.uint64), np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True)
class Seen:
    """A player's knowledge at its decision; state: the round without the opponent's hand; known: that for kernels."""

    state: Round
    seat: int
    known: np.ndarray  # [WIDTH]

    @property
    def past(self) -> np.ndarray:
        """The plays of the opponent, `[n, 6]` uint64 (`belief.SEEN_*`)."""
        rows = [_row(play) for play in self.state.plays if (play.turn - 1) % 2 != self.seat]
        return np.array(rows, dtype=np.uint64).reshape(-1, 6)

    @property
    def unseen(self) -> np.ndarray:
        """The cards that the player has not seen, `[U]` uint8."""
        return np.array(ids_of(self.state.stock), dtype=np.uint8)


def see(game: KoiKoi, view: object, seat: int) -> Seen:
    """Read a view of the whole game; raise ParameterError unless it is one of a turn of this player."""
    state = read_sight(game, view, seat)
    if state.phase in (DEAL, DRAW, END) or state.mover != seat:
        raise ParameterError(f"in {shortened(view)} player {seat} is not in turn.")
    known = as_world(game, state)
    known[DRAWN] = state.turn - (state.phase in (PLAY, PICK_HAND))
    return Seen(state, seat, known)


def _row(play: Play) -> tuple[int, int, int, int, int, int]:
    """Return a play for kernels."""
    mover = (play.turn - 1) % 2
    phase = python_function(phase_of)(8 - (play.turn + 1) // 2, play.calls[mover], play.calls[1 - mover])
    return play.field, play.piles[mover], play.piles[1 - mover], int(phase), 1 << play.card, play.taken


class Candidate(NamedTuple):
    """A legal action.

    action: its label. takes: labels of the field cards it takes; of two, the one to choose next. value: utility to the
    player, in points unless a match is at stake; nan if it is not known.
    """

    action: str
    takes: tuple[str, ...]
    value: float


class Adviser:
    """Decides for a player from its view alone.

    Args:
        game: a round of the whole game.
        recipe: configuration of the player; no clairvoyant one.
        worth: value tables, if the player needs them.

    Raises:
        ParameterError: tables are missing, a reduced game, or a clairvoyant player.
    """

    def __init__(self, game: KoiKoi, recipe: Recipe, worth: Worth | None = None) -> None:
        if not game.whole:
            raise ParameterError(f"these players know the whole game, not {game.name}.")
        if recipe.kind == "seer":
            raise ParameterError("a seer sees all cards; it cannot decide by what one player sees.")
        self.game, self.recipe = game, recipe
        self._values = compile_rules(game.rules)
        self._table = sit((recipe,), worth)

    def prepare(self) -> None:
        """Compile the kernels of decisions, by deciding in a fixed deal."""
        state = deal(self.game, [_STRIDE * place % len(DECK) for place in range(len(DECK))])
        sight = see(self.game, self.game.view(state, 0), 0)
        self._decide(sight, streams(0, 1)[0], replace(self.recipe, worlds=1))

    def advise(
        self, view: object, seat: int, seed: int, *, seconds: float | None = None, utility: np.ndarray | None = None
    ) -> list[Candidate]:
        """Return the candidates, the best first; simple players return their choice alone.

        view: a view of the game, or its text. seat: the player whose view it is, 0 the dealer. seconds: limit of time
        of a searcher in place of its number of worlds. utility: utility of points, see `MatchValue.utility`; None:
        points. Raise ParameterError unless the view is of a turn of this player.
        """
        lucky = self.recipe.kind not in ("tables", "network")
        sight, state = see(self.game, view, seat), streams(seed, 1)[0] if lucky else np.uint64(0)
        if utility is not None:
            self._table = self._table._replace(utility=utility[None])
        if seconds is None or self.recipe.kind != "search":
            return self._decide(sight, state, self.recipe)
        check_range("seconds", seconds, 0, 3600, whole=False)
        started = time.perf_counter()
        found = self._decide(sight, state, replace(self.recipe, worlds=_FIRST))
        spent = time.perf_counter() - started
        worlds = min(int(_FIRST * (seconds - spent) / spent), 1_000_000)
        return self._decide(sight, state, replace(self.recipe, worlds=worlds)) if worlds > _FIRST else found

    def _decide(self, sight: Seen, state: np.uint64, recipe: Recipe) -> list[Candidate]:
        table, past, unseen = self._table, _NO_PAST, _NO_CARDS
        if recipe.kind in ("network", "search"):
            past = sight.past
        if table.searches is not None:
            table, unseen = table._replace(searches=(search_of(recipe),)), sight.unseen
        action, takes, size = kernels.decide(self._values, table, sight.known, past, unseen, np.uint64(state))
        if not size or (room := table.room) is None:
            return [_candidate(sight, int(action), int(takes), float("nan"))]
        found = []
        for at in room.order[:size]:
            mean = float(room.sums[0, at] / room.sums[1, at])
            found.append(_candidate(sight, int(room.cards[at]), int(room.takes[at]), mean))
        return found


def _candidate(sight: Seen, action: int, takes: int, value: float) -> Candidate:
    taken = tuple(LABELS[card] for card in ids_of(takes))
    if sight.state.phase in (PLAY, KOI):
        return Candidate(LABELS[action], () if sight.state.phase == KOI else taken, value)
    return Candidate(taken[0], taken, value)
