"""Who sits at a table: agents, who act on what they see, with a random number given for each decision."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from tefuda.errors import ParameterError, ProfileError, instead_of, shortened
from tefuda.forms.tree import Tree
from tefuda.games.answers import strategy_given
from tefuda.games.parameters import json_parameters
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game
from tefuda.judging.profile import Profile, StrategyFunction, require_same_game
from tefuda.judging.values import require_profile


class Turn(NamedTuple):
    """What a player who decides is told.

    infoset: its number in the tree; -1 where there is none. view: what the player knows. actions: the labels it may
    choose from. point: a number in [0, 1) for a mixed choice; the same at the same decision of the same deal, whoever
    sits there. seat: the player's own.
    """

    infoset: int
    view: Hashable
    actions: tuple[Hashable, ...]
    point: float
    seat: int = 0


class Move(NamedTuple):
    """A decision in a hand: who, at which infoset, and the action's label.

    infoset: -1 if what the player knew stays hidden, or if there is no tree.
    """

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
    """Who plays a seat: a profile, a search, a script, a person.

    An agent that also has ``observe(view)`` is told, where hands are played without a tree, what it sees after each
    move of anybody, the first state included; None where chance is to move. One whose class says ``learns = False``
    carries nothing from hand to hand, and its deals do not depend on each other.

    >>> [name for name in dir(td.Agent) if not name.startswith("_")]
    ['act', 'name', 'profile', 'see', 'start']
    """

    @property
    def name(self) -> str:
        """How it is called."""

    @property
    def profile(self) -> Profile | None:
        """What it always plays; None if it learns or searches."""

    def start(self, game: Any, seat: int, /) -> None:
        """A new match from a seat: whatever was learned is forgotten.

        Args:
            game: the tree that is played on, or the rules where there is none.
            seat: the player's own.
        """

    def act(self, turn: Turn) -> int:
        """The place of the chosen action."""

    def see(self, sight: Sight) -> None:
        """A hand is over."""


def is_of(profile: Profile, rules: Game) -> bool:
    """Whether a profile's tree was compiled from such rules: the same name and parameters."""
    return (profile.tree.name, profile.tree.parameters) == (rules.name, json_parameters(rules))


def may_learn(agent: Agent) -> bool:
    """Whether an agent may carry something from hand to hand: it plays no profile and does not say no."""
    return agent.profile is None and bool(getattr(agent, "learns", True))


def check_agents(agents: Sequence[Agent]) -> None:
    """Raise ParameterError unless these are agents; a profile is not yet one."""
    for agent in agents if isinstance(agents, Sequence) else [agents]:
        if isinstance(agent, type) or not all(callable(getattr(agent, part, None)) for part in ("start", "act")):
            cure = instead_of(agent)
            if isinstance(agent, Profile):
                cure = " Write td.ProfileAgent(NAME, profile)."
            elif not cure and callable(agent):
                cure = " Write td.ScriptedAgent(NAME, function), or td.StrategyAgent for one that gives probabilities."
            raise ParameterError(f"an agent has a name, start and act; got {shortened(agent)}.{cure}")
    if not isinstance(agents, Sequence):
        raise ParameterError(f"a list of agents is wanted, one for each player; got {shortened(agents)}.")
    for agent in agents:
        missing = [part for part in ("name", "profile") if not hasattr(agent, part)]
        missing += ["see"] if not callable(getattr(agent, "see", None)) else []
        if missing:
            raise ParameterError(
                f"an agent has name, profile (None if it plays none), start, act and see; {shortened(agent)} lacks "
                f"{', '.join(missing)}."
            )


def _require_function(name: str, value: object) -> None:
    if not callable(value):
        raise ParameterError(f"{name} must be a function of (player, view, actions); got {shortened(value)}.")


@dataclass
class RandomAgent:
    """Does anything with the same probability, at any game.

    >>> td.duplicate_match(td.load_game("kuhn"), [td.RandomAgent("a"), td.RandomAgent("b")], deals=10).mean.sum()
    np.float64(0.0)
    """

    name: str = "random"
    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        return int(turn.point * len(turn.actions))

    def see(self, sight: Sight) -> None:
        """Nothing is learned."""


@dataclass
class ProfileAgent:
    """Plays a profile, on its tree or over the rules it was compiled from.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> one = td.ProfileAgent("uniform", td.Profile.uniform(tree))
    >>> td.duplicate_match(tree, [one, one]).agents
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

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`.

        Raises:
            ProfileError: the profile is of another game.
        """
        if isinstance(game, Tree):
            require_same_game(game, self.profile)
        elif not is_of(self.profile, game):
            raise ProfileError(f"the profile is of {self.profile.tree.title}; other rules of {game.name} are played.")

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        infoset = turn.infoset if turn.infoset >= 0 else self.profile.tree.number((turn.seat, turn.view))
        return pick(self._probabilities[self._first[infoset] : self._first[infoset + 1]], turn.point)

    def see(self, sight: Sight) -> None:
        """A profile learns nothing."""


@dataclass
class ScriptedAgent:
    """Plays what a function of (player, view, actions) says: a label.

    >>> bets = td.ScriptedAgent("bets", lambda player, view, actions: "b")
    >>> checks = td.ScriptedAgent("checks", lambda player, view, actions: "p")
    >>> td.duplicate_match(td.compile_game(td.load_game("kuhn")), [bets, checks], deals=10).mean.tolist()
    [1.0, -1.0]
    """

    name: str
    script: Callable[[int, Hashable, tuple[Hashable, ...]], Hashable]
    profile: Profile | None = None
    learns: ClassVar[bool] = False
    _seat: int = 0

    def __post_init__(self) -> None:
        _require_function("script", self.script)

    def start(self, game: Tree | Game, seat: int) -> None:
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


@dataclass
class StrategyAgent:
    """Plays what a function of (player, view, actions) gives: probabilities, or a mapping from actions to them.

    >>> small = td.abstract(td.load_game("kuhn"), key=lambda view, player: view.replace("Q", "J"))
    >>> solution = td.solve(td.Uncompiled(small), "external", iterations=50)
    >>> lifted = td.StrategyAgent("lifted", small.lift(solution.strategy.strategy))
    >>> td.duplicate_match(td.load_game("kuhn"), [lifted, td.RandomAgent()], deals=2).agents
    ('lifted', 'random')
    """

    name: str
    strategy: StrategyFunction
    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _require_function("strategy", self.strategy)

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""

    def act(self, turn: Turn) -> int:
        """See `Agent`.

        Raises:
            ProfileError: what the function gave are no probabilities of these actions.
        """
        answer = self.strategy(turn.seat, turn.view, turn.actions)
        return pick(strategy_given(f"{self.name}, at {turn.view!r},", answer, turn.actions), turn.point)

    def see(self, sight: Sight) -> None:
        """A strategy learns nothing."""
