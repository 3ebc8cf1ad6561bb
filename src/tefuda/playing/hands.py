"""Hands of matches as JSON lines: a line about the match, then a line for each hand."""

from __future__ import annotations

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
from tefuda.forms.tree import Tree
from tefuda.games.answers import calling_rules, payoffs_of, require_game
from tefuda.games.parameters import json_parameters
from tefuda.games.playthrough import play
from tefuda.games.protocol import CHANCE, TERMINAL, Game
from tefuda.games.protocol import labels as possible
from tefuda.playing.agents import Agent
from tefuda.playing.deals import Hand, rotated_seating
from tefuda.playing.match import Match
from tefuda.playing.session import Rotation, read_session, series_of
from tefuda.words import distinct


def write_hands(path: str | Path, match: Match) -> None:
    """Write the recorded hands of a match.

    Args:
        path: the file; one JSON object a line.
        match: a match played with ``record=True``.

    Raises:
        ParameterError: a match without hands, or labels that JSON cannot hold, see `require_writable`.
        RunError: the file cannot be written.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in "ab"]
    >>> td.write_hands("few.jsonl", td.duplicate_match(tree, agents, deals=2, play=True, record=True))
    >>> td.read_hands("few.jsonl", tree).agents
    ('a', 'b')
    """
    if not isinstance(match, Match):
        raise ParameterError(f"match must be a Match, as duplicate_match returns it; got {shortened(match)}.")
    if not match.hands:
        raise ParameterError("the match has no hands; play it with play=True and record=True.")
    _write(path, {"agents": match.agents, "replicates": match.replicates}, match.hands)


def write_part(path: str | Path, agents: Sequence[Agent], hands: Sequence[Hand], deals: int, replicates: int) -> None:
    """Write the hands of an interrupted match, marked as such, with the numbers of deals and replicates planned."""
    names = distinct([agent.name for agent in agents])
    _write(path, {"agents": names, "replicates": replicates, "part_of_deals": deals}, hands)


def _write(path: str | Path, head: Mapping[str, Any], hands: Sequence[Hand]) -> None:
    _require_labels({label for hand in hands for label in hand.labels})
    lines = [{"format": 1, **head}, *(hand._asdict() for hand in hands)]
    write_bytes(Path(path), "".join(json.dumps(line) + "\n" for line in lines).encode())


def require_writable(game: Tree | Game) -> None:
    """Raise ParameterError unless a file can hold the labels of a game; of rules, those of one random game."""
    if isinstance(game, Tree):
        _require_labels({label for labels in game.label_sets for label in labels})
    else:
        _require_labels({step.action for step in play(game, np.random.default_rng(0))[0]})


def _require_labels(labels: Iterable[Hashable]) -> None:
    for label in labels:
        if not survives_json(label):
            raise ParameterError(
                f"labels must be texts, numbers or tuples of them for hands to be written; got {shortened(label)}."
            )


def read_hands(path: str | Path, game: Tree | Game) -> Match:
    """Return the match whose hands a file holds, every hand replayed by the rules.

    Of an interrupted match: the deals that were played in every seating begun, and only whole replicates, if any.

    Args:
        path: a file of `write_hands`.
        game: the tree or the rules that were played.

    Raises:
        RunError: the file cannot be read, has hands or payoffs that do not fit this game, or lacks hands.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in "ab"]
    >>> td.write_hands("some.jsonl", td.duplicate_match(tree, agents, deals=3, play=True, record=True))
    >>> len(td.read_hands("some.jsonl", tree).hands)
    6
    """
    head, found = _lines(Path(path), game)
    agents, replicates = tuple(head["agents"]), head["replicates"]
    if part := head.get("part_of_deals"):
        found, replicates = _whole_deals(found, part)
    seatings = tuple(dict.fromkeys(hand.seating for hand, _ in found))
    count = len(found) // max(1, len(seatings))
    places = {(hand.deal, hand.seating) for hand, _ in found}
    if not found or places != {(deal, seating) for deal in range(count) for seating in seatings}:
        raise RunError(f"{path}: some hands are missing; every deal must be there in every seating.")
    if len(places) < len(found) or count % replicates:
        raise RunError(f"{path}: {len(found)} hands are not {replicates} replicates of {len(seatings)} seatings.")
    payoffs, ends = np.zeros((len(seatings), count, len(agents))), np.zeros((len(seatings), count), dtype=np.int64)
    for hand, end in found:
        place = seatings.index(hand.seating), hand.deal
        payoffs[place][list(hand.seating)], ends[place] = hand.payoffs, end
    return Match(agents, seatings, None, payoffs, ends, tuple(hand for hand, _ in found), replicates, not part)


