"""A round of Koi-Koi in words, English or Japanese, as one player sees it: piles, progress of yaku, what cards take."""

from __future__ import annotations

from collections.abc import Iterator

from tefuda.koikoi.cards import DECK, KINDS, ids_of, month_of
from tefuda.koikoi.game import CALL, KOI, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.people.phrases import phrases
from tefuda.koikoi.rules import Score, Yaku
from tefuda.koikoi.sight import read_match, read_sight
from tefuda.words import brief

_KIND_NAMES = {"en": 0, "ja": 1}
_NEAR = 2  # cards that are missing at most for a yaku to be told
_LISTED = 6  # cards of a yaku that are told one by one at most


class Board:
    """Words for a round.

    Args:
        game: its rules and cards.
        language: ``"en"`` or ``"ja"``.
    """

    def __init__(self, game: KoiKoi, language: str = "en") -> None:
        self.game, self.language, self.words = game, language, phrases("table", language)

    def card(self, card: int) -> str:
        """Code and name, ``"1B pine with crane"``."""
        return f"{self.game.codes[card]} {DECK[card].name(self.language)}"

    def cards(self, mask: int) -> str:
        """Codes and names of the cards of a mask."""
        return ", ".join(self.card(card) for card in ids_of(mask)) or self.words["nothing"]

    def pile(self, mask: int) -> str:
        """Codes grouped by kind, with how many there are."""
        groups = []
        for kind, names in KINDS.items():
            held = [self.game.codes[card] for card in ids_of(mask) if DECK[card].kind == kind]
            groups.append(" ".join([f"{names[_KIND_NAMES[self.language]]} {len(held)}", *held]))
        return self.words["between"].join(groups)

    def yaku(self, one: Yaku) -> str:
        """The name of a yaku."""
        return one.japanese if self.language == "ja" else one.name

    def progress(self, own: int, other: int, calls: int = 0) -> list[str]:
        """The yaku a pile has, and those that want few cards which the other has not taken."""
        found = self.game.rules.found(own, calls)
        has = ", ".join(f"{self.yaku(one)} {points}" for one, points in found)
        near = [text for one in self._higher(found) if (text := self._near(one, own, other))]
        lines = [f"  {self.words['has']}: {has}"] if has else []
        return [*lines, *([f"  {self.words['near']}: {'; '.join(near)}"] if near else [])]

    def _higher(self, found: list[tuple[Yaku, int]]) -> Iterator[Yaku]:
        """Yaku that could still count beside those found: of a group that excludes each other, the higher ones."""
        counted, met = {one.name for one, _ in found}, set[str]()
        for one in self.game.rules.yaku:
            if one.name in counted and one.group:
                met.add(one.group)
            if one.group not in met:
                yield one

    def _near(self, one: Yaku, own: int, other: int) -> str:
        """What a yaku still wants; nothing if that is much, or cannot be had."""
        have, open_cards = (own & one.cards).bit_count(), one.cards & ~own & ~other & self.game.deck
        missing = one.need - have
        if not 0 < missing <= _NEAR or have == 0 or open_cards.bit_count() < missing or own & one.unless:
            return ""
        listed = " ".join(self.game.codes[card] for card in ids_of(open_cards))
        if open_cards.bit_count() == missing:
            return f"{self.yaku(one)} {have}/{one.need} ({self.words['needs'].format(listed)})"
        more = f" ({self.words['wants'].format(missing, listed)})" if open_cards.bit_count() <= _LISTED else ""
        return f"{self.yaku(one)} {have}/{one.need}{more}"

    def effect(self, field: int, card: int) -> str:
        """What a card would take."""
        mates = [self.card(mate) for mate in ids_of(field & month_of(card))]
        if not mates:
            return self.words["stays"]
        return self.words["takes"].format((self.words["or"] if len(mates) == 2 else ", ").join(mates))

    def score(self, score: Score) -> str:
        """What a pile is worth, step by step: yaku, their sum, calls, multipliers, points."""
        names = {one.name: self.yaku(one) for one in self.game.rules.yaku}
        parts = [f"{names[name]} {points}" for name, points in score.yaku]
        if len(parts) > 1:
            parts.append(self.words["base"].format(score.base))
        if score.bonus != score.base:
            parts.append(self.words["bonus"].format(score.bonus))
        for option, factor in score.factors:
            why = self.words[option].format(getattr(self.game.rules.payment, option))
            parts.append(self.words["times"].format(factor, why))
        return f"{', '.join(parts)} = {self.points(score.points)}"

    def rounds(self, number: int) -> str:
        """A number of rounds."""
        return self.words["one round" if number == 1 else "rounds"].format(number)

    def points(self, number: float) -> str:
        """A number of points."""
        return self.words["one point" if number == 1 else "points"].format(brief(number, 6))

    def total(self, rounds: int, won: float) -> str:
        """The running result, ``After 2 rounds: +5 points.``"""
        return self.words["result"].format(self.rounds(rounds), "+" * (won > 0) + self.points(won))

    def situation(self, state: Round, player: int) -> list[str]:
        """What lies open, the other's above and one's own below."""
        words, other, left = self.words, 1 - player, self._stock(state)
        lines = [words["turn"].format(state.turn, self.game.turns, left)]
        if any(state.calls):
            lines.append(words["calls made"].format(state.calls[player], state.calls[other]))
        lines += [f"{words['other pile']}: {self.pile(state.piles[other])}"]
        lines += self.progress(state.piles[other], state.piles[player], state.calls[other])
        lines += [f"{words['field']}: {self.cards(state.field)}"]
        lines += [f"{words['your pile']}: {self.pile(state.piles[player])}"]
        return lines + self.progress(state.piles[player], state.piles[other], state.calls[player])

    def _stock(self, state: Round) -> int:
        """Cards in the stock where a player decides."""
        dealt = self.game.deck.bit_count() - 2 * self.game.hand - self.game.field - self.game.open_field.bit_count()
        before = state.turn - 1 if state.phase in (PLAY, PLAY + 1) else state.turn
        return max(0, dealt - before)

    def choices(self, state: Round, player: int) -> list[str]:
        """What may be done, a line each, numbered; for one who must choose a card or say koi-koi."""
        words = self.words
        if state.phase == KOI:
            stop = self.score(self.game.score(state, player))
            return [f"  1  {words['stop']}: {stop}", f"  2  {words['koi-koi']}"][: len(self.game.actions(state))]
        if state.phase == PLAY:
            hand = {self.game.codes[card]: card for card in reversed(ids_of(state.hands[player]))}
            cards = [hand[label] for label in self.game.actions(state)]
            told = [f"{self.card(card)}: {self.effect(state.field, card)}" for card in cards]
            return [f"{words['your hand']}:", *(f"  {n}  {line}" for n, line in enumerate(told, 1))]
        said = words["played" if state.phase == PLAY + 1 else "drawn"].format(self.card(state.shown))
        mates = ids_of(state.field & month_of(state.shown))
        return [f"{said} {words['which']}", *(f"  {n}  {self.card(mate)}" for n, mate in enumerate(mates, 1))]

    def story(self, view: str, player: int, turns: int = 2) -> list[str]:
        """What happened in the last turns, from a view."""
        return list(self._told(view, player))[-turns:]

    def _told(self, view: str, player: int) -> Iterator[str]:
        state, mover = read_match(self.game, view, player).state, 1
        fields = [*(play.field for play in state.plays), state.field]  # before each turn
        for chunk in view.rpartition("|")[2].split(" ")[1:]:
            if chunk in (STOP, CALL):
                yield self.words["stops" if chunk == STOP else "calls"].format(self._who(mover, player))
                continue
            mover = 1 - mover
            yield self._turn(fields.pop(0), chunk, mover, player)

    def _who(self, mover: int, player: int) -> str:
        return self.words["you" if mover == player else "other"]

    def _turn(self, field: int, chunk: str, mover: int, player: int) -> str:
        """A turn in words: ``the other plays 3C1 cherry chaff: takes ...; draws ...``."""
        played, _, drawn = chunk.partition("/")
        label, _, taken = played.partition("+")
        told = list[str]()
        for text, code, chosen in ((self.words["plays"], label, taken), (self.words["draws"], *_split(drawn))):
            if not code:
                continue
            card = self._named(code, ~field)
            mates = field & month_of(card)
            if mates.bit_count() == 2 and chosen:
                mates = 1 << self._named(chosen, mates)
            elif mates.bit_count() == 2 and self.game.merged:
                mates &= -mates
            waits = mates.bit_count() == 2
            what = self.words["which"] if waits else self.effect(mates, card)
            field = field & ~mates if mates else field | 1 << card
            told.append(text.format(*((self._who(mover, player),) if not told else ()), self.card(card), what))
        return "; ".join(told)

    def _named(self, label: str, among: int) -> int:
        """The first card with a label, of those of a mask if there is one."""
        cards = [card for card in range(len(DECK)) if self.game.codes[card] == label and self.game.deck >> card & 1]
        return next((card for card in cards if among >> card & 1), cards[0])

    def ending(self, view: str, player: int) -> str:
        """How a round ended: who won by what."""
        if view.endswith("teyaku"):
            return self.words["teyaku"]
        state = read_sight(self.game, view, player)
        if not state.events.endswith(STOP) and not view.endswith(STOP):
            return self.words["exhausted"]
        return self.words["won"].format(self._who(state.mover, player), self.score(self.game.score(state, state.mover)))


def _split(text: str) -> tuple[str, str]:
    code, _, chosen = text.partition("+")
    return code, chosen
