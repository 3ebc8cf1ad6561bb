"""Kernels compiled ahead: progress, and nothing is left to compile afterwards."""

import os
import subprocess
import sys

import pytest

import tefuda as td
from tefuda.apps.warm import WARM

#: Prints the number of kernels that a process compiles; they are compiled where `load_overload` finds no code.
PROGRAM = """
import tefuda as td
from tefuda._kernels import jit
compiled = []
find = jit.Compiled.load_overload
def load(self, *arguments):
    code = find(self, *arguments)
    compiled.extend([self._name] * (code is None))
    return code
jit.Compiled.load_overload = load
{}
print(len(compiled))
"""
EVALUATE = (
    "profile = td.Profile.uniform(td.compile_game(td.load_game('leduc')));"
    "td.nash_conv(profile); td.best_response(profile, 1); td.reach(profile); td.history_values(profile)"
)


def compiled(folder, program):
    """The number of kernels that a new process compiles with its cache in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", PROGRAM.format(program)]
    return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def test_progress():
    reports = []
    td.warm(["evaluating", "trees"], progress=lambda *report: reports.append(report))
    assert reports == [(0, 2), (1, 2), (2, 2)]


def test_unknown_group_of_kernels():
    with pytest.raises(td.UnknownNameError) as caught:
        td.warm(["evaluating", "chess"])
    assert caught.value.name == "chess" and set(caught.value.known) == set(WARM)


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """Two players of Leduc evaluate by the kernels that Kuhn compiled, in a later process too."""
    assert compiled(tmp_path, "td.warm(['evaluating'])") > 0
    assert compiled(tmp_path, EVALUATE) == 0
