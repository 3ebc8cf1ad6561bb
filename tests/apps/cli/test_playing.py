"""Matches, tournaments and exploitation on the command line."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.files import read_json, write_json
from tefuda.holdem import record_of, write_phh
from tefuda.playing.agents import traits
from tefuda.playing.hands import is_record
from tefuda.playing.tree_search import IsmctsAgent
from tefuda.solvers.protocol import TablePolicy
from tests.apps.conftest import OWN_GAME, last_json
from tests.processes import started, wait_until


def test_matches(tefuda, tmp_path):
    """Exact without learners; hands are written; the exploiter finds the weak player."""
    fixed = last_json(tefuda("match", "leduc", "--agents", "always-raise,uniform", "--json"))
    assert fixed["exact"] and fixed["deals"] == 0 and sum(fixed["mean"]) == pytest.approx(0, abs=1e-12)
    options = ("--players", 3, "--agents", "exploiter,equilibrium,always-raise", "--deals", 8, "--seed", 1)
    found = tefuda("match", "leduc", *options, "--record", tmp_path / "hands.jsonl")
    assert "exploiter" in found.stdout and "by seat order" in found.stdout
    assert len((tmp_path / "hands.jsonl").read_text().splitlines()) == 1 + 6 * 8
    assert "always-call" in tefuda("match", "leduc").stdout


def test_hands_of_a_phh_file(tefuda, tmp_path):
    """A hand folded before the flop: the small blind loses its chip. Only hold'em has PHH files."""
    game = td.load_game("holdem")
    state = game.root()
    for label in "As Ks 7h 2c f".split():
        state = game.child(state, label)
    write_phh(tmp_path / "one.phh", [record_of(game, state, players=["one", "two"])])
    found = last_json(tefuda("hands", "holdem", tmp_path / "one.phh", "--json"))
    small = min(filter(None, game.rules.blinds))
    assert {abs(won) for _, won in found["won"][""].values()} == {small} and set(found["won"][""]) == {"one", "two"}
    assert "two" in tefuda("hands", "holdem", tmp_path / "one.phh").stdout
    tefuda("hands", "kuhn", tmp_path / "one.phh", code=2)


#: Hands with the right results: who mucks forfeits, unknown cards are mucked, rake, unknown stacks, ten players, a log.
FIELD = {
    "muck-best.phh": {"Ann": 20, "Ben": -10, "Cem": -10},
    "muck-unknown.phh": {"Ann": -130, "Ben": 130},
    "rake.phh": {"Ann": -30, "Ben": 28.5},
    "inf-stacks.phh": {"Ann": -5, "Ben": -10, "Cem": 15},
    "ten-players.phh": {"Ann": -5, "Ben": 5},
    "acpc.log": {"Ann": 950, "Ben": -950},
}
HANDS = Path(__file__).parents[2] / "data" / "hands"


@pytest.mark.parametrize("file", FIELD)
def test_hands_from_the_field(tefuda, file):
    found = last_json(tefuda("hands", "holdem", HANDS / file, "--json"))
    assert {name: won for name, (_, won) in found["won"][""].items() if won} == FIELD[file] and found["left_out"] == 0
    assert (found["by_record"], found["taken"]) == ((1, 1.5) if file == "rake.phh" else (0, 0))


def test_hands_of_several_files_are_one_report(tefuda):
    """Files and folders in any number; every file counts once."""
    two = last_json(tefuda("hands", "holdem", HANDS / "muck-best.phh", HANDS / "rake.phh", "--json"))
    assert two["hands"] == 2 and two["won"] == {"": {"Ann": [2, -10], "Ben": [2, 18.5], "Cem": [1, -10]}}
    every = last_json(tefuda("hands", "holdem", HANDS, HANDS / "rake.phh", "--json"))
    won = {name: sum(results.get(name, 0) for results in FIELD.values()) for name in ("Ann", "Ben", "Cem")}
    assert every["hands"] == 7 and {name: every["won"][""][name][1] for name in won} == won
    assert "1.5 from the pots" in " ".join(tefuda("hands", "holdem", HANDS).stdout.split())


def test_options_are_those_of_a_log(tefuda, tmp_path):
    """A log does not give its table; other tables are refused, and options beside PHH files."""
    log = tmp_path / "limit.log"
    log.write_text("STATE:0:rrc/cc/cc/cc:AhKs|AcQd/8c8d5c/Qh/2d:-30|30:Ann|Ben\n")
    options = ("--limit", "--blinds", "[5,10]", "--json")
    assert last_json(tefuda("hands", "holdem", log, *options))["won"] == {"": {"Ann": [1, -30], "Ben": [1, 30]}}
    tefuda("hands", "holdem", HANDS, "--limit", code=2)
    for given in (("--blinds", "[5,10]"), ("--players", 3), ("--blind", 5), ("--blinds", "[nan,1]"), ("more",)):
        tefuda("hands", "holdem", HANDS / "acpc.log", *given, code=2)
    tefuda("hands", "holdem", HANDS / "rake.phh", "--players", 2, code=2)
    tefuda("hands", "holdem", "--players", 2, HANDS / "rake.phh", code=2)


