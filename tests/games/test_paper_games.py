"""Names of games in papers."""

from pathlib import Path

import pytest

import tefuda as td
from tefuda.games.catalogue import GAMES, find_constructor, paper_games, parameters_of
from tests import game_tables
from tests.conftest import refused

REFERENCES = (Path(__file__).parents[2] / "docs" / "references.md").read_text()


@pytest.mark.parametrize("name", paper_games())
def test_every_name_makes_its_game(name):
    paper = paper_games()[name]
    assert name not in GAMES and paper.game in GAMES
    assert paper.source in ("OpenSpiel", "PokerRL") or f"`{paper.source}`" in REFERENCES
    game, same = td.load_game(name), td.load_game(paper.game, **paper.parameters)
    assert (game.name, td.games.kit_of(game).same_play(same)) == (same.name, True)
    assert parameters_of(name).keys() == parameters_of(paper.game).keys()
    assert find_constructor(name).__doc__ == find_constructor(paper.game).__doc__


def test_the_page_has_the_tables():
    page = game_tables.PAGE.read_text()
    assert game_tables.drawn(page) == page


def test_other_parameters_may_be_given():
    assert td.load_game("battleship_22_3", shots=2) == td.load_game("battleship", shots=2)
    assert td.load_game("GoofSpielImp5").cards == 5 and td.load_game("GoofSpielImp5", cards=3).cards == 3
    with refused(td.errors.UnknownNameError, key="game", value="battleship_22_4") as caught:
        td.load_game("battleship_22_4")
    assert "battleship_22_3" in caught.value.known


def test_runs_have_the_name_here(tmp_path):
    td.solve(td.load_game("battleship_22_3", shots=1), "cfr+", iterations=3, checkpoint=tmp_path / "run")
    assert td.resume(tmp_path / "run", iterations=5).form.name == "battleship"


# Board, pot, chips behind, hands with weight, sums of the weights: the readme beside the files.
ENDGAMES = {
    1: ("7s 9h 9c Tc", 500, 19_750, (828, 965), (486.204996, 465.314672)),
    2: ("Ts 6h Ah 7c", 4_780, 17_610, (855, 405), (7.325465, 185.404402)),
    3: ("4s 8h Tc 9h 2s", 500, 19_750, (1_033, 1_059), (319.508464, 293.801010)),
    4: ("Js Ks 5c Qs 7d", 3_750, 18_125, (705, 982), (91.454707, 7.358254)),
}


@pytest.mark.parametrize("number", ENDGAMES)
def test_endgames_are_the_published_spots(number):
    board, pot, stack, hands, sums = ENDGAMES[number]
    spot = td.load_game(f"subgame{number}").spot
    assert (spot.texts()["board"].replace(" ", ""), spot.betting.pot, spot.betting.stack) == (
        board.replace(" ", ""), pot, stack,
    )  # fmt: skip
    assert tuple(int((weights > 0).sum()) for weights in spot.weights) == hands
    assert [weights.sum() for weights in spot.weights] == pytest.approx(sums, abs=1e-5)


def test_other_endgames_are_refused():
    with refused(td.errors.ParameterError, key="number"):
        td.load_game("endgame", number=5)


@pytest.mark.parametrize("number, percent", [(3, 0.571), (4, 0.0422)])
def test_endgames_on_the_river_are_solved(number, percent):
    """Exploitability in percent of the pot after 304 iterations; the values share the pot."""
    solution = td.solve(td.load_game(f"subgame{number}"), "dcfr-3", iterations=304)
    assert solution.evaluation.figure == pytest.approx(percent, rel=0.02)
    assert sum(solution.values) == pytest.approx(ENDGAMES[number][1], rel=1e-4)
