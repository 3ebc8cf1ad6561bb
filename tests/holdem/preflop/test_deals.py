"""Deals of three players: numbers of deals, sampled orders against all boards, and their cached file."""

import numpy as np
import pytest

import tefuda as td
from tefuda.files import write_arrays
from tefuda.holdem.preflop import deals as page
from tefuda.holdem.preflop.deals import all_deals, deals_path, list_deals, read_deals, sample_deals
from tests.conftest import refused
from tests.holdem.preflop.small_deck import DECK, small_deals


def test_numbers_of_deals():
    classes, weights, triples = list_deals()
    assert len(classes) == 169 and len(triples) == 818_805 and weights.sum() == 1326 * 1225 * 1128
    assert weights[0, 0, 0] == 0 and weights[0, 0, 14] == 6 * 6  # four aces, then any of six pairs of kings
    assert (weights == weights.transpose(2, 0, 1)).all() and (weights == weights.swapaxes(0, 1)).all()
    assert list_deals(DECK)[1].sum() == 66 * 45 * 28


def test_sampled_orders_are_those_of_all_boards(monkeypatch):
    samples, exact = 3000, small_deals()
    found = sample_deals(DECK, samples, seed=3)
    distinct = (np.diff(found.triples, axis=1) > 0).all(axis=1)  # of equal classes the players are in no order
    dealt = found.weights[tuple(found.triples.T)] > 0
    assert (found.orders.sum(axis=1) == np.where(dealt, samples, 0)).all()
    share = (exact.orders / np.maximum(exact.orders.sum(axis=1, keepdims=True), 1))[distinct & dealt]
    counts = found.orders[distinct & dealt]
    assert (counts[share == 0] == 0).all() and (counts[share == 1] == samples).all()
    inside = (share > 0) & (share < 1)
    errors = ((counts - samples * share)[inside] / np.sqrt(samples * share * (1 - share))[inside]) ** 2
    assert errors.mean() == pytest.approx(1, abs=0.2) and errors.max() < 25
    monkeypatch.setattr(page, "_PIECE", 7)
    assert (sample_deals(DECK, samples, seed=3).orders == found.orders).all()
    assert (sample_deals(DECK, samples, seed=4).orders != found.orders).any()


def test_deals_are_cached(monkeypatch, tmp_path):
    """A damaged file is replaced; one with other counts is refused."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    monkeypatch.setattr(page, "SAMPLES", 1)
    monkeypatch.setattr(page, "_loaded", {})
    stages = []
    first = all_deals(stages.append)
    assert all_deals() is first and "818,480 of 818,480" in stages[-1]  # 325 triples of classes cannot be dealt
    path = deals_path()
    assert (read_deals(path).orders == first.orders).all()
    path.write_bytes(b"damaged")
    page._loaded.clear()
    assert (all_deals().orders == first.orders).all() and (read_deals(path).orders == first.orders).all()
    forged = first.orders.copy()
    forged[0, 0] = 1  # three pairs of aces
    write_arrays(path, {"orders": forged}, {})
    with refused(td.errors.RunError):
        read_deals(path)
