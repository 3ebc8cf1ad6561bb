"""Solving subgames again: what each way makes of a blueprint, where and how deep."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.judging import Own, read_kept
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Json,
    Png,
    check_kept,
    command,
    is_run,
    print_json,
    read_options,
    tree_of,
    whole,
)
from tefuda.errors import ParameterError
from tefuda.words import count, distance, signed


@command(context_settings=GAME_OPTIONS)
def resolve(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="A run folder, whose answer is the blueprint, or a game.")],
    how: Annotated[str, typer.Option(help="Ways to solve again, with commas.")] = "unsafe,gadget,max-margin,reach",
    blueprint: Annotated[str, typer.Option(help="Of a game: uniform, METHOD:ITERATIONS, or a profile.npz.")] = "",
    depth: Annotated[int, typer.Option(help="Only at so many decisions of each player on a path; 0: all.")] = 0,
    method: Annotated[str, typer.Option(help="Solves the subgames.")] = "lp",
    iterations: Annotated[float, typer.Option(help="Of that method at each subgame; 0: as many as it likes.")] = 0,
    game: Own = "",
    force: Force = False,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Solve subgames again and judge what that makes of a blueprint.

    At every public state alone, at all of a level at once (the first, second, ... decision of each player), and from a
    level on, each time from what is played so far, as an agent does at a table.
    """
    from tefuda.apps.display import out, table_of, telling
    from tefuda.apps.plot import plot_panels, require_matplotlib
    from tefuda.resolving.openings import find_how
    from tefuda.resolving.resolution import by_method
    from tefuda.resolving.survey import scope_of, survey

    if png is not None:
        require_matplotlib(png)
    ways = [find_how(name) for name in dict.fromkeys(map(str.strip, how.split(",")))]
    solving = by_method(method, whole("iterations", iterations, 0) or None)
    levels = whole("depth", depth, 0) or None
    tree, profile, named = read_blueprint(context, what, blueprint, game, force)
    with telling(f"{tree.name} resolve") as tell:
        tell("finding public states")
        scope, done = scope_of(profile, solving, levels), 0

        def told() -> None:
            nonlocal done
            done += 1
            tell(f"{done:,} of {count(scope.count * len(ways), 'subgames')} solved")

        found = [survey(scope, way, told) for way in ways]
    if png is not None:
        plot_panels(_panels(named, found), png, title=f"{tree.name}, solved again")
    if as_json:
        print_json(_json(tree, named, method, found))
        return
    out.print(table_of(_alone(tree.name, named, found)))
    out.print(table_of(_deep(found)))


def read_blueprint(context: typer.Context, what: str, named: str, game: str, force: bool) -> tuple[Any, Any, str]:
    """The tree, the blueprint, and how it is called."""
    from tefuda.judging.profile import Profile
    from tefuda.solvers.runs.methods import METHODS, solve
    from tefuda.solvers.runs.run import read_run

    if is_run(what):
        if named:
            raise ParameterError(f"the blueprint is the answer of {what}; leave --blueprint out, or name the game.")
        check_kept(Path(what), read_run(what), read_options(context.args), context)
        solution = read_kept(Path(what), game, force)
        return solution.tree, solution.strategy, what
    if game:
        raise ParameterError(f"--game names the game of a run; {what} is no run folder.")
    name, colon, number = named.partition(":")
    if not (named in ("", "uniform") or colon or os.path.exists(named)):
        raise ParameterError(f"--blueprint is {named!r}; write uniform, METHOD:ITERATIONS such as cfr:10, or a file.")
    if colon and not (name in METHODS and number.isdigit()):
        raise ParameterError(f"--blueprint is {named!r}; write METHOD:ITERATIONS, such as cfr:10 (tefuda methods).")
    tree = tree_of(context, what, force)
    if colon or not named:
        called = f"{name}:{number}" if colon else "cfr:10"
        name, _, number = called.partition(":")
        return tree, solve(tree, name, iterations=whole("iterations", float(number))).strategy, called
    return tree, Profile.uniform(tree) if named == "uniform" else Profile.load(named, tree), named


def _alone(name: str, named: str, found: Any) -> Any:
    """One public state at a time."""
    from tefuda.apps.grids import Grid

    rows = tuple(
        (one.how, signed(one.changes.min()), signed(one.changes.mean()), signed(one.changes.max()),
         f"{int((one.changes > 1e-9).sum()):,}", f"{len(one.spots):,}")
        for one in found
    )  # fmt: skip
    head = f"{name}, blueprint {named}: NashConv {distance(found[0].before, 6)}. One public state solved alone adds"
    return Grid(("how", "least", "mean", "most", "rises", "of"), rows, head)


def _deep(found: Any) -> Any:
    """Whole levels."""
    from tefuda.apps.grids import Grid

    numbers = range(1, len(found[0].levels) + 1)
    columns = ("how", *(f"only {number}" for number in numbers), *(f"{number} on" for number in numbers))
    rows = tuple((one.how, *(distance(value, 4) for value in (*one.levels, *one.onward))) for one in found)
    return Grid(columns, rows, "NashConv if both solve at their 1st, 2nd, ... decision only, and from it on")


def _panels(named: str, found: Any) -> list[Any]:
    """NashConv against where one solves again, a line for each way."""
    from tefuda.figure import Panel

    level = {f"blueprint {named}": found[0].before}
    return [
        Panel(
            words,
            "which decision of each player",
            {one.how: [(number + 1, value) for number, value in enumerate(getattr(one, name))] for one in found},
            level,
            scales=("linear", "linear"),
        )
        for name, words in (("levels", "at one decision only"), ("onward", "at a decision and all after it"))
    ]


def _json(tree: Any, named: str, method: str, found: Any) -> dict[str, Any]:
    """What a script reads."""
    return {
        "game": tree.name,
        "game_parameters": tree.parameters,
        "blueprint": named,
        "nash_conv": found[0].before,
        "method": method,
        "hows": {
            one.how: {
                "alone": [vars(spot) for spot in one.spots],
                "rises": int((one.changes > 1e-9).sum()),
                "levels": one.levels,
                "onward": one.onward,
            }
            for one in found
        },
    }
