"""Agents: players at a table, which choose actions from views and given random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from tefuda.errors import ParameterError, ProfileError, instance_hint, shortened
from tefuda.evaluating.profile import Profile, StrategyFunction, require_same_game
from tefuda.evaluating.values import require_profile
from tefuda.forms.tree import Tree
from tefuda.games.answers import probabilities_given
from tefuda.games.parameters import json_parameters
from tefuda.games.plays import pick
from tefuda.games.protocol import Game, Label, View, has_method
from tefuda.solvers.protocol import Policy


class Decision(NamedTuple):
    """A decision of an agent.

    Attributes:
        infoset: number of the infoset in the tree; -1 without a tree.
        view: the player's information.
        actions: labels of the actions.
        uniform: number in [0, 1) for a mixed choice; equal for all agents at the same decision of a deal.
        seat: the player to move.
    """

    infoset: int
    view: View
    actions: tuple[Label, ...]
    uniform: float
    seat: int = 0

    def number(self, tree: Tree) -> int:
        """Return the number of the infoset in a tree, whether or not the decision is at a table with it."""
        return self.infoset if self.infoset >= 0 else tree.number((self.seat, self.view))


class Move(NamedTuple):
    """An action in a finished hand.

    Attributes:
        player: the player.
        infoset: number of its infoset; -1 if its information stays hidden, or without a tree.
        action: label of the action.
    """

    player: int
    infoset: int
    action: Label


class ObservedHand(NamedTuple):
    """A finished hand as one player observed it.

    Attributes:
        seat: the observer's seat.
        moves: all actions.
        view: the observer's view at the end.
        payoffs: payoffs by seat.
        shown: views of all players at the end, by seat; None if a view stays hidden.
    """

    seat: int
    moves: tuple[Move, ...]
    view: View
    payoffs: tuple[float, ...]
    shown: tuple[View | None, ...] = ()


class Agent(Protocol):
    """Protocol of agents: profiles, searches, scripts, people.

    At tables without a tree, an optional method ``observe(view)`` receives the agent's view at the first state and
    after each move; None at chance. A class attribute ``learns = False`` declares that the agent has no memory of
    earlier hands, so that its deals are independent. An optional text ``version`` changes with the agent's strategy: a
    saved match is not resumed with another one.

    >>> [name for name in dir(td.Agent) if not name.startswith("_")]
    ['act', 'name', 'observe_hand', 'profile', 'start']
    """

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def profile(self) -> Profile | None:
        """Its fixed profile; None if it learns or searches."""

    def start(self, game: Any, seat: int, /) -> None:
        """Start a new match in a seat, without memory.

        Args:
            game: the tree; the rules if there is no tree.
            seat: the agent's seat.
        """

    def act(self, decision: Decision, /) -> int:
        """Return the index of the chosen action."""

    def observe_hand(self, hand: ObservedHand, /) -> None:
        """Observe a finished hand."""


def is_profile_of(profile: Profile, rules: Game) -> bool:
    """Return True if the name and parameters of a profile's tree are those of the rules."""
    return (profile.tree.name, profile.tree.parameters) == (rules.name, json_parameters(rules))


class Traits(NamedTuple):
    """The optional members of an agent.

    Attributes:
        learns: whether it may have memory of earlier hands.
        searches: whether the time of a decision may depend on hidden cards.
        observe: method that receives its view after each move, or None.
        stand: method that receives the match state and the agent's number before a hand, or None.
    """

    learns: bool
    searches: bool
    observe: Callable[[View | None], object] | None
    stand: Callable[[Any, int], object] | None


def traits(agent: Agent) -> Traits:
    """Return the traits of an agent; one without a profile learns and searches unless it says otherwise."""
    is_fixed = agent.profile is not None
    return Traits(
        learns=not is_fixed and bool(getattr(agent, "learns", True)),
        searches=bool(getattr(agent, "searches", not is_fixed and not isinstance(agent, FixedAgent))),
        observe=getattr(agent, "observe", None),
        stand=getattr(agent, "stand", None),
    )


def check_agents(agents: Sequence[Agent]) -> None:
    """Raise ParameterError unless all are agents; a profile is not an agent."""
    listed = isinstance(agents, Sequence)
    for agent in agents if listed else [agents]:
        missing = [part for part in ("name", "profile") if not hasattr(agent, part)]
        missing += [part for part in ("start", "act", "observe_hand") if not callable(getattr(agent, part, None))]
        if isinstance(agent, type) or missing:
            raise ParameterError(
                "an agent has name, profile (or None), start, act and observe_hand; "
                f"{shortened(agent)} lacks {', '.join(missing) or 'an instance'}.{_fix(agent)}"
            )
    if not listed:
        raise ParameterError(f"agents must be a list of agents, one for each player; got {shortened(agents)}.")


def _fix(value: object) -> str:
    if isinstance(value, Profile):
        return " Write td.ProfileAgent(NAME, profile)."
    if callable(value) and not isinstance(value, type):
        return " Write td.ScriptedAgent(NAME, function), or td.StrategyAgent for one that gives probabilities."
    return instance_hint(value)


