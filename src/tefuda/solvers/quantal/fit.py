"""The fit of rationality to observed choices, by maximum likelihood along the path."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, UnknownNameError, out_of_range, shortened, wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.solvers.quantal.path import QuantalPath, quantal_path
from tefuda.views import short_repr
from tefuda.words import significant
from tefuda.workers import ProgressFunction

_FALL = 1.920729  # of the log-likelihood at the ends of a 95 % interval: half the quantile of chi square, 1 degree
_ENOUGH = 20.0  # fall of the log-likelihood after which a path ends
_FURTHEST = 10_000.0  # scaled rationality at which a path ends
_TOLERANCE = 1e-9  # of log-likelihoods, and of lengths relative to the steps of the path

#: Counts of actions: `[R]` by row, or by infoset, and there by action or in the order of the actions.
Counts = Mapping[Any, Mapping[Any, float] | Sequence[float]] | np.ndarray


@dataclass(frozen=True, eq=False)
class RationalityFit:
    """The rationality that makes observed choices likeliest, with a 95 % interval by the likelihood ratio.

    Attributes:
        path: the path of equilibria.
        rationality: the estimate, in 1 / the game's unit.
        low: lower end of the interval; 0 if random play is inside.
        high: upper end of the interval; infinite if the path ends inside.
        log_likelihood: of the choices at the estimate.
        random_play: log-likelihood of the choices under the start of the path.
        choices: number of choices between several actions.
        strategy: profile at the estimate.
        end: ``"start"`` or ``"end"`` if the estimate is this end of the path, else "".

    >>> counts = {"0: J|": {"p": 80, "b": 20}, "1: Q|b": {"p": 48, "b": 52}}
    >>> fit = td.solvers.fit_rationality(td.load_game("kuhn"), counts)
    >>> fit.low < 5 < fit.high
    True
    """

    path: QuantalPath
    rationality: float
    low: float
    high: float
    log_likelihood: float
    random_play: float
    choices: float
    strategy: Profile
    end: str

    __repr__ = short_repr

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about an estimate or an interval that the path does not enclose."""
        last = float(self.path.rationality[-1])
        stopped = f" {self.path.reason}" if self.path.reason else ""
        notes = []
        if self.end == "start":
            notes.append("The estimate is rationality 0: the choices are no better than random play.")
        if self.end == "end":
            notes.append(f"The estimate is the end of the path: the rationality is {last:g} or larger.{stopped}")
        elif math.isinf(self.high):
            notes.append(f"The interval has no upper end: rationality {last:g} is inside.{stopped}")
        return tuple(notes)

    @property
    def lines(self) -> tuple[str, ...]:
        """The fit in words."""
        numbers = (significant(number, 6) for number in (self.rationality, self.low, self.high))
        found = "rationality {}   (95 % interval {} to {}, by the likelihood ratio)".format(*numbers)
        heights = f"{self.log_likelihood:.6g}, of random play {self.random_play:.6g}"
        return found, f"log-likelihood of {self.choices:g} choices: {heights}", *self.notes

    def summary(self) -> dict[str, Any]:
        """Return the fit as JSON values; an infinite end is None."""
        names = ("rationality", "low", "high", "log_likelihood", "random_play", "choices")
        numbers = {name: float(getattr(self, name)) for name in names}
        finite = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
        return {"game": self.path.tree.name, "form": self.path.form, **finite, "notes": list(self.notes)}


def fit_rationality(
    game: Game | Tree | QuantalPath,
    counts: Counts,
    *,
    form: str = "agent",
    to: float | None = None,
    seconds: float | None = None,
    progress: ProgressFunction | None = None,
) -> RationalityFit:
    """Return the rationality of the quantal response equilibrium that makes observed choices likeliest.

    Args:
        game: rules, a tree of perfect recall, or a path, which is then searched.
        counts: number of times that each action was chosen: `[R]`, or by infoset (name, (player, key) or number), and
            there by action or in the order of the actions. Infosets without choices may be missing.
        form: form of the equilibrium; see `quantal_path`.
        to: rationality at which the path ends. Default: 10,000 / range of the payoffs, or where the choices are
            unlikely.
        seconds: time limit of the path.
        progress: function that is called with the work done and its total.

    Raises:
        UnknownNameError: counts of an unknown infoset or action.
        ParameterError: counts that are negative or not finite, or no choices.

    >>> path = td.solvers.quantal_path(td.load_game("kuhn"), 50)
    >>> round(td.solvers.fit_rationality(path, 1000 * path.at(7).probabilities).rationality, 4)
    7.0
    """
    path = game if isinstance(game, QuantalPath) else None
    tree = path.tree if path else game if isinstance(game, Tree) else compile_game(game)  # type: ignore[arg-type]
    numbers = counted(tree, counts)
    if path is None:
        best = -math.inf

        def enough(logs: np.ndarray) -> bool:
            nonlocal best
            height = float(numbers @ logs)
            best = max(best, height)
            return height < best - _ENOUGH

        goal = _FURTHEST / (float(np.ptp(tree.payoffs)) or 1.0) if to is None else to
        path = quantal_path(tree, goal, form=form, seconds=seconds, progress=progress, enough=enough)
    return _Likelihood(path, numbers).fit()


