"""Koi-Koi on the command line: rules, records of rounds, agents."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Exit, Option, Typer

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    SectionedGroup,
    app,
    examples,
    given_options,
    listed,
    notifying,
    print_json,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import read_names, read_options, whole_number
from tefuda.errors import ParameterError, check_seed
from tefuda.words import count

_RECORDS, _AGENTS = "Rules and records", "Agents"
koikoi = Typer(
    cls=SectionedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Koi-Koi: print rules, check records, compare and train agents.",
    epilog=examples("tefuda koikoi rules --language en", "tefuda play koikoi --rounds 3"),
)
app.add_typer(koikoi, name="koikoi", rich_help_panel=Section.GAMES)


Preset = Annotated[str, Option(help="Preset of rules; rules are options: --double-at 0.")]
Training = Annotated[float, Option(help="Rounds to learn value tables; 0: shipped tables.")]
Agents = Annotated[str, Option(help="random, greedy, flat-100, flat-400, tables, neural, search, ismcts.")]


@koikoi.command(context_settings=GAME_OPTIONS, **listed(_RECORDS, "tefuda koikoi rules --double-at 0"))
def rules(
    context: Context,
    preset: Preset = "standard",
    language: options.Language = "",
    as_json: options.Json = False,
) -> None:
    """Print the rules as Markdown, with the chosen options."""
    from tefuda.apps.cli.shared.languages import chosen_language
    from tefuda.koikoi.cards import LANGUAGES
    from tefuda.koikoi.people.guide import guide
    from tefuda.koikoi.rules import find_rules
    from tefuda.settings import options as settings

    chosen = find_rules(preset, **read_options(context.args))
    page = guide(chosen, chosen_language(language, LANGUAGES))
    if as_json:
        print_json({"preset": preset, "options": settings(chosen), "page": page})
    else:
        print(page, end="")


@koikoi.command(context_settings=GAME_OPTIONS, **listed(_RECORDS, "tefuda koikoi replay rounds.jsonl"))
def replay(
    context: Context,
    file: Annotated[Path, Argument(help="File of rounds, match --record or play --save.")],
    preset: Preset = "standard",
    as_json: options.Json = False,
) -> None:
    """Replay recorded rounds and print differences.

    The exit code is 1 if a round differs. Files of match --record are read too,
    and files of play --save, which name their rules.
    """
    from tefuda.koikoi.playing.replays import replay_file

    named = {"preset": preset} if "preset" in given_options(context) else {}
    rounds, differences = replay_file(file, named | read_options(context.args))
    differing = [{"round": name, "differences": found} for name, found in differences.items()]
    lines = [f"round {name}: {'; '.join(found)}" for name, found in differences.items()]
    summary = f"{count(rounds, 'rounds')} replayed, {count(len(differing), 'mismatches')}"
    report(as_json, {"rounds": rounds, "mismatches": len(differing), "differ": differing}, [*lines, summary])
    if differing:
        raise Exit(1)


@koikoi.command(
    context_settings=GAME_OPTIONS,
    **listed(_RECORDS, "tefuda koikoi agree rounds.jsonl --agents random,greedy --first 100"),
)
def agree(
    context: Context,
    file: Annotated[Path, Argument(help="File of rounds, one JSON object per line.")],
    agents: Agents = "random,greedy,flat-100,tables,search",
    first: Annotated[int, Option(help="Number of rounds from the file; 0: all.", min=0)] = 0,
    training: Training = 0,
    seed: options.Seed = 0,
    preset: Preset = "standard",
    as_json: options.Json = False,
) -> None:
    """Compare the choices of agents with recorded rounds."""
    from tefuda.games.catalogue import load_game
    from tefuda.koikoi.players.agreement import measure_agreement as ask
    from tefuda.koikoi.players.archive import load_tables, report_learning
    from tefuda.koikoi.players.league import agents_named, counting
    from tefuda.koikoi.records import checked_records

    game: Any = load_game("koikoi", preset=preset, **read_options(context.args))
    check_seed(seed)
    learning = _learning(training)
    players, records = agents_named(read_names(agents)), checked_records(game, file)[: first or None]
    agreements: dict[str, Any] = {}
    with notifying("Koi-Koi") as notify:
        for name, player in players.items():
            value_tables = (
                load_tables(game.rules, learning, progress=report_learning(notify)) if player.needs_tables else None
            )
            agreements[name] = ask(
                game, records, player, value_tables, seed=seed, progress=counting(notify, f"{name}, decision")
            )
    _show_agreement(agreements, {"preset": preset, "rounds": len(records), "seed": seed}, as_json)


def _show_agreement(agreements: dict[str, Any], about: dict[str, Any], as_json: bool) -> None:
    from tefuda.apps.grids import Grid
    from tefuda.koikoi.players.agreement import KINDS

    cells: dict[str, Any] = {}
    texts = []
    for name, agreement in agreements.items():
        row = list(agreement.rows())
        named = ("decisions", "agreed", "half_width", "points_lost")
        cells[name] = {kind: dict(zip(named, figures, strict=True)) for kind, *figures in row}
        shares = {kind: f"{share:.1%} ± {half:.1%}" for kind, _, share, half, _ in row}
        lost = next((points for kind, *_, points in row if kind == "all"), math.nan)
        columns = (shares.get(kind, "") for kind in (*KINDS, "all"))
        texts.append((name, *columns, "" if math.isnan(lost) else f"{lost:.2f}"))
    title = f"share of choices that agree with the record, {count(about['rounds'], 'rounds')}, 95 % intervals"
    grid = Grid(("agent", *KINDS, "all", "points lost per decision"), tuple(texts), title)
    report(as_json, {**about, "agents": cells}, [grid])


@koikoi.command(
    context_settings=GAME_OPTIONS,
    **listed(_AGENTS, "tefuda koikoi ladder --agents random,greedy,tables --deals 100"),
)
def ladder(
    context: Context,
    agents: Agents = "random,greedy,flat-400,tables,search",
    deals: Annotated[int, Option(help="Deals per pair, each played in both seat orders.", min=2)] = 100,
    rounds: Annotated[int, Option(help="Rounds to learn a response (to search, 1 %).")] = 200_000,
    training: Training = 0,
    seed: options.Seed = 0,
    preset: Preset = "standard",
    out: Annotated[
        Path | None,
        Option(help="File of finished pairs; the same command resumes.", callback=options.writable_file),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Compare agents, a clairvoyant player and learned responses.

    Prints the points per round of every pair.
    """
    from tefuda.koikoi.players.archive import load_tables, report_learning
    from tefuda.koikoi.players.league import League, agents_named
    from tefuda.koikoi.rules import find_rules

    rules, learning = find_rules(preset, **read_options(context.args)), _learning(training)
    league = League(rules, [*agents_named(read_names(agents))], deals, rounds, seed)
    meetings: list[Any] = []

    def consequence() -> str:
        if out is not None:
            return f"repeat the command to resume from {out}"
        finished = [f"{pair.player} {pair.duel.mean:+.2f} from {pair.opponent}" for pair in meetings]
        return f"nothing is saved without --out; finished pairs: {', '.join(finished) or 'none'}"

    with notifying("Koi-Koi") as notify, on_interruption(consequence):
        tables = load_tables(rules, learning, progress=report_learning(notify))
        meetings.extend(league.pairings(tables, notify, out))
    rows = [
        {
            "one": meeting.player,
            "two": meeting.opponent,
            "points": meeting.duel.mean,
            "half_width": meeting.half_width,
            "milliseconds": 1e3 * meeting.duel.seconds / meeting.duel.searched if meeting.duel.searched else None,
        }
        for meeting in meetings
    ]
    content = {"preset": preset, "deals": deals, "seed": seed, "meetings": rows}
    report(as_json, content, [_cross_table(league.names, meetings)])


