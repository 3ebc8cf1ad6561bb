"""Games at the edges: one player, no decisions, no events, equal payoffs, any unit."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.exploiting.models import HiddenDirichlet
from tefuda.games.small.random_game import RandomGame
from tefuda.playing.agents import Move, ObservedHand
from tests import oracle
from tests.conftest import compiled, preset


@dataclass(frozen=True)
class Observation:
    """A game with perfect information, given by the player at each depth and the payoffs."""

    name: str
    movers: tuple[int, ...]
    pay: object
    players: int = 2
    options: tuple[str, ...] = ("a", "b")

    def root(self):
        return ()

    def player(self, state):
        return self.movers[len(state)] if len(state) < len(self.movers) else td.TERMINAL

    def actions(self, state):
        return self.options

    def chances(self, state):
        return (("x", 0.25), ("y", 0.75))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return self.pay(state)

    def view(self, state, player):
        return "".join(state)


def count(state):
    """A payoff that no two actions share."""
    return float(sum((place + 1) * ord(label) for place, label in enumerate(state)) % 7 - 3)


#: Each with the values of optimal play, by hand.
EDGES = {
    "nothing happens": (Observation("nothing happens", (), lambda s: (2.0, -2.0)), (2, -2)),
    "nothing happens to one": (Observation("nothing happens to one", (), lambda s: (-4.0,), players=1), (-4,)),
    "only chance": (Observation("only chance", (-1,), lambda s: (1.0, -1.0) if s == ("x",) else (-3.0, 3.0)), (-2, 2)),
    "only chance, three": (
        Observation(
            "only chance, three", (-1,), lambda s: (1.0, 0.0, 4.0) if s == ("x",) else (0.0, 0.0, 0.0), players=3
        ),
        (0.25, 0, 1),
    ),
    "one player": (Observation("one player", (0, -1, 0), lambda s: (count(s),), players=1), None),
    "one player before chance": (
        Observation("one player before chance", (0, -1), lambda s: (-5.0 - (s == ("a", "x")),), players=1),
        (-5,),
    ),
    "one who decides": (
        Observation("one who decides", (0,), lambda s: (1.0, -1.0) if s == ("a",) else (0.0, 0.0)),
        (1, -1),
    ),
    "no choice": (Observation("no choice", (0, 1), lambda s: (1.0, -1.0), options=("go",)), (1, -1)),
    "nothing at stake": (Observation("nothing at stake", (0, 1), lambda s: (0.0, 0.0)), (0, 0)),
    "one of three for nothing": (
        Observation("one of three for nothing", (0, 1, 2), lambda s: (1.0 + (s[0] == "a"), 0.0, -1.0), players=3),
        (2, 0, -1),
    ),
}
#: One of each family; the others share their solver.
METHODS = {
    "cfr": 20, "cfr+": 20, "ema": 20, "rtpcfr+": 20, "cfr-br": 20, "lp": 1, "xfp": 200, "fsp": 300, "chance": 50,
    "public-chance": 50, "external": 50, "outcome": 5000, "average-strategy": 50, "vr-mccfr": 5000, "oos": 5000,
    "nfsp": 300, "nfsp-d-neural": 300,
}  # fmt: skip


@pytest.mark.parametrize("edge", EDGES)
def test_every_method_solves_or_refuses_by_name(edge):
    """One-player games were read out of bounds; NFSP divided by zero or hung without decisions."""
    game, worth = EDGES[edge]
    tree = td.compile_game(game)
    refused = set()
    for method, iterations in METHODS.items():
        solution = refusal = None
        try:
            solution = td.solve(tree, preset(method), iterations=iterations)
        except td.InputError as error:
            refusal = str(error)
        if solution is None:
            assert edge in refusal or method in refusal
            refused.add(method)
        elif "fsp" not in method:  # a few hundred games teach little
            best = worth or (oracle.best_by_brute_force(game, None, 0),)
            assert solution.values == pytest.approx(best, abs=0.05), method
    assert refused == {
        *({"nfsp", "nfsp-d-neural"} if tree.infosets == 0 else ()),
        *({"lp", "cfr-br"} if game.players != 2 else ()),
    }


SOLO = st.builds(
    RandomGame,
    seed=st.integers(0, 10**6),
    players=st.just(1),
    depth=st.integers(1, 4),
    branching=st.integers(2, 3),
    hidden=st.sampled_from([0.0, 1.0]),
    zero_sum=st.just(False),
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(SOLO, st.integers(0, 100))
def test_one_player_by_brute_force(game, seed):
    tree = td.compile_game(game)
    profile = td.Profile.random(tree, np.random.default_rng(seed)) if tree.infosets else td.Profile.uniform(tree)
    evaluated, strategy = td.evaluate(profile), oracle.behaviour(profile)
    assert evaluated.values == pytest.approx(oracle.value(game, strategy), abs=1e-12)
    if tree.action_counts.astype(float).prod() <= 512:
        best = oracle.best_by_brute_force(game, strategy, 0)
        assert evaluated.best == pytest.approx([best], abs=1e-12)
        assert td.best_response(profile, 0).value == pytest.approx(best, abs=1e-12)
        assert td.solve(tree, "cfr+", iterations=50).values == pytest.approx([best], abs=0.05)


def test_chances_of_one_player_are_evaluated_at_all_ends():
    """A cliff: every payoff is between -6 and -5, and so is every value (0 before)."""
    tree = td.compile_game(EDGES["one player before chance"][0])
    assert td.values(td.Profile.uniform(tree)) == pytest.approx([-5.125])
    assert td.nash_conv(td.Profile.uniform(tree)) == pytest.approx(0.125)


def scaled(payoffs, factor):
    return td.load_game("matrix", payoffs=[[[v * factor, -v * factor] for v in row] for row in payoffs])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=2, max_size=3),
    st.integers(-12, 12),
)
def test_the_unit_changes_nothing(payoffs, power):
    """The same strategies in any unit from 1e-12 to 1e12; LP and XFP once depended on it."""
    factor = 10.0**power
    plain, other = (td.compile_game(scaled(payoffs, f)) for f in (1, factor))
    for method in ("lp", "xfp", "cfr+"):
        one, two = (td.solve(tree, method, iterations=100) for tree in (plain, other))
        assert np.array(two.values) / factor == pytest.approx(one.values, abs=1e-9), method
        assert two.nash_conv / factor == pytest.approx(one.nash_conv, abs=1e-9), method
    one, two = (td.exact_solution(scaled(payoffs, f)) for f in (1, factor))
    assert one.certified and two.certified
    assert float(two.values[0]) / factor == pytest.approx(float(one.values[0]), abs=1e-9)


@pytest.mark.parametrize("name, factor", [("kuhn", 1e-12), ("kuhn", 1e12), ("leduc", 1e-12)])
def test_responses_in_any_unit(name, factor):
    """Safe, restricted and exact responses of a game whose chips are worth more or less."""
    plain = compiled(name)
    other = td.compile_game(Unit(plain.game, factor))
    models = [td.Profile(tree, td.Profile.uniform(plain).probabilities) for tree in (plain, other)]
    for respond, knob in ((td.restricted_nash, (0.5, 0.5)), (td.exploiting.safe_best_response, (0.1, 0.1 * factor))):
        one, two = (respond(model, 0, k) for model, k in zip(models, knob, strict=True))
        assert two.exploitation / factor == pytest.approx(one.exploitation, abs=1e-8)
        assert two.worst_case / factor == pytest.approx(one.worst_case, abs=1e-8)
    assert td.exploiting.game_value(other, 0) / factor == pytest.approx(td.exploiting.game_value(plain, 0), abs=1e-9)


def test_maximin_in_any_unit():
    plain = compiled("kuhn", players=3)
    other = td.compile_game(Unit(plain.game, 1e-12))
    assert td.exploiting.maximin(other, 0).value * 1e12 == pytest.approx(
        td.exploiting.maximin(plain, 0).value, abs=1e-9
    )


class Unit:
    """A game with other payoffs."""

    def __init__(self, game, factor):
        self.game, self.factor, self.name, self.players = game, factor, f"{game.name} x {factor}", game.players
        for name in ("root", "player", "actions", "chances", "child", "view"):
            setattr(self, name, getattr(game, name))

    def payoffs(self, state):
        return tuple(self.factor * float(amount) for amount in self.game.payoffs(state))


@pytest.mark.parametrize("sums", [(1.0, -1.0), (1.0, 1.0)])
def test_tiny_payoffs_are_constant_sum_or_not(sums):
    """Any sums were the same beside an absolute 1e-9."""
    game = td.load_game("matrix", payoffs=[[[1e-12, -1e-12], [sums[0] * 1e-12, sums[1] * 1e-12]]])
    if sum(sums) == 0:
        assert td.solve(game, "lp").nash_conv == 0
    else:
        with pytest.raises(td.errors.GameError, match="constant-sum"):
            td.solve(game, "lp")


WIDE = [[[1e17, -1e17], [2, -2]], [[3, -3], [4, -4]]]


def test_payoffs_too_far_apart_for_programs_are_refused():
    """Fractions have no such limit: the value of [[a, b], [c, d]] is (ad - bc) / (a - b - c + d)."""
    game = td.load_game("matrix", payoffs=WIDE)
    with pytest.raises(td.errors.GameError, match=r"2 and 1e\+17"):
        td.solve(game, "lp")
    assert td.exact_solution(game).values[0] == Fraction(4 * 10**17 - 6, 10**17 - 1)


def test_small_payoffs_are_not_lost_beside_large_ones():
    """The value is 4. Payoffs of 2 to 4 once counted as round-off beside 1e17: value 0, NashConv 0."""
    tree = td.compile_game(td.load_game("matrix", payoffs=WIDE))
    one_two = td.Profile(tree, np.array([0, 1, 0, 1]))
    assert td.values(one_two).tolist() == [4, -4]
    upper = td.Profile(tree, np.array([1, 0, 0, 1]))
    assert td.evaluate(upper).values.tolist() == [2, -2] and td.nash_conv(upper) == 2


def test_sums_of_round_off_are_no_leaves():
    """Terminals whose chances and payoffs cancel up to round-off make no leaf: 1932 of Leduc's."""
    assert td.forms.sequence_form(compiled("leduc")).leaf_count == 1932
    pay = {"x": 0.3, "y": -0.1}  # .25 * .3 - .75 * .1 = 0 but for the last bit
    cancel = Observation("cancel", (-1, 0), lambda s: (pay[s[0]], -pay[s[0]]))

    class Blind(Observation):
        """The player does not see the outcome of chance."""

        def view(self, state, player):
            return ""

    blind = Blind(cancel.name, cancel.movers, cancel.pay)
    assert 0.25 * 0.3 - 0.75 * 0.1 != 0
    assert td.forms.sequence_form(td.compile_game(blind)).leaf_count == 0


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_a_prior_that_calls_what_happened_impossible(strength):
    """The posterior mean is then the observation, not a division by zero."""
    tree = compiled("kuhn")
    never = td.Profile.from_function(tree, lambda player, key, actions: (1.0, 0.0))
    model = HiddenDirichlet(never, 0, strength)
    infoset = tree.number((1, "K|p"))
    first, second = tree.labels(tree.number((0, "Q|")))[0], tree.labels(infoset)[1]
    moves = (Move(0, tree.number((0, "Q|")), first), Move(1, infoset, second))
    end = (Move(0, tree.number((0, "Q|pb")), tree.labels(tree.number((0, "Q|pb")))[0]),)
    for _ in range(3):
        model.observe_hand(ObservedHand(0, moves + end, None, (0.0, 0.0)))
    assert model.mean()[infoset][second] == pytest.approx(3 / (3 + strength), abs=1e-5)
