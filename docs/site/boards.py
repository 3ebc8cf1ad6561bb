"""Pictures of games: a chart of starting hands, and a table of Koi-Koi."""

from __future__ import annotations

import random

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

import tefuda as td
from tefuda.figure import ACTION_COLOURS, GRID, INK, LINE, QUIET, SHADES
from tefuda.holdem import make_spot
from tefuda.holdem.cards import CLASS_OF, CLASSES

RANKS = "AKQJT98765432"
ACTIONS = {"Check": ACTION_COLOURS["check"], "Bet(50)": ACTION_COLOURS["bet"], "AllIn(200)": ACTION_COLOURS["all-in"]}
WORDS = {"Check": "check", "Bet(50)": "bet 50, half of the pot", "AllIn(200)": "all-in"}
WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,75s+,65s,54s,A8o+,KTo+,QTo+,JTo"
KINDS = {"B": ("bright", SHADES[1]), "A": ("animal", SHADES[2]), "R": ("ribbon", SHADES[3]), "C": ("chaff", GRID)}
MONTHS = (
    "pine", "plum", "cherry", "wisteria", "iris", "peony", "bush clover", "pampas", "chrysanthemum", "maple", "willow",
    "paulownia",
)  # fmt: skip


def spot(axes: Axes) -> None:
    """Strategy of the first player at the root of a turn spot, by class of hands."""
    solution = td.solve(make_spot("Qs Jh 2h 8d", 100, 200, WIDE, WIDE, "50%,a", "a"), until=0.3)
    shares, reach = solution.strategy.probabilities(""), solution.strategy.reach("")[0]
    for number, name in enumerate(CLASSES):
        column, row = RANKS.index(name[0]), RANKS.index(name[1])
        if name.endswith("s") or len(name) == 2:
            column, row = row, column
        hands = number == CLASS_OF
        weight = reach[hands].sum()
        if weight > 0:
            start = 0.0
            for action, colour in ACTIONS.items():
                share = float(np.nansum(shares[action][hands] * reach[hands]) / weight)
                axes.add_patch(Rectangle((column + start, row), share, 1, color=colour, linewidth=0))
                start += share
        axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=1))
        axes.text(column + 0.5, row + 0.5, name, ha="center", va="center", fontsize=7.5,
                  color=INK if weight > 0 else LINE)  # fmt: skip
    often = {action: share for action, share in solution.strategy.frequencies("").items() if share > 0.01}
    for place, action in enumerate(often):
        colour = ACTIONS[action]
        axes.add_patch(Rectangle((13.6, 1 + 1.3 * place), 0.8, 0.8, color=colour, linewidth=0))
        axes.text(14.7, 1.4 + 1.3 * place, f"{WORDS[action]}: {often[action]:.0%}", va="center")
    axes.text(13.6, 4.5, "above the diagonal: suited\nbelow: offsuit\ngrey: not in the range", va="top", color=QUIET)
    axes.set(xlim=(0, 20), ylim=(13, 0), aspect="equal")
    axes.axis("off")


def koikoi(axes: Axes) -> None:
    """The first decision of a round of Koi-Koi, as the dealer sees it."""
    game, rng = td.load_game("koikoi"), random.Random(3)
    state = game.root()
    while game.player(state) == td.CHANCE:
        state = game.child(state, game.draw(state, rng.random)[0])
    hand, field = (text.split() for text in str(game.view(state, 0)).split("|")[:2])
    months = {month_of(card) for card in field}
    for name, y, cards in (("opponent", 2.5, [""] * 8), ("field", 1.25, field), ("your hand", 0, hand)):
        axes.text(-0.15, y + 0.5, name, ha="right", va="center", color=QUIET)
        for place, card in enumerate(cards):
            _card(axes, place, y, card, name == "your hand" and month_of(card) in months)
    axes.text(0, -0.25, "thick border: takes a card of the same month from the field", color=QUIET, fontsize=9)
    axes.set(xlim=(-1.4, 8), ylim=(-0.45, 3.6))
    axes.axis("off")


def month_of(card: str) -> str:
    """Return the month of a card's code: 10 of 10C2."""
    return card[: min(card.find(letter) for letter in KINDS if letter in card)]


def _card(axes: Axes, place: int, y: float, card: str, matches: bool) -> None:
    """Draw a card; an empty code is a back."""
    letter = next((letter for letter in KINDS if letter in card), "")
    kind, colour = KINDS.get(letter, ("", QUIET))
    axes.add_patch(FancyBboxPatch((place + 0.08, y), 0.78, 1, boxstyle="round,pad=0,rounding_size=0.08",
                                  facecolor=colour, edgecolor=INK, linewidth=2.6 if matches else 0.6))  # fmt: skip
    if card:
        month = MONTHS[int(month_of(card)) - 1]
        for text, up, size in ((card, 0.78, 9), (month, 0.45, 8 if len(month) < 10 else 6.5), (kind, 0.18, 8)):
            axes.text(place + 0.47, y + up, text, ha="center", va="center", fontsize=size, color=INK)
