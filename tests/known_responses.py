"""Quantal response equilibria with known figures."""

import numpy as np

import tefuda as td

#: Kuhn poker by form and rationality: value to player 0, NashConv, and probabilities of player 0 betting J, Q, K and of
#: player 1 calling with Q. Two programs that share no code computed them, with residuals below 6e-14.
KUHN = {
    ("agent", 1): (-0.033624847162, 0.3396086923, 0.4219364914, 0.4788379345, 0.5282469376, 0.6848673999),
    ("agent", 5): (-0.046036554972, 0.0871473964, 0.1922143025, 0.2435217107, 0.5604430473, 0.5268785048),
    ("agent", 20): (-0.056969023069, 0.0144020758, 0.1951368501, 0.0343690137, 0.6048972934, 0.3805657059),
    ("agent", 100): (-0.055546377817, 0.0024802508, 0.2000378696, 0.0000000585, 0.6053635841, 0.3425737180),
    ("reduced", 1): (0.034929916013, 0.7301956037, 0.3762207523, 0.3786245704, 0.3837632990, 0.5309976524),
    ("reduced", 5): (0.013461375066, 0.3184506079, 0.3380626066, 0.3783683688, 0.4829687136, 0.6088980519),
    ("reduced", 20): (-0.028715083346, 0.0924545637, 0.1868016237, 0.1723976961, 0.5553439271, 0.5042173533),
    ("reduced", 100): (-0.055369753762, 0.0097629979, 0.1886978639, 0.0019876634, 0.5999457719, 0.3625755246),
}
NAMES = ("value to player 0", "NashConv", "0 bets J", "0 bets Q", "0 bets K", "1 calls with Q")
DIGITS = (12, 10, 10, 10, 10, 10)
#: Agent form at rationality 2,000: value to player 0, and probabilities of player 0 betting J, Q and K.
KUHN_2000 = (-0.055555531715, 0.20164975, 0.0, 0.60522805)
#: Iterations of mirror descent on Kuhn poker at rationality 5 until no probability moves by 1e-13, by form and step.
ITERATIONS = {("reduced", 0.5): 289, ("reduced", 0.05): 2447, ("agent", 0.5): 479, ("agent", 0.1): 1439}
#: Reduced form with a uniform magnet, rationality 5: value to player 0, and probability of player 0 betting J.
UNIFORM = (-0.012695646339, 0.448448986674)

#: Three players, 2 actions each; the only equilibrium is irrational (Nau, Gomez Canovas, Hansen 2004, section 4).
NAU = [
    [[(3, 0, 2), (1, 0, 0)], [(0, 2, 0), (0, 1, 0)]],
    [[(0, 1, 0), (0, 3, 0)], [(1, 0, 0), (2, 0, 3)]],
]
#: Its values, and the probabilities of each player's first action, as limits of Gambit's path.
NAU_LIMIT = ((0.8433282, 0.8538136, 0.5942208), (0.6192323, 0.4798042, 0.3788254))
#: Both players choose between the same two actions; the path of both equilibria crosses that of random play at 2.
MEETING = [[(1, 1), (0, 0)], [(0, 0), (1, 1)]]
#: Two players, 3 actions each; the path turns back and forth. Another program solved the equations of these points.
FOLDING = [[(9, 7), (8, 3), (4, 1)], [(9, 2), (3, 2), (7, 5)], [(2, 5), (9, 1), (1, 6)]]
FOLDS = (1.1152986513685, 0.9189930535701)
#: Myerson 1991, figure 4.2, as the limit of Gambit's path: values, and the probability of A1.
FIGURE_LIMIT = (2.5, 2.25, 0.25)
_INFOSETS = (("0: J|", "b"), ("0: Q|", "b"), ("0: K|", "b"), ("1: Q|b", "b"))


def figures(profile: td.Profile) -> tuple[float, ...]:
    """Return the figures of `KUHN` of a profile."""
    return (
        float(td.values(profile)[0]),
        td.nash_conv(profile),
        *(profile[infoset][action] for infoset, action in _INFOSETS),
    )


def converged(method: td.Method, least: float = 1e-13, most: int = 5000) -> int:
    """Return the iterations of a method on Kuhn poker until no probability moves by `least`."""
    solver = td.make_solver(td.compile_game(td.load_game("kuhn")), method)
    before = solver.current().probabilities
    for number in range(1, most):
        solver.advance(1)
        after = solver.current().probabilities
        if np.abs(after - before).max() < least:
            return number
        before = after
    return most


def simulated(profile: td.Profile, games: int, rng: np.random.Generator) -> np.ndarray:
    """Return the counts `[R]` of actions in simulated games."""
    tree, counts = profile.tree, np.zeros(profile.tree.rows)
    visits = np.zeros(len(tree.player), dtype=np.int64)
    visits[0] = games
    for node in np.flatnonzero(tree.child_count).tolist():
        children = slice(tree.first_child[node], tree.first_child[node] + tree.child_count[node])
        decided = tree.infoset[node] >= 0
        rows = tree.rows_of(int(tree.infoset[node])) if decided else slice(0)
        drawn = rng.multinomial(visits[node], profile.probabilities[rows] if decided else tree.chance[children])
        counts[rows] += drawn if decided else 0
        visits[children] = drawn
    return counts


def coverage(path: td.solvers.QuantalPath, rationality: float, sets: int, games: int) -> int:
    """Return the number of simulated sets of games whose interval has the true rationality."""
    rng, profile = np.random.default_rng(46), path.at(rationality)
    fits = [td.solvers.fit_rationality(path, simulated(profile, games, rng)) for _ in range(sets)]
    return sum(fit.low <= rationality <= fit.high for fit in fits)
