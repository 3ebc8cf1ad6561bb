"""The player of source 004: one opponent is modelled and answered in a virtual two-player game, the others are ignored.

Furui, Miwa, Chikayama: in Leduc hold'em with several players, histograms count what each opponent does with its card;
the one who plays least like an equilibrium is the target; the real betting is converted to betting between the player
and its target alone, and expectimax answers the target's histogram there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from tefuda._kernels import expectimax
from tefuda.agents import ProfileAgent, Sight, Turn
from tefuda.errors import check_choice
from tefuda.game import CHANCE, TERMINAL
from tefuda.games.leduc import Rules, betting
from tefuda.histogram import LETTERS, Histogram, played, require_leduc
from tefuda.opponents import FLOOR, Likelihood, entropy
from tefuda.profile import Profile, require_same_game
from tefuda.tree import Tree

Action = tuple[int, str]  # who, letter
TARGETS = ("weakest", "printed")


@dataclass(frozen=True)
class Reading:
    """How what the source leaves open is read.

    shorten_first: in the round being played, drop a completed prefix before the last two actions, if a raise follows.
    update: whether the target's actions change the belief about its card.
    clairvoyant: search once for every card of the target and add up.
    dead: whether the ignored players' chips count in the virtual pot.
    unseen, shares: how hidden cards count, see `histogram.Histogram`.
    showdown: whether a card is seen only there, not if all others folded.
    average: whether actions with hidden cards are scored too, by the mean of their probabilities over the ranks.
    floor: the least probability in scores and beliefs.
    fall_back: whether to play the equilibrium while nobody's score is above the equilibrium's own.
    target: ``"weakest"``: who plays least like the equilibrium, as the prose says; ``"printed"``: who plays most like
        it, as equation (4) is printed, without the minus sign.

    >>> tf.Reading(update=False).update
    False
    """

    shorten_first: bool = False
    update: bool = True
    clairvoyant: bool = False
    dead: bool = False
    unseen: bool = False
    shares: str = "even"
    showdown: bool = False
    average: bool = False
    floor: float = FLOOR
    fall_back: bool = False
    target: str = "weakest"

    def __post_init__(self) -> None:
        check_choice("target", self.target, TARGETS)


def finished_round(actions: tuple[Action, ...], pair: tuple[int, int]) -> str:
    """A finished real round as a complete round of two: letters."""
    low, high = min(pair), max(pair)
    kept = tuple(one for one in actions if one[0] in pair)
    while True:
        valid, end = _scan(kept, low, high)
        if end is None:
            kept = kept[:valid]
            while _scan(kept, low, high)[1] is None:
                kept = (*kept, (low if len(kept) % 2 == 0 else high, "c"))
            return _letters(kept)
        if end == len(kept) or not any(letter == "r" for _, letter in kept[end:]):
            return _letters(kept[:end])
        kept = kept[end:]


def _scan(actions: tuple[Action, ...], low: int, high: int) -> tuple[int, int | None]:
    """How many actions come from whose turn it is, and after how many the round is complete (None: never)."""
    need = 2
    for place, (seat, letter) in enumerate(actions):
        if seat != (low, high)[place % 2]:
            return place, None
        need = 1 if letter == "r" else need - 1
        if need == 0:
            return place + 1, place + 1
    return len(actions), None


def _letters(actions: tuple[Action, ...]) -> str:
    return "".join(letter for _, letter in actions)


def current_round(actions: tuple[Action, ...], player: int, target: int, shorten_first: bool = False) -> str:
    """The round being played, the player to act, as an incomplete round of two: letters."""
    low, high = min(player, target), max(player, target)
    kept = tuple(one for one in actions if one[0] in (player, target))
    if shorten_first:
        while (end := _scan(kept, low, high)[1]) is not None and any(letter == "r" for _, letter in kept[end:]):
            kept = kept[end:]
    while kept:
        valid, end = _scan(kept, low, high)
        if valid == len(kept) and end is None and (low, high)[len(kept) % 2] == player:
            break
        kept = kept[:-2] if len(kept) >= 2 else ()
    return _letters(kept)


@cache
def converted(rules: Rules, history: str, player: int, target: int, shorten_first: bool) -> str:
    """The real history, the player to act, as a history of the virtual game of the player and its target."""
    rounds = history.split("/")
    actions = played(rules, history)
    by_round = [tuple((d.seat, d.letter) for d in actions if d.round == number) for number in range(len(rounds))]
    past = [finished_round(one, (player, target)) for one in by_round[:-1]]
    return "/".join([*past, current_round(by_round[-1], player, target, shorten_first)])


@dataclass(frozen=True)
class VirtualGame:
    """The two-player betting as arrays, from one of its seats; `number` gives the node of a history of letters."""

    arrays: expectimax.Betting
    number: dict[str, int]


@cache
def virtual_game(rules: Rules, seat: int) -> VirtualGame:
    """The betting of two players under the real game's ante, raises and cap, seen from a seat."""
    two, number, rows = rules._replace(players=2), dict[str, int](), []
    stack = [""]
    while stack:
        history = stack.pop()
        number[history] = len(number)
        state = betting(two, history)
        if state.mover == CHANCE:
            stack.append(history + "/")
        elif state.mover != TERMINAL:
            stack += [history + letter for letter in state.actions]
    for history in number:
        state, letters = betting(two, history), history.split("/")[-1]
        child = [-1, -1, -1]
        if state.mover == CHANCE:
            kind, child[1] = expectimax.BOARD, number[history + "/"]
        elif state.mover == TERMINAL:
            folded = (expectimax.OTHER_FOLDED, expectimax.OWN_FOLDED)[seat not in state.live]
            kind = expectimax.SHOWDOWN if len(state.live) == 2 else folded
        else:
            kind = expectimax.OWN if state.mover == seat else expectimax.OTHER
            for letter in state.actions:
                child[LETTERS.index(letter)] = number[history + letter]
        rows.append((kind, child, history.count("/"), letters.count("r"), (state.paid[seat], state.paid[1 - seat])))
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    return VirtualGame(expectimax.Betting(*columns), number)


