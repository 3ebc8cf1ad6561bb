"""Values of teams in 3-player Kuhn, in the game's unit, computed by two other programs."""

from fractions import Fraction

#: By the number of cards and the adversary; None: only tefuda has computed it.
VALUES: dict[tuple[int, int], Fraction | float | None] = {
    (3, 0): Fraction(0), (3, 1): Fraction(0), (3, 2): Fraction(0),
    (4, 0): Fraction(5, 132), (4, 1): Fraction(7, 264), (4, 2): Fraction(-1, 24),
    (5, 0): 0.043687358552, (5, 1): None, (5, 2): -0.025190052129,
}  # fmt: skip
