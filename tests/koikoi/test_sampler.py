"""Koi-Koi in an abstraction: what views tell, keys, the compiled sampler against the plain one."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

import tefuda as tf
from tefuda._kernels import koikoi_duel as duel_kernels
from tefuda._kernels import koikoi_keys, koikoi_mccfr
from tefuda._kernels.koikoi import WIDTH
from tefuda.games.protocol import TERMINAL
from tefuda.koikoi.contest import Contestant, contest, seats_of
from tefuda.koikoi.game import DEAL, LABELS
from tefuda.koikoi.keys import PARTS, Keys, Reader, abstract_koikoi
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.sampler import EXTERNAL, OUTCOME, RoundSampler, RoundSampling
from tefuda.koikoi.sight import as_world, read_sight
from tefuda.koikoi.simulator import compile_rules
from tefuda.solvers import mccfr
from tests.sampling import _GOLDEN, _MASK, mix


def wander(game, rng):
    """The states of a random round, from the first turn on."""
    state = game.root()
    while game.player(state) != TERMINAL:
        if state.phase != DEAL:
            yield state
        labels = [label for label, _ in game.chances(state)] if game.player(state) < 0 else game.actions(state)
        state = game.child(state, rng.choice(labels))


@pytest.mark.parametrize("game", [koikoi(), koikoi("koikoi_japan"), mini8(), mini12()])
def test_views_tell_what_is_known_and_nothing_else(game):
    rng = random.Random(1)
    for _ in range(12):
        for state in wander(game, rng):
            for player in (0, 1):
                seen, hidden = read_sight(game, game.view(state, player), player), state.hands[1 - player]
                known = (state.hands[0], 0) if player == 0 else (0, state.hands[1])
                assert seen == state._replace(
                    hands=known, stock=state.stock | hidden, start=("", ""), events=seen.events
                )


def test_merged_cards_have_no_single_names():
    with pytest.raises(tf.ParameterError, match="merged"):
        abstract_koikoi(mini8(merged=True))


@pytest.mark.parametrize("view", ["", 3, "1B|2B", "1B 1R|99X|", "3B 3R|9A 9R| 3C1/9C1", "3B 3R|9A 9R| 3B/koi-koi"])
def test_what_is_no_view_is_refused(view):
    with pytest.raises(tf.ParameterError, match="no view"):
        read_sight(mini8(), view, 0)


def swapped(game, state, rng):
    """The same round with the cards hidden from the player in turn mixed anew."""
    hidden = [1 << card for card in range(48) if (state.hands[1 - state.mover] | state.stock) >> card & 1]
    rng.shuffle(hidden)
    other = sum(hidden[: state.hands[1 - state.mover].bit_count()])
    hands = (state.hands[0], other) if state.mover == 0 else (other, state.hands[1])
    return state._replace(hands=hands, stock=sum(hidden) - other)


def test_hidden_cards_change_no_key():
    """Neither through views nor in the kernel, which holds the whole world."""
    game, rng = koikoi(), random.Random(2)
    reader, values, parts = Reader(game), compile_rules(game.rules), Keys().mask
    met, changed = set(), 0
    for _ in range(40):
        for state in wander(game, rng):
            if game.player(state) < 0:
                continue
            found = []
            for one in (state, swapped(game, state, rng)):
                scratch = np.zeros((2, koikoi_keys.CLASSES), dtype=np.int64)
                key, mask = koikoi_keys.look_at(values, parts, as_world(game, one), scratch[0], scratch[1])
                classes = [LABELS[scratch[0, at]] for at in range(koikoi_keys.CLASSES) if int(mask) >> at & 1]
                found.append((int(key), classes))
                changed += one.hands != state.hands
            key, named = reader.look(game.view(state, state.mover), state.mover)
            assert found[0] == found[1] == (key, list(named.values()))
            assert set(named.values()) <= set(game.actions(state)) and named
            met.add(key)
    assert changed > 300 and len(met) > 200  # or nothing was tested


def test_keys_say_what_they_should():
    """Two brights and the third in hand, its month open: a big yaku in reach, and the play that makes it."""
    game = koikoi()
    reader = Reader(game)
    state = game.begin(
        sum(1 << c for c in (28, 4, 12, 16, 20, 24, 36, 41)), 0b1111 << 20, sum(1 << c for c in (30, 2, 6))
    )
    state = state._replace(piles=((1 << 0) | (1 << 8), 0), hands=(state.hands[0], 0))
    scratch = np.zeros((2, 10), dtype=np.int64)
    key, mask = koikoi_keys.look_at(compile_rules(game.rules), Keys().mask, as_world(game, state), *scratch)

    def part(place):
        return int(key) >> place[0] & (1 << place[1]) - 1

    assert part(koikoi_keys.OWN_BIG) == 3 and part(koikoi_keys.OTHER_BIG) == 0 and part(koikoi_keys.LEFT) == 8
    assert scratch[0, koikoi_keys.YAKU] == 28 and int(mask) & 1 << koikoi_keys.YAKU
    bare, _ = koikoi_keys.look_at(compile_rules(game.rules), Keys(()).mask, as_world(game, state), *scratch)
    assert int(bare) == 1 << 62 | int(mask)
    assert Keys(tuple(PARTS)).mask == sum(Keys((name,)).mask for name in PARTS)
    assert reader.key(game.view(game.begin(0xFF, 0xFF00, 0xFF0000), 1), 1) == 0  # not in turn


class Dealt:
    """An abstraction whose cards fall as the kernel's, one deck a walk."""

    def __init__(self, game):
        self.game, self.real, self.deck = game, game.game, []
        for name in ("name", "players", "root", "player", "actions", "chances", "child", "payoffs", "view"):
            setattr(self, name, getattr(game, name))

    def draw(self, state, uniform):
        if state.phase == DEAL:
            cut = (0, self.real.hand, 2 * self.real.hand, 2 * self.real.hand + self.real.field)
            masks = [sum(1 << card for card in self.deck[a:b]) for a, b in itertools.pairwise(cut)]
            masks[2] |= self.real.open_field
            self.stock = self.deck[cut[-1] :]
            return "|".join(map(self.real.text, masks)), 1
        if state.phase == 3:  # the draw: the next of the stock
            left = [card for card in self.stock if state.stock >> card & 1]
            return LABELS[left[0]], 1
        (forced,) = self.game.chances(state)  # takes no number in the kernel
        return forced