def _learning(rounds: float) -> Any:
    """Return the settings to learn value tables in some rounds; None for 0: use the shipped tables."""
    from tefuda.koikoi.players.tables import TableTraining

    number = whole_number("training", rounds, 0)
    return TableTraining(number) if number else None


@koikoi.command(
    context_settings=GAME_OPTIONS,
    **listed(_AGENTS, "tefuda koikoi tables my-tables.safetensors --rounds 1e6"),
)
def tables(
    context: Context,
    file: Annotated[Path, Argument(help="File for the value tables (safetensors).", callback=options.writable_file)],
    preset: Preset = "standard",
    rounds: Annotated[float, Option(help="Rounds of self-play.")] = 6_000_000,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Learn value tables by self-play and save them."""
    from tefuda.koikoi.players.archive import make_shipped, report_learning
    from tefuda.koikoi.players.tables import TableTraining
    from tefuda.koikoi.rules import find_rules

    chosen, learning = find_rules(preset, **read_options(context.args)), TableTraining(whole_number("rounds", rounds))
    check_seed(seed)
    with notifying("Koi-Koi") as notify:
        make_shipped(file, chosen, learning, seed, progress=report_learning(notify))
    content = {"file": str(file), "preset": preset, "rounds": learning.rounds, "seed": seed}
    report(as_json, content, [f"{file}: value tables learned in {learning.rounds:,} rounds"])


@koikoi.command(**listed(_AGENTS, "tefuda koikoi train my-network.safetensors --rounds 1e5"))
def train(
    file: Annotated[Path, Argument(help="File for the weights (safetensors).")],
    rounds: Annotated[float, Option(help="Rounds of self-play.")] = 1_800_000,
    units: Annotated[int, Option(help="Units of the first layer.")] = 256,
    batch: Annotated[int, Option(help="Rounds between steps of Adam.")] = 64,
    explore: Annotated[float, Option(help="Share of random choices at the start.")] = 0.1,
    rate: Annotated[float, Option(help="Learning rate at the start; it falls to 0.")] = 1e-3,
    trace: Annotated[float, Option(help="Lambda of TD(lambda).")] = 0.6,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Train a network by self-play; repeat the command to resume.

    The rules are those of the preset standard.
    """
    from tefuda.koikoi.players import network, training
    from tefuda.koikoi.rules import find_rules

    settings = training.NetworkTraining(whole_number("rounds", rounds), units, batch, explore, rate, trace)
    if file.suffix != ".safetensors":
        raise ParameterError(
            f"the file must end in .safetensors, got {file}; its curve and checkpoint are saved beside it."
        )
    checkpoint, curve = file.with_name(f"{file.name}.training"), file.with_suffix(".csv")
    for path in (file, checkpoint, curve):
        options.writable_file(path)

    def consequence() -> str:
        resumable = f"repeat the command to resume from {checkpoint}"
        return resumable if os.path.exists(checkpoint) else "nothing is saved in the first minute"

    with notifying("Koi-Koi") as notify, on_interruption(consequence):
        learner = training.train(
            find_rules("standard"),
            settings,
            seed=seed,
            checkpoint=checkpoint,
            progress=lambda point: notify(training.describe_progress(point)),
        )
    network.save(learner.net, file)
    training.write_curve(learner.points, curve)
    checkpoint.unlink()
    last = learner.points[-1]
    summary = f"{file}: {last.points:+.2f} ± {last.half_width:.2f} points per round against the greedy agent"
    report(as_json, {"file": str(file), "seed": seed, **last._asdict()}, [summary])


def _cross_table(names: Sequence[str], meetings: list[Any]) -> Any:
    """Return the points per round of each pair."""
    from tefuda.apps.grids import Grid

    cells = {
        (meeting.player, meeting.opponent): f"{meeting.duel.mean:+.2f} ± {meeting.half_width:.2f}"
        for meeting in meetings
    }
    agents = dict.fromkeys(meeting.player for meeting in meetings)
    rows = tuple((agent, *(cells.get((agent, opponent), "") for opponent in names)) for agent in agents)
    return Grid(("", *names), rows, "points per round, 95 % intervals")
