"""Values made of smaller values: flat names, chosen kinds, and refused values."""

import pytest

import tefuda as td
from tefuda.settings import all_options, option_fields, options, with_options
from tefuda.solvers.learned import neural
from tefuda.solvers.learned.neural import DEEP_CFR, DOUBLE_NEURAL, DREAM, ESCHER, SD_CFR
from tefuda.solvers.sampled import levels
from tests.conftest import refused


def test_flat_names_lead_to_fields_of_parts():
    found = with_options(DREAM, {"epsilon": 0.1, "baseline_rows": 7, "rate": 0.5, "hidden": 8})
    assert found.scheme == levels.Outcome(epsilon=0.1) and found.baseline.rows == 7
    assert (found.fit.rate, found.baseline.fit.rate) == (0.5, 0.5)  # shared, unlike
    assert (found.fit.hidden, found.baseline.fit.hidden) == (8, 64)
    assert (
        with_options(found, {"baseline_rate": 0.1}).fit.rate == 0.5
    )  # under its part's prefix it is that part's alone


def test_a_chosen_kind_keeps_what_the_old_one_had():
    """The average's network starts from the fit of sums or defaults, with the given weights and rates."""
    held = with_options(DOUBLE_NEURAL, {"average": "network", "rows": 9})
    assert isinstance(held.average, neural.PolicyNetwork) and held.average.fit == DOUBLE_NEURAL.average.fit
    assert held.average.rows == 9
    new = with_options(with_options(SD_CFR, {"rate": 0.01}), {"average": "network"})
    assert new.average.fit == neural.InfosetFit(steps=5000, rate=0.01)
    assert with_options(ESCHER, {"baseline": False, "epsilon": 0.5}).baseline is None


@pytest.mark.parametrize("method", [one for one in td.METHODS.values() if isinstance(one, td.solvers.DeepCFR)], ids=str)
def test_options_say_everything(method):
    """From any other method of the family the options lead back; so they do where parts differ."""
    apart = with_options(method, {"rate": 0.25, **({"baseline_rate": 0.5} if method.baseline else {"clip": 2.0})})
    for one in (method, apart):
        assert with_options(DEEP_CFR, options(one)) == one == with_options(DREAM, options(one))
    assert options(apart).keys() <= all_options(apart).keys() <= option_fields(td.solvers.DeepCFR).keys()


def test_wrong_combinations_cannot_be_built():
    for changes, words in (
        ({"epsilon": 0.3}, "epsilon needs scheme='outcome'"),
        ({"clip_regrets": True}, "clip_regrets needs regrets='sum'"),
        ({"unvisited": "fixed"}, "regrets='sum' or average='sum'"),
        ({"scheme": "outcome", "k": 2}, "k needs scheme='uniform'"),
        ({"average_steps": 0}, "average_steps is 0"),
        ({"average_rate": "fast"}, "average_rate is 'fast'; it must be of type int or float"),
        ({"baseline": 1}, "baseline is 1"),
    ):
        with pytest.raises(td.errors.ParameterError, match=words):
            with_options(DEEP_CFR, changes)
    with refused(td.errors.ParameterError, key="regrets"):
        td.solvers.DeepCFR("mine", regrets=neural.Iterates())
    with refused(td.errors.UnknownNameError, key="option of", value="average_step", nearest="average_steps"):
        with_options(DEEP_CFR, {"average_step": 3})
