"""The programs of the teaching chapters, against the published tables they teach."""

import dataclasses
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

import tefuda as td
from tefuda_reproductions.papers import kuhn_cfr, kuhn_chance

LEARN = Path(__file__).parent.parent / "docs" / "learn"
HISTORIES = {"-": "", "bet": "b", "check": "p", "check-bet": "pb"}


def programs():
    """The first block of Python of each chapter that has a program."""
    texts = [(page.stem, page.read_text()) for page in sorted(LEARN.glob("*.md"))]
    found = {name: re.search(r"^## .*program\n.*?^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
             for name, text in texts}  # fmt: skip
    return {name: match[1] for name, match in found.items() if match}


@pytest.fixture(scope="module")
def solve():
    """The function `solve` of the program for Kuhn poker."""
    names: dict = {}
    exec(programs()["cfr-program"], names)
    return names["solve"]


def test_programs_have_at_most_sixty_lines():
    assert {name: code.count("\n") <= 60 for name, code in programs().items()} == dict.fromkeys(programs(), True)
    assert len(programs()) > 1


def test_first_iteration_is_the_table_by_hand(solve, kuhn):
    regrets, _ = solve(1)
    text = (LEARN / "cfr-by-hand.md").read_text().replace("\N{MINUS SIGN}", "-")
    cells = re.findall(r"\b([JQK]\w*) \| (-?\d) \| (-?\d)\b", text)
    assert len(cells) == 12
    assert {name: (int(one), int(two)) for name, one, two in cells} == {
        name: tuple(round(24 * each, 9) for each in row) for name, row in regrets.items()
    }
    solver = td.make_solver(kuhn, dataclasses.replace(td.METHODS["cfr"], order="simultaneous"))
    solver.advance(1)
    for name, row in regrets.items():
        rows = kuhn.rows_of(kuhn.number(f"{len(name[1:]) % 2}: {name[0]}|{name[1:]}"))
        assert solver.arrays()["regret"][rows] == pytest.approx(row, abs=1e-12)


@pytest.mark.slow
def test_the_program_prints_the_digits_of_takeuchi2020(solve):
    _, average = solve(1_000_000)
    for (card, history), (bet, check) in kuhn_cfr.TABLE.items():
        ours = average["JQK"[int(card)] + HISTORIES[history]]
        assert ours == pytest.approx([check, bet], abs=1e-7)


@pytest.mark.slow
def test_chance_sampling_lies_within_the_spread_of_yamaoka2020(solve):
    """Relations of all equilibria hold in the table; the jack's free bluff differs between runs."""
    _, average = solve(1_000_000, random.Random(2))
    jack = average["J"][1]
    assert 0 < jack < 1 / 3
    assert average["K"][1] / jack == pytest.approx(3, abs=0.12)
    assert average["Qpb"][1] - jack == pytest.approx(1 / 3, abs=0.012)
    for row, published in kuhn_chance.TABLE.items():
        if published and row not in ("1", "2pb", "3"):
            assert average["JQK"[int(row[0]) - 1] + row[1:]] == pytest.approx(published, abs=0.012)


def test_hands_rank_as_in_the_library():
    """The program of chapter 12 orders hands of seven cards as tefuda does, ties included."""
    names: dict = {}
    exec(programs()["large-games"], names)
    rng, ranks, suits = random.Random(0), "23456789TJQKA", "cdhs"
    hands = [rng.sample(range(52), 7) for _ in range(400)]
    ours = [td.holdem.strength(" ".join(ranks[card // 4] + suits[card % 4] for card in hand)) for hand in hands]
    theirs = [names["best"](hand) for hand in hands]
    for first, second in pairwise(range(400)):
        assert (theirs[first] > theirs[second]) == (ours[first] > ours[second])
        assert (theirs[first] == theirs[second]) == (ours[first] == ours[second])
