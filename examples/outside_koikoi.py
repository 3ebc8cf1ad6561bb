"""An external Koi-Koi program, in a separate process, at a table of tefuda.

The program does not use tefuda: it reads a position per line as JSON, without the history, and answers with a label.
Replace ``COMMAND`` with your own program.

python examples/outside_koikoi.py
"""

import dataclasses
import json
import subprocess
import sys

COMMAND = [sys.executable, __file__, "--program"]
VALUES = {"B": 20, "A": 10, "R": 5, "C": 1}


def program():
    """The external program: it takes the best card, and stops at the first yaku."""
    for line in sys.stdin:
        position = json.loads(line)
        if position["phase"] == "koi":
            answer = "stop"
        elif position["phase"] == "pick":
            answer = max(position["actions"], key=value)
        else:
            answer = max(position["hand"], key=lambda card: gain(card, position["field"]))
        print(answer, flush=True)


def value(card):
    """Return the value of a card by its kind: the letter after the month."""
    return VALUES[card.lstrip("0123456789")[0]]


def gain(card, field):
    """Return the value of a card and of the card it takes; a card that takes nothing is lost."""
    month = card.rstrip("0123456789")[:-1]
    mates = [mate for mate in field if mate.rstrip("0123456789")[:-1] == month]
    return value(card) + max(map(value, mates)) if mates else -value(card)


def main():
    """Let the program play duplicate deals against a random player."""
    import tefuda as td
    from tefuda.koikoi import PositionAgent

    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as outside:
        questions, answers = outside.stdin, outside.stdout
        assert questions and answers  # both are pipes

        def decide(position):
            questions.write(json.dumps(dataclasses.asdict(position)) + "\n")
            questions.flush()
            return answers.readline().strip()

        agents = [PositionAgent("outside", decide), td.RandomAgent()]
        match = td.duplicate_match(td.load_game("koikoi"), agents, deals=50, seed=1)
        questions.close()
    low, high = match.interval()[0]
    print(f"outside wins {match.mean[0]:.1f} points a round from random play ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    program() if "--program" in sys.argv else main()
