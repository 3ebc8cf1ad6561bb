"""Games in which some players never decide: each method learns them or refuses them."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, marked
from tests.edge_games import FewDecide, small


def learned(game, name):
    """Return a method's solver after three iterations, evaluated."""
    solver = td.make_solver(game, small(td.METHODS[name]), seed=1)
    solver.advance(3)
    return solver


@pytest.mark.parametrize("kind", ["one", "other", "nothing to choose", "ends early"])
@pytest.mark.parametrize("name", marked(td.METHODS))
def test_games_with_few_decisions_are_learned(name, kind):
    tree = td.compile_game(FewDecide(kind))
    solver = learned(tree, name)
    for profile in (solver.average(), solver.current()):
        assert 0 <= td.nash_conv(profile) <= 4
        assert np.allclose(np.bincount(tree.infoset_of_row, profile.probabilities), 1)


@pytest.mark.deep
@pytest.mark.parametrize("network", ["rnn", "gru", "lstm", "lstm+attention", "transformer", "connected"])
def test_every_network_answers_for_a_player_who_never_decides(network):
    """Transformers used to refuse tensors without rows."""
    pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
    tree = td.compile_game(FewDecide("one"))
    solver = td.make_solver(tree, td.find_method(small(td.METHODS["sd-cfr"]), {"network": network}), seed=1)
    solver.advance(2)
    assert td.nash_conv(solver.average()) >= 0


#: Methods that refuse one player.
FOR_TWO = {"lp", "cfr-br", "r-nad", "correlated", "commitment", "double-oracle", "sdo", "xdo", "psro", "team"}


@pytest.mark.parametrize("kind", ["alone", "nobody", "chance alone"])
@pytest.mark.parametrize("name", marked(td.METHODS))
def test_games_without_opponents_are_learned_or_refused(name, kind):
    """Games of one player, or without decisions: refusals are errors of tefuda."""
    tree = td.compile_game(FewDecide(kind, players=1 if kind == "alone" else 2))
    try:
        solver = learned(tree, name)
    except (td.errors.GameError, td.errors.ParameterError):
        assert (
            name in FOR_TWO
            if kind == "alone"
            else td.METHODS[name].extra == "deep" or "fsp" in name or name == "quantal"
        )
    else:
        assert td.nash_conv(solver.average()) >= 0


@pytest.mark.parametrize("name", marked(["nfsp", "deep-cfr", "vr-deep-dcfr+", "ppo"]))
@pytest.mark.parametrize("form", [td.forms.TreeSimulator, td.forms.RulesSimulator])
def test_simulated_games_that_chance_ends_early_are_learned(form, name):
    """Half of all games contain no decision."""
    game = FewDecide("ends early")
    solver = learned(form(td.compile_game(game)) if form is td.forms.TreeSimulator else form(game), name)
    assert sum(solver.average().strategy(0, ("on", ()), ("a", "b"))) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["nobody", "chance alone"])
def test_simulators_without_decisions_are_refused(kind):
    with pytest.raises(td.errors.GameError, match="no decisions"):
        td.forms.RulesSimulator(FewDecide(kind))


@pytest.mark.deep
def test_nothing_is_learned_from_no_rows():
    """Networks of a player who never decides keep their weights, so outputs stay uniform."""
    solver = learned(compiled("kuhn"), "deep-cfr")
    seat, rng = solver.learners[0], np.random.default_rng(0)
    before = seat.regrets.model.state()
    from tefuda.solvers.learned.encoders import memory_targets
    from tefuda.solvers.learned.neural import InfosetFit

    nothing = type(memory_targets(seat.regrets.rows))(*(column[:0] for column in memory_targets(seat.regrets.rows)))
    assert seat.regrets.model.fit(nothing, InfosetFit(steps=5, batch=0, rate=0.1), rng, fresh=True) == 0
    assert all(np.array_equal(array, seat.regrets.model.state()[key]) for key, array in before.items())
