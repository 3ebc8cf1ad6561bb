"""Reviews of recorded hands: planted mistakes, runs that resume, hands with permuted suits."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tefuda.errors import ParameterError, RunError, UnknownNameError
from tefuda.holdem import Holdem, Review, TableRules, pushfold, read_cards, read_histories, record_of, review
from tefuda.holdem.cards import CLASS_OF, hand_number
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.histories.heads_up import heads_up
from tefuda.holdem.preflop.tree import class_pairs
from tefuda.holdem.reviews import pricing, running, tasks
from tefuda.holdem.reviews.review import GROUPS
from tefuda.holdem.suits import permute_card
from tests.holdem.reviews.cases import HALF, SPOTS, played

SAMPLES = read_histories(Path(__file__).parents[2] / "data" / "hands44")
PLANTED = [
    (played("R4", ("9s9d", "KsTs"), "c r25 c", number="call"), "R4", 34.4595),
    (played("R4", ("9s9d", "KsTs"), "c r25 f", number="fold"), "R4", 109.4595),
    (played("R4", ("KhQh", "6d6h"), "c c", number="check"), "R4", 2.9707),
]

FIGURES = {
    "evs": {"Check": 1.0}, "cost": 0.0, "interval": None, "frequency": 1.0, "best": "Check", "pot": 10,
    "exploitability": 0.1, "forced": False,
}  # fmt: skip


@pytest.fixture
def coarse(monkeypatch):
    """Solve to 1 % of the pot only."""
    monkeypatch.setattr(tasks, "goal_of", lambda *_: 1.0)


def folder_of(path, name):
    """A folder with the ranges of a spot, for hands that are checked by the big blind and the button."""
    for player, own in zip(("BB", "BTN"), SPOTS[name].ranges, strict=True):
        (path / f"{player}-check.txt").write_text(f"# of {name}\n{own}\n")
    return path


def reviewed(hands, path, name="R4", street=3, menu=HALF, **options):
    path.mkdir(exist_ok=True)
    ranges = folder_of(path, name)
    return review(hands, ranges, player="*", menus={street: menu}, folder=path / "runs", **options)


def test_planted_mistakes_come_first(tmp_path):
    """Each within .01 chips of the linear program, in the hand's own chips, and no mixed action is listed."""
    for number, (hand, name, cost) in enumerate(PLANTED):
        found = reviewed([replace(hand, number="x")], tmp_path / str(number), name)
        first, big = found.dearest()[0], hand.rules.smallest_bet(0)
        assert first.cost * big == pytest.approx(cost, abs=0.01)
        assert all(each.frequency < 0.05 and each.cost > 1e-3 * each.pot for each in found.dearest())
        assert found.unpriced == {"no preflop solution": 2, "flop": 2, "turn": 2}


def test_a_planted_mistake_on_the_turn(tmp_path):
    hand = played("T1", ("JhTh", "AsKs"), "c r120 c")
    found = reviewed([hand], tmp_path, "T1", 2, {"bets": "a", "raises": "a"})
    first = found.dearest()[0]
    assert (first.player, first.street, first.action) == ("Ash", "turn", "Call")
    assert first.cost * 40 == pytest.approx(52.7273, abs=0.01) and first.is_certain and first.kind == "big"


@pytest.mark.slow
@pytest.mark.parametrize(
    "holes, line, cost",
    [
        (("AhAd", "AcKc"), "r120 c", 4.8332), (("KhQh", "JdQd"), "c r120 f", 14.4485),
        (("5d5c", "JdQd"), "c r120 c", 30.5315), (("AhAd", "8s8d"), "c c c c c c", 28.9108),
    ],
)  # fmt: skip
def test_planted_mistakes_on_a_flop(tmp_path, monkeypatch, holes, line, cost):
    monkeypatch.setattr(pricing._Pricing, "_others", lambda *_: iter(()))
    monkeypatch.setattr(tasks, "goal_of", lambda *_: 3e-4)
    menu = {"bets": "", "raises": "", "flop_bet": "50%,a", "flop_raise": "a"}
    first = reviewed([played("F1", holes, line)], tmp_path, "F1", 1, menu).dearest()[0]
    assert (first.street, first.action) == ("flop", {"c": "Call", "f": "Fold"}[line[-1]] if "r" in line else "Check")
    assert first.cost * 30 == pytest.approx(cost, abs=0.01)


