"""The agent and coach ``solver``: exact sums of values, names with options, refusals, commands."""

import json
from math import isnan

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.errors import ParameterError, RunError
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.solver import in_buckets
from tefuda.holdem.cards import hand_number, read_cards
from tefuda.holdem.players.agent import SolverAgent
from tefuda.holdem.players.named import SolverMaker, load_blueprint, solve_command
from tefuda.holdem.ranges import compatible_weights
from tefuda.playing.agents import Decision
from tefuda.playing.coach import coach_of
from tests.conftest import refused
from tests.holdem.players import blueprints

TURN = "AhQh|9d7d5hKs|r250c/cc/"


def decision(view, seat, table, uniform=0.5):
    state = table.read_view(view, seat)
    return Decision(-1, view, table.actions(state), uniform, seat)


def test_values_of_the_coach_add_up():
    """The mean over actions of the values is the value of the spot, to 1e-4 of the pot."""
    table, agent = blueprints.table(), blueprints.agent(0.4)
    coach = coach_of(agent, table)
    assert coach is agent
    advice = coach.advise(decision(TURN, 0, table))
    street = agent._coached[0].street
    solution, shares = street.solution(), street.decision()
    spot, evs, total = solution.compiled.spot, solution.action_evs(""), solution.evs(0)
    weights = spot.weights[0] * compatible_weights(spot.weights[1])
    by_action = sum(weights @ np.nan_to_num(shares[name] * evs[name]) for name in shares)
    assert by_action / weights.sum() == pytest.approx(weights @ np.nan_to_num(total) / weights.sum(), abs=500 * 1e-4)
    number = hand_number(*read_cards("AhQh"))
    labels = table.actions(table.read_view(TURN, 0))
    expected = dict(zip(labels, advice.values, strict=True))
    assert expected["c"] == pytest.approx(evs["Check"][number]) and sum(advice.shares) == pytest.approx(1)
    assert expected["100%"] == pytest.approx(evs["Bet(500)"][number]) and coach.precision == pytest.approx(5)


def test_before_the_turn_values_are_unknown():
    table = blueprints.table()
    coach = coach_of(blueprints.agent(0.5), table)
    advice = coach.advise(decision("AhQh|9d7d5h|r250c/", 0, table))
    actions = table.actions(table.read_view("AhQh|9d7d5h|r250c/", 0))
    expected = blueprints.blueprint().policy.strategy(0, "AhQh|9d7d5h|r250c/", actions)
    assert advice.shares == pytest.approx(expected) and all(map(isnan, advice.values))


def test_purified_decisions_take_the_largest():
    table = blueprints.table()
    blueprint, view = blueprints.blueprint(), "AhQh|9d7d5h|r250c/"
    shares = blueprint.policy.strategy(0, view, table.actions(table.read_view(view, 0)))
    agent = blueprints.agent(purify=1.0)
    agent.start(table, 0)
    assert {agent.act(decision(view, 0, table, number / 7)) for number in range(7)} == {int(np.argmax(shares))}
    dropped = agent.settings.played(np.array([[0.7, np.nan], [0.3, np.nan], [0.0, np.nan]]))
    assert dropped[:, 0].tolist() == [1, 0, 0] and np.isnan(dropped[:, 1]).all()


def test_other_tables_are_refused_or_scaled():
    agent = blueprints.agent()
    agent.start(td.load_game("holdem", stack=200, blinds=[5, 10]), 0)  # the same in other chips
    for table in (blueprints.table(stack=1900), blueprints.table(blinds=[40, 100]), blueprints.table(ante=5)):
        with refused(ParameterError):
            agent.start(table, 0)
        blueprints.agent(scale=True).start(table, 0)
    for table in (td.load_game("holdem", limit=True), td.load_game("holdem", players=3), td.load_game("kuhn")):
        with refused(ParameterError):
            blueprints.agent(scale=True).start(table, 0)


def test_names_with_options():
    maker = SolverMaker(blueprints.table())
    read = maker.named("solver:runs/a b;seconds=0.5;gadget=cfr-d;purify=1;scale").read()
    assert read == ("runs/a b", {"seconds": 0.5, "gadget": "cfr-d", "purify": 1.0, "scale": True})
    assert maker.named("solver;scale=no").read() == ("", {"scale": False})
    with refused(ParameterError, value="second"):
        maker.named("solver;second=1")
    with refused(ParameterError, key="seconds"):
        maker.named("solver;seconds=soon")
    with refused(RunError):
        load_blueprint("there/is/nothing")
    assert "--stack 2000 --blinds [50,100]" in solve_command(blueprints.table().rules)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run of ten big blinds with few buckets and few iterations."""
    folder = tmp_path_factory.mktemp("runs") / "nl"
    game = td.load_game("holdem", stack=100, blinds=[5, 10], bets="100,a", raises="a")
    td.solve(in_buckets(game, Buckets((10, 5, 5, 5))), iterations=2000, evaluator=td.NoEvaluation(), checkpoint=folder)
    return folder


def test_commands(run):
    table = ["holdem", "--stack", "100", "--blinds", "[5,10]", "--bets", "any"]
    names = f"solver:{run};seconds=0.02,solver:{run};seconds=0"
    result = CliRunner().invoke(app, ["match", *table, "--agents", names, "--deals", "2", "--json"])
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["deals"] == 2 and sum(content["mean"]) == pytest.approx(0)
    assert "seconds=0" in result.stderr
    for wrong in (f"solver:{run};seconds=x", f"solver:{run}x", "solver;gadget=none"):
        assert CliRunner().invoke(app, ["match", *table, "--agents", f"{wrong},caller"]).exit_code == 2


def test_a_session_resumed_within_a_hand_plays_the_same(run):
    """All of the agent's state follows from the line."""
    table = td.load_game("holdem", stack=100, blinds=[5, 10], bets="any")
    views = [("AhQh|9d7d5hKs|r20c/cc/", 0), ("AhQh|9d7d5hKs|r20c/cc/cr33", 0), ("AhQh|9d7d5hKs2c|r20c/cc/cr33c/", 0)]
    one, chosen = named(table, run), []
    for view, seat in views:
        two = named(table, run)
        chosen.append((one.act(decision(view, seat, table)), two.act(decision(view, seat, table))))
    assert all(first == second for first, second in chosen)


def named(table, run):
    (agent,) = td.named_agents(table, [f"solver:{run};seconds=0.05"])
    assert isinstance(agent, SolverAgent)
    agent.start(table, 0)
    return agent
