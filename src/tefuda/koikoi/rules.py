"""What Koi-Koi is played for: yaku, their values, multipliers, and the options tables differ in, as one value.

Presets and their sources: docs/koikoi.md. A pile's yaku never fall when cards are added, but by the weather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, UnknownNameError, check_choice, check_range
from tefuda.koikoi.cards import ANIMAL, BRIGHT, CHAFF, RIBBON, mask_of, month_of, of_kind

_CUP, _RAIN_MAN, _CURTAIN, _MOON, _PHOENIX = 32, 40, 8, 28, 44
_RED, _BLUE, _TRIO = mask_of((1, 5, 9)), mask_of((21, 33, 37)), mask_of((20, 24, 36))
_BRIGHTS = of_kind(BRIGHT)
BONUSES = ("none", "add", "multiply")
#: Groups of yaku that exclude each other. Animals and ribbons: where `growing` yaku take the place of tane and tan.
GROUPS = ("bright", "animal", "ribbon")
#: Why cards are dealt again: four, or three, of a month on the field; four pairs there; four of a month in a hand; four
#: of a month or four pairs in a hand.
REDEALS = ("field quad", "field triple", "field pairs", "hand quad", "teyaku")


@dataclass(frozen=True)
class Yaku:
    """A scoring combination: `points` from `need` cards of the mask `cards` on, and `step` for each further one.

    called: what it is worth once its owner has called koi-koi; as `points` if None. group: of those with one name here
    only the first that is there counts, one of `GROUPS`. unless: it is not there with a card of this mask in the pile.
    further: mask of cards that each add `step` to the yaku beyond `need`, besides those of `cards`.
    """

    name: str
    japanese: str
    cards: int
    need: int
    points: int
    step: int = 0
    called: int | None = None
    group: str = ""
    unless: int = 0
    further: int = 0

    @property
    def counted(self) -> int:
        """The mask of the cards that add `step` beyond the first `need`."""
        return self.cards | self.further

    def worth(self, pile: int, calls: int) -> int:
        """The points of this yaku in a pile whose owner has called koi-koi so often."""
        if (pile & self.cards).bit_count() < self.need or pile & self.unless:
            return 0
        points = self.called if calls and self.called is not None else self.points
        return points + self.step * ((pile & self.counted).bit_count() - self.need)


class Score(NamedTuple):
    """The points of a pile: its yaku with their points, their sum, and what options make of it, step by step.

    yaku: (name, points). base: their sum. bonus: base after the own calls. factors: (option, factor), the multipliers
    and the options of the rules they come from. points: the result.
    """

    yaku: tuple[tuple[str, int], ...]
    base: int
    bonus: int
    factors: tuple[tuple[str, int], ...]
    points: int


@dataclass(frozen=True)
class KoiKoiRules:
    """All options of Koi-Koi.

    Args:
        goko, shiko, ameshiko, sanko, inoshikacho, akatan, aotan, both_tan, hanami, tsukimi, tane, tan, kasu: points of
            the yaku; 0: not counted. both_tan: beyond akatan and aotan for having both.
        hanami_called, tsukimi_called: their points once their owner has called koi-koi; None: the same.
        growing: whether inoshikacho, akatan and aotan are worth 1 more for each further animal or ribbon. Tane and tan
            then count only without them, and akatan with aotan is one yaku worth both.
        weather: whether the rain man in the same pile cancels hanami-zake, and the phoenix tsukimi-zake; tables
            differ in which cards do so.
        tane_from, tan_from, kasu_from: how many cards they need; each further card is worth 1 more.
        sake_is_kasu: whether the sake cup counts as chaff, too.
        tsukifuda: points for the four cards of the round's month.
        double_at: from which sum of yaku on points are doubled; 0: never.
        opponent_called: what points are multiplied with if the opponent has called koi-koi.
        own_bonus: for n own calls: ``"none"``; ``"add"`` n, from n = 4 on times n - 2; ``"multiply"`` by 1 + n.
        bright_factor: what points are multiplied with if there is a bright yaku.
        max_koikoi: how many calls both players have together in a round; None: as many as they like.
        teyaku: points for a hand with four of a month or four pairs, at once; both players: dealt again; 0: not known.
        redeal: why cards are dealt again, of `REDEALS`.
        exhaustion: points to the dealer if nobody stops.
        draw_dealer: who deals after that: ``"switch"`` or ``"keep"``.
        rounds: of a match. start: points at its beginning; if not 0, it ends when a player has none left.

    Raises:
        ParameterError: a value out of range.
    """

    goko: int = 10
    shiko: int = 8
    ameshiko: int = 7
    sanko: int = 5
    inoshikacho: int = 5
    akatan: int = 5
    aotan: int = 5
    both_tan: int = 0
    hanami: int = 5
    tsukimi: int = 5
    hanami_called: int | None = None
    tsukimi_called: int | None = None
    growing: bool = False
    weather: bool = False
    tane: int = 1
    tan: int = 1
    kasu: int = 1
    tane_from: int = 5
    tan_from: int = 5
    kasu_from: int = 10
    sake_is_kasu: bool = True
    tsukifuda: int = 0
    double_at: int = 7
    opponent_called: int = 2
    own_bonus: str = "none"
    bright_factor: int = 1
    max_koikoi: int | None = None
    teyaku: int = 6
    redeal: tuple[str, ...] = ("field quad",)
    exhaustion: int = 0
    draw_dealer: str = "switch"
    rounds: int = 12
    start: int = 0
    extra: tuple[Yaku, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "redeal", tuple(self.redeal))
        check_choice("own_bonus", self.own_bonus, BONUSES)
        check_choice("draw_dealer", self.draw_dealer, ("switch", "keep"))
        for switch in ("sake_is_kasu", "weather", "growing"):
            if not isinstance(getattr(self, switch), bool):
                raise ParameterError(f"{switch} is {getattr(self, switch)!r}; it must be true or false.")
        for reason in self.redeal:
            check_choice("redeal", reason, REDEALS)
        if self.max_koikoi is not None:
            check_range("max_koikoi", self.max_koikoi, 0, 16)
        check_range("rounds", self.rounds, 1, 1000)
        for name in ("tane_from", "tan_from", "kasu_from", "opponent_called", "bright_factor"):
            check_range(name, getattr(self, name), 1, 100)
        others = ("redeal", "own_bonus", "draw_dealer", "max_koikoi", "rounds", "extra")
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name not in others and value is not None and not isinstance(value, bool):
                check_range(one.name, value, 0, 10_000)

    @cached_property
    def yaku(self) -> tuple[Yaku, ...]:
        """The yaku that count, the bright ones from the highest down; that of the month left out."""
        chaff = of_kind(CHAFF) | (1 << _CUP if self.sake_is_kasu else 0)
        no_rain = _BRIGHTS & ~(1 << _RAIN_MAN)
        rain, fog = (1 << _RAIN_MAN, 1 << _PHOENIX) if self.weather else (0, 0)
        hanami, tsukimi = mask_of((_CURTAIN, _CUP)), mask_of((_MOON, _CUP))
        animal, ribbon = GROUPS[1:] if self.growing else ("", "")
        found = (
            Yaku("goko", "五光", _BRIGHTS, 5, self.goko, group="bright"),
            Yaku("shiko", "四光", no_rain, 4, self.shiko, group="bright"),
            Yaku("ameshiko", "雨四光", _BRIGHTS, 4, self.ameshiko, group="bright"),
            Yaku("sanko", "三光", no_rain, 3, self.sanko, group="bright"),
            *self._colours(),
            Yaku("hanami-zake", "花見酒", hanami, 2, self.hanami, called=self.hanami_called, unless=rain),
            Yaku("tsukimi-zake", "月見酒", tsukimi, 2, self.tsukimi, called=self.tsukimi_called, unless=fog),
            Yaku("tane", "タネ", of_kind(ANIMAL), self.tane_from, self.tane, self.tane and 1, group=animal),
            Yaku("tan", "タン", of_kind(RIBBON), self.tan_from, self.tan, self.tan and 1, group=ribbon),
            Yaku("kasu", "カス", chaff, self.kasu_from, self.kasu, self.kasu and 1),
        )
        return tuple(one for one in (*found, *self.extra) if one.points)

    def _colours(self) -> tuple[Yaku, ...]:
        """Inoshikacho, akatan, aotan and the two together."""
        both = _RED | _BLUE
        if not self.growing:
            return (
                Yaku("inoshikacho", "猪鹿蝶", _TRIO, 3, self.inoshikacho),
                Yaku("akatan", "赤短", _RED, 3, self.akatan),
                Yaku("aotan", "青短", _BLUE, 3, self.aotan),
                Yaku("akatan and aotan", "赤短青短", both, 6, self.both_tan),
            )
        animals, ribbons = of_kind(ANIMAL), of_kind(RIBBON)
        _, animal, ribbon = GROUPS
        together = self.akatan + self.aotan + self.both_tan if self.akatan and self.aotan else 0
        return (
            Yaku("inoshikacho", "猪鹿蝶", _TRIO, 3, self.inoshikacho, 1, group=animal, further=animals),
            Yaku("akatan and aotan", "赤短青短", both, 6, together, 1, group=ribbon, further=ribbons),
            Yaku("akatan", "赤短", _RED, 3, self.akatan, 1, group=ribbon, further=ribbons),
            Yaku("aotan", "青短", _BLUE, 3, self.aotan, 1, group=ribbon, further=ribbons),
        )

    @property
    def dealt_again(self) -> tuple[str, ...]:
        """Why cards are dealt again where every round is played out: for teyaku too, if they count."""
        return tuple(dict.fromkeys((*self.redeal, "field quad", "teyaku"))) if self.teyaku else self.redeal

    def of_month(self, month: int) -> KoiKoiRules:
        """The rules of a round of a month 1..12: with its month cards, where they count."""
        if not self.tsukifuda:
            return self
        cards = month_of(4 * ((month - 1) % 12))
        return replace(self, tsukifuda=0, extra=(Yaku("tsukifuda", "月札", cards, 4, self.tsukifuda),))

    def found(self, pile: int, calls: int = 0) -> list[tuple[Yaku, int]]:
        """The yaku in a pile, with their points."""
        seen: set[str] = set()
        here = []
        for one in self.yaku:
            if (pile & one.cards).bit_count() < one.need or one.group in seen:
                continue
            if points := one.worth(pile, calls):
                here.append((one, points))
                seen |= {one.group} if one.group else set()
        return here

    def held(self, pile: int, calls: int = 0) -> int:
        """What a pile is worth to its owner before multipliers: a decision comes when it exceeds the last call's."""
        return self.with_bonus(sum([points for _, points in self.found(pile, calls)]), calls) if pile else 0

    def with_bonus(self, base: int, calls: int) -> int:
        """The sum of yaku after the bonus for own calls."""
        if self.own_bonus == "add" and base:
            return base + calls if calls <= 3 else base * (calls - 2)
        return base * (1 + calls) if self.own_bonus == "multiply" else base

    def score(self, pile: int, calls: int = 0, opponent_calls: int = 0) -> Score:
        """What stopping with a pile brings.

        Args:
            pile: a mask of cards.
            calls: how often its owner has called koi-koi.
            opponent_calls: how often the opponent has.
        """
        here = self.found(pile, calls)
        base = sum(points for _, points in here)
        factors = []
        if self.double_at and base >= self.double_at:
            factors.append(("double_at", 2))
        if opponent_calls and self.opponent_called > 1:
            factors.append(("opponent_called", self.opponent_called))
        if self.bright_factor > 1 and any(one.group == "bright" for one, _ in here):
            factors.append(("bright_factor", self.bright_factor))
        points = bonus = self.with_bonus(base, calls)
        for _, factor in factors:
            points *= factor
        return Score(tuple((one.name, worth) for one, worth in here), base, bonus, tuple(factors), points)


