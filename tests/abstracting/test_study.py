"""Studies of buckets: both ways of solving, both recalls, the same sizes."""

import math

import pytest

import tefuda as td
from tefuda.abstracting.study import panel, study
from tests.conftest import compiled


@pytest.fixture(scope="module")
def trials():
    return study(compiled("leduc", ranks=5), [1, 2, 3], iterations=300)


def test_cfr_br_is_never_more_exploitable_than_the_equilibrium(trials):
    assert [trial.counts for trial in trials if trial.recall == "perfect"] == [(1,), (2,), (3,)]
    for trial in trials:
        assert trial.cfr_br <= trial.equilibrium + 1e-9
        if trial.recall == "perfect":
            assert trial.least <= trial.cfr_br + 1e-9
        else:
            assert math.isnan(trial.least)


def test_rows_of_imperfect_recall_have_as_many_classes(trials):
    sizes = {trial.recall: trial.classes for trial in trials if trial.counts[0] == 2}
    assert sizes == {"perfect": 132, "imperfect": 132}
    assert all(trial.classes <= 6 * trial.counts[0] + 30 * trial.counts[0] ** 2 for trial in trials)


def test_pictures_have_a_line_for_each_way(trials):
    drawn = panel("leduc", trials)
    assert len(drawn.lines) == 5 and drawn.lines["CFR-BR"][0][0] == 36
    assert not panel("nothing", ()).lines


def test_cfr_br_continues_until_below_the_equilibrium():
    """Iterations double, at most up to 32, until CFR-BR is below the equilibrium.

    The small game has many equilibria; those that the linear program found so far have 1.481 and 1.486.
    """
    whole = study(compiled("leduc", ranks=5), [2], iterations=2)[0]
    assert 1.3 < whole.cfr_br <= whole.equilibrium == pytest.approx(1.483, abs=0.01)


def test_games_without_a_linear_program_are_solved_by_cfr():
    found = study(compiled("kuhn", players=3), [2], iterations=50)
    assert found[0].equilibrium > 0 and math.isnan(found[0].cfr_br) and math.isnan(found[0].least)
    assert found[0].summary()["counts"] == [2]


def test_buckets_without_later_chance():
    """Own bids of goofspiel: perfect recall merges nothing; imperfect recall leaves 146 of 162 infosets."""
    whole, forgetful = study(compiled("goofspiel"), [1], iterations=200)
    assert (whole.classes, whole.equilibrium) == (162, pytest.approx(0, abs=1e-9))
    assert forgetful.counts == (1,) and forgetful.classes == 146 and forgetful.recall == "imperfect"
    assert list(panel("goofspiel", (whole,)).lines) == ["CFR-BR"]  # 0 has no place on a logarithmic axis


def test_refused():
    with pytest.raises(td.errors.ParameterError):
        study(compiled("kuhn"), [2, 0])
