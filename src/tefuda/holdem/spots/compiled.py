"""Spots as arrays: the betting tree of all streets in one list, and all boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda._kernels.lanes import WIDTH
from tefuda.errors import ParameterError, RunError
from tefuda.forms.arrays import aligned
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.protocol import Game
from tefuda.holdem.betting import ROOT, BettingState, find_action
from tefuda.holdem.cards import CARDS, HANDS, card_text, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.ranges import Range
from tefuda.holdem.spots.contexts import Boards, Context, compile_contexts, list_contexts
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.size import MEMORY, require_room, stored_numbers
from tefuda.holdem.spots.size import size_of as size_of_spot
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.tree import BettingTree, build_tree
from tefuda.holdem.suits import Permutation, compose, inverse, permute_card, permute_hands
from tefuda.words import Notify

_CHUNK = 1 << 19  # bytes of reaches and values in a chunk: half of a usual second-level cache


class NodeAddress(NamedTuple):
    """The address of a line.

    street: street from the start of the spot. node: node of the street's tree. context: number of the context. suits:
    permutation from the line's suits to the context's.
    """

    street: int
    node: int
    context: int
    suits: Permutation


START = NodeAddress(0, 0, 0, (0, 1, 2, 3))


def _line_error(parts: list[str], number: int, why: str) -> ParameterError:
    start, before = len("/".join([*parts[:number], ""])), "/".join(parts[:number]) or "the root"
    marked = (start, start + len(parts[number]))
    return ParameterError(f"{before}: {why}", key="line", value=parts[number], text="/".join(parts), position=marked)


@dataclass(frozen=True, eq=False)
class CompiledSpot(Form):
    """A compiled spot. offsets: `[streets + 1]` the first node of each street in the list of all."""

    spot: Spot
    betting: BettingTree
    contexts: list[Context]
    offsets: np.ndarray  # [streets + 1] int64
    form: arrays.SpotArrays

    representation = "hands"
    methods = "tefuda.holdem.spots.solver:METHODS"
    method = "dcfr-3"
    evaluator = "tefuda.holdem.spots.solver:Exploitability"

    @cached_property
    def game(self) -> SpotGame:
        return SpotGame(self.spot)

    @classmethod
    def build(cls, game: Game, saved: Saved, building: Notify | None = None) -> CompiledSpot:
        if not isinstance(game, SpotGame):
            raise RunError(f"the run is damaged: {game.name} is not a spot. Use an intact copy.")
        if building is not None:
            building("building boards and betting")
        return compile_spot(game.spot)

    @classmethod
    def size_of(cls, game: SpotGame, fields: Mapping[str, Any]) -> Size:
        """See `Form`: boards and decision nodes, and the seconds of an iteration."""
        size, (precision, memory) = size_of_spot(game.spot), _room(fields)
        numbers = {"decisions": size.decisions, "boards": size.boards, "seconds_per_iteration": size.seconds}
        return Size(numbers, size.bytes(precision), memory)

    @classmethod
    def require_room(cls, game: SpotGame, fields: Mapping[str, Any]) -> None:
        """See `Form`; fields are the precision of the method, and the memory limit."""
        require_room(size_of_spot(game.spot), *_room(fields))

    @property
    def stored(self) -> int:
        """Number of stored regrets, and of averages."""
        return stored_numbers(self.contexts, self.betting.streets)[1]

    @property
    def scaled(self) -> int:
        """Number of decision nodes on all boards: each has a scale of numbers that are stored in 16 bits."""
        return stored_numbers(self.contexts, self.betting.streets)[0]

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Each player's weights of the hands at the root."""
        first, second = (w[h] for w, h in zip(self.spot.weights, self.contexts[0].hands, strict=True))
        return first, second

    def find(self, line: str) -> NodeAddress:
        """Return the address of a line; raise ParameterError, with the allowed actions, if it has none."""
        return self._follow(line)[0]

    def canonical_line(self, line: str) -> str:
        """Return a line in canonical spelling: ``check/bet 50/call/ts`` is ``Check/Bet(50)/Call/Ts``."""
        return "/".join(self._follow(line)[1])

    def _follow(self, line: str) -> tuple[NodeAddress, list[str]]:
        """Follow a line; return its address and its parts in canonical spelling."""
        address, spelling = START, list[str]()
        parts = line.split("/") if line.strip().lower() not in ("", ROOT) else []
        for number, part in enumerate(parts):
            if self.kind(address) == arrays.NEXT:
                address = self._deal(address, parts, number)
                spelling.append(card_text(read_cards(part)[0]))
                continue
            known = self.choices(address)
            action = part if part in known else find_action(part, known)
            if action is None:
                allowed = ", ".join(known) or "none, the hand is over"
                raise _line_error(parts, number, f"{part!r} is not an action there; allowed: {allowed}.")
            address = address._replace(node=known[action])
            spelling.append(action)
        return address, spelling

    def _deal(self, address: NodeAddress, parts: list[str], index: int) -> NodeAddress:
        """Return the address after a card, part `index` of a line."""
        cards = read_cards(parts[index], f"the card after {'/'.join(parts[:index]) or 'the root'}")
        if len(cards) == 1 and (below := self.child_context(address.context, address.suits, cards[0])) is not None:
            return NodeAddress(address.street + 1, self.betting.root_below(address.street, address.node), *below)
        why = f"expected one card for the next street that is not on the board, got {parts[index]!r}."
        raise _line_error(parts, index, why)

    def child_context(self, context: int, suits: Permutation, card: int) -> tuple[int, Permutation] | None:
        """Return the context after a card, and the suits there; None if the card is not dealt.

        suits: permutation from the line's suits to those of the context.
        """
        card = permute_card(card, suits)
        for number in self.contexts[context].children:
            below = self.contexts[number]
            for way in below.ways:
                if permute_card(below.board[-1], way) == card:
                    return number, compose(suits, inverse(way))
        return None

    def kind(self, address: NodeAddress) -> int:
        """Return the kind of the node at an address: a player to act or an end, see `kernels.arrays`."""
        return int(self.betting.streets[address.street].kind[address.node])

    def position(self, address: NodeAddress) -> BettingState:
        """Return the position of the betting at an address."""
        return self.betting.streets[address.street].position[address.node]

    def choices(self, address: NodeAddress) -> dict[str, int]:
        """Return the nodes after an address by the names of the actions."""
        return self.betting.streets[address.street].choices(address.node)

    def chance(self, address: NodeAddress) -> float:
        """Return the product of the numbers of cards from which chance deals on the way to an address."""
        return float(np.prod(self.form.streets[1 : address.street + 1, 2]))

    def block(self, context: int, street: int, node: int) -> slice:
        """Return the slice of a decision node's stored numbers, `[actions, hands of the player]`, on a board."""
        tree, row = self.betting.streets[street], self.form.contexts[context]
        player = int(tree.kind[node])
        size = int(row[arrays.SIZE + player])
        start = int(row[arrays.BASE + player] + tree.before[node] * size)
        return slice(start, start + int(tree.count[node]) * size)

    def apply_locks(self, address: NodeAddress, shares: np.ndarray) -> np.ndarray:
        """Return a strategy `[actions, hands of the player]` at an address with its locks in it."""
        node, form = int(self.offsets[address.street]) + address.node, self.form
        for row in form.locks[
            (form.locks[:, 0] == node) & (form.locks[:, 1] == address.context), arrays.LOCK_START
        ].tolist():
            free, *held = form.locked[row:][: (len(shares) + 1) * shares.shape[1]].reshape(len(shares) + 1, -1)
            return shares * free + held
        return shares

    def with_ranges(self, ranges: tuple[Range, Range]) -> CompiledSpot:
        """Return the same boards and hands with other weights, which may be 0; no hand may be added."""
        spot = replace(self.spot, ranges=ranges)
        payoffs = self.form.payoffs * (self.spot.pairs / spot.pairs)
        return replace(self, spot=spot, form=self.form._replace(payoffs=payoffs))

    def with_locked(self, rows: Mapping[tuple[int, int], np.ndarray]) -> CompiledSpot:
        """Return the same spot with these rows `[1 + actions, hands]` in place of its locks.

        A strategy is multiplied by the first row, and the others are added to its actions. The rows are by node, in
        the list of all, and context.
        """
        nodes, keys = self.form.nodes.copy(), sorted(rows)
        starts = np.cumsum([0, *(rows[key].size for key in keys)])
        for number, (node, _) in reversed(list(enumerate(keys))):
            nodes[node, arrays.LOCK] = number
        locks = np.array([(*key, start) for key, start in zip(keys, starts.tolist(), strict=False)], dtype=np.int64)
        locked = np.concatenate([rows[key].ravel() for key in keys])
        return replace(self, form=self.form._replace(nodes=nodes, locks=locks, locked=locked))

    def work(self, dtype: str, separate: bool = False) -> arrays.Workspace:
        """Return scratch for traversals in numbers of a type; separate: for separate traversals of boards."""
        count, largest = len(self.form.nodes), int(self.form.contexts[:, arrays.SIZE : arrays.SIZE + 2].max())
        largest = -(-largest // WIDTH) * WIDTH
        actions = int(self.form.nodes[:, arrays.COUNT].max())
        lines = (len(self.betting.streets[1].roots) - 1) * len(self.contexts[0].children) if separate else 0
        return arrays.Workspace(
            reach=aligned((count, largest), dtype),
            value=aligned((count, largest), dtype),
            live=np.zeros(count, dtype=np.uint8),
            lanes=aligned((3, largest, WIDTH), dtype),
            transposed=aligned((2, WIDTH, arrays.BLOCK), dtype),
            card_sums=aligned((CARDS, WIDTH), dtype),
            stack=np.zeros((3, 3), dtype=np.int64),
            batch=np.zeros(WIDTH, dtype=np.int64),
            starts=np.concatenate([np.zeros(WIDTH, np.int64), WIDTH * np.arange(WIDTH)]),
            buffer=aligned((actions, largest), dtype),
            root_values=np.zeros((lines, largest), dtype),
        )


def _room(fields: Mapping[str, Any]) -> tuple[str, float]:
    return fields.get("precision", "single"), fields.get("memory", MEMORY)


def compile_spot(spot: Spot, isomorphism: bool = True) -> CompiledSpot:
    """Compile a spot; with `isomorphism`, boards that differ only by names of suits are merged."""
    tree, contexts = build_tree(spot.betting, spot.street), list_contexts(spot, isomorphism)
    boards = compile_contexts(spot, tree, contexts)
    offsets = np.cumsum([0, *(len(street.kind) for street in tree.streets)])
    compiled = CompiledSpot(spot, tree, contexts, offsets, _form(spot, tree, boards, offsets))
    return _locked(compiled) if spot.locks else compiled


def _locked(compiled: CompiledSpot) -> CompiledSpot:
    """Return the compiled spot with its locks; a lock of isomorphic nodes is stored once."""
    shares_of: dict[tuple[int, int], np.ndarray] = {}
    for lock in compiled.spot.locks:
        address, none = compiled.find(lock.line), np.zeros(len(HANDS))
        hands = compiled.contexts[address.context].hands[compiled.kind(address)]
        rows = [lock.free.astype(float), *(lock.shares.get(name, none) for name in compiled.choices(address))]
        hand_shares = np.zeros((len(rows), len(HANDS)))
        hand_shares[:, permute_hands(address.suits)] = rows
        shares_of[int(compiled.offsets[address.street]) + address.node, address.context] = hand_shares[:, hands]
    return compiled.with_locked(shares_of)


def _form(spot: Spot, tree: BettingTree, boards: Boards, offsets: np.ndarray) -> arrays.SpotArrays:
    nodes = _nodes(tree, offsets)
    largest = int(boards[0][:, arrays.SIZE : arrays.SIZE + 2].max())
    streets, chunks, roots = _chunks(spot, tree, offsets, _CHUNK // (8 * largest))
    entries, ends = _entries(nodes, chunks)
    half = np.concatenate([street.half for street in tree.streets])
    payoffs = np.stack([_end_payoffs(spot, nodes[:, arrays.KIND], half, traverser) for traverser in (0, 1)])
    no_locks = np.zeros((0, 3), dtype=np.int64), np.zeros(0)
    return arrays.SpotArrays(nodes, payoffs, streets, chunks, roots, entries, ends, *boards, *no_locks)


def _nodes(tree: BettingTree, offsets: np.ndarray) -> np.ndarray:
    nodes = np.zeros((int(offsets[-1]), arrays.NODE_COLUMNS), dtype=np.int32)
    for street, start in zip(tree.streets, offsets.tolist(), strict=False):
        span = slice(start, start + len(street.kind))
        nodes[span, arrays.KIND], nodes[span, arrays.COUNT] = street.kind, street.count
        nodes[span, arrays.FIRST], nodes[span, arrays.BEFORE] = street.first + start, street.before
        for player in (0, 1):
            nodes[span, arrays.DECISION][street.kind == player] = np.arange((street.kind == player).sum())
    nodes[:, arrays.SOURCE] = nodes[:, arrays.LOCK] = -1
    for number in range(1, len(tree.streets)):
        above, below = tree.streets[number - 1], tree.streets[number]
        source = offsets[number - 1] + np.flatnonzero(above.kind == arrays.NEXT)
        nodes[offsets[number] + below.roots[:-1], arrays.SOURCE] = source
    for traverser in (0, 1):
        slot = np.arange(len(nodes))
        for node in np.flatnonzero(nodes[:, arrays.KIND] == traverser).tolist():
            first, count = nodes[node, arrays.FIRST], nodes[node, arrays.COUNT]
            slot[first : first + count] = slot[node]
        nodes[:, arrays.REACH_NODE + traverser] = slot
    return nodes


def _chunks(
    spot: Spot, tree: BettingTree, offsets: np.ndarray, largest: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return streets, chunks without entries, and roots.

    Chunks of the last street have `largest` nodes or one line.
    """
    streets, chunks, roots = list[list[int]](), list[list[int]](), list[int]()
    for number, (street, start) in enumerate(zip(tree.streets, offsets.tolist(), strict=False)):
        first, last = len(chunks), number == len(tree.streets) - 1
        for lines in _runs(street.roots, largest if last else len(street.kind)):
            span = [start + int(street.roots[lines[0]]), start + int(street.roots[lines[-1] + 1])]
            chunks.append([*span, len(roots), len(roots) + len(lines)])
            roots += [start + int(street.roots[line]) for line in lines]
        streets.append([first, len(chunks), len(spot.deck) - len(spot.board) - number - 3])
    table = np.zeros((len(chunks), arrays.CHUNK_COLUMNS), dtype=np.int64)
    table[:, : arrays.ENTRY] = chunks
    return np.array(streets, dtype=np.int64), table, np.array(roots, dtype=np.int64)


def _runs(roots: np.ndarray, largest: int) -> list[list[int]]:
    """Return lines in runs of at most `largest` nodes each; longer lines alone."""
    runs: list[list[int]] = []
    start = 0
    for line in range(len(roots) - 1):
        if not runs or roots[line + 1] - start > largest:
            runs.append([])
            start = int(roots[line])
        runs[-1].append(line)
    return runs


def _entries(nodes: np.ndarray, chunks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of chunks for each traverser, and their ends; fill in `chunks`.

    An entry is a reach at which a chunk ends. Entries with showdowns come first.
    """
    kind = nodes[:, arrays.KIND]
    is_end = (kind == arrays.FOLD_0) | (kind == arrays.FOLD_1) | (kind == arrays.SHOWDOWN)
    entries, ends = list[list[int]](), list[int]()
    for traverser in (0, 1):
        for chunk in chunks:
            by_slot: dict[int, list[int]] = {}
            for node in range(chunk[arrays.NODE], chunk[arrays.NODE + 1]):
                if is_end[node]:
                    by_slot.setdefault(int(nodes[node, arrays.REACH_NODE + traverser]), []).append(node)
            chunk[arrays.ENTRY + 2 * traverser] = len(entries)
            shown = {slot: int((kind[of_slot] == arrays.SHOWDOWN).any()) for slot, of_slot in by_slot.items()}
            for slot in sorted(by_slot, key=lambda slot: -shown[slot]):
                entries.append([slot, shown[slot], len(ends), len(ends) + len(by_slot[slot])])
                ends += by_slot[slot]
            chunk[arrays.ENTRY + 2 * traverser + 1] = len(entries)
    return np.array(entries, dtype=np.int64).reshape(-1, arrays.ENTRY_COLUMNS), np.array(ends, dtype=np.int64)


def _end_payoffs(spot: Spot, kind: np.ndarray, half: np.ndarray, traverser: int) -> np.ndarray:
    """Return `[N, 2]` payoffs of ends to a traverser: per reach won less lost, and per compatible reach."""
    rake = spot.rake(half)
    won = np.where(kind == arrays.SHOWDOWN, half - rake / 2, 0.0)
    folds = np.where(kind == arrays.FOLD_0 + traverser, -half, half - rake)
    met = np.where(kind == arrays.SHOWDOWN, -rake / 2, folds)
    return np.stack([won, met], axis=1) / spot.pairs
