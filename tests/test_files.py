"""Forged files with valid checksums end in an error of ours, not in a crash, a hang or gigabytes."""

import json
import os
import shutil
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda import files
from tefuda.forms import plan as planning
from tefuda.solvers.runs import run as solution
from tefuda.solvers.runs.methods import find_method
from tests import forged
from tests.conftest import compiled, preset

SMALL = {
    "nfsp": dict(transitions=64, behaviour=48, min_rows=8, batch=8, policy_batch=8, hidden=4, tables=3),
    "fsp-even-a": dict(behaviour=48, min_rows=8, hidden=4, tables=3),
    "nfsp-d-neural": dict(transitions=6, behaviour=48, min_rows=8, hidden=4, tables=3),
    "fsp": dict(capacity=32),
}
METHODS = (
    "cfr+", "ema", "pcfr+", "rtcfr+", "external", "robust", "oos", "xfp", "fsp", "lp", "nfsp", "fsp-even-a",
    "nfsp-d-neural",
)  # fmt: skip


def method_of(name):
    return find_method(preset(name), SMALL.get(name))


def refused(use) -> bool:
    """Return whether `use` ends in an error of ours; any other error fails the test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on the way to an error
            use()
    except td.TefudaError:
        return True
    return False


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nothing here needs the disk's word."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def small():
    """Nothing takes more than 64 MiB."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def test_a_changed_checksum_is_refused(tmp_path):
    """The zip's own sums are right, and the seal is not."""
    path = tmp_path / "arrays.npz"
    files.write_arrays(path, {"values": np.arange(3)}, {"number": 1})
    assert files.read_arrays(path)[1] == {"number": 1}
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(td.errors.RunError):
        files.read_arrays(path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A run of Kuhn poker, by method."""
    folders = {}

    def keep(name):
        if name not in folders:
            folders[name] = tmp_path_factory.mktemp("kept") / "run"
            td.solve(compiled("kuhn"), method_of(name), iterations=40, checkpoint=folders[name])
        return folders[name]

    return keep


@pytest.fixture
def run(kept, tmp_path):
    """A fresh copy of a run."""
    return lambda name="cfr+": shutil.copytree(kept(name), tmp_path / name)


def go_on(folder):
    """Take up a checkpoint of CFR+ as `resume` does."""
    solution.read_checkpoint(folder, find_method("cfr+").solver(compiled("kuhn"), 0), td.NashConv())


@pytest.mark.parametrize("name", METHODS)
def test_forged_states(name):
    """Missing, short, long, retyped and out-of-range arrays are refused, and nothing crashes."""
    solver = method_of(name).solver(compiled("kuhn"), 0)
    solver.advance(20)
    good, accepted = solver.state(), []

    def use():
        solver.restore(state)
        solver.advance(3)
        solver.average(), solver.current()

    for what, state in forged.arrays(good):  # noqa: B007 (used by `use`)
        if not refused(use):
            accepted.append(what)
    solver.restore(good)
    plausible = ("zeros", "negative", "large", "largest")
    shapes = [what for what in accepted if not what.endswith(plausible)]
    assert [what for what in shapes if what.split(":")[0] in good and good[what.split(":")[0]].size] == []


def test_forged_checkpoints(run):
    folder = run()
    good, header = files.read_arrays(folder / "checkpoint.npz")
    go_on(folder)
    for what, arrays in forged.arrays(good):
        files.write_arrays(folder / "checkpoint.npz", arrays, header)
        assert refused(lambda: go_on(folder)) or what.endswith(("zeros", "large", "largest", "negative")), what


def test_forged_containers(run, small):
    folder = run()
    good, header = files.read_arrays(folder / "checkpoint.npz")
    for what, content in forged.containers(good, header):
        forged.sealed(folder / "checkpoint.npz", content)
        assert refused(lambda: go_on(folder)), what


@pytest.mark.parametrize("file", ["checkpoint.npz", "profile.npz"])
def test_forged_headers(run, file):
    folder = run()
    good, header = files.read_arrays(folder / file)
    uses = {
        "checkpoint.npz": lambda: go_on(folder),
        "profile.npz": lambda: td.Profile.load(folder / "profile.npz", compiled("kuhn")),
    }
    for what, forgery in forged.objects(header):
        files.write_arrays(folder / file, good, forgery)
        assert refused(uses[file]) or what.startswith(("game", "seconds", "format", "method.")), what


def test_forged_profiles(run):
    folder = run()
    good, header = files.read_arrays(folder / "profile.npz")
    for what, arrays in forged.arrays(good):
        files.write_arrays(folder / "profile.npz", arrays, header)
        assert refused(lambda: td.Profile.load(folder / "profile.npz", compiled("kuhn"))), what


def test_forged_run_json(run):
    """Each field missing or of another type or range is refused, or read and shown without harm."""
    folder, seen = run(), set()
    content, checkpoint = files.read_json(folder / "run.json"), (folder / "checkpoint.npz").read_bytes()

    def use():
        found = td.load(folder, compiled("kuhn"))
        found.summary(), td.resume(folder, iterations=41)

    for what, forgery in forged.objects(content, forged.VALUES[:6]):
        files.write_json(folder / "run.json", forgery)
        (folder / "checkpoint.npz").write_bytes(checkpoint)
        if not refused(use):
            seen.add(what)
    # Fields that are never read, are only shown, or may have another value of their type.
    harmless = {
        "tefuda",
        "versions",
        "written",
        "exploitability",
        "values",
        "nash_conv",
        "run",
        "method",
        "nodes",
        "figure",
    }
    replaced = (
        "method_param",
        "game_param",
        "stop",
        "status",
        "checkpoint_seconds",
        "goal",
        "seconds",
        "reported missing",
        "evaluator missing",
        "held missing",
        "profile missing",
    )
    assert [what for what in seen if not what.startswith((*harmless, *replaced))] == []


def test_deep_or_foreign_json(run, tmp_path):
    folder = run()
    for text in (forged.DEEP, '{"a": ' + forged.DEEP + "}", "[]", "3", '"x"', "{}", "\ud800", "nan", "9" * 5000):
        (folder / "run.json").write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(td.errors.RunError, match=r"run\.json"):
            td.load(folder, compiled("kuhn"))


def test_what_a_run_says_is_never_executed(run, tmp_path):
    """Only games that come along are loaded by a run's word; `os:system` was called before."""
    folder, proof = run(), tmp_path / "proof"
    content = files.read_json(folder / "run.json")
    forgery = {**content, "game": "os:system", "game_parameters": {"command": f"touch {proof}"}}
    files.write_json(folder / "run.json", forgery)
    with pytest.raises(td.errors.RunError, match="cannot be loaded by name"):
        td.resume(folder)
    assert not proof.exists()


CURVES = (
    "x", "a,b\nc,d\n", "h\n1,2\n", "h\n1,2,3,4,5\n1,2\n", "h\n" + "1," * 200_000, "h\n\0", 'h\n"1', "h\n1,2,inf,4,5\n",
    "h\nnan,2,3,4,5\n", "h\n5,1,1,1,0\n4,1,1,1,0\n", "h\n-1,2,3,4,5\n", "h\n1e300,2,3,4,5\n", "h\n\ud800\n",
)  # fmt: skip


@pytest.mark.parametrize("number", range(1, len(CURVES)))
def test_forged_curves(run, number):
    folder = run()
    (folder / "curve.csv").write_bytes(CURVES[number].encode("utf-8", "surrogatepass"))
    with pytest.raises(td.errors.RunError, match=r"curve\.csv"):
        td.load(folder, compiled("kuhn"))


def test_devices_and_folders_are_no_files(tmp_path):
    """/dev/zero never ends; a pipe without a writer never starts."""
    os.mkfifo(tmp_path / "pipe")
    for place in ("/dev/zero", tmp_path / "pipe", tmp_path, "with\0zero"):
        with pytest.raises(td.errors.RunError, match="cannot read"):
            td.Profile.load(place, compiled("kuhn"))


def test_letters_and_ranges_of_shapes():
    """A letter means one length wherever it stands; a range bounds it."""
    expected = {"a": files.ArraySpec("float64", ("N", 2)), "b": files.ArraySpec("int32", ("N", range(3)), 0, 5)}
    good = {"a": np.zeros((4, 2)), "b": np.zeros((4, 2), np.int32)}
    assert files.check_arrays("x", good, expected) == {"N": 4}
    for wrong in (np.zeros((3, 2), np.int32), np.zeros((4, 3), np.int32), np.full((4, 2), 6, np.int32)):
        with pytest.raises(td.errors.RunError, match="'b'"):
            files.check_arrays("x", {**good, "b": wrong}, expected)


def test_forged_hands(tmp_path):
    """Hands with a field missing or of another value, in another seat or order, nested, or of other cards."""
    tree, path = compiled("kuhn"), tmp_path / "hands.jsonl"
    table = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in ("a", "b")]
    td.playing.write_hands(path, td.duplicate_match(tree, table, deals=2, play=True, record=True))
    head, hand, *others = path.read_text().splitlines()
    lines = [[json.dumps(forgery), hand] for _, forgery in forged.objects(json.loads(head), forged.VALUES[:6])]
    lines += [[head, json.dumps(forgery)] for _, forgery in forged.objects(json.loads(hand), forged.VALUES[:6])]
    for seating in ([0, 0], [0, True], [1, 2], [-1, 0], [[0], 1]):
        lines.append([head, json.dumps({**json.loads(hand), "seating": seating})])
    for labels in ([{}], [[[]]], [None], [1e400], ["J", "c"] * 500):
        lines.append([head, json.dumps({**json.loads(hand), "labels": labels})])
    for payoffs in (["1", "-1"], [[1], [-1]], [1, -1, 0], [float("nan"), 1], [10**400, 1]):
        lines.append([head, json.dumps({**json.loads(hand), "payoffs": payoffs})])
    lines += [[forged.DEEP, hand], [head, forged.DEEP], [head, "9" * 5000], ["[]", hand], ["", hand]]
    for first, second in lines:
        path.write_text("\n".join([first, second, *others]))
        with pytest.raises(td.errors.RunError, match=r"hands\.jsonl"):
            td.playing.read_hands(path, tree)


