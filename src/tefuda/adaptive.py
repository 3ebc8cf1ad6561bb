"""An exploiter for any game and number of opponents: it models all of them and plays exact best responses.

Where source 004's player ignores everybody but its target, this one answers all at once on the whole tree. Opponents
are taken for equilibrium players until their hands are evidence against it, so with nobody weak at the table it plays
the equilibrium.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tefuda.agents import NAMED, Agent, HumanAgent, ProfileAgent, SearchAgent, Sight, Turn
from tefuda.errors import UnknownNameError
from tefuda.histogram import StateModel, is_leduc
from tefuda.opponents import Evidence, Frequencies, OpponentModel
from tefuda.profile import Profile, require_same_game
from tefuda.response import best_response
from tefuda.tree import Tree
from tefuda.virtual import Reading, VirtualExploiter

_FIRST = 5  # hands before the first answer
_OFTEN = 100_000  # rows of a tree whose answers come after a tenth more hands; smaller ones are answered more often


def suited(equilibrium: Profile, player: int) -> OpponentModel:
    """The model that learns fastest in a game: of states in Leduc hold'em, else of infosets."""
    return (StateModel if is_leduc(equilibrium.tree) else Frequencies)(equilibrium, player)


@dataclass
class AdaptiveExploiter:
    """Counts what opponents do, and answers the counts once they are evidence against the equilibrium.

    Args:
        name: how it is called.
        equilibrium: what is played before and unless somebody is found weak.
        model: makes the model of an opponent from the equilibrium and the opponent's seat.
        trust: how many times likelier under its model than under the equilibrium an opponent's hands must be for it to
            be weak: an equilibrium player seems so in one of that many matches at most.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> player = tf.AdaptiveExploiter("b", tf.solve(tree, "lp").profile)
    >>> tf.duplicate_match(tree, [player, *tf.named_agents(tree, ["uniform"])], deals=20).agents
    ('b', 'uniform')
    """

    name: str
    equilibrium: Profile
    model: Callable[[Profile, int], OpponentModel] = suited
    trust: float = 1000.0
    profile: Profile | None = None
    _table: ProfileAgent = field(init=False, repr=False)

    def start(self, tree: Tree, seat: int) -> None:
        """See `agents.Agent`."""
        require_same_game(tree, self.equilibrium)
        self._tree, self._seat, self._hands, self._next = tree, seat, 0, _FIRST
        others = [other for other in range(tree.players) if other != seat]
        self._models = {other: self.model(self.equilibrium, other) for other in others}
        self._thought = dict.fromkeys(others, Profile.uniform(tree))
        self._evidence = Evidence(self.equilibrium, seat)
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
        for model in self._models.values():
            model.see(sight)
        self._hands += 1
        if self._hands >= self._next:
            self._next = self._hands + max(1, int(self._hands * min(0.1, self._tree.rows / _OFTEN)))
            self._thought = {player: model.mean() for player, model in self._models.items()}
            self._answer()

    def weak(self, player: int) -> bool:
        """Whether an opponent does not play the equilibrium, by the evidence so far."""
        return bool(self._evidence.log_ratio[player] > math.log(self.trust))

    def _answer(self) -> None:
        """Play the best response to the models of those who are weak; the equilibrium if nobody is."""
        everybody, weak = self.equilibrium, [player for player in self._thought if self.weak(player)]
        for player in weak:
            everybody = everybody.replace(player, self._thought[player])
        self._play(best_response(self._tree, everybody, self._seat).profile if weak else self.equilibrium)


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
