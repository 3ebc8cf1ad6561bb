"""What a survey tells is what the functions it calls find one by one."""

import pytest

import tefuda as td
from tefuda.resolving.nesting import scope_of, survey
from tefuda.resolving.resolution import by_method
from tests.conftest import compiled


def test_a_survey_tells_of_spots_levels_and_what_is_nested():
    tree = compiled("kuhn")
    blueprint, told = td.solve(tree, "cfr", iterations=10).strategy, []
    scope = scope_of(blueprint, by_method("lp"))
    found = survey(scope, "max-margin", lambda: told.append(1))
    assert len(told) == scope.count == 4 + 4 + 1 and scope.depth == 2
    assert found.before == td.nash_conv(blueprint) and found.how == "max-margin"
    assert [(spot.public_state, spot.player, spot.level) for spot in found.spots] == [
        (0, 0, 0),
        (2, 0, 1),
        (1, 1, 0),
        (3, 1, 0),
    ]
    for spot in found.spots:
        alone = td.resolve(blueprint, spot.public_state, player=spot.player)
        assert spot.nash_conv == td.nash_conv(alone.profile) and spot.margin == alone.margin
    assert found.levels == pytest.approx([td.nash_conv(td.nested(blueprint, levels=[level])) for level in (0, 1)])
    assert found.onward == pytest.approx(
        [td.nash_conv(td.nested(blueprint)), td.nash_conv(td.nested(blueprint, levels=[1]))]
    )
    assert found.changes.max() <= 1e-9 < -found.changes.min()


def test_depth_and_games_it_does_not_take():
    tree = compiled("kuhn")
    scope = scope_of(td.Profile.uniform(tree), by_method("lp"), depth=1)
    assert scope.count == 6 and len(survey(scope, "gadget").levels) == 1
    three = compiled("kuhn", players=3)
    with pytest.raises(td.GameError, match="players"):
        scope_of(td.Profile.uniform(three), by_method("lp"))
    with pytest.raises(td.ProfileError):
        scope_of(tree, by_method("lp"))
