"""Safe exploitation: the bank, what it allows, and what it earns (Kuhn poker, v = -1/18)."""

import dataclasses

import numpy as np
import pytest

import tefuda as tf
from tefuda.exploiting import safe
from tefuda.papers import safe_exploitation
from tefuda.papers.catalogue import PAPERS
from tefuda.playing import agents, stereotypes
from tefuda.playing.deals import Dealing, Task
from tefuda.playing.table import play_seating
from tests.conftest import compiled


class Learner:
    """Best-responds to whatever the exploiter plays, each hand: the worst adversary."""

    name, profile = "adversary", None

    def __init__(self, exploiter):
        self.exploiter = exploiter

    def start(self, tree, seat):
        self.tree, self.seat = tree, seat

    def act(self, turn):
        answer = tf.best_response(self.tree, self.exploiter.response.profile, self.seat).profile
        return agents.ProfileAgent("answer", answer).act(turn)

    def see(self, sight):
        pass


def played(kind, opponent, hands, seed=1):
    """A match of the exploiter in seat 0: the player, and for every hand the bank, the worst case, the real value."""
    tree = compiled("kuhn")
    equilibrium = tf.solve(tree, "lp").profile
    player = safe.SafeExploiter("safe", equilibrium, kind, hands=hands)
    other = Learner(player) if opponent is None else agents.ProfileAgent("other", opponent(tree))
    log, choose = [], player._choose

    def logged():
        choose()
        log.append((player.bank, player.response.worst_case, player.response.profile))

    player._choose = logged
    play_seating(Task(tree, [player, other], (0, 1), Dealing(hands, seed=seed)))
    return tree, player, log


@pytest.mark.parametrize("kind", safe.KINDS[:4])
@pytest.mark.parametrize("opponent", [None, tf.Profile.uniform, stereotypes.always_raise])
def test_no_more_is_risked_than_was_given(kind, opponent):
    """k >= 0; the exposure of the strategy in force is at most k in every hand; the first hand is an equilibrium."""
    _, _, log = played(kind, opponent, 60)
    for bank, worst, _ in log:
        assert bank >= 0 and worst >= -1 / 18 - bank - 1e-7
    assert log[0][1] == pytest.approx(-1 / 18, abs=1e-8)
    if opponent is None:
        # Best replies give nothing away: the bank stays empty, and every hand is worth the game's value.
        assert all(bank <= 1e-6 and worst == pytest.approx(-1 / 18, abs=1e-6) for bank, worst, _ in log)


def test_gifts_are_banked_and_used():
    """Against always betting, which loses 1/6 + 1/18 against best play, more and more of the bank is risked."""
    tree, _, log = played("rwywe", stereotypes.always_raise, 150)
    assert log[-1][0] > log[20][0] > 0
    earned = [tf.values(tree, stereotypes.always_raise(tree).replace(0, profile))[0] for _, _, profile in log]
    assert earned[-1] == pytest.approx(1 / 3, abs=0.02)  # the best response's value
    careful = played("best equilibrium", stereotypes.always_raise, 60)[2]
    worth = tf.values(tree, stereotypes.always_raise(tree).replace(0, careful[-1][2]))[0]
    assert worth == pytest.approx(1 / 9, abs=0.01)  # the best equilibrium's


@pytest.mark.parametrize("kind, hands", [("befewp", 1), ("beffe", 10)])
def test_the_full_response_waits_for_the_bank(kind, hands):
    """Against who always bets: until the bank covers what may be lost in this hand, or in all that are left."""
    tree = compiled("kuhn")
    model = stereotypes.always_raise(tree)
    player = safe.SafeExploiter("safe", model, kind, hands=10)
    player.start(tree, 0)
    exposed = -1 / 18 - tf.safe_best_response(tree, 0, model, 1e6).worst_case
    assert exposed > 0.1
    for part, risked in ((0.99, 0), (1.01, exposed)):
        player.bank = part * hands * exposed
        player._choose()
        assert player.response.worst_case == pytest.approx(-1 / 18 - risked, abs=1e-6)


