"""Reproductions of published experiments: tables in their sources' form, a verdict for every claim."""

import json
from types import SimpleNamespace

import pytest
from bench import claims
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda_reproductions.catalogue import PAPERS
from tefuda_reproductions.experiment import Experiment
from tefuda_reproductions.papers.sources import SOURCES

PAPER_SOURCES = {
    "kuhn-cfr": SOURCES["takeuchi2020"],
    "kuhn-chance": SOURCES["yamaoka2020"],
    "cfr-theory": SOURCES["takizawa2020"],
    "nfsp-exploration": SOURCES["kawamura2018"],
    "three-player-exploitation": SOURCES["furui2011"],
}


@pytest.mark.parametrize("name, key", [("kuhn-cfr", "takeuchi2020"), ("kuhn-chance", "yamaoka2020")])
def test_all_claims_of_a_source_are_known(run, name, key):
    names = [claim.name for claim in run(name).claims if claim.name]
    assert names == [f"{SOURCES[key].number}-{short}" for short in SOURCES[key].claims]


REFUSED = {
    "no such option": ({"gmaes": 5}, "games"),
    "not whole": ({"games": 1e6 + 0.5}, "whole number"),
    "too few": ({"seeds": 0}, "from 1 to"),
    "a number for a folder": ({"folder": 3}, "a text"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_options_are_checked_before_anything_runs(what):
    options, cure = REFUSED[what]
    with pytest.raises(td.TefudaError, match=cure):
        PAPERS["nfsp-exploration"](lambda text: pytest.fail("it ran"), **options)


def test_whole_numbers_may_be_written_1e6():
    assert PAPERS["nfsp-exploration"].validated({"games": 1e6}) == {"games": 1_000_000}


def test_reproduce_on_the_command_line(tmp_path, monkeypatch):
    """Tables are written as JSON, CSV and PNG; help lists options and running time."""
    monkeypatch.chdir(tmp_path)
    call = CliRunner().invoke
    done = call(app, ["reproduce", "rps-matching", "--json", "--csv", "x.csv", "--png", "x.png"])
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert done.exit_code == 0 and found["met"] and found["tables"][0]["rows"][1] == ["itself"]
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 7 and (tmp_path / "x.png").stat().st_size > 10_000
    text = call(app, ["reproduce", "nfsp-exploration", "--help"]).stdout
    assert "--games" in text and "10000000" in text and "an hour" in text
    assert "rps-matching" in call(app, ["reproduce", "--help"]).stdout
    refused = call(app, ["reproduce", "rps-matching", "--csv", "x.csv/y.csv"])
    assert refused.exit_code == 2 and "cannot write" in refused.stderr
    assert call(app, ["reproduce", "kuhn-cfr"]).exit_code == 1


def test_the_page_agrees_with_the_experiments(run):
    """docs/claims.md has all saved tables and claims; quick experiments reproduce them."""
    found = claims.saved()
    text = claims.PAGE.read_text(encoding="utf-8")
    assert text == claims.page(found)
    for name in ("cfr-theory", "kuhn-chance", "kuhn-cfr"):
        assert [one["shown"] for one in found[name]["tables"]] == [one.summary()["shown"] for one in run(name).tables]
        assert [one["status"] for one in found[name]["claims"]] == [one.status for one in run(name).claims]
    for name, one in found.items():
        assert f"## {name}" in text and all(f"**{table['name']}.**" in text for table in one["tables"])
    for name, other in claims.ALSO_ON.items():
        assert f"<!-- {name} -->\n{claims.first_table(found[name])}\n<!--" in (claims.ROOT / other).read_text("utf-8")
    for source in (PAPER_SOURCES[name] for name in found if name in PAPER_SOURCES):
        assert all(f"| {source.number}-{short} |" in text for short in source.claims)


def test_every_experiment_in_one_command(tmp_path, monkeypatch):
    """Each experiment prints a line; missing extras are skipped; unmet claims give exit code 1."""
    monkeypatch.chdir(tmp_path)
    asked = {}

    def fake(name, met):
        def run(experiment, notify=None, **options):
            asked[name] = experiment.defaults() | experiment.validated(options)
            if name == "deep-cfr":
                raise td.errors.MissingExtraError("deep", "PyTorch")
            return SimpleNamespace(
                summary=lambda: {"met": met}, met=met, score="1 claim met", unmet=() if met else ("c1",)
            )

        return run

    runs = {experiment: fake(name, name != "kuhn-cfr") for name, experiment in PAPERS.items()}
    monkeypatch.setattr(Experiment, "__call__", lambda self, *given, **options: runs[self](self, *given, **options))
    done = CliRunner().invoke(app, ["reproduce", "--all", "--quick"])
    assert done.exit_code == 1 and len(done.stdout.splitlines()) == len(PAPERS) == len(asked)
    assert "skipped" in done.stdout and "c1" in done.stdout
    for name, options in asked.items():
        full = PAPERS[name].defaults()
        assert {option for option in options if options[option] != full[option]} == set(PAPERS[name].quick())
    found = json.loads(CliRunner().invoke(app, ["reproduce", "--all", "--json"]).stdout.splitlines()[-1])
    assert set(found) == set(PAPERS) and "skipped" in found["deep-cfr"] and found["rps-matching"]["met"]
    assert all(options == PAPERS[name].defaults() for name, options in asked.items())
    for wrong in (["rps-matching", "--all"], ["--all", "--csv", "x.csv"], ["--all", "--games", "5"]):
        assert CliRunner().invoke(app, ["reproduce", *wrong]).exit_code == 2


def test_a_first_look_at_one_experiment(tmp_path, monkeypatch):
    """Given options override the small ones."""
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(Experiment, "__call__", lambda self, notify, **options: asked.append(options) or 1 / 0)
    CliRunner().invoke(app, ["reproduce", "limit-three", "--quick", "--deals", "2"])
    assert asked == [PAPERS["limit-three"].quick() | {"deals": 2}]
