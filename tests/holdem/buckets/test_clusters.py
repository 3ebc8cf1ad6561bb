"""Buckets of hands: numbers of boards, strengths, isomorphic suits, k-means."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from tefuda.errors import ParameterError, RunError
from tefuda.files import write_arrays
from tefuda.holdem.buckets import clusters as page
from tefuda.holdem.buckets.clusters import (
    BOARDS,
    Buckets,
    assign_clusters,
    canonical_boards,
    cells,
    histogram,
    k_means,
    river_strengths,
)
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS, hand_number, mask_of, read_cards
from tefuda.holdem.kernels import buckets as kernels
from tefuda.holdem.rank import MASKS, strengths
from tefuda.holdem.suits import PERMUTATIONS, count_classes, permute_card
from tests.holdem.limits import flat

SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]


def place_of(board):
    """Return the number of a board up to isomorphism, and the permutation to the canonical board."""
    boards = canonical_boards(len(board))[0]
    rank = int(kernels.rank_of(np.uint64(mask_of(board))))
    return int(boards.number[rank]), int(boards.turn[rank])


@pytest.mark.parametrize("size", [3, 4, 5])
def test_counts_of_boards_up_to_isomorphism(size):
    numbers, boards = canonical_boards(size)
    assert len(boards) == count_classes(size) == BOARDS[size - 3]  # Burnside's lemma; 1,755 flops are well known
    assert numbers.number.max() == len(boards) - 1
    assert [place_of_mask(numbers, board) for board in boards[:50]] == list(range(50))


def place_of_mask(numbers, board):
    return int(numbers.number[int(kernels.rank_of(board))])


def test_boards_with_permuted_suits_are_one():
    rng = np.random.default_rng(0)
    for size in (3, 4, 5):
        for _ in range(30):
            board = rng.choice(CARDS, size, replace=False).tolist()
            turn = PERMUTATIONS[rng.integers(24)]
            number, renaming = place_of(board)
            again, other = place_of([permute_card(card, turn) for card in board])
            assert again == number
            hand = HANDS[rng.integers(1326)].tolist()
            first = page.permuted_hands()[renaming, hand_number(*hand)]
            second = page.permuted_hands()[other, hand_number(*(permute_card(card, turn) for card in hand))]
            # Both represent the same hand on the canonical board, up to symmetries of that board.
            board_mask = int(canonical_boards(size)[1][number])
            assert bin(int(SETS[first]) & board_mask).count("1") == bin(int(SETS[second]) & board_mask).count("1")


def enumerated_strength(board, hand):
    """Return the fraction of other hands that a hand beats, with ties as one half."""
    own = strengths(np.array([mask_of((*board, *hand))], dtype=np.uint64))[0]
    left = [card for card in range(CARDS) if card not in (*board, *hand)]
    others = strengths(np.array([mask_of((*board, *two)) for two in combinations(left, 2)], dtype=np.uint64))
    return ((others < own).sum() + (others == own).sum() / 2) / len(others)


@pytest.mark.parametrize("text", ["Qs Jh 2h 8d 3c", "2c 2d 2h 3c 3d", "Ts Js Qs Ks As"])
def test_strengths_on_rivers(text):
    board = read_cards(text)
    levels = river_strengths(np.array([mask_of(board)], dtype=np.uint64))[0]
    free = [hand for hand in HANDS.tolist() if not set(hand) & set(board)]
    for hand in free[::97]:
        assert levels[hand_number(*hand)] == min(255, int(enumerated_strength(board, hand) * 256 + 1e-9))
    assert not levels[(SETS & np.uint64(mask_of(board))) != 0].any()


def test_futures_of_a_turn():
    turn, hand = read_cards("Qs Jh 2h 8d"), read_cards("Ah Kh")
    levels = np.zeros((BOARDS[2], len(HANDS)), dtype=np.uint8)
    for card in range(CARDS):
        if card not in turn:
            number, _ = place_of((*turn, card))
            levels[number] = river_strengths(canonical_boards(5)[1][number : number + 1])[0]
    counts = histogram(mask_of(turn), levels)
    expected = np.zeros(16, dtype=int)
    for card in set(range(CARDS)) - {*turn, *hand}:
        expected[min(15, int(enumerated_strength((*turn, card), hand) * 16 + 1e-9))] += 1
    assert counts[hand_number(*hand)].tolist() == expected.tolist() and expected.sum() == 46


def test_the_nearest_centre_is_the_nearest():
    rng = np.random.default_rng(1)
    points, centres = (np.sort(rng.random((n, 15)), axis=1).astype(np.float32) for n in (400, 60))
    centres = centres[np.argsort(centres.sum(axis=1, dtype=np.float32))]
    places = np.zeros(len(points), dtype=np.int64)
    heights = np.zeros(len(centres), dtype=np.float32)
    for column in centres.T:
        heights += column
    order = np.argsort(heights, kind="stable")
    kernels.assign_nearest(points, centres[order], heights[order], places)
    distances = ((points[:, None] - centres[order][None]) ** 2).sum(axis=2)
    assert np.allclose(distances[np.arange(400), places], distances.min(axis=1))


def test_means_lower_the_squares_of_distances():
    rng = np.random.default_rng(2)
    points = rng.random((500, 3)).astype(np.float32)

    def cost(centres):
        return ((points[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1).sum()

    found = k_means(points, np.ones(500), 12, np.random.default_rng(3))
    assert cost(found) < 0.8 * cost(points[:12]) and cost(found) < cost(k_means(points, np.ones(500), 6, rng))
    again = k_means(points, np.ones(500), 12, np.random.default_rng(3))
    assert np.array_equal(found, again)  # the same seed, the same bits
    few = np.array([[0.0], [1.0], [5.0]], dtype=np.float32)
    assert assign_clusters(few, np.ones(3), 3, rng).tolist() == [0, 1, 2]  # rising
    assert assign_clusters(few, np.ones(3), 2, rng).tolist() == [0, 0, 1]
    assert assign_clusters(few, np.array([1000.0, 1, 1]), 1, rng).tolist() == [0, 0, 0]
    assert k_means(few, np.array([2.0, 1, 1]), 1, rng).tolist() == [[1.5]]  # points are weighted by frequency
    strong, weak = np.linspace(0, 0.2, 15), np.linspace(0.6, 1, 15)  # cumulative: weak hands end early
    assert assign_clusters(np.array([strong, weak], dtype=np.float32), np.ones(2), 2, rng).tolist() == [1, 0]


def test_classes_are_separate_and_weighted_by_hands():
    buckets = Buckets((169, 1, 1, 1)).assign(flat()).buckets
    assert buckets[0, :169].tolist() == list(range(169)) and not buckets[1:].any()
    assert Buckets((1, 1, 1, 1)).assign(flat()).buckets.max() == 0


def test_shifts_count_the_hands_that_a_card_moves():
    rng = np.random.default_rng(5)
    boards = canonical_boards(3)[1][[700]]
    parts = rng.integers(0, 3, (1, 1326)).astype(np.uint8)
    levels = rng.integers(0, 256, (BOARDS[1], 1326)).astype(np.uint8)
    points, known = np.zeros((1, 64, 3, 3), dtype=np.float32), np.zeros((1, 64), dtype=bool)
    later = canonical_boards(4)[0]
    kernels.count_next_cards(boards, page._DECK, SETS, parts, later, page.permuted_hands(), levels, points, known)
    assert known.sum() == 49
    for card in [card for card in range(CARDS) if not MASKS[card] & boards[0]][::9]:
        full, place = boards[0] | MASKS[card], int(MASKS[card]).bit_length() - 1
        assert known[0, place]
        rank = int(kernels.rank_of(full))
        strong = levels[later.number[rank]][page.permuted_hands()[later.turn[rank]]]
        for part in range(3):
            some = strong[(parts[0] == part) & ((SETS & full) == 0)]
            assert points[0, place, part] == pytest.approx([(some < edge).mean() for edge in (64, 128, 192)])


def test_textures_share_buckets():
    found = flat()
    kinds = (np.arange(found.river_kinds.size) % 7).astype(np.uint8).reshape(found.river_kinds.shape)
    shifts = (np.arange(7)[:, None] / 7 * np.ones((7, 35))).astype(np.float32)
    found = found._replace(river_kinds=kinds, river_shifts=shifts, river_times=np.ones(7, dtype=np.int64))
    whole = Buckets((1, 1, 1, 21), textures=(1, 7)).assign(found)
    assert whole.textures.hands.tolist() == [1, 1, 1, 3]
    rng, seen, order = np.random.default_rng(1), set(), []
    for _ in range(200):
        cards = rng.permutation(CARDS)[:7].tolist()
        before, board = (np.uint64(mask_of(cards[:size])) for size in (4, 5))
        bucket = kernels.bucket_of_one(whole, 3, before, board, hand_number(*cards[5:]))
        number, renaming = place_of(cards[:4])
        moved_card = permute_card(cards[4], PERMUTATIONS[renaming])
        kind = kinds[number, int(MASKS[moved_card]).bit_length() - 1]
        texture = whole.textures.river[number, int(MASKS[moved_card]).bit_length() - 1]
        assert bucket // 3 == texture
        order.append((int(texture), int(kind)))
        seen.add(bucket // 3)
        filled = np.zeros(1326, dtype=np.int64)
        kernels.fill_buckets(whole, 3, before, board, SETS, filled)
        assert filled[hand_number(*cards[5:])] == bucket and filled[hand_number(cards[0], cards[5])] == -1
    assert seen == set(range(7)) and len(set(order)) == 7  # as many textures as kinds: each has its own


def test_more_buckets_than_one_texture_has():
    assert Buckets((169, 5, 2000, 512), textures=(2, 2)).hands == (169, 5, 1000, 256)
    for options in ({"textures": (0, 1)}, {"textures": (1, 201)}, {"textures": (3, 1)}, {"textures": (1,)}):
        with pytest.raises(ParameterError):
            Buckets((169, 5, 5, 201), **options)


@pytest.mark.parametrize("counts", [(0, 5, 5, 5), (169, 1001, 5, 5), (169, 5, 5, 257), (5, 5, 5), "5555"])
def test_numbers_out_of_range(counts):
    with pytest.raises(ParameterError):
        Buckets(counts)


def test_damaged_cells_are_refused(tmp_path):
    path = tmp_path / "cells.npz"
    write_arrays(path, {"flop": np.zeros((1755, 1326), dtype=np.uint16)}, {})
    with pytest.raises(RunError):
        page.read_cells(path)
    with pytest.raises(RunError):
        page.read_cells(tmp_path / "none.npz")


def test_cells_come_from_the_cache(tmp_path, monkeypatch):
    """With few turns and rivers, because whole tables have 200 million entries."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    monkeypatch.setattr(page, "_cache_by_seed", {})
    small = {"turn": (30, 1326), "river": (40, 1326), "river_kinds": (30, 64)}
    for name, shape in small.items():
        monkeypatch.setitem(page._ARRAYS, name, replace(page._ARRAYS[name], shape=shape))
    few = flat()._replace(**{name: np.zeros(shape, page._ARRAYS[name].dtype) for name, shape in small.items()})
    made = []
    monkeypatch.setattr(page, "make_cells", lambda seed, notify: made.append(seed) or few)
    assert cells(7) is cells(7) and made == [7]
    monkeypatch.setattr(page, "_cache_by_seed", {})
    assert cells(7).flop.shape == (1755, 1326) and made == [7]
    page.cache_path(7).write_bytes(b"damaged")
    monkeypatch.setattr(page, "_cache_by_seed", {})
    cells(7)
    assert made == [7, 7]
    other = few._replace(flop=few.flop + np.uint16(1))  # only cell 0 exists
    write_arrays(page.cache_path(7), other._asdict(), {})
    with pytest.raises(RunError, match="cells"):
        page.read_cells(page.cache_path(7))


