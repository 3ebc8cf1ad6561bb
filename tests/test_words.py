"""Numbers and counts as people read them."""

import math

import pytest

from tefuda import words
from tefuda.words import display_width, wrapped

NUMBERS = (
    (words.fixed(-1e-9), "0.0000"),
    (words.fixed(-0.25, 2), "-0.25"),
    (words.fixed(math.nan), "-"),
    (words.signed(-1e-9), "0.0000"),
    (words.signed(1e-9), "0.0000"),
    (words.signed(-0.5), "-0.5000"),
    (words.signed(0.5), "+0.5000"),
    (words.signed(math.nan), "-"),
    (words.signed(2e17), "+2e+17"),
    (words.significant(-0.0), "0"),
    (words.significant(1.5), "1.5"),
    (words.significant(math.nan), "-"),
    (words.non_negative(-8.33e-17), "0"),
    (words.non_negative(1.234e-5), "1.23e-05"),
    (words.non_negative(math.nan), "-"),
    (words.percent(0.0), "0.00 %"),
    (words.percent(1e-7), "< 0.01 %"),
    (words.percent(0.25), "25.00 %"),
    (words.count(1, "iterations"), "1 iteration"),
    (words.count(0, "games"), "0 games"),
    (words.count(1000, "hands"), "1,000 hands"),
    (words.count(1, "histories"), "1 history"),
    (words.underlined("AA,KX,QQ", 3, 5), "  AA,KX,QQ\n     ^^"),
    (words.underlined("x" * 90 + "Y" + "x" * 9, 90, 91, 20), f"  ...{'x' * 10}Y{'x' * 9}\n{' ' * 15}^"),
    (words.underlined("Y" + "x" * 90, 0, 1, 20), f"  Y{'x' * 19}...\n  ^"),
    (words.underlined("", 0, 0), "  \n  ^"),
)


def test_plain_numbers():
    """Python reads more texts as numbers than files have."""
    plain = {"0": 0, "-12": -12, "+3": 3, "2.": 2.0, ".5": 0.5, "1e3": 1000.0, "-2.5E-3": -0.0025, "007": 7}
    for text, number in plain.items():
        found = words.parse_number(text)
        assert found == number and type(found) is type(number), text
    for text in (
        "",
        ".",
        "nan",
        "inf",
        "1_0",
        "\u0663",
        "\u00b2",
        " 1",
        "1 ",
        "0x1",
        "1e400",
        "9" * 400,
        "1e",
    ):
        with pytest.raises(ValueError, match="number"):
            words.parse_number(text)


def test_numbers_and_counts():
    assert [found for found, _ in NUMBERS] == [wanted for _, wanted in NUMBERS]


def test_names_that_repeat_are_numbered_and_all_differ():
    assert words.distinct(["a", "b"]) == ("a", "b")
    assert words.distinct(["a", "a", "b"]) == ("a 1", "a 2", "b")
    assert words.distinct(["a", "a 1", "a"]) == ("a 2", "a 1", "a 3")


def test_lines_are_broken_by_columns():
    """Wide letters take two columns; rows have at most the given width; only spaces at breaks are lost."""
    assert display_width("a札") == 3 and wrapped("", 10) == [""]
    assert wrapped("  1  aa bb", 7) == ["  1  aa", "  bb"]
    assert wrapped("手札を一枚 ab", 8) == ["手札を一", "枚 ab"] and wrapped("abcdef", 4) == ["abcd", "ef"]
    for wide in (2, 5, 11, 80):
        for line in ("1B 松に鶴: 3B 桜に幕を取る", "one two threefourfive", "場に残る。" * 9, "x  y"):
            rows = wrapped(line, wide)
            assert all(display_width(row) <= wide for row in rows)
            assert "".join(rows).replace(" ", "") == line.replace(" ", "")
