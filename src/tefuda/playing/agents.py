"""Agents: the players at a table. They act on what they see, with a random number given for each decision."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from tefuda.errors import ParameterError, ProfileError, instance_hint, shortened
from tefuda.evaluating.profile import Profile, StrategyFunction, require_same_game
from tefuda.evaluating.values import require_profile
from tefuda.forms.tree import Tree
from tefuda.games.answers import probabilities_given
from tefuda.games.parameters import json_parameters
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game, has_method
from tefuda.solvers.protocol import Policy


class Decision(NamedTuple):
    """A decision of a player.

    infoset: its number in the tree, -1 without a tree. view: the player's information. actions: the labels to choose
    from. uniform: a number in [0, 1) for a mixed choice; the same at the same decision of the same deal for all agents.
    seat: the player's own.
    """

    infoset: int
    view: Hashable
    actions: tuple[Hashable, ...]
    uniform: float
    seat: int = 0


class Move(NamedTuple):
    """A decision in a hand: the player, its infoset, and the action's label.

    infoset: -1 if the player's information stays hidden, or without a tree.
    """

    player: int
    infoset: int
    action: Hashable


class ObservedHand(NamedTuple):
    """A player's information after a hand: its seat, all decisions, its view at the end, and the payoffs.

    shown: the views of all players at the end, by seat; None where a view stays hidden.
    """

    seat: int
    moves: tuple[Move, ...]
    view: Hashable
    payoffs: tuple[float, ...]
    shown: tuple[Hashable | None, ...] = ()


class Agent(Protocol):
    """The holder of a seat: a profile, a search, a script, a person.

    At tables without a tree, an agent with a method ``observe(view)`` receives its view after each move of any player
    and at the first state; None where chance is to move. An agent whose class says ``learns = False`` carries nothing
    from hand to hand, so its deals are independent.

    >>> [name for name in dir(td.Agent) if not name.startswith("_")]
    ['act', 'name', 'observe_hand', 'profile', 'start']
    """

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def profile(self) -> Profile | None:
        """The profile that it always plays; None if it learns or searches."""

    def start(self, game: Any, seat: int, /) -> None:
        """Begin a new match in a seat, and forget everything learned.

        Args:
            game: the tree that is played on, or the rules where there is none.
            seat: its own.
        """

    def act(self, decision: Decision) -> int:
        """Return the position of the chosen action."""

    def observe_hand(self, hand: ObservedHand) -> None:
        """Learn from a hand that is over."""


def is_profile_of(profile: Profile, rules: Game) -> bool:
    """Return True if a profile's tree was compiled from such rules: the same name and parameters."""
    return (profile.tree.name, profile.tree.parameters) == (rules.name, json_parameters(rules))


def may_learn(agent: Agent) -> bool:
    """Return True if an agent may carry something from hand to hand."""
    return agent.profile is None and bool(getattr(agent, "learns", True))


def check_agents(agents: Sequence[Agent]) -> None:
    """Raise ParameterError unless these are agents; a profile is not yet one."""
    listed = isinstance(agents, Sequence)
    for agent in agents if listed else [agents]:
        missing = [part for part in ("name", "profile") if not hasattr(agent, part)]
        missing += [part for part in ("start", "act", "observe_hand") if not callable(getattr(agent, part, None))]
        if isinstance(agent, type) or missing:
            raise ParameterError(
                "an agent has name, profile (None if it plays none), start, act and observe_hand; "
                f"{shortened(agent)} lacks {', '.join(missing) or 'an instance'}.{_cure(agent)}"
            )
    if not listed:
        raise ParameterError(f"agents must be a list of agents, one for each player; got {shortened(agents)}.")


def _cure(value: object) -> str:
    """Return the advice that follows an error about something that is no agent."""
    if isinstance(value, Profile):
        return " Write td.ProfileAgent(NAME, profile)."
    if callable(value) and not isinstance(value, type):
        return " Write td.ScriptedAgent(NAME, function), or td.StrategyAgent for one that gives probabilities."
    return instance_hint(value)