@pytest.mark.slow
def test_all_hands_on_all_boards():
    found = cells()
    assert found.flop_masses.sum() == 1755 * 1176 and found.turn_masses.sum() == 16_432 * 1128
    assert found.river_masses.sum() == 134_459 * 1081
    assert found.turn_times.sum() == 22_100 * 49 and found.river_times.sum() == 270_725 * 48
    textures = Buckets((169, 20, 20, 20), textures=(4, 4)).assign(found)
    before = "Ks 8s 3c 5d"
    kinds = [
        kernels.bucket_of_one(
            textures, 3, np.uint64(mask_of(read_cards(before))), np.uint64(mask_of(read_cards(f"{before} {last}"))), 0
        )
        // 5
        for last in ("2h", "As", "Qs", "Kd")  # a blank, an overcard, a flush, a pair
    ]
    assert len(set(kinds)) == 4
    sorted_ = Buckets((169, 20, 20, 20)).assign(found)
    assert sorted_.buckets[0, : len(CLASSES)].tolist() == list(range(169))

    def bucket(hand, board):
        cards = read_cards(board)
        street = len(cards) - 2
        before, open_ = np.uint64(mask_of(cards[:-1])), np.uint64(mask_of(cards))
        return kernels.bucket_of_one(sorted_, street, before, open_, hand_number(*read_cards(hand)))

    for board in ("Ks 8d 3c", "Ks 8d 3c 2h", "Ks 8d 3c 2h 9s"):
        order = [bucket(hand, board) for hand in ("7h6h", "AhQd", "8h7h", "AsKh", "8s8h")]
        assert order == sorted(order) and order[-1] > order[0] + 5
    few = Buckets((8, 20, 20, 20)).assign(found).buckets[0]
    classes = [few[CLASS_OF[hand_number(*read_cards(hand))]] for hand in ("7h2d", "Th8d", "KhJs", "AhAs")]
    assert classes == sorted(set(classes))
