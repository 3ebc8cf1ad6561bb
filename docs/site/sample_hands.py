"""Made-up hands with which the page Hands can be tried: ``src/tefuda/apps/web/sample_hands.txt``.

``python -m docs.site.sample_hands`` writes it: six agents play by the equity of their cards, and each is looser or
bolder than the next. No person played these hands.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from tefuda.apps.web.own_hands import SAMPLE
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import CALL, FOLD, Hand
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.whole import Holdem, holdem
from tefuda.holdem.histories.record import best_cards

HANDS, SEED, _SAMPLES = 120, 33, 200
_BIG = 10  # cents
_STREETS = ("FLOP", "TURN", "RIVER")
_BOARD = (3, 4, 5)


class Player(NamedTuple):
    """A made-up player: the equity that it asks for beyond the odds, and its share of bets."""

    name: str
    care: float
    boldness: float


PLAYERS = (
    Player("Ash", 0.05, 0.6), Player("Birch", -0.04, 0.3), Player("Cedar", 0.02, 0.5), Player("Dahlia", -0.08, 0.2),
    Player("Elm", 0.06, 0.4), Player("Fern", 0.0, 0.7),
)  # fmt: skip


def money(cents: int) -> str:
    """Return an amount as rooms write it."""
    return f"${cents / 100:.2f}"


def act(game: Holdem, state: Hand, who: Player, draw: random.Random) -> str:
    """Return the action of a player: by its equity against one or two random hands."""
    choices, first = game.choices(state), state.wagers.street == 0
    rivals = min(len(state.wagers.live) - 1, 2)
    share = pot_share(state.hole(state.wagers.mover), state.board, rivals, _SAMPLES, draw.getrandbits(50))
    fair = 1 / (rivals + 1)
    amounts = {label: chips for label, chips in game.amounts(state).items() if label != "a" or share > 2.2 * fair}
    wants = share > (1.22 if first else 1.3) * fair + who.care / 2 and draw.random() < who.boldness + 0.3
    if amounts and (wants or (not choices.facing_bet and draw.random() < who.boldness / 8)):
        return sorted(amounts, key=lambda label: amounts[label])[0 if first or draw.random() < 0.6 else -1]
    if not choices.facing_bet:
        return CALL
    needed = game.pot_odds(state) + who.care + (0.02 if first else 0.16)
    return CALL if share > needed else FOLD


def play(game: Holdem, number: int, draw: random.Random) -> Iterator[str]:
    """Yield the lines of a hand."""
    order = PLAYERS[number % 6 :] + PLAYERS[: number % 6]  # in the order of the rules: the small blind first
    state, cards = game.root(), [card_text(card) for card in draw.sample(range(52), 17)]
    for card in cards[:12]:
        state = game.child(state, card)
    stacks, hero = game.rules.stacks, next(place for place, who in enumerate(order) if who.name == "Ash")
    start = datetime(2026, 11, 2, 20) + timedelta(days=number // 40, minutes=2 * (number % 40))
    yield f"Tefuda Hand #{1001 + number}: Hold'em No Limit ($0.05/$0.10 USD) - {start:%Y/%m/%d %H:%M:%S} ET"
    yield f"Table 'Sample' 6-max Seat #{PLAYERS.index(order[-1]) + 1} is the button"
    for seat, who in enumerate(PLAYERS, 1):
        yield f"Seat {seat}: {who.name} ({money(stacks[order.index(who)])} in chips)"
    yield f"{order[0].name}: posts small blind $0.05"
    yield f"{order[1].name}: posts big blind $0.10"
    yield f"*** HOLE CARDS ***\nDealt to Ash [{' '.join(cards[2 * hero : 2 * hero + 2])}]"
    board = cards[12:]
    while not state.wagers.is_over:
        if state.wagers.mover < 0:
            known = _BOARD[state.wagers.street]
            for card in board[len(state.board) : known]:
                state = game.child(state, card)
            before, new = board[: known - 1 if known > 3 else 0], board[known - 1 : known] if known > 3 else board[:3]
            first = f" [{' '.join(before)}]" if before else ""
            yield f"*** {_STREETS[state.wagers.street - 1]} ***{first} [{' '.join(new)}]"
            continue
        who = order[state.wagers.mover]
        label = act(game, state, who, draw)
        after = game.child(state, label)
        yield f"{who.name}: {said(state, after, label)}"
        state = after
    yield from ending(game, state, order)


def said(state: Hand, after: Hand, label: str) -> str:
    """Return an action in words."""
    mover = state.wagers.mover
    chips, high = after.wagers.bets[mover] - state.wagers.bets[mover], max(state.wagers.bets)
    if after.wagers.street != state.wagers.street or after.wagers.mover < 0:
        chips = state.wagers.stacks[mover] - after.wagers.stacks[mover]
    end = "" if after.wagers.stacks[mover] or label == FOLD else " and is all-in"
    if label == FOLD:
        return "folds"
    if label == CALL:
        return f"calls {money(chips)}{end}" if chips else "checks"
    total = state.wagers.bets[mover] + chips
    return f"raises {money(total - high)} to {money(total)}{end}" if high else f"bets {money(chips)}{end}"


def ending(game: Holdem, state: Hand, order: tuple[Player, ...]) -> Iterator[str]:
    """Yield the lines of the showdown and the summary; the room takes 5 % of a pot that saw the flop."""
    rules, wagers, live = game.rules, state.wagers, state.wagers.live
    called = rules.called(wagers)
    paid = [before - after for before, after in zip(rules.stacks, wagers.stacks, strict=True)]
    for player, chips in enumerate(paid):
        if chips > called[player]:
            yield f"Uncalled bet ({money(chips - called[player])}) returned to {order[player].name}"
    if len(live) > 1:
        yield "*** SHOW DOWN ***"
        for player in live:
            yield f"{order[player].name}: shows [{' '.join(map(card_text, state.hole(player)))}]"
    total = sum(called)
    rake = total // 20 if state.board else 0
    best = best_cards({player: state.hole(player) for player in live}, state.board)
    payoffs = rules.payoffs(wagers, [best.get(player, 0) for player in range(rules.players)])
    won = [chips + paid for chips, paid in zip(payoffs, called, strict=True)]
    won[won.index(max(won))] -= rake
    for player, chips in enumerate(won):
        if chips:
            yield f"{order[player].name} collected {money(chips)} from pot"
    yield f"*** SUMMARY ***\nTotal pot {money(total)} | Rake {money(rake)}"
    if state.board:
        yield f"Board [{' '.join(map(card_text, state.board))}]"
    for seat, who in enumerate(PLAYERS, 1):
        yield f"Seat {seat}: {who.name} {'folded' if order.index(who) not in live else 'played'}"


def sample() -> str:
    """Return the text of all hands."""
    draw = random.Random(SEED)
    texts = []
    for number in range(HANDS):
        stacks = [draw.choice((600, 850, 1000, 1000, 1240)) for _ in PLAYERS]
        game = holdem(6, blinds=(5, _BIG), stacks=stacks, bets="33%,75%,a", raises="60%,a")
        texts.append("\n".join(play(game, number, draw)))
    return "\n\n\n".join(texts) + "\n"


if __name__ == "__main__":
    SAMPLE.write_text(sample(), encoding="utf-8")
