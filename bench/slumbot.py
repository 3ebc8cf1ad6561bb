"""A match against Slumbot, a heads-up no-limit program on a public server.

``python -m bench.slumbot AGENT --hands 20000 --folder runs/slumbot`` plays an agent of `tefuda match holdem`, such as
``equity`` or the folder of a run. Hands are saved as they end, 25 in a file of PHH; the same command resumes the match
and prints the result. Blinds are 50 and 100, stacks 20,000 in every hand. A hand that an error interrupts is not
repeated, but counted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.apps.display.progress import notifying
from tefuda.errors import ParameterError, RunError, TefudaError, check_range, shortened
from tefuda.exploiting.roster import named_agents
from tefuda.files import read_json, write_json
from tefuda.holdem.cards import read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.whole import BETS, Holdem, holdem
from tefuda.holdem.histories.amounts import FINISHING
from tefuda.holdem.histories.logs import TABLE
from tefuda.holdem.histories.phh import read_phh
from tefuda.holdem.histories.phh_text import write_phh
from tefuda.holdem.histories.record import HandHistory, record_of
from tefuda.locks import locked
from tefuda.playing.agents import Agent, Decision, traits
from tefuda.playing.table import chosen_action
from tefuda.words import Notify
from tefuda_reproductions.claims import mean_and_half

SERVER = "https://slumbot.com"
_TIMEOUT, _IN_FILE = 60.0, 25  # seconds of a request; hands in a file, which is rewritten after each
_SECONDS, _BASELINE = "_seconds", "baseline_winnings"  # longest decision of a hand; a field of replies

#: Function of a path and fields that returns the fields of the reply.
Post = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


def http_post(server: str) -> Post:
    """Return a function that posts JSON to a server."""

    def post(path: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
        body, heads = json.dumps(content).encode(), {"Content-Type": "application/json"}
        try:
            request = urllib.request.Request(f"{server}{path}", body, heads)
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as reply:
                found = json.loads(reply.read())
        except (OSError, ValueError) as error:  # no network, an error of the server, no JSON
            reason = getattr(error, "reason", error)
            raise RunError(f"{server}{path} gives no reply: {reason}. Check the network and run this again.") from None
        if not isinstance(found, dict):
            raise RunError(f"{server}{path} must reply with a JSON object; got {shortened(found)}.")
        return found

    return post


def betting(rules: TableRules, text: str) -> tuple[Wagers, str]:
    """Return the betting after Slumbot's actions and its line; raise RunError if it is impossible.

    ``k`` check, ``c`` call, ``f`` fold, ``b300`` bet or raise to 300 on the street; ``/`` opens a street.
    """
    wagers, line, parts = rules.root(), "", re.findall(r"[kcf/]|b\d{1,9}", text)
    if "".join(parts) != text:
        raise RunError(f"the actions of a reply must be k, c, f, bN and /; got {shortened(text)}.")
    for part in (part for part in parts if part != NEXT):
        calls = wagers.mover != NO_PLAYER and rules.choices(wagers).call > 0
        token = {"k": CALL, "c": CALL, "f": FOLD}.get(part, RAISE + part[1:])
        try:
            if part in "kc" and calls != (part == "c"):
                raise ParameterError(f"{part} is impossible")
            wagers, line = after(rules, wagers, token), line + token
        except ParameterError:
            raise RunError(f"the actions {text} of a reply have an illegal action, {part} after {line!r}.") from None
        while wagers.mover == NO_PLAYER and not wagers.is_over:
            wagers, line = rules.next_street(wagers), line + NEXT
    return wagers, line


def state_of(game: Holdem, reply: Mapping[str, Any]) -> tuple[Hand, int]:
    """Return the state of a reply, with the cards that it shows, and the client's seat; raise RunError."""
    action, seat = reply.get("action"), reply.get("client_pos")
    if not isinstance(action, str) or seat not in (0, 1):
        raise RunError(f"a reply must have action and client_pos 0 or 1; got {shortened(dict(reply))}.")
    names = ("hole_cards", "bot_hole_cards", "board")
    texts = {name: reply.get(name) or [] for name in names}
    wagers, line = betting(game.rules, action)
    try:
        own, other, board = (read_cards("".join(texts[name])) for name in names)
        read_cards("".join(map("".join, texts.values())))  # refuses a card that comes twice
    except (TypeError, ValueError):
        raise RunError(f"the cards of a reply cannot be read: {shortened(texts)}.") from None
    known = (0, 3, 4, 5)[wagers.street]
    if len(own) != 2 or len(other) not in (0, 2) or len(board) != known:
        raise RunError(f"a reply must have 2 hole cards and {known} cards of the board; got {shortened(texts)}.")
    holes = [own, other or (HIDDEN, HIDDEN)]
    return Hand((*holes[seat], *holes[1 - seat]), board, wagers, line), int(seat)


def increment(game: Holdem, state: Hand, label: str) -> str:
    """Return an action as Slumbot reads it."""
    token = game.token(state, label)
    if token == CALL:
        return "c" if game.choices(state).call else "k"
    return token if token == FOLD else f"b{token[1:]}"


