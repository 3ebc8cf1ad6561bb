"""Matches of an exploiter evaluated without luck: the exact value of its strategy in each hand."""

import numpy as np

import tefuda as td
from tefuda.exploiting import leduc_states as histogram
from tefuda.playing import agents
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.table import HandEnd, play_seating


class Switcher:
    """Plays one profile, and from some hand on another."""

    name, profile = "switcher", None

    def __init__(self, first, then, at):
        self.parts, self.at, self.hands = (first, then), at, 0

    def start(self, tree, seat):
        self.hands, self.players = 0, [agents.ProfileAgent("part", part) for part in self.parts]
        for player in self.players:
            player.start(tree, seat)

    def act(self, turn):
        return self.players[self.hands >= self.at].act(turn)

    def observe_hand(self, hand):
        self.hands += 1


def end_at(tree, node):
    """Return the end of the hand that reached a history."""
    moves, place = [], 0
    for label in tree.history(node):
        if tree.player[place] >= 0:
            moves.append(agents.Move(int(tree.player[place]), int(tree.infoset[place]), label))
        place = tree.child(place, label)
    return HandEnd(tree.payoffs[np.searchsorted(tree.terminals, node)].tolist(), moves, node)


def watched(tree, player, opponent, seat, hands, look, seed=0):
    """Return the results `[hands]` of `look` before an exploiter of two players observes each end."""
    found, observe_hand = [], player.observe_hand

    def noting(hand):
        found.append(look())
        observe_hand(hand)

    player.observe_hand = noting
    order = (0, 1) if seat == 0 else (1, 0)
    play_seating(Task(tree, [player, opponent], order, DealSource(hands, seed=seed)))
    return np.array(found)


def expected(tree, player, opponent, seat, hands, seed=0):
    """Return the exact values `[hands]` of an exploiter's strategies against the opponent's."""
    known, played = {}, 0

    def worth():
        nonlocal played
        theirs = opponent.profile or opponent.parts[played >= opponent.at]
        strategy = player._playing.profile
        played += 1
        if (id(strategy), id(theirs)) not in known:
            known[id(strategy), id(theirs)] = strategy, td.values(theirs.replace(seat, strategy))[seat]
        return known[id(strategy), id(theirs)][1]

    return watched(tree, player, opponent, seat, hands, worth, seed)


def stereotype(tree, wanted):
    """Always the first possible of the wanted actions."""
    return td.Profile.from_function(tree, lambda player, key, labels: {next(a for a in wanted if a in labels): 1.0})


def deed(number, raises, letter):
    return histogram.BettingAction(number, raises, 1, letter, "")


class Learner:
    """An agent that plays uniformly and records its observations."""

    name, profile = "learner", None

    def start(self, tree, seat):
        self.tree, self.seat, self.observed_hands = tree, seat, []

    def act(self, turn):
        return agents.pick([1 / len(turn.actions)] * len(turn.actions), turn.uniform)

    def observe_hand(self, hand):
        self.observed_hands.append(hand)
