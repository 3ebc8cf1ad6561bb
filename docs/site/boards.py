"""Pictures of games: a chart of starting hands, and a table of Koi-Koi."""

from __future__ import annotations

import random

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

import tefuda as td
from tefuda.figure import ACTION_COLOURS, GRID, INK, LINE, QUIET, RED
from tefuda.holdem import make_spot
from tefuda.holdem.cards import CLASS_OF, CLASSES
from tefuda.koikoi.cards import BY_CODE, DECK, ids_of
from tefuda.koikoi.people.board import Board
from tefuda.koikoi.people.card_faces import BACK, card_sprite
from tefuda.koikoi.view import read_view

RANKS = "AKQJT98765432"
ACTIONS = {"Check": ACTION_COLOURS["check"], "Bet(50)": ACTION_COLOURS["bet"], "AllIn(200)": ACTION_COLOURS["all-in"]}
WORDS = {"Check": "check", "Bet(50)": "bet 50, half of the pot", "AllIn(200)": "all-in"}
WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,75s+,65s,54s,A8o+,KTo+,QTo+,JTo"
WIDE, TALL, MARGIN, LABELS = 72, 118, 12, 104  # pixels of a card, between cards, and of the names of rows
FRAME = f'rx="9" fill="none" stroke="{RED}" stroke-width="4"'


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


def koikoi() -> str:
    """Return the first decision of a round of Koi-Koi, as the dealer sees it, as an SVG document."""
    game, rng = td.load_game("koikoi"), random.Random(3)
    state = game.root()
    while game.player(state) == td.CHANCE:
        state = game.child(state, game.draw(state, rng.random)[0])
    facts = Board(game).facts(read_view(game, game.view(state, 0), 0), 0)
    takes = [card for card in ids_of(facts.hand) if facts.captures[card][0].taken]
    rows = (
        ("opponent", [BACK] * facts.opponent.hand),
        ("field", _codes(facts.field)),
        ("your hand", _codes(facts.hand)),
    )
    drawn = list[str]()
    for row, (name, cards) in enumerate(rows):
        y = MARGIN + row * (TALL + 2 * MARGIN)
        drawn.append(f'<text x="{LABELS - MARGIN}" y="{y + TALL / 2}" text-anchor="end">{name}</text>')
        for place, card in enumerate(cards):
            x = LABELS + place * (WIDE + MARGIN)
            if row == 2 and BY_CODE[card].id in takes:
                drawn.append(f'<rect x="{x - 4}" y="{y - 4}" width="{WIDE + 8}" height="{TALL + 8}" {FRAME}/>')
            drawn.append(f'<use href="#{card}" x="{x}" y="{y}" width="{WIDE}" height="{TALL}"/>')
    bottom = 3 * (TALL + 2 * MARGIN)
    drawn.append(f'<text x="{LABELS}" y="{bottom + MARGIN}">framed: takes a card of the same month</text>')
    wide, tall = LABELS + 8 * (WIDE + MARGIN) + MARGIN, bottom + 3 * MARGIN
    ground = f'<rect width="{wide}" height="{tall}" rx="12" fill="{GRID}"/>'
    table = f'{ground}<g font-family="sans-serif" font-size="15" fill="{INK}">{"".join(drawn)}</g></svg>\n'
    sprite = card_sprite().replace("<svg ", f'<svg viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" ', 1)
    return sprite.removesuffix("</svg>") + table


def _codes(mask: int) -> list[str]:
    return [DECK[card].code for card in ids_of(mask)]
