"""An own game with three cards: player 0 folds, stays or doubles, player 1 folds or calls.

tefuda inspect examples/high_card.py:HighCard --check
tefuda solve examples/high_card.py:HighCard
"""

from itertools import permutations

CHANCE, TERMINAL = -1, -2


class HighCard:
    """The seven functions. A state is (cards, actions)."""

    name = "high_card"
    players = 2
    constant_sum = 0

    def root(self):
        return ((), "")

    def player(self, state):
        cards, done = state
        if not cards:
            return CHANCE
        return {"": 0, "d": 1}.get(done, TERMINAL)

    def actions(self, state):
        return ("fold", "stay", "double") if state[1] == "" else ("fold", "call")

    def chances(self, state):
        deals = list(permutations("JQK", 2))
        return tuple((deal, 1 / len(deals)) for deal in deals)

    def child(self, state, action):
        cards, done = state
        return (cards, done + action[0]) if cards else (action, "")

    def payoffs(self, state):
        (mine, theirs), done = state
        sign = 1 if "JQK".index(mine) > "JQK".index(theirs) else -1
        gain = {"f": -1, "s": sign, "df": 1, "dc": 2 * sign}[done]
        return (gain, -gain)

    def view(self, state, player):
        cards, done = state
        return f"{cards[player]} {done}"


if __name__ == "__main__":
    import tefuda as td

    game = HighCard()
    print(td.check_game(game))
    solution = td.solve(game, until=1e-6)
    for infoset, strategy in solution.strategy.items():
        print(infoset, {action: round(chance, 3) for action, chance in strategy.items()})
    print(f"value to player 0: {solution.values[0]:+.4f}, NashConv {solution.nash_conv:.1e}")
