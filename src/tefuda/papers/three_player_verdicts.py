"""What we found about the claims of furui2011: from matches, and exactly from the tree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import permutations

import numpy as np

from tefuda.exploiting.virtual import Reading, VirtualExploiter
from tefuda.forms.compile import compile_game
from tefuda.forms.tree import Tree, states
from tefuda.games.catalogue import load_game
from tefuda.games.size import estimate_game
from tefuda.games.small.leduc import betting
from tefuda.judging.profile import Profile
from tefuda.judging.values import nash_conv, reach, values
from tefuda.papers.claims import OPINION, Claim, Verdict, unjudged, verdict
from tefuda.papers.three_players import most, seated
from tefuda.playing.agents import Sight
from tefuda.playing.deals import Dealing, Task
from tefuda.playing.match import Match
from tefuda.playing.table import play_seating

_HANDS, _FIRST = 300, 20  # hands watched, and how many count as the first ones


class _Watched(VirtualExploiter):
    """Writes down whom it aims at in each hand, by seat."""

    def see(self, sight: Sight) -> None:
        """See `agents.Agent`."""
        vars(self).setdefault("aims", []).append(self._target)
        super().see(sight)


def aims(tree: Tree, table: Profile, letters: str, reading: Reading) -> tuple[float, float]:
    """In which part of the hands after the first ones D was the target, and D's score less the third player's."""
    parts, gaps = [], []
    for number, order in enumerate(permutations(range(3))):
        player = _Watched("A", table, reading)
        agents = [player, *seated(tree, table, letters)[1:]]
        play_seating(Task(tree, agents, order, Dealing(_HANDS, seed=7), number))
        seats = [order.index(agent) for agent in range(3)]
        parts.append(np.mean([aim == seats[1] for aim in vars(player)["aims"][_FIRST:]]))
        gaps.append(player._likelihood.score(seats[2]))
    return float(np.mean(parts)), float(np.mean(gaps))


def folds(tree: Tree, table: Profile) -> tuple[float, float, float]:
    """Exactly, in CDE: how often D folds facing a raise, E's chips from hands nobody else stayed in, and in all."""
    state, seen = states(tree), np.zeros(3)
    total = np.zeros(2)
    rules, profiles = tree.rules._rules, [one.profile for one in seated(tree, table, "CDE")]
    left = np.array([len(betting(rules, state[end][2]).live) == 1 for end in tree.terminals.tolist()])
    for order in permutations(range(3)):
        everybody = table
        for seat, agent in enumerate(order):
            everybody = everybody.replace(seat, profiles[agent] or table)
        chance = reach(everybody).total
        d, e = order.index(1), order.index(2)
        for number in tree.infosets_of(d).tolist():
            if "f" in tree.labels(number):
                here = chance[tree.histories_of(number)].sum()
                total += here * np.array([everybody[number]["f"], 1.0])
        won = chance[tree.terminals] * tree.payoffs[:, e]
        seen += np.array([won[left].sum(), won.sum(), 0.0]) / 6
    return float(total[0] / total[1]), float(seen[0]), float(seen[1])


def three_signs() -> tuple[float, float]:
    """Rock, paper, scissors of three: the values of one who plays evenly beside rock and paper, and of paper."""
    tree = compile_game(load_game("rps", players=3))
    plays = (None, "rock", "paper")
    profile = Profile.from_function(
        tree, lambda player, key, actions: {one: float(one == plays[player]) if player else 1 / 3 for one in actions}
    )
    worth = values(profile)
    return float(worth[0]), float(worth[2])


def two_signs() -> float:
    """The largest value of even play in rock, paper, scissors of two, whatever the other does, or its loss."""
    tree = compile_game(load_game("rps"))
    even = Profile.uniform(tree)

    def against(sign: Hashable) -> float:
        always = Profile.from_function(tree, lambda player, key, actions: {sign: 1.0})
        return float(values(even.replace(1, always))[0])

    return max(abs(against(sign)) for sign in tree.labels(0))


