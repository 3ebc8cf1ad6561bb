"""Double oracle: known rounds and values, restricted games by their rules, runs."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.sequence import sequence_form
from tefuda.solvers.exact.linear_program import equilibrium_plans
from tefuda.solvers.exact.lp import plan_program
from tefuda.solvers.populations.double_oracle import DOUBLE_ORACLE, SDO, XDO
from tefuda.solvers.populations.restriction import first_actions, respond, restrict
from tests.conftest import compiled, refused, rules

#: Game, its parameters, value, rounds of double oracle over plans (None: not run) and over sequences, computed by two
#: other programs whose linear programs break ties in other ways.
ORACLES = [
    ("kuhn", {}, -1 / 18, 8, 5),
    ("kuhn", {"cards": 13}, -5 / 78, 12, 5),
    ("battleship", {"width": 3, "height": 1, "ships": (1,), "values": (1,), "shots": 2}, 2 / 9, 31, 30),
    ("goofspiel", {"cards": 4}, 0, 42, 34),
    ("leduc", {}, -0.0856064240780, None, 24),
]
#: NashConv of the first rounds over plans, which do not depend on ties.
FIRST = {"kuhn": [2, 2.5, 1, 1 / 3, 0.23, 2 / 9], "kuhn 13": [2, 1.538462, 0.544872, 0.310566, 0.207106, 0.145466]}


class Restricted:
    """The rules of a game in which only some actions are allowed at each view; the first where none is."""

    def __init__(self, game, allowed):
        self.game, self.allowed = game, allowed
        self.name, self.players = f"restricted {game.name}", game.players

    def __getattr__(self, name):
        return getattr(self.game, name)

    def actions(self, state):
        player, actions = self.game.player(state), self.game.actions(state)
        key = player, self.game.view(state, player)
        return tuple(action for action in actions if (key, action) in self.allowed) or actions[:1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["kuhn", "goofspiel"])
def test_restricted_games_are_those_of_restricted_rules(name, seed):
    """The same leaves and the same value; rules leave out infosets that the opponent never leads to."""
    parameters = {"cards": 3} if name == "goofspiel" else {}
    tree, game = compiled(name, **parameters), rules(name, **parameters)
    form, chosen = sequence_form(tree), np.random.default_rng(seed).random(tree.rows) < 0.5
    allowed = set()
    for row in np.flatnonzero(chosen):
        number = int(tree.infoset_of_row[row])
        actions = list(td.Profile.uniform(tree)[tree.name_of(number)])
        key = int(tree.infoset_player[number]), tree.keys[number]
        allowed.add((key, actions[row - int(tree.first_row[number])]))
    mask = np.ones(form.sequences, dtype=bool)
    mask[form.sequence] = chosen
    small, kept = restrict(form, mask)
    twin = td.compile_game(Restricted(game, allowed))
    other = sequence_form(twin)
    assert len(kept) == small.sequences >= other.sequences
    assert small.leaf_count == other.leaf_count
    plans = np.zeros(form.sequences)
    plans[kept] = np.concatenate(equilibrium_plans(plan_program(small)))
    value = td.values(td.Profile.from_weights(tree, plans[form.sequence]))[0]
    assert value == pytest.approx(td.solve(twin, "lp").values[0], abs=1e-9)
    assert respond(small, plans[kept])[0] == pytest.approx(0, abs=1e-9)


def test_a_game_restricted_to_all_its_sequences_is_itself():
    tree = compiled("leduc")
    form = sequence_form(tree)
    small, kept = restrict(form, np.ones(form.sequences, dtype=bool))
    assert np.array_equal(np.sort(kept), np.arange(form.sequences)) and small.leaf_count == form.leaf_count
    first, kept = restrict(form, first_actions(form) > 0)
    assert first.groups[:, 2].max() == 1 and len(kept) < form.sequences / 3


@pytest.mark.parametrize("name, parameters, value, plans, sequences", ORACLES)
def test_known_rounds_and_values(name, parameters, value, plans, sequences):
    tree = compiled(name, **parameters)
    form = sequence_form(tree)
    for method, rounds in ((DOUBLE_ORACLE, plans), (SDO, sequences)):
        if rounds is None:
            continue
        solution = td.solve(tree, method, until=1e-9, iterations=3 * rounds)
        assert solution.nash_conv <= 1e-9 and rounds / 2 < solution.iterations < 1.5 * rounds
        assert [point.iteration for point in solution.curve] == [*range(1, solution.iterations + 1)]
        assert solution.values[0] == pytest.approx(value, abs=1e-9)
        first = (
            FIRST.get(f"{name} 13" if "cards" in parameters and name == "kuhn" else name) if plans == rounds else None
        )
        found = [point.figure for point in solution.curve][: len(first or [])]
        assert found == pytest.approx(first or [], abs=1e-6)
    solver = td.make_solver(tree, SDO)
    before = (0, 0)
    for _ in range(solution.iterations):
        solver.advance(1)
        assert all(one <= two for one, two in zip(before, solver.used, strict=True))
        before = solver.used
    assert sum(before) <= form.sequences and td.nash_conv(solver.average()) <= 1e-9
    solver.advance(3)
    assert solver.used == before


@pytest.mark.parametrize("name, over", [("leduc", "sequences"), ("leduc", "actions"), ("battleship", "actions")])
def test_regret_minimisation_in_the_restricted_game(name, over):
    """A round ends at half of the whole game's NashConv, or after 1,000 iterations."""
    tree = compiled(name)
    method = replace(XDO, over=over)
    solution = td.solve(tree, method, until=1e-3, iterations=100)
    assert solution.nash_conv <= 1e-3 and solution.iterations < 60
    solver = td.make_solver(tree, method)
    for _ in range(12):
        solver.advance(1)
        inside = respond(solver._restricted, solver._plans[solver._kept])[0]
        assert inside <= td.nash_conv(solver.average()) / 2 or solver._learned[0] % 1000 == 0
    far = td.solve(compiled("kuhn"), method, iterations=30)
    assert far.nash_conv < 1e-5


