"""Ctrl-C and SIGTERM: commands stop, save their results, print how to resume, and evaluate no more."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda import files, locks
from tefuda.apps.cli import app
from tefuda.apps.cli.shared import common
from tefuda.playing.table import TreeTable
from tefuda.solvers.runs import job
from tefuda.solvers.runs import run as folders
from tests.processes import PATIENCE, started, wait_until

#: Options of a solve that never ends and is saved at each piece, so that its run.json shows its state.
ENDLESS = ("--seconds", "1e6", "--checkpoint-seconds", "0")


def wait_for_iterations(folder):
    """Wait until a run has been evaluated after its first iteration."""
    wait_until(lambda: folders.holds_run(folder) and folders.read_run(folder)["iterations"] > 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_solve_saves_the_run(tmp_path, number, kuhn):
    process = started(tmp_path, "solve", "kuhn", "--method", "cfr+", *ENDLESS, "--out", "run", "--json")
    wait_for_iterations(tmp_path / "run")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "tefuda solve --resume run" in err and "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["status"] == "interrupted"
    kept = td.load(tmp_path / "run", kuhn)
    assert kept.status == "interrupted"
    resumed = td.resume(tmp_path / "run", iterations=kept.iterations + 100)
    assert resumed.nash_conv == td.solve(kept.tree, "cfr+", iterations=kept.iterations + 100).nash_conv


def test_sampling_over_rules_saves_the_run(tmp_path):
    words = ("solve", "kuhn", "--as", "rules", "--method", "oos", "--nodes", "1e12", *ENDLESS, "--out", "out", "--json")
    process = started(tmp_path, *words)
    wait_for_iterations(tmp_path / "out")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "tefuda solve --resume out" in err and "Traceback" not in err
    found, kept = json.loads(out.splitlines()[-1]), td.load(tmp_path / "out")
    assert found["status"] == "interrupted" and found["iterations"] == kept.iterations > 0
    whole = td.solve(td.RulesForm(td.load_game("kuhn")), td.METHODS["oos"], iterations=kept.iterations)
    assert whole.strategy.weights == kept.strategy.weights


def test_signals_during_imports_interrupt(tmp_path):
    """This holds also in a background job, whose shell ignores the signal."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "class Impatient:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "from tefuda.apps.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "") and done.stderr.startswith("tefuda: interrupted")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("replicates, stop, evaluated", [(1, 45, (2, 15, 1)), (1, 9, (1, 9, 1)), (3, 55, (2, 20, 2))])
