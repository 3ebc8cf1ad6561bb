"""Sentences of the pages Play, Table and Review, in all languages at once: ``{"en": ..., "ja": ...}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.apps.web.card_faces import card_name
from tefuda.games.phrases import LANGUAGES, between, phrases
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE

Words = Mapping[str, str]  # a text by language
_PATH = Path(__file__).with_name("phrases.toml")


def in_languages(write: Callable[[str], str]) -> dict[str, str]:
    """Return a text in all languages, from a function that writes it in one."""
    return {language: write(language) for language in LANGUAGES}


def phrase(section: str, key: str, otherwise: str | Words) -> dict[str, str]:
    """Return a phrase of a section, or another text if it has none."""
    others = dict.fromkeys(LANGUAGES, otherwise) if isinstance(otherwise, str) else otherwise
    return in_languages(lambda language: phrases(section, language, _PATH).get(key, others[language]))


def filled(section: str, key: str, values: Callable[[str], Mapping[str, Any]], otherwise: str) -> dict[str, str]:
    """Return a phrase whose braces are filled by the values in each language."""
    return {language: text.format(**values(language)) for language, text in phrase(section, key, otherwise).items()}


def filled_by(section: str, key: str, values: Mapping[str, Any]) -> dict[str, str]:
    """Return a phrase of a section; values are texts, or words by language."""

    def written(language: str) -> dict[str, Any]:
        return {name: value[language] if isinstance(value, Mapping) else value for name, value in values.items()}

    return filled(section, key, written, key)


def figure_text(value: float | None, digits: int = 4) -> str:
    """Return a number with significant digits; a dash for an unknown value: None or nan."""
    if value is None or value != value:
        return "–"
    return f"{value + 0.0:,.{digits}g}".replace("-", "\N{MINUS SIGN}")


def amount_text(amount: float | None) -> str:
    """Return an amount of chips or points; "" for none."""
    return "" if amount is None else figure_text(amount, 6)


def player_names(opponents: Sequence[str], seating: Sequence[int], seat: int) -> list[Words]:
    """Return the names of the players by seat; equal opponents are numbered."""
    names = [f"{name} {n}" if opponents.count(name) > 1 else name for n, name in enumerate(opponents, 1)]
    players = [phrase("names", "you", "You"), *(dict.fromkeys(LANGUAGES, name) for name in names)]
    return [players[player] for player in seating]


def _values(event: PictureEvent, deck: str, language: str) -> dict[str, str]:
    """Return the amount and the cards of an event; of several cards the first one takes the others."""
    cards = [code if deck == "dice" else card_name(code, deck, language) for code in event.cards]
    return {
        "amount": amount_text(event.amount),
        "verb": event.verb,
        "cards": between(language).join(cards),
        "card": cards[0] if cards else "",
        "captured": between(language).join(cards[1:]),
    }


def event_text(event: PictureEvent, picture: Picture, names: Sequence[Words], seat: int) -> dict[str, str]:
    """Return an event as a sentence: ``You bet 2.``"""
    side = "" if event.player == CHANCE else ".you" if event.player == seat else ".other"

    def values(language: str) -> dict[str, str]:
        who = names[event.player][language] if side else ""
        return {"who": who, **_values(event, picture.deck, language)}

    return filled("events", event.verb + side, values, "{who} {verb} {amount} {cards}")


def action_text(event: PictureEvent, picture: Picture, name: str) -> dict[str, str]:
    """Return the name of an action's button: ``Raise to 8``."""
    otherwise = name.replace("{", "{{").replace("}", "}}")
    return filled("actions", event.verb, lambda language: _values(event, picture.deck, language), otherwise)


def end_texts(won: float, shown: Mapping[int, Picture], names: Sequence[Words]) -> list[dict[str, str]]:
    """Return the cards that other players showed and the person's result, as sentences."""

    def showing(seat: int, picture: Picture) -> dict[str, str]:
        def cards(language: str) -> dict[str, str]:
            named = (card_name(code, picture.deck, language) for code in picture.hand)
            return {"who": names[seat][language], "cards": between(language).join(named) or picture.text}

        return filled("ends", "shows", cards, "")

    lines = [showing(seat, picture) for seat, picture in shown.items() if picture.hand or picture.text]
    result = "won" if won > 0 else "lost" if won < 0 else "even"
    return [*lines, filled("ends", result, lambda language: {"amount": amount_text(abs(won))}, "")]
