"""Ratings of agents from the results of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, UnknownNameError, check_range, check_seed, shortened
from tefuda.evaluating.rankings import alpha_rank, components, fit_elo, nash_average, online_gaussian
from tefuda.playing.match import CrossTable
from tefuda.views import Displayable, short_repr
from tefuda.words import percent
from tefuda.workers import ProgressFunction, pieces

_Z = 1.959964  # normal quantile of 95 % intervals


#: Rating systems by name.
SYSTEMS = {
    "elo": "Elo by likelihood (Bradley and Terry 1952)",
    "alpha-rank": "shares of a population that evolves (Omidshafiei et al. 2019)",
    "nash": "winnings per hand from the equilibrium of maximal entropy (Balduzzi et al. 2018)",
    "gaussian": "skills updated deal by deal (Herbrich et al. 2006); Elo by likelihood uses all deals and is better",
}


@dataclass(frozen=True, eq=False)
class Ratings(Displayable):
    """Ratings of A agents with 95 % intervals.

    Attributes:
        system: name of the rating system.
        agents: names.
        rating: `[A]` ratings; with a reference, its rating is 0.
        low: `[A]` lower ends.
        high: `[A]` upper ends.
        hidden: share of the payoffs that no difference of ratings explains: |A - (r 1' - 1 r')|^2 / |A|^2.
        cycle: agents who beat each other in cycles, which ratings in one dimension hide.
        notes: remarks on the method.
    """

    system: str
    agents: tuple[str, ...]
    rating: np.ndarray  # [A]
    low: np.ndarray  # [A]
    high: np.ndarray  # [A]
    hidden: float
    cycle: tuple[str, ...]
    notes: tuple[str, ...]

    __repr__ = short_repr

    def summary(self) -> dict[str, object]:
        """Return the ratings as JSON values."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}


def ratings(
    results: CrossTable,
    system: str = "elo",
    *,
    reference: str | None = None,
    alpha: float = 1.0,
    population: int = 50,
    resamples: int = 200,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> Ratings:
    """Return ratings of agents from the results of all pairs, with 95 % intervals.

    Deals are drawn again for all pairs at once, because these share the cards. Without deals, Elo's intervals are those
    of Fisher's information; else wins are drawn as binomial, payoffs as normal numbers. Exact payoffs have no interval.

    Args:
        results: see `cross_table`; elo and gaussian need hands (``play=True``), elo at least `CrossTable.of_wins`.
        system: name of `SYSTEMS`.
        reference: name of an agent of rating 0; default: the mean of Elo ratings is 0.
        alpha: see `alpha_rank`.
        population: see `alpha_rank`.
        resamples: number of results drawn again.
        seed: random seed of these.
        progress: called with the number of resamples done and of all.

    Raises:
        ParameterError: no results, an unknown reference, or a reducible chain of alpha-rank.

    >>> table = td.playing.CrossTable.of_wins(["a", "b"], [[0, 60], [40, 0]])
    >>> td.playing.ratings(table, reference="b").rating.round(2).tolist()
    [70.44, 0.0]
    """
    _check_table(results)
    check_system(system, reference, results.agents)
    check_range("resamples", resamples, 2)
    check_seed(seed)
    rating, covariance, notes = _rate(results, system, alpha, population)
    drawn, error, rng = [rating], np.zeros(len(rating)), np.random.default_rng(seed)
    base = None if reference is None else results.agents.index(reference)
    if covariance is not None:
        error = _errors(covariance, base)
    elif system == "elo" or results.error.any():
        again = (results.resampled(rng) for _ in pieces(resamples, 1, progress))
        drawn += [_rate(table, system, alpha, population)[0] for table in again]
    if base is not None:
        drawn = [values - values[base] for values in drawn]
    low, high = np.quantile(drawn[1:] or drawn, [0.025, 0.975], axis=0)
    hidden, cycle = _hidden(results)
    if cycle:
        notes += (f"a cycle is hidden: {', '.join(cycle)}; ratings leave {percent(hidden)} of payoffs unexplained",)
    return Ratings(system, results.agents, drawn[0], low - _Z * error, high + _Z * error, hidden, cycle, notes)


def _check_table(results: object) -> None:
    if not isinstance(results, CrossTable):
        raise ParameterError(f"results must be a CrossTable, got {shortened(results)}. Call td.cross_table first.")
    if results.deals is not None and results.deals.shape[2] < 2:
        raise ParameterError("ratings need two deals or more, got 1: intervals are drawn from them.", key="deals")
    if {np.shape(results.won), np.shape(results.error)} != {(len(results.agents),) * 2}:
        raise ParameterError(f"won and error must be tables of {len(results.agents)} agents, got {results}.")


def check_system(system: str, reference: str | None, agents: Sequence[str]) -> None:
    """Raise InputError for an unknown system or reference; call it before a tournament."""
    if system not in SYSTEMS:
        raise UnknownNameError("rating system", system, SYSTEMS)
    if reference is not None and reference not in agents:
        raise UnknownNameError("agent", reference, agents)


def _rate(
    table: CrossTable, system: str, alpha: float, population: int
) -> tuple[np.ndarray, np.ndarray | None, tuple[str, ...]]:
    """Return ratings, their covariance if intervals follow from it, and remarks."""
    if system == "elo":
        rating, covariance, virtual = fit_elo(table.wins)
        remark = "an agent or a group has only wins or only losses: each agent has one virtual draw"
        return rating, covariance if table.deals is None else None, (remark,) * virtual
    if system == "gaussian":
        mean, deviation = online_gaussian(table.scores)
        return mean, np.diag(deviation**2), ()
    if system == "alpha-rank":
        return alpha_rank(table.won, alpha, population), None, ()
    won = (table.won - table.won.T) / 2
    return won @ nash_average(won), None, ()


def _errors(covariance: np.ndarray, base: int | None) -> np.ndarray:
    """Return the standard errors of ratings, or of their differences from an agent's."""
    own = np.diag(covariance)
    return np.sqrt(own if base is None else np.maximum(own + own[base] - 2 * covariance[base], 0))


def _hidden(table: CrossTable) -> tuple[float, tuple[str, ...]]:
    """Return the unexplained share of the payoffs, and the agents of a cycle that is no chance at 95 %."""
    won = (table.won - table.won.T) / 2
    mean, size = won.mean(axis=1), float((won**2).sum())
    rest = float(((won - (mean[:, None] - mean)) ** 2).sum()) / size if size else 0.0
    largest = max(components(won > _Z * table.error + 1e-12), key=len)
    return rest, tuple(table.agents[agent] for agent in largest) if len(largest) > 1 else ()
