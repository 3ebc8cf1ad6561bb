"""Exploiting safely over many hands: never risk more than opponents have given away (Ganzfried and Sandholm 2015).

Two-player zero-sum, v the game's value. A *gift* is what an opponent's play loses against the strategy it met, whatever
it does where it was not seen. The bank k is the sum of gifts; strategies whose worst case is at least v - k are safe to
play, and k stays at 0 or above.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tefuda._kernels import respond
from tefuda.agents import ProfileAgent, Sight, Turn
from tefuda.errors import check_choice
from tefuda.exploit import Response, game_value, safe_best_response
from tefuda.opponents import count_moves, explanations, frequentist
from tefuda.profile import Profile, require_same_game
from tefuda.response import action_utilities
from tefuda.sequence import sequence_form
from tefuda.tree import Tree

KINDS = ("rwywe", "befewp", "beffe", "best equilibrium", "best response")
_FORBIDDEN = 1e12
_ALL = 1e6  # a risk that allows everything


def proven(tree: Tree, player: int, profile: Profile, seen: dict[int, int]) -> float:
    """The least a player's strategy earns against any opponent who does what was seen.

    Args:
        tree: two players, zero-sum.
        player: whose strategy, in the profile.
        profile: the other part is not looked at.
        seen: actions' places by the opponent's infosets.
    """
    require_same_game(tree, profile)
    form, other = sequence_form(tree), 1 - player
    utility, plan = action_utilities(tree, profile, other)[1], np.zeros(form.sequences)
    for infoset, place in seen.items():
        rows = np.arange(tree.first_row[infoset], tree.first_row[infoset + 1])
        utility[form.sequence[np.delete(rows, place)]] -= _FORBIDDEN
    respond.best_plan(*form.treeplex, other, utility, plan, np.empty(form.sequences))
    return float(tree.payoffs[0].sum() - utility[form.span[other]])


@dataclass
class SafeExploiter:
    """Learns what the opponent does, and answers within what it has given away.

    Args:
        name: how it is called.
        equilibrium: the model before anything was seen; it counts as `prior` hands at every infoset.
        kind: ``"rwywe"``: risk all of the bank each hand; ``"befewp"``: the full best response whenever the bank covers
            it, else the best equilibrium; ``"beffe"``: only once it covers all remaining hands; ``"best equilibrium"``;
            ``"best response"``: not safe, for comparison.
        hands: in the match, for ``"beffe"``.
        prior: fictitious plays.

    Raises:
        ParameterError: an unknown kind.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> player = tf.SafeExploiter("s", tf.solve(tree, "lp").profile, hands=10)
    >>> player.kind
    'rwywe'
    """

    name: str
    equilibrium: Profile
    kind: str = "rwywe"
    hands: int = 1000
    prior: float = 5.0
    profile: Profile | None = None
    bank: float = 0.0
    response: Response | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)

    def start(self, tree: Tree, seat: int) -> None:
        """See `agents.Agent`."""
        require_same_game(tree, self.equilibrium)
        self._tree, self._seat, self._left, self.bank = tree, seat, self.hands, 0.0
        self._counts, self._value = np.zeros(tree.rows), game_value(tree, seat)
        self._choose()

    def act(self, turn: Turn) -> int:
        """See `agents.Agent`."""
        return self._table.act(turn)

    def see(self, sight: Sight) -> None:
        """See `agents.Agent`: bank the gift, learn, choose the next hand's strategy."""
        assert self.response is not None
        cases = explanations(self._tree, self._seat, sight.moves)
        gift = min(proven(self._tree, self._seat, self.response.profile, case.places) for case in cases) - self._value
        self.bank = max(0.0, self.bank + gift)  # below 0 by round-off only
        count_moves(self._tree, self._counts, sight, 1 - self._seat)
        self._left = max(1, self._left - 1)
        self._choose()

    def _choose(self) -> None:
        """The response to the model that the bank allows."""
        model = frequentist(self._tree, self._counts, self.equilibrium, self.prior)
        risk = {"rwywe": self.bank, "best equilibrium": 0.0}.get(self.kind, _ALL)
        self.response = safe_best_response(self._tree, self._seat, model, risk)
        hands = {"befewp": 1, "beffe": self._left}.get(self.kind, 0)  # that the bank must cover
        if hands * (self._value - self.response.worst_case) > self.bank:
            self.response = safe_best_response(self._tree, self._seat, model, 0.0)
        self._table = ProfileAgent(self.name, self.response.profile)
