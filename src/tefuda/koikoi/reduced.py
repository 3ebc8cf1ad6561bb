"""Koi-Koi by name: a round of the whole game, and reduced games that can be solved (docs/koikoi.md)."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tefuda import settings
from tefuda.errors import ParameterError, check_range, out_of_range
from tefuda.koikoi.cards import mask_of, read_cards
from tefuda.koikoi.game import KoiKoi
from tefuda.koikoi.rules import Dealing, KoiKoiRules, MatchRules, Yaku, YakuPoints, find_rules

#: Rules without yaku, redeals and teyaku.
_BARE = KoiKoiRules(
    YakuPoints(
        goko=0, shiko=0, ameshiko=0, sanko=0, inoshikacho=0, akatan=0, aotan=0, hanami=0, tsukimi=0, tane=0, tan=0,
        kasu=0,
    ),
    dealing=Dealing(teyaku=0, redeal=()),
    match=MatchRules(rounds=1),
)  # fmt: skip

_MINI8 = {
    "cards": "3B 3R 3C1 3C2 9A 9R 9C1 9C2",
    "hand": 2,
    "field": 2,
    "yaku": (("hanami-zake", 5, "3B 9A"), ("tan", 1, "3R 9R"), ("kasu", 1, "3C1 3C2 9C1 9C2 9A", 3, 1)),
}
_MINI12 = {
    "cards": "3B 3R 3C1 3C2 8B 8A 8C1 8C2 9A 9R 9C1 9C2",
    "hand": 3,
    "field": "3B 3R 9C1",
    "yaku": (
        ("hanami-zake", 5, "3B 9A"),
        ("tsukimi-zake", 5, "8B 9A"),
        ("brights", 3, "3B 8B"),
        ("tane", 1, "8A 9A"),
        ("tan", 1, "3R 9R"),
        ("kasu", 1, "3C1 3C2 8C1 8C2 9C1 9C2 9A", 5, 1),
    ),
}


def koikoi(preset: str = "standard", **options: Any) -> KoiKoi:
    """Return one round of Koi-Koi; deals with a teyaku or a month's four cards on the field are redealt.

    Args:
        preset: rules to start from: ``standard``, ``nintendo_strict``, ``nintendo_growing``,
            ``gamedesign``, ``koikoi_japan``, ``bga_hard``, ``bga_soft`` or ``no_sake``.
        options: options of the rules, e.g. ``double_at=0``.

    Raises:
        UnknownNameError: no such preset or option.
        ParameterError: a value is out of range.
    """
    rules = find_rules(preset, **options)
    dealing = replace(rules.dealing, redeal=rules.dealing.all_redeals)
    return KoiKoi(replace(rules, dealing=dealing), parameters={"preset": preset, **options})


koikoi.settings = KoiKoiRules  # type: ignore[attr-defined]  # explains its options
_OPTIONS = {name: default for name, default in settings.options(KoiKoiRules()).items() if name != "extra"}
koikoi.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter("preset", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="standard", annotation=str),
        *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_OPTIONS[name]) for name in _OPTIONS),
    ]
)


def mini8(merged: bool = False, max_koikoi: int | None = None) -> KoiKoi:
    """Return Koi-Koi with 8 cards of two months, hands and field of 2; value 0.177744472789.

    Args:
        merged: whether the two chaff of a month count as one card; it changes sizes, not values.
        max_koikoi: maximum number of calls of koi-koi by both players; 0: a yaku ends the round.
    """
    return _named("mini8", _MINI8, merged, max_koikoi)


def mini12(merged: bool = False, max_koikoi: int | None = None) -> KoiKoi:
    """Return Koi-Koi with 12 cards of three months, hands of 3, and a fixed field of 3.

    Args:
        merged: whether the two chaff of a month count as one card; it changes sizes, not values.
        max_koikoi: maximum number of calls of koi-koi by both players; 0: a yaku ends the round.
    """
    return _named("mini12", _MINI12, merged, max_koikoi)


def _named(name: str, shape: dict[str, Any], merged: bool, max_koikoi: int | None) -> KoiKoi:
    game = minikoi(**shape, merged=merged, max_koikoi=max_koikoi)
    return replace(game, name=name, parameters={"merged": merged, "max_koikoi": max_koikoi})


def minikoi(
    cards: str,
    yaku: Sequence[Sequence[Any]],
    hand: int = 2,
    field: int | str = 2,
    merged: bool = False,
    max_koikoi: int | None = None,
    double_at: int = 7,
    opponent_called: int = 2,
    exhaustion: int = 0,
) -> KoiKoi:
    """Return a reduced game.

    Args:
        cards: codes, ``"3B 3R 3C1 9A"``.
        yaku: (name, points, codes[, number of cards needed (all)[, points for each further card
            (0)]]) each.
        hand: number of cards in each hand.
        field: number of cards on the field at the start, or the codes of fixed ones.
        merged: whether the two chaff of a month count as one card; it changes sizes, not values.
        max_koikoi: maximum number of calls of koi-koi by both players; 0: a yaku ends the round.
        double_at: sum of yaku from which points are doubled; 0: never.
        opponent_called: factor if the opponent has called.
        exhaustion: points to the dealer if no player stops.

    Raises:
        UnknownNameError: no such card.
        ParameterError: a yaku cannot be read, or there are not enough cards.
    """
    if not isinstance(merged, bool):
        raise out_of_range("merged", merged, "true or false")
    options = {"max_koikoi": max_koikoi, "double_at": double_at, "opponent_called": opponent_called}
    options["exhaustion"] = exhaustion
    rules = replace(settings.with_options(_BARE, options, "minikoi"), extra=tuple(_read_yaku(entry) for entry in yaku))
    given = {"cards": cards, "yaku": [list(entry) for entry in yaku], "hand": hand, "field": field, "merged": merged}
    drawn, fixed = (0, mask_of(read_cards(field))) if isinstance(field, str) else (field, 0)
    return KoiKoi(rules, mask_of(read_cards(cards)), hand, drawn, fixed, merged, "minikoi", given | options)


def _read_yaku(entry: Sequence[Any]) -> Yaku:
    if isinstance(entry, str) or not 3 <= len(entry) <= 5:
        raise ParameterError(f"a yaku must be (name, points, cards[, needed[, step]]); got {entry!r}.")
    name, points, cards, *more = entry
    mask = mask_of(read_cards(cards))
    need, step = more[0] if more else mask.bit_count(), more[1] if len(more) > 1 else 0
    check_range(f"points of {name}", points, 1, 10_000)
    check_range(f"cards needed for {name}", need, 1, mask.bit_count())
    check_range(f"step of {name}", step, 0, 10_000)
    return Yaku(str(name), str(name), mask, need, points, step)
