"""Neural self-play (NFSP) at heads-up limit hold'em: the expectation of kawamura2018.

Networks learn with compiled hands. Their opponents are a random player, a player who always calls, a strategy from
sampling with twenty buckets a street, and a local best response. Figures are thousandths of a big blind a hand with
95 % intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.games.catalogue import load_game
from tefuda.holdem.hands.agents import CallingAgent
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.limit.buckets import Buckets
from tefuda.holdem.limit.graph import betting_graph
from tefuda.holdem.limit.local import local_response_to
from tefuda.holdem.limit.sampler import LimitPolicy
from tefuda.holdem.limit.solver import BucketMethod, in_buckets
from tefuda.playing.agents import Agent, PolicyAgent, RandomAgent
from tefuda.playing.match import duplicate_match
from tefuda.solvers.learned.observed import ObservedNfspSolver
from tefuda.solvers.learned.self_play import NFSP, Exploration, Imitation, ValueNetwork
from tefuda.solvers.runs.evaluators import NoEvaluation
from tefuda.solvers.runs.saved import load_solver
from tefuda.words import Notify
from tefuda_reproductions.claims import ClaimTable, PublishedTable, Verdict, points, table, verdict
from tefuda_reproductions.experiment import saved_run
from tefuda_reproductions.limit.networks import HandInputs, hand_probabilities
from tefuda_reproductions.limit.strength import BUCKETS as STRENGTHS
from tefuda_reproductions.limit.strength import StrengthSimulator
from tefuda_reproductions.papers.sources import KAWAMURA

#: The source's D: constant exploration of 0.1, left out of the imitated data. For 256 decisions the values take a step
#: on 128 rows and the policy two: hold'em needs larger networks than Leduc, and a step of 256 units is expensive.
METHOD = NFSP(
    "nfsp", exploration=Exploration(0.1, "constant", keep_exploration=False), scale=0.03, hidden=256, tables=256,
    values=ValueNetwork(1e-3, 30_000.0, "adam", 1, transitions=400_000),
    policy=Imitation(1e-3, 100_000.0, "adam", 2, behaviour=100_000, weighting=3.0),
)  # fmt: skip
#: Steps after the run: large minibatches and a rate that falls to a twentieth in three passes over half a million rows.
LAST_FIT = Imitation(1e-3, 100.0, "adam", 1, batch=1024)
PASSES, FITTED = 3, "the average"
BUCKETS = Buckets((169, 20, 20, 20))
ENOUGH = 10_000_000  # games, as many as the source gives Leduc
COMPARABLE = 100  # largest loss to the sampled strategy that counts as comparable, thousandths of a big blind a hand
SAMPLED, RESPONSE = "the sampled strategy", "a local best response"
_EVERY = 900.0  # seconds between checkpoints, which hold up to three gigabytes of memories
_SEED = 1  # of cards and luck of matches


class Networks(NamedTuple):
    """Networks after a run of self-play.

    Attributes:
        plays: policies by name.
        further: inputs of hands after those of `HandsSimulator`.
        games: number of games.
    """

    plays: Mapping[str, Any]
    further: HandInputs | None
    games: int


class Winnings(NamedTuple):
    """NFSP's winnings and the half-width of their interval, in thousandths of a big blind a hand."""

    mean: float
    half: float


def train_networks(game: Holdem, games: int, seed: int, folder: Path, notify: Notify = lambda text: None) -> Networks:
    """Return networks after at least a number of games, with a last fit; a run in the folder is resumed."""
    form = StrengthSimulator(game, notify=notify)
    solver = load_solver(
        saved_run(folder, form, METHOD, games, seed, evaluator=NoEvaluation(), checkpoint_seconds=_EVERY)
    )
    assert isinstance(solver, ObservedNfspSolver)
    notify(f"a last fit, {PASSES} passes over the reservoir")
    plays = {FITTED: solver.refitted(LAST_FIT, PASSES), "the average before it": solver.average(),
             "greedy play of the values": solver.current()}  # fmt: skip
    return Networks(plays, form.of_hands, solver.iterations)


def sample_strategy(
    game: Holdem, buckets: Buckets, walks: int, seed: int, folder: Path, notify: Notify,
    method: BucketMethod = BucketMethod(),  # noqa: B008 (frozen)
) -> LimitPolicy:  # fmt: skip
    """Return a strategy from at least a number of iterations; a run in the folder is resumed."""
    found = saved_run(folder, in_buckets(game, buckets, notify=notify), method, walks, seed, evaluator=NoEvaluation())
    assert isinstance(found.strategy, LimitPolicy)
    return found.strategy


