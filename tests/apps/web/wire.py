"""Tools of the wire tests: record all answers of a server, stack the deck, and rename cards.

`recorded` plays a hand over HTTP and returns every answer, byte by byte. `stacked` fixes the outcomes of chance, so
that two hands differ only in hidden cards. `Canary` wraps a game so that its cards have names that cannot be guessed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from starlette.testclient import TestClient

from tefuda.apps.web import tables
from tefuda.apps.web.application import make_application
from tefuda.apps.web.guard import Gate
from tefuda.apps.web.players import tables_of
from tefuda.apps.web.workspace import Workspace
from tefuda.games.catalogue import load_game
from tefuda.games.kit import kit_of
from tefuda.games.protocol import Observation
from tefuda.playing.table import RulesTable

PORT, SECRET = 8765, "0123456789abcdef" * 3
CARD = re.compile("[2-9TJQKA][cdhs]")


class Answer(NamedTuple):
    """An answer of the server, with all that goes over the wire."""

    request: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def text(self) -> str:
        """Headers and body as text."""
        return f"{self.headers} {self.body.decode()}"


class Wire:
    """A client that records all answers."""

    def __init__(self, folder: Any, seed: int = 1) -> None:
        self.workspace = Workspace(folder)
        tables_of(self.workspace).draw_seed = lambda: seed
        gate = Gate(PORT, SECRET)
        self.client = TestClient(make_application(self.workspace, gate), f"http://127.0.0.1:{PORT}")
        self.client.cookies.set(gate.cookie, SECRET)
        self.answers: list[Answer] = []

    def send(self, path: str, body: Any = None) -> Any:
        """Send a request; return the JSON value of the answer."""
        answer = self.client.get(path) if body is None else self.client.post(path, json=body)
        request = f"{'GET' if body is None else 'POST'} {path}"
        self.answers.append(Answer(request, answer.status_code, tuple(sorted(answer.headers.items())), answer.content))
        return json.loads(answer.content) if answer.content else None

    def probe(self, state: Any) -> None:
        """Send requests that a curious person may send: reads, refused actions, reviews, the file."""
        table = f"/api/tables/{state['id']}"
        for path in (table, f"{table}/file", f"{table}/hands/{state['hand']}", "/api/tables", "/api/runs"):
            self.send(path)
        self.send(f"{table}/act", {"version": 10**9, "action": 0})
        self.send(f"{table}/act", {"version": state["version"], "action": 999})
        self.send(f"{table}/act", {"version": state["version"], "amount": 10**9})


def recorded(
    folder: Any, setup: dict[str, Any], hands: int = 1, choose: Callable[[list[Any]], Any] = lambda actions: actions[0]
) -> list[tuple[Any, list[Answer]]]:
    """Return each state of a table with the answers that led to it, to the end of some hands."""
    wire, steps = Wire(folder), []
    state = wire.send("/api/tables", setup)
    while True:
        wire.probe(state)
        steps.append((state, wire.answers))
        wire.answers = []
        if state["end"] and state["hand"] + 1 == hands:
            return steps
        table, version = f"/api/tables/{state['id']}", {"version": state["version"]}
        if not state["end"] and state["mode"] != "off" and not (state["advice"] or {}).get("hint"):
            state = wire.send(f"{table}/hint", version)
        elif state["end"]:
            state = wire.send(f"{table}/next", version)
        else:
            state = wire.send(f"{table}/act", {**version, "action": choose(state["actions"])["index"]})


def same_names(monkeypatch: Any) -> None:
    """Give tables names by number, so that two servers have equal names."""
    counter, drawn = itertools.count(), tables.secrets.token_hex
    monkeypatch.setattr(
        tables.secrets, "token_hex", lambda size: f"{next(counter):032x}" if size == 16 else drawn(size)
    )


def stacked(monkeypatch: Any, outcomes: Sequence[Any]) -> None:
    """Fix the outcomes of chance of each hand; after the last one the cards are drawn."""
    drawn, place = RulesTable._outcome, [0]

    def outcome(self: RulesTable, state: Any, uniform: Any) -> Any:
        place[0] = 0 if state == self.rules.root() else place[0] + 1
        label = drawn(self, state, uniform)
        return outcomes[place[0]] if place[0] < len(outcomes) else label

    monkeypatch.setattr(RulesTable, "_outcome", outcome)


def differences(first: Sequence[Any], second: Sequence[Any]) -> list[str]:
    """Return the requests whose answers differ before the end of the first hand, and their texts."""
    found = []
    for (state, answers), (_, others) in zip(first, second, strict=False):
        if state["end"] and state["end"]["shown"]:
            break
        found += [f"{one}\n{other}" for one, other in zip(answers, others, strict=True) if one != other]
    return found


def gaining(message: Any, value: Any) -> Any:
    """Return a message whose class has gained a field with a value, as a careless change would give it."""
    kind = type(message)
    wider = type(f"Wider{kind.__name__}", (kind,), {"__annotations__": {"extra": Any}})
    return wider(**{field.name: getattr(message, field.name) for field in fields(kind)}, extra=value)


class Canary:
    """A game whose cards have names that cannot be guessed.

    Args:
        game: game with cards such as ``"Ks"`` in its labels and, before the last ``|``, in its views.
        secret: text of the names.
    """

    name = "canary"
    parameters: dict[str, Any] = {}

    def __init__(self, game: Any, secret: str) -> None:
        self.game, self.secret, self.players = game, secret, game.players
        self.root, self.player, self.actions = game.root, game.player, game.actions
        self.payoffs, self.shown = game.payoffs, game.shown
        self._hidden = re.compile(f"{secret}([2-9TJQKA])x([cdhs])q")

    def rename(self, value: Any) -> Any:
        """Return a text, a label or a tuple of them with the names of the canary."""
        if isinstance(value, tuple):
            return tuple(map(self.rename, value))
        return CARD.sub(lambda card: f"{self.secret}{card[0][0]}x{card[0][1]}q", value)

    def original(self, value: Any) -> Any:
        """Return a text, a label or a tuple of them with the original names."""
        if isinstance(value, tuple):
            return tuple(map(self.original, value))
        return self._hidden.sub(r"\1\2", value)

    def names(self, text: str) -> set[str]:
        """Return the original names of all canaries in a text."""
        return {rank + suit for rank, suit in self._hidden.findall(text)}

    def chances(self, state: Any) -> Any:
        return [(self.rename(label), chance) for label, chance in self.game.chances(state)]

    def draw(self, state: Any, uniform: Any) -> Any:
        label, chance = self.game.draw(state, uniform)
        return self.rename(label), chance

    def child(self, state: Any, label: Any) -> Any:
        return self.game.child(state, self.original(label))

    def view(self, state: Any, player: int) -> str:
        cards, bar, history = self.game.view(state, player).rpartition("|")
        return self.rename(cards) + bar + history

    def picture(self, view: str, player: int) -> Any:
        picture = kit_of(self.game).picture(self.original(view), player)
        events = tuple(event._replace(cards=self.rename(event.cards)) for event in picture.events)
        return replace(picture, hand=self.rename(picture.hand), table=self.rename(picture.table), events=events)

    def observe(self, view: str, player: int) -> Observation:
        words = kit_of(self.game).observe(self.original(view), player)
        return words._replace(hand=self.rename(view.rpartition("|")[0]), table="")


def leduc_canary() -> Canary:
    """Return Leduc with suits and cards that cannot be guessed."""
    return Canary(load_game("leduc", distinct_suits=True), "zqLeduc7f3a")


def holdem_canary() -> Canary:
    """Return hold'em with cards that cannot be guessed."""
    return Canary(load_game("holdem"), "zqHoldem91c")


def digest(folder: Any) -> list[tuple[str, int, str]]:
    """Return names, times and digests of all files that are not those of the server's process."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ("server", "server.log")]
    return [(str(path), path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
