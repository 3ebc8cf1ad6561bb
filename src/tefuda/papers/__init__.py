"""Published experiments, run again: one module a source, and one table from names to experiments."""

from __future__ import annotations

from tefuda.papers import kuhn_cfr
from tefuda.papers.claims import Experiment

PAPERS: dict[str, Experiment] = {
    "kuhn-cfr": kuhn_cfr.run,
}
