"""CFR without sampling (takizawa2020, sections 1 to 4): theorems, order, regrets, algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.evaluating.regret import AverageRegret, match_regrets
from tefuda.evaluating.values import epsilon, nash_conv, reach
from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import load_game
from tefuda.games.protocol import CHANCE
from tefuda.solvers.exact.cfr import CFR, CFR_PLUS, CFRMethod
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, PublishedTable, table, unevaluated, verdict
from tefuda_reproductions.papers.sources import TAKIZAWA

CHECKPOINTS = (10, 30, 100, 300, 1000, 2000)
_THEOREMS, _PRINTED = 300, 1000  # iterations
ORDERS = ("simultaneous", "alternating")


class LeducRun(NamedTuple):
    """Run: (iteration, NashConv of average and of current strategies), and the final regrets."""

    points: tuple[tuple[int, float, float], ...]
    regrets: np.ndarray  # [R]

    def at(self, count: int) -> tuple[float, float]:
        """Return NashConv of the average and of the current strategies after a number of iterations."""
        return next((average, current) for t, average, current in self.points if t == count)


def run_method(tree: Tree, method: CFRMethod) -> LeducRun:
    """Run a method and evaluate it at the checkpoints."""
    solver, points = method.solver(tree), []
    for count in CHECKPOINTS:
        solver.advance(count - solver.iterations)
        points.append((count, nash_conv(solver.average()), nash_conv(solver.current())))
    return LeducRun(tuple(points), solver.arrays()["regret"])


def convergence(found: Mapping[tuple[str, str], LeducRun]) -> tuple[PublishedTable, PublishedTable]:
    """Return the tables of section 4.5 (both orders and their ratio) and section 4.4 (sparse regrets)."""
    pairs = [[found[name, order].at(2000)[0] for order in ORDERS] for name in ("CFR", "CFR+")]
    zeros = [(float((one.regrets == 0).mean()), *one.at(1000)[::-1]) for one in _pair(found)]
    return (
        table(
            "section 4.5", "NashConv on Leduc after 2,000 iterations (chips a game; no figures in the source)", "",
            ("CFR", "CFR+"), (*ORDERS, "ratio"), [(slow, fast, slow / fast) for slow, fast in pairs], form=".4g",
        ),
        table(
            "section 4.4", "Sparse regrets, and NashConv of the current strategies and of the average, Leduc", "",
            ("CFR", "CFR+"),
            ("stored regrets that are 0 (T = 2,000)", "current (T = 1,000)", "average (T = 1,000)"), zeros, form=".4g",
        ),
    )  # fmt: skip


def _pair(found: Mapping[tuple[str, str], LeducRun]) -> tuple[LeducRun, LeducRun]:
    return found["CFR", "alternating"], found["CFR+", "alternating"]


class Theorems(NamedTuple):
    """Figures after a run of CFR: regrets R_i, their bounds, and epsilon and NashConv of the average."""

    overall: np.ndarray  # [P]
    bounds: np.ndarray  # [P]
    epsilon: float
    nash_conv: float


def theorems(tree: Tree) -> Theorems:
    """Return the regrets of a run of CFR and their bounds (sections 2.18 and 2.23)."""
    solver, regret = replace(CFR, order="simultaneous").solver(tree), AverageRegret(tree)
    for _ in range(_THEOREMS):
        regret.add(solver.current())
        solver.advance(1)
    positive = np.maximum(regret.immediate(), 0.0)
    average = solver.average()
    bounds = np.bincount(tree.infoset_player, positive, minlength=tree.players)
    return Theorems(regret.overall(), bounds, epsilon(average), nash_conv(average))


def theorem_table(found: Theorems) -> PublishedTable:
    """Return the table of sections 2.18 and 2.23: each figure with its bound."""
    bounds = (*found.bounds, 2 * float(found.overall.max()))
    return table(
        "theorems", f"Leduc after {_THEOREMS} iterations of CFR, chips a game", "",
        ("R_0 (2.23)", "R_1 (2.23)", "epsilon of the average (2.18)"), ("bound", "found"),
        zip(bounds, (*found.overall, found.epsilon), strict=True), form=".5f",
    )  # fmt: skip


def sign_error(tree: Tree, iterations: int, printed: bool) -> Profile:
    """Run algorithms 1 and 2, as printed or corrected.

    As printed, player 2's nodes return values from their own view, but callers expect player 1's (line 35).
    """
    regrets, sums, paid = np.zeros(tree.rows), np.zeros(tree.rows), dict(zip(tree.terminals, tree.payoffs, strict=True))
    for _ in range(iterations):
        sigma = np.concatenate([match_regrets(part) for part in np.split(regrets, tree.first_row[1:-1])])
        change = np.zeros(tree.rows)

        def traverse(
            node: int, own: tuple[float, float], chance: float, sigma: np.ndarray = sigma, change: np.ndarray = change
        ) -> float:
            mover, children = int(tree.player[node]), tree.children(node)
            if not children:
                return float(paid[node][0])
            if mover == CHANCE:
                return sum(float(tree.chance[c]) * traverse(c, own, chance * float(tree.chance[c])) for c in children)
            number, sign = int(tree.infoset[node]), 1 - 2 * mover
            rows = tree.rows_of(number)
            reached = [(own[0] * p, own[1]) if mover == 0 else (own[0], own[1] * p) for p in sigma[rows].tolist()]
            below = np.array([sign * traverse(c, one, chance) for c, one in zip(children, reached, strict=True)])
            value = float(sigma[rows] @ below)
            change[rows] += own[1 - mover] * chance * (below - value)
            sums[rows] += own[mover] * sigma[rows]
            return value if printed else sign * value

        traverse(0, (1.0, 1.0), 1.0)
        regrets += change
    return Profile.from_weights(tree, sums)


def wrong_average(tree: Tree, iterations: int) -> Profile:
    """Run algorithm 3 as printed: line 30 weights the opponent's average by the traverser's reach."""
    solver, sums, rows = CFR_PLUS.solver(tree), np.zeros(tree.rows), tree.infoset_of_row
    moving = np.flatnonzero(tree.infoset >= 0)
    mover, number = tree.player[moving], tree.infoset[moving]
    for t in range(1, iterations + 1):
        profile = solver.current()
        traverser = reach(profile).own[moving, 1 - mover]
        sums += t * np.bincount(number, traverser, minlength=tree.infosets)[rows] * profile.probabilities
        solver.advance(1)
    return Profile.from_weights(tree, sums)


def algorithms(kuhn: Tree, leduc: Tree) -> PublishedTable:
    """Return the results of the printed and the corrected algorithms."""
    simultaneous = replace(CFR_PLUS, name="cfr+ at once", order="simultaneous")
    solvers = [method.solver(leduc) for method in (CFR_PLUS, simultaneous)]
    for solver in solvers:
        solver.advance(_PRINTED)
    right, at_once = (nash_conv(solver.average()) for solver in solvers)
    signs = [nash_conv(sign_error(kuhn, _PRINTED, printed)) for printed in (True, False)]
    wrong = nash_conv(wrong_average(leduc, _PRINTED))
    rows = {
        ("1, 2", "player 2's nodes return their own view (lines 22, 35)", "Kuhn"): signs,
        ("3, 4", "the average uses the traverser's reach (line 30)", "Leduc"): (wrong, right),
        ("3, 4", "simultaneous updates: both traversals use the old strategy", "Leduc"): (at_once, right),
    }
    return table(
        "algorithms 1 to 4", f"NashConv after {_PRINTED:,} iterations, as printed and corrected, chips a game",
        ("algorithm", "erratum", "game"), rows, ("as printed", "corrected"), rows.values(), form=".4g",
    )  # fmt: skip


def smallest_case() -> PublishedTable:
    """Return the regrets of algorithm 5, line 32, at one infoset with uniform play and payoffs 1 and 0."""
    sigma, payoff = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    value = float(sigma @ payoff)
    printed, right = (1 - sigma) * value / sigma, payoff - value
    return table(
        "algorithms 5, 6", "Regrets of line 32 in its smallest case: it never leaves uniform play", "action",
        ("value 1", "value 0"), ("as printed", "corrected"), zip(printed, right, strict=True), form="+.2f",
    )  # fmt: skip


def verdicts(tree: Tree, found: Mapping[tuple[str, str], LeducRun], proof: Theorems) -> dict[str, Claim]:
    """Return verdicts on sections 1 to 4."""
    plain, plus = _pair(found)
    ratios = [
        found[name, "simultaneous"].at(2000)[0] / found[name, "alternating"].at(2000)[0] for name in ("CFR", "CFR+")
    ]
    even = run_method(tree, replace(CFR_PLUS, name="even", averaging=0.0)).at(1000)[0]
    spread, actions = float(np.ptp(tree.payoffs[:, 0])), int(tree.action_counts.max())
    promised = spread * tree.infosets * np.sqrt(actions / 1000)
    zero = [float((one.regrets == 0).mean()) for one in (plain, plus)]
    scaled = np.abs(match_regrets(plain.regrets[:3]) - match_regrets(plain.regrets[:3] / 2000)).max()
    two = (proof.overall, proof.bounds)
    theorem, remark = unevaluated("a theorem"), unevaluated("a remark on programs")
    return {
        "c1": verdict(plain.at(1000)[0] < promised / 100, f"{plain.at(1000)[0]:.3g}, promised {promised:.0f}, Leduc, "
                      "T = 1,000", "a hundredth of the bound"),
        "c2": theorem,
        "c3": verdict(proof.epsilon <= 2 * proof.overall.max() + 1e-12,
                      f"epsilon {proof.epsilon:.4f}, 2 eps {2 * proof.overall.max():.4f}", "at most 2 eps"),
        "c4": verdict((proof.overall <= proof.bounds + 1e-12).all(),
                      ", ".join(f"{one:.4f} and {most:.4f}" for one, most in zip(*two, strict=True)),
                      "at most the bound, both players"),
        "c5": theorem,
        "c6": verdict(plain.at(2000)[0] < plain.at(100)[0] / 5, f"NashConv {plain.at(100)[0]:.3g} at T = 100, "
                      f"{plain.at(2000)[0]:.3g} at 2,000", "a fifth or less"),
        "c7": verdict(ratios[0] >= 3 and ratios[1] >= 20, f"{ratios[0]:.1f} and {ratios[1]:.1f} times", "3 and 20"),
        "c8": verdict(scaled < 1e-12, "the same strategy from R and R / T", "equal to 1e-12"),
        "c9": remark,
        "c10": remark,
        "c11": verdict(plus.at(1000)[1] < 0.03 < plain.at(1000)[1] / 10,
                       f"{plus.at(1000)[1]:.3g} with CFR+, {plain.at(1000)[1]:.3g} with CFR", "below 0.03, above 0.3"),
        "c12": verdict(plus.at(1000)[0] < even / 2, f"{plus.at(1000)[0]:.3g}, equal weights {even:.3g}",
                       "half or less"),
        "c13": verdict(zero[1] > 2 * zero[0], f"0: {zero[1]:.0%} with CFR+, {zero[0]:.0%} with CFR", "twice as many"),
        "c14": verdict(plus.at(2000)[0] < plus.at(100)[0] / 20, f"NashConv {plus.at(100)[0]:.3g} at T = 100, "
                       f"{plus.at(2000)[0]:.3g} at 2,000 with d = 0", "a twentieth or less"),
    }  # fmt: skip


def run(notify: Notify) -> ClaimTable:
    """Run both methods in both orders on Leduc, check the theorems, and run the printed algorithms."""
    kuhn, leduc, found = compile_game(load_game("kuhn")), compile_game(load_game("leduc")), {}
    for name, method in (("CFR", CFR), ("CFR+", CFR_PLUS)):
        for order in ORDERS:
            notify(f"{name}, {order}")
            found[name, order] = run_method(leduc, replace(method, name=f"{method.name} {order}", order=order))
    notify("theorems")
    proof = theorems(leduc)
    notify("the algorithms as printed")
    tables = (*convergence(found), theorem_table(proof), algorithms(kuhn, leduc), smallest_case())
    average = {f"{name}, {order}": [(float(t), one) for t, one, _ in c.points] for (name, order), c in found.items()}
    current = {name: [(float(t), one) for t, _, one in found[name, "alternating"].points] for name in ("CFR", "CFR+")}
    panels = (Panel("Averages, Leduc", "iterations", average), Panel("Strategies in force", "iterations", current))
    notes = (
        "Further errata: 2.15, 2.20 to 2.25, 4.1, 4.2 write u_i(sigma, I) and reach as quotients or sums instead of "
        "products and weights; 4.2, 4.3 mix t and T; 4.4 weighs sigma^(T+1), not sigma^t.",
        "Algorithm 1 never sets pi_i (line 33); algorithms 3 and 5 return v_sigma for u_sigma (lines 33, 38); the memo "
        "on line 37 of Tammelin's algorithm is wrong: it is no misprint.",
    )
    claims = TAKIZAWA.evaluated(verdicts(leduc, found, proof))
    return ClaimTable("CFR and CFR+ without sampling (sections 1 to 4)", claims, notes, panels, tables, TAKIZAWA)
