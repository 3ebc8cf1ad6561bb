"""Names of runs in addresses of the page; some names mean something else there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tefuda.apps.web.calls import NotFound
from tefuda.errors import RunError
from tefuda.solvers.runs import listing
from tefuda.solvers.runs.listing import RunSummary

MADE = ("new:", "uniform:")  # starts of the ids of strategies that are made on demand
PUSH_FOLD = "pushfold:"  # start of the names of push-or-fold games, which are solved on demand


def list_runs(folder: Path) -> list[RunSummary]:
    """Return the runs of a folder; a run whose name is impossible in an address is listed with the error."""
    return [_readable(run) for run in listing.list_runs(folder)]


def _readable(run: RunSummary) -> RunSummary:
    if not (reason := _refusal(run.id)):
        return run
    shown = run.id if _is_text(run.id) else f"{run.id.encode(errors='replace').decode()}/"  # the id of no other run
    return replace(run, id=shown, status="damaged", error=reason)


def find_run(folder: Path, run: str) -> Path:
    """Return the folder of a run by its name.

    Raises:
        NotFound: there is no such run, it has links, or its name is impossible in an address.
    """
    if reason := _refusal(run):
        raise NotFound(reason, key="run", value=run)
    try:
        return listing.find_run(folder, run)
    except RunError as error:
        raise (unknown_run(run) if error.key == "run" else NotFound(str(error), key="run", value=run)) from None


def unknown_run(run: str) -> NotFound:
    """Return the error for a name that no run has."""
    return NotFound(f"there is no run {run[:80]!r}; open the list of runs.", key="run", value=run)


def _refusal(name: str) -> str:
    """Return the reason why a name of a run is impossible in an address, or ""."""
    cure = "Rename the folder."
    if name.startswith((*MADE, PUSH_FOLD)):
        return f"names that begin with {name.partition(':')[0]}: are those of strategies made on demand. {cure}"
    if "," in name:
        return f"commas separate the names of runs. {cure}"
    return "" if _is_text(name) else f"its name is no text in UTF-8. {cure}"


def _is_text(name: str) -> bool:
    return name.encode(errors="replace").decode() == name
