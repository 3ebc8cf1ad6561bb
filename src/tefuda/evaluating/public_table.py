"""Tables of the strategy in a public state of a tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from tefuda.evaluating.public_node import Hands, PublicAction, PublicNode


@dataclass(frozen=True)
class PublicState:
    """A public state: its number, the player to move, and the public information in words."""

    number: int
    player: int
    table: str


@dataclass(frozen=True)
class PublicRow:
    """The strategy at one infoset of a public state.

    Attributes:
        infoset: its name.
        hand: the private information in words.
        path: its likeliest history.
        reach: probability that the game leads to the infoset.
        shares: probability of each action.
        values: value of each action given the infoset; None if the opponents and chance never lead there.
        as_good: whether each action's cost is within the precision of the profile; None without values.
        mark: a mark of `off_path.MARKS`.
    """

    infoset: str
    hand: str
    path: str
    reach: float
    shares: tuple[float, ...]
    values: tuple[float, ...] | None
    as_good: tuple[bool, ...] | None
    mark: str


@dataclass(frozen=True)
class PublicTable(PublicNode):
    """The strategy in a public state of a tree: a row for each infoset, a column for each action.

    Attributes:
        state: the public state.
        labels: texts of the actions, parts of paths.
        columns: the actions. The line after one is the number of the public state that follows for sure.
        rows: the strategy at each infoset.
        ranges: hands of each player: the infosets of the player to act, the augmented infosets of others.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> table = td.Explorer(td.Profile.uniform(tree)).public_table(2)
    >>> table.state.table, [action.name for action in table.actions()], [row.hand for row in table.rows]
    ('pot 3: you check, player 1 bets', ['fold', 'call'], ['the jack', 'the queen', 'the king'])
    """

    state: PublicState
    labels: tuple[str, ...]
    columns: tuple[PublicAction, ...]
    rows: tuple[PublicRow, ...]
    ranges: tuple[Hands, ...] = field(repr=False, compare=False)

    @property
    def line(self) -> str:
        """The number of the public state."""
        return str(self.state.number)

    @property
    def player(self) -> int:
        """The player to act."""
        return self.state.player

    def actions(self) -> tuple[PublicAction, ...]:
        """Return the actions; a hand counts by the probability that the game leads to it."""
        return self.columns

    def hands(self, player: int) -> Hands:
        """Return the hands of a player."""
        return self.ranges[player]
