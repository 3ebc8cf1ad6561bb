"""Games with open information, and their values by minimax: tic-tac-toe and nim."""

from functools import cache

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class OpenGame:
    """Two players alternate; a state is (position, player to move), and -2 as the player ends the game."""

    players = 2
    constant_sum = 0
    parameters = None

    def player(self, state):
        return state[1]

    def chances(self, state):
        raise AssertionError("no chance")

    def view(self, state, player):
        return f"{state[0]}"


class TicTacToe(OpenGame):
    name = "tic-tac-toe"

    def root(self):
        return ("." * 9, 0)

    def actions(self, state):
        return tuple(str(place) for place in range(9) if state[0][place] == ".")

    def child(self, state, action):
        board, mover = state
        place = int(action)
        board = board[:place] + "XO"[mover] + board[place + 1 :]
        over = "." not in board or any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)
        return (board, -2 if over else 1 - mover)

    def payoffs(self, state):
        board = state[0]
        won = next((board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != "."), "")
        return {"X": (1, -1), "O": (-1, 1), "": (0, 0)}[won]


class Nim(OpenGame):
    """Players take 1 or 2, the last one wins; player 1 begins, and wins from a heap of 7."""

    name = "nim"

    def __init__(self, heap):
        self.heap = heap

    def root(self):
        return (self.heap, 1)

    def actions(self, state):
        return tuple(str(number) for number in range(1, min(2, state[0]) + 1))

    def child(self, state, action):
        left = state[0] - int(action)
        return ((left, state[1]), -2) if left == 0 else (left, 1 - state[1])

    def payoffs(self, state):
        return (1, -1) if state[0][1] == 0 else (-1, 1)


def minimax(game):
    """Return a function: state -> its value to player 0."""

    @cache
    def value(state):
        if game.player(state) == -2:
            return game.payoffs(state)[0]
        children = [value(game.child(state, action)) for action in game.actions(state)]
        return max(children) if state[1] == 0 else min(children)

    return value
