"""Safe gadgets are safe at every public state by linear programs; unsafe re-solving is not."""

from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.augmented import best_response_values
from tefuda.forms.subgame import subgames
from tefuda.games.small.matrix import Matrix
from tefuda.resolving.gadget_game import GadgetGame
from tefuda.resolving.gadgets import GADGETS, CFRDGadget, MaxMargin, OpponentResponse, ResolvingProblem
from tefuda.resolving.resolution import resolve_problem, tree_solver
from tests.conftest import compiled, refused

EXACT = 1e-9  # tolerance of linear programs, in the game's unit
EXACTLY = tree_solver("lp")
SAFE = ("cfr-d", "max-margin", "reach")
CASES = [("kuhn", {}, 1), ("goofspiel", {"cards": 3}, 1), ("liars_dice", {"sides": 2}, 1), ("leduc", {}, 9)]
BLUEPRINTS = {
    "uniform": td.Profile.uniform,
    "cfr 10": lambda tree: td.solve(tree, "cfr", iterations=10).strategy,
    "cfr 100": lambda tree: td.solve(tree, "cfr", iterations=100).strategy,
    "pure": lambda tree: td.best_response(td.Profile.uniform(tree), 0).profile.replace(
        1, td.best_response(td.Profile.uniform(tree), 1).profile
    ),
}
#: Rock, paper, scissors in which a game with scissors is for 2 (Brown and Sandholm 2017, figure 1).
SCISSORS = Matrix([[0, -1, 2], [1, 0, -2], [-2, 2, 0]], ["rock", "paper", "scissors"])


def resolutions(tree, blueprint, gadgets, every=1):
    """Re-solve every n-th public state for both players with each gadget."""
    for player in (0, 1):
        response = OpponentResponse(blueprint, player)
        for sub in subgames(tree)[::every]:
            problem = ResolvingProblem(response, sub)
            yield {gadget: resolve_problem(problem, GADGETS[gadget], EXACTLY) for gadget in gadgets}


@pytest.mark.parametrize("blueprint", BLUEPRINTS)
@pytest.mark.parametrize("name, parameters, every", CASES, ids=str)
def test_safe_gadgets_never_raise_nash_conv(name, parameters, every, blueprint):
    check_safety(compiled(name, **parameters), BLUEPRINTS[blueprint], every)


@pytest.mark.slow
@pytest.mark.parametrize("blueprint", BLUEPRINTS)
@pytest.mark.parametrize(
    "name, parameters", [("leduc", {}), ("goofspiel", {"cards": 4}), ("liars_dice", {"sides": 4})], ids=str
)
def test_safe_gadgets_never_raise_nash_conv_anywhere(name, parameters, blueprint):
    check_safety(compiled(name, **parameters), BLUEPRINTS[blueprint], 1)


def check_safety(tree, made, every):
    """Check NashConv, margins, and the gadget's guaranteed margin at each public state."""
    blueprint = made(tree)
    before = td.nash_conv(blueprint)
    for found in resolutions(tree, blueprint, SAFE, every):
        for gadget, one in found.items():
            assert td.nash_conv(one.profile) <= before + EXACT, (gadget, one.sub)
            assert one.margin >= -EXACT
        assert found["max-margin"].margin >= found["cfr-d"].margin - EXACT
        assert found["reach"].margin >= found["max-margin"].margin - EXACT  # it may pay more
        assert np.array_equal(found["cfr-d"].limits, found["cfr-d"].before)


