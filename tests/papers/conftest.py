"""Experiments run once."""

import pytest

from tefuda.papers import mccfr_sampling
from tefuda.papers.catalogue import PAPERS


@pytest.fixture(scope="session")
def run():
    """Return a function that runs an experiment once; Monte Carlo CFR runs a fifth of its nodes."""
    patch, found = pytest.MonkeyPatch(), {}
    patch.setattr(mccfr_sampling, "NODES", {"kuhn": 200_000, "leduc": 2_000_000})

    def once(name):
        if name not in found:
            found[name] = PAPERS[name]()
        return found[name]

    yield once
    patch.undo()
