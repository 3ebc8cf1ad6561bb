"""Made hands and draws of all hands against brute force over cards, and PokerKit's categories."""

import random
from collections import Counter

import numpy as np
import pytest
from pokerkit import StandardHighHand

import tefuda as td
from tefuda.holdem.cards import HANDS, cards_text, hand_number, read_cards
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands

BOARDS = (
    "Qs Jh 2h",
    "Qs Jh 2h 8d",
    "Kc Kd 7s",
    "9s 8s 7h 6d",
    "4h 5h Ah 3h",
    "9s 8s 7h 6d Ts",
    "7c 7d 7h 2s",
    "KcKd7s7h2c",
)
STRONG = MADE_HANDS[:5]
RUNS = [{12, 0, 1, 2, 3}, *({low + step for step in range(5)} for low in range(9))]


def number(text):
    return hand_number(*read_cards(text))


def pair_of(hand, board):
    """Return the made hand below a straight, from counts of ranks alone."""
    counts, ranks = Counter(card >> 2 for card in board), sorted({card >> 2 for card in board}, reverse=True)
    low, high = sorted(card >> 2 for card in hand)
    if low == high:
        return "set" if counts[low] else "overpair" if high > ranks[0] else "underpair"
    if 2 in (counts[low], counts[high]):
        return "trips"
    if counts[low] and counts[high]:
        return "two pair"
    matched = [ranks.index(rank) for rank in (low, high) if rank in ranks]
    if matched:
        return ("top pair", "second pair")[matched[0]] if matched[0] < 2 else "low pair"
    return "ace high" if high == 12 else "high card"


def straight(cards):
    """Return the number of the best straight, -1 without one."""
    ranks = {card >> 2 for card in cards}
    return max((place for place, run in enumerate(RUNS) if run <= ranks), default=-1)


def draw_of(hand, board, category):
    """Return the draw of a hand, by adding each rank and counting suits."""
    left = 5 - len(board)
    suits = Counter(card & 3 for card in (*hand, *board))
    suited = max(suits[card & 3] for card in hand)
    done = straight((*hand, *board)) >= 0 or category in STRONG
    ends = sum(straight((*hand, *board, 4 * rank)) > straight((*board, 4 * rank)) for rank in range(13))
    flush, ends = suited == 4 and category not in STRONG[:4], 0 if done else ends
    over = hand[0] >> 2 != hand[1] >> 2 and min(card >> 2 for card in hand) > max(card >> 2 for card in board)
    fits = (flush and ends, flush, ends > 1, ends == 1, left == 2 and suited == 3 and category not in STRONG[:4], over)
    return (
        "no draw"
        if not left
        else DRAWS[next((place for place, fit in enumerate(fits) if fit and not (place == 5 and done)), 6)]
    )


@pytest.mark.parametrize("board", BOARDS)
def test_every_hand(board):
    """Straights and better are PokerKit's, all others follow from counts of cards."""
    cards = read_cards(board)
    made, drawn, rng = made_hands(cards), draws(cards), random.Random(1)
    blocked = np.isin(HANDS, cards).any(axis=1)
    assert (made[blocked] == -1).all() and (drawn[blocked] == -1).all()
    for index in np.flatnonzero(~blocked).tolist():
        hand = tuple(HANDS[index].tolist())
        name = MADE_HANDS[made[index]]
        assert DRAWS[drawn[index]] == draw_of(hand, cards, name), (board, hand)
        if name not in STRONG:
            assert name == pair_of(hand, cards), (board, cards_text(hand))
        if name in STRONG or rng.random() < 0.2:
            label = StandardHighHand.from_game(cards_text(hand), board.replace(" ", "")).entry.label.value.lower()
            assert (name in STRONG) == (label in STRONG) and (name == label or name not in STRONG)


@pytest.mark.parametrize(
    "board, hand, made, draw",
    [
        ("Qs Jh 2h", "AhKh", "ace high", "combo draw"),
        ("Qs Jh 2h", "9h8h", "high card", "combo draw"),  # a ten completes it
        ("Qs Jh 2h", "Tc9d", "high card", "open-ended"),
        ("Qs Jh 2h", "AdKc", "ace high", "gutshot"),
        ("Qs Jh 2h", "QhQd", "set", "backdoor flush draw"),
        ("9c 7d 5h 3s", "8c6d", "straight", "no draw"),
        ("9c 7d 5h 2s", "6cJd", "high card", "gutshot"),
        ("Tc 8d 6h 2s", "9c4d", "high card", "gutshot"),
        ("Jc 9d 7h 2s", "8cTd", "straight", "no draw"),
        ("Qc 9d 8h 2s", "TcKd", "high card", "gutshot"),
        ("Kc Ts 9h 2s", "QcJd", "straight", "no draw"),
        ("Kc 9s 8h 2s", "JcTd", "high card", "open-ended"),  # a queen or a seven
        ("Tc 8s 5h 2s", "KcAd", "ace high", "overcards"),
        ("2c 2s 2h", "KcAd", "ace high", "overcards"),
        ("4c 9s Kh", "5d2d", "high card", "no draw"),
        ("4c 9s 2h", "5dAd", "ace high", "gutshot"),
    ],
)
def test_examples(board, hand, made, draw):
    cards = read_cards(board)
    assert (MADE_HANDS[made_hands(cards)[number(hand)]], DRAWS[draws(cards)[number(hand)]]) == (made, draw)


@pytest.mark.parametrize("function", [made_hands, draws])
@pytest.mark.parametrize("board", ["", "Qs Jh", "2c 3c 4c 5c 6c 7c"])
def test_other_boards(function, board):
    with pytest.raises(td.errors.ParameterError) as caught:
        function(read_cards(board))
    assert caught.value.key == "board"
