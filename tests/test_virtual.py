"""Source 004's player: conversion of real betting, the virtual search, and what it wins."""

import itertools

import numpy as np
import pytest

import tefuda as tf
from tefuda._kernels import virtual as kernels
from tefuda.exploiting import leduc_states as histogram
from tefuda.exploiting import models as opponents
from tefuda.exploiting import virtual
from tefuda.games.leduc import Rules, betting
from tefuda.playing import agents, match, stereotypes
from tefuda.playing.deals import Dealing, Task
from tefuda.playing.table import play_seating
from tests.conftest import compiled

RULES = Rules(3, 1, (2, 4), 2)

#: A real round, and for each live target the virtual one; the player to act is the real mover.
CURRENT = """
- 2:- 3:- | c 1:c 3:- | cc 1:c 2:c | ccr 2:- 3:cr | ccrf 3:cr | ccrfr 2:crr | ccrc 1:c 3:cr | ccrcr 1:c 2:crr
ccrcrf 2:- | ccrcrc 2:- 3:cr | ccrr 1:c 3:cr | ccrrf 1:crr | ccrrc 1:crr 2:c | cr 1:c 2:r | crf 2:cr | crfr 1:crr
crc 2:cr 3:- | crcr 1:crr 3:- | crcrf 1:c | crcrc 1:c 2:r | crr 2:cr 3:cr | crrf 3:rr | r 1:r 3:- | rf 1:r | rfr 3:rr
rc 1:r 2:c | rcr 2:- 3:rr | rcrf 3:cr | rcrc 1:r 3:cr | rr 1:r 2:r | rrf 2:rr | rrc 2:rr 3:- | crrc 1:c 3:rr
"""
#: What dropping a completed prefix first changes: (round, player, target, virtual round).
SHORTENED = [
    ("ccrcrf", 1, 2, "cr"),
    ("ccrcrc", 1, 2, "cr"),
    ("ccrr", 2, 1, "r"),
    ("crcrf", 3, 1, "r"),
    ("crcrc", 3, 1, "r"),
]
#: A finished real round, and the virtual one for the pairs 12, 13, 23 (.: somebody folded).
FINISHED = """
ccc cc cc cc | ccrfc . . crc | ccrfrc . . crrc | ccrcf . crc . | ccrcc cc crc crc | ccrcrfc crc . . | ccrcrcf . . crrc
ccrcrcc crc crc crrc | ccrrfc . crrc . | ccrrcf rc . . | ccrrcc rc crrc crc | crfc crc . . | crfrc crrc . .
crcf . . rc | crcc crc cc rc | crcrfc . rc . | crcrcf crrc . . | crcrcc crrc rc rc | crrfc . . rrc | crrcf . crc .
crrcc crc crc rrc | rfc . rc . | rfrc . rrc . | rcf rc . . | rcc rc rc cc
rcrfc . . crc | rcrcf . rrc . | rcrcc rc rrc crc | rrfc rrc . .
rrcf . . rc | rrcc rrc rc rc
"""


def cells(text):
    return [cell.split() for line in text.strip().splitlines() for cell in line.split("|")]


def numbered(history):
    """A round as (seat from 1, letter)."""
    return tuple((seat + 1, letter) for _, _, seat, letter, _ in histogram.played(RULES, history))


@pytest.mark.parametrize("cell", cells(CURRENT), ids=lambda cell: cell[0])
def test_the_round_being_played(cell):
    history = cell[0].strip("-")
    player = betting(RULES, history).mover + 1
    for result in cell[1:]:
        target, expected = result.split(":")
        assert virtual.current_round(numbered(history), player, int(target)) == expected.strip("-")


@pytest.mark.parametrize("history, player, target, expected", SHORTENED)
def test_the_other_reading(history, player, target, expected):
    assert virtual.current_round(numbered(history), player, target, True) == expected


@pytest.mark.parametrize("cell", cells(FINISHED), ids=lambda cell: cell[0])
def test_finished_rounds(cell):
    for pair, expected in zip(((1, 2), (1, 3), (2, 3)), cell[1:], strict=True):
        if expected != ".":
            assert virtual.finished_round(numbered(cell[0]), pair) == expected


