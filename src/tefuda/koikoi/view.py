"""A player's knowledge of Koi-Koi, read from its view."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, TefudaError, shortened
from tefuda.koikoi.game import DEAL, DRAW, PICK_DRAW, PICK_HAND, PLAY, KoiKoi, Round, View
from tefuda.koikoi.kernels import state as columns

_STEP = re.compile(r"[^ /+]+")


def read_view(game: KoiKoi, view: object, player: int) -> Round:
    """Return a round as its player knows it, without the opponent's hand.

    The stock of this state holds all unseen cards. If cards are merged, the state has the first of
    them.

    Args:
        game: the rules.
        view: a view of the game, or its text, which takes longer.
        player: the player whose view it is.

    Raises:
        ParameterError: the view is not one of this game.
    """
    if not isinstance(view, View):
        try:
            hand, field, events = str(view).split("|")
            return _replayed(game, hand, field, events, player)
        except (TefudaError, ValueError):
            raise _no_view(game, view) from None
    known = view.known
    cards = known.field | known.stock | (1 << known.shown if known.shown >= 0 else 0)
    for mask in (*known.hands, *known.piles):
        cards |= mask
    if view.player != player or known.phase == DEAL or cards != game.deck:
        raise _no_view(game, view)
    return known


def _no_view(game: KoiKoi, view: object) -> ParameterError:
    return ParameterError(f"{shortened(view)} is not a view of a player of {game.name}.")


@lru_cache(maxsize=4096)
def _replayed(game: KoiKoi, hand: str, field: str, events: str, player: int) -> Round:
    own = _cards(game, hand, game.deck)
    table = _cards(game, field, game.deck & ~own)
    unseen, draws = game.deck & ~(own | table), game.deck.bit_count() - 2 * game.hand - table.bit_count()
    # Unseen cards may be in the opponent's hand or drawn; an exhausted stock is empty.
    state = Round(PLAY, 1, (own, unseen) if player == 0 else (unseen, own), table, unseen if draws else 0)
    for event in _STEP.findall(events) if events != "teyaku" else ():
        draws -= state.phase == DRAW
        state = game.child(state, event)
        shown = state.field | state.piles[0] | state.piles[1] | (1 << state.shown if state.shown >= 0 else 0)
        own, unseen = state.hands[player], unseen & ~shown
        state = state._replace(hands=(own, unseen) if player == 0 else (unseen, own), stock=unseen if draws else 0)
    return state._replace(hands=(own, 0) if player == 0 else (0, own), stock=unseen)


def _cards(game: KoiKoi, text: str, among: int) -> int:
    """Return the mask of cards given by labels; the first one of cards with the same label."""
    mask = 0
    for label in text.split():
        mask |= 1 << game.find(among & ~mask, label)
    return mask


def state_array(game: KoiKoi, state: Round) -> np.ndarray:
    """Return a state for kernels, `[WIDTH]` uint64."""
    array = [0] * columns.WIDTH
    array[columns.HAND : columns.HAND + 2], array[columns.FIELD] = state.hands, state.field
    array[columns.PILE : columns.PILE + 2], array[columns.CALLS : columns.CALLS + 2] = state.piles, state.calls
    for player, called in enumerate(state.called):
        array[columns.LEVEL + player] = game.rules.pile_points(called, state.calls[player]) if called else 0
    array[columns.PHASE], array[columns.TURN] = state.phase, state.turn
    if state.phase in (PICK_HAND, PICK_DRAW):
        array[columns.SHOWN] = state.shown
    return np.array(array, dtype=np.uint64)
