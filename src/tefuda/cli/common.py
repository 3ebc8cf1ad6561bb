"""What all commands share: how they are registered, and how games, methods and numbers are read."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tefuda.errors import InputError, ParameterError, TefudaError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help takes 0.1 s longer
    help="Solve, judge and play games in which players see different things.",
)

#: Options that are not the command's own are parameters of the game: --players 3.
GAME_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}

Game = Annotated[str, typer.Argument(help="A game's name, or file.py:Class. Its parameters are options: --players 3.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object as the last line.")]
Force = Annotated[bool, typer.Option("--force", help="Go on even if the estimate says the game is too large.")]


def command(**settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command; errors of ours become a message and an exit code: 2 for bad input, else 1."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> None:
            try:
                function(*args, **kwargs)
            except TefudaError as error:
                print(f"tefuda: {error}", file=sys.stderr)
                raise typer.Exit(2 if isinstance(error, InputError) else 1) from None
            except KeyboardInterrupt:
                print("tefuda: interrupted before there was anything to keep", file=sys.stderr)
                raise typer.Exit(130) from None

        return app.command(**settings)(guarded)

    return register


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


def read_numbers(name: str, text: str) -> list[int]:
    """``"5"`` as 1 to 5, ``"3,7"`` as just these."""
    try:
        listed = [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"{name} is {text!r}; give a number, or numbers separated by commas.") from None
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
            raise ParameterError(f"{option!r} stands alone; write parameters as --name value.")
        key, equals, text = option[2:].partition("=")
        if not equals:
            text = left.pop(0) if left and not left[0].startswith("--") else "True"
        found[key.replace("-", "_")] = read_value(text)
    return found


def read_method(name: str, changes: list[str], texts: list[str]) -> tuple[Any, dict[str, Any]]:
    """The method with its options, and the options left over for the game."""
    from tefuda import methods

    options, value = read_options(texts), methods.find_method(name or methods.DEFAULT)
    fields = {key: options.pop(key) for key in list(options) if key in value.parameters() and key != "name"}
    return methods.find_method(value, fields | read_assignments(changes)), options


def read_game(name: str, options: dict[str, Any]) -> Any:
    """The game that ``name`` and options describe; ``name(seed=3)`` works too."""
    from tefuda.games import load_game

    parameters: dict[str, Any] = {}
    if match := re.fullmatch(r"(\w+)\((.*)\)", name):
        name = match[1]
        for part in filter(None, re.split(r",(?![^\[(]*[\])])", match[2])):
            key, _, text = part.partition("=")
            parameters[key.strip()] = read_value(text.strip())
    try:
        return load_game(name, **parameters, **options)
    except ParameterError as error:
        raise ParameterError(f"{error} (See also tefuda {sys.argv[1] if len(sys.argv) > 1 else ''} --help.)") from None


def whole(name: str, number: float) -> int:
    """A whole number that may be written 1e7."""
    if number != int(number):
        raise ParameterError(f"{name} is {number}; it must be a whole number.")
    return int(number)


def build_tree(game: Any, force: bool = False) -> Any:
    """The compiled game; shows how far it is."""
    from tefuda.display import building
    from tefuda.tree import compile_game

    with building(game.name) as progress:
        return compile_game(game, progress=progress, force=force)


def tree_of(context: typer.Context, name: str, force: bool = False) -> Any:
    """The compiled game of a name and the options that are not the command's own."""
    return build_tree(read_game(name, read_options(context.args)), force)


def print_json(content: dict[str, Any]) -> None:
    """The line a script reads."""
    print(json.dumps(content))
