"""Rules of Koi-Koi: yaku and their points, multipliers, deals and matches, composed of small values.

Presets and their sources: docs/koikoi.md. The yaku of a pile never fall when cards are added,
except by the weather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.koikoi.cards import ANIMAL, BRIGHT, CHAFF, RIBBON, mask_of, month_counts, month_of, of_kind
from tefuda.settings import Validated, option, option_group, options, with_options

_CUP, _RAIN_MAN, _CURTAIN, _MOON, _PHOENIX = 32, 40, 8, 28, 44
_RED, _BLUE, _TRIO = mask_of((1, 5, 9)), mask_of((21, 33, 37)), mask_of((20, 24, 36))
_BRIGHTS = of_kind(BRIGHT)
_MOST = 10_000  # points
BONUSES = ("none", "add", "multiply")
#: Groups of yaku that exclude each other. With `growing`, animals exclude tane and ribbons exclude tan.
GROUPS = ("bright", "animal", "ribbon")
#: Reasons to deal again: four, or three, of a month on the field; four pairs on the field; four of a month in a hand;
#: a teyaku (four of a month or four pairs in a hand); a teyaku in one hand only.
REDEALS = ("field quad", "field triple", "field pairs", "hand quad", "teyaku", "one teyaku")


@dataclass(frozen=True)
class Yaku:
    """A scoring combination of cards.

    Attributes:
        name: name in rômaji.
        japanese: Japanese name.
        cards: mask of its cards.
        need: number of cards needed.
        points: points for `need` cards.
        step: points for each further card.
        called: points after a call by the owner; None: the same.
        group: one of `GROUPS`, or ""; only the first yaku of a group counts.
        unless: mask of cards that cancel the yaku.
        further: mask of cards that add `step`, besides `cards`.
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

    def points_in(self, pile: int, calls: int) -> int:
        """Return the points of this yaku in a pile whose owner has made `calls` calls."""
        if (pile & self.cards).bit_count() < self.need or pile & self.unless:
            return 0
        points = self.called if calls and self.called is not None else self.points
        return points + self.step * ((pile & self.counted).bit_count() - self.need)


class Score(NamedTuple):
    """The points of a pile, step by step.

    Attributes:
        yaku: names and points.
        base: their sum.
        bonus: the sum after the bonus for own calls.
        factors: options and factors of the multipliers.
        points: the result.
    """

    yaku: tuple[tuple[str, int], ...]
    base: int
    bonus: int
    factors: tuple[tuple[str, int], ...]
    points: int


@dataclass(frozen=True)
class YakuPoints(Validated):
    """The points of the yaku, 0 if a yaku does not count, and the numbers of cards needed.

    Attributes:
        goko: points of the five brights.
        shiko: points of four brights without the rain man.
        ameshiko: points of four brights with the rain man.
        sanko: points of three brights without the rain man.
        inoshikacho: points of the boar, the deer and the butterflies.
        akatan: points of the three red ribbons with writing.
        aotan: points of the three blue ribbons.
        both_tan: additional points for akatan and aotan together.
        hanami: points of hanami-zake: the curtain and the sake cup.
        tsukimi: points of tsukimi-zake: the moon and the sake cup.
        hanami_called: points of hanami-zake after a call by its owner; None: the same.
        tsukimi_called: points of tsukimi-zake after a call by its owner; None: the same.
        tsukifuda: points of the four cards of the round's month.
        tane: points of `tane_from` animals.
        tan: points of `tan_from` ribbons.
        kasu: points of `kasu_from` chaff.
        growing: whether inoshikacho, akatan and aotan gain 1 point for each further animal or
            ribbon; tane and tan then count only without them, and akatan with aotan is one yaku
            with the points of both.
        weather: whether the rain man in the same pile cancels hanami-zake, and the phoenix
            tsukimi-zake.
        tane_from: number of animals needed; each further one adds 1 point.
        tan_from: number of ribbons needed; each further one adds 1 point.
        kasu_from: number of chaff needed; each further one adds 1 point.
        sake_is_kasu: whether the sake cup also counts as chaff.
    """

    goko: int = option(10, high=_MOST)
    shiko: int = option(8, high=_MOST)
    ameshiko: int = option(7, high=_MOST)
    sanko: int = option(5, high=_MOST)
    inoshikacho: int = option(5, high=_MOST)
    akatan: int = option(5, high=_MOST)
    aotan: int = option(5, high=_MOST)
    both_tan: int = option(0, high=_MOST)
    hanami: int = option(5, high=_MOST)
    tsukimi: int = option(5, high=_MOST)
    hanami_called: int | None = option(None, high=_MOST)
    tsukimi_called: int | None = option(None, high=_MOST)
    growing: bool = option(False)
    weather: bool = option(False)
    tane: int = option(1, high=_MOST)
    tan: int = option(1, high=_MOST)
    kasu: int = option(1, high=_MOST)
    tane_from: int = option(5, 1, 100)
    tan_from: int = option(5, 1, 100)
    kasu_from: int = option(10, 1, 100)
    sake_is_kasu: bool = option(True)
    tsukifuda: int = option(0, high=_MOST)


