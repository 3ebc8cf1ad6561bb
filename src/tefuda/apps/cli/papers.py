"""Published results beside ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Json,
    Png,
    command,
    print_json,
    read_options,
    to_write,
    unknown_option,
)
from tefuda.apps.cli.shared.interruption import going_on
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.words import harmless

if TYPE_CHECKING:
    from tefuda.papers.claims import ClaimTable
    from tefuda.papers.experiment import Option


@command(context_settings={**GAME_OPTIONS, "help_option_names": []})
def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="Which published result.")] = "",
    png: Png = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write every number of its tables to this file.", callback=to_write)
    ] = None,
    as_json: Json = False,
    about: Annotated[bool, typer.Option("--help", "-h", help="This, or what an experiment takes.")] = False,
) -> None:
    """Run a published experiment again; without a name, list them.

    Its tables stand beside ours, its claims beside our verdicts.
    Options an experiment takes are given as --name value: tefuda reproduce nfsp-exploration --games 1e6 --seeds 2.
    tefuda reproduce NAME --help says which.
    The exit code is 1 if a table or claim is not met; the last line names them.
    """
    from tefuda.papers.catalogue import PAPERS

    if paper and paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    if about or not paper:
        _explain(context, paper, about, as_json)
        return
    experiment, options = PAPERS[paper], read_options(context.args)
    for name in options:
        if name not in experiment.options:
            raise unknown_option(name, experiment.options, context)
    experiment.checked(options)
    _check_files(png, csv)
    from tefuda.apps.display import telling

    kept = {**experiment.defaults(), **options}.get("folder")
    words = f"the same command goes on with what {kept} holds" if kept else "nothing is kept, it begins again"
    with going_on(words), telling(paper) as tell:
        table = experiment(tell, **options)
    _write(table, png, csv)
    if as_json:
        print_json(table.summary())
    else:
        from tefuda.apps.display import show_claims

        show_claims(table)
    if not table.met:
        words = f"exit code 1, for the experiment ran to its end and these are not met: {', '.join(table.unmet)}"
        hint = "; with its defaults more of them may be" if options else ""
        print(harmless(f"tefuda: {words}{hint}."), file=sys.stderr)
        raise typer.Exit(1)


def _explain(context: typer.Context, paper: str, about: bool, as_json: bool) -> None:
    """What there is, or what one experiment takes and how long."""
    from tefuda.papers.catalogue import PAPERS

    if paper:
        print(describe(paper))
    elif as_json:
        print_json({name: experiment.about for name, experiment in PAPERS.items()})
    else:
        if about:
            print(context.get_help() + "\n")
        print("\n".join(f"{name:26} {experiment.about}" for name, experiment in PAPERS.items()))


def describe(paper: str) -> str:
    """An experiment for people: what it does, how long it takes, its options."""
    from tefuda.papers.catalogue import PAPERS

    experiment = PAPERS[paper]
    lines = [f"tefuda reproduce {paper}: {experiment.about}.", f"Takes {experiment.time}.", ""]
    defaults = experiment.defaults()
    for name, option in experiment.options.items():
        lines.append(f"  --{name.replace('_', '-'):14} {_option(option, defaults[name])}")
    lines.append(f"  --{'png FILE':14} draw its pictures (extra plot)")
    lines.append(f"  --{'csv FILE':14} write every number of its tables")
    lines.append(f"  --{'json':14} print a JSON object as the last line")
    return "\n".join(lines)


def _option(option: Option, default: Any) -> str:
    choices = f": {' or '.join(option.choices)}" if option.choices else ""
    return f"{option.about}{choices} (default {default})"


def _check_files(png: Path | None, csv: Path | None) -> None:
    """Refuse what cannot be written before anything runs."""
    if png is not None:
        from tefuda.apps.plot import require_matplotlib

        require_matplotlib(png)
    for path in (png, csv):
        if path is not None and not os.path.isdir(path.absolute().parent):
            raise ParameterError(f"{path} cannot be written: there is no folder {path.absolute().parent}.")


def _write(table: ClaimTable, png: Path | None, csv: Path | None) -> None:
    """Pictures and numbers as files."""
    if png is not None:
        from tefuda.apps.plot import plot_panels

        plot_panels(table.panels, png, title=table.title)
    if csv is not None:
        from tefuda.files import write_bytes

        write_bytes(csv, table.csv().encode())
    for path in (png, csv):
        if path is not None:
            print(f"written to {path}", file=sys.stderr)
