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
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.buckets.local import local_response_to
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.buckets.solver import BucketMethod, in_buckets
from tefuda.holdem.hands.agents import CallingAgent
from tefuda.holdem.hands.whole import Holdem
from tefuda.playing.agents import Agent, PolicyAgent, RandomAgent
from tefuda.playing.match import duplicate_match
from tefuda.solvers.learned.self_play import NFSP, Exploration, Imitation, ValueNetwork
from tefuda.solvers.runs.evaluators import NoEvaluation
from tefuda.solvers.runs.saved import load_solver
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, points, table, unevaluated, verdict
from tefuda_reproductions.experiment import saved_run
from tefuda_reproductions.limit.networks import HandInputs, hand_probabilities
from tefuda_reproductions.limit.strength import BUCKETS as STRENGTHS
from tefuda_reproductions.limit.strength import StrengthSimulator
from tefuda_reproductions.papers.sources import KAWAMURA

#: The source's D: constant exploration of 0.1, left out of the imitated data. For 256 decisions the values take a step
#: on 128 rows and the policy two: hold'em needs larger networks than Leduc, and a step of 256 units is expensive.
#: Without the weighting, after half a million games, a fit to the newest quarter of the reservoir wins 61 +- 15 more
#: than the average, and a fit to all of it 3 +- 10.
METHOD = NFSP(
    "nfsp", exploration=Exploration(0.1, "constant", keep_exploration=False), scale=0.03, hidden=256, tables=256,
    values=ValueNetwork(1e-3, 30_000.0, "adam", 1, transitions=400_000),
    policy=Imitation(1e-3, 100_000.0, "adam", 2, behaviour=100_000, weighting=3.0),
)  # fmt: skip
BUCKETS = Buckets((169, 20, 20, 20))
ENOUGH = 10_000_000  # games, as many as the source gives Leduc
COMPARABLE = 100  # largest loss to the sampled strategy that counts as comparable, thousandths of a big blind a hand
SAMPLED, RESPONSE = "the sampled strategy", "a local best response"
_EVERY = 300.0  # seconds between checkpoints, which hold up to half a gigabyte of memories
_SEED = 1  # of cards and luck of matches


class Networks(NamedTuple):
    """Networks after a run of self-play.

    Attributes:
        average: play of the policy networks.
        greedy: greedy play of the value networks.
        further: inputs of hands after those of `HandsSimulator`; None if there are none.
        games: number of games.
    """

    average: Any
    greedy: Any
    further: HandInputs | None
    games: int


class Winnings(NamedTuple):
    """NFSP's winnings and the half-width of their interval, in thousandths of a big blind a hand."""

    mean: float
    half: float


def train_networks(game: Holdem, games: int, seed: int, folder: Path, notify: Notify = lambda text: None) -> Networks:
    """Return networks after at least a number of games; a run in the folder is resumed."""
    form = StrengthSimulator(game, notify=notify)
    found = saved_run(folder, form, METHOD, games, seed, evaluator=NoEvaluation(), checkpoint_seconds=_EVERY)
    solver: Any = load_solver(found)
    return Networks(solver.average(), solver.current(), form.of_hands, solver.iterations)


def sample_strategy(
    game: Holdem, buckets: Buckets, walks: int, seed: int, folder: Path, notify: Notify,
    method: BucketMethod = BucketMethod(),  # noqa: B008 (frozen)
) -> BucketPolicy:  # fmt: skip
    """Return a strategy from at least a number of iterations; a run in the folder is resumed."""
    found = saved_run(folder, in_buckets(game, buckets, notify=notify), method, walks, seed, evaluator=NoEvaluation())
    assert isinstance(found.strategy, BucketPolicy)
    return found.strategy


def play_matches(
    game: Holdem, networks: Networks, table: BucketPolicy, deals: int, hands: int, notify: Notify
) -> dict[str, Winnings]:
    """Return the winnings of the networks' averages by opponent; the last is a local best response."""
    average = PolicyAgent("nfsp", networks.average)
    others: Mapping[str, Agent] = {
        "a random player": RandomAgent(),
        "one who always calls": CallingAgent(),
        SAMPLED: PolicyAgent("sampled", table),
    }
    found = dict[str, Winnings]()
    for name, other in others.items():
        notify(f"against {name}: {deals:,} deals")
        found[name] = match_winnings(game, average, other, deals)
    notify(f"against {RESPONSE}: {hands:,} hands")
    graph = betting_graph(game.rules)
    probabilities = hand_probabilities(networks.average, game, graph, networks.further)
    value, half = local_response_to(probabilities, graph, table.game, hands, _SEED).milliblinds
    return found | {RESPONSE: Winnings(-value, half)}


def match_winnings(game: Holdem, agent: Agent, other: Agent, deals: int) -> Winnings:
    """Return the winnings of an agent in a duplicate match."""
    match = duplicate_match(game, [agent, other], deals=deals, seed=_SEED)
    (low, high), unit = match.interval()[0], 1000 / max(game.rules.blinds)
    return Winnings(unit * float(match.mean[0]), unit * float(high - low) / 2)


def verdicts(found: Mapping[str, Winnings], games: int) -> dict[str, Claim]:
    """Return the verdict on claim 3; it is evaluated from as many games as the source plays on Leduc."""
    one = found[SAMPLED]
    ours = f"{one.mean:+.0f} ± {one.half:.0f} thousandths of a big blind a hand against {SAMPLED}"
    if games < ENOUGH:
        return {"c3": unevaluated(f"evaluated after {ENOUGH:,} games; these are {games:,}", ours)}
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
    notify(f"greedy play against {SAMPLED}: {deals:,} deals")
    greedy = match_winnings(game, PolicyAgent("greedy", networks.greedy), PolicyAgent("sampled", policy), deals)
    title = f"NFSP at heads-up limit hold'em after {done:,} games"
    panel = points(title, "thousandths of a big blind a hand", {"NFSP": list(found.values())}, found)
    shown = table(
        "matches", "Winnings of NFSP, thousandths of a big blind a hand", "against", found, ("NFSP",),
        [[one.mean] for one in found.values()], error=[[one.half] for one in found.values()], form="+.0f",
        error_is="half of the 95 % interval",
    )  # fmt: skip
    notes = (
        f"Networks of {METHOD.hidden} units, no abstraction: all cards are inputs, and so are class, one of "
        f"{STRENGTHS} buckets of strength on each later street, and matches with the board; {done:,} games, where the "
        f"source gives Leduc {ENOUGH:,}.",
        f"Exploration as in the source's D. For {METHOD.tables} decisions the values take {METHOD.network.updates} "
        f"step on {METHOD.network.batch} rows and the policy {METHOD.policy.updates}; the source's for Leduc take two "
        "for 128.",
        f"The reservoir weights the i-th best response with i^{METHOD.policy.weighting:g}. Greedy play of the values: "
        f"{greedy.mean:+.0f} ± {greedy.half:.0f} against {SAMPLED}.",
        f"The sampled strategy: external sampling with {BUCKETS.counts} buckets; a local best response wins a lower "
        f"bound of a best response.",
        "The source prints no figure of hold'em.",
    )
    return ClaimTable(title, KAWAMURA.evaluated(verdicts(found, done)), notes, (panel,), (shown,), KAWAMURA)
