"""Duplicate matches and tournaments: each deal is played in all seatings.

Cards and random choices belong to the seats. Statistics use deals, because the hands of a deal are not independent. If
all agents play fixed profiles, expected values are exact and no hands are needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, SizeError, check_choice, check_range, check_seed, shortened
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.evaluating.rankings import numbers
from tefuda.evaluating.values import values
from tefuda.forms.tree import Tree
from tefuda.games.answers import require_game
from tefuda.games.check import require_sound
from tefuda.games.protocol import Game
from tefuda.games.size import free_memory
from tefuda.playing.agents import Agent, PolicyAgent, ProfileAgent, check_agents, is_profile_of, traits
from tefuda.playing.deals import SHARED, DealSource, Hand, Seating, Task, TaskResult, rotated_seating
from tefuda.playing.saving import play_tasks
from tefuda.playing.table import Table, is_table, play_seating, table_of
from tefuda.views import Displayable, data_frame, short_repr
from tefuda.words import distinct, signed
from tefuda.workers import ProgressFunction, spread

_HAND = 500  # bytes of a recorded hand
_PERMUTED = 6  # maximum number of players with all seat orders; with more, seatings are rotations
_DRAW = 1e-9  # winnings on a deal that round-off may leave of a draw
_TABULATED = 20_000  # maximum number of infosets to tabulate a policy, for exact values


@dataclass(frozen=True, eq=False)
class Match(Displayable):
    """The results of a match of A agents, S seatings and K deals.

    Attributes:
        agents: names.
        seatings: the agent in each seat, S of them.
        exact: `[S, A]` expected payoffs if all agents play fixed profiles, else None.
        payoffs: `[S, K, A]` winnings; empty if no hands were played.
        ends: `[S, K]` terminal histories; empty if no hands were played.
        hands: recorded hands.
        replicates: number of replicates R, of K / R deals each; agents start each without memory.
        complete: False for the recorded hands of an interrupted match.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> flat = td.Profile.uniform(tree)
    >>> match = td.duplicate_match(tree, [td.ProfileAgent(name, flat) for name in "ab"])
    >>> match
    Match(a 0.0000, b 0.0000 a hand, exact)
    """

    agents: tuple[str, ...]
    seatings: tuple[Seating, ...]
    exact: np.ndarray | None  # [S, A]
    payoffs: np.ndarray  # [S, K, A]
    ends: np.ndarray  # [S, K]
    hands: tuple[Hand, ...] = ()
    replicates: int = 1
    complete: bool = True

    def __repr__(self) -> str:
        won = ", ".join(f"{name} {signed(mean)}" for name, mean in zip(self.agents, self.mean, strict=True))
        return f"Match({won} a hand, {'exact' if self.exact is not None else f'{self.payoffs.shape[1]:,} deals'})"

    def to_frame(self) -> Any:
        """Return the winnings as a pandas data frame (extra ``frame``): seating, deal, seat, agent, payoff.

        If no hands were played, it has the expected payoffs, without deal.
        """
        played = self.payoffs.shape[1] > 0 or self.exact is None
        paid = self.payoffs if played else self.by_seating[:, None, :]
        seating, deal, seat = np.indices(paid.shape).reshape(3, -1)
        agent = np.array(self.seatings)[seating, seat]
        names, won = [self.agents[number] for number in agent.tolist()], paid[seating, deal, agent].tolist()
        dealt = {"deal": deal.tolist()} if played else {}
        return data_frame({"seating": seating.tolist(), **dealt, "seat": seat.tolist(), "agent": names, "payoff": won})

    @property
    def by_deal(self) -> np.ndarray:
        """`[K, A]` winnings on each deal, mean over seatings."""
        return np.asarray(self.payoffs.mean(axis=0))

    @property
    def by_seating(self) -> np.ndarray:
        """`[S, A]` winnings per hand in each seating, exact if possible."""
        return self.exact if self.exact is not None else np.asarray(self.payoffs.mean(axis=1))

    @property
    def mean(self) -> np.ndarray:
        """`[A]` winnings per hand, exact if possible."""
        return np.asarray(self.by_seating.mean(axis=0))

    @property
    def units(self) -> np.ndarray:
        """`[U, A]` winnings in independent parts: deals or replicates."""
        return self.independent(self.by_deal)

    def independent(self, deals: np.ndarray) -> np.ndarray:
        """Return values of deals `[K, ...]` as values of independent parts: replicates, if there are several."""
        if self.replicates == 1:
            return deals
        return np.asarray(deals.reshape(self.replicates, -1, *deals.shape[1:]).mean(axis=1))

    @property
    def error(self) -> np.ndarray:
        """`[A]` standard error of `mean`; 0 if exact, nan with fewer than two units."""
        if self.exact is not None:
            return np.zeros(len(self.agents))
        units = self.units
        if len(units) < 2:
            return np.full(len(self.agents), math.nan)
        return np.asarray(units.std(axis=0, ddof=1) / math.sqrt(len(units)))

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Return `[A, 2]` confidence intervals of `mean` (Student's t over `units`).

        The deals of a learning agent are not independent: use replicates.

        Args:
            level: confidence level, 0 to 1.
        """
        check_range("level", level, 0, 1, whole=False)
        from scipy.stats import t

        half = t.ppf((1 + level) / 2, max(1, len(self.units) - 1)) * self.error
        return np.stack([self.mean - half, self.mean + half], axis=1)

    def summary(self) -> dict[str, object]:
        """Return the results as JSON values."""
        return {
            "agents": list(self.agents),
            "mean": self.mean.tolist(),
            "interval": self.interval().tolist(),
            "exact": self.exact is not None,
            "deals": int(self.payoffs.shape[1]),
            "replicates": self.replicates,
            "complete": self.complete,
            "seatings": [
                {"order": list(order), "payoffs": row.tolist()}
                for order, row in zip(self.seatings, self.by_seating, strict=True)
            ],
        }


