"""Ranges over all equilibria, against published ones, other solvers' answers and the definition."""

from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.exact import ranges as face
from tefuda.solvers.exact import rational
from tefuda.solvers.exact.lp import plan_profile
from tests.conftest import compiled, refused

ranges = td.solvers.ranges
THIRD = Fraction(1, 3)


def test_kuhn_poker_exactly():
    """J bets alpha in [0, 1/3], Q calls alpha + 1/3, K bets 3 alpha; player 1 has one (Kuhn 1950)."""
    first, second = (ranges(compiled("kuhn"), player) for player in (0, 1))
    assert first.exact and first.complete and first.value == Fraction(-1, 18) == -second.value
    wide = {("0: J|", "b"): (0, THIRD), ("0: Q|pb", "b"): (THIRD, 2 * THIRD), ("0: K|", "b"): (0, 1)}
    assert {key: first[key] for key in wide} == wide
    assert all(
        low == high for (name, _), (low, high) in first.probabilities.items() if name not in {key[0] for key in wide}
    )
    assert second["1: J|p", "b"] == second["1: Q|b", "b"] == (THIRD, THIRD) and second.fixed == 13
    assert (first.fixed, first.never, first.widest) == (5, 3, 1)


#: Sequences, those fixed in all equilibria, and the widest range, computed by another program, but 310 and 254: those
#: of Leduc poker were 128 and 101, with a slack of 1e-9 (see the next test).
COUNTS = [
    ("kuhn", {"cards": 13}, ((53, 17, 1), (53, 45, 1))),
    ("goofspiel", {"cards": 4}, ((175, 137, 1), (175, 137, 1))),
    ("leduc", {}, ((337, 310, 0.928), (337, 254, 0.965))),
]


@pytest.mark.parametrize("name, parameters, counts", COUNTS)
def test_fixed_sequences(name, parameters, counts):
    tree = compiled(name, **parameters)
    answers = [td.solve(tree, method, iterations=n).strategy for method, n in (("lp", 1), ("ema", 3000))]
    for player, (sequences, fixed, widest) in enumerate(counts):
        found = ranges(tree, player, exact=False)
        assert (found.plans.shape[1], found.fixed) == (sequences, fixed)
        assert found.widest == pytest.approx(widest, abs=5e-4) and found.complete and not found.exact
        for (infoset, action), ends in found.probabilities.items():
            assert ends is None or ends[0] <= ends[1] + 1e-6
            chance = answers[0][infoset][action]
            if ends is not None and tree.infosets < 100:
                assert ends[0] - 1e-5 <= chance <= ends[1] + 1e-5


def test_a_small_slack_hides_most_fixed_sequences_of_leduc():
    """With a value fixed to 1e-9, 128 and 101 ranges are narrower than 1e-6; 29 and 9 end below 1e-7."""
    tree = compiled("leduc")
    for player, (fixed, never) in enumerate(((128, 29), (101, 9))):
        loose = ranges(tree, player, slack=1e-9)
        assert loose.fixed == fixed
        separate = face._FloatFace(td.forms.sequence_form(tree), player, 1e-9)
        assert sum(separate.maximise({q: Fraction(1)})[q] <= 1e-7 for q in range(337)) == never


def test_sequences_with_an_exact_cost_are_never_played():
    """In fractions: a sequence that loses against one optimal plan is in no equilibrium."""
    tree = compiled("leduc")
    form = td.forms.sequence_form(tree)
    payoffs = rational.simple_payoffs(form)
    plans, _, _ = rational._equilibrium(form, payoffs)
    for player, costly in enumerate((101, 94)):
        sign, utility = 1 - 2 * player, [Fraction(0)] * form.sequences
        for pair, value in payoffs.items():
            utility[pair[player]] += sign * value * plans[pair[1 - player]]
        never = set()
        for parents, actions in reversed(form.groups_of(player)):
            for parent, choices in zip(parents.tolist(), (actions.T + form.span[player]).tolist(), strict=True):
                best = max(utility[q] for q in choices)
                never |= {q - int(form.span[player]) for q in choices if utility[q] < best}
                utility[parent + int(form.span[player])] += best
        found = ranges(tree, player)
        assert len(never) == costly and not found.plans[1][sorted(never)].any()
        assert found.never == (152, 118)[player]


def test_a_slack_in_fractions():
    """With a loss of 1/18 player 0 may also play for -1/9."""
    exact, floats = (ranges(compiled("kuhn"), 0, slack=1 / 18, exact=exact) for exact in (True, False))
    assert exact.plans.astype(float) == pytest.approx(floats.plans, abs=1e-6)
    assert exact["0: J|", "b"][1] > THIRD and exact.fixed == 1


