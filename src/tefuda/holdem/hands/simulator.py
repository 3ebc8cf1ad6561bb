"""Simulator of many whole hands at once, on arrays: the rules of `Holdem` compiled."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import inf

import numpy as np

from tefuda._kernels.jit import python_function
from tefuda.errors import ParameterError, RunError, shortened
from tefuda.forms.simulate import ViewSimulator, require_steppable
from tefuda.games.protocol import TERMINAL
from tefuda.holdem.cards import CARDS
from tefuda.holdem.hands.inputs import chip_scale, input_count, inputs, raise_levels
from tefuda.holdem.hands.rules import NO_PLAYER
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.sizes import ALL_IN


def compile_table(game: Holdem) -> steps.TableRules:
    """Return the rules of a table as kernels read them.

    Raises:
        ParameterError: the menu lists every amount or has sizes by street, or the rules have posts or rules on request.
    """
    rules, labels = game.rules, game.action_labels
    if not rules.is_plain:
        raise ParameterError("a simulator needs a table without posts, full_blinds and reopens.")
    if labels is None:
        raise ParameterError("a simulator needs a menu of sizes, such as bets='50%,100%,a'; got bets='any'.")
    if not game.menu.is_plain:
        raise ParameterError("a simulator needs the same sizes on all streets; omit opens, reraises and slashes.")
    if rules.limit:
        units = [(ALL_IN, 1.0, inf, True, True)]  # the rules allow only one amount
    else:
        menu = game.menu
        units = [(ord(s.kind), s.number, s.most, s in menu.bets, s in menu.raises) for s in menu.sizes]
    kinds, numbers, maxima, bets, raises = zip(*[(0, 0.0, inf, False, False)] * 2, *units, strict=True)
    options = (
        rules.limit is not None, rules.cap, raise_levels(rules), rules.first_to_act, chip_scale(rules),
        rules.dead_antes,
    )  # fmt: skip
    return steps.TableRules(
        _whole(rules.stacks), _whole(rules.blinds), _whole(rules.antes), _whole(map(rules.smallest_bet, range(4))),
        _whole(options), _whole(kinds), np.array(numbers), np.array(maxima), np.array(bets), np.array(raises),
    )  # fmt: skip


def _whole(numbers: Iterable[int]) -> np.ndarray:
    return np.array(list(numbers), dtype=np.int64)


class HandsSimulator(ViewSimulator):
    """Simulator of whole hands: compiled rules step many hands at once.

    Actions are numbered as in `Holdem.action_labels`: fold, call, then raise or the sizes. Inputs are those of
    `hands.inputs`. A state is a row of numbers (`kernels.steps`).

    Args:
        game: hold'em with a menu of sizes.

    Raises:
        ParameterError: the game is not hold'em, or its menu lists every amount.

    >>> import numpy as np
    >>> from tefuda.holdem import HandsSimulator
    >>> simulator = HandsSimulator(td.load_game("holdem", limit=True))
    >>> simulator.player(simulator.deal(2, np.random.default_rng(0))).tolist(), simulator.units
    ([1, 1], 3)
    """

    def __init__(self, game: Holdem) -> None:
        if not isinstance(game, Holdem):
            raise ParameterError(f"game must be hold'em, load_game('holdem'); got {shortened(game)}.")
        self.table, self.rules = compile_table(game), game
        self.game, self.players = game, game.players
        self.units, self.features = len(self.table.kinds), input_count(game.rules)
        self.bets, self.done, self.cards, self.width = python_function(steps.offsets)(self.table)
        if self.player(self.deal(1, np.random.default_rng(0)))[0] < 0:
            raise ParameterError("this table has no decisions: blinds and antes put all players all-in.")

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        games = np.zeros((count, self.width), dtype=np.int64)
        steps.deal_all(self.table, games, rng.integers(2**64, dtype=np.uint64))
        return games

    def player(self, games: np.ndarray) -> np.ndarray:
        movers = games[:, steps.MOVER]
        return np.where(movers < 0, TERMINAL, movers)

    def legal(self, games: np.ndarray) -> np.ndarray:
        legal = np.zeros((len(games), self.units), dtype=bool)
        steps.legal_all(self.table, games, legal)
        return legal

    def observe(self, games: np.ndarray) -> np.ndarray:
        inputs_ = np.zeros((len(games), 1, self.features), dtype=np.float32)
        steps.observe_all(self.table, games, False, inputs_)
        return inputs_[:, 0]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        inputs_ = np.zeros((len(games), self.players, self.features), dtype=np.float32)
        steps.observe_all(self.table, games, True, inputs_)
        return inputs_.reshape(len(games), -1)

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        after = games.copy()
        steps.step_all(self.table, after, np.asarray(units, dtype=np.int64))
        return after

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        payoffs = np.zeros((len(games), self.players))
        steps.pay_all(self.table, games, payoffs)
        return payoffs

    def save_games(self, games: np.ndarray) -> np.ndarray:
        return games.ravel().copy()

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        if saved.dtype != np.int64 or saved.size != self.width * count:
            raise RunError("the state is damaged: the number of hands differs from the number of tables.")
        games = saved.reshape(count, self.width).copy()
        if not self._possible(games).all():
            raise RunError("the state is damaged: it has impossible hands.")
        return games

    def _possible(self, games: np.ndarray) -> np.ndarray:
        """Return `[G]` True for valid hands in play: distinct cards, consistent players and chips."""
        players, all_players = self.players, (1 << self.players) - 1
        mover, cards = games[:, steps.MOVER], np.sort(games[:, self.cards :], axis=1)
        stacks, bets = games[:, steps.STACKS : self.bets], games[:, self.bets : self.done].reshape(-1, 4, players)
        paid = np.minimum(self.table.antes, self.table.stacks)
        sets = np.concatenate([games[:, steps.FOLDED : steps.STEP], games[:, self.done : self.cards]], axis=1)
        conditions = [
            (cards[:, 0] >= 0) & (cards[:, -1] < CARDS) & (np.diff(cards, axis=1) > 0).all(axis=1),
            (mover >= 0) & (mover < players) & (games[:, steps.STREET] >= 0) & (games[:, steps.STREET] < 4),
            ((sets >= 0) & (sets <= all_players)).all(axis=1),
            (games[:, steps.STEP] >= 1) & (games[:, steps.RAISES] >= 0),
            (stacks >= 0).all(axis=1) & (bets >= 0).all(axis=(1, 2)),
            (stacks + bets.sum(axis=1) + paid == self.table.stacks).all(axis=1),
        ]
        waiting = games[:, steps.WAITING] & ~games[:, steps.FOLDED]
        return np.logical_and.reduce(conditions) & (waiting >> np.clip(mover, 0, players) & 1).astype(bool)

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        mover = self.rules.read_view(view, 0).wagers.mover
        if mover == NO_PLAYER:
            raise ParameterError(f"no player is to act in view {shortened(view)}.")
        row[:] = inputs(self.rules.rules, self.rules.read_view(view, mover), mover)

    def unit_of(self, label: Hashable) -> int:
        assert self.rules.action_labels is not None, "checked by compile_table"
        return self.rules.action_labels.index(str(label))
