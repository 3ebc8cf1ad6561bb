"""Players of Koi-Koi at the table of any match, by their views alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tefuda.forms.tree import Tree
from tefuda.koikoi.cards import DECK, ids_of, mask_of, month_of
from tefuda.koikoi.game import KOI, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.kernels.values import Worth
from tefuda.koikoi.people.hints import hints
from tefuda.koikoi.people.terminal import KoiKoiPerson
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.archive import in_words, known, place_of, shipped_outlook
from tefuda.koikoi.players.ladder import AGENTS, DESCRIPTIONS, Recipe
from tefuda.koikoi.players.worth import survey
from tefuda.koikoi.sight import read_sight
from tefuda.koikoi.simulator import WORTH
from tefuda.koikoi.standing import MatchValue, Outlook, Standing
from tefuda.playing.agents import Agent, Decision, FixedAgent
from tefuda.words import Notify

_SURVEYED = 50_000  # rounds of self-play for an outlook: a second
_POINTS = 150  # of a round, that matches tell apart


@dataclass
class GreedyAgent(FixedAgent):
    """Takes the most points at once, then the best cards; stops at once.

    A card's gain is 1000 times the rise of the yaku plus the worth of the cards taken (bright 20, animal 10, ribbon 5,
    chaff 1); without a capture minus its own worth. Of equals the lowest card is played, then the lowest choice.

    >>> from tefuda.koikoi import GreedyAgent
    >>> game = td.load_game("koikoi")
    >>> td.duplicate_match(game, [GreedyAgent(), td.RandomAgent()], deals=3).agents
    ('greedy', 'random')
    """

    name: str = "greedy"
    _game: KoiKoi = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        self._game = game.rules if isinstance(game, Tree) else game

    def act(self, turn: Decision) -> int:
        state = read_sight(self._game, turn.view, turn.seat)
        if state.phase == KOI:
            return turn.actions.index(STOP)
        held = self._points(state.piles[turn.seat])
        if state.phase == PLAY:
            chosen = max(ids_of(state.hands[turn.seat]), key=lambda card: (self._best(state, card, held)[0], -card))
        else:
            chosen = self._best(state, state.shown, held)[1]
        return turn.actions.index(self._game.codes[chosen])

    def _best(self, state: Round, card: int, held: int) -> tuple[int, int]:
        """Return the best gain of a card, and the field card it takes, -1 without choice; held: points of the pile."""
        mates = ids_of(state.field & month_of(card))
        if not mates:
            return -WORTH[DECK[card].kind], -1
        takes = [(mates, -1)] if len(mates) != 2 else [([mate], mate) for mate in mates]
        gains = [(self._gain(state, [card, *taken], held), mate) for taken, mate in takes]
        return max(gains, key=lambda one: (one[0], -one[1]))

    def _gain(self, state: Round, cards: list[int], held: int) -> int:
        risen = self._points(state.piles[state.mover] | mask_of(cards)) - held
        return 1000 * risen + sum([WORTH[DECK[card].kind] for card in cards])

    def _points(self, pile: int) -> int:
        return sum([points for _, points in self._game.rules.found(pile)])


@dataclass
class AdvisedAgent(FixedAgent):
    """Plays an adviser's best candidate: flat Monte Carlo, tables, a network, or a search (`ladder.Recipe`).

    With tables it plays to win the match where the match tells its state, else for points. worth: value tables, if the
    recipe needs them. seconds: limit of time of a searcher for a decision, in place of its number of worlds. outlook:
    outcomes of rounds by these tables; None: counted in self-play when a match is played.
    """

    name: str
    recipe: Recipe
    worth: Worth | None = None
    seconds: float | None = None
    outlook: Outlook | None = None
    _adviser: Adviser = field(init=False, repr=False)
    _value: MatchValue | None = field(default=None, init=False, repr=False)
    _utility: np.ndarray | None = field(default=None, init=False, repr=False)  # [2, 2 * _POINTS + 1]

    def start(self, game: Any, seat: int) -> None:
        self._adviser = Adviser(game.rules if isinstance(game, Tree) else game, self.recipe, self.worth)

    def act(self, turn: Decision) -> int:
        seed = int(turn.uniform * 2**53)  # so that seatings share the luck
        advice = self._adviser.advise(turn.view, turn.seat, seed, seconds=self.seconds, utility=self._utility)
        return turn.actions.index(advice[0].action)

    def stand(self, standing: Standing, player: int) -> None:
        """Set the utility of a round by the state of the match and the player's number in it."""
        if self.worth is not None:
            if self._value is None:
                outlook = self.outlook or survey(standing.rules, self.worth, _SURVEYED)
                self._value = MatchValue(standing.rules, outlook)
            self._utility = self._value.utility(standing, player, _POINTS)


def own_agents(game: KoiKoi) -> dict[str, tuple[str, Callable[[Notify], Agent]]]:
    """Return the players of a round by name: description and constructor; the first is the default opponent."""
    greedy = ("takes what is worth most at once, stops at the first yaku", lambda notify: GreedyAgent())
    if not game.whole:
        return {"greedy": greedy, "human": ("you, at the terminal", lambda notify: KoiKoiPerson())}
    about = DESCRIPTIONS
    if place_of(game.rules) is None:  # tables must be learned first
        about = {"neural": DESCRIPTIONS["neural"], **DESCRIPTIONS}
    return {
        **{name: (words, partial(_advised, game, name)) for name, words in about.items()},
        "greedy": greedy,
        "human": ("you, at the terminal", lambda notify: KoiKoiPerson(hints=hints)),
    }


def _advised(game: KoiKoi, name: str, notify: Notify) -> Agent:
    recipe = AGENTS[name]
    worth = known(game.rules, progress=in_words(notify)) if recipe.needs_tables else None
    Adviser(game, recipe, worth).prepare()
    return AdvisedAgent(name, recipe, worth, outlook=shipped_outlook(game.rules) if recipe.needs_tables else None)
