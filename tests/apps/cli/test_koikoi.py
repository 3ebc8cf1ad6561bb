"""Koi-Koi on the command line; errors come before tables are learned, which takes minutes."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda import files
from tefuda.apps.cli import app
from tefuda.koikoi.players import archive, league, training
from tefuda.koikoi.players.network import load
from tefuda.koikoi.players.training import NetworkLearner, NetworkTraining
from tefuda.koikoi.playing import agents
from tefuda.koikoi.reduced import koikoi
from tefuda.koikoi.rules import find_rules
from tefuda.playing.agents import Decision
from tefuda.playing.session import Session, save_session, saved_session, series_of, unattended_session, write_session
from tests.apps.conftest import last_json
from tests.koikoi.random_rounds import DATA, needs_data, record_round


@pytest.fixture
def unlearned(monkeypatch):
    """Fail if any value table is learned."""

    def refuse(*_, **__):
        raise AssertionError("tables are learned")

    for module in (agents, archive):
        monkeypatch.setattr(module, "load_tables", refuse)
    monkeypatch.setattr(archive, "learn_tables", refuse)


@pytest.fixture
def rounds(tmp_path):
    """Return a file with a recorded round."""
    file = tmp_path / "rounds.jsonl"
    file.write_text(json.dumps(record_round(koikoi(), 0, 1.0, random.Random(1))[0]) + "\n")
    return str(file)


LADDER, AGREE = ["koikoi", "ladder"], ["koikoi", "agree", "ROUNDS"]
MATCH, PLAY = ["match", "koikoi", "--agents", "search,greedy"], ["play", "koikoi", "--against", "search"]
SEED = "seed is -1; it must be a whole number"


@pytest.mark.parametrize(
    "words, said",
    [
        ([*LADDER, "--agents", "greedy,gredy"], "gredy"),
        ([*LADDER, "--deals", "1"], "--deals"),
        ([*LADDER, "--rounds", "0"], "rounds is 0"),
        ([*LADDER, "--training", "-1"], "training is -1"),
        ([*LADDER, "--seed", "-1"], SEED),
        ([*LADDER, "--preset", "standart"], "standart"),
        (["koikoi", "tables", "FOLDER"], "it is a folder"),
        (["koikoi", "tables", "FOLDER/t", "--rounds", "0"], "rounds is 0"),
        (["koikoi", "rules", "--language", "fr"], "--language"),
        ([*AGREE, "--agents", "random,gredy"], "gredy"),
        ([*AGREE, "--seed", "-1"], SEED),
        ([*AGREE, "--training", "0.5"], "whole number"),
        ([*MATCH, "--seed", "-1"], SEED),
        ([*MATCH, "--deals", "0"], "deals is 0"),
        ([*MATCH, "--shared", "all"], "shared is 'all'"),
        ([*MATCH, "--replicates", "0"], "replicates is 0"),
        ([*MATCH, "--record", "FOLDER"], "it is a folder"),
        (["match", "koikoi", "--agents", "search,greedy,random"], "2 players; got 3"),
        (["match", "koikoi", "--all-pairs", "--agents", "search"], "two agents"),
        (["match", "koikoi", "--all-pairs", "--agents", "search,greedy", "--seed", "-1"], SEED),
        ([*PLAY, "--seed", "-2"], "seed is -2"),
        ([*PLAY, "--language", "fr"], "--language is 'fr'; it must be en or ja"),
        ([*PLAY, "--hands", "3"], "leave --hands out"),
        ([*PLAY, "--save", "ROUNDS/game.json"], "cannot write"),
    ],
)
def test_errors_precede_the_learning_of_tables(words, said, unlearned, rounds, tmp_path):
    words = [word.replace("ROUNDS", rounds).replace("FOLDER", str(tmp_path)) for word in words]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2 and said in found.output


def test_an_unfit_saved_game_is_refused_before_tables_are_learned(unlearned, tmp_path):
    game, file = koikoi(), tmp_path / "game.json"
    kept = unattended_session(game, 1, series_of(game), None)
    kept.history.labels = ["1B"] * 25
    save_session(file, kept, ["search"], {"hands": 0, "language": "en"})
    found = CliRunner().invoke(app, ["play", "koikoi", "--resume", str(file)])
    assert found.exit_code == 2 and "does not match the rules" in found.output


def test_options_of_a_saved_game_are_checked(tmp_path):
    game, file = koikoi(), tmp_path / "game.json"
    save_session(
        file, unattended_session(game, 1, series_of(game), None), ["greedy"], {"hands": "many", "language": "en"}
    )
    found = CliRunner().invoke(app, ["play", "koikoi", "--resume", str(file)])
    assert found.exit_code == 2 and "hands" in found.output and "Traceback" not in found.output


@needs_data
def test_replay_on_the_command_line(tmp_path, capsys):
    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app([*map(str, words), "--json"])
        return ended.value.code, json.loads(capsys.readouterr().out.splitlines()[-1])

    assert run("koikoi", "replay", DATA / "human-rounds.jsonl", "--preset", "koikoi_japan") == (
        0,
        {"rounds": 794, "mismatches": 0, "differ": []},
    )
    lines = (DATA / "human-rounds.jsonl").read_text().splitlines()[:3]
    wrong = json.loads(lines[1]) | {"points": 77}
    (tmp_path / "rounds.jsonl").write_text("\n".join([lines[0], json.dumps(wrong), lines[2]]))
    code, found = run("koikoi", "replay", tmp_path / "rounds.jsonl", "--preset", "koikoi_japan")
    assert code == 1 and found["mismatches"] == 1 and "points: recorded 77" in found["differ"][0]["differences"][0]
    assert run("koikoi", "replay", tmp_path / "rounds.jsonl", "--preset", "standart")[0] == 2
    (tmp_path / "rounds.jsonl").write_text("[" * 100_000)
    assert run("koikoi", "replay", tmp_path / "rounds.jsonl")[0] == 2


def replayed(capsys, *words):
    """Return the exit code and the JSON object of tefuda koikoi replay."""
    with pytest.raises(SystemExit) as ended:
        app(["koikoi", "replay", *map(str, words), "--json"])
    lines = capsys.readouterr().out.splitlines()
    return ended.value.code, json.loads(lines[-1]) if lines else None


def test_recorded_matches_are_replayed(tmp_path, capsys):
    """A round that breaks the rules, or with other payoffs, does not hide the others."""
    players, file = [td.RandomAgent("a"), agents.GreedyAgent("b")], tmp_path / "hands.jsonl"
    td.playing.write_hands(file, td.duplicate_match(koikoi(), players, deals=2, record=True))
    assert replayed(capsys, file) == (0, {"rounds": 4, "mismatches": 0, "differ": []})
    head, *rows = file.read_text().splitlines()
    hands = [json.loads(row) for row in rows]
    hands[1]["labels"][30] = "stop"
    hands[3]["payoffs"] = [1.0, 0.0]
    file.write_text("\n".join([head, *map(json.dumps, hands)]))
    code, found = replayed(capsys, file)
    assert (code, found["rounds"], [one["round"] for one in found["differ"]]) == (1, 4, ["2", "4"])
    assert replayed(capsys, file, "--preset", "standart")[0] == 2
    file.write_text(json.dumps({"format": 1, "agents": ["a", "b", "c"], "replicates": 1}))
    assert replayed(capsys, file)[0] == 2
    assert CliRunner().invoke(app, ["koikoi", "agree", str(file)]).exit_code == 2


def test_saved_games_are_replayed_by_their_own_rules(tmp_path, capsys):
    """The first round that breaks the rules is named. Options must be those of the file."""
    game, file = td.load_game("koikoi", preset="no_sake", rounds=3), tmp_path / "game.json"
    session = Session(game, None, [[agents.GreedyAgent()]] * 2, 1, series_of(game), None)
    step = session.step()
    while isinstance(step, Decision):
        step = session.step(step.actions[0])
    played = session.ended[0].end.labels
    save_session(file, session, ["greedy"], {"hands": 0, "language": "en"})
    assert replayed(capsys, file) == (0, {"rounds": 1, "mismatches": 0, "differ": []})
    assert replayed(capsys, file, "--preset", "no_sake", "--rounds", "3")[0] == 0
    for words in (("--preset", "standard"), ("--rounds", "4"), ("--goko", "5")):
        assert replayed(capsys, file, *words)[0] == 2
    write_session(file, saved_session(session, ["greedy"], {})._replace(hands=[played, ("1B",) * 24]))
    code, found = replayed(capsys, file)
    assert code == 1 and found["rounds"] == 2 and [one["round"] for one in found["differ"]] == ["2"]
    write_session(file, saved_session(session, ["greedy"], {})._replace(play="kuhn"))
    assert replayed(capsys, file)[0] == 2
    for damaged in ("{", '{"play": "koikoi"}', '{"play": 1e17}'):
        file.write_text(damaged)
        assert replayed(capsys, file)[0] == 2


def test_ladder_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app(["koikoi", "ladder", "--training", "2000", "--rounds", "2000", "--deals", "4", *words])
        return ended.value.code, capsys.readouterr()

    code, said = run("--agents", "random,greedy", "--json")
    found = json.loads(said.out.splitlines()[-1])
    pairs = [(row["one"], row["two"]) for row in found["meetings"]]
    assert code == 0 and pairs == [
        ("greedy", "random"), ("clairvoyant", "random"), ("response", "random"),
        ("clairvoyant", "greedy"), ("response", "greedy"),
    ]  # fmt: skip
    assert run("--agents", "random,greedy", "--json")[1].out == said.out
    assert "against" not in run("--agents", "greedy")[1].out and run("--agents", "gredy")[0] == 2
    assert run("--deals", "1")[0] == 2


def test_a_ladder_resumes_its_finished_pairs(tmp_path, monkeypatch):
    """Stopped at any pair, the same command plays only the other ones, with the same result."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    words = [*LADDER, "--agents", "random,greedy", "--training", "2000", "--rounds", "2000", "--deals", "4", "--json"]
    whole, duel, file = last_json(CliRunner().invoke(app, words)), league.duel, str(tmp_path / "pairs")
    played = []

    def interrupted(*arguments, **options):
        if len(played) in (2, 4):
            played.append("Ctrl-C")
            raise KeyboardInterrupt
        played.append("pair")
        return duel(*arguments, **options)

    monkeypatch.setattr(league, "duel", interrupted)
    alone = CliRunner().invoke(app, words)
    assert alone.exit_code == 130 and "--out" in alone.stderr
    assert f"greedy {whole['meetings'][0]['points']:+.2f} from random" in alone.stderr
    played.clear()
    for _ in range(2):
        stopped = CliRunner().invoke(app, [*words, "--out", file])
        assert stopped.exit_code == 130 and file in stopped.stderr
    found = last_json(CliRunner().invoke(app, [*words, "--out", file]))
    assert found == whole and played == ["pair"] * 2 + ["Ctrl-C", "pair", "Ctrl-C", "pair", "pair"]
    assert last_json(CliRunner().invoke(app, [*words, "--out", file])) == whole and len(played) == 7
    others = {"--deals": "5", "--seed": "1", "--rounds": "2001", "--double-at": "0", "--training": "2001"}
    for other in others.items():
        refused = CliRunner().invoke(app, [*words, *other, "--out", file])
        assert refused.exit_code == 2 and len(played) == 7, other
    arrays, header = files.read_arrays(Path(file))
    for forged in (
        {name: np.concatenate([array, array]) for name, array in arrays.items()},
        {**arrays, "points": arrays["points"] * np.nan},
        {**arrays, "points": arrays["points"][:, :3]},
        {**arrays, "seconds": arrays["seconds"][:2]},
        {"points": arrays["points"]},
    ):
        files.write_arrays(Path(file), forged, header)
        assert CliRunner().invoke(app, [*words, "--out", file]).exit_code == 2
    assert len(played) == 7


