"""Purification of strategies in buckets: winnings in matches and of a local best response.

``python -m bench.purification FOLDER [--write]`` saves runs in a folder and resumes them; it takes about 15 minutes on
one core. ``--write`` writes the table of docs/no-limit.md, ``--render`` (without FOLDER) does so from the saved
figures. Figures are thousandths of a big blind a hand, with intervals of 95 %.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import Sections, dated, publish, table
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.local import TREE, TREE_MENUS, LocalResponse, largest, local_responses
from tefuda.holdem.buckets.sampler import BucketPolicy, BucketSampler
from tefuda.holdem.buckets.solver import BucketMethod
from tefuda.holdem.hands.whole import Holdem
from tefuda_reproductions.papers.limit_nfsp import sample_strategy

_SIZES = {"bets": "50%,100%,a", "raises": "100%,a", "opens": "2x,2.5x,3x,a", "reraises": "3x,a"}
_FIXED = 1e30  # as a regret: no payoff changes it
#: Probabilities below which actions are dropped; 1 keeps the most probable action alone.
CHANGES = {"none": 0.0, "below .1": 0.1, "argmax": 1.0}


@dataclass(frozen=True)
class Blueprint:
    """Strategy with its opponent, batches of a match, and deals of a local best response."""

    game: str
    options: Mapping[str, Any] = field(hash=False)
    iterations: int
    opposing_iterations: int
    batches: int
    deals: int

    @property
    def menus(self) -> tuple[str, ...]:
        """Menus of the response; limit has one size."""
        return (TREE,) if self.game == "limit" else TREE_MENUS

    def policy(self, folder: Path, iterations: int) -> BucketPolicy:
        """Return the strategy after a number of iterations; a run in the folder is resumed."""
        game = td.load_game("holdem", **self.options)
        assert isinstance(game, Holdem)
        method, name = BucketMethod(tremble=0.05), f"{self.game.replace(' ', '-')}-{iterations}"
        return sample_strategy(game, Buckets((169, 20, 20, 20)), iterations, 0, folder / name, print, method)


BLUEPRINTS = (
    Blueprint("limit", {"limit": True}, 1_000_000, 100_000, 40, 1000),
    Blueprint("no-limit 20 bb", {"stack": 2000, "blinds": [50, 100], **_SIZES}, 1_000_000, 100_000, 40, 500),
    Blueprint("no-limit 200 bb", {"stack": 20_000, "blinds": [50, 100], **_SIZES}, 1_000_000, 100_000, 40, 400),
)
_BATCH = 5000  # hands in each seat


def play(first: BucketPolicy, second: BucketPolicy, batches: int, seed: int) -> tuple[float, float]:
    """Return the winnings of the first strategy in both seats, and their half-width over batches.

    In each deal the first strategy's actions are followed with their probabilities; those of the second are drawn.
    """
    samplers = [
        BucketSampler(first.game, seed, every=0, fixed=second.sigma, trust=(0.0, 1.0) if seat == 0 else (1.0, 0.0))
        for seat in (0, 1)
    ]
    for sampler in samplers:
        sampler.table.regret[:] = _FIXED * first.sigma
    sums = np.zeros((batches, 2))
    for number in range(batches):
        for seat, sampler in enumerate(samplers):
            before = sampler.sums[seat]
            sampler.advance(_BATCH)
            sums[number, seat] = sampler.sums[seat] - before
    won = 1000 * sums.mean(axis=1) / _BATCH / max(first.game.graph.rules.blinds)
    return float(won.mean()), 1.96 * float(won.std(ddof=1)) / batches**0.5


def measure_one(folder: Path, blueprint: Blueprint) -> list[dict[str, Any]]:
    """Return the figures of each change of a strategy."""
    policy, other = (
        blueprint.policy(folder, number) for number in (blueprint.iterations, blueprint.opposing_iterations)
    )
    rows, plain = list[dict[str, Any]](), dict[str, LocalResponse]()
    for name, below in CHANGES.items():
        changed = policy.purified(below)
        responses = local_responses(changed, blueprint.menus, blueprint.deals, seed=1, draws=False)
        plain = plain or responses
        best = largest(plain)  # the same menu for all changes
        more = responses[best].difference(plain[best]) if below else (0.0, 0.0)
        itself, opposing = (play(changed, each, blueprint.batches, 3 + n) for n, each in enumerate((policy, other)))
        rows.append(
            {
                "game": blueprint.game, "change": name, "iterations": blueprint.iterations, "itself": itself,
                "other": opposing, "menu": best, "response": responses[best].milliblinds, "more": more,
                "hands": 2 * _BATCH * blueprint.batches, "deals": blueprint.deals,
                "opposing": blueprint.opposing_iterations,
            }
        )  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def measure() -> dict[str, Any]:
    """Train all strategies and measure each change."""
    folder = Path(next(text for text in sys.argv[1:] if not text.startswith("--")))
    folder.mkdir(parents=True, exist_ok=True)
    return {"rows": [row for blueprint in BLUEPRINTS for row in measure_one(folder, blueprint)]}


def purification_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of the page."""
    lines = list[tuple[str, ...]]()
    for row in rows:
        (itself, other, response, more), menu = (
            (f"{value:+,.0f} ± {half:,.0f}" for value, half in (row[name] for name in _FIGURES)), row["menu"]
        )  # fmt: skip
        is_first = row["change"] == "none"
        game = f"{row['game']}, {row['iterations'] / 1e6:g} million" if is_first else ""
        lines.append((game, row["change"], itself, other, f"{response} `{menu}`" if is_first else f"{more} more"))
    heads = "strategy|dropped|against itself|against 0.1 million|local best response"
    hands = f"Matches have {rows[0]['hands']:,} hands, local best responses"
    deals = dict.fromkeys(f"{row['deals']:,} deals ({row['game']})" for row in rows)
    return f"{table(heads, lines)}\n\n{hands}\n{', '.join(deals)}."


_FIGURES = ("itself", "other", "response", "more")


def sections(results: dict[str, Any]) -> Sections:
    """Return the table of the page."""
    return {("docs/no-limit.md", "purification"): dated(purification_table(results["rows"]), results)}


def main() -> None:
    """Measure and print, or render."""
    publish("purification", measure, sections)


if __name__ == "__main__":
    main()
