"""Notes of agents before play, and their fallbacks after it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tefuda.words import count, escaped


def print_notes(agents: Iterable[Any]) -> None:
    """Print the notes of agents to the standard error stream, each once."""
    for note in dict.fromkeys(getattr(agent, "note", "") for agent in agents):
        if note:
            print(escaped(note), file=sys.stderr)


def print_fallbacks(agents: Iterable[Any]) -> None:
    """Print how often agents used fallbacks, by the names of agents; nothing without any."""
    by_name: dict[str, Counter[str]] = {}
    for agent in {id(agent): agent for agent in agents}.values():
        by_name.setdefault(agent.name, Counter()).update(getattr(agent, "fallbacks", {}))
    for name, fallbacks in by_name.items():
        if fallbacks:
            parts = [f"{reason} {times:,}" for reason, times in fallbacks.most_common()]
            text = f"{name}: {count(fallbacks.total(), 'fallbacks')} ({', '.join(parts)})"
            print(escaped(text), file=sys.stderr)