@dataclass(frozen=True)
class Payment(Validated):
    """The payment for the yaku of a pile.

    Attributes:
        double_at: sum of yaku from which points are doubled; 0: never.
        opponent_called: factor if the opponent has called.
        own_bonus: bonus for n own calls: ``"none"``; ``"add"``: add n, from n = 4 on multiply by n
            - 2; ``"multiply"``: multiply by 1 + n.
        bright_factor: factor if a bright yaku counts.
    """

    double_at: int = option(7, high=_MOST)
    opponent_called: int = option(2, 1, 100)
    own_bonus: str = option("none", choices=BONUSES)
    bright_factor: int = option(1, 1, 100)

    def with_bonus(self, base: int, calls: int) -> int:
        """Return the sum of yaku after the bonus for own calls."""
        if self.own_bonus == "add" and base:
            return base + calls if calls <= 3 else base * (calls - 2)
        return base * (1 + calls) if self.own_bonus == "multiply" else base


@dataclass(frozen=True)
class Dealing(Validated):
    """The deals that end a round before its first turn.

    Attributes:
        teyaku: points for a hand with four of a month or four pairs; 0: no teyaku.
        both_teyaku: rule if both players have a teyaku: ``"redeal"`` deals again, ``"play"`` plays
            the round.
        redeal: reasons to deal again: ``"field quad"``, ``"field triple"``, ``"field pairs"``,
            ``"hand quad"``, ``"teyaku"`` or ``"one teyaku"``; see `REDEALS`.

    Raises:
        ParameterError: a value is out of range, or a teyaku is a reason to deal again and a round
            with two of them is played.
    """

    teyaku: int = option(6, high=_MOST)
    redeal: tuple[str, ...] = option(("field quad",), choices=REDEALS)
    both_teyaku: str = option("redeal", choices=("redeal", "play"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "redeal", tuple(self.redeal))
        super().__post_init__()
        if self.both_teyaku == "play" and "teyaku" in self.redeal:
            raise ParameterError(
                'both_teyaku must be "redeal" if redeal has "teyaku"; got "play". Use redeal=("one teyaku",).',
                key="both_teyaku", value=self.both_teyaku,
            )  # fmt: skip

    @property
    def lone_redeal(self) -> str:
        """The reason that deals a teyaku again, if every round is played out."""
        return "one teyaku" if self.both_teyaku == "play" else "teyaku"

    @property
    def all_redeals(self) -> tuple[str, ...]:
        """The reasons to deal again if every round is played out; they include teyaku, if they count."""
        return tuple(dict.fromkeys((*self.redeal, "field quad", self.lone_redeal))) if self.teyaku else self.redeal


@dataclass(frozen=True)
class MatchRules(Validated):
    """The rules of a match.

    Attributes:
        rounds: number of rounds.
        start: points at the start; if not 0, the match ends when a player has no points left.
        draw_dealer: next dealer if no player stops: ``"switch"`` or ``"keep"``.
    """

    rounds: int = option(12, 1, 1000)
    start: int = option(0, high=_MOST)
    draw_dealer: str = option("switch", choices=("switch", "keep"))


@dataclass(frozen=True)
class KoiKoiRules(Validated):
    """All options of Koi-Koi, grouped; `find_rules` sets them by their flat names.

    Args:
        points: points of the yaku.
        payment: multipliers.
        dealing: deals that end a round before its first turn.
        match: rules of a match.
        exhaustion: points to the dealer if no player stops.
        exhaustion_yaku: whether the player whose yaku have more points is paid for them if no
            player stops; with equal points, `exhaustion` is paid.
        max_koikoi: maximum number of calls by both players together in a round; None: no maximum.
        extra: further yaku.

    Raises:
        ParameterError: a value is out of range.
    """

    points: YakuPoints = option_group(YakuPoints())
    payment: Payment = option_group(Payment())
    dealing: Dealing = option_group(Dealing())
    match: MatchRules = option_group(MatchRules())
    exhaustion: int = option(0, high=_MOST)
    exhaustion_yaku: bool = option(False)
    max_koikoi: int | None = option(None, high=16)
    extra: tuple[Yaku, ...] = field(default=(), repr=False)

    @cached_property
    def yaku(self) -> tuple[Yaku, ...]:
        """The yaku that count, from the highest bright one down; without that of the month."""
        points = self.points
        chaff = of_kind(CHAFF) | (1 << _CUP if points.sake_is_kasu else 0)
        no_rain = _BRIGHTS & ~(1 << _RAIN_MAN)
        rain, fog = (1 << _RAIN_MAN, 1 << _PHOENIX) if points.weather else (0, 0)
        hanami, tsukimi = mask_of((_CURTAIN, _CUP)), mask_of((_MOON, _CUP))
        animal, ribbon = GROUPS[1:] if points.growing else ("", "")
        candidates = (
            Yaku("goko", "五光", _BRIGHTS, 5, points.goko, group="bright"),
            Yaku("shiko", "四光", no_rain, 4, points.shiko, group="bright"),
            Yaku("ameshiko", "雨四光", _BRIGHTS, 4, points.ameshiko, group="bright"),
            Yaku("sanko", "三光", no_rain, 3, points.sanko, group="bright"),
            *self._colours(),
            Yaku("hanami-zake", "花見酒", hanami, 2, points.hanami, called=points.hanami_called, unless=rain),
            Yaku("tsukimi-zake", "月見酒", tsukimi, 2, points.tsukimi, called=points.tsukimi_called, unless=fog),
            Yaku("tane", "タネ", of_kind(ANIMAL), points.tane_from, points.tane, points.tane and 1, group=animal),
            Yaku("tan", "タン", of_kind(RIBBON), points.tan_from, points.tan, points.tan and 1, group=ribbon),
            Yaku("kasu", "カス", chaff, points.kasu_from, points.kasu, points.kasu and 1),
        )
        return tuple(yaku for yaku in (*candidates, *self.extra) if yaku.points)

    def _colours(self) -> tuple[Yaku, ...]:
        """Return inoshikacho, akatan, aotan, and akatan with aotan."""
        points, both = self.points, self.points.both_tan
        animal, ribbon = dict[str, Any](), dict[str, Any]()
        if points.growing:
            both = points.akatan + points.aotan + both if points.akatan and points.aotan else 0
            animal = {"step": 1, "group": "animal", "further": of_kind(ANIMAL)}
            ribbon = {"step": 1, "group": "ribbon", "further": of_kind(RIBBON)}
        trio = Yaku("inoshikacho", "猪鹿蝶", _TRIO, 3, points.inoshikacho, **animal)
        together = Yaku("akatan and aotan", "赤短青短", _RED | _BLUE, 6, both, **ribbon)
        red = Yaku("akatan", "赤短", _RED, 3, points.akatan, **ribbon)
        blue = Yaku("aotan", "青短", _BLUE, 3, points.aotan, **ribbon)
        return (trio, together, red, blue) if points.growing else (trio, red, blue, together)

    def for_month(self, month: int) -> KoiKoiRules:
        """Return the rules of a round of month 1..12, with the yaku of its cards if tsukifuda counts."""
        if not (points := self.points.tsukifuda):
            return self
        cards = month_of(4 * ((month - 1) % 12))
        return replace(
            self, points=replace(self.points, tsukifuda=0), extra=(Yaku("tsukifuda", "月札", cards, 4, points),)
        )

    def scored_yaku(self, pile: int, calls: int = 0) -> list[tuple[Yaku, int]]:
        """Return the yaku in a pile, with their points."""
        groups: set[str] = set()
        scored = []
        for yaku in self.yaku:
            if (pile & yaku.cards).bit_count() < yaku.need or yaku.group in groups:
                continue
            if points := yaku.points_in(pile, calls):
                scored.append((yaku, points))
                groups |= {yaku.group} if yaku.group else set()
        return scored

    def pile_points(self, pile: int, calls: int = 0) -> int:
        """Return the points of a pile before multipliers.

        A player may stop if these points exceed those at its last call.
        """
        if not pile:
            return 0
        return self.payment.with_bonus(sum([points for _, points in self.scored_yaku(pile, calls)]), calls)

    def score(self, pile: int, calls: int = 0, opponent_calls: int = 0) -> Score:
        """Return the points for stopping with a pile.

        Args:
            pile: mask of the pile.
            calls: number of calls of its owner.
            opponent_calls: number of calls of the opponent.
        """
        scored, payment = self.scored_yaku(pile, calls), self.payment
        base = sum(points for _, points in scored)
        factors = []
        if payment.double_at and base >= payment.double_at:
            factors.append(("double_at", 2))
        if opponent_calls and payment.opponent_called > 1:
            factors.append(("opponent_called", payment.opponent_called))
        if payment.bright_factor > 1 and any(yaku.group == "bright" for yaku, _ in scored):
            factors.append(("bright_factor", payment.bright_factor))
        points = bonus = payment.with_bonus(base, calls)
        for _, factor in factors:
            points *= factor
        return Score(tuple((yaku.name, points) for yaku, points in scored), base, bonus, tuple(factors), points)

    def higher_yaku(self, piles: Sequence[int], calls: Sequence[int]) -> int | None:
        """Return the player whose yaku are paid if no player stops; None: `exhaustion` is paid."""
        dealer, opponent = (self.score(piles[player], calls[player], calls[1 - player]).points for player in (0, 1))
        return int(opponent > dealer) if self.exhaustion_yaku and dealer != opponent else None

    def exhausted_points(self, piles: Sequence[int], calls: Sequence[int]) -> int:
        """Return the points to the dealer if no player stops."""
        if (player := self.higher_yaku(piles, calls)) is None:
            return self.exhaustion
        points = self.score(piles[player], calls[player], calls[1 - player]).points
        return -points if player else points


def _preset(**changes: Any) -> KoiKoiRules:
    return with_options(KoiKoiRules(), changes)


_NINTENDO: dict[str, Any] = {"max_koikoi": 1, "redeal": ("field quad", "field triple")}
_BGA: dict[str, Any] = {"redeal": ("field quad", "field pairs"), "rounds": 6, "start": 50}

PRESETS: dict[str, KoiKoiRules] = {
    "standard": KoiKoiRules(),
    "nintendo_strict": _preset(**_NINTENDO),
    # Counted as in suzukiplan/open-hanafuda-ai (src/common.h), which follows the rules of Nintendo.
    "nintendo_growing": _preset(**_NINTENDO, growing=True),
    "gamedesign": KoiKoiRules(
        YakuPoints(goko=15, shiko=10, ameshiko=8, sanko=6, akatan=6, aotan=6, hanami=0, tsukimi=0, tsukifuda=4),
        Payment(double_at=0, opponent_called=1),
        exhaustion=6,
    ),
    "koikoi_japan": KoiKoiRules(
        YakuPoints(both_tan=10, hanami=1, tsukimi=1, hanami_called=3, tsukimi_called=3),
        Payment(double_at=0, opponent_called=1, own_bonus="add"),
        Dealing(teyaku=0, redeal=("field quad", "hand quad")),
        MatchRules(rounds=8, start=30, draw_dealer="keep"),
        exhaustion=1,
    ),
    "bga_hard": _preset(**_BGA),
    # The sources say that own calls and brights multiply, but not by how much.
    "bga_soft": _preset(**_BGA, own_bonus="multiply", double_at=0, opponent_called=1, bright_factor=2),
    "no_sake": _preset(hanami=0, tsukimi=0),
}


def find_rules(preset: str = "standard", **changes: Any) -> KoiKoiRules:
    """Return the rules of a preset with some options changed.

    Args:
        preset: name of the preset, see `PRESETS`.
        changes: options and their values.

    Raises:
        UnknownNameError: no such preset or option.
        ParameterError: a value is out of range.
    """
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, PRESETS)
    if "extra" in changes:  # not an option
        raise UnknownNameError("option of Koi-Koi", "extra", options(PRESETS[preset]))
    return with_options(PRESETS[preset], changes, "Koi-Koi")


