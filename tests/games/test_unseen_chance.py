"""Warnings about rules without faults."""

import pytest

import tefuda as td
from tests.small_games import broken


@pytest.mark.parametrize("blind", [(0,), (1,), (0, 1)])
def test_a_card_that_its_owner_never_sees_causes_a_warning(blind):
    """The higher card wins, so payoffs depend on a card that its owner never sees."""

    def view(self, state, player):
        return ("card" if player in blind else state[0][player], *state[1:])

    report = td.check_game(broken(view=view))
    remark = next(one for one in report.warnings if one.kind == "unseen chance")
    deals = [history[0] for history in remark.histories]
    assert report.ok and all(deals[0][player] == deals[1][player] for player in {0, 1} - set(blind))
    assert deals[0] != deals[1]


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 3}), ("leduc", {}), ("liars_dice", {"sides": 2})])
def test_games_that_show_players_their_cards_cause_no_warning(name, parameters):
    assert not td.check_game(td.load_game(name, **parameters)).warnings


def test_irrelevant_or_late_chance_causes_no_warning():
    idle = broken(view=lambda s, state, p: state[1:], payoffs=lambda s, state: (1, -1))
    late = broken(
        player=lambda s, state: (0, td.CHANCE, td.TERMINAL)[len(state)],
        payoffs=lambda s, state: (1, -1) if state[1][0] == "h" else (-1, 1),
        view=lambda s, state, p: "first",
        actions=lambda s, state: ("stop", "bet"),
    )
    for game in (idle, late):
        assert not [one for one in td.check_game(game).warnings if one.kind == "unseen chance"]
