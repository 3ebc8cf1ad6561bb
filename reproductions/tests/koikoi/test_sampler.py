"""Koi-Koi in an abstraction: the compiled sampler against the generic one."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.game import DEAL, LABELS, KoiKoi
from tefuda.koikoi.kernels.rounds import REDEALS
from tefuda.koikoi.kernels.state import WIDTH
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.rules import PRESETS, must_redeal
from tefuda.koikoi.simulator import compile_rules
from tefuda.solvers.sampled import mccfr
from tefuda_reproductions.koikoi.kernels import keys as koikoi_keys
from tefuda_reproductions.koikoi.kernels import mccfr as koikoi_mccfr
from tefuda_reproductions.koikoi.keys import Keys, abstract_koikoi
from tefuda_reproductions.koikoi.sampler import EXTERNAL, OUTCOME, KeyedRounds, RoundSampler, RoundSampling, deal_shape
from tests.sampling import _GOLDEN, _MASK, mix


class Dealt:
    """An abstraction with the kernel's deals, one deck per traversal."""

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
        if state.phase == 3:  # the draw: the next card of the stock
            left = [card for card in self.stock if state.stock >> card & 1]
            return LABELS[left[0]], 1
        (forced,) = self.game.chances(state)  # takes no number in the kernel
        return forced


@pytest.mark.parametrize(
    "method, plain", [(EXTERNAL, mccfr.EXTERNAL), (OUTCOME, mccfr.OUTCOME)], ids=["external", "outcome"]
)
@pytest.mark.parametrize("game", [mini8(), mini12()], ids=["mini8", "mini12"])
def test_it_equals_the_generic_sampler(game, method, plain):
    """The same cards and draws give the same regrets and averages, key by key."""
    method = replace(method, epsilon=plain.epsilon)
    compiled, rules = RoundSampler(KeyedRounds(game), method=method, seed=5), Dealt(abstract_koikoi(game))
    solver = td.make_solver(td.RulesForm(rules.game), plain)
    solver.rules = rules  # it was checked without a deck
    count = 60
    compiled.advance(count)
    array, deck = np.zeros(WIDTH, dtype=np.uint64), compiled._scratch.deck.copy()
    for iteration in range(count):
        for player in range(2):
            state = int(compiled._key)
            for number in (iteration + 1, player + 1, 0):
                state = mix((state + _GOLDEN * (number + 1)) & _MASK)
            stream = [int(koikoi_mccfr.deal(compiled._shape, array, deck, np.uint64(state)))]

            def uniform(stream=stream):
                stream[0] = (stream[0] + _GOLDEN) & _MASK
                return (mix(stream[0]) >> 11) / 2**53

            rules.deck, solver.uniform = deck.tolist(), uniform
            solver._traverse(rules.root(), player, 1.0)
    assert len(solver.tables) == compiled.infosets > 50
    for (player, key), (regret, total) in solver.tables.items():
        row = koikoi_mccfr.find_row(compiled.tables, np.uint64(key), 0, False)
        rows = slice(row, row + len(regret))
        assert compiled.tables.regret[rows] == pytest.approx(regret, rel=1e-9, abs=1e-9)
        assert compiled.tables.total[rows] == pytest.approx(total, rel=1e-9, abs=1e-9)
        if sum(total):
            assert compiled.average().at_key(player, key, range(len(total))) == pytest.approx(
                [t / sum(total) for t in total]
            )


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_probing_is_unbiased(rate):
    """Many single iterations on the same tables.

    Regrets at first decisions change on average as by external sampling; later ones in proportion to the probability of
    a probe.
    """
    base = RoundSampler(KeyedRounds(mini8()), method=RoundSampling("probe", k=1, rate=0.3), seed=1)
    base.advance(20_000)
    keys, _sizes, _ = base._content()
    first = np.array([koikoi_mccfr.find_row(base.tables, key, 0, False) for key in keys])
    # Plays with both cards in hand: the player has made no decision before.
    bits = np.uint64(((1 << koikoi_keys.STAGE[1]) - 1) << koikoi_keys.STAGE[0] | 15 << koikoi_keys.LEFT[0])
    wanted = first[(keys & bits) == np.uint64(2 << koikoi_keys.LEFT[0])]
    found = []
    for method, times in ((EXTERNAL, 6000), (RoundSampling("probe", k=1, rate=rate), 12_000)):
        sampler, moved = RoundSampler(KeyedRounds(mini8()), method=method, seed=9), np.zeros((times, len(wanted)))
        for trial in range(times):
            sampler.tables = koikoi_mccfr.RegretTables(*(np.copy(array) for array in base.tables))
            koikoi_mccfr.iterate(
                sampler._rules,
                sampler._shape,
                sampler.tables,
                sampler._scheme,
                sampler._scratch,
                sampler._key,
                trial,
                1,
            )
            moved[trial] = (sampler.tables.regret - base.tables.regret)[wanted]
        found.append((moved.mean(axis=0), moved.std(axis=0) / np.sqrt(times)))
    (exact, one), (ours, two) = found
    apart = np.abs(exact - ours) / np.hypot(one, two).clip(1e-9)
    assert len(wanted) > 10 and apart.max() < 4.5 and np.abs(exact).max() > 0.01