def test_fractions_and_floats_agree():
    for name in ("kuhn_raise", "gift_pennies", "guess_the_ace"):
        for player in (0, 1):
            exact, floats = (ranges(compiled(name), player, exact=exact) for exact in (True, False))
            assert exact.plans.astype(float) == pytest.approx(floats.plans, abs=1e-5)
            assert {key for key, ends in exact.probabilities.items() if ends is None} == {
                key for key, ends in floats.probabilities.items() if ends is None
            }


def test_ends_are_attained_by_equilibria():
    """Each program's plan guarantees the value: its best response earns no more."""
    tree = compiled("kuhn", cards=5)
    form = td.forms.sequence_form(tree)
    for player in (0, 1):
        exact = face.ExactFace(form, player)
        for q in range(1, 12):
            plan = exact.maximise({q: Fraction(1)})
            profile = plan_profile(tree, player, plan.astype(float))
            assert -td.best_response(profile, 1 - player).value == pytest.approx(float(exact.value), abs=1e-12)


def test_ends_are_those_of_separate_programs():
    """A plan for one end must not hide that another end was left out: also with three actions."""
    table = [[2, -1, 0, 1], [-1, 2, 0, -1], [0, 0, 0, 0]]
    for tree in (compiled("kuhn", cards=4), td.compile_game(td.load_game("matrix", payoffs=table))):
        for player in (0, 1):
            found, separate = ranges(tree, player), face.ExactFace(td.forms.sequence_form(tree), player)
            for q in range(found.plans.shape[1]):
                ends = [separate.maximise({q: Fraction(sign)})[q] for sign in (-1, 1)]
                assert found.exact and found.plans[:, q].tolist() == ends


def test_unreachable_infosets():
    """In guess-the-ace any guess keeps player 0 from playing."""
    found = ranges(compiled("guess_the_ace"), 1)
    assert found["1: guess", "ace"] == (0, 1)
    game = td.load_game("matrix", payoffs=[[0, 0], [-1, -1]])
    assert ranges(td.compile_game(game), 0)["0: move", "1"] == (0, 0)
    first = ranges(compiled("kuhn_raise"), 0)
    assert first["0: J|br", "b"] == (0, 0)
    second = ranges(compiled("gift_pennies"), 1)
    assert second["1: gift", "H"] is None and second["1: keep", "H"] == (Fraction(1, 2), Fraction(1, 2))


def test_ranges_of_one_infoset_are_those_among_all():
    tree = compiled("goofspiel", cards=4)
    everything = ranges(tree, 0, exact=False).probabilities
    for infoset in {name for name, _ in everything}:
        for key, ends in ranges(tree, 0, infosets=[infoset], exact=False).probabilities.items():
            assert (ends is None) == (everything[key] is None), key
            assert ends is None or ends == pytest.approx(everything[key], abs=1e-4), key


def test_chosen_infosets_and_a_time_limit():
    tree = compiled("leduc")
    one = ranges(tree, 0, infosets=["0: J|"], exact=False)
    assert {key[0] for key in one.probabilities} == {"0: J|"} and one.complete
    none = ranges(tree, 0, seconds=0)
    assert not none.complete and len(none.probabilities) == 336 and none.fixed is none.never is None


def test_refusals(monkeypatch):
    with pytest.raises(td.errors.GameError):
        ranges(compiled("kuhn", players=3), 0)
    with pytest.raises(td.errors.GameError):
        ranges(td.compile_game(td.load_game("matrix", payoffs=[[[1, 1], [0, 0]], [[0, 0], [1, 1]]])), 0)
    with pytest.raises(td.errors.GameError):
        ranges(compiled("kuhn"), 0, infosets=["1: K|b"])
    with refused(td.errors.ParameterError, key="player"):
        ranges(compiled("kuhn"), 2)
    for changes in ({"seconds": -1}, {"slack": -1}, {"slack": float("nan")}):
        with refused(td.errors.ParameterError, key=next(iter(changes))):
            ranges(compiled("kuhn"), 0, **changes)
    monkeypatch.setattr(face, "_MOST", 10)
    with pytest.raises(td.errors.SizeError, match="hours"):
        ranges(compiled("kuhn"), 0)


def test_progress_and_json():
    calls = []
    found = ranges(compiled("kuhn"), 0, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (13, 13)
    assert found.summary()["ranges"]["0: J|"]["b"] == ["0", "1/3"] and found.summary()["fixed"] == 5
    assert np.isfinite(ranges(compiled("kuhn"), 0, exact=False).summary()["widest"])
