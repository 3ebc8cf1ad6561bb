"""Players of Koi-Koi at the table of any match: what they decide by is read from their view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.koikoi.cards import DECK, ids_of, month_of
from tefuda.koikoi.game import KOI, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.sight import read_sight
from tefuda.koikoi.simulator import WORTH
from tefuda.koikoi.terminal import KoiKoiPerson
from tefuda.playing.agents import Agent, Sight, Turn


@dataclass
class GreedyAgent:
    """Takes what brings most points at once, then the best cards; stops at once.

    A card's gain is 1000 times the rise of the yaku, and what the cards are worth (bright 20, animal 10, ribbon 5,
    chaff 1); of a card that takes nothing, less its own worth. Of equals the lowest card, then the lowest choice.

    >>> from tefuda.koikoi.agents import GreedyAgent
    >>> game = tf.load_game("koikoi")
    >>> tf.duplicate_match(game, [GreedyAgent(), tf.RandomAgent()], deals=3).agents
    ('greedy', 'random')
    """

    name: str = "greedy"
    profile: Profile | None = None
    _game: KoiKoi = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`."""
        self._game = game.rules if isinstance(game, Tree) else game

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        state = read_sight(self._game, turn.view, turn.seat)
        if state.phase == KOI:
            return turn.actions.index(STOP)
        if state.phase == PLAY:
            chosen = max(ids_of(state.hands[turn.seat]), key=lambda card: (self._best(state, card)[0], -card))
        else:
            chosen = self._best(state, state.shown)[1]
        return turn.actions.index(self._game.codes[chosen])

    def see(self, sight: Sight) -> None:
        """Nothing is learned."""

    def _best(self, state: Round, card: int) -> tuple[int, int]:
        """What a card gains at best, and the field card it takes then, -1 without choice."""
        mates = ids_of(state.field & month_of(card))
        if not mates:
            return -WORTH[DECK[card].kind], -1
        if len(mates) != 2:
            return self._gain(state, [card, *mates]), -1
        return max(((self._gain(state, [card, mate]), mate) for mate in mates), key=lambda one: (one[0], -one[1]))

    def _gain(self, state: Round, cards: list[int]) -> int:
        pile, rules = state.piles[state.mover], self._game.rules
        taken = sum(1 << card for card in cards)
        risen = sum(p for _, p in rules.found(pile | taken)) - sum(p for _, p in rules.found(pile))
        return 1000 * risen + sum(WORTH[DECK[card].kind] for card in cards)


def own_agents(game: KoiKoi) -> dict[str, tuple[str, Callable[[], Agent]]]:
    """The players of a round, by name: what they are, and how they are made."""
    return {
        "greedy": ("takes what is worth most at once, stops at the first yaku", GreedyAgent),
        "human": ("you, at the terminal", KoiKoiPerson),
    }
