"""Decisions of solved spots, of hold'em in buckets and of trees: `tefuda show RUN --line LINE`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import allow_only, refuse_options, report
from tefuda.apps.cli.shared.runs import load_holdem_run, load_run
from tefuda.figure import action_colours
from tefuda.words import count, escaped, fixed, signed

if TYPE_CHECKING:
    from tefuda.holdem.buckets.node import BucketNode
    from tefuda.holdem.spots.grid import HoldemNode, RangeView
    from tefuda.holdem.spots.node import Node

#: Options of a decision of a run of hold'em.
OPTIONS: options.Options = {
    "line": (str, "", 'Line: root, "Check/Bet(50)/Ts"; hands "rc", "r250c"; tree "J Q~b".'),
    "board": (str, "", 'With --line of a hand: board cards there, "Qs Jh 2h".'),
    "classes": (bool, False, Option("--classes", help="With --line: hand classes with EV and equity.")),
    "hands": (bool, False, Option("--hands", help="With --line: hands with the EV of each action.")),
    "csv": (Path | None, None, Option(help="With --line: numbers into this file.", callback=options.writable_file)),
}

_RARE = 0.005  # probability in a hand class: rarer actions are not in the chart


def show_node(context: Context, run: Path) -> None:
    """Report ranges, actions, EV and equity at a line of a run; the options are `OPTIONS` and --json."""
    from tefuda.holdem.buckets.node import BucketNode
    from tefuda.holdem.spots.node import Node
    from tefuda.solvers.runs.run import read_run

    params = context.params
    if read_run(run)["form"]["representation"] in ("tree", "partition"):
        allow_only(context, "a run of a tree", ("line", "as_json"))
        _show_history(run, params["line"], params["as_json"])
        return
    solution = load_holdem_run(run, "hands", "buckets")
    if solution.form.representation == "buckets":
        allow_only(context, "a run of hold'em in buckets", ("line", "board", "as_json"))
        letters = "" if params["line"] == "root" else params["line"]
        bucket_node = BucketNode.from_letters(solution.strategy, letters, params["board"])
        report(params["as_json"], {**bucket_node.summary(), "run": str(run)}, bucket_node_report(bucket_node))
        return
    refuse_options(context, "has no effect with a run of a spot, whose line names the cards; leave it out.", ("board",))
    node = Node(solution.strategy, params["line"])
    if params["csv"] is not None:
        node.to_csv(params["csv"])
    figure = {"exploitability_percent": solution.evaluation.figure, "iterations": solution.iterations}
    content = {**node.summary(params["hands"]), **figure, "status": solution.status, "run": str(run)}
    shown = node_report(node, "hands" if params["hands"] else "classes" if params["classes"] else "")
    report(params["as_json"], content, [*shown, quality(solution)])


def _show_history(run: Path, line: str, as_json: bool) -> None:
    """Report a history of a tree as the player to move knows it; line: labels joined by ``~``."""
    from tefuda.apps.grids import position_grid
    from tefuda.evaluating.explorer import Explorer
    from tefuda.evaluating.off_path import MARKS
    from tefuda.forms.paths import ROOT

    position = Explorer(load_run(run).strategy).position(ROOT if line == "root" else line)
    content = {"run": str(run), "line": line, **asdict(position)}
    place = f"{escaped(position.infoset)}: {MARKS[position.mark]}" if position.infoset and position.mark else line
    reach = position.reach
    figures = f"reach: own {reach.own:.4g}, others {reach.others:.4g}, chance {reach.chance:.4g}"
    values = "  ".join(signed(value, 4) for value in position.values or ())
    report(as_json, content, [position_grid(position), place, figures, f"values  {values}" if values else "no values"])


def node_report(node: Node, rows: str = "") -> list[Any]:
    """Return the report of a node of a spot, with a table of rows: "classes", "hands", or ""."""
    things: list[Any] = []
    if node.player is not None:
        hands = node.hands(node.player)
        things = decision_report(hands.actions, hands.reach, hands.shares, node.seats[node.player])
        if rows:
            things.append(_by_hand(node) if rows == "hands" else _by_class(node, hands))
    frequencies = _frequencies(node, [action.name for action in node.actions()])
    ending = "the next street's card follows" if node.outcomes() else "nothing is left to bet"
    evs, equities = ([figure(player) for player in (0, 1)] for figure in (node.ev, node.equity))
    values = (
        f"EV in chips of a pot of {node.pot}, {node.behind} behind: OOP {fixed(evs[0])}, IP {fixed(evs[1])}; "
        f"equity {_percent(equities[0])}, {_percent(equities[1])}"
    )
    return [*things, f"{node.where}: {frequencies or ending}", values]


def bucket_node_report(node: BucketNode) -> list[Any]:
    """Return the report of a decision of hold'em in buckets."""
    decision = decision_report(node.words, node.reach[node.player or 0], node.shares.values(), f"player {node.player}")
    return [*decision, f"{node.where}: {_frequencies(node, node.words)}"]


def decision_report(actions: Sequence[str], reach: Any, shares: Iterable[Any], who: str) -> list[Any]:
    """Return the chart of the player to act, and the legend of its letters."""
    letters = _letters(actions)
    return [_chart(letters, reach, shares), f"{who}: {_legend(letters)}"]


def _frequencies(node: HoldemNode, names: Sequence[str]) -> str:
    shares = [_percent(action.share) for action in node.actions()]
    return ", ".join(f"{name} {share}" for name, share in zip(names, shares, strict=True))


