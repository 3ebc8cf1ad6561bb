"""What furui2011 printed, and its line-ups in 3-player Leduc hold'em.

A is the source's agent, B and D play an equilibrium, C and G uniformly, E always raises, F always calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tefuda.errors import check_choice
from tefuda.exploiting.adaptive import AdaptiveExploiter
from tefuda.exploiting.virtual import Reading, VirtualExploiter
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile, best_response
from tefuda.playing.agents import Agent, ProfileAgent
from tefuda.playing.stereotypes import always_call, always_raise
from tefuda.solvers.runs.methods import make_solver, solve
from tefuda.solvers.sampled.mccfr import CHANCE

#: Table 1, prisoners' dilemma: the penalties of A and B, by what A does, then by what B does.
PENALTIES = {"silent": ((1, 1), (4, 0)), "confesses": ((0, 4), (3, 3))}
#: Table 2: chips a hand of the three agents of each line-up.
PUBLISHED = {
    "ADE": (0.9071667, 0.9268167, -1.833983),
    "ADF": (0.0878, 1.10555, -1.19335),
    "ADG": (0.6865, 1.0448, -1.7313),
    "BDE": (0.7276667, 0.7272667, -1.4549333),
    "BDF": (0.7048833, 0.7054, -1.410283),
    "BDG": (0.7045167, 0.7045, -1.4090167),
    "CDE": (-1.8579167, 0.8419333, 1.0159833),
    "CDF": (-0.8307667, 1.4180833, -0.5873167),
    "CDG": (-0.9936333, 1.98845, -0.9948167),
}
#: Tables 3, 4 and 5 by seating, in the order of the seats: chips of A or C, D, E. Table 5 is table 3 with other deals.
BY_SEATING = {
    "ADE": {
        "ADE": (0.9996, 0.1908, -1.1904), "AED": (-0.0524, 1.7513, -1.6989), "DAE": (0.6113, 0.9138, -1.5251),
        "EAD": (1.1085, 0.9911, -2.0996), "DEA": (1.273, 0.8193, -2.0923), "EDA": (1.503, 0.8946, -2.3976),
    },
    "CDE": {
        "CDE": (-2.4576, 0.1572, 2.3004), "CED": (-2.4766, 1.0527, 1.4239), "DCE": (-2.2622, 0.5152, 1.747),
        "ECD": (-1.4875, 1.4954, -0.0079), "DEC": (-1.3157, 0.9108, 0.4049), "EDC": (-1.1479, 0.9203, 0.2276),
    },
    "ADE, other deals": {
        "ADE": (1.7904, -0.2341, -1.5563), "AED": (0.4115, 1.4262, -1.8377), "DAE": (0.4132, 1.4918, -1.905),
        "EAD": (0.8818, 0.7272, -1.609), "DEA": (1.0602, 1.3192, -2.3794), "EDA": (1.1865, 0.6871, -1.8736),
    },
}  # fmt: skip
_AS_READ = Reading()

#: How D's table is made: by discounted CFR, or by chance-sampled CFR of as many iterations as fit the source's figures.
EQUILIBRIA = ("dcfr", "chance")
SAMPLED = 2000


def equilibrium(tree: Tree, kind: str, *, iterations: int = 4000, seed: int = 1) -> Profile:
    """D's table."""
    check_choice("equilibrium", kind, EQUILIBRIA)
    if kind == "dcfr":
        return solve(tree, "dcfr", iterations=iterations).strategy
    solver = make_solver(tree, CHANCE, seed=seed)
    solver.advance(SAMPLED)
    return solver.average()


def seated(tree: Tree, table: Profile, letters: str, reading: Reading = _AS_READ) -> list[Agent]:
    """The agents of a line-up; I is our own exploiter."""
    made: dict[str, Callable[[], Agent]] = {
        "A": lambda: VirtualExploiter("A", table, reading),
        "B": lambda: ProfileAgent("B", table),
        "C": lambda: ProfileAgent("C", Profile.uniform(tree)),
        "D": lambda: ProfileAgent("D", table),
        "E": lambda: ProfileAgent("E", always_raise(tree)),
        "F": lambda: ProfileAgent("F", always_call(tree)),
        "G": lambda: ProfileAgent("G", Profile.uniform(tree)),
        "I": lambda: AdaptiveExploiter("I", table),
    }
    return [made[letter]() for letter in letters]


def most(tree: Tree, table: Profile, letters: str, seatings: Sequence[tuple[int, ...]]) -> float:
    """What an exact best response of the first agent to the two others is worth, the mean over seatings."""
    profiles, total = [agent.profile for agent in seated(tree, table, "B" + letters[1:])], 0.0
    for order in seatings:
        everybody = table
        for seat, agent in enumerate(order):
            everybody = everybody.replace(seat, profiles[agent] or table)
        total += best_response(everybody, order.index(0)).value
    return total / len(seatings)
