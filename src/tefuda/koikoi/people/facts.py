"""A round of Koi-Koi as data, from one player's view: captures, progress of yaku, piles, turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tefuda.koikoi.cards import DECK, KINDS, ids_of, mask_of, month_of, read_cards
from tefuda.koikoi.game import CALL, END, PICK_DRAW, PICK_HAND, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.rules import KoiKoiRules, Score, Yaku, is_teyaku
from tefuda.koikoi.view import read_view

COMPLETE, OPEN, IMPOSSIBLE, REPLACED = "complete", "open", "impossible", "replaced"


class Capture(NamedTuple):
    """One way to settle a card.

    Attributes:
        card: id of the card.
        taken: mask of the captured field cards; 0: the card stays on the field.
        completes: yaku that the pile gains or that gain points, with their points.
    """

    card: int
    taken: int
    completes: tuple[tuple[Yaku, int], ...]


class Progress(NamedTuple):
    """The progress of a pile to a yaku.

    Attributes:
        yaku: the yaku.
        have: number of its cards in the pile.
        missing: mask of its cards in neither pile.
        points: its points; 0 unless it is complete.
        status: COMPLETE, OPEN, IMPOSSIBLE (not enough cards are left), or REPLACED (a higher yaku of
            its group counts).
    """

    yaku: Yaku
    have: int
    missing: int
    points: int
    status: str

    @property
    def lacks(self) -> int:
        """Number of cards that the pile still needs."""
        return max(0, self.yaku.need - self.have)


class Side(NamedTuple):
    """One player's part of the table.

    Attributes:
        hand: number of cards in hand.
        pile: mask of the captured cards.
        calls: number of calls of koi-koi.
        progress: progress to each yaku, in the order of the rules.
        score: points for stopping now.
    """

    hand: int
    pile: int
    calls: int
    progress: tuple[Progress, ...]
    score: Score


class BoardFacts(NamedTuple):
    """A round as its player knows it.

    Attributes:
        turn: number of the turn, from 1.
        turns: number of turns of a round.
        stock: number of cards in the stock.
        field: mask of the field.
        hand: mask of the player's hand.
        shown: id of the card being settled; -1 if none.
        captures: ways to settle each card of the hand, or the card being settled.
        own: the player's side.
        opponent: the opponent's side.
    """

    turn: int
    turns: int
    stock: int
    field: int
    hand: int
    shown: int
    captures: dict[int, tuple[Capture, ...]]
    own: Side
    opponent: Side


class Settled(NamedTuple):
    """A card that was played or drawn.

    Attributes:
        card: id of the card.
        taken: mask of the captured field cards; 0: it stays on the field.
        waits: whether the player still picks one of two cards.
    """

    card: int
    taken: int
    waits: bool


class Turn(NamedTuple):
    """A turn, or a decision between koi-koi and stop.

    Attributes:
        mover: the player.
        played: the card from the hand; None for a decision.
        drawn: the card from the stock; None before the draw, and without a stock.
        decision: STOP, CALL, or "".
    """

    mover: int
    played: Settled | None = None
    drawn: Settled | None = None
    decision: str = ""


class Ending(NamedTuple):
    """The end of a round.

    Attributes:
        reason: ``"stop"``, ``"exhausted"``, or ``"teyaku"``.
        winner: the player who gets points; None if no points are paid.
        points: points to the winner.
        score: the winner's points, step by step; None unless they are paid for yaku.
    """

    reason: str
    winner: int | None
    points: int
    score: Score | None = None


def board_facts(game: KoiKoi, state: Round, player: int) -> BoardFacts:
    """Return a round, as its player knows it (`read_view`), as data."""
    pending = state.phase in (PICK_HAND, PICK_DRAW) and state.mover == player
    cards = (state.shown,) if pending else ids_of(state.hands[player])
    captures = {card: tuple(_captures(game, state, player, card)) for card in cards}
    sides = [
        Side(
            _hand_size(game, state, seat),
            state.piles[seat],
            state.calls[seat],
            progress(game.rules, game.deck, state.piles[seat], state.piles[1 - seat], state.calls[seat]),
            game.score(state, seat),
        )
        for seat in (player, 1 - player)
    ]
    stock = state.stock.bit_count() - sides[1].hand  # a player's view counts the opponent's hand as stock
    return BoardFacts(
        state.turn, game.turns, stock, state.field, state.hands[player], state.shown if pending else -1, captures,
        *sides,
    )  # fmt: skip


def _hand_size(game: KoiKoi, state: Round, seat: int) -> int:
    """Return the number of cards in a hand, from the turns alone."""
    turns_over = state.turn // 2 if seat == 0 else (state.turn - 1) // 2
    return game.hand - turns_over - (state.mover == seat and state.phase > PLAY)


def _captures(game: KoiKoi, state: Round, player: int, card: int) -> Iterator[Capture]:
    rules, pile, calls = game.rules, state.piles[player], state.calls[player]
    before = {yaku.name: points for yaku, points in rules.scored_yaku(pile, calls)}
    for taken in game.captures(state.field, card):
        after = rules.scored_yaku(pile | taken | 1 << card, calls) if taken else []
        yield Capture(card, taken, tuple((yaku, won) for yaku, won in after if won > before.get(yaku.name, 0)))


def progress(rules: KoiKoiRules, deck: int, own: int, opponent: int, calls: int = 0) -> tuple[Progress, ...]:
    """Return the progress of a pile to each yaku.

    Args:
        rules: the rules.
        deck: mask of all cards.
        own: mask of the pile.
        opponent: mask of the opponent's pile.
        calls: number of calls of the pile's owner.
    """
    scored = {yaku.name: points for yaku, points in rules.scored_yaku(own, calls)}
    steps, groups = list[Progress](), set[str]()
    for yaku in rules.yaku:
        have, missing = (own & yaku.cards).bit_count(), yaku.cards & ~own & ~opponent & deck
        if yaku.name in scored:
            status = COMPLETE
            groups |= {yaku.group} if yaku.group else set()
        elif yaku.group in groups:
            status = REPLACED
        else:
            reachable = have + missing.bit_count() >= yaku.need and not own & yaku.unless
            status = OPEN if reachable else IMPOSSIBLE
        steps.append(Progress(yaku, have, missing, scored.get(yaku.name, 0), status))
    return tuple(steps)


def cards_by_kind(mask: int) -> dict[str, tuple[int, ...]]:
    """Return the cards of a mask by kind: bright, animal, ribbon, chaff."""
    return {kind: tuple(card for card in ids_of(mask) if DECK[card].kind == kind) for kind in KINDS}


def turns_of(game: KoiKoi, view: object, player: int) -> Iterator[Turn]:
    """Yield the turns and decisions of a view, in order."""
    text = str(view)
    state, mover = read_view(game, view, player), 1
    fields = [*(play.field for play in state.plays), state.field]  # before each turn
    for event in text.rpartition("|")[2].split(" ")[1:]:
        if event in (STOP, CALL):
            yield Turn(mover, decision=event)
            continue
        mover, field, settled = 1 - mover, fields.pop(0), list[Settled]()
        for part in filter(None, event.split("/")):
            settled.append(_settled(game, field, part))
            card, taken, _ = settled[-1]
            field = field & ~taken if taken else field | 1 << card
        yield Turn(mover, settled[0], settled[1] if len(settled) > 1 else None)


def ending_of(game: KoiKoi, view: object, player: int) -> Ending | None:
    """Return the end of a round from a view; None before the end."""
    text = str(view)
    if text.endswith("teyaku"):
        hand, _, _ = text.split("|")
        own = is_teyaku(mask_of(read_cards(hand)))
        return Ending("teyaku", player if own else 1 - player, game.rules.dealing.teyaku)
    state = read_view(game, view, player)
    if state.phase != END:
        return None
    if not state.events.endswith(STOP):
        winner = None if not state.points else int(state.points < 0)
        paid = game.rules.higher_yaku(state.piles, state.calls)
        return Ending("exhausted", winner, abs(state.points), None if paid is None else game.score(state, paid))
    score = game.score(state, state.mover)
    return Ending("stop", state.mover, score.points, score)


def _settled(game: KoiKoi, field: int, event: str) -> Settled:
    """Return a card settled on a field, from ``"1C1"`` or ``"1C1+1B"``."""
    label, _, chosen = event.partition("+")
    card = _card(game, label, ~field)
    captures = game.captures(field, card)
    if chosen:
        return Settled(card, 1 << _card(game, chosen, field & month_of(card)), False)
    return Settled(card, captures[0] if len(captures) == 1 else 0, len(captures) > 1)


def _card(game: KoiKoi, label: str, among: int) -> int:
    """Return the first card with a label, preferably one of a mask."""
    cards = [card for card in ids_of(game.deck) if game.codes[card] == label]
    return next((card for card in cards if among >> card & 1), cards[0])
