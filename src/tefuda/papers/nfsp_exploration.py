"""Neural fictitious self-play with and without exploration in the averages: table 1 and figure 1 of source 001.

Kawamura, Suzuki, Tsuruoka: A is the original algorithm (exploration fades), B the same without exploratory actions in
the supervised memory, C and D are A and B with exploration kept at a tenth. Leduc, 1e7 games, NashConv in chips.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tefuda.games import load_game
from tefuda.nfsp import NFSP, SEED001_A, SEED001_B, SEED001_C, SEED001_D, evened
from tefuda.papers.claims import Claim, ClaimTable, Panel, above, below
from tefuda.perturbed import trembling_equilibrium
from tefuda.response import nash_conv
from tefuda.sweep import Group, SweepProgress, sweep
from tefuda.tree import Tree, compile_game

CONDITIONS = {"A": SEED001_A, "B": SEED001_B, "C": SEED001_C, "D": SEED001_D}
#: Table 1: mean and standard deviation over five runs.
PUBLISHED = {"A": (0.038, 0.005), "B": (0.04, 0.01), "C": (0.268, 0.008), "D": (0.023, 0.005)}
_DRAWN_FROM = 1000  # games; before that nothing is learned
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
SETTINGS: dict[str, Callable[[NFSP], NFSP]] = {
    "faithful": lambda method: method,
    "fsp-even": evened,
}
Found = Mapping[str, Mapping[str, Group]]


def exploring(method: NFSP, epsilon: float) -> NFSP:
    """The method with another constant exploration; .1 is its own."""
    return method if epsilon == method.epsilon else replace(method, name=f"{method.name}-{epsilon:g}", epsilon=epsilon)


def limits(tree: Tree, epsilon: float) -> dict[str, float]:
    """NashConv where learners of exact best responses end: C, D, and players who know that both tremble."""
    kinds = {"limit of C": "unaware", "limit of D": "calm", "both know": "aware"}
    return {
        name: nash_conv(tree, trembling_equilibrium(tree, kind, epsilon, eta=SEED001_D.eta))
        for name, kind in kinds.items()
    }


def p_value(one: Group, other: Group) -> float:
    """Welch's two-sided test that two groups have the same mean NashConv; nan with fewer than two runs each."""
    from scipy.stats import ttest_ind

    return float(ttest_ind(one.nash_conv, other.nash_conv, equal_var=False).pvalue)


def shown(group: Group) -> str:
    """Mean and standard deviation."""
    return f"{group.mean:.4f} +- {group.deviation:.4f}"


def table_1(groups: Mapping[str, Group], settings: str) -> list[Claim]:
    """Every condition beside its published figure."""
    rows = []
    for condition, (mean, deviation) in PUBLISHED.items():
        group = groups[condition]
        met = abs(group.mean - mean) <= 2 * deviation
        what, published = f"{condition}, {settings}: NashConv", f"{mean} +- {deviation}"
        rows.append(Claim(what, published, shown(group), "within 2 deviations", met))
    return rows


def orders(groups: Mapping[str, Group], settings: str) -> list[Claim]:
    """What the source concludes from its table, by Welch's test."""
    rows = []
    for worse, better in (("C", "A"), ("A", "D"), ("C", "D")):
        gap, p = groups[worse].mean - groups[better].mean, p_value(groups[worse], groups[better])
        published = PUBLISHED[worse][0] - PUBLISHED[better][0]
        what = f"{worse} - {better}, {settings}"
        rows.append(Claim(what, f"{published:+.3f}", f"{gap:+.4f} (p = {p:.2g})", "> 0, p < .01", gap > 0 and p < 0.01))
    p = p_value(groups["B"], groups["A"])
    gap = groups["B"].mean - groups["A"].mean
    return [*rows, Claim(f"B - A, {settings}", "+.002, none", f"{gap:+.4f} (p = {p:.2g})", "p >= .01", p >= 0.01)]


def figure_1(groups: Mapping[str, Group], settings: str) -> list[Claim]:
    """The shape of C and D over the exploration rate."""
    c, d = ([groups[f"{condition} {epsilon:g}"].mean for epsilon in EPSILONS] for condition in "CD")
    falls = sum(one > other for one, other in zip(c, c[1:], strict=False))
    best = EPSILONS[d.index(min(d))]
    return [
        Claim(f"C over eps, {settings}", "worsens with every step", f"{falls} steps down", "0 steps down", falls == 0),
        Claim(f"D's best eps, {settings}", ".02 to .1", f"{best:g}", "in .02 to .1", 0.02 <= best <= 0.1),
    ]