def duplicate_match(
    game: Tree | Game | Table,
    agents: Sequence[Agent],
    *,
    deals: int = 1000,
    seed: int = 0,
    shared: str = "luck",
    replicates: int = 1,
    play: bool | None = None,
    record: bool = False,
    workers: int | Executor = 1,
    progress: ProgressFunction | None = None,
    on_hand: Callable[[Hand], object] = lambda hand: None,
    checkpoint: str | Path | None = None,
) -> Match:
    """Play a match, each deal once in each seating, and return its results.

    The seatings are all orders of the agents; with more than six players, the rotations. On a small tree, a policy is
    tabulated as a profile.

    Args:
        game: a tree, rules of any size, or a table.
        agents: one agent for each player.
        deals: number of deals in each replicate.
        seed: random seed; cards and random choices do not depend on the agents or the workers.
        shared: random streams shared by seatings. ``"luck"``: cards and mixed choices, to compare similar agents (not
            for the mean of one agent); ``"cards"``; ``"nothing"``: for people, who remember cards.
        replicates: number of matches with different deals, each without memory; intervals of learning agents need
            several.
        play: whether to play hands; default: only if an agent learns or searches.
        record: whether to record all hands.
        workers: number of processes, or an executor, for seatings and replicates.
        progress: called with the number of finished tasks and of all tasks.
        on_hand: called with each recorded hand; hands of other processes arrive when their task ends.
        checkpoint: folder of finished deals, which are saved and not played again; `progress` then counts hands.

    Raises:
        ParameterError: not one agent for each player, not an agent, or a value out of range.
        GameError: invalid rules.
        SizeError: the hands do not fit in memory.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> bets, flat = (lambda *_: (0, 1)), td.Profile.uniform(tree)
    >>> agents = [td.ProfileAgent("bets", flat.from_function(tree, bets)), td.ProfileAgent("flat", flat)]
    >>> td.duplicate_match(tree, agents).mean.round(6).tolist()
    [0.375, -0.375]
    """
    check_match(deals, seed, shared, replicates)
    check_agents(agents)
    table, seatings, exact = _table_or_tree(game, agents), seatings_of(len(agents)), None
    tree = table if isinstance(table, Tree) else table.game
    if isinstance(tree, Tree):
        agents = [tabulated(agent, tree) for agent in agents]
        exact = exact_payoffs(tree, agents, seatings)
    tasks = list[Task]()
    if play or (play is None and exact is None):
        tasks = _tasks(table, agents, seatings, DealSource(deals, seed, shared, record), replicates)
    return _match_of(agents, seatings, exact, _spread(tasks, workers, progress, on_hand, checkpoint), replicates)


