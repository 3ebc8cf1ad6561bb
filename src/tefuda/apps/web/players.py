"""Opponents and coaches of the page's tables: made once per server, and shared by all tables."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from tefuda.apps.web.exploits import ME, MOST_HISTORIES, opponent_model
from tefuda.apps.web.own_games import load_known
from tefuda.apps.web.run_names import find_run, list_runs
from tefuda.apps.web.tables import Players, Setup, TableStore
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, RunError, UnknownNameError, check_choice
from tefuda.exploiting.report import respond_in_all_seats
from tefuda.exploiting.responses import FRONTIERS
from tefuda.exploiting.roster import named_agents, roster_of
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree
from tefuda.games.parameters import json_parameters
from tefuda.games.size import estimate_game, refuse_if_too_large
from tefuda.playing.agents import Agent, ProfileAgent
from tefuda.playing.coach import Coach, coach_of, own_coach
from tefuda.playing.hands import Record, read_record
from tefuda.playing.review import Reviewer
from tefuda.playing.session import read_session

RUN = "run:"  # prefix of the names of runs
RESPONSE = "response:"  # prefix of the exploit lab's responses: response:KIND:PARAMETER:OPPONENT
_PARAMETER = re.compile(r"\d{1,6}(\.\d{1,9})?")
_COMPILED = 500_000  # histories; larger games are compiled only for agents that need the tree


def tables_of(workspace: Workspace) -> TableStore:
    """Return the tables of a workspace."""
    folder = workspace.own_folder / "tables"
    return workspace.part("tables", lambda: TableStore(folder, lambda setup: players_of(workspace, setup)))


def own_record(workspace: Workspace, rules: Any) -> Record:
    """Return the person's finished hands of a two-player game at all tables, without hands with hints."""
    tables, tree, hands = tables_of(workspace), tree_of(workspace, rules), list[Any]()
    for name in tables.names():
        path = tables.folder / f"{name}.json"
        with suppress(RunError):  # a damaged file; the page Play names it
            saved = read_session(path)
            if (saved.play, saved.parameters) == (tree.name, tree.parameters) and not saved.options.get("line"):
                helped = saved.options.get("helped", [])
                hands += [hand for hand in read_record(path, tree).hands if hand.deal not in helped]
    return Record(("you", "opponents"), tuple(hands))


def game_key(rules: Any) -> str:
    """Return a text that is equal for equal rules."""
    return f"{rules.name} {json.dumps(json_parameters(rules), sort_keys=True)}"


def small(workspace: Workspace, rules: Any) -> bool:
    """Return True if a game is compiled even if no agent needs its tree."""
    return workspace.values.get(("size", game_key(rules)), lambda: estimate_game(rules).histories) <= _COMPILED


def tree_of(workspace: Workspace, rules: Any) -> Tree:
    """Return the tree of a game; raise SizeError if it is too large."""

    def make() -> Tree:
        refuse_if_too_large(rules, force=False)
        return compile_game(rules)

    return workspace.values.get(("tree", game_key(rules)), make)


def players_of(workspace: Workspace, setup: Setup) -> Players:
    """Return the rules, the opponents and the coach of a setup."""
    rules = load_known(setup.game, setup.parameters)
    names = list(setup.opponents) or [default_opponent(workspace, rules)]
    names = names * (rules.players - 1) if len(names) == 1 else names
    if len(names) != rules.players - 1:
        raise ParameterError(f"{rules.name} has {rules.players} players: name 1 or {rules.players - 1} opponents.")
    compiled = not setup.line and small(workspace, rules)  # a tree has all hands from the start
    own = own_coach(rules)
    advised = compiled or own is not None or setup.mode != "off" or setup.line
    advisers = [setup.coach or default_coach(workspace, rules, names[0])] if advised else []
    roster = roster_of(rules)
    needed = any(name in roster and roster[name].tree == "needs" for name in (*names, *advisers))
    tree = tree_of(workspace, rules) if needed or compiled else None
    agents = [_agent(workspace, rules, tree, name) for name in names]
    reviewer = Reviewer(_coach(workspace, rules, tree, advisers[0])) if advisers else None
    return Players(rules, tree, agents, reviewer, _drill(rules, reviewer, setup.line) if setup.line else None)