@pytest.mark.parametrize("card", "JQK")
def test_a_hidden_fold_gives_the_least_of_what_it_may_have_given(card):
    """Two cards may be behind it: the gift is the smaller one's, which is added to the bank."""
    tree = compiled("kuhn")
    player = safe.SafeExploiter("safe", tf.solve(tree, "lp").profile)
    player.start(tree, 0)
    bold = stereotypes.always_raise(tree)  # bets everything: each fold gives another amount
    player.response = dataclasses.replace(player.response, profile=player.response.profile.replace(0, bold))
    gifts = {
        other: safe.proven(tree, 0, bold, {tree.number(f"1: {other}|b"): 0}) + 1 / 18
        for other in "JQK"
        if other != card
    }
    assert max(gifts.values()) > min(gifts.values()) + 0.1
    moves = (agents.Move(0, tree.number(f"0: {card}|"), "b"), agents.Move(1, -1, "p"))
    player.bank = 0.5  # given earlier
    player.see(agents.Sight(0, moves, f"{card}|bp", (1, -1)))
    assert player.bank == pytest.approx(0.5 + min(gifts.values()), abs=1e-9)


@pytest.mark.parametrize("prior", [1.0, 5.0])
def test_what_is_thought_after_one_hand(prior):
    """The equilibrium counts as `prior` hands; a new match forgets the hand and empties the bank."""
    tree, equilibrium = compiled("kuhn"), tf.solve(compiled("kuhn"), "lp").profile
    player = safe.SafeExploiter("safe", equilibrium, prior=prior)
    player.start(tree, 0)
    name = "1: K|b"
    before = equilibrium[name]["p"]
    assert player.response.profile[name]["p"] == pytest.approx(before)
    moves = (agents.Move(0, tree.number("0: Q|"), "b"), agents.Move(1, tree.number(name), "p"))
    player.see(agents.Sight(0, moves, "Q|bp", (1, -1)))
    assert player.response.profile[name]["p"] == pytest.approx((prior * before + 1) / (prior + 1))
    player.bank = 1.0
    player.start(tree, 0)
    assert player.bank == 0 and player.response.profile[name]["p"] == pytest.approx(before)


def test_proven_values():
    """Nothing seen: the worst case; everything seen: the value against just that."""
    tree = compiled("kuhn")
    profile = tf.Profile.random(tree, np.random.default_rng(2))
    worst = -tf.best_response(tree, profile, 1).value
    assert safe.proven(tree, 0, profile, {}) == pytest.approx(worst)
    mine = np.flatnonzero(tree.infoset_player == 1)
    everything = {int(number): len(tree.labels(int(number))) - 1 for number in mine}
    expected = tf.values(tree, stereotypes.always_raise(tree).replace(0, profile))[0]
    assert safe.proven(tree, 0, profile, everything) == pytest.approx(expected)


def test_unknown_kinds_are_refused():
    with pytest.raises(tf.ParameterError, match="rwywe"):
        safe.SafeExploiter("x", tf.Profile.uniform(compiled("kuhn")), "all in")


def test_the_published_table_in_small():
    """All cells exist; safe matches are worth the value, whatever the opponent does; nothing else beats risking it."""
    table = PAPERS["safe-exploitation"](opponents=2, hands=120)
    (cells,) = table.tables
    assert len(list(cells.cells())) == 15 and cells.met is None  # two opponents judge nothing
    assert {claim.what: claim for claim in table.claims}[
        "every safe match against dynamic opponents is worth the value"
    ].met
    ours = {(cell.row[0], cell.column): cell.ours for cell in cells.cells()}
    for against in safe_exploitation.CLASSES[:2]:
        best = ours["best response", against]
        assert all(ours[kind, against] < best for kind in safe.KINDS[:4])
        assert ours["rwywe", against] >= ours["best equilibrium", against] - 1e-3


def test_our_own_noise_makes_no_figure_easier_to_meet():
    """The bar is how far two published programs are apart, .033 / .0034 / .0067, however uneven our opponents are."""
    published = np.array(list(safe_exploitation.PUBLISHED.values()))
    noise = np.random.default_rng(1).normal(0, 9, 100)
    bar = safe_exploitation.spreads()[:, None]
    near, far = (
        safe_exploitation.table_1(published[:, :, None] + noise - noise.mean() + part * bar) for part in (0.9, 1.1)
    )
    assert safe_exploitation.spreads() == pytest.approx([0.033, 0.0034, 0.0067])
    assert near.met is True and not any(cell.met for cell in far.cells())
    assert safe_exploitation.table_1(np.tile(published[:, :, None], 99)).met is None
