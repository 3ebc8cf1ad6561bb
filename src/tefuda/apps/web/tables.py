"""Tables of the page: sessions in memory and on disk.

A table is a session of a person against agents. Its file is written before each answer, so that after a kill of the
server it is rebuilt as the browser saw it. Its version counts the changes that the browser has seen.
"""

from __future__ import annotations

import copy
import math
import re
import secrets
import statistics
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.apps.web.calls import NotFound
from tefuda.apps.web.messages.results import Dearest, Interval, Results, Statistics, Variation
from tefuda.errors import ParameterError, RunError, check_choice
from tefuda.files import LIST, TEXT, FieldSpec, check_fields, flush
from tefuda.forms.tree import Tree
from tefuda.games.kit import kit_of
from tefuda.playing.agents import Agent, Decision, FixedAgent, ObservedHand, traits
from tefuda.playing.review import Review, ReviewedDecision, Reviewer
from tefuda.playing.session import (
    PERSON,
    Rotation,
    SavedSession,
    Series,
    Session,
    read_session,
    restore_session,
    saved_session,
    series_of,
    write_session,
)
from tefuda.playing.variation import last_turn, place_of_move, redeal

MODES = ("off", "after", "request")
_IN_MEMORY = 64  # tables
_SEED_BITS = 53  # too many seeds to try them all; JSON numbers have 53 bits
_TICK = 0.25  # seconds; agents that search answer in whole ticks, so that their time says little about their cards
PATIENCE = 10.0  # seconds that a request waits for another one at the same table
_NAME = re.compile("[0-9a-f]{32}")
_NORMAL = 1.96  # standard errors of an interval of 95 %


class Setup(NamedTuple):
    """A table that a person asks for.

    Attributes:
        game: name of the game.
        parameters: parameters of the game.
        opponents: names of the agents or runs, one for each opponent.
        coach: name of the agent or run whose strategy advises; "": the default of the game.
        mode: one of `MODES`.
        hands: number of hands; 0: no limit.
        line: line of a solved spot at which all hands begin; "": the start.
    """

    game: str
    parameters: Mapping[str, Any]
    opponents: Sequence[str]
    coach: str = ""
    mode: str = "off"
    hands: int = 0
    line: str = ""


class Players(NamedTuple):
    """The shared values of a setup.

    Attributes:
        rules: the rules.
        tree: the tree of the rules, if it is small or needed.
        opponents: the agents, shared between tables.
        reviewer: reviewer with the coach's strategy; None without a coach.
        drill: rules of the hands that begin at a line, and the person's seat; None if hands begin at the start.
    """

    rules: Any
    tree: Tree | None
    opponents: Sequence[Agent]
    reviewer: Reviewer | None
    drill: tuple[Any, int] | None = None


#: The choices of a setup beside its players, by name.
CHOICES = {"coach": TEXT, "mode": FieldSpec((str,), choices=MODES), "hands": FieldSpec((int,), 0, 10**6), "line": TEXT}
_OPTIONS = {
    **CHOICES,
    "version": FieldSpec((int,), 1, 10**12),
    "closed": FieldSpec((bool,)),
    "dealt": FieldSpec((bool,)),
    "helped": LIST,
    "won": FieldSpec((int, float)),
}


