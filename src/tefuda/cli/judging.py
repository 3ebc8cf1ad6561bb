"""Judging: profiles, kept runs, published results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.cli.common import (
    GAME_OPTIONS,
    Force,
    Json,
    build_tree,
    command,
    print_json,
    read_options,
    tree_of,
    unknown_option,
)
from tefuda.errors import ParameterError

Own = Annotated[str, typer.Option("--game", help="file.py:Class of the run's game, if it is one of your own.")]


@command(context_settings=GAME_OPTIONS)
def evaluate(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="A run folder, or a game (then give --profile).")],
    profile: Annotated[str, typer.Option(help="uniform, or a profile.npz of this game.")] = "",
    game: Own = "",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Judge a profile exactly: values, best responses, NashConv."""
    from tefuda.display import out, values_table
    from tefuda.profile import Profile
    from tefuda.response import judge

    if (Path(what) / "run.json").exists() and not profile:
        solution = read_kept(Path(what), game, force)
        compiled, chosen = solution.tree, solution.profile
    else:
        compiled = tree_of(context, what, force)
        if not profile:
            raise ParameterError("which profile? Give --profile uniform or --profile FILE.npz, or a run folder.")
        chosen = Profile.uniform(compiled) if profile == "uniform" else Profile.load(profile, compiled)
    judgement = judge(compiled, chosen)
    figures = {
        "game": compiled.name,
        "values": judgement.values.tolist(),
        "best_responses": judgement.best.tolist(),
        "nash_conv": judgement.nash_conv,
        "exploitability": judgement.exploitability,
        "epsilon": judgement.epsilon,
    }
    if as_json:
        print_json(figures)
        return
    out.print(values_table(compiled, judgement))
    out.print(f"NashConv        {judgement.nash_conv:.9g}   (sum of the gains)")
    out.print(f"exploitability  {judgement.exploitability:.9g}   (NashConv / {compiled.players} players)")
    out.print(f"epsilon         {judgement.epsilon:.9g}   (largest gain)")


@command()
def show(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    everything: Annotated[bool, typer.Option("--all", help="Every infoset.")] = False,
    player: Annotated[int | None, typer.Option(help="Only this player's infosets.")] = None,
    infoset: Annotated[str, typer.Option(help="Only infosets whose name contains this text.")] = "",
    game: Own = "",
    as_json: Json = False,
) -> None:
    """Look at a run again: its strategy, value and curve."""
    from tefuda.display import out, show_solution, strategy_table
    from tefuda.profile import check_player

    solution = read_kept(run, game)
    if player is not None:
        check_player(solution.tree, player)
    if as_json:
        named = {name: {str(a): p for a, p in strategy.items()} for name, strategy in solution.profile.items(player)}
        strategy = {name: row for name, row in named.items() if infoset in name}
        print_json({**solution.summary(), "curve": [point._asdict() for point in solution.curve], "profile": strategy})
    elif everything or infoset or player is not None:
        limit = None if everything else 40
        out.print(strategy_table(solution.profile, limit=limit, player=player, only=infoset))
    else:
        show_solution(solution)


def read_kept(folder: Path, game: str = "", force: bool = False) -> Any:
    """The solution kept in a run folder; a game of one's own is named."""
    from tefuda.methods import game_of_run
    from tefuda.solution import read_run, read_solution

    return read_solution(folder, build_tree(game_of_run(read_run(folder), game), force))


@command(context_settings=GAME_OPTIONS)
def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="Which published result.")] = "",
    png: Annotated[Path | None, typer.Option(help="Draw its curves to this file (extra plot).")] = None,
    as_json: Json = False,
) -> None:
    """Run a published experiment again; without a name, list them.

    Prints its table beside ours.

    Options an experiment takes are given as --name value: tefuda reproduce nfsp-exploration --games 1e6 --seeds 2.
    """
    from tefuda.display import telling
    from tefuda.errors import UnknownNameError
    from tefuda.papers import PAPERS

    if not paper:
        about = {name: (sys.modules[run.__module__].__doc__ or "").split("\n")[0] for name, run in PAPERS.items()}
        if as_json:
            print_json(about)
        else:
            print("\n".join(f"{name:26} {text}" for name, text in about.items()))
        return
    if paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    if png is not None:
        from tefuda.plot import plot_panels, require_matplotlib

        require_matplotlib()
    options = _told(PAPERS[paper], read_options(context.args), context)
    with telling(paper) as tell:
        table = PAPERS[paper](tell, **options)
    if png is not None:
        if not table.panels:
            raise ParameterError(f"{paper} has no curves to draw.")
        plot_panels(table.panels, png, title=table.title)
    if as_json:
        print_json(table.summary())
    else:
        from tefuda.display import show_claims

        show_claims(table)
    if not table.met:
        raise typer.Exit(1)


def _told(function: Any, options: dict[str, Any], context: typer.Context) -> dict[str, Any]:
    """The options, refused unless the function takes them by keyword."""
    import inspect

    known = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise unknown_option(name, known, context)
    return options
