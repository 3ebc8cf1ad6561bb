"""A Koi-Koi program from outside, in a process of its own, at a table of tefuda.

The program knows nothing of tefuda: it reads one position a line as JSON, without the history, and answers a label.
Put a program of your own in the place of ``COMMAND``.

python examples/outside_koikoi.py
"""

import dataclasses
import json
import subprocess
import sys

COMMAND = [sys.executable, __file__, "--program"]
WORTH = {"B": 20, "A": 10, "R": 5, "C": 1}


def program():
    """The program from outside: takes the best card there is, stops at the first yaku."""
    for line in sys.stdin:
        position = json.loads(line)
        if position["phase"] == "koi":
            answer = "stop"
        elif position["phase"] == "pick":
            answer = max(position["actions"], key=worth)
        else:
            answer = max(position["hand"], key=lambda card: gain(card, position["field"]))
        print(answer, flush=True)


def worth(card):
    """What a card is worth by its kind: the letter behind the month."""
    return WORTH[card.lstrip("0123456789")[0]]


def gain(card, field):
    """What a card takes and is worth itself; a card that takes nothing is lost."""
    month = card.rstrip("0123456789")[:-1]
    mates = [mate for mate in field if mate.rstrip("0123456789")[:-1] == month]
    return worth(card) + max(map(worth, mates)) if mates else -worth(card)


def main():
    """Let the program play duplicate deals against a random player."""
    import tefuda as td
    from tefuda.koikoi import PositionAgent

    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as outside:

        def decide(position):
            outside.stdin.write(json.dumps(dataclasses.asdict(position)) + "\n")
            outside.stdin.flush()
            return outside.stdout.readline().strip()

        agents = [PositionAgent("outside", decide), td.RandomAgent()]
        match = td.duplicate_match(td.load_game("koikoi"), agents, deals=50, seed=1)
        outside.stdin.close()
    low, high = match.interval()[0]
    print(f"outside wins {match.mean[0]:.1f} points a round from random play ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    program() if "--program" in sys.argv else main()
