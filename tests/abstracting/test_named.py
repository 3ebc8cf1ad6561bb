"""Partitions by name."""

import pytest

import tefuda as td
from tefuda.abstracting.named import check_named, partition_named
from tests.conftest import compiled


def test_names_configure_buckets():
    found = check_named("rank=3:9,forgetful,public")
    assert (found.counts, found.by, found.recall, found.apart) == ((3, 9), "rank", "imperfect", "public states")
    assert check_named("lossless") is None
    tree = compiled("leduc", distinct_suits=True)
    assert partition_named(tree, "lossless").size == 288
    assert partition_named(compiled("leduc"), "strength=2").size == td.abstracting.buckets(compiled("leduc"), 2).size


@pytest.mark.parametrize("text", [
    "", "luck=3", "strength", "strength=", "strength=x", "strength=3:", "strength=0", "strength=3,silly",
    "lossless,public", "strength=" + "9" * 5000, "strength=²", "strength=-1", "strength=3,forgetful=1", "strength=nan",
])  # fmt: skip
def test_refused(text):
    with pytest.raises(td.InputError):
        check_named(text)
