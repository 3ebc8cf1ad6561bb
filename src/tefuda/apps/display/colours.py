"""Colours in a terminal: cards, shares of actions, links to files; none without colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tefuda.apps.display.consoles import out
from tefuda.figure import KIND_COLOURS, PAPER, SUIT_COLOURS, action_colours, ink_on
from tefuda.playing.human import print_wrapped
from tefuda.words import escaped, wrapped

_SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_KINDS = {"B": "★", "A": "○", "R": "⚑", "C": "–"}
_POKER = re.compile(r"(?<!\w)([2-9TJQKA])([shdc])(?=(?:[2-9TJQKA][shdc])?(?!\w))|(?<=[shdc])([2-9TJQKA])([shdc])(?!\w)")
_HANAFUDA = re.compile(r"(?<![\w.])((?:1[0-2]|[1-9])([BARC])[1-3]?)(?!\w)")
_CARDS = re.compile(r"[2-9TJQKA][♠♥♦♣]|(?:1[0-2]|[1-9])[BARC][1-3]?[★○⚑–]")
_COLOURS = {_SUITS[suit]: colour for suit, colour in SUIT_COLOURS.items()}
_COLOURS |= {_KINDS[kind]: colour for kind, colour in KIND_COLOURS.items()}


def colourful(console: Console) -> bool:
    """Return whether a console shows colours and symbols: a terminal, not a dumb one, without NO_COLOR."""
    return console.color_system is not None and not console.no_color and not console.options.ascii_only


def with_symbols(text: str) -> str:
    """Return text with the suits of cards as symbols, and the symbol of its kind after a hanafuda card.

    >>> with_symbols("Kc 5s"), with_symbols("1B pine with crane")
    ('K♣ 5♠', '1B★ pine with crane')
    """
    text = _POKER.sub(lambda card: (card[1] or card[3]) + _SUITS[card[2] or card[4]], text)
    return _HANAFUDA.sub(lambda card: card[1] + _KINDS[card[2]], text)


def print_cards(text: str) -> None:
    """Print text, wrapped to the terminal; in a colourful one cards have the colour of their suit or kind."""
    if not colourful(out):
        print_wrapped(text)
        return
    for line in escaped(with_symbols(text)).split("\n"):
        for row in wrapped(line, out.width):
            out.print(_coloured(row), soft_wrap=True)


def _coloured(row: str) -> Text:
    line = Text(row)
    for card in _CARDS.finditer(row):
        line.stylize(f"bold {_COLOURS[card[0][-1]]} on {PAPER}", *card.span())
    return line


def action_bar(shares: Sequence[tuple[str, float]], width: int) -> Text:
    """Return shares of actions as a bar: a part of each action, in its colour and with its initial letter.

    Args:
        shares: names of the actions and their shares, in the game's order.
        width: number of characters.
    """
    bar, fills, total, end = Text(), action_colours([name for name, _ in shares]), 0.0, 0
    for (name, share), fill in zip(shares, fills, strict=True):
        total += share
        start, end = end, round(total * width)
        bar.append(f"{name[:1].upper():{end - start}}"[: end - start], f"{ink_on(fill)} on {fill}")
    return bar


def file_link(text: str, path: str | Path) -> str | Text:
    """Return text that opens a file or a folder by a click, where the terminal can."""
    if not colourful(out):
        return text
    return Text(text, f"link {Path(path).resolve().as_uri()}", no_wrap=True, overflow="ignore")