@pytest.mark.parametrize(
    "method, plain", [(EXTERNAL, mccfr.EXTERNAL), (OUTCOME, mccfr.OUTCOME)], ids=["external", "outcome"]
)
@pytest.mark.parametrize("game", [mini8(), mini12()], ids=["mini8", "mini12"])
def test_it_does_what_the_plain_sampler_does(game, method, plain):
    """The same cards and the same draws: the same regrets and averages, key by key."""
    method = replace(method, epsilon=plain.epsilon)
    compiled, rules = RoundSampler(game, method=method, seed=5), Dealt(abstract_koikoi(game))
    solver = tf.RulesSolver(rules.game, plain)
    solver.game = rules  # it was looked at without a deck
    count = 60
    compiled.advance(count)
    world, deck = np.zeros(WIDTH, dtype=np.uint64), compiled._room.deck.copy()
    for iteration in range(count):
        for player in range(2):
            state = int(compiled._key)
            for number in (iteration + 1, player + 1, 0):
                state = mix((state + _GOLDEN * (number + 1)) & _MASK)
            stream = [int(koikoi_mccfr.deal_one(compiled._shape, world, deck, np.uint64(state)))]

            def uniform(stream=stream):
                stream[0] = (stream[0] + _GOLDEN) & _MASK
                return (mix(stream[0]) >> 11) / 2**53

            rules.deck, solver.uniform = deck.tolist(), uniform
            solver._walk(rules.root(), player, 1.0)
    assert len(solver.tables) == compiled.infosets > 50
    for (player, key), (regret, total) in solver.tables.items():
        found = np.zeros(1, dtype=np.int64)
        koikoi_mccfr.rows_of(compiled.tables, np.array([key], dtype=np.uint64), found)
        rows = slice(found[0], found[0] + len(regret))
        assert compiled.tables.regret[rows] == pytest.approx(regret, rel=1e-9, abs=1e-9)
        assert compiled.tables.total[rows] == pytest.approx(total, rel=1e-9, abs=1e-9)
        if sum(total):
            assert compiled.strategy(player, key, range(len(total))) == pytest.approx([t / sum(total) for t in total])


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_probing_is_unbiased(rate):
    """One iteration on the same tables, many times: at first decisions regrets move on average as by external sampling.

    Later ones do so times how likely a probe comes there.
    """
    base = RoundSampler(mini8(), method=RoundSampling("probe", k=1, rate=0.3), seed=1)
    base.advance(20_000)
    keys, _sizes, _ = base._content()
    first = np.zeros(len(keys), dtype=np.int64)
    koikoi_mccfr.rows_of(base.tables, keys, first)
    # Plays with both cards in hand: no decision of one's own came before.
    bits = np.uint64(((1 << koikoi_keys.STAGE[1]) - 1) << koikoi_keys.STAGE[0] | 15 << koikoi_keys.LEFT[0])
    wanted = first[(keys & bits) == np.uint64(2 << koikoi_keys.LEFT[0])]
    found = []
    for method, times in ((EXTERNAL, 6000), (RoundSampling("probe", k=1, rate=rate), 12_000)):
        sampler, moved = RoundSampler(mini8(), method=method, seed=9), np.zeros((times, len(wanted)))
        for trial in range(times):
            sampler.tables = koikoi_mccfr.Tables(*(np.copy(array) for array in base.tables))
            koikoi_mccfr.iterate(
                sampler._values, sampler._shape, sampler.tables, sampler._scheme, sampler._room, sampler._key, trial, 1
            )
            moved[trial] = (sampler.tables.regret - base.tables.regret)[wanted]
        found.append((moved.mean(axis=0), moved.std(axis=0) / np.sqrt(times)))
    (exact, one), (ours, two) = found
    apart = np.abs(exact - ours) / np.hypot(one, two).clip(1e-9)
    assert len(wanted) > 10 and apart.max() < 4.5 and np.abs(exact).max() > 0.01


