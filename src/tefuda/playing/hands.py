"""Hand histories as JSON lines: one line for the match, then one line for each hand."""

from __future__ import annotations

import codecs
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, shortened
from tefuda.files import (
    COUNT,
    LIST,
    WHOLE,
    FieldSpec,
    as_tuples,
    check_fields,
    parse_json,
    read_bytes,
    survives_json,
    write_bytes,
)
from tefuda.forms.tree import Tree, game_behind
from tefuda.games.answers import calling_rules, payoffs_at, require_game
from tefuda.games.parameters import json_parameters
from tefuda.games.plays import play
from tefuda.games.protocol import CHANCE, TERMINAL, Game
from tefuda.games.protocol import labels as possible
from tefuda.playing.agents import Agent
from tefuda.playing.deals import Hand, rotated_seating
from tefuda.playing.match import Match
from tefuda.playing.session import Rotation, read_session, series_of
from tefuda.words import distinct

#: Files of hands that ``tefuda hands`` reads.
FORMATS = "JSON lines of tefuda match --record; hands of holdem in other formats are read by tefuda hands FILE"


def write_hands(path: str | Path, match: Match) -> None:
    """Write the recorded hands of a match.

    Args:
        path: the file.
        match: match played with ``record=True``.

    Raises:
        ParameterError: the match has no hands, or JSON cannot represent its labels.
        RunError: the file cannot be written.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in "ab"]
    >>> td.playing.write_hands("few.jsonl", td.duplicate_match(tree, agents, deals=2, play=True, record=True))
    >>> td.playing.read_hands("few.jsonl", tree).agents
    ('a', 'b')
    """
    if not isinstance(match, Match):
        raise ParameterError(f"match must be a Match from duplicate_match; got {shortened(match)}.")
    if not match.hands:
        raise ParameterError("the match has no hands; play it with play=True and record=True.")
    _write(path, {"agents": match.agents, "replicates": match.replicates}, match.hands)


def write_part(path: str | Path, agents: Sequence[Agent], hands: Sequence[Hand], deals: int, replicates: int) -> None:
    """Write the hands of an interrupted match, with its planned numbers of deals and replicates."""
    names = distinct([agent.name for agent in agents])
    _write(path, {"agents": names, "replicates": replicates, "part_of_deals": deals}, hands)


def _write(path: str | Path, head: Mapping[str, Any], hands: Sequence[Hand]) -> None:
    _require_labels({label for hand in hands for label in hand.labels})
    lines = [{"format": 1, **head}, *(hand._asdict() for hand in hands)]
    write_bytes(Path(path), "".join(json.dumps(line) + "\n" for line in lines).encode())


def require_writable(game: Tree | Game) -> None:
    """Raise ParameterError unless JSON can represent the labels of a tree, or of a random game."""
    if isinstance(game, Tree):
        _require_labels({label for labels in game.label_sets for label in labels})
    else:
        _require_labels({step.action for step in play(game, np.random.default_rng(0))[0]})


def _require_labels(labels: Iterable[Hashable]) -> None:
    for label in labels:
        if not survives_json(label):
            raise ParameterError(
                f"labels must be texts, numbers or tuples of them to write hands; got {shortened(label)}."
            )


def read_hands(path: str | Path, game: Tree | Game) -> Match:
    """Return the match of a file; all hands are replayed by the rules.

    From an interrupted match, only deals with hands in all seatings are returned, and only complete replicates if there
    are any.

    Args:
        path: file of `write_hands`.
        game: the tree or the rules.

    Raises:
        RunError: the file cannot be read, misses hands, or has hands of another game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in "ab"]
    >>> td.playing.write_hands("some.jsonl", td.duplicate_match(tree, agents, deals=3, play=True, record=True))
    >>> len(td.playing.read_hands("some.jsonl", tree).hands)
    6
    """
    head, replayed = _lines(Path(path), game)
    agents, replicates = tuple(head["agents"]), head["replicates"]
    if part := head.get("part_of_deals"):
        replayed, replicates = _complete_deals(replayed, part)
    seatings = tuple(dict.fromkeys(hand.seating for hand, _ in replayed))
    count = len(replayed) // max(1, len(seatings))
    played = {(hand.deal, hand.seating) for hand, _ in replayed}
    if not replayed or played != {(deal, seating) for deal in range(count) for seating in seatings}:
        raise RunError(f"{path}: some hands are missing; each deal needs a hand in each seating.")
    if len(played) < len(replayed) or count % replicates:
        raise RunError(f"{path}: {len(replayed)} hands are not {replicates} replicates of {len(seatings)} seatings.")
    payoffs, ends = np.zeros((len(seatings), count, len(agents))), np.zeros((len(seatings), count), dtype=np.int64)
    for hand, end in replayed:
        index = seatings.index(hand.seating), hand.deal
        payoffs[index][list(hand.seating)], ends[index] = hand.payoffs, end
    return Match(agents, seatings, None, payoffs, ends, tuple(hand for hand, _ in replayed), replicates, not part)


