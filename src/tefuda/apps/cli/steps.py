"""Methods step by step: an iteration of CFR with its formulas, the path of quantal response."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, Section, command, listed, notifying, refuse_options, report
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import (
    build_tree,
    read_game,
    split_options,
    tree_of,
    whole_number,
    with_own_options,
)
from tefuda.errors import ParameterError, TefudaError, check_range
from tefuda.words import count, significant

_MOST_ROWS = 12  # of histories, without --all
_MOST_ACTIONS = 40  # rows of the table of an iteration, without --all
_LAST_ITERATION = 10_000_000
_SOON = 10_000  # iterations that take less than two seconds on games one would read


@command(context_settings=GAME_OPTIONS, **listed(Section.SOLVE, "tefuda explain kuhn --infoset '0: J|'"))
def explain(
    context: Context,
    game: options.Game,
    iteration: Annotated[float, Option(help="Number of the iteration.")] = 1,
    infoset: Annotated[str, Option(help="Fill in the formulas of this infoset: '0: J|'.")] = "",
    method: Annotated[str, Option(help="A method of the CFR family.", autocompletion=options.method_names)] = "cfr",
    change: Annotated[list[str] | None, Option("--set", help="Option of the method, name=value.")] = None,
    everything: Annotated[bool, Option("--all", help="Every infoset, or every history.")] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Show one iteration of CFR with its formulas filled in."""
    from tefuda.solvers.exact.steps import family_method, player_updates
    from tefuda.solvers.runs.methods import find_method

    number = whole_number("iteration", iteration)
    check_range("iteration", number, 1, _LAST_ITERATION)
    given = split_options(context, game)
    chosen = with_own_options(find_method(method), given, context)
    tree = build_tree(read_game(game, given.own, context), force)
    with notifying(f"{tree.name}, {chosen.name}") as notify:
        if number > _SOON:
            notify(f"running to iteration {number:,}")
        player_steps = player_updates(tree, family_method(chosen), number)
    title = f"{tree.name}, {chosen.name}, iteration {number:,}"
    if infoset:
        place = tree.number(infoset)
        _report_infoset(player_steps[int(tree.infoset_player[place])], place, title, everything, as_json)
    else:
        _report_iteration(player_steps, title, everything, as_json)


def _report_infoset(step: Any, infoset: int, title: str, everything: bool, as_json: bool) -> None:
    from dataclasses import asdict

    from tefuda.apps.grids import Grid
    from tefuda.evaluating.off_path import MARKS
    from tefuda.forms.paths import label_text
    from tefuda.solvers.exact.explanation import explain

    explanation = explain(step, infoset)
    limit = None if everything else _MOST_ROWS
    histories = zip(
        explanation.histories,
        explanation.reach,
        *(update.history_values for update in explanation.actions),
        strict=True,
    )
    rows = [
        (" ".join(map(label_text, history)), *(significant(number, 4) for number in numbers))
        for history, *numbers in histories
    ]
    heads = ("history", "others' reach", *(f"value of {update.action}" for update in explanation.actions))
    things: list[Any] = [
        f"{title}: player {explanation.player} at {explanation.infoset}, {MARKS[explanation.mark]}",
        "",
        Grid(heads, tuple(rows[:limit])),
    ]
    if limit is not None and len(rows) > limit:
        things.append(f"{limit} of {count(len(rows), 'histories')} (--all shows every one)")
    for head, lines in explanation.sections():
        things += ["", head, *(f"  {line}" for line in lines)]
    report(as_json, {**asdict(explanation), "rule": explanation.rule._asdict()}, things)


