"""Legends: names of short labels, and none for self-explanatory labels."""

import pytest

import tefuda as td
from tefuda.games.legend import legend, legend_text
from tefuda.games.protocol import Observation
from tests.conftest import compiled


def of_all(tree):
    return legend(tree.game, zip(tree.infoset_player.tolist(), tree.keys, strict=True))


def test_kuhn_and_leduc():
    assert of_all(compiled("kuhn")) == {"p": ("check", "fold"), "b": ("bet", "call")}
    assert of_all(compiled("leduc")) == {"c": ("check", "call"), "r": ("bet", "raise"), "f": ("fold",)}
    assert legend_text(of_all(compiled("kuhn"))) == "p: check or fold; b: bet or call"


@pytest.mark.parametrize(
    "name, parameters", [("rps", {}), ("goofspiel", {"cards": 3}), ("nolimit_leduc", {"stack": 4})]
)
def test_self_explanatory_labels_have_no_legend(name, parameters):
    """Labels without words, or with one word for each of many sizes, have no legend."""
    assert of_all(compiled(name, **parameters)) == {} and legend_text({}) == ""


def test_errors_in_words_are_reported():
    class Mute(type(compiled("kuhn").game)):
        def observe(self, view, player):
            raise OSError("no words")

    with pytest.raises(td.errors.GameError, match="words"):
        legend(Mute(), [(0, "K|")])


def test_words_equal_to_the_label_are_omitted():
    class Plain(type(compiled("kuhn").game)):
        def observe(self, view, player):
            return Observation(view, "", {"p": "p", "b": "bet"})

    assert legend(Plain(), [(0, "K|")]) == {"b": ("bet",)}
