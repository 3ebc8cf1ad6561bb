"""Neural self-play at limit hold'em, with tiny settings: play and evaluation."""

import pytest

from tefuda.errors import ParameterError, RunError
from tefuda.holdem.buckets import clusters as page
from tefuda.solvers.protocol import TablePolicy
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.experiment import saved_run
from tefuda_reproductions.papers import limit_nfsp
from tefuda_reproductions.papers.limit_nfsp import ENOUGH, Winnings, verdicts
from tests.holdem.limits import flat


class Uniform(TablePolicy):
    def function(self, player, seen, legal):
        return legal / legal.sum(axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def merged_hands(monkeypatch):
    """Put all hands after the flop into one cell, which is quick to build."""
    monkeypatch.setattr(page, "_cache_by_seed", {0: flat()})


def test_in_small(tmp_path, monkeypatch):
    """Uniform play instead of networks: a local best response wins much from it, a random player nothing."""
    stand_in = limit_nfsp.Networks(Uniform({}), Uniform({}), None, 1000)
    monkeypatch.setattr(limit_nfsp, "train_networks", lambda *_: stand_in)
    small = {"games": 1000, "deals": 60, "hands": 12, "walks": 200, "folder": str(tmp_path)}
    table = PAPERS["limit-nfsp"](**small)
    won = {row[0]: (mean, half) for row, (mean,), (half,) in zip(*rows(table.tables[0]), strict=True)}
    assert list(won) == ["a random player", "one who always calls", limit_nfsp.SAMPLED, limit_nfsp.RESPONSE]
    assert won["a random player"] == (0, 0) and won[limit_nfsp.RESPONSE][0] < -1000  # the same luck, the same play
    mean, half = won[limit_nfsp.SAMPLED]  # greedy play is the same stand-in
    assert any(f"{mean:+.0f} ± {half:.0f} against" in note for note in table.notes)
    assert [(claim.name, claim.met) for claim in table.claims] == [("001-c3", None)] and table.met
    assert (tmp_path / "sampled-1-200" / "run.json").exists()


def rows(table):
    return table.rows, table.ours, table.error


def test_claims_are_evaluated_of_whole_runs_only():
    near, far = {limit_nfsp.SAMPLED: Winnings(-40.0, 50.0)}, {limit_nfsp.SAMPLED: Winnings(-90.0, 50.0)}
    assert verdicts(far, ENOUGH - 1)["c3"].met is None
    assert verdicts(near, ENOUGH)["c3"].met is True and verdicts(far, ENOUGH)["c3"].met is False


def test_runs_of_other_settings_are_refused(tmp_path):
    game = limit_nfsp.load_game("holdem", limit=True, cap=2)
    few, reports = limit_nfsp.Buckets((4, 1, 1, 1)), []
    for walks in (100, 150):
        limit_nfsp.sample_strategy(game, few, walks, 1, tmp_path / "run", reports.append)
    with pytest.raises(ParameterError, match="form"):
        limit_nfsp.sample_strategy(game, limit_nfsp.BUCKETS, 100, 1, tmp_path / "run", reports.append)
    with pytest.raises(RunError, match="another"):
        saved_run(tmp_path / "run", None, limit_nfsp.BucketMethod(), 150, 2)
