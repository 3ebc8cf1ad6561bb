"""Kuhn's family of equilibria, and the member that CFR finds."""

import pytest

import tefuda as td
from tefuda_reproductions.papers import kuhn_cfr
from tests.conftest import compiled


def test_kuhns_family():
    """Every alpha from 0 to 1/3 is an equilibrium, and no larger one."""
    tree = compiled("kuhn")
    assert all(td.nash_conv(kuhn_cfr.equilibrium_member(tree, alpha)) < 1e-12 for alpha in (0, 0.1, 1 / 3))
    row = dict(kuhn_cfr.equilibrium_family(0.2))
    assert (row["0: K|"], row["0: Q|pb"]) == (pytest.approx(0.6), pytest.approx(0.2 + 1 / 3))