def against_limits(groups: Mapping[str, Group], exact: Mapping[str, float]) -> list[Claim]:
    """How near the runs with even draws come to where exact best responses would lead."""
    floor, worst = exact["limit of D"], exact["limit of C"]
    return [
        below("A, fsp-even: goal (exact limit 0)", "-", groups["A"].mean, 0.04),
        below("B, fsp-even: goal (exact limit 0)", "-", groups["B"].mean, 0.04),
        below(f"D, fsp-even: goal (exact limit {floor:.4f})", "-", groups["D"].mean, floor + 0.01),
        above(f"C, fsp-even: not below its exact limit {worst:.4f}", "-", groups["C"].mean, worst),
    ]


def measure(
    tree: Tree, settings: str, games: int, seeds: int, folder: Path, workers: int, tell: Callable[[str], None]
) -> dict[str, Group]:
    """All runs of one kind of settings: A to D with every seed, and C and D over the exploration rate with one."""
    make = SETTINGS[settings]

    def report(what: str) -> Callable[[SweepProgress], None]:
        return lambda progress: tell(f"{settings}, {what}: {progress.done:.1f} of {progress.runs} runs")

    main = {name: make(method) for name, method in CONDITIONS.items()}
    line = {f"{name} {e:g}": exploring(main[name], e) for name in "CD" for e in EPSILONS if e != main[name].epsilon}
    found: dict[str, Group] = {}
    for what, methods, count in (("table 1", main, seeds), ("figure 1", line, 1)):
        groups = sweep(
            tree, list(methods.values()), seeds=range(1, count + 1), iterations=games, folder=folder, workers=workers,
            progress=report(what),
        )  # fmt: skip
        found |= dict(zip(methods, groups, strict=True))
    return found | {f"{name} {main[name].epsilon:g}": found[name] for name in "CD"}


def panels(found: Found, exact: Mapping[float, Mapping[str, float]]) -> tuple[Panel, ...]:
    """Curves of the first seed, and NashConv over the exploration rate beside the exact limits."""
    curves, over = {}, {}
    for settings, groups in found.items():
        for name in CONDITIONS:
            points = groups[name].solutions[0].curve
            curves[f"{name} {settings}"] = [
                (float(point.iteration), point.nash_conv) for point in points if point.iteration >= _DRAWN_FROM
            ]
        for name in "CD":
            over[f"{name} {settings}"] = [(epsilon, groups[f"{name} {epsilon:g}"].mean) for epsilon in EPSILONS]
    for name in exact[EPSILONS[0]]:
        over[name] = [(epsilon, exact[epsilon][name]) for epsilon in EPSILONS]
    levels = {f"{name} published": mean for name, (mean, _) in PUBLISHED.items()}
    return (
        Panel("Training (first seed)", "games", curves, levels),
        Panel("Figure 1: exploration kept for ever", "exploration rate", over, {"A, B published": 0.039}),
    )


NOTES = (
    "All figures are NashConv, the sum over both players, in chips a game; exploitability is half of it.",
    "faithful: the settings of Heinrich and Silver, all that the source names. Nobody's public code gets near table 1 "
    "with them: 1e7 games leave a residual of .2 or more that hides what exploration does to A, B and D.",
    "fsp-even: draws that come as often as they should, values in a table, gradients of the whole memory: fictitious "
    "self-play, not NFSP as people understand it (docs/nfsp.md).",
    "The published D lies at its exact limit for eta .1; C lies at the value of a game whose players know that both "
    "tremble (both know), which learning off policy does not lead to: its limit is lower.",
)


def run(
    progress: Callable[[str], None] | None = None,
    *,
    games: int = 10_000_000,
    seeds: int = 5,
    workers: int = os.cpu_count() or 1,
    folder: str = "runs/nfsp-exploration",
) -> ClaimTable:
    """Train every condition as the source says and with even draws; runs already in `folder` are not run again."""
    tell, tree = progress or (lambda text: None), compile_game(load_game("leduc"))
    place = Path(folder)
    found = {settings: measure(tree, settings, games, seeds, place, workers, tell) for settings in SETTINGS}
    tell("exact limits")
    exact = {epsilon: limits(tree, epsilon) for epsilon in EPSILONS}
    claims: Sequence[Claim] = [
        claim
        for part in (table_1, orders, figure_1)
        for settings, groups in found.items()
        for claim in part(groups, settings)
    ]
    notes = tuple(
        f"exact limits at eps {epsilon:g}: "
        + ", ".join(f"{name} {value:.4f}" for name, value in exact[epsilon].items())
        for epsilon in (0.01, 0.05, 0.1)
    )
    title = f"NFSP and exploration (source 001), {games:,} games, {seeds} seeds"
    claims = (*claims, *against_limits(found["fsp-even"], exact[0.1]))
    return ClaimTable(title, claims, NOTES + notes, panels(found, exact))
