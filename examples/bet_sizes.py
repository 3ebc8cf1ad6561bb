"""A betting abstraction with fewer bet sizes, and two ways to translate the other sizes.

Each player has one of nine cards. The first may check or bet a fraction of the pot; the second then calls or folds.
The game is solved with three of seven sizes, and played with all of them.
"""

import tefuda as td

SIZES = {"a": 0.25, "b": 0.5, "c": 0.75, "d": 1.0, "e": 1.5, "f": 2.0, "g": 4.0}
SOLVED = "bdg"
CARDS = range(1, 10)


class OneBet:
    """A game with a pot of 2 and a card each. A view is the own card and the bet, such as ``"7|b"``."""

    name, players = "one bet", 2

    def root(self):
        return ()

    def player(self, state):
        if not state:
            return td.CHANCE
        return td.TERMINAL if len(state) == 3 or state[1:] == ("check",) else len(state) - 1

    def actions(self, state):
        return ("check", *SIZES) if len(state) == 1 else ("fold", "call")

    def chances(self, state):
        deals = [(one, two) for one in CARDS for two in CARDS if one != two]
        return [(deal, 1 / len(deals)) for deal in deals]

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        (one, two), *done = state
        stake = 1 + 2 * SIZES[done[0]] if done[-1] == "call" else 1
        won = 1 if done[-1] == "fold" or one > two else -1
        return (won * stake, -won * stake)

    def view(self, state, player):
        return f"{state[0][player]}|{''.join(state[1:2])}"


def fewer_sizes(view, player, actions):
    """Return a name for each action; None omits it."""
    return [None if action in SIZES and action not in SOLVED else action for action in actions]


def translation(mapping):
    """Return a function that maps views with other sizes to views of the abstraction."""

    def translate(view, player):
        card, _, bet = view.partition("|")
        if bet not in SIZES:
            return view
        histories = td.games.translate_history([bet], lambda past: SOLVED, SIZES.get, mapping)
        return {f"{card}|{label}": chance for (label,), chance in histories.items()}

    return translate


tree = td.compile_game(OneBet())
for mapping in ("nearest", "pseudo-harmonic"):
    small = td.abstract(OneBet(), actions=fewer_sizes, translate=translation(mapping))
    solution = td.solve(small, "lp")
    lifted = td.Profile.from_function(tree, small.lift(solution.strategy.strategy))
    print(f"{mapping:16} NashConv {td.nash_conv(lifted):.3f} in the real game")
