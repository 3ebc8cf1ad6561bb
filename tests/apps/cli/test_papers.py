"""Sweeps and experiments on the command line."""

from tefuda.papers import nfsp_exploration
from tests.apps.conftest import last_json


def test_sweep_and_experiments_with_options(tefuda, tmp_path, monkeypatch, in_threads):
    """A sweep prints means over seeds and is not run twice; experiments take and refuse options."""
    options = ("--methods", "external,cfr+", "--seeds", "2", "--iterations", "2e3", "--out", tmp_path / "kept")
    found = last_json(tefuda("sweep", "kuhn", *options, "--json"))
    assert [(group["method"], len(group["runs"])) for group in found["groups"]] == [("external", 2), ("cfr+", 2)]
    assert found["groups"][1]["deviation"] == 0.0
    assert "NashConv over seeds" in tefuda("sweep", "kuhn", *options, "--png", tmp_path / "curves.png").stdout
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    monkeypatch.setattr(nfsp_exploration, "EPSILONS", (0.01, 0.05, 0.1))
    small = ("--games", 1000, "--seeds", 1, "--workers", 1, "--folder", tmp_path / "table", "--json")
    result = tefuda("reproduce", "nfsp-exploration", *small, "--png", tmp_path / "figure.png", code=1)
    table = last_json(result)
    unmet = [row["name"] or row["claim"] for row in (*table["tables"], *table["claims"]) if row["met"] is False]
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("tefuda: exit code 1")]
    assert unmet and line.partition("not met: ")[2].partition(";")[0] == ", ".join(unmet)
    assert not table["met"] and (tmp_path / "figure.png").stat().st_size > 10_000
