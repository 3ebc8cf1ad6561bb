"""Formulas of one iteration, filled in with the numbers of an infoset, as nodes of MathML."""

from __future__ import annotations

import functools
import html
import math
from collections.abc import Iterable, Sequence

from tefuda.apps.formulas import mathml
from tefuda.apps.web.messages.chapters import Node, nodes_of_html
from tefuda.forms.paths import SEPARATOR
from tefuda.games.protocol import CHANCE
from tefuda.solvers.exact.explanation import ActionUpdate, Explanation
from tefuda.solvers.exact.trace import Iteration, IterationHistory
from tefuda.words import significant

#: Characters with a meaning in TeX become characters without one, and after the conversion themselves again.
_SPECIAL = r"\{}$&#^_%~<>"
_HIDDEN = str.maketrans({character: chr(0xE000 + index) for index, character in enumerate(_SPECIAL)})
_SHOWN = {0xE000 + index: html.escape(character) for index, character in enumerate(_SPECIAL)}


def formulas(iteration: Iteration, update: Explanation, times: int) -> dict[str, list[Node]]:
    """Return the formulas of each stage, for the update of an infoset.

    Args:
        iteration: the iteration.
        update: the update of the infoset; its labels are texts.
        times: factor of the regrets that are shown beside them.
    """
    stages = {
        "deal": _deal(iteration, update),
        "reach": _reach(iteration, update),
        "values": _values(update),
        "regrets": _regrets(update, times),
        "strategy": _strategy(update),
        "average": _average(update),
    }
    return {stage: [_node(tex) for tex in lines] for stage, lines in stages.items()}


@functools.lru_cache(4096)  # most formulas of an infoset are those of the iteration before
def _node(tex: str) -> Node:
    (node,) = nodes_of_html(mathml(tex, "block").translate(_SHOWN))
    return node


def _number(value: float) -> str:
    """Return a number; powers of ten as such."""
    digits, exponent, power = significant(value, 4).partition("e")
    return f"{{{digits}" + (rf" \times 10^{{{int(power)}}}" if exponent else "") + "}"


def _term(value: float) -> str:
    return f"({_number(value)})" if value < 0 else _number(value)


def _text(name: object) -> str:
    return r"\text{" + str(name).replace(SEPARATOR, " ").translate(_HIDDEN) + "}"


def _products(factors: Iterable[float], values: Iterable[float]) -> str:
    return " + ".join(rf"{_number(a)} \times {_term(b)}" for a, b in zip(factors, values, strict=True))


def _equation(left: str, *sides: str) -> str:
    return " = ".join((left, *sides))


def _way(iteration: Iteration, history: IterationHistory) -> list[tuple[int, IterationHistory]]:
    """Return the moves to a history: the player, and the history after the move."""
    steps = []
    while history.parent is not None:
        parent = iteration.histories[history.parent]
        steps.append((parent.mover, history))
        history = parent
    return steps[::-1]


def _inside(iteration: Iteration, update: Explanation) -> list[IterationHistory]:
    return [history for history in iteration.histories if history.infoset == update.infoset]


def _chain(left: str, factors: Sequence[float], result: float) -> str:
    """Return an equation with the product of factors, if there are several, and its result."""
    product = [r" \times ".join(map(_number, factors))] if len(factors) > 1 else []
    return _equation(left, *product, _number(result))


def _deal(iteration: Iteration, update: Explanation) -> list[str]:
    lines = []
    for history in _inside(iteration, update):
        chances = [step.shares[update.player] for mover, step in _way(iteration, history) if mover == CHANCE]
        lines.append(_chain(f"c({_text(history.path)})", chances, math.prod(chances)))
    return lines


def _reach(iteration: Iteration, update: Explanation) -> list[str]:
    player, lines = update.player, []
    for history in _inside(iteration, update):
        others = [step.shares[player] for mover, step in _way(iteration, history) if mover != player]
        lines.append(_chain(rf"\pi_{{-{player}}}({_text(history.path)})", others, history.others[player]))
    return [*lines, _equation(rf"\pi_{{{player}}}({_text(update.infoset)})", _number(update.own_reach))]


def _values(update: Explanation) -> list[str]:
    actions = update.actions
    lines = [
        _equation(f"v({_text(a.action)})", _products(update.reach, a.history_values), _number(a.value)) for a in actions
    ]
    mean = _products([a.probability for a in actions], [a.value for a in actions])
    return [*lines, _equation("v", mean, _number(update.value))]


def _regrets(update: Explanation, times: int) -> list[str]:
    lines = []
    for action in update.actions:
        name, regret = _text(action.action), _number(action.regret)
        lines.append(_equation(f"r({name})", f"{_number(action.value)} - {_term(update.value)}", regret))
        if times != 1:
            lines.append(_equation(rf"{times} \times r({name})", _number(times * action.regret)))
        total = f"{_number(action.before)} + {_term(action.regret)}"
        if action.factor != 1:
            total = rf"{_number(action.factor)} \times ({total})"
        side = rf"\max({total}, 0)" if update.rule.clip else total
        lines.append(_equation(f"R({name})", side, _number(action.after)))
    return lines


def _strategy(update: Explanation) -> list[str]:
    lines, prediction = [], update.rule.prediction
    for action in update.actions if prediction else ():
        side = rf"{_number(action.after)} + {_number(prediction)} \times {_term(action.prediction)}"
        lines.append(_equation(f"R'({_text(action.action)})", side, _number(action.matched)))
    positive = [max(action.matched, 0.0) for action in update.actions]
    return lines + _fractions(r"\sigma", update.actions, positive, [action.next for action in update.actions])


def _average(update: Explanation) -> list[str]:
    lines, rule = [], update.rule
    for action in update.actions:
        old = _number(action.sum_before)
        if rule.decay != 1:
            old = rf"{_number(rule.decay)} \times {old}"
        added = r" \times ".join(map(_number, (rule.weight, update.own_reach, action.averaged)))
        lines.append(_equation(f"S({_text(action.action)})", f"{old} + {added}", _number(action.sum)))
    sums, shares = zip(*((action.sum, action.average) for action in update.actions), strict=True)
    return lines + _fractions(r"\bar{\sigma}", update.actions, sums, shares)


def _fractions(
    letter: str, actions: Sequence[ActionUpdate], above: Sequence[float], shares: Sequence[float]
) -> list[str]:
    """Return the shares of actions as fractions of a positive sum; none if there is no such sum."""
    if (below := sum(above)) <= 0:
        return []
    return [
        _equation(f"{letter}({_text(action.action)})", rf"\frac{{{_number(part)}}}{{{_number(below)}}}", _number(share))
        for action, part, share in zip(actions, above, shares, strict=True)
    ]
