"""An agent that re-solves during play within a budget, and otherwise plays its blueprint."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.public import public_states
from tefuda.forms.subgame import subgame
from tefuda.forms.tree import Tree
from tefuda.games.plays import pick
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision, FixedAgent, ProfileAgent
from tefuda.playing.searching import advance_within
from tefuda.resolving.gadgets import Gadget, OpponentResponse, ResolvingProblem, find_gadget
from tefuda.resolving.nesting import NestedResolver, levels_of
from tefuda.resolving.resolution import quick_method, resolve_problem, tree_solver
from tefuda.solvers.exact.linear_program import LinearProgram
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.evaluators import has_average, reported_strategy
from tefuda.solvers.runs.solving import make_solver, solve

_CAUTION = 1.5  # factor of the measured overhead that is reserved
_SPARE = 0.1  # share of the seconds that is reserved: the clock is read between iterations, and machines are busy


@dataclass
class ResolvingAgent(FixedAgent):
    """An agent that re-solves at each of its public states, as `resolve_nested` does.

    It plays on a tree, or over the rules that its blueprint's tree was compiled from. It solves each public state once,
    so its strategy can be tabulated and evaluated.

    Args:
        name: name of the agent.
        blueprint: strategy before any re-solving. It stays where there is no time, and where a safe gadget was solved
            so roughly that it would lose (the CFR-D gadget needs an exact method such as ``"lp"``).
        gadget: see `resolve`.
        method: method that solves; ``"lp"`` is exact, but cannot stop in time.
        iterations: iterations for each public state.
        seconds: time limit for each public state in seconds, with the overhead, which is measured at the start.

    Raises:
        ParameterError: no budget, or a linear program with a time limit.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.Profile.uniform(tree)
    >>> agent = td.resolving.ResolvingAgent("re-solving", blueprint, iterations=20)
    >>> agents = [agent, td.ProfileAgent("blueprint", blueprint)]
    >>> bool(td.duplicate_match(tree, agents, deals=100).mean[0] > 0)
    True
    """

    name: str
    blueprint: Profile
    gadget: str | Gadget = "max-margin"
    method: str | Method = "cfr+"
    iterations: int | None = None
    seconds: float | None = None
    _resolvers: dict[int, NestedResolver] = field(default_factory=dict, init=False, repr=False)
    _overheads: dict[int, tuple[float, float]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._player = ProfileAgent(self.name, self.blueprint)  # validates the blueprint
        self._gadget, self._method, self._seat = find_gadget(self.gadget), quick_method(self.method), 0
        self._deadline, self._solving = 0.0, 0.0  # end of the budget, and seconds of solving within it
        for name, value in (("iterations", self.iterations), ("seconds", self.seconds)):
            if value is not None:
                check_range(name, value, 0, whole=name == "iterations")
        if self.seconds is not None and isinstance(self._method, LinearProgram):
            raise ParameterError(f"{self.name}: a linear program cannot stop in time; leave seconds out, or use cfr+.")
        if self.seconds is None and self.iterations is None:
            raise ParameterError(f"{self.name} needs a budget: iterations or seconds for each public state.")

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`; solutions of a seat are stored. Raise ProfileError or GameError for another game."""
        self._player.start(game, seat)
        self._seat = seat
        if seat not in self._resolvers:
            self._resolvers[seat] = NestedResolver(self.blueprint, seat, self._gadget)
            if self.seconds is not None:
                self._overheads[seat] = self._measure_overhead(seat)

    def _measure_overhead(self, seat: int) -> tuple[float, float]:
        """Load kernels; return the overhead in seconds of the smallest subgame, and of each further history."""
        tree = self.blueprint.tree
        subs = [subgame(tree, state) for members in levels_of(tree, seat).members for state in members]
        subs.sort(key=lambda sub: len(sub.nodes))
        seconds = []
        for sub in (subs[0], subs[0], subs[-1]):  # the first one loads the kernels
            start = time.perf_counter()
            problem = ResolvingProblem(OpponentResponse(self.blueprint, seat), sub)
            resolve_problem(problem, self._gadget, tree_solver(self._method, 1))
            seconds.append(time.perf_counter() - start)
        more = max(1, len(subs[-1].nodes) - len(subs[0].nodes))
        return seconds[1], max(0.0, seconds[2] - seconds[1]) / more

    def _raise_overhead(self, public_state: int, spent: float) -> None:
        """Reserve at least the overhead spent at a public state from now on."""
        once, each = self._overheads[self._seat]
        histories = len(subgame(self.blueprint.tree, public_state).nodes)
        self._overheads[self._seat] = max(once, spent - each * histories), each

    def act(self, turn: Decision) -> int:
        tree = self.blueprint.tree
        infoset = turn.number(tree)
        resolver = self._resolvers[self._seat]
        public_state = int(public_states(tree)[infoset])
        if public_state not in resolver.solved:
            start, self._solving = time.perf_counter(), 0.0
            self._deadline = start + (self.seconds or 0.0)
            resolver.solve(public_state, self._solve_in_time)
            if self.seconds is not None:
                self._raise_overhead(public_state, time.perf_counter() - start - self._solving)
        return pick(resolver.strategy(infoset).tolist(), turn.uniform)

    def tabulate(self, seat: int) -> Profile:
        """Return the blueprint with this agent's strategy from a seat, solved at all its public states."""
        self.start(self.blueprint.tree, seat)

        def solve_tree(tree: Tree) -> Profile | None:
            self._deadline = time.perf_counter() + (self.seconds or 0.0)
            return self._solve_in_time(tree)

        return self._resolvers[seat].solve_all(solve_tree)

    def _solve_in_time(self, tree: Tree) -> Profile | None:
        """Return the method's solution within the rest of the budget; None if no time is left."""
        remaining = None
        if self.seconds is not None:
            once, each = self._overheads[self._seat]
            reserved = max(_SPARE * self.seconds, _CAUTION * (once + each * len(tree.player)))
            remaining = self._deadline - time.perf_counter() - reserved
            if remaining <= 0:
                return None
        solver, start = make_solver(tree, self._method), time.perf_counter()
        advance_within(solver.advance, self.iterations, remaining)
        self._solving += time.perf_counter() - start
        profile = reported_strategy(solver)[1] if has_average(solver) else None
        assert profile is None or isinstance(profile, Profile)
        return profile


def default_agent(tree: Tree) -> ResolvingAgent:
    """Return the roster's agent: a rough blueprint, and a budget that is the same on every machine."""
    return ResolvingAgent("resolving", solve(tree, "cfr+", iterations=10).strategy, "reach", iterations=200)
