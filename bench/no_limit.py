"""Heads-up no-limit hold'em: hands of random amounts, times of decisions, turn roots, table of bars.

``python -m bench.no_limit hands RUN [--seconds 3] [--count 1000]`` plays hands against random legal amounts.
``python -m bench.no_limit roots RUN [--seconds 3] [--count 200]`` re-solves turns of a blueprint's self-play and
compares them with it exactly. A file beside the run holds the finished roots, so that the command resumes.
RUN is the folder of a heads-up no-limit run in buckets. Both save their figures in bench/no_limit.json, where
other rows of the table ``bars`` can be added by hand. ``python -m bench.no_limit --render`` writes the table.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import stamp, write_section
from tefuda.games.plays import pick
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.holdem import compare_strategies
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import Hand
from tefuda.holdem.hands.whole import Holdem, holdem
from tefuda.holdem.players.agent import SolverAgent
from tefuda.holdem.players.blueprint import Blueprint
from tefuda.holdem.players.budget import Budget
from tefuda.holdem.players.hand import SolvedHand
from tefuda.holdem.players.settings import SolverSettings
from tefuda.holdem.players.street import StreetPlay
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.subgame import compile_root, resolve_root
from tefuda.playing.agents import Decision, FixedAgent

FILE = Path("bench/no_limit.json")
PAGE = "docs/no-limit.md"


@dataclass
class RandomAmounts(FixedAgent):
    """Agent that checks or calls half of the time, and bets random legal amounts, small ones more often."""

    name: str = "random amounts"

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        call, number = decision.actions.index("c"), decision.uniform
        amounts = len(decision.actions) - call - 1
        if number < 0.5 or not amounts:
            return call
        if number < 0.53:
            return 0
        share = (number - 0.53) / 0.47
        return call + 1 + int(amounts * share**3)


@dataclass(eq=False)
class TimedSolver(SolverAgent):
    """Solver that records the seconds of its decisions and checks its ranges."""

    seconds: list[float] = field(default_factory=list)

    def act(self, turn: Decision) -> int:
        """See `Agent`."""
        start = time.process_time()
        index = super().act(turn)
        self.seconds.append(time.process_time() - start)
        assert all(weights.any() for weights in self._hands[turn.seat].weights.weights)
        return index


def play_hands(blueprint: Blueprint, seconds: float, count: int, seed: int) -> dict[str, Any]:
    """Return the figures of hands against random legal amounts, each deal in both seats."""
    rules = blueprint.policy.game.graph.rules
    table = holdem(stack=min(rules.stacks), blinds=(min(rules.blinds), max(rules.blinds)), bets="any")
    agent = TimedSolver("solver", SolverSettings(blueprint, Budget(seconds, patience=inf)))
    match = td.duplicate_match(table, [agent, RandomAmounts()], deals=count // 2, seed=seed)
    times = np.array(agent.seconds)
    quantiles = {
        name: float(np.quantile(times, share)) for name, share in (("median", 0.5), ("95 %", 0.95), ("most", 1))
    }
    won = np.array([match.mean[0], 1.96 * match.error[0]]) * 1000 / max(rules.blinds)
    return {
        "hands": 2 * (count // 2),
        "decisions": len(times),
        "seconds": quantiles,
        "won": won.tolist(),
        "fallbacks": dict(agent.fallbacks),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def turn_roots(blueprint: Blueprint, game: Holdem, seed: int) -> Iterator[tuple[int, Hand]]:
    """Yield turns with chips behind of a blueprint's self-play, with the number of hands dealt so far."""
    rng, hands = np.random.default_rng(seed), 0
    while True:
        cards, state, hands = iter(rng.permutation(52).tolist()), game.root(), hands + 1
        while state.wagers.street < 2 and game.player(state) != TERMINAL:
            player = game.player(state)
            if player == CHANCE:
                state = game.child(state, card_text(next(cards)))
                continue
            actions = game.actions(state)
            shares = blueprint.policy.strategy(player, game.view(state, player), actions)
            state = game.child(state, actions[pick(shares, rng.random())])
        if state.wagers.street == 2 and min(state.wagers.stacks):
            yield hands, state


