"""Checks and conversions of the answers of a game's functions, for compiling and for `check_game`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from tefuda.errors import GameError, ProfileError, TefudaError, shortened
from tefuda.games.protocol import LONGEST, TERMINAL

MOST_PLAYERS = 127  # the most a tree can tell apart
LARGEST_PAYOFF = 1e100  # of payoffs, so that sums and products of them are numbers
TOLERANCE = 1e-9  # of probabilities that sum to 1
EXACT_INTEGERS = 2**53  # from here on floats no longer tell neighbouring whole numbers apart
_PLAIN = (int, float, Fraction)

Labels = tuple[Hashable, ...]


class InvalidAnswer(Exception):
    """An answer that cannot be used: the kind of fault, as `check_game` names it, and what is wrong.

    Args:
        kind: e.g. ``"chances"``.
        message: what was answered, and what it must be.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


def attribute_of(game: object, name: str) -> Any:
    """Return an attribute of a game; None if it has none, or if a property raises."""
    try:
        return getattr(game, name, None)
    except (Exception, SystemExit):
        return None


def name_of(game: object) -> str:
    """Return the name of a game, or of its class."""
    name = attribute_of(game, "name")
    return name if isinstance(name, str) else type(game).__name__


def missing_functions(game: object) -> list[str]:
    """Return the parts of a game that an object lacks."""
    if isinstance(game, type):
        return [f"an instance (write {game.__name__}() in place of the class {game.__name__})"]
    needed = ("root", "player", "actions", "chances", "child", "payoffs", "view")
    missing = [name for name in needed if not callable(attribute_of(game, name))]
    if not isinstance(attribute_of(game, "name"), str):
        missing.append("name (a string)")
    players = attribute_of(game, "players")
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= MOST_PLAYERS:
        missing.append(f"players (a whole number from 1 to {MOST_PLAYERS})")
    return missing


def require_game(game: object) -> None:
    """Raise GameError unless an object has all a game needs."""
    if isinstance(game, str):
        raise GameError(f"{game!r} is the name of a game, not its rules. Write load_game({game!r}).")
    if missing := missing_functions(game):
        raise GameError(f"{name_of(game)} is not a game: it lacks {', '.join(missing)}.")


def probabilities_given(asked: str, answer: Any, actions: Labels) -> list[float]:
    """Return the probabilities of actions, in their order, from the answer of a strategy function.

    Args:
        asked: name of what was asked, for the error.
        answer: a probability for each action, or a mapping from actions to probabilities; actions it lacks get 0.
        actions: the labels that can be chosen.

    Raises:
        ProfileError: names of other actions, another number of probabilities, or no probabilities.
    """
    wanted = f"it must give a probability for each of {shortened(actions)}, and they must sum to 1"
    if isinstance(answer, Mapping):
        if foreign := [name for name, chance in answer.items() if name not in actions and chance != 0]:
            raise ProfileError(f"{asked} gave a probability for {shortened(foreign[0])}, which is no action; {wanted}.")
        answer = [answer.get(action, 0.0) for action in actions]
    numbers = [number_of(chance) for chance in answer] if isinstance(answer, Iterable) else []
    chances = [number for number in numbers if number is not None and number >= 0]
    if not len(numbers) == len(chances) == len(actions) or not abs(sum(chances) - 1) <= TOLERANCE:
        raise ProfileError(f"{asked} gave {shortened(answer)}; {wanted}.")
    return chances


@contextmanager
def calling_rules(game: object) -> Iterator[None]:
    """Turn errors of the rules into a GameError."""
    try:
        yield
    except (TefudaError, MemoryError):
        raise
    except InvalidAnswer as error:
        raise GameError(f"{name_of(game)}: {error}") from None
    except (Exception, SystemExit) as error:
        raise GameError(f"{name_of(game)}: its rules raised {error_text(error)}") from error


def endless_game(game: object) -> GameError:
    """Return the error of rules whose games do not end."""
    return GameError(
        f"{name_of(game)}: a game of {LONGEST:,} moves has not ended. player() must return TERMINAL after at most so "
        f"many moves; count them in the state if nothing else ends the game."
    )


def move_numbers(game: object) -> Iterator[int]:
    """Count the moves of a game that is played; raise GameError where it does not end."""
    yield from range(LONGEST + 1)
    raise endless_game(game)


def number_of(value: Any) -> float | None:
    """Return a number as a float; None for other types, and for numbers that are not finite as floats."""
    if value.__class__ not in _PLAIN and not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -np.inf < number < np.inf else None


def survives_as_float(number: Any) -> bool:
    """Return True if a float holds a number, up to the rounding of fractions, so that no two become equal."""
    return (
        not isinstance(number, Rational) or abs(exact := Fraction(number)) <= EXACT_INTEGERS or exact == float(number)
    )


def mover_of(answer: Any, players: int) -> int:
    """Return the checked answer of ``player(state)``."""
    whole = answer.__class__ is int or (isinstance(answer, (int, np.integer)) and not isinstance(answer, bool))
    if not whole or not TERMINAL <= answer < players:
        span = f"0..{players - 1}, CHANCE (-1) or TERMINAL (-2)"
        raise InvalidAnswer("mover", f"player() returned {shortened(answer)}; it must be {span}")
    return int(answer)


