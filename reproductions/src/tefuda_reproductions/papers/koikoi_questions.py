"""Koi-Koi and the open questions of takizawa2020, sections 8, 10 and 11.

The questions: does online search fail if the deal is huge, does targeting help, does the sampling of deals matter, and
which family of methods plays best? The game has three sizes: mini8 (6 possible opponent hands at the first decision),
mini12 (20) and the whole game (10,518,300). Figures are points a round in duplicate deals against greedy play, ± one
standard error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import nash_conv
from tefuda.figure import Panel
from tefuda.forms.compile import compile_game
from tefuda.koikoi.game import KoiKoi
from tefuda.koikoi.players.ladder import DuelResult, PlayerConfiguration, duel, flat
from tefuda.koikoi.players.tables import TableTraining, learn_tables
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.simulator import RoundsSimulator
from tefuda.solvers.learned.self_play import NFSP, Exploration, Imitation, ValueNetwork
from tefuda.words import Notify
from tefuda_reproductions.claims import Claim, ClaimTable, PublishedTable
from tefuda_reproductions.claims import table as table_of
from tefuda_reproductions.koikoi.contest import Contestant, contest, network_contest
from tefuda_reproductions.koikoi.keys import PARTS, Keys
from tefuda_reproductions.koikoi.online import ComposedStrategy, OnlineResult, OnlineRounds, online_contest
from tefuda_reproductions.koikoi.sampler import KeyedRounds, RoundSampler, RoundSampling
from tefuda_reproductions.papers.sources import TAKIZAWA

GAMES: dict[str, Callable[[], KoiKoi]] = {"mini8": mini8, "mini12": mini12, "koikoi": koikoi}
GREEDY = Contestant("greedy")
SEARCHES = {
    "plain": OnlineRounds(delta=0.0),
    "aimed": OnlineRounds(),
    "aimed, follow match": OnlineRounds(unknown="match"),
}
WEIGHTS = (0.0, 0.1, 0.5, 0.9, 0.99, 1.0)
#: Keys of the abstraction, without small yaku: four times as small and no worse.
KEYS = Keys(tuple(part for part in PARTS if "small" not in part))
WALKS = RoundSampling(k=2, every=10_000)
#: Neural self-play: rewards of about one, a step of each network for 128 decisions.
NETWORKS = NFSP(
    "nfsp", exploration=Exploration(schedule="released"), scale=0.05, hidden=128,
    values=ValueNetwork(1e-3, optimiser="adam", updates=1, transitions=100_000),
    policy=Imitation(1e-3, optimiser="adam", updates=1, behaviour=500_000),
)  # fmt: skip
_SURE = 2.0  # standard errors


@dataclass(frozen=True)
class Settings:
    """Numbers of deals in the reduced games and the whole game, largest budget, and random seed."""

    deals: int
    whole: int
    budget: int
    seed: int

    @property
    def budgets(self) -> list[int]:
        """Budgets in iterations a decision: powers of ten below the largest budget, and the largest budget."""
        return [n for n in (10, 100, 1000, 10_000, 100_000) if n < self.budget] + [self.budget]

    @property
    def middle(self) -> int:
        """Middle budget."""
        return self.budgets[len(self.budgets) // 2]

    def play(self, name: str, search: OnlineRounds) -> OnlineResult:
        """Play a search against greedy play."""
        game = GAMES[name]()
        return online_contest(game, search, GREEDY, self.whole if name == "koikoi" else self.deals, seed=self.seed)


SearchResults = dict[tuple[str, ...], OnlineResult]


def play_searches(size: Settings, ways: Mapping[tuple[str, ...], OnlineRounds], notify: Notify) -> SearchResults:
    """Play each search; the first name of its key is the game."""
    found = {}
    for names, search in ways.items():
        notify(f"{', '.join(names)}: {search.iterations:,} iterations a decision")
        found[names] = size.play(names[0], search)
    return found


def searches_by_budget(size: Settings) -> dict[tuple[str, ...], OnlineRounds]:
    """Return the searches of all games, variants and budgets."""
    return {
        (name, way, f"{budget:,}"): replace(search, iterations=budget)
        for name in GAMES
        for way, search in SEARCHES.items()
        for budget in size.budgets
    }


def searches_by_weight(size: Settings) -> dict[tuple[str, ...], OnlineRounds]:
    """Return searches by the share of targeted episodes, at the whole match or at the deal alone (003-q7)."""
    return {
        (name, aim, f"{delta:g}"): OnlineRounds(size.middle, delta=delta, aim=aim, unknown="match")
        for name in GAMES
        for aim in ("match", "deal")
        for delta in WEIGHTS
    }


def searches_by_deals(size: Settings) -> dict[tuple[str, ...], OnlineRounds]:
    """Return searches that sample the opponent's hands, or enumerate them in turn."""
    return {
        (name, deals, f"{budget:,}"): OnlineRounds(budget, deals=deals, unknown="match")
        for name in GAMES
        for deals in ("sampled", "in turn")
        for budget in size.budgets
    }


