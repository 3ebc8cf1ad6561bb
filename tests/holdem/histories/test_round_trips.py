"""Random hands, written in the formats of rooms and read back."""

from dataclasses import fields

import pytest

from tefuda.holdem.histories.reading import read_text
from tefuda.holdem.histories.record import HandHistory
from tests.holdem.histories.writers import WRITERS, facts, open_hand_history, random_hand

FIELDS = {field.name for field in fields(HandHistory)}
LOST = {"source", "line", "digest", "rules"}  # of the text; `facts` has the rules, as far as a hand shows them
EXPORTS = {
    "pokerstars": FIELDS - LOST,
    "open_hand_history": FIELDS - LOST - {"payments"},  # its pots have numbers
    "phh": {"names", "room", "number", "start", "table", "currency", "shown"},
}


def mistakes(name, seed):
    """The differences between a random hand and the hand read from its text."""
    hand = random_hand(seed)
    if (text := WRITERS[name](hand)) is None:
        return None
    read = read_text(text, "round.phh" if name == "phh" else "round")
    if len(read) != 1:
        return [*map(str, read.skipped)]
    (found,) = read
    if name in EXPORTS:
        one, other = facts(found), facts(hand.record)
        return [
            *(fact for fact in one if one[fact] != other[fact]),
            *(field for field in EXPORTS[name] if getattr(found, field) != getattr(hand.record, field)),
        ]
    known = {player: hand.state.hole(player) for player in {hand.hero, *hand.showdown}}
    wanted = {
        "line": (found.hand.line, hand.state.line), "net": (found.net, hand.record.net),
        "rake": (found.rake, hand.rake), "stacks": (found.rules.stacks, hand.rules.stacks),
        "board": (found.hand.board, hand.state.board), "names": (found.names, hand.names),
        "seats": ([seat.number for seat in found.seats], hand.seats),
        "cards": ({player: {*found.hand.hole(player)} for player in known}, {p: {*c} for p, c in known.items()}),
        "button": (found.button, hand.seats[-1]), "hero": (found.hero, hand.hero),
        "wagers": (found.hand.wagers.stacks, hand.state.wagers.stacks), "unit": (str(found.unit), "0.01"),
        "payoffs": (found.payoffs if len(hand.showdown) != 1 else None, hand.game.payoffs(hand.state)),
    }  # fmt: skip
    return [f"{field}: {one} for {other}" for field, (one, other) in wanted.items() if one != other]


@pytest.mark.parametrize("hands", [40, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", WRITERS)
def test_written_hands_are_read(name, hands):
    found = [mistakes(name, seed) for seed in range(hands)]
    assert not any(found), next((seed, each) for seed, each in enumerate(found) if each)
    assert found.count(None) < hands / 4


def test_raises_as_totals():
    """Some writers of Open Hand History give totals; the reading that balances counts and is flagged."""
    flagged = 0
    for seed in range(40):
        hand = random_hand(seed)
        (found,) = read_text(open_hand_history(hand, totals=True), "round")
        assert found.net == hand.record.net or found.hand.line != hand.state.line
        flagged += "raises as totals" in found.flags and found.hand.line == hand.state.line
    assert flagged > 10
