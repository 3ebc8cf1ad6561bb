"""Who sits at a table: players that act on what they see, with a random number given for each decision."""

from __future__ import annotations

import shutil
import textwrap
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from tefuda.errors import ParameterError, one_of, shortened
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game, Told, told
from tefuda.judging.profile import Profile, require_profile, require_same_game
from tefuda.judging.values import best_response
from tefuda.solvers.methods import solve
from tefuda.solvers.oos import OOS, OnlineSampling, OosSolver, Searcher
from tefuda.solvers.perturbed import trembling
from tefuda.solvers.search import Draws, OosSearch
from tefuda.words import brief, count, harmless, signed

_PIECE = 0.02  # seconds between looks at the clock


class Turn(NamedTuple):
    """What a player who decides is told.

    infoset: its number in the tree. view: what the player knows. actions: the labels it may choose from. point: a
    number in [0, 1) for a mixed choice; the same at the same decision of the same deal, whoever sits there.
    """

    infoset: int
    view: Hashable
    actions: tuple[Hashable, ...]
    point: float


class Move(NamedTuple):
    """A decision in a hand: who, at which infoset (-1 if what the player knew stays hidden), and the action's label."""

    player: int
    infoset: int
    action: Hashable


class Sight(NamedTuple):
    """What a player may see after a hand: its seat, all decisions, what it knows at the end, and the payoffs.

    shown: what every player knew at the end, by seat; None where it stays hidden.
    """

    seat: int
    moves: tuple[Move, ...]
    view: Hashable
    payoffs: tuple[float, ...]
    shown: tuple[Hashable | None, ...] = ()


class Agent(Protocol):
    """A player.

    >>> [name for name in dir(tf.Agent) if not name.startswith("_")]
    ['act', 'name', 'profile', 'see', 'start']
    """

    @property
    def name(self) -> str:
        """How it is called."""

    @property
    def profile(self) -> Profile | None:
        """What it always plays; None if it learns or searches."""

    def start(self, tree: Tree, seat: int) -> None:
        """A new match from a seat: whatever was learned is forgotten."""

    def act(self, turn: Turn) -> int:
        """The place of the chosen action."""

    def see(self, sight: Sight) -> None:
        """A hand is over."""


def pick(probabilities: Sequence[float], point: float) -> int:
    """The place a number in [0, 1) falls on, by the order of the actions."""
    last = 0
    for place, chance in enumerate(probabilities):
        if chance > 0:
            if point < chance:
                return place
            last = place
        point -= chance
    return last


def check_agents(agents: Sequence[Agent]) -> None:
    """Raise ParameterError unless these are agents; a profile is not yet one."""
    for agent in agents if isinstance(agents, Sequence) else [agents]:
        if not all(callable(getattr(agent, part, None)) for part in ("start", "act")):
            cure = " Write tf.ProfileAgent(NAME, profile)." if isinstance(agent, Profile) else ""
            raise ParameterError(f"an agent has a name, start and act; got {shortened(agent)}.{cure}")
    if not isinstance(agents, Sequence):
        raise ParameterError(f"a list of agents is wanted, one for each player; got {shortened(agents)}.")


