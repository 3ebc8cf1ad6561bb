"""Hints: expected points of the shipped network against its kernels, without compilation."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.game import CALL, KOI, PICK_DRAW, PICK_HAND, PLAY, STOP, Round
from tefuda.koikoi.kernels import network as kernels
from tefuda.koikoi.people.hints import _skipped, _value, expected, hints, rows_of
from tefuda.koikoi.people.terminal import KoiKoiPerson
from tefuda.koikoi.players.advice import Adviser, read_knowledge
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.players.network import shipped_network
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.playing.agents import Decision
from tests.koikoi.random_rounds import states


def called(game, state, skipped):
    """Return the expected points of calling koi-koi: a new yaku must exceed the points with this call."""
    player, calls, piles = state.mover, list(state.calls), list(state.called)
    calls[player], piles[player] = calls[player] + 1, state.piles[player]
    state = state._replace(calls=tuple(calls), called=tuple(piles))
    return expected(shipped_network(), game.rules, state, player, skipped)


@pytest.mark.parametrize("preset", ["standard", "koikoi_japan", "nintendo_growing", "nintendo_strict"])
def test_the_best_hint_is_the_action_of_the_network(preset):
    """At every kind of decision, the action of `neural` has the highest points of all hints."""
    game = koikoi(preset)
    adviser, met = Adviser(game, PlayerConfiguration("network")), dict.fromkeys((PLAY, PICK_HAND, PICK_DRAW, KOI), 0)
    for seed in range(12):
        for state in states(game, seed):
            player, actions = state.mover, game.actions(state)
            if state.phase not in met or len(actions) < 2:
                continue
            view = game.view(state, player)
            told = hints(game, view, player)
            assert [points for _, points in told] == sorted((points for _, points in told), reverse=True)
            assert {label for label, _ in told} == set(actions)
            chosen, points = adviser.advise(view, player, 0)[0].action, dict(told)
            assert points[chosen] == pytest.approx(told[0][1], abs=1e-4)
            if state.phase == KOI:
                assert points[STOP] == game.score(state, player).points
                assert points[CALL] == pytest.approx(
                    called(game, state, _skipped(read_knowledge(game, view, player).past_plays))
                )
            met[state.phase] += 1
    assert min(met.values()) > 3


def test_without_calls_left_the_only_hint_is_to_stop(monkeypatch):
    """Akatan scores 5 times 2 after the opponent's call; only a second call could continue the round."""
    monkeypatch.setattr("tefuda.koikoi.people.hints.expected", lambda *_: 99.0)
    hand = 0b1111 << 12
    for preset, left, on in (("standard", hand, True), ("standard", 0, False), ("nintendo_strict", hand, False)):
        game = koikoi(preset)
        state = game.begin(left, 0xFF0000, 1 << 1)._replace(phase=PICK_DRAW, calls=(0, 1), shown=2, piles=(1 << 5, 0))
        assert _value(game, game.child(state._replace(piles=(1 << 5 | 1 << 9, 0)), "1R"), 0, []) == (99 if on else 10)
        assert _value(game, game.child(state, "1R"), 0, []) == 99


def test_every_question_has_one_row():
    """Rows have the order of the kernel."""
    rules = koikoi().rules
    state = Round(PLAY, 1, (0b1111 << 4, 0), 1 << 20, 0, (0x3, 0xC), (1, 0), called=(0x3, 0xC))
    rows = list(rows_of(rules, state, 0, [(9, 9)] * 12))
    assert len(rows) == kernels.SLOTS and rows == sorted(rows) and rows[0] >= 0 and rows[-1] < kernels.ROWS
    assert np.isfinite(expected(shipped_network(), rules, state, 0, [(0, 0)] * 12))


def test_hints_mention_other_rules_of_the_network():
    for preset, said in (("standard", False), ("bga_hard", False), ("koikoi_japan", True), ("gamedesign", True)):
        game = koikoi(preset)
        (person,) = td.named_agents(game, ["human"])
        state = next(state for state in states(game, 2) if game.player(state) == 0)
        person.notify = str
        person.start(game, 0)
        answer = person.help(Decision(-1, game.view(state, 0), game.actions(state), 0.5, 0))
        assert "estimated by the network" in answer and ("not with these rules" in answer) == said
        assert all(f"{label} " in answer for label in game.actions(state))


def test_ctrl_c_cancels_only_a_hint():
    """The hint ends and the game continues; afterwards Ctrl-C has its usual meaning."""
    game, before = koikoi(), signal.getsignal(signal.SIGINT)
    state = next(state for state in states(game, 2) if game.player(state) == 0)
    turn, told, answers = Decision(-1, game.view(state, 0), game.actions(state), 0.5, 0), [], iter(["?", "1"])

    def slow(*_):
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("Ctrl-C was ignored")

    person = KoiKoiPerson(ask=lambda question: next(answers), notify=told.append, hints=slow)
    person.start(game, 0)
    assert person.act(turn) == 0 and "Cancelled." in told
    assert signal.getsignal(signal.SIGINT) is before
    person.ask = lambda question: signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        person.act(turn)


def test_nothing_is_compiled_for_a_hint(monkeypatch, tmp_path):
    """A separate process with an empty kernel cache asks for a hint in the middle of a round."""
    code = """
from tefuda._kernels import jit
from tefuda.koikoi.people.hints import hints
from tefuda.koikoi.reduced import koikoi, mini8
from tests.koikoi.random_rounds import states

jit.on_compiling.append(lambda saved: print("compiled"))
game = koikoi()
state = next(state for state in states(game, 2) if state.turn > 4 and game.player(state) == 0)
print(len(hints(game, game.view(state, 0), 0)) == len(game.actions(state)))
"""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["True"]


def test_the_coach_values_every_action():
    """The coach's values are those of the hints; reduced games have no coach."""
    game = koikoi()
    coach, decided = td.games.kit_of(game).coach(), 0
    for state in states(game, 2):
        if (player := game.player(state)) < 0:
            continue
        view, actions = game.view(state, player), game.actions(state)
        advice = coach.advise(Decision(-1, view, actions, 0.5, player))
        assert dict(zip(actions, advice.values, strict=True)) == dict(hints(game, str(view), player))
        assert sum(advice.shares) == 1 and advice.cost(advice.shares.index(1.0)) == 0
        decided += 1
    assert decided > 8 and td.games.kit_of(mini8()).coach() is None