def test_forged_tree_caches(tmp_path, monkeypatch):
    """An impossible cached tree is compiled again; kernels never read arrays that do not fit."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    monkeypatch.setattr(planning, "CACHE_FROM", 0)
    game = td.load_game("kuhn")
    honest, path = td.compile_game(game), planning.cache_path(game)
    good, names = files.read_arrays(path)
    forgeries = [(what, arrays, names) for what, arrays in forged.arrays(good)]
    forgeries += [(what, good, header) for what, header in forged.objects(names)]
    for name, place, value in [("parent", 9, 3), ("first_child", 0, 2), ("child_count", 1, 3), ("infoset", 5, 1),
                               ("chance", 2, 0.9), ("label_set", 1, 0), ("terminals", 0, 5), ("first_row", 3, 5),
                               ("infoset_player", 0, 1), ("infoset_labels", 0, 0), ("player", 1, 1)]:  # fmt: skip
        changed = good[name].copy()
        changed[place] = value
        assert changed[place] != good[name][place]
        forgeries.append((f"{name}[{place}]", {**good, name: changed}, names))
    for what, arrays, header in forgeries:
        files.write_arrays(path, arrays, header)
        found = td.compile_game(game)
        assert found.fingerprint == honest.fingerprint or what.startswith("payoffs"), what
        assert found.rows == honest.rows and np.isfinite(td.values(td.Profile.uniform(found))).all()
    for _, content in forged.containers(good, names):
        forged.sealed(path, content)
        assert td.compile_game(game).fingerprint == honest.fingerprint


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path, monkeypatch, capsys):
    """The tree is there all the same; the command line says so in one line."""
    from tefuda.apps.cli import warn

    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(planning, "CACHE_FROM", 0)
    with pytest.warns(UserWarning, match="was not cached") as caught:
        assert td.compile_game(td.load_game("kuhn")).infosets == 12
    warn(caught[0].message)
    line = capsys.readouterr().err
    assert line.startswith("tefuda: the compiled tree was not cached: cannot write") and line.count("\n") == 1


def test_files_are_written_durably(tmp_path, monkeypatch):
    """The bytes reach the disk before the name, and the name before the call returns."""
    told = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, name=name, real=real: told.append(name) or real(*a))
    files.write_bytes(tmp_path / "a" / "b" / "file", b"one")
    assert told == ["fsync", "replace", "fsync"] and (tmp_path / "a" / "b" / "file").read_bytes() == b"one"


def test_nothing_is_left_of_what_could_not_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(td.errors.RunError, match="No space left"):
        files.write_bytes(tmp_path / "file", b"one")
    assert not any(tmp_path.iterdir())


def test_a_check_of_a_place_leaves_nothing(tmp_path):
    files.check_writable(tmp_path / "a" / "b" / "file")
    assert not any(tmp_path.iterdir())
    (tmp_path / "a" / "kept").mkdir(parents=True)
    files.check_writable(tmp_path / "a" / "b" / "file")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["kept"]
    for place in (tmp_path / "a", tmp_path / "file" / "under"):
        (tmp_path / "file").touch()
        with pytest.raises(td.errors.RunError, match="cannot write"):
            files.check_writable(place)


def test_what_is_no_file_is_refused_at_once(tmp_path):
    """Folders, pipes and devices are refused; endless files are read up to their stated size."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(td.errors.RunError, match="not a regular file"):
            files.read_bytes(place)
    (tmp_path / "link.py").symlink_to("/proc/kmsg")  # reading it waits for the kernel's next message
    with pytest.raises(td.errors.RunError):
        files.read_json(tmp_path / "link.py")
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(td.errors.RunError, match="larger than the memory"):
        files.read_bytes(tmp_path / "huge")


def test_games_in_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    for place in (tmp_path / "pipe.py", tmp_path, tmp_path / "nowhere.py"):
        with pytest.raises(td.errors.ParameterError):
            td.load_game(f"{place}:Game")
