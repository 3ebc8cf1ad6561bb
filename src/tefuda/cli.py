"""The command ``tefuda``. Heavy modules are imported inside commands, so that ``--help`` answers at once."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.errors import InputError, ParameterError, TefudaError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help takes 0.1 s longer
    help="Solve, judge and play games in which players see different things.",
)

#: Options that are not the command's own are parameters of the game: --players 3.
_GAME_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}

Game = Annotated[str, typer.Argument(help="A game's name, or file.py:Class. Its parameters are options: --players 3.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object as the last line.")]
Force = Annotated[bool, typer.Option("--force", help="Go on even if the estimate says the game is too large.")]


def _command(**settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command; errors of ours become a message and an exit code: 2 for bad input, else 1."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> None:
            try:
                function(*args, **kwargs)
            except TefudaError as error:
                print(f"tefuda: {error}", file=sys.stderr)
                raise typer.Exit(2 if isinstance(error, InputError) else 1) from None
            except KeyboardInterrupt:
                print("tefuda: interrupted before there was anything to keep", file=sys.stderr)
                raise typer.Exit(130) from None

        return app.command(**settings)(guarded)

    return register


def _value(text: Any) -> Any:
    """A parameter's value as it is written in Python or JSON, else the text itself."""
    if not isinstance(text, str):
        return text
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            pass
    return text


def _numbers(name: str, text: str) -> list[int]:
    """``"5"`` as 1 to 5, ``"3,7"`` as just these."""
    try:
        listed = [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"{name} is {text!r}; give a number, or numbers separated by commas.") from None
    return listed if len(listed) > 1 else list(range(1, listed[0] + 1))


