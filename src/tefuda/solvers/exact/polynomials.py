"""Polynomials in an infinitely small eps > 0, as numbers of exact linear programs.

They are ordered by the sign of their first coefficient that is not 0: 0 < eps^2 < 2 eps < 1 - eps < 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import total_ordering
from itertools import zip_longest


@total_ordering
class Polynomial:
    """A polynomial in eps with rational coefficients, from the constant on.

    It adds, subtracts and compares with fractions, multiplies with both, and is divided by fractions.

    >>> eps = Polynomial([0, 1])
    >>> print(1 - eps * eps / 2), 3 * eps < Fraction(1, 10**9)
    1 - (1/2) eps^2
    (None, True)
    """

    __slots__ = ("coefficients",)

    def __init__(self, coefficients: Iterable[Fraction | int] = ()) -> None:
        numbers = [Fraction(number) for number in coefficients]
        while numbers and not numbers[-1]:
            numbers.pop()
        self.coefficients = tuple(numbers)

    @classmethod
    def of(cls, number: Fraction | int | Polynomial) -> Polynomial:
        """Return a number as a polynomial."""
        return number if isinstance(number, cls) else cls([number])  # type: ignore[list-item]  # it is no polynomial

    def coefficient(self, power: int) -> Fraction:
        """Return the coefficient of a power of eps."""
        return self.coefficients[power] if power < len(self.coefficients) else Fraction(0)

    @property
    def order(self) -> int:
        """The lowest power of eps; 0 for the polynomial 0."""
        return next((power for power, number in enumerate(self.coefficients) if number), 0)

    def __str__(self) -> str:
        terms = [(power, number) for power, number in enumerate(self.coefficients) if number]
        text = "".join(f" {'-' if number < 0 else '+'} {_term(power, abs(number))}" for power, number in terms)
        return (text[3:] if text.startswith(" +") else f"-{text[3:]}") if text else "0"

    def __bool__(self) -> bool:
        return bool(self.coefficients)

    def __neg__(self) -> Polynomial:
        return Polynomial(-number for number in self.coefficients)

    def __add__(self, other: Fraction | int | Polynomial) -> Polynomial:
        pairs = zip_longest(self.coefficients, Polynomial.of(other).coefficients, fillvalue=0)
        return Polynomial(one + two for one, two in pairs)

    def __sub__(self, other: Fraction | int | Polynomial) -> Polynomial:
        return self + -other

    def __rsub__(self, other: Fraction | int) -> Polynomial:
        return -self + other

    def __mul__(self, other: Fraction | int | Polynomial) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial(number * other for number in self.coefficients)
        product = [Fraction(0)] * (len(self.coefficients) + len(other.coefficients))
        for i, one in enumerate(self.coefficients):
            for j, two in enumerate(other.coefficients):
                product[i + j] += one * two
        return Polynomial(product)

    def __truediv__(self, other: Fraction | int) -> Polynomial:
        return self * (1 / Fraction(other))

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Fraction, Polynomial)):
            return NotImplemented
        return self.coefficients == Polynomial.of(other).coefficients

    __hash__ = None  # type: ignore[assignment]  # equal numbers of other types have other hashes

    def __lt__(self, other: Fraction | int | Polynomial) -> bool:
        difference = self - other
        return difference.coefficient(difference.order) < 0


def _term(power: int, number: Fraction) -> str:
    """Return a term without its sign, such as ``(7/18) eps``."""
    if power == 0:
        return str(number)
    unknown = "eps" if power == 1 else f"eps^{power}"
    shown = f"({number})" if number.denominator > 1 else str(number)
    return unknown if number == 1 else f"{shown} {unknown}"
