"""Errors as people read them, and as they travel."""

import pickle

import pytest

import tefuda as td
from tefuda.errors import check_choice, check_range, check_seed, one_of, shortened
from tefuda.games.small.kuhn import Kuhn
from tests.conftest import compiled, refused


@pytest.mark.parametrize("value", [0, 11, 2.0, True, None, "3", float("nan"), 10**400])
def test_a_range_of_whole_numbers(value):
    with pytest.raises(td.errors.ParameterError, match="number"):
        check_range("size", value, 1, 10)


@pytest.mark.parametrize("value", [-0.1, float("inf"), float("nan"), False, "1", 1j])
def test_a_range_of_numbers(value):
    with pytest.raises(td.errors.ParameterError, match=r"part is .+; it must be a number of at least 0"):
        check_range("part", value, 0, whole=False)


def test_what_is_in_range_passes():
    for value in (1, 10):
        check_range("size", value, 1, 10)
    check_range("part", 0.0, 0, 1, whole=False)
    check_seed(2**63 - 1)
    check_choice("kind", "b", "ab")
    with refused(td.errors.ParameterError, key="seed", value=1 << 63):
        check_seed(2**63)
    with refused(td.errors.ParameterError, key="kind", value="c"):
        check_choice("kind", "c", "ab")
    assert (one_of("a"), one_of("ab"), one_of(range(3))) == ("a", "a or b", "0, 1 or 2")


def test_names_near_the_one_that_was_given():
    known = ["cfr", "cfr+", "external"]
    assert "Did you mean 'external'? Known: cfr, cfr+, external." in str(
        td.errors.UnknownNameError("method", "extrenal", known)
    )
    assert "Did you mean" not in str(td.errors.UnknownNameError("method", "qqq", known))
    many = str(td.errors.UnknownNameError("infoset", "x", map(str, range(1000))))
    assert "... (1,000 in all)" in many and len(many) < 700
    long = td.errors.UnknownNameError("infoset", "x" * 9_999, (f"{number}" + "y" * 300 for number in range(1000)))
    assert len(str(long)) < 2_300 and len(long.known) == 1000 and len(long.name) == 9_999
    assert str(td.errors.UnknownNameError("run", "x", ())).endswith("Known: none.")


def test_values_in_messages_are_short_and_never_raise():
    class Rude:
        def __repr__(self):
            raise RuntimeError

    assert shortened("a") == "the str 'a'" and shortened(Rude()) == "the Rude without a repr"
    assert len(shortened("x" * 1000)) < 90 and "\n" not in shortened("a\nb" * 3)


@pytest.mark.parametrize(
    "error",
    [
        td.errors.UnknownNameError("game", "kunh", ["kuhn"]),
        td.errors.GameError("no", report="why"),
        td.errors.MissingExtraError("plot", "a PNG"),
        td.errors.SizeError("too large"),
    ],
)
def test_errors_travel_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


@pytest.mark.parametrize("written, meant", [
    ("cfrplus", "cfr+"), ("cfr_plus", "cfr+"), ("CFR+", "cfr+"), ("CFR Plus", "cfr+"), ("deepcfr", "deep-cfr"),
    ("nsfp", "nfsp"), ("pcfrplus", "pcfr+"), ("zzz", ""),
])  # fmt: skip
def test_the_nearest_name_is_found_however_it_is_written(written, meant):
    with pytest.raises(td.errors.UnknownNameError) as unknown:
        td.find_method(written)
    assert unknown.value.nearest == meant
    assert (f"Did you mean {meant!r}?" if meant else "unknown") in str(unknown.value)


def test_options_are_not_alike_for_their_hyphens():
    """The two hyphens of every option are no reason to suggest it."""
    known = ["--out", "--workers", "--seeds"]
    assert [td.errors.UnknownNameError("option", name, known).nearest for name in ("--folder", "--seed")] == [
        "",
        "--seeds",
    ]


class Agent:
    """An agent that plays its first action."""

    name, profile = "first", None

    def start(self, game, seat):
        """Nothing to do."""

    def act(self, turn):
        return 0

    def observe_hand(self, sight):
        """Nothing to learn."""


TAKES_AN_INSTANCE = {
    "compile_game": (Kuhn, td.compile_game),
    "solve": (Kuhn, td.solve),
    "estimate_game": (Kuhn, td.games.estimate_game),
    "abstract": (Kuhn, td.abstract),
    "RulesTable": (Kuhn, td.playing.RulesTable),
    "exact_solution": (Kuhn, td.exact_solution),
    "find_method": (td.solvers.FictitiousPlay, td.find_method),
    "evaluator": (
        td.NashConv,
        lambda evaluator: td.solve(td.load_game("kuhn"), "cfr", iterations=1, evaluator=evaluator),
    ),
    "agents": (Agent, lambda agent: td.duplicate_match(td.load_game("kuhn"), [agent, Agent()], deals=1)),
}


@pytest.mark.parametrize("taker", TAKES_AN_INSTANCE)
def test_a_class_in_place_of_an_instance_is_refused_with_the_cure(taker):
    kind, take = TAKES_AN_INSTANCE[taker]
    with pytest.raises(td.InputError) as refused:
        take(kind)
    assert f"{kind.__name__}()" in str(refused.value)
    take(kind())


def test_a_value_of_another_type_is_refused_with_what_is_wanted():
    for take, expected in ((td.nash_conv, "a Profile"), (td.find_method, "a method, or its name,")):
        with pytest.raises(td.InputError) as refused:
            take(5)
        assert (refused.value.value, refused.value.expected) == (5, expected)


def test_a_class_has_a_fault_for_check_game():
    faults = td.check_game(Kuhn).faults
    assert len(faults) == 1 and "Kuhn()" in faults[0].message


@pytest.mark.parametrize("wrong, cure", [("none", "NoEvaluation()"), (3, "NashConv()")])
def test_something_else_in_place_of_a_evaluator(wrong, cure, tmp_path):
    tree = compiled("kuhn")
    with pytest.raises(td.errors.ParameterError) as refused:
        td.solve(tree, "cfr", iterations=1, evaluator=wrong)
    assert cure in str(refused.value)
    td.solve(tree, "cfr", iterations=1, checkpoint=tmp_path / "run")
    with pytest.raises(td.errors.ParameterError):
        td.resume(tmp_path / "run", iterations=2, evaluator=wrong)


def test_a_function_in_place_of_an_agent():
    with pytest.raises(td.errors.ParameterError, match="ScriptedAgent"):
        td.duplicate_match(td.load_game("kuhn"), [lambda *turn: 0, Agent()], deals=1)
