"""What all commands share: how they are registered, and how games, methods and numbers are read."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tefuda.errors import InputError, ParameterError, TefudaError, UnknownNameError, check_range
from tefuda.words import harmless

#: Folders that `next_folder` made for the command that runs.
_reserved: list[Path] = []


class Commands(TyperGroup):
    """All commands, with one way to end early: exit codes 2 for bad input, 130 interrupted, else 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors of ours become a message and an exit code, with ``--json`` an object too."""
        as_json = "--json" in ctx.args
        try:
            return super().invoke(ctx)
        except TefudaError as error:
            _said(str(error), as_json)
            raise typer.Exit(2 if isinstance(error, InputError) else 1) from None
        except KeyboardInterrupt as error:
            _said(f"interrupted; {error if str(error) else 'nothing is kept, the same command begins again'}", as_json)
            raise typer.Exit(130) from None
        except Exception as error:
            if as_json and hasattr(error, "format_message"):  # of typer: the command line itself is wrong
                print_json({"error": error.format_message()})
            raise
        finally:
            while _reserved:
                _delete_empty(_reserved.pop())


app = typer.Typer(
    cls=Commands,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help takes 0.1 s longer
    help="Solve, judge and play games in which players see different things.",
)

#: Options that are not the command's own are parameters of the game: --players 3.
GAME_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


def game_names(incomplete: str) -> list[str]:
    """The games that begin so, for the shell's completion."""
    from tefuda.games.catalogue import GAMES

    return [name for name in sorted(GAMES) if name.startswith(incomplete)]


def method_names(incomplete: str) -> list[str]:
    """The methods that begin so, for the shell's completion; after a comma, the next of several."""
    from tefuda.solvers.runs.methods import METHODS

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


