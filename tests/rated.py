"""Figures of ratings and rankings that other programs computed, or papers printed."""

import numpy as np

#: Rock twice, paper, scissors: payoffs, and certain wins with draws.
ROCK_TWICE = np.array([[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]], dtype=float)
WINS = (ROCK_TWICE + 1) / 2 - np.eye(4) / 2
#: Alpha-rank with 50 individuals: payoffs, and shares by alpha, computed by two programs.
THREE = np.array([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]])
SHARES = {
    0.1: (0.21295553, 0.67714717, 0.1098973),
    1: (0.19163945, 0.66826088, 0.14009967),
    10: (0.31681465, 0.36638509, 0.31680026),
}
#: Commitments of Han et al. 2013, and their shares with alpha .1, 20 individuals and mixed comparisons.
HAN = np.array([[0.875, 0.75, 0, 2.75, 0.75], [1, 1, -1, -1, -1], [0, 2, 0, 0, 0], [-2, 2, 0, 0, 0], [1, 2, 0, 0, 0]])
HAN_SHARES = (0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039)
#: Of two equal strategies and a better one.
TRANSITIVE = np.array([[0, 0, -1], [0, 0, -1], [1, 1, 0]], dtype=float)
#: Payoffs of both players in battle of the sexes.
SEXES = np.array([[[3, 0], [0, 2]], [[2, 0], [0, 3]]], dtype=float)
