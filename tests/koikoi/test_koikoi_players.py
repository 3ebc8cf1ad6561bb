"""Koi-Koi: who plays it how well, what players see, matches. Figures: docs/koikoi.md."""

import json
import random

import numpy as np
import pytest

import tefuda as tf
from tefuda.koikoi.advice import Adviser, see
from tefuda.koikoi.cards import ids_of, mask_of
from tefuda.koikoi.game import DRAW, END, KOI, LABELS, PLAY
from tefuda.koikoi.ladder import Player, contest, duel, flat
from tefuda.koikoi.league import respond
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS, find_rules
from tefuda.koikoi.standing import MatchValue, Outlook, Standing
from tefuda.koikoi.worth import Learning, kept_at, known, learn, load, save, survey, tables

STANDARD = PRESETS["standard"]


@pytest.fixture(scope="module")
def learned():
    return learn(STANDARD, Learning(300_000), seed=1)


def test_learned_tables_beat_greedy_play(learned):
    """After 300,000 rounds; greedy stops at once. 4,000 pairs of rounds: s.e. .08."""
    found = duel(STANDARD, Player("tables"), Player("greedy"), 4000, seed=2, worth=learned)
    assert found.error < 0.1 and found.mean > 0.8
    again = [learn(STANDARD, Learning(20_000), seed=1).entries for _ in range(2)]
    assert np.array_equal(*again)


def test_flat_search_as_published():
    """100 worlds played out randomly: +1.08 +- .08 a round against greedy, .408 of the rounds won."""
    found = duel(PRESETS["standard"], flat(100), Player("greedy"), 400, seed=4)
    assert abs(found.mean - 1.08) < 4 * np.hypot(found.error, 0.08)
    assert abs((found.won > 0).mean() - 0.408) < 4 * np.sqrt(0.408 * 0.592 / 800)


def test_search_beats_its_own_tables(learned):
    """What 100 worlds add to tables: 200 pairs of rounds against greedy play, on the same deals."""
    one, two = (
        duel(STANDARD, player, Player("greedy"), 200, seed=3, worth=learned)
        for player in (Player("search", 100, depth=2), Player("tables"))
    )
    gained = (one.won - two.won).mean(axis=1)
    assert gained.mean() > 2 * gained.std() / np.sqrt(len(gained)) and gained.mean() > 0.2


def test_a_seer_wins_more_than_anybody(learned):
    """What it plans it gets: knowing all cards and the other, it does at least as well on each deal."""
    seer, tables, greedy = (Player(kind) for kind in ("seer", "tables", "greedy"))
    for other in (greedy, tables):
        best = duel(STANDARD, seer, other, 12, seed=6, worth=learned)
        assert np.all(best.won >= duel(STANDARD, tables, other, 12, seed=6, worth=learned).won)
        assert np.all(best.won >= duel(STANDARD, greedy, other, 12, seed=6, worth=learned).won)
        assert best.mean > 6


def test_what_is_learned_against_one_beats_it():
    """From nothing, 100,000 rounds against greedy play; 2,000 pairs of rounds on the same deals: s.e. .15."""
    nothing = tables()
    own = respond(STANDARD, Player("greedy"), nothing, 100_000, seed=3)
    won = [
        duel(STANDARD, Player("tables"), Player("greedy"), 2000, seed=5, worth=worth).mean for worth in (own, nothing)
    ]
    assert won[0] > won[1] + 1 and not nothing.entries.any()


# What players see, and what they do by it.

AGENTS = (
    Player("random"),
    Player("greedy"),
    Player("tables"),
    flat(20),
    Player("search", 20, hands=30),
    Player("search", 2000, depth=2),
)


def turns(game, deck, rng):
    """Every turn of a random round: the state where somebody must decide."""
    state, stock = deal(game, deck), iter(deck[24:])
    while state.phase != END:
        if state.phase == DRAW:
            state = game.child(state, LABELS[next(stock)])
            continue
        if len(game.actions(state)) > 1:
            yield state
        state = game.child(state, rng.choice(game.actions(state)))