def _drill(rules: Any, reviewer: Reviewer | None, line: str) -> tuple[Any, int]:
    """Return the rules of hands that begin at a line of a solved spot, and the player to act there."""
    from tefuda.holdem.spots.practice import SpotCoach, drill

    if reviewer is None or not isinstance(reviewer.coach, SpotCoach):
        raise ParameterError("hands begin at a line only in a solved spot with its coach.", key="line", value=line)
    return drill(rules, reviewer.coach.strategy, line)


def offered(workspace: Workspace, rules: Any) -> list[dict[str, Any]]:
    """Return the opponents of a game: agents of the roster, the default first, then runs of the game."""
    tree = small(workspace, rules)
    first = default_opponent(workspace, rules)
    agents = [
        {"name": name, "description": entry.description, "run": False}
        for name, entry in roster_of(rules).items()
        if name != "human" and (tree or entry.tree != "needs")
    ]
    runs = [
        {"name": RUN + run.id, "description": run.title or f"{run.method}, {run.iterations:,}", "run": True}
        for run in list_runs(workspace.folder)
        if not run.error and run.game == rules.name and run.game_parameters == json_parameters(rules)
    ]
    return sorted(agents, key=lambda agent: agent["name"] != first) + runs


def default_opponent(workspace: Workspace, rules: Any) -> str:
    """Return the default opponent: the game's own first agent, else the equilibrium of a small game."""
    own = [name for name, entry in roster_of(rules).items() if entry.tree == "ignores"]
    first = next((name for name in own if name not in ("human", "random")), "")
    return first or ("equilibrium" if small(workspace, rules) else "search")


def default_coach(workspace: Workspace, rules: Any, opponent: str) -> str:
    """Return the default coach: the opponent if it is a run or a solution, else the equilibrium."""
    if opponent.startswith(RUN) or opponent == "solution":
        return opponent
    return next(iter(coaches(workspace, rules)), opponent)


def coaches(workspace: Workspace, rules: Any) -> list[str]:
    """Return the agents that may be coaches without being made first: they have known strategies."""
    if (own := own_coach(rules)) is not None:
        return [own.name]
    if small(workspace, rules):
        return ["equilibrium"]
    return [name for name in roster_of(rules) if name == "solution"]


def _agent(workspace: Workspace, rules: Any, tree: Tree | None, name: str) -> Agent:
    """Return an agent by name, made once for a game."""

    def make() -> Agent:
        if name.startswith(RESPONSE) and tree is not None:
            return _response(workspace, rules, tree, name)
        if name.startswith(RUN):
            known = str(find_run(workspace.folder, name.removeprefix(RUN)))
        elif name == "human" or name not in roster_of(rules):
            raise UnknownNameError("agent", name, [entry["name"] for entry in offered(workspace, rules)])
        else:
            known = name
        return named_agents(tree or rules, [known])[0]

    if name.endswith(f":{ME}"):  # it changes with each hand of the person
        return make()
    return workspace.values.get(("agent", game_key(rules), name, tree is not None), make)


def _response(workspace: Workspace, rules: Any, tree: Tree, name: str) -> Agent:
    """Return the agent of a response to an opponent, in all seats."""
    kind, parameter, opponent = (*name.removeprefix(RESPONSE).split(":", 2), "", "")[:3]
    check_choice("kind", kind, FRONTIERS)
    if not _PARAMETER.fullmatch(parameter):
        raise ParameterError(f"the parameter of a response must be a number, got {parameter[:20]!r}.", key="opponents")
    if len(tree.player) > MOST_HISTORIES:
        raise ParameterError(f"responses need at most {MOST_HISTORIES:,} histories; {tree.title} has more.")
    known = own_record(workspace, rules) if opponent == ME else _agent(workspace, rules, tree, opponent)
    model, visits = opponent_model(tree, opponent, known)
    return ProfileAgent(f"{kind} {parameter}: {opponent}", respond_in_all_seats(model, kind, float(parameter), visits))


def _coach(workspace: Workspace, rules: Any, tree: Tree | None, name: str) -> Coach:
    """Return the game's own coach, or the coach with an agent's strategy, made once for a game."""
    if (own := own_coach(rules, name)) is not None:
        return own
    agent = _agent(workspace, rules, tree, name)
    return workspace.values.get(("coach", game_key(rules), name, tree is not None), lambda: coach_of(agent, rules))