def check_match(deals: int, seed: int, shared: str = "luck", replicates: int = 1) -> None:
    """Raise ParameterError if an argument is out of range; call it before building slow agents."""
    check_range("deals", deals, 1)
    check_range("replicates", replicates, 1)
    check_choice("shared", shared, SHARED)
    check_seed(seed)


def check_number(game: Tree | Game, agents: int) -> None:
    """Raise ParameterError unless there is one agent for each player."""
    if agents != game.players:
        raise ParameterError(f"{game.name} is for {game.players} players; got {agents} agents.")


def seatings_of(agents: int) -> tuple[Seating, ...]:
    """Return the seatings of a match; each agent has each seat equally often."""
    if agents > _PERMUTED:
        return tuple(rotated_seating(agents, hand) for hand in range(agents))
    return tuple(permutations(range(agents)))


def tabulated(agent: Agent, tree: Tree) -> Agent:
    """Return an agent with the tabulated policy of a `PolicyAgent`, if it does not search."""
    if isinstance(agent, PolicyAgent) and not traits(agent).searches and tree.infosets <= _TABULATED:
        return ProfileAgent(agent.name, Profile.from_function(tree, agent.policy.strategy))
    return agent


def _table_or_tree(game: Tree | Game | Table, agents: Sequence[Agent]) -> Tree | Table:
    """Return the tree or the table of a match, after validation of the game and the number of agents.

    Rules are played with the numbers and random streams of the tree of an agent's profile, if it matches.
    """
    table: Tree | Table
    if isinstance(game, Tree) or is_table(game):
        table = game
    else:
        require_game(game)
        require_sound(game, 50, 2)
        profiles = [agent.profile for agent in agents if agent.profile is not None]
        table = table_of(game, profiles[0].tree if profiles and is_profile_of(profiles[0], game) else None)
    check_number(table if isinstance(table, Tree) else table.game, len(agents))
    return table


def _tasks(
    table: Tree | Table, agents: Sequence[Agent], seatings: Sequence[Seating], dealing: DealSource, replicates: int
) -> list[Task]:
    """Return a task for each replicate of each seating; raise SizeError if the hands do not fit in memory."""
    hands, free = dealing.deals * replicates * len(seatings), free_memory()
    needed = hands * (8.0 * len(agents) + 8 + (_HAND if dealing.record else 0))
    if needed > free:
        raise SizeError(
            f"{hands:,} hands need about {needed / 1e9:,.1f} GB, {free / 1e9:,.1f} GB are free; play fewer deals or "
            "replicates."
        )
    return [
        Task(table, agents, seating, dealing, number, dealing.deals * part)
        for number, seating in enumerate(seatings)
        for part in range(replicates)
    ]


def _spread(
    tasks: Sequence[Task],
    workers: int | Executor,
    progress: ProgressFunction | None,
    on_hand: Callable[[Hand], object],
    checkpoint: str | Path | None,
) -> list[TaskResult]:
    if checkpoint is not None:
        return play_tasks(Path(checkpoint), tasks, workers, progress)
    if workers == 1:
        return spread(workers, partial(play_seating, on_hand=on_hand), tasks, progress)
    return spread(workers, play_seating, tasks, progress, lambda result: [on_hand(hand) for hand in result.hands])


