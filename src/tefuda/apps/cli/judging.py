"""Judging: profiles, kept runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Json,
    build_tree,
    check_kept,
    command,
    is_run,
    print_json,
    read_options,
    tree_of,
)
from tefuda.errors import ParameterError
from tefuda.words import count, distance, distinct

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
    from tefuda.apps.display import out, values_table
    from tefuda.forms.tree import Tree
    from tefuda.judging.profile import Profile
    from tefuda.judging.values import judge
    from tefuda.solvers.runs.run import read_run

    kept = is_run(what)
    if kept:
        check_kept(Path(what), read_run(what), read_options(context.args), context)
        solution = read_kept(Path(what), game, force)
        if not isinstance(solution.game, Tree):
            if profile:
                raise ParameterError(f"{what} was solved without a tree, which --profile needs; leave it out.")
            _evaluate_without_tree(solution, as_json)
            return
        compiled, chosen = solution.tree, solution.strategy
    else:
        if game:
            raise ParameterError(f"--game names the game of a run; {what} is no run folder.")
        if not profile:
            raise ParameterError("which profile? Give --profile uniform or --profile FILE.npz, or a run folder.")
        compiled = tree_of(context, what, force)
    if profile:
        chosen = Profile.uniform(compiled) if profile == "uniform" else Profile.load(profile, compiled)
    judgement = judge(chosen)
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
    out.print(f"NashConv        {distance(judgement.nash_conv, 9)}   (sum of the gains)")
    out.print(
        f"exploitability  {distance(judgement.exploitability, 9)}   (NashConv / {count(compiled.players, 'players')})"
    )
    out.print(f"epsilon         {distance(judgement.epsilon, 9)}   (largest gain)")


def _evaluate_without_tree(solution: Any, as_json: bool) -> None:
    """Print the figure of a run without a tree, by its own evaluator."""
    from tefuda.apps.display import out

    if as_json:
        print_json(
            {
                "game": solution.game.name,
                "judge": solution.judge.parameters(),
                **solution.judge.figures(solution.verdict),
            }
        )
        return
    out.print(f"{solution.judge.told(solution.verdict)}   {solution.judge.unit}", soft_wrap=True)


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
    from tefuda.apps.display import out, show_solution, strategy_table
    from tefuda.forms.tree import Tree
    from tefuda.judging.profile import check_player

    solution = read_kept(run, game)
    if not isinstance(solution.game, Tree):
        if everything or infoset or player is not None:
            raise ParameterError(f"{run} was solved without a tree: there is no table of its infosets to show.")
        if as_json:
            print_json({**solution.summary(), "curve": [point._asdict() for point in solution.curve]})
        else:
            show_solution(solution)
        return
    if player is not None:
        check_player(solution.tree, player)
    if as_json:
        shown = ((name, row) for name, row in solution.strategy.items(player) if infoset in name)
        strategy = {
            name: dict(zip(distinct([str(action) for action in row]), row.values(), strict=True)) for name, row in shown
        }
        print_json({**solution.summary(), "curve": [point._asdict() for point in solution.curve], "profile": strategy})
    elif everything or infoset or player is not None:
        limit = None if everything else 40
        out.print(strategy_table(solution.strategy, limit=limit, player=player, only=infoset, actions=None))
    else:
        show_solution(solution)


def read_kept(folder: Path, game: str = "", force: bool = False) -> Any:
    """The solution kept in a run folder; a game of one's own is named."""
    from tefuda.apps.display import building
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import game_of_run, load

    content = read_run(folder)
    rules: Any = game_of_run(content, game) if game or force else None
    with building(content["game"]) as progress:
        return load(folder, build_tree(rules, True) if force else rules, building=progress)