def contests(
    name: str, title: str, heads: str | tuple[str, ...], found: Mapping[Any, Mapping[str, DuelResult]], form: str
) -> PublishedTable:
    """Return a table of points a round: players in rows, opponents or settings in columns."""
    columns = tuple(next(iter(found.values())))
    cells = [[row[column] for column in columns] for row in found.values()]
    return table_of(
        name, title, heads, found, columns, [[one.mean for one in row] for row in cells], form=form,
        error=[[one.error for one in row] for row in cells], error_is="one standard error",
    )  # fmt: skip


def table(name: str, title: str, heads: tuple[str, ...], found: SearchResults) -> PublishedTable:
    """Return a table of points a round: the last name of a key is the column, the others are the row."""
    rows: dict[tuple[str, ...], dict[str, DuelResult]] = {}
    for names, one in found.items():
        rows.setdefault(names[:-1], {})[names[-1]] = one.duel
    return contests(name, title, heads, rows, "+.3f")


def reach_table(found: SearchResults) -> PublishedTable:
    """Return the table of targeted episodes that arrive, known decisions, and time."""
    budget = list(found)[-1][-1]
    chosen = {names[:-1]: one for names, one in found.items() if names[-1] == budget}
    columns = ("targeted episodes that arrive", "opponent decisions in memory", "ms a round")
    numbers = [
        (one.reached_share if way != "plain" else None, one.known_share, 1e3 * one.seconds)
        for (_, way), one in chosen.items()
    ]
    title = f"Arrivals of a search, {budget} iterations a decision"
    return table_of("reach", title, ("game", "search"), chosen, columns, numbers, form=".3f")


def panel(title: str, across: str, found: SearchResults, game: str, scale: str = "log") -> Panel:
    """Draw a line for each search in a game."""
    lines: dict[str, list[tuple[float, float]]] = {}
    errors: dict[str, list[float]] = {}
    for (name, way, x), one in found.items():
        if name == game:
            lines.setdefault(way, []).append((float(x.replace(",", "")), one.duel.mean))
            errors.setdefault(way, []).append(one.duel.error)
    upwards, scales = "points a round against greedy", (scale, "linear")
    return Panel(f"{game}: {title}", across, lines, {"greedy": 0.0}, upwards, scales, errors)


def exactly(size: Settings, notify: Notify) -> tuple[PublishedTable, Panel]:
    """Evaluate a fresh search at every infoset of mini8 by best responses."""
    notify("mini8: a search at every infoset")
    tree, budgets = compile_game(mini8()), size.budgets[:2]
    uniform = nash_conv(Profile.uniform(tree))
    lines: dict[str, list[tuple[float, float]]] = {}
    for way, search in SEARCHES.items():
        for budget in budgets:
            strategy = ComposedStrategy(mini8(), replace(search, iterations=budget), size.seed)
            found = nash_conv(Profile.from_function(tree, strategy))
            lines.setdefault(way, []).append((float(budget), found))
    columns, numbers = [f"{budget:,}" for budget in budgets], [[y for _, y in line] for line in lines.values()]
    title = f"NashConv of a search at every infoset, points a round; uniform {uniform:.3f}"
    shown = table_of("mini8 exactly", title, "search", lines, columns, numbers, form=".3f")
    return shown, Panel("mini8: a search at every infoset", "iterations a decision", lines, {"uniform": uniform})


