"""The path: known equilibria, bifurcations, limits, any number of players."""

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.quantal.response import FORMS
from tests.conftest import compiled
from tests.known_responses import (
    DIGITS,
    FIGURE_LIMIT,
    FOLDING,
    FOLDS,
    KUHN,
    KUHN_2000,
    MEETING,
    NAU,
    NAU_LIMIT,
    UNIFORM,
    figures,
)
from tests.small_games import FIGURE


@pytest.fixture(scope="module")
def paths():
    return {form: td.solvers.quantal_path(compiled("kuhn"), 2000, form=form) for form in FORMS}


@pytest.mark.parametrize("form, rationality", KUHN)
def test_kuhn_to_the_printed_digits(paths, form, rationality):
    """48 figures that two other programs computed."""
    ours = figures(paths[form].at(rationality))
    for found, asked, digits in zip(ours, KUHN[form, rationality], DIGITS, strict=True):
        assert round(found, digits) == pytest.approx(asked, abs=1.01 * 10.0**-digits)


def test_kuhn_at_two_thousand(paths):
    path = paths["agent"]
    found = path.at(2000)
    assert path.complete and path.rationality[-1] == 2000 and path.folds == () and path.bifurcation is None
    asked = (figures(found)[0], *figures(found)[2:5])
    assert asked == pytest.approx(KUHN_2000, abs=6e-9)
    assert found.game_values()[0] == pytest.approx(KUHN_2000[0], abs=1e-12)


def test_uniform_magnet_is_another_point():
    path = td.solvers.quantal_path(compiled("kuhn"), 5, form="reduced", magnet="uniform")
    found = path.at(5)
    assert (found.game_values()[0], found["0: J|"]["b"]) == pytest.approx(UNIFORM, abs=2e-12)


def test_three_players_reach_an_irrational_equilibrium():
    path = td.solvers.quantal_path(td.load_game("matrix", payoffs=NAU), 1e9, until=1e-7)
    values, firsts = NAU_LIMIT
    assert path.regrets[-1] <= 1e-7
    assert path.last.game_values() == pytest.approx(values, abs=1e-6)
    assert [path.last[f"{player}: move"]["0"] for player in range(3)] == pytest.approx(firsts, abs=1e-6)


def test_signalling_ends_without_a_sale():
    """The limit of Gambit's principal branch has the values 0 and 6."""
    path = td.solvers.quantal_path(compiled("signalling"), 1e5, until=1e-6)
    assert path.last.game_values() == pytest.approx((0, 6), abs=1e-4)


def test_a_bifurcation_is_passed_and_reported():
    """At rationality 2 the equilibria of meeting at one place leave that of random play."""
    path = td.solvers.quantal_path(td.load_game("matrix", payoffs=MEETING), 20)
    assert path.bifurcation == pytest.approx(2, abs=1e-5) and path.complete
    assert path.at(1.9)["0: move"]["0"] == pytest.approx(0.5, abs=1e-9)
    found = max(path.at(3)["0: move"].values())
    assert found == pytest.approx(1 / (1 + np.exp(-3 * (2 * found - 1))), abs=1e-12) and found > 0.9
    assert max(path.last["0: move"].values()) > 1 - 1e-8


@pytest.mark.parametrize("form", FORMS)
def test_paths_are_equilibria_of_games_of_any_shape(form):
    """Every point is a fixed point of its response, and NashConv falls to 0."""
    for parameters in ({"players": 3, "zero_sum": False, "seed": 5}, {"players": 2, "zero_sum": False, "seed": 7}):
        tree = compiled("sampled", **parameters)
        path = td.solvers.quantal_path(tree, 300, form=form)
        assert path.complete and path.regrets[-1] < 0.02 and path.regrets[-1] < path.regrets[0]
        for number in range(0, len(path.points), 7):
            logs = path.system.logs(path.points[number])
            assert path.system.response.residual(logs, path.rationality[number]) < 1e-15


def test_the_unit_of_payoffs_is_the_unit_of_rationality():
    large = td.load_game("matrix", payoffs=[[(3000, 1000), (0, 0)], [(1000, 0), (2000, 3000)]])
    small = td.load_game("matrix", payoffs=[[(3, 1), (0, 0)], [(1, 0), (2, 3)]])
    ours, theirs = (td.solvers.quantal_path(game, to).at(to) for game, to in ((large, 0.002), (small, 2)))
    assert ours.probabilities == pytest.approx(theirs.probabilities, abs=1e-12)


def test_bad_input_is_refused():
    kuhn = compiled("kuhn")
    for change in ({"to": -1}, {"to": float("nan")}, {"to": float("inf")}, {"form": "normal"}, {"until": -1},
                   {"seconds": -1}, {"magnet": "north"}):  # fmt: skip
        with pytest.raises(td.errors.ParameterError):
            td.solvers.quantal_path(kuhn, **change)
    path = td.solvers.quantal_path(kuhn, 2)
    for rationality in (-1, 3, float("nan")):
        with pytest.raises(td.errors.ParameterError):
            path.at(rationality)
    assert td.solvers.quantal_path(kuhn, 0).at(0).probabilities == pytest.approx(0.5)


def test_a_time_limit_gives_a_path_that_says_so():
    path = td.solvers.quantal_path(compiled("kuhn"), 2000, seconds=0)
    assert not path.complete and "time limit" in path.reason and path.rationality[-1] < 2000


def test_folds_are_where_the_path_turns():
    """Between both folds the path has three points of each rationality; `at` returns the first."""
    path = td.solvers.quantal_path(td.load_game("matrix", payoffs=FOLDING), 20)
    assert path.complete and path.bifurcation is None and path.folds == pytest.approx(FOLDS, abs=1e-12)
    assert "1.1153, 0.918993" in path.notes[0]
    above = (path.rationality > 1.0).astype(int)
    assert np.count_nonzero(np.diff(above)) == 3
    first, last = path.at(1.0), path.profile(int(np.flatnonzero(above == 0)[-1]) + 1)
    assert abs(first["0: move"]["0"] - last["0: move"]["0"]) > 0.1


def test_limit_of_a_game_with_equilibria_of_its_agents_alone(tmp_path):
    """Myerson 1991, figure 4.2: the path does not end at B1, Z1 and W2, which is no Nash equilibrium."""
    (tmp_path / "game.efg").write_text(FIGURE)
    last = td.solvers.quantal_path(td.games.read_efg(tmp_path / "game.efg"), 1e9, until=1e-8).last
    assert (*last.game_values(), last["0: first"]["A1"]) == pytest.approx(FIGURE_LIMIT, abs=1e-6)