def test_a_view_says_where_the_round_stands():
    game, rng, count = koikoi(), random.Random(3), 0
    for _ in range(20):
        for state in turns(game, rng.sample(range(48), 48), rng):
            sight = see(game, game.view(state, state.mover), state.mover)
            for name in ("phase", "turn", "field", "piles", "calls", "shown"):
                assert getattr(sight.state, name) == getattr(state, name), name
            assert sight.state.hands[state.mover] == state.hands[state.mover]
            assert mask_of(sight.unseen.tolist()) == state.hands[1 - state.mover] | state.stock
            assert len(sight.past) == state.turn // 2
            count += 1
    assert count > 100
    with pytest.raises(tf.ParameterError, match="no view"):
        see(game, "1B 1R", 0)
    with pytest.raises(tf.ParameterError, match=r"no view|not in turn"):
        see(game, game.view(state, state.mover), 1 - state.mover)


@pytest.mark.parametrize("player", AGENTS, ids=lambda player: f"{player.kind}-{player.rollout}-{player.hands}")
def test_hidden_cards_change_no_move(learned, player):
    """The same view at the same seed, whatever the other holds and however the stock lies: the same advice."""
    game, rng = koikoi(), random.Random(8)
    adviser = Adviser(game, player, learned)
    for state in turns(game, rng.sample(range(48), 48), rng):
        me, hidden = state.mover, state.hands[1 - state.mover] | state.stock
        other = mask_of(rng.sample(ids_of(hidden), state.hands[1 - me].bit_count()))
        hands = (state.hands[0], other) if me == 0 else (other, state.hands[1])
        moved = state._replace(hands=hands, stock=hidden & ~other)
        one, two = (adviser.advise(game.view(at, me), me, seed=5) for at in (state, moved))
        assert repr(one) == repr(two) and one[0].action in game.actions(state)


def test_last_turns_are_looked_at_in_every_world(learned):
    """From turn 14 on, its card laid, there are at most 11 * 10 * 9 worlds: no luck is left, whatever the seed."""
    game, rng, exact = koikoi(), random.Random(12), 0
    adviser = Adviser(game, Player("search", 1000, depth=4), learned)
    for _ in range(40):
        for state in turns(game, rng.sample(range(48), 48), rng):
            if state.turn < 14 or (state.turn == 14 and state.phase == PLAY):
                continue
            view = game.view(state, state.mover)
            one, two = (adviser.advise(view, state.mover, seed) for seed in (1, 2))
            assert one == two
            exact += 1
    assert exact > 3


def test_a_limit_of_time_is_kept(learned):
    game = koikoi()
    state = next(turns(game, random.Random(4).sample(range(48), 48), random.Random(1)))
    adviser = Adviser(game, Player("search", 10), learned)
    found = adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=0.02)
    assert len(found) == len({candidate[:2] for candidate in found}) >= 8
    with pytest.raises(tf.ParameterError):
        adviser.advise(game.view(state, state.mover), state.mover, 1, seconds=-1)


# Matches.


def test_matches_by_hand():
    """The winner deals; nobody stopping, as the rules say; without points left it is over."""
    standing = Standing(PRESETS["standard"])
    assert standing.after(5) == Standing(STANDARD, 0, 1, 5)
    assert standing.after(-5) == Standing(STANDARD, 1, 1, -5)
    assert standing.after(0).dealer == 1 and Standing(PRESETS["koikoi_japan"]).after(1, stopped=False).dealer == 0
    assert standing.after(-5).after(3).points == (-8, 8)
    japan = Standing(PRESETS["koikoi_japan"]).after(-30)
    assert japan.left == 0 and japan.result == 0 and japan.points == (0, 60)
    with pytest.raises(tf.ParameterError, match="over"):
        japan.after(1)


def test_chances_of_a_match_by_hand():
    """Rounds of one point for the dealer with probability .6: two rounds, the winner deals."""
    rules = find_rules("standard", rounds=2)
    value = MatchValue(rules, Outlook(np.array([4, 0, 6]), np.zeros((3, 3), dtype=int)))
    # Two won .36; won, lost .24; lost, then the other deals and wins .24, or loses .16.
    assert value(Standing(rules)) == pytest.approx(0.36 + 0.5 * (0.24 + 0.16))
    assert value(Standing(rules, 0, 1, 1)) == pytest.approx(0.6 + 0.4 / 2)
    utility = value.utility(Standing(rules, 0, 1, 1), 0, 2)
    assert utility[0].tolist() == [0, 0.5, 1, 1, 1]
    assert value.utility(Standing(rules, 0, 1, 1), 1, 2)[0].tolist() == [0, 0, 0, 0.5, 1]


