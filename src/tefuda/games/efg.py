"""Reading and writing of Gambit's extensive-form files (.efg), with exact numbers.

The format is described in Gambit's manual, "The extensive game (.efg) file format".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from tefuda.errors import GameError, ParameterError
from tefuda.files import read_bytes, write_bytes
from tefuda.games.answers import (
    DIGITS,
    Rounded,
    actions_of,
    calling_rules,
    endless_game,
    exact_number,
    mover_of,
    outcomes_of,
    payoffs_of,
    read_number,
    view_of,
)
from tefuda.games.check import check_game
from tefuda.games.protocol import CHANCE, LONGEST, TERMINAL, Game
from tefuda.games.report import raise_if_faulty
from tefuda.games.size import refuse_if_too_large

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}",]+)|(")|,', re.DOTALL)
# Gambit's labels are printable ASCII, without a space at an end or beside another space; a backslash may hide a quote.
_UNREADABLE = re.compile(r"[^ -~]|\\|^ | $|(?<= ) ")
_LARGEST = 10**300  # limit of a number in a file
_BITS = 4096  # limit of the denominators of sums of payoffs


@dataclass(frozen=True)
class Node:
    """A history: player to move, view of each player, labels, probabilities, children, and payoffs so far."""

    player: int
    views: tuple[Hashable, ...]
    labels: tuple[str, ...]
    chances: tuple[Fraction, ...]
    children: dict[str, int]
    payoffs: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Efg:
    """A game from a file. A state is the number of a node.

    The view of the player to move is the key of the infoset. The view of another player is its last infoset and action,
    or ``""`` before its first: the file contains no more information.
    """

    title: str
    players: int
    path: str
    nodes: tuple[Node, ...]
    name = "efg"

    @property
    def parameters(self) -> dict[str, str]:
        return {"path": self.path}

    def root(self):
        return 0

    def player(self, state):
        return self.nodes[state].player

    def actions(self, state):
        return self.nodes[state].labels

    def chances(self, state):
        return tuple(zip(self.nodes[state].labels, self.nodes[state].chances, strict=True))

    def child(self, state, action):
        return self.nodes[state].children[action]

    def payoffs(self, state):
        return self.nodes[state].payoffs

    def view(self, state, player):
        return self.nodes[state].views[player]


def read_efg(path: str) -> Efg:
    """Read a game from a .efg file (Gambit's extensive-form format, version 2).

    Args:
        path: the file.

    Returns:
        A game with the seven functions.

    Raises:
        RunError: the file cannot be read.
        GameError: invalid content; the message gives the line.

    >>> td.games.write_efg(td.load_game("kuhn"), "kuhn.efg")
    >>> td.games.read_efg("kuhn.efg").players
    2
    """
    return _EfgReader.of(path).game()


@dataclass
class Token:
    """A string, brace or word of a file, with its place; lines and columns count from 1."""

    text: str
    kind: str  # "string", "brace" or "word"
    line: int
    column: int


@dataclass
class Reader:
    """A reader of Gambit's files: tokens after the three words of the first line, which name the format."""

    path: str
    tokens: list[Token]
    position: int = 3

    @classmethod
    def of(cls, path: str) -> Self:
        """Return the reader of a file; raise RunError if it cannot be read."""
        return cls(str(path), list(_tokens(read_bytes(Path(path)).decode(errors="replace"), str(path))))

    def header(self, words: str, form: str) -> str:
        """Return the title after the words that a file of a form starts with; raise GameError for other files."""
        if " ".join(token.text for token in self.tokens[:2]) != words:
            raise GameError(f"{self.path} is not a Gambit {form}-form file: it does not start with {words}.")
        return self.take("string") or Path(self.path).stem

    def fail(self, message: str, back: int = 0) -> GameError:
        """Return the error of the next token, or of one before it."""
        token = self.tokens[min(self.position - back, len(self.tokens) - 1)] if self.tokens else Token("", "", 1, 1)
        return GameError(f"{self.path}, line {token.line}, column {token.column}: {message}.")

    def peek(self) -> Token:
        """Return the next token; at the end of the file an empty one."""
        return self.tokens[self.position] if self.position < len(self.tokens) else Token("", "", 0, 0)

    def take(self, kind: str, expected: str = "") -> str:
        token = self.peek()
        if token.kind != kind:
            given = f"{token.text!r}" if token.kind else "the end of the file"
            raise self.fail(f"expected {expected or 'a ' + kind}, found {given}")
        self.position += 1
        return token.text

    def text(self) -> str | None:
        """Return the next token if it is a string, else None."""
        return self.take("string") if self.peek().kind == "string" else None

    def at_brace(self, brace: str) -> bool:
        """Return True if the next token is this brace."""
        return (self.peek().kind, self.peek().text) == ("brace", brace)

    def number(self) -> Fraction:
        text = self.take("word", "a number")
        if (number := read_number(text)) is not None and abs(number) <= _LARGEST:
            return number
        raise self.fail(f"{text[:40]!r} is not a number of at most {DIGITS} digits in the range of floats", back=1)

    def integer(self, name: str) -> int:
        if (number := self.number()).denominator != 1:
            raise self.fail(f"{name} is {number}; it must be a whole number", back=1)
        return int(number)

    def braced(self, take: Callable[[], Any]) -> list[Any]:
        """Return the items that `take` reads between braces."""
        if self.take("brace") != "{":
            raise self.fail("expected {")
        items = []
        while self.peek().kind and not self.at_brace("}"):
            items.append(take())
        self.take("brace")
        return items


@dataclass
class _EfgReader(Reader):
    """A parser of nodes in prefix order, without recursion."""

    actions: dict[tuple[int, int], tuple[list[str], list[Fraction]]] = field(default_factory=dict)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    outcomes: dict[int, tuple[Fraction, ...]] = field(default_factory=dict)
    players: int = 0

    def game(self) -> Efg:
        title = self.header("EFG 2", "extensive")
        self.players = len(self.braced(lambda: self.take("string")))
        self.text()
        nodes = self.read_nodes()
        return Efg(title, self.players, self.path, tuple(self.finished(nodes)))

    def read_nodes(self) -> list[dict[str, Any]]:
        """Read all nodes in prefix order; a child belongs to the last node with missing children."""
        nodes: list[dict[str, Any]] = []
        waiting: list[int] = []
        while self.peek().kind:
            if nodes and not waiting:
                raise self.fail("unexpected node after the complete tree")
            parent = waiting[-1] if waiting else None
            node = self.read_node()
            before = nodes[parent]["payoffs"] if parent is not None else (Fraction(0),) * self.players
            if any(node["payoffs"]):
                node["payoffs"] = tuple(a + b for a, b in zip(before, node["payoffs"], strict=True))
                if max(amount.denominator.bit_length() for amount in node["payoffs"]) > _BITS:
                    raise self.fail("the sums of payoffs have too large a common denominator")
            else:
                node["payoffs"] = before
            nodes.append(node)
            if parent is not None:
                nodes[parent]["children"].append(len(nodes) - 1)
                if len(nodes[parent]["children"]) == len(nodes[parent]["labels"]):
                    waiting.pop()
            if node["labels"]:
                waiting.append(len(nodes) - 1)
        if waiting or not nodes:
            raise self.fail("the tree is not complete")
        return nodes

    def read_node(self) -> dict[str, Any]:
        kind = self.take("word", "c, p or t")
        if kind not in ("c", "p", "t"):
            raise self.fail(f"a node starts with c, p or t, not {kind!r}", back=1)
        self.take("string")
        player, number, labels, chances = TERMINAL, 0, list[str](), list[Fraction]()
        if kind != "t":
            player = CHANCE if kind == "c" else self.integer("the player") - 1
            if not (player == CHANCE if kind == "c" else 0 <= player < self.players):
                raise self.fail(f"player {player + 1} of {self.players}")
            number = self.integer("the infoset number")
            labels, chances = self.read_infoset(player, number)
        fields = {"player": player, "number": number, "labels": labels, "chances": chances, "children": []}
        return {**fields, "payoffs": self.read_outcome()}

    def read_infoset(self, player: int, number: int) -> tuple[list[str], list[Fraction]]:
        """Read the labels and probabilities of an infoset; a file may give them at its first node only."""
        if (name := self.text()) is not None:
            self.names[player, number] = name
        if not self.at_brace("{"):
            if (player, number) not in self.actions:
                raise self.fail(f"the actions of infoset {number} are missing")
            return self.actions[player, number]
        pairs = self.braced(lambda: (self.take("string"), self.number() if player == CHANCE else None))
        labels, chances = [label for label, _ in pairs], [chance for _, chance in pairs if chance is not None]
        if len(set(labels)) < len(labels):
            labels = [f"{label or 'action'} {number}" for number, label in enumerate(labels, 1)]
        self.actions[player, number] = (labels, chances)
        return labels, chances

    def read_outcome(self) -> tuple[Fraction, ...]:
        number = self.integer("the outcome number")
        self.text()
        if self.at_brace("{"):
            amounts = self.braced(self.number)
            if len(amounts) != self.players:
                raise self.fail(f"{len(amounts)} payoffs for {self.players} players")
            self.outcomes[number] = tuple(amounts)
        if number != 0 and number not in self.outcomes:
            raise self.fail(f"the payoffs of outcome {number} are missing")
        return self.outcomes.get(number, (Fraction(0),) * self.players)

    def finished(self, nodes: list[dict[str, Any]]) -> Iterator[Node]:
        """Yield the nodes with the views of all players."""
        keys = self.keys()
        memories: list[tuple[Hashable, ...]] = [("",) * self.players] * len(nodes)
        for node, views in zip(nodes, memories, strict=True):  # parents precede their children
            player, labels = node["player"], tuple(node["labels"])
            children = dict(zip(labels, node["children"], strict=True))
            if player >= 0:
                key = keys[player, node["number"]]
                before, after = views[:player], views[player + 1 :]
                views = (*before, key, *after)
            for label, child in children.items():
                memories[child] = (*before, (key, label), *after) if player >= 0 else views
            yield Node(player, views, labels, tuple(node["chances"]), children, node["payoffs"])

    def keys(self) -> dict[tuple[int, int], str]:
        """Return a readable key of each infoset, unique for the player.

        The key is the name, or the number if several infosets have the name. If these keys are not unique, all keys of
        the player consist of number and name.
        """
        all_keys = dict[tuple[int, int], str]()
        for player in range(self.players):
            names = {number: self.names.get((player, number), "") for owner, number in self.actions if owner == player}
            used = Counter(names.values())
            keys = {number: name if name and used[name] == 1 else str(number) for number, name in names.items()}
            if len(set(keys.values())) < len(keys):
                keys = {number: f"{number} {name}" for number, name in names.items()}
            all_keys |= {(player, number): key for number, key in keys.items()}
        return all_keys


def _tokens(text: str, path: str) -> Iterator[Token]:
    line, end, start = 1, 0, 0  # start: of the line
    for match in _TOKEN.finditer(text):
        if newlines := text.count("\n", end, match.start()):
            line, start = line + newlines, text.rindex("\n", end, match.start()) + 1
        end = match.start()
        string, brace, word, quote = match.groups()
        column = end - start + 1
        if quote:
            raise GameError(f"{path}, line {line}, column {column}: a string has no closing quote.")
        if string is not None:
            yield Token(re.sub(r"\\(.)", r"\1", string), "string", line, column)
        elif brace or word:
            yield Token(brace or word, "brace" if brace else "word", line, column)


def write_efg(game: Game, path: str | Path, *, force: bool = False) -> None:
    """Write a game as a .efg file, with probabilities and payoffs as exact fractions.

    Args:
        game: the rules.
        path: the file.
        force: write the game even if the size estimate exceeds the free memory.

    Raises:
        GameError: invalid rules; the message has example histories.
        SizeError: the text does not fit in memory.
        ParameterError: no simple fractions with sum 1 are near the probabilities.
        RunError: the file cannot be written.

    >>> td.games.write_efg(td.load_game("kuhn"), "kuhn.efg")
    >>> td.games.read_efg("kuhn.efg").players
    2
    """
    rounded = Rounded(game)
    raise_if_faulty(game, check_game(rounded, limit=50, samples=5), "written")  # before their answers are used
    refuse_if_too_large(game, force)
    raise_if_faulty(game, check_game(rounded), "written")
    with calling_rules(game):
        lines = _lines(game)
    write_bytes(Path(path), ("\n".join(lines) + "\n").encode())


def _lines(game: Game) -> list[str]:
    """Return the lines of the file, with validation of all answers of the rules."""
    quoted = " ".join(gambit_text(f"player {player}") for player in range(game.players))
    lines = [f"EFG 2 R {gambit_text(getattr(game, 'title', '') or game.name)} {{ {quoted} }}", '""', ""]
    numbers: dict[tuple[int, Any], int] = {}
    counts, outcomes, rounded = [0] * (game.players + 1), 0, Rounded(game)
    stack = [(game.root(), 0)]
    while stack:
        state, depth = stack.pop()
        mover = mover_of(game.player(state), game.players)
        if depth > LONGEST:
            raise endless_game(game)
        if mover == TERMINAL:
            outcomes += 1
            payoffs = game.payoffs(state)
            payoffs_of(rounded.payoffs(state), game.players)
            amounts = ", ".join(str(exact_number(amount)) for amount in payoffs)
            lines.append(f't "" {outcomes} "" {{ {amounts} }}')
            continue
        if mover == CHANCE:
            counts[-1] += 1
            pairs = game.chances(state)
            labels, _ = outcomes_of(pairs)
            exact = _distribution([chance for _, chance in pairs])
            inside = " ".join(f"{gambit_text(label)} {chance}" for label, chance in zip(labels, exact, strict=True))
            lines.append(f'c "" {counts[-1]} "" {{ {inside} }} 0')
        else:
            labels, key = actions_of(game.actions(state)), (mover, view_of(game.view(state, mover)))
            if key not in numbers:
                counts[mover] += 1
                numbers[key] = counts[mover]
            inside = " ".join(map(gambit_text, labels))
            lines.append(f'p "" {mover + 1} {numbers[key]} {gambit_text(key[1])} {{ {inside} }} 0')
        stack.extend((game.child(state, label), depth + 1) for label in reversed(labels))
    return lines


def gambit_text(text: Any) -> str:
    """Return a text in quotes, with character references for letters that Gambit refuses."""
    readable = _UNREADABLE.sub(lambda match: f"&#{ord(match[0])};", str(text))
    return '"' + readable.replace('"', '\\"') + '"'


def _distribution(chances: Any) -> list[Fraction]:
    """Return probabilities as fractions with sum exactly 1, as required by Gambit."""
    exact = list(map(exact_number, chances))
    if sum(exact) == 1:
        return exact
    near = [fraction.limit_denominator(10**6) for fraction in exact]
    if sum(near) != 1 or any(abs(a - b) > Fraction(1, 10**12) for a, b in zip(exact, near, strict=True)):
        raise ParameterError(f"the probabilities {chances!r} do not sum to 1 as fractions; use Fractions in the rules.")
    return near
