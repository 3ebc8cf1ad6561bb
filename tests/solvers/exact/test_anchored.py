"""Anchored methods: digits of another program, a slow twin, restored states, refused values."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.programs import gathered, realised
from tefuda.forms.sequence import sequence_form
from tefuda.holdem.spots.solver import HandMethod
from tefuda.solvers.exact import teams
from tests.conftest import compiled, refused

RTCFR, RTPCFR = td.METHODS["rtcfr+"], td.METHODS["rtpcfr+"]

#: NashConv of the last iterate after 100, 1,000 and 5,000 iterations, computed by an independent program. None: beyond
#: the iterations at which round-off leaves the first digits.
DIGITS = [
    ("kuhn", "rtcfr+", (6.4e-2, 7.9e-3, 9.6e-6)),
    ("kuhn", "rtpcfr+", (1.6e-3, None, None)),
    ("leduc", "rtcfr+", (9.1e-2, None, None)),
    ("leduc", "rtpcfr+", (0.24, 4.1e-2, 1.1e-2)),
    ("battleship_22_3", "rtcfr+", (0.50, None, None)),
    ("battleship_22_3", "rtpcfr+", (6.5e-3, 2.3e-7, None)),
    ("LiarsDice4", "rtcfr+", (2.6e-2, 4.8e-9, None)),
    ("LiarsDice4", "rtpcfr+", (2.9e-2, None, None)),
]
#: Bounds after 5,000 iterations where the first digits depend on round-off: about ten times the program's figures.
BOUNDS = {
    ("kuhn", "rtpcfr+"): 1e-15, ("leduc", "rtcfr+"): 2e-5, ("battleship_22_3", "rtcfr+"): 0.2,
    ("battleship_22_3", "rtpcfr+"): 1e-14, ("LiarsDice4", "rtcfr+"): 1e-14, ("LiarsDice4", "rtpcfr+"): 1e-14,
}  # fmt: skip


@pytest.mark.parametrize("game, method, digits", DIGITS)
def test_digits_of_the_last_iterate(game, method, digits):
    solver = td.make_solver(compiled(game), method)
    for iteration, figure in zip((100, 1000, 5000), digits, strict=True):
        solver.advance(iteration - solver.iterations)
        if figure is not None:
            assert td.nash_conv(solver.current()) == pytest.approx(figure, rel=0.05)
    assert td.nash_conv(solver.current()) <= BOUNDS.get((game, method), 1.1 * (digits[2] or 0))


def slow_twin(tree, method, iterations):
    """The listing in NumPy: strategies `[R]` without floors, and the plans in the average."""
    form, players = sequence_form(tree), range(tree.players)
    spans = [slice(*form.span[player : player + 2].tolist()) for player in players]
    sigma = form.spread(td.Profile.uniform(tree).probabilities)
    x = realised(form, sigma)
    regret, reference, floor, total = np.zeros(form.sequences), x.copy(), method.floor, np.zeros(form.sequences)
    for t in range(1, iterations + 1):
        if t % method.every == 0:
            reference, floor = x.copy(), floor / 2
        for player in players:
            own = spans[player]
            u = gathered(form, player, x)
            u[own] -= method.magnet * (x - reference)[own]
            total[own] = total[own] * ((t - 1) / t) ** 2 + x[own]
            for parents, actions in reversed(form.groups_of(player)):
                q, first = actions + own.start, own.start
                mean = (sigma[q] * u[q]).sum(axis=0)
                r = u[q] - mean
                regret[q] = np.maximum(regret[q] + r, 0)
                matched = np.maximum(regret[q] + method.rule.prediction * r, 0)
                sums = matched.sum(axis=0)
                sigma[q] = np.where(sums > 0, matched / np.where(sums > 0, sums, 1), 1 / len(q))
                np.add.at(u, parents + first, mean)
            played = sigma.copy()
            for _, actions in form.groups_of(player):
                q = actions + own.start
                played[q] = (1 - floor * len(q)) * sigma[q] + floor
            x[own] = realised(form, played)[own]
    return sigma[form.sequence], total[form.sequence]


@pytest.mark.parametrize("name", ["rtcfr+", "rtpcfr+"])
@pytest.mark.parametrize("game, options", [("kuhn", {"players": 3}), ("leduc", {}), ("liars_dice", {"sides": 2})])
def test_iterations_are_those_of_the_listing(game, options, name):
    """Large floors and magnets, three references; forced moves of liar's dice are pulled too."""
    tree, method = compiled(game, **options), replace(td.METHODS[name], magnet=0.05, floor=0.02, every=5)
    solver = td.make_solver(tree, method)
    solver.advance(17)
    strategy, total = slow_twin(tree, method, 17)
    assert solver.current().probabilities == pytest.approx(strategy, abs=1e-9)
    assert solver.arrays()["average"] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", ["rtcfr+", "rtpcfr+"])
def test_splitting_and_restoring_change_no_bits(leduc, name):
    method = replace(td.METHODS[name], every=7, floor=0.01)
    whole, pieces = td.make_solver(leduc, method), td.make_solver(leduc, method)
    whole.advance(100)
    for count in (6, 1, 7, 30, 5):
        pieces.advance(count)
    again = td.make_solver(leduc, method)
    again.restore(pieces.state())
    again.advance(51)
    for key, array in whole.state().items():
        assert np.array_equal(array, again.state()[key]), key


def test_threads_change_no_bits(leduc, monkeypatch):
    monkeypatch.setattr(teams, "_LEAST", 0)
    monkeypatch.setattr(teams, "_HISTORIES", 0)
    one, two = td.make_solver(leduc, RTPCFR), td.make_solver(leduc, RTPCFR, workers=2)
    for solver in (one, two):
        solver.advance(120)
    for key, array in one.state().items():
        assert np.array_equal(array, two.state()[key]), key


def test_the_last_iterate_is_the_answer(leduc):
    """It is reported though the average is better; without a magnet it is RM+ with prediction."""
    solution = td.solve(leduc, "rtpcfr+", iterations=200)
    last = solution.curve[-1]
    assert solution.reported == "current" and solution.nash_conv == last.current_nash_conv > last.average_nash_conv
    plain = td.make_solver(leduc, replace(RTPCFR, magnet=0.0, floor=0.0))
    other = td.make_solver(leduc, td.METHODS["pcfr+"])
    for solver in (plain, other):
        solver.advance(30)
    assert plain.current().probabilities == pytest.approx(other.current().probabilities, abs=1e-9)
    assert plain.average().probabilities == pytest.approx(other.average().probabilities, abs=1e-9)


def test_what_is_refused(leduc):
    for key, value in {"magnet": -1, "floor": 0.2, "every": 0}.items():
        with refused(td.errors.ParameterError, key=key, value=value):
            td.find_method("rtcfr+", {key: value})
    for options in ({"floor": 1e-3}, {"opponent": "best response"}, {"delay": 3}):
        with pytest.raises(td.errors.ParameterError, match=next(iter(options))):
            replace(RTCFR, rule=replace(RTCFR.rule, **options))
    wide = td.compile_game(td.load_game("matrix", payoffs=[[0] * 12] * 12))
    with refused(td.errors.ParameterError, key="floor"):
        td.make_solver(wide, replace(RTCFR, floor=0.1))
    with pytest.raises(td.InputError):
        td.solvers.trace(leduc, "rtcfr+")
    with pytest.raises(td.errors.ParameterError, match="CFRMethod"):
        HandMethod("anchored", RTCFR)