def test_the_value_of_the_game_is_the_margin():
    """The gadget game's value equals the margin by best responses in the real game."""
    tree = compiled("leduc")
    blueprint = BLUEPRINTS["cfr 10"](tree)
    for sub in subgames(tree)[::11]:
        for player in (0, 1):
            problem = ResolvingProblem(OpponentResponse(blueprint, player), sub)
            for gadget in (GADGETS["max-margin"], GADGETS["reach"], MaxMargin(gifts=0.5)):
                top = gadget.top(problem)
                if top is None:
                    continue
                value = td.solve(GadgetGame(sub, 1 - player, top).tree, "lp").values[1 - player]
                found = resolve_problem(problem, gadget, EXACTLY)
                assert np.array_equal(found.limits, problem.best_response_values + gadget.gifts * problem.gifts)
                assert -value * problem.augmented_reach.max() == pytest.approx(found.margin, abs=EXACT)
                assert found.after == pytest.approx(best_response_values(sub, found.profile, 1 - player), abs=1e-15)


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("goofspiel", {"cards": 3}), ("leduc", {})], ids=str)
def test_an_equilibrium_stays_an_equilibrium(name, parameters):
    tree = compiled(name, **parameters)
    every = 1 if len(tree.player) < 1000 else 12
    for found in resolutions(tree, td.solve(tree, "lp").strategy, SAFE, every):
        for one in found.values():
            assert td.nash_conv(one.profile) <= EXACT and one.margin >= -EXACT


def test_unsafe_solving_raises_nash_conv_somewhere():
    """In Leduc hold'em after 100 iterations of CFR, a best strategy against the belief is exploitable."""
    tree = compiled("leduc")
    blueprint = BLUEPRINTS["cfr 100"](tree)
    before = td.nash_conv(blueprint)
    rises = [td.nash_conv(found["unsafe"].profile) - before for found in resolutions(tree, blueprint, ["unsafe"], 5)]
    assert max(rises) > 0.05 and min(rises) < -0.05


def test_rock_paper_scissors_with_two_for_scissors():
    """Against the equilibrium every response has the same value, so unsafe re-solving may find any."""
    tree = td.compile_game(SCISSORS)
    equilibrium = td.solve(tree, "lp").strategy
    assert list(equilibrium["1: move"].values()) == pytest.approx([0.4, 0.4, 0.2])
    found = {name: td.resolve(equilibrium, "1: move", name) for name in GADGETS}
    unsafe = list(found["unsafe"].profile["1: move"].values())
    assert sorted(unsafe) == [0, 0, 1]  # a vertex of the program
    assert td.nash_conv(found["unsafe"].profile) == pytest.approx([1, 2, 2][unsafe.index(1)])
    assert found["unsafe"].margin == pytest.approx(-[1, 2, 2][unsafe.index(1)])
    for name in SAFE:
        assert list(found[name].profile["1: move"].values()) == pytest.approx([0.4, 0.4, 0.2])
        assert found[name].augmented_infosets == ("0: move rock", "0: move paper", "0: move scissors")


def test_gaps_of_rock_paper_scissors():
    """The gaps of uniform play, against which rock wins 1/3 and paper -1/3.

    Player 0's payoffs, weighted by the equilibrium (.4, .4, .2), are at least 0 on average, and 0 for uniform play. So
    no strategy has positive margins everywhere. At the root only the sum matters, and the equilibrium is found.
    """
    tree = td.compile_game(SCISSORS)
    found = td.resolve(td.Profile.uniform(tree), 1, "max-margin")
    assert found.before == pytest.approx([1 / 3, -1 / 3, 0]) and found.margin == pytest.approx(0, abs=EXACT)
    root = td.resolve(td.Profile.uniform(tree), 0, "max-margin", player=1)
    assert list(root.profile["1: move"].values()) == pytest.approx([0.4, 0.4, 0.2])
    assert root.margin == pytest.approx(1 / 3)


def test_a_player_that_never_reaches_a_subgame_solves_nothing():
    tree = compiled("kuhn")
    never = td.Profile.from_function(tree, lambda player, key, actions: {"p": 1.0})
    found = td.resolve(never, "1: K|b", "max-margin", player=0)  # player 0 never bets
    assert found.histories == 0 and found.margin == 0.0
    assert np.array_equal(found.profile.probabilities, never.probabilities)
    believed = td.resolve(never, "1: K|b", "unsafe", player=0)
    assert believed.histories == 19  # by chance's reach alone: the draw, 6 roots, two ends of each


