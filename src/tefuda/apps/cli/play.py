"""Play of a person at the terminal: `tefuda play`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.playing import tree_or_rules
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    command,
    given_options,
    listed,
    notifying,
    print_json,
    refuse_options,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.notes import print_fallbacks, print_notes
from tefuda.apps.cli.shared.reading import game_of, is_run, read_names, saved_rules, whole_number
from tefuda.errors import ParameterError, check_seed
from tefuda.locks import locked
from tefuda.words import escaped


@command(
    context_settings=GAME_OPTIONS, **listed(Section.PLAY, "tefuda play runs/leduc", "tefuda play koikoi --rounds 3")
)
def play(
    context: Context,
    game: options.Game,
    against: Annotated[str, Option(help="Opponents: agents (see tefuda match GAME) or runs.")] = "",
    coach: Annotated[str, Option(help="Agent or run that evaluates your decisions and gives hints.")] = "",
    hands: Annotated[float, Option("--hands", help="Number of hands; 0: until you leave.")] = 0,
    seed: Annotated[int, Option(help="Random seed; the default is random.", show_default=False)] = -1,
    save: Annotated[
        Path | None, Option(help="File to save the game in as you play.", callback=options.writable_file)
    ] = None,
    resume: Annotated[Path | None, Option(help="File of a saved game to resume.")] = None,
    language: options.Language = "",
    as_json: options.Json = False,
) -> None:
    """Play a game against an agent at the terminal.

    tefuda play RUN plays against the strategy of a run; --coach RUN reports the cost of your decisions. During play, ?
    shows help, q leaves, and save FILE saves the game; --resume FILE resumes it.
    """
    from tefuda.forms.tree import Tree
    from tefuda.playing.coach import own_coach
    from tefuda.playing.session import Session, restore_session, save_session, series_of, unattended_session

    saved = _read(context, save, resume)
    if saved is not None:
        refuse_options(context, "cannot be changed in a saved game; leave it out.", ("hands", "language", "seed"))
        rules = saved_rules(context, game, saved.play, saved.parameters)
        names = _saved_opponents(saved, against)
        seed, save = saved.seed, save or resume
        hands, language = _saved_options(resume, saved)
    else:
        rules = game_of(context, game)
        names, seed = _choose_opponents(rules, against or game * is_run(game)), _seed(seed)
    number = whole_number("hands", hands, 0) or None if saved is not None or "hands" in given_options(context) else None
    person = _person(rules, series := series_of(rules, number), language)
    own = own_coach(rules, coach) if coach else None
    form = tree_or_rules(rules, [*names, coach] if coach and own is None else names)
    tree = form if isinstance(form, Tree) else None
    if saved is not None and resume is not None:  # checked before the agents are made, which may take minutes
        restore_session(resume, unattended_session(rules, seed, series, tree), saved)
    seats = _seats(form, names, person.phrases["preparing"])
    session = Session(rules, person, seats, seed, series, tree)
    person.coach = own or _coach(form, coach)

    def save_to(path: Path) -> str:
        save_session(path, session, names, {"hands": hands, "language": person.language})
        return person.phrases["saved"].format(path, game, path)

    _prepare(session, save_to, save)
    if saved is not None and resume is not None:
        restore_session(resume, session, saved)
    left = _play(session, save)
    if save is not None:
        print(save_to(save))
    _report(session, left, as_json)
    print_fallbacks(agent for others in seats for agent in others)


def _read(context: Context, save: Path | None, resume: Path | None) -> Any:
    """Return the saved game to resume, or None; lock its file and check that it can be written."""
    from tefuda.files import check_writable
    from tefuda.playing.session import read_session

    if resume is None or os.path.exists(resume):
        context.with_resource(locked(save or resume))
    if save is not None and os.path.exists(save):
        raise ParameterError(f"{save} exists; resume it with --resume {save}, or name another file.", key="save")
    saved = None if resume is None else read_session(resume)
    if path := save or resume:
        check_writable(path)
    return saved


def _play(session: Any, save: Path | None) -> bool:
    """Play; return True if the person left before the end."""
    from tefuda.playing.human import PlayerQuit

    words = session.person.phrases
    with on_interruption(words["holds"].format(save, save) if save else words["nothing saved"]):
        try:
            session.play()
        except PlayerQuit:
            return True
    return False


def _seed(seed: int) -> int:
    if seed == -1:
        return secrets.randbelow(1_000_000)
    check_seed(seed)
    return seed


def _coach(form: Any, name: str) -> Any:
    from tefuda.exploiting.roster import named_agents
    from tefuda.forms.tree import game_behind
    from tefuda.playing.coach import coach_of

    return coach_of(named_agents(form, [name])[0], game_behind(form)) if name else None


def _saved_options(path: Path | None, saved: Any) -> tuple[float, str]:
    from tefuda.files import FieldSpec, check_fields

    numbers, text = FieldSpec((int, float), 0, 1e15, needed=False), FieldSpec((str,), needed=False)
    check_fields(path, saved.options, {"hands": numbers, "language": text})
    return saved.options.get("hands", 0), saved.options.get("language", "")


def _saved_opponents(saved: Any, against: str) -> list[str]:
    """Return the agents of a saved game; refuse others."""
    names, given = list(saved.against), read_names(against)
    if against and given * (len(names) if len(given) == 1 else 1) != names:
        raise ParameterError(f"the file is of a game against {', '.join(names)}; leave --against out.")
    return names


def _choose_opponents(rules: Any, against: str) -> list[str]:
    """Return the names of the opponents' agents, one for each opponent."""
    from tefuda.exploiting.roster import roster_of

    treeless = (name for name, entry in roster_of(rules).items() if entry.tree == "ignores")
    default = next((name for name in treeless if name not in ("human", "random")), "search")
    names = read_names(against or default)
    if "human" in names:
        raise ParameterError("tefuda play is for one person; play tefuda match --agents human,human with several.")
    names = names * (rules.players - 1) if len(names) == 1 else names
    if len(names) != rules.players - 1:
        raise ParameterError(f"{rules.name} has {rules.players} players: name 1 or {rules.players - 1} opponents.")
    return names


