"""The page of rules that a set of options makes: cards, a turn, yaku, scoring, the end, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tefuda.koikoi.cards import DECK, KINDS, codes_of
from tefuda.koikoi.rules import KoiKoiRules, Yaku
from tefuda.words import count

_REASONS = {
    "field quad": "four cards of a month lie on the field",
    "field triple": "three cards of a month lie on the field",
    "field pairs": "four pairs lie on the field",
    "hand quad": "a hand holds four cards of a month",
    "teyaku": "a hand holds four cards of a month or four pairs",
}
_TURN = """The dealer begins; both take turns, eight each. In a turn one plays a card of one's hand, then turns
over the top card of the stock. Each of the two is settled by the cards of its month on the field:

- none: it stays on the field;
- one: both are captured, there is no choice;
- two: the player takes one of them;
- three: all four are captured."""


def guide(rules: KoiKoiRules, title: str = "Koi-Koi") -> str:
    """The rules for people, as Markdown.

    >>> from tefuda.koikoi.rules import find_rules
    >>> print(guide(find_rules("no_sake")).splitlines()[0])
    # Koi-Koi
    """
    parts = [
        f"# {title}",
        "## Cards\n\nFour for each of twelve months, named by month and kind: B bright, A animal, R ribbon, C chaff.",
        _table(("month", "bright", "animal", "ribbon", "chaff"), _months()),
        f"## The deal\n\nEight cards to each hand, eight on the field, 24 in the stock. {' '.join(_dealing(rules))}",
        f"## A turn\n\n{_TURN}",
        "After a turn in which the yaku of one's pile have risen, one stops and is paid, or calls koi-koi and plays "
        f"on: then they must rise again{', above what they were then' * rules.weather}. {_calling(rules)}",
        "## Yaku",
        _table(("yaku", "", "cards", "points"), (_row(rules, one) for one in rules.of_month(1).yaku)),
        "Of the bright yaku only the highest counts.",
        f"## Points\n\n{chr(10).join(f'{place}. {line}' for place, line in enumerate(_scoring(rules), 1))}",
        f"## The match\n\n{' '.join(_match(rules))}",
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(head)]
    lines = [cells[0], ["---"] * len(cells[0]), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _months() -> Iterator[list[str]]:
    for month in range(1, 13):
        cards = [card for card in DECK if card.month == month]
        named = [
            ", ".join(f"{card.code} {card.english.rpartition(' with ')[2]}" for card in cards if card.kind == kind)
            for kind in KINDS
        ]
        chaff = [card for card in cards if card.kind == "C"]
        named[-1] = ", ".join(card.code if "chaff" in card.english else f"{card.code} lightning" for card in chaff)
        yield [f"{month} {cards[-1].english.partition(' ')[0] if month != 7 else 'bush clover'}", *named]


def _dealing(rules: KoiKoiRules) -> Iterator[str]:
    if rules.teyaku:
        yield (
            f"A hand with four cards of a month (teshi) or four pairs (kuttsuki) wins {count(rules.teyaku, 'points')} "
            "at once; if both hands do, it is dealt again."
        )
    if reasons := [_REASONS[reason] for reason in rules.redeal]:
        yield f"It is dealt again if {', or '.join(reasons)}."


def _calling(rules: KoiKoiRules) -> str:
    last = "Who has no card left must stop."
    if rules.max_koikoi is None:
        return last
    if not rules.max_koikoi:
        return "Nobody may call koi-koi: a yaku ends the round."
    return f"{last} Koi-koi may be called {count(rules.max_koikoi, 'times')} in a round by both together."


def _row(rules: KoiKoiRules, one: Yaku) -> list[str]:
    size = one.cards.bit_count()
    if one.name == "tsukifuda":
        cards = "the four cards of the round's month"
    elif size == one.need <= 6:
        cards = codes_of(one.cards)
    else:
        kind = {"tane": "animals", "tan": "ribbons", "kasu": "chaff"}.get(one.name, "brights")
        cup = ", the sake cup 9A counts too" if one.name == "kasu" and rules.sake_is_kasu else ""
        rain = {"ameshiko": ", the rain man 11B among them", "shiko": " without the rain man 11B"}
        rain["sanko"] = rain["shiko"]
        cards = f"{one.need} {kind}{cup}{rain.get(one.name, '')}"
    further = f", and {one.step} for each further card" if one.step else ""
    called = f", {one.called} once one has called koi-koi" if one.called is not None else ""
    more = " more" if one.name == "akatan and aotan" else ""
    cards += f", not with {codes_of(one.unless)} in the pile" if one.unless else ""
    return [one.name, one.japanese, cards, f"{one.points}{more}{further}{called}"]


def _scoring(rules: KoiKoiRules) -> Iterator[str]:
    yield "The sum of the yaku in the winner's pile."
    if rules.own_bonus == "add":
        yield "The winner's own n calls add n points; from the fourth on the sum is multiplied by n - 2 instead."
    if rules.own_bonus == "multiply":
        yield "The sum is multiplied by 1 + n for the winner's own n calls."
    if rules.double_at:
        yield f"Times 2 if the sum of the yaku is {rules.double_at} or more."
    if rules.opponent_called > 1:
        yield f"Times {rules.opponent_called} if the opponent has called koi-koi, however often."
    if rules.bright_factor > 1:
        yield f"Times {rules.bright_factor} if a bright yaku is among them."
    yield "The winner gets the points, the other loses as many."


def _match(rules: KoiKoiRules) -> Iterator[str]:
    yield f"A match is {count(rules.rounds, 'rounds')}; the winner of a round deals the next."
    dealer = f"the dealer gets {count(rules.exhaustion, 'points')}" if rules.exhaustion else "nobody gets anything"
    stays = "keeps the deal" if rules.draw_dealer == "keep" else "gives the deal away"
    yield f"If all cards are played and nobody has stopped, {dealer}, and the dealer {stays}."
    if rules.start:
        yield f"Both begin with {count(rules.start, 'points')}; the match is over when a player has none left."
