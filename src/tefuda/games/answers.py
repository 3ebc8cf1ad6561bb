"""Validation and conversion of the answers of a game's functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import Any

import numpy as np

from tefuda.errors import GameError, InputError, ProfileError, TefudaError, error_text, quoted, shortened
from tefuda.games.parameters import game_parameters
from tefuda.games.protocol import LONGEST, TERMINAL, Game, State
from tefuda.lazy import load_reference

MOST_PLAYERS = 127  # limit of a tree
LARGEST_PAYOFF = 1e100  # so that sums and products of payoffs are finite
TOLERANCE = 1e-9  # for sums of probabilities
EXACT_INTEGERS = 2**53  # larger integers are not exact as floats
DIGITS = 400  # of a number in a text
_NUMBER = re.compile(r"[-+]?\d+(/\d+)?|[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_PLAIN = (int, float, Fraction)
_REMEMBERED = 4096  # answers whose conversions are remembered
ENDLESS = (
    f"a game has not ended after {LONGEST:,} moves. player() must return TERMINAL before; count the moves in the state "
    "if nothing else ends the game"
)

Labels = tuple[Any, ...]  # of the game's own type


class InvalidAnswer(GameError):
    """Invalid answer of a function of a game; `calling_rules` adds the histories.

    Args:
        kind: kind of fault, as reported by `check_game`, such as ``"chances"``.
        message: the answer, and the valid answers.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


def attribute_of(game: object, name: str) -> Any:
    """Return an attribute of a game; None if it is missing or its property raises an exception."""
    try:
        return getattr(game, name, None)
    except (Exception, SystemExit):
        return None


def name_of(game: object) -> str:
    """Return the name of a game, or of its class."""
    name = attribute_of(game, "name")
    return name if isinstance(name, str) else type(game).__name__


def missing_functions(game: object) -> list[str]:
    """Return the missing parts of a game."""
    if isinstance(game, type):
        return [f"an instance (write {game.__name__}() in place of the class {game.__name__})"]
    needed = ("root", "player", "actions", "chances", "child", "payoffs", "view")
    missing = [name for name in needed if not callable(attribute_of(game, name))]
    if not isinstance(attribute_of(game, "name"), str):
        missing.append("name (a string)")
    players = attribute_of(game, "players")
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= MOST_PLAYERS:
        missing.append(f"players (a whole number from 1 to {MOST_PLAYERS})")
    constant = attribute_of(game, "constant_sum")
    if constant is not None and number_of(constant) is None:
        missing.append(f"constant_sum (a finite number, or None; got {quoted(constant)})")
    return missing


def require_game(game: object) -> None:
    """Raise GameError unless an object has all parts of a game."""
    if isinstance(game, str):
        raise GameError(f"{game!r} is the name of a game, not its rules. Write load_game({game!r}).")
    if missing := missing_functions(game):
        raise GameError(f"{name_of(game)} is not a game: it lacks {', '.join(missing)}.")


def probabilities_given(source: str, answer: Any, actions: Labels) -> list[float]:
    """Return the probabilities of actions, in their order, from the answer of a strategy function.

    Args:
        source: description of the function, for the error.
        answer: probabilities of the actions, or a mapping from actions to probabilities; missing actions get 0.
        actions: labels of the actions.

    Raises:
        ProfileError: unknown actions, or not one probability for each action.
    """
    expected = f"it must give a probability for each of {shortened(actions)}, and they must sum to 1"
    if isinstance(answer, Mapping):
        if foreign := [name for name, chance in answer.items() if name not in actions and chance != 0]:
            raise ProfileError(
                f"{source} gave a probability for {shortened(foreign[0])}, which is not an action; {expected}."
            )
        answer = [answer.get(action, 0.0) for action in actions]
    numbers = [number_of(chance) for chance in answer] if isinstance(answer, Iterable) else []
    chances = [number for number in numbers if number is not None and number >= 0]
    if not len(numbers) == len(chances) == len(actions) or not abs(sum(chances) - 1) <= TOLERANCE:
        raise ProfileError(f"{source} gave {shortened(answer)}; {expected}.")
    return chances


