"""Exploiting one of two opponents in 3-player Leduc: tables 1 to 5 and the claims of furui2011.

Figures are chips a hand, means over the six seatings of 5,000 deals each. Line-ups with learning agents play
replicates; rows of fixed players are exact. A figure of the source is a mean of 30,000 hands with a standard error of
0.03 to 0.06, or of about 0.13 by seating. It agrees within two combined standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from tefuda.errors import check_choice
from tefuda.evaluating.profile import Profile, best_response
from tefuda.evaluating.values import nash_conv, reach, values
from tefuda.exploiting.adaptive import AdaptiveExploiter
from tefuda.exploiting.virtual import VirtualExploiter, VirtualOptions
from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree, states
from tefuda.games.catalogue import load_game
from tefuda.games.size import estimate_game
from tefuda.games.small.leduc import betting
from tefuda.games.small.matrix import Matrix
from tefuda.playing.agents import Agent, ObservedHand, ProfileAgent
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.match import Match, duplicate_match
from tefuda.playing.stereotypes import always_call, always_raise
from tefuda.playing.table import play_seating
from tefuda.solvers.exact.cfr import CFR
from tefuda.solvers.runs.solving import make_solver, solve
from tefuda.solvers.sampled.mccfr import CHANCE
from tefuda.words import Notify
from tefuda_reproductions.claims import (
    OPINION,
    Claim,
    ClaimTable,
    PublishedTable,
    mean_and_half,
    points,
    unevaluated,
    verdict,
)
from tefuda_reproductions.claims import table as table_of
from tefuda_reproductions.papers.sources import FURUI

#: Table 1, prisoners' dilemma: the penalties of A and B, by A's action, then by B's action.
PENALTIES = {"silent": ((1, 1), (4, 0)), "confesses": ((0, 4), (3, 3))}
#: Table 2: chips a hand of the three agents of each line-up.
PUBLISHED = {
    "ADE": (0.9071667, 0.9268167, -1.833983),
    "ADF": (0.0878, 1.10555, -1.19335),
    "ADG": (0.6865, 1.0448, -1.7313),
    "BDE": (0.7276667, 0.7272667, -1.4549333),
    "BDF": (0.7048833, 0.7054, -1.410283),
    "BDG": (0.7045167, 0.7045, -1.4090167),
    "CDE": (-1.8579167, 0.8419333, 1.0159833),
    "CDF": (-0.8307667, 1.4180833, -0.5873167),
    "CDG": (-0.9936333, 1.98845, -0.9948167),
}
#: Tables 3, 4 and 5 by seating, in the order of the seats: chips of A or C, D, E. Table 5 is table 3 with other deals.
BY_SEATING = {
    "ADE": {
        "ADE": (0.9996, 0.1908, -1.1904), "AED": (-0.0524, 1.7513, -1.6989), "DAE": (0.6113, 0.9138, -1.5251),
        "EAD": (1.1085, 0.9911, -2.0996), "DEA": (1.273, 0.8193, -2.0923), "EDA": (1.503, 0.8946, -2.3976),
    },
    "CDE": {
        "CDE": (-2.4576, 0.1572, 2.3004), "CED": (-2.4766, 1.0527, 1.4239), "DCE": (-2.2622, 0.5152, 1.747),
        "ECD": (-1.4875, 1.4954, -0.0079), "DEC": (-1.3157, 0.9108, 0.4049), "EDC": (-1.1479, 0.9203, 0.2276),
    },
    "ADE, other deals": {
        "ADE": (1.7904, -0.2341, -1.5563), "AED": (0.4115, 1.4262, -1.8377), "DAE": (0.4132, 1.4918, -1.905),
        "EAD": (0.8818, 0.7272, -1.609), "DEA": (1.0602, 1.3192, -2.3794), "EDA": (1.1865, 0.6871, -1.8736),
    },
}  # fmt: skip
_AS_READ = VirtualOptions()

#: How D's table is made: by discounted CFR, or by chance-sampled CFR of as many iterations as fit the source's figures.
EQUILIBRIA = ("dcfr", "chance")
SAMPLED = 2000


def equilibrium(tree: Tree, kind: str, *, iterations: int = 4000, seed: int = 1) -> Profile:
    """Return D's strategy."""
    check_choice("equilibrium", kind, EQUILIBRIA)
    if kind == "dcfr":
        return solve(tree, "dcfr", iterations=iterations).strategy
    solver = make_solver(tree, CHANCE, seed=seed)
    solver.advance(SAMPLED)
    return solver.average()


