"""Counts of whole games by a plain recursion over the rules, saved in tests/data/counts.json.

``python -m tests.counts`` writes the file anew; the tests compare both the recursion and the compiled trees with it.
A change of a game's rules must show in its difference.
"""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import tefuda as td

FILE = Path(__file__).parent / "data" / "counts.json"

GAMES = {
    "rps": ("rps", {}),
    "kuhn": ("kuhn", {}),
    "kuhn, 3 players": ("kuhn", {"players": 3}),
    "kuhn, 6 cards": ("kuhn", {"cards": 6}),
    "leduc": ("leduc", {}),
    "leduc, suits apart": ("leduc", {"distinct_suits": True}),
    "leduc, 3 players, 2 ranks": ("leduc", {"players": 3, "ranks": 2, "cap": 1}),
    "no-limit leduc": ("nolimit_leduc", {}),
    "no-limit leduc, 3 players, 2 ranks, stack 3": ("nolimit_leduc", {"players": 3, "ranks": 2, "stack": 3}),
    "liar's dice, 3 sides": ("liars_dice", {"sides": 3}),
    "liar's dice, 4 sides": ("liars_dice", {"sides": 4}),
    "liar's dice, 2 dice of 2 sides": ("liars_dice", {"dice": 2, "sides": 2}),
    "liar's dice, 3 players, 2 sides": ("liars_dice", {"players": 3, "sides": 2}),
    "goofspiel, 3 cards": ("goofspiel", {"cards": 3}),
    "goofspiel, 4 cards": ("goofspiel", {"cards": 4}),
    "goofspiel, 4 cards, ascending": ("goofspiel", {"cards": 4, "order": "ascending"}),
    "goofspiel, 3 cards, random": ("goofspiel", {"cards": 3, "order": "random"}),
    "goofspiel, 4 cards, open": ("goofspiel", {"cards": 4, "hidden": False}),
    "goofspiel, 3 cards, 3 players": ("goofspiel", {"cards": 3, "players": 3}),
    "sampled": ("sampled", {}),
    "battleship, 2 ships": ("battleship", {"ships": (1, 2), "values": (1, 2), "shots": 1, "loss": 2}),
    "sheriff, 2 rounds": ("sheriff", {"items": 2, "bribe": 2, "rounds": 2}),
    "tiny hanabi": ("tiny_hanabi", {}),
    "trade comm, 2 items": ("trade_comm", {"items": 2}),
    "chsh": ("chsh", {}),
    "signalling": ("signalling", {}),
    "first-price auction, 3 players": ("first_price_auction", {"values": 3, "players": 3}),
    "blotto": ("blotto", {}),
    "matching pennies, 3 players": ("matching_pennies", {"players": 3}),
    "coordinated matching pennies": ("coordinated_matching_pennies", {}),
    "repeated, without monitoring": ("repeated", {"rounds": 3, "monitoring": False, "discount": 0.5}),
    "liar's poker": ("liars_poker", {"hand": 1}),
    "tiny bridge": ("tiny_bridge", {}),
    "bargaining": ("bargaining", {}),
    "rhode island, 3 ranks of 2 suits": ("rhode_island", {"ranks": 3, "suits": 2, "cap": 1}),
    "dark hex, 2x2": ("dark_hex", {"rows": 2, "columns": 2}),
    "abrupt dark hex, 2x2": ("dark_hex", {"rows": 2, "columns": 2, "abrupt": True}),
    "oshi-zumo, 3 coins": ("oshi_zumo", {"coins": 3, "horizon": 4}),
}


def count(game: td.Game) -> dict:
    """Count histories by depth and infosets by player, and the moments of payoffs as fractions.

    The weight of an end is the product of the probabilities of chance there, actions not counted: any change of a
    probability or a payoff shows in the sums.
    """
    histories, ends, decisions = Counter(), Counter(), Counter()
    infosets: set = set()
    sums = [[Fraction(0)] * game.players, [Fraction(0)] * game.players]
    stack = [(game.root(), 0, Fraction(1))]
    while stack:
        state, depth, weight = stack.pop()
        histories[depth] += 1
        mover = game.player(state)
        if mover == td.TERMINAL:
            ends[depth] += 1
            for player, amount in enumerate(game.payoffs(state)):
                sums[0][player] += weight * Fraction(amount)
                sums[1][player] += weight * Fraction(amount) ** 2
        elif mover == td.CHANCE:
            stack += [(game.child(state, o), depth + 1, weight * Fraction(p)) for o, p in game.chances(state)]
        else:
            decisions[mover] += 1
            infosets.add((mover, game.view(state, mover), tuple(game.actions(state))))
            stack += [(game.child(state, action), depth + 1, weight) for action in game.actions(state)]
    owners = Counter(player for player, _, _ in infosets)
    return {
        "histories": [histories[depth] for depth in range(max(histories) + 1)],
        "ends": [ends[depth] for depth in range(max(histories) + 1)],
        "decisions": [decisions[player] for player in range(game.players)],
        "infosets": [owners[player] for player in range(game.players)],
        "payoffs": [str(x) for x in sums[0]],
        "squared payoffs": [str(x) for x in sums[1]],
    }


def main() -> None:
    rows = {name: count(td.load_game(game, **parameters)) for name, (game, parameters) in GAMES.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    FILE.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