def test_other_methods_solve_approximately():
    """CFR+ comes near the linear program's margin and reports its distance."""
    tree = compiled("leduc")
    blueprint = BLUEPRINTS["cfr 10"](tree)
    exact = td.resolve(blueprint, "0: JQ|rc/", "max-margin")
    near = td.resolve(blueprint, "0: JQ|rc/", "max-margin", method="cfr+", iterations=3000)
    assert exact.margin - 1e-3 < near.margin <= exact.margin + EXACT
    assert exact.margin > 0.01


def test_bad_input_is_refused():
    tree = compiled("kuhn")
    uniform = td.Profile.uniform(tree)
    with refused(td.errors.UnknownNameError, key="gadget", value="safe", nearest="unsafe"):
        td.resolve(uniform, 0, "safe")
    with pytest.raises(td.errors.ParameterError, match="name"):
        td.resolve(uniform, 0, 3)
    with refused(td.errors.ParameterError, key="player", value=2):
        td.resolve(uniform, 0, player=2)
    with refused(td.errors.ParameterError, key="gifts", value=2):
        CFRDGadget(gifts=2)
    with refused(td.errors.ParameterError, key="public_state", value=-1):
        td.resolve(uniform, -1)
    with pytest.raises(td.errors.GameError, match="players"):
        td.resolve(td.Profile.uniform(compiled("kuhn", players=3)), 0)
    with pytest.raises(td.errors.ProfileError):
        td.resolve(compiled("leduc"), 0)


#: Games whose infosets may have equal texts, and the step between tested public states.
TEXTS = [("kuhn", {}, 1), ("goofspiel", {"cards": 3}, 2), ("leduc", {}, 17)]


@dataclass(frozen=True)
class Veil:
    """A view with the same text as all other views."""

    view: object

    def __str__(self) -> str:
        return "?"

    __repr__ = __str__


class Veiled:
    """A game in which views of waiting players have equal texts."""

    def __init__(self, game):
        self.game, self.name, self.players = game, game.name, game.players
        for name in ("root", "player", "actions", "chances", "child", "payoffs"):
            setattr(self, name, getattr(game, name))

    def view(self, state, player):
        view = self.game.view(state, player)
        return view if self.game.player(state) == player else Veil(view)


@pytest.mark.parametrize("name, parameters, every", TEXTS, ids=str)
def test_augmented_infosets_with_equal_views_have_different_names(name, parameters, every):
    plain = compiled(name, **parameters)
    veiled = td.compile_game(Veiled(plain.game))
    one, two = (td.Profile.random(tree, np.random.default_rng(8)) for tree in (plain, veiled))
    for expected, found in zip(*(resolutions(p.tree, p, SAFE, every) for p in (one, two)), strict=True):
        for gadget in SAFE:
            assert found[gadget].margin == pytest.approx(expected[gadget].margin, abs=EXACT)
            assert found[gadget].before == pytest.approx(expected[gadget].before, abs=EXACT)
            assert found[gadget].histories == expected[gadget].histories
        assert len(set(found["reach"].augmented_infosets)) == len(found["reach"].augmented_infosets)


@pytest.mark.parametrize("name, parameters, every", TEXTS, ids=str)
def test_games_from_files_are_resolved_safely(tmp_path, name, parameters, every):
    """Infosets keyed by text would let max-margin raise Kuhn's NashConv from .9167 to 1.1667."""
    td.games.write_efg(td.load_game(name, **parameters), tmp_path / "game.efg")
    tree = td.compile_game(td.games.read_efg(str(tmp_path / "game.efg")))
    for blueprint in (td.Profile.uniform(tree), td.Profile.random(tree, np.random.default_rng(8))):
        before = td.nash_conv(blueprint)
        for found in resolutions(tree, blueprint, SAFE, every):
            for one in found.values():
                assert td.nash_conv(one.profile) <= before + EXACT and one.margin >= -EXACT