_JAPAN: dict[str, Any] = {
    "both_tan": 10,
    "hanami": 1,
    "tsukimi": 1,
    "hanami_called": 3,
    "tsukimi_called": 3,
    "own_bonus": "add",
    "double_at": 0,
    "opponent_called": 1,
    "teyaku": 0,
    "redeal": ("field quad", "hand quad"),
    "exhaustion": 1,
    "draw_dealer": "keep",
    "rounds": 8,
    "start": 30,
}
_GAMEDESIGN: dict[str, Any] = {
    "goko": 15,
    "shiko": 10,
    "ameshiko": 8,
    "sanko": 6,
    "akatan": 6,
    "aotan": 6,
    "hanami": 0,
    "tsukimi": 0,
    "tsukifuda": 4,
    "exhaustion": 6,
    "double_at": 0,
    "opponent_called": 1,
}
_BGA: dict[str, Any] = {"redeal": ("field quad", "field pairs"), "rounds": 6, "start": 50}

PRESETS: dict[str, KoiKoiRules] = {
    "standard": KoiKoiRules(),
    "nintendo_strict": KoiKoiRules(max_koikoi=1, redeal=("field quad", "field triple")),
    # As suzukiplan/open-hanafuda-ai counts, after the rules of Nintendo: src/common.h there.
    "nintendo_growing": KoiKoiRules(max_koikoi=1, redeal=("field quad", "field triple"), growing=True),
    "gamedesign": KoiKoiRules(**_GAMEDESIGN),
    "koikoi_japan": KoiKoiRules(**_JAPAN),
    "bga_hard": KoiKoiRules(**_BGA),
    # What sources say of it is thin: that own calls and brights multiply, not by how much.
    "bga_soft": KoiKoiRules(**_BGA, own_bonus="multiply", double_at=0, opponent_called=1, bright_factor=2),
    "no_sake": KoiKoiRules(hanami=0, tsukimi=0),
}


