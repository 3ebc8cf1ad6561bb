"""Parameters from which a game can be rebuilt."""

from dataclasses import dataclass, field

import pytest

import tefuda as td
from tefuda.games.parameters import game_parameters, json_parameters, own_name
from tests.conftest import rules
from tests.small_games import Good


@dataclass(frozen=True)
class Sized:
    size: int = 3
    raises: tuple[int, ...] = (2, 4)
    inner: str = field(init=False, default="")


class Said:
    name = "said"
    parameters = {"depth": 2}


def test_parameters_are_the_fields_or_given_by_the_game():
    assert game_parameters(Sized(5)) == {"size": 5, "raises": (2, 4)}
    assert game_parameters(Said()) == {"depth": 2} and game_parameters(Said()) is not Said.parameters
    assert game_parameters(Good()) == {}
    assert json_parameters(Sized(5)) == {"size": 5, "raises": [2, 4]}


@pytest.mark.parametrize("name, given", [("leduc", {"players": 3, "raises": (1, 2)}), ("kuhn", {"cards": 5}),
                                         ("liars_dice", {"dice": 1, "sides": 4}), ("rps", {"players": 3})])  # fmt: skip
def test_games_are_rebuilt_from_json(name, given):
    game = rules(name, **given)
    again = td.load_game(name, **json_parameters(game))
    assert again == game and json_parameters(again) == json_parameters(game)


def test_unserialisable_parameters_are_refused():
    endless = {}
    endless["itself"] = endless
    for wrong in (endless, {(1, 2): 3}):
        game = Said()
        game.parameters = wrong
        with pytest.raises(td.errors.ParameterError, match="parameters"):
            json_parameters(game)


def test_names_of_user_defined_games():
    assert own_name(rules("kuhn")) == "" and own_name(object()) == ""
    assert own_name(Said()).endswith("test_parameters.py:Said")
