"""Solves of the page: runs in the folder of the workspace, live while a job computes them."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tefuda.apps.web.jobs import FAILED, WAITING, Job, Jobs
from tefuda.apps.web.messages.solving.solve import planned_state, saved_state
from tefuda.apps.web.own_games import sources
from tefuda.apps.web.plans import read_plan, resume_run, run_plan
from tefuda.apps.web.run_names import find_run
from tefuda.apps.web.streams import Channel
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, RunError, TefudaError
from tefuda.files import check_writable, write_json
from tefuda.solvers.runs.driver import Goal
from tefuda.solvers.runs.job import NO_GOAL
from tefuda.solvers.runs.job import Job as Plan
from tefuda.solvers.runs.run import PLAN_FILE, holds_run

_EVENTS = 200  # stored for browsers that come back; older states are read from the run


def solves_of(workspace: Workspace) -> Solves:
    """Return the solves of a workspace."""

    def make() -> Solves:
        solves = Solves(workspace.folder, workspace.jobs)
        solves.restart()
        return solves

    return workspace.part("solves", make)


class Solves:
    """The solves of a server.

    Args:
        folder: folder of the runs; the id of a run is the name of its folder.
        jobs: the jobs of the server.

    Attributes:
        channel: events of all solves, each with the id of its run and the number of its version.
    """

    def __init__(self, folder: Path, jobs: Jobs) -> None:
        self.folder, self.jobs, self.channel = folder, jobs, Channel(_EVENTS)
        self._live = dict[str, dict[str, Any]]()  # states of the runs that jobs of this server compute
        self._lock, self._resuming = threading.Lock(), threading.Lock()

    def start(self, plan: Plan) -> str:
        """Start a solve in a new run; return the id of the run.

        Raises:
            ParameterError: too many solves are waiting.
        """
        folder = _new_folder(self.folder, f"{plan.game.name}-{plan.method.name}")
        write_json(folder / PLAN_FILE, plan.to_json())
        try:
            self._begin(folder, planned_state(plan), run_plan)
        except Exception:
            _discard(folder)
            raise
        return folder.name

    def restart(self) -> None:
        """Restart the solves that a killed server had accepted, but of which it had saved no iteration."""
        for path in sorted(self.folder.glob(f"*/{PLAN_FILE}")):
            folder = path.parent
            if not (holds_run(folder) or folder.is_symlink() or path.is_symlink()):
                with contextlib.suppress(TefudaError, TypeError):  # a damaged plan, or a full queue
                    self._begin(folder, planned_state(read_plan(folder)), run_plan)

    def resume(self, run: str, goal: Goal) -> None:
        """Resume a run; without rules in the goal it keeps its own, and is left alone while it waits or runs.

        Raises:
            RunError: there is no such run, or it is damaged.
            ParameterError: a new goal for a run that waits or runs, or too many solves are waiting.
        """
        with self._resuming:
            job = self.jobs.find(run)
            if job is None or not job.active:
                folder = find_run(self.folder, run)
                self._begin(folder, saved_state(folder), resume_run, goal)
            elif goal != NO_GOAL:
                raise ParameterError(f"{run} is being computed; pause it, then give it a new goal.", key="goal")

    def interrupt(self, run: str, reason: str) -> None:
        """Pause a run (``"pause"``) or end it (``"stop"``); nothing happens if it is not running.

        Raises:
            RunError: there is no such run.
        """
        if run not in self._live:
            find_run(self.folder, run)
        self.jobs.interrupt(run, reason)

    def state(self, run: str) -> dict[str, Any]:
        """Return the state of a run with its curve, live or saved.

        Raises:
            RunError: there is no such run, or it is damaged.
        """
        with self._lock:
            if live := self._live.get(run):
                return {**live, "id": run, "curve": list(live["curve"])}
        return {**saved_state(find_run(self.folder, run)), "version": 0}

    def close(self) -> None:
        """End the streams."""
        self.channel.close()

    def _begin(self, folder: Path, state: Mapping[str, Any], function: Callable[..., Any], *arguments: Any) -> None:
        """Start the job of a run in a state; if it cannot start, its state before returns."""
        run = folder.name
        with self._lock:
            before = self._live.get(run)
            new = {"status": WAITING, "error": "", "stop": "", "version": before["version"] + 1 if before else 1}
            self._live[run] = {**state, **new}
        try:
            self.jobs.start(run, function, str(folder), *arguments, sources(), listener=self._listen)
        except Exception:
            del self._live[run]
            if before is not None:
                self._live[run] = before
            raise

    def _listen(self, job: Job) -> None:
        """Bring the state of a run up to date and tell the pages."""
        with self._lock:
            live = self._live[job.name]
            live["version"] += 1
            live |= self._changes(job, live["curve"])
            event = {"run": job.name, "status": live["status"], "version": live["version"]}
        self.channel.publish(event)

    def _changes(self, job: Job, curve: list[Any]) -> dict[str, Any]:
        """Return the changes of the state of a run; add new points to its curve."""
        if job.active:
            if not job.progress or job.state == WAITING:
                return {"status": "waiting" if job.state == WAITING else "building"}
            if "building" in job.progress:
                return {"status": "building", **job.progress}
            changes = dict(job.progress)
            done = curve[-1][0] if curve else 0
            curve += [point for point in changes.pop("points") if point[0] > done]
            return {"status": "running", "building": None, **changes}
        return self._ended(job)

    def _ended(self, job: Job) -> dict[str, Any]:
        """Return the state of a run whose job has ended, from its files."""
        folder = self.folder / job.name
        if not self.jobs.closed:  # otherwise the next server starts it again
            _discard(folder)
        try:
            saved = saved_state(folder)
        except RunError:
            return {"status": FAILED if job.error else job.state, "error": job.error}
        return {**saved, **({"status": FAILED, "error": job.error} if job.error else {})}


def _discard(folder: Path) -> None:
    """Delete the plan of a solve that has ended, and its folder if it has no run."""
    (folder / PLAN_FILE).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it has files
        folder.rmdir()


def _new_folder(parent: Path, name: str) -> Path:
    """Make the first unused folder name-1, name-2, ..."""
    name, number = re.sub(r"[^\w.+-]+", "_", name), 1
    check_writable(parent / name)
    while True:
        try:
            folder = parent / f"{name}-{number}"
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1
