"""check_game finds each fault of a malformed game separately and shows the histories."""

import pytest

import tefuda as td
from tests.small_games import ForgetfulKuhn, Good, broken


class Unhashable(Good):
    """States are lists."""

    def root(self):
        return []

    def child(self, state, action):
        return [*state, action]


class Mutating(Good):
    """A game whose child() changes the given state."""

    class State(tuple):
        """A tuple with a log."""

        def __new__(cls, items=(), log=None):
            self = super().__new__(cls, items)
            self.log = log if log is not None else []
            return self

        def __repr__(self):
            return f"{tuple(self)} {self.log}"

    def root(self):
        return self.State()

    def child(self, state, action):
        state.log.append(action)
        return self.State((*state, action))


class Fickle(Good):
    """A game whose view changes with every call."""

    asked = 0

    def view(self, state, player):
        Fickle.asked += 1
        return f"{state[0][player]} {Fickle.asked}"


def _raise(self, state):
    raise KeyError("lost")


MALFORMED = {
    "protocol: no child": (broken(child=None), "protocol", "child"),
    "protocol: players": (broken(players=0), "protocol", "players"),
    "protocol: name": (broken(name=None), "protocol", "name"),
    "root raises": (broken(root=lambda self: 1 / 0), "root() raised", "ZeroDivisionError"),
    "actions raise": (broken(actions=_raise), "actions() raised", "lost"),
    "payoffs raise": (broken(payoffs=_raise), "payoffs() raised", "lost"),
    "mover too large": (broken(player=lambda self, state: 2), "mover", "0..1"),
    "mover is text": (broken(player=lambda self, state: "me"), "mover", "'me'"),
    "no actions": (broken(actions=lambda self, state: ()), "actions", "no labels"),
    "repeated actions": (broken(actions=lambda self, state: ("bet", "bet")), "actions", "repeat"),
    "actions no tuple": (broken(actions=lambda self, state: "ab"), "actions", "tuple"),
    "actions unhashable": (broken(actions=lambda self, state: ([1], [2])), "actions", "not hashable"),
    "probabilities too small": (broken(chances=lambda self, s: (("hl", 0.25), ("lh", 0.5))), "chances", "0.75"),
    "negative probability": (broken(chances=lambda self, s: (("hl", 1.5), ("lh", -0.5))), "chances", "-0.5"),
    "probability is nan": (broken(chances=lambda self, s: (("hl", float("nan")),)), "chances", "nan"),
    "chances no pairs": (broken(chances=lambda self, s: ("hl", "lh", "hhh")), "chances", "pairs"),
    "no outcomes": (broken(chances=lambda self, s: ()), "chances", "no labels"),
    "one payoff": (broken(payoffs=lambda self, s: (1,)), "payoffs", "1 payoffs for 2 players"),
    "payoff is nan": (broken(payoffs=lambda self, s: (float("nan"), 0)), "payoffs", "not finite"),
    "payoff is text": (broken(payoffs=lambda self, s: ("x", "y")), "payoffs", "one number per player"),
    "not constant-sum": (broken(payoffs=lambda self, s: (1, 1)), "not constant-sum", "sum to 2"),
    "constant sum is a text": (broken(constant_sum="0"), "protocol", "constant_sum"),
    "constant sum is nan": (broken(constant_sum=float("nan")), "protocol", "constant_sum"),
    "actions differ": (
        broken(actions=lambda self, s: ("stop", "bet") if s[0] != "hh" else ("stop", "bet", "raise")),
        "actions differ",
        "0: ('h',)",
    ),
    "own move not seen": (
        broken(
            view=lambda self, s, p: s[0][p] if p == 0 else (s[0][1], len(s)),
            player=lambda self, s: td.CHANCE if not s else 0 if len(s) < 3 else td.TERMINAL,
            actions=lambda self, s: ("stop", "bet"),
        ),
        "imperfect recall",
        "number of the player",
    ),
    "own action forgotten": (
        broken(
            view=lambda self, s, p: (s[0][p], len(s)),
            player=lambda self, s: td.CHANCE if not s else 0 if len(s) < 3 else td.TERMINAL,
            actions=lambda self, s: ("stop", "bet"),
        ),
        "imperfect recall",
        "last action",
    ),
    "own card forgotten": (
        broken(
            view=lambda self, s, p: (s[0][p] if len(s) < 2 else "?", *s[1:]),
            player=lambda self, s: td.CHANCE if not s else 0 if len(s) < 3 else td.TERMINAL,
            actions=lambda self, s: ("stop", "bet"),
        ),
        "imperfect recall",
        "forgets an earlier view",
    ),
    "view unhashable": (broken(view=lambda self, s, p: [s[0][p]]), "view not hashable", "list"),
    "views print alike": (
        broken(view=lambda self, s, p: 1 if s[0] == "hh" else "1" if s[0] == "hl" else 2),
        "view names",
        "same text",
    ),
    "state unhashable": (Unhashable(), "state not hashable", "list"),
    "mutating": (Mutating(), "mutated state", "return a new"),
    "fickle": (Fickle(), "not repeatable", "view() gave"),
    "endless": (
        broken(
            player=lambda self, state: 0,
            child=lambda self, state, action: state,
            actions=lambda self, state: ("a",),
            view=lambda self, state, player: "v",
        ),
        "endless",
        "ends",
    ),
    "seldom endless": (
        broken(
            player=lambda self, s: td.CHANCE if not s else td.TERMINAL if s[-1] == "bet" else 0,
            actions=lambda self, s: ("stop", "bet", "fold"),
            view=lambda self, s, p: s,
        ),
        "endless",
        "10,000",
    ),
}


