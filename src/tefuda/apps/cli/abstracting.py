"""Abstraction of games on the command line: lossless, or by buckets."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, Section, command, listed, notifying, refuse_options, report
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import read_integers, tree_of, whole_number


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.SOLVE, "tefuda abstract kuhn --cards 5 --buckets 2,3 --iterations 1000"),
)
def abstract(
    context: Context,
    game: options.Game,
    force: options.Force = False,
    buckets: Annotated[str, Option(help="Numbers of buckets to try: 1,2,3,5.")] = "",
    by: Annotated[
        str, Option(help="Feature: strength, rank, future, values (the last two: extra abstract).")
    ] = "strength",
    public: Annotated[bool, Option("--public", help="Keep public cards distinct.")] = False,
    iterations: Annotated[float, Option(help="Iterations of CFR-BR, and of CFR+.")] = 10_000,
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Abstract a game without loss or by buckets, and evaluate it.

    With --buckets, prints the NashConv in the real game of three abstract strategies: an equilibrium of the abstract
    game, the solution of CFR-BR, and the least exploitable strategy.
    """
    from tefuda.abstracting.bucketing import CLUSTERED, Buckets, require_clustering
    from tefuda.abstracting.study import panel, study
    from tefuda.apps.grids import study_grid
    from tefuda.apps.plot import plot_panels

    if not buckets:
        refuse_options(
            context, "needs --buckets; give --buckets 1,2,3,5, or leave it out.", ("by", "public", "iterations", "png")
        )
        _merge_without_loss(tree_of(context, game, force), as_json)
        return
    counts, number = read_integers("buckets", buckets), whole_number("iterations", iterations)
    apart = "public states" if public else "actions"
    Buckets(tuple(counts), by, apart=apart)  # raises before the game is compiled
    if by in CLUSTERED:
        require_clustering()
    tree = tree_of(context, game, force)
    with (
        on_interruption("nothing is saved; repeat the command to start again"),
        notifying(f"{tree.name} in buckets") as notify,
    ):
        trials = study(tree, counts, by=by, apart=apart, iterations=number, notify=notify)
    if png is not None:
        plot_panels([panel(f"{tree.name}, {tree.infosets:,} infosets", trials)], png)
    about = {"game": tree.name, "game_parameters": tree.parameters, "infosets": tree.infosets}
    report(as_json, {**about, "trials": [trial.summary() for trial in trials]}, [study_grid(tree, trials)], png)


def _merge_without_loss(tree: Any, as_json: bool) -> None:
    from tefuda.abstracting.lossless import lossless
    from tefuda.words import count

    sizes = {
        name: {"infosets": game.infosets, "rows": game.rows, "histories": len(game.player)}
        for name, game in (("before", tree), ("after", lossless(tree).small))
    }
    lines = [f"  {count(before, name)} -> {sizes['after'][name]:,}" for name, before in sizes["before"].items()]
    note = "Equilibria of the small game are equilibria of the real game; solve it with --abstract lossless."
    content = {"game": tree.name, "game_parameters": tree.parameters, **sizes}
    report(as_json, content, [f"{tree.title}, lossless abstraction:", *lines, note])
