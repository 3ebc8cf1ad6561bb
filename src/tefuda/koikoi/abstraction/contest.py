"""Duplicate deals at the real table for strategies learned in an abstraction or by networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.abstraction.sampler import RoundSampler, empty_tables
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels.keys import CLASSES
from tefuda.koikoi.kernels.simple import GREEDY, RANDOM
from tefuda.koikoi.players.ladder import Duel, Recipe, flat, sit
from tefuda.koikoi.rules import KoiKoiRules, MatchRules
from tefuda.koikoi.simulator import RoundsSimulator, compile_rules, streams
from tefuda.settings import Validated, option, options

KINDS = {"random": RANDOM, "greedy": GREEDY, "average": kernels.AVERAGE, "flat": kernels.SEARCHER}


@dataclass(frozen=True)
class Contestant(Validated):
    """The configuration of a player.

    kind: ``"random"`` and ``"greedy"``, which stop at once; ``"flat"``: Monte Carlo, random rollouts of every action
    in `worlds` determinizations; ``"average"``: the average strategy of a sampler, without actions below the share
    `cut` of the most frequent one (purification).

    Raises:
        ParameterError: a value out of range.
    """

    kind: str = option("random", choices=KINDS)
    worlds: int = option(100, 1, 1_000_000)
    cut: float = option(0.0, high=1)


def contest(
    rules: KoiKoiRules,
    one: Contestant,
    two: Contestant,
    deals: int,
    *,
    seed: int = 0,
    samplers: tuple[RoundSampler | None, RoundSampler | None] = (None, None),
) -> Duel:
    """Play deals between two players, each in both seatings; see `ladder.duel`.

    samplers: samplers of players by an average. Raise ParameterError if one is missing, or has learned by rules that
    deal or score rounds otherwise.
    """
    check_range("deals", deals, 2)
    for player, sampler in zip((one, two), samplers, strict=True):
        if player.kind == "average":
            _require_sampler(sampler, rules)
    won, (first, second) = np.zeros((deals, 2)), streams(seed, 2)
    kernels.duel(compile_rules(rules), seats_of((one, two), samplers), first, second, won, 0, 0)
    return Duel(won)


def _require_sampler(sampler: RoundSampler | None, rules: KoiKoiRules) -> None:
    """Raise ParameterError unless a sampler has learned the whole game by the same rules of a round."""
    if not isinstance(sampler, RoundSampler):
        raise ParameterError(f"a contestant of kind 'average' needs its RoundSampler in samplers; got {sampler!r}.")
    game = sampler.rules
    if not game.whole:
        raise ParameterError(f"the sampler has learned {game.name}, a reduced game; contests are of the whole game.")
    learned, played = (options(replace(of, match=MatchRules())) for of in (game.rules, rules))
    if different := [name for name, value in learned.items() if value != played[name]]:
        found = "; ".join(f"{name} is {learned[name]!r}, not {played[name]!r}" for name in different)
        raise ParameterError(f"the sampler has learned under other rules: {found}. Use a sampler of the rules played.")


def networks_contest(
    simulator: RoundsSimulator,
    play: Callable[[int, np.ndarray, np.ndarray], np.ndarray],
    two: Contestant,
    deals: int,
    *,
    seed: int = 0,
) -> Duel:
    """Play deals between the policy of a learner over a simulator and an opponent, each in both seatings.

    play: function of player, inputs `[n, F]` and legal units `[n, U]` that returns probabilities `[n, U]`, as
    `EncodedPolicy.answer`. two: the opponent; ParameterError for an average.
    """
    check_range("deals", deals, 2)
    if two.kind == "average":
        raise ParameterError("the opponent of networks must be random, greedy or flat; an average needs a sampler.")
    luck, seats = streams(seed, 1)[0], seats_of((two, two), (None, None))
    rng, values = np.random.default_rng(seed), compile_rules(simulator.rules)
    dealt = simulator.deal(deals, rng)
    games, own, won = np.concatenate([dealt, dealt]), np.repeat([0, 1], deals), np.zeros(2 * deals)
    on = np.arange(2 * deals)
    while len(on):
        movers, units = simulator.player(games[on]), np.zeros(len(on), dtype=np.int64)
        for player in range(2):
            places = np.flatnonzero((movers == player) & (own[on] == player))
            if len(places):
                now = games[on[places]]
                ends = play(player, simulator.observe(now), simulator.legal(now)).cumsum(axis=1)
                units[places] = (rng.random((len(ends), 1)) * ends[:, -1:] >= ends).sum(axis=1)
        for place in np.flatnonzero(movers != own[on]):
            world = games["world"][on[place]].copy()
            units[place], luck = kernels.act_of(values, seats, 0, world, np.uint64(luck))
        games[on] = simulator.step(games[on], units, rng)
        over = simulator.player(games[on]) < 0
        won[on[over]] = simulator.payoffs(games[on[over]])[np.arange(over.sum()), own[on[over]]]
        on = on[~over]
    return Duel(won.reshape(2, deals).T)


def seats_of(
    players: tuple[Contestant, Contestant], samplers: tuple[RoundSampler | None, RoundSampler | None]
) -> kernels.Table:
    """Return players for kernels."""
    table = sit([flat(one.worlds) if one.kind == "flat" else Recipe("random") for one in players], None)
    table.kinds[:] = [KINDS[one.kind] for one in players]
    if kernels.AVERAGE not in table.kinds:
        return table
    averages = kernels.Averages(
        tables=tuple(empty_tables() if sampler is None else sampler.tables for sampler in samplers),
        cuts=np.array([player.cut for player in players], dtype=np.float64),
        actions=np.zeros(CLASSES, dtype=np.int64),
        worths=np.zeros(CLASSES, dtype=np.int64),
        chances=np.zeros(CLASSES),
    )
    return table._replace(averages=averages)
