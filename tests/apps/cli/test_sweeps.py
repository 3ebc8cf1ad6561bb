"""Sweeps on the command line."""

from tests.apps.conftest import last_json


def test_sweep_with_options(tefuda, tmp_path, in_threads):
    """A sweep prints means over seeds and is not run twice."""
    options = ("--methods", "external,cfr+", "--seeds", "2", "--iterations", "2e3", "--out", tmp_path / "kept")
    found = last_json(tefuda("sweep", "kuhn", *options, "--json"))
    assert [(group["method"], len(group["runs"])) for group in found["groups"]] == [("external", 2), ("cfr+", 2)]
    assert found["groups"][1]["deviation"] == 0.0
    assert "NashConv over seeds" in tefuda("sweep", "kuhn", *options, "--png", tmp_path / "curves.png").stdout
    assert (tmp_path / "curves.png").stat().st_size > 10_000
