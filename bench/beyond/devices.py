"""Parts of `bench.beyond`: gaps of correlation devices, and learners of correlated equilibria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import RESULTS, compare, markdown, met, rows_of, table
from tefuda.apps.plot import plot_panels
from tefuda.correlating import CorrelationGap, Device, Triggers
from tefuda.correlating.gaps import CONCEPTS
from tefuda.figure import Panel
from tests.known_devices import STALLS, gibson, in_out, signalling
from tests.plain_cfr import ORACLES, iterates

CURVES = RESULTS / "correlation.png"
TOGETHER = replace(td.METHODS["cfr"], order="simultaneous")
#: Games of `gaps`: title, and parameters.
GAMES = {"kuhn": ("Kuhn, 3 players", {"players": 3}), "sheriff": ("sheriff 3, 3, 1", {})}
#: Games of `curves`: title, name, and iterations.
DRAWN = (("Kuhn, 3 players", "kuhn", 10_000), ("Leduc, 3 players", "leduc", 3_000))
_PRINTED = 1e-12  # the asked figures have twelve digits after the point


def measure_gaps() -> dict[str, Any]:
    """Return the gaps and values of devices of plain CFR, by game and number of iterates."""
    results: dict[str, Any] = {}
    for name, (_, parameters) in GAMES.items():
        tree = td.compile_game(td.load_game(name, **parameters))
        device, results[name] = Device(tree), {}
        for number, profile in enumerate(iterates(tree, max(ORACLES[name])), 1):
            device.add(profile)
            if number in ORACLES[name]:
                gaps = device.gaps
                totals = [gaps.gap(concept) for concept in CONCEPTS]
                results[name][str(number)] = [[*totals, gaps.gap("efce", "largest")], gaps.values]
    return results


def gaps_table(results: dict[str, Any]) -> str:
    rows, kinds = [], ("NFCCE, total", "EFCCE, total", "EFCE, total", "EFCE, largest")
    for name, (title, _) in GAMES.items():
        for number, (asked, values) in ORACLES[name].items():
            ours, found = results[name][str(number)]
            pairs = [*zip(kinds, asked, ours, strict=True)]
            pairs += [(f"value of {player}", *pair) for player, pair in enumerate(zip(values, found, strict=False))]
            for kind, want, got in pairs:
                rows.append((title, number, kind, f"{want:.12f}", f"{got:.12f}", met(abs(want - got) < _PRINTED)))
    return table("game|iterates|figure|asked (computed)|ours|met", rows)


def measure_devices() -> dict[str, Any]:
    """Return the figures of devices with known gaps."""
    found = {"gibson": gibson(), "in_out": in_out(), "signalling": signalling()}
    return {name: device.gaps.summary() for name, device in found.items()}


def devices_table(results: dict[str, Any]) -> str:
    one, two, three = (results[name] for name in ("gibson", "in_out", "signalling"))
    asked = [
        ("Gibson's table", "NFCCE gap", 0, one["nfcce"]["total"]),
        ("Gibson's table", "CE gap", 0.25, one["efce"]["total"]),
        ("in or out, always out", "EFCE gap", 1, two["efce"]["total"]),
        ("signalling", "EFCE gap", 0, three["efce"]["total"]),
        ("signalling", "EFCCE gap", 0, three["efcce"]["total"]),
        ("signalling", "value of 0", 3.5, three["values"][0]),
        ("signalling", "value of 1", 6.5, three["values"][1]),
        ("signalling", "sum of the signed gains, NFCCE", -1.5, sum(three["nfcce"]["gains"])),
    ]
    rows = [(*names, f"{want:g}", f"{ours:.12g}", met(abs(want - ours) < _PRINTED)) for *names, want, ours in asked]
    return table("device|figure|asked (published)|ours|met", rows)


def measure_learner() -> dict[str, Any]:
    """Return gaps of the trigger learner and of plain CFR."""
    sheriff, kuhn = td.load_game("sheriff"), td.load_game("kuhn", players=3)
    stalls = td.load_game("matrix", payoffs=STALLS)
    jobs = {
        "sheriff": (sheriff, Triggers(), "efce", 1000),
        "sheriff efcce": (sheriff, Triggers(concept="efcce"), "efcce", 1000),
        "sheriff cfr": (sheriff, TOGETHER, "efce", 1000),
        "kuhn": (kuhn, Triggers(), "efce", 100),
        "stalls": (stalls, Triggers(), "efce", 10_000),
        "stalls cfr": (stalls, TOGETHER, "efce", 10_000),
        "stalls cfr nfcce": (stalls, TOGETHER, "nfcce", 10_000),
    }
    return {
        name: td.solve(game, method, iterations=count, evaluator=CorrelationGap(concept)).evaluation.figure
        for name, (game, method, concept, count) in jobs.items()
    }


def learner_table(found: dict[str, float]) -> str:
    rows = [
        ("sheriff 3, 3, 1", "`triggers`", "EFCE", "1,000", "below .2 (.179930, .174153)", "sheriff", 0.2),
        ("sheriff 3, 3, 1", "`triggers`, EFCCE", "EFCCE", "1,000", "(.0891, .0930)", "sheriff efcce", None),
        ("sheriff 3, 3, 1", "`cfr`", "EFCE", "1,000", "(.129097)", "sheriff cfr", None),
        ("Kuhn, 3 players", "`triggers`", "EFCE", "100", "(.0993, .1078)", "kuhn", None),
        ("table of 3 by 3", "`cfr`", "NFCCE", "10,000", "", "stalls cfr nfcce", None),
        ("table of 3 by 3", "`cfr`", "EFCE", "10,000", "", "stalls cfr", None),
        ("table of 3 by 3", "`triggers`", "EFCE", "10,000", "", "stalls", None),
    ]
    shown = [
        (*words, f"{found[name]:.6f}", "" if most is None else met(found[name] < most)) for *words, name, most in rows
    ]
    return table("game|method|gap|iterations|asked (other programs)|ours|met", shown)


def measure_curves() -> dict[str, Any]:
    """Return the EFCE gaps of CFR and of the trigger learner at iterations 1, 2, 4, ..."""
    curves: dict[str, Any] = {}
    for title, name, count in DRAWN:
        game, gap = td.load_game(name, players=3), CorrelationGap("efce")
        curves[title] = {}
        for label, method in (("CFR", TOGETHER), ("trigger learner", Triggers())):
            solution = td.solve(game, method, iterations=count, evaluator=gap)
            curves[title][label] = [(point.iteration, point.figure) for point in solution.curve]
            curves[title][f"{label}, seconds"] = solution.seconds
    return curves


def curves_table(curves: dict[str, Any]) -> str:
    rows = []
    for title, _, count in DRAWN:
        for label in ("CFR", "trigger learner"):
            points = dict(map(tuple, curves[title][label]))
            known = [max(at for at in points if at <= goal) for goal in (count // 100, count // 10, count)]
            cells = [f"{points[at]:.4f} ({at:,})" for at in known]
            rows.append((title, label, *cells, f"{1e3 * curves[title][f'{label}, seconds'] / count:.2g} ms"))
    return table("game|device of the iterates of|EFCE gap (iterations)|||an iteration", rows)


def draw(results: dict[str, Any]) -> None:
    """Draw the curves of EFCE gaps."""
    panels = [
        Panel(
            title,
            "iterations",
            {label: lines[label] for label in ("CFR", "trigger learner")},
            y_label="EFCE gap, total (game's unit per game)",
        )
        for title, lines in results["curves"].items()
        if title in {drawn[0] for drawn in DRAWN}
    ]
    plot_panels(panels, CURVES)


def measure_distance() -> dict[str, Any]:
    """Return paired timings of the distance of a device to coarse correlated equilibria, beside OpenSpiel."""
    import pyspiel

    tree, theirs = td.compile_game(td.load_game("kuhn", players=3)), pyspiel.load_game("kuhn_poker(players=3)")
    profiles = [td.Profile.random(tree, np.random.default_rng(seed)) for seed in range(20)]
    device = [(1 / len(profiles), pyspiel.TabularPolicy(dict(translated(profile)))) for profile in profiles]
    ours, them = Device.of(profiles).gaps.gap("nfcce"), pyspiel.cce_dist(theirs, device).dist_value
    assert abs(ours - them) < _PRINTED, (ours, them)
    row = compare(
        "CCE distance of 20 profiles, Kuhn with 3 players",
        lambda count: [pyspiel.cce_dist(theirs, device) for _ in range(count)],
        lambda count: [Device.of(profiles).gaps for _ in range(count)],
    )
    return {"rows": [vars(row)], "distance": [them, ours]}


def translated(profile: td.Profile) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Yield OpenSpiel's infosets of Kuhn poker with their strategies: a card by number, then the actions."""
    for key, row in zip(profile.tree.keys, profile.values(), strict=True):
        card, moves = key.split("|")
        yield f"{'TJQK'.index(card)}{moves}", list(enumerate(row.values()))


def distance_table(results: dict[str, Any]) -> str:
    them, ours = results["distance"]
    return f"{markdown(rows_of(results), ('OpenSpiel', 'tefuda'))}\n\nBoth distances: {them:.12f}, {ours:.12f}."
