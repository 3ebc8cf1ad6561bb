"""Fixtures of tefuda's own tests, and experiments run once."""

import pytest

from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.papers import mccfr_sampling
from tests.apps.conftest import printed, tefuda  # noqa: F401
from tests.conftest import in_threads, kuhn, leduc, pytest_runtest_setup  # noqa: F401


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
