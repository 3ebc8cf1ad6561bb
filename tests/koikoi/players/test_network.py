"""The value network of Koi-Koi: inputs, values, play, and file."""

import json
import struct
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.bits import count
from tefuda._kernels.jit import kernel
from tefuda.koikoi.cards import ids_of
from tefuda.koikoi.game import DRAW, END, KOI, PLAY
from tefuda.koikoi.kernels import network as kernels
from tefuda.koikoi.kernels.belief import PAST_CARD, PAST_FIELD, PAST_TAKEN
from tefuda.koikoi.kernels.rounds import deal_round, open_round
from tefuda.koikoi.kernels.state import FIELD, HAND, WIDTH
from tefuda.koikoi.players.advice import read_knowledge
from tefuda.koikoi.players.ladder import PlayerConfiguration, duel
from tefuda.koikoi.players.network import (
    empty_accumulator,
    load,
    save,
    shipped_network,
    trained_for,
    weight_count,
    weight_views,
)
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi
from tefuda.koikoi.rules import PRESETS, find_rules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.playing.agents import Decision
from tests.koikoi.random_rounds import ANIMALS, CHAFF, RIBBONS, states

GAME, STANDARD = koikoi(), PRESETS["standard"]
NETWORK = PlayerConfiguration("network")
RULES = compile_rules(STANDARD)


def little(units=12, seed=3):
    """Return a network with random weights."""
    return weight_views(
        np.random.default_rng(seed).normal(scale=0.3, size=weight_count(units)).astype(np.float32), units
    )


@pytest.mark.learner
def test_the_shipped_network_beats_greedy_play():
    """The gain is 2.11 (docs/results/koikoi.md); 4,000 pairs of rounds have s.e. .08."""
    found = duel(STANDARD, NETWORK, PlayerConfiguration("greedy"), 4000, seed=5)
    assert found.error < 0.1 and found.mean > 1.7


@pytest.mark.slow
def test_the_shipped_network_beats_flat_search():
    """Flat Monte Carlo with 100 determinizations loses 1.4; 300 pairs of rounds have s.e. .35."""
    found = duel(
        STANDARD,
        NETWORK,
        PlayerConfiguration("search", 100, rollout="random", depth=0, allocation="evenly"),
        300,
        seed=5,
    )
    assert found.mean > 0


# Inputs.


@kernel
def fill_accumulator(compiled, net, accumulator, kind, array, player, past_plays):
    taking, nothing = kernels.count_skipped(past_plays)
    left = np.int64(count(array[HAND + player]))
    kernels.update_accumulator(compiled, net, accumulator, kind, left, array, player, taking, nothing)
    return left