ContestFunction = Callable[[Contestant], DuelResult]
LadderResults = dict[str, dict[str, DuelResult]]


def networks(size: Settings, games: int, notify: Notify) -> tuple[str, ContestFunction, str]:
    """Train by neural self-play with compiled rounds; return a name, the player, and a note."""
    simulator = RoundsSimulator(koikoi())
    solver, begun = NETWORKS.solver(simulator, size.seed), time.process_time()
    while solver.iterations < games:
        notify(f"neural self-play: {solver.iterations:,} of {games:,} games")
        solver.advance(min(1000, games - solver.iterations))
    name, play = f"NFSP, {games:,} games", solver.average().function
    seconds = time.process_time() - begun
    note = (
        f"{name} of self-play over compiled rounds in {seconds:.0f} s of CPU time; its networks see "
        "where cards lie, not in which order they were played."
    )
    return name, lambda two: network_contest(simulator, play, two, size.deals, seed=size.seed), note


def ladder_players(size: Settings, walks: int, rounds: int, notify: Notify) -> dict[str, ContestFunction]:
    """Return players of different families, as functions of their opponent."""
    game = koikoi()
    rules = game.rules
    notify(f"MCCFR with abstraction: {walks:,} iterations")
    sampler = RoundSampler(KeyedRounds(game, KEYS), WALKS, seed=size.seed)
    sampler.advance(walks)
    notify(f"value tables: {rounds:,} rounds")
    worth = learn_tables(rules, TableTraining(rounds), seed=size.seed)
    simple = {"random": PlayerConfiguration("random"), "greedy": PlayerConfiguration("greedy"), "flat": flat(100)}

    def average(cut: float) -> ContestFunction:
        one = Contestant("average", cut=cut)
        return lambda two: contest(rules, one, two, many(two), seed=size.seed, samplers=(sampler, None))

    def many(two: Contestant) -> int:
        return size.deals if two.kind != "flat" else max(2, size.deals // 2)

    def by_ladder(one: PlayerConfiguration) -> ContestFunction:
        deals = size.deals if one.kind == "tables" else max(2, size.deals // 2)
        return lambda two: duel(rules, one, simple[two.kind], min(deals, many(two)), seed=size.seed, tables=worth)

    def online(two: Contestant) -> DuelResult:
        search = OnlineRounds(size.budget, unknown="match")
        return online_contest(game, search, two, size.whole, seed=size.seed).duel

    def by_contest(one: Contestant) -> ContestFunction:
        return lambda two: contest(rules, one, two, min(many(one), many(two)), seed=size.seed)

    return {
        "random": by_contest(Contestant("random")),
        f"OOS, {size.budget:,} iterations": online,
        "greedy": by_contest(GREEDY),
        "flat Monte Carlo, 100 worlds": by_contest(Contestant("flat")),
        "MCCFR with abstraction": average(0.0),
        "the same, commonest action": average(1.0),
        "tables of worth": by_ladder(PlayerConfiguration("tables")),
        "search by these tables, 100 worlds": by_ladder(PlayerConfiguration("search", 100, rollout="tables", depth=2)),
    }


def ladder(players: Mapping[str, ContestFunction], notify: Notify) -> tuple[PublishedTable, LadderResults]:
    """Play every family against the same three opponents."""
    found: LadderResults = {}
    columns = {"random": Contestant("random"), "greedy": GREEDY, "flat 100": Contestant("flat")}
    for name, rung in players.items():
        notify(f"ladder: {name}")
        found[name] = {column: rung(two) for column, two in columns.items()}
    title = "The whole game: points a round against three players, by family"
    return contests("ladder", title, "player", found, "+.2f"), found


def last(found: SearchResults, game: str, way: str) -> OnlineResult:
    """Return the result of a search in a game at the largest budget."""
    return [one for names, one in found.items() if names[:2] == (game, way)][-1]


def step(found: SearchResults, game: str) -> tuple[float, float]:
    """Return the gain of targeting over plain search at the largest budget, and its error."""
    plain, aimed = (last(found, game, way).duel for way in ("plain", "aimed"))
    return aimed.mean - plain.mean, (aimed.error**2 + plain.error**2) ** 0.5


def verdicts(
    found: SearchResults, rung: Mapping[str, Mapping[str, DuelResult]], size: Settings, walks: int
) -> tuple[Claim, ...]:
    """Return verdicts on the questions."""
    gains = {name: step(found, name) for name in GAMES}
    whole = last(found, "koikoi", "aimed")
    text = "; ".join(f"{name} {gain:+.2f} ± {error:.2f}" for name, (gain, error) in gains.items())
    clear = all(gains[name][0] > _SURE * gains[name][1] for name in ("mini8", "mini12"))
    lost = whole.duel.mean + _SURE * whole.duel.error < 0
    won = whole.duel.mean - _SURE * whole.duel.error > 0
    best = rung["the same, commonest action"]["greedy"]
    sure = abs(best.mean) > _SURE * best.error and walks >= 100_000
    return (
        Claim(
            "OOS works badly where the root's deal is huge (8, conjecture)", "-",
            f"aimed over plain search: {text}; whole game against greedy {whole.duel.mean:+.2f} ± "
            f"{whole.duel.error:.2f}, {whole.reached_share:.0%} of aimed episodes arrive",
            "helps in both reduced games, loses to greedy play in the whole one, "
            f"{size.budget:,} iterations a decision",
            True if clear and lost else False if won else None, "003-q6",
        ),
        Claim("which distribution of the deal targets the current infoset well (10.1, future work)", "-",
              "see the table of weights", "a question", None, "003-q7"),
        Claim(
            "abstraction by hand is too hard for Koi-Koi's yaku (10.2)", "-",
            f"{best.mean:+.2f} ± {best.error:.2f} a round against greedy play after {walks:,} iterations",
            "it loses to greedy play; evaluated from 100,000 iterations",
            bool(best.mean < 0) if sure else None, "003-q8",
        ),
    )  # fmt: skip


NOTES = (
    "Plain search starts at the deal without a target. Aimed: nine tenths of the episodes get a deal that is "
    "consistent with the match, and follow the match. As published, an episode continues at random from the first "
    "new infoset. In the whole game nearly every infoset of the opponent is new, so targeted episodes do not arrive; "
    "with 'follow match' they follow the match, which the weights allow.",
    "Aimed at the deal alone: own hand and field as in the match, actions as sampled, weighted by f / sigma' (003-q7).",
    "All searches have equal iterations, which makes the figures reproducible; a table lists milliseconds a round.",
)


def run(
    notify: Notify, deals: int, whole: int, budget: int, walks: int, rounds: int, games: int, seed: int
) -> ClaimTable:
    """Run all contests."""
    size = Settings(deals, whole, budget, seed)
    sizes, weights, dealt = (
        play_searches(size, ways(size), notify) for ways in (searches_by_budget, searches_by_weight, searches_by_deals)
    )
    shown, exact = exactly(size, notify)
    players = ladder_players(size, walks, rounds, notify)
    notes: tuple[str, ...] = NOTES
    if games:
        name, players[name], note = networks(size, games, notify)
        notes = (*NOTES, note)
    rows, found = ladder(players, notify)
    weighted = f"The same, by the share of targeted episodes; {size.middle:,} iterations"
    tables = (
        table("sizes", "Points a round against greedy play, by iterations a decision", ("game", "search"), sizes),
        reach_table(sizes),
        table("weights", weighted, ("game", "aimed at"), weights),
        table("deals", "The same, by sampling of the opponent's hands: random or in turn", ("game", "deals"), dealt),
        shown,
        rows,
    )
    panels = (
        *(panel("aimed and plain search", "iterations a decision", sizes, game) for game in GAMES),
        *(panel("what is aimed", "part of the episodes that is aimed", weights, game, "linear") for game in GAMES),
        *(panel("deals", "iterations a decision", dealt, game) for game in GAMES),
        exact,
    )
    claims = verdicts(sizes, found, size, walks)
    return ClaimTable("Koi-Koi: the open questions (sections 8, 10, 11)", claims, notes, panels, tables, TAKIZAWA)
