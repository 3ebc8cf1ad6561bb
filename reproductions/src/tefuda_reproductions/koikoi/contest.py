"""Duplicate deals of real rounds for strategies learned in an abstraction or by networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.kernels import match
from tefuda.koikoi.kernels.simple import GREEDY, RANDOM
from tefuda.koikoi.players.ladder import DuelResult, PlayerConfiguration, flat, make_players
from tefuda.koikoi.rules import KoiKoiRules, MatchRules
from tefuda.koikoi.simulator import RoundsSimulator, compile_rules, streams
from tefuda.settings import Validated, option, options
from tefuda_reproductions.koikoi.kernels import contest as kernels
from tefuda_reproductions.koikoi.kernels.keys import CLASSES
from tefuda_reproductions.koikoi.sampler import RoundSampler, empty_tables

KINDS = {"random": RANDOM, "greedy": GREEDY, "average": kernels.AVERAGE, "flat": match.SEARCHER}


@dataclass(frozen=True)
class Contestant(Validated):
    """The configuration of a player in a contest.

    Args:
        kind: ``"random"`` and ``"greedy"``, which stop at once; ``"flat"``: flat Monte Carlo,
            random playouts of every action in `determinizations` deals; ``"average"``: the average
            strategy of a sampler.
        determinizations: number of determinizations of flat Monte Carlo.
        cut: actions below this share of the most frequent one are not played by an average strategy
            (purification).

    Raises:
        ParameterError: a value is out of range.
    """

    kind: str = option("random", choices=KINDS)
    determinizations: int = option(100, 1, 1_000_000)
    cut: float = option(0.0, high=1)


def contest(
    rules: KoiKoiRules,
    player: Contestant,
    opponent: Contestant,
    deals: int,
    *,
    seed: int = 0,
    samplers: tuple[RoundSampler | None, RoundSampler | None] = (None, None),
) -> DuelResult:
    """Play deals between two players, each in both seatings; see `ladder.duel`.

    Args:
        rules: the rules.
        player: the player whose points are counted.
        opponent: its opponent.
        deals: number of deals.
        seed: random seed of cards and luck.
        samplers: samplers of players with an average strategy.

    Raises:
        ParameterError: a sampler is missing, or was trained with rules that deal or score rounds
            otherwise.
    """
    check_range("deals", deals, 2)
    for contestant, sampler in zip((player, opponent), samplers, strict=True):
        if contestant.kind == "average":
            _require_sampler(sampler, rules)
    points, (first, second) = np.zeros((deals, 2)), streams(seed, 2)
    players, averages = contest_players((player, opponent), samplers)
    compiled = compile_rules(rules)
    if averages is None:
        match.duel(compiled, players, first, second, points, 0, 0)
    else:
        kernels.duel(compiled, players, averages, first, second, points)
    return DuelResult(points)


def _require_sampler(sampler: RoundSampler | None, rules: KoiKoiRules) -> None:
    """Check that a sampler was trained on the whole game with the same rules of a round."""
    if not isinstance(sampler, RoundSampler):
        raise ParameterError(f"a contestant of kind 'average' needs a RoundSampler in samplers; got {sampler!r}.")
    game = sampler.game
    if not game.whole:
        raise ParameterError(f"the sampler must be trained on the whole game; got the reduced game {game.name}.")
    learned, played = (options(replace(game_rules, match=MatchRules())) for game_rules in (game.rules, rules))
    if different := [name for name, value in learned.items() if value != played[name]]:
        differences = "; ".join(f"{name} is {learned[name]!r}, not {played[name]!r}" for name in different)
        raise ParameterError(
            f"the sampler was trained with other rules: {differences}. Use a sampler of the rules played."
        )


def network_contest(
    simulator: RoundsSimulator,
    play: Callable[[int, np.ndarray, np.ndarray], np.ndarray],
    opponent: Contestant,
    deals: int,
    *,
    seed: int = 0,
) -> DuelResult:
    """Play deals between a network policy over a simulator and an opponent, each in both seatings.

    Args:
        simulator: the simulator of the policy.
        play: function of player, inputs `[n, F]` and legal units `[n, U]` that returns
            probabilities `[n, U]`, as `EncodedPolicy.function`.
        opponent: the opponent; not an average strategy.
        deals: number of deals.
        seed: random seed of cards and luck.

    Raises:
        ParameterError: the opponent is an average strategy.
    """
    check_range("deals", deals, 2)
    luck, players = streams(seed, 1)[0], simple_players(opponent)
    rng, compiled = np.random.default_rng(seed), compile_rules(simulator.game.rules)
    dealt = simulator.deal(deals, rng)
    games, own, points = np.concatenate([dealt, dealt]), np.repeat([0, 1], deals), np.zeros(2 * deals)
    active = np.arange(2 * deals)
    while len(active):
        movers, units = simulator.player(games[active]), np.zeros(len(active), dtype=np.int64)
        for player in range(2):
            indices = np.flatnonzero((movers == player) & (own[active] == player))
            if len(indices):
                current = games[active[indices]]
                ends = play(player, simulator.observe(current), simulator.legal(current)).cumsum(axis=1)
                units[indices] = (rng.random((len(ends), 1)) * ends[:, -1:] >= ends).sum(axis=1)
        for index in np.flatnonzero(movers != own[active]):
            state = games["state"][active[index]].copy()
            units[index], luck = kernels.next_single_action(compiled, players, 0, state, np.uint64(luck))
        games[active] = simulator.step(games[active], units, rng)
        over = simulator.player(games[active]) < 0
        points[active[over]] = simulator.payoffs(games[active[over]])[np.arange(over.sum()), own[active[over]]]
        active = active[~over]
    return DuelResult(points.reshape(2, deals).T)


def simple_players(opponent: Contestant) -> match.Players:
    """Return a contestant in both seats for kernels; raise ParameterError for an average strategy."""
    if opponent.kind == "average":
        raise ParameterError("the opponent of networks or a search must be random, greedy or flat; got average.")
    return contest_players((opponent, opponent), (None, None))[0]


def contest_players(
    players: tuple[Contestant, Contestant], samplers: tuple[RoundSampler | None, RoundSampler | None]
) -> tuple[match.Players, kernels.Averages | None]:
    """Return contestants for kernels, and the average strategies that they play, if any."""
    table = make_players(
        [
            flat(player.determinizations) if player.kind == "flat" else PlayerConfiguration("random")
            for player in players
        ],
        None,
    )
    table.kinds[:] = [KINDS[player.kind] for player in players]
    if kernels.AVERAGE not in table.kinds:
        return table, None
    averages = kernels.Averages(
        tables=tuple(empty_tables() if sampler is None else sampler.tables for sampler in samplers),
        cuts=np.array([player.cut for player in players], dtype=np.float64),
        actions=np.zeros(CLASSES, dtype=np.int64),
        class_values=np.zeros(CLASSES, dtype=np.int64),
        probabilities=np.zeros(CLASSES),
    )
    return table, averages
