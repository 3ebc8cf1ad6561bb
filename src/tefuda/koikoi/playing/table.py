"""A compiled table for rounds of the whole game between agents with kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tefuda.koikoi.cards import mask_of
from tefuda.koikoi.game import LABELS, KoiKoi
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels.rounds import open_all
from tefuda.koikoi.kernels.simple import GREEDY, RANDOM
from tefuda.koikoi.kernels.steps import CHOICES, STEPS, play_all
from tefuda.koikoi.playing.agents import GreedyAgent
from tefuda.koikoi.rules import is_teyaku, must_redeal
from tefuda.koikoi.simulator import compile_rules
from tefuda.playing.agents import RandomAgent
from tefuda.playing.deals import Hand, Task, TaskResult
from tefuda.playing.table import RulesTable

_DEALT, _DRAWN = 24, 16  # cards of a deal; maximum number of cards drawn from the stock
_BATCH = 500  # deals per call of the kernel
#: Agents with kernels; subclasses may act differently.
_KINDS: dict[type, int] = {RandomAgent: RANDOM, GreedyAgent: GREEDY}


class RoundsTable(RulesTable):
    """A table with the hands of `RulesTable`, from the same luck.

    Rounds are compiled if both seats are greedy or random.
    """

    rules: KoiKoi

    def play_task(self, task: Task, on_hand: Callable[[Hand], object] = lambda hand: None) -> TaskResult:
        """See `Table`; `on_hand` is called after every few hundred hands."""
        kinds = [_KINDS.get(type(task.agents[agent]), -1) for agent in task.seating]
        if -1 in kinds:
            return super().play_task(task, on_hand)
        deals = task.dealing.deals
        payoffs, hands = np.zeros((deals, 2)), list[Hand]()
        for start in range(0, deals, _BATCH):
            numbers = range(task.first + start, task.first + min(start + _BATCH, deals))
            block_payoffs, block_hands = self._play_deals(task, np.array(kinds), numbers)
            payoffs[start : start + len(numbers), list(task.seating)] = block_payoffs
            for hand in block_hands:
                on_hand(hand)
            hands += block_hands
        return TaskResult(payoffs, np.full(deals, -1), hands)

    def _play_deals(self, task: Task, kinds: np.ndarray, deals: range) -> tuple[np.ndarray, list[Hand]]:
        """Return payoffs `[G, 2]` by seat of some deals, and the hands if they are recorded."""
        dealing, number = task.dealing, task.number
        drawn = [self._draw_cards(dealing.cards(deal, number)) for deal in deals]
        decks = np.array([cards[-_DEALT - _DRAWN :] for cards in drawn], dtype=np.uint8)
        states, labels = np.zeros((len(deals), columns.WIDTH), np.uint64), np.full((len(deals), STEPS), -1, np.int8)
        open_all(states, decks)
        self._end_teyaku(states)
        points = np.zeros((len(deals), 2, CHOICES))
        for seat in np.flatnonzero(kinds == RANDOM).tolist():
            for index, deal in enumerate(deals):
                points[index, seat] = dealing.luck(deal, number, seat + 1).random(CHOICES)
        stocks = np.ascontiguousarray(decks[:, _DEALT:])
        play_all(compile_rules(self.rules.rules), kinds, states, stocks, points, labels)
        payoffs = states[:, columns.POINTS].astype(np.int64)[:, None] * np.array([1, -1])
        if not dealing.record:
            return payoffs, []
        histories = [[*cards[:-_DRAWN], *row[row >= 0].tolist()] for cards, row in zip(drawn, labels, strict=True)]
        return payoffs, [
            Hand(deal, task.seating, tuple(LABELS[label] for label in history), tuple(map(float, payoff)))
            for deal, history, payoff in zip(deals, histories, payoffs.tolist(), strict=True)
        ]

    def _draw_cards(self, luck: np.random.Generator) -> list[int]:
        """Return the cards of a deal as `KoiKoi.draw` draws them: redealt ones, the deal, the stock."""
        drawn = list[int]()
        while True:
            left = list(range(len(LABELS) - 2))
            drawn += [left.pop(int(point * len(left))) for point in luck.random(_DEALT).tolist()]
            first, second, field = (mask_of(drawn[len(drawn) - size :][:8]) for size in (_DEALT, 16, 8))
            if not must_redeal(self.rules.rules, (first, second), field):
                return drawn + [left.pop(int(point * len(left))) for point in luck.random(_DRAWN).tolist()]

    def _end_teyaku(self, states: np.ndarray) -> None:
        """End the rounds in which a hand is a teyaku."""
        if not (points := self.rules.rules.dealing.teyaku):
            return
        for state in states:
            first, second = state[columns.HAND : columns.HAND + 2].tolist()
            if lucky := is_teyaku(first) - is_teyaku(second):
                state[columns.PHASE], state[columns.POINTS] = columns.END, np.int64(lucky * points).astype(np.uint64)