#: Whole hands: history, player, target (seats from 1), virtual history.
HANDS = [
    ("crcc/crc", 1, 3, "cc/"),
    ("rcc/crc", 1, 3, "rc/"),
    ("crrcc/", 1, 3, "crc/"),
    ("rrcc/", 1, 3, "rc/"),
    ("ccc/ccr", 1, 2, "cc/"),
    ("cr", 3, 1, "c"),
    ("rr", 3, 1, "r"),
]


@pytest.mark.parametrize("history, player, target, expected", HANDS)
def test_whole_hands(history, player, target, expected):
    assert virtual.converted(RULES, history, player - 1, target - 1, False) == expected


def plain_worth(two, model, history, board, own, weights, seat):
    """Expectimax by recursion over histories, straight from its definition."""
    state = betting(two, history)
    mine, theirs = state.paid[seat], state.paid[1 - seat]
    if state.mover == tf.TERMINAL:
        if len(state.live) == 1:
            return sum(weights) * (theirs if seat in state.live else -mine)
        score = [(own == board, own), *((rank == board, rank) for rank in range(4))]
        return sum(
            w * (theirs * (score[0] > s) - mine * (score[0] < s)) for w, s in zip(weights, score[1:], strict=True)
        )
    if state.mover == tf.CHANCE:
        return sum(
            plain_worth(
                two, model, history + "/", card, own,
                [w * (2 - (card == own) - (card == rank)) / 6 for rank, w in enumerate(weights)], seat,
            )
            for card in range(4)
        )  # fmt: skip
    raises, number, results = history.split("/")[-1].count("r"), history.count("/"), []
    for letter in state.actions:
        after = weights
        if state.mover != seat:
            after = []
            for rank, w in enumerate(weights):
                row = dict(zip("fcr", model[number, raises, board, rank], strict=True))
                total = sum(row.values())
                share = row[letter] + (letter == "c") * sum(row[a] for a in "fcr" if a not in state.actions)
                after.append(w * (share / total if total else 1 / len(state.actions)))
        results.append(plain_worth(two, model, history + letter, board, own, after, seat))
    return max(results) if state.mover == seat else sum(results)


@pytest.mark.parametrize(
    "seat, history, board", [(0, "", 4), (1, "r", 4), (0, "cr", 4), (1, "cc/c", 2), (0, "crc/cr", 0)]
)
def test_search_equals_its_definition(seat, history, board):
    """Random histograms with empty rows; the worth of every action from a node of either seat."""
    rng, two, game = np.random.default_rng(3), RULES._replace(players=2), virtual.virtual_game(RULES, seat)
    model = rng.integers(0, 4, size=(2, 3, 5, 4, 3)).astype(float) * (rng.random((2, 3, 5, 4, 1)) < 0.8)
    result, own = np.zeros(3), 1
    path, boards = np.array([[game.number[history], -1]]), np.array([board])
    best = kernels.decide(game.arrays, model, 2, path, boards, own, False, 1e-6, False, 0.0, result)
    weights = [2 - (rank == own) - (rank == board) for rank in range(4)]
    weights = [w / sum(weights) for w in weights]
    actions = betting(two, history).actions
    expected = [plain_worth(two, model, history + letter, board, own, weights, seat) for letter in actions]
    assert [result["fcr".index(letter)] for letter in actions] == pytest.approx(expected, abs=1e-12)
    assert "fcr"[best] == actions[int(np.argmax(np.round(expected, 11)))]


def deed(number, raises, letter):
    return histogram.Deed(number, raises, 1, letter, "")


def test_histogram_counts_and_shares_hidden_folds():
    """Ranks T, J, Q, K; the watcher holds a jack, the board is a king."""
    game = tf.load_game("leduc", players=3)
    shared = histogram.Histogram(game)
    shared.add([deed(0, 1, "r")], "JK", "Q")
    shared.add([deed(1, 2, "c"), deed(1, 2, "f")], "JK", None)
    assert shared.counts.shape == (2, 3, 5, 4, 3) and shared.counts.sum() == 2
    assert shared.counts[0, 1, 4, 2].tolist() == [0, 0, 1] and (shared.counts[1, 2, 3, :, 0] == 0.25).all()
    every = histogram.Histogram(game, unseen=True)
    every.add([deed(0, 0, "c"), deed(1, 2, "f")], "JK", None)
    assert (every.counts[0, 0, 4, :, 1] == 0.25).all() and every.counts.sum() == 2


