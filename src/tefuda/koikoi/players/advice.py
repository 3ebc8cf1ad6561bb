"""Decisions of a player of Koi-Koi from its view, with the values of all candidates."""

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
from tefuda.koikoi.kernels.state import DRAWN
from tefuda.koikoi.kernels.tables import ValueTables, phase_of
from tefuda.koikoi.players.ladder import PlayerConfiguration, kernel_search, make_players
from tefuda.koikoi.records import deal
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.view import read_view, state_array

_STRIDE = 5  # step between cards of a deck; no hand gets three of a month
_FIRST = 32  # determinizations of the first search, which measures the speed
_NO_PAST, _NO_CARDS = np.zeros((0, 6), dtype=np.uint64), np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True)
class Knowledge:
    """A player's knowledge at a decision.

    Attributes:
        state: the round without the opponent's hand.
        seat: the player.
        known: `[WIDTH]`, the state for kernels.
    """

    state: Round
    seat: int
    known: np.ndarray  # [WIDTH]

    @property
    def past_plays(self) -> np.ndarray:
        """The plays of the opponent, `[n, 6]` uint64 (`belief.PAST_*`)."""
        rows = [_row(play) for play in self.state.plays if (play.turn - 1) % 2 != self.seat]
        return np.array(rows, dtype=np.uint64).reshape(-1, 6)

    @property
    def unseen(self) -> np.ndarray:
        """The cards that the player has not seen, `[U]` uint8."""
        return np.array(ids_of(self.state.stock), dtype=np.uint8)


def read_knowledge(game: KoiKoi, view: object, seat: int) -> Knowledge:
    """Read a view of the whole game.

    Raises:
        ParameterError: the player is not to move, or the view is not one of this game.
    """
    state = read_view(game, view, seat)
    if state.phase in (DEAL, DRAW, END) or state.mover != seat:
        raise ParameterError(f"player {seat} is not to move in {shortened(view)}.")
    known = state_array(game, state)
    known[DRAWN] = state.turn - (state.phase in (PLAY, PICK_HAND))
    return Knowledge(state, seat, known)


def _row(play: Play) -> tuple[int, int, int, int, int, int]:
    """Return a play for kernels."""
    mover = (play.turn - 1) % 2
    phase = python_function(phase_of)(8 - (play.turn + 1) // 2, play.calls[mover], play.calls[1 - mover])
    return play.field, play.piles[mover], play.piles[1 - mover], int(phase), 1 << play.card, play.taken


class Candidate(NamedTuple):
    """A legal action.

    Attributes:
        action: its label.
        takes: labels of the captured field cards; for two candidates, the card to pick next.
        value: utility to the player, in points unless a match is at stake; nan if unknown.
    """

    action: str
    takes: tuple[str, ...]
    value: float


class Adviser:
    """An adviser that decides for a player from its view.

    Args:
        game: a round of the whole game.
        configuration: configuration of the player; not clairvoyant.
        tables: value tables, if the player needs them.

    Raises:
        ParameterError: tables are missing, the game is reduced, or the player is clairvoyant.
    """

    def __init__(self, game: KoiKoi, configuration: PlayerConfiguration, tables: ValueTables | None = None) -> None:
        if not game.whole:
            raise ParameterError(f"these players play only the whole game; got {game.name}.")
        if configuration.kind == "clairvoyant":
            raise ParameterError("a clairvoyant player sees all cards; it cannot decide from one player's view.")
        self.game, self.configuration = game, configuration
        self._rules = compile_rules(game.rules)
        self._players = make_players((configuration,), tables)

    def prepare(self) -> None:
        """Compile the kernels of decisions, by deciding in a fixed deal."""
        state = deal(self.game, [_STRIDE * place % len(DECK) for place in range(len(DECK))])
        knowledge = read_knowledge(self.game, self.game.view(state, 0), 0)
        self._decide(knowledge, streams(0, 1)[0], replace(self.configuration, determinizations=1))

    def advise(
        self, view: object, seat: int, seed: int, *, seconds: float | None = None, utility: np.ndarray | None = None
    ) -> list[Candidate]:
        """Return the candidates, the best first; simple players return only their choice.

        Args:
            view: a view of the game, or its text.
            seat: the player whose view it is; 0 is the dealer.
            seed: random seed.
            seconds: time limit of a searcher, replacing its number of determinizations.
            utility: utility of points, see `MatchValue.utility`; None: points.

        Raises:
            ParameterError: the player is not to move.
        """
        lucky = self.configuration.kind not in ("tables", "network")
        knowledge, state = read_knowledge(self.game, view, seat), streams(seed, 1)[0] if lucky else np.uint64(0)
        if utility is not None:
            self._players = self._players._replace(utility=utility[None])
        if seconds is None or self.configuration.kind != "search":
            return self._decide(knowledge, state, self.configuration)
        check_range("seconds", seconds, 0, 3600, whole=False)
        started = time.perf_counter()
        first = self._decide(knowledge, state, replace(self.configuration, determinizations=_FIRST))
        spent = time.perf_counter() - started
        determinizations = min(int(_FIRST * (seconds - spent) / spent), 1_000_000)
        if determinizations <= _FIRST:
            return first
        return self._decide(knowledge, state, replace(self.configuration, determinizations=determinizations))

    def _decide(self, knowledge: Knowledge, stream: np.uint64, configuration: PlayerConfiguration) -> list[Candidate]:
        players, past_plays, unseen = self._players, _NO_PAST, _NO_CARDS
        if configuration.kind in ("network", "search"):
            past_plays = knowledge.past_plays
        if players.searches is not None:
            players, unseen = players._replace(searches=(kernel_search(configuration),)), knowledge.unseen
        action, takes, size = kernels.decide(
            self._rules, players, knowledge.known, past_plays, unseen, np.uint64(stream)
        )
        if not size or (scratch := players.scratch) is None:
            return [_candidate(knowledge, int(action), int(takes), float("nan"))]
        advice = []
        for index in scratch.order[:size]:
            mean = float(scratch.sums[0, index] / scratch.sums[1, index])
            advice.append(_candidate(knowledge, int(scratch.cards[index]), int(scratch.takes[index]), mean))
        return advice


def _candidate(knowledge: Knowledge, action: int, takes: int, value: float) -> Candidate:
    taken = tuple(LABELS[card] for card in ids_of(takes))
    if knowledge.state.phase in (PLAY, KOI):
        return Candidate(LABELS[action], () if knowledge.state.phase == KOI else taken, value)
    return Candidate(taken[0], taken, value)
