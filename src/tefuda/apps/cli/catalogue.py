"""Lists of games and methods, sizes and export of games, and kernels compiled ahead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Exit, Option

from tefuda import __version__
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    app,
    command,
    flag,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.reading import build_tree, game_of, is_run
from tefuda.apps.cli.shared.runs import load_run
from tefuda.apps.explaining import explain_game, explain_method
from tefuda.errors import ParameterError, check_choice
from tefuda.words import count, significant


def _groups(incomplete: str) -> list[str]:
    from tefuda.apps.preparing import GROUPS

    return [name for name in (*GROUPS, "all") if name.startswith(incomplete)]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tefuda {__version__}")
        raise Exit()


@app.callback()
def main(
    version: Annotated[
        bool, Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Solve, evaluate and play games of imperfect information."""


@command(**listed(Section.GAMES, "tefuda games leduc"))
def games(
    name: Annotated[str, Argument(help="Name of a game to explain.", autocompletion=options.game_names)] = "",
    as_json: options.Json = False,
) -> None:
    """List the games with their parameters, or explain one."""
    import inspect

    from tefuda.apps.grids import Grid
    from tefuda.games.catalogue import GAMES, find_constructor, paper_games

    if name:
        _explain(explain_game(name), as_json)
        return
    content, rows, empty = {}, [], inspect.Parameter.empty
    for name in sorted(GAMES):
        make = find_constructor(name)
        defaults = {parameter.name: parameter.default for parameter in inspect.signature(make).parameters.values()}
        about = (inspect.getdoc(make) or "").split("\n")[0]
        content[name] = {"parameters": defaults, "about": about}
        given = [f"{flag(key)} {'...' if value is empty else value}" for key, value in defaults.items()]
        rows.append((name, "\n".join(given), about))
    grid = Grid(("game", "parameters", "about"), tuple(rows), text_columns=(0, 1, 2))
    plain = json.loads(json.dumps(content, default=lambda value: None))
    names = f"Names in papers: {', '.join(paper_games())}"
    report(as_json, plain, [grid, names, "Your own game: tefuda solve my_game.py:MyGame"])


@command(**listed(Section.SOLVE, "tefuda methods dcfr"))
def methods(
    name: Annotated[str, Argument(help="Name of a method to explain.", autocompletion=options.method_names)] = "",
    as_json: options.Json = False,
) -> None:
    """List the methods and their options, or explain one."""
    from tefuda.apps.grids import Grid
    from tefuda.solvers.runs.methods import METHODS

    if name:
        _explain(explain_method(name), as_json)
        return
    families: dict[type, list[Any]] = {}
    for method in METHODS.values():
        families.setdefault(type(method), []).append(method)
    grids: list[Any] = []
    for members in families.values():
        defaults = type(members[0])("").parameters() if len(members) > 1 else {}
        rows = [("(defaults)", _fields(defaults, {}))] if defaults else []
        rows += [(method.name, _fields(method.parameters(), defaults)) for method in members]
        heads = ("method", "other options" if defaults else "options")
        grids += [Grid(heads, tuple(rows), text_columns=(0, 1)), ""]
    hint = "Set options on the command line: tefuda solve leduc --method dcfr --alpha 2"
    report(as_json, {name: {**method.parameters()} for name, method in METHODS.items()}, [*grids, hint])


def _explain(explanation: dict[str, Any], as_json: bool) -> None:
    from tefuda.apps.grids import Grid

    things: list[Any] = [explanation["about"]]
    rows = [
        (flag(key), "(required)" if option["needed"] else _default_text(option["default"]), option["meaning"])
        for key, option in explanation["parameters"].items()
    ]
    if rows:
        things += ["", Grid(("option", "default", "meaning"), tuple(rows), text_columns=(0, 1, 2))]
    for key in ("players", "size", "actions", "unit", "reported", "extra", "source"):
        if explanation.get(key):
            page = ", see docs/references.md" if key == "source" and explanation[key].islower() else ""
            things.append(f"{key:>9}  {explanation[key]}{page}")
    things.append(f"{'try':>9}  {explanation['example']}")
    report(as_json, json.loads(json.dumps(explanation, default=str)), things)