Game = Annotated[
    str,
    typer.Argument(
        help="A game's name, file.py:Class, or a run of it. Its parameters are options: --players 3.",
        autocompletion=game_names,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object as the last line.")]


def to_write(path: Path | None) -> Path | None:
    """Refuse an option's file before any work if it cannot be written."""
    from tefuda.files import check_place

    if path is not None:
        check_place(path)
    return path


def to_write_in(folder: Path | None) -> Path | None:
    """Refuse an option's folder before any work if no files can be written in it."""
    to_write(None if folder is None else folder / "run.json")
    return folder


Png = Annotated[Path | None, typer.Option(help="Draw a picture of it to this file (extra plot).", callback=to_write)]
Seed = Annotated[int, typer.Option(help="Of the random numbers, where any are drawn.")]
Workers = Annotated[int, typer.Option(help="Processes.")]
Force = Annotated[bool, typer.Option("--force", help="Go on even if the estimate says the game is too large.")]


#: Registers a command.
command = app.command


def _said(message: str, as_json: bool) -> None:
    """Say why a command ends early: for people, and as the object a script reads."""
    print(f"tefuda: {harmless(message)}", file=sys.stderr)
    if as_json:
        print_json({"error": message})


def read_value(text: Any) -> Any:
    """A parameter's value as it is written in Python or JSON, else the text itself."""
    if not isinstance(text, str):
        return text
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            pass
    return text


def read_listed(name: str, text: str) -> list[int]:
    """``"3,7"`` as these numbers."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        why = f"{name} is {text!r}; give a number, or numbers separated by commas."
        raise ParameterError(why, key=name, value=text) from None


def read_numbers(name: str, text: str) -> list[int]:
    """``"5"`` as 1 to 5, ``"3,7"`` as just these."""
    listed = read_listed(name, text)
    if len(listed) == 1:
        check_range(name, listed[0], 1, 10_000)
    return listed if len(listed) > 1 else list(range(1, listed[0] + 1))


def read_assignments(texts: list[str]) -> dict[str, Any]:
    """``["alpha=2", "beta=0"]`` as a dict."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals:
            raise ParameterError(f"--set {name} sets nothing; write --set name=value.")
    return {name.strip(): read_value(value.strip()) for name, _, value in pairs}


def read_options(texts: list[str]) -> dict[str, Any]:
    """``["--players", "3", "--distinct-suits"]`` as a dict of values."""
    left, found = list(texts), {}
    while left:
        option = left.pop(0)
        if not option.startswith("--"):
            raise ParameterError(f"{option!r} stands alone; write the game first, then its options as --name value.")
        key, equals, text = option[2:].partition("=")
        if not equals:
            text = left.pop(0) if left and not left[0].startswith("--") else "True"
        found[key.replace("-", "_")] = read_value(text)
    return found


def read_method(name: str, changes: list[str], texts: list[str]) -> tuple[Any, dict[str, Any]]:
    """The method with its options, and the options left over for the game."""
    from tefuda.settings import known
    from tefuda.solvers.runs import methods

    options, value = read_options(texts), methods.find_method(name or methods.DEFAULT)
    fields = {key: options.pop(key) for key in list(options) if key in known(type(value)) and key != "name"}
    return methods.find_method(value, fields | read_assignments(changes)), options


def read_judge(text: str, game: Any) -> Any:
    """The judge that ``text`` names: nash-conv, none, against:AGENT or learned.

    Args:
        text: of the option.
        game: a tree, or rules or what is uncompiled, for agents.

    Raises:
        UnknownNameError: no such judge, or no such agent.
    """
    from tefuda.exploiting.judge import LearnedResponse
    from tefuda.exploiting.roster import named_agents
    from tefuda.forms.uncompiled import Uncompiled
    from tefuda.playing.judge import HeadToHead
    from tefuda.solvers.runs.judges import NashConv, Unjudged

    name, colon, agent = text.partition(":")
    if name == HeadToHead.name and agent:
        return HeadToHead(named_agents(game.rules if isinstance(game, Uncompiled) else game, [agent])[0])
    kinds = {kind.name: kind for kind in (NashConv, Unjudged, LearnedResponse)}
    if colon or name not in kinds:
        raise UnknownNameError("judge", text, (*kinds, "against:AGENT"))
    return kinds[name]()


def read_game(name: str, options: dict[str, Any], context: typer.Context | None = None) -> Any:
    """The game that ``name`` and options describe; ``name(seed=3)`` works too, and the folder of a run."""
    from tefuda.games.catalogue import load_game

    if is_run(name):
        return _game_of(Path(name), options, context)
    if name.startswith("-"):
        raise ParameterError(f"{name} stands where the game does; the game comes first, its options behind it.")
    parameters: dict[str, Any] = {}
    if match := re.fullmatch(r"(\w+)\((.*)\)", name):
        name = match[1]
        for part in filter(None, re.split(r",(?![^\[(]*[\])])", match[2])):
            key, _, text = part.partition("=")
            parameters[key.strip()] = read_value(text.strip())
    if twice := [key for key in parameters if key in options]:
        raise ParameterError(f"{twice[0]} is given twice, as {parameters[twice[0]]!r} and {options[twice[0]]!r}.")
    try:
        return load_game(name, **parameters, **options)
    except UnknownNameError as error:
        if error.name not in options:
            raise
        raise unknown_option(str(error.name), error.known, context) from None
    except ParameterError as error:
        error.args = (f"{error} (See also tefuda {sys.argv[1] if len(sys.argv) > 1 else ''} --help.)",)
        raise


def is_run(name: str) -> bool:
    """Whether the folder of a run stands where a game's name may."""
    return os.path.isfile(Path(name) / "run.json")


def _game_of(run: Path, options: Mapping[str, Any], context: typer.Context | None) -> Any:
    from tefuda.solvers.runs.run import naming, read_run
    from tefuda.solvers.runs.saved import game_of_run

    content = read_run(run)
    check_kept(run, content, options, context)
    with naming(run):
        return game_of_run(content)


def unknown_option(name: str, parameters: Iterable[str], context: typer.Context | None) -> UnknownNameError:
    """What to say of an option nobody takes: offers those of the command, of its method, and these parameters."""
    known = [*parameters]
    if context is not None:
        from tefuda.settings import known as options_of
        from tefuda.solvers.runs.methods import DEFAULT, METHODS

        known += [option.lstrip("-") for one in context.command.params for option in one.opts if option[:2] == "--"]
        if (method := METHODS.get(context.params.get("method") or DEFAULT)) and "method" in context.params:
            known += [field for field in options_of(type(method)) if field != "name"]
    flags = ["--" + option.replace("_", "-") for option in known]
    return UnknownNameError("option", "--" + name.replace("_", "-"), dict.fromkeys(flags))


_MOST = 10**15  # of anything counted: more than a machine does in a year


def whole(name: str, number: float, low: int = 1) -> int:
    """A whole number that may be written 1e7."""
    if not (math.isfinite(number) and number == int(number)):
        raise ParameterError(f"{name} is {number:g}; it must be a whole number.", key=name, value=number)
    if number > _MOST:
        raise ParameterError(f"{name} is {number:g}; no machine gets that far (at most {_MOST:g}).", key=name)
    check_range(name, int(number), low)
    return int(number)


def given(context: typer.Context) -> dict[str, str]:
    """The command's own options that stand on the command line: how they are written, by parameter."""
    options = [one for one in context.command.params if one.param_type_name == "option"]
    return {
        one.name: one.opts[0]
        for one in options
        if one.name and getattr(context.get_parameter_source(one.name), "name", "") == "COMMANDLINE"
    }


def only_own(context: typer.Context, what: str, honoured: Iterable[str]) -> None:
    """Raise ParameterError if an option of the command is given that cannot be honoured here."""
    for name, option in given(context).items():
        if name not in honoured:
            raise ParameterError(f"{option} can do nothing with {what}; leave it out.")


def check_kept(
    run: Path, content: Mapping[str, Any], options: Mapping[str, Any], context: typer.Context | None
) -> None:
    """Raise ParameterError if options say another game than that of a run: it is of one game for good."""
    kept = content["game_parameters"]
    for name, value in options.items():
        if name not in kept:
            raise unknown_option(name, kept, context)
        if json.loads(json.dumps(value, default=str)) != kept[name]:
            flag = "--" + name.replace("_", "-")
            raise ParameterError(f"{run} is a run of {content['game']} with {flag} {kept[name]}; {value!r} is another.")


def next_folder(parent: Path, name: str) -> Path:
    """Make the first of the folders name-1, name-2, ... that does not exist; two commands never get the same one.

    What shells would read in a name becomes ``_``. If the folder is still empty when the command ends, it is deleted.

    Raises:
        RunError: it cannot be made.
    """
    name, number = re.sub(r"[^\w.+-]+", "_", name).strip("_"), 1
    while True:
        folder = parent / f"{name}-{number}"
        to_write_in(folder)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            _reserved.append(folder)
            return folder
        number += 1


def _delete_empty(folder: Path) -> None:
    """Delete a folder if nothing is in it, and the one it is in likewise."""
    with contextlib.suppress(OSError):
        folder.rmdir()
        folder.parent.rmdir()


def say_how_it_ended(solution: Any, command: str) -> None:
    """A run that is not whole, or could not be saved, says so, and exits with another code.

    Args:
        solution: what solving gave.
        command: what goes on with its run, but for ``--resume RUN``.
    """
    if "unsaved" in solution.settings:
        print(harmless(f"tefuda: the run could not be saved: {solution.settings['unsaved']}"), file=sys.stderr)
        raise typer.Exit(1)
    if solution.status == "interrupted":
        words = f"go on with: {command} --resume {solution.run}" if solution.run else "nothing is kept"
        print(harmless(f"tefuda: interrupted; {words}"), file=sys.stderr)
        raise typer.Exit(130)


def build_tree(game: Any, force: bool = False) -> Any:
    """The compiled game; shows how far it is."""
    from tefuda.apps.display import building
    from tefuda.forms.compile import compile_game

    with building(game.name) as progress:
        return compile_game(game, progress=progress, force=force)


def tree_of(context: typer.Context, name: str, force: bool = False) -> Any:
    """The compiled game of a name and the options that are not the command's own."""
    return build_tree(read_game(name, read_options(context.args), context), force)


def print_json(content: Any) -> None:
    """The line a script reads; what is no number is null, as JSON has none such."""
    print(json.dumps(_finite(content), allow_nan=False))


def _finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {name: _finite(value) for name, value in content.items()}
    return [_finite(value) for value in content] if isinstance(content, (list, tuple)) else content