def _person(rules: Any, series: Any, language: str) -> Any:
    """Return the agent of the person, in the language of the option or the locale."""
    from tefuda.apps.cli.shared.languages import chosen_language
    from tefuda.apps.display.colours import print_cards
    from tefuda.apps.display.progress import set_compiling_message
    from tefuda.exploiting.roster import named_agents

    person: Any = named_agents(rules, ["human"])[0]
    person.notify = print_cards
    known = [name for name in person.languages if name in getattr(series, "languages", ("en",))]
    person.language = chosen_language(language, known)
    if len(known) > 1:
        series.language = person.language
    set_compiling_message(person.phrases["compiling"], person.phrases["compiling always"])
    return person


def _seats(form: Any, names: list[str], preparing: str) -> list[list[Any]]:
    """Return the opponents' agents for each seat of the person."""
    from tefuda.exploiting.roster import named_agents

    with notifying(f"{form.name}") as notify:
        notify(preparing)
        opponents = named_agents(form, names * form.players, notify=notify)
    print_notes(opponents)
    return [opponents[len(names) * seat : len(names) * (seat + 1)] for seat in range(form.players)]


def _prepare(session: Any, save_to: Callable[[Path], str], save: Path | None) -> None:
    """Save the game at the command ``save``, and before every question if there is a file."""
    from tefuda.playing.human import Command

    person, ask, words = session.person, session.person.ask, session.person.phrases

    def save_command(argument: str) -> str:
        path = Path(argument) if argument else save
        if path is None:
            return words["save where"]
        try:
            return save_to(path)
        except Exception as error:  # the game continues if the file cannot be written
            return words["not saved"].format(error)

    def asking(question: str) -> str:
        if save is not None:
            save_to(save)
        return str(ask(question))

    person.commands["save"] = Command(words["save"], save_command)
    person.ask = asking
    person.notify(words["seed"].format(session.seed))


def _report(session: Any, left: bool, as_json: bool) -> None:
    if left:
        print(escaped(session.person.result()))
    if as_json:
        won = [sum(hand.won[agent] for hand in session.ended) for agent in range(len(session.names))]
        lesson = vars(session.person.coach_report) if session.person.coach is not None else {}
        result = {"left": left, "hands": len(session.ended), "agents": session.names, "won": won, "seed": session.seed}
        print_json(result | lesson)
