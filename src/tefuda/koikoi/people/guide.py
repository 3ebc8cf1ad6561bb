"""The page of rules for a set of options, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tefuda.errors import check_choice
from tefuda.koikoi.cards import DECK, KINDS, LANGUAGES, codes_of, ids_of
from tefuda.koikoi.people.phrases import phrases
from tefuda.koikoi.rules import KoiKoiRules, Yaku


def guide(rules: KoiKoiRules, language: str = "en") -> str:
    """Return the page of rules, as Markdown.

    Args:
        rules: the rules to describe.
        language: ``"en"`` or ``"ja"``.

    Raises:
        ParameterError: an unknown language.

    >>> from tefuda.koikoi import find_rules
    >>> print(guide(find_rules("no_sake")).splitlines()[0])
    # Koi-Koi
    """
    check_choice("language", language, LANGUAGES)
    return _Page(rules, language).text()


class _Page:
    """The page of one set of options in one language."""

    def __init__(self, rules: KoiKoiRules, language: str) -> None:
        self.rules, self.language, self.words = rules, language, phrases("guide", language)

    def text(self) -> str:
        words = self.words
        parts = [
            words["title"],
            words["cards"],
            _table(words["months"].split("|"), self._months()),
            self._joined(words["deal"], *self._dealing()),
            words["turn"],
            self._joined(words["rise weather" if self.rules.points.weather else "rise"], *self._calling()),
            words["yaku"],
            _table(words["columns"].split("|"), (self._row(yaku) for yaku in self.rules.for_month(1).yaku)),
            self._joined(words["bright"], *([words["growing"]] if self.rules.points.growing else [])),
            words["points"],
            "\n".join(f"{number}. {line}" for number, line in enumerate(self._scoring(), 1)),
            words["match"],
            self._joined(*self._match()),
        ]
        return "\n\n".join(parts) + "\n"

    def _joined(self, *sentences: str) -> str:
        return self.words["space"].join(sentences)

    def _months(self) -> Iterator[list[str]]:
        for month in range(1, 13):
            cards = [card for card in DECK if card.month == month]
            cells = [", ".join(self._named(card.id) for card in cards if card.kind == kind) for kind in KINDS]
            yield [f"{month} {self.words['plants'].split('|')[month - 1]}", *cells]

    def _named(self, number: int) -> str:
        """Return the code of a card and its picture; only the code for chaff that shows only its plant."""
        card = DECK[number]
        if self.language == "ja":
            return card.code if card.kind == "C" else f"{card.code} {card.japanese}"
        return card.code if card.english.endswith("chaff") else f"{card.code} {card.english.rpartition(' with ')[2]}"

    def _dealing(self) -> Iterator[str]:
        dealing = self.rules.dealing
        if dealing.teyaku:
            yield self.words["lucky"].format(self._points(dealing.teyaku))
            yield self.words[f"both {dealing.both_teyaku}"]
        if reasons := [self.words[reason] for reason in dealing.redeal]:
            yield self.words["redeal"].format(self.words["or"].join(reasons))

    def _calling(self) -> Iterator[str]:
        most = self.rules.max_koikoi
        if most == 0:
            yield self.words["no call"]
            return
        yield self.words["last card"]
        if most is not None:
            yield self.words["one call" if most == 1 else "calls"].format(most)

    def _row(self, yaku: Yaku) -> list[str]:
        name = [yaku.japanese] if self.language == "ja" else [yaku.name, yaku.japanese]
        return [*name, self._cards(yaku), self._worth(yaku)]

    def _cards(self, yaku: Yaku) -> str:
        """Return the cards of a yaku: codes if they are few, otherwise their kind."""
        if yaku.name == "tsukifuda":
            return self.words["tsukifuda"]
        if yaku.cards.bit_count() == yaku.need <= 6:
            text = codes_of(yaku.cards)
        else:
            text = self.words[yaku.name].format(yaku.need)
        if yaku.name == "kasu" and self.rules.points.sake_is_kasu:
            text += self.words["cup"]
        return text + (self.words["unless"].format(codes_of(yaku.unless)) if yaku.unless else "")

    def _worth(self, yaku: Yaku) -> str:
        """Return the points of a yaku, and of further cards."""
        more = yaku.name == "akatan and aotan" and not yaku.group
        text = self.words["more" if more else "worth"].format(yaku.points)
        if yaku.step:
            kind = next(kind for kind in KINDS if DECK[ids_of(yaku.counted)[0]].kind == kind)
            further = self.words["further " + kind] if yaku.further else self.words["further"]
            text += further.format(yaku.step)
        return text + (self.words["called"].format(yaku.called) if yaku.called is not None else "")

    def _scoring(self) -> Iterator[str]:
        payment, words = self.rules.payment, self.words
        yield words["sum"]
        if payment.own_bonus != "none":
            yield words[payment.own_bonus]
        if payment.double_at:
            yield words["double"].format(payment.double_at)
        if payment.opponent_called > 1:
            yield words["opponent"].format(payment.opponent_called)
        if payment.bright_factor > 1:
            yield words["factor"].format(payment.bright_factor)
        yield words["paid"]

    def _match(self) -> Iterator[str]:
        rules, match, words = self.rules, self.rules.match, self.words
        yield words["one round" if match.rounds == 1 else "rounds"].format(match.rounds)
        dealer = words["dealer"].format(self._points(rules.exhaustion)) if rules.exhaustion else words["nobody"]
        paid = words["higher"].format(dealer) if rules.exhaustion_yaku else dealer
        yield words["exhausted"].format(paid, words[match.draw_dealer])
        if match.start:
            yield words["start"].format(self._points(match.start))

    def _points(self, number: int) -> str:
        return self.words["point" if number == 1 else "many points"].format(number)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(head), *(list(row) for row in rows)]
    lines = [cells[0], ["---"] * len(cells[0]), *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