def test_hidden_cards_by_what_is_left_and_what_was_done():
    """Two of each rank; a jack and a king are seen. Raises with a queen only, 8 in 8, make a hidden raise a queen's."""
    game = tf.load_game("leduc", players=3)
    left = histogram.Histogram(game, shares="remaining")
    left.add([deed(0, 0, "f")], "JK", None)
    assert left.counts[0, 0, 4, :, 0] == pytest.approx([2 / 6, 1 / 6, 2 / 6, 1 / 6])
    done = histogram.Histogram(game, unseen=True, shares="posterior")
    for _ in range(8):
        done.add([deed(0, 0, "r")], "JK", "Q")
    done.add([deed(0, 0, "r"), deed(1, 1, "f")], "JK", None)
    weights = np.array([2 / 3, 1 / 3, 2 * 9 / 11, 1 / 3])  # cards left times (1 + raises) / (3 + actions)
    assert done.counts[1, 1, 3, :, 0] == pytest.approx(weights / weights.sum())
    assert done.counts[0, 0, 4, :, 2] - [0, 0, 8, 0] == pytest.approx(weights / weights.sum())
    with pytest.raises(tf.ParameterError, match="even, remaining or posterior"):
        histogram.Histogram(game, shares="odd")


def test_scores_and_cards_of_folded_hands(table):
    """A fold counts with the mean over ranks of the equilibrium's fold; a card all others left is seen or is not."""
    tree, seated = table
    equilibrium = seated["D"].profile
    first = agents.Move(0, tree.number("0: K|"), "r")
    folded = (first, agents.Move(1, -1, "f"), agents.Move(2, tree.number("2: Q|rf"), "f"))
    sight = agents.Sight(2, folded, "Q|rff", (2, -1, -1))
    mean = np.mean([equilibrium[f"1: {rank}|r"]["f"] for rank in "TJQK"])
    for reading, scored, counted in (
        (virtual.Reading(), 0, 1),
        (virtual.Reading(average=True), -np.log(mean), 1),
        (virtual.Reading(showdown=True), 0, 0),
    ):
        player = virtual.VirtualExploiter("A", equilibrium, reading)
        player.start(tree, 2)
        player.see(sight)
        assert player._likelihood.score(1) == pytest.approx(scored)
        assert player._models[0].counts.sum() == counted and player._models[1].counts.sum() == 1


@pytest.fixture(scope="module")
def table():
    """An equilibrium player of 3-player Leduc (DCFR), and the weak ones."""
    tree = compiled("leduc", players=3)
    made = {"E": stereotypes.always_raise(tree), "F": stereotypes.always_call(tree), "G": tf.Profile.uniform(tree)}
    made["D"] = stereotypes.equilibrium(tree)
    return tree, {letter: agents.ProfileAgent(letter, profile) for letter, profile in made.items()}


@pytest.mark.parametrize("letter, low, high", [("E", 2.0, 2.6), ("F", 0.7, 1.2), ("G", 1.1, 1.9)])
def test_the_player_beats_weak_ones(table, letter, low, high):
    """Against a converged equilibrium and a weak player, 6 x 500 hands (measured: 2.32, .95, 1.61 at 6 x 5,000)."""
    tree, seated = table
    player = virtual.VirtualExploiter("A", seated["D"].profile)
    found = match.duplicate_match(tree, [player, seated["D"], seated[letter]], deals=500, seed=1)
    assert low <= found.mean[0] <= high and found.mean[2] < -1
    assert found.mean[0] > found.mean[1] or letter == "F"


def test_the_weak_one_is_the_target(table):
    """Weak players score 3 to 6 (floor 1e-6; it depends on the equilibrium off its path), the equilibrium about .3."""
    tree, seated = table
    for letter in "EFG":
        player = virtual.VirtualExploiter("A", seated["D"].profile)
        play_seating(Task(tree, [player, seated["D"], seated[letter]], (0, 1, 2), Dealing(800, seed=2)))
        assert player._target == 2
        assert 2.3 <= player._likelihood.score(2) <= 8
        assert 0.25 <= player._likelihood.score(1) <= 0.45