def _match_of(
    agents: Sequence[Agent],
    seatings: tuple[Seating, ...],
    exact: np.ndarray | None,
    results: Sequence[TaskResult],
    replicates: int,
) -> Match:
    payoffs = np.concatenate([np.zeros((0, len(agents))), *(result.payoffs for result in results)])
    ends = np.concatenate([np.zeros(0, dtype=np.int64), *(result.ends for result in results)])
    hands = tuple(hand for result in results for hand in result.hands)
    size, names = (len(seatings), len(ends) // len(seatings)), distinct([agent.name for agent in agents])
    return Match(names, seatings, exact, payoffs.reshape(*size, len(agents)), ends.reshape(size), hands, replicates)


def exact_payoffs(tree: Tree, agents: Sequence[Agent], seatings: Sequence[Seating]) -> np.ndarray | None:
    """Return the expected payoffs `[S, A]` if all agents play fixed profiles, else None."""
    profiles = [agent.profile for agent in agents if agent.profile is not None]
    if len(profiles) < len(agents):
        return None
    for profile in profiles:
        require_same_game(tree, profile)
    played = np.stack([profile.probabilities for profile in profiles])
    expected, rows = np.zeros((len(seatings), len(agents))), np.arange(tree.rows)
    for number, seating in enumerate(seatings):
        profile = Profile(tree, played[np.array(seating)[tree.player_of_row], rows])
        expected[number, list(seating)] = values(profile)
    return expected


@dataclass(frozen=True, eq=False)
class CrossTable(Displayable):
    """The results of all pairs of A agents.

    Attributes:
        agents: names.
        won: `[A, A]` winnings per hand of the row's agent from the column's agent.
        error: `[A, A]` standard errors of `won`.
        deals: `[A, A, K]` winnings on each deal, mean over both seatings; nan if no hands were played.
        counts: `[A, A]` numbers of wins, if they are given in place of deals.
    """

    agents: tuple[str, ...]
    won: np.ndarray  # [A, A]
    error: np.ndarray  # [A, A]
    deals: np.ndarray | None = None  # [A, A, K]
    counts: np.ndarray | None = None  # [A, A]

    __repr__ = short_repr

    @classmethod
    def of_wins(cls, agents: Sequence[str], wins: Any) -> CrossTable:
        """Return a table of wins `[A, A]` of the row's agent; a draw is half a win of both.

        Raises:
            ParameterError: not a square table of numbers from 0 to 1e12 with a name for each row.
        """
        counts = numbers("wins", wins)
        if counts.shape != (len(agents),) * 2 or len(agents) < 2 or not ((counts >= 0) & (counts <= 1e12)).all():
            raise ParameterError(
                f"wins must be {len(agents)} by {len(agents)} numbers of at least 0, for two agents or more; "
                f"got {shortened(wins)}."
            )
        np.fill_diagonal(counts, 0)
        games = np.maximum(counts + counts.T, 1e-300)
        won = (counts - counts.T) / games
        return cls(distinct(agents), won, np.sqrt((1 - won**2) * (counts + counts.T)) / games, None, counts)

    @property
    def scores(self) -> np.ndarray:
        """`[A, A, K]` 1, 1/2 or 0 for a win, a draw or a loss of each deal; ParameterError without hands."""
        others = ~np.eye(len(self.agents), dtype=bool)
        if self.deals is None or np.isnan(self.deals[others]).any():
            raise ParameterError("wins need hands, got exact payoffs; play them by cross_table(..., play=True).")
        ahead = self.deals - self.deals.transpose(1, 0, 2)
        return np.where(np.abs(ahead) < _DRAW, 0.5, ahead > 0) * others[..., None]

    @property
    def wins(self) -> np.ndarray:
        """`[A, A]` numbers of wins; a draw is half a win of both."""
        return np.asarray(self.scores.sum(axis=2)) if self.counts is None else self.counts

    def resampled(self, rng: np.random.Generator) -> CrossTable:
        """Return a table drawn again: by deals for all pairs at once, else by wins, else by standard errors."""
        upper = np.triu(np.ones(self.won.shape, dtype=bool), 1)
        if self.counts is not None:
            games = self.counts + self.counts.T
            share = np.divide(self.counts, games, out=np.zeros_like(games), where=games > 0)
            drawn = np.where(upper, rng.binomial(np.rint(games).astype(int), share), 0)
            return self.of_wins(self.agents, drawn + np.where(upper, np.rint(games) - drawn, 0).T)
        if self.deals is None:
            noise = np.where(upper, rng.normal(0, self.error), 0)
            return replace(self, won=self.won + noise - noise.T)
        size = self.deals.shape[2]
        deals = self.deals[:, :, rng.integers(size, size=size)]
        return replace(self, won=np.where(self.error > 0, deals.mean(axis=2), self.won), deals=deals)

    @property
    def mean(self) -> np.ndarray:
        """`[A]` mean winnings of each agent from the others."""
        return np.asarray(self.won.sum(axis=1) / (len(self.agents) - 1))


class Pair(NamedTuple):
    """The results of two agents against each other.

    Attributes:
        places: indices of the agents.
        won: `[2]` winnings per hand.
        error: `[2]` standard errors.
        deals: `[K, 2]` winnings on each deal; empty if no hands were played.
    """

    places: tuple[int, int]
    won: np.ndarray  # [2]
    error: np.ndarray  # [2]
    deals: np.ndarray  # [K, 2]


def cross_table(
    game: Tree | Game,
    agents: Sequence[Agent],
    *,
    deals: int = 1000,
    seed: int = 0,
    play: bool | None = None,
    workers: int | Executor = 1,
    progress: ProgressFunction | None = None,
    on_pair: Callable[[Pair], object] = lambda pair: None,
) -> CrossTable:
    """Return the results of a duplicate match between each pair of agents.

    Args:
        game: tree or rules of a two-player game.
        agents: two agents or more.
        deals: number of deals of each match, each played in both seatings.
        seed: random seed, shared by all pairs.
        play: see `duplicate_match`; ratings by wins need hands.
        workers: number of processes, or an executor; the result does not depend on it.
        progress: called with the number of finished pairs and of all pairs.
        on_pair: called with each finished pair; after the death of workers, some pairs are repeated.

    Raises:
        ParameterError: not a two-player game, or fewer than two agents.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise", "always-pass"])
    >>> td.cross_table(tree, agents).won[1].round(4).tolist()
    [0.375, 0.0, 1.0]
    """
    check_match(deals, seed)
    check_agents(agents)
    if not isinstance(game, Tree):
        require_game(game)
    check_pairs(game, len(agents))
    pairs = combinations(range(len(agents)), 2)
    tasks = [(game, pair, [agents[index] for index in pair], deals, seed, play) for pair in pairs]
    won, error = np.zeros((2, len(agents), len(agents)))
    results = spread(workers, _play_pair, tasks, progress, on_pair)
    played = np.full((*won.shape, deals), math.nan) if any(len(pair.deals) for pair in results) else None
    for pair in results:
        places = (pair.places, pair.places[::-1])
        won[places], error[places] = pair.won, pair.error
        if played is not None and len(pair.deals):
            played[places] = pair.deals.T
    return CrossTable(distinct([agent.name for agent in agents]), won, error, played)


def check_pairs(game: Tree | Game, agents: int) -> None:
    """Raise ParameterError unless the game has two players and there are two agents."""
    if game.players != 2 or agents < 2:
        raise ParameterError(
            f"a cross table needs a two-player game and two agents; got {game.players} players, {agents} agents."
        )


def _play_pair(task: tuple[Tree | Game, tuple[int, int], list[Agent], int, int, bool | None]) -> Pair:
    game, places, agents, deals, seed, play = task
    match = duplicate_match(game, agents, deals=deals, seed=seed, play=play)
    return Pair(places, match.mean, match.error, match.by_deal)
