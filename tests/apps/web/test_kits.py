"""A game file with a kit: the command line and the page use all its parts."""

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.games.catalogue import GAMES, ListedGame

GAME = """
import tefuda as td
from tefuda.games.small.kuhn import Kuhn
from tefuda.playing.coach import ProfileCoach
from tefuda.playing.session import Rotation


class Rounds(Rotation):
    def title(self, ended, names):
        return f"Round {len(ended) + 1} of 2"


class MineKit(td.Kit):
    def agents(self):
        timid = td.ScriptedAgent("timid", lambda player, view, actions: "p")
        return {"timid": ("checks and folds", lambda notify: timid)}

    def series(self):
        return Rounds(self.game, 2)

    def coach(self, strategy=None, name=""):
        profile = td.Profile.uniform(td.compile_game(self.game))
        return ProfileCoach("mentor", profile) if strategy is None else None

    def guide(self, language="en"):
        return {"en": "# Mine", "ja": "# 私の"}[language] + "\\n\\nThe higher card wins."

    def presets(self):
        return {"calm": {"preset": "calm"}}


class Mine(Kuhn):
    name = "mine"
    kit = MineKit
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(GAME)
    return f"{path}:Mine"


def test_the_command_line_uses_a_kit(file):
    """The default opponent, the series and the coach are those of the kit."""
    done = CliRunner().invoke(app, ["play", file, "--coach", "mentor", "--seed", "3"], input="b\nb\n")
    assert done.exit_code == 0 and "Round 1 of 2" in done.stdout and "Round 2 of 2" in done.stdout
    assert "mentor: " in done.stdout and "timid" in done.stdout
    refused = CliRunner().invoke(app, ["play", file, "--coach", "nobody"])
    assert refused.exit_code == 2 and "nobody" in refused.output


def test_the_page_uses_a_kit(file, client, monkeypatch):
    """It offers the coach, the agents and the presets, shows the guide, and ends with the series."""
    monkeypatch.setitem(GAMES, "mine", ListedGame(file))
    offered = client.get("/api/play/opponents?game=mine").json()
    assert offered["coaches"] == ["mentor"] and offered["opponents"][0]["name"] == "timid"
    (entry,) = (entry for entry in client.get("/api/play?game=mine").json()["games"] if entry["game"] == "mine")
    assert entry["presets"] == ["calm"]
    english, japanese = (client.get(f"/api/play/guide?game=mine&language={name}").text for name in ("en", "ja"))
    assert "Mine" in english and "私の" in japanese
    assert client.get("/api/play/guide?game=kuhn").status_code == 404
    state = client.post("/api/tables", json={"game": "mine", "parameters": {}, "opponents": [], "mode": "after"}).json()
    address, hands = f"/api/tables/{state['id']}", set()
    while not state["closed"]:
        hands.add(state["hand"])
        step, chosen = ("act", {"action": 0}) if state["actions"] else ("next", {})
        state = client.post(f"{address}/{step}", json={"version": state["version"], **chosen}).json()
    assert hands == {0, 1}


def test_the_page_lists_games_that_cannot_be_made(client):
    """The list answers; the opponents answer with the error."""
    assert client.get("/api/play?game=kuhn&players=99").status_code == 200
    assert client.get("/api/play/opponents?game=kuhn&players=99").status_code == 400


@pytest.mark.parametrize("game", ["kuhn", "koikoi", "mini8", "holdem", "spot"])
def test_kits_name_forms_that_exist(game):
    forms = td.games.kit_of(td.load_game(game)).forms()
    assert forms and set(forms) <= td.forms.REPRESENTATIONS.keys()


def test_kits_choose_the_forms_of_the_page():
    assert (
        td.games.kit_of(td.load_game("spot")).forms()
        == ("hands",)
        == td.games.kit_of(td.load_game("spot").spot).forms()
    )
    forms = [td.games.kit_of(td.load_game("holdem", **given)).forms() for given in ({}, {"limit": True})]
    assert forms == [("buckets", "rules"), ("buckets",)]
