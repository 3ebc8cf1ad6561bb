"""Processes that are started, waited for and killed."""

import contextlib
import ctypes
import os
import subprocess
import sys
import time

import pytest

PATIENCE = 120  # seconds; only a hang takes so long


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def started(tmp_path, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "tefuda", *words], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def stand_still(seconds):
    """As in a long kernel: no other thread of this process runs."""
    ctypes.PyDLL(None).sleep(seconds)


def lives(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def living_in(folder):
    """The processes whose working directory this is."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended, or is not ours
            found += [process] if os.readlink(f"/proc/{process}/cwd") == str(folder) and lives(process) else []
    return found


needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