def play_matches(
    game: Holdem, networks: Networks, table: LimitPolicy, deals: int, hands: int, notify: Notify
) -> dict[str, Winnings]:
    """Return the winnings of the networks' averages by opponent; the last is a local best response."""
    policy, sampled = networks.plays[FITTED], PolicyAgent("sampled", table)
    others: Mapping[str, Agent] = {
        "a random player": RandomAgent(), "one who always calls": CallingAgent(), SAMPLED: sampled,
    }  # fmt: skip
    found = {name: _match(game, policy, other, name, deals, notify) for name, other in others.items()}
    notify(f"against {RESPONSE}: {hands:,} hands")
    graph = betting_graph(game.rules)
    probabilities = hand_probabilities(policy, game, graph, networks.further)
    value, half = local_response_to(probabilities, graph, table.game, hands, _SEED).milliblinds
    return found | {RESPONSE: Winnings(-value, half)}


def compare_plays(
    game: Holdem, networks: Networks, table: LimitPolicy, deals: int, notify: Notify
) -> dict[str, Winnings]:
    """Return the winnings from the sampled strategy of all plays of the networks but the fitted one."""
    plays = {name: policy for name, policy in networks.plays.items() if name != FITTED}
    sampled = PolicyAgent("sampled", table)
    return {name: _match(game, policy, sampled, SAMPLED, deals, notify, name) for name, policy in plays.items()}


def _match(
    game: Holdem, policy: Any, other: Agent, name: str, deals: int, notify: Notify, own: str = "NFSP"
) -> Winnings:
    notify(f"{own} against {name}: {deals:,} deals")
    match = duplicate_match(game, [PolicyAgent("nfsp", policy), other], deals=deals, seed=_SEED)
    (low, high), unit = match.interval()[0], 1000 / _big(game)
    return Winnings(unit * float(match.mean[0]), unit * float(high - low) / 2)


def _big(game: Holdem) -> int:
    return max(game.rules.blinds)


def verdicts(found: Mapping[str, Winnings], games: int) -> dict[str, Verdict]:
    """Return the verdict on claim 3; it is evaluated from as many games as the source plays on Leduc."""
    one = found[SAMPLED]
    ours = f"{one.mean:+.0f} ± {one.half:.0f} thousandths of a big blind a hand against {SAMPLED}"
    if games < ENOUGH:
        return {"c3": Verdict(None, ours, f"evaluated after {ENOUGH:,} games; these are {games:,}")}
    return {"c3": verdict(one.mean - one.half >= -COMPARABLE, ours, f"loses surely no more than {COMPARABLE}")}


def run(notify: Notify, games: int, deals: int, hands: int, walks: int, seed: int, folder: str) -> ClaimTable:
    """Train the networks and play the matches; runs in `folder` are resumed."""
    game, place = load_game("holdem", limit=True), Path(folder)
    assert isinstance(game, Holdem)
    notify(f"NFSP: to {games:,} games")
    networks = train_networks(game, games, seed, place / f"nfsp-{seed}", notify)
    notify(f"sampling: {walks:,} iterations")
    policy = sample_strategy(game, BUCKETS, walks, seed, place / f"sampled-{seed}-{walks}", notify)
    found, done = play_matches(game, networks, policy, deals, hands, notify), networks.games
    plays = {FITTED: found[SAMPLED]} | compare_plays(game, networks, policy, deals, notify)
    title = f"NFSP at heads-up limit hold'em after {done:,} games"
    panel = points(title, "thousandths of a big blind a hand", {"NFSP": list(found.values())}, found)
    tables = (
        _winnings("matches", "Winnings of NFSP, thousandths of a big blind a hand", "against", found),
        _winnings("plays", f"Winnings of the same networks against {SAMPLED}", "play", plays),
    )
    notes = (
        f"Networks of {METHOD.hidden} units, no abstraction: all cards are inputs, and so are class, one of "
        f"{STRENGTHS} buckets of strength on each later street, and matches with the board; {done:,} games, where the "
        f"source gives Leduc {ENOUGH:,}.",
        f"Exploration as in the source's D. For {METHOD.tables} decisions the values take {METHOD.network.updates} "
        f"step on {METHOD.network.batch} rows and the policy {METHOD.policy.updates}; the source's for Leduc take two "
        "for 128.",
        f"The last fit draws each of the last {METHOD.policy.behaviour:,} imitated actions {PASSES} times.",
        f"The sampled strategy: external sampling with {BUCKETS.counts} buckets; a local best response wins a lower "
        f"bound of a best response.",
        "The source prints no figure of hold'em.",
    )
    return ClaimTable(title, KAWAMURA.evaluated(verdicts(found, done)), notes, (panel,), tables, KAWAMURA)


def _winnings(name: str, title: str, by: str, found: Mapping[str, Winnings]) -> PublishedTable:
    """Return a table of winnings."""
    return table(
        name, title, by, found, ("NFSP",), [[one.mean] for one in found.values()],
        error=[[one.half] for one in found.values()], form="+.0f", error_is="half of the 95 % interval",
    )  # fmt: skip