@dataclass
class Client:
    """A player of an agent's hands on the server.

    seed: random seed of mixed actions.

    Raises:
        ParameterError: the agent observes each state of its own table, as searches of rules do.
    """

    game: Holdem
    agent: Agent
    post: Post
    seed: int = 0
    _token: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if traits(self.agent).observe is not None:
            raise ParameterError(f"agent {self.agent.name} needs all states of a hand, which the server does not give.")

    def play(self, number: int) -> HandHistory:
        """Play a hand and return its record.

        Raises:
            RunError: the server gives no reply or an impossible one; its result differs from that of the rules.
        """
        luck, slowest = np.random.default_rng([self.seed, number]), 0.0
        reply = self._send("/api/new_hand", {})
        state, seat = state_of(self.game, reply)
        self.agent.start(self.game, seat)
        while reply.get("winnings") is None:
            if state.wagers.mover != seat:
                raise RunError(f"the server waits for an action where the client has none: {reply.get('action')}.")
            start = time.perf_counter()
            labels = self.game.actions(state)
            decision = Decision(-1, self.game.view(state, seat), labels, luck.random(), seat)
            label = labels[chosen_action(self.agent, decision)]
            slowest = max(slowest, time.perf_counter() - start)
            reply = self._send("/api/act", {"incr": increment(self.game, state, label)})
            state, now = state_of(self.game, reply)
            if now != seat:
                raise RunError("the server changed the client's seat within a hand.")
        return self._record(number, state, seat, reply, slowest)

    def _send(self, path: str, content: dict[str, Any]) -> Mapping[str, Any]:
        reply = self.post(path, content | ({"token": self._token} if self._token else {}))
        if reply.get("error_msg"):
            raise RunError(f"the server refuses {path} {content}: {shortened(reply['error_msg'])}.")
        self._token = str(reply.get("token") or self._token)
        return reply

    def _record(self, number: int, state: Hand, seat: int, reply: Mapping[str, Any], slowest: float) -> HandHistory:
        won, names = reply["winnings"], ["Slumbot"] * 2
        if not isinstance(won, int) or isinstance(won, bool) or not state.wagers.is_over:
            raise RunError(f"winnings must be whole chips at the end of a hand; got {shortened(won)}.")
        names[seat] = self.agent.name
        payoffs = (won, -won) if seat == 0 else (-won, won)
        ends = [stack + chips for stack, chips in zip(self.game.rules.stacks, payoffs, strict=True)]
        now, baseline = datetime.now(UTC), reply.get(_BASELINE)
        fields = {"venue": "Slumbot", "hand": number, "year": now.year, "month": now.month, "day": now.day}
        fields |= {FINISHING: ends, _SECONDS: round(slowest, 3)}
        fields |= {f"_{_BASELINE}": baseline} if isinstance(baseline, int) else {}
        record = record_of(self.game, state, names, **fields)
        if record.payoffs not in (None, payoffs):
            raise RunError(f"the server pays {won} chips for {state.line}, the rules {record.payoffs[seat]}.")
        return record


def play_match(client: Client, folder: Path, hands: int, pause: float, notify: Notify) -> dict[str, Any]:
    """Play until the folder has a number of hands, with saved ones; return the result.

    Raises:
        RunError: see `Client.play`; another process uses the folder; it is damaged or has another agent's match.
    """
    check_range("hands", hands, 1, 10**6)
    check_range("pause", pause, 0, 3600, whole=False)
    match, settings = folder / "match.json", {"agent": client.agent.name, "seed": client.seed}
    with locked(match):
        saved = [record for file in sorted(folder.glob("hands-*.phhs")) for record in read_phh(file)]
        state = read_json(match) if match.exists() else {**settings, "started": len(saved)}
        if {name: state.get(name) for name in settings} != settings:
            raise RunError(f"{folder} has a match of {state.get('agent')}; choose another folder.")
        while len(saved) < hands:
            write_json(match, state := {**state, "started": state["started"] + 1})
            saved.append(client.play(state["started"]))
            first = (len(saved) - 1) // _IN_FILE * _IN_FILE
            write_phh(folder / f"hands-{first // _IN_FILE + 1:05}.phhs", saved[first:])
            notify(f"{len(saved):,} of {hands:,} hands")
            time.sleep(pause)
    more = {"interrupted": state["started"] - len(saved), "fallbacks": dict(getattr(client.agent, "fallbacks", {}))}
    return result(saved, client.agent.name) | more


def result(records: Sequence[HandHistory], name: str) -> dict[str, Any]:
    """Return the hands, the winnings in mbb a hand with their 95 % interval, and the slowest decision."""
    unit, slowest = 1000 / max(TABLE["blinds"]), max(float(record.fields.get(_SECONDS, 0)) for record in records)
    mean, half = mean_and_half([unit * float(record.net[name]) for record in records])
    return {"hands": len(records), "mbb": mean, "half": half if len(records) > 1 else None, "slowest": slowest}


def main(arguments: Sequence[str] | None = None, post: Post | None = None) -> int:
    """Play, print the result, and return the exit code."""
    reader = argparse.ArgumentParser(prog="python -m bench.slumbot", description="Play an agent against Slumbot.")
    reader.add_argument("agent", help="name of an agent of hold'em, or the folder of a run")
    reader.add_argument("--hands", type=int, default=20_000, help="hands of the match, with saved ones")
    reader.add_argument("--folder", type=Path, default=Path("runs/slumbot"), help="folder of the hands")
    reader.add_argument("--bets", default=BETS, help="sizes that the agent chooses from")
    reader.add_argument("--pause", type=float, default=0.5, help="seconds between hands")
    reader.add_argument("--seed", type=int, default=1, help="random seed of mixed actions")
    reader.add_argument("--server", default=SERVER, help="address of the server")
    given = reader.parse_args(arguments)
    try:
        game = holdem(**TABLE, bets=given.bets)  # type: ignore[arg-type]
        with notifying("slumbot") as notify:
            (agent,) = named_agents(game, [given.agent], notify=notify)
            client = Client(game, agent, post or http_post(given.server), given.seed)
            found = play_match(client, given.folder, given.hands, given.pause, notify)
    except TefudaError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"stopped; the hands are in {given.folder}. Run the same command to resume.", file=sys.stderr)
        return 130
    print(json.dumps({"agent": agent.name, **found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
