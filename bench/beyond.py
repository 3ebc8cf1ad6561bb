"""Figures of docs/beyond.md: correlated play and other answers beyond Nash, each oracle beside ours.

``--write`` saves the figures in bench/results/beyond.json and writes the tables and pictures, ``--render`` only those
of the saved figures. Names of parts after it (``--write gaps devices``) measure these alone; the others stay as saved.
A part is a function that measures, and a function that writes its table. CPU times of one core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import tefuda as td
from bench import quantal
from bench.item_values import measure_values, values_table
from bench.pairs import (
    RESULTS,
    Sections,
    compare,
    dated,
    markdown,
    met,
    pin_to_one_core,
    publish,
    read_results,
    rows_of,
    stamp,
    table,
)
from bench.populations import measure_oracles, measure_psro, measure_race, oracles_table, psro_table, race_table
from bench.teams import measure_teams, teams_table
from tefuda.apps.plot import plot_panels
from tefuda.correlating import Commitment, Correlated, CorrelationGap, Device, Triggers
from tefuda.correlating.gaps import CONCEPTS
from tefuda.evaluating import alpha_rank, nash_average
from tefuda.figure import Panel
from tefuda.holdem.reports.statistics import Share
from tefuda.koikoi.players.archive import load_tables
from tefuda.koikoi.players.ladder import AGENTS
from tefuda.koikoi.playing.agents import AdvisedAgent
from tefuda.playing import CrossTable, TreeSearch, ratings
from tefuda.solvers import Mirror
from tests import rated
from tests.joint_plans import JointPlans
from tests.known_devices import COMMITMENTS, OPTIMA, STALLS, gibson, in_out, signalling
from tests.plain_cfr import ORACLES, iterates

PAGE = "docs/beyond.md"
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
    quantal.draw()


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


def measure_optima() -> dict[str, Any]:
    """Return the optimal devices of the games with known optima, by concept: values, welfare, CPU seconds."""
    found: dict[str, Any] = {}
    for name, game in OPTIMA.items():
        tree, found[name] = td.compile_game(game.rules), {}
        for concept in game.optima:
            start = time.process_time()
            plan = Correlated(concept, bound=game.relaxed).plan(tree)
            spent = time.process_time() - start
            gap = None if plan.relaxed else plan.device.gaps.gap(concept)
            exact = list(map(str, plan.exact or ()))
            found[name][concept] = [exact, str(sum(plan.exact or ())), plan.objective, gap, plan.polytope.size, spent]
    tree, start = (
        td.compile_game(td.load_game("battleship", ships=(1,), values=(1,), shots=2, loss=2)),
        time.process_time(),
    )
    large = Correlated("efce", algorithm="ipm").plan(tree, exact=False)
    spent = time.process_time() - start
    large_row = [large.polytope.size, large.objective, large.device.gaps.gap("efce"), spent]
    return {"welfare": found, "others": _other_optima(), "large": large_row}


def _other_optima() -> dict[str, str]:
    """Return optima of other objectives as fractions, by title; see `_OTHERS`."""
    found = {}
    for title, (name, concept, aim, _) in _OTHERS.items():
        plan = Correlated(concept, maximise=aim, bound=True).plan(td.compile_game(OPTIMA[name].rules))
        found[title] = str(plan.exact[aim] if isinstance(aim, int) else sum(plan.exact)) if plan.exact else "none"
    chsh = JointPlans(td.compile_game(OPTIMA["CHSH, relaxation"].rules))
    for concept in CONCEPTS:
        found[f"CHSH, {concept.upper()}"] = str(Fraction(chsh.optimum(concept, (1, 1))).limit_denominator(1000))
    return found


#: Game, concept, objective and optimum of other rows.
_OTHERS = {
    "chicken, EFCE, least welfare": ("chicken", "efce", (-1, -1), "36/5"),
    "chicken, EFCE, best for 1": ("chicken", "efce", 1, "7"),
    "signalling, NFCCE, best for 1": ("signalling", "nfcce", 1, "15/2"),
    "signalling, EFCCE, best for 1": ("signalling", "efcce", 1, "13/2"),
    "signalling, EFCE, best for 1": ("signalling", "efce", 1, "13/2"),
    "battleship, loss 2, EFCE, least welfare": ("battleship, loss 2", "efce", (-1, -1), "-8/9"),
    "battleship, loss 2, EFCE, best for 0": ("battleship, loss 2", "efce", 0, "1/45"),
    "battleship, loss 2, EFCE, best for 1": ("battleship, loss 2", "efce", 1, "-11/18"),
}


def optima_table(found: dict[str, Any]) -> str:
    rows = []
    for name, game in OPTIMA.items():
        for concept, asked in game.optima.items():
            exact, welfare, objective, gap, size, spent = found["welfare"][name][concept]
            fraction = isinstance(asked, Fraction)
            holds = welfare == str(asked) if fraction else abs(objective - float(asked)) < _PRINTED
            ours = welfare if fraction else f"{objective:.12f}"
            shown = "bound" if gap is None else f"({', '.join(exact)})" if fraction else ""
            cells = (str(asked) if fraction else f"{asked:.12f}", ours, shown, met(holds), f"{size:,}", f"{spent:.2f}")
            rows.append((name, concept.upper(), *cells))
    heads = "game|concept|asked (computed)|ours|values found|met|pairs|s of CPU, with fractions"
    asked_of = {title: asked for title, (*_, asked) in _OTHERS.items()} | {
        f"CHSH, {concept.upper()}": "3/2" for concept in CONCEPTS
    }
    others = [
        (title, asked, found["others"][title], met(asked == found["others"][title]))
        for title, asked in asked_of.items()
    ]
    size, objective, gap, spent = found["large"]
    large = (
        f"Battleship of 2 x 2 cells (ship 1, 2 shots, loss 2), EFCE, by `ipm`:\n{size:,} pairs, "
        f"welfare {objective:.9f}, gap {gap:.0e}, {spent:.1f} s of CPU."
    )
    return f"{table(heads, rows)}\n\n{table('other optima|asked|ours|met', others)}\n\n{large}"


def measure_commitment() -> dict[str, Any]:
    """Return values of commitment by game and leader: of both players, and of the leader with signals."""
    found: dict[str, Any] = {}
    for name, leader in COMMITMENTS:
        tree, start = td.compile_game(OPTIMA[name].rules), time.process_time()
        plan = Commitment(leader, signals=False).plan(tree)
        spent = time.process_time() - start
        signals = Commitment(leader, bound=True).plan(tree)
        found[f"{name}|{leader}"] = [list(map(str, plan.exact or ())), str((signals.exact or (0, 0))[leader]), spent]
    return found


def commitment_table(found: dict[str, Any]) -> str:
    rows = []
    for (name, leader), (values, bound) in COMMITMENTS.items():
        ours, signals, spent = found[f"{name}|{leader}"]
        asked = f"{values[leader]} ({values[1 - leader]})", bound
        holds = met(list(values) == ours and bound == signals)
        rows.append((name, leader, *asked, f"{ours[leader]} ({ours[1 - leader]})", signals, holds, f"{spent:.2f}"))
    return table("game|leader|SSE asked (follower)|SEFCE asked|SSE (follower)|SEFCE|met|s of CPU, SSE", rows)


def measure_ratings() -> dict[str, Any]:
    """Return figures of ratings and rankings, in the order of `ratings_table`."""
    two = ratings(CrossTable.of_wins(["a", "b"], [[0, 60], [40, 0]]), reference="b")
    wilson = [elo_points(share) for share in Share(60, 100).interval]
    names = ["rock", "rock again", "paper", "scissors"]
    cycle, draws = (
        ratings(CrossTable.of_wins(names, rated.WINS)),
        ratings(CrossTable.of_wins(["a", "b"], [[0, 3], [1, 0]])),
    )
    transitive = nash_average(rated.TRANSITIVE)
    return {
        "elo": [draws.rating[0] - draws.rating[1], two.rating[0], two.low[0], two.high[0], *wilson, *cycle.rating],
        "alpha-rank": [
            *alpha_rank(rated.ROCK_TWICE),
            *(share for alpha in rated.SHARES for share in alpha_rank(rated.THREE, alpha)),
            *alpha_rank(rated.HAN, 0.1, 20, local=False),
        ],
        "nash": [*nash_average(rated.ROCK_TWICE), *transitive, *(rated.TRANSITIVE @ transitive)],
        "reducible": closed_components(rated.SEXES, 100),
        "hidden": [cycle.hidden, list(cycle.cycle)],
    }


def elo_points(share: float) -> float:
    return 400 * float(np.log10(share / (1 - share)))


def closed_components(payoffs: np.ndarray, alpha: float) -> int:
    """Return the number of closed components that alpha-rank refuses."""
    try:
        alpha_rank(payoffs, alpha)
    except td.errors.ParameterError as error:
        return len(error.value)
    return 1


def ratings_table(found: dict[str, Any]) -> str:
    digits = {"elo": 2, "alpha-rank": 8, "nash": 6}
    asked = {
        "elo": [
            ("a share of 75 %", (190.85,)),
            ("60 of 100 wins, Wald", (70.44, 0.94, 139.94)),
            ("60 of 100 wins, Wilson", (1.39, 139.48)),
            ("rock twice, paper, scissors", (0, 0, 91.73, -91.73)),
        ],
        "alpha-rank": [
            ("rock twice, paper, scissors", (0.2, 0.2, 0.4, 0.2)),
            *((f"three agents, alpha {alpha:g}", shares) for alpha, shares in rated.SHARES.items()),
            ("Han et al. 2013, five strategies", rated.HAN_SHARES),
        ],
        "nash": [
            ("rock twice, paper, scissors", (1 / 6, 1 / 6, 1 / 3, 1 / 3)),
            ("two equal, one better: shares", (0, 0, 1)),
            ("two equal, one better: ratings", (-1, -1, 0)),
        ],
    }
    rows = []
    for system, oracles in asked.items():
        ours, places = iter(found[system]), digits[system]
        for title, want in oracles:
            got = [next(ours) for _ in want]
            close = np.allclose(got, want, rtol=0, atol=0.51 * 10.0**-places)
            shown = (", ".join(f"{round(value, places) + 0.0:.{places}f}" for value in row) for row in (want, got))
            rows.append((f"`{system}`", title, *shown, met(close)))
    parts = found["reducible"]
    rows.append(("`alpha-rank`", "battle of the sexes, alpha 100", "found 2", f"refused: {parts}", met(parts == 2)))
    share, names = found["hidden"]
    line = f"Of rock twice, paper and scissors, {share:.0%} is hidden; the cycle is: {', '.join(names)}."
    return f"{table('system|data|asked (computed or published)|ours|met', rows)}\n\n{line}"


def measure_alpharank() -> dict[str, Any]:
    """Return paired timings of alpha-rank beside OpenSpiel's."""
    from open_spiel.python.egt import alpharank

    rows = []
    for size in (5, 20):
        payoffs = np.random.default_rng(size).normal(size=(size, size))
        theirs = alpharank.compute([payoffs], m=50, alpha=1, use_local_selection_model=True)[2]
        assert np.allclose(theirs, alpha_rank(payoffs), atol=1e-9)
        row = compare(
            f"alpha-rank of {size} strategies, m = 50",
            lambda count, payoffs=payoffs: [
                alpharank.compute([payoffs], m=50, alpha=1, use_local_selection_model=True) for _ in range(count)
            ],
            lambda count, payoffs=payoffs: [alpha_rank(payoffs) for _ in range(count)],
        )
        rows.append(vars(row))
    return {"rows": rows}


