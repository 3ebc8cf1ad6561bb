"""What was learnt, in an abstraction or by networks, is worth at the real table: duplicate deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.koikoi.abstraction.sampler import RoundSampler, empty_tables
from tefuda.koikoi.cards import ALL
from tefuda.koikoi.kernels import duel as kernels
from tefuda.koikoi.kernels import rounds
from tefuda.koikoi.kernels.keys import CLASSES
from tefuda.koikoi.players.ladder import Duel
from tefuda.koikoi.rules import KoiKoiRules, MatchRules
from tefuda.koikoi.simulator import RoundsSimulator, compile_rules, streams
from tefuda.settings import options

KINDS = {"random": rounds.RANDOM, "greedy": rounds.GREEDY, "average": kernels.AVERAGE, "flat": kernels.FLAT}


@dataclass(frozen=True)
class Contestant:
    """Who plays.

    Args:
        kind: ``"random"`` and ``"greedy"``, who stop at once; ``"flat"``: Monte Carlo, every action played out at
            random in so many worlds that look the same; ``"average"``: what a sampler has learnt.
        worlds: of flat Monte Carlo.
        cut: of an average, actions rarer than so much of the commonest are never done (purification).

    Raises:
        ParameterError: a value out of range.
    """

    kind: str
    worlds: int = 100
    cut: float = 0.0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_range("worlds", self.worlds, 1, 1_000_000)
        check_range("cut", self.cut, 0, 1, whole=False)


def contest(
    rules: KoiKoiRules,
    one: Contestant,
    two: Contestant,
    deals: int,
    *,
    seed: int = 0,
    samplers: tuple[RoundSampler | None, RoundSampler | None] = (None, None),
) -> Duel:
    """Let two players play deals, each in both seatings; what rules deal again is dealt again, and teyaku are.

    Args:
        rules: what is played for.
        one: whose points count.
        two: the other.
        deals: how many.
        seed: of cards and luck.
        samplers: of those who play averages.

    Raises:
        ParameterError: a sampler is missing, or has learned a round that is dealt or scored otherwise.
    """
    check_range("deals", deals, 2)
    for player, sampler in zip((one, two), samplers, strict=True):
        if player.kind != "average":
            continue
        _require_sampler(sampler, rules)
    seats = seats_of((one, two), samplers)
    won, (first, second) = np.zeros((deals, 2)), streams(seed, 2)
    kernels.duel(compile_rules(rules), seats, first, second, won)
    return Duel(won)


def _require_sampler(sampler: RoundSampler | None, rules: KoiKoiRules) -> None:
    """Raise ParameterError unless a sampler has learned the whole game under rules that score a round alike."""
    if not isinstance(sampler, RoundSampler):
        raise ParameterError(f"a contestant of kind 'average' needs its RoundSampler in samplers; got {sampler!r}.")
    game = sampler.rules
    if game.hand != 8 or game.deck != ALL:
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
    """Let what learners over a simulator have learnt play deals, each in both seatings.

    Args:
        simulator: of the rules that are played.
        play: `[n, U]` probabilities for a player who sees `[n, F]` and may do `[n, U]`, as `EncodedPolicy.answer`.
        two: the other; no average.
        deals: how many.
        seed: of cards and luck.

    Raises:
        ParameterError: the other is an average.
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
            units[place], luck = kernels.choose_one(values, seats, 0, world, np.uint64(luck))
        games[on] = simulator.step(games[on], units, rng)
        over = simulator.player(games[on]) < 0
        won[on[over]] = simulator.payoffs(games[on[over]])[np.arange(over.sum()), own[on[over]]]
        on = on[~over]
    return Duel(won.reshape(2, deals).T)


def seats_of(
    players: tuple[Contestant, Contestant], samplers: tuple[RoundSampler | None, RoundSampler | None]
) -> kernels.Seats:
    """Players as kernels read them."""
    averages = [empty_tables() if sampler is None else sampler.tables for sampler in samplers]
    return kernels.Seats(
        kinds=np.array([KINDS[player.kind] for player in players]),
        one=averages[0],
        two=averages[1],
        worlds=np.array([player.worlds for player in players]),
        cuts=np.array([player.cut for player in players], dtype=np.float64),
        style=rounds.Style(np.full(2, rounds.RANDOM), np.zeros(2, dtype=np.uint64)),
        actions=np.zeros(CLASSES, dtype=np.int64),
        worths=np.zeros(CLASSES, dtype=np.int64),
        chances=np.zeros(CLASSES),
        means=np.zeros(50),
        trial=np.zeros(rounds.WIDTH, dtype=np.uint64),
        kept=np.zeros(rounds.WIDTH, dtype=np.uint64),
        stock=np.zeros(48, dtype=np.uint8),
    )