def _require_function(name: str, value: object) -> None:
    if not callable(value):
        raise ParameterError(f"{name} must be a function of (player, view, actions); got {shortened(value)}.")


class FixedAgent:
    """Base class of agents without memory."""

    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`; ignored."""


@dataclass
class RandomAgent(FixedAgent):
    """Agent that chooses uniformly at random, in any game.

    >>> td.duplicate_match(td.load_game("kuhn"), [td.RandomAgent("a"), td.RandomAgent("b")], deals=10).mean.sum()
    np.float64(0.0)
    """

    name: str = "random"

    def act(self, decision: Decision) -> int:
        return int(decision.uniform * len(decision.actions))


@dataclass
class ProfileAgent:
    """Agent that plays a profile, on its tree or at a table over its rules.

    Args:
        name: its name.
        profile: its strategy in all seats.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agent = td.ProfileAgent("uniform", td.Profile.uniform(tree))
    >>> td.duplicate_match(tree, [agent, agent]).agents
    ('uniform 1', 'uniform 2')
    """

    name: str
    profile: Profile
    _tree: Tree = field(init=False, repr=False)
    _first: list[int] = field(init=False, repr=False)
    _probabilities: list[float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_profile(self.profile)
        self._tree = self.profile.tree
        self._first = self._tree.first_row.tolist()
        self._probabilities = self.profile.probabilities.tolist()

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`; raise ProfileError if the profile is of another game."""
        if isinstance(game, Tree):
            require_same_game(game, self.profile)
        elif not is_profile_of(self.profile, game):
            raise ProfileError(
                f"the profile is of {self.profile.tree.title}; the match has other rules of {game.name}."
            )

    def act(self, decision: Decision) -> int:
        infoset = decision.number(self._tree)
        return pick(self._probabilities[self._first[infoset] : self._first[infoset + 1]], decision.uniform)

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`; ignored."""


@dataclass
class ScriptedAgent(FixedAgent):
    """Agent that plays the label returned by a function.

    Args:
        name: its name.
        script: f(player, view, actions) -> label.

    >>> bets = td.ScriptedAgent("bets", lambda player, view, actions: "b")
    >>> checks = td.ScriptedAgent("checks", lambda player, view, actions: "p")
    >>> td.duplicate_match(td.compile_game(td.load_game("kuhn")), [bets, checks], deals=10).mean.tolist()
    [1.0, -1.0]
    """

    name: str
    script: Callable[[int, View, tuple[Label, ...]], Label]

    def __post_init__(self) -> None:
        _require_function("script", self.script)

    def act(self, decision: Decision) -> int:
        """See `Agent`; raise ParameterError if the function returned an illegal action."""
        chosen = self.script(decision.seat, decision.view, decision.actions)
        if chosen not in decision.actions:
            raise ParameterError(f"{self.name} chose {chosen!r} at {decision.view!r}; allowed are {decision.actions}.")
        return decision.actions.index(chosen)


@dataclass
class StrategyAgent(FixedAgent):
    """Agent that plays a strategy function.

    Args:
        name: its name.
        strategy: f(player, view, actions) -> probabilities, or a mapping from actions to probabilities.

    >>> small = td.abstract(td.load_game("kuhn"), key=lambda view, player: view.replace("Q", "J"))
    >>> solution = td.solve(td.RulesForm(small), "external", iterations=50)
    >>> lifted = td.StrategyAgent("lifted", small.lift(solution.strategy.strategy))
    >>> td.duplicate_match(td.load_game("kuhn"), [lifted, td.RandomAgent()], deals=2).agents
    ('lifted', 'random')
    """

    name: str
    strategy: StrategyFunction

    def __post_init__(self) -> None:
        _require_function("strategy", self.strategy)

    def act(self, decision: Decision) -> int:
        """See `Agent`; raise ProfileError if the function returned invalid probabilities."""
        answer = self.strategy(decision.seat, decision.view, decision.actions)
        return pick(
            probabilities_given(f"{self.name}, at {decision.view!r},", answer, decision.actions), decision.uniform
        )


@dataclass
class PolicyAgent(FixedAgent):
    """Agent that plays a policy: a strategy without a tree.

    Args:
        name: its name.
        policy: object with a method strategy(player, key, actions), such as `Solution.strategy`.
        version: see `Agent`.

    >>> policy = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> agents = [td.PolicyAgent("a", policy), td.RandomAgent("b")]
    >>> td.duplicate_match(td.load_game("kuhn"), agents, deals=10).agents
    ('a', 'b')
    """

    name: str
    policy: Policy
    version: str = ""

    def __post_init__(self) -> None:
        if not has_method(self.policy, "strategy"):
            raise ParameterError(
                f"a policy has strategy(player, key, actions); got {shortened(self.policy)}. "
                "Use the attribute strategy of a solution; for a function use td.StrategyAgent."
            )

    def act(self, decision: Decision) -> int:
        return pick(self.policy.strategy(decision.seat, decision.view, decision.actions), decision.uniform)
