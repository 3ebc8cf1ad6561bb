"""Amounts and times as card rooms write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tefuda.errors import ParameterError

#: An amount in a regular expression: ``$1,050.25``, ``1 204,50 $``, ``0.50€``, ``1'000``.
MONEY = r"(?:[A-Z]{0,2}[$€£¥₹] ?)?\d(?:[\d.,' ]*\d)?(?: ?[€$£])?"
#: Currencies by their signs.
CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "₹": "INR"}
#: Zone of New York, in which PokerStars writes times.
EASTERN = ZoneInfo("America/New_York")
_LONGEST = 20  # letters of an amount
_OFFSETS = {
    "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "BRT": -3,
}  # fmt: skip
_TIME = re.compile(r"(\d{4})[/-](\d\d?)[/-](\d\d?)[ T]+(\d\d?):(\d\d):(\d\d)(?: ([A-Z]{2,4}))?")


class FinerAmountError(ValueError):
    """Amount with more decimals than the unit has."""


@lru_cache(maxsize=1 << 16)
def units(text: str, digits: int) -> int:
    """Return an amount as a whole number of units of ``10**-digits``.

    A last separator before three digits separates thousands, unless the number begins with 0 or has another separator
    before it; otherwise it is the decimal separator.

    Raises:
        FinerAmountError: the amount has more decimals.
        ValueError: the text is no amount.
    """
    number = re.sub(r"[^\d.,]", "", text)
    if len(number) > _LONGEST:
        raise ValueError(f"{text[:_LONGEST]}... is no amount")
    last = max(number.rfind("."), number.rfind(","))
    whole, fraction = (number, "") if last < 0 else (number[:last], number[last + 1 :])
    others = {*re.findall(r"[.,]", whole)} - {number[last]} if last >= 0 else set()
    if len(fraction) == 3 and whole.strip("0") and not others:
        whole, fraction = whole + fraction, ""
    whole, fraction = re.sub(r"\D", "", whole), fraction.rstrip("0")
    if len(fraction) > digits:
        raise FinerAmountError(f"{text} has more than {digits} decimals")
    return int((whole or "0") + fraction.ljust(digits, "0"))


def exact_units(number: str, digits: int) -> int:
    """Return a number of JSON as a whole number of units of ``10**-digits``.

    Raises:
        FinerAmountError: the number has more decimals.
        ValueError: the text is no number.
    """
    try:
        chips = Decimal(number).scaleb(digits)
        is_amount = abs(chips) < 10**_LONGEST
    except ArithmeticError:
        is_amount = False
    if not is_amount:
        raise ValueError(f"{number[:_LONGEST]} is no amount")
    if int(chips) != chips:
        raise FinerAmountError(f"{number} has more than {digits} decimals")
    return int(chips)


def currency_of(text: str) -> str:
    """Return the currency of an amount, by its sign or its three letters; empty if there is none."""
    if letters := re.search(r"\b(USD|EUR|GBP|CNY|INR|CAD|AUD|SEK|DKK|NOK|BRL)\b", text):
        return letters[1]
    return next((name for sign, name in CURRENCIES.items() if sign in text), "")


def moment(text: str) -> datetime | None:
    """Return the time in a text such as ``2026/03/14 9:15:02 CET``; None if there is none.

    It is in UTC if the zone is known, else without a zone.
    The first time counts, but an Eastern one before that of the player's computer: ``[2026/03/14 4:15:02 ET]``.
    """
    *numbers, zone = max(_TIME.findall(text), key=lambda found: found[-1] == "ET", default=("", ""))
    try:
        return in_utc(datetime(*map(int, numbers)), zone)  # type: ignore[arg-type]
    except ValueError:
        return None


def in_utc(local: datetime, zone: str) -> datetime:
    """Return a local time in UTC; unchanged if the abbreviation of the zone is unknown."""
    if zone == "ET":
        return local.replace(tzinfo=EASTERN).astimezone(UTC)
    hours = _OFFSETS.get(zone)
    return local if hours is None else (local - timedelta(hours=hours)).replace(tzinfo=UTC)


def read_zone(name: str) -> tzinfo:
    """Return the time zone of a name such as ``Europe/Berlin``, ``CET`` or ``+02:00``.

    Raises:
        ParameterError: the zone is unknown.
    """
    try:
        return datetime.strptime(name, "%z").tzinfo or UTC if name.startswith(("+", "-")) else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(
            f"time zone must be a name such as Europe/Berlin or an offset such as +02:00; got {name!r}.",
            key="time_zone", value=name,
        ) from None  # fmt: skip