def _low(found: Match, one: int, other: int | None = None) -> float:
    """The lower end of the 95 % interval of an agent's mean, or of its lead over another."""
    from scipy.stats import t

    units = found.units[:, one] - (found.units[:, other] if other is not None else 0.0)
    if found.exact is not None or len(units) < 2:
        return float(found.mean[one] - (found.mean[other] if other is not None else 0.0))
    half = t.ppf(0.975, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
    return float(units.mean() - half)


def _rows(found: Mapping[str, Match], letters: str, agent: int) -> str:
    return ", ".join(f"{name} {found[name].mean[agent]:+.2f}" for name in letters.split())


def matches_say(tree: Tree, table: Profile, found: Mapping[str, Match]) -> dict[str, Verdict]:
    """What follows from who won how much."""
    weak, a, b = "EFG", [found[f"AD{x}"] for x in "EFG"], [found[f"BD{x}"] for x in "EFG"]
    beside = {x: float(one.mean[1] - other.mean[1]) for x, one, other in zip(weak, a, b, strict=True)}
    ade, other = found["ADE"], found["ADE, other deals"]
    best, alone = most(tree, table, "BDE", ade.seatings), float(found["BDE"].mean[0])
    lead = float(ade.mean[0] - ade.mean[1])
    fixed = [found[name] for name in ("BDE", "BDF", "BDG", "CDE", "CDF", "CDG")]
    return {
        "c1": verdict(best > alone, f"beside D and E a best response wins {best:.2f}, the equilibrium {alone:.2f}",
                      "the best response wins more"),
        "c8": verdict(min(_low(one, 0, 2) for one in a) > 0,
                      ", ".join(f"{x} {one.mean[0] - one.mean[2]:+.2f}" for x, one in zip(weak, a, strict=True)),
                      "leads of A above 0, 95 % intervals"),
        "c9": verdict(abs(lead) <= 0.3, f"A - D = {lead:+.2f}", "at most .3 apart", "-0.02"),
        "c10": verdict(_low(ade, 0) > alone, f"{ade.mean[0]:+.2f} and {alone:+.2f}", "A's interval above B",
                       "+.91, +.73"),
        "c11": verdict(min(beside.values()) > 0, ", ".join(f"{x} {gap:+.2f}" for x, gap in beside.items()),
                       "above 0 for all three", "+.20, +.40, +.34"),
        "c12": verdict(all(found[f"CD{x}"].mean[0] < min(0.0, one.mean[0]) for x, one in zip(weak, a, strict=True)),
                       _rows(found, "CDE CDF CDG", 0), "below 0 and below A in all three"),
        "c13": verdict(all(one.mean[1] > 0 for one in fixed) and found["CDE"].mean[1] < found["CDE"].mean[2],
                       f"D at least {min(one.mean[1] for one in fixed):+.2f}; in CDE D {found['CDE'].mean[1]:+.2f}, "
                       f"E {found['CDE'].mean[2]:+.2f}", "D above 0 in all rows of B and C, below E in CDE"),
        "c17": verdict(_low(other, 0, 1) > 0, f"A {other.mean[0]:+.2f}, D {other.mean[1]:+.2f}", "A's lead above 0",
                       "+.957, +.903"),
        "c18": verdict(found["ADD"].mean[0] < 0 and float(found["ADD"].interval()[0, 1]) < 0,
                       f"beside two D A wins {found['ADD'].mean[0]:+.2f}", "below 0: better to play the equilibrium"),
        "c20": verdict(_low(ade, 0, 1) > 0, f"A - D = {lead:+.2f} in ADE", "above 0"),
        "c21": verdict(all(one.mean[1] > 0 for one in (*a, *fixed)) and all(one.mean[1] >= one.mean[0] for one in a),
                       f"D {_rows(found, 'ADE ADF ADG', 1)}; A {_rows(found, 'ADE ADF ADG', 0)}",
                       "D above 0 in all rows, and not below A, who does not regard it"),
    }  # fmt: skip


def verdicts(tree: Tree, table: Profile, found: Mapping[str, Match], reading: Reading) -> dict[str, Verdict]:
    """What we found about all claims."""
    watched = {x: aims(tree, table, f"AD{x}", reading) for x in "EFG"}
    scores = {x: score for x, (_, score) in watched.items()}
    won = {x: most(tree, table, f"BD{x}", found[f"BD{x}"].seatings) for x in "EFG"}
    even, paper = three_signs()
    fold, without, total = folds(tree, table)
    two, three, four = (estimate_game(load_game("leduc", players=n)).histories for n in (2, 3, 4))
    aimed = max(part for part, _ in watched.values())
    return matches_say(tree, table, found) | {
        "c2": verdict(abs(two_signs()) < 1e-12 and even < 0 < paper,
                      f"0 of two; of three, beside rock and paper {even:+.2f}, paper {paper:+.2f}",
                      "0 of two; of three below 0, paper above", "of three the third surely wins"),
        "c3": OPINION,
        "c4": verdict(nash_conv(table) < 0.01, f"NashConv {nash_conv(table):.2g} with three players",
                      "below .01, though nothing promises it"),
        "c5": unjudged("a remark on kinds of models"),
        "c6": verdict(sorted(scores, key=scores.__getitem__) == sorted(won, key=won.__getitem__),
                      ", ".join(f"{x}: score {scores[x]:.2f}, worth {won[x]:.2f}" for x in "EFG"), "the same order"),
        "c7": unjudged("a property of the model, taken over"),
        "c14": verdict(found["CDE"].mean[2] >= found["CDE"].mean[1],
                       f"in CDE D folds to {fold:.0%} of raises; E {found['CDE'].mean[2]:+.2f}, "
                       f"D {found['CDE'].mean[1]:+.2f}", "E wins at least as much in CDE"),
        "c15": verdict(without > 0.5 * total, f"{without:+.2f} of E's {total:+.2f} without showdown", "more than half"),
        "c16": verdict(aimed < 0.01, f"D is the target in {aimed:.2%} of the hands after the first {_FIRST}",
                       "less than 1 %"),
        "c19": OPINION,
        "c22": verdict(three > 10 * two and four > 10 * three, f"Leduc: {two:,.0f}, {three:,.0f}, {four:,.0f}",
                       "more than 10 times with each player"),
    }  # fmt: skip


def exploiter_claims(tree: Tree, table: Profile, found: Mapping[str, Match]) -> tuple[Claim, ...]:
    """Our own exploiter in A's place."""
    claims = []
    for name in ("IDE", "IDF", "IDG"):
        best = most(tree, table, name, found[name].seatings)
        share = float(found[name].mean[0]) / best
        what = f"our exploiter in {name}: share of the best response's {best:.3f}"
        claims.append(Claim(what, "-", f"{share:.3f}", "at least 0.9", share >= 0.9))
    low = float(found["IDD"].interval()[0, 0])
    ours = f"{round(found['IDD'].mean[0], 4) + 0.0:.4f}, at least {round(low, 4) + 0.0:.4f}"
    claims.append(Claim("our exploiter loses nothing beside two D", "-", ours, "lower end at least -.02", low >= -0.02))
    return tuple(claims)
