"""Random card games that declare public actions and break their promise at one hand, or at one deal."""

import random
from functools import cached_property
from math import perm

import tefuda as td

KINDS = ("payoffs", "player", "actions", "length", "view")
BOARD = ("red", "black", "joker")


class Broken:
    """A random card game with one broken promise.

    Each player gets a card, then players act in turn, and a public card may be dealt in between. The promise is broken
    after one line of public actions, for one card of one player.

    Args:
        kind: the function at fault, "length" for a decision more or a decision less; None: none.
        least, most: range of the number of histories.
        where: "hand" for one card of a player, "deal" for one deal, "half" for one card of a player and higher cards
            of another player.
    """

    name, constant_sum, public_actions = "broken", 0, True

    def __init__(self, seed, kind, least=20_001, most=1_000_000, where="hand"):
        draw = self.random = random.Random(repr((seed, kind, where)))
        self.kind, self.where = kind, where
        goal = 0.0
        while not least <= goal <= most:
            self.players = draw.choice((2, 2, 3))
            self.board = draw.choice((0, 0, 2, 3))  # number of public cards
            self.length = draw.randint(self.players, self.players + 3)
            self.dealt_after = draw.randint(1, self.length - 1)  # actions before the public card
            self.tree = {}
            self._grow("")
            size = sum(
                (1 + self.board * (len(line) == self.dealt_after)) * (self.board or 1) ** (len(line) > self.dealt_after)
                for line in self.tree
            )
            wanted = least * (most / least) ** draw.random()
            self.cards = next(n for n in range(self.players + 1, 10_000) if perm(n, self.players) * size > wanted)
            deals = perm(self.cards, self.players)
            goal = deals * size if deals < 30_000 else 0
        self.choose()

    def _grow(self, line):
        """Add the public lines below one, with their actions; ends have none."""
        draw = self.random
        over = len(line) == self.length or line.endswith("f")
        self.tree[line] = () if over else tuple("crf"[: draw.choice((2, 2, 3))]) if draw.random() < 0.8 else ("c",)
        for action in self.tree[line]:
            self._grow(line + action)

    def choose(self):
        """Choose the place of the fault."""
        draw = self.random
        self.variant = draw.random() < 0.5
        at_end = self.kind == "payoffs" or (self.kind == "length" and self.variant)
        lines = [line for line, actions in self.tree.items() if (not actions) == at_end]
        # A view that shows more as soon as cards are dealt makes other hands, and breaks no promise.
        later = [line for line in lines if self.kind != "view" or len(line) not in (0, self.dealt_after)]
        self.line = draw.choice(later or lines)
        mover = len(self.line) % self.players
        self.seat = mover if self.kind == "view" else draw.randrange(self.players)
        self.deal = tuple(draw.sample(range(self.cards), self.players))
        # A fault shows on one public card alone if that is chosen.
        self.shown = draw.choice((None, *BOARD[: self.board])) if len(self.line) > self.dealt_after else None

    def at_fault(self, state):
        """Return whether the promise is broken at a state."""
        cards, shown, line = state
        if line != self.line or self.kind is None or self.shown not in (None, shown):
            return False
        if self.where == "deal":
            return cards == self.deal
        own = cards[self.seat] == self.deal[self.seat]
        return own and (self.where == "hand" or cards[self.seat - 1] > self.deal[self.seat])

    def root(self):
        return ((), "", "")

    def player(self, state):
        cards, shown, line = state
        if line.endswith(("+", "=")):
            return td.TERMINAL
        end = not self.tree[line]
        if not cards or (self.board and not shown and len(line) == self.dealt_after and not end):
            return td.CHANCE
        if self.at_fault(state):
            if self.kind == "length":
                return 0 if end else td.TERMINAL
            if self.kind == "player":
                return (len(line) + 1) % self.players
        return td.TERMINAL if end else len(line) % self.players

    def actions(self, state):
        actions = self.tree[state[2]] or ("=", "+")
        if self.kind == "actions" and self.at_fault(state):
            return actions[::-1] if self.variant and len(actions) > 1 else (*actions, "+")
        return actions

    @cached_property
    def deals(self):
        decks = [()]
        for _ in range(self.players):
            decks = [(*deal, card) for deal in decks for card in range(self.cards) if card not in deal]
        return tuple((deal, 1 / len(decks)) for deal in decks)

    def chances(self, state):
        return tuple((card, 1 / self.board) for card in BOARD[: self.board]) if state[0] else self.deals

    def draw(self, state, uniform):
        outcomes = self.chances(state)
        return outcomes[int(uniform() * len(outcomes))]

    def child(self, state, action):
        cards, shown, line = state
        return (
            (action, "", "")
            if not cards
            else (cards, action, line)
            if action in BOARD
            else (cards, shown, line + action)
        )

    def payoffs(self, state):
        cards, shown, line = state
        line, pot = line.rstrip("+="), 1 + line.count("r") + 5 * line.count("+")
        strengths = [(card * 7) % self.cards if shown == "red" else card for card in cards]
        best = strengths.index(max(strengths))
        if line.endswith("f"):  # the player who folds pays
            best = len(line) % self.players
        if self.kind == "payoffs" and self.at_fault((cards, shown, line)) and (not self.variant or best == self.seat):
            pot += 100
        return tuple(pot * (self.players - 1) if seat == best else -pot for seat in range(self.players))

    def view(self, state, player):
        cards, shown, line = state
        seen = f"{cards[player]}|" if cards else "-|"
        if self.kind == "view" and cards and player == len(self.line) % self.players:
            if self.where != "hand":
                seen = f"!{seen}" if self.at_fault(state) else seen
            elif self.variant and self.at_fault(state):
                seen = f"{seen}{cards[player - 1]}|"  # the card of another player
            elif not self.variant and line == self.line and cards[player - 1] == self.deal[player - 1]:
                seen = f"{seen}?|"  # that another player holds one card
        return f"{seen}{shown}|{line}"
