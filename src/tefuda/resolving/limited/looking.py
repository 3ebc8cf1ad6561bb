"""A player that looks only so far ahead, at every public state it comes to, within its time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tefuda.errors import check_range
from tefuda.forms.tree import Tree
from tefuda.games.playthrough import pick
from tefuda.games.protocol import Game
from tefuda.judging.profile import Profile
from tefuda.playing.agents import ProfileAgent, Sight, Turn
from tefuda.resolving.limited.foresight import Foresight, find_leaves
from tefuda.resolving.limited.trunk import Cut, trunk_of


@dataclass
class DepthLimitedAgent:
    """Solves what it can see from where it stands, and again where that ends; in play, `depth_limited`.

    It plays on a tree, or over the rules its tree was compiled from. What it has solved it keeps: the same public state
    has the same answer in all hands.

    Args:
        name: how it is called.
        tree: the game; two players, constant sum.
        cut: how far it looks, see `depth_limited`.
        leaves: how it values what is below, see `depth_limited`.
        seconds: the time each lookahead has, give or take a round; as much as it takes if left out. An exact one cut
            short plays what it can prove most for. What reaches the end of the game is one linear program, which does
            not stop.

    Raises:
        ParameterError: no such cut or leaves, or a number out of range.
        GameError: more or less than two players, or not constant-sum.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> agents = [td.DepthLimitedAgent("sees", tree, "deal"), td.ProfileAgent("uniform", td.Profile.uniform(tree))]
    >>> bool(td.duplicate_match(tree, agents, deals=100).mean[0] > 0)
    True
    """

    name: str
    tree: Tree
    cut: Cut = "deal"
    leaves: Any = "exact"
    seconds: float | None = None
    profile: Profile | None = None
    learns: ClassVar[bool] = False
    _ahead: Foresight = field(init=False, repr=False)
    _seat: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            check_range("seconds", self.seconds, 0, whole=False)
        self._ahead = Foresight(self.tree, self.cut, find_leaves(self.leaves), self.seconds)

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`: what was solved is kept.

        Raises:
            ProfileError: another game is played.
        """
        ProfileAgent(self.name, Profile.uniform(self.tree)).start(game, seat)
        self._seat = seat

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        infoset = turn.infoset if turn.infoset >= 0 else self.tree.number((turn.seat, turn.view))
        return pick(self._ahead.strategy(self._seat, infoset).tolist(), turn.point)

    def see(self, sight: Sight) -> None:
        """What was solved is about the game, not about opponents: nothing is learned."""


def near_sighted(tree: Tree) -> DepthLimitedAgent:
    """The agent of the roster: to the next deal, or two moves where there is none, exact below."""
    return DepthLimitedAgent("lookahead", tree, "deal" if trunk_of(tree, "deal").subgames else 2)
