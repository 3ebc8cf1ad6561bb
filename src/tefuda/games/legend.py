"""The words behind short labels of actions, as a game's own ``observe`` gives them: p is check or fold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from tefuda.errors import one_of
from tefuda.games.answers import calling_rules
from tefuda.games.protocol import Label, observation_of

_LABELS, _WORDS = 8, 3  # of a legend at most: more labels are numbers or sizes that explain themselves


def legend(game: object, known: Iterable[tuple[int, Hashable]]) -> dict[Label, tuple[str, ...]]:
    """Return the words for each label, in order; nothing for games without ``observe`` or with many labels.

    Args:
        game: the rules.
        known: (player, view) of decisions.

    Raises:
        GameError: the rules raise.
    """
    found = dict[Label, dict[str, None]]()
    if getattr(game, "observe", None) is None:
        return {}
    with calling_rules(game):
        for player, view in known:
            for label, word in observation_of(game, view, player).actions.items():
                if word != str(label):
                    found.setdefault(label, {})[word] = None
    few = len(found) <= _LABELS and all(len(words) <= _WORDS for words in found.values())
    return {label: tuple(words) for label, words in found.items()} if few else {}


def legend_text(words: Mapping[Label, tuple[str, ...]]) -> str:
    """Return a legend in one line: ``p: check or fold; b: bet or call``."""
    return "; ".join(f"{label}: {one_of(texts)}" for label, texts in words.items())