@contextmanager
def calling_rules(game: object) -> Iterator[None]:
    """Turn exceptions of the rules into GameError, with the report of `check_game` if that finds a fault."""
    try:
        yield
    except InvalidAnswer as error:
        raise _explained(game, error.kind, error.message) from None
    except (TefudaError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise _explained(game, "an exception", error_text(error)) from error


def endless_game(game: object) -> GameError:
    """Return the error of an endless game."""
    return _fault_error(game, "endless", ENDLESS)


def _fault_error(game: object, kind: str, message: str) -> GameError:
    """Return the error of `report.raise_if_faulty` for a fault without histories."""
    return GameError(f"{name_of(game)} cannot be used: its rules have faults.\n  - {kind}: {message}")


def _explained(game: object, kind: str, message: str) -> InputError:
    """Return the error of `check_game`, which shows histories; that of a fault if it finds none."""
    if not missing_functions(game):
        try:
            load_reference("tefuda.games.check:require_sound")(game)
        except InputError as error:
            return error
    return _fault_error(game, kind, message)


def move_numbers(game: object) -> Iterator[int]:
    """Yield the numbers of moves; raise GameError after too many."""
    yield from range(LONGEST + 1)
    raise endless_game(game)


def number_of(value: Any) -> float | None:
    """Return a number as a float; None for other types and infinite values."""
    if value.__class__ not in _PLAIN and not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def read_number(text: str) -> Fraction | None:
    """Return the exact value of ``"2/5"``, ``"0.1"`` or ``"1e5"``; None for other or long texts."""
    with suppress(ZeroDivisionError):
        return Fraction(text) if len(text) <= DIGITS and _NUMBER.fullmatch(text) else None
    return None


def exact_number(number: Any) -> Fraction:
    """Return a number as a fraction; a float is its shortest decimal."""
    return Fraction(number) if isinstance(number, Rational) else Fraction(repr(float(number)))


def survives_as_float(number: Any) -> bool:
    """Return True unless a large integer or fraction would be rounded as a float."""
    if number.__class__ is float or not isinstance(number, Rational):
        return True
    return -EXACT_INTEGERS <= number <= EXACT_INTEGERS or Fraction(number) == float(number)  # type: ignore[operator]  # typeshed compares no Rational


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
    expected = "it must be a tuple of (label, probability) pairs"
    if not isinstance(answer, (tuple, list)):
        raise InvalidAnswer("chances", f"chances() returned {shortened(answer)}; {expected}")
    try:
        pairs = [(label, probability) for label, probability in answer]
    except (TypeError, ValueError):
        raise InvalidAnswer("chances", f"chances() returned {shortened(answer)}; {expected}") from None
    return labels_of("chances", tuple(label for label, _ in pairs)), chances_of(pairs)


def chances_of(pairs: Sequence[tuple[Hashable, Any]]) -> list[float]:
    """Return the checked probabilities of (label, probability) pairs: numbers from 0 that sum to 1."""
    chances = []
    for label, probability in pairs:
        number = number_of(probability)
        if number is None or number < 0:
            message = f"the probability of {shortened(label)} is {shortened(probability)}"
            raise InvalidAnswer("chances", f"{message}; it must be a number from 0 to 1")
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
        raise InvalidAnswer("draw", f"draw() returned {shortened(answer)}; it must be (label, probability)")
    return label, probability


def labels_of(kind: str, labels: Labels) -> Labels:
    """Return checked labels: at least one, hashable, distinct, equal to themselves, printable."""
    if not labels:
        raise InvalidAnswer(kind, "there are no labels, but the game is not over")
    try:
        distinct, equal = len(set(labels)), all(label == label for label in labels)
    except Exception:
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} are not hashable or cannot be compared") from None
    if distinct < len(labels):
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} repeat")
    if not equal:
        raise InvalidAnswer(kind, f"the labels {shortened(labels)} are not equal to themselves, like nan")
    for label in labels:
        require_printable("label", label)
    return labels