@pytest.mark.slow
def test_it_learns_mini8_as_far_as_the_abstraction_goes():
    """214 keys for 17,468 infosets; judged in the real game: 1.6, uniform play 4.17."""
    game = mini8(max_koikoi=0)
    small = abstract_koikoi(game)
    tree = tf.compile_game(game)
    uniform = tf.nash_conv(tree, tf.Profile.uniform(tree))
    found = {}
    for method in (EXTERNAL, RoundSampling("probe", k=1), RoundSampling("probe", k=2, every=1000)):
        sampler = RoundSampler(game, method=method, seed=1)
        sampler.advance(20_000)
        found[method] = tf.nash_conv(tree, tf.Profile.from_function(tree, small.lift(sampler.strategy)))
    assert max(found.values()) < 0.6 * uniform, found


@pytest.mark.parametrize("method", [EXTERNAL, OUTCOME, RoundSampling("probe", k=1, every=70)])
def test_going_on_gives_the_same_bits(tmp_path, method):
    whole, half, rest = (RoundSampler(mini12(), method=method, seed=3) for _ in range(3))
    whole.advance(300)
    for count in (1, 99):
        half.advance(count)
    half.save(tmp_path / "half.npz")
    rest.load(tmp_path / "half.npz")
    rest.run(300)
    for one, other in zip(whole._content()[2].values(), rest._content()[2].values(), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(whole._content()[0], rest._content()[0]) and rest.iterations == 300
    with pytest.raises(tf.RunError, match="not of"):
        RoundSampler(mini8(), method=method).load(tmp_path / "half.npz")
    with pytest.raises(tf.RunError, match="not of"):
        RoundSampler(mini12(), Keys(()), method).load(tmp_path / "half.npz")


def test_tables_grow_and_memory_is_bounded(tmp_path):
    sampler = RoundSampler(koikoi(), method=OUTCOME, memory=1.5e6)
    with pytest.raises(tf.SizeError, match="fill the memory"):
        sampler.advance(10_000)
    assert sampler.infosets > 5000 and sampler.bytes <= 1.5e6 and sampler.tables.used[2] == 0
    before = sampler.iterations
    sampler.run(10_000)  # ends where it stands
    assert sampler.iterations == before


def test_forged_files_are_refused(tmp_path):
    from tefuda.files import read_arrays, write_arrays

    path = tmp_path / "sampler.npz"
    sampler = RoundSampler(mini8(), method=OUTCOME)
    sampler.advance(20)
    sampler.save(path)
    arrays, header = read_arrays(path)
    wrong = [
        ({"regret": arrays["regret"] * np.nan}, {}),
        ({"total": -1 - arrays["total"]}, {}),
        ({"sizes": arrays["sizes"][:-1]}, {}),
        ({"keys": np.full_like(arrays["keys"], arrays["keys"][0])}, {}),
        ({"sizes": arrays["sizes"] + 1}, {}),
        ({}, {"iterations": -1}),
        ({}, {"iterations": 1e17}),
        ({}, {"discounted": 3}),
    ]
    for changed, told in wrong:
        write_arrays(path, {**arrays, **changed}, {**header, **told})
        with pytest.raises(tf.RunError):
            RoundSampler(mini8(), method=OUTCOME).load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(tf.RunError):
        sampler.load(path)


def test_refused():
    for given in ({"scheme": "robust"}, {"k": 0}, {"rate": 2}, {"epsilon": 0.0, "scheme": "outcome"}, {"every": -1},
                  {"scheme": "external", "rate": 0.1}, {"rate": float("nan")}):  # fmt: skip
        with pytest.raises(tf.ParameterError):
            RoundSampling(**given)
    for parts in ("turns", ["nothing"], 3):
        with pytest.raises(tf.ParameterError):
            Keys(parts)
    for game in (mini8(merged=True), tf.load_game("kuhn"), koikoi("koikoi_japan")):
        with pytest.raises(tf.ParameterError):
            RoundSampler(game)
    with pytest.raises(tf.ParameterError, match="merged"):
        abstract_koikoi(mini8(merged=True))
    with pytest.raises(tf.ParameterError, match="memory"):
        RoundSampler(mini8(), memory=1)


# At the real table.


def test_contests_as_published():
    """Greedy against random +2.566 +- .009; flat Monte Carlo, 100 worlds, against greedy +1.08 +- .08."""
    rules = koikoi().rules
    for one, two, deals, mean, error in (
        ("greedy", "random", 20_000, 2.566, 0.009),
        ("flat", "greedy", 400, 1.08, 0.08),
    ):
        found = contest(rules, Contestant(one), Contestant(two), deals, seed=1)
        assert abs(found.mean - mean) < 4 * np.hypot(found.error, error)
    alike = contest(rules, Contestant("greedy"), Contestant("greedy"), 50)
    assert alike.mean == 0 and np.array_equal(alike.won[:, 0], -alike.won[:, 1])


def test_what_was_learnt_is_better_than_nothing():
    """A second of walks in small keys, against random play."""
    game = koikoi()
    sampler = RoundSampler(game, Keys(("turns", "called", "points")), RoundSampling("probe", k=1, every=500), seed=1)
    nothing = RoundSampler(game)
    sampler.advance(6000)
    players = Contestant("average", cut=0.3), Contestant("random")
    learnt, knowing_nothing = (contest(game.rules, *players, 2000, samplers=(one, None)) for one in (sampler, nothing))
    assert learnt.mean > knowing_nothing.mean + 4 * np.hypot(learnt.error, knowing_nothing.error)
    mirrored = contest(game.rules, players[1], players[0], 2000, samplers=(None, sampler))
    assert mirrored.mean < 0 < learnt.mean
    with pytest.raises(tf.ParameterError, match="sampler"):
        contest(game.rules, *players, 10)
    with pytest.raises(tf.ParameterError, match="sampler"):
        contest(game.rules, *players, 10, samplers=(RoundSampler(mini8()), None))
    for given in ({"kind": "nobody"}, {"kind": "flat", "worlds": 0}, {"kind": "average", "cut": 2}):
        with pytest.raises(tf.ParameterError):
            Contestant(**given)


def test_flat_monte_carlo_sees_no_hidden_cards():
    """With the hidden cards mixed anew it decides the same."""
    game, rng = koikoi(), random.Random(5)
    values = compile_rules(game.rules)
    seats = seats_of((Contestant("flat", worlds=5),) * 2, (None, None))
    for _ in range(3):
        for state in wander(game, rng):
            if game.player(state) < 0:
                continue
            found = [duel_kernels.choose_one(values, seats, 0, as_world(game, one), np.uint64(7))
                     for one in (state, swapped(game, state, rng), swapped(game, state, rng))]  # fmt: skip
            assert found[0] == found[1] == found[2]


def test_what_was_learnt_sits_at_the_table_of_any_match():
    """Lifted, it plays by views alone what the compiled contest plays: the same mean, within their errors."""
    game = koikoi()
    keys = Keys(("turns", "called", "points"))
    sampler = RoundSampler(game, keys, RoundSampling("probe", k=1, every=500), seed=1)
    sampler.advance(6000)
    lifted = tf.StrategyAgent("lifted", abstract_koikoi(game, keys).lift(sampler.strategy))
    match = tf.duplicate_match(game, [lifted, tf.RandomAgent()], deals=40, seed=3)
    fast = contest(game.rules, Contestant("average"), Contestant("random"), 3000, samplers=(sampler, None))
    assert match.agents == ("lifted", "random")
    # Random play of that table calls koi-koi half the time; the other always stops.
    assert abs(match.mean[0] - fast.mean) < 4 * np.hypot(11 / np.sqrt(80), fast.error)
    rng = random.Random(1)
    for state in wander(game, rng):
        if game.player(state) >= 0:
            chances = lifted.strategy(state.mover, game.view(state, state.mover), game.actions(state))
            assert sum(chances.values()) == pytest.approx(1) and set(chances) == set(game.actions(state))
