"""An exploiter for any game and number of opponents: it models all of them and plays exact best responses.

Where source 004's player ignores everybody but its target, this one answers all at once on the whole tree. Opponents
are taken for equilibrium players until their hands prove that they are not, so with nobody weak at the table it plays
the equilibrium.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from tefuda.agents import NAMED, Agent, HumanAgent, Move, ProfileAgent, SearchAgent, Sight, Turn
from tefuda.errors import UnknownNameError
from tefuda.face import Excuses
from tefuda.histogram import StateModel, is_leduc
from tefuda.lp import is_two_player_constant_sum
from tefuda.opponents import Evidence, Frequencies, OpponentModel
from tefuda.profile import Profile, require_same_game
from tefuda.response import best_response, values
from tefuda.tree import Tree
from tefuda.virtual import Reading, VirtualExploiter

_FIRST = 5  # hands before the first answer
_EXPECTED = 10  # hands that what is expected of winnings counts for
_RUIN = -2.0  # the logarithm of what is left of a trial's wealth when it ends
_OFTEN = 100_000  # rows of a tree whose answers come after a tenth more hands; smaller ones are answered more often


def suited(equilibrium: Profile, player: int) -> OpponentModel:
    """The model that learns fastest in a game: of states in Leduc hold'em, else of infosets."""
    return (StateModel if is_leduc(equilibrium.tree) else Frequencies)(equilibrium, player)


@dataclass
class AdaptiveExploiter:
    """Answers opponents once they are proven weak, and only as long as the answer wins what it promises.

    Who is weak is tested against all equilibria at once in two-player constant-sum games: the hands must be `trust`
    times likelier under the model than under every strategy from which less than the margin can be won. With more
    players there is no value of the game and no such set: the test is against the given equilibrium alone. A suspect
    whom such a strategy excuses is answered on trial where much is promised (`Trial`). While
    nobody is suspect, what was seen is forgotten now and then, as opponents may change; an answer that does not win
    what it promised, by evidence of the same strength, ends in forgetting too.

    Args:
        name: how it is called.
        equilibrium: what is played before and unless somebody is found weak.
        model: makes the model of an opponent from the equilibrium and the opponent's seat.
        trust: an equilibrium player is taken for weak in one of that many matches at most.
        margin: what is not worth winning, in parts of the difference between the largest and the least payoff.
        memory: hands after which everything is forgotten if nobody is suspect.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> player = tf.AdaptiveExploiter("b", tf.solve(tree, "lp").profile)
    >>> tf.duplicate_match(tree, [player, *tf.named_agents(tree, ["uniform"])], deals=20).agents
    ('b', 'uniform')
    """

    name: str
    equilibrium: Profile
    model: Callable[[Profile, int], OpponentModel] = suited
    trust: float = 1000.0
    margin: float = 0.002
    memory: int = 1000
    profile: Profile | None = None
    _table: ProfileAgent = field(init=False, repr=False)

    def start(self, tree: Tree, seat: int) -> None:
        """See `agents.Agent`."""
        require_same_game(tree, self.equilibrium)
        self._tree, self._seat, self._times = tree, seat, 0
        self._value = float(values(tree, self.equilibrium)[seat])
        self._excuses = Excuses(self.equilibrium, seat, self.margin) if is_two_player_constant_sum(tree) else None
        self._forget()

    def _forget(self) -> None:
        """Know nothing of anybody, and ask a little more of what comes: all times together err in one of `trust`."""
        self._times, self._hands, self._next = self._times + 1, 0, _FIRST
        others = [other for other in range(self._tree.players) if other != self._seat]
        self._models = {other: self.model(self.equilibrium, other) for other in others}
        self._thought = dict.fromkeys(others, Profile.uniform(self._tree))
        self._evidence, self._weak = Evidence(self.equilibrium, self._seat), set[int]()
        self._seen = dict[tuple[Move, ...], int]()
        payoffs = self._tree.payoffs[:, self._seat]
        self._promise = Promise(self._value, float(np.ptp(payoffs)))
        self._trial = Trial(self._value + self.margin * float(np.ptp(payoffs)), float(payoffs.min()))
        self._play(self.equilibrium)

    def _play(self, profile: Profile) -> None:
        self._table = ProfileAgent(self.name, profile)
        self._table.start(self._tree, self._seat)

    def act(self, turn: Turn) -> int:
        """See `agents.Agent`."""
        return self._table.act(turn)

    def see(self, sight: Sight) -> None:
        """See `agents.Agent`: evidence, counts, and now and then a new answer."""
        self._evidence.see(sight, self._thought)
        self._seen[sight.moves] = self._seen.get(sight.moves, 0) + 1
        for model in self._models.values():
            model.see(sight)
        self._hands += 1
        if self._weak:
            self._promise.see(sight.payoffs[self._seat])
        elif self._table.profile is not self.equilibrium:
            self._trial.see(sight.payoffs[self._seat])
            if self._trial.lost:
                self._play(self.equilibrium)
        if self._promise.broken > math.log(self.trust) or (self._hands >= self.memory and not self._suspects()):
            self._forget()
        elif self._hands >= self._next:
            self._next = self._hands + max(1, int(self._hands * min(0.1, self._tree.rows / _OFTEN)))
            self._thought = {player: model.mean() for player, model in self._models.items()}
            self._answer()

    def weak(self, player: int) -> bool:
        """Whether an opponent has been proven weak."""
        return player in self._weak

    @property
    def _needed(self) -> float:
        return math.log(self.trust) + 2 * math.log(self._times + 1)

    def _suspects(self) -> set[int]:
        """Who does not play the given equilibrium, by the evidence so far."""
        return self._weak | set(np.flatnonzero(self._evidence.log_ratio > self._needed).tolist())

    def _unexcused(self, player: int) -> bool:
        """Whether no other equilibrium would explain what a suspect did."""
        likely = float(self._evidence.log_ratio[player]) + self._evidence.log_known - self._needed
        return self._excuses is None or not self._excuses.explain(self._seen, likely)

    def _answer(self) -> None:
        """Play the best response to the models of those who are weak, or are tried; the equilibrium if nobody is."""
        suspects = self._suspects()
        self._weak |= {player for player in suspects - self._weak if self._unexcused(player)}
        answered = self._weak or (set() if self._trial.lost else suspects)
        if answered:
            everybody = self.equilibrium
            for player in answered:
                everybody = everybody.replace(player, self._thought[player])
            answer = best_response(self._tree, everybody, self._seat)
            self._promise.promised = answer.value
            self._play(answer.profile if self._weak or self._trial.pays(answer.value) else self.equilibrium)