def _assignments(texts: list[str]) -> dict[str, Any]:
    """``["alpha=2", "beta=0"]`` as a dict."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals:
            raise ParameterError(f"--set {name} sets nothing; write --set name=value.")
    return {name.strip(): _value(value.strip()) for name, _, value in pairs}


def _options(texts: list[str]) -> dict[str, Any]:
    """``["--players", "3", "--distinct-suits"]`` as a dict of values."""
    left, found = list(texts), {}
    while left:
        option = left.pop(0)
        if not option.startswith("--"):
            raise ParameterError(f"{option!r} stands alone; write parameters as --name value.")
        key, equals, text = option[2:].partition("=")
        if not equals:
            text = left.pop(0) if left and not left[0].startswith("--") else "True"
        found[key.replace("-", "_")] = _value(text)
    return found


def _method(name: str, changes: list[str], texts: list[str]) -> tuple[Any, dict[str, Any]]:
    """The method with its options, and the options left over for the game."""
    from tefuda import methods

    options, value = _options(texts), methods.find_method(name or methods.DEFAULT)
    fields = {key: options.pop(key) for key in list(options) if key in value.parameters() and key != "name"}
    return methods.find_method(value, fields | _assignments(changes)), options


def _game(name: str, options: dict[str, Any]) -> Any:
    """The game that ``name`` and options describe; ``name(seed=3)`` works too."""
    from tefuda.games import load_game

    parameters: dict[str, Any] = {}
    if match := re.fullmatch(r"(\w+)\((.*)\)", name):
        name = match[1]
        for part in filter(None, re.split(r",(?![^\[(]*[\])])", match[2])):
            key, _, text = part.partition("=")
            parameters[key.strip()] = _value(text.strip())
    try:
        return load_game(name, **parameters, **options)
    except ParameterError as error:
        raise ParameterError(f"{error} (See also tefuda {sys.argv[1] if len(sys.argv) > 1 else ''} --help.)") from None


def _whole(name: str, number: float) -> int:
    """A whole number that may be written 1e7."""
    if number != int(number):
        raise ParameterError(f"{name} is {number}; it must be a whole number.")
    return int(number)


def _tree(game: Any, force: bool = False) -> Any:
    from tefuda.display import building
    from tefuda.tree import compile_game

    with building(game.name) as progress:
        return compile_game(game, progress=progress, force=force)


def _print_json(content: dict[str, Any]) -> None:
    print(json.dumps(content))


@_command()
def games(as_json: Json = False) -> None:
    """List the games with their parameters."""
    import inspect

    from tefuda.games import GAMES

    rows: dict[str, Any] = {
        name: {
            "parameters": {p.name: p.default for p in inspect.signature(make).parameters.values()},
            "about": (inspect.getdoc(make) or "").split("\n")[0],
        }
        for name, make in sorted(GAMES.items())
    }
    if as_json:
        print(json.dumps(rows, default=lambda value: None))
        return
    from rich.table import Table

    from tefuda.display import out

    table = Table("game", "parameters", "about")
    for name, row in rows.items():
        empty = inspect.Parameter.empty
        given = [f"--{key.replace('_', '-')} {'...' if d is empty else d}" for key, d in row["parameters"].items()]
        table.add_row(name, "\n".join(given), row["about"])
    out.print(table)
    out.print("One's own game: tefuda solve my_game.py:MyGame")


@_command()
def methods(as_json: Json = False) -> None:
    """List the methods with their fields; any can be given as an option: --delay 10."""
    from tefuda.methods import METHODS

    rows = {name: {**method.parameters()} for name, method in METHODS.items()}
    if as_json:
        _print_json(rows)
        return
    from rich.table import Table

    from tefuda.display import out

    families: dict[type, list[Any]] = {}
    for method in METHODS.values():
        families.setdefault(type(method), []).append(method)
    for members in families.values():
        table = Table("method", "fields" if len(members) == 1 else "fields changed")
        defaults = type(members[0])("").parameters() if len(members) > 1 else {}
        if defaults:
            table.add_row("(defaults)", _fields(defaults, {}))
        for method in members:
            table.add_row(method.name, _fields(method.parameters(), defaults))
        out.print(table)
    out.print("Give them as options: tefuda solve leduc --method dcfr --alpha 2")


def _fields(parameters: dict[str, Any], defaults: dict[str, Any]) -> str:
    changed = {key: value for key, value in parameters.items() if key != "name" and value != defaults.get(key, ())}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in changed.items()
    )


@_command(context_settings=_GAME_OPTIONS)
def tree(
    context: typer.Context,
    game: Game,
    check: Annotated[bool, typer.Option("--check", help="Look for faults in the rules.")] = False,
    play: Annotated[int, typer.Option(help="Print so many randomly played games.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the random games.")] = 0,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only estimate the size, build nothing.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Compile a game and show its size; check its rules; play it at random."""
    import numpy as np

    from tefuda.check import check_game
    from tefuda.display import out
    from tefuda.errors import GameError
    from tefuda.estimate import estimate_game
    from tefuda.game import playthrough

    rules = _game(game, _options(context.args))
    if check:
        report = check_game(rules)
        out.print(str(report), markup=False)
        if not report.ok:
            raise GameError(f"{rules.name} has faults, see above.")
    rng = np.random.default_rng(seed)
    for _ in range(play):
        out.print("\n".join(playthrough(rules, rng)) + "\n", markup=False)
    guess = estimate_game(rules)
    sizes: dict[str, Any] = {"game": rules.name, "estimate": {"histories": guess.histories, "bytes": guess.bytes}}
    if not estimate:
        sizes |= _sizes(_tree(rules, force))
    if as_json:
        _print_json(sizes)
        return
    out.print(f"estimate: {guess}")
    for name, value in sizes.items():
        if name not in ("game", "estimate"):
            out.print(f"{name:>12}  {value:,}" if isinstance(value, int) else f"{name:>12}  {value}")


def _sizes(tree: Any) -> dict[str, Any]:
    import numpy as np

    from tefuda.sequence import sequence_form

    form = sequence_form(tree)
    kinds = {"decisions": int((tree.player >= 0).sum()), "chance": int((tree.player == -1).sum())}
    return {
        "histories": len(tree.player),
        **kinds,
        "terminals": len(tree.terminals),
        "infosets": tree.infosets,
        "by player": np.bincount(tree.infoset_player, minlength=tree.players).tolist(),
        "sequences": form.sequences,
        "leaves": len(form.leaf_value),
        "fingerprint": tree.fingerprint[:16],
    }


