"""The command abstract, and solve --abstract."""

import pytest

from tests.apps.conftest import last_json


def test_lossless_merging(tefuda):
    found = last_json(tefuda("abstract", "leduc", "--distinct-suits", "--json"))
    assert found["before"] == {"infosets": 936, "rows": 2184, "histories": 9451}
    assert found["after"] == {"infosets": 288, "rows": 672, "histories": 9451}
    assert "936 infosets -> 288" in tefuda("abstract", "leduc", "--distinct-suits").stdout


def test_buckets_as_a_table_json_and_picture(tefuda, tmp_path):
    pytest.importorskip("matplotlib")
    options = ("leduc", "--buckets", "1,2", "--iterations", 100, "--png", "p.png", "--json")
    found = last_json(tefuda("abstract", *options))
    assert [trial["classes"] for trial in found["trials"]][:2] == [36, 132] and found["infosets"] == 288
    assert all(trial["cfr_br"] <= trial["equilibrium"] for trial in found["trials"])
    assert (tmp_path / "p.png").stat().st_size > 1000
    printed = tefuda("abstract", "leduc", "--buckets", "2", "--iterations", 50).stdout
    assert "CFR-BR" in printed and "perfect" in printed


def test_solving_in_classes_saves_them(tefuda):
    told = tefuda(
        "solve", "leduc", "--abstract", "rank=2:4,forgetful", "--method", "cfr+", "--iterations", 50, "--out", "r"
    )
    assert "imperfect recall" in told.stderr and "no method is sure" in told.stderr
    again = last_json(tefuda("solve", "--resume", "r", "--iterations", 60, "--json"))
    once = last_json(
        tefuda("solve", "leduc", "--abstract", "rank=2:4,forgetful", "--method", "cfr+", "--iterations", 60, "--json")
    )
    assert again["nash_conv"] == once["nash_conv"] > 0.1
    partition = {"representation": "partition", "infosets": 288, "classes": 102, "recall": "imperfect"}
    assert again["form"] == once["form"] == partition
    found = last_json(
        tefuda("solve", "leduc", "--distinct-suits", "--abstract", "lossless", "--method", "lp", "--json")
    )
    assert found["values"][0] == pytest.approx(-0.085606424078, abs=1e-9) and found["nash_conv"] < 1e-9
    assert found["form"] == {"representation": "partition", "infosets": 936, "classes": 288, "recall": "perfect"}


@pytest.mark.parametrize("arguments, said", [
    (("abstract", "leduc", "--buckets", "x"), "numbers separated by commas"),
    (("abstract", "leduc", "--buckets", "0"), "buckets"),
    (("abstract", "leduc", "--by", "rank"), "--buckets"),
    (("abstract", "leduc", "--buckets", "2", "--by", "luck"), "luck"),
    (("abstract", "leduc", "--buckets", "2", "--iterations", "nan"), "whole number"),
    (("abstract", "leduc", "--silly", "2"), "--silly"),
    (("solve", "leduc", "--abstract", "luck=2"), "luck"),
    (("solve", "leduc", "--abstract", ""), "abstraction"),
    (("solve", "leduc", "--abstract", "strength=2", "--as", "rules"), "--abstract"),
    (("solve", "leduc", "--abstract", "strength=2", "--exact"), "--abstract"),
    (("solve", "leduc", "--abstract", "strength=2", "--method", "nfsp", "--as", "simulator"), "--abstract"),
    (("solve", "leduc", "--abstract", "strength=2:4,forgetful", "--method", "lp"), "imperfect recall"),
    (("solve", "kuhn", "--players", "3", "--abstract", "strength=2", "--method", "cfr-br"), "two players"),
])  # fmt: skip
def test_refused(tefuda, arguments, said):
    assert said in tefuda(*arguments, code=2).stderr


def test_a_run_is_resumed_in_its_own_classes_only(tefuda):
    tefuda("solve", "kuhn", "--iterations", 5, "--out", "r")
    assert "--abstract" in tefuda("solve", "--resume", "r", "--abstract", "lossless", "--iterations", 9, code=2).stderr
