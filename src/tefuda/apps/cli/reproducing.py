"""Reproductions of published results, which are a package of their own."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

from typer import Argument, Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, Section, command, listed
from tefuda.errors import missing_reproductions

_PACKAGE = "tefuda_reproductions"


@command(
    context_settings={**GAME_OPTIONS, "help_option_names": []},
    **listed(Section.PAPERS, "tefuda reproduce rps-matching", "tefuda reproduce --all --quick"),
)
def reproduce(
    context: Context,
    paper: Annotated[str, Argument(help="Name of an experiment.")] = "",
    everything: Annotated[bool, Option("--all", help="Run every experiment.")] = False,
    quick: Annotated[bool, Option("--quick", help="Run with few iterations, for a first look.")] = False,
    png: options.Png = None,
    csv: options.Csv = None,
    as_json: options.Json = False,
    about: Annotated[bool, Option("--help", "-h", help="Explain this command or an experiment.")] = False,
) -> None:
    """Reproduce a published experiment; without a name, list them.

    Prints the published tables and claims beside ours. Experiments have options of their own, such as --games 1e6: see
    tefuda reproduce NAME --help. With --all, each experiment prints one line. The exit code is 1 if a table or claim is
    not met; the last line names these. Needs the package tefuda-reproductions.
    """
    if find_spec(_PACKAGE) is None:
        raise missing_reproductions("tefuda reproduce")
    import_module(f"{_PACKAGE}.command").run(
        context, paper, everything=everything, quick=quick, png=png, csv=csv, as_json=as_json, about=about
    )