def resolve_seat(
    settings: SolverSettings, game: Holdem, state: Hand, seat: int, sizes: Any = None
) -> tuple[StreetPlay, Any, Any]:
    """Return the street of a seat at a root, the blueprint below it, and the resolution without a clock."""
    hand = SolvedHand(settings, game, seat)
    hand.follow(state, 0.5)
    assert hand.street is not None
    root = hand.street.root
    compiled = compile_root(root.spot(sizes or hand.street.sizes), root.opponent_range)
    known = root.known(compiled)
    iterations = settings.budget.iterations(compiled.spot)
    slack = 1e-3 * root.pot
    return hand.street, known, resolve_root(
        known, seat, root.opponent_range, settings.gadget, iterations=iterations, slack=slack
    )  # fmt: skip


def compare_root(settings: SolverSettings, game: Holdem, state: Hand) -> dict[str, Any]:
    """Return the comparison of the re-solved player with the blueprint at a root, in mbb."""
    start = time.process_time()
    first = resolve_seat(settings, game, state, 0)
    root, sizes, big = first[0].root, first[0].sizes, max(game.rules.blinds)
    seats = [first, resolve_seat(settings, game, state, 1, sizes)]
    spent = time.process_time() - start
    everyone = root.spot(sizes)
    spot = Spot(everyone.board, everyone.betting, (root.weights.range_of(0), root.weights.range_of(1)))
    before = root.known(compile_spot(spot))
    found = compare_strategies(spot, before, (seats[0][2].strategy, seats[1][2].strategy), big_blind=big)
    return {
        "line": state.line,
        "board": " ".join(map(card_text, state.board)),
        "pot": root.pot / big,
        "seconds": spent / 2,
        "gain": found.mbb(found.gain),
        "exploitability": [found.mbb(chips) for chips in found.exploitability],
        "best": [[found.mbb(chips) for chips in row] for row in found.best_responses.tolist()],
        "accepted": [bool(seat[2].accepted) for seat in seats],
        "cost": found.mbb(decision_cost(seats[0][1], seats[0][2].strategy)),
    }


def decision_cost(known: Any, solution: Any) -> float:
    """Return the mean cost in chips of the known strategy's first decision, by the solution's values."""
    spot, shares, evs = solution.compiled.spot, known.probabilities(""), solution.action_evs("")
    weights = spot.weights[0] * compatible_weights(spot.weights[1])
    values, played = (np.nan_to_num(np.stack([one[name] for name in shares])) for one in (evs, shares))
    return float(weights @ (values.max(axis=0) - (played * values).sum(axis=0)) / weights.sum())


def solve_roots(run: Path, game: Holdem, settings: SolverSettings, count: int, seed: int) -> dict[str, Any]:
    """Return the figures of turn roots; finished ones are read from a file beside the run."""
    path = run.with_name(f"{run.name}-roots-{settings.gadget}-{settings.budget.seconds:g}-{seed}.jsonl")
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    roots = turn_roots(settings.blueprint, game, seed)
    for number in range(count):
        hands, state = next(roots)
        if number >= len(done):
            done.append({"hands": hands, **compare_root(settings, game, state)})
            with path.open("a") as file:
                file.write(json.dumps(done[-1]) + "\n")
            print(number + 1, done[-1], flush=True)
    return summary(done[:count])


