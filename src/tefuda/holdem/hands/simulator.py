"""Many whole hands of hold'em at once, on arrays: the rules of `Holdem` compiled."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from tefuda._kernels.jit import python_function
from tefuda.errors import ParameterError, RunError, shortened
from tefuda.forms.simulate import ViewSimulator, require_steppable
from tefuda.forms.uncompiled import Uncompiled
from tefuda.games.protocol import TERMINAL
from tefuda.holdem.cards import CARDS
from tefuda.holdem.hands.inputs import inputs, levels, scale, width
from tefuda.holdem.hands.rules import NO_PLAYER
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.sizes import ALL_IN


def compile_table(game: Holdem) -> steps.TableRules:
    """Return the rules of a table as kernels read them.

    Raises:
        ParameterError: every amount is listed, so that there is no unit for each.
    """
    rules, labels = game.rules, game.action_labels
    if labels is None:
        raise ParameterError("hands are stepped with sizes that are listed; give bets='50%,100%,a', not 'any'.")
    if rules.limit:
        units = [(ALL_IN, 1.0, True, True)]  # the rules leave one amount
    else:
        menu = game.menu
        units = [(ord(one.kind), one.number, one in menu.bets, one in menu.raises) for one in menu.sizes]
    kinds, numbers, bets, raises = zip(*[(0, 0.0, False, False)] * 2, *units, strict=True)
    options = (
        rules.limit is not None, rules.cap, levels(rules), rules.first_to_act, scale(rules), len(set(rules.antes)) > 1,
    )  # fmt: skip
    return steps.TableRules(
        _whole(rules.stacks), _whole(rules.blinds), _whole(rules.antes), _whole(map(rules.smallest_bet, range(4))),
        _whole(options), _whole(kinds), np.array(numbers), np.array(bets), np.array(raises),
    )  # fmt: skip


def _whole(numbers: Iterable[int]) -> np.ndarray:
    return np.array(list(numbers), dtype=np.int64)


class HandsSimulator(ViewSimulator):
    """A `Simulator` of whole hands: compiled rules step many hands at once.

    Units are `Holdem.action_labels`: fold, call, then raise or the sizes. Inputs are those of `hands.inputs`. A
    position is a row of numbers (`kernels.steps`).

    Args:
        game: whole hands, with sizes that are listed.

    Raises:
        ParameterError: another game, or one in which every amount is listed.

    >>> import numpy as np
    >>> from tefuda.holdem import HandsSimulator
    >>> simulator = HandsSimulator(td.load_game("holdem", limit=True))
    >>> simulator.player(simulator.deal(2, np.random.default_rng(0))).tolist(), simulator.units
    ([1, 1], 3)
    """

    def __init__(self, game: Holdem) -> None:
        if not isinstance(game, Holdem):
            raise ParameterError(
                f"whole hands of hold'em are stepped, as load_game('holdem') makes them; got {shortened(game)}."
            )
        self.table, self.rules = compile_table(game), game
        self._game, self.players = Uncompiled(game), game.players
        self.units, self.features = len(self.table.kinds), width(game.rules)
        self.bets, self.done, self.cards, self.width = python_function(steps.offsets)(self.table)
        if self.player(self.deal(1, np.random.default_rng(0)))[0] < 0:
            raise ParameterError("nobody has a decision at this table: all are all-in by blinds and antes.")

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        games = np.zeros((count, self.width), dtype=np.int64)
        steps.deal_all(self.table, games, rng.integers(2**64, dtype=np.uint64))
        return games

    def player(self, games: np.ndarray) -> np.ndarray:
        movers = games[:, steps.MOVER]
        return np.where(movers < 0, TERMINAL, movers)

    def legal(self, games: np.ndarray) -> np.ndarray:
        found = np.zeros((len(games), self.units), dtype=bool)
        steps.legal_all(self.table, games, found)
        return found

    def observe(self, games: np.ndarray) -> np.ndarray:
        found = np.zeros((len(games), 1, self.features), dtype=np.float32)
        steps.observe_all(self.table, games, False, found)
        return found[:, 0]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        found = np.zeros((len(games), self.players, self.features), dtype=np.float32)
        steps.observe_all(self.table, games, True, found)
        return found.reshape(len(games), -1)

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        after = games.copy()
        steps.step_all(self.table, after, np.asarray(units, dtype=np.int64))
        return after

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        found = np.zeros((len(games), self.players))
        steps.pay_all(self.table, games, found)
        return found

    def kept(self, games: np.ndarray) -> np.ndarray:
        return games.ravel().copy()

    def found(self, kept: np.ndarray, count: int) -> np.ndarray:
        if kept.dtype != np.int64 or kept.size != self.width * count:
            raise RunError("the state has not as many hands as tables.")
        games = kept.reshape(count, self.width).copy()
        if not self._possible(games).all():
            raise RunError("the state has hands that cannot be.")
        return games

    def _possible(self, games: np.ndarray) -> np.ndarray:
        """Return `[G]` whether rows are hands in play: different cards, sets of players, chips that add up."""
        players, everybody = self.players, (1 << self.players) - 1
        mover, cards = games[:, steps.MOVER], np.sort(games[:, self.cards :], axis=1)
        stacks, bets = games[:, steps.STACKS : self.bets], games[:, self.bets : self.done].reshape(-1, 4, players)
        paid = np.minimum(self.table.antes, self.table.stacks)
        sets = np.concatenate([games[:, steps.FOLDED : steps.STEP], games[:, self.done : self.cards]], axis=1)
        right = [
            (cards[:, 0] >= 0) & (cards[:, -1] < CARDS) & (np.diff(cards, axis=1) > 0).all(axis=1),
            (mover >= 0) & (mover < players) & (games[:, steps.STREET] >= 0) & (games[:, steps.STREET] < 4),
            ((sets >= 0) & (sets <= everybody)).all(axis=1),
            (games[:, steps.STEP] >= 1) & (games[:, steps.RAISES] >= 0),
            (stacks >= 0).all(axis=1) & (bets >= 0).all(axis=(1, 2)),
            (stacks + bets.sum(axis=1) + paid == self.table.stacks).all(axis=1),
        ]
        shifted = games[:, steps.WAITING] & ~games[:, steps.FOLDED]
        return np.logical_and.reduce(right) & (shifted >> np.clip(mover, 0, players) & 1).astype(bool)

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        mover = self.rules.read_view(view, 0).wagers.mover
        if mover == NO_PLAYER:
            raise ParameterError(f"{shortened(view)} is no view of a player in turn.")
        row[:] = inputs(self.rules.rules, self.rules.read_view(view, mover), mover)

    def unit_of(self, label: Hashable) -> int:
        assert self.rules.action_labels is not None, "checked by compile_table"
        return self.rules.action_labels.index(str(label))


def simulator_of(game: Holdem) -> HandsSimulator | None:
    """Return the simulator of a game; None where every amount is listed."""
    return None if game.action_labels is None else HandsSimulator(game)