@pytest.mark.parametrize(
    "content", [b"PokerStars Hand #1: ...", b"", b"\xff\xfe{", b"[1]", b"{", b"MATCHSTATE:0:1:f:AhAs|"]
)
def test_files_of_other_formats_are_refused(tefuda, tmp_path, content):
    for name, game in (("hands.txt", "holdem"), ("hands.phh", "holdem"), ("hands.txt", "kuhn")):
        (tmp_path / name).write_bytes(content)
        assert "Error(" not in tefuda("hands", game, tmp_path / name, code=2).stderr
    (tmp_path / "no hands").mkdir()
    tefuda("hands", "holdem", tmp_path / "no hands", code=2)


SAMPLES = HANDS.parent / "hands44"


def test_hands_of_card_rooms(tefuda, tmp_path):
    """Without the name of the game: counts by reason, winnings by currency, texts of skipped hands."""
    found = last_json(tefuda("hands", SAMPLES, "--rejects", tmp_path / "rejects.txt", "--json"))
    assert found["hands"] == 18 and sum(found["skipped"].values()) == 6 and found["by_record"] == 0
    assert found["won"]["EUR"]["Ash"] == [3, 65.99] and found["won"]["chips"]["Cedar"] == [2, -590]
    printed = " ".join(tefuda("hands", SAMPLES).stdout.split())
    assert "24 hands: 18 read, 2 not hold'em, 1 cancelled" in printed and "without hands" in printed
    assert last_json(tefuda("hands", tmp_path / "rejects.txt", "--json"))["hands"] == 1  # the duplicate
    assert "P1" in last_json(tefuda("hands", "holdem", SAMPLES, "--alias", "--json"))["won"]["USD"]


def test_hands_of_card_rooms_that_are_refused(tefuda, tmp_path):
    omaha, readme = SAMPLES / "07-pokerstars-omaha-refused.txt", SAMPLES / "README.md"
    assert "2 not hold'em" in " ".join(tefuda("hands", omaha, code=2).stderr.split())
    assert "PokerStars" in tefuda("hands", readme, code=2).stderr
    for given in (("--strict",), ("--time-zone", "Nowhere/City"), ("--stack", 500), ("--agents", "random")):
        tefuda("hands", SAMPLES, *given, code=2)
    for given in (("holdem",), (tmp_path / "none",), ("kuhn", omaha)):
        tefuda("hands", *given, code=2)


def test_one_record_makes_a_report(tefuda, tmp_path):
    """Records of matches have a byte order mark after some editors; two of them are refused."""
    for name in ("a.jsonl", "b.jsonl"):
        tefuda("match", "kuhn", "--agents", "uniform,uniform", "--deals", 2, "--record", tmp_path / name)
    first = last_json(tefuda("hands", "kuhn", tmp_path / "a.jsonl", "--json"))
    (tmp_path / "b.jsonl").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "a.jsonl").read_bytes())
    assert last_json(tefuda("hands", "kuhn", tmp_path / "b.jsonl", "--json")) == first
    assert is_record(tmp_path / "b.jsonl")
    tefuda("hands", "kuhn", tmp_path / "a.jsonl", tmp_path / "b.jsonl", code=2)


def test_matches_with_aivat(tefuda, tmp_path):
    """An equilibrium against a learner: AIVAT's error is far below that of chips."""
    options = ("--agents", "equilibrium,exploiter", "--deals", 60, "--replicates", 3)
    found = last_json(tefuda("match", "leduc", *options, "--aivat", "--json"))
    assert list(found["aivat"]) == ["equilibrium"] and found["replicates"] == 3 and found["deals"] == 180
    mean, error = found["aivat"]["equilibrium"]
    low, high = found["interval"][0]
    assert abs(mean) < 0.05 and error < 0.01 and (low < mean < high or low == high)
    record = tmp_path / "hands.jsonl"
    assert "AIVAT" in tefuda("match", "leduc", *options, "--aivat", "--record", record).stdout
    again = last_json(tefuda("hands", "leduc", record, "--agents", "equilibrium,exploiter", "--json"))
    assert again["aivat"] == found["aivat"] and again["mean"] == found["mean"]
    turned = last_json(tefuda("hands", "leduc", record, "--agents", "exploiter,equilibrium", "--json"))
    assert turned == again  # agents are found by name, not by order
    assert "AIVAT" not in tefuda("hands", "leduc", record).stdout
    for names in ("uniform", "equilibrium,uniform", "equilibrium,equilibrium", "equilibrium,exploiter,uniform"):
        refused = tefuda("hands", "leduc", record, "--agents", names, code=2).stderr
        assert "played by equilibrium, exploiter; got " in " ".join(refused.split())
    assert "cannot read" in tefuda("hands", "leduc", tmp_path / "none", code=2).stderr