def beside_openspiel(results: dict[str, Any]) -> str:
    return markdown(rows_of(results), ("OpenSpiel", "tefuda"))


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


#: Methods of `last`, with the passes (gathers of one player's leaves) of an iteration for each player.
LAST = {
    "cfr+": 1, "ema": 1, "rtcfr+": 1, "rtpcfr+": 1, "mmd-exact": 2, "omd": 1, "omd-euclid": 1, "oomd": 1, "r-nad": 3,
    "neurd": 1,
}  # fmt: skip
PASSES = (100, 1000, 5000)  # of each player
STANDARD = {
    "Kuhn": ("kuhn", {}), "Leduc": ("leduc", {}), "battleship_22_3": ("battleship_22_3", {}),
    "liar's dice 4": ("liars_dice", {"sides": 4}),
}  # fmt: skip
#: Fixed points of mirror descent: title, values, magnet, reference, (value to player 0, NashConv, bet with the jack).
FIXED = [
    ("agent form, rationality 5", "conditional", 0.2, 0, (-0.046036554972, 0.0871473964, 0.1922143025)),
    ("agent form, rationality 20", "conditional", 0.05, 0, (-0.056969023069, 0.0144020758, 0.1951368501)),
    ("reduced form, rationality 5", "dilated", 0.2, 0, (0.013461375066, 0.3184506079, 0.3380626066)),
    ("reduced form, rationality 20", "dilated", 0.05, 0, (-0.028715083346, 0.0924545637, 0.1868016237)),
    ("plans, uniform reference, magnet .2", "dilated", 0.2, 10**9, (-0.012695646339, None, 0.448448986674)),
]


