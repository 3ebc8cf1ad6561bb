"""A solution: what a solver found, how good it is, and how it got there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tefuda.errors import SolverError
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.judging.profile import Profile
from tefuda.judging.values import judge as judge_profile
from tefuda.locks import owned
from tefuda.solvers.protocol import Policy
from tefuda.solvers.runs.judges import Judge, NashConv, RecordedJudge, Verdict, judge_named
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import check_same_game, read_curve, read_run, refuse_existing, write_run
from tefuda.views import Drawn, data_frame


@dataclass(frozen=True, eq=False)
class Solution(Drawn):
    """What solving a game gave.

    game: a tree, or rules that were not compiled. method: the method's parameters by name. seed: of the random numbers,
    if any were drawn. verdict: the method's answer, and what the judge says of it.
    iterations: how many were run. seconds: spent solving. curve: the judge's figure over time, of the answer too.
    judge: what judged. nodes: histories visited by sampling methods, else 0. answer: which profile it may be, one of
    `ANSWERS`. status: ``"finished"``, ``"interrupted"`` or ``"running"``. stop: why it ended.
    run: the folder it was saved in, if any. held: how the game was held, one of `FORMS`.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=100)
    >>> solution
    Solution(kuhn, cfr+, 100 done, NashConv 0.00239, finished)
    >>> round(solution.values[0], 2), solution.curve[-1].iteration
    (-0.06, 100)
    """

    game: Tree | Uncompiled
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
    held: str = "tree"

    def __repr__(self) -> str:
        return (
            f"Solution({self.game.name}, {self.method['name']}, {self.iterations:,} done, "
            f"{self.judge.told(self.verdict)}, {self.status})"
        )

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
    def profile(self) -> Profile:
        """The method's answer.

        Raises:
            SolverError: the game was not compiled, so that there is only a policy.
        """
        if not isinstance(self.verdict.profile, Profile):
            raise SolverError(f"{self.game.name} was solved without a tree; solution.policy says what is played.")
        return self.verdict.profile

    @property
    def policy(self) -> Policy:
        """The method's answer as ``strategy(player, view, actions)``, compiled or not.

        Raises:
            SolverError: it was read from a run without a tree, whose networks only going on loads.
        """
        if self.verdict.profile is None:
            raise SolverError(f"what {self.run} learned is in its checkpoint; td.resume loads it.")
        return self.verdict.profile

    @property
    def iterate(self) -> str:
        """Which the answer is: ``"average"``, ``"current"`` or, before there is an average, ``"uniform"``."""
        return self.verdict.iterate

    @property
    def nash_conv(self) -> float:
        """NashConv of `profile`.

        Raises:
            SolverError: another judge judged.
        """
        if not isinstance(self.judge, NashConv):
            raise SolverError(
                f"this run was judged by {self.judge.name!r}, not exactly; td.nash_conv("
                "solution.profile) judges a compiled game."
            )
        return self.verdict.figure

    @property
    def values(self) -> tuple[float, ...]:
        """`[P]` of `profile`.

        Raises:
            SolverError: the judge does not know them.
        """
        if not self.verdict.values:
            raise SolverError(f"judging by {self.judge.name!r} tells no values; td.values(solution.profile) does.")
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
            "held": self.held,
            **{name: note for name, note in self.settings.items() if name == "partition"},
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
            return self.kept_in(folder)

    def kept_in(self, folder: Path) -> Solution:
        """Write or refresh a run folder; return the solution with `run` set.

        Raises:
            RunError: the folder cannot be written.
        """
        saved = replace(self, run=str(folder))
        profile = self.profile if isinstance(self.verdict.profile, Profile) else None
        about = {"fingerprint": self.game.fingerprint, "settings": self.settings, **saved.summary()}
        write_run(folder, about, self.judge, self.curve, profile)
        return saved


def read_solution(folder: str | Path, game: Tree | Uncompiled) -> Solution:
    """Read a run folder of this very game.

    Args:
        folder: a run.
        game: the tree it was solved on, or its rules as `Uncompiled`.

    Returns:
        The solution, judged anew if its judge is NashConv, else with the figure it was kept with.

    Raises:
        RunError: the run is missing, damaged, of a newer version, or of another game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> saved = td.solve(tree, "cfr+", iterations=10).save("run")
    >>> td.read_solution("run", tree).iterations
    10
    """
    folder, content = Path(folder), read_run(folder)
    check_same_game(folder, content, game)
    answer = content.get("answer", "better")  # not in format 1
    judge = judge_named(content) or RecordedJudge(content)
    names = ("seed", "iterations", "seconds", "status", "stop", "settings")
    return Solution(
        game=game,
        method=content["method_parameters"],
        verdict=_verdict(folder, content, judge, game),
        curve=read_curve(folder, judge, answer, content["iterations"]),
        judge=judge,
        run=str(folder),
        answer=answer,
        nodes=content.get("nodes", 0),  # not in runs of version 0.1.0
        held=content.get("held", "tree"),  # nor here
        **{name: content[name] for name in names},
    )


def _verdict(folder: Path, content: dict[str, Any], judge: Judge, game: Tree | Uncompiled) -> Verdict:
    """The answer. Its NashConv is not taken from run.json: a run killed while saving has a newer profile."""
    if not isinstance(game, Tree):
        return Verdict(content["iterate"], None, *_kept_figures(content))
    profile = Profile.load(folder / "profile.npz", game)
    if not isinstance(judge, NashConv):
        return Verdict(content["iterate"], profile, *_kept_figures(content))
    found = judge_profile(profile)
    conv = found.nash_conv
    return Verdict(content["iterate"], profile, conv, conv, conv, tuple(found.values.tolist()))


def _kept_figures(content: dict[str, Any]) -> tuple[float, float, float]:
    """The figure and its interval as run.json has them; nan where it says that there are none."""
    kept = content.get("figure", {})
    figure, low, high = (math.nan if kept.get(key) is None else float(kept[key]) for key in ("value", "low", "high"))
    return figure, low, high
