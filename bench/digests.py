"""Digests of the results of a version of the source, to compare two versions bit for bit.

``PYTHONPATH=SRC python -m bench.digests [--out FILE]`` prints a digest a row: trees of all games, each method
after some iterations on Kuhn poker of two and three players and on Leduc hold'em, spots and limit hold'em, and
duels at Koi-Koi. ``--against FILE`` compares with a file of another version, made on the same machine: sums of
floats differ between processors. Names that differ between versions are looked up here.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tefuda as td

#: Games that are compiled, by title.
TREES: dict[str, tuple[str, dict[str, Any]]] = {
    "kuhn": ("kuhn", {}),
    "kuhn, 3 players": ("kuhn", {"players": 3}),
    "leduc": ("leduc", {}),
    "leduc, suits apart": ("leduc", {"distinct_suits": True}),
    "leduc, 3 ranks, 3 players": ("leduc", {"players": 3, "ranks": 3}),
    "liar's dice 4": ("liars_dice", {"sides": 4}),
    "goofspiel 4": ("goofspiel", {"cards": 4}),
    "no-limit leduc": ("nolimit_leduc", {"stack": 5}),
    "matrix": ("matrix", {"payoffs": [[[1, -2], [-3, 4]]]}),
    "rps": ("rps", {}),
    "mini8": ("mini8", {}),
}
SOLVED = ("kuhn", "kuhn, 3 players", "leduc")
ITERATIONS = {"lp": 1, "nfsp": 5000}  # by the beginning of a method's name; networks of PyTorch: 2, others: 60
SMALL = {"traversals": 30, "steps": 10, "average_steps": 20, "baseline_steps": 10, "games": 50}
RIVER = {"board": "Qs Jh 2c 8d 3s", "pot": 100, "stack": 150, "oop": "QQ-99,AK,AQs,T9s", "ip": "JJ-77,AQ,KQ,98s"}
TURN = RIVER | {"board": "Qs Jh 2c 8d"}


def found(*places: str) -> Any:
    """Return the first of the names "module:name" that this version has."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(importlib.import_module(f"tefuda.{module}"), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"this version has none of {', '.join(places)}.")


def digest(arrays: Iterable[Any]) -> str:
    """Return the beginning of the SHA-256 of arrays, their types and shapes."""
    whole = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        whole.update(f"{array.dtype} {array.shape}".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()[:20]


def of_solver(solver: Any) -> str:
    """Return the digest of a solver's state, whatever the arrays' names, and of its strategies on a tree."""
    state = sorted(digest([array]) for array in solver.state().values())
    strategies = [getattr(solver, name)() for name in ("current", "average")] if state else [solver.average()]
    shares = [one.probabilities for one in strategies if isinstance(one, td.Profile)]
    return digest([np.array(state), *shares])


def trees() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield digests of trees."""
    for title, (name, parameters) in TREES.items():

        def compiled(name: str = name, parameters: dict[str, Any] = parameters) -> str:
            return digest([np.array(td.compile_game(td.load_game(name, **parameters)).fingerprint)])

        yield f"tree of {title}", compiled


def methods() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield digests of methods; those that do not accept a game are refused in both versions."""
    for title in SOLVED:
        name, parameters = TREES[title]
        for method in td.METHODS:

            def solved(method: str = method, name: str = name, parameters: dict[str, Any] = parameters) -> str:
                deep = td.METHODS[method].extra == "deep"
                has = found("settings:all_options")(td.METHODS[method]) if deep else ()
                changes = {one: size for one, size in SMALL.items() if one in has}
                count = 2 if deep else ITERATIONS.get(method.partition("-")[0], 60)
                try:
                    value = td.find_method(method, changes)
                    solver = td.make_solver(td.compile_game(td.load_game(name, **parameters)), value, seed=3)
                    solver.advance(count)
                except td.TefudaError as error:
                    return f"refused: {type(error).__name__}"
                return of_solver(solver)

            yield f"{method} on {title}", solved


def hands() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield digests of two spots and a run of limit hold'em in buckets."""
    for title, values in (("river", RIVER), ("turn", TURN)):

        def solved(values: dict[str, Any] = values) -> str:
            spot = found("holdem.spots.spot:make_spot")(**values)
            solver = found("holdem.spots.solver:HandSolver")(found("holdem.spots.compiled:compile_spot")(spot))
            solver.advance(20)
            return of_solver(solver)

        yield f"spot: {title}", solved

    def limit() -> str:
        buckets = found("holdem:Buckets")((10, 1, 1, 1))
        form = found("holdem.buckets.solver:in_buckets")(td.load_game("holdem", limit=True, cap=2), buckets)
        solver = td.make_solver(form, seed=3)
        solver.advance(1000)
        return of_solver(solver)

    yield "limit hold'em in buckets", limit


def duels() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield digests of duels at Koi-Koi."""
    for title, kinds in {"tables and greedy": ("tables", "greedy"), "search and tables": ("search", "tables")}.items():

        def played(kinds: tuple[str, str] = kinds) -> str:
            rules = found("koikoi.rules:find_rules")("standard")
            player = found("koikoi.players.ladder:PlayerConfiguration")
            one, two = (player(kind, 30) if kind == "search" else player(kind) for kind in kinds)
            tables = found("koikoi.players.archive:load_tables")(rules)
            result = found("koikoi.players.ladder:duel")(rules, one, two, 20, seed=3, tables=tables, opening=0)
            return digest([result.points])

        yield f"duel of {title}", played


def main() -> int:
    """Print and save the digests, and compare them with another version's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="rows whose names have these words")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    before = json.loads(chosen.against.read_text()) if chosen.against else {}
    rows: dict[str, str] = {}
    for make in (trees, methods, hands, duels):
        for row, compute in make():
            if all(word in row for word in chosen.words):
                start = time.process_time()
                rows[row] = compute()
                same = "" if row not in before else "equal" if before[row] == rows[row] else "OTHER"
                print(f"{rows[row]:24} {time.process_time() - start:6.1f} s  {row}  {same}", flush=True)
    if chosen.out:
        chosen.out.write_text(json.dumps(rows, indent=1) + "\n")
    other = [row for row in rows if row in before and before[row] != rows[row]]
    print(f"{len(rows)} rows, {len(other)} other than before", *other, sep="\n  ")
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main())
