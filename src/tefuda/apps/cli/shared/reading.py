"""Parsing of games, methods, evaluators and numbers on the command line."""

from __future__ import annotations

import ast
import json
import math
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from typer import Context

from tefuda.apps.cli.shared.common import flag, option_pairs
from tefuda.errors import InputError, ParameterError, UnknownNameError, check_range, out_of_range
from tefuda.words import parse_number

_LARGEST = 10**15  # of any count: more than a machine does in a year


def whole_number(name: str, number: float, low: int = 1) -> int:
    """Return a whole number, which may be written as 1e7."""
    if not (math.isfinite(number) and number == int(number)):
        raise out_of_range(name, number, "a whole number")
    if number > _LARGEST:
        raise out_of_range(name, number, f"at most {_LARGEST:g}")
    check_range(name, int(number), low)
    return int(number)


def read_value(text: str) -> Any:
    """Return the value of a Python or JSON literal, else the text itself; see `_ExactNumbers` for lists."""
    for read in (_literal, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            pass
    return text


def _literal(text: str) -> Any:
    text = text.strip().replace("\n", " ")
    body = ast.parse(text, mode="eval").body
    return ast.literal_eval(_ExactNumbers(text).visit(body) if isinstance(body, (ast.List, ast.Tuple)) else body)


class _ExactNumbers(ast.NodeTransformer):
    """The numbers of a list that Python would not keep as written, such as 1/3, as texts."""

    def __init__(self, text: str) -> None:
        self.text = text.encode()

    def visit(self, node: ast.AST) -> ast.AST:
        """Return a text in place of such a number."""
        from tefuda.games.answers import exact_number, read_number

        if not isinstance(node, (ast.Constant, ast.UnaryOp, ast.BinOp)):
            return self.generic_visit(node)
        written = self.text[node.col_offset : node.end_col_offset].decode().replace(" ", "")
        number = read_number(written)
        value = None if number is None or isinstance(node, ast.BinOp) else ast.literal_eval(node)
        exact = isinstance(value, int) or (value is not None and math.isfinite(value) and exact_number(value) == number)
        return node if number is None or exact else ast.Constant(written)


def read_names(text: str) -> list[str]:
    """Return the names in ``"a, b"``."""
    return [name.strip() for name in text.split(",")]


def read_integers(name: str, text: str) -> list[int]:
    """Return the numbers in ``"3,7"``."""
    if not re.fullmatch(r"\s*-?[0-9]{1,18}\s*(,\s*-?[0-9]{1,18}\s*)*", text):
        raise out_of_range(name, text, "a number, or numbers separated by commas")
    return [int(part) for part in text.split(",")]


def read_seeds(name: str, text: str) -> list[int]:
    """Return the seeds 1 to 5 for ``"5"``, 3 and 7 for ``"3,7"``, and 7 for ``"7,"``."""
    listed = read_integers(name, text.removesuffix(","))
    if "," in text:
        return listed
    check_range(name, listed[0], 1, 10_000)
    return list(range(1, listed[0] + 1))


def assignments(texts: list[str] | None) -> list[tuple[str, str]]:
    """Return ``["alpha=2", "beta=0"]`` as names and texts."""
    pairs = [text.partition("=") for text in texts or ()]
    for name, equals, _ in pairs:
        if not equals:
            raise ParameterError(f"--set must be name=value, got {name}.", key=name)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def split_words(texts: list[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first option, and the rest."""
    first = next((number for number, text in enumerate(texts) if text.startswith("-")), len(texts))
    return texts[:first], texts[first:]


def read_options(texts: list[str]) -> dict[str, Any]:
    """Return ``["--players", "3", "--distinct-suits"]`` as a dict of values."""
    return {name: read_value(text) for name, text in option_pairs(texts)}


def read_number(name: str, text: str) -> float:
    """Return the number in ``"1e3"``."""
    try:
        return float(text)
    except ValueError:
        raise out_of_range(name, text, "a number") from None


def read_numbers(name: str, text: str) -> list[int | float]:
    """Return the numbers in ``"4000, 12.5"``."""
    try:
        return [parse_number(part.strip()) for part in text.split(",")]
    except ValueError:
        raise out_of_range(name, text, "numbers separated by commas, such as 10,7.5") from None


class Undeclared(NamedTuple):
    """The options that a command does not declare, and those of --set.

    own: values of those of the game. others: texts of the rest. known: names of all options of the game.
    """

    own: dict[str, Any]
    others: dict[str, str]
    known: Iterable[str]

    def refuse_others(self, known: Iterable[str], context: Context) -> None:
        """Raise UnknownNameError if one of the others is not known."""
        for name in self.others:
            if name not in known:
                raise unknown_option(name, [*self.known, *known], context)


def split_options(context: Context, name: str) -> Undeclared:
    """Return the undeclared options of a command on a game."""
    known, own, others = _parameters(name), dict[str, Any](), dict[str, str]()
    for option, text in option_pairs(context.args):
        if option in known:
            own[option] = read_value(text)
        else:
            others[option] = text
    return Undeclared(own, others | dict(assignments(context.params.get("change"))), known)


def _parameters(name: str) -> Collection[str]:
    """Return the names of the parameters of a game, or of the game of a run."""
    from tefuda.games.catalogue import parameters_of

    if is_run(name):
        from tefuda.solvers.runs.run import read_run

        parameters: Collection[str] = read_run(Path(name))["game_parameters"]
        return parameters
    return () if name.startswith("-") else parameters_of(name.partition("(")[0]).keys()


def with_own_options(method: Any, options: Undeclared, context: Context) -> Any:
    """Return a method with those of the options that are not the game's.

    Raises:
        UnknownNameError: an option is of neither.
        ParameterError: an option is of both.
    """
    from tefuda.settings import option_fields
    from tefuda.solvers.runs.methods import find_method

    fields = option_fields(type(method)).keys() - {"name"}
    for name, value in options.own.items():
        if name in fields:
            raise ParameterError(
                f"{flag(name)} is an option of the game and of {method.name}; write {context.params['game']}"
                f"({name}={value}) for the game's, --set {name}={value} for the method's.",
                key=name,
            )
    options.refuse_others(fields, context)
    return find_method(method, {name: read_value(text) for name, text in options.others.items()})


def read_game(name: str, options: dict[str, Any], context: Context) -> Any:
    """Return the game of a name, of ``name(seed=3)``, or of a run folder, with the options."""
    from tefuda.games.catalogue import load_game

    if is_run(name):
        from tefuda.solvers.runs.job import Job
        from tefuda.solvers.runs.run import read_run

        check_same_game(Path(name), read_run(Path(name)), options, context)
        return Job.read(name).game
    if name.startswith("-"):
        raise ParameterError(f"expected a game, got the option {name}; write the game first, then its options.")
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


def positional_game(context: Context, game: str) -> str:
    """Return the game, or "" if an option is in its place; the option joins the others."""
    if not game.startswith("-"):
        return game
    context.args = [game, *context.args]
    return ""


def is_run(name: str) -> bool:
    """Return True if a name is the folder of a run."""
    return os.path.isfile(Path(name) / "run.json")


def game_of(context: Context, name: str) -> Any:
    """Return the game of a name, with the undeclared options as its parameters."""
    return read_game(name, read_options(context.args), context)


def saved_rules(context: Context, name: str, saved: str, parameters: Mapping[str, Any]) -> Any:
    """Return the rules of a saved game; the name and the options must not be of another game."""
    from tefuda.games.catalogue import load_game
    from tefuda.solvers.runs.run import read_run

    if is_run(name):
        name = read_run(Path(name))["game"]
    for parameter, value in read_options(context.args).items():
        if parameters.get(parameter) != value:
            expected = parameters.get(parameter, "not there")
            raise ParameterError(f"{flag(parameter)} is {value!r}; in the file it is {expected!r}.", key=parameter)
    try:
        rules = load_game(name, **parameters)
    except InputError as error:
        raise error.located(f"the file is of {saved} with its parameters") from None
    if rules.name != saved:
        raise ParameterError(f"the file is of {saved}, not of {rules.name}.")
    return rules


def tree_of(context: Context, name: str, force: bool = False, workers: int = 1) -> Any:
    """Return the compiled game of a name and the undeclared options."""
    return build_tree(game_of(context, name), force, workers)


def build_tree(game: Any, force: bool = False, workers: int = 1) -> Any:
    """Compile a game and show progress."""
    from tefuda.apps.display.progress import building
    from tefuda.forms.compile import compile_game

    with building(game.name) as progress:
        return compile_game(game, progress=progress, force=force, workers=workers)


def unknown_option(name: str, parameters: Iterable[str], context: Context) -> UnknownNameError:
    """Return the error of an unknown option, which suggests the nearest known one."""
    own = [opt.lstrip("-") for option in context.command.params for opt in option.opts if opt[:2] == "--"]
    return UnknownNameError("option", flag(name), dict.fromkeys(map(flag, [*parameters, *own])))


def check_same_game(run: Path, content: Mapping[str, Any], options: Mapping[str, Any], context: Context) -> None:
    """Raise ParameterError if options differ from the parameters of a run's game."""
    saved = content["game_parameters"]
    for name, value in options.items():
        if name not in saved:
            raise unknown_option(name, saved, context)
        if json.loads(json.dumps(value, default=str)) != saved[name]:
            message = f"{run} is a run of {content['game']} with {flag(name)} {saved[name]}, got {value!r}."
            raise ParameterError(message, key=name, value=value)
