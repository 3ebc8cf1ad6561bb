"""The path of quantal response equilibria over rationality."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, SolverError, check_choice, check_range
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import evaluate
from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.lazy import load_reference
from tefuda.solvers.quantal.branch import Branch, System
from tefuda.solvers.quantal.response import FORMS, MAGNETS
from tefuda.views import VIEWERS, Displayable
from tefuda.workers import ProgressFunction

_PARTS = 1000  # of the progress of a path
_SHOWN = 6  # infosets of a player in a picture


@dataclass(frozen=True, eq=False)
class QuantalPath(Displayable):
    """Equilibria along the principal branch, from random play on; rationality falls between two folds.

    Attributes:
        system: the equations, with the game.
        form: ``"agent"`` or ``"reduced"``.
        points: `[T, n + 1]` log odds and scaled rationality.
        tangents: `[T, n + 1]` directions of the path.
        perturbed: `[T]` 1 at points of perturbed payoffs, else 0.
        regrets: `[T]` largest gain of a best response.
        values: `[T, P]` values of the players.
        bifurcation: rationality from which payoffs are perturbed by 1e-8 of their range, or None.
        reason: reason why the path ends before its goal; "" if it reached it.

    >>> path = td.solvers.quantal_path(td.load_game("kuhn"), to=5)
    >>> path.complete, path.folds, round(path.at(5)["0: J|"]["b"], 7)
    (True, (), 0.1922143)
    """

    system: System = field(repr=False)
    form: str
    points: np.ndarray = field(repr=False)  # [T, n + 1]
    tangents: np.ndarray = field(repr=False)  # [T, n + 1]
    perturbed: np.ndarray = field(repr=False)  # [T]
    regrets: np.ndarray = field(repr=False)  # [T]
    values: np.ndarray = field(repr=False)  # [T, P]
    bifurcation: float | None
    reason: str

    @property
    def tree(self) -> Tree:
        """The game."""
        return self.system.tree

    @property
    def rationality(self) -> np.ndarray:
        """Rationality `[T]` of the points, in 1 / the game's unit."""
        return self.points[:, -1] / self.system.unit

    @property
    def complete(self) -> bool:
        """True if the path reached its goal."""
        return not self.reason

    @cached_property
    def folds(self) -> tuple[float, ...]:
        """Rationality at each fold, where the path turns to smaller or to larger rationality."""
        from scipy.optimize import minimize_scalar

        signs, folds = np.sign(self.tangents[:, -1]), []
        for step in np.flatnonzero(np.diff(signs)).tolist():
            bounds, sign = (0.0, self.lengths[step]), float(signs[step]) or 1.0
            turn = minimize_scalar(
                lambda length, step=step, sign=sign: -sign * self.between(step, length)[-1],
                bounds=bounds,
                method="bounded",
            )
            folds.append(-sign * float(turn.fun) / self.system.unit)
        return tuple(folds)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Lengths `[T - 1]` of the steps, along the tangents at their starts."""
        return np.asarray((self.tangents[:-1] * np.diff(self.points, axis=0)).sum(axis=1))

    def between(self, number: int, length: float) -> np.ndarray:
        """Return the point `[n + 1]` of the path at a length after a point, by its number."""
        if length == 0.0:
            return self.points[number]
        start, tangent, after, reach = self.points[number], *self.tangents[number : number + 2], self.lengths[number]
        part = length / reach
        # The cubic with the tangents at both ends; Newton's method changes it little.
        ends = part**2 * (3 - 2 * part) * (self.points[number + 1] - start)
        bends = part * (1 - part) * reach * ((1 - part) * tangent - part * after / (after @ tangent))
        predicted: np.ndarray = start + ends + bends
        found = self.system.corrected(predicted, tangent, float(self.perturbed[number + 1]))
        return predicted if found is None else found

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about bifurcations, folds and an early end."""
        folds = ", ".join(f"{fold:.6g}" for fold in self.folds)
        notes = [f"Folds at rationality {folds}." if folds else "The path has no folds."]
        if self.bifurcation is not None:
            notes.append(
                f"Branches cross at rationality {self.bifurcation:.6g}: from there on, the payoffs are perturbed by "
                "1e-8 of their range, and other perturbations may lead to other branches."
            )
        return (*notes, self.reason) if self.reason else tuple(notes)

    @property
    def last(self) -> Profile:
        """The profile at the end of the path."""
        return self.profile(len(self.points) - 1)

    def profile(self, number: int) -> Profile:
        """Return the profile of a point, by its number on the path."""
        return self.system.response.profile(self.system.logs(self.points[number]))

    def at(self, rationality: float) -> Profile:
        """Return the equilibrium of the unperturbed game where the path first has a rationality.

        Raises:
            ParameterError: the path does not reach the rationality.
            SolverError: Newton's method does not converge.
        """
        check_range("rationality", rationality, 0, whole=False)
        known, goal = self.rationality, float(rationality)
        ends = np.append(known[1:], known[-1])
        crossed = np.flatnonzero((known <= goal) & (goal <= ends))
        if not len(crossed):
            raise ParameterError(
                f"the path ends at rationality {known[-1]:g}, before {goal:g}. {self.reason or 'Compute it further.'}",
                key="rationality",
                value=rationality,
            )
        first = int(crossed[0])
        before, after = self.points[first], self.points[min(first + 1, len(known) - 1)]
        part = (goal * self.system.unit - before[-1]) / ((after - before)[-1] or 1.0)
        point = self.system.at(before + part * (after - before), goal)
        if point is None:
            raise SolverError(f"Newton's method does not converge at rationality {goal:g}, near a fold or bifurcation.")
        return self.system.response.profile(self.system.logs(point))

    def plot(self, file: str | Path, infosets: Sequence[str] = ()) -> None:
        """Draw the probabilities of actions over rationality, and the values, into a file.

        Args:
            file: the ending is the format.
            infosets: names of infosets to draw. Default: the first six of each player.
        """
        load_reference(VIEWERS["panels"])(self.panels(infosets), file)

    def panels(self, infosets: Sequence[str] = ()) -> list[Panel]:
        """Return the plots of `plot`: one for each player, and one of the values."""
        known, tree = self.rationality, self.tree
        shown = [number for number in range(len(known)) if known[number] > 0]
        if not shown:
            raise ParameterError("the path has only the point of rationality 0; compute it further to draw it.")
        chances = [np.exp(self.system.logs(point)) for point in self.points[shown]]
        x, axis, panels = known[shown].tolist(), f"rationality, {self.form} form (1 / the game's unit)", []
        for player in range(tree.players):
            own = tree.infosets_of(player).tolist()
            chosen = own[:_SHOWN] if not infosets else [tree.number(name) for name in infosets]
            rows = [
                (f"{tree.keys[number]} {tree.action_of(row)}", row)
                for number in chosen
                if number in own
                for row in range(tree.first_row[number] + 1, tree.first_row[number + 1])
            ]
            lines = {name: [*zip(x, (float(each[row]) for each in chances), strict=True)] for name, row in rows}
            if lines:
                panels.append(
                    Panel(f"player {player}", axis, lines, {}, "probability of the action", ("log", "linear"))
                )
        values = {
            f"player {player}": [*zip(x, self.values[shown, player].tolist(), strict=True)]
            for player in range(tree.players)
        }
        return [*panels, Panel("values", axis, values, {}, "value (game's unit per game)", ("log", "linear"))]

    def summary(self) -> dict[str, Any]:
        """Return the path as JSON values, with the profile at its end."""
        return {
            "game": self.tree.name, "form": self.form, "complete": self.complete, "reason": self.reason,
            "rationality": self.rationality.tolist(), "values": self.values.tolist(), "regrets": self.regrets.tolist(),
            "folds": list(self.folds), "bifurcation": self.bifurcation,
            "profile": {name: {str(label): chance for label, chance in row.items()} for name, row in self.last.items()},
        }  # fmt: skip


