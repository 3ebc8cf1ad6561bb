"""A round of Koi-Koi in words, English or Japanese, from one player's view."""

from __future__ import annotations

from collections.abc import Iterator

from tefuda.koikoi.cards import DECK, KINDS, LANGUAGES, ids_of, month_of
from tefuda.koikoi.game import CALL, KOI, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.people.phrases import phrases
from tefuda.koikoi.rules import Score, Yaku
from tefuda.koikoi.view import read_view, replay_view
from tefuda.words import significant

_NEAR = 2  # maximum number of missing cards of a reported yaku
_LISTED = 6  # maximum number of listed cards of a yaku


class Board:
    """A round in the words of a language.

    Args:
        game: the rules.
        language: ``"en"`` or ``"ja"``.
    """

    def __init__(self, game: KoiKoi, language: str = "en") -> None:
        self.game, self.language, self.words = game, language, phrases("table", language)

    def card(self, card: int) -> str:
        """Return code and name, ``"1B pine with crane"``."""
        return f"{self.game.codes[card]} {DECK[card].name(self.language)}"

    def cards(self, mask: int) -> str:
        """Return codes and names of the cards of a mask."""
        return ", ".join(self.card(card) for card in ids_of(mask)) or self.words["nothing"]

    def pile(self, mask: int) -> str:
        """Return the codes of a mask by kind, with their counts."""
        groups = []
        for kind, names in KINDS.items():
            held = [self.game.codes[card] for card in ids_of(mask) if DECK[card].kind == kind]
            groups.append(" ".join([f"{names[LANGUAGES.index(self.language)]} {len(held)}", *held]))
        return self.words["between"].join(groups)

    def yaku(self, yaku: Yaku) -> str:
        """Return the name of a yaku."""
        return yaku.japanese if self.language == "ja" else yaku.name

    def progress(self, own: int, opponent: int, calls: int = 0) -> list[str]:
        """Return lines for the yaku of a pile, and for the yaku that lack few available cards."""
        scored = self.game.rules.scored_yaku(own, calls)
        has = ", ".join(f"{self.yaku(yaku)} {points}" for yaku, points in scored)
        near = [text for yaku in self._higher(scored) if (text := self._near(yaku, own, opponent))]
        lines = [f"  {self.words['has']}: {has}"] if has else []
        return [*lines, *([f"  {self.words['near']}: {'; '.join(near)}"] if near else [])]

    def _higher(self, scored: list[tuple[Yaku, int]]) -> Iterator[Yaku]:
        """Yield yaku that can still count besides those found: in each group, the higher ones."""
        counted, groups = {yaku.name for yaku, _ in scored}, set[str]()
        for yaku in self.game.rules.yaku:
            if yaku.name in counted and yaku.group:
                groups.add(yaku.group)
            if yaku.group not in groups:
                yield yaku

    def _near(self, yaku: Yaku, own: int, opponent: int) -> str:
        """Return the missing cards of a yaku; "" if they are many, or not available."""
        have, open_cards = (own & yaku.cards).bit_count(), yaku.cards & ~own & ~opponent & self.game.deck
        missing = yaku.need - have
        if not 0 < missing <= _NEAR or have == 0 or open_cards.bit_count() < missing or own & yaku.unless:
            return ""
        listed = " ".join(self.game.codes[card] for card in ids_of(open_cards))
        if open_cards.bit_count() == missing:
            return f"{self.yaku(yaku)} {have}/{yaku.need} ({self.words['needs'].format(listed)})"
        more = f" ({self.words['wants'].format(missing, listed)})" if open_cards.bit_count() <= _LISTED else ""
        return f"{self.yaku(yaku)} {have}/{yaku.need}{more}"

    def effect(self, field: int, card: int) -> str:
        """Return the capture of a card in words."""
        mates = [self.card(mate) for mate in ids_of(field & month_of(card))]
        if not mates:
            return self.words["stays"]
        return self.words["takes"].format((self.words["or"] if len(mates) == 2 else ", ").join(mates))

    def score(self, score: Score) -> str:
        """Return the points of a pile, step by step: yaku, their sum, calls, multipliers, points."""
        names = {yaku.name: self.yaku(yaku) for yaku in self.game.rules.yaku}
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
        """Return a number of rounds."""
        return self.words["one round" if number == 1 else "rounds"].format(number)

    def points(self, number: float) -> str:
        """Return a number of points."""
        return self.words["one point" if number == 1 else "points"].format(significant(number, 6))

    def total(self, rounds: int, won: float) -> str:
        """Return the running result, ``After 2 rounds: +5 points.``"""
        return self.words["result"].format(self.rounds(rounds), "+" * (won > 0) + self.points(won))

    def situation(self, state: Round, player: int) -> list[str]:
        """Return lines for the field and both piles, the opponent's above, before a decision."""
        words, opponent = self.words, 1 - player
        stock = state.stock.bit_count() - (self.game.hand - state.turn // 2)  # without the opponent's hand
        lines = [words["turn"].format(state.turn, self.game.turns, stock)]
        if any(state.calls):
            lines.append(words["calls made"].format(state.calls[player], state.calls[opponent]))
        lines += [f"{words['other pile']}: {self.pile(state.piles[opponent])}"]
        lines += self.progress(state.piles[opponent], state.piles[player], state.calls[opponent])
        lines += [f"{words['field']}: {self.cards(state.field)}"]
        lines += [f"{words['your pile']}: {self.pile(state.piles[player])}"]
        return lines + self.progress(state.piles[player], state.piles[opponent], state.calls[player])

    def choices(self, state: Round, player: int) -> list[str]:
        """Return numbered lines for the legal actions."""
        words = self.words
        if state.phase == KOI:
            stop = self.score(self.game.score(state, player))
            return [f"  1  {words['stop']}: {stop}", f"  2  {words['koi-koi']}"][: len(self.game.actions(state))]
        if state.phase == PLAY:
            hand = {self.game.codes[card]: card for card in reversed(ids_of(state.hands[player]))}
            cards = [hand[label] for label in self.game.actions(state)]
            lines = [f"{self.card(card)}: {self.effect(state.field, card)}" for card in cards]
            return [f"{words['your hand']}:", *(f"  {n}  {line}" for n, line in enumerate(lines, 1))]
        event = words["played" if state.phase == PLAY + 1 else "drawn"].format(self.card(state.shown))
        mates = ids_of(state.field & month_of(state.shown))
        return [f"{event} {words['which']}", *(f"  {n}  {self.card(mate)}" for n, mate in enumerate(mates, 1))]

    def story(self, view: str, player: int, turns: int = 2) -> list[str]:
        """Return lines for the last turns of a view."""
        return list(self._told(view, player))[-turns:]

    def _told(self, view: str, player: int) -> Iterator[str]:
        state, mover = replay_view(self.game, view, player).state, 1
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
        """Return a turn in words: ``the opponent played 3C1 cherry chaff: takes ...; drew ...``."""
        played, _, drawn = chunk.partition("/")
        label, _, taken = played.partition("+")
        parts = list[str]()
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
            effect = self.words["which"] if waits else self.effect(mates, card)
            field = field & ~mates if mates else field | 1 << card
            parts.append(text.format(*((self._who(mover, player),) if not parts else ()), self.card(card), effect))
        return "; ".join(parts)

    def _named(self, label: str, among: int) -> int:
        """Return the first card with a label, preferably one of a mask."""
        cards = [card for card in range(len(DECK)) if self.game.codes[card] == label and self.game.deck >> card & 1]
        return next((card for card in cards if among >> card & 1), cards[0])

    def ending(self, view: str, player: int) -> str:
        """Return the end of a round in words."""
        if view.endswith("teyaku"):
            return self.words["teyaku"]
        state = read_view(self.game, view, player)
        if not state.events.endswith(STOP) and not view.endswith(STOP):
            return self.words["exhausted"]
        return self.words["won"].format(self._who(state.mover, player), self.score(self.game.score(state, state.mover)))


def _split(text: str) -> tuple[str, str]:
    code, _, chosen = text.partition("+")
    return code, chosen