def make_agents(tree: Tree, table: Profile, letters: str, reading: VirtualOptions = _AS_READ) -> list[Agent]:
    """Return the agents of a line-up; I is our own exploiter."""
    fixed: dict[str, Callable[[Tree], Profile]] = {
        "C": Profile.uniform, "E": always_raise, "F": always_call, "G": Profile.uniform
    }  # fmt: skip
    agents: list[Agent] = []
    for letter in letters:
        if letter == "A":
            agents.append(VirtualExploiter("A", table, reading))
        elif letter == "I":
            agents.append(AdaptiveExploiter("I", table))
        else:
            agents.append(ProfileAgent(letter, fixed[letter](tree) if letter in fixed else table))
    return agents


def joint_profile(table: Profile, agents: Sequence[Agent], order: Sequence[int]) -> Profile:
    """Return the joint profile of agents by seat; a learning agent plays the table."""
    for seat, agent in enumerate(order):
        table = table.replace(seat, agents[agent].profile or table)
    return table


def best_response_value(tree: Tree, table: Profile, letters: str, seatings: Sequence[tuple[int, ...]]) -> float:
    """Return the value of an exact best response of the first agent to the others, averaged over seatings."""
    agents = make_agents(tree, table, "B" + letters[1:])
    total = sum(best_response(joint_profile(table, agents, order), order.index(0)).value for order in seatings)
    return float(total) / len(seatings)


ITERATIONS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_COLUMNS = ("A / B / C", "D", "E / F / G")
_NOISE, _SEAT_NOISE = 0.06, 0.13  # standard errors of the source's figures, of 30,000 and of 5,000 hands
_SAMPLED_SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Matches:
    """Settings of matches: deals, replicates, seed and workers."""

    deals: int
    replicates: int
    seed: int
    workers: int

    def play(self, tree: Tree, table: Profile, name: str, reading: VirtualOptions) -> Match:
        """Play a line-up by name; line-ups that are not in table 2 get other deals."""
        return duplicate_match(
            tree, make_agents(tree, table, name[:3], reading), deals=self.deals,
            seed=self.seed + (name not in PUBLISHED), replicates=self.replicates, workers=self.workers,
        )  # fmt: skip


def table_1() -> PublishedTable:
    """Return the prisoners' dilemma as penalties, read from the game that is solved."""
    game = Matrix([[[-a, -b] for a, b in row] for row in PENALTIES.values()])
    return table_of(
        "table 1", "Prisoners' dilemma, penalties of A and B", "", ("A is silent", "A confesses"),
        [f"B {what}: {who}" for what in ("is silent", "confesses") for who in "AB"],
        [[-part for cell in row for part in cell] for row in game.payoff_table],
        [[part for cell in row for part in cell] for row in PENALTIES.values()], tolerance=0.0, condition="equal",
        form=".0f",
    )  # fmt: skip


def measured(name: str, title: str, heads: str, rows: Iterable[str], columns: Iterable[str], ours: np.ndarray,
             published: Any, noise: Any, error: np.ndarray) -> PublishedTable:  # fmt: skip
    """Return a table whose cells agree within two combined standard errors; an error of 0 is exact."""
    return table_of(
        name, title, heads, rows, columns, ours, published, tolerance=2 * np.hypot(noise, error),
        error=np.where(error > 0, error, np.nan), error_is="standard error", condition="within 2 standard errors",
        form="+.4f",
    )  # fmt: skip


def table_2(found: Mapping[str, Match]) -> PublishedTable:
    """Return the results by line-up."""
    ours, error = (np.array([getattr(found[name], what) for name in PUBLISHED]) for what in ("mean", "error"))
    title = "Results by line-up, chips a hand"
    return measured("table 2", title, "line-up", PUBLISHED, _COLUMNS, ours, PUBLISHED.values(), _NOISE, error)


def seating_error(found: Match) -> np.ndarray:
    """Return `[S, A]` standard errors of each seating's means, over replicates; 0 for exact means."""
    if found.exact is not None:
        return np.zeros(found.exact.shape)
    parts = found.payoffs.reshape(len(found.seatings), found.replicates, -1, len(found.agents)).mean(axis=2)
    return np.asarray(parts.std(axis=1, ddof=1) / np.sqrt(found.replicates))