@dataclass(eq=False)
class PersonTable:
    """A session at the page.

    Args:
        name: 128 random bits as text.
        setup: the setup.
        players: the shared values of the setup.
        session: the session.

    Attributes:
        variation: the place at which a variation begins; None for other tables.
        version: number of changes.
        closed: whether the session is over; then its seed may be shown.
        helped: hands in which the person asked for a hint.
        advised: the last decision with its advice; None if it is not to be shown.
        hinted: whether the advice is a hint on the pending decision.
        reviews: reviews of the finished hands; none without a coach.
        statistics: results of the hands that the person played alone, and of helped hands.
    """

    name: str
    setup: Setup
    players: Players
    session: Session
    version: int = 1
    closed: bool = False
    helped: set[int] = field(default_factory=set)
    variation: Variation | None = None
    advised: ReviewedDecision | None = None
    hinted: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    reviews: list[Review] = field(default_factory=list, init=False, repr=False)
    statistics: Statistics = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._end_hands()

    @property
    def decision(self) -> Decision | None:
        """The person's pending decision."""
        return None if self.closed else self.session.pending

    @property
    def hand(self) -> ObservedHand | None:
        """The finished hand on the table; None during a hand."""
        return self.session.observed_hands[-1] if self.session.pending is None else None

    @property
    def searches(self) -> bool:
        """True if an opponent searches, so that its time may depend on its cards."""
        return any(traits(agent).searches for agent in self.players.opponents)

    def act(self, index: int) -> None:
        """Take an action of the pending decision by its index."""
        decision, reviewer = self._pending(), self.players.reviewer
        if not 0 <= index < len(decision.actions):
            raise ParameterError(
                f"action must be between 0 and {len(decision.actions) - 1}, got {index}.", key="action"
            )
        shown = reviewer is not None and self.setup.mode == "after"
        self.advised = reviewer.reviewed(decision, index) if reviewer is not None and shown else None
        self.hinted = False
        self._step(decision.actions[index])

    def index_of(self, amount: int) -> int:
        """Return the index of the bet or raise to an amount."""
        decision = self._pending()
        events = kit_of(self._rules).picture(decision.view, decision.seat).actions
        for index, label in enumerate(decision.actions):
            if label in events and events[label].verb in ("bet", "raise", "all-in") and events[label].amount == amount:
                return index
        raise ParameterError(f"no bet or raise to {amount:,} is legal.", key="amount", value=amount)

    @property
    def _rules(self) -> Any:
        """The rules of the hand that is being played."""
        following = self.session.series.next(self.session.ended)
        assert following is not None, "a hand is being played"
        return following[0]

    def next_hand(self) -> None:
        """Deal the next hand; close the table if there is none."""
        if self.closed or self.session.pending is not None:
            raise ParameterError("the hand is not over; choose an action.")
        self._refuse_in_variation()
        self.advised, self.hinted = None, False
        self.closed = self._step() is None

    def hint(self) -> None:
        """Show the coach's advice on the pending decision, and mark the hand as helped."""
        decision, reviewer = self._pending(), self.players.reviewer
        if reviewer is None or self.setup.mode == "off":
            raise ParameterError("this table has no coach; choose one when you sit down.")
        self.helped.add(len(self.session.ended))
        self.advised, self.hinted = reviewer.reviewed(decision, 0), True
        self.version += 1

    def take_back(self) -> None:
        """Undo the person's last turn of the hand, and mark the hand as helped."""
        self._refuse_in_variation()
        before = self.session
        pending = self._pending()
        start = last_turn(self._rules, before.history.labels, pending.seat)
        if start is None:
            raise ParameterError("you have had no turn in this hand that could be taken back.")
        session = self._rewound(len(before.ended), before.history.labels[:start])
        session.step()
        self.session, self.advised, self.hinted = session, None, False
        self.helped.add(len(session.ended))
        self.version += 1

    def _rewound(self, hand: int, labels: Sequence[Hashable] = ()) -> Session:
        """Return a session of the same seed at a place of a hand; hands before it are replayed."""
        session = _session(self.setup, self.players, self.session.seed)
        session.replay([before.end.labels or () for before in self.session.ended[:hand]], labels)
        return session

    def varied(self, hand: int, move: int, seed: int) -> Session:
        """Return a session at the person's move in a finished hand, with unseen cards dealt anew."""
        review, ended, session = self.reviews[hand], self.session.ended[hand], self._rewound(hand)
        labels = ended.end.labels or ()
        before = labels[: place_of_move(review.rules, labels, review.seat, move)]
        agents: list[Any] = [None if agent == PERSON else self.players.opponents[agent - 1] for agent in ended.seating]
        policies = [agent and (agent.profile or getattr(agent, "policy", None)) for agent in agents]
        session.begin(redeal(review.rules, before, review.seat, np.random.default_rng(seed).random, policies), seed)
        session.step()
        return session

    def leave(self) -> None:
        """End the session."""
        self._refuse_in_variation()
        self.closed = True
        self.version += 1

    def _refuse_in_variation(self) -> None:
        """Raise ParameterError in a variation: its session has the hands of another table before its own."""
        if self.variation is not None:
            raise ParameterError("a variation ends with its hand; go back to the review.")

    def _pending(self) -> Decision:
        if self.decision is None:
            raise ParameterError("no decision is pending; go to the next hand.")
        return self.decision

    def _step(self, label: Any = None) -> Decision | ObservedHand | None:
        """Make a step, which is a change; agents that search answer after a whole number of ticks."""
        start = time.monotonic()
        step = self.session.step(label)
        if self.searches:
            taken = time.monotonic() - start
            time.sleep(math.ceil(taken / _TICK) * _TICK - taken)
        self.version += 1
        if isinstance(step, ObservedHand):
            self._end_hands()
        return step

    def _end_hands(self) -> None:
        """Review the hands that are over, and sum up all of them; those of a variation do not count."""
        reviewer, hands = self.players.reviewer, range(0 if self.variation else len(self.session.ended))
        if reviewer is not None:
            self.reviews += [reviewer.review(self.session, hand) for hand in hands[len(self.reviews) :]]
        alone = [hand for hand in hands if hand not in self.helped]
        helped = [hand for hand in hands if hand in self.helped]
        self.statistics = Statistics(self._results(alone), self._results(helped))

    def _results(self, hands: Sequence[int]) -> Results:
        won = [self.session.ended[hand].won[PERSON] for hand in hands]
        reviews = {hand: self.reviews[hand] for hand in hands} if self.players.reviewer is not None else {}
        entries = [entry for review in reviews.values() for entry in review.decisions if entry.verdict != "unknown"]
        mistakes = [
            Dearest(hand, place, entry.cost)
            for hand, review in reviews.items()
            for place, entry in enumerate(review.decisions)
            if entry.verdict in ("slip", "blunder")
        ]
        known = self.players.tree is not None and all(agent.profile is not None for agent in self.players.opponents)
        return Results(
            hands=len(won),
            won=float(sum(won)),
            decisions=len(entries),
            mistakes=len(mistakes),
            cost=sum(review.cost for review in reviews.values()) / len(entries) if entries else None,
            dearest=max(mistakes, key=lambda mistake: mistake.cost, default=None),
            aivat=_interval([review.skill for review in reviews.values()]) if known else None,
        )

    def saved(self) -> SavedSession:
        """Return the content of the table's file."""
        options = {
            **{name: getattr(self.setup, name) for name in CHOICES},
            "version": self.version,
            "closed": self.closed,
            "dealt": self.session.pending is not None,
            "helped": sorted(self.helped),
            "won": float(sum(hand.won[PERSON] for hand in self.session.ended)),
        }
        return saved_session(self.session, self.setup.opponents, options)


