"""Explanations of short action labels, from a game's ``observe``: p is check or fold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from tefuda.errors import one_of
from tefuda.games.answers import calling_rules
from tefuda.games.kit import kit_of
from tefuda.games.protocol import Label

_LABELS, _WORDS = 8, 3  # limits of a legend; larger sets of labels are numbers or bet sizes, which need no explanation


def legend(game: object, known: Iterable[tuple[int, Hashable]]) -> dict[Label, tuple[str, ...]]:
    """Return the names of each label; empty for games without ``observe`` or with many labels.

    Args:
        game: the rules.
        known: (player, view) of decisions.

    Raises:
        GameError: the rules raised an exception.
    """
    names = dict[Label, dict[str, None]]()
    kit = kit_of(game)
    with calling_rules(game):
        for player, view in known:
            for label, word in kit.observe(view, player).actions.items():
                if word != str(label):
                    names.setdefault(label, {})[word] = None
    few = len(names) <= _LABELS and all(len(words) <= _WORDS for words in names.values())
    return {label: tuple(words) for label, words in names.items()} if few else {}


def legend_text(words: Mapping[Label, tuple[str, ...]]) -> str:
    """Return a legend as one line: ``p: check or fold; b: bet or call``."""
    return "; ".join(f"{label}: {one_of(texts)}" for label, texts in words.items())