@dataclass(frozen=True)
class Record:
    """Recorded hands: the names of the agents, and the hands in the order of play.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise"])
    >>> match = td.duplicate_match(tree, agents, deals=2, play=True, record=True)
    >>> td.Record(match.agents, match.hands).hands[0].seating
    (0, 1)
    """

    agents: tuple[str, ...]
    hands: tuple[Hand, ...]


def is_record(path: str | Path) -> bool:
    """Return True if a file begins as a record does; it may still be damaged."""
    try:
        with Path(path).open("rb") as file:
            return file.read(1) == b"{"
    except (OSError, ValueError):
        return False


def read_record(path: str | Path, game: Tree | Game) -> Record:
    """Return the agents and all finished hands of a file, every hand replayed by the rules.

    Unlike `read_hands` it reads hands of people too, and all hands of an interrupted match.

    Args:
        path: a file of ``tefuda match --record`` (`write_hands`) or of ``tefuda play --save``.
        game: the tree or the rules that were played.

    Raises:
        RunError: the file cannot be read, or holds hands that this game does not have.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise"])
    >>> match = td.duplicate_match(tree, agents, deals=2, play=True, record=True)
    >>> td.write_hands("two.jsonl", match)
    >>> td.read_record("two.jsonl", tree).hands == match.hands
    True
    """
    if _is_sitting(Path(path)):
        return _of_sitting(Path(path), game)
    head, found = _lines(Path(path), game)
    return Record(tuple(head["agents"]), tuple(hand for hand, _ in found))


def _is_sitting(path: Path) -> bool:
    """Return True if a file holds one JSON object, that of a sitting."""
    try:
        content = parse_json(read_bytes(path))
    except (ValueError, RecursionError):  # several lines, or no JSON at all
        return False
    return isinstance(content, dict) and "play" in content


def _of_sitting(path: Path, game: Tree | Game) -> Record:
    """Return the hands of a person's sitting."""
    kept, rules = read_session(path), game.rules if isinstance(game, Tree) else game
    parameters = game.parameters if isinstance(game, Tree) else json_parameters(game)
    if (kept.play, kept.parameters) != (game.name, parameters):
        options = ", ".join(f"{name}={value!r}" for name, value in kept.parameters.items())
        raise RunError(f"{path} holds hands of {kept.play}({options}), not of this {game.name} with {parameters}.")
    if not isinstance(series_of(rules), Rotation):
        raise RunError(f"{path} holds hands of {game.name}, whose rules change from hand to hand; no model reads them.")
    if len(kept.against) != game.players - 1:
        raise RunError(f"{path} names {len(kept.against)} opponents; {game.name} has {game.players} players.")
    hands = []
    for number, labels in enumerate(kept.hands):
        _, pays = _replayed(game, labels, f"{path}, hand {number + 1},")
        hands.append(Hand(number, rotated_seating(game.players, number), labels, tuple(pays)))
    return Record(distinct(["you", *kept.against]), tuple(hands))