def test_flops_that_fit_are_reviewed(tmp_path, monkeypatch):
    """By default a flop takes half a gigabyte in half precision; turns take less memory and time."""
    asked = []
    monkeypatch.setattr(tasks, "price", lambda *given: asked.append(given) or [FIGURES] * len(given[1]))
    hand, told = next(hand for hand in SAMPLES if hand.number == "900000000201"), []
    rows = (2e9, None, 0, ""), (2e8, None, 1, "memory"), (2e9, 20_000, 0, ""), (2e9, 2000, 1, "budget")
    for memory, budget, street, reason in rows:
        folder = tmp_path / f"{memory}-{budget}"
        found = review([hand], None, budget, folder=folder, memory=memory, notify=told.append)
        assert "".join({"memory", "budget"} & found.unpriced.keys()) == reason
        spot, _, goal, method = asked[-1]
        assert (spot.street, method.precision, goal) == (street, *(("half", 0.5), ("single", 0.3))[street])
    assert [text.split()[:2] for text in told] == [["1", "flop"], ["1", "turn"]] * 2


def test_a_killed_review_resumes_with_the_same_bytes(tmp_path, monkeypatch, coarse):
    hands = [hand for hand, *_ in PLANTED]
    whole = reviewed(hands, tmp_path / "whole")
    solved = []

    def interrupted(*arguments):
        if len(solved) == 2:
            raise KeyboardInterrupt
        solved.append(arguments)
        return price(*arguments)

    price = tasks.price
    monkeypatch.setattr(tasks, "price", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reviewed(hands, tmp_path / "killed")
    assert len([*(tmp_path / "killed" / "runs").glob("[0-9a-f]*.json")]) == 2
    monkeypatch.setattr(tasks, "price", lambda *arguments: solved.append(arguments) or price(*arguments))
    assert reviewed(hands, tmp_path / "killed") == whole and len(solved) == 3
    names = sorted(path.name for path in (tmp_path / "whole" / "runs").glob("*.json"))
    for name in names:
        first, second = ((tmp_path / kind / "runs" / name).read_bytes() for kind in ("whole", "killed"))
        assert first == second
    assert "review.json" in names and len(names) == 4


def turned(hand, permutation):
    """The hand with permuted suits."""
    cards = [tuple(permute_card(card, permutation) for card in part) for part in (hand.hand.holes, hand.hand.board)]
    return replace(
        hand, hand=hand.hand._replace(holes=cards[0], board=cards[1]),
        shown=tuple((player, tuple(permute_card(card, permutation) for card in own)) for player, own in hand.shown),
    )  # fmt: skip


def test_hands_with_permuted_suits_are_one_spot(tmp_path, monkeypatch):
    hand = next(hand for hand in SAMPLES if hand.number == "900000000201")
    permuted = [hand, turned(hand, (1, 0, 3, 2)), turned(hand, (3, 2, 0, 1))]
    monkeypatch.setattr(tasks, "price", lambda spot, decisions, *_: [FIGURES] * len(decisions))
    found = review(permuted, folder=tmp_path)
    assert len([*tmp_path.glob("[0-9a-f]*.json")]) == 1 and len(found.decisions) == 15
    assert {each.cards for each in found.decisions} == {"JcTc", "JdTd", "JsTs"}
    other = replace(hand, hand=hand.hand._replace(board=(*hand.hand.board[:4], read_cards("Jc")[0] + 4)))
    review([other], folder=tmp_path)
    assert len([*tmp_path.glob("[0-9a-f]*.json")]) == 2


def test_chips_by_their_common_divisor():
    """The same hand in cents and in tenths of cents is one spot."""
    hand = next(hand for hand in SAMPLES if hand.number == "900000000201")
    betting = heads_up(hand, 2)
    texts, ten = betting.scaled(betting.scale).spot_texts({}), betting.scaled(Fraction(10))
    assert ten.scaled(ten.scale).spot_texts({}) == texts and 1000 <= texts["pot"] < 2000
    assert hand.spot("river", ("JJ,JTs", "97s,88"), bets="50%").texts()["more"]["at"] == {"Check": "3600c"}
    for street in ("preflop", "showdown"):
        with pytest.raises(ParameterError):
            hand.spot(street, ("AA", "KK"))


def test_every_decision_is_counted(tmp_path):
    found = review(SAMPLES, folder=tmp_path, budget=0)
    tokens = [
        token for hand in SAMPLES for before, token in hand.replay() if token != "/" and before.mover == hand.hero
    ]
    assert len(found.decisions) + sum(found.unpriced.values()) == len(tokens) == 48
    assert found.unpriced["budget"] == 16 and found.unpriced["3 players"] == 4
    assert found.share_priced == pytest.approx(1 / 48)
    (call,) = found.decisions  # the last call of an all-in against two players
    assert (call.number, call.action, call.cards) == ("900000000101", "Call", "AsAc")


def test_push_or_fold_is_priced(tmp_path):
    """Folding aces costs the gain of a push, and pushing a weak hand its loss, by the linear program."""
    game = Holdem(TableRules((1000, 1000), (100, 50)), Menu(any_amount=True))
    for cards, line, action in (("AhAd", "f", "Fold"), ("7h2d", "r1000", "AllIn")):
        state = game.root()
        for card in ("Kc", "Ks", cards[:2], cards[2:]):
            state = game.child(state, card)
        hand = replace(record_of(game, game.child(state, line)), hero=1)
        (found,) = review([hand], folder=tmp_path).decisions
        row, call = int(CLASS_OF[hand_number(*read_cards(cards))]), pushfold(10).call
        pairs, shares = (each[row] for each in class_pairs())
        push = pairs @ (1 - call + 10 * shares * call) / pairs.sum() + 0.5
        assert found.action == action and found.cost == pytest.approx(abs(push), abs=1e-9) and found.is_certain
    assert review([replace(hand, rules=replace(hand.rules, stacks=(1600, 1600)))], folder=tmp_path).unpriced


def test_groups_and_pictures(tmp_path, coarse):
    found = reviewed([hand for hand, *_ in PLANTED], tmp_path)
    for group in GROUPS:
        totals = found.by(group)
        assert sum(total.decisions for total in totals) == len(found.decisions)
        assert sum(total.cost for total in totals) == pytest.approx(found.total.cost)
    with pytest.raises(UnknownNameError):
        found.by("stake")
    panel = found.panel(2)
    assert list(panel.lines) == ["cost", "interval"] and len(panel.ticks) == 2
    assert json.loads(json.dumps(found.summary()))["decisions"][0]["certain"] in (True, False)
    assert Review().dearest() == [] and Review().share_priced != Review().share_priced


def test_memory_and_damaged_files(tmp_path, coarse):
    hand = [PLANTED[0][0]]
    found = reviewed(hand, tmp_path / "small", memory=10)
    assert not found.decisions and found.unpriced["memory"] == 3
    reviewed(hand, tmp_path / "runs")
    (file,) = (tmp_path / "runs" / "runs").glob("[0-9a-f]*.json")
    file.write_text(file.read_text().replace('"cost": ', '"cost": 1'))
    with pytest.raises(RunError):
        reviewed(hand, tmp_path / "runs")
    with pytest.raises(RunError):
        review(hand, tmp_path / "missing")
    (tmp_path / "BB-check").write_text("AK,KX")
    with pytest.raises(ParameterError):
        review(hand, tmp_path, player="*", folder=tmp_path / "other")
    (tmp_path / "BB-check").write_text("Ah9h")  # on the board
    found = review(hand, tmp_path, player="Birch", folder=tmp_path / "other")
    assert found.unpriced["no hands in the ranges"] == 3
    for options in ({"budget": -1}, {"budget": float("nan")}, {"rake": (2, 1)}, {"memory": -1}):
        with pytest.raises(ParameterError):
            review(hand, folder=tmp_path, **options)


def test_estimate():
    planned = running.estimate([])
    assert planned == "no spots to solve"