def quality(solution: Any) -> str:
    """Return the exploitability of a solution, with its caveats."""
    locks = len(solution.strategy.compiled.spot.locks)
    locked = f"of the game with {count(locks, 'locked nodes')}, where no deviation is possible; " if locks else ""
    rake = "with a rake the game is not zero-sum; " if solution.strategy.compiled.spot.rake_rate else ""
    return (
        f"exploitability (NashConv / 2) {solution.evaluation.figure:.4g} % of the starting pot after "
        f"{count(solution.iterations, 'iterations')}, {solution.seconds:.2f} s; {locked}{rake}equilibria are not "
        "unique: strategies may differ where EV does not"
    )


def boards_grid(report: Any) -> Any:
    """Return a table with a row for each board, and their means."""
    from tefuda.apps.grids import Grid

    means = report.means()
    actions = list(means["frequencies"])

    def row(name: str, weight: str, result: Any) -> tuple[str, ...]:
        shares = [_percent(result["frequencies"].get(action, 0.0)) for action in actions]
        values = (*(fixed(ev, 3) for ev in result["ev"]), _percent(result["equity"][0]))
        return name, weight, *values, *shares, fixed(result["exploitability_percent"], 3)

    rows = [row(board["board"].replace(" ", ""), f"{board['weight']:g}", board) for board in report.rows]
    rows.append(row(f"mean of {len(rows):,}", "", means))
    columns = ("board", "weight", "EV OOP", "EV IP", "equity OOP", *actions, "expl. %")
    title = (
        "EV in chips; expl.: exploitability (NashConv / 2) in % of the pot, its last row the maximum; means weight "
        "each board by its weight times its number of hand pairs"
    )
    return Grid(columns, tuple(rows), title)


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.2f} %"


def _letters(actions: Sequence[str]) -> dict[str, str]:
    """Return a letter for each action, with a number if several actions share it: b1, b2."""
    first = [action[0].lower() if action != "AllIn" else "a" for action in actions]
    numbered = [
        f"{letter}{first[: index + 1].count(letter)}" if first.count(letter) > 1 else letter
        for index, letter in enumerate(first)
    ]
    return dict(zip(actions, numbered, strict=True))


def _legend(letters: dict[str, str]) -> str:
    names = ", ".join(f"{letter} {action}" for action, letter in letters.items())
    action, letter = next(iter(letters.items()))
    return f"{names}; the most probable action of each class, 60{letter} is {action} 60 % of the time"


def _chart(letters: dict[str, str], reach: Any, shares: Iterable[Any]) -> Any:
    """Return the chart of the most probable action of each hand class in the range."""
    import numpy as np

    from tefuda.holdem.spots.grid import class_means

    by_class = np.stack([class_means(reach, share) for share in shares]).T
    names = list(letters.values())

    def cell(each: Any) -> str:
        if np.isnan(each).any():
            return "."
        most = int(each.argmax())
        return names[most] if each[most] > 1 - _RARE else f"{100 * each[most]:.0f}{names[most]}"

    fills = action_colours(list(letters))
    colours = ["" if np.isnan(each).any() else fills[int(each.argmax())] for each in by_class]
    return chart([cell(each) for each in by_class], colours)


def chart(cells: list[str], colours: Sequence[str] = ()) -> Any:
    """Return the table of 13 x 13 classes: suited hands above the pairs, offsuit below."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import RANKS

    rows = tuple((RANKS[12 - row], *cells[13 * row : 13 * row + 13]) for row in range(13))
    fills = {(number // 13, number % 13 + 1): colour for number, colour in enumerate(colours) if colour}
    return Grid(("", *reversed(RANKS)), rows, fills=fills)


def _by_class(node: HoldemNode, view: RangeView) -> Any:
    """Return a table of hand classes in the order of the chart: action probabilities, EV, equity."""
    import numpy as np

    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import CLASS_OF, CLASSES
    from tefuda.holdem.spots.grid import class_means

    hands = np.bincount(CLASS_OF, view.reach, minlength=len(CLASSES))
    *shares, ev, equity = (class_means(view.reach, each) for each in (*view.shares, view.ev, view.equity))
    rows = [
        (
            CLASSES[number],
            f"{hands[number]:.2f}",
            *(fixed(share[number], 3) for share in shares),
            fixed(ev[number], 2),
            fixed(100 * equity[number], 1),
        )
        for number in np.flatnonzero(hands > 1e-9).tolist()
    ]
    return Grid((node.seats[node.player or 0], "hands", *view.actions, "EV", "equity %"), tuple(rows))


def _by_hand(node: Node) -> Any:
    """Return a table of hands: probability and EV of each action, and equally good hands."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import hand_number, read_cards

    def text(value: float | None, decimals: int) -> str:
        return fixed(float("nan") if value is None else value, decimals)

    rows = []
    for row in node.rows():
        if row["reach"] <= 1e-9:
            continue
        each = [f"{text(row['probabilities'][action], 3)} ({text(ev, 2)})" for action, ev in row["action_evs"].items()]
        equally_good = node.equally_good(hand_number(*read_cards(row["hand"])))
        words = "any of " + ", ".join(equally_good) if len(equally_good) > 1 else ""
        figures = (f"{row['reach']:.3f}", *each, text(row["ev"], 2), text(100 * (row["equity"] or 0), 1))
        rows.append((row["hand"], *figures, words))
    columns = (node.actor, "reach", *(f"{action} (EV)" for action in node.shares), "EV", "equity %", "equally good")
    return Grid(columns, tuple(rows), text_columns=(0, len(columns) - 1))
