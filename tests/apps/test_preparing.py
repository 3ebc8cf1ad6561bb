"""Kernels compiled ahead: progress, and nothing is left to compile afterwards."""

import os
import signal
import subprocess
import sys

import pytest

import tefuda as td
from tefuda.apps.preparing import GROUPS
from tests.apps.conftest import last_json

#: Prints the number of kernels that a process compiles; they are compiled where `load_overload` finds no code.
PROGRAM = """
import tefuda as td
from tefuda._kernels import compiling
compiled = []
find = compiling.Compiled.load_overload
def load(self, *arguments):
    code = find(self, *arguments)
    compiled.extend([self._name] * (code is None))
    return code
compiling.Compiled.load_overload = load
{}
print(len(compiled))
"""
#: Sends a signal to itself when it has saved two kernels.
INTERRUPTED = """
import os, sys
from tefuda.apps.cli import main
from tefuda._kernels import compiling
save = compiling.Compiled.save_overload
def save_two(self, *arguments):
    save(self, *arguments)
    if compiling.Compiled.saved() == 2:
        os.kill(os.getpid(), {})
compiling.Compiled.save_overload = save_two
sys.argv = ["tefuda", "prepare", "evaluating"]
main()
"""
EVALUATE = (
    "profile = td.Profile.uniform(td.compile_game(td.load_game('leduc')));"
    "td.nash_conv(profile); td.best_response(profile, 1);"
    "td.evaluating.reach(profile); td.evaluating.history_values(profile)"
)


def compiled(folder, program):
    """The number of kernels that a new process compiles with its cache in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", PROGRAM.format(program)]
    return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def test_progress():
    reports = []
    td.prepare(["evaluating", "trees"], progress=lambda *report: reports.append(report))
    assert reports == [(0, 2), (1, 2), (2, 2)]


def test_unknown_group_of_kernels():
    with pytest.raises(td.errors.UnknownNameError) as caught:
        td.prepare(["evaluating", "chess"])
    assert caught.value.name == "chess" and set(caught.value.known) == set(GROUPS)


def test_command(tefuda, tmp_path):
    """``tefuda prepare`` compiles groups once; unknown names are refused before anything is compiled."""
    first, second = (last_json(tefuda("prepare", "evaluating", "--json")) for _ in range(2))
    assert first["groups"] == ["evaluating"] and first["folder"] == second["folder"] and second["kernels"] == 0
    refused = tefuda("prepare", "evaluating", "chess", "--json", code=2)
    assert "'chess'" in refused.stderr and "koikoi" in refused.stderr


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """Two players of Leduc evaluate by the kernels that Kuhn compiled, in a later process too."""
    assert compiled(tmp_path, "td.prepare(['evaluating'])") > 0
    assert compiled(tmp_path, EVALUATE) == 0


@pytest.mark.slow
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_an_interrupted_start_keeps_the_kernels_it_has(tmp_path, number, code):
    """The next process loads the kernels that were saved, and compiles the others."""
    command = [sys.executable, "-c", INTERRUPTED.format(int(number))]
    ended = subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True)
    assert ended.returncode == code
    total = compiled(tmp_path / "other", EVALUATE)
    assert compiled(tmp_path, EVALUATE) == total - 2 > 0