@pytest.mark.parametrize("name", ["kuhn", "goofspiel"])
@pytest.mark.parametrize("method", [DOUBLE_ORACLE, SDO, XDO], ids=lambda method: method.name)
def test_runs_are_resumed_with_the_same_bits(tmp_path, method, name):
    """Goofspiel gets new sequences after the pause; Kuhn poker none, so that its regrets continue."""
    game = td.load_game(name, **({"cards": 4} if name == "goofspiel" else {}))
    straight = td.solve(game, method, iterations=15)
    td.solve(game, method, iterations=6, checkpoint=tmp_path / "run")
    resumed = td.resume(tmp_path / "run", iterations=15)
    assert np.array_equal(resumed.strategy.probabilities, straight.strategy.probabilities)
    solver = td.solvers.load_solver(td.load(tmp_path / "run"))
    assert solver.iterations == 15
    assert np.array_equal(solver.average().probabilities, straight.strategy.probabilities)
    with pytest.raises(td.errors.RunError):
        td.solvers.load_solver(straight)


def test_populations_have_exact_payoffs():
    solver = td.make_solver(compiled("kuhn"), DOUBLE_ORACLE)
    solver.advance(5)
    tree, form = solver.tree, sequence_form(solver.tree)
    (xs, ys), payoffs = solver.population.plans, solver.population.payoffs
    for k, x in enumerate(xs):
        for other, y in enumerate(ys):
            profile = td.Profile.from_weights(tree, np.concatenate([x, y])[form.sequence])
            assert [table[k, other] for table in payoffs] == pytest.approx(td.values(profile).tolist(), abs=1e-12)
    assert solver.mix.shape == payoffs[0].shape and solver.mix.sum() == pytest.approx(1)


def test_bad_input_and_forged_states():
    with refused(td.errors.ParameterError, key="inner"):
        td.solvers.DoubleOracle(over="plans", inner="pcfr+")
    with pytest.raises(td.errors.ParameterError, match="over"):
        td.solvers.DoubleOracle(over="moves")
    for name, parameters in (("kuhn", {"players": 3}), ("sheriff", {})):
        for method in (DOUBLE_ORACLE, SDO, XDO):
            with pytest.raises(td.errors.GameError):
                td.make_solver(compiled(name, **parameters), method)
    solver = td.make_solver(compiled("kuhn"), DOUBLE_ORACLE)
    solver.advance(3)
    state = solver.state()
    for player in range(2):
        forged = {name: array.copy() for name, array in state.items()}
        forged[f"plans_{player}"][1, 3:] = 1
        with pytest.raises(td.errors.RunError, match=f"player {player}"):
            td.make_solver(compiled("kuhn"), DOUBLE_ORACLE).restore(forged)
    for bad in ({**state, "plans_0": state["plans_0"][:0]}, {**state, "plans_0": state["plans_0"][:, 1:]}):
        with pytest.raises(td.errors.RunError):
            td.make_solver(compiled("kuhn"), DOUBLE_ORACLE).restore(bad)
