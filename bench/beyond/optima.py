"""Parts of `bench.beyond`: optimal correlated equilibria, and commitment."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import tefuda as td
from bench.pairs import met, table
from tefuda.correlating import Commitment, Correlated
from tefuda.correlating.gaps import CONCEPTS
from tests.joint_plans import JointPlans
from tests.known_devices import COMMITMENTS, OPTIMA

_PRINTED = 1e-12  # the asked figures have twelve digits after the point


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