@dataclass(frozen=True)
class Record:
    """Recorded hands of named agents.

    Attributes:
        agents: names of the agents.
        hands: hands in the order of play.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise"])
    >>> match = td.duplicate_match(tree, agents, deals=2, play=True, record=True)
    >>> td.playing.Record(match.agents, match.hands).hands[0].seating
    (0, 1)
    """

    agents: tuple[str, ...]
    hands: tuple[Hand, ...]


def is_record(path: str | Path) -> bool:
    """Return True if a file starts like a record; it may still be damaged."""
    try:
        with Path(path).open("rb") as file:
            return file.read(4).removeprefix(codecs.BOM_UTF8)[:1] == b"{"
    except (OSError, ValueError):
        return False


def read_record(path: str | Path, game: Tree | Game) -> Record:
    """Return the agents and all finished hands of a file; all hands are replayed by the rules.

    Unlike `read_hands`, it also reads saved games of people, and all hands of an interrupted match.

    Args:
        path: file of ``tefuda match --record`` (`write_hands`) or ``tefuda play --save``.
        game: the tree or the rules.

    Raises:
        RunError: the file cannot be read, or has hands of another game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise"])
    >>> match = td.duplicate_match(tree, agents, deals=2, play=True, record=True)
    >>> td.playing.write_hands("two.jsonl", match)
    >>> td.playing.read_record("two.jsonl", tree).hands == match.hands
    True
    """
    if _is_session(Path(path)):
        return _session_record(Path(path), game)
    head, replayed = _lines(Path(path), game)
    return Record(tuple(head["agents"]), tuple(hand for hand, _ in replayed))


def _is_session(path: Path) -> bool:
    """Return True if a file contains a single JSON object: a saved session."""
    try:
        content = parse_json(read_bytes(path))
    except (ValueError, RecursionError):  # several lines, or not JSON
        return False
    return isinstance(content, dict) and "play" in content


def _session_record(path: Path, game: Tree | Game) -> Record:
    saved, rules = read_session(path), game_behind(game)
    parameters = game.parameters if isinstance(game, Tree) else json_parameters(game)
    if (saved.play, saved.parameters) != (game.name, parameters):
        options = ", ".join(f"{name}={value!r}" for name, value in saved.parameters.items())
        raise RunError(f"{path} has hands of {saved.play}({options}), not of {game.name} with {parameters}.")
    if not isinstance(series_of(rules), Rotation):
        raise RunError(
            f"{path} has hands of {game.name}, whose rules change from hand to hand; models cannot use them."
        )
    if len(saved.against) != game.players - 1:
        raise RunError(f"{path} names {len(saved.against)} opponents; {game.name} has {game.players} players.")
    hands = []
    for number, labels in enumerate(saved.hands):
        _, pays = _replayed(game, labels, f"{path}, hand {number + 1},")
        hands.append(Hand(number, rotated_seating(game.players, number), labels, tuple(pays)))
    return Record(distinct(["you", *saved.against]), tuple(hands))


def _complete_deals(hands: list[tuple[Hand, int]], deals: int) -> tuple[list[tuple[Hand, int]], int]:
    """Return the hands of the first complete deals, and the number of complete replicates, or 1."""
    played = {(hand.deal, hand.seating) for hand, _ in hands}
    seatings, count = {seating for _, seating in played}, 0
    while hands and all((count, seating) in played for seating in seatings):
        count += 1
    replicates = count // deals
    count = replicates * deals or count
    return [entry for entry in hands if entry[0].deal < count], max(1, replicates)


def in_order(match: Match, agents: Sequence[Agent]) -> list[Agent]:
    """Return agents in the order of a match; raise ParameterError if their names differ."""
    names = distinct([agent.name for agent in agents])
    if sorted(names) != sorted(match.agents):
        raise ParameterError(f"the hands were played by {', '.join(match.agents)}; got {', '.join(names)}.")
    return [agents[names.index(name)] for name in match.agents]


