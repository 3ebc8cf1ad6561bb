"""Preparation of a server: kernels of the pages are compiled in a process while it already answers."""

from __future__ import annotations

from collections.abc import Sequence

from tefuda.apps.preparing import GROUPS, prepare
from tefuda.apps.web.jobs import Jobs, Task
from tefuda.apps.web.workspace import Workspace


class Preparation:
    """The compilation of groups of kernels, beside the jobs of the server.

    Args:
        names: groups of kernels, see `preparing.prepare`; default: all.
    """

    def __init__(self, names: Sequence[str] = tuple(GROUPS)) -> None:
        self._jobs, self._total = Jobs(most=1), len(names)
        self.job = self._jobs.start("kernels", compile_kernels, tuple(names))

    def progress(self) -> dict[str, int]:
        """Return the number of groups done and the total; equal after the end, even if it failed."""
        done = self.job.progress or 0
        return {"done": done if self.job.active else self._total, "total": self._total}

    def close(self) -> None:
        """End the process."""
        self._jobs.close(patience=0)


def compile_kernels(task: Task, names: Sequence[str]) -> None:
    """Compile groups of kernels; the function of a job."""
    prepare(names, progress=lambda done, total: task.publish(done))


def start_preparation(workspace: Workspace) -> Preparation:
    """Start the preparation of a server, once."""
    return workspace.part("preparation", Preparation)
