"""Smaller games that stand for larger ones: what can be merged, and what it costs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Game,
    Json,
    Png,
    command,
    given,
    print_json,
    read_listed,
    tree_of,
    whole,
)
from tefuda.apps.cli.shared.interruption import going_on
from tefuda.errors import ParameterError


@command(context_settings=GAME_OPTIONS)
def abstract(
    context: typer.Context,
    game: Game,
    buckets: Annotated[str, typer.Option(help="Numbers of buckets to try, separated by commas: 1,2,3,5.")] = "",
    by: Annotated[str, typer.Option(help="strength, rank or future (extra abstract).")] = "strength",
    public: Annotated[bool, typer.Option("--public", help="Cards that chance shows to all are not merged.")] = False,
    iterations: Annotated[float, typer.Option(help="Of CFR-BR, and of CFR+ with imperfect recall.")] = 10_000,
    png: Png = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Merge infosets without loss, or try --buckets.

    Says how exploitable in the real game is what is found in them: by linear programming, CFR+ and CFR-BR.
    """
    from tefuda.apps.plot import require_matplotlib

    if not buckets:
        for name, option in given(context).items():
            if name in ("by", "public", "iterations", "png"):
                raise ParameterError(f"{option} is of buckets; give --buckets 1,2,3,5 with it.")
        _merge_without_loss(tree_of(context, game, force), as_json)
        return
    if png is not None:
        require_matplotlib(png)
    counts, rounds = read_listed("buckets", buckets), whole("iterations", iterations)
    trials, tree = _try(context, game, force, counts, by, public, rounds)
    _show(tree, trials, png, as_json)


def _merge_without_loss(tree: Any, as_json: bool) -> None:
    """What `lossless` finds."""
    from tefuda.abstracting.lossless import lossless
    from tefuda.apps.display import out
    from tefuda.words import count

    found, form = lossless(tree), {}
    small = found.small
    for name, one in (("before", tree), ("after", small)):
        form[name] = {"infosets": one.infosets, "rows": one.rows, "histories": len(one.player)}
    if as_json:
        print_json({"game": tree.name, "game_parameters": tree.parameters, **form})
        return
    out.print(f"{tree.title} without loss:")
    for name, before in form["before"].items():
        out.print(f"  {count(before, name)} -> {form['after'][name]:,}")
    out.print("equilibria of the small game are equilibria of the real one; solve with --abstract lossless")


def _try(
    context: typer.Context, game: str, force: bool, counts: list[int], by: str, public: bool, iterations: int
) -> tuple[Any, Any]:
    from tefuda.abstracting.buckets import Buckets, require_clustering
    from tefuda.abstracting.study import study
    from tefuda.apps.display import telling

    apart = "public states" if public else "actions"
    Buckets(tuple(counts), by, apart=apart)  # refused before the game is compiled
    if by == "future":
        require_clustering()
    tree = tree_of(context, game, force)
    with going_on("nothing is kept, it begins again"), telling(f"{tree.name} in buckets") as tell:
        return study(tree, counts, by=by, apart=apart, iterations=iterations, tell=tell), tree


def _show(tree: Any, trials: Any, png: Any, as_json: bool) -> None:
    from tefuda.abstracting.study import panel
    from tefuda.apps.display import out, study_table
    from tefuda.apps.plot import plot_panels

    if png is not None:
        plot_panels([panel(f"{tree.name}, {tree.infosets:,} infosets", trials)], png)
    if as_json:
        rows = [trial.summary() for trial in trials]
        print_json({"game": tree.name, "game_parameters": tree.parameters, "infosets": tree.infosets, "trials": rows})
        return
    out.print(study_table(tree, trials))
    if png is not None:
        out.print(f"drawn in {png}")
