"""Matches and recorded hands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from typer import Argument, Context, Exit, Option

from tefuda.apps.cli.shared import hand_histories, hand_reports, hand_reviews, options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    allow_only,
    command,
    given_options,
    listed,
    notifying,
    print_json,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import Interrupted, on_interruption
from tefuda.apps.cli.shared.notes import print_fallbacks, print_notes
from tefuda.apps.cli.shared.reading import (
    build_tree,
    game_of,
    read_names,
    saved_rules,
    split_words,
    whole_number,
)
from tefuda.errors import ParameterError, RunError, SizeError, UnknownNameError
from tefuda.locks import locked
from tefuda.words import Notify, escaped, fixed, signed

_COMPILED = 500_000  # histories; larger games are compiled only for agents that need the tree


def tree_or_rules(game: Any, agents: list[str], needed: bool = False) -> Any:
    """Return the tree of a game, or its rules if the tree is not needed.

    Raises:
        ParameterError: the tree is needed, but too large.
    """
    from tefuda.exploiting.roster import named_agents, tree_requirement
    from tefuda.games.size import estimate_game, refuse_if_too_large

    try:
        wish = "needs" if needed else tree_requirement(game, agents)
    except UnknownNameError as error:
        raise UnknownNameError(error.kind, error.name, possible_agents(game)) from None
    if wish == "ignores" and estimate_game(game).histories > _COMPILED:
        return game
    try:
        if wish != "needs":
            refuse_if_too_large(game, force=False)
        return build_tree(game)
    except SizeError:
        if needed:
            message = f"--aivat needs the compiled tree, and {game.name} is too large to compile; leave it out."
            raise ParameterError(message, key="aivat") from None
        if wish == "needs":
            named_agents(game, agents)  # the agent that needs the tree raises an error
        return game


def _list_agents(rules: Any, as_json: bool) -> None:
    known = {name: entry.description for name, entry in possible_agents(rules).items()}
    report(as_json, known, [f"{name:15} {text}" for name, text in known.items()])


#: Options of hand histories.
_OF_HISTORIES = {**hand_histories.OPTIONS, **hand_reports.OPTIONS, **hand_reviews.OPTIONS}
#: Options of a single match.
_NOT_OF_PAIRS = ("replicates", "shared", "play", "aivat", "record", "out")
#: File of the options of a match in its folder.
_PLAN = "match.json"


def possible_agents(game: Any) -> dict[str, Any]:
    """Return the agents of a game by name; without those that need a tree, if it is too large to compile."""
    from tefuda.exploiting.roster import roster_of
    from tefuda.games.size import refuse_if_too_large

    known = dict(sorted(roster_of(game).items()))
    try:
        refuse_if_too_large(game, force=False)
    except SizeError:
        return {name: entry for name, entry in known.items() if entry.tree != "needs"}
    return known


def _new_match(folder: Path | None) -> Path | None:
    """Return a folder, or raise if it has a match or cannot be written."""
    if folder is not None and os.path.exists(folder / _PLAN):
        why = f"{folder} has a match; resume it with --resume {folder}, or choose another folder."
        raise ParameterError(why, key="out", value=str(folder))
    return options.writable_folder(folder)


@command(
    context_settings=GAME_OPTIONS,
    **listed(
        Section.PLAY,
        "tefuda match kuhn",
        "tefuda match kuhn --agents equilibrium,uniform --record hands.jsonl",
        "tefuda match kuhn --agents equilibrium,tilted,uniform --all-pairs",
        "tefuda match kuhn --agents tilted,uniform,oos --all-pairs --ratings elo",
        "tefuda match kuhn --agents random,ismcts --out matches/mine",
    ),
)
def match(
    context: Context,
    game: options.Game = "",
    agents: Annotated[str, Option(help="An agent per player: name, profile file or run.")] = "",
    all_pairs: Annotated[bool, Option("--all-pairs", help="Two or more agents: play every pair.")] = False,
    ratings: Annotated[str, Option(help="elo, alpha-rank, nash or gaussian; with --all-pairs.")] = "",
    reference: Annotated[str, Option(help="Agent of rating 0.")] = "",
    alpha: Annotated[float, Option(help="Intensity of selection of alpha-rank.")] = 1.0,
    deals: Annotated[float, Option(help="Number of deals, each in every seat order.")] = 1000,
    seed: options.Seed = 0,
    replicates: Annotated[int, Option(help="Number of independent matches, for learners.")] = 1,
    shared: Annotated[str, Option(help="Seat orders share luck, cards or nothing.")] = "",
    workers: options.Workers = 1,
    play: Annotated[bool, Option(help="Play hands even if exact values are known.")] = False,
    aivat: Annotated[bool, Option("--aivat", help="Reduce the variance of winnings by AIVAT.")] = False,
    record: Annotated[Path | None, Option(help="File for the hands played.", callback=options.writable_file)] = None,
    out: Annotated[Path | None, Option(help="Folder to save finished deals in.", callback=_new_match)] = None,
    resume: Annotated[Path | None, Option(help="Resume the match in this folder, also with more --deals.")] = None,
    as_json: options.Json = False,
) -> None:
    """Play a match between agents; without --agents, list them.

    Every deal is played in every seat order. Between agents with fixed strategies the expected result is exact. The
    agent human is you, at the terminal. --all-pairs prints the table of all pairs of agents, --ratings also rates them.
    """
    from tefuda.games.parameters import json_parameters

    if resume is not None:
        _play_match(context, *_saved_match(context, resume, game), resume)
        return
    if not game:
        raise ParameterError("which game? Write tefuda match GAME (tefuda games lists them), or --resume FOLDER.")
    rules, names = game_of(context, game), read_names(agents)
    if not agents:
        _list_agents(rules, as_json)
        return
    number, wish = whole_number("deals", deals), RatingWish(ratings, reference or None, alpha)
    if all_pairs:
        _match_pairs(context, rules, names, number, seed, workers, wish, as_json)
        return
    refuse_options(context, "needs --all-pairs.", RatingWish._fields)
    if out is not None:
        refuse_options(context, "cannot be resumed; leave --out out.", ("replicates", "aivat", "record"))
    shared = shared or ("nothing" if "human" in names else "luck")
    plan = MatchPlan(rules.name, json_parameters(rules), names, number, seed, shared, play)
    _play_match(context, rules, plan, out)


def _play_match(context: Context, rules: Any, plan: MatchPlan, folder: Path | None) -> None:
    """Play a match and report it; with a folder, save its finished deals and play only the others."""
    from tefuda.playing.hands import require_writable, write_hands
    from tefuda.playing.match import check_match, check_number, duplicate_match

    names = ("replicates", "workers", "aivat", "record", "as_json")
    replicates, workers, aivat, record, as_json = (context.params[name] for name in names)
    if (people := "human" in plan.agents) and workers > 1:
        raise ParameterError(f"--workers must be 1 with the agent human, got {workers}; leave it out.", key="workers")
    check_match(plan.deals, plan.seed, plan.shared, replicates)
    in_buckets = aivat and _is_in_buckets(rules)
    tree = tree_or_rules(rules, plan.agents, aivat and not in_buckets)
    check_number(tree, len(plan.agents))
    if record is not None:
        require_writable(tree)
    seated = _make_agents(tree, plan.agents, in_buckets)
    played: list[Any] = []
    saving = _resumable(context, plan, folder) if folder else _saving_hands(record, seated, played, plan, replicates)
    showing = nullcontext(lambda text: None) if people else notifying(f"{tree.name} match")  # people see the table
    with _reporting_result(seated, as_json), saving, showing as notify:
        result = duplicate_match(
            tree, seated, deals=plan.deals, seed=plan.seed, play=True if plan.play or record or aivat else None,
            shared=plan.shared, replicates=replicates, record=in_buckets or record is not None, workers=workers,
            progress=lambda done, of: notify(f"{done:,} of {of:,} {'hands' if folder else 'parts'} played"),
            on_hand=played.append, checkpoint=folder,
        )  # fmt: skip
    if record is not None:
        write_hands(record, result)
    _report(tree, result, seated if aivat else [], as_json)
    print_fallbacks(seated)
    if result.replicates == 1 and not as_json:
        _name_learners(result.agents, seated)


class MatchPlan(NamedTuple):
    """The options of a match, which the file match.json of its folder saves; agents by name."""

    game: str
    parameters: dict[str, Any]
    agents: list[str]
    deals: int
    seed: int
    shared: str
    play: bool


def _saved_match(context: Context, folder: Path, game: str) -> tuple[Any, MatchPlan]:
    """Return the rules and the plan of a saved match, with the number of deals on the command line."""
    from tefuda.files import COUNT, LIST, OBJECT, TEXT, FieldSpec, check_fields, read_json

    allow_only(context, "--resume", ("resume", "deals", "workers", "as_json"))
    content, whole = read_json(folder / _PLAN), FieldSpec((int,), 0, COUNT[1])
    kinds = TEXT, OBJECT, LIST, whole, FieldSpec((int,), 0, 2**63 - 1), TEXT, FieldSpec((bool,))
    check_fields(folder / _PLAN, content, dict(zip(MatchPlan._fields, kinds, strict=True)))
    plan = MatchPlan(**{name: content[name] for name in MatchPlan._fields})
    if not all(isinstance(name, str) for name in plan.agents):
        raise RunError(f"{folder / _PLAN} is damaged: its agents are not names. Use an intact copy.")
    if "deals" in given_options(context):
        plan = plan._replace(deals=whole_number("deals", context.params["deals"]))
    return saved_rules(context, game or plan.game, plan.game, plan.parameters), plan


@contextmanager
def _resumable(context: Context, plan: MatchPlan, folder: Path) -> Iterator[None]:
    """Write the plan of a match to its folder, locked; an interruption says how to resume it."""
    from tefuda.files import write_json

    with locked(folder / _PLAN), on_interruption(f"resume with: tefuda match --resume {folder}"):
        _new_match(context.params["out"])  # another process may have begun it
        write_json(folder / _PLAN, plan._asdict())
        yield


def _is_in_buckets(game: Any) -> bool:
    """Return whether a game is solved in buckets; AIVAT then reads recorded hands instead of a tree."""
    from tefuda.games.kit import kit_of

    return "buckets" in kit_of(game).forms()


def _make_agents(tree: Any, names: list[str], in_buckets: bool = False) -> list[Any]:
    """Return the agents by name; `in_buckets`: AIVAT needs the strategy of a run in buckets."""
    from tefuda.exploiting.roster import named_agents

    with notifying(f"{tree.name} match") as notify:
        notify("making the agents")
        agents = named_agents(tree, names, notify=notify)
    if in_buckets and not any(map(_policy_in_buckets, agents)):
        raise ParameterError(f"--aivat needs an agent that is a run in buckets; got {','.join(names)}.", key="aivat")
    print_notes(agents)
    return agents


def _name_learners(names: Sequence[str], seated: list[Any]) -> None:
    """Print a hint if agents learn, because their deals are dependent."""
    from tefuda.playing.agents import traits

    if learners := [name for name, agent in zip(names, seated, strict=True) if traits(agent).learns]:
        learning = escaped(", ".join(learners))
        print(f"Deals are dependent if agents learn ({learning}); --replicates 4 gives valid intervals.")


@contextmanager
def _saving_hands(
    record: Path | None, seated: list[Any], played: list[Any], plan: MatchPlan, replicates: int
) -> Iterator[None]:
    """Write the hands to the record if the match is interrupted."""
    from tefuda.playing.hands import write_part
    from tefuda.playing.human import PlayerQuit

    try:
        yield
    except KeyboardInterrupt as error:
        if record is None or not played:
            raise
        write_part(record, seated, played, plan.deals, replicates)
        if isinstance(error, PlayerQuit):
            raise
        raise Interrupted(
            f"{len(played):,} hands are saved in {record}; tefuda hands evaluates complete deals"
        ) from None


@contextmanager
def _reporting_result(seated: list[Any], as_json: bool) -> Iterator[None]:
    """Report the result of a person who leaves, and exit with code 0."""
    from tefuda.playing.human import HumanAgent, PlayerQuit

    try:
        yield
    except PlayerQuit:
        people = [agent for agent in seated if isinstance(agent, HumanAgent)]
        for person in people:
            print(escaped(person.result()))
        if as_json:
            print_json({"left": True, "hands": people[0].hands, "won": people[0].total})
        raise Exit(0) from None


def _report(tree: Any, result: Any, agents: list[Any], as_json: bool) -> None:
    """Report the winnings, also by AIVAT for agents with known strategies."""
    from tefuda.apps.grids import match_grids

    with notifying(f"{tree.name} match") as notify:
        found = ((seat, _winnings_by_aivat(result, seat, agent, notify)) for seat, agent in enumerate(agents))
        reduced = {seat: pair for seat, pair in found if pair is not None}
    corrected = {result.agents[seat]: list(pair) for seat, pair in reduced.items()}
    report(as_json, {**result.summary(), "aivat": corrected}, match_grids(result, reduced))


def _winnings_by_aivat(result: Any, seat: int, agent: Any, notify: Notify) -> tuple[float, float] | None:
    """Return an agent's mean winnings and their standard error; None if its strategy is not known."""
    from tefuda.holdem.buckets.aivat import match_aivat, position_values
    from tefuda.playing.variance import aivat

    if agent.profile is not None:
        notify("reducing the variance by AIVAT")
        return aivat(result, seat, agent.profile)
    if (policy := _policy_in_buckets(agent)) is None:
        return None
    words = "values for AIVAT: {:,} of {:,} hands"
    values = position_values(policy, progress=lambda done, of: notify(words.format(done, of)))
    return match_aivat(result, seat, values)