def _default_text(default: Any) -> str:
    return significant(default, 4) if isinstance(default, float) else "" if default is None else str(default)


def _fields(parameters: dict[str, Any], defaults: dict[str, Any]) -> str:
    changed = {key: value for key, value in parameters.items() if key != "name" and value != defaults.get(key, ())}
    return ", ".join(
        f"{key} {significant(value, 4) if isinstance(value, float) else value}" for key, value in changed.items()
    )


@command(context_settings=GAME_OPTIONS, **listed(Section.GAMES, "tefuda inspect leduc --check --play 2"))
def inspect(
    context: Context,
    game: options.Game,
    check: Annotated[bool, Option("--check", help="Check the rules for faults.")] = False,
    tree: Annotated[bool, Option("--tree", help="Print the tree as text.")] = False,
    play: Annotated[int, Option(help="Number of random games to print.")] = 0,
    seed: options.Seed = 0,
    estimate: Annotated[bool, Option("--estimate", help="Estimate the size without compiling.")] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Report the size of a game, check its rules, and play at random."""
    import numpy as np

    from tefuda.apps.display.consoles import show
    from tefuda.apps.drawing.output import draw
    from tefuda.errors import GameError, check_range, check_seed
    from tefuda.games.check import check_game
    from tefuda.games.plays import playthrough
    from tefuda.games.report import raise_if_faulty
    from tefuda.games.size import estimate_game

    if tree and estimate:
        raise ParameterError("--tree compiles the game, and --estimate does not; leave one of them out.", key="tree")
    check_seed(seed)
    check_range("play", play, 0, 10_000)
    rules, content, things = game_of(context, game), dict[str, Any](), list[Any]()
    if check:
        faults = check_game(rules)
        if not faults.ok:
            raise_if_faulty(rules, faults)
            raise GameError(f"{rules.name} has imperfect recall.", faults)
        things.append(str(faults))
        content["check"] = str(faults).splitlines()
    if play:
        rng = np.random.default_rng(seed)
        content["played"] = [list(playthrough(rules, rng)) for _ in range(play)]
        things += ["\n".join(lines) + "\n" for lines in content["played"]]
    estimated = estimate_game(rules)
    if not as_json:  # printed before the game is compiled, which may fail
        show(*things, f"estimate: {estimated}")
    compiled = None if estimate else build_tree(rules, force)
    sizes = {} if compiled is None else _sizes(compiled)
    content |= {"game": rules.name, "estimate": {"histories": estimated.histories, "bytes": estimated.bytes}, **sizes}
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in sizes.items()}
    drawn = [draw(compiled)] if tree and compiled is not None else []
    if drawn:
        content["tree"] = drawn[0].splitlines()
    report(as_json, content, [*(f"{name:>12}  {value}" for name, value in shown.items()), *drawn])


def _sizes(tree: Any) -> dict[str, Any]:
    import numpy as np

    from tefuda.apps.grids import tree_sizes
    from tefuda.games.legend import legend, legend_text

    words = legend_text(legend(tree.game, zip(tree.infoset_player.tolist(), tree.keys, strict=True)))
    return {
        **tree_sizes(tree),
        "by player": np.bincount(tree.infoset_player, minlength=tree.players).tolist(),
        "sequences": tree.rows + tree.players,  # of a game of perfect recall: `--check` looks for faults of recall
        "fingerprint": tree.fingerprint[:16],
        **({"actions": words} if words else {}),
    }


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.GAMES, "tefuda export kuhn --to kuhn.efg", "tefuda export kuhn --to kuhn.svg"),
)
def export(
    context: Context,
    game: options.Game,
    to: Annotated[Path, Option("--to", "--out", help="File to write.", callback=options.writable_file)],
    at: Annotated[str, Option(help="Drawing: position where it begins, J Q~b.")] = "-",
    levels: Annotated[int | None, Option(help="Drawing: number of levels; default: up to 200 ends.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write a game as a Gambit file, or draw it.

    Gambit's files end in .efg or .nfg and have exact fractions. A tree is drawn as .svg, .tex (TikZ) or .txt, with the
    strategy if the game is the folder of a run; a matrix game as a table in .html, .tex or .txt.
    """
    from tefuda.apps.drawing.output import TABLES, TREES
    from tefuda.games.efg import write_efg
    from tefuda.games.small.nfg import write_nfg

    rules, ending = game_of(context, game), to.suffix.lower()
    writers = {".efg": lambda: write_efg(rules, to, force=force), ".nfg": lambda: write_nfg(rules, to)}
    drawn = ending in {*TREES, *TABLES}
    if drawn:
        _draw(context, rules)
    else:
        refuse_options(context, "has no effect on Gambit's files; leave it out.", ("at", "levels"))
        check_choice("the ending of --to", ending, [*writers, *sorted({*TREES, *TABLES})])
        writers[ending]()
    size = to.stat().st_size
    lines = [f"{rules.name} written to {to} ({size:,} bytes)", *([] if drawn else [f"solve it: tefuda solve {to}"])]
    report(as_json, {"game": rules.name, "file": str(to), "bytes": size}, lines)


def _draw(context: Context, rules: Any) -> None:
    """Draw a game, or a run with its strategy, by the options of `export`."""
    from tefuda.apps.drawing.output import draw
    from tefuda.games.small.matrix import Matrix

    game, to, at, levels, force = (context.params[name] for name in ("game", "to", "at", "levels", "force"))
    profile = None
    if is_run(game):
        solution = load_run(Path(game), force=force, context=context)
        if solution.form.tree is None:
            raise ParameterError(f"{game} was solved without a tree, so it cannot be drawn.", key="game")
        profile = solution.strategy
        rules = profile.tree
    elif not isinstance(rules, Matrix):
        rules = build_tree(rules, force)
    draw(rules, to, profile=profile, at=at, levels=levels)


@command(**listed(Section.GAMES, "tefuda prepare", "tefuda prepare evaluating trees"))
def prepare(
    groups: Annotated[
        list[str] | None,
        Argument(metavar="GROUP", help="Groups of kernels; all by default.", autocompletion=_groups),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Compile kernels ahead of their first use.

    The groups are evaluating, trees, sampling, holdem, koikoi, learning, and all (the default). A kernel is saved as
    soon as it is compiled: after Ctrl-C, repeat the command to resume.
    """
    from tefuda._kernels.compiling import Compiled
    from tefuda.apps.cli.shared.interruption import on_interruption
    from tefuda.apps.preparing import GROUPS
    from tefuda.apps.preparing import prepare as compile_ahead
    from tefuda.errors import RunError, UnknownNameError

    names = list(GROUPS) if groups in (None, ["all"]) else list(dict.fromkeys(groups or ()))
    for name in names:
        if name not in GROUPS:
            raise UnknownNameError("group of kernels", name, [*GROUPS, "all"])
    if Compiled.target is None:
        raise RunError("no folder for compiled kernels can be written; set TEFUDA_CACHE to one that can.")
    before = Compiled.saved()
    with notifying("kernels") as notify, on_interruption("compiled kernels are saved; repeat the command to resume"):

        def show(done: int, total: int) -> None:
            if done < total:
                notify(f"{names[done]} ({done + 1} of {total})")

        compile_ahead(names, progress=show)
    added = Compiled.saved() - before
    content = {"groups": names, "folder": str(Compiled.target), "kernels": added}
    report(as_json, content, [f"{count(added, 'kernels')} compiled in {Compiled.target}"])