@_command(context_settings=_GAME_OPTIONS)
def solve(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="A game's name, or file.py:Class. With --resume: nothing.")] = "",
    method: Annotated[str, typer.Option(help="How to solve it.")] = "",
    iterations: Annotated[float | None, typer.Option(help="Stop after so many (1,000 if no rule is given).")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this NashConv.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds of solving.")] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers, for methods that draw any.")] = 0,
    nodes: Annotated[float | None, typer.Option(help="Stop after so many histories visited: 1e7.")] = None,
    workers: Annotated[int | None, typer.Option(help="Spread batches over so many processes.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="A field of the method: --set alpha=2.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to keep the run in.")] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="How often the run is saved.")] = 30.0,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="In rational numbers, with a certificate.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Solve a game: show strategy, value and curve, and keep the run.

    Options that are not listed are parameters of the method (--delay 10, --batch 1000; tefuda methods) or of the game.
    """
    count, steps = (
        None if n is None else _whole(name, n) for name, n in (("nodes", nodes), ("iterations", iterations))
    )
    if exact:
        _solve_exactly(_game(game, _options(context.args)), as_json)
        return
    from tefuda import methods
    from tefuda.display import building, show_solution, solving
    from tefuda.driver import Record, drive

    if resume is not None:
        rules = _game(game, _options(context.args)) if game else None
        with building("game") as progress, solving(str(resume), "iterations") as report:
            solution = methods.resume(
                resume,
                game=rules,
                iterations=steps,
                until=until,
                seconds=seconds,
                nodes=count,
                workers=workers,
                progress=report,
                building=progress,
            )
    else:
        if not game:
            raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
        chosen, options = _method(method, change or [], context.args)
        if not method:
            print(f"method: {chosen.name}, the recommended one (--method chooses another)", file=sys.stderr)
        goal = methods.find_goal(chosen, steps, until, seconds, count)
        rules = _game(game, options)
        record = Record(out or _next_folder(Path("runs"), f"{rules.name}-{chosen.name}"), checkpoint_seconds)
        solver = methods.make_solver(_tree(rules, force), chosen, seed=seed, workers=workers)
        with solving(f"{rules.name} {chosen.name}", chosen.unit) as report:
            solution = drive(solver, goal, seed=seed, record=record, progress=report)
    if as_json:
        _print_json(solution.summary())
    else:
        show_solution(solution)
    if solution.run is None:
        print(f"tefuda: the run could not be saved: {solution.settings['unsaved']}", file=sys.stderr)
        raise typer.Exit(1)
    if solution.status == "interrupted":
        print(f"tefuda: interrupted; go on with: tefuda solve --resume {solution.run}", file=sys.stderr)
        raise typer.Exit(130)


def _solve_exactly(game: Any, as_json: bool) -> None:
    from tefuda.display import exact_table, out
    from tefuda.exact import exact_solution

    solution = exact_solution(game)
    if as_json:
        _print_json(solution.summary())
        return
    out.print(exact_table(solution))
    for player, value in enumerate(solution.values):
        out.print(f"value to player {player}: {value}  = {float(value):.12g}")
    out.print("certified: the exact best responses against both strategies meet at this value")


@_command(context_settings=_GAME_OPTIONS)
def compare(
    context: typer.Context,
    game: Game,
    methods: Annotated[str, typer.Option(help="Names, separated by commas.")] = "cfr,cfr+,dcfr,pcfr+,ema",
    iterations: Annotated[float, typer.Option(help="At most so many each.")] = 100_000,
    until: Annotated[float, typer.Option(help="Stop each at this NashConv.")] = 1e-6,
    seconds: Annotated[float | None, typer.Option(help="At most so many seconds each.")] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers, for methods that draw any.")] = 0,
    png: Annotated[Path | None, typer.Option(help="Draw the curves to this file (extra plot).")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run several methods on one game and draw their curves side by side."""
    from tefuda.display import comparison_table, curve_plot, out, solving
    from tefuda.driver import drive
    from tefuda.methods import find_goal, find_method
    from tefuda.plot import plot_curves, require_matplotlib

    if png is not None:
        require_matplotlib()
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    goals = [find_goal(method, _whole("iterations", iterations), until, seconds) for method in chosen]
    tree = _tree(_game(game, _options(context.args)), force)
    solutions = []
    for method, goal in zip(chosen, goals, strict=True):
        with solving(f"{tree.name} {method.name}", method.unit) as report:
            solutions.append(drive(method.solver(tree, seed), goal, seed=seed, progress=report))
        if solutions[-1].status == "interrupted":
            break
    curves = {solution.method["name"]: solution.curve for solution in solutions}
    if png is not None:
        plot_curves(curves, png, title=tree.name)
    if as_json:
        points = {name: [point._asdict() for point in curve] for name, curve in curves.items()}
        _print_json({"game": tree.name, "solutions": [one.summary() for one in solutions], "curves": points})
        return
    out.print(curve_plot(curves))
    out.print(comparison_table(solutions))
    if png is not None:
        out.print(f"drawn in {png}")


@_command(context_settings=_GAME_OPTIONS)
def sweep(
    context: typer.Context,
    game: Game,
    methods: Annotated[str, typer.Option(help="Names, separated by commas.")],
    seeds: Annotated[str, typer.Option(help="How many, or which, separated by commas.")] = "5",
    iterations: Annotated[float, typer.Option(help="Of each run (games, for self-play).")] = 100_000,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    folder: Annotated[Path, typer.Option(help="Keeps the runs; what it holds is not run again.")] = Path("runs/sweep"),
    png: Annotated[Path | None, typer.Option(help="Draw the first seed's curves to this file (extra plot).")] = None,
    as_json: Json = False,
) -> None:
    """Run every method with every seed, and print means and deviations of NashConv."""
    from tefuda.display import out, sweep_table, telling
    from tefuda.methods import find_method
    from tefuda.plot import plot_curves, require_matplotlib
    from tefuda.sweep import sweep as run_sweep

    if png is not None:
        require_matplotlib()
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    tree = _tree(_game(game, _options(context.args)))
    with telling(f"{tree.name} sweep") as tell:
        groups = run_sweep(
            tree, chosen, seeds=_numbers("seeds", seeds), iterations=_whole("iterations", iterations), folder=folder,
            workers=workers, progress=lambda report: tell(f"{report.done:.1f} of {report.runs} runs done"),
        )  # fmt: skip
    if png is not None:
        plot_curves(
            {group.method: group.solutions[0].curve for group in groups}, png, title=tree.name, unit=chosen[0].unit
        )
    if as_json:
        _print_json({"game": tree.name, "folder": str(folder), "groups": [group.summary() for group in groups]})
    else:
        out.print(sweep_table(groups))


@_command(context_settings=_GAME_OPTIONS)
def match(
    context: typer.Context,
    game: Game,
    agents: Annotated[
        str, typer.Option(help="As many as players: names, profile files or run folders, with commas.")
    ] = "",
    hands: Annotated[float, typer.Option(help="Deals; each is played in every seating.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of cards and luck.")] = 0,
    replicates: Annotated[int, typer.Option(help="Matches of other deals: intervals for agents that learn.")] = 1,
    shared: Annotated[str, typer.Option(help="What seatings of a deal share: luck (and cards), cards, nothing.")] = "",
    workers: Annotated[int | None, typer.Option(help="Processes.")] = None,
    play: Annotated[bool, typer.Option(help="Play hands even where expected values are exact.")] = False,
    aivat: Annotated[bool, typer.Option("--aivat", help="Take luck out of what fixed strategies won.")] = False,
    record: Annotated[Path | None, typer.Option(help="Write all hands to this file, as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Let agents play each other: every deal in every seating, exact where nobody learns."""
    from tefuda.adaptive import PLAYERS, named_agents
    from tefuda.agents import NAMED
    from tefuda.display import match_tables, out, telling
    from tefuda.match import duplicate_match, write_hands
    from tefuda.variance import with_less_luck

    if not agents:
        about = {name: entry[0] for name, entry in [*NAMED.items(), *PLAYERS.items()]}
        print("\n".join(f"{name:15} {text}" for name, text in sorted(about.items())))
        return
    tree = _tree(_game(game, _options(context.args)))
    with telling(f"{tree.name} match") as tell:
        tell("making the agents")
        seated = named_agents(tree, [name.strip() for name in agents.split(",")])
        found = duplicate_match(
            tree, seated, deals=_whole("hands", hands), seed=seed, play=True if play or record or aivat else None,
            shared=shared or ("nothing" if any(agent.name == "human" for agent in seated) else "luck"),
            replicates=replicates, keep=record is not None, workers=workers,
            progress=lambda done, of: tell(f"{done} of {of} parts played"),
        )  # fmt: skip
        fixed = {place: agent.profile for place, agent in enumerate(seated) if aivat and agent.profile is not None}
        if fixed:
            tell("taking luck out")
        less = {place: with_less_luck(tree, found, place, profile) for place, profile in fixed.items()}
    if record is not None:
        write_hands(record, found)
    if as_json:
        _print_json({**found.summary(), "aivat": {found.agents[place]: list(pair) for place, pair in less.items()}})
        return
    for table in match_tables(found, less):
        out.print(table)
    if found.exact is None and found.replicates == 1:
        out.print("Deals of agents that learn depend on each other; --replicates 4 gives intervals that allow for it.")


@_command(context_settings=_GAME_OPTIONS)
def tournament(
    context: typer.Context,
    game: Game,
    agents: Annotated[str, typer.Option(help="Two or more, with commas: names, profile files or run folders.")],
    hands: Annotated[float, typer.Option(help="Deals of each pair, where somebody learns.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of cards and luck.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    as_json: Json = False,
) -> None:
    """Let every agent play every other, and print the cross table (two-player games)."""
    from tefuda.adaptive import named_agents
    from tefuda.display import cross_table_of, out, telling
    from tefuda.match import cross_table

    tree = _tree(_game(game, _options(context.args)))
    with telling(f"{tree.name} tournament") as tell:
        tell("making the agents")
        seated = named_agents(tree, [name.strip() for name in agents.split(",")])
        found = cross_table(
            tree, seated, deals=_whole("hands", hands), seed=seed, workers=workers,
            progress=lambda done, of: tell(f"{done} of {of} pairs played"),
        )  # fmt: skip
    if as_json:
        _print_json({"agents": list(found.agents), "won": found.won.tolist(), "error": found.error.tolist()})
    else:
        out.print(cross_table_of(found))


@_command(context_settings=_GAME_OPTIONS)
def exploit(
    context: typer.Context,
    game: Game,
    opponent: Annotated[str, typer.Option(help="A named agent, a profile file or a run folder.")] = "uniform",
    method: Annotated[str, typer.Option(help="rnr (restricted Nash) or safe (a bounded loss).")] = "rnr",
    player: Annotated[int, typer.Option(help="Whose response.")] = 0,
    png: Annotated[Path | None, typer.Option(help="Draw the frontier to this file (extra plot).")] = None,
    as_json: Json = False,
) -> None:
    """How much can be won from an opponent, and what it costs if he is not who he seems: the frontier."""
    from tefuda.adaptive import named_agents
    from tefuda.display import frontier_plot, frontier_table, out
    from tefuda.errors import check_choice
    from tefuda.exploit import FRONTIERS, frontier, game_value
    from tefuda.papers.claims import Panel
    from tefuda.plot import plot_panels, require_matplotlib

    check_choice("method", method, FRONTIERS)
    if png is not None:
        require_matplotlib()
    tree = _tree(_game(game, _options(context.args)))
    model = named_agents(tree, [opponent])[0].profile
    if model is None:
        raise ParameterError(f"{opponent} plays no fixed profile that could be answered.")
    value = game_value(tree, player)
    found, knob = frontier(tree, player, model, method), "p" if method == "rnr" else "eps"
    rows = [(n, one.exploitation, value - one.worst_case) for n, one in zip(FRONTIERS[method], found, strict=True)]
    title = f"{tree.name}, player {player} against {opponent}"
    if png is not None:
        line = {method: [(risk, won) for _, won, risk in rows]}
        risked, earned = "risked: below the game's value at worst", "won from the model a game"
        plot_panels((Panel(title, risked, line, upwards=earned, logarithmic=False),), png)
    if as_json:
        points = [{knob: n, "exploitation": won, "risk": risk} for n, won, risk in rows]
        _print_json({"game": tree.name, "player": player, "opponent": opponent, "value": value, "frontier": points})
    else:
        out.print(frontier_table(title, knob, value, rows))
        out.print(frontier_plot([(max(risk, 0.0), won) for _, won, risk in rows]))


@_command(context_settings=_GAME_OPTIONS)
def export(
    context: typer.Context,
    game: Game,
    to: Annotated[Path, typer.Option(help="The .efg file to write.")],
    as_json: Json = False,
) -> None:
    """Write a game as a Gambit .efg file, with exact fractions."""
    from tefuda.display import out
    from tefuda.games.efg import write_efg

    rules = _game(game, _options(context.args))
    write_efg(rules, to)
    if as_json:
        _print_json({"game": rules.name, "file": str(to), "bytes": to.stat().st_size})
    else:
        out.print(f"{rules.name} written to {to} ({to.stat().st_size:,} bytes)", soft_wrap=True)
        out.print(f"read it again: tefuda solve efg --path {to}", soft_wrap=True)


def _next_folder(parent: Path, name: str) -> Path:
    """The first of name-1, name-2, ... that does not exist."""
    number = 1
    while (parent / f"{name}-{number}").exists():
        number += 1
    return parent / f"{name}-{number}"


def _run(folder: Path, force: bool = False) -> Any:
    """The solution kept in a run folder."""
    from tefuda.methods import game_of_run
    from tefuda.solution import read_run, read_solution

    return read_solution(folder, _tree(game_of_run(read_run(folder)), force))


@_command(context_settings=_GAME_OPTIONS)
def evaluate(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="A run folder, or a game (then give --profile).")],
    profile: Annotated[str, typer.Option(help="uniform, or a profile.npz of this game.")] = "",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Judge a profile exactly: values, best responses, NashConv."""
    from tefuda.display import out, values_table
    from tefuda.profile import Profile
    from tefuda.response import judge

    if (Path(what) / "run.json").exists() and not profile:
        solution = _run(Path(what), force)
        compiled, chosen = solution.tree, solution.profile
    else:
        compiled = _tree(_game(what, _options(context.args)), force)
        if not profile:
            raise ParameterError("which profile? Give --profile uniform or --profile FILE.npz, or a run folder.")
        chosen = Profile.uniform(compiled) if profile == "uniform" else Profile.load(profile, compiled)
    judgement = judge(compiled, chosen)
    figures = {
        "game": compiled.name,
        "values": judgement.values.tolist(),
        "best_responses": judgement.best.tolist(),
        "nash_conv": judgement.nash_conv,
        "exploitability": judgement.exploitability,
        "epsilon": judgement.epsilon,
    }
    if as_json:
        _print_json(figures)
        return
    out.print(values_table(compiled, judgement))
    out.print(f"NashConv        {judgement.nash_conv:.9g}   (sum of the gains)")
    out.print(f"exploitability  {judgement.exploitability:.9g}   (NashConv / {compiled.players} players)")
    out.print(f"epsilon         {judgement.epsilon:.9g}   (largest gain)")


@_command()
def show(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    everything: Annotated[bool, typer.Option("--all", help="Every infoset.")] = False,
    player: Annotated[int | None, typer.Option(help="Only this player's infosets.")] = None,
    infoset: Annotated[str, typer.Option(help="Only infosets whose name contains this text.")] = "",
    as_json: Json = False,
) -> None:
    """Look at a run again: its strategy, value and curve."""
    from tefuda.display import out, show_solution, strategy_table
    from tefuda.profile import check_player

    solution = _run(run)
    if player is not None:
        check_player(solution.tree, player)
    if as_json:
        named = {name: {str(a): p for a, p in strategy.items()} for name, strategy in solution.profile.items(player)}
        strategy = {name: row for name, row in named.items() if infoset in name}
        _print_json({**solution.summary(), "curve": [point._asdict() for point in solution.curve], "profile": strategy})
    elif everything or infoset or player is not None:
        limit = None if everything else 40
        out.print(strategy_table(solution.profile, limit=limit, player=player, only=infoset))
    else:
        show_solution(solution)


def _told(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options, refused unless the function takes them by keyword."""
    import inspect

    from tefuda.errors import UnknownNameError

    known = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise UnknownNameError("option of this experiment", name, known)
    return options


@_command(context_settings=_GAME_OPTIONS)
def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="Which published result.")] = "",
    png: Annotated[Path | None, typer.Option(help="Draw its curves to this file (extra plot).")] = None,
    as_json: Json = False,
) -> None:
    """Run a published experiment again and print its table beside ours; without a name, list them.

    Options an experiment takes are given as --name value: tefuda reproduce nfsp-exploration --games 1e6 --seeds 2.
    """
    from tefuda.display import telling
    from tefuda.errors import UnknownNameError
    from tefuda.papers import PAPERS

    if not paper:
        about = {name: (sys.modules[run.__module__].__doc__ or "").split("\n")[0] for name, run in PAPERS.items()}
        if as_json:
            _print_json(about)
        else:
            print("\n".join(f"{name:16} {text}" for name, text in about.items()))
        return
    if paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    if png is not None:
        from tefuda.plot import plot_panels, require_matplotlib

        require_matplotlib()
    options = _told(PAPERS[paper], _options(context.args))
    with telling(paper) as tell:
        table = PAPERS[paper](tell, **options)
    if png is not None:
        if not table.panels:
            raise ParameterError(f"{paper} has no curves to draw.")
        plot_panels(table.panels, png, title=table.title)
    if as_json:
        _print_json(table.summary())
    else:
        from tefuda.display import show_claims

        show_claims(table)
    if not table.met:
        raise typer.Exit(1)


def main() -> None:
    """Entry point of the command ``tefuda``."""
    app()


if __name__ == "__main__":
    main()