def test_ahead_in_the_last_round_a_player_stops(learned):
    """One point ahead before the last round's end, stopping wins the match; one that counts points may call."""
    rules = find_rules("standard", rounds=1)
    outlook = survey(rules, learned, 2000)
    value = MatchValue(rules, outlook)
    assert outlook.ended.sum() == 2000 and abs(sum(outlook.chances.values()) - 1) < 1e-12
    game, rng, decided = koikoi(), random.Random(2), 0
    adviser = Adviser(game, Player("search", 50, depth=2), learned)
    for _ in range(12):
        for state in turns(game, rng.sample(range(48), 48), rng):
            if state.phase == KOI:
                utility = value.utility(Standing(rules, state.mover), 0, 150)
                advice = adviser.advise(game.view(state, state.mover), state.mover, 1, utility=utility)
                assert advice[0].action == "stop" and advice[0].value == 1
                decided += 1
    assert decided > 3


def test_matches_are_played_to_the_end(learned):
    rules = find_rules("standard", rounds=3)
    value = MatchValue(rules, survey(rules, learned, 2000))
    search = Player("search", 5, depth=2)
    found = contest(rules, search, Player("random"), 20, worth=learned, value=value, seed=1)
    assert set(found) <= {0, 0.5, 1} and found.mean() > 0.6
    again = contest(rules, search, Player("random"), 20, worth=learned, value=value, seed=1)
    assert np.array_equal(found, again)


def test_players_refused():
    rules = PRESETS["standard"]
    with pytest.raises(tf.ParameterError, match="tables"):
        duel(rules, Player("tables"), Player("greedy"), 10)
    with pytest.raises(tf.ParameterError, match="depth"):
        Player("search", depth=2, rollout="random")
    with pytest.raises(tf.ParameterError, match="halving"):
        Player("search", halving=2)
    with pytest.raises(tf.ParameterError, match="sees all cards"):
        Adviser(koikoi(), Player("seer"))
    with pytest.raises(tf.ParameterError, match="mini8"):
        Adviser(mini8(), Player("greedy"))


def test_tables_are_kept(tmp_path):
    worth = learn(STANDARD, Learning(2000), seed=1)
    save(worth, tmp_path / "worth.npz")
    assert np.allclose(load(tmp_path / "worth.npz").entries, worth.entries, atol=1e-2)
    (tmp_path / "worth.npz").write_bytes(b"nothing")
    with pytest.raises(tf.RunError):
        load(tmp_path / "worth.npz")


def test_known_tables_are_learned_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))
    told = []
    first = known(STANDARD, Learning(2000), progress=lambda done, all_: told.append((done, all_)))
    assert told == [(0, 2000), (2000, 2000)] and np.array_equal(known(STANDARD, Learning(2000)).entries, first.entries)
    assert known(find_rules("standard", rounds=3), Learning(2000), progress=pytest.fail).entries.any()
    assert not kept_at(find_rules(weather=True), Learning(2000)).exists()
    (path,) = (tmp_path / "koikoi").iterdir()
    path.write_bytes(b"damaged")
    assert np.array_equal(known(STANDARD, Learning(2000)).entries, first.entries)


def test_ladder_on_the_command_line(tmp_path, monkeypatch, capsys):
    from tefuda.apps.cli import app

    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path))

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app(["koikoi", "ladder", "--training", "2000", "--rounds", "2000", "--deals", "4", *words])
        return ended.value.code, capsys.readouterr()

    code, said = run("--agents", "random,greedy", "--json")
    found = json.loads(said.out.splitlines()[-1])
    pairs = [(row["one"], row["two"]) for row in found["meetings"]]
    assert code == 0 and pairs == [
        ("greedy", "random"), ("seer", "random"), ("response", "random"), ("seer", "greedy"), ("response", "greedy"),
    ]  # fmt: skip
    assert run("--agents", "random,greedy", "--json")[1].out == said.out
    assert "against" not in run("--agents", "greedy")[1].out and run("--agents", "gredy")[0] == 2
    assert run("--deals", "1")[0] == 2