def _require_function(name: str, value: object) -> None:
    if not callable(value):
        raise ParameterError(f"{name} must be a function of (player, view, actions); got {shortened(value)}.")


class FixedAgent:
    """The common parts of agents that carry nothing from hand to hand."""

    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`: nothing is learned."""


@dataclass
class RandomAgent(FixedAgent):
    """Takes each action with the same probability, in any game.

    >>> td.duplicate_match(td.load_game("kuhn"), [td.RandomAgent("a"), td.RandomAgent("b")], deals=10).mean.sum()
    np.float64(0.0)
    """

    name: str = "random"

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        return int(decision.uniform * len(decision.actions))


@dataclass
class ProfileAgent:
    """Plays a profile, on its tree or over the rules that it was compiled from.

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
        """See `Agent`; raise ProfileError if the profile is of another game."""
        if isinstance(game, Tree):
            require_same_game(game, self.profile)
        elif not is_profile_of(self.profile, game):
            raise ProfileError(f"the profile is of {self.profile.tree.title}; other rules of {game.name} are played.")

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        infoset = (
            decision.infoset if decision.infoset >= 0 else self.profile.tree.number((decision.seat, decision.view))
        )
        return pick(self._probabilities[self._first[infoset] : self._first[infoset + 1]], decision.uniform)

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`: nothing is learned."""


@dataclass
class ScriptedAgent(FixedAgent):
    """Plays the label that a function of (player, view, actions) returns.

    >>> bets = td.ScriptedAgent("bets", lambda player, view, actions: "b")
    >>> checks = td.ScriptedAgent("checks", lambda player, view, actions: "p")
    >>> td.duplicate_match(td.compile_game(td.load_game("kuhn")), [bets, checks], deals=10).mean.tolist()
    [1.0, -1.0]
    """

    name: str
    script: Callable[[int, Hashable, tuple[Hashable, ...]], Hashable]

    def __post_init__(self) -> None:
        _require_function("script", self.script)

    def act(self, decision: Decision) -> int:
        """See `Agent`; raise ParameterError if the function returned an action that is not allowed."""
        chosen = self.script(decision.seat, decision.view, decision.actions)
        if chosen not in decision.actions:
            raise ParameterError(f"{self.name} chose {chosen!r} at {decision.view!r}; allowed are {decision.actions}.")
        return decision.actions.index(chosen)


@dataclass
class StrategyAgent(FixedAgent):
    """Plays a function of (player, view, actions) that returns probabilities, or a mapping from actions to them.

    >>> small = td.abstract(td.load_game("kuhn"), key=lambda view, player: view.replace("Q", "J"))
    >>> solution = td.solve(td.Uncompiled(small), "external", iterations=50)
    >>> lifted = td.StrategyAgent("lifted", small.lift(solution.strategy.strategy))
    >>> td.duplicate_match(td.load_game("kuhn"), [lifted, td.RandomAgent()], deals=2).agents
    ('lifted', 'random')
    """

    name: str
    strategy: StrategyFunction

    def __post_init__(self) -> None:
        _require_function("strategy", self.strategy)

    def act(self, decision: Decision) -> int:
        """See `Agent`; raise ProfileError if the function returned no probabilities of these actions."""
        answer = self.strategy(decision.seat, decision.view, decision.actions)
        return pick(
            probabilities_given(f"{self.name}, at {decision.view!r},", answer, decision.actions), decision.uniform
        )


@dataclass
class PolicyAgent(FixedAgent):
    """Plays a policy: a strategy learned without a tree.

    >>> policy = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> agents = [td.PolicyAgent("a", policy), td.RandomAgent("b")]
    >>> td.duplicate_match(td.load_game("kuhn"), agents, deals=10).agents
    ('a', 'b')
    """

    name: str
    policy: Policy

    def __post_init__(self) -> None:
        if not has_method(self.policy, "strategy"):
            raise ParameterError(
                f"a policy has strategy(player, key, actions); got {shortened(self.policy)}. "
                "That of a solution is .strategy; a function plays as td.StrategyAgent."
            )

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        return pick(self.policy.strategy(decision.seat, decision.view, decision.actions), decision.uniform)