class Trial:
    """What an answer may cost that is played to see what the equilibrium never shows: half of its wealth on every hand.

    It is proof of nothing; but who is no equilibrium player shows it where he is answered, or loses. `lost` comes
    before hands have won 2 (2 + log 2) times `fair - least` too little: log(1 + x / 2) is no more than x / 2.

    Args:
        fair: what could be won from an equilibrium.
        least: the least payoff.
    """

    def __init__(self, fair: float, least: float) -> None:
        self.log_wealth, self._fair, self._stake = 0.0, fair, fair - least

    def pays(self, promised: float) -> bool:
        """Whether so much is promised that few hands tell whether it is true."""
        return promised - self._fair > self._stake / 2

    def see(self, won: float) -> None:
        """Weigh what a hand won while the answer was played."""
        self.log_wealth += math.log1p((won - self._fair) / self._stake / 2)

    @property
    def lost(self) -> bool:
        """Whether the trial has failed; there is no other until everything is forgotten."""
        return self.log_wealth < _RUIN


class Promise:
    """Whether an answer wins half the gain it promised or only what the equilibrium would: a CUSUM.

    Winnings are taken for normal; `broken` is the logarithm of how much likelier the hands since some hand are without
    any gain than with that.

    Args:
        value: what the equilibrium wins.
        spread: of payoffs; until hands are seen their deviation is taken to be a quarter of it.
    """

    def __init__(self, value: float, spread: float) -> None:
        self.promised, self.broken, self._value = value, 0.0, value
        self._count, self._mean, self._squares = _EXPECTED, value, _EXPECTED * (spread / 4) ** 2

    def see(self, won: float) -> None:
        """Weigh what a hand won while the answer was played."""
        gain = max(0.0, self.promised - self._value) / 2  # a model of few hands promises too much
        self.broken = max(0.0, self.broken + gain * (self._value + gain / 2 - won) * self._count / self._squares)
        self._count += 1
        step = won - self._mean
        self._mean += step / self._count
        self._squares += step * (won - self._mean)


#: Agents that play no fixed profile, by name: what they are, and how they are made with an equilibrium's table.
PLAYERS: dict[str, tuple[str, Callable[[Callable[[], Profile]], Agent]]] = {
    "exploiter": (
        "plays the equilibrium until opponents prove weak, then answers them",
        lambda table: AdaptiveExploiter("exploiter", table()),
    ),
    "human": ("you, at the terminal", lambda table: HumanAgent()),
    "search": ("searches at every decision", lambda table: SearchAgent("search")),
    "virtual": (
        "finds who plays least like an equilibrium and answers only him (source 004; Leduc hold'em)",
        lambda table: VirtualExploiter("virtual", table(), Reading(fall_back=True)),
    ),
}


def named_agents(tree: Tree, names: Sequence[str]) -> list[Agent]:
    """Agents by their names in `PLAYERS` and `agents.NAMED`, or a profile's file or run.

    All who need an equilibrium share one table.

    Returns:
        As many agents as names.

    Raises:
        UnknownNameError: no such agent and no such file.

    >>> [one.name for one in tf.named_agents(tf.compile_game(tf.load_game("kuhn")), ["uniform", "always-raise"])]
    ['uniform', 'always-raise']
    """
    table = cache(lambda: NAMED["equilibrium"][1](tree))
    made: list[Agent] = []
    for name in names:
        if name in PLAYERS:
            made.append(PLAYERS[name][1](table))
        elif name in NAMED:
            made.append(ProfileAgent(name, table() if name == "equilibrium" else NAMED[name][1](tree)))
        elif Path(name).exists():
            place = Path(name) / "profile.npz" if Path(name).is_dir() else Path(name)
            made.append(ProfileAgent(place.parent.name or name, Profile.load(place, tree)))
        else:
            raise UnknownNameError("agent", name, [*NAMED, *PLAYERS])
    return made