def test_tournament(tefuda):
    found = last_json(tefuda("match", "kuhn", "--all-pairs", "--agents", "uniform,always-raise,always-pass", "--json"))
    assert found["won"][1][2] == pytest.approx(1) and found["error"][1][2] == 0  # a bet wins the ante
    assert "wins from" in tefuda("match", "kuhn", "--all-pairs", "--agents", "uniform,always-raise").stdout


def test_ratings_of_a_tournament(tefuda):
    """Elo plays hands, the others take exact winnings; wishes that cannot be met end before a match."""
    pairs = "match", "kuhn", "--all-pairs", "--agents", "uniform,always-raise,always-pass"
    elo = last_json(tefuda(*pairs, "--ratings", "elo", "--reference", "uniform", "--deals", 50, "--json"))["ratings"]
    assert elo["rating"][0] == 0 < elo["rating"][1] and elo["low"][1] < elo["rating"][1] < elo["high"][1]
    ranked = last_json(tefuda(*pairs, "--ratings", "alpha-rank", "--alpha", 5, "--json"))["ratings"]
    assert sum(ranked["rating"]) == pytest.approx(1) and ranked["low"] == ranked["rating"]
    assert "95 % intervals" in tefuda(*pairs, "--ratings", "nash").stdout
    for wish in (["--ratings", "glicko"], ["--reference", "uniform"], ["--ratings", "elo", "--reference", "nobody"]):
        assert wish[-1] in tefuda(*pairs, *wish, code=2).stderr or "--ratings" in tefuda(*pairs, *wish, code=2).stderr
    assert "--all-pairs" in tefuda("match", "kuhn", "--agents", "uniform,uniform", "--ratings", "elo", code=2).stderr


def test_hands_that_cannot_be_written_are_refused_before_the_match(tefuda, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN_GAME.replace('"stop", "double"', 'frozenset("s"), "double"'))
    monkeypatch.setattr("tefuda.playing.match.duplicate_match", lambda *_, **__: pytest.fail("it was played"))
    result = tefuda("match", "own.py:HighCard", "--agents", "uniform,uniform", "--record", "h.jsonl", code=2)
    assert "labels must be texts" in result.stderr and not (tmp_path / "h.jsonl").exists()


def test_dependent_deals_are_reported_for_learning_agents_only(tefuda):
    """Random play, greedy play and profiles remember nothing between hands; exploiters and searches do."""
    said = "Deals are dependent if agents learn"
    for game, agents in (("kuhn", "random,uniform"), ("koikoi", "greedy,random")):
        assert said not in tefuda("match", game, "--agents", agents, "--deals", 4).output
    told = " ".join(tefuda("match", "kuhn", "--agents", "exploiter,random", "--deals", 4).output.split())
    assert f"{said} (exploiter); --replicates 4" in told
    assert f"{said} (oos)" in " ".join(tefuda("match", "kuhn", "--agents", "random,oos", "--deals", 2).output.split())
    assert said not in tefuda("match", "kuhn", "--agents", "exploiter,random", "--deals", 2, "--replicates", 2).output


def test_agents_declare_learning():
    """Agents may learn unless they declare otherwise; a game's own agents do not learn."""
    made = dict.fromkeys(("random", "greedy", "flat-100"), False) | {"oos": True, "human": True}
    agents = td.named_agents(td.load_game("koikoi"), list(made))
    assert [traits(agent).learns for agent in agents] == list(made.values())
    script = td.ScriptedAgent("s", lambda player, view, actions: actions[0])
    strategy = td.StrategyAgent("s", lambda player, view, actions: [1.0])
    assert not any(traits(agent).learns for agent in (script, strategy, td.PolicyAgent("p", TablePolicy({}))))


def test_agents_that_need_a_tree_are_listed_if_there_is_one(tefuda):
    """Hold'em has 5.8e19 histories: the list and errors name only agents without a tree."""
    held = last_json(tefuda("match", "holdem", "--json"))
    assert {"caller", "equity", "random"} <= set(held) and not {"equilibrium", "depth-limited", "always-raise"} & set(
        held
    )
    assert "equilibrium" in last_json(tefuda("match", "kuhn", "--json"))
    assert "equilibrium" not in tefuda("match", "holdem", "--agents", "callers,random", code=2).stderr
    assert "equilibrium" in tefuda("match", "kuhn", "--agents", "callers,random", code=2).stderr