_HEAD = {
    "format": FieldSpec((int,), 1, 1),
    "agents": LIST,
    "replicates": FieldSpec((int,), 1, COUNT[1]),
    "part_of_deals": FieldSpec((int,), 1, COUNT[1], needed=False),
}
_HAND = {"deal": WHOLE, "seating": LIST, "labels": LIST, "payoffs": LIST}


def replay_hands(path: Path, game: Tree | Game) -> tuple[int, dict[int, str]]:
    """Return the number of hands in a file of `write_hands`, and the errors by hand."""
    rows, errors = _rows(path, game)[1], dict[int, str]()
    for number, row in enumerate(rows, start=1):
        try:
            _hand(row, game, f"hand {number}:")
        except RunError as error:
            errors[number] = str(error)
    return len(rows), errors


def _lines(path: Path, game: Tree | Game) -> tuple[dict[str, Any], list[tuple[Hand, int]]]:
    """Return the first line of a file of hands, and the hands with their terminal histories."""
    head, rows = _rows(path, game)
    return head, [_hand(row, game, f"{path}, line {number},") for number, row in enumerate(rows, start=2)]


def _rows(path: Path, game: Tree | Game) -> tuple[dict[str, Any], list[Any]]:
    """Return the first line of a file of hands, and the other lines."""
    if not isinstance(game, Tree):
        require_game(game)
    lines = read_bytes(path).splitlines()
    head, *rows = [_parsed(line, f"{path}, line {number}") for number, line in enumerate(lines, 1)] or [None]
    check_fields(f"{path}, line 1,", head, _HEAD)
    names = head["agents"]
    if len(names) != game.players or not all(isinstance(name, str) for name in names):
        raise RunError(f"{path}, line 1: agents are {shortened(names)}; {game.name} has {game.players} players.")
    return head, rows


def _parsed(line: bytes, place: str) -> Any:
    try:
        return parse_json(line)
    except (ValueError, RecursionError):
        raise RunError(f"{place} is no JSON; hands are read from {FORMATS}.", key=place, value=line[:80]) from None


def _hand(row: Any, game: Tree | Game, location: str) -> tuple[Hand, int]:
    """Return a hand and its terminal history; -1 without a tree."""
    check_fields(location, row, _HAND)
    players = list(range(game.players))
    if not all(type(agent) is int for agent in row["seating"]) or sorted(row["seating"]) != players:
        raise RunError(
            f"{location} the seating is {shortened(row['seating'])}, not the agents {players} in some order."
        )
    labels = tuple(as_tuples(label) for label in row["labels"])
    end, pays = _replayed(game, labels, location)
    paid = row["payoffs"]
    numbers = [amount for amount in paid if isinstance(amount, (int, float)) and abs(amount) <= 1e300]
    if len(numbers) < len(paid) or len(paid) != game.players or not np.allclose(pays, numbers):
        raise RunError(f"{location} payoffs are {shortened(paid)}; {game.name} pays {pays}.")
    return Hand(row["deal"], tuple(row["seating"]), labels, tuple(paid)), end


def _replayed(game: Tree | Game, labels: Sequence[Hashable], location: str) -> tuple[int, Sequence[float]]:
    """Return the history after labels (-1 without a tree) and its payoffs."""
    return _on_tree(game, labels, location) if isinstance(game, Tree) else (-1, _by_rules(game, labels, location))


def _on_tree(tree: Tree, labels: Sequence[Hashable], location: str) -> tuple[int, Sequence[float]]:
    node = 0
    for label in labels:
        _check_label(location, label, tree, tree.labels_at(node))
        node = tree.child(node, label)
    if tree.player[node] != TERMINAL:
        raise RunError(f"{location} the hand is not over.")
    return node, tree.payoffs_at(node)


def _by_rules(game: Game, labels: Sequence[Hashable], location: str) -> Sequence[float]:
    """Return the payoffs after labels; outcomes of a game's ``draw`` are checked only by its rules."""
    with calling_rules(game):
        state = game.root()
        for label in labels:
            if game.player(state) != CHANCE or not hasattr(game, "draw"):
                _check_label(location, label, game, possible(game, state))
            try:
                state = game.child(state, label)
            except Exception as error:
                raise RunError(f"{location} {shortened(label)} is impossible here: {shortened(error)}") from None
        if game.player(state) != TERMINAL:
            raise RunError(f"{location} the hand is not over.")
        return list(map(float, payoffs_at(game, state)))


def _check_label(location: str, label: Hashable, game: Tree | Game, known: Sequence[Hashable]) -> None:
    if label not in known:
        raise RunError(f"{location} {shortened(label)} is impossible here; {game.name} allows {shortened(known)}.")