def measure_anchored() -> dict[str, Any]:
    """Return fixed points of mirror descent on Kuhn, and NashConv of last iterates and averages by passes."""
    kuhn, points = td.compile_game(td.load_game("kuhn")), []
    for _, values, magnet, every, _ in FIXED:  # half the range of payoffs is 2
        rule = Mirror(0.5, values=values)
        solver = td.make_solver(kuhn, replace(td.METHODS["mmd-exact"], rule=rule, magnet=magnet / 2, every=every))
        solver.advance(20_000)
        profile = solver.current()
        points.append([td.evaluate(profile).values[0], td.nash_conv(profile), profile["0: J|"]["b"]])
    results: dict[str, Any] = {}
    for name, (game, parameters) in STANDARD.items():
        tree, results[name] = td.compile_game(td.load_game(game, **parameters)), {}
        for method, cost in LAST.items():
            solver, results[name][method] = td.make_solver(tree, method), []
            for passes in PASSES:
                solver.advance(passes // cost - solver.iterations)
                results[name][method].append([td.nash_conv(solver.current()), td.nash_conv(solver.average())])
    return {"points": points, "games": results, "rows": [measure_mirror(kuhn)]}


def measure_mirror(kuhn: td.Tree) -> dict[str, Any]:
    """Return paired timings of iterations of mirror descent over plans, beside OpenSpiel."""
    import pyspiel
    from open_spiel.python.algorithms import exploitability, mmd_dilated

    game, method = pyspiel.load_game("kuhn_poker"), replace(td.METHODS["mmd-exact"], rule=Mirror(1.0), magnet=0.1)
    theirs, ours = mmd_dilated.MMDDilatedEnt(game, alpha=0.2, stepsize=0.5), td.make_solver(kuhn, method)
    for _ in range(20):
        theirs.update_sequences()
    ours.advance(20)
    gap = 2 * exploitability.exploitability(game, theirs.get_policies())
    assert abs(gap - td.nash_conv(ours.current())) < _PRINTED
    return vars(
        compare(
            "Iteration of mirror descent over plans, Kuhn",
            lambda count: [theirs.update_sequences() for _ in range(count)],
            ours.advance,
        )
    )


def anchored_table(results: dict[str, Any]) -> str:
    rows: list[tuple[Any, ...]] = []
    kinds = (("value to player 0", 12), ("NashConv", 10), ("0 bets with the jack", 10))
    for (title, *_, asked), found in zip(FIXED, results["points"], strict=True):
        for (kind, digits), want, ours in zip(kinds, asked, found, strict=True):
            if want is not None:
                shown = f"{want:.{digits}f}", f"{ours:.{digits}f}"
                rows.append((title, kind, *shown, met(abs(want - ours) < 0.6 * 10.0**-digits)))
    fixed = table("fixed point on Kuhn|figure|asked (computed)|ours|met", rows)
    rows = []
    for game in STANDARD:
        for method, pairs in results["games"][game].items():
            rows.append((game, f"`{method}`", *(f"{last:.1e}, {average:.1e}" for last, average in pairs)))
    heads = "|".join(f"{passes:,} passes" for passes in PASSES)
    times = markdown(rows_of(results), ("OpenSpiel", "tefuda"))
    return f"{fixed}\n\n{table(f'game|method|{heads}', rows)}\n\n{times}"


class Part(NamedTuple):
    """A part of the page: it measures JSON values, and writes them as a table."""

    measure: Callable[[], Any]
    table: Callable[[Any], str]


PARTS = {
    "gaps": Part(measure_gaps, gaps_table),
    "devices": Part(measure_devices, devices_table),
    "learner": Part(measure_learner, learner_table),
    "curves": Part(measure_curves, curves_table),
    "distance": Part(measure_distance, distance_table),
    "optima": Part(measure_optima, optima_table),
    "commitment": Part(measure_commitment, commitment_table),
    "ratings": Part(measure_ratings, ratings_table),
    "alpharank": Part(measure_alpharank, beside_openspiel),
    "ismcts": Part(measure_ismcts, ismcts_table),
    "simulations": Part(measure_simulations, beside_openspiel),
    "anchored": Part(measure_anchored, anchored_table),
    "quantal": Part(quantal.measure_figures, lambda found: table(*quantal.figures_table(found))),
    "paths": Part(quantal.measure_paths, lambda found: table(*quantal.paths_table(found))),
    "fit": Part(quantal.measure_coverage, lambda found: table(*quantal.coverage_table(found))),
    "mirror": Part(quantal.measure_mirror, quantal.mirror_table),
    "double-oracle": Part(measure_oracles, oracles_table),
    "race": Part(measure_race, race_table),
    "psro": Part(measure_psro, psro_table),
    "teams": Part(measure_teams, teams_table),
    "values": Part(measure_values, values_table),
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
