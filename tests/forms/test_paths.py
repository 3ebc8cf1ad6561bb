"""Histories as texts."""

import pytest

import tefuda as td
from tefuda.forms.paths import label_texts, neighbourhood, node_at, path_of
from tests.conftest import compiled


@pytest.mark.parametrize("name", ["kuhn", "leduc", "nonlocal"])
def test_every_history_has_its_own_path(name):
    tree = compiled(name)
    paths = [path_of(tree, node) for node in range(len(tree.player))]
    assert len(set(paths)) == len(paths)
    assert [node_at(tree, path) for path in paths] == list(range(len(paths)))


def test_labels_that_would_break_a_path_get_other_texts():
    texts = label_texts(["a~b", "a_b", "", "-", ("K", "Q"), 3])
    assert len(set(texts)) == 6 and not any("~" in text or text in ("", "-") for text in texts)
    assert texts[4:] == ("K Q", "3")


@pytest.mark.parametrize("path", ["J J", "J Q~x", "J Q~p~p~p", "", "J Q~", "~"])
def test_unknown_paths_are_refused(path):
    with pytest.raises(td.errors.UnknownNameError):
        node_at(compiled("kuhn"), path)


def test_a_neighbourhood_has_all_ancestors_and_children_of_an_infoset():
    tree = compiled("leduc")
    for infoset in range(0, tree.infosets, 7):
        nodes = set(neighbourhood(tree, infoset))
        assert all(tree.parent[node] in nodes for node in nodes if node)
        inside = tree.histories_of(infoset).tolist()
        assert nodes >= {child for node in inside for child in tree.children(node)} | set(inside)