def quantal_path(
    game: Game | Tree,
    to: float = 100.0,
    *,
    form: str = "agent",
    magnet: str = "none",
    until: float | None = None,
    seconds: float | None = None,
    progress: ProgressFunction | None = None,
    enough: Callable[[np.ndarray], bool] | None = None,
) -> QuantalPath:
    """Return the path of quantal response equilibria from random play on (Turocy 2005, 2010).

    In agent form the limit is a sequential equilibrium of a game of any number of players; in reduced form, where
    players respond to counterfactual values with plans, a Nash equilibrium.

    Args:
        game: rules, or a tree of perfect recall.
        to: rationality at which the path ends, in 1 / the game's unit.
        form: ``"agent"`` (McKelvey and Palfrey 1998) or ``"reduced"`` (Ling, Fang, Kolter 2018).
        magnet: ``"uniform"`` draws responses to uniform actions; in agent form this changes nothing.
        until: largest gain of a best response at which the path ends earlier.
        seconds: time limit, after which the path ends with a `reason`.
        progress: function that is called with the work done and its total.
        enough: function of the logarithms `[R]` of the strategy at each point that returns True to end the path.

    Raises:
        GameError: imperfect recall, or no decisions.
        ParameterError: a number is negative, or the form is unknown.
    """
    tree = game if isinstance(game, Tree) else compile_game(game)
    check_choice("form", form, FORMS)
    check_choice("magnet", magnet, MAGNETS)
    for name, value in (("to", to), ("until", until), ("seconds", seconds)):
        if value is not None:
            check_range(name, value, 0, whole=False)
    system, deadline = System(tree, form, magnet), time.monotonic() + (math.inf if seconds is None else seconds)
    branch, recorder = Branch(system), _Recorder(system)
    recorder.add(branch)
    reason, least = "", -math.inf if until is None else until
    for _ in branch.walk(float(to)):
        recorder.add(branch)
        if progress:
            progress(min(int(_PARTS * math.log1p(branch.rationality) / math.log1p(to)), _PARTS), _PARTS)
        if recorder.regrets[-1] <= least or (enough and enough(system.logs(branch.point))):
            break
        if time.monotonic() > deadline:
            reason = f"The time limit of {seconds:g} seconds passed at rationality {branch.rationality:g}."
            break
    if branch.stalled:
        reason = f"The path stalls at rationality {branch.rationality:g}: no step is short enough."
    return recorder.path(form, branch.bifurcation, reason)


class _Recorder:
    """The points of a branch with their figures."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._points: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.regrets: list[float] = []
        self._values: list[np.ndarray] = []

    def add(self, branch: Branch) -> None:
        """Record a new point; where a perturbed branch begins, drop the points after it."""
        perturbed = branch.status[2]
        if self._points and self._points[-1][0] is branch.point:
            return
        if self._points and perturbed and not self._points[-1][2]:
            start = branch.anchors[0, 0]
            kept = next(number for number, point in enumerate(self._points) if np.array_equal(point[0], start))
            for recorded in (self._points, self.regrets, self._values):
                del recorded[kept:]
        evaluation = evaluate(self._system.response.profile(self._system.logs(branch.point)))
        self._points.append((branch.point, branch.tangent, perturbed))
        self.regrets.append(evaluation.epsilon)
        self._values.append(evaluation.values)

    def path(self, form: str, bifurcation: float | None, reason: str) -> QuantalPath:
        points, tangents, perturbed = map(np.array, zip(*self._points, strict=True))
        figures = np.array(self.regrets), np.array(self._values)
        return QuantalPath(self._system, form, points, tangents, perturbed, *figures, bifurcation, reason)
