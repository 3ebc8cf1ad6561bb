"""What there is: games, methods, the size of a game, and a game as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda import __version__
from tefuda.apps.cli.explaining import explain_game, explain_method
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Game,
    Json,
    Seed,
    app,
    build_tree,
    command,
    game_names,
    method_names,
    print_json,
    read_game,
    read_options,
    to_write,
)
from tefuda.words import brief


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"tefuda {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    """Solve, judge and play games in which players see different things."""


@command()
def games(
    name: Annotated[str, typer.Argument(help="Explain this game alone.", autocompletion=game_names)] = "",
    as_json: Json = False,
) -> None:
    """List the games with their parameters, or explain one."""
    import inspect

    if name:
        _explain(explain_game(name), as_json)
        return
    from tefuda.games.catalogue import GAMES, find_constructor

    rows: dict[str, Any] = {
        name: {
            "parameters": {p.name: p.default for p in inspect.signature(make).parameters.values()},
            "about": (inspect.getdoc(make) or "").split("\n")[0],
        }
        for name, make in ((name, find_constructor(name)) for name in sorted(GAMES))
    }
    if as_json:
        print_json(json.loads(json.dumps(rows, default=lambda value: None)))
        return
    from tefuda.apps.display import out, table_of
    from tefuda.apps.grids import Grid

    told, empty = [], inspect.Parameter.empty
    for name, row in rows.items():
        given = [f"--{key.replace('_', '-')} {'...' if d is empty else d}" for key, d in row["parameters"].items()]
        told.append((name, "\n".join(given), row["about"]))
    out.print(table_of(Grid(("game", "parameters", "about"), tuple(told), words=(0, 1, 2))))
    out.print("One's own game: tefuda solve my_game.py:MyGame")


@command()
def methods(
    name: Annotated[str, typer.Argument(help="Explain this method alone.", autocompletion=method_names)] = "",
    as_json: Json = False,
) -> None:
    """List the methods and their options, or explain one."""
    from tefuda.solvers.runs.methods import METHODS

    if name:
        _explain(explain_method(name), as_json)
        return

    rows = {name: {**method.parameters()} for name, method in METHODS.items()}
    if as_json:
        print_json(rows)
        return
    from tefuda.apps.display import out, table_of
    from tefuda.apps.grids import Grid

    families: dict[type, list[Any]] = {}
    for method in METHODS.values():
        families.setdefault(type(method), []).append(method)
    for members in families.values():
        defaults = type(members[0])("").parameters() if len(members) > 1 else {}
        told = [("(defaults)", _fields(defaults, {}))] if defaults else []
        told += [(method.name, _fields(method.parameters(), defaults)) for method in members]
        heads = ("method", "fields changed" if defaults else "fields")
        out.print(table_of(Grid(heads, tuple(told), words=(0, 1))), "")
    out.print("Give them as options: tefuda solve leduc --method dcfr --alpha 2")


def _explain(found: dict[str, Any], as_json: bool) -> None:
    """Print one game or method: what it is, its parameters with defaults and meanings, and a command."""
    from tefuda.apps.display import out, table_of
    from tefuda.apps.grids import Grid

    if as_json:
        print_json(json.loads(json.dumps(found, default=str)))
        return
    out.print(found["about"], markup=False)
    rows = [
        (f"--{key.replace('_', '-')}", "(needed)" if one["needed"] else _shown(one["default"]), one["meaning"])
        for key, one in found["parameters"].items()
    ]
    if rows:
        out.print("", table_of(Grid(("option", "default", "meaning"), tuple(rows), words=(0, 1, 2))))
    for key in ("players", "size", "actions", "unit", "answer", "extra", "source"):
        if found.get(key):
            more = ", see docs/references.md" if key == "source" else ""
            out.print(f"{key:>9}  {found[key]}{more}", markup=False)
    out.print(f"{'try':>9}  {found['example']}", markup=False)


def _shown(default: Any) -> str:
    return brief(default, 4) if isinstance(default, float) else "" if default is None else str(default)


def _fields(parameters: dict[str, Any], defaults: dict[str, Any]) -> str:
    changed = {key: value for key, value in parameters.items() if key != "name" and value != defaults.get(key, ())}
    return ", ".join(
        f"{key} {brief(value, 4) if isinstance(value, float) else value}" for key, value in changed.items()
    )


@command(context_settings=GAME_OPTIONS)
def tree(
    context: typer.Context,
    game: Game,
    check: Annotated[bool, typer.Option("--check", help="Look for faults in the rules.")] = False,
    play: Annotated[int, typer.Option(help="Print so many randomly played games.")] = 0,
    seed: Seed = 0,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only estimate the size, build nothing.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Compile a game: its size; check its rules; play it at random."""
    import numpy as np

    from tefuda.apps.display import out
    from tefuda.errors import GameError, check_range, check_seed
    from tefuda.games.check import check_game
    from tefuda.games.playthrough import playthrough
    from tefuda.games.size import estimate_game

    check_seed(seed)
    check_range("play", play, 0, 10_000)
    rules = read_game(game, read_options(context.args), context)
    found: dict[str, Any] = {}
    if check:
        report = check_game(rules)
        if not report.ok:
            raise GameError(f"{rules.name} is not a game that can be solved.", report)
        out.print(str(report), markup=False)
        found["check"] = str(report).splitlines()
    rng = np.random.default_rng(seed)
    games = [list(playthrough(rules, rng)) for _ in range(play)]
    for lines in games:
        out.print("\n".join(lines) + "\n", markup=False)
    if games:
        found["played"] = games
    guess = estimate_game(rules)
    sizes: dict[str, Any] = {"game": rules.name, "estimate": {"histories": guess.histories, "bytes": guess.bytes}}
    if not estimate:
        sizes |= _sizes(build_tree(rules, force))
    if as_json:
        print_json({**sizes, **found})
        return
    out.print(f"estimate: {guess}")
    for name, value in sizes.items():
        if name not in ("game", "estimate"):
            out.print(f"{name:>12}  {value:,}" if isinstance(value, int) else f"{name:>12}  {value}")


