"""Experiments run once."""

import pytest

from tefuda.papers.catalogue import PAPERS


@pytest.fixture(scope="session")
def run():
    """The table of an experiment, run once."""
    found = {}

    def once(name):
        if name not in found:
            found[name] = PAPERS[name]()
        return found[name]

    return once
