"""Published experiments, run again: one module a source, and one table from names to experiments."""

from __future__ import annotations

from tefuda.papers import (
    kuhn_cfr,
    kuhn_chance,
    mccfr_sampling,
    nfsp_exploration,
    rps_matching,
    safe_exploitation,
    three_player_exploitation,
)
from tefuda.papers.claims import Experiment

PAPERS: dict[str, Experiment] = {
    "kuhn-cfr": kuhn_cfr.run,
    "kuhn-chance": kuhn_chance.run,
    "mccfr-sampling": mccfr_sampling.run,
    "nfsp-exploration": nfsp_exploration.run,
    "rps-matching": rps_matching.run,
    "safe-exploitation": safe_exploitation.run,
    "three-player-exploitation": three_player_exploitation.run,
}