def by_seating(number: int, what: str, found: Match) -> PublishedTable:
    """Return one of tables 3 to 5: results by seating, in the source's order, and their means."""
    published = BY_SEATING[what]
    names = ["".join(what[agent] for agent in order) for order in found.seatings]
    places = [names.index(name) for name in published]
    ours = np.vstack([found.by_seating[places], found.mean])
    error = np.vstack([seating_error(found)[places], found.error])
    means = np.mean(list(published.values()), axis=0)
    noise = np.array([[_SEAT_NOISE]] * len(places) + [[_NOISE]])
    title, rows = f"{what}, by seating, chips a hand", (*published, "mean")
    figures = [*published.values(), means]
    return measured(f"table {number}", title, "seats 1, 2, 3", rows, what[:3], ours, figures, noise, error)


def deviations(ours: np.ndarray) -> tuple[float, float, float]:
    """Return root mean square deviations from table 2: of all 27 numbers, of A's rows, and of the others."""
    square = (ours - np.array(list(PUBLISHED.values()))) ** 2
    return tuple(float(np.sqrt(part.mean())) for part in (square, square[:3], square[3:]))  # type: ignore[return-value]


def readings(
    tree: Tree, matches: Matches, iterations: int, found: Mapping[str, Match], notify: Notify
) -> PublishedTable:
    """Return the deviations of both readings of equation (4) from table 2, for several strategies of D."""
    rows, ours = [], []
    once = replace(matches, replicates=1)
    for kind in EQUILIBRIA:
        for seed in _SAMPLED_SEEDS if kind == "chance" else (0,):
            table = equilibrium(tree, kind, iterations=iterations, seed=seed)
            conv = nash_conv(table)
            fixed = {name: once.play(tree, table, name, VirtualOptions()).mean for name in PUBLISHED if name[0] != "A"}
            for target in ("weakest", "printed"):
                what = f"DCFR {iterations}" if kind == "dcfr" else f"chance-sampled {SAMPLED}, seed {seed}"
                notify(f"equation (4) as {target}, D by {what}")
                reading = VirtualOptions(target=target)
                learned = {name: once.play(tree, table, name, reading).mean for name in PUBLISHED if name[0] == "A"}
                rows.append((what, f"{conv:.2g}", "prose" if target == "weakest" else "as printed"))
                ours.append(deviations(np.array([(fixed | learned)[name] for name in PUBLISHED])))
    return table_of(
        "readings", "Equation (4) read as the prose says and as printed: RMS deviation from table 2, chips a hand",
        ("D", "NashConv", "equation (4)"), rows, ("27 numbers", "rows of A", "rows of B, C"), ours, form=".2f",
    )  # fmt: skip


def convergence(tree: Tree, notify: Notify) -> tuple[Panel, Panel]:
    """Draw an equilibrium player's winnings against weak players, by iterations of its CFR strategy."""
    solver = make_solver(tree, replace(CFR, name="simultaneous", order="simultaneous"))
    lines: dict[str, list[tuple[float, float]]] = {f"from {letter}": [] for letter in "EFG"}
    conv = []
    for count in ITERATIONS:
        notify(f"CFR, {count:,} iterations")
        solver.advance(count - solver.iterations)
        table = solver.average()
        for letter in "EFG":
            won = duplicate_match(tree, make_agents(tree, table, f"BD{letter}")).mean[2]
            lines[f"from {letter}"].append((float(count), float(-won)))
        conv.append((float(count), nash_conv(table)))
    levels = {"published E": -PUBLISHED["BDE"][2], "published F, G": -PUBLISHED["BDF"][2]}  # 1.4103, 1.4090
    title = "Joint winnings of two equilibrium players"
    return (
        Panel(title, "iterations of CFR", lines, levels, "chips a hand", ("log", "linear")),
        Panel("Their table", "iterations of CFR", {"NashConv": conv}),
    )


def pictures(tables: Mapping[str, PublishedTable], tree: Tree, notify: Notify) -> tuple[Panel, ...]:
    """Draw the columns of table 2, A's results by seating, and the convergence of D's strategy."""
    two = [dots(f"Table 2: {name}", {"": tables["table 2"]}, column, _NOISE) for column, name in enumerate(_COLUMNS)]
    both = {"table 3": tables["table 3"], "table 5": tables["table 5"]}
    return (*two, dots("Tables 3 and 5: A by seating", both, 0, _SEAT_NOISE), *convergence(tree, notify))


