"""Compile the kernels once before tests start in several processes, so that these load them from numba's cache."""

import contextlib
import warnings

import tefuda as tf
from tefuda.holdem.equity import equity
from tefuda.holdem.solving import solve_spot
from tefuda.holdem.spot import make_spot


def main() -> None:
    for name, parameters in (("kuhn", {}), ("kuhn", {"players": 3})):
        tree = tf.compile_game(tf.load_game(name, **parameters))
        for method in (method for method in tf.METHODS.values() if not method.extra):
            with contextlib.suppress(tf.InputError):  # a method for two players
                tf.solve(tree, method, iterations=2)
        profile = tf.Profile.uniform(tree)
        tf.best_response(profile, 0)
        tf.AverageRegret(tree).add(profile)
        tf.reach(profile)
        tf.history_values(profile)
    solve_spot(make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a"), iterations=1)
    equity("AsKs", "QhQd", "2c3c4c")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
