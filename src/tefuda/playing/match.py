"""Duplicate matches: every deal in every seating, with cards and the luck of mixed actions tied to the seats.

What is played is measured by deal, never by hand: the hands of one deal are not independent. Where all agents play
fixed profiles, expected values are exact and nothing is drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, SizeError, check_choice, check_range, check_seed
from tefuda.forms.tree import Tree
from tefuda.games.answers import asking
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.size import free_memory
from tefuda.judging.profile import Profile
from tefuda.judging.values import values
from tefuda.playing.agents import Agent, Move, Sight, Turn, check_agents
from tefuda.solvers.mccfr import cumulative_chances
from tefuda.views import Viewed, data_frame
from tefuda.words import signed
from tefuda.workers import spread

_HAND = 500  # bytes of a hand that is kept

Seating = tuple[int, ...]  # the agent in each seat


class Hand(NamedTuple):
    """One hand: its deal, the agent in each seat, all labels from the root, and payoffs by seat."""

    deal: int
    seating: Seating
    labels: tuple[object, ...]
    payoffs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Match(Viewed):
    """What came out of a match of A agents, S seatings, K deals.

    agents: names. seatings: the agent in each seat, S of them. exact: `[S, A]` expected payoffs, if all play fixed
    profiles. payoffs: `[S, K, A]` what was won, ends: `[S, K]` the histories at which hands ended, both empty if
    nothing was played. hands: those kept. replicates: R matches of K / R deals each, agents having learned nothing at
    the start of each. whole: False of hands that were kept when a match was interrupted.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> flat = tf.Profile.uniform(tree)
    >>> match = tf.duplicate_match(tree, [tf.ProfileAgent(name, flat) for name in "ab"])
    >>> match
    Match(a 0.0000, b 0.0000 a hand, exact)
    """

    agents: tuple[str, ...]
    seatings: tuple[Seating, ...]
    exact: np.ndarray | None
    payoffs: np.ndarray
    ends: np.ndarray
    hands: tuple[Hand, ...] = ()
    replicates: int = 1
    whole: bool = True

    def __repr__(self) -> str:
        won = ", ".join(f"{name} {signed(mean)}" for name, mean in zip(self.agents, self.mean, strict=True))
        return f"Match({won} a hand, {'exact' if self.exact is not None else f'{self.payoffs.shape[1]:,} deals'})"

    def to_frame(self) -> Any:
        """What was won as a data frame of pandas (extra ``frame``).

        Returns:
            A row for each agent in each deal of each seating: seating, deal, seat, agent, payoff. Of a match that is
            exact and not played, the expected payoffs, without deal.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        played = self.payoffs.shape[1] > 0 or self.exact is None
        paid = self.payoffs if played else self.by_seating[:, None, :]
        rows = [
            (number, deal, seat, self.agents[agent], float(won[agent]))
            for number, order in enumerate(self.seatings)
            for deal, won in enumerate(paid[number])
            for seat, agent in enumerate(order)
        ]
        names = ("seating", "deal", "seat", "agent", "payoff")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return data_frame(columns if played else {name: columns[name] for name in names if name != "deal"})

    @property
    def by_deal(self) -> np.ndarray:
        """`[K, A]` what each agent won on each deal, the mean over seatings."""
        return np.asarray(self.payoffs.mean(axis=0))

    @property
    def by_seating(self) -> np.ndarray:
        """`[S, A]` what each agent won a hand in each seating: exact where it can be."""
        return self.exact if self.exact is not None else np.asarray(self.payoffs.mean(axis=1))

    @property
    def mean(self) -> np.ndarray:
        """`[A]` what each agent won a hand: exact where it can be."""
        return np.asarray(self.by_seating.mean(axis=0))

    @property
    def units(self) -> np.ndarray:
        """`[U, A]` what each agent won in parts that do not depend on each other."""
        return self.independent(self.by_deal)

    def independent(self, deals: np.ndarray) -> np.ndarray:
        """Figures of deals `[K, ...]` as figures of parts that do not depend on each other: of replicates, if any."""
        if self.replicates == 1:
            return deals
        return np.asarray(deals.reshape(self.replicates, -1, *deals.shape[1:]).mean(axis=1))

    @property
    def error(self) -> np.ndarray:
        """`[A]` the standard error of `mean`; 0 where it is exact, nan of less than two deals."""
        if self.exact is not None:
            return np.zeros(len(self.agents))
        units = self.units
        if len(units) < 2:
            return np.full(len(self.agents), math.nan)
        return np.asarray(units.std(axis=0, ddof=1) / math.sqrt(len(units)))

    def interval(self, level: float = 0.95) -> np.ndarray:
        """`[A, 2]` confidence intervals of `mean` (Student's t over `units`).

        The deals of an agent that learns are not independent: for such agents play replicates.
        """
        from scipy.stats import t

        half = t.ppf((1 + level) / 2, max(1, len(self.units) - 1)) * self.error
        return np.stack([self.mean - half, self.mean + half], axis=1)

    def summary(self) -> dict[str, object]:
        """The figures as JSON values."""
        return {
            "agents": list(self.agents),
            "mean": self.mean.tolist(),
            "interval": self.interval().tolist(),
            "exact": self.exact is not None,
            "deals": int(self.payoffs.shape[1]),
            "replicates": self.replicates,
            "whole": self.whole,
            "seatings": [
                {"order": list(order), "payoffs": row.tolist()}
                for order, row in zip(self.seatings, self.by_seating, strict=True)
            ],
        }