class TableStore:
    """All tables of a server.

    Args:
        folder: folder of their files.
        players: function that returns the shared values of a setup.

    Attributes:
        draw_seed: function that returns the seed of a new table.
    """

    draw_seed: Callable[[], int] = staticmethod(lambda: secrets.randbits(_SEED_BITS))

    def __init__(self, folder: Path, players: Callable[[Setup], Players]) -> None:
        self.folder, self._players = folder, players
        self._open = OrderedDict[str, PersonTable]()
        self._lock, self._flusher = threading.Lock(), ThreadPoolExecutor(1, "tables")

    def create(self, setup: Setup, seed: int | None = None) -> PersonTable:
        """Make a table and deal its first hand; the seed of a prepared hand is given."""
        players = self._players(setup)
        session = _session(setup, players, self.draw_seed() if seed is None else seed)
        closed = session.step() is None
        table = PersonTable(secrets.token_hex(16), setup, players, session, closed=closed)
        self._remember(table)
        self.save(table)
        return table

    def vary(self, table: PersonTable, hand: int, move: int, action: int) -> PersonTable:
        """Make a variation of a finished hand, which is in memory only, and take another action at a move."""
        session = table.varied(hand, move, self.draw_seed())
        variation = Variation(f"/tables/{table.name}/hands/{hand}?at={move + 1}")
        return self._varied(table.setup, table.players, session, variation, action)

    def vary_drill(self, setup: Setup, hand: int, action: str, variation: Variation) -> PersonTable:
        """Make a variation at the line of a spot with the hand of the person; take an action by its label.

        The opponent's hand is dealt from the range with which it reaches the line.
        """
        players, seed = self._players(setup), self.draw_seed()
        rules, seat = players.drill or (players.rules, 0)
        players = players._replace(drill=(rules, seat))
        session = _session(setup, players, seed)
        session.begin([rules.deal_with(seat, hand, np.random.default_rng(seed).random)], seed)
        decision = session.step()
        assert isinstance(decision, Decision), "hands begin at a decision"
        check_choice("action", action, [str(label) for label in decision.actions])
        return self._varied(setup, players, session, variation, decision.actions.index(action))

    def _varied(
        self, setup: Setup, players: Players, session: Session, variation: Variation, action: int
    ) -> PersonTable:
        varied = PersonTable(secrets.token_hex(16), setup, players, session, variation=variation)
        varied.act(action)
        return self._remember(varied)

    def find(self, name: str) -> PersonTable:
        """Return a table by its name, from memory or from its file; raise NotFound if there is none."""
        unknown = NotFound("no table has this address.")
        if not _NAME.fullmatch(name):
            raise unknown
        with self._lock:
            if name in self._open:
                self._open.move_to_end(name)
                return self._open[name]
        path = self.folder / f"{name}.json"
        if not path.is_file() or path.is_symlink():
            raise unknown
        return self._remember(self._load(name, path))

    def read(self, name: str) -> SavedSession:
        """Return the content of a table's file; raise RunError if it is damaged."""
        path = self.folder / f"{name}.json"
        saved = read_session(path)
        check_fields(path, saved.options, _OPTIONS)
        return saved

    def names(self) -> list[str]:
        """Return the names of all tables on disk, the last saved first."""
        files = [path for path in self.folder.glob("*.json") if _NAME.fullmatch(path.stem) and not path.is_symlink()]
        return [path.stem for path in sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)]

    def save(self, table: PersonTable) -> None:
        """Write a table's file, but for variations; it survives a kill and, after the answer, a power failure."""
        if table.variation is not None:
            return
        path = self.folder / f"{table.name}.json"
        write_session(path, table.saved(), durable=False)
        self._flusher.submit(flush, path)

    def close(self) -> None:
        """Make all files durable."""
        self._flusher.shutdown()

    def _remember(self, table: PersonTable) -> PersonTable:
        """Store a table in memory; the table that was not used longest leaves, unless it is in use."""
        with self._lock:
            table = self._open.setdefault(table.name, table)
            for name in [name for name, other in self._open.items() if not other.lock.locked()]:
                if len(self._open) <= _IN_MEMORY:
                    break
                if name != table.name:
                    del self._open[name]
        return table

    def _load(self, name: str, path: Path) -> PersonTable:
        saved = self.read(name)
        options = saved.options
        setup = Setup(saved.play, saved.parameters, saved.against, **{name: options[name] for name in CHOICES})
        players = self._players(setup)
        session = _session(setup, players, saved.seed)
        restore_session(path, session, saved)
        if options["dealt"] or not session.ended:
            session.step()
        helped = set(_whole(path, options["helped"]))
        return PersonTable(name, setup, players, session, options["version"], options["closed"], helped)


