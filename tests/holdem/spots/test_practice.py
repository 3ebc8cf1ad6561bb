"""Practice on a solved spot: known values, reports to players, and valid coaches."""

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.exploiting.roster import tree_requirement
from tefuda.games.plays import play
from tefuda.holdem.cards import hand_number, read_cards
from tefuda.holdem.spots.practice import SpotCoach, SpotHuman
from tefuda.playing.agents import Decision
from tefuda.playing.coach import coach_of
from tests.conftest import compiled

TOY = {"board": "2c 2d 2h 3c 3d", "pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK", "bets": "a", "raises": "a"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run of the toy river (`holdem.md` 6.6): aces bet and win 150, queens 0, kings call half."""
    folder = tmp_path_factory.mktemp("runs") / "toy"
    td.solve(td.load_game("spot", **TOY).spot, until=0.01, checkpoint=folder)
    return folder


def test_a_coach_knows_the_values_of_a_toy_river(run):
    game = td.load_game("spot", **TOY)
    coach = coach_of(td.named_agents(game, [str(run)])[0], game)
    assert isinstance(coach, SpotCoach) and coach.name == "toy" and 0 < coach.precision <= 0.01
    expected = {
        ("AsAh|", 0): ((0, 1), (100, 150)),
        ("QsQh|", 0): ((0.5, 0.5), (0, 0)),
        ("KsKh|AllIn(100)", 1): ((0.5, 0.5), (0, 0)),
    }
    for (view, seat), (shares, worths) in expected.items():
        state = game.read_view(view, seat)
        advice = coach.advise(Decision(-1, view, game.actions(state), 0.5, seat))
        assert advice.shares == pytest.approx(shares, abs=0.01), view
        assert advice.values == pytest.approx(worths, abs=0.5), view


def test_values_after_the_players_own_deviations(run):
    """Values are unknown only at zero reach of the opponent; after own deviations they are reported."""
    coach = SpotCoach(td.load(run).strategy, "toy")
    advice = coach.advise(Decision(-1, "KsKh|Check", ("Check", "AllIn(100)"), 0.5, 1))
    assert np.isfinite(advice.values).all()


def test_the_opponent_of_a_given_hand_is_dealt_from_its_range():
    """Beside two aces, 8 of the 16 hands of AK are left; the 6 hands of QQ have half the weight."""
    game = td.load_game("spot", **{**TOY, "oop": "AA", "ip": "AK,QQ:0.5"})
    points = (np.arange(1100) + 0.5) / 1100
    deals = [game.deal_with(0, hand_number(*read_cards("AsAh")), lambda point=point: point) for point in points]
    shares = Counter("QQ" if "Q" in deal else "AK" for deal in deals)
    assert shares == {"AK": 800, "QQ": 300} and all(deal.startswith("AsAh ") for deal in deals)
    assert game.deal_with(1, hand_number(*read_cards("KsKc")), lambda: 0.5).endswith(" KsKc")
    blocked = td.load_game("spot", **{**TOY, "oop": "AA", "ip": "AsKs"})
    with pytest.raises(td.errors.ParameterError):
        blocked.deal_with(0, hand_number(*read_cards("AsAh")), lambda: 0.5)


def test_views_are_parsed_and_described():
    game = td.load_game("spot", board="Qs Jh 2h 8d", pot=100, stack=400, oop="AA,KQs", ip="KK,T9s", bets="50,a")
    rng = np.random.default_rng(5)
    for _ in range(20):
        for step in play(game, rng)[0]:
            if step.player < 0:
                continue
            state = game.read_view(game.view(step.state, step.player), step.player)
            assert state.hands[step.player] == step.state.hands[step.player] and state.hands[1 - step.player] == -1
            assert state[1:] == step.state[1:] and game.actions(state) == game.actions(step.state)
    told = game.observe("KcKd|Check/Bet(50)/Call/Ts/AllIn(350)", 1)
    assert told.hand == "Kd Kc, one pair: K, Q J T"
    assert told.table == (
        "pot 550, 350 behind, board Qs Jh 2h 8d Ts: player 0 checks, you bet 50, player 0 calls, the Ts comes, "
        "player 0 moves all-in for 350"
    )
    assert told.actions == {"Fold": "fold", "Call": "call"}
    assert game.observe("AcAd|", 0).actions == {"Check": "check", "Bet(50)": "bet 50", "AllIn(400)": "all-in for 400"}


def test_a_run_of_another_spot_is_refused(run):
    with pytest.raises(td.errors.ParameterError, match="is a run of"):
        td.named_agents(td.load_game("spot", **{**TOY, "stack": 90}), [str(run)])


def test_amounts_and_starts_of_words_are_understood():
    person, names = SpotHuman(), [("check", "check"), ("bet 1,050", "bet 1,050"), ("all-in for 1,500",) * 2]
    assert [person.parse_action(text, names) for text in ("1050", "c", "a", "1500", "bet", "50", "b 1")] == [
        1, 0, 2, 2, 1, None, None,
    ]  # fmt: skip


def test_a_run_is_played_with_a_coach(run, tmp_path):
    """A saved game is resumed from its folder; other parameters and coaches without values are refused."""
    saved = tmp_path / "kept.json"
    command = ["play", str(run), "--coach", str(run), "--seed", "1", "--hands", "8", "--save", str(saved), "--json"]
    found = CliRunner().invoke(app, command, input="hint\nc\n" * 20)
    assert found.exit_code == 0, found.output
    assert "toy: check" in found.output and "that costs" in found.output
    told = json.loads(found.output.splitlines()[-1])
    assert told["hands"] == 8 <= told["decisions"] and told["unknown"] == 0
    assert told["cost"] == pytest.approx(50 * told["mistakes"], abs=1) and told["mistakes"], "aces that check"
    again = CliRunner().invoke(app, ["play", str(run), "--resume", str(saved)])
    assert again.exit_code == 0 and "After 8 hands" in again.output
    for more, message in (
        (["--pot", "99"], "is a run of spot with --pot 100"),
        (["--coach", "search"], "no fixed strategy"),
    ):
        refused = CliRunner().invoke(app, ["play", str(run), *more])
        assert refused.exit_code == 2 and message in " ".join(refused.output.split())


def test_a_match_is_played_at_a_run_of_a_spot(run):
    found = CliRunner().invoke(app, ["match", str(run), "--agents", f"{run},random", "--deals", "5", "--json"])
    assert found.exit_code == 0 and "toy" in json.loads(found.output.splitlines()[-1])["agents"]


def test_a_run_of_the_generic_tree_is_a_profile(run, tmp_path):
    tree = compiled("spot", **TOY)
    td.solve(tree, "cfr+", iterations=5, checkpoint=tmp_path / "tree")
    (agent,) = td.named_agents(tree, [str(tmp_path / "tree")])
    assert agent.profile is not None and coach_of(agent, tree.game).precision > 0
    assert tree_requirement(tree.game, [str(tmp_path / "tree")]) == "needs"
    assert tree_requirement(tree.game, [str(run)]) == "ignores"


def test_the_agent_solution_plays_the_solved_spot():
    """It bluffs half of its queens and bets all aces, as the solution of the toy river does."""
    game = td.load_game("spot", **TOY)
    agent = td.named_agents(game, ["solution"])[0]
    shares = dict(zip(("Check", "AllIn(100)"), agent.policy.strategy(0, "AsAc|", ("Check", "AllIn(100)")), strict=True))
    assert shares["AllIn(100)"] == pytest.approx(1, abs=0.02)
    assert isinstance(coach_of(agent, game), SpotCoach)
