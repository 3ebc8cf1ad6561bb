"""Results of an experiment equal those of the functions that it calls."""

import pytest

import tefuda as td
from tefuda.resolving.nesting import ResolvingExperiment
from tefuda.resolving.resolution import tree_solver
from tests.conftest import compiled


def test_an_experiment_reports_spots_levels_and_nesting():
    tree = compiled("kuhn")
    blueprint, reports = td.solve(tree, "cfr", iterations=10).strategy, []
    scope = ResolvingExperiment(blueprint, tree_solver("lp"))
    found = scope.run("max-margin", lambda: reports.append(1))
    assert len(reports) == scope.count == 4 + 4 + 1 and scope.depth == 2
    assert found.before == td.nash_conv(blueprint) and found.gadget == "max-margin"
    assert [(spot.public_state, spot.player, spot.level) for spot in found.states] == [
        (0, 0, 0),
        (2, 0, 1),
        (1, 1, 0),
        (3, 1, 0),
    ]
    for spot in found.states:
        alone = td.resolve(blueprint, spot.public_state, player=spot.player)
        assert spot.nash_conv == td.nash_conv(alone.profile) and spot.margin == alone.margin
    assert found.levels == pytest.approx(
        [td.nash_conv(td.resolve_nested(blueprint, levels=[level])) for level in (0, 1)]
    )
    assert found.from_level == pytest.approx(
        [td.nash_conv(td.resolve_nested(blueprint)), td.nash_conv(td.resolve_nested(blueprint, levels=[1]))]
    )
    assert found.changes.max() <= 1e-9 < -found.changes.min()


def test_invalid_depths_and_games_are_refused():
    tree = compiled("kuhn")
    scope = ResolvingExperiment(td.Profile.uniform(tree), tree_solver("lp"), depth=1)
    assert scope.count == 6 and len(scope.run("cfr-d").levels) == 1
    three = compiled("kuhn", players=3)
    with pytest.raises(td.errors.GameError, match="players"):
        ResolvingExperiment(td.Profile.uniform(three), tree_solver("lp"))
    with pytest.raises(td.errors.ProfileError):
        ResolvingExperiment(tree, tree_solver("lp"))
