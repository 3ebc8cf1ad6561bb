"""Processes that are started, waited for and killed."""

import subprocess
import sys
import time

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