def rules_after_deal(rules: KoiKoiRules) -> KoiKoiRules:
    """Return the rules with all options that do not matter after the deal at fixed values.

    Redeals, teyaku and the rules of the match do not matter then. The month of the round is
    ignored, as its four cards are rarely in one pile.
    """
    return replace(
        rules,
        points=replace(rules.points, tsukifuda=0),
        dealing=Dealing(teyaku=0),
        match=MatchRules(rounds=1),
        extra=tuple(yaku for yaku in rules.extra if yaku.name != "tsukifuda"),
    )


def is_teyaku(hand: int) -> bool:
    """Return whether a dealt hand has four of a month, or four pairs."""
    counts = sorted(month_counts(hand))
    return counts[-1] == 4 or counts[-4:] == [2, 2, 2, 2]


def must_redeal(rules: KoiKoiRules, hands: Sequence[int], field: int) -> bool:
    """Return whether hands and field are dealt again, by `redeal` or `both_teyaku`."""
    on_field, in_hands = month_counts(field), [count for hand in hands for count in month_counts(hand)]
    lucky = [is_teyaku(hand) for hand in hands]
    reasons = {
        "field quad": 4 in on_field,
        "field triple": 3 in on_field,
        "field pairs": on_field.count(2) == 4 and max(on_field) == 2,
        "hand quad": 4 in in_hands,
        "teyaku": any(lucky),
        "one teyaku": any(lucky) and not all(lucky),
    }
    dealing, both = rules.dealing, all(lucky) and rules.dealing.both_teyaku == "redeal"
    return any(reasons[reason] for reason in dealing.redeal) or (bool(dealing.teyaku) and both)