def _policy_in_buckets(agent: Any) -> Any:
    """Return the strategy in buckets that an agent plays; None if it plays none."""
    from tefuda.holdem.buckets.sampler import BucketPolicy

    policy = getattr(agent, "policy", None)
    return policy if isinstance(policy, BucketPolicy) else None


@command(
    context_settings=GAME_OPTIONS,
    **listed(
        Section.PLAY,
        "tefuda hands kuhn hands.jsonl --agents equilibrium,uniform",
        "tefuda hands session.txt more.zip folder",
        "tefuda hands session.txt --by position --where 'pot=3bet stack=80..125'",
        "tefuda hands session.txt --review --budget 10m --png dearest.png",
        "tefuda hands session.txt --store hands",
        "tefuda hands --store hands --report --export hands.txt",
        "tefuda hands holdem acpc.log --stack 20000 --blinds [50,100]",
    ),
)
@options.with_options(_OF_HISTORIES)
def hands(
    context: Context,
    *,
    game: options.Game = "",
    files: Annotated[list[str] | None, Argument(metavar="FILE", help="File of tefuda match --record.")] = None,
    agents: Annotated[str, Option(help="Agents of the match, for AIVAT; any order.")] = "",
    csv: options.Csv = None,
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Report the result of recorded hands.

    With the agents that played (--agents), AIVAT reduces the variance of the result. Of holdem, files of card rooms,
    Open Hand History, PHH, logs of the ACPC, zip archives and folders are read, and make one report; the name of the
    game may be left out.
    """
    from tefuda.holdem.histories.reading import is_history

    store = context.params["store"]
    paths, context.args = split_words(files or [])
    if is_file := game != "" and (is_history(Path(game)) or (not paths and Path(game).is_file())):
        paths = [game, *paths]
    if not paths and (store is None or files or game not in ("", "holdem")):
        given = f"the option {files[0]}; write the files first" if files else ""
        given = given or (f"{game}, which is no file or folder" if game else "none")
        raise ParameterError(f"expected a file or folder of hands, got {given}.", key="file", value=game)
    if paths and not is_file:
        _require_game(game, paths)
    if is_file or store is not None or any(map(is_history, map(Path, paths))):
        if agents or not (is_file or game in ("", "holdem")):
            given = f"--agents {agents}" if agents else game
            raise ParameterError(f"{paths[0] if paths else store} has hands of holdem and no AIVAT, got {given}.")
        if context.params["review"]:
            refuse_options(context, "has no effect with --review; leave it out.", ("report", "by", "csv", "over"))
        else:
            refuse_options(context, "has no effect without --review; leave it out.", hand_reviews.OPTIONS)
        if png is None:
            refuse_options(context, "has no effect without --png of a report; leave it out.", ("over",))
        if not paths:
            refuse_options(context, "has no effect without files; leave it out.", ("strict", "rejects", "time_zone"))
        hand_histories.report_hands(context, list(map(Path, paths)))
    else:
        _report_record(context, game, paths, agents, as_json)


def _require_game(name: str, paths: list[str]) -> None:
    """Raise ParameterError if a name before paths is no game, and more likely a path that does not exist."""
    from tefuda.games.catalogue import GAMES, paper_games
    from tefuda.holdem.histories.reading import is_history

    records = [path for path in map(Path, paths) if path.is_file() and not is_history(path)]
    if not (records or ":" in name or name in (*GAMES, *paper_games())):
        raise ParameterError(f"there is no file or folder {name}.", key="file", value=name)


def _report_record(context: Context, game: str, paths: list[str], agents: str, as_json: bool) -> None:
    """Report the result of a file of tefuda match --record."""
    from tefuda.exploiting.roster import named_agents
    from tefuda.playing.hands import in_order, read_hands

    if len(paths) > 1:
        raise ParameterError(f"one file of {game} makes a report, got {' '.join(paths)}.", key="file", value=paths)
    refuse_options(context, "is for hands of holdem; leave it out.", (*_OF_HISTORIES, "csv", "png"))
    file = Path(paths[0])
    names = read_names(agents) if agents else []
    tree = tree_or_rules(game_of(context, game), names, bool(agents))
    result = read_hands(file, tree)
    if not result.complete:
        print(
            f"{file} records an interrupted match; {len(result.hands):,} complete hands are evaluated.", file=sys.stderr
        )
    _report(tree, result, in_order(result, named_agents(tree, names)) if agents else [], as_json)


class RatingWish(NamedTuple):
    """Options of ratings: the system, or "" for none, the reference, and the alpha of alpha-rank."""

    ratings: str
    reference: str | None
    alpha: float


def _match_pairs(
    context: Context,
    rules: Any,
    names: list[str],
    number: int,
    seed: int,
    workers: int,
    wish: RatingWish,
    as_json: bool,
) -> None:
    """Play every pair of agents and print the cross table; after Ctrl-C, that of the complete pairs."""
    from tefuda.apps.grids import cross_grid, ratings_grid
    from tefuda.exploiting.roster import named_agents
    from tefuda.playing.match import check_match, check_pairs, cross_table
    from tefuda.playing.rating import check_system, ratings
    from tefuda.words import distinct

    refuse_options(context, "has no effect with --all-pairs; leave it out.", _NOT_OF_PAIRS)
    check_match(number, seed)
    if wish.ratings:
        check_system(wish.ratings, wish.reference, distinct(names))
    else:
        refuse_options(context, "needs --ratings.", ("reference", "alpha"))
    tree = tree_or_rules(rules, names)
    check_pairs(tree, len(names))
    complete: dict[tuple[int, int], str] = {}

    def on_pair(pair: Any) -> None:
        first, second = (names[index] for index in pair.places)
        complete[pair.places] = f"{first} {signed(pair.won[0])} +- {fixed(pair.error[0])} from {second}"

    def consequence() -> str:
        pairs = "; ".join(complete.values()) or "none"
        return f"nothing is saved; complete pairs, with the winnings per hand: {pairs}"

    with on_interruption(consequence), notifying(f"{tree.name} matches") as notify:
        notify("making the agents")
        seated = named_agents(tree, names, notify=notify)
        cross = cross_table(
            tree, seated, deals=number, seed=seed, workers=workers, on_pair=on_pair,
            play=wish.ratings in ("elo", "gaussian") or None,
            progress=lambda done, of: notify(f"{done} of {of} pairs played"),
        )  # fmt: skip
        content: dict[str, Any] = {"agents": cross.agents, "won": cross.won.tolist(), "error": cross.error.tolist()}
        grids = [cross_grid(cross)]
        if wish.ratings:
            rated = ratings(
                cross, wish.ratings, reference=wish.reference, alpha=wish.alpha, seed=seed,
                progress=lambda done, of: notify(f"{done} of {of} intervals drawn"),
            )  # fmt: skip
            content["ratings"] = rated.summary()
            grids.append(ratings_grid(rated))
    report(as_json, content, grids)