#: What the seatings of a deal share: cards and the luck of mixed actions, cards, or nothing.
SHARED = ("luck", "cards", "nothing")


@dataclass(frozen=True)
class Plan:
    """How a match is played.

    deals: K. seed: of cards and luck. shared: one of `SHARED`. keep: whether hands are kept.
    """

    deals: int
    seed: int = 0
    shared: str = "luck"
    keep: bool = False


class Task(NamedTuple):
    """Some deals in one seating.

    seating: the agent in each seat. number: of the seating. first: the first deal.
    """

    tree: Tree
    agents: Sequence[Agent]
    seating: Seating
    plan: Plan
    number: int = 0
    first: int = 0


class Played(NamedTuple):
    """Of K deals in a seating: payoffs `[K, A]`, the histories they ended at `[K]`, the hands if they are kept."""

    payoffs: np.ndarray
    ends: np.ndarray
    hands: list[Hand]


def duplicate_match(
    tree: Tree,
    agents: Sequence[Agent],
    *,
    deals: int = 1000,
    seed: int = 0,
    shared: str = "luck",
    replicates: int = 1,
    play: bool | None = None,
    keep: bool = False,
    workers: int | Executor = 1,
    progress: Callable[[int, int], None] | None = None,
    see: Callable[[Hand], object] = lambda hand: None,
) -> Match:
    """Every deal once in each of the n! seatings.

    Args:
        tree: the game.
        agents: as many as the game has players.
        deals: how many in each replicate.
        seed: the same seed gives the same cards and luck, whoever plays, in any order, with any workers.
        shared: what seatings share: ``"luck"`` and cards, good for comparing similar agents, not for one agent's mean;
            ``"cards"``; or ``"nothing"``, for people, who remember cards.
        replicates: matches of other deals, everybody learning anew: without them agents that learn have no interval.
        play: whether hands are played although all profiles are fixed; else only if somebody learns or searches.
        keep: whether to keep all hands.
        workers: a number of processes, or an executor, over which seatings and replicates are spread.
        progress: told tasks done and in all.
        see: told every hand that is kept, when it is over; those of other processes when their task is done.

    Returns:
        What every agent won, by seating and deal.

    Raises:
        ParameterError: not as many agents as players, something that is no agent, or a value out of range.
        SizeError: more hands than fit in memory.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> bets, flat = (lambda *_: (0, 1)), tf.Profile.uniform(tree)
    >>> agents = [tf.ProfileAgent("bets", flat.from_function(tree, bets)), tf.ProfileAgent("flat", flat)]
    >>> tf.duplicate_match(tree, agents).mean.round(6).tolist()
    [0.375, -0.375]
    """
    check_range("deals", deals, 1)
    check_range("replicates", replicates, 1)
    check_choice("shared", shared, SHARED)
    check_seed(seed)
    check_agents(agents)
    if len(agents) != tree.players:
        raise ParameterError(f"{tree.name} is for {tree.players} players; got {len(agents)} agents.")
    names = distinct([agent.name for agent in agents])
    seatings = tuple(permutations(range(tree.players)))
    exact = exact_payoffs(tree, agents, seatings)
    if play is None:
        play = exact is None
    if play:
        _check_size(deals * replicates * len(seatings), tree.players, keep)
    plan, starts = Plan(deals, seed, shared, keep), range(0, deals * replicates, deals)
    tasks = [
        Task(tree, agents, seating, plan, number, first)
        for number, seating in enumerate(seatings)
        for first in starts
        if play
    ]
    if workers == 1:
        results = spread(workers, partial(play_seating, see=see), tasks, progress)
    else:
        results = spread(workers, play_seating, tasks, progress, lambda found: [see(hand) for hand in found.hands])
    size = (len(seatings), deals * replicates if play else 0)
    payoffs = np.concatenate([found.payoffs for found in results]) if results else np.zeros(0)
    ends = np.concatenate([found.ends for found in results]) if results else np.zeros(0, dtype=np.int64)
    hands = tuple(hand for found in results for hand in found.hands)
    return Match(names, seatings, exact, payoffs.reshape(*size, tree.players), ends.reshape(size), hands, replicates)