def test_matches_are_resumed(tefuda, tmp_path, monkeypatch):
    """After Ctrl-C, with more deals and with other workers: the JSON of an uninterrupted match."""
    options = ("--agents", "ismcts,random", "--seed", 4, "--shared", "cards")
    whole = tefuda("match", "kuhn", *options, "--deals", 6, "--json").stdout
    act, decisions = IsmctsAgent.act, []

    def interrupted(agent, decision):
        if len(decisions) == 9:
            raise KeyboardInterrupt
        decisions.append(decision)
        return act(agent, decision)

    monkeypatch.setattr(IsmctsAgent, "act", interrupted)
    stopped = tefuda("match", "kuhn", *options, "--deals", 5, "--out", "mine", code=130)
    assert "tefuda match --resume mine" in stopped.stderr
    assert "--resume mine" in tefuda("match", "kuhn", *options, "--out", "mine", code=2).stderr
    monkeypatch.setattr(IsmctsAgent, "act", act)
    assert last_json(tefuda("match", "--resume", "mine", "--json"))["deals"] == 5
    assert tefuda("match", "kuhn", "--cards", 3, "--resume", "mine", "--deals", 6, "--json").stdout == whole
    assert tefuda("match", "--resume", "mine", "--json").stdout == whole
    for wrong in (("--seed", 4), ("--agents", "random,random"), ("--out", "other"), ("--aivat",), ("--deals", 0)):
        tefuda("match", "--resume", "mine", *wrong, code=2)
    for game in (("leduc",), ("kuhn", "--cards", 4)):
        tefuda("match", *game, "--resume", "mine", code=2)
    tefuda("match", code=2)


@pytest.mark.parametrize(
    "agents, options",
    [
        ("uniform,uniform", ()),
        ("uniform,oos", ()),
        ("uniform,human", ()),
        ("random,random", ("--replicates", 2)),
        ("random,random", ("--record", "hands.jsonl")),
        ("uniform,random", ("--aivat",)),
        ("random,random", ("--all-pairs",)),
    ],
)
def test_matches_that_cannot_be_resumed_are_refused(tefuda, agents, options):
    error = tefuda("match", "kuhn", "--agents", agents, *options, "--deals", 4, "--out", "mine", code=2).stderr
    assert any(word in error for word in ("--play", "oos", "human", *map(str, options)))
    assert not any(Path().glob("mine/*.npz"))


FORGED = {
    "game": "chess",
    "parameters": {"cards": 4},
    "agents": ["random", 3],
    "deals": "5",
    "seed": -1,
    "shared": "all",
    "play": 1,
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_matches_are_refused(tefuda, name):
    tefuda("match", "kuhn", "--agents", "random,random", "--deals", 3, "--out", "mine")
    plan = Path("mine/match.json")
    content = read_json(plan)
    write_json(plan, {**content, name: FORGED[name]})
    tefuda("match", "--resume", "mine", code=2)
    plan.write_bytes(plan.read_bytes()[:-20])
    tefuda("match", "--resume", "mine", code=2)
    tefuda("match", "--resume", "nowhere", code=2)
    assert not Path("nowhere").exists()


def test_own_games_are_named_to_resume_a_match(tefuda):
    Path("own.py").write_text(OWN_GAME)
    whole = tefuda(
        "match", "own.py:HighCard", "--agents", "random,random", "--deals", 3, "--out", "mine", "--json"
    ).stdout
    assert tefuda("match", "own.py:HighCard", "--resume", "mine", "--json").stdout == whole
    tefuda("match", "--resume", "mine", code=2)


@pytest.mark.slow
def test_a_killed_match(tmp_path):
    """The process is killed while it plays; the lock and the temporary file that it leaves do no harm."""
    process = started(tmp_path, "match", "kuhn", "--agents", "ismcts,random", "--deals", "1e6", "--out", "mine")
    wait_until(lambda: (tmp_path / "mine" / "deals-0.npz").exists() or process.poll() is not None)
    process.kill()
    process.communicate()
    resume = ("match", "--resume", tmp_path / "mine", "--deals", "2", "--json")
    found = CliRunner().invoke(app, [str(word) for word in resume])
    whole = CliRunner().invoke(app, ["match", "kuhn", "--agents", "ismcts,random", "--deals", "2", "--json"])
    assert found.stdout == whole.stdout and last_json(found)["deals"] == 2
