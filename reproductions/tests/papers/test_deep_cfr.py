"""Published curves of deep CFR beside ours, with tiny settings."""

from dataclasses import replace

import pytest

import tefuda as td
from tefuda.settings import all_options, with_options
from tefuda.solvers.runs.points import Point
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import deep_cfr
from tests.conftest import compiled

TINY = {
    "traversals": 20, "steps": 3, "average_steps": 3, "baseline_steps": 3, "batch": 8, "average_batch": 8,
    "baseline_batch": 8, "hidden": 8, "average_hidden": 8, "layers": 1, "rows": 500, "baseline_rows": 500,
}  # fmt: skip


def tiny(method):
    has = all_options(method)
    return with_options(method, {name: value for name, value in TINY.items() if name in has})


@pytest.mark.deep
def test_the_experiment_in_small(monkeypatch, tmp_path):
    """All methods run, save and resume; short runs are evaluated only where the claim is already decided."""
    monkeypatch.setattr(deep_cfr, "PUBLISHED", tuple(tiny(one) for one in deep_cfr.PUBLISHED))
    reports = []
    options = {"settings": "published", "folder": str(tmp_path)}
    PAPERS["deep-cfr"](reports.append, iterations=1, **options)
    assert len(reports) == 7 == len(list(tmp_path.iterdir()))
    table = PAPERS["deep-cfr"](reports.append, iterations=11, **options)
    assert len(reports) == 21 and [one.name for one in table.tables] == ["curve", "episodes"]
    curve, episodes = table.tables
    assert curve.met is None and [cell.ours is None for cell in curve.cells()] == [False] * 2 + [True] * 6
    assert [row[1] for row in episodes.rows] == ["440"] * 5
    assert {claim.met for claim in table.claims} == {None, False}
    assert [claim.met for claim in table.claims[:3]] == [False, False, None]  # iteration 10, and 30
    assert (
        PAPERS["deep-cfr"](reports.append, iterations=11, **options).summary() == table.summary() and len(reports) == 35
    )
    with pytest.raises(td.errors.RunError, match="settings"):
        deep_cfr.trained(
            compiled("leduc"), deep_cfr.PUBLISHED[0], 1, 5, tmp_path / "published-deep-cfr-0", reports.append
        )


def test_short_runs_are_evaluated_only_where_they_are_met(kuhn):
    """A claim is met at 1.5 times the published figure within 1e7 episodes."""
    solution = td.solve(kuhn, "cfr+", iterations=1)

    def found(figures, iterations):
        return {
            one.name: replace(
                solution, method=one.parameters(), iterations=iterations,
                evaluation=solution.evaluation._replace(figure=figures[one.name]),
                curve=tuple(Point(t, 1.0, figures[one.name], 0.0, 0.0, 1) for t in (*deep_cfr.CURVE, 500)),
            )
            for one in deep_cfr.PUBLISHED
        }  # fmt: skip

    names = [one.name for one in deep_cfr.PUBLISHED]
    good = dict.fromkeys(names, 0.1)
    bad = {**good, "dream": 0.46, "deep-cfr": 0.6}
    claims = {claim.claim: claim for claim in deep_cfr.claims(found(bad, 499))}
    assert claims["dream after at most 1e7 episodes"].met is None
    assert claims["vr-deep-dcfr+ after at most 1e7 episodes"].met is True
    assert [claims[f"Deep CFR's curve at iteration {t}, deep-cfr"].met for t in (10, 30, 120, 320)] == [
        True, True, False, False,
    ]  # fmt: skip
    claims = {claim.claim: claim for claim in deep_cfr.claims(found(bad, 500))}
    assert claims["dream after at most 1e7 episodes"].met is False
    nearest = "the discounted methods are the best"
    assert claims[nearest].met is False  # os-deep-cfr is equally close
    assert next(one for one in deep_cfr.claims(found(good, 400)) if one.claim == nearest).met is None


def test_rows_are_summed_or_drawn_as_published():
    summed, published = (deep_cfr.methods(name) for name in deep_cfr.SETTINGS)
    sizes = ("batch", "baseline_batch", "average_batch")
    assert all({all_options(one).get(name, 0) for name in sizes} == {0} for one in summed)
    assert all(one.fit.batch == 2048 and one.fit.hidden == 64 and one.fit.layers == 3 for one in published)
    assert {one.traversals for one in published if one.scheme.uniform_weights} == {10_000}
    with pytest.raises(td.errors.ParameterError, match="settings"):
        PAPERS["deep-cfr"](settings="other")
