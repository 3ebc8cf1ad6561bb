"""Sampling games over their rules: solve --no-tree."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

import typer

from tefuda.apps.cli.shared.common import given, print_json, whole
from tefuda.apps.cli.shared.interruption import collected, going_on
from tefuda.errors import ParameterError
from tefuda.locks import owned
from tefuda.words import harmless

#: The options of solve that --no-tree heeds.
HONOURED = (
    "no_tree", "memory", "method", "iterations", "nodes", "seed", "change", "out", "checkpoint_seconds", "as_json",
)  # fmt: skip


def sample(context: typer.Context, game: Any, method: Any) -> None:
    """Sample a game over its rules; what is kept in a file goes on."""
    from tefuda.solvers.sampled.sampler import RulesSolver

    told = context.params
    goals = {name: None if told[name] is None else whole(name, told[name]) for name in ("iterations", "nodes")}
    if goals == {"iterations": None, "nodes": None}:
        goals["iterations"] = 1000
    solver, out = RulesSolver(game, method, told["seed"], told["memory"]), told["out"]
    with owned(out):
        stopped = _resumed(context, solver, goals, out)
    figures = {name: getattr(solver, name) for name in ("iterations", "nodes", "memory")}
    figures |= {"infosets": len(solver.tables), "memory_full": solver.memory > solver.limit, "interrupted": stopped}
    if told["as_json"]:
        about = {"game": game.name, "method": method.name, "seed": solver.seed}
        print_json({**about, **figures, "file": out and str(out)})
    else:
        print(", ".join(f"{figures[name]:,} {name}" for name in ("iterations", "nodes", "infosets")))
        print(harmless(f"saved in {out}") if out else "nothing was kept: --out FILE.npz keeps it")
    if figures["memory_full"]:
        print(f"the memory of {solver.limit:,.0f} bytes is full: --memory gives more", file=sys.stderr)
    if stopped:
        cure = f"the same command goes on with what {out} holds" if out else "--out FILE.npz would keep what there is"
        print(harmless(f"tefuda: interrupted; {cure}"), file=sys.stderr)
        raise typer.Exit(130)


def _resumed(context: typer.Context, solver: Any, goals: dict[str, int | None], out: Path | None) -> bool:
    """Run a sampler, from where its file was written if there is one; return whether it was interrupted."""
    told = context.params
    if out is not None and os.path.exists(out):
        solver.load(out)
        if "seed" in given(context) and solver.seed != told["seed"]:
            raise ParameterError(f"{out} was begun with --seed {solver.seed}; it cannot go on with {told['seed']}.")
        print(harmless(f"going on with {out}, at {solver.iterations:,} iterations"), file=sys.stderr)
    return _run_sampler(solver, goals, out, told["checkpoint_seconds"])


def _run_sampler(solver: Any, goals: dict[str, int | None], out: Path | None, every: float) -> bool:
    """Run it to its goals and keep it, the first time at once so that nothing is lost; whether it was interrupted."""
    from time import monotonic

    from tefuda.apps.display import telling

    kept = -math.inf

    def report(*_: int) -> None:
        nonlocal kept
        tell(f"{solver.iterations:,} iterations, {solver.nodes:,} nodes, {len(solver.tables):,} infosets")
        if out is not None and monotonic() - kept >= every:
            solver.save(out)
            kept = monotonic()

    words = f"the same command goes on with what {out} holds" if out else "nothing is kept: --out FILE.npz keeps it"
    name = f"{solver.game.name} {solver.method.name}"
    with going_on(words), telling(name) as tell, collected() as interrupted:
        solver.run(**goals, progress=report, interrupted=interrupted)
        if out is not None:
            solver.save(out)
        return interrupted()
