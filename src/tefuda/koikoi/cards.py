"""The 48 cards of hanafuda: ids, names, codes, and sets of cards as bit masks.

Bit i of a mask is the card with id i. id = 4 * (month - 1) + k with k = 0..3, k = 0 the highest
rank. A *code* is the month and the kind, ``"1B"``, with a number if the month has several chaff
cards, ``"1C2"``; without the number it names all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.games.phrases import LANGUAGES as LANGUAGES

BRIGHT, ANIMAL, RIBBON, CHAFF = "BARC"
KINDS = {BRIGHT: ("bright", "光"), ANIMAL: ("animal", "タネ"), RIBBON: ("ribbon", "短冊"), CHAFF: ("chaff", "カス")}

_MONTHS = (
    ("pine", "松", "B crane 松に鶴, R poem ribbon 松に赤短, C chaff 松のカス, C chaff 松のカス"),
    ("plum", "梅", "A warbler 梅に鶯, R poem ribbon 梅に赤短, C chaff 梅のカス, C chaff 梅のカス"),
    ("cherry", "桜", "B curtain 桜に幕, R poem ribbon 桜に赤短, C chaff 桜のカス, C chaff 桜のカス"),
    ("wisteria", "藤", "A cuckoo 藤に不如帰, R ribbon 藤に短冊, C chaff 藤のカス, C chaff 藤のカス"),
    ("iris", "菖蒲", "A bridge 菖蒲に八橋, R ribbon 菖蒲に短冊, C chaff 菖蒲のカス, C chaff 菖蒲のカス"),
    ("peony", "牡丹", "A butterflies 牡丹に蝶, R blue ribbon 牡丹に青短, C chaff 牡丹のカス, C chaff 牡丹のカス"),
    ("bush clover", "萩", "A boar 萩に猪, R ribbon 萩に短冊, C chaff 萩のカス, C chaff 萩のカス"),
    ("pampas", "芒", "B moon 芒に月, A geese 芒に雁, C chaff 芒のカス, C chaff 芒のカス"),
    ("chrysanthemum", "菊", "A sake cup 菊に盃, R blue ribbon 菊に青短, C chaff 菊のカス, C chaff 菊のカス"),
    ("maple", "紅葉", "A deer 紅葉に鹿, R blue ribbon 紅葉に青短, C chaff 紅葉のカス, C chaff 紅葉のカス"),
    ("willow", "柳", "B rain man 柳に小野道風, A swallow 柳に燕, R ribbon 柳に短冊, C lightning 柳のカス"),
    ("paulownia", "桐", "B phoenix 桐に鳳凰, C chaff 桐のカス, C chaff 桐のカス, C chaff 桐のカス"),
)


@dataclass(frozen=True)
class Card:
    """A card.

    Attributes:
        id: 0..47.
        month: 1..12.
        kind: BRIGHT, ANIMAL, RIBBON or CHAFF.
        english: English name.
        japanese: Japanese name.
        code: code, ``"1C2"``.
    """

    id: int
    month: int
    kind: str
    english: str
    japanese: str
    code: str

    @property
    def kind_code(self) -> str:
        """The code of all cards of this month and kind, ``"1C"``."""
        return f"{self.month}{self.kind}"

    def name(self, language: str = "en") -> str:
        """Return ``"pine with crane"`` or ``"松に鶴"``."""
        return self.japanese if language == "ja" else self.english


def _cards() -> Iterator[Card]:
    for index, (plant, _, line) in enumerate(_MONTHS):
        entries = [text.split(" ") for text in line.split(", ")]
        kinds = [entry[0] for entry in entries]
        for k, (kind, *words, japanese) in enumerate(entries):
            number = str(kinds[: k + 1].count(kind)) if kinds.count(kind) > 1 else ""
            english = f"{plant} chaff" if words == ["chaff"] else f"{plant} with {' '.join(words)}"
            yield Card(4 * index + k, index + 1, kind, english, japanese, f"{index + 1}{kind}{number}")


#: All cards, by id.
DECK: tuple[Card, ...] = tuple(_cards())
BY_CODE: dict[str, Card] = {card.code: card for card in DECK}
ALL = (1 << 48) - 1


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of card ids."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def ids_of(mask: int) -> list[int]:
    """Return the ids in a mask, in rising order."""
    ids = []
    while mask:
        low = mask & -mask
        ids.append(low.bit_length() - 1)
        mask ^= low
    return ids


def of_kind(kind: str) -> int:
    """Return the mask of all cards of a kind."""
    return mask_of(card.id for card in DECK if card.kind == kind)


def month_of(card: int) -> int:
    """Return the mask of the four cards of a card's month."""
    return 0xF << (card & ~3)


def month_counts(mask: int) -> list[int]:
    """Return the number of cards of each month in a mask."""
    return [(mask >> first & 0xF).bit_count() for first in range(0, 48, 4)]


def read_card(text: str) -> Card:
    """Return the card with a code.

    Raises:
        UnknownNameError: no card has this code.
    """
    code = text.strip().upper()
    if code not in BY_CODE:
        raise UnknownNameError("card", text, BY_CODE)
    return BY_CODE[code]


def read_cards(text: str | Iterable[str | int]) -> tuple[int, ...]:
    """Return the ids of cards, in the order given.

    Args:
        text: codes in one text, separated by spaces or commas, or a list of codes and ids.

    Raises:
        UnknownNameError: no card has this code.
        ParameterError: a card is named twice.
    """
    parts = text.replace(",", " ").split() if isinstance(text, str) else list(text)
    cards = [part if isinstance(part, int) and 0 <= part < 48 else read_card(str(part)).id for part in parts]
    if len(set(cards)) < len(cards):
        duplicate = next(card for card in cards if cards.count(card) > 1)
        raise ParameterError(f"the card {DECK[duplicate].code} is named twice; name each card once.")
    return tuple(cards)


def codes_of(mask: int) -> str:
    """Return the codes of the cards in a mask, ``"1B 3R 9C1"``."""
    return " ".join(DECK[card].code for card in ids_of(mask))
