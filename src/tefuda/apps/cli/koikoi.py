"""Koi-Koi on the command line: its rules as a page, records of rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tefuda.apps.cli.common import GAME_OPTIONS, Json, app, print_json, read_options

koikoi = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Koi-Koi: rules, records.")
app.add_typer(koikoi, name="koikoi")


@koikoi.callback()
def _group() -> None:
    """Koi-Koi: rules, records."""


Preset = Annotated[str, typer.Option(help="Of the rules; any option of them may follow: --double-at 0.")]


@koikoi.command(context_settings=GAME_OPTIONS)
def rules(context: typer.Context, preset: Preset = "standard", as_json: Json = False) -> None:
    """Print the rules as a page (Markdown), made from the options in force."""
    from tefuda.koikoi.guide import guide
    from tefuda.koikoi.rules import find_rules

    chosen = find_rules(preset, **read_options(context.args))
    if as_json:
        from dataclasses import asdict

        print_json({"preset": preset, "options": asdict(chosen), "page": guide(chosen)})
    else:
        print(guide(chosen), end="")


@koikoi.command(context_settings=GAME_OPTIONS)
def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Rounds, a JSON object a line: deck, actions, and what is known.")],
    preset: Preset = "standard",
    as_json: Json = False,
) -> None:
    """Replay recorded rounds by the rules and name every difference; exit code 1 if there is any."""
    from tefuda.apps.display import out
    from tefuda.errors import shortened
    from tefuda.games.catalogue import load_game
    from tefuda.koikoi.records import mismatches, read_records
    from tefuda.words import count

    game, rounds, wrong = load_game("koikoi", preset=preset, **read_options(context.args)), 0, []
    for number, record in enumerate(read_records(file), 1):
        rounds += 1
        if found := mismatches(game, record):  # type: ignore[arg-type]
            wrong.append({"round": shortened(record.get("id", number)), "differences": found})
    if as_json:
        print_json({"rounds": rounds, "mismatches": len(wrong), "differ": wrong})
    else:
        for one in wrong:
            out.print(f"round {one['round']}: {'; '.join(one['differences'])}")
        out.print(f"{count(rounds, 'rounds')} replayed, {count(len(wrong), 'mismatches')}")
    if wrong:
        raise typer.Exit(1)
