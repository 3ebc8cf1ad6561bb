"""Exploiting opponents at a limit hold'em table of three, which furui2011 names as its next step.

No equilibrium of three players is known. D plays a strategy from sampling with eight buckets a street, and the adaptive
agents A (the source's) and I (ours) use it as their equilibrium. E always raises, F always calls, G plays randomly, and
B plays as D. Figures are thousandths of a big blind a hand with 95 % intervals over replicates.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path

import numpy as np

from tefuda.figure import Panel
from tefuda.games.catalogue import load_game
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.hands.whole import Holdem
from tefuda.playing.agents import Agent, PolicyAgent
from tefuda.playing.match import duplicate_match
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, PublishedTable, mean_and_half, points, table
from tefuda_reproductions.experiment import spread_saved
from tefuda_reproductions.limit.exploiters import TableExploiter, VirtualGameExploiter
from tefuda_reproductions.limit.models import stereotype
from tefuda_reproductions.papers.limit_nfsp import sample_strategy
from tefuda_reproductions.papers.sources import FURUI
from tefuda_reproductions.papers.three_players import PUBLISHED

BUCKETS = Buckets((8, 8, 8, 8))
SIMPLE = {"E": "raiser", "F": "caller", "G": "random"}
FIRST = {"B": "the sampled strategy", "A": "furui2011's player", "I": "ours"}
LINE_UPS = tuple(f"{first}D{third}" for third in SIMPLE for first in FIRST)
ENOUGH = 5000  # deals of each seating, as many as the source plays

#: `[replicates, 3]` winnings of each agent by line-up, in thousandths of a big blind a hand.
Results = dict[str, np.ndarray]


def make_agent(letter: str, table: BucketPolicy) -> Agent:
    """Return the agent of a letter."""
    if letter == "A":
        return VirtualGameExploiter("A", table)
    if letter == "I":
        return TableExploiter("I", table)
    if letter in SIMPLE:
        return PolicyAgent(letter, BucketPolicy(table.game, stereotype(table.game, SIMPLE[letter])))
    return PolicyAgent(letter, table)


def matches(
    game: Holdem, table: BucketPolicy, file: Path, size: Mapping[str, int], workers: int, notify: Notify
) -> Results:
    """Play all line-ups with the same cards; line-ups saved in the file are not played again.

    Raises:
        RunError: the file is damaged.
    """

    def play(task: tuple[Hashable, ...]) -> list[list[float]]:
        match = duplicate_match(
            game, [make_agent(letter, table) for letter in str(task[0])], deals=size["deals"],
            replicates=size["replicates"], seed=size["seed"], play=True, workers=workers,
        )  # fmt: skip
        winnings: list[list[float]] = (1000 * match.units / max(game.rules.blinds)).tolist()
        return winnings

    tasks, shape = [(name, *size.values()) for name in LINE_UPS], (size["replicates"], 3)
    found = spread_saved(file, 1, play, tasks, lambda done, of: notify(f"{done} of {of} line-ups"), shape)
    return dict(zip(LINE_UPS, found, strict=True))


def table_of(found: Results) -> PublishedTable:
    """Return the table of line-ups."""
    figures = np.array([[mean_and_half(units[:, place]) for place in range(3)] for units in found.values()])
    return table(
        "line-ups", "Limit hold'em of three, thousandths of a big blind a hand", "line-up", found,
        ("A / B / I", "D", "E / F / G"), figures[:, :, 0], form="+.0f", error=figures[:, :, 1],
        error_is="half of the 95 % interval",
    )  # fmt: skip


def claims(found: Results, deals: int) -> tuple[Claim, ...]:
    """Evaluate the source's findings from Leduc at this table, and our agent instead of A.

    Adaptive agents need many hands: matches shorter than the source's are not evaluated.
    """
    rows: list[tuple[str, float | None, np.ndarray]] = []
    for third in SIMPLE:
        fixed, source, ours = (found[f"{letter}D{third}"] for letter in "BAI")
        a, b = PUBLISHED[f"AD{third}"], PUBLISHED[f"BD{third}"]
        rows.append((f"A wins more than {third} beside D (c8)", a[0] - a[2], source[:, 0] - source[:, 2]))
        if third == "E":
            what = f"A wins more than B beside D and {third} (c10)"
            rows.append((what, a[0] - b[0], source[:, 0] - fixed[:, 0]))
        what = f"D wins more beside A and {third} than beside B (c11)"
        rows.append((what, a[1] - b[1], source[:, 1] - fixed[:, 1]))
        rows.append((f"I, ours, wins more than B beside D and {third}", None, ours[:, 0] - fixed[:, 0]))
    return tuple(_above(*row, deals) for row in rows)


def _above(what: str, leduc: float | None, units: np.ndarray, deals: int) -> Claim:
    """Return a claim that a difference is above 0; not evaluated if it is uncertain."""
    mean, half = mean_and_half(units)
    met: bool | None = mean > 0
    condition = "95 % interval above 0"
    if deals < ENOUGH:
        condition, met = f"evaluated after {ENOUGH:,} deals a seating, as in the source; these are {deals:,}", None
    elif abs(mean) <= half:
        condition, met = "not here: the 95 % interval holds 0", None
    published = "-" if leduc is None else f"{leduc:+.2f} in Leduc"
    return Claim(what, published, f"{mean:+.0f} ± {half:.0f}", condition, met)


def panel(found: Results) -> Panel:
    """Draw the winnings of the first player of each line-up."""
    lines = {
        who: [mean_and_half(found[f"{letter}D{third}"][:, 0]) for third in SIMPLE] for letter, who in FIRST.items()
    }
    title = "Won at a table of three, beside the sampled strategy"
    return points(title, "thousandths of a big blind a hand", lines, SIMPLE.values())


def run(
    notify: Notify, deals: int, replicates: int, iterations: int, seed: int, workers: int, folder: str
) -> ClaimTable:
    """Compute D's strategy by sampling, and play all line-ups."""
    game, place = load_game("holdem", players=3, limit=True), Path(folder)
    assert isinstance(game, Holdem)
    notify(f"D's strategy: {iterations:,} iterations")
    policy = sample_strategy(game, BUCKETS, iterations, seed, place / f"table-{seed}-{iterations}", notify)
    size = {"deals": deals, "replicates": replicates, "iterations": iterations, "seed": seed}
    file = place / f"matches-{'-'.join(map(str, size.values()))}.json"
    found = matches(game, policy, file, size, workers, notify)
    hands = 6 * deals * replicates
    notes = (
        f"D: external sampling, {iterations:,} iterations, {BUCKETS.counts} buckets, betting remembered street by "
        f"street. {hands:,} hands a line-up: {deals} deals in six seatings, {replicates} replicates, all agents "
        f"learn from scratch in each seating.",
        "The source's virtual game is too large here for expectimax: its response comes from 20,000 sampled "
        "traversals after 20, 50, 100, ... hands; ours from as many at the whole table.",
        "Published figures are the same differences in 3-player Leduc, chips a hand; no figures of this table are "
        "published.",
    )  # fmt: skip
    title, drawn = "Exploitation at a limit hold'em table of three", (panel(found),)
    return ClaimTable(title, claims(found, deals), notes, drawn, (table_of(found),), FURUI)
