"""The agent ``solver`` by name, with options: ``solver:RUN;seconds=1;gadget=cfr-d;purify=0.1;scale``."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any, TypedDict

from tefuda.errors import BusyError, ParameterError, RunError, check_choice, check_range
from tefuda.files import cache_folder
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.buckets.solver import HoldemBuckets, in_buckets
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.hands.whole import Holdem, holdem
from tefuda.holdem.players.agent import SolverAgent
from tefuda.holdem.players.blueprint import Blueprint
from tefuda.holdem.players.budget import Budget
from tefuda.holdem.players.settings import SolverSettings
from tefuda.holdem.spots.subgame import GADGETS
from tefuda.locks import locked
from tefuda.solvers.runs.driver import Progress
from tefuda.solvers.runs.evaluators import Evaluator, NoEvaluation
from tefuda.solvers.runs.run import holds_run, read_run
from tefuda.solvers.runs.saved import load, resume
from tefuda.solvers.runs.solving import solve
from tefuda.words import Notify

NAME = "solver"
#: Sizes of a blueprint that is solved for a table.
SIZES = {"opens": "2x,2.5x,3x,a", "reraises": "3x,a", "bets": "50,100,a", "raises": "100,a"}
_BUCKETS = Buckets((169, 200, 200, 200), textures=(5, 5))
_ITERATIONS, _SECONDS = 3_000_000, 100.0  # of a blueprint that is solved before play; loading hands takes 10 more
_WAIT = 1.0  # seconds between looks at a blueprint that another process solves
_OPTIONS = ("seconds", "patience", "gadget", "purify", "scale")


@dataclass(frozen=True)
class SolverMaker:
    """A function that makes the agent ``solver`` of a table.

    Attributes:
        game: the table.
        text: name with the run and options.
    """

    game: Holdem
    text: str = NAME

    def named(self, text: str) -> SolverMaker:
        """Return the maker of an agent with a run and options; raise ParameterError if they cannot be read."""
        maker = replace(self, text=text)
        maker.read()
        return maker

    def read(self) -> tuple[str, dict[str, Any]]:
        """Return the folder of the run, empty without one, and the options."""
        head, *options = self.text.split(";")
        return head.removeprefix(NAME).removeprefix(":"), dict(map(_read_option, options))

    def __call__(self, notify: Notify) -> SolverAgent:
        """Return the agent; without a run, a blueprint of the table is solved once and cached."""
        folder, options = self.read()
        blueprint = load_blueprint(folder) if folder else table_blueprint(self.game.rules, notify)
        if options.get("purify"):
            blueprint = Blueprint(blueprint.policy.purified(options["purify"]))
        budget = Budget(**{name: options.pop(name) for name in ("seconds", "patience") if name in options})
        agent = SolverAgent(self.text, SolverSettings(blueprint, budget, **options))
        agent.settings.require_table(self.game.rules)
        agent.note = "" if folder else _note(self.game.rules)
        if not budget.seconds:
            agent.note = f"{agent.note}\nseconds=0: the blueprint plays on all streets, nothing is re-solved.".strip()
        return agent


def _read_option(text: str) -> tuple[str, Any]:
    """Return an option by name: ``seconds=1``, ``gadget=cfr-d``, ``purify=0.1``, ``scale``."""
    name, _, value = text.strip().partition("=")
    if name not in _OPTIONS:
        raise ParameterError(f"{NAME} has no option {name!r}; known: {', '.join(_OPTIONS)}.", key=NAME, value=name)
    if name == "gadget":
        check_choice(name, value, GADGETS)
        return name, value
    if name == "scale":
        return name, value.lower() not in ("0", "no", "false")
    try:
        number = float(value)
    except ValueError:
        raise ParameterError(f"{name} of {NAME} must be a number, as {name}=1; got {text!r}.", key=name) from None
    if name == "purify":
        check_range(name, number, 0, 1, whole=False)
    else:
        Budget(**{name: number})  # raises
    return name, number


def load_blueprint(folder: str | Path) -> Blueprint:
    """Return the blueprint of a run of heads-up no-limit hold'em in buckets.

    Raises:
        RunError: the folder has no such run, or it is damaged.
    """
    path = Path(folder)
    if not holds_run(path):
        raise RunError(f"{path} has no run. Solve a blueprint: {solve_command(holdem().rules)}")
    return _loaded(str(path.resolve()), (path / "run.json").stat().st_mtime_ns)


@cache
def _loaded(folder: str, version: int) -> Blueprint:
    """Return the blueprint of a run, read once; version: time of its last change."""
    strategy = load(folder).strategy
    if not isinstance(strategy, BucketPolicy) or strategy.game.graph.rules.limit:
        raise RunError(
            f"{folder} is no run of heads-up no-limit hold'em in buckets; solve one with tefuda solve holdem."
        )
    return Blueprint(strategy)


def table_blueprint(rules: TableRules, notify: Notify = lambda text: None) -> Blueprint:
    """Return a blueprint for the stacks and blinds of a table, solved in at most two minutes and cached.

    Args:
        rules: rules of heads-up no-limit.
        notify: callback for progress messages.
    """
    small, big = min(rules.blinds), max(rules.blinds)
    parameters: dict[str, Any] = {"stack": min(rules.stacks), "blinds": (small, big), "ante": max(rules.antes), **SIZES}
    digest = hashlib.sha256(repr((sorted(parameters.items()), _BUCKETS, _ITERATIONS)).encode()).hexdigest()
    folder = cache_folder() / "holdem" / f"blueprint-{digest[:16]}"
    words = f"solving a blueprint of {parameters['stack'] / max(big, 1):g} big blinds"

    def progress(state: Progress) -> None:
        notify(f"{words}: {state.iterations:,} of {_ITERATIONS:,} iterations")

    options = _Options(iterations=_ITERATIONS, seconds=_SECONDS, evaluator=NoEvaluation(), progress=progress)
    while (blueprint := _finished(folder)) is None:
        try:
            with locked(folder):
                return _finished(folder) or _solved(folder, _form(parameters, notify), options)
        except BusyError as error:  # another table solves it
            notify(f"{words} in process {error.process}")
            time.sleep(_WAIT)
    return blueprint


def _finished(folder: Path) -> Blueprint | None:
    """Return the blueprint of a finished run; None if the run is absent, unfinished or damaged."""
    with suppress(RunError):
        if read_run(folder)["status"] == "finished":
            return load_blueprint(folder)
    return None


def _solved(folder: Path, form: HoldemBuckets, options: _Options) -> Blueprint:
    """Solve a blueprint, from its last checkpoint if there is one."""
    try:
        resume(folder, game=form, **options)
    except BusyError:
        raise
    except RunError:  # absent or damaged
        rmtree(folder, ignore_errors=True)
        solve(form, checkpoint=folder, **options)
    return load_blueprint(folder)


class _Options(TypedDict):
    """Options of `solve` and `resume`."""

    iterations: int
    seconds: float
    evaluator: Evaluator
    progress: Callable[[Progress], None]


def _form(parameters: dict[str, Any], notify: Notify) -> HoldemBuckets:
    return in_buckets(holdem(**parameters), _BUCKETS, notify=notify)


def solve_command(rules: TableRules) -> str:
    """Return the command that solves a larger blueprint of a table."""
    sizes = " ".join(f"--{name} {text}" for name, text in SIZES.items())
    chips = f"--stack {min(rules.stacks)} --blinds [{min(rules.blinds)},{max(rules.blinds)}]"
    ante = f" --ante {max(rules.antes)}" if any(rules.antes) else ""
    return (
        f"tefuda solve holdem {chips}{ante} {sizes} --buckets 200 --textures 5,5 --iterations 1e8 --out runs/blueprint"
    )


def _note(rules: TableRules) -> str:
    return f"The blueprint took two minutes at most. A stronger one takes an hour or more: {solve_command(rules)}"
