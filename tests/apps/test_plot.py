"""Pictures drawn by matplotlib."""

import pytest

from tefuda.figure import Panel

pytest.importorskip("matplotlib", reason="pictures need matplotlib")


@pytest.mark.parametrize("covers", [(), (0.0, 100.0)])
def test_an_axis_shows_what_it_must(covers):
    from matplotlib.figure import Figure

    from tefuda.apps.plot import _draw

    axes = Figure().subplots()
    _draw(
        axes, Panel("", "boards", {"EV": [(0, 40.0), (1, 45.0)]}, {"mean": 42.0}, "%", ("linear",) * 2, covers=covers)
    )
    low, high = axes.get_ylim()
    assert (low <= 0 and high >= 100) == bool(covers) and low <= 40 and high >= 45
    assert [line.get_label() for line in axes.get_lines()][-1] == "mean"
    assert axes.get_xlim()[1] < 2
