"""What a player of Koi-Koi does where it sees this much: its candidates, the best first, with what they are worth."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import plain
from tefuda.errors import ParameterError, check_range, shortened
from tefuda.koikoi.cards import BY_CODE, DECK, ids_of
from tefuda.koikoi.game import CALL, DEAL, DRAW, END, KOI, LABELS, PICK_HAND, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels import rounds
from tefuda.koikoi.kernels.values import Worth, phase_of
from tefuda.koikoi.players.ladder import Recipe, search_of, sit
from tefuda.koikoi.records import deal
from tefuda.koikoi.sight import as_world, read_sight
from tefuda.koikoi.simulator import compile_rules, streams

_STRIDE = 5  # between cards of a deck, so that no hand holds three of a month
_FIRST = 32  # worlds, to see how many fit into the time there is


class Seen(NamedTuple):
    """What a player knows where it must act, read from its view alone.

    state: the round without the other's hand. known: the same as kernels read it. past: what the other has played
    (`belief.SEEN_*`). unseen: cards it has not seen.
    """

    state: Round
    known: np.ndarray  # [WIDTH] uint64
    past: np.ndarray  # [n, 6] uint64
    unseen: np.ndarray  # [U] uint8


def see(game: KoiKoi, view: str, seat: int) -> Seen:
    """Read a view of the whole game.

    Raises:
        ParameterError: it is no view of a turn of this player.
    """
    state = read_sight(game, view, seat)
    if state.phase in (DEAL, DRAW, END) or state.mover != seat:
        raise ParameterError(f"in {shortened(view)} player {seat} is not in turn.")
    known = as_world(game, state)
    known[rounds.DRAWN] = state.turn - (state.phase in (PLAY, PICK_HAND))
    start, _, events = view.rpartition("|")
    past, steps = [], events.split()
    for at, step in enumerate(steps):
        before = read_sight(game, " ".join([f"{start}|", *steps[:at]]), seat)
        if before.mover != seat and step not in (STOP, CALL):
            laid = step.partition("/")[0]
            after = read_sight(game, " ".join([f"{start}|", *steps[:at], laid]), seat)
            past.append(_play(before, BY_CODE[laid.partition("+")[0]].id, after))
    rows = np.array(past, dtype=np.uint64).reshape(-1, 6)
    return Seen(state, known, rows, np.array(ids_of(state.stock), dtype=np.uint8))


def _play(before: Round, card: int, after: Round) -> list[int]:
    """A play of the player in turn, as kernels read it."""
    mover = before.mover
    taken = after.piles[mover] & ~before.piles[mover] & before.field
    phase = plain(phase_of)(8 - (before.turn + 1) // 2, before.calls[mover], before.calls[1 - mover])
    return [before.field, before.piles[mover], before.piles[1 - mover], int(phase), 1 << card, taken]


class Candidate(NamedTuple):
    """Something a player may do.

    action: its label. takes: labels of the field cards it takes; of two that could be, the one to choose next. value:
    utility to the player, in points unless a match is at stake; nan if it is not known.
    """

    action: str
    takes: tuple[str, ...]
    value: float


class Adviser:
    """Decides for a player, from what it sees alone.

    Args:
        game: a round of the whole game.
        recipe: how it decides; not as a seer.
        worth: learned tables, if it needs them.

    Raises:
        ParameterError: tables are missing; a reduced game; a seer.
    """

    def __init__(self, game: KoiKoi, recipe: Recipe, worth: Worth | None = None) -> None:
        if game.hand != 8 or game.deck.bit_count() != 48 or game.merged:
            raise ParameterError(f"these players know the whole game, not {game.name}.")
        if recipe.kind == "seer":
            raise ParameterError("a seer sees all cards; it cannot decide by what one player sees.")
        self.game, self.recipe = game, recipe
        self._values = compile_rules(game.rules)
        self._table = sit((recipe, Recipe("random")), worth if worth is None else (worth, None))

    def prepare(self) -> None:
        """Compile what decisions need, by one of them in a deal that is always the same."""
        state = deal(self.game, [_STRIDE * place % len(DECK) for place in range(len(DECK))])
        sight = see(self.game, self.game.view(state, 0), 0)
        self._decide(sight, streams(0, 1)[0], replace(self.recipe, worlds=1))

    def advise(
        self, view: str, seat: int, seed: int, *, seconds: float | None = None, utility: np.ndarray | None = None
    ) -> list[Candidate]:
        """What may be done, the best first; simple players name only what they do.

        Args:
            view: what `game.view` says.
            seat: whose view it is, 0 the dealer.
            seed: of its luck; the same gives the same, unless there is a limit of time.
            seconds: a searcher takes as many worlds as fit in; None: as many as it is made for.
            utility: what points are worth, as `MatchValue.utility` says; None: themselves.

        Raises:
            ParameterError: the view is not of a turn of this player.
        """
        sight, state = see(self.game, view, seat), streams(seed, 1)[0]
        if utility is not None:
            self._table = self._table._replace(utility=np.stack([utility, utility]))
        if seconds is None or self.recipe.kind != "search":
            return self._decide(sight, state, self.recipe)
        check_range("seconds", seconds, 0, 3600, whole=False)
        started = time.perf_counter()
        found = self._decide(sight, state, replace(self.recipe, worlds=_FIRST))
        spent = time.perf_counter() - started
        worlds = min(int(_FIRST * (seconds - spent) / spent), 1_000_000)
        return self._decide(sight, state, replace(self.recipe, worlds=worlds)) if worlds > _FIRST else found

    def _decide(self, sight: Seen, state: np.uint64, recipe: Recipe) -> list[Candidate]:
        table = self._table
        if table.searches is not None:
            table = table._replace(searches=(search_of(recipe), table.searches[1]))
        action, takes, size = kernels.decide(
            self._values, table, sight.known, sight.past, sight.unseen.copy(), np.uint64(state)
        )
        if not size:
            return [_candidate(sight, int(action), int(takes), float("nan"))]
        room, found = table.room, []
        for at in room.order[:size]:
            mean = float(room.sums[0, at] / room.sums[1, at])
            found.append(_candidate(sight, int(room.cards[at]), int(room.takes[at]), mean))
        return found


def _candidate(sight: Seen, action: int, takes: int, value: float) -> Candidate:
    taken = tuple(LABELS[card] for card in ids_of(takes))
    if sight.state.phase in (PLAY, KOI):
        return Candidate(LABELS[action], () if sight.state.phase == KOI else taken, value)
    return Candidate(taken[0], taken, value)
