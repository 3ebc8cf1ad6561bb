"""Figures of docs/beyond.md: correlated play and other answers beyond Nash, each oracle beside ours.

``--write`` saves the figures in bench/results/beyond.json and writes the tables and pictures, ``--render`` only those
of the saved figures. Names of parts after it (``--write gaps devices``) measure these alone; the others stay as saved.
A part is a function that measures, and a function that writes its table. CPU times of one core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from bench.beyond import anchored, devices, optima, populations, quantal, rankings, search, teams, values
from bench.pairs import Sections, dated, markdown, pin_to_one_core, publish, read_results, rows_of, stamp, table

PAGE = "docs/beyond.md"


def draw(results: dict[str, Any]) -> None:
    """Draw the curves of EFCE gaps, and the quantal path of Kuhn poker."""
    devices.draw(results)
    quantal.draw()


def beside_openspiel(results: dict[str, Any]) -> str:
    return markdown(rows_of(results), ("OpenSpiel", "tefuda"))


class Part(NamedTuple):
    """A part of the page: it measures JSON values, and writes them as a table."""

    measure: Callable[[], Any]
    table: Callable[[Any], str]


PARTS = {
    "gaps": Part(devices.measure_gaps, devices.gaps_table),
    "devices": Part(devices.measure_devices, devices.devices_table),
    "learner": Part(devices.measure_learner, devices.learner_table),
    "curves": Part(devices.measure_curves, devices.curves_table),
    "distance": Part(devices.measure_distance, devices.distance_table),
    "optima": Part(optima.measure_optima, optima.optima_table),
    "commitment": Part(optima.measure_commitment, optima.commitment_table),
    "ratings": Part(rankings.measure_ratings, rankings.ratings_table),
    "alpharank": Part(rankings.measure_alpharank, beside_openspiel),
    "ismcts": Part(search.measure_ismcts, search.ismcts_table),
    "simulations": Part(search.measure_simulations, beside_openspiel),
    "anchored": Part(anchored.measure_anchored, anchored.anchored_table),
    "quantal": Part(quantal.measure_figures, lambda found: table(*quantal.figures_table(found))),
    "paths": Part(quantal.measure_paths, lambda found: table(*quantal.paths_table(found))),
    "fit": Part(quantal.measure_coverage, lambda found: table(*quantal.coverage_table(found))),
    "double-oracle": Part(populations.measure_oracles, populations.oracles_table),
    "race": Part(populations.measure_race, populations.race_table),
    "psro": Part(populations.measure_psro, populations.psro_table),
    "psro-peer": Part(populations.measure_peer, populations.peer_table),
    "teams": Part(teams.measure_teams, teams.teams_table),
    "values": Part(values.measure_values, values.values_table),
}


def measure() -> dict[str, Any]:
    """Measure the parts that the command line names, or all; each has its own version and date."""
    pin_to_one_core()
    named = [name for name in PARTS if name in sys.argv]
    saved = read_results("beyond") if named else {"stamps": {}}
    for name in named or PARTS:
        saved[name], saved["stamps"][name] = PARTS[name].measure(), stamp()
    return saved


def sections(results: dict[str, Any]) -> Sections:
    return {
        (PAGE, f"beyond {name}"): dated(part.table(results[name]), results["stamps"][name])
        for name, part in PARTS.items()
    }


def main() -> None:
    """Measure and print, or render."""
    publish("beyond", measure, sections, draw)


if __name__ == "__main__":
    main()
