"""A solution: what a solver found, how good it is, and how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tefuda.errors import SolverError
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.locks import owned
from tefuda.solvers.runs.judges import Judge, NashConv, Verdict
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import refuse_existing, write_form, write_run
from tefuda.views import Drawn, data_frame


@dataclass(frozen=True, eq=False)
class Solution(Drawn):
    """What solving a game gave.

    form: the form of the game that was solved. method: the method's parameters by name. seed: of the random numbers,
    if any were drawn. verdict: the method's answer, and what the judge says of it.
    iterations: how many were run. seconds: spent solving. curve: the judge's figure over time, of the answer too.
    judge: what judged. nodes: histories visited by sampling methods, else 0. answer: which profile it may be, one of
    `ANSWERS`. status: ``"finished"``, ``"interrupted"`` or ``"running"``. stop: why it ended.
    run: the folder it was saved in, if any.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100)
    >>> solution
    Solution(kuhn, cfr+, 100 done, NashConv 0.00239, finished)
    >>> round(solution.values[0], 2), solution.curve[-1].iteration
    (-0.06, 100)
    """

    form: Any
    method: dict[str, Any]
    seed: int
    verdict: Verdict
    iterations: int
    seconds: float
    curve: tuple[AnyPoint, ...]
    judge: Judge = field(default_factory=NashConv)
    status: str = "finished"
    stop: str = ""
    run: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    nodes: int = 0
    answer: str = "better"

    def __repr__(self) -> str:
        return (
            f"Solution({self.game.name}, {self.method['name']}, {self.iterations:,} done, "
            f"{self.judge.told(self.verdict)}, {self.status})"
        )

    @property
    def game(self) -> Any:
        """The game: its tree, or its rules where there is none."""
        return self.form.game

    @property
    def tree(self) -> Tree:
        """The compiled game.

        Raises:
            SolverError: it was not compiled.
        """
        if not isinstance(self.game, Tree):
            raise SolverError(f"{self.game.name} was solved by its rules, without a tree; solution.game has the rules.")
        return self.game

    @property
    def strategy(self) -> Any:
        """The method's answer: a `Profile`, a mapping by infoset, on a tree; a `Policy` elsewhere.

        Both answer ``strategy(player, key, actions)``: the probability of each action for a player with this view.

        >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100)
        >>> [round(share, 1) for share in solution.strategy.strategy(1, "Q|b", ("p", "b"))]
        [0.7, 0.3]
        """
        return self.verdict.strategy

    @property
    def iterate(self) -> str:
        """Which the answer is: ``"average"``, ``"current"`` or, before there is an average, ``"uniform"``."""
        return self.verdict.iterate

    @property
    def nash_conv(self) -> float:
        """NashConv of `strategy`.

        Raises:
            SolverError: another judge judged.
        """
        if not isinstance(self.judge, NashConv):
            raise SolverError(
                f"this run was judged by {self.judge.name!r}, not exactly; td.nash_conv("
                "solution.strategy) judges a compiled game."
            )
        return self.verdict.figure

    @property
    def values(self) -> tuple[float, ...]:
        """`[P]` of `strategy`.

        Raises:
            SolverError: the judge does not know them.
        """
        if not self.verdict.values:
            raise SolverError(f"judging by {self.judge.name!r} tells no values; td.values(solution.strategy) does.")
        return self.verdict.values

    def to_frame(self) -> Any:
        """The curve as a data frame of pandas (extra ``frame``).

        Returns:
            A row for each point, a column for each field of the judge's points.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        names = self.judge.points._fields
        return data_frame({name: [getattr(point, name) for point in self.curve] for name in names})

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / self.game.players

    def summary(self) -> dict[str, Any]:
        """The figures as JSON values: what ``tefuda solve --json`` prints."""
        exact = isinstance(self.judge, NashConv)
        return {
            "game": self.game.name,
            "game_parameters": self.game.parameters,
            "form": {"representation": self.form.representation, **self.form.saved().fields},
            "method": self.method["name"],
            "method_parameters": self.method,
            "seed": self.seed,
            "status": self.status,
            "stop": self.stop,
            "iterations": self.iterations,
            "nodes": self.nodes,
            "answer": self.answer,
            "iterate": self.iterate,
            "judge": self.judge.parameters(),
            "figure": self.judge.figures(self.verdict),
            **({"nash_conv": self.nash_conv, "exploitability": self.exploitability} if exact else {}),
            "values": list(self.verdict.values),
            "seconds": self.seconds,
            "run": self.run,
        }

    def save(self, folder: str | Path) -> Solution:
        """Write the solution as a run folder; return it with `run` set.

        Raises:
            RunError: there is a run already, or the folder cannot be written.
        """
        folder = Path(folder)
        with owned(folder / "run.json"):
            refuse_existing(folder)
            write_form(folder, self.form)
            return self.kept_in(folder)

    def kept_in(self, folder: Path) -> Solution:
        """Write or refresh a run folder; return the solution with `run` set.

        Raises:
            RunError: the folder cannot be written.
        """
        saved = replace(self, run=str(folder))
        profile = self.strategy if isinstance(self.strategy, Profile) else None
        about = {"fingerprint": self.game.fingerprint, "settings": self.settings, **saved.summary()}
        write_run(folder, about, self.judge, self.curve, profile)
        return saved
