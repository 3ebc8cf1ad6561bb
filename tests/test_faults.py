"""Faults are found by their trees, and change nothing else of a source."""

import pytest

from tests.faults import Fault, Stale, TextFault, smallest
from tests.operators import generate

SOURCE = '''class Purse:
    def take(self, coins):  # greedily
        """Return (é) coins."""
        if coins > 0 and self.open:  # never less
            return coins + 1
        return 0

    def give(self, coins):
        return coins + 1
'''


def fault(function, old, new):
    return Fault("purse.py", function, old, new)


@pytest.mark.parametrize(
    "old, new, before, after",
    [
        ("coins>0", "coins >= 0", "coins > 0", "(coins >= 0)"),
        ("return 0", "raise ValueError(coins)", "return 0", "raise ValueError(coins)"),
        ("return 0", "self.open = False\nreturn 1", "return 0", "self.open = False\n        return 1"),
    ],
)
def test_only_the_part_changes(old, new, before, after):
    assert fault("Purse.take", old, new).apply(SOURCE) == SOURCE.replace(before, after)


@pytest.mark.parametrize(
    "function, old",
    [("Purse", "coins + 1"), ("Purse.take", "coins"), ("Purse.take", "coins + 2"), ("take", "coins > 0")],
)
def test_a_part_is_in_its_function_once(function, old):
    with pytest.raises(Stale):
        fault(function, old, "1").apply(SOURCE)


def test_texts_are_in_their_source_once():
    with pytest.raises(Stale):
        TextFault("purse.py", "", "coins + 1", "coins").apply(SOURCE)
    assert TextFault("purse.py", "", "and self.open:", ":").apply(SOURCE).count(" 0 :") == 1


@pytest.mark.parametrize(
    "old, new, function, part, code",
    [
        ("self.open:", "coins:", "Purse.take", "self.open", "coins"),
        ("coins > 0", "coins > 1", "Purse.take", "coins > 0", "coins > 1"),
        ("coins + 1\n        return 0", "coins + 2\n        return 0", "Purse.take", "coins + 1", "coins + 2"),
        ("        return 0\n", "", "Purse.take", "return 0", "pass"),
    ],
)
def test_the_smallest_fault_has_all_differences(old, new, function, part, code):
    found = smallest(fault("", "", ""), SOURCE, SOURCE.replace(old, new))
    assert (found.function, found.old, found.new) == (function, part, code)


def test_operators_make_faults_that_apply():
    found = generate(SOURCE, "purse.py", "tests", False)
    changed = {fault.apply(SOURCE) for fault in found}
    assert len(changed) == len(found)
    assert any("(coins >= 0)" in text for text in changed) and any("coins > 0 or self.open" in text for text in changed)