def test_equation_4_as_printed_aims_at_the_other(table):
    """Without the minus sign who plays most like the equilibrium is the target: D beside E, once both were seen."""
    tree, seated = table
    player = virtual.VirtualExploiter("A", seated["D"].profile, virtual.Reading(target="printed"))
    play_seating(Task(tree, [player, seated["E"], seated["D"]], (0, 1, 2), Dealing(60, seed=1)))
    assert player._target == 2 and player._likelihood.score(1) > player._likelihood.score(2) + 1
    with pytest.raises(tf.ParameterError, match="weakest"):
        virtual.Reading(target="strongest")


def test_readings_change_what_is_played(table):
    tree, seated = table
    found = set()
    for reading in (
        virtual.Reading(), virtual.Reading(update=False), virtual.Reading(clairvoyant=True), virtual.Reading(dead=True),
        virtual.Reading(unseen=True), virtual.Reading(fall_back=True), virtual.Reading(shares="remaining"),
        virtual.Reading(unseen=True, shares="posterior"), virtual.Reading(showdown=True),
    ):  # fmt: skip
        player = virtual.VirtualExploiter("A", seated["D"].profile, reading)
        payoffs, _, _ = play_seating(Task(tree, [player, seated["D"], seated["G"]], (0, 1, 2), Dealing(400, seed=3)))
        found.add(payoffs[:, 0].mean())
    assert len(found) == 9


def test_other_games_are_refused(table):
    player = virtual.VirtualExploiter("A", tf.Profile.uniform(compiled("kuhn")))
    with pytest.raises(tf.ParameterError, match="dealt by rank"):
        player.start(compiled("kuhn"), 0)


def test_models_from_counts(leduc):
    """Posterior means of Dirichlet priors; the default where nothing was seen; samples round the mean."""
    uniform = tf.Profile.uniform(leduc)
    counts = np.zeros(leduc.rows)
    counts[:2] = 3, 1
    assert opponents.frequentist(leduc, counts, uniform).probabilities[:3] == pytest.approx([0.75, 0.25, 0.5])
    assert opponents.frequentist(leduc, counts, uniform, 2.0).probabilities[:2] == pytest.approx([4 / 6, 2 / 6])
    rng = np.random.default_rng(1)
    drawn = [opponents.posterior_sample(leduc, counts, uniform, 2.0, rng).probabilities[0] for _ in range(4000)]
    assert np.mean(drawn) == pytest.approx(4 / 6, abs=0.01)  # Beta(4, 2): mean 2/3, variance 8/252
    assert np.var(drawn) == pytest.approx(8 / 252, rel=0.1)


def test_what_an_equilibrium_never_does_counts_as_the_floor(leduc):
    """-log max(P, floor): 13.8 at 1e-6, and no more for 0; two scores have a mean and an error."""
    for options, most in (({}, -np.log(1e-6)), ({"floor": 0.01}, -np.log(0.01))):
        likelihood = opponents.Likelihood(tf.Profile.uniform(leduc), **options)
        likelihood.add(1, 0.0)
        assert likelihood.score(1) == pytest.approx(most) and likelihood.error(1) == np.inf
        likelihood.add(1, 0.5)
        low = np.log(2)
        assert likelihood.score(1) == pytest.approx((most + low) / 2)
        assert likelihood.error(1) == pytest.approx((most - low) / 2 / np.sqrt(2))
        likelihood.add(0, 0.5)
        assert likelihood.target([0, 1]) == 1 and likelihood.target([2, 3]) == 2