def expected_rows(state, player, past_plays, kind, left, rules=STANDARD):
    """Return the rows of a position, computed from sets."""
    hand, field = set(ids_of(state.hands[player])), set(ids_of(state.field))
    piles = [set(ids_of(state.piles[seat])) for seat in (player, 1 - player)]
    months, rows = [{4 * month + card for card in range(4)} for month in range(12)], []
    for card in range(48):
        alike = months[card // 4]
        places = (card in piles[0], card in piles[1], card in hand, card in field)
        location = (1, 2, 3 if alike & field else 4, 5 if alike & hand else 6)[places.index(True)] if any(places) else 0
        rows.append(7 * card + location)
    kinds = [(h, f, t) for h in range(5) for f in range(5 - h) for t in range(5 - h - f)]
    for number, month in enumerate(months):
        counts = (len(month & hand), len(month & field), len(month & (piles[0] | piles[1])))
        rows.append(336 + 35 * number + kinds.index(counts))
    for number, month in enumerate(months):
        passed = [(took != 0) for lying, card, took in past_plays if month & set(ids_of(lying)) and card not in month]
        rows.append(756 + 12 * number + 3 * min(passed.count(True), 3) + min(passed.count(False), 2))
    first = 900
    for pile in piles:
        sake = 4 * (32 in pile) + 2 * (8 in pile) + (28 in pile)
        counts = [2 * len(pile & {0, 8, 28, 44}) + (40 in pile), len(pile & {20, 24, 36}), len(pile & {1, 5, 9})]
        counts += [len(pile & {21, 33, 37}), sake, len(pile & ANIMALS), len(pile & RIBBONS)]
        counts += [min(len(pile & (CHAFF | {32})), 14)]
        for number, size in zip(counts, (10, 4, 4, 4, 8, 10, 11, 15), strict=True):
            rows.append(first + number)
            first += size
    base = rules.score(state.piles[player], state.calls[player]).base
    levels = [rules.pile_points(state.called[seat], state.calls[seat]) for seat in (player, 1 - player)]
    rows += [1032 + min(base, 15), 1048 + min(levels[0], 15), 1064 + min(levels[1], 15)]
    called = 2 if state.calls[1 - player] else 1 if state.calls[player] else 0
    return [*rows, 1080 + 27 * kind + 3 * left + called]


@pytest.mark.parametrize("preset", ["standard", "koikoi_japan", "nintendo_growing"])
def test_rows_match_the_rules(preset):
    """Compare the rows over random rounds, including the opponent's plays.

    The current rules count the points.
    """
    game, accumulator, decisions, passed = koikoi(preset), empty_accumulator(12), 0, 0
    compiled = compile_rules(game.rules)
    for seed in range(25):
        for state in states(game, seed):
            if state.phase not in (PLAY, KOI):
                continue
            player, kind = state.mover, int(state.phase == KOI)
            knowledge = read_knowledge(game, game.view(state, player), player)
            past_plays = [
                (int(row[PAST_FIELD]), int(row[PAST_CARD]).bit_length() - 1, int(row[PAST_TAKEN]))
                for row in knowledge.past_plays
            ]
            accumulator.known_rows[0] = -1  # unknown there
            left = fill_accumulator(
                compiled, little(), accumulator, kind, knowledge.known, player, knowledge.past_plays
            )
            assert accumulator.known_rows.tolist() == expected_rows(
                state, player, past_plays, kind, int(left), game.rules
            )
            decisions, passed = decisions + 1, passed + len(past_plays)
    assert decisions > 200 and passed > 500


# Values.


def network_value(net, rows):
    """Return the value of rows by NumPy, in points."""
    first = np.maximum(net.b1 + net.rows[rows].sum(axis=0), 0)
    third = np.maximum(net.b3 + np.maximum(net.b2 + net.w2 @ first, 0) @ net.w3, 0)
    return 10.0 * float(net.b4[0] + net.w4 @ third)


def laid(array, card, take):
    """Return the first state after the dealer has laid a card, as far as it is needed."""
    taken, here = sum(1 << mate for mate in take), 1 << card
    field = int(array[FIELD]) & ~taken if take else int(array[FIELD]) | here
    hand, pile = int(array[HAND]) & ~here, taken | here if take else 0
    return SimpleNamespace(hands=(hand, 0), field=field, piles=(pile, 0), called=(0, 0), calls=(0, 0))


def test_the_best_card_is_the_best_by_numpy():
    """Incremental updates of the first layer give the values of NumPy."""
    net, accumulator = little(30), empty_accumulator(30)
    for seed in range(20):
        deck = np.random.default_rng(seed).permutation(48)
        array = np.zeros(WIDTH, dtype=np.uint64)
        open_round(array, deck.astype(np.uint8))
        accumulator.known_rows[0] = -1
        card, taken, value = kernels.best_play(RULES, net, accumulator, array, 0, -1, np.uint64(0), np.uint64(0))
        values = []
        for one in ids_of(int(array[HAND])):
            mates = [other for other in ids_of(int(array[FIELD])) if other // 4 == one // 4]
            takes = [[mate] for mate in mates] if len(mates) == 2 else [mates]
            rows = [expected_rows(laid(array, one, take), 0, [], 0, 7) for take in takes]
            masks = [sum(1 << mate for mate in take) for take in takes]
            values += [(network_value(net, row), 1 << one, mask) for row, mask in zip(rows, masks, strict=True)]
        best = max(values)
        assert value == pytest.approx(best[0], abs=1e-4) and (int(card), int(taken)) == best[1:]


@pytest.mark.deep
def test_values_equal_pytorch():
    """With the shipped weights, values agree with PyTorch's own layers to 1e-5."""
    import torch

    net, rng = shipped_network(), np.random.default_rng(1)
    starts = np.array(
        [7 * card for card in range(48)] + [336 + 35 * m for m in range(12)] + [756 + 12 * m for m in range(12)]
    )
    seen = np.zeros((200, kernels.SLOTS), dtype=np.int64)
    seen[:, :72] = starts + rng.integers(7, size=(200, 72))
    seen[:, 72:] = rng.integers(900, kernels.ROWS, size=(200, kernels.SLOTS - 72))
    accumulator, found = empty_accumulator(len(net.b1)), np.zeros(200)
    for n in range(200):
        kernels.sum_rows(net, seen[n], accumulator.layer)
        found[n] = kernels.POINTS_PER_OUTPUT * kernels.output(
            net, accumulator.layer, accumulator.candidate_layer, accumulator.second, accumulator.third
        )
    weights = {name: torch.tensor(one) for name, one in net._asdict().items()}
    first = torch.relu(weights["rows"][torch.tensor(seen)].sum(dim=1) + weights["b1"])
    second = torch.relu(torch.nn.functional.linear(first, weights["w2"], weights["b2"]))
    third = torch.relu(torch.nn.functional.linear(second, weights["w3"].T, weights["b3"]))
    answer = 10 * (third @ weights["w4"] + weights["b4"])
    assert np.abs(found - answer.numpy()).max() < 1e-5 * 10 * max(1.0, float(answer.abs().max()))


# Play.


def test_agents_by_views_play_as_in_duels():
    """Two network agents over the rules get the points of the compiled rounds of the same deals."""
    won = duel(STANDARD, NETWORK, NETWORK, 12, seed=4).points
    agents, cards = td.named_agents(GAME, ["neural", "neural"]), streams(4, 2)[0]
    deck, array = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64)
    for points in won[:, 0]:
        cards = deal_round(RULES, array, deck, np.uint64(cards))
        state, stock = deal(GAME, deck.tolist()), iter(deck[24:].tolist())
        for seat, agent in enumerate(agents):
            agent.start(GAME, seat)
        while state.phase != END:
            actions, mover = GAME.actions(state), GAME.player(state)
            if state.phase == DRAW:
                label = GAME.codes[next(stock)]
            elif mover < 0:
                label = actions[0]
            else:
                label = actions[agents[mover].act(Decision(-1, GAME.view(state, mover), actions, 0.5, mover))]
            state = GAME.child(state, label)
        assert state.points == points
    assert len(np.unique(won)) > 4


OTHERS = [*PRESETS.values(), find_rules(max_koikoi=1), find_rules(weather=True, goko=100, own_bonus="multiply")]


@pytest.mark.parametrize("rules", OTHERS)
def test_it_plays_by_all_rules(rules):
    """It beats random play by each set of rules; 300 pairs of rounds."""
    found = duel(rules, NETWORK, PlayerConfiguration("random"), 300, seed=1)
    assert found.mean > 4 * found.error
    assert trained_for(rules) == (rules in (STANDARD, PRESETS["bga_hard"]))
    (agent,) = td.named_agents(replace(GAME, rules=rules), ["neural"])
    agent.start(replace(GAME, rules=rules), 0)


# Its file.


def test_weights_are_saved_and_loaded(tmp_path):
    net, file = little(), tmp_path / "net.safetensors"
    save(net, file)
    again = load(file)
    assert all(np.array_equal(one, two) and one.dtype == np.float32 for one, two in zip(net, again, strict=True))
    assert shipped_network() is shipped_network() and shipped_network().rows.shape[0] == kernels.ROWS


def forged(net):
    """Yield invalid files, each with its fault."""
    from safetensors.numpy import save as packed

    arrays = {name: np.ascontiguousarray(one) for name, one in net._asdict().items()}
    whole = packed(arrays)
    yield b"", "safetensors"
    yield whole[:-100], "safetensors"
    yield whole[:50], "safetensors"
    yield struct.pack("<Q", 2**60) + whole[8:], "safetensors"
    yield b"\xff" * 200, "safetensors"
    header = json.dumps({"rows": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 4]}}).encode()
    yield struct.pack("<Q", len(header)) + header + b"\0" * 4, "safetensors"
    yield packed({**arrays, "more": np.zeros(1, np.float32)}), "more"
    yield packed({name: one for name, one in arrays.items() if name != "w3"}), "w3"
    yield packed({**arrays, "rows": arrays["rows"].astype(np.float16)}), "float16"
    yield packed({**arrays, "rows": arrays["rows"][:-1].copy()}), "rows"
    yield packed({**arrays, "b1": arrays["b1"][:-1].copy()}), "b1"
    for number in (np.nan, np.inf, -np.inf, 1e17):
        yield packed({**arrays, "w4": np.full_like(arrays["w4"], number)}), "w4"


def test_a_flipped_bit_of_a_weight_is_detected(tmp_path):
    """Any number is a valid weight, so only the checksum can detect it."""
    file = tmp_path / "net.safetensors"
    save(little(), file)
    whole = file.read_bytes()
    for accumulator in range(len(whole) - 1, 0, -len(whole) // 25):
        data = bytearray(whole)
        data[accumulator] ^= 1
        file.write_bytes(data)
        with pytest.raises(td.errors.RunError):
            load(file)


def test_forged_files_are_refused(tmp_path):
    file = tmp_path / "net.safetensors"
    for data, said in forged(little()):
        file.write_bytes(data)
        with pytest.raises(td.errors.RunError, match=said):
            load(file)
    for accumulator in (tmp_path, tmp_path / "absent"):
        with pytest.raises(td.errors.RunError):
            load(accumulator)
