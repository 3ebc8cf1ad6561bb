"""An agent that re-solves during play, within its time, and plays its blueprint where there was none."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.public import public_states
from tefuda.forms.subgame import subgame
from tefuda.forms.tree import Tree
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision, FixedAgent, ProfileAgent
from tefuda.playing.searching import advance_within
from tefuda.resolving.nesting import Nest, levels_of
from tefuda.resolving.openings import Entrance, How, Reply, find_how
from tefuda.resolving.resolution import by_method, solved_again
from tefuda.solvers.exact.lp import LinearProgram
from tefuda.solvers.protocol import AnyMethod
from tefuda.solvers.runs.evaluators import answer_of, averaged
from tefuda.solvers.runs.methods import find_method, make_solver, solve

_CAUTION = 1.5  # work besides solving may take so many times the most it has taken so far
_SPARE = 0.1  # of the seconds: the clock is read between iterations, and machines are busy


@dataclass
class ResolvingAgent(FixedAgent):
    """Re-solves at each public state where it moves, from its strategy so far: `nested` during play.

    It plays on a tree, or over the rules that its blueprint's tree was compiled from. It solves a public state once, so
    that its strategy can be tabulated and evaluated.

    Args:
        name: name of the agent.
        blueprint: its strategy elsewhere, and where there is no time or a safe way was solved so roughly that it would
            lose by it (`gadget` leaves nothing to spare and wants ``"lp"``).
        how: see `resolve`.
        method: solves; ``"lp"`` does so exactly, but cannot stop in time.
        iterations: budget for each public state.
        seconds: another budget; the first to run out ends the solving. It covers the work besides solving, which is
            measured at the start.

    Raises:
        ParameterError: no budget, or a program that should stop in time.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.Profile.uniform(tree)
    >>> agents = [td.ResolvingAgent("again", blueprint, iterations=20), td.ProfileAgent("blueprint", blueprint)]
    >>> bool(td.duplicate_match(tree, agents, deals=100).mean[0] > 0)
    True
    """

    name: str
    blueprint: Profile
    how: str | How = "max-margin"
    method: str | AnyMethod = "cfr+"
    iterations: int | None = None
    seconds: float | None = None
    _nests: dict[int, Nest] = field(default_factory=dict, init=False, repr=False)
    _costs: dict[int, tuple[float, float]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._player = ProfileAgent(self.name, self.blueprint)  # refuses what is no blueprint
        self._way, self._method, self._seat = find_how(self.how), find_method(self.method), 0
        self._end, self._solving = 0.0, 0.0  # when the budget ends, and seconds solved within it
        for name, value in (("iterations", self.iterations), ("seconds", self.seconds)):
            if value is not None:
                check_range(name, value, 0, whole=name == "iterations")
        if self.seconds is not None and isinstance(self._method, LinearProgram):
            raise ParameterError(f"{self.name}: a linear program does not stop in time; give no seconds, or cfr+.")
        if self.seconds is None and self.iterations is None:
            raise ParameterError(f"{self.name} needs a budget: iterations or seconds for each public state.")

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`; solutions from this seat are kept. Raise ProfileError or GameError for another game."""
        self._player.start(game, seat)
        self._seat = seat
        if seat not in self._nests:
            self._nests[seat] = Nest(self.blueprint, seat, self._way)
            if self.seconds is not None:
                self._costs[seat] = self._measured(seat)

    def _measured(self, seat: int) -> tuple[float, float]:
        """Load kernels; return seconds besides solving at the smallest subgame, and for each history more."""
        tree = self.blueprint.tree
        subs = [subgame(tree, one) for members in levels_of(tree, seat).members for one in members]
        subs.sort(key=lambda sub: len(sub.nodes))
        seconds = []
        for sub in (subs[0], subs[0], subs[-1]):  # the first time loads
            start = time.perf_counter()
            solved_again(Entrance(Reply(self.blueprint, seat), sub), self._way, by_method(self._method, 1))
            seconds.append(time.perf_counter() - start)
        more = max(1, len(subs[-1].nodes) - len(subs[0].nodes))
        return seconds[1], max(0.0, seconds[2] - seconds[1]) / more

    def _noted(self, public_state: int, spent: float) -> None:
        """Reserve no less than the seconds spent besides solving from now on."""
        once, each = self._costs[self._seat]
        histories = len(subgame(self.blueprint.tree, public_state).nodes)
        self._costs[self._seat] = max(once, spent - each * histories), each

    def act(self, turn: Decision) -> int:
        """See `Agent`."""
        tree = self.blueprint.tree
        infoset = turn.infoset if turn.infoset >= 0 else tree.number((turn.seat, turn.view))
        nest = self._nests[self._seat]
        public_state = int(public_states(tree)[infoset])
        if public_state not in nest.solved:
            begun, self._solving = time.perf_counter(), 0.0
            self._end = begun + (self.seconds or 0.0)
            nest.solve(public_state, self._solved)
            if self.seconds is not None:
                self._noted(public_state, time.perf_counter() - begun - self._solving)
        return pick(nest.strategy(infoset).tolist(), turn.uniform)

    def whole(self, seat: int) -> Profile:
        """Return the blueprint with this agent's strategy from a seat, solved at all its public states."""
        self.start(self.blueprint.tree, seat)
        nest = self._nests[seat]

        def solving(tree: Tree) -> Profile | None:
            self._end = time.perf_counter() + (self.seconds or 0.0)
            return self._solved(tree)

        return nest.whole(solving)

    def _solved(self, tree: Tree) -> Profile | None:
        """Return the method's answer within the rest of the budget; None if nothing is left."""
        left = None
        if self.seconds is not None:
            once, each = self._costs[self._seat]
            kept = max(_SPARE * self.seconds, _CAUTION * (once + each * len(tree.player)))
            left = self._end - time.perf_counter() - kept
            if left <= 0:
                return None
        solver, begun = make_solver(tree, self._method), time.perf_counter()
        advance_within(solver.advance, self.iterations, left)
        self._solving += time.perf_counter() - begun
        found = answer_of(solver)[1] if averaged(solver) else None
        assert found is None or isinstance(found, Profile)
        return found


def rough_agent(tree: Tree) -> ResolvingAgent:
    """Return the roster's agent: a rough blueprint, and a budget that is the same on every machine."""
    return ResolvingAgent("resolving", solve(tree, "cfr+", iterations=10).strategy, "reach", iterations=200)