def test_a_prior_that_is_not_uniform(leduc):
    """Posterior means and samples by hand: Dirichlet parameters strength times prior, plus counts."""
    row = np.array([0.9, 0.1])
    prior = tf.Profile(leduc, np.concatenate([row, tf.Profile.uniform(leduc).probabilities[2:]]))
    counts = np.zeros(leduc.rows)
    counts[:2] = 1, 3
    mean = (5 * 0.9 + 1) / (5 + 4)
    found = opponents.frequentist(leduc, counts, prior, 5.0).probabilities
    assert found[0] == pytest.approx(mean) and found[2:] == pytest.approx(prior.probabilities[2:])
    assert opponents.frequentist(leduc, counts * 0, prior, 0.0).probabilities[0] == pytest.approx(0.9)
    rng = np.random.default_rng(2)
    drawn = [opponents.posterior_sample(leduc, counts, prior, 5.0, rng).probabilities[0] for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(mean, abs=0.015)  # Beta(5.5, 3.5): standard error .0035
    assert np.var(drawn) == pytest.approx(mean * (1 - mean) / 10, rel=0.12)


def test_hidden_cards_are_explained_in_every_way():
    """A fold of player 1 in Kuhn: two cards it may have held; each explanation names one infoset."""
    tree = compiled("kuhn")
    seen = (agents.Move(0, tree.number("0: K|"), "b"), agents.Move(1, -1, "p"))
    found = opponents.explanations(tree, 0, seen)
    assert sorted(tree.name_of(next(iter(case.places))) for case in found) == ["1: J|b", "1: Q|b"]
    assert [case.chance for case in found] == pytest.approx([1 / 6, 1 / 6])
    shown = (seen[0], agents.Move(1, tree.number("1: J|b"), "p"))
    assert [case.places for case in opponents.explanations(tree, 0, shown)] == [{tree.number("1: J|b"): 0}]


def fitting(tree):
    """By what player 0 sees of a hand whose other moves stay hidden: the cases that fit, end by end, with chances."""
    reached, found = tf.reach(tree, tf.Profile.uniform(tree)).chance, {}
    for end in tree.terminals.tolist():
        seen, places, node = [], {}, end
        while node:
            top = int(tree.parent[node])
            if (mover := int(tree.player[top])) >= 0:
                infoset, place = int(tree.infoset[top]), node - int(tree.first_child[top])
                seen.insert(0, agents.Move(mover, infoset if mover == 0 else -1, tree.labels(infoset)[place]))
                places |= {infoset: place} if mover else {}
            node = top
        found.setdefault(tuple(seen), []).append((tuple(sorted(places.items())), reached[end]))
    return found


def test_explanations_are_all_that_fits():
    """Random games, chance in the middle: several ends may be one case, whose chances add up."""
    merged = 0
    for seed in range(6):
        tree = compiled("sampled", seed=seed, depth=5)
        for moves, ends in fitting(tree).items():
            cases = {tuple(sorted(case.places.items())): case.chance for case in opponents.explanations(tree, 0, moves)}
            expected = {key: sum(chance for other, chance in ends if other == key) for key, _ in ends}
            assert cases == pytest.approx(expected)
            merged += len(ends) > len(cases)
    assert merged > 10


def test_hidden_dirichlet_equals_brute_force():
    """Two hidden folds and a shown call in Kuhn: the posterior mean by summing over all card assignments by hand.

    Strength 2 of uniform play: alpha = (1, 1). J|b and Q|b may each have folded twice: with n folds the predictive
    chances of two folds are 1/2 * 2/3 in one infoset, 1/2 * 1/2 in two; the call with K|b is known.
    """
    tree = compiled("kuhn")
    model = opponents.HiddenDirichlet(tree, 0, tf.Profile.uniform(tree), strength=2.0)
    king, queen = tree.number("0: K|"), tree.number("0: Q|")
    model.see(
        agents.Sight(0, (agents.Move(0, queen, "b"), agents.Move(1, tree.number("1: K|b"), "b")), "Q|bb", (-2, 2))
    )
    for _ in range(2):
        model.see(agents.Sight(0, (agents.Move(0, king, "b"), agents.Move(1, -1, "p")), "K|bp", (1, -1)))
    one, both = 1 / 2 * 2 / 3, 1 / 2 * 1 / 2
    total = 2 * one + 2 * both
    folds = (one * 3 / 4 + one * 1 / 2 + 2 * both * 2 / 3) / total  # after 2, 0, 1 folds there: (1 + n) / (2 + n)
    assert model.mean()["1: J|b"]["p"] == pytest.approx(folds)
    assert model.mean()["1: Q|b"]["p"] == pytest.approx(folds)
    assert model.mean()["1: K|b"]["b"] == pytest.approx(2 / 3)
    assert model.mean()["1: J|p"]["p"] == pytest.approx(1 / 2)


@pytest.mark.parametrize("plays", [1.0, 3.0])
def test_hidden_hands_are_divided(plays):
    """Kuhn, uniform plays as the prior: a hidden fold is half a jack's and half a queen's; after the queen was shown to
    call, the next one is more likely the jack's."""
    tree, half = compiled("kuhn"), plays / 2
    model = opponents.Frequencies(tf.Profile.uniform(tree), 1, plays)
    king = tree.number("0: K|")
    fold = agents.Sight(0, (agents.Move(0, king, "b"), agents.Move(1, -1, "p")), "K|bp", (1, -1))
    call = agents.Move(1, tree.number("1: Q|b"), "b")
    model.see(fold)
    assert model.mean()["1: J|b"]["p"] == pytest.approx((half + 0.5) / (plays + 0.5))
    model.see(agents.Sight(0, (agents.Move(0, king, "b"), call), "K|bb", (2, -2)))
    jack, queen = (half + 0.5) / (plays + 0.5), (half + 0.5) / (plays + 1.5)
    model.see(fold)
    part = jack / (jack + queen)
    assert model.mean()["1: J|b"]["p"] == pytest.approx((half + 0.5 + part) / (plays + 0.5 + part))
    assert model.mean()["1: Q|b"]["p"] == pytest.approx((half + 0.5 + 1 - part) / (plays + 1.5 + 1 - part))


def test_hidden_cards_of_two_opponents():
    """3-player Kuhn, everybody passes to a bet: 2 x 3 ways to deal J, Q and T to the others and the deck, by hand."""
    tree = compiled("kuhn", players=3)
    rng = np.random.default_rng(4)
    prior = tf.Profile.random(tree, rng)
    model = opponents.HiddenDirichlet(tree, 0, prior, strength=2.0)
    king, after = tree.number("0: K|"), ("b", "bp")
    moves = (agents.Move(0, king, "b"), agents.Move(1, -1, "p"), agents.Move(2, -1, "p"))
    model.see(agents.Sight(0, moves, "K|bpp", (2, -1, -1)))
    weights = {
        (one, two): prior[f"1: {one}|{after[0]}"]["p"] * prior[f"2: {two}|{after[1]}"]["p"]
        for one, two in itertools.permutations("TJQ", 2)
    }
    total = sum(weights.values())
    for card in "TJQ":
        share = sum(weight for (one, _), weight in weights.items() if one == card) / total
        before = prior[f"1: {card}|b"]["p"]
        expected = share * (2 * before + 1) / 3 + (1 - share) * before
        assert model.mean()[f"1: {card}|b"]["p"] == pytest.approx(expected)


def test_counts_and_scores_of_what_was_seen(leduc):
    """Counts of a player's shown hands; its own equilibrium's score tends to the entropy of what it shows."""
    profile = stereotypes.equilibrium(leduc)
    sights = []

    class Watcher(agents.ProfileAgent):
        def start(self, tree, seat):
            pass

        def see(self, sight):
            sights.append(sight)

    watcher = Watcher("watcher", profile)
    watcher.profile = None
    play_seating(Task(leduc, [watcher, agents.ProfileAgent("other", profile)], (0, 1), Dealing(3000, seed=5)))
    counts = np.zeros(leduc.rows)
    for sight in sights:
        opponents.count_moves(leduc, counts, sight, 1)
    seen = [move for sight in sights for move in sight.moves if move.player == 1 and move.infoset >= 0]
    assert counts.sum() == len(seen) and not counts[leduc.player_of_row == 0].any()
    likelihood = opponents.Likelihood(profile)
    for sight in sights:
        likelihood.see(sight)
    surprises = [
        -np.log(profile.probabilities[leduc.first_row[m.infoset] + leduc.labels(m.infoset).index(m.action)])
        for m in seen
    ]
    assert likelihood.score(1) == pytest.approx(np.mean(surprises))
    assert likelihood.error(1) == pytest.approx(np.std(surprises) / np.sqrt(len(seen)))
    assert likelihood.score(0) == 0 and likelihood.error(0) == np.inf
    assert likelihood.score(1) == pytest.approx(opponents.entropy(profile, 1), abs=0.1)


def test_every_pair_and_history_converts():
    """All real histories of a round: the virtual one exists in the two-player game, and its mover is the player."""
    two = RULES._replace(players=2)
    for length in range(7):
        for letters in itertools.product("fcr", repeat=length):
            history = "".join(letters)
            if all(letter in betting(RULES, history[:place]).actions for place, letter in enumerate(history)):
                state = betting(RULES, history)
                if state.mover >= 0:
                    for target in state.live:
                        if target != state.mover:
                            found = virtual.converted(RULES, history, state.mover, target, False)
                            assert betting(two, found).mover == int(state.mover > target)
