"""The experiments with exploration in self-play, with tiny settings."""

from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import nfsp_exploration


def test_nfsp_exploration_in_small(tmp_path, monkeypatch, in_threads):
    """Every claim has a table row in its unit, with limits from exact solvers; no run is trained twice."""
    monkeypatch.setattr(nfsp_exploration, "EPSILONS", (0.01, 0.05, 0.1))
    small = {"games": 1000, "seeds": 2, "workers": 1, "folder": str(tmp_path)}
    table = PAPERS["nfsp-exploration"](**small)
    assert [claim.name for claim in table.claims if claim.name] == [f"001-c{n}" for n in range(1, 17)]
    assert [one.name.split(",")[0] for one in table.tables] == ["table 1", "table 1", "figure 1", "figure 1"]
    assert not table.met and any("limit of D 0.0277" in note for note in table.notes) and len(table.panels) == 6
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 2 * (4 * 2 + 2 * 2)
    figure = table.tables[2]
    assert figure.published[3] == (0.268, 0.023) and figure.published[0] == (0.038, 0.04)
    assert figure.ours[3][0] == table.tables[0].ours[2][0] and figure.error[1] == (
        None,
        None,
    )  # one run has no deviation
    average = table.tables[0].ours[0][0]
    assert average > 4  # NashConv of the average, not of greedy values: nearly uniform after 1,000 games
