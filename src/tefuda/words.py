"""Formatting of numbers, counts and untrusted text for terminals, notebooks and messages."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

#: Called with a description of the current step.
Notify = Callable[[str], None]

UNKNOWN = "-"  # printed in place of a missing number
_SHORT = 10  # digits of a number that is printed in full
_WIDE = 1e9  # larger numbers are printed without decimals
_LARGEST = 1.7976931348623157e308  # of all floats
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)


def parse_number(text: str) -> int | float:
    """Return the finite number of a text in plain digits, as an int where it is written as one.

    Raises:
        ValueError: anything else, such as nan, ``1_0``, spaces or the digits of other scripts.

    >>> parse_number("20"), parse_number("-2e-3")
    (20, -0.002)
    """
    if _NUMBER.fullmatch(text):
        number = float(text) if text.strip("+-0123456789") else int(text)
        if abs(number) <= _LARGEST:
            return number
    raise ValueError(f"{text[:40]!r} is no number")


def fixed(value: float, places: int = 4) -> str:
    """Return a number with a fixed number of decimals; never ``-0.0000``, and `UNKNOWN` for nan."""
    if math.isnan(value):
        return UNKNOWN
    if abs(value) >= _WIDE:
        return f"{value:.{places + 2}g}"
    text = f"{value:.{places}f}"
    return text if text.strip("-0.") else text.lstrip("-")


def signed(value: float, places: int = 4) -> str:
    """Return a number with its sign and a fixed number of decimals; 0 has no sign."""
    text = fixed(value, places)
    return text if value <= 0 or text == UNKNOWN or not text.strip("0.") else f"+{text}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with significant digits, such as ``1.23e-05``; `UNKNOWN` for nan."""
    return UNKNOWN if math.isnan(value) else f"{value + 0.0:.{digits}g}"  # + 0.0 turns -0 into 0


def non_negative(value: float, digits: int = 3) -> str:
    """Return a number with significant digits; negative ones are round-off and become 0."""
    return significant(max(value, 0.0) if value == value else value, digits)


def percent(share: float) -> str:
    """Return a share of 1 in percent, ``7.19 %``; only 0 is printed as 0."""
    return "< 0.01 %" if 0 < share < 5e-5 else f"{fixed(100 * share, 2)} %"


def fraction_text(value: float, most: int = 10_000) -> str:
    """Return a number as a fraction if its denominator is at most `most`, else with 4 significant digits.

    >>> fraction_text(1 / 30), fraction_text(0.1234567)
    ('1/30', '0.1235')
    """
    simple = Fraction(value).limit_denominator(most)
    near = abs(simple - Fraction(value)) <= 1e-12 * abs(value)
    return str(simple) if near and abs(value) < _WIDE else significant(value, 4)


def number_text(value: Any) -> str:
    """Return a number as it is if it is short, else as a small fraction, or rounded to 4 digits.

    Negative numbers have a minus sign, which is as wide as a digit.

    >>> [number_text(value) for value in (Fraction(1, 3), 0.25, 2 / 3, 0.123456789)], ascii(number_text(-1))
    (['1/3', '0.25', '2/3', '0.1235'], "'\\\\u22121'")
    """
    text = str(value) if isinstance(value, Rational) else f"{value + 0.0:.12g}"
    if not isinstance(value, Rational) and (len(text) > _SHORT or float(text) != value):
        text = fraction_text(value, 100)
    return text.replace("-", "\u2212") if text.startswith("-") else text


def count(number: int, things: str) -> str:
    """Return ``1 game`` for ``count(1, "games")``, ``1,000 games`` for ``count(1000, "games")``."""
    if number == 1:
        things = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {things}"


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return distinct names: repeated names become ``"a 1"`` and ``"a 2"``."""
    counts, used, numbers, results = Counter(names), set(names), dict.fromkeys(names, 0), list[str]()
    for name in names:
        new = name
        while counts[name] > 1 and new in used:
            numbers[name] += 1
            new = f"{name} {numbers[name]}"
        used.add(new)
        results.append(new)
    return tuple(results)


def escaped(text: str) -> str:
    """Return text with control characters escaped, except line ends."""
    if text.isprintable():
        return text
    shown = (c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown)


def one_line(text: str) -> str:
    """Return text in one line, with control characters and line ends escaped."""
    return text if text.isprintable() else escaped(text).replace("\n", "\\n")


def display_width(text: str) -> int:
    """Return the width of a text in a terminal; wide letters take two columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def padded(text: str, width: int) -> str:
    """Return a text with spaces up to a width: after it, or before it for a negative width.

    >>> padded("手札", 6), padded("12", -6)
    ('手札  ', '    12')
    """
    spaces = " " * (abs(width) - display_width(text))
    return f"{text}{spaces}" if width > 0 else f"{spaces}{text}"


def wrapped(line: str, wide: int) -> list[str]:
    """Wrap a line at spaces into rows of at most `wide` columns, with the line's indent.

    >>> wrapped("aa bbb cccccc", 6)
    ['aa bbb', 'cccccc']
    """
    rows, row, indent = list[str](), "", line[: len(line) - len(line.lstrip())]
    for word in re.findall(r"\s*\S+", line):
        if row and display_width(row + word) > wide:
            rows.append(row)
            row, word = indent, word.lstrip()
        row += word
        while display_width(row) > max(wide, 2):
            cut = next(size for size in range(len(row), 0, -1) if display_width(row[:size]) <= max(wide, 2))
            rows.append(row[:cut])
            row = row[cut:]
    return [*rows, row] if row or not rows else rows


def underlined(text: str, start: int, stop: int, room: int = 72) -> str:
    """Return text with an underlined part, from `start` to `stop`.

    >>> underlined("AA,KX,QQ", 3, 5).splitlines()
    ['  AA,KX,QQ', '     ^^']
    """
    first = max(0, min(start - room // 3, len(text) - room))
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[first : first + room])
    before, after = "..." if first else "", "..." if first + room < len(text) else ""
    width = max(1, min(stop, first + room) - start)
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + start - first)}{'^' * width}"
