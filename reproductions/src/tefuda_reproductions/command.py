"""The command ``tefuda reproduce``: one experiment, all of them, or their list."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from typer import Context, Exit

from tefuda.apps.cli.shared.common import flag, notifying, print_json, report
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import read_options, unknown_option
from tefuda.errors import MissingExtraError, ParameterError, UnknownNameError
from tefuda.words import count, escaped
from tefuda_reproductions.catalogue import PAPERS


def run(
    context: Context,
    paper: str,
    *,
    everything: bool,
    quick: bool,
    png: Path | None,
    csv: Path | None,
    as_json: bool,
    about: bool,
) -> None:
    """Run an experiment or all, or explain the command or an experiment; see ``tefuda reproduce --help``."""
    if paper and paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    if everything and not about:
        if paper or png or csv or context.args:
            raise ParameterError("--all runs every experiment, and only --quick and --json go with it.", key="all")
        _run_all(quick, as_json)
    elif about or not paper:
        _explain(context, paper, about, as_json)
    else:
        _run_one(context, paper, quick, png, csv, as_json)


def _run_one(context: Context, paper: str, quick: bool, png: Path | None, csv: Path | None, as_json: bool) -> None:
    """Run an experiment and report its tables and claims; exit code 1 if one is not met."""
    experiment, chosen = PAPERS[paper], read_options(context.args)
    if quick:
        chosen = experiment.quick() | chosen
    for name in chosen:
        if name not in experiment.options:
            raise unknown_option(name, experiment.options, context)
    experiment.validated(chosen)
    folder = {**experiment.defaults(), **chosen}.get("folder")
    resumable = f"repeat the command to resume the runs in {folder}"
    with (
        on_interruption(resumable if folder else "nothing is saved; repeat the command to start again"),
        notifying(paper) as notify,
    ):
        table = experiment(notify, **chosen)
    if png is not None:
        from tefuda.apps.plot import plot_panels

        plot_panels(table.panels, png, title=table.title)
    if csv is not None:
        from tefuda.files import write_bytes

        write_bytes(csv, table.csv().encode())
    for path in filter(None, (png, csv)):
        print(f"written to {path}", file=sys.stderr)
    from tefuda_reproductions.report import claims_report

    report(as_json, table.summary(), claims_report(table))
    if not table.met:
        message = f"exit code 1: the experiment is complete, but these are not met: {', '.join(table.unmet)}"
        hint = "; the default options may meet more of them" if chosen else ""
        print(escaped(f"tefuda: {message}{hint}."), file=sys.stderr)
        raise Exit(1)


def _run_all(quick: bool, as_json: bool) -> None:
    """Run every experiment and print a line for each; exit code 1 if a table or claim is not met."""
    results: dict[str, Any] = {}
    for name, experiment in PAPERS.items():
        start = time.monotonic()
        try:
            with on_interruption(f"{count(len(results), 'experiments')} done"), notifying(name) as notify:
                table = experiment(notify, **(experiment.quick() if quick else {}))
        except MissingExtraError as error:
            results[name] = {"skipped": str(error)}
            line = f"skipped: {error}"
        else:
            unmet = f"; not met: {', '.join(table.unmet)}" if table.unmet else ""
            results[name] = {**table.summary(), "seconds": time.monotonic() - start}
            line = f"{time.monotonic() - start:6.0f} s  {table.score}{unmet}"
        if not as_json:
            print(escaped(f"{name:26}{line}"), flush=True)
    if as_json:
        print_json(results)
    if quick:
        print("tefuda: --quick uses few iterations; without it, more tables and claims may be met.", file=sys.stderr)
    if not all(content.get("met", True) for content in results.values()):
        raise Exit(1)


def _explain(context: Context, paper: str, about: bool, as_json: bool) -> None:
    if context.args:
        raise ParameterError(f"{context.args[0]} needs the name of an experiment to run.", key=context.args[0])
    if paper:
        print(describe(paper))
        return
    if about and not as_json:
        print(context.get_help() + "\n")
    known = {name: experiment.about for name, experiment in PAPERS.items()}
    if as_json:
        print_json(known)
    else:  # without rich, whose import takes a quarter of the time
        print("\n".join(f"{name:26} {text}" for name, text in known.items()))


def describe(paper: str) -> str:
    """Return the help of an experiment: its purpose, its run time, and its options."""
    experiment = PAPERS[paper]
    defaults = experiment.defaults()
    own = {flag(name)[2:]: _option(option, defaults[name]) for name, option in experiment.options.items()}
    shared = {
        "png FILE": "draw the pictures (extra plot)",
        "csv FILE": "write all numbers of the tables",
        "json": "print the result as a JSON object",
    }
    lines = [f"tefuda reproduce {paper}: {experiment.about}.", f"Takes {experiment.time}.", ""]
    return "\n".join([*lines, *(f"  --{name:14} {text}" for name, text in {**own, **shared}.items())])


def _option(option: Any, default: Any) -> str:
    choices = f": {' or '.join(option.choices)}" if option.choices else ""
    return f"{option.about}{choices} (default {default})"