def _session(setup: Setup, players: Players, seed: int) -> Session:
    """Return a session; agents with memory are copied for each seat."""
    tree = None if players.drill else players.tree
    series: Series = series_of(players.rules, setup.hands or None)
    if players.drill:
        series = Rotation(players.drill[0], setup.hands, seat=players.drill[1])
    shared = {id(value): value for value in (players.tree, players.rules) if value is not None}
    others = [[_own_copy(agent, shared) for agent in players.opponents] for _ in range(players.rules.players)]
    return Session(players.rules, None, others, seed, series, tree)


def _own_copy(agent: Agent, shared: Mapping[int, Any]) -> Agent:
    """Return an agent, or a copy of it if it has memory or receives the state of a match."""
    if traits(agent).stand:
        return copy.copy(agent)
    if agent.profile is not None or isinstance(agent, FixedAgent):
        return agent
    return copy.deepcopy(agent, dict(shared))


def _interval(values: Sequence[float]) -> Interval | None:
    """Return mean and interval of values; None for fewer than two."""
    if len(values) < 2:
        return None
    mean, error = statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean, mean - _NORMAL * error, mean + _NORMAL * error)


def _whole(path: Path, values: list[Any]) -> list[int]:
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise RunError(f"{path} is damaged: its hands are not whole numbers. Use an intact copy.")
    return values