def _check_size(hands: int, players: int, keep: bool) -> None:
    """Raise SizeError if so many hands do not fit in the memory there is."""
    needed, free = hands * (8.0 * players + 8 + (_HAND if keep else 0)), free_memory()
    if needed > free:
        raise SizeError(
            f"{hands:,} hands take about {needed / 1e9:,.1f} GB, {free / 1e9:,.1f} GB are free; play fewer deals or "
            "replicates."
        )


def exact_payoffs(tree: Tree, agents: Sequence[Agent], seatings: Sequence[Seating]) -> np.ndarray | None:
    """`[S, A]` expected payoffs if all agents play fixed profiles, else None."""
    profiles = [agent.profile for agent in agents]
    if any(profile is None for profile in profiles):
        return None
    found = np.zeros((len(seatings), len(agents)))
    for number, seating in enumerate(seatings):
        profile = Profile.uniform(tree)
        for seat, agent in enumerate(seating):
            agents[agent].start(tree, seat)
            profile = profile.replace(seat, profiles[agent])  # type: ignore[arg-type]
        found[number, list(seating)] = values(tree, profile)
    return found


def distinct(names: list[str]) -> tuple[str, ...]:
    """Names with numbers behind those that occur more than once."""
    return tuple(
        name if names.count(name) == 1 else f"{name} {names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    )


def play_seating(task: Task, see: Callable[[Hand], object] = lambda hand: None) -> Played:
    """All deals of a task, the agents having learned nothing before; `see` is told hands that are kept."""
    plan, table, seats = task.plan, table_of(task.tree), [task.agents[agent] for agent in task.seating]
    payoffs, ends, hands = np.zeros((plan.deals, len(seats))), np.zeros(plan.deals, dtype=np.int64), []
    for seat, agent in enumerate(seats):
        agent.start(task.tree, seat)
    learners = [(seat, agent) for seat, agent in enumerate(seats) if agent.profile is None]
    for place in range(plan.deals):
        deal = task.first + place
        end, moves = table.play(seats, table.luck(plan, deal, task.number))
        won = table.payoffs[end]
        payoffs[place, list(task.seating)], ends[place] = won, end
        for seat, agent in learners:
            agent.see(table.sight(end, moves, seat))
        if plan.keep:
            hands.append(Hand(deal, task.seating, task.tree.history(end), tuple(won)))
            see(hands[-1])
    return Played(payoffs, ends, hands)


class Table:
    """A tree as lists, which a hand walks fastest."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._player, self._infoset = tree.player.tolist(), tree.infoset.tolist()
        self._first, self._count = tree.first_child.tolist(), tree.child_count.tolist()
        self._ends, self._labels = cumulative_chances(tree).tolist(), tree.label_set.tolist()
        self.payoffs = dict(zip(tree.terminals.tolist(), tree.payoffs.tolist(), strict=True))
        self._chances, self._turns = _longest(tree)
        self._seen: dict[int, tuple[tuple[object, ...], tuple[bool, ...]]] = {}

    def luck(self, plan: Plan, deal: int, seating: int) -> tuple[list[float], list[list[float]]]:
        """Numbers in [0, 1) for the chance events of a deal, and for each seat's decisions, in order."""
        own = 2 + seating  # streams of a deal: 0 and 1 are for all seatings
        cards = self._stream(plan, deal, own if plan.shared == "nothing" else 0).random(self._chances)
        luck = self._stream(plan, deal, 1 if plan.shared == "luck" else own + (1 << 32))
        return cards.tolist(), luck.random((self.tree.players, self._turns)).tolist()

    @staticmethod
    def _stream(plan: Plan, deal: int, number: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[plan.seed, deal], counter=[0, 0, 0, number]))

    def play(self, seats: Sequence[Agent], luck: tuple[list[float], list[list[float]]]) -> tuple[int, list[Move]]:
        """One hand: the history it ends at, and the decisions."""
        (cards, points), moves, node = luck, [], 0
        drawn, turns = 0, [0] * len(seats)
        while (mover := self._player[node]) != TERMINAL:
            first = self._first[node]
            if mover == CHANCE:
                last = first + self._count[node] - 1
                node = min(bisect_right(self._ends, cards[drawn], first, last), last)
                drawn += 1
                continue
            infoset, labels = self._infoset[node], self.tree.label_sets[self._labels[node]]
            turn = Turn(infoset, self.tree.keys[infoset], labels, points[mover][turns[mover]])
            turns[mover] += 1
            place = seats[mover].act(turn)
            moves.append(Move(mover, infoset, labels[place]))
            node = first + place
        return node, moves

    def sight(self, end: int, moves: Sequence[Move], seat: int) -> Sight:
        """What a seat sees of a hand that is over."""
        views, shown = self._revealed(end)
        seen = tuple(m if shown[m.player] or m.player == seat else Move(m.player, -1, m.action) for m in moves)
        known = tuple(view if open_ else None for view, open_ in zip(views, shown, strict=True))
        return Sight(seat, seen, views[seat], tuple(self.payoffs[end]), known)

    def _revealed(self, end: int) -> tuple[tuple[object, ...], tuple[bool, ...]]:
        """What every player knows at an end, and whose knowledge is shown: all, unless ``shown(state)`` says."""
        if end not in self._seen:
            rules, players = self.tree.rules, range(self.tree.players)
            if rules is None:
                return tuple(None for _ in players), tuple(True for _ in players)
            with asking(rules):
                state = rules.root()
                for label in self.tree.history(end):
                    state = rules.child(state, label)
                shown = tuple(rules.shown(state)) if hasattr(rules, "shown") else tuple(True for _ in players)
                self._seen[end] = tuple(rules.view(state, player) for player in players), shown
        return self._seen[end]


def table_of(tree: Tree) -> Table:
    """The table of a tree, made once."""
    kept = vars(tree)
    if "_table" not in kept:
        kept["_table"] = Table(tree)
    return kept["_table"]


def _longest(tree: Tree) -> tuple[int, int]:
    """The most chance events, and the most decisions of one player, on a path."""
    counts = np.zeros((len(tree.player), tree.players + 1), dtype=np.int16)
    mover = np.where(tree.player == CHANCE, tree.players, tree.player)
    depth = np.zeros(len(tree.player), dtype=np.int32)
    for node in range(1, len(depth)):
        depth[node] = depth[tree.parent[node]] + 1
    for level in range(1, int(depth.max(initial=0)) + 1):
        nodes = np.flatnonzero(depth == level)
        parents = tree.parent[nodes]
        counts[nodes] = counts[parents]
        counts[nodes, mover[parents]] += 1
    most = counts.max(axis=0)
    return int(most[-1]), int(most[:-1].max())
