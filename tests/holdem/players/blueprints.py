"""A rough blueprint of twenty big blinds with few buckets, and hands for it."""

from functools import cache
from math import inf

import numpy as np

import tefuda as td
from tefuda.holdem.buckets.clusters import canonical_boards, permuted_hands
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy
from tefuda.holdem.cards import CLASS_OF, HANDS
from tefuda.holdem.kernels import buckets as kernels
from tefuda.holdem.players.agent import SolverAgent
from tefuda.holdem.players.blueprint import Blueprint
from tefuda.holdem.players.budget import Budget
from tefuda.holdem.players.settings import SolverSettings
from tests.holdem.limits import flat, one_texture

SIZES = {"opens": "2.5x,a", "reraises": "3x,a", "bets": "100,a", "raises": "a"}
CHIPS = {"stack": 2000, "blinds": [50, 100]}


def table(**changes):
    return td.load_game("holdem", **{**CHIPS, **SIZES, **changes})


@cache
def game():
    """Return the table in buckets of the sum of ranks: 4 before and on the flop, 3 on turn and river."""
    found, ranks = flat(), (HANDS >> 2).sum(axis=1)
    found.flop[:], found.turn[:] = ranks // 7, ranks // 9
    found.river[:] = ranks // 9
    counts = (4, 4, 3, 3)
    of_class = np.zeros(1000, dtype=np.uint16)
    of_class[CLASS_OF] = ranks // 7
    buckets = np.stack([of_class, *(np.arange(1000, dtype=np.uint16) for _ in range(3))])
    boards = tuple(canonical_boards(size)[0] for size in (3, 4, 5))
    tables = found.flop, found.turn, found.river
    sorted_ = kernels.BucketTables(*boards, permuted_hands(), CLASS_OF, *tables, buckets, one_texture(counts))
    return Abstraction(betting_graph(table().rules, menu=table().menu), counts, sorted_)


@cache
def blueprint():
    """Return a strategy of random probabilities, never 0."""
    weights = np.random.default_rng(5).random(game().rows).astype(np.float32) + 0.05
    return Blueprint(BucketPolicy(game(), game().normalised(weights)))


def settings(seconds=0.0, **options):
    return SolverSettings(blueprint(), Budget(seconds, patience=inf), **options)


def agent(seconds=0.0, **options):
    return SolverAgent("solver", settings(seconds, **options))