def test_hands_of_a_match_are_saved(tmp_path, monkeypatch, replicates, stop, evaluated, kuhn):
    """Thirty deals per seat order, or three times ten: complete deals are evaluated, with a message."""
    monkeypatch.chdir(tmp_path)
    real, calls = TreeTable.play, []

    def play(self, *arguments):
        calls.append(1)
        if len(calls) > stop:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(TreeTable, "play", play)
    words = ("--agents", "uniform,always-raise", "--play", "--deals", str(30 // replicates), "--record", "hands.jsonl")
    asked = ["match", "kuhn", *words, "--replicates", str(replicates)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 130 and f"{min(stop, 60)} hands are saved in hands.jsonl" in result.stderr
    assert result.stdout == ""
    calls.clear()
    found = td.playing.read_hands("hands.jsonl", kuhn)
    assert (*found.payoffs.shape[:2], found.replicates) == evaluated and not found.complete
    shown = CliRunner().invoke(app, ["hands", "kuhn", "hands.jsonl", "--json"])
    assert "interrupted" in shown.stderr and json.loads(shown.stdout)["complete"] is False


#: Commands, the function that is interrupted at its second call, and the message.
STOPPED = {
    "compare": (
        ("compare", "kuhn", "--methods", "cfr,cfr+,dcfr", "--until", "1e-2"),
        "tefuda.solvers.runs.job.drive",
        "with --out runs/compare-kuhn-",
    ),
    "tournament": (
        ("match", "kuhn", "--all-pairs", "--agents", "uniform,always-raise,always-pass"),
        "tefuda.playing.match.duplicate_match",
        "winnings per hand: uniform -0.3750 +- 0.0000 from always-raise\n",
    ),
    "match": (
        ("match", "kuhn", "--agents", "uniform,always-raise"),
        "tefuda.playing.match.values",
        "repeat the command",
    ),
}


@pytest.mark.parametrize("what", STOPPED)
def test_unfinished_experiments_have_no_verdict(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    arguments, function, words = STOPPED[what]
    module, _, name = function.rpartition(".")
    real, calls = getattr(sys.modules.get(module) or __import__(module, fromlist=["_"]), name), []

    def stop(*arguments, **options):
        calls.append(1)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(function, stop)
    for asked in ([], ["--json"]):
        calls.clear()
        result = CliRunner().invoke(app, [*arguments, *asked])
        assert result.exit_code == 130 and calls, result.output
        assert "tefuda: interrupted; " in result.stderr and words in result.stderr
        assert list(json.loads(result.stdout)) == ["error"] if asked else result.stdout == ""


def test_compare_resumes_the_runs_of_its_folder(tmp_path, monkeypatch):
    """Interrupted in the second of three methods: the first is saved and not repeated.

    The figures equal those of runs without an interruption; other stop rules are refused before a
    solver starts.
    """
    monkeypatch.chdir(tmp_path)
    words, kept = ["compare", "kuhn", "--methods", "cfr,cfr+,dcfr", "--until", "1e-3", "--json"], ["--out", "out"]
    wanted, real, calls = json.loads(CliRunner().invoke(app, words).stdout), job.drive, []

    def drive(*arguments, progress, **options):
        def stop(report):
            if len(calls) == 2:
                os.kill(os.getpid(), signal.SIGINT)

        calls.append(1)
        return real(*arguments, progress=stop, **options)

    monkeypatch.setattr(job, "drive", drive)
    stopped = CliRunner().invoke(app, words + kept)
    assert stopped.exit_code == 130 and "with --out out to resume" in stopped.stderr
    found = json.loads(CliRunner().invoke(app, words + kept).stdout)
    assert len(calls) == 4  # cfr, cfr+, its resumption, and dcfr
    assert [list(map(figures, group["runs"])) for group in found["groups"]] == [
        list(map(figures, group["runs"])) for group in wanted["groups"]
    ]
    assert json.loads(CliRunner().invoke(app, words + kept).stdout) == found and len(calls) == 4
    content = files.read_json(
        Path("out/kuhn-cfr-1/run.json")
    )  # as a later version may write it: unknown fields are ignored
    content["goal"]["later"] = 1
    files.write_json(Path("out/kuhn-cfr-1/run.json"), content)
    assert json.loads(CliRunner().invoke(app, words + kept).stdout) == found and len(calls) == 4
    for other in (["--until", "1e-2"], ["--iterations", 10], ["--seconds", 1]):
        refused = CliRunner().invoke(app, [*words, *kept, *map(str, other)])
        assert refused.exit_code == 2 and "choose another folder" in refused.stderr and len(calls) == 4


def figures(summary):
    """Return the part of a result that does not depend on time and folder."""
    return {name: summary[name] for name in ("method", "iterations", "nash_conv", "values", "iterate", "stop")}


def in_a_terminal(tmp_path, words, before=lambda: None):
    """Start the command in its own terminal; return its process id and the terminal's other end."""
    process, end = os.forkpty()
    if process == 0:
        try:
            before()
            os.chdir(tmp_path)
            os.execv(sys.executable, [sys.executable, "-m", "tefuda", *words])
        finally:
            os._exit(99)
    return process, end


def test_a_closed_terminal_ends_the_command_cleanly(tmp_path, kuhn):
    """After SIGHUP, without a terminal to write to, the run is saved and the exit code is 130."""
    words = ("solve", "kuhn", "--method", "cfr+", *ENDLESS, "--out", "run")
    process, end = in_a_terminal(
        tmp_path, words, lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)
    )  # also with nohup
    wait_for_iterations(tmp_path / "run")
    os.close(end)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130
    kept = td.load(tmp_path / "run", kuhn)
    assert kept.status == "interrupted" and kept.iterations > 0 and not (tmp_path / "run" / ".run.json.lock").exists()


def test_nohup_is_honoured(tmp_path):
    """A run whose SIGHUP is ignored from the start continues without its terminal."""
    words = ("solve", "kuhn", "--method", "cfr+", "--iterations", "3e6", "--out", "run")
    process, end = in_a_terminal(tmp_path, words, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until((tmp_path / "run" / "run.json").exists)
    os.close(end)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    content = files.read_json(tmp_path / "run" / "run.json")
    assert (content["status"], content["iterations"]) == ("finished", 3_000_000)


def test_two_commands_on_one_run(tmp_path, monkeypatch):
    """The second command is refused, with the process id of the first; after a kill -9 it resumes the run."""
    monkeypatch.chdir(tmp_path)
    words = ["solve", "kuhn", "--method", "cfr+", "--seconds", "1e6", "--out", "run"]
    process = started(tmp_path, *words)
    wait_until((tmp_path / "run" / "run.json").exists)
    for second in (words, ["solve", "--resume", "run", "--seconds", "1e6"]):
        refused = CliRunner().invoke(app, second)
        assert refused.exit_code == 2 and f"process {process.pid}" in refused.stderr
    process.kill()
    process.communicate()
    assert CliRunner().invoke(app, ["solve", "--resume", "run", "--seconds", "0.1"]).exit_code == 0
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]


def test_default_folders_are_never_shared(tmp_path, monkeypatch):
    """Each command reserves the next folder; folders that stay empty are deleted."""
    monkeypatch.chdir(tmp_path)
    names = [common.make_next_folder(Path("runs"), "kuhn-cfr") for _ in range(3)]
    assert [name.name for name in names] == ["kuhn-cfr-1", "kuhn-cfr-2", "kuhn-cfr-3"]
    (names[0] / "run.json").touch()
    CliRunner().invoke(app, ["games"])
    assert [path.name for path in Path("runs").iterdir()] == ["kuhn-cfr-1"]
    assert CliRunner().invoke(app, ["solve", "kuhn", "--method", "cfr", "--evaluator", "nonsense"]).exit_code == 2
    assert [path.name for path in Path("runs").iterdir()] == ["kuhn-cfr-1"]


SPOT = ("--oop", "AA", "--ip", "KK", "--pot", "10", "--stack", "10")
#: Commands that write files at their end, without the path.
WRITING = {
    "export": ("export", "kuhn", "--to"),
    "record": ("match", "kuhn", "--agents", "uniform,always-raise", "--record"),
    "png": ("compare", "kuhn", "--png"),
    "csv": ("reproduce", "kuhn-cfr", "--csv"),
    "out": ("solve", "kuhn", "--out"),
    "sampled": ("solve", "kuhn", "--as", "rules", "--out"),
    "compare": ("compare", "kuhn", "--methods", "cfr", "--out"),
    "depth limit": ("resolve", "leduc", "--cut", "deal", "--out"),
    "network": ("resolve", "leduc", "--cut", "deal", "--train", "--leaves"),
    "played": ("play", "kuhn", "--save"),
    "spot": ("solve", "spot", *SPOT, "--board", "Qs Jh 2h 8d 3c", "--out"),
    "limit": ("solve", "holdem", "--limit", "--buckets", "5", "--out"),
    "batch": ("holdem", "batch", *SPOT, "--boards", "Qs Jh 2h 8d 3c", "--out"),
    "ladder": ("koikoi", "ladder", "--agents", "random,greedy", "--out"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRITING)
@pytest.mark.parametrize("place", ["file/inside.png", "n" * 300 + ".png"])
def test_unwritable_paths_are_refused_before_any_work(tmp_path, monkeypatch, what, place):
    """A folder that is a file, or has an impossible name; a read-only folder fails in the same way."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for function in ("tefuda.forms.compile.compile_game", "tefuda.solvers.runs.job.drive"):
        monkeypatch.setattr(function, lambda *_, **__: pytest.fail("there was work"))
    refused = CliRunner().invoke(app, [*WRITING[what], place])
    assert refused.exit_code == 2 and place.split("/")[0][:20] in refused.stderr, refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("what", ["played", "spot", "batch", "ladder", pytest.param("network", marks=pytest.mark.deep)])
def test_paths_in_use_by_another_process_are_refused(tmp_path, monkeypatch, what):
    """A growing file or folder is owned by one command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tefuda.solvers.runs.driver._Run.loop", lambda *_, **__: pytest.fail("there was work"))
    names = {"spot": "place/run.json", "batch": "place/report.json", "network": "place.training"}
    with locks.locked(Path(names.get(what, "place"))):
        refused = CliRunner().invoke(app, [*WRITING[what], "place"], input="q\n")
    assert refused.exit_code == 2 and f"process {os.getpid()}" in refused.stderr, refused.output


def test_an_impossible_cache_folder_is_one_line(tmp_path, monkeypatch):
    """TEFUDA_CACHE may be too long a name, or be inside a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tefuda.forms.plan.CACHE_FROM", 0)
    (tmp_path / "file").touch()
    for place in ("n" * 5000, str(tmp_path / "file" / "cache")):
        monkeypatch.setenv("TEFUDA_CACHE", place)
        with pytest.warns(UserWarning, match="not cached"):
            done = CliRunner().invoke(app, ["solve", "kuhn", "--iterations", "2", "--json"])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("words", [("solve",), ("solve", "--resume"), ("show",), ("evaluate", "kuhn", "--profile")])
@pytest.mark.parametrize("place", ["n" * 5000, "n" * 5000 + ".py:Game", "/proc/kmsg", "/dev/zero", "a\0b"])
def test_impossible_paths_raise_errors_of_tefuda(tmp_path, monkeypatch, words, place):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, [*words, place]).exit_code == 2