@dataclass
class ProfileAgent:
    """Plays a profile.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> one = tf.ProfileAgent("uniform", tf.Profile.uniform(tree))
    >>> tf.duplicate_match(tree, [one, one]).agents
    ('uniform 1', 'uniform 2')
    """

    name: str
    profile: Profile
    _first: list[int] = field(init=False, repr=False)
    _probabilities: list[float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_profile(self.profile)
        self._first = self.profile.tree.first_row.tolist()
        self._probabilities = self.profile.probabilities.tolist()

    def start(self, tree: Tree, seat: int) -> None:
        """See `Agent`.

        Raises:
            ProfileError: the profile is of another game.
        """
        require_same_game(tree, self.profile)

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        return pick(self._probabilities[self._first[turn.infoset] : self._first[turn.infoset + 1]], turn.point)

    def see(self, sight: Sight) -> None:
        """A profile learns nothing."""


@dataclass
class ScriptedAgent:
    """Plays what a function of (player, view, actions) says: a label.

    >>> bets = tf.ScriptedAgent("bets", lambda player, view, actions: "b")
    >>> checks = tf.ScriptedAgent("checks", lambda player, view, actions: "p")
    >>> tf.duplicate_match(tf.compile_game(tf.load_game("kuhn")), [bets, checks], deals=10).mean.tolist()
    [1.0, -1.0]
    """

    name: str
    script: Callable[[int, Hashable, tuple[Hashable, ...]], Hashable]
    profile: Profile | None = None
    _seat: int = 0

    def start(self, tree: Tree, seat: int) -> None:
        """See `Agent`."""
        self._seat = seat

    def act(self, turn: Turn) -> int:
        """See `Agent`.

        Raises:
            ParameterError: the function named an action that may not be done.
        """
        chosen = self.script(self._seat, turn.view, turn.actions)
        if chosen not in turn.actions:
            raise ParameterError(f"{self.name} chose {chosen!r} at {turn.view!r}; allowed are {turn.actions}.")
        return turn.actions.index(chosen)

    def see(self, sight: Sight) -> None:
        """A script learns nothing."""


class OosAgent:
    """Plays by searching: at each of its decisions it aims at where the match stands, searches, and plays the average.

    Args:
        game: a tree, or rules if the game is too large to compile.
        method: how to search.
        iterations: a budget for each decision, in episodes of every player.
        seconds: another; the first to run out ends the search.
        seed: of all random numbers.

    Raises:
        ParameterError: no budget, or public targets over plain rules.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> player = tf.OosAgent(tree, iterations=20)
    >>> player.start(0)
    >>> player.observe("K|")
    >>> player.act(("p", "b")) in ("p", "b")
    True
    """

    def __init__(
        self,
        game: Tree | Game,
        method: OnlineSampling = OOS,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
    ) -> None:
        if iterations is None and seconds is None:
            raise ParameterError("an agent that searches needs a budget: iterations or seconds for each decision.")
        if not isinstance(game, Tree) and method.target == "public":
            raise ParameterError("public targets need a compiled tree; over plain rules use target='infoset'.")
        search_seed, play_seed = np.random.SeedSequence(seed).spawn(2)
        self.rng, self.iterations, self.seconds = np.random.default_rng(play_seed), iterations, seconds
        seeds = int(search_seed.generate_state(1)[0])
        self.search: Searcher = (
            OosSolver(game, method, seeds)
            if isinstance(game, Tree)
            else OosSearch(game, method, Draws(np.random.default_rng(seeds)))
        )
        self.player, self.trace = 0, []  # type: tuple[int, list[Hashable]]

    def start(self, player: int) -> None:
        """A new match from a seat: memory is cleared."""
        self.player, self.trace = player, []
        self.search.clear()

    def observe(self, view: Hashable) -> None:
        """What the player sees after each move of anybody, the first state included; None where chance is to move."""
        self.trace.append(view)

    def act(self, actions: Sequence[Hashable]) -> Hashable:
        """Search, and draw an action from the average strategy at the view observed last."""
        self.search.aim(self.trace, self.player)
        self._think()
        strategy = self.search.strategy(self.player, self.trace[-1], actions)
        return actions[Draws(self.rng).choice(strategy)]

    def _think(self) -> None:
        if self.seconds is None:
            self.search.advance(self.iterations or 0)
            return
        end, done, count = time.perf_counter() + self.seconds, 0, 1
        while time.perf_counter() < end and (self.iterations is None or done < self.iterations):
            count = count if self.iterations is None else min(count, self.iterations - done)
            start = time.perf_counter()
            self.search.advance(count)
            done += count
            rate = count / max(time.perf_counter() - start, 1e-9)
            count = max(1, min(int(rate * _PIECE), 4 * count, int(rate * (end - time.perf_counter()))))


@dataclass
class SearchAgent:
    """Searches at each of its decisions by online outcome sampling.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> against = tf.ProfileAgent("u", tf.Profile.uniform(tree))
    >>> tf.duplicate_match(tree, [tf.SearchAgent("s", iterations=5), against], deals=2).agents
    ('s', 'u')
    """

    name: str
    method: OnlineSampling = OOS
    iterations: int = 1000
    seed: int = 0
    profile: Profile | None = None
    _search: OosAgent | None = field(default=None, repr=False)

    def start(self, tree: Tree, seat: int) -> None:
        """See `Agent`."""
        self._search = OosAgent(tree, self.method, iterations=self.iterations, seed=self.seed)
        self._search.start(seat)

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        assert self._search is not None, "start() comes first"
        self._search.observe(turn.view)
        return turn.actions.index(self._search.act(turn.actions))

    def see(self, sight: Sight) -> None:
        """What was searched is kept: it is about the game, not about the opponents."""


def say(text: str) -> None:
    """Print a text broken between words, as wide as the terminal."""
    wide = shutil.get_terminal_size().columns
    print("\n".join(textwrap.fill(line, wide) for line in harmless(text).split("\n")))


def listen(question: str) -> str:
    """What a person answers."""
    return input(harmless(question))


class Left(KeyboardInterrupt):
    """A person has left the table, by ``q`` or the end of input."""


@dataclass
class HumanAgent:
    """Somebody at the terminal.

    Told is what the view holds and, at the end, what others show; never what is hidden.

    Args:
        name: how it is called.
        ask: gives an answer to a question.
        tell: shows a line.

    >>> human = tf.HumanAgent(ask=lambda question: "b", tell=lambda line: None)
    >>> against = tf.ProfileAgent("u", tf.Profile.uniform(tree := tf.compile_game(tf.load_game("kuhn"))))
    >>> tf.duplicate_match(tree, [human, against], deals=1).agents, human.hands
    (('human', 'u'), 2)
    """

    name: str = "human"
    ask: Callable[[str], str] = listen
    tell: Callable[[str], None] = say
    profile: Profile | None = None
    total: float = 0.0
    hands: int = 0
    _tree: Tree | None = field(default=None, repr=False)
    _seat: int = 0

    def start(self, tree: Tree, seat: int) -> None:
        """See `Agent`: the running result goes on."""
        self._tree, self._seat = tree, seat
        self.tell(f"You are player {seat} of {tree.players} at {tree.name}. (? helps, q leaves)")

    def act(self, turn: Turn) -> int:
        """See `Agent`: an action by its name, or the start of it if that is enough.

        Raises:
            Left: the person leaves the table.
        """
        known = self._told(turn.view, self._seat)
        self.tell(f"You hold {known.hand}{f'; {known.table}' if known.table else ''}.")
        labels = [str(action) for action in turn.actions]
        words = [known.actions.get(action, label) for action, label in zip(turn.actions, labels, strict=True)]
        shown = [word if word == label else f"{word} ({label})" for word, label in zip(words, labels, strict=True)]
        while True:
            try:
                answer = self.ask(f"{one_of(shown)}? ").strip()
            except EOFError:
                raise Left from None
            if (place := _meant(answer, labels, words)) is not None:
                return place
            if answer in ("q", "quit"):
                raise Left
            self.tell(_HELP if answer == "?" else f"{answer!r} is none of: {', '.join(shown)}.")

    def see(self, sight: Sight) -> None:
        """See `Agent`: how it ended, what the others showed, what was won, and what was won in all."""
        won, known = sight.payoffs[sight.seat], self._told(sight.view, sight.seat)
        self.total, self.hands = self.total + won, self.hands + 1
        self.tell(f"The end: {known.table or known.hand}.")
        for seat, view in enumerate(sight.shown):
            if seat != sight.seat and view is not None:
                self.tell(f"Player {seat} shows {self._told(view, seat).hand}.")
        outcome = f"You {'win' if won > 0 else 'lose'} {brief(abs(won), 6)}" if won else "Nothing won, nothing lost"
        self.tell(f"{outcome}. {self.result()}\n")

    def result(self) -> str:
        """The running result: ``After 3 hands: +2, +0.667 a hand.``"""
        mean = f", {signed(self.total / self.hands, 3)} a hand" if self.hands > 1 else ""
        return f"After {count(self.hands, 'hands')}: {'+' * (self.total > 0)}{brief(self.total, 6)}{mean}."

    def _told(self, view: Hashable, seat: int) -> Told:
        return told(self._tree.rules if self._tree else None, view, seat)


_HELP = "Write an action, its letter, or the start of it. ? shows this; q leaves the table, and what was won is told."


def _meant(answer: str, labels: Sequence[str], words: Sequence[str]) -> int | None:
    """The place of the action an answer names: exactly, or by a start that fits no other; else None."""
    for names in (labels, words):
        if answer in names:
            return names.index(answer)
    pairs = enumerate(zip(labels, words, strict=True))
    fitting = [place for place, names in pairs if answer and any(name.startswith(answer) for name in names)]
    return fitting[0] if len(fitting) == 1 else None


def preferring(tree: Tree, wanted: Callable[[tuple[Hashable, ...]], Hashable]) -> Profile:
    """Everywhere the action a function of the actions names, with probability 1."""
    return Profile.from_function(tree, lambda player, key, labels: {wanted(labels): 1.0})


def always_raise(tree: Tree) -> Profile:
    """The last action everywhere: bets and raises, and calls where that is all one can do (games of betting)."""
    return preferring(tree, lambda labels: labels[-1])


def always_pass(tree: Tree) -> Profile:
    """The first action everywhere: checks and folds (games of betting)."""
    return preferring(tree, lambda labels: labels[0])


def always_call(tree: Tree) -> Profile:
    """Checks and calls.

    Raises:
        ParameterError: a game without the action ``"c"``.
    """
    if not all("c" in tree.labels(number) for number in range(tree.infosets)):
        raise ParameterError(f"{tree.name} has no action 'c' everywhere; nobody can always call.")
    return preferring(tree, lambda labels: "c")


def equilibrium(tree: Tree, until: float = 1e-3) -> Profile:
    """An approximate equilibrium: all seats from one run of DCFR, as those of different runs do not fit together."""
    return solve(tree, "dcfr", until=until, iterations=100_000).profile


def answering(tree: Tree, profile: Profile) -> Profile:
    """For each player a best response to the others of a profile."""
    require_same_game(tree, profile)
    found = profile
    for player in range(tree.players):
        found = found.replace(player, best_response(tree, profile, player).profile)
    return found


#: Agents by name: (what they are, how their profile is made).
NAMED: dict[str, tuple[str, Callable[[Tree], Profile]]] = {
    "always-call": ("checks and calls", always_call),
    "always-pass": ("the first action: checks and folds", always_pass),
    "always-raise": ("the last action: bets and raises, else calls", always_raise),
    "best-response": ("a best response to the equilibrium", lambda tree: answering(tree, equilibrium(tree))),
    "equilibrium": ("DCFR to a NashConv of 1e-3", equilibrium),
    "tilted": (
        "the equilibrium, a quarter of the time always-raise",
        lambda tree: equilibrium(tree).mixed(always_raise(tree), 0.25),
    ),
    "trembling": ("the equilibrium with a tenth of uniform play", lambda tree: trembling(equilibrium(tree), 0.1)),
    "uniform": ("any action with the same probability", Profile.uniform),
}