def counted(tree: Tree, counts: Counts) -> np.ndarray:
    """Return counts as `[R]` numbers; raise errors as `fit_rationality`."""
    if isinstance(counts, Mapping):
        numbers = np.zeros(tree.rows)
        for infoset, given in counts.items():
            number = tree.number(infoset)
            labels = [str(label) for label in tree.labels(number)]
            if isinstance(given, Mapping):
                if unknown := [action for action in given if str(action) not in labels]:
                    raise UnknownNameError(f"action at {tree.name_of(number)}", unknown[0], labels)
                by_label = {str(action): count for action, count in given.items()}
                given = [by_label.get(label, 0) for label in labels]
            numbers[tree.rows_of(number)] = finite_numbers(f"counts at {tree.name_of(number)}", given, len(labels))
    elif isinstance(counts, np.ndarray):
        numbers = finite_numbers("counts", counts, tree.rows)
    else:
        raise wrong_type("counts by infoset", counts, 'Write {"0: J|": {"p": 80, "b": 20}}.')
    if (numbers < 0).any():
        row = int(numbers.argmin())
        place = f"counts at {tree.name_of(int(tree.infoset_of_row[row]))}"
        raise out_of_range(place, float(numbers[row]), "a number of at least 0")
    if not numbers[tree.action_counts[tree.infoset_of_row] > 1].any():
        raise ParameterError(f"counts have no choice between several actions; got {shortened(counts)}.", key="counts")
    return numbers


class _Likelihood:
    """The log-likelihood of counts `[R]` along a path. Places are (number of a point, length after it)."""

    def __init__(self, path: QuantalPath, counts: np.ndarray) -> None:
        self._path, self._counts = path, counts
        self._heights = np.array([self.height(number, 0.0) for number in range(len(path.points))])

    def height(self, number: int, length: float) -> float:
        return float(self._counts @ self._path.system.logs(self._path.between(number, length)))

    @cached_property
    def _best(self) -> tuple[int, float]:
        """The place of the maximum: the likeliest point of the path, or inside a step beside it."""
        from scipy.optimize import minimize_scalar

        # Where the likelihood is flat to the end, the end is the estimate.
        number = int(np.flatnonzero(self._heights >= self._heights.max() - _TOLERANCE)[-1])
        for step in (number, number - 1):
            if 0 <= step < len(self._path.lengths):
                reach = float(self._path.lengths[step])
                found = minimize_scalar(
                    lambda length, step=step: -self.height(step, length),
                    bounds=(0.0, reach), method="bounded", options={"xatol": _TOLERANCE * reach},
                )  # fmt: skip
                if -found.fun > self._heights[number] + _TOLERANCE:
                    return step, float(found.x)
        return number, 0.0

    def _crossing(self, numbers: Sequence[int], low: float, forward: bool) -> tuple[int, float] | None:
        """Return the first place in steps where the log-likelihood falls below `low`; None if it does not."""
        from scipy.optimize import brentq

        for step in numbers:
            outside = step + 1 if forward else step
            if self._heights[outside] >= low:
                continue
            ends = [0.0, float(self._path.lengths[step])]
            if step == self._best[0]:
                ends[not forward] = self._best[1]
            root = brentq(lambda length, step=step: self.height(step, length) - low, *ends, xtol=_TOLERANCE)
            return step, float(root)
        return None

    def fit(self) -> RationalityFit:
        """Return the estimate with its interval."""
        path, (number, length) = self._path, self._best
        top, steps = self.height(number, length), len(self._path.lengths)
        after = self._crossing(range(number, steps), top - _FALL, True)
        before = self._crossing(range(number if length else number - 1, -1, -1), top - _FALL, False)
        best = path.between(number, length)
        first, last = before or (0, 0.0), after or (steps, 0.0)
        between = path.points[first[0] + 1 : last[0] + 1, -1].tolist()
        inside = [path.between(*first)[-1], best[-1], path.between(*last)[-1], *between]
        low, high = min(inside) / path.system.unit, max(inside) / path.system.unit
        end = "" if length else {0: "start", steps: "end"}.get(number, "")
        return RationalityFit(
            path, float(best[-1]) / path.system.unit, float(low), float(high) if after else math.inf, top,
            float(self._heights[0]), float(self._counts[path.tree.action_counts[path.tree.infoset_of_row] > 1].sum()),
            path.system.response.profile(path.system.logs(best)), end,
        )  # fmt: skip
