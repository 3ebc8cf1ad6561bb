"""All methods by name, those of saved runs, and their goals."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import InputError, ParameterError, UnknownNameError, wrong_type
from tefuda.forms.form import Form
from tefuda.games.own import load_named
from tefuda.lazy import load_reference
from tefuda.settings import option_fields, with_options
from tefuda.solvers.exact import anchored, cfr, fictitious, linear_program
from tefuda.solvers.learned import neural, nfsp
from tefuda.solvers.populations import double_oracle, psro
from tefuda.solvers.protocol import Method, Solver
from tefuda.solvers.runs.driver import Goal
from tefuda.solvers.sampled import mccfr, oos, public_chance

_ALL: tuple[Method, ...] = (
    *cfr.FAMILY,
    *anchored.FAMILY,
    linear_program.LinearProgram(source="vonstengel1996"),
    fictitious.FictitiousPlay(source="heinrich2015"),
    fictitious.FictitiousSelfPlay(source="heinrich2015"),
    *mccfr.FAMILY,
    public_chance.PublicSampling(source="johanson2012sampling"),
    oos.OnlineSampling(source="lisy2015"),
    *double_oracle.FAMILY,
    psro.PSRO(source="lanctot2017"),
    *nfsp.FAMILY,
    *neural.FAMILY,
    load_reference("tefuda.correlating.learner:Triggers")(source="celli2020"),
    load_reference("tefuda.correlating.optimal:Correlated")(source="vonstengel2008"),
    load_reference("tefuda.correlating.commitment:Commitment")(source="bosansky2015"),
    load_reference("tefuda.solvers.quantal.method:Quantal")(source="mckelvey1998"),
    load_reference("tefuda.correlating.teams:Team")(source="celli2018"),
)
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
#: The recommended method; docs/benchmarks.md compares all methods.
DEFAULT = Form.method


def find_method(
    method: str | Method, changes: Mapping[str, Any] | None = None, table: Mapping[str, Method] = METHODS
) -> Method:
    """Return a method with some options changed.

    Args:
        method: a name in the table, a method of the user as ``"FILE.py:NAME"`` or ``"module:NAME"``, or a method.
        changes: new values of options by their names.
        table: methods by name.

    Raises:
        UnknownNameError: the method or option does not exist.
        ParameterError: a value is out of range, or the file cannot be loaded.

    >>> td.find_method("cfr+", {"delay": 10}).delay
    10
    """
    if isinstance(method, str) and ":" in method:
        method = load_named(method, "method")
    elif isinstance(method, str):
        if method not in table:
            raise UnknownNameError("method", method, table)
        method = table[method]
    if not isinstance(method, Method):
        raise wrong_type("a method, or its name,", method, "A method of your own derives from Method.")
    if not changes:
        return method
    if "name" in changes:
        raise UnknownNameError(f"option of method {method.name}", "name", option_fields(type(method)).keys() - {"name"})
    return with_options(method, changes, f"method {method.name}")


def unit_of(parameters: Mapping[str, Any]) -> str:
    """Return the unit of a method in `METHODS` by its parameters; ``"iterations"`` for other methods."""
    method = _similar(parameters, METHODS)
    return method.unit if method else "iterations"


@dataclass(frozen=True)
class RecordedMethod(Method):
    """A user's method of a saved run: its parameters, without its code, which is never loaded from a run.

    Attributes:
        recorded: its parameters.
        error: the reason why they are not those of a known method.
    """

    recorded: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""

    def parameters(self) -> dict[str, Any]:
        return dict(self.recorded)

    def solver(self, form: Any, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """Raise ParameterError."""
        raise ParameterError(
            self.error
            or f"the run has {self.name!r}, a method of the user; pass it as method= in Python, or as --method "
            "FILE.py:NAME on the command line."
        )


def recorded_method(parameters: Mapping[str, Any], table: Mapping[str, Method]) -> Method:
    """Return the method of a saved run with its options; a `RecordedMethod` if its user defined it."""
    value = _similar(parameters, table)
    if value is None or "source" in parameters:
        return RecordedMethod(parameters["name"], parameters)
    try:
        method = with_options(value, parameters, f"method {parameters['name']}")
    except InputError as error:
        return RecordedMethod(parameters["name"], parameters, str(error))
    own = method.parameters()
    if missing := [name for name in own if name not in parameters or parameters[name] != own[name]]:
        reason = f"the method's parameters must contain every option; {missing[0]} is missing."
        return RecordedMethod(parameters["name"], parameters, reason if parameters["name"] in table else "")
    return method


def _similar(parameters: Mapping[str, Any], table: Mapping[str, Method]) -> Method | None:
    """Return the method with this name, or else one with these options; None if there is none."""
    counts = {method: len(option_fields(type(method))) for method in table.values()}
    families = (method for method in counts if parameters.keys() <= option_fields(type(method)).keys())
    return table.get(parameters["name"]) or min(families, key=counts.__getitem__, default=None)


def make_goal(method: Method, goal: Goal | None = None) -> Goal:
    """Return the goal of a run; raise ParameterError if the method cannot reach or count it."""
    if goal is None or goal == Goal():
        until = method.default_until
        goal = Goal(method.default_iterations if until is None else None, until)
    if goal.nodes is not None and not method.counts_nodes:
        raise ParameterError(f"{method.name} does not count nodes; only sampling methods do.")
    if goal.iterations is not None and goal.iterations <= method.delay:
        raise ParameterError(
            f"delay {method.delay} must be less than the {goal.iterations} iterations; choose a smaller delay."
        )
    return goal