def dots(title: str, tables: Mapping[str, PublishedTable], column: int, noise: float) -> Panel:
    """Draw a column of tables: published and ours."""
    lines = {}
    for name, one in tables.items():
        published, ours = (np.array(part, dtype=np.float64)[:, column] for part in (one.published, one.ours))
        error = np.nan_to_num(np.array(one.error, dtype=np.float64)[:, column])
        lines[f"{name} published".strip()] = np.stack([published, np.full(len(ours), 2 * noise)], axis=1)
        lines[f"{name} ours".strip()] = np.stack([ours, 2 * error], axis=1)
    ticks = [name for (name,) in next(iter(tables.values())).rows]
    return points(title, "chips a hand, ± 2 standard errors", lines, ticks)


_HANDS, _FIRST = 300, 20  # hands watched, and how many count as the first ones


class _TargetRecorder(VirtualExploiter):
    """Exploiter that records the seat of its target in each hand."""

    def observe_hand(self, hand: ObservedHand) -> None:
        vars(self).setdefault("aims", []).append(self._target)
        super().observe_hand(hand)


def aims(tree: Tree, table: Profile, letters: str, reading: VirtualOptions) -> tuple[float, float]:
    """Return the share of later hands in which D was the target, and D's score minus the third player's."""
    parts, gaps = [], []
    for number, order in enumerate(permutations(range(3))):
        player = _TargetRecorder("A", table, reading)
        agents = [player, *make_agents(tree, table, letters)[1:]]
        play_seating(Task(tree, agents, order, DealSource(_HANDS, seed=7), number))
        seats = [order.index(agent) for agent in range(3)]
        parts.append(np.mean([aim == seats[1] for aim in vars(player)["aims"][_FIRST:]]))
        gaps.append(player._likelihood.score(seats[2]))
    return float(np.mean(parts)), float(np.mean(gaps))


def folds(tree: Tree, table: Profile) -> tuple[float, float, float]:
    """Return exact figures of CDE: D's folds to raises, E's chips without showdown and in all hands."""
    state, total, won = states(tree), np.zeros(2), np.zeros(2)
    rules, agents = tree.game._rules, make_agents(tree, table, "CDE")
    left = np.array([len(betting(rules, state[end][2]).live) == 1 for end in tree.terminals.tolist()])
    for order in permutations(range(3)):
        everybody = joint_profile(table, agents, order)
        chance, (d, e) = reach(everybody).total, (order.index(1), order.index(2))
        for number in tree.infosets_of(d).tolist():
            if "f" in tree.labels(number):
                here = chance[tree.histories_of(number)].sum()
                total += here * np.array([everybody[number]["f"], 1.0])
        chips = chance[tree.terminals] * tree.payoffs[:, e]
        won += np.array([chips[left].sum(), chips.sum()]) / 6
    return float(total[0] / total[1]), float(won[0]), float(won[1])


def three_signs() -> tuple[float, float]:
    """Return values in rock, paper, scissors of three: of uniform play, and of paper."""
    tree = compile_game(load_game("rps", players=3))
    plays = (None, "rock", "paper")
    profile = Profile.from_function(
        tree, lambda player, key, actions: {one: float(one == plays[player]) if player else 1 / 3 for one in actions}
    )
    worth = values(profile)
    return float(worth[0]), float(worth[2])


def two_signs() -> float:
    """Return the largest absolute value of uniform play in rock, paper, scissors of two."""
    tree = compile_game(load_game("rps"))
    even = Profile.uniform(tree)

    def against(sign: Hashable) -> float:
        always = Profile.from_function(tree, lambda player, key, actions: {sign: 1.0})
        return float(values(even.replace(1, always))[0])

    return max(abs(against(sign)) for sign in tree.labels(0))


def _low(found: Match, one: int, other: int | None = None) -> float:
    """Return the lower end of the 95 % interval of an agent's mean, or of its lead over another agent."""
    units = found.units[:, one] - (found.units[:, other] if other is not None else 0.0)
    if found.exact is not None or len(units) < 2:
        return float(found.mean[one] - (found.mean[other] if other is not None else 0.0))
    mean, half = mean_and_half(units)
    return mean - half


def _rows(found: Mapping[str, Match], letters: str, agent: int) -> str:
    return ", ".join(f"{name} {found[name].mean[agent]:+.2f}" for name in letters.split())


