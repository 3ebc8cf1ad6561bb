"""Registration of commands, their results, and their exit codes."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

from typer import Context, Exit, Typer
from typer.core import TyperCommand, TyperGroup

from tefuda.apps.cli.shared.options import writable_folder
from tefuda.errors import InputError, ParameterError, TefudaError
from tefuda.views import finite_json
from tefuda.words import Notify, escaped

_reserved: list[Path] = []  # folders that `make_next_folder` made for the current command


class Section(StrEnum):
    """Sections in which ``tefuda --help`` lists the commands."""

    SOLVE = "Solve and evaluate"
    PLAY = "Play"
    GAMES = "Games"
    PAPERS = "Papers and documentation"


class SectionedGroup(TyperGroup):
    """A group of commands whose help lists them in sections, by their `rich_help_panel`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel, with the first sentence of each command's help."""
        widest = max(map(len, self.commands))
        sections: dict[str, list[tuple[str, str]]] = {}
        commands: dict[str, Any] = dict(self.commands)
        for name, command in commands.items():
            row = name.ljust(widest), command.get_short_help_str(formatter.width - 6 - widest)
            sections.setdefault(str(command.rich_help_panel or "Commands"), []).append(row)
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)


def examples(*lines: str) -> str:
    """Return the end of a help page: command lines that are shown unbroken."""
    return "\n".join(("\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)))


def option_pairs(texts: list[str]) -> list[tuple[str, str]]:
    """Return ``["--players", "3", "--distinct-suits"]`` as names and values.

    Raises:
        ParameterError: a word is no option and no value of one.
    """
    left, pairs = list(texts), []
    while left:
        option = left.pop(0)
        if not option.startswith("--"):
            raise ParameterError(
                f"{option!r} is not an option; write the game first, then its options as --name value.", value=option
            )
        name, equals, text = option[2:].partition("=")
        if not equals:
            text = left.pop(0) if left and not left[0].startswith("--") else "True"
        pairs.append((name.replace("-", "_"), text))
    return pairs


class StrictCommand(TyperCommand):
    """A command that refuses words beyond its arguments and the options of the game."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; raise ParameterError if a word is left over."""
        rest = super().parse_args(ctx, args)
        values = [ctx.params[each.name] for each in self.params if each.param_type_name == "argument"]
        options = [value for value in values if isinstance(value, str) and value.startswith("-")]
        if not ctx.resilient_parsing:
            option_pairs([*options, *ctx.args])  # an option in the place of an argument comes before the others
        return rest


def listed(section: str, *lines: str) -> dict[str, Any]:
    """Return the settings of a command: its class, its section in the list of commands, and its examples."""
    return {"cls": StrictCommand, "rich_help_panel": section, "epilog": examples(*lines)}


class Commands(SectionedGroup):
    """All commands; errors end them with exit code 2 for bad input, 130 for an interruption, else 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; print its errors as a message and, with ``--json``, as an object."""
        words = list(ctx.args)
        as_json = "--json" in words
        try:
            return super().invoke(ctx)
        except TefudaError as error:
            _print_error(_with_option(error, words), as_json)
            raise Exit(2 if isinstance(error, InputError) else 1) from None
        except KeyboardInterrupt as error:
            consequence = str(error) or "nothing is saved; repeat the command to start again"
            _print_error(f"interrupted; {consequence}", as_json)
            raise Exit(130) from None
        except Exception as error:
            if as_json and hasattr(error, "format_message"):  # typer rejects the command line
                print_json({"error": error.format_message()})
            raise
        finally:
            while _reserved:
                with contextlib.suppress(OSError):  # deletes the folder and its parent if they are empty
                    folder = _reserved.pop()
                    folder.rmdir()
                    folder.parent.rmdir()


app = Typer(
    cls=Commands,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help takes 0.1 s longer
    help="Solve, evaluate and play games of imperfect information.",
    epilog=examples(
        "tefuda solve leduc --iterations 10000 --out runs/leduc",
        "tefuda evaluate runs/leduc",
        "tefuda play runs/leduc",
        "tefuda games",
    ),
)
command = app.command

#: Options whose keys in messages have another name.
_OPTION_OF = {"rake_rate": "--rake", "sizes": "--raise"}
#: Options that the command does not declare are parameters of the game: --players 3.
GAME_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


def _with_option(error: TefudaError, words: list[str]) -> str:
    """Return the message of an error, with an option as it is on the command line: ``--rake-cap``."""
    message, key = str(error), str(getattr(error, "key", ""))
    typed = {word.partition("=")[0] for word in words}
    for option in (flag(key), _OPTION_OF.get(key, "")):
        if key and option in typed and message.startswith(key):
            return option + message.removeprefix(key)
    return message


def _print_error(message: str, as_json: bool) -> None:
    print(f"tefuda: {escaped(message)}", file=sys.stderr)
    if as_json:
        print_json({"error": message})


def print_json(content: Any) -> None:
    """Print one line of JSON for scripts; numbers that are not finite are null."""
    print(json.dumps(finite_json(content), allow_nan=False))


def report(as_json: bool, content: Any, things: Iterable[Any], png: Path | None = None) -> None:
    """Print JSON, or else tables and texts, and the file of the picture."""
    if as_json:
        print_json(content)
        return
    from tefuda.apps.display.colours import file_link
    from tefuda.apps.display.consoles import show

    show(*things, *([] if png is None else [file_link(f"picture in {png}", png)]))


def notifying(name: str) -> contextlib.AbstractContextManager[Notify]:
    """Show the current step of a long computation; see `display.progress.notifying`."""
    from tefuda.apps.display.progress import notifying

    return notifying(name)


def flag(name: str) -> str:
    """Return the option of a parameter: ``--rake-cap`` for ``rake_cap``."""
    return "--" + name.replace("_", "-")


def given_options(context: Context) -> dict[str, str]:
    """Return the options on the command line by parameter: ``{"rake_cap": "--rake-cap"}``."""
    options = [option for option in context.command.params if option.param_type_name == "option"]
    return {
        option.name: option.opts[0]
        for option in options
        if option.name and getattr(context.get_parameter_source(option.name), "name", "") == "COMMANDLINE"
    }


def allow_only(context: Context, option: str, allowed: Iterable[str]) -> None:
    """Raise ParameterError if an option is given that is not allowed beside another one."""
    refuse_options(context, f"has no effect with {option}; leave it out.", given_options(context).keys() - {*allowed})


def refuse_options(context: Context, reason: str, names: Iterable[str]) -> None:
    """Raise ParameterError with the reason if one of the named options is given."""
    for name, option in given_options(context).items():
        if name in names:
            raise ParameterError(f"{option} {reason}", key=name)


def make_next_folder(parent: Path, name: str) -> Path:
    """Make the first unused folder name-1, name-2, ...; if still empty at the end, it is deleted."""
    from tefuda.files import file_name

    number = 1
    while True:
        folder = parent / f"{file_name(name)}-{number}"
        writable_folder(folder)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            _reserved.append(folder)
            return folder
        number += 1


def exit_by_status(solution: Any, command: str) -> None:
    """Exit with code 1 if the run was not saved, with code 130 if it was interrupted."""
    if "unsaved" in solution.settings:
        print(escaped(f"tefuda: the run could not be saved: {solution.settings['unsaved']}"), file=sys.stderr)
        raise Exit(1)
    if solution.status == "interrupted":
        hint = f"resume with: {command} --resume {solution.run}" if solution.run else "nothing is saved"
        print(escaped(f"tefuda: interrupted; {hint}"), file=sys.stderr)
        raise Exit(130)