def test_a_network_is_trained(tmp_path):
    """Training writes weights and their curve, and deletes its checkpoint; other checkpoints are refused."""
    file = tmp_path / "net.safetensors"
    words = ["koikoi", "train", str(file), "--rounds", "300", "--units", "8", "--batch", "4", "--seed", "1"]
    found = CliRunner().invoke(app, [*words, "--json"])
    said = json.loads(found.output.splitlines()[-1])
    assert found.exit_code == 0 and said["rounds"] == 300 and said["half_width"] > 0
    assert load(file).b1.shape == (8,) and len((tmp_path / "net.csv").read_text().splitlines()) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.csv", "net.safetensors"]
    learner = NetworkLearner(find_rules("standard"), NetworkTraining(300, 8, 4), 2)
    learner.save(file.with_name("net.safetensors.training"))
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2 and "another training" in found.output
    for name, rounds, wrong in (("a.safetensors", "0.5", "whole number"), ("a.csv", "300", "must end in .safetensors")):
        found = CliRunner().invoke(app, ["koikoi", "train", str(tmp_path / name), "--rounds", rounds])
        assert found.exit_code == 2 and wrong in found.output


@pytest.mark.parametrize("kept, said", [(0.0, "resume from"), (60.0, "nothing is saved in the first minute")])
def test_interrupted_training_reports_its_checkpoint(kept, said, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", kept)
    monkeypatch.setattr(training, "describe_progress", interrupt_later([]))
    words = ["koikoi", "train", str(tmp_path / "net.safetensors"), "--rounds", "1500", "--units", "8", "--batch", "4"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 130 and said in " ".join(found.output.split())
    assert (tmp_path / "net.safetensors.training").exists() == (kept == 0)


def interrupt_later(told):
    """Return a callback that ends the command at the second block."""

    def notify(learner):
        told.append(learner)
        if len(told) == 2:
            raise KeyboardInterrupt
        return ""

    return notify


def test_value_tables_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_COUNTED_ROUNDS", 100)
    file = tmp_path / "t.safetensors"
    found = CliRunner().invoke(app, ["koikoi", "tables", str(file), "--preset", "no_sake", "--rounds", "300", "--json"])
    assert found.exit_code == 0 and json.loads(found.output.splitlines()[-1])["rounds"] == 300
    tables, outcomes = archive.load_shipped(file)
    assert tables.entries.any() and outcomes.points.sum() == 100


def test_a_match_is_in_the_language_of_the_locale(monkeypatch, tmp_path):
    """All lines but codes and prompt, of reduced games too; saved games resume in their language."""
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    monkeypatch.chdir(tmp_path)
    words = ["play", "koikoi", "--against", "greedy", "--rounds", "3", "--seed", "4", "--save", "m"]
    found = CliRunner().invoke(app, words, input="?\nfoo\n1\nsave\nq\n")
    assert found.exit_code == 0 and "? でヒント" in found.output and "ネットワーク" in found.output
    said = re.sub(r"(?m)^koikoi:|tefuda play koikoi --resume \w+|save|foo|\bq\b|standard|\bm\b", "", found.output)
    assert not re.search("[a-z]{2}", said), said
    monkeypatch.setenv("LC_ALL", "C")
    again = CliRunner().invoke(app, ["play", "koikoi", "--resume", "m"], input="q\n")
    assert "手札" in again.output
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    small = CliRunner().invoke(app, ["play", "mini8", "--against", "greedy"], input="q\n")
    assert small.exit_code == 0 and "手札" in small.output and "your hand" not in small.output


def test_the_network_plays_at_the_table():
    found = CliRunner().invoke(app, ["match", "koikoi", "--agents", "neural,random", "--deals", "2"])
    assert found.exit_code == 0 and "neural" in found.output