def _sizes(tree: Any) -> dict[str, Any]:
    import numpy as np

    from tefuda.forms.sequence import sequence_form

    form = sequence_form(tree)
    kinds = {"decisions": int((tree.player >= 0).sum()), "chance": int((tree.player == -1).sum())}
    return {
        "histories": len(tree.player),
        **kinds,
        "terminals": len(tree.terminals),
        "infosets": tree.infosets,
        "by player": np.bincount(tree.infoset_player, minlength=tree.players).tolist(),
        "sequences": form.sequences,
        "leaves": len(form.leaf_value),
        "fingerprint": tree.fingerprint[:16],
        **({"actions": words} if (words := _legend(tree)) else {}),
    }


def _legend(tree: Any) -> str:
    """The words behind the labels of a tree's actions."""
    from tefuda.games.legend import legend, legend_text

    return legend_text(legend(tree.rules, zip(tree.infoset_player.tolist(), tree.keys, strict=True)))


@command(context_settings=GAME_OPTIONS)
def export(
    context: typer.Context,
    game: Game,
    to: Annotated[Path, typer.Option(help="The .efg file to write.", callback=to_write)],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a game as a Gambit .efg file, with exact fractions."""
    from tefuda.apps.display import out
    from tefuda.games.efg import write_efg

    rules = read_game(game, read_options(context.args), context)
    write_efg(rules, to, force=force)
    if as_json:
        print_json({"game": rules.name, "file": str(to), "bytes": to.stat().st_size})
    else:
        out.print(f"{rules.name} written to {to} ({to.stat().st_size:,} bytes)", soft_wrap=True)
        out.print(f"read it again: tefuda solve efg --path {to}", soft_wrap=True)