@dataclass
class VirtualExploiter:
    """Source 004's player, for Leduc hold'em with any number of players.

    Args:
        name: how it is called.
        equilibrium: by which opponents are judged, and what is played when nobody is worth exploiting.
        reading: of what the source leaves open.

    >>> tree = tf.compile_game(tf.load_game("leduc"))
    >>> tf.VirtualExploiter("a", tf.Profile.uniform(tree)).reading.update
    True
    """

    name: str
    equilibrium: Profile
    reading: Reading = Reading()
    profile: Profile | None = None
    _seat: int = 0
    _target: int = 0
    _models: dict[int, Histogram] = field(default_factory=dict, repr=False)

    def start(self, tree: Tree, seat: int) -> None:
        """See `agents.Agent`.

        Raises:
            ParameterError: a game other than Leduc hold'em dealt by rank.
        """
        game = require_leduc(tree, self.name)
        require_same_game(tree, self.equilibrium)
        self._game, self._rules, self._seat = game, game._rules, seat
        self._others = [other for other in range(game.players) if other != seat]
        self._models = {other: Histogram(game, self.reading.unseen, self.reading.shares) for other in self._others}
        self._likelihood = Likelihood(self.equilibrium, self.reading.floor)
        self._ranks = self._models[self._others[0]].ranks
        self._target = self._others[0]
        self._entropy = {other: entropy(self.equilibrium, other) for other in self._others}
        self._table = ProfileAgent(self.name, self.equilibrium)
        self._table.start(tree, seat)
        self._worth = np.zeros(len(LETTERS))

    def act(self, turn: Turn) -> int:
        """See `agents.Agent`: the expectimax answer to the target, a call if it cannot be done."""
        cards, history = str(turn.view).split("|")
        live = betting(self._rules, history).live
        target = self._target
        if target not in live:
            target = self._choose([other for other in self._others if other in live])
        if self.reading.fall_back and not self._weak(target):
            return self._table.act(turn)
        seat = int(self._seat > target)
        game = virtual_game(self._rules, seat)
        virtual = self._possible(converted(self._rules, history, self._seat, target, self.reading.shorten_first))
        if game.arrays.kind[game.number[virtual]] != expectimax.OWN:
            return turn.actions.index("c")
        path, boards = self._path(game, virtual, self._rank(cards[1:]))
        dead = 0.0
        if self.reading.dead:
            paid = betting(self._rules, history).paid
            dead = float(sum(paid[other] for other in self._others if other != target))
        best = expectimax.decide(
            game.arrays, self._models[target].counts, self._game.suits, path, boards, self._ranks.index(cards[0]),
            self.reading.update, self.reading.floor, self.reading.clairvoyant, dead, self._worth,
        )  # fmt: skip
        letter = LETTERS[best]
        return turn.actions.index(letter if letter in turn.actions else "c")

    def see(self, sight: Sight) -> None:
        """See `agents.Agent`: histograms, scores, and the target of the next hand."""
        if self.reading.showdown:
            sight = self._at_showdown(sight)
        for other, model in self._models.items():
            model.see(self.equilibrium.tree, sight, other)
        self._likelihood.see(sight)
        if self.reading.average:
            self._score_hidden(sight)
        self._target = self._choose(self._others)

    def _choose(self, players: list[int]) -> int:
        """Whom to model and answer, the lowest seat of equals."""
        if self.reading.target == "printed":
            return min(players, key=self._likelihood.score)
        return self._likelihood.target(players)

    def _at_showdown(self, sight: Sight) -> Sight:
        """A sight without the card of a winner whom all others left."""
        live = betting(self._rules, str(sight.view).split("|")[1]).live
        if len(live) > 1:
            return sight
        hidden = [m._replace(infoset=-1) if m.player in live and m.player != sight.seat else m for m in sight.moves]
        return sight._replace(moves=tuple(hidden))

    def _score_hidden(self, sight: Sight) -> None:
        """Score actions with hidden cards by the mean of what the equilibrium would do with each rank."""
        cards, history = str(sight.view).split("|")
        for move, deed in zip(sight.moves, played(self._rules, history), strict=True):
            if move.infoset < 0:
                keys = [f"{rank}{cards[1:] if deed.round else ''}|{deed.before}" for rank in self._ranks]
                chances = [self.equilibrium[deed.seat, key][deed.letter] for key in keys]
                self._likelihood.add(deed.seat, sum(chances) / len(chances))

    def _weak(self, player: int) -> bool:
        """Whether a player's score is above the equilibrium's own by two standard errors."""
        excess = self._likelihood.score(player) - self._entropy[player]
        return excess > 2 * self._likelihood.error(player)

    def _rank(self, board: str) -> int:
        """The board's place among the ranks; one past the last without a board."""
        return self._ranks.index(board[0]) if board else len(self._ranks)

    def _possible(self, history: str) -> str:
        """A virtual history with raises beyond the cap called instead."""
        two, kept = self._rules._replace(players=2), ""
        for letter in history:
            kept += letter if letter == "/" or letter in betting(two, kept).actions else "c"
        return kept

    def _path(self, game: VirtualGame, history: str, board: int) -> tuple[np.ndarray, np.ndarray]:
        """The nodes before each action of a virtual history with the actions, and the boards known there."""
        rows, boards, none = [], [], len(self._ranks)
        for place, letter in enumerate(history):
            if letter != "/":
                rows.append((game.number[history[:place]], LETTERS.index(letter)))
                boards.append(board if "/" in history[:place] else none)
        rows.append((game.number[history], -1))
        boards.append(board)
        return np.array(rows, dtype=np.int64), np.array(boards, dtype=np.int64)
