"""Reports of the places of a solved spot."""

from __future__ import annotations

from typing import Any

from tefuda.words import count, fixed

_RARE = 0.005  # of a class: rarer actions are not in the chart


def node_report(node: Any, rows: str = "") -> list[Any]:
    """Return the report of a place, with a table of its "classes" or "hands" if asked."""
    from tefuda.holdem.betting import STREETS
    from tefuda.holdem.cards import cards_text

    things: list[Any] = []
    if node.player is not None:
        things = _decision(node, node.actor)
        if rows:
            things.append(_by_hand(node) if rows == "hands" else _by_class(node))
    pot, behind = node.chips
    over = "the next street's card follows" if node.actor == "a card" and behind else "nothing is left to bet"
    where = f"{STREETS[len(node.board) - 3]} {cards_text(node.board)}, {node.line or 'root'}"
    evs, equities = ([figure(player) for player in (0, 1)] for figure in (node.ev, node.equity))
    worth = (
        f"EV in chips of a pot of {pot}, {behind} behind: OOP {fixed(evs[0])}, IP {fixed(evs[1])}; "
        f"equity {_percent(equities[0])}, {_percent(equities[1])}"
    )
    return [*things, f"{where}: {_frequencies(node) or over}", worth]


def limit_node_report(place: Any) -> list[Any]:
    """Return the report of a place of limit hold'em."""
    return [*_decision(place, f"player {place.player}"), f"{place.where}: {_frequencies(place)}"]


def _decision(node: Any, who: str) -> list[Any]:
    """Return the chart of the player to act, and the legend of its letters."""
    letters = _letters(list(node.shares))
    return [_chart(node, letters), f"{who}: {_legend(letters)}"]


def _frequencies(node: Any) -> str:
    return ", ".join(f"{action} {_percent(share)}" for action, share in node.frequencies.items())


def quality(solution: Any) -> str:
    """Return how good a solution is, and what that does not say."""
    locks = len(solution.strategy.compiled.spot.locks)
    locked = f"of the game with {count(locks, 'locked places')}, where nobody can do otherwise; " if locks else ""
    rake = "with a rake the game is not zero-sum; " if solution.strategy.compiled.spot.rake_rate else ""
    return (
        f"exploitability (NashConv / 2) {solution.evaluation.figure:.4g} % of the starting pot after "
        f"{count(solution.iterations, 'iterations')}, {solution.seconds:.2f} s; {locked}{rake}equilibria are not "
        "unique: strategies may differ where EV does not"
    )


def boards_grid(report: Any) -> Any:
    """Return a row for each board, and their means."""
    from tefuda.apps.grids import Grid

    means = report.means()
    actions = list(means["frequencies"])

    def row(name: str, weight: str, found: Any) -> tuple[str, ...]:
        shares = [_percent(found["frequencies"].get(action, 0.0)) for action in actions]
        worth = (*(fixed(ev, 3) for ev in found["ev"]), _percent(found["equity"][0]))
        return name, weight, *worth, *shares, fixed(found["exploitability_percent"], 3)

    rows = [row(one["board"].replace(" ", ""), f"{one['weight']:g}", one) for one in report.rows]
    rows.append(row(f"mean of {len(rows):,}", "", means))
    columns = ("board", "weight", "EV OOP", "EV IP", "equity OOP", *actions, "expl. %")
    title = (
        "EV in chips; expl.: exploitability (NashConv / 2) in % of the pot, its mean the largest; means weigh "
        "boards by weight times the pairs of hands that fit"
    )
    return Grid(columns, tuple(rows), title)


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.2f} %"


def _letters(actions: list[str]) -> dict[str, str]:
    """Return a letter for each action, numbered where several begin alike: b1, b2."""
    first = [action[0].lower() if action != "AllIn" else "a" for action in actions]
    numbered = [
        f"{one}{first[: place + 1].count(one)}" if first.count(one) > 1 else one for place, one in enumerate(first)
    ]
    return dict(zip(actions, numbered, strict=True))


def _legend(letters: dict[str, str]) -> str:
    told = ", ".join(f"{letter} {action}" for action, letter in letters.items())
    action, letter = next(iter(letters.items()))
    return f"{told}; the likeliest of each class, 60{letter} is {action} 60 % of the time"


def _chart(node: Any, letters: dict[str, str]) -> Any:
    """Return the chart of the likeliest action of each class that comes."""
    import numpy as np

    shares = np.stack([node.by_class(one, node.player) for one in node.shares.values()])
    names = list(letters.values())

    def cell(each: Any) -> str:
        if np.isnan(each).any():
            return "."
        most = int(each.argmax())
        return names[most] if each[most] > 1 - _RARE else f"{100 * each[most]:.0f}{names[most]}"

    return chart([cell(each) for each in shares.T])


def chart(cells: list[str]) -> Any:
    """Return the table of 13 x 13 classes: suited hands above the pairs, offsuit below."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import RANKS

    rows = tuple((RANKS[12 - row], *cells[13 * row : 13 * row + 13]) for row in range(13))
    return Grid(("", *reversed(RANKS)), rows)


def _by_class(node: Any) -> Any:
    """Return classes in the order of the chart: action probabilities, EV, equity."""
    import numpy as np

    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import CLASS_OF, CLASSES

    player = node.player
    hands = np.bincount(CLASS_OF, node.reach[player], minlength=len(CLASSES))
    shares = [node.by_class(one, player) for one in node.shares.values()]
    ev, equity = node.by_class(node.evs[player], player), node.by_class(node.equities[player], player)
    rows = [
        (
            CLASSES[number],
            f"{hands[number]:.2f}",
            *(fixed(one[number], 3) for one in shares),
            fixed(ev[number], 2),
            fixed(100 * equity[number], 1),
        )
        for number in np.flatnonzero(hands > 1e-9).tolist()
    ]
    return Grid((node.actor, "hands", *node.shares, "EV", "equity %"), tuple(rows))


def _by_hand(node: Any) -> Any:
    """Return hands: probability and EV of each action, and the best actions."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import hand_number, read_cards

    def text(value: float | None, places: int) -> str:
        return fixed(float("nan") if value is None else value, places)

    rows = []
    for row in node.hands():
        if row["reach"] <= 1e-9:
            continue
        each = [f"{text(row['probabilities'][action], 3)} ({text(ev, 2)})" for action, ev in row["action_evs"].items()]
        alike = node.equally_good(hand_number(*read_cards(row["hand"])))
        words = "any of " + ", ".join(alike) if len(alike) > 1 else ""
        figures = (f"{row['reach']:.3f}", *each, text(row["ev"], 2), text(100 * (row["equity"] or 0), 1))
        rows.append((row["hand"], *figures, words))
    columns = (node.actor, "comes", *(f"{action} (EV)" for action in node.shares), "EV", "equity %", "as good")
    return Grid(columns, tuple(rows), text_columns=(0, len(columns) - 1))
