"""Exploiting opponents at a limit hold'em table of three: what furui2011 names as its next step.

No equilibrium of three is known: D plays what sampling found with eight buckets a street, and it stands for the
equilibrium in the eyes of who reads opponents: A, the source's player, and I, ours. E always raises, F always calls, G
does anything; B plays as D. Thousandths of a big blind a hand, intervals of 95 % over replicates.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError
from tefuda.figure import Panel
from tefuda.files import LIST, OBJECT, check_fields, read_json, write_json
from tefuda.games.catalogue import load_game
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.limit.buckets import Buckets
from tefuda.holdem.limit.exploiters import TableReader, VirtualReader
from tefuda.holdem.limit.reading import stereotype
from tefuda.holdem.limit.sampler import LimitPolicy
from tefuda.locks import owned
from tefuda.papers.claims import Claim, ClaimTable, PublishedTable, blank, grid
from tefuda.papers.limit_nfsp import sampled
from tefuda.papers.sources import FURUI
from tefuda.papers.three_players import PUBLISHED
from tefuda.playing.agents import Agent, PolicyAgent
from tefuda.playing.match import duplicate_match
from tefuda.words import Tell

BUCKETS = Buckets((8, 8, 8, 8))
SIMPLE = {"E": "raiser", "F": "caller", "G": "random"}
FIRST = {"B": "the sampled strategy", "A": "furui2011's player", "I": "ours"}
LINE_UPS = tuple(f"{first}D{third}" for third in SIMPLE for first in FIRST)
ENOUGH = 5000  # deals of each seating, as many as the source plays
_COLUMNS = ("A / B / I", "D", "E / F / G")

#: By line-up, `[replicates, 3]` what each agent won, thousandths of a big blind a hand.
Played = dict[str, np.ndarray]


def seated(letter: str, table: LimitPolicy) -> Agent:
    """Who stands behind a letter."""
    if letter == "A":
        return VirtualReader("A", table)
    if letter == "I":
        return TableReader("I", table)
    if letter in SIMPLE:
        return PolicyAgent(letter, LimitPolicy(table.game, stereotype(table.game, SIMPLE[letter])))
    return PolicyAgent(letter, table)


def matches(game: Holdem, table: LimitPolicy, file: Path, size: Mapping[str, int], workers: int, tell: Tell) -> Played:
    """All line-ups on the same cards; those that the file holds are not played again.

    Raises:
        RunError: the file is damaged, or of matches of another size.
    """
    with owned(file):
        kept: dict[str, Any] = read_json(file) if os.path.exists(file) else {"size": dict(size)}
        check_fields(file, kept, {"size": OBJECT, **dict.fromkeys(kept.keys() & set(LINE_UPS), LIST)})
        if kept["size"] != size:
            raise RunError(f"{file} holds matches of {kept['size']}; choose another folder for {dict(size)}.")
        for name in LINE_UPS:
            if name not in kept:
                tell(f"line-up {name}")
                match = duplicate_match(
                    game, [seated(letter, table) for letter in name], deals=size["deals"],
                    replicates=size["replicates"], seed=size["seed"], play=True, workers=workers,
                )  # fmt: skip
                kept[name] = (1000 * match.units / max(game.rules.blinds)).tolist()
                write_json(file, kept)
        return {name: _read(file, name, kept[name], size["replicates"]) for name in LINE_UPS}


def _read(file: Path, name: str, kept: list[Any], replicates: int) -> np.ndarray:
    """A line-up of a file."""
    try:
        units = np.array(kept, dtype=np.float64)
    except (TypeError, ValueError):
        units = np.zeros(0)
    if units.shape != (replicates, 3) or not np.isfinite(units).all():
        raise RunError(f"{file}: {name} is no match of {replicates} replicates. Delete the file.")
    return units


def interval(units: np.ndarray) -> tuple[float, float]:
    """The mean over replicates, and half of the 95 % interval around it."""
    from scipy.stats import t

    half = t.ppf(0.975, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
    return float(units.mean()), float(half)


def table_of(found: Played) -> PublishedTable:
    """A row of each line-up."""
    each = [[interval(units[:, place]) for place in range(3)] for units in found.values()]
    means, halves = (grid([[figure[part] for figure in row] for row in each]) for part in (0, 1))
    return PublishedTable(
        "line-ups", "Limit hold'em of three, thousandths of a big blind a hand", ("line-up",),
        tuple((name,) for name in found), _COLUMNS, blank(len(found), 3), means, form="+.0f", error=halves,
        error_is="half of the 95 % interval",
    )  # fmt: skip


def claims(found: Played, deals: int) -> tuple[Claim, ...]:
    """Whether what the source found in Leduc holds at this table, and whether ours wins more than D in its place.

    Who reads others needs hands to read: matches shorter than the source's are not judged.
    """
    rows = []

    def above(what: str, leduc: float | None, units: np.ndarray) -> Claim:
        return _above(what, leduc, units, deals)

    for third in SIMPLE:
        fixed, source, ours = (found[f"{letter}D{third}"] for letter in "BAI")
        a, b = PUBLISHED[f"AD{third}"], PUBLISHED[f"BD{third}"]
        rows.append(above(f"A wins more than {third} beside D (c8)", a[0] - a[2], source[:, 0] - source[:, 2]))
        if third == "E":
            rows.append(
                above(f"A wins more than B beside D and {third} (c10)", a[0] - b[0], source[:, 0] - fixed[:, 0])
            )
        rows.append(above(f"D wins more beside A and {third} than beside B (c11)", a[1] - b[1],
                           source[:, 1] - fixed[:, 1]))  # fmt: skip
        rows.append(above(f"I, ours, wins more than B beside D and {third}", None, ours[:, 0] - fixed[:, 0]))
    return tuple(rows)


def _above(what: str, leduc: float | None, units: np.ndarray, deals: int) -> Claim:
    """A claim that a difference is above 0; nothing is said where its interval holds 0, or of matches too short."""
    mean, half = interval(units)
    met: bool | None = mean > 0
    condition = "95 % interval above 0"
    if deals < ENOUGH:
        condition, met = f"judged after {ENOUGH:,} deals a seating, as in the source; these are {deals:,}", None
    elif abs(mean) <= half:
        condition, met = "not here: the 95 % interval holds 0", None
    published = "-" if leduc is None else f"{leduc:+.2f} in Leduc"
    return Claim(what, published, f"{mean:+.0f} ± {half:.0f}", condition, met)


def panel(found: Played) -> Panel:
    """What the first of each line-up won."""
    lines: dict[str, list[tuple[float, float]]] = {}
    bars: dict[str, list[float]] = {}
    for letter, who in FIRST.items():
        each = [interval(found[f"{letter}D{third}"][:, 0]) for third in SIMPLE]
        lines[who] = [(float(x), mean) for x, (mean, _) in enumerate(each)]
        bars[who] = [half for _, half in each]
    title = "Won at a table of three, beside the sampled strategy"
    return Panel(
        title, "", lines, {}, "thousandths of a big blind a hand", ("linear", "linear"), bars, list(SIMPLE.values())
    )


def run(
    tell: Tell,
    *,
    deals: int = 40,
    replicates: int = 4,
    iterations: int = 500_000,
    seed: int = 1,
    workers: int = 1,
    folder: str = "runs/limit-three",
) -> ClaimTable:
    """Sample D's strategy, and play all line-ups."""
    game, place = load_game("holdem", players=3, limit=True), Path(folder)
    assert isinstance(game, Holdem)
    tell(f"D's strategy: {iterations:,} iterations")
    table = sampled(game, BUCKETS, iterations, seed, place / f"table-{seed}-{iterations}", tell)
    size = {"deals": deals, "replicates": replicates, "iterations": iterations, "seed": seed}
    file = place / f"matches-{'-'.join(map(str, size.values()))}.json"
    found = matches(game, table, file, size, workers, tell)
    hands = 6 * deals * replicates
    notes = (
        f"D: external sampling, {iterations:,} iterations, {BUCKETS.counts} buckets, betting remembered street by "
        f"street. {hands:,} hands a line-up: {deals} deals in six seatings, {replicates} replicates, everybody "
        "learning anew in each seating.",
        "The source's virtual game is too large here for expectimax: it is answered by 20,000 sampled walks, anew "
        "after 20, 50, 100, ... hands; ours by as many at the whole table.",
        "Published are the same differences in 3-player Leduc, chips a hand; nothing is published of this table.",
    )  # fmt: skip
    return ClaimTable(
        "Exploitation at a limit hold'em table of three",
        claims(found, deals),
        notes,
        (panel(found),),
        (table_of(found),),
        FURUI,
    )
