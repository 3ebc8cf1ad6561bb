"""A solution: the strategy that a solver reports, its figures, and the curve of its run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

from tefuda.errors import SolverError
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.locks import locked
from tefuda.solvers.runs.evaluators import Evaluation, Evaluator, NashConv
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import refuse_existing, write_form, write_run
from tefuda.views import Plottable, data_frame

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # defaults came with Python 3.13

    Answer = TypeVar("Answer", default=Any)
else:
    from typing import TypeVar

    Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Solution(Plottable, Generic[Answer]):
    """The result of solving a game.

    Attributes:
        form: the form of the game that was solved.
        method: the method's parameters by name.
        seed: random seed.
        evaluation: the reported strategy and its figures.
        iterations: number of iterations.
        seconds: time of solving.
        curve: points with the evaluator's figures; the last is that of the solution.
        evaluator: the evaluator of the run.
        status: ``"finished"``, ``"interrupted"``, ``"stopped"`` by the user of the page, or ``"running"``.
        stop: the reason why the run stopped.
        run: folder of the saved run, or None.
        settings: goal and checkpoint interval of the run.
        nodes: number of histories visited, for methods that count them.
        reported: the strategy that the method reports: ``"average"``, ``"current"``, or ``"better"`` of both.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100)
    >>> solution
    Solution(kuhn, cfr+, 100 done, NashConv 0.00239, finished)
    >>> round(solution.values[0], 2), solution.curve[-1].iteration
    (-0.06, 100)
    """

    form: Any  # any form, with its own attributes
    method: dict[str, Any]
    seed: int
    evaluation: Evaluation
    iterations: int
    seconds: float
    curve: tuple[AnyPoint, ...]
    evaluator: Evaluator = field(default_factory=NashConv)
    status: str = "finished"
    stop: str = ""
    run: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    nodes: int = 0
    reported: str = "better"

    def __repr__(self) -> str:
        return (
            f"Solution({self.form.name}, {self.method['name']}, {self.iterations:,} done, "
            f"{self.evaluator.describe(self.evaluation)}, {self.status})"
        )

    @property
    def tree(self) -> Tree:
        """The compiled game.

        Raises:
            SolverError: the game was solved without a tree.
        """
        if self.form.tree is None:
            raise SolverError(f"{self.form.name} was solved without a tree; use solution.form.")
        return self.form.tree

    @property
    def strategy(self) -> Answer:
        """The reported strategy: a `Profile` (a mapping by infoset) on a tree, a `Policy` elsewhere.

        Both have ``strategy(player, key, actions)``: the probability of each action for a player with this view.

        >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100)
        >>> [round(share, 1) for share in solution.strategy.strategy(1, "Q|b", ("p", "b"))]
        [0.7, 0.3]
        """
        return self.evaluation.strategy

    @property
    def iterate(self) -> str:
        """Name of `strategy`: ``"average"``, ``"current"``, or ``"uniform"`` before there is an average."""
        return self.evaluation.iterate

    @property
    def nash_conv(self) -> float:
        """NashConv of `strategy`.

        Raises:
            SolverError: the run has another evaluator.
        """
        if not isinstance(self.evaluator, NashConv):
            raise SolverError(
                f"evaluator {self.evaluator.name!r} gives no NashConv; for a compiled game, use "
                "td.nash_conv(solution.strategy)."
            )
        return self.evaluation.figure

    @property
    def values(self) -> tuple[float, ...]:
        """Values of the players `[P]` under `strategy`.

        Raises:
            SolverError: the evaluator does not compute values.
        """
        if not self.evaluation.values:
            raise SolverError(f"evaluator {self.evaluator.name!r} gives no values; use td.values(solution.strategy).")
        return self.evaluation.values

    def to_frame(self) -> Any:
        """Return the curve as a pandas data frame (extra ``frame``) with a row for each point.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        names = self.evaluator.point_type._fields
        return data_frame({name: [getattr(point, name) for point in self.curve] for name in names})

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / self.form.players

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON values; ``tefuda solve --json`` prints them."""
        exact = isinstance(self.evaluator, NashConv)
        return {
            "game": self.form.name,
            "game_parameters": self.form.parameters,
            "form": {"representation": self.form.representation, **self.form.saved().fields},
            "method": self.method["name"],
            "method_parameters": self.method,
            "seed": self.seed,
            "status": self.status,
            "stop": self.stop,
            "iterations": self.iterations,
            "nodes": self.nodes,
            "reported": self.reported,
            "iterate": self.iterate,
            "evaluator": self.evaluator.parameters(),
            "figure": self.evaluator.figures(self.evaluation),
            **({"nash_conv": self.nash_conv, "exploitability": self.exploitability} if exact else {}),
            "values": list(self.evaluation.values),
            "seconds": self.seconds,
            "run": self.run,
        }

    def save(self, folder: str | Path) -> Solution:
        """Save the solution in a new run folder; return it with `run` set.

        Raises:
            RunError: the folder contains a run, or cannot be written.
        """
        folder = Path(folder)
        with locked(folder / "run.json"):
            refuse_existing(folder)
            write_form(folder, self.form)
            return self.write(folder)

    def write(self, folder: Path) -> Solution:
        """Write the solution to a run folder, new or not; return it with `run` set.

        Raises:
            RunError: the folder cannot be written.
        """
        saved = replace(self, run=str(folder))
        profile = self.strategy if isinstance(self.strategy, Profile) else None
        settings = {name: value for name, value in self.settings.items() if name != "unsaved"}
        content = {"fingerprint": self.form.fingerprint, **settings, **saved.summary()}
        write_run(folder, content, self.evaluator, self.curve, profile)
        return saved
