"""Compile the dearest kernels once, so that the processes of the tests load them from the cache.

There are two processes, for two cores. Kernels that call the same inner functions stand in the same part, because a
process compiles an inner function once.
"""

import gc
import subprocess
import sys
import warnings

import tefuda as td


def games() -> None:
    """Compile methods on trees, hold'em, and networks that learn Koi-Koi."""
    from tefuda_reproductions.koikoi.contest import Contestant
    from tefuda_reproductions.papers.koikoi_questions import Settings, networks

    td.prepare(("evaluating", "trees", "sampling", "learning", "holdem"))
    networks(Settings(2, 2, 2, 1), 60, str)[1](Contestant("greedy"))


def koikoi_players() -> None:
    """Compile the players of Koi-Koi: each combination is compiled by itself."""
    from tefuda.koikoi.players.advice import Adviser
    from tefuda.koikoi.players.ladder import PlayerConfiguration, duel, flat
    from tefuda.koikoi.players.league import learn_response
    from tefuda.koikoi.players.tables import TableTraining, count_outcomes, learn_tables
    from tefuda.koikoi.players.training import NetworkLearner, NetworkTraining
    from tefuda.koikoi.reduced import koikoi
    from tefuda_reproductions.koikoi.contest import Contestant, contest
    from tefuda_reproductions.koikoi.online import OnlineRounds, online_contest

    game = koikoi()
    rules, greedy = game.rules, PlayerConfiguration("greedy")
    tables = learn_tables(rules, TableTraining(10))
    count_outcomes(rules, tables, 10)
    search = PlayerConfiguration("search", 1)
    for player in (
        greedy,
        PlayerConfiguration("tables"),
        flat(1),
        search,
        PlayerConfiguration("clairvoyant"),
        PlayerConfiguration("network"),
    ):
        duel(rules, player, greedy, 2, tables=tables)
    learn_response(rules, greedy, tables, 10)
    td.prepare(["koikoi"])
    for player in (PlayerConfiguration("search", hands=1), PlayerConfiguration("search", allocation="tree")):
        Adviser(game, player, tables).prepare()
    NetworkLearner(rules, NetworkTraining(4, 8, 2), 1).advance()
    other = Contestant("greedy")
    contest(rules, other, other, 2)
    online_contest(game, OnlineRounds(1), other, 2)


PARTS = {"games": games, "koikoi": koikoi_players}


def main() -> int:
    """Run all parts side by side; return 1 if any of them failed."""
    command = (sys.executable, "-m", "tests.prepare")
    started = [subprocess.Popen([*command, name]) for name in PARTS]
    return max(part.wait() != 0 for part in started)


if __name__ == "__main__":
    warnings.simplefilter("error")
    gc.set_threshold(100_000, 50, 50)  # as in conftest.py
    sys.exit(PARTS[sys.argv[1]]() if len(sys.argv) > 1 else main())
