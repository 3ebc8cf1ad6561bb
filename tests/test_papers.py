"""Published experiments run again: every claim must be met as the tables say."""

import pytest

from tefuda.papers import PAPERS


@pytest.mark.parametrize("name", [name for name in PAPERS if name != "kuhn-cfr"])  # that one runs in test_cli.py
def test_claims_are_met(name):
    table = PAPERS[name](None)
    assert table.met, [claim for claim in table.claims if not claim.met]
    assert len(table.claims) >= 2 and table.summary()["met"]
