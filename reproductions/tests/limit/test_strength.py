"""Inputs of strength: for learners as for views, and as a twin in Python counts them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.buckets import clusters as page
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.cards import CLASS_OF, cards_text, hand_number, mask_of
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.buckets import bucket_of_one
from tefuda_reproductions.experiment import saved_run
from tefuda_reproductions.limit.networks import hand_probabilities
from tefuda_reproductions.limit.strength import StrengthSimulator
from tefuda_reproductions.papers.limit_nfsp import METHOD
from tests.holdem.limits import flat

GAME = td.load_game("holdem", limit=True)
LEVELS = 5


@pytest.fixture
def simulator(monkeypatch):
    """Return a simulator with cells by random numbers, which are quick to build."""
    rng, cells = np.random.default_rng(0), flat()
    points = np.sort(rng.random((20, 15)).astype(np.float32), axis=0)[::-1].copy()
    spread = {name: rng.integers(20, size=getattr(cells, name).shape, dtype=np.uint16) for name in ("flop", "turn")}
    river = rng.integers(256, size=cells.river.shape, dtype=np.uint8)
    masses = dict.fromkeys(("flop_masses", "turn_masses"), np.ones(20, dtype=np.int64))
    monkeypatch.setattr(
        page,
        "_cache_by_seed",
        {0: cells._replace(**spread, river=river, flop_points=points, turn_points=points, **masses)},
    )
    return StrengthSimulator(GAME, LEVELS)


def twin(simulator, hand, board):
    """Return the inputs of strength, counted in Python."""
    one_hot, parts = np.eye(169)[CLASS_OF[hand_number(*hand)]], []
    buckets, numbers = np.zeros((3, LEVELS)), np.zeros(3)
    for street, (before, size) in enumerate(pairwise((0, 3, 4, 5))):
        if len(board) >= size:
            masks = (np.uint64(mask_of(board[:count])) for count in (before, size))
            bucket = bucket_of_one(simulator.tables, street + 1, *masks, hand_number(*hand))
            buckets[street, bucket], numbers[street] = 1, (bucket + 1) / LEVELS
    for card in sorted(hand, reverse=True):
        suits, ranks = (sum(card % 4 == c % 4 for c in board), sum(card // 4 == c // 4 for c in board))
        parts += [np.eye(6)[suits], np.eye(4)[ranks]] if board else [np.zeros(10)]
    return np.concatenate([one_hot, buckets.ravel(), numbers, *parts])


def test_inputs_are_those_of_a_twin_for_learners_views_and_hands(simulator):
    rng = np.random.default_rng(1)
    games, streets = simulator.deal(60, rng), set()
    while len(games):
        seen, both = simulator.observe(games), simulator.observe_all(games).reshape(len(games), 2, -1)
        for row, found, pair in zip(games.tolist(), seen, both, strict=True):
            mover, cards = row[steps.MOVER], row[simulator.cards :]
            board = cards[4:][: (0, 3, 4, 5)[row[steps.STREET]]]
            hand = cards[2 * mover : 2 * mover + 2]
            streets.add(len(board))
            assert found[simulator.cards_only :] == pytest.approx(twin(simulator, hand, board))
            assert np.array_equal(found, pair[mover])
            of_hands = simulator.of_hands(np.sort([hand]), np.array(board, dtype=np.int64))[0]
            assert np.array_equal(of_hands, found[simulator.cards_only :])
        assert np.array_equal(seen[:, : simulator.cards_only], HandsSimulator(GAME).observe(games))
        legal = simulator.legal(games)
        games = simulator.step(games, np.array([rng.choice(np.flatnonzero(row)[-2:]) for row in legal]), rng)
        games = games[simulator.player(games) >= 0]
    assert streets == {0, 3, 4, 5}


def test_views_give_the_inputs_of_learners(simulator):
    """A policy of views, and the probabilities of all hands at once, read the same inputs."""

    class Linear:
        weights = np.random.default_rng(2).normal(size=(simulator.features, 3))

        def function(self, player, seen, legal):
            found = np.exp(seen @ self.weights) * legal
            return found / found.sum(axis=1, keepdims=True)

    graph, row = betting_graph(GAME.rules), np.zeros(simulator.features, dtype=np.float32)
    for line, board in (("", ()), ("rc/r", (3, 20, 33)), ("cc/cc/cc/c", (3, 20, 33, 51, 40))):
        node = graph.node(line)
        low, size = int(graph.arrays.low[node]), int(graph.arrays.size[node])
        found = hand_probabilities(Linear(), GAME, graph, simulator.of_hands)(line, board, node)
        text = cards_text(board, "")
        for cards in ((50, 8), (9, 4), (47, 46)):
            simulator.encode(f"{cards_text(sorted(cards, reverse=True))}|{text}|{line}", row)
            legal = np.eye(3, dtype=bool)[low : low + size].any(axis=0)[None]
            expected = Linear().function(0, row[None], legal)[0, low : low + size]
            assert found[hand_number(*cards)] == pytest.approx(expected, abs=1e-5)
            row[:] = 0


def test_runs_are_resumed_with_the_same_buckets_only(simulator, tmp_path):
    few = replace(METHOD, hidden=8, tables=8, policy=replace(METHOD.policy, behaviour=1000))
    few = replace(few, values=replace(few.network, transitions=1000))
    options = {"evaluator": td.NoEvaluation()}
    assert saved_run(tmp_path / "run", simulator, few, 50, 1, **options).iterations == 50
    assert saved_run(tmp_path / "run", simulator, few, 60, 1, **options).iterations == 60
    with pytest.raises(td.errors.ParameterError, match="form"):
        saved_run(tmp_path / "run", StrengthSimulator(GAME, LEVELS - 1), few, 70, 1, **options)


@pytest.mark.parametrize("buckets", [0, 257, 1.5, None])
def test_a_number_of_buckets_out_of_range_is_refused(buckets):
    with pytest.raises(td.errors.ParameterError):
        StrengthSimulator(GAME, buckets)