def payoffs_of(answer: Any, players: int) -> list[float]:
    """Return the checked answer of ``payoffs(state)``."""
    if not isinstance(answer, (tuple, list, np.ndarray)):
        raise InvalidAnswer(
            "payoffs", f"payoffs() returned {shortened(answer)}; it must be a tuple of one number per player"
        )
    if len(answer) != players:
        raise InvalidAnswer("payoffs", f"{len(answer)} payoffs for {players} players")
    payoffs = []
    for amount in answer:
        number = number_of(amount)
        if number is None or not -LARGEST_PAYOFF <= number <= LARGEST_PAYOFF:
            message = f"the payoffs {shortened(answer)} are not finite numbers up to {LARGEST_PAYOFF:g}"
            raise InvalidAnswer(
                "payoffs", f"{message}; payoffs() must return one number per player: int, float or Fraction"
            )
        if not survives_as_float(amount):
            message = f"the payoff {shortened(amount)} would be rounded to {number!r}"
            raise InvalidAnswer(
                "payoffs", f"{message}; use a larger unit so that payoffs stay below 2**53, or exact_solution"
            )
        payoffs.append(number)
    return payoffs


class Rounded:
    """Rules whose payoffs are rounded to floats, for users of a tree that know the exact ones."""

    def __init__(self, rules: Any) -> None:
        require_game(rules)
        self.rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the rules."""
        return game_parameters(self.rules)

    def payoffs(self, state: Any) -> Any:
        """Return the payoffs, with floats in place of numbers that are not equal to one."""
        answer = self.rules.payoffs(state)
        return tuple(map(_rounded, answer)) if isinstance(answer, (tuple, list)) else answer


def _rounded(amount: Any) -> Any:
    number = number_of(amount)
    return amount if number is None or survives_as_float(amount) else number


def view_of(answer: Any) -> Hashable:
    """Return the checked answer of ``view(state, player)``: hashable, printable, equal to itself."""
    try:
        hash(answer)
        differs = bool(answer != answer)
    except Exception:
        raise InvalidAnswer("view not hashable", f"view() returned {shortened(answer)}") from None
    require_printable("view", answer)
    if differs:
        raise InvalidAnswer("view", f"the view {shortened(answer)} is not equal to itself, like nan")
    return answer


def payoffs_at(game: Game, state: State) -> Sequence[Any]:
    """Return the checked payoffs at an end as given; they sum to the declared ``constant_sum``."""
    payoffs = game.payoffs(state)
    require_constant_sum(attribute_of(game, "constant_sum"), payoffs_of(payoffs, game.players))
    return payoffs


def require_constant_sum(constant: Any, payoffs: Sequence[float]) -> None:
    """Raise InvalidAnswer unless payoffs have the declared sum; None: no sum is declared."""
    if constant is None or (total := sum(payoffs)) == constant:
        return
    if abs(total - constant) > TOLERANCE * max(map(abs, payoffs)):
        message = f"the payoffs {quoted(tuple(payoffs))} sum to {total:g}, but constant_sum is {constant}"
        raise InvalidAnswer("not constant-sum", message)


class Conversions:
    """Checked conversions of answers; those of the first tuples are remembered by identity.

    Many rules reuse their tuples.
    """

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self.convert = convert
        self.known: dict[int, tuple[Any, Any]] = {}  # with the answer, so that no other object gets its id

    def __call__(self, answer: Any) -> Any:
        found = self.known.get(id(answer))
        if found is not None:
            return found[1]
        value = self.convert(answer)
        if answer.__class__ is tuple and len(self.known) < _REMEMBERED:
            self.known[id(answer)] = answer, value
        return value


def revealed_views(rules: Any, state: Any) -> tuple[tuple[Any, ...], tuple[bool, ...]]:
    """Return the views of all players at the end, and the game's ``shown(state)``; default: all."""
    players = range(rules.players)
    with calling_rules(rules):
        shown = tuple(rules.shown(state)) if hasattr(rules, "shown") else tuple(True for _ in players)
        return tuple(rules.view(state, player) for player in players), shown


def require_printable(kind: str, value: Any) -> None:
    """Raise InvalidAnswer unless a label or view has a repr and a str."""
    try:
        repr(value), str(value)
    except Exception as error:
        raise InvalidAnswer(f"{kind} cannot be printed", f"its repr raised {type(error).__name__}") from None


def same_answer(one: Any, two: Any) -> bool:
    """Return True if two answers are equal or have the same repr."""
    try:
        return bool(one == two) or repr(one) == repr(two)
    except Exception:
        return shortened(one, 1000) == shortened(two, 1000)