def _whole_deals(found: list[tuple[Hand, int]], deals: int) -> tuple[list[tuple[Hand, int]], int]:
    """Return the hands of the first deals that are there in every seating, and the number of whole replicates, or 1."""
    places = {(hand.deal, hand.seating) for hand, _ in found}
    seatings, count = {seating for _, seating in places}, 0
    while found and all((count, seating) in places for seating in seatings):
        count += 1
    replicates = count // deals
    count = replicates * deals or count
    return [one for one in found if one[0].deal < count], max(1, replicates)


def in_order(match: Match, agents: Sequence[Agent]) -> list[Agent]:
    """Return agents in the order in which a match names them; raise ParameterError if they have other names."""
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


def _lines(path: Path, game: Tree | Game) -> tuple[dict[str, Any], list[tuple[Hand, int]]]:
    """Return the first line of a file of hands, and the hands with their last histories."""
    if not isinstance(game, Tree):
        require_game(game)
    lines = read_bytes(path).splitlines()
    try:
        head, *rows = [parse_json(line) for line in lines] or [None]
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is no file of hands: {shortened(error)}.") from None
    check_fields(f"{path}, line 1,", head, _HEAD)
    names = head["agents"]
    if len(names) != game.players or not all(isinstance(name, str) for name in names):
        raise RunError(f"{path}, line 1: agents are {shortened(names)}; {game.name} has {game.players} players.")
    return head, [_hand(row, game, f"{path}, line {number},") for number, row in enumerate(rows, start=2)]


def _hand(row: Any, game: Tree | Game, where: str) -> tuple[Hand, int]:
    """Return a hand and its last history, -1 without a tree."""
    check_fields(where, row, _HAND)
    players = list(range(game.players))
    if not all(type(agent) is int for agent in row["seating"]) or sorted(row["seating"]) != players:
        raise RunError(f"{where} the seating is {shortened(row['seating'])}, not the agents {players} in some order.")
    labels = tuple(as_tuples(label) for label in row["labels"])
    end, pays = _replayed(game, labels, where)
    paid = row["payoffs"]
    numbers = [one for one in paid if isinstance(one, (int, float)) and abs(one) <= 1e300]
    if len(numbers) < len(paid) or len(paid) != game.players or not np.allclose(pays, numbers):
        raise RunError(f"{where} payoffs are {shortened(paid)}; {game.name} pays {pays}.")
    return Hand(row["deal"], tuple(row["seating"]), labels, tuple(paid)), end


def _replayed(game: Tree | Game, labels: Sequence[Hashable], where: str) -> tuple[int, Sequence[float]]:
    """Return the history after labels, -1 without a tree, and its payoffs."""
    return _on_tree(game, labels, where) if isinstance(game, Tree) else (-1, _by_rules(game, labels, where))


def _on_tree(tree: Tree, labels: Sequence[Hashable], where: str) -> tuple[int, Sequence[float]]:
    node = 0
    for label in labels:
        _check_label(where, label, tree, tree.labels_at(node))
        node = tree.child(node, label)
    if tree.player[node] != TERMINAL:
        raise RunError(f"{where} the hand is not over.")
    return node, tree.payoffs_at(node)


def _by_rules(game: Game, labels: Sequence[Hashable], where: str) -> Sequence[float]:
    """Return the payoffs after labels; the rules themselves refuse what a game's own ``draw`` cannot draw."""
    with calling_rules(game):
        state = game.root()
        for label in labels:
            if game.player(state) != CHANCE or not hasattr(game, "draw"):
                _check_label(where, label, game, possible(game, state))
            try:
                state = game.child(state, label)
            except Exception as error:
                raise RunError(f"{where} {shortened(label)} is not possible here: {shortened(error)}") from None
        if game.player(state) != TERMINAL:
            raise RunError(f"{where} the hand is not over.")
        return payoffs_of(game.payoffs(state), game.players)


def _check_label(where: str, label: Hashable, game: Tree | Game, known: Sequence[Hashable]) -> None:
    if label not in known:
        raise RunError(f"{where} {shortened(label)} is not possible here; {game.name} allows {shortened(known)}.")