@pytest.mark.slow
def test_it_learns_mini8_within_the_limits_of_the_abstraction():
    """With 214 keys for 17,468 infosets NashConv in the real game is 1.6; uniform play has 4.17."""
    game = mini8(max_koikoi=0)
    small = abstract_koikoi(game)
    tree = td.compile_game(game)
    uniform = td.nash_conv(td.Profile.uniform(tree))
    found = {}
    for method in (EXTERNAL, RoundSampling("probe", k=1), RoundSampling("probe", k=2, every=1000)):
        sampler = RoundSampler(KeyedRounds(game), method=method, seed=1)
        sampler.advance(20_000)
        found[method] = td.nash_conv(td.Profile.from_function(tree, small.lift(sampler.average().at_key)))
    assert max(found.values()) < 0.6 * uniform, found


@pytest.mark.parametrize("method", [EXTERNAL, OUTCOME, RoundSampling("probe", k=1, every=70)])
def test_resuming_gives_the_same_bits(tmp_path, method):
    """The solver and a saved run are equal; the result plays in a match."""
    form = KeyedRounds(mini12())
    whole, half, rest = (RoundSampler(form, method, seed=3) for _ in range(3))
    whole.advance(300)
    for count in (1, 99):
        half.advance(count)
    rest.restore(half.state())
    rest.advance(200)
    td.solve(form, method, iterations=100, seed=3, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", iterations=300, game=form)
    for name, array in whole.state().items():
        assert np.array_equal(array, rest.state()[name]), name
    total = td.load(tmp_path / "run", form).strategy.tables.total
    assert found.iterations == 300 and np.array_equal(total[: len(whole.state()["total"])], whole.state()["total"])
    (agent,) = td.named_agents(mini12(), [str(tmp_path / "run")])
    assert td.duplicate_match(mini12(), [agent, td.RandomAgent()], deals=2).agents == ("run", "random")
    for other in (KeyedRounds(mini8()), KeyedRounds(mini12(), Keys(()))):
        with pytest.raises((td.errors.RunError, td.errors.ParameterError)):
            td.resume(tmp_path / "run", game=other)


def test_late_iterations_count_more():
    """Each block's results are discounted by n / (n + 1), so block k has weight k / (n + 1)."""
    often, never = (
        RoundSampler(KeyedRounds(mini8()), method=RoundSampling("probe", k=1, every=every), seed=4) for every in (40, 0)
    )
    for part in (1 / 2, 2 / 3, 3 / 4):
        never.advance(40)
        assert never.tables.total.any() and never.tables.regret.any()
        never.tables.regret[:] *= part
        never.tables.total[:] *= part
        often.advance(40)
        for one, other in zip(often._content()[2].values(), never._content()[2].values(), strict=True):
            assert np.array_equal(one, other)


def test_tables_grow_and_memory_is_bounded():
    sampler = RoundSampler(KeyedRounds(koikoi(), memory=1.5e6), OUTCOME)
    with pytest.raises(td.errors.SizeError, match="memory"):
        sampler.advance(10_000)
    assert sampler.infosets > 5000 and sampler.bytes <= 1.5e6 and sampler.tables.counts[2] == 0
    assert "memory" in td.solve(sampler.form, OUTCOME, iterations=10_000).stop


def test_forged_states_are_refused():
    sampler = RoundSampler(KeyedRounds(mini8()), OUTCOME)
    sampler.advance(20)
    state = sampler.state()
    wrong = [
        {"regret": state["regret"] * np.nan},
        {"total": -1 - state["total"]},
        {"sizes": state["sizes"][:-1]},
        {"keys": np.full_like(state["keys"], state["keys"][0])},
        {"sizes": state["sizes"] + 1},
        {"iterations": np.array(-1)},
        {"iterations": np.array(10**17)},
    ]
    for changed in wrong:
        with pytest.raises(td.errors.RunError):
            RoundSampler(KeyedRounds(mini8()), OUTCOME).restore({**state, **changed})


def test_refused():
    for given in ({"scheme": "robust"}, {"k": 0}, {"rate": 2}, {"epsilon": 0.0, "scheme": "outcome"}, {"every": -1},
                  {"scheme": "external", "rate": 0.1}, {"rate": float("nan")}):  # fmt: skip
        with pytest.raises(td.errors.ParameterError):
            RoundSampling(**given)
    for parts in ("turns", ["nothing"], 3):
        with pytest.raises(td.errors.ParameterError):
            Keys(parts)
    for game in (mini8(merged=True), td.load_game("kuhn"), KoiKoi(PRESETS["standard"])):
        with pytest.raises(td.errors.ParameterError):
            RoundSampler(KeyedRounds(game))
    with pytest.raises(td.errors.ParameterError, match="merged"):
        abstract_koikoi(mini8(merged=True))
    with pytest.raises(td.errors.ParameterError, match="memory"):
        KeyedRounds(mini8(), memory=1)


@pytest.mark.parametrize("preset", PRESETS)
def test_deals_follow_the_rules(preset):
    """No deal has a reason for a redeal."""
    game = koikoi(preset)
    shape, array, deck, stream = deal_shape(game), np.zeros(WIDTH, dtype=np.uint64), np.zeros(48, np.uint8), 5
    for _ in range(500):
        stream = koikoi_mccfr.deal(shape, array, deck, np.uint64(stream))
        assert not must_redeal(game.rules, tuple(array[:2].tolist()), int(array[2]))
    assert shape.redeals == compile_rules(game.rules).options[REDEALS]