def match_verdicts(tree: Tree, table: Profile, found: Mapping[str, Match]) -> dict[str, Claim]:
    """Return verdicts that follow from the winnings."""
    weak, a, b = "EFG", [found[f"AD{x}"] for x in "EFG"], [found[f"BD{x}"] for x in "EFG"]
    beside = {x: float(one.mean[1] - other.mean[1]) for x, one, other in zip(weak, a, b, strict=True)}
    ade, other = found["ADE"], found["ADE, other deals"]
    best, alone = best_response_value(tree, table, "BDE", ade.seatings), float(found["BDE"].mean[0])
    lead = float(ade.mean[0] - ade.mean[1])
    fixed = [found[name] for name in ("BDE", "BDF", "BDG", "CDE", "CDF", "CDG")]
    return {
        "c1": verdict(best > alone, f"beside D and E a best response wins {best:.2f}, the equilibrium {alone:.2f}",
                      "the best response wins more"),
        "c8": verdict(min(_low(one, 0, 2) for one in a) > 0,
                      ", ".join(f"{x} {one.mean[0] - one.mean[2]:+.2f}" for x, one in zip(weak, a, strict=True)),
                      "leads of A above 0, 95 % intervals"),
        "c9": verdict(abs(lead) <= 0.3, f"A - D = {lead:+.2f}", "at most 0.3 apart", "-0.02"),
        "c10": verdict(_low(ade, 0) > alone, f"{ade.mean[0]:+.2f} and {alone:+.2f}", "A's interval above B",
                       "+0.91, +0.73"),
        "c11": verdict(min(beside.values()) > 0, ", ".join(f"{x} {gap:+.2f}" for x, gap in beside.items()),
                       "above 0 for all three", "+0.20, +0.40, +0.34"),
        "c12": verdict(all(found[f"CD{x}"].mean[0] < min(0.0, one.mean[0]) for x, one in zip(weak, a, strict=True)),
                       _rows(found, "CDE CDF CDG", 0), "below 0 and below A in all three"),
        "c13": verdict(all(one.mean[1] > 0 for one in fixed) and found["CDE"].mean[1] < found["CDE"].mean[2],
                       f"D at least {min(one.mean[1] for one in fixed):+.2f}; in CDE D {found['CDE'].mean[1]:+.2f}, "
                       f"E {found['CDE'].mean[2]:+.2f}", "D above 0 in all rows of B and C, below E in CDE"),
        "c17": verdict(_low(other, 0, 1) > 0, f"A {other.mean[0]:+.2f}, D {other.mean[1]:+.2f}", "A's lead above 0",
                       "+0.957, +0.903"),
        "c18": verdict(found["ADD"].mean[0] < 0 and float(found["ADD"].interval()[0, 1]) < 0,
                       f"beside two D A wins {found['ADD'].mean[0]:+.2f}", "below 0: better to play the equilibrium"),
        "c20": verdict(_low(ade, 0, 1) > 0, f"A - D = {lead:+.2f} in ADE", "above 0"),
        "c21": verdict(all(one.mean[1] > 0 for one in (*a, *fixed)) and all(one.mean[1] >= one.mean[0] for one in a),
                       f"D {_rows(found, 'ADE ADF ADG', 1)}; A {_rows(found, 'ADE ADF ADG', 0)}",
                       "D above 0 in all rows, and not below A, which does not target D"),
    }  # fmt: skip


