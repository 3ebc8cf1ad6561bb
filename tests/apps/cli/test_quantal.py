"""The command quantal, and solve --method quantal."""

import json

import pytest

from tests.apps.conftest import last_json


def test_path_as_a_table_json_and_picture(tefuda, tmp_path):
    pytest.importorskip("matplotlib")
    found = last_json(tefuda("quantal", "kuhn", "--to", 5, "--png", "p.png", "--infoset", "0: J|", "--json"))
    assert found["complete"] and found["rationality"][-1] == 5 and found["folds"] == []
    assert found["profile"]["0: J|"]["b"] == pytest.approx(0.1922143025, abs=1e-9)
    assert (tmp_path / "p.png").stat().st_size > 1000
    assert "no folds" in tefuda("quantal", "kuhn", "--to", 1, "--form", "reduced").stdout


def test_choices_in_a_file_are_fitted(tefuda, tmp_path):
    (tmp_path / "choices.json").write_text(json.dumps({"0: J|": {"p": 80, "b": 20}, "1: Q|b": [48, 52]}))
    found = last_json(tefuda("quantal", "kuhn", "--counts", "choices.json", "--json"))
    assert found["low"] < 5 < found["high"] and found["choices"] == 200 and found["notes"] == []
    assert "95 % interval" in tefuda("quantal", "kuhn", "--counts", "choices.json").stdout


@pytest.mark.parametrize("content", ["nonsense", "[]", '{"0: X|": [1, 2]}', '{"0: J|": [-1, 2]}', "{}", '{"0: J|": 3}'])
def test_bad_counts_are_refused(tefuda, tmp_path, content):
    (tmp_path / "choices.json").write_text(content)
    tefuda("quantal", "kuhn", "--counts", "choices.json", code=2)


@pytest.mark.parametrize(
    "options",
    [("--to", -1), ("--infoset", "0: J|"), ("--form", "normal"), ("--until", -1), ("--seconds", -1),
     ("--infoset", "9: J|"), ("--counts", "nowhere.json")],
)  # fmt: skip
def test_bad_options_are_refused(tefuda, options):
    tefuda("quantal", "kuhn", *options, code=2)


def test_solving_at_one_rationality(tefuda):
    for by in ("path", "mmd"):
        found = last_json(tefuda("solve", "kuhn", "--method", "quantal", "--rationality", 5, "--by", by, "--json"))
        assert found["figure"]["value"] <= 1e-12 and found["values"][0] == pytest.approx(-0.046036554972, abs=1e-5)
    tefuda("solve", "kuhn", "--method", "quantal", "--rationality", -1, code=2)