def _report_iteration(player_steps: list[Any], title: str, everything: bool, as_json: bool) -> None:
    from tefuda.apps.grids import Grid

    tree, rows, content = player_steps[0].tree, [], []
    for number in range(tree.infosets):
        step = player_steps[int(tree.infoset_player[number])]
        arrays = {
            "value": step.counterfactual.actions, "regret": step.counterfactual.regrets, "cumulative": step.regrets,
            "next": step.next.probabilities, "average": step.average.probabilities,
        }  # fmt: skip
        for row, label in enumerate(tree.labels(number), int(tree.first_row[number])):
            figures = {name: float(array[row]) for name, array in arrays.items()}
            content.append({"infoset": tree.name_of(number), "action": label, **figures})
            rows.append((tree.name_of(number), str(label), *(significant(value, 4) for value in figures.values())))
    heads = ("infoset", "action", "value", "regret", "cumulative regret", "next strategy", "average")
    limit = None if everything else _MOST_ACTIONS
    things: list[Any] = [title, "", Grid(heads, tuple(rows[:limit]), text_columns=(0, 1))]
    if limit is not None and len(rows) > limit:
        things.append(f"{limit} of {count(len(rows), 'actions')} (--all shows every one)")
    things.append(f"The formulas of one infoset: --infoset '{tree.name_of(0)}'")
    report(as_json, {"game": tree.name, "iteration": player_steps[0].iteration, "actions": content}, things)


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.SOLVE, "tefuda quantal kuhn --to 20", "tefuda quantal sheriff --form reduced"),
)
def quantal(
    context: Context,
    game: options.Game,
    to: Annotated[float | None, Option(help="Rationality at the end of the path; default: 100.")] = None,
    form: Annotated[str, Option(help="Form of the equilibria: agent or reduced.")] = "agent",
    until: Annotated[float | None, Option(help="Largest gain at which the path ends earlier.")] = None,
    seconds: Annotated[float | None, Option(help="Time limit.")] = None,
    counts: Annotated[Path | None, Option(help="JSON file of observed choices, to fit the rationality.")] = None,
    infoset: Annotated[list[str] | None, Option(help="An infoset to draw, such as '0: J|'; repeatable.")] = None,
    force: options.Force = False,
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Follow quantal response over rationality, or fit it to choices.

    The path begins at random play. In agent form it is that of Gambit's logit_solve, for any number of players. Its
    rationality is in 1 / the game's
    unit. --counts has the number of times that each action was chosen: {"0: J|": {"p": 80, "b": 20}}.
    """
    from tefuda.apps.grids import path_grid
    from tefuda.solvers.quantal.fit import counted, fit_rationality
    from tefuda.solvers.quantal.path import quantal_path

    if png is None:
        refuse_options(context, "needs --png; give a file to draw too, or leave this out.", ("infoset",))
    tree = tree_of(context, game, force)
    chosen = None if counts is None else counted(tree, _read_counts(counts))
    for name in infoset or ():
        tree.number(name)
    shared: Any = {"form": form, "seconds": seconds}
    with on_interruption("nothing is saved; --seconds ends a path in time"), notifying(tree.name) as notify:
        shared["progress"] = lambda done, total: notify(f"path of quantal response, {100 * done // total} %")
        if chosen is None:
            path = quantal_path(tree, 100.0 if to is None else to, until=until, **shared)
            content, lines = path.summary(), list(path.notes)
        else:
            refuse_options(context, "ends a path without --counts; leave one of them out.", ("until",))
            fit = fit_rationality(tree, chosen, to=to, **shared)
            path = fit.path
            content, lines = {**fit.summary(), "path": path.summary()}, [*path.notes, "", *fit.lines]
    if png is not None:
        path.plot(png, infoset or ())
    report(as_json, content, [path_grid(path), *lines], png)


def _read_counts(file: Path) -> dict[str, Any]:
    """Return the observed choices in a file of JSON."""
    from tefuda.files import parse_json, read_bytes

    try:
        content = parse_json(read_bytes(file))
    except ValueError as error:
        if isinstance(error, TefudaError):
            raise
        content = None
    if not isinstance(content, dict):
        example = '{"0: J|": {"p": 80, "b": 20}}'
        raise ParameterError(f"--counts must be a file with a JSON object such as {example}; {file} is none.")
    return content
