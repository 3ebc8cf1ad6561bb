"""The fit of rationality: a closed form, coverage, ends of the path, bad counts."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import tefuda as td
from tests.conftest import compiled
from tests.known_responses import MEETING, coverage

ONE_CHOICE = [[1.0], [0.0]]  # the second player has one action


@pytest.fixture(scope="module")
def path():
    return td.solvers.quantal_path(compiled("kuhn"), 40)


@pytest.mark.parametrize("good, bad", [(80, 20), (51, 49), (990, 10), (7, 1)])
def test_one_choice_has_a_closed_form(good, bad):
    """The estimate is log(good / bad), and the likelihood is 1.92 lower at the ends of the interval."""

    def height(rationality):
        return -good * math.log1p(math.exp(-rationality)) - bad * math.log1p(math.exp(rationality))

    best = math.log(good / bad)
    fit = td.solvers.fit_rationality(td.load_game("matrix", payoffs=ONE_CHOICE), {"0: move": [good, bad]})
    low, high = (
        brentq(lambda x: height(x) - height(best) + 1.920729, *ends) if height(ends[0]) < height(best) - 1.93 else 0
        for ends in ((0, best), (20, best))
    )
    assert (fit.rationality, fit.low, fit.high) == pytest.approx((best, low, high), abs=1e-6)
    assert (fit.log_likelihood, fit.random_play) == pytest.approx((height(best), height(0)), abs=1e-9)
    assert fit.choices == good + bad and fit.notes == () and fit.end == ""


def test_ends_of_the_path_are_said():
    game = td.load_game("matrix", payoffs=ONE_CHOICE)
    worse = td.solvers.fit_rationality(game, {"0: move": [20, 80]})
    assert (worse.rationality, worse.low, worse.end) == (0, 0, "start") and 0 <= worse.high < 1
    perfect = td.solvers.fit_rationality(game, {"0: move": {"0": 50}})
    assert perfect.end == "end" and perfect.high == math.inf and 3 < perfect.low < perfect.rationality
    assert len(worse.notes) == len(perfect.notes) == 1 and perfect.summary()["high"] is None
    short = td.solvers.fit_rationality(game, {"0: move": [80, 20]}, to=1.0)
    assert (short.rationality, short.end) == (1.0, "end")


def test_exact_shares_give_the_rationality_back(path):
    for rationality in (0.5, 7.0, 30.0):
        fit = td.solvers.fit_rationality(path, 1000 * path.at(rationality).probabilities)
        assert fit.rationality == pytest.approx(rationality, rel=1e-6) and fit.low < rationality < fit.high
        assert fit.strategy.probabilities == pytest.approx(path.at(rationality).probabilities, abs=1e-7)


def test_the_reduced_form_is_fitted_too():
    path = td.solvers.quantal_path(compiled("kuhn"), 20, form="reduced")
    assert td.solvers.fit_rationality(path, 1000 * path.at(4).probabilities).rationality == pytest.approx(4, rel=1e-6)


def test_choices_beyond_a_bifurcation_are_fitted():
    path = td.solvers.quantal_path(td.load_game("matrix", payoffs=MEETING), 20)
    fit = td.solvers.fit_rationality(path, 1000 * path.at(2.5).probabilities)
    assert fit.rationality == pytest.approx(2.5, rel=1e-5)


def test_intervals_cover_the_truth(path):
    assert coverage(path, 3.0, sets=10, games=200) >= 8


@pytest.mark.slow
def test_95_percent_intervals_cover_in_90_of_100(path):
    assert coverage(path, 3.0, sets=100, games=200) >= 90


def test_bad_counts_are_refused(path):
    tree = path.tree
    for counts in ({"9: J|": [1, 2]}, {"0: J|": {"raise": 3}}):
        with pytest.raises(td.errors.UnknownNameError):
            td.solvers.fit_rationality(path, counts)
    for counts in (
        {}, {"0: J|": [0, 0]}, {"0: J|": [-1, 2]}, {"0: J|": [1, math.nan]}, {"0: J|": [1, 2, 3]}, {"0: J|": "many"},
        np.zeros(tree.rows), np.ones(3), "counts", None, {"0: J|": {"p": math.inf}},
    ):  # fmt: skip
        with pytest.raises(td.errors.ParameterError):
            td.solvers.fit_rationality(path, counts)