def summary(roots: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of turn roots in mbb; gains are of a hand of the whole game."""
    part = len(roots) / roots[-1]["hands"]
    gains = np.array([root["gain"] for root in roots])
    before, after = np.array([root["exploitability"] for root in roots]).T
    higher = sum(max(np.subtract(*root["best"][::-1])) > 1e-6 * root["pot"] * 1000 for root in roots)
    return {
        "roots": len(roots),
        "turn": part,
        "gain": [part * gains.mean(), 1.96 * part * gains.std(ddof=1) / len(gains) ** 0.5],
        "before": part * before.mean(),
        "after": part * after.mean(),
        "ratio": after.sum() / before.sum(),
        "higher": int(higher),
        "stayed": sum(not accepted for root in roots for accepted in root["accepted"]),
        "cost": float(np.median([root["cost"] for root in roots])),
        "seconds": float(np.median([root["seconds"] for root in roots])),
    }


@dataclass(frozen=True)
class Bar:
    """A row of the table: number, name, the figures asked and measured, and whether they agree."""

    number: int
    name: str
    asked: str
    measured: str
    met: str

    def row(self) -> str:
        """Return the row in Markdown."""
        return f"| {self.number} | {self.name} | {self.asked} | {self.measured} | {self.met} |"


def root_bar(figures: dict[str, Any]) -> Bar:
    """Return the bar of turn roots."""
    gain, half = figures["gain"]
    met = figures["higher"] == 0 and figures["ratio"] <= 0.6 and gain - half > 0
    measured = (
        f"{figures['roots']} roots: higher at {figures['higher']}, in sum {figures['ratio']:.2f} "
        f"({figures['before']:.0f} to {figures['after']:.0f} mbb), gain {gain:.0f} ± {half:.0f} mbb; the blueprint "
        f"stayed {figures['stayed']} times of {2 * figures['roots']}; its median decision costs "
        f"{figures['cost']:.0f} mbb"
    )
    asked = "200 roots: exploitability higher at none, in sum at most .60 of before; gain above 0"
    return Bar(2, "turn roots, max-margin", asked, measured, _met(met, figures["roots"] >= 200))


def time_bar(figures: dict[str, Any]) -> Bar:
    """Return the bar of decisions."""
    median, most_, worst = (figures["seconds"][name] for name in ("median", "95 %", "most"))
    met = median < 1 and most_ < 5 and worst < 10 and figures["megabytes"] < 1500
    measured = (
        f"{figures['decisions']} decisions: median {median:.2f} s, 95 % below {most_:.1f} s, at most {worst:.1f} s of "
        f"CPU; {figures['megabytes'] / 1000:.2f} GB"
    )
    asked = "median below 1 s, 95 % below 5 s, none above 10 s; below 1.5 GB"
    return Bar(3, "decisions, default budget, without the clock", asked, measured, _met(met))


def hand_bar(content: dict[str, Any]) -> Bar:
    """Return the bar of hands of random amounts."""
    asked = {"0": 10_000, "0.05": 1000, "3": 200}
    played = {seconds: content.get(f"hands {seconds}") for seconds in asked}
    parts = [
        f"{one['hands']:,} with seconds={seconds} ({sum(one['fallbacks'].values()):,} fallbacks)"
        for seconds, one in played.items()
        if one
    ]
    complete = all(one is not None and one["hands"] >= asked[seconds] for seconds, one in played.items())
    wanted = "10,000 hands with seconds=0, 1,000 at .05, 200 at the default: no crash, illegal action or empty range"
    return Bar(7, "random legal amounts", wanted, f"none in {'; '.join(parts)}", _met(True, complete))


def _met(met: bool, complete: bool = True) -> str:
    return ("met" if complete else "met as far as it was run") if met else "not met"


def table(content: dict[str, Any]) -> str:
    """Return the table of bars: those measured here, and the rows that the file lists."""
    bars = [Bar(**row) for row in content["bars"]]
    bars += [root_bar(content[name]) for name in ("roots max-margin 3",) if name in content]
    bars += [time_bar(content[name]) for name in ("hands 3",) if name in content]
    bars += [hand_bar(content)]
    bars.sort(key=lambda bar: bar.number)
    return "\n".join(["| | bar | asked | measured | |", "|---|---|---|---|---|", *(bar.row() for bar in bars)])


def save(name: str, figures: dict[str, Any]) -> None:
    """Add figures to the file, with version and date."""
    content = json.loads(FILE.read_text()) if FILE.exists() else {"bars": []}
    content[name] = {**stamp(), **figures}
    FILE.write_text(json.dumps(content, indent=2) + "\n")


def main() -> None:
    """Measure hands or turn roots, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("hands", "roots"))
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gadget", default="max-margin")
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    if options.part and options.run:
        solution = td.load(options.run)
        settings = SolverSettings(Blueprint(solution.strategy), Budget(options.seconds, patience=inf), options.gadget)
        if options.part == "hands":
            figures = play_hands(settings.blueprint, options.seconds, options.count, options.seed)
            save(f"hands {options.seconds:g}", figures)
        else:
            figures = solve_roots(options.run, solution.form.game, settings, options.count, options.seed)
            save(f"roots {options.gadget} {options.seconds:g}", figures)
        print(json.dumps(figures, indent=2))
    if options.render:
        write_section("bars", table(json.loads(FILE.read_text())), PAGE)


if __name__ == "__main__":
    main()
