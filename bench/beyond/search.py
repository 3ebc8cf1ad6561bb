"""Parts of `bench.beyond`: search over information sets, alone and beside OpenSpiel's."""

from __future__ import annotations

from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import compare, met, table
from tefuda.koikoi.players.archive import load_tables
from tefuda.koikoi.players.ladder import AGENTS
from tefuda.koikoi.playing.agents import AdvisedAgent
from tefuda.playing import TreeSearch

#: NashConv of IS-MCTS on Kuhn poker by observer and iterations, computed by another program; five seeds.
SEARCHED = {"single": {100: 0.306, 1000: 0.297, 10000: 0.327}, "multiple": {100: 0.316, 1000: 0.288, 10000: 0.325}}


def measure_ismcts() -> dict[str, Any]:
    """Return NashConv of IS-MCTS, shares at three infosets, and a match of Koi-Koi at equal time."""
    kuhn, leduc = td.compile_game(td.load_game("kuhn")), td.compile_game(td.load_game("leduc"))

    def searched(tree: td.Tree, **options: Any) -> float:
        return td.nash_conv(td.Profile.from_function(tree, TreeSearch(tree, **options).strategy))

    long = TreeSearch(kuhn, 10_000)
    return {
        "kuhn": {
            observer: {
                str(n): [searched(kuhn, iterations=n, observer=observer, seed=seed) for seed in range(5)] for n in asked
            }
            for observer, asked in SEARCHED.items()
        },
        "leduc": [searched(leduc, iterations=n) for n in (300, 1000)],
        "shares": [
            long.strategy(1, "Q|b", "pb")[1],
            long.strategy(1, "J|b", "pb")[0],
            long.strategy(1, "K|b", "pb")[1],
        ],
        "early": [
            TreeSearch(kuhn).strategy(1, "J|b", ("p", "b"))[0],
            TreeSearch(kuhn).strategy(1, "K|b", ("p", "b"))[1],
        ],
        "koikoi": koikoi_match(),
    }


def koikoi_match() -> list[float]:
    """Return points per round of IS-MCTS against flat Monte Carlo, 5 ms a decision, with the interval."""
    game = td.load_game("koikoi")
    tables = load_tables(game.rules)
    agents = [AdvisedAgent(name, AGENTS[name], tables, seconds=0.005) for name in ("ismcts", "flat-400")]
    result = td.duplicate_match(game, agents, deals=200, seed=3)
    return [float(result.mean[0]), *result.interval()[0].tolist()]


def ismcts_table(found: dict[str, Any]) -> str:
    rows = []
    for observer, asked in SEARCHED.items():
        for n, want in asked.items():
            ours = found["kuhn"][observer][str(n)]
            shown = f"{np.mean(ours):.3f} ± {np.std(ours):.3f}"
            rows.append(
                (f"Kuhn, {observer}, {n:,}", "NashConv", f"{want} ± .03", shown, met(abs(np.mean(ours) - want) < 0.03))
            )
    for n, want, ours in zip((300, 1000), (2.32, 1.83), found["leduc"], strict=True):
        rows.append((f"Leduc, multiple, {n:,}", "NashConv, one seed", want, f"{ours:.2f}", met(abs(ours - want) < 0.2)))
    for what, ours in zip(("Q calls a bet", "J folds", "K calls"), found["shares"], strict=True):
        want = 0.998 if what == "K calls" else 0.988
        rows.append(("Kuhn, multiple, 10,000", what, want, f"{ours:.3f}", met(abs(ours - want) < 0.0015)))
    for what, ours in zip(("J folds", "K calls"), found["early"], strict=True):
        rows.append(("Kuhn, multiple, 1,000", what, "above .95", f"{ours:.3f}", met(ours > 0.95)))
    mean, low, high = found["koikoi"]
    points = f"{mean:+.2f} ({low:+.2f} to {high:+.2f})"
    rows.append(("Koi-Koi, 5 ms a decision", "points a round from `flat-400`", "not below 0", points, met(high > 0)))
    return table("search|figure|asked (computed)|ours|met", rows)


def measure_simulations() -> dict[str, Any]:
    """Return paired timings of 1,000 simulations at the first decision, beside OpenSpiel's bot."""
    import pyspiel

    rows = []
    for name, deal in (("kuhn", 1), ("leduc", 0)):
        theirs, tree = pyspiel.load_game(f"{name}_poker"), td.compile_game(td.load_game(name))
        bot = pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), 1.0, 1000)
        state = theirs.new_initial_state()
        state.apply_action(deal)
        state.apply_action(deal + 1)
        infoset, search = int(np.flatnonzero(tree.infoset_player == 0)[0]), TreeSearch(tree)
        key, actions = tree.keys[infoset], tree.labels(infoset)
        row = compare(
            f"IS-MCTS, 1,000 simulations, {name.title()}",
            lambda count, bot=bot, state=state: [bot.get_policy(state) for _ in range(count)],
            lambda count, search=search, key=key, actions=actions: [
                search.strategy(0, key, actions) for _ in range(count)
            ],
        )
        rows.append(vars(row))
    return {"rows": rows}