def test_the_good_game_is_good():
    report = td.check_game(Good())
    assert report.ok and report.complete and (report.histories, report.infosets) == (21, 4)
    assert str(report) == "check_game good: all 21 histories, 4 infosets: no fault"


@pytest.mark.parametrize("what", MALFORMED)
def test_each_fault_is_found_alone(what):
    game, kind, words = MALFORMED[what]
    report = td.check_game(game)
    assert kind in {fault.kind for fault in report.faults}, str(report)
    fault = next(fault for fault in report.faults if fault.kind == kind)
    assert words in fault.message, str(report)
    assert kind == "protocol" or fault.histories, str(report)


@pytest.mark.parametrize("what", MALFORMED)
def test_compiling_refuses_each_with_the_report(what):
    game, kind, words = MALFORMED[what]
    if kind == "imperfect recall":  # some solvers accept it
        game = td.compile_game(game)
    with pytest.raises(td.errors.GameError) as caught:
        td.solve(game, iterations=1)
    assert kind == "protocol" or kind in str(caught.value)
    assert kind == "imperfect recall" or words in str(caught.value)


def _solve(game):
    td.solve(game, iterations=1)


def _sample(game):
    td.solve(td.RulesForm(game), "outcome", iterations=1)


def _step(game):
    td.forms.RulesSimulator(game)


def _play(game):
    td.duplicate_match(game, [td.ScriptedAgent(name, lambda player, view, actions: actions[0]) for name in "ab"])


@pytest.mark.parametrize("use", [_solve, _sample, _step, _play])
@pytest.mark.parametrize("what", [what for what, case in MALFORMED.items() if case[1] not in ("imperfect recall",)])
def test_all_uses_refuse_each_fault_alike(what, use):
    """Solving, sampling, stepping and playing name the kind of fault in the same words."""
    game, kind, words = MALFORMED[what]
    with pytest.raises(td.errors.GameError) as caught:
        use(game)
    if kind == "protocol":
        assert words in str(caught.value)
    else:
        assert caught.value.report.faults[-1].kind == kind and "cannot be used" in str(caught.value)


def _seldom(share=1e-4):
    """Return the good game with one outcome in 10,000 after which both players win."""

    def chances(self, state):
        return (("hl", share), ("lh", 0.5), ("hh", 0.5 - share))

    return broken(chances=chances, payoffs=lambda self, s: (1, 1) if s[0] == "hl" else (1, -1))


def test_a_wrong_sum_is_noticed_at_every_end(monkeypatch):
    """A check that visits no such end leaves it to the compiler, which names the history."""
    sound = td.check_game(Good())
    monkeypatch.setattr("tefuda.games.check.check_game", lambda game, **_: sound)
    with pytest.raises(td.errors.GameError, match=r"not constant-sum.* at hl"):
        td.compile_game(_seldom())


@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_a_wrong_sum_is_noticed_when_it_is_sampled(method, monkeypatch):
    monkeypatch.setattr("tefuda.solvers.sampled.sampler.require_sound", lambda *_, **__: None)
    with pytest.raises(td.errors.GameError, match="not constant-sum"):
        td.solve(td.RulesForm(_seldom(0.2)), method, iterations=100)


def test_a_fault_that_no_check_finds_has_the_same_error():
    """A broken answer after the check, or an endless game, is reported as the check would."""
    from tefuda.games.answers import InvalidAnswer, calling_rules, endless_game

    for fault in (InvalidAnswer("mover", "player() returned 7"), KeyError("lost"), RecursionError()):
        with pytest.raises(td.errors.GameError, match="cannot be used: its rules have faults"), calling_rules(Good()):
            raise fault
    assert "cannot be used: its rules have faults" in str(endless_game(Good()))


def test_offending_histories_are_shown():
    report = td.check_game(MALFORMED["actions differ"][0])
    assert report.faults[0].histories[:2] == (("hl",), ("hh",))
    assert "at hl" in str(report) and "at hh" in str(report)
    assert td.check_game(ForgetfulKuhn()).faults[0].kind == "imperfect recall"


def test_large_games_are_sampled():
    report = td.check_game(td.load_game("leduc", players=3), limit=5_000, samples=50)
    assert report.ok and not report.complete and "random games" in str(report)
    late = broken(payoffs=lambda self, s: (1, 1) if s[-1] == "call" else (0, 0))
    assert not td.check_game(late, limit=5, samples=100).ok


def test_a_view_that_hides_nothing_causes_a_warning():
    open_cards = broken(view=lambda self, s, p: s)
    (warning,) = td.check_game(open_cards).warnings
    assert warning.kind == "perfect information"


@pytest.mark.parametrize("name", ["rps", "kuhn", "leduc", "sampled"])
def test_built_in_games_pass(name):
    assert td.check_game(td.load_game(name)).ok
