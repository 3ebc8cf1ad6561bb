"""Many rounds of Koi-Koi at once: the compiled rules on bit masks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import suppress
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, RunError, check_seed, shortened
from tefuda.forms.simulate import ViewSimulator, require_steppable
from tefuda.games.protocol import TERMINAL
from tefuda.koikoi.cards import DECK
from tefuda.koikoi.game import LABELS, KoiKoi, View
from tefuda.koikoi.kernels import rounds as kernels
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels import steps
from tefuda.koikoi.rules import BONUSES, GROUPS, REDEALS, KoiKoiRules
from tefuda.koikoi.view import read_view, state_array

#: Value of a card in greedy play, by kind.
CARD_VALUES = {"B": 20, "A": 10, "R": 5, "C": 1}


def streams(seed: int, count: int) -> np.ndarray:
    """Return `[count]` uint64, the initial states of streams of random numbers."""
    check_seed(seed)
    return np.random.SeedSequence(seed).generate_state(count, np.uint64)


def redeal_mask(redeal: Iterable[str]) -> int:
    """Return the reasons to deal again as bits."""
    return sum(1 << REDEALS.index(reason) for reason in set(redeal))


@lru_cache(maxsize=32)
def compile_rules(rules: KoiKoiRules, turns: int = 16) -> kernels.CompiledRules:
    """Return rules for kernels; a group of yaku is a bit, 0 for none."""
    bits = {group: 1 << index for index, group in enumerate(GROUPS)} | {"": 0}
    numbers = [
        (yaku.need, yaku.points, yaku.points if yaku.called is None else yaku.called, yaku.step, bits[yaku.group])
        for yaku in rules.yaku
    ]
    most, payment = -1 if rules.max_koikoi is None else rules.max_koikoi, rules.payment
    options = (
        BONUSES.index(payment.own_bonus), payment.double_at, payment.opponent_called, payment.bright_factor, most,
        rules.exhaustion, turns,
        redeal_mask(rules.dealing.all_redeals), rules.exhaustion_yaku,
    )  # fmt: skip
    return kernels.CompiledRules(
        np.array([yaku.cards for yaku in rules.yaku], dtype=np.uint64),
        np.array([yaku.counted for yaku in rules.yaku], dtype=np.uint64),
        np.array([yaku.unless for yaku in rules.yaku], dtype=np.uint64),
        np.array(numbers, dtype=np.int64).reshape(-1, 5),
        np.array(options, dtype=np.int64),
        np.array([CARD_VALUES[card.kind] for card in DECK], dtype=np.int64),
    )


#: A simulated round: its state, its deck, and the actions so far.
_ROUND = np.dtype(
    [("state", np.uint64, columns.WIDTH), ("deck", np.uint8, 48), ("actions", np.uint8, 80), ("length", int)]
)


def compiles(game: KoiKoi) -> bool:
    """Return whether rounds of a game can be compiled: the whole game, with teyaku dealt again."""
    return game.whole and set(game.rules.dealing.redeal) == set(game.rules.dealing.all_redeals)


class RoundsSimulator(ViewSimulator):
    """Rounds of the whole game, stepped in parallel by compiled rules.

    Units are the actions 0..49. Inputs are the locations of the visible cards, turns left, the
    phase, calls, and the points of both players; the order of plays is not encoded.

    Args:
        game: the whole game, without teyaku that end a round.

    Raises:
        ParameterError: another game, or rounds that end by a teyaku.
    """

    players, units, features = 2, len(LABELS), steps.INPUTS

    def __init__(self, game: KoiKoi) -> None:
        if not (isinstance(game, KoiKoi) and compiles(game)):
            raise ParameterError(f"only the whole game, made by koikoi(), can be simulated; got {shortened(game)}.")
        self.game, self._compiled = game, compile_rules(game.rules)

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        games, states = np.zeros(count, dtype=_ROUND), np.zeros((count, columns.WIDTH), dtype=np.uint64)
        decks = np.tile(np.arange(48, dtype=np.uint8), (count, 1))
        steps.deal_all(self._compiled, states, decks, rng.integers(2**64, dtype=np.uint64))
        games["state"], games["deck"] = states, decks
        return games

    def player(self, games: np.ndarray) -> np.ndarray:
        state = games["state"]
        movers = (state[:, columns.TURN].astype(np.int64) - 1) % 2
        return np.where(state[:, columns.PHASE] == columns.END, TERMINAL, movers)

    def legal(self, games: np.ndarray) -> np.ndarray:
        legal = np.zeros((len(games), self.units), dtype=bool)
        steps.legal_all(self._compiled, _states(games), legal)
        return legal

    def observe(self, games: np.ndarray) -> np.ndarray:
        inputs = np.zeros((len(games), 1, self.features), dtype=np.float32)
        steps.observe_all(self._compiled, _states(games), inputs)
        return inputs[:, 0]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        inputs = np.zeros((len(games), self.players, self.features), dtype=np.float32)
        steps.observe_all(self._compiled, _states(games), inputs)
        return inputs.reshape(len(games), -1)

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        after = games.copy()
        after["actions"][np.arange(len(after)), after["length"]] = units
        after["length"] += 1
        states = _states(after)
        steps.step_all(self._compiled, states, np.ascontiguousarray(after["deck"]), np.asarray(units, dtype=np.int64))
        after["state"] = states
        return after

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        points = games["state"][:, columns.POINTS].astype(np.int64)
        return np.stack([points, -points], axis=1).astype(np.float64)

    def save_games(self, games: np.ndarray) -> np.ndarray:
        length = games["length"].astype(np.uint8)[:, None]
        return np.concatenate([games["deck"], games["actions"], length], axis=1).ravel()

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        rows = np.asarray(saved, dtype=np.uint8)
        if rows.size != 129 * count:
            raise RunError("the saved state has another number of rounds than the simulator.")
        games, rows = np.zeros(count, dtype=_ROUND), rows.reshape(count, 129)
        decks, actions, lengths = (np.ascontiguousarray(part) for part in np.split(rows, (48, 128), axis=1))
        states, legal = _states(games), np.zeros(count, dtype=bool)
        if (np.sort(decks, axis=1) == np.arange(48)).all() and (lengths < 80).all():
            kernels.open_all(states, decks)
            steps.replay_all(self._compiled, states, decks, actions, lengths[:, 0].astype(np.int64), legal)
        games["state"], games["deck"], games["actions"], games["length"] = states, decks, actions, lengths[:, 0]
        if not legal.all() or (self.player(games) < 0).any():
            raise RunError("the saved state has rounds that cannot be replayed.")
        return games

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        for seat in (view.player,) if isinstance(view, View) else (0, 1):
            with suppress(ParameterError):
                state = read_view(self.game, view, seat)
                if state.mover == seat:
                    steps.observe_all(self._compiled, state_array(self.game, state)[None], row[None, None])
                    return
        raise ParameterError(f"{shortened(view)} is not a view of the player to move.")

    def unit_of(self, label: Hashable) -> int:
        return LABELS.index(str(label))


def _states(games: np.ndarray) -> np.ndarray:
    """Return a contiguous copy of the states of games."""
    return np.ascontiguousarray(games["state"]).copy()