def actions_of(answer: Any) -> Labels:
    """Return the checked answer of ``actions(state)``."""
    if not isinstance(answer, (tuple, list)):
        raise InvalidAnswer("actions", f"actions() returned {shortened(answer)}; it must be a tuple of labels")
    return labels_of("actions", tuple(answer))


def outcomes_of(answer: Any) -> tuple[Labels, list[float]]:
    """Return the checked answer of ``chances(state)``: labels and probabilities."""
    wanted = "it must be a tuple of (label, probability) pairs"
    if not isinstance(answer, (tuple, list)):
        raise InvalidAnswer("chances", f"chances() returned {shortened(answer)}; {wanted}")
    try:
        pairs = [(label, probability) for label, probability in answer]
    except (TypeError, ValueError):
        raise InvalidAnswer("chances", f"chances() returned {shortened(answer)}; {wanted}") from None
    return labels_of("chances", tuple(label for label, _ in pairs)), chances_of(pairs)


def chances_of(pairs: Sequence[tuple[Hashable, Any]]) -> list[float]:
    """Return the checked probabilities of (label, probability) pairs: numbers above 0 that sum to 1."""
    chances = []
    for label, probability in pairs:
        number = number_of(probability)
        if number is None or not number > 0:
            message = f"the probability of {shortened(label)} is {shortened(probability)}"
            raise InvalidAnswer("chances", f"{message}; it must be a number above 0; leave out what cannot come")
        chances.append(number)
    if not abs(sum(chances) - 1) <= TOLERANCE:
        raise InvalidAnswer("chances", f"the probabilities sum to {sum(chances)!r}, not to 1")
    return chances


def drawn_outcome_of(answer: Any) -> tuple[Hashable, Any]:
    """Return the checked answer of ``draw(state, uniform)``: an outcome and its probability."""
    try:
        label, probability = answer
        hash(label)
    except (TypeError, ValueError):
        probability = None
    number = number_of(probability)
    if number is None or not 0 < number <= 1 + TOLERANCE:
        raise InvalidAnswer("draw", f"draw() gave {shortened(answer)}; it must be (label, probability)")
    return label, probability


def labels_of(kind: str, labels: Labels) -> Labels:
    """Return checked labels: at least one, hashable, different, equal to themselves, printable."""
    if not labels:
        raise InvalidAnswer(kind, "there is nothing to do, but the game is not over")
    try:
        distinct, equal = len(set(labels)), all(label == label for label in labels)
    except Exception:
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} are not hashable or cannot be compared") from None
    if distinct < len(labels):
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} repeat")
    if not equal:
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} are not equal to themselves, as nan is not")
    for label in labels:
        require_printable("label", label)
    return labels


def payoffs_of(answer: Any, players: int) -> list[float]:
    """Return the checked answer of ``payoffs(state)``."""
    if not isinstance(answer, (tuple, list, np.ndarray)):
        raise InvalidAnswer(
            "payoffs", f"payoffs() returned {shortened(answer)}; it must be a tuple, one number a player"
        )
    if len(answer) != players:
        raise InvalidAnswer("payoffs", f"{len(answer)} payoffs for {players} players")
    found = []
    for amount in answer:
        number = number_of(amount)
        if number is None or not -LARGEST_PAYOFF <= number <= LARGEST_PAYOFF:
            message = f"the payoffs {shortened(answer)} are not finite numbers up to {LARGEST_PAYOFF:g}"
            raise InvalidAnswer("payoffs", f"{message}; payoffs() must give one number a player")
        if not survives_as_float(amount):
            message = f"the payoff {shortened(amount)} would be rounded to {number!r}"
            raise InvalidAnswer("payoffs", f"{message}; use a larger unit so that payoffs stay below 2**53")
        found.append(number)
    return found


def view_of(answer: Any) -> Hashable:
    """Return the checked answer of ``view(state, player)``: hashable, printable, equal to itself."""
    try:
        hash(answer)
        differs = bool(answer != answer)
    except Exception:
        raise InvalidAnswer("view not hashable", f"view() returned {shortened(answer)}") from None
    require_printable("view", answer)
    if differs:
        raise InvalidAnswer("view", f"the view {shortened(answer)} is not equal to itself, as nan is not")
    return answer


def require_printable(what: str, value: Any) -> None:
    """Raise Unfit unless a label or view can be printed."""
    try:
        repr(value), str(value)
    except Exception as error:
        raise InvalidAnswer(f"{what} cannot be printed", f"its repr raised {type(error).__name__}") from None


def as_text(value: Any) -> str:
    """Return a label as text, even if its ``str`` raises."""
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"


def error_text(error: BaseException) -> str:
    """Return the kind and text of an error."""
    return f"{type(error).__name__}: {as_text(error)}"


def same_answer(one: Any, two: Any) -> bool:
    """Return True if two answers are equal or print alike."""
    try:
        return bool(one == two) or repr(one) == repr(two)
    except Exception:
        return shortened(one, 1000) == shortened(two, 1000)