def find_rules(preset: str = "standard", **changes: Any) -> KoiKoiRules:
    """The rules of a preset with some options changed.

    Raises:
        UnknownNameError: no such preset or option.
        ParameterError: a value out of range.
    """
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, PRESETS)
    known = [one.name for one in fields(KoiKoiRules) if one.name != "extra"]
    for name in changes:
        if name not in known:
            raise UnknownNameError("option of Koi-Koi", name, known)
    return replace(PRESETS[preset], **changes)


def once_dealt(rules: KoiKoiRules) -> KoiKoiRules:
    """Return the options that matter in a round once it is dealt, the others as in the preset standard.

    What ends a round before its first turn, what is dealt again and what makes a match of rounds does not matter; nor
    does the month of the round, whose four cards are seldom in one pile.
    """
    match: dict[str, Any] = {
        "rounds": 1,
        "start": 0,
        "draw_dealer": "switch",
        "redeal": ("field quad",),
        "teyaku": 0,
        "tsukifuda": 0,
    }
    return replace(rules, **match, extra=tuple(one for one in rules.extra if one.name != "tsukifuda"))


def is_teyaku(hand: int) -> bool:
    """Whether a dealt hand has four of a month, or four pairs."""
    counts = sorted((hand >> first & 0xF).bit_count() for first in range(0, 48, 4))
    return counts[-1] == 4 or counts[-4:] == [2, 2, 2, 2]


def must_redeal(rules: KoiKoiRules, hands: Sequence[int], table: int) -> bool:
    """Whether these hands and this field are dealt again by the options `redeal` and `teyaku` (both players)."""
    on_field = [(table >> first & 0xF).bit_count() for first in range(0, 48, 4)]
    in_hands = [(hand >> first & 0xF).bit_count() for hand in hands for first in range(0, 48, 4)]
    lucky = [is_teyaku(hand) for hand in hands]
    reasons = {
        "field quad": 4 in on_field,
        "field triple": 3 in on_field,
        "field pairs": on_field.count(2) == 4 and max(on_field) == 2,
        "hand quad": 4 in in_hands,
        "teyaku": any(lucky),
    }
    return any(reasons[reason] for reason in rules.redeal) or (bool(rules.teyaku) and all(lucky))
