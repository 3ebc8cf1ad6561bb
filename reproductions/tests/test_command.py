"""The command ``tefuda reproduce``: options, exit codes, interruption, and tefuda alone."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tefuda.errors import InputError
from tefuda.forms.form import form_class
from tefuda_reproductions.papers import kuhn_cfr, nfsp_exploration
from tests.apps.conftest import last_json


def test_experiments_take_and_refuse_options(tefuda, tmp_path, monkeypatch, in_threads):
    """The last line names the tables and claims that are not met."""
    monkeypatch.setattr(nfsp_exploration, "EPSILONS", (0.01, 0.05, 0.1))
    small = ("--games", 1000, "--seeds", 1, "--workers", 1, "--folder", tmp_path / "table", "--json")
    result = tefuda("reproduce", "nfsp-exploration", *small, "--png", tmp_path / "figure.png", code=1)
    table = last_json(result)
    unmet = [row["name"] or row["claim"] for row in (*table["tables"], *table["claims"]) if row["met"] is False]
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("tefuda: exit code 1")]
    assert unmet and line.partition("not met: ")[2].partition(";")[0] == ", ".join(unmet)
    assert not table["met"] and (tmp_path / "figure.png").stat().st_size > 10_000


#: Command, the function that is interrupted, and the message.
STOPPED = {
    "short": (("reproduce", "kuhn-cfr"), (kuhn_cfr, "solve"), "nothing is saved"),
    "long": (
        ("reproduce", "nfsp-exploration", "--folder", "out"),
        (nfsp_exploration, "sweep"),
        "resume the runs in out",
    ),
}


@pytest.mark.parametrize("what", STOPPED)
def test_interrupted_experiments_have_no_verdict(tefuda, monkeypatch, what):
    arguments, (module, name), words = STOPPED[what]
    real = getattr(module, name)

    def stop(*arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(module, name, stop)
    for more in ([], ["--json"]):
        result = tefuda(*arguments, *more, code=130)
        assert "tefuda: interrupted; " in result.stderr and words in result.stderr
        assert list(json.loads(result.stdout)) == ["error"] if more else result.stdout == ""


@pytest.fixture
def alone(monkeypatch):
    """Hide the package of the reproductions."""
    for name in [name for name in sys.modules if name.split(".")[0] == "tefuda_reproductions"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not (Path(path) / "tefuda_reproductions").exists()])


def test_tefuda_alone_names_the_package_to_install(tefuda, alone):
    """The command, and a saved run of a representation that the package defines."""
    for words in (("reproduce",), ("reproduce", "kuhn-cfr"), ("reproduce", "--help")):
        assert "pip install ./reproductions" in tefuda(*words, code=2).stderr
    with pytest.raises(InputError, match="tefuda-reproductions"):
        form_class("keys")
