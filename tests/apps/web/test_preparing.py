"""Preparation: kernels are compiled beside the server, which reports the progress."""

from tefuda.apps.web.jobs import Preparation, start_preparation
from tests.processes import PATIENCE


def test_progress_of_the_preparation(client, workspace):
    assert client.get("/api/status").json()["preparation"] is None
    workspace.part("preparation", lambda: Preparation(["evaluating", "trees"]))
    job = start_preparation(workspace).job
    assert job.ended.wait(PATIENCE) and job.error == ""
    assert client.get("/api/status").json()["preparation"] == {"done": 2, "total": 2}


def test_a_failed_preparation_is_over(workspace):
    workspace.part("preparation", lambda: Preparation(["unknown"]))
    preparation = start_preparation(workspace)
    assert preparation.job.ended.wait(PATIENCE)
    assert preparation.progress() == {"done": 1, "total": 1} and "unknown" in preparation.job.error


def test_closing_ends_the_preparation(workspace):
    preparation = start_preparation(workspace)
    workspace.close()
    assert not preparation.job.active