def verdicts(tree: Tree, table: Profile, found: Mapping[str, Match], reading: VirtualOptions) -> dict[str, Claim]:
    """Return verdicts on all claims."""
    watched = {x: aims(tree, table, f"AD{x}", reading) for x in "EFG"}
    scores = {x: score for x, (_, score) in watched.items()}
    won = {x: best_response_value(tree, table, f"BD{x}", found[f"BD{x}"].seatings) for x in "EFG"}
    even, paper = three_signs()
    fold, without, total = folds(tree, table)
    two, three, four = (estimate_game(load_game("leduc", players=n)).histories for n in (2, 3, 4))
    aimed = max(part for part, _ in watched.values())
    return match_verdicts(tree, table, found) | {
        "c2": verdict(abs(two_signs()) < 1e-12 and even < 0 < paper,
                      f"0 of two; of three, beside rock and paper {even:+.2f}, paper {paper:+.2f}",
                      "0 of two; of three below 0, paper above", "of three the third surely wins"),
        "c3": OPINION,
        "c4": verdict(nash_conv(table) < 0.01, f"NashConv {nash_conv(table):.2g} with three players",
                      "below 0.01, without a guarantee"),
        "c5": unevaluated("a remark on kinds of models"),
        "c6": verdict(sorted(scores, key=scores.__getitem__) == sorted(won, key=won.__getitem__),
                      ", ".join(f"{x}: score {scores[x]:.2f}, worth {won[x]:.2f}" for x in "EFG"), "the same order"),
        "c7": unevaluated("a property of the model, which we share"),
        "c14": verdict(found["CDE"].mean[2] >= found["CDE"].mean[1],
                       f"in CDE D folds to {fold:.0%} of raises; E {found['CDE'].mean[2]:+.2f}, "
                       f"D {found['CDE'].mean[1]:+.2f}", "E wins at least as much in CDE"),
        "c15": verdict(without > 0.5 * total, f"{without:+.2f} of E's {total:+.2f} without showdown", "more than half"),
        "c16": verdict(aimed < 0.01, f"D is the target in {aimed:.2%} of the hands after the first {_FIRST}",
                       "less than 1 %"),
        "c19": OPINION,
        "c22": verdict(three > 10 * two and four > 10 * three, f"Leduc: {two:,.0f}, {three:,.0f}, {four:,.0f}",
                       "more than 10 times with each player"),
    }  # fmt: skip


def exploiter_claims(tree: Tree, table: Profile, found: Mapping[str, Match]) -> tuple[Claim, ...]:
    """Return the claims about our own exploiter in A's place."""
    claims = []
    for name in ("IDE", "IDF", "IDG"):
        best = best_response_value(tree, table, name, found[name].seatings)
        share = float(found[name].mean[0]) / best
        what = f"our exploiter in {name}: share of the best response's {best:.3f}"
        claims.append(Claim(what, "-", f"{share:.3f}", "at least 0.9", share >= 0.9))
    low = float(found["IDD"].interval()[0, 0])
    ours = f"{round(found['IDD'].mean[0], 4) + 0.0:.4f}, at least {round(low, 4) + 0.0:.4f}"
    what = "our exploiter loses nothing beside two D"
    claims.append(Claim(what, "-", ours, "lower end at least -0.02", low >= -0.02))
    return tuple(claims)


def run(
    notify: Notify, deals: int, replicates: int, seed: int, iterations: int, workers: int, equation: str, table: str
) -> ClaimTable:
    """Play all line-ups, our exploiter in A's place, and both readings of equation (4)."""
    tree, matches = compile_game(load_game("leduc", players=3)), Matches(deals, replicates, seed, workers)
    notify(f"the table of D: {table}")
    profile, reading = equilibrium(tree, table, iterations=iterations), VirtualOptions(target=_TARGET[equation])
    found: dict[str, Match] = {}
    for name in [*PUBLISHED, "ADE, other deals", "IDE", "IDF", "IDG", "IDD", "ADD"]:
        notify(f"line-up {name}")
        found[name] = matches.play(tree, profile, name, reading)
    seatings = {3: "ADE", 4: "CDE", 5: "ADE, other deals"}
    tables = [table_1(), table_2(found), *(by_seating(n, what, found[what]) for n, what in seatings.items())]
    pieces = pictures({one.name: one for one in tables}, tree, notify)
    notify("verdicts")
    claims = (*FURUI.evaluated(verdicts(tree, profile, found, reading)), *exploiter_claims(tree, profile, found))
    tables.append(readings(tree, matches, iterations, found, notify))
    conv = nash_conv(profile)
    notes = (
        f"D: {table}, NashConv {conv:.2g} chips; equation (4) as {equation}. The source names neither algorithm nor "
        f"iterations; strategies that have not converged win more from weak players (see the plot).",
        "readings: the printed equation (4) lacks the prose's minus sign. This reading, with a D of few sampled "
        "iterations, gives the closest figures. But it contradicts 004-c16: it explains the figures, not the method.",
        "A learns from scratch in every seating of a replicate; errors are standard errors of the replicates' means.",
        'Slips: "random players (C, D)" is (C, G); "ADH" is ADE; "crccc" has one action too many; table 2 has F and G '
        "over the second column.",
    )  # fmt: skip
    return ClaimTable("Exploitation in 3-player Leduc", claims, notes, pieces, tuple(tables), FURUI)


_TARGET = {"prose": "weakest", "printed": "printed"}
EQUATIONS = tuple(_TARGET)
