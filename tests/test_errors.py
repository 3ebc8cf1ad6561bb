"""Errors as people read them, and as they travel."""

import pickle

import pytest

import tefuda as tf
from tefuda.errors import check_choice, check_range, check_seed, one_of, shortened


@pytest.mark.parametrize("value", [0, 11, 2.0, True, None, "3", float("nan"), 10**400])
def test_a_range_of_whole_numbers(value):
    with pytest.raises(tf.ParameterError, match="must be a whole number from 1 to 10"):
        check_range("size", value, 1, 10)


@pytest.mark.parametrize("value", [-0.1, float("inf"), float("nan"), False, "1", 1j])
def test_a_range_of_numbers(value):
    with pytest.raises(tf.ParameterError, match=r"part is .+; it must be a number of at least 0"):
        check_range("part", value, 0, whole=False)


def test_what_is_in_range_passes():
    for value in (1, 10):
        check_range("size", value, 1, 10)
    check_range("part", 0.0, 0, 1, whole=False)
    check_seed(2**63 - 1)
    check_choice("kind", "b", "ab")
    with pytest.raises(tf.ParameterError, match="seed is 9223372036854775808"):
        check_seed(2**63)
    with pytest.raises(tf.ParameterError, match="kind is 'c'; it must be a or b"):
        check_choice("kind", "c", "ab")
    assert (one_of("a"), one_of("ab"), one_of(range(3))) == ("a", "a or b", "0, 1 or 2")


def test_names_near_the_one_that_was_given():
    known = ["cfr", "cfr+", "external"]
    assert "Did you mean 'external'? Known: cfr, cfr+, external." in str(
        tf.UnknownNameError("method", "extrenal", known)
    )
    assert "Did you mean" not in str(tf.UnknownNameError("method", "qqq", known))
    many = str(tf.UnknownNameError("infoset", "x", map(str, range(1000))))
    assert "... (1,000 in all)" in many and len(many) < 700


def test_values_in_messages_are_short_and_never_raise():
    class Rude:
        def __repr__(self):
            raise RuntimeError

    assert shortened("a") == "the str 'a'" and shortened(Rude()) == "the Rude without a repr"
    assert len(shortened("x" * 1000)) < 90 and "\n" not in shortened("a\nb" * 3)


@pytest.mark.parametrize("error", [tf.UnknownNameError("game", "kunh", ["kuhn"]), tf.GameError("no", report="why"),
                                   tf.MissingExtraError("plot", "a PNG"), tf.SizeError("too large")])  # fmt: skip
def test_errors_travel_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)
