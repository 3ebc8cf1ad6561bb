"""Programs of compiled loops over a sequence form (`_kernels.programs`), and their arrays.

A program is a list of steps: gather the utilities of a player's leaves, fold them back, realise a strategy, and so on.
Solvers and evaluations run their programs by one kernel, which is compiled once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tefuda._kernels import programs as kernels
from tefuda.forms.arrays import aligned, ranges
from tefuda.forms.sequence import PAYOFFS, SequenceForm, assemble

#: A step: its kind, the range that it works on, and the places of its arrays.
Instruction = tuple[int | np.uint64, ...]

_LINE = 8  # numbers of a cache line
_PAGE = 512  # numbers of a page of memory
_SHIFT = 9 * _LINE  # distance of two rows, beyond whole pages
_COLUMNS = 8  # of a step
ONCE = np.zeros((1, kernels.COLUMNS))  # a rule for programs that update no regrets


class Layout:
    """The places of arrays by sequence `[Q]` in one array, the state, which ends with products of pairs.

    Args:
        form: sequence form.
        names: names of the arrays, separated by spaces.
    """

    def __init__(self, form: SequenceForm, names: str) -> None:
        width = -(-form.sequences // _LINE) * _LINE
        if width > _PAGE:  # where rows are apart by whole pages, loads wait for unrelated stores: 4 % on liar's dice
            width += (_SHIFT - width) % _PAGE
        self.form = form
        self.places = {name: width * number for number, name in enumerate(names.split())}
        self._products = width * len(self.places)
        self.size = self._products + len(form.pairs)

    def zeros(self, precision: str = "float64") -> np.ndarray:
        """Return a new state of zeros, of the type `precision`."""
        return aligned((self.size,), precision)

    def view(self, state: np.ndarray, name: str) -> np.ndarray:
        """Return one array of a state."""
        return state[self.places[name] : self.places[name] + self.form.sequences]

    def _step(self, kind: np.uint64, span: np.ndarray, player: int, *names: str) -> Instruction:
        return (kind, int(span[player]), int(span[player + 1]), *(self.places[name] for name in names))

    def gather(self, player: int, x: str = "x", u: str = "u") -> list[Instruction]:
        """Fill u of a player's sequences: the sum over leaves of value times the opponents' reach by x."""
        form, reaches, utilities = self.form, self.places[x], self.places[u]
        sequences, blocks, pairs = (
            tuple(span[player : player + 2].tolist()) for span in (form.span, form.block_span, form.pair_span)
        )
        leaves, blocked = form.leaf_start[sequences[0]] < form.leaf_start[sequences[1]], blocks[0] < blocks[1]
        steps: list[Instruction] = [(kernels.BLOCKS, *sequences, reaches, utilities, *blocks)] if blocked else []
        if leaves and pairs[0] < pairs[1]:
            steps.append((kernels.PAIRS, *pairs, reaches, self._products))
            reaches = self._products
        if leaves or not blocked:
            steps.append((kernels.LEAVES, *sequences, reaches, utilities, int(blocked)))
        return steps

    def fold_mean(self, player: int, g: str = "g", u: str = "u", v: str = "v") -> Instruction:
        """Fold u back with the behaviour strategy g; v: scratch."""
        return self._step(kernels.FOLD_MEAN, self.form.group_span, player, g, u, v)

    def fold_best(self, player: int, u: str = "u", v: str = "v") -> Instruction:
        """Fold u back by best responses; v: scratch."""
        return self._step(kernels.FOLD_BEST, self.form.group_span, player, u, v)

    def choose(self, player: int, g: str, u: str = "u") -> Instruction:
        """Set g to 1 at the first best action of each infoset by u, to 0 at the others."""
        return self._step(kernels.CHOOSE, self.form.group_span, player, g, u)

    def match(self, player: int, g: str = "g", u: str = "u", groups: np.ndarray | None = None) -> Instruction:
        """Fold u back with g, update regrets and predictions, and match the next g to them.

        groups: `[P + 1]` the groups of each player. Default: those of its infosets.
        """
        span = self.form.group_span if groups is None else groups
        return self._step(kernels.MATCH, span, player, g, u, "v", "regret", "expected")

    def _shares(self, kind: np.uint64, player: int, *names: str) -> Instruction:
        """Return a step with classes; see `SequenceForm.extended`."""
        _, first, end, *places = self._step(kind, self.form.span, player, *names)
        return kind, first + self.form.starts(player), end, len(self.form.index) - self.form.sequences, *places

    def add_shares(self, player: int) -> Instruction:
        """Fill utility by class: the sum of share * u over the sequences of a class."""
        return self._shares(kernels.ADD_SHARES, player, "share", "u", "utility")

    def take_shares(self, player: int) -> Instruction:
        """Fill g with share * strategy of each sequence's class."""
        return self._shares(kernels.TAKE_SHARES, player, "share", "strategy", "g")

    def realise(self, player: int, g: str = "g", x: str = "x") -> Instruction:
        """Fill x with the realisation plan of g; x of the empty sequence is read."""
        return self._step(kernels.REALISE, self.form.group_span, player, g, x)

    def accumulate(self, player: int) -> Instruction:
        """Add x to the average, with the decay and the weight of the rule."""
        return self._step(kernels.ACCUMULATE, self.form.span, player, "x", "average")

    def pull(self, player: int) -> Instruction:
        """Subtract the rule's magnet * (x - reference) from u."""
        return self._step(kernels.PULL, self.form.span, player, "x", "reference", "u")

    def lift(self, player: int) -> Instruction:
        """Fill `played` with g and the rule's floor under each action."""
        return self._step(kernels.LIFT, self.form.group_span, player, "g", "played")

    def copy(self, player: int, source: str, target: str) -> Instruction:
        """Copy the part of a player."""
        return self._step(kernels.COPY, self.form.span, player, source, target)


def padded(form: SequenceForm) -> SequenceForm:
    """Return the form with infosets of no player that fill each group up to whole cache lines.

    Kernels then read and write whole vectors: an iteration takes 0.85 of the time on Leduc poker. A player has `_LINE`
    sequences before its first move. The first one is the empty sequence; the others precede the added infosets.
    """
    players, (_, m, k, base) = np.arange(form.players + 1), form.groups.astype(np.int64).T
    width = -(-m // _LINE) * _LINE
    ends = np.append(0, np.cumsum(width * k))
    span = ends[form.group_span] + _LINE * players
    owner, group = np.repeat(players[:-1], np.diff(form.group_span)), np.repeat(np.arange(len(k)), k)
    start, action = ends[:-1] + _LINE * (owner + 1), ranges(np.zeros(len(k)), k)
    place = np.empty(form.sequences, dtype=np.int64)
    place[form.span[:-1]] = span[:-1]
    old, new = ((places[group] + action * step[group], m[group]) for places, step in ((base, m), (start, width)))
    place[ranges(*old)] = ranges(*new)
    starts = np.cumsum(width) - width
    infosets, parent = ranges(starts, m), np.repeat(span[owner], width) + np.arange(width.sum()) % _LINE
    parent[infosets] = place[form.parent]
    numbers = np.full(len(parent), -1, dtype=np.int32)
    numbers[infosets] = form.infoset
    groups = np.stack([starts, width, k, start], axis=1)
    treeplex = {"span": span, "group_span": form.group_span, "groups": groups, "parent": parent}
    arrays = assemble(treeplex, _moved(form, place, int(span[-1])), place[form.sequence], form.values)
    return replace(form, **arrays, infoset=numbers)  # type: ignore[arg-type]  # none of them is the scale


def _moved(form: SequenceForm, place: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Return the arrays of payoffs for new numbers of sequences.

    place: `[Q]` the new numbers, rising. count: number of sequences.
    """
    counts, blocks = np.zeros(count, dtype=np.int64), form.blocks.astype(np.int64)
    counts[place] = np.diff(form.leaf_start)
    columns = [0, *range(3, blocks.shape[1], 2)]
    blocks[:-1, columns] = place[blocks[:-1, columns]]
    return {name: getattr(form, name) for name in PAYOFFS} | {
        "leaf_start": np.append(0, np.cumsum(counts)),
        "leaf_other": form.leaf_other if form.players > 2 else place[form.leaf_other],
        "pairs": place[form.pairs],
        "blocks": blocks,
    }


def program(*steps: Instruction | Iterable[Instruction], columns: int = _COLUMNS) -> np.ndarray:
    """Return steps, and lists of steps, as an array `[S, columns]` for `run`."""
    flat = list(itertools.chain.from_iterable([step] if isinstance(step, tuple) else step for step in steps))
    table = np.zeros((len(flat), columns), dtype=np.uint64)
    for row, step in zip(table, flat, strict=True):
        row[: len(step)] = step
    return table


def sections(programs: Iterable[Iterable[Instruction]]) -> tuple[np.ndarray, np.ndarray]:
    """Return programs as one, and the ends of their steps, beginning with 0."""
    parts = list(map(list, programs))
    return program(*parts), np.cumsum([0, *map(len, parts)])


def run(form: SequenceForm, state: np.ndarray, steps: np.ndarray, rules: np.ndarray = ONCE) -> None:
    """Run a program on a state once per rule `[T, 10]` of `CFRMethod.schedule`."""
    values = form.values if state.dtype == form.values.dtype else form.derived(_single_values)
    kernels.run(form.index, values, state, steps, rules)


def _single_values(form: SequenceForm) -> np.ndarray:
    """Return the form's float64 arrays in float32."""
    values = aligned(form.values.shape, "float32")
    values[:] = form.values
    return values


class Workspace:
    """A state of its own, with its arrays by name.

    Args:
        form: sequence form.
        names: names of the arrays, separated by spaces.
        precision: type of the numbers.
    """

    def __init__(self, form: SequenceForm, names: str, precision: str = "float64") -> None:
        self.layout = form.derived(Layout, names)
        self.state = self.layout.zeros(precision)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array `[Q]` of the state."""
        return self.layout.view(self.state, name)

    def run(self, steps: np.ndarray, rules: np.ndarray = ONCE) -> None:
        """Run a program once per rule `[T, 10]` of `CFRMethod.schedule`."""
        run(self.layout.form, self.state, steps, rules)


def realised(form: SequenceForm, g: np.ndarray, starts: Sequence[np.ndarray] | None = None) -> np.ndarray:
    """Return `[Q]` the realisation plans of a behaviour strategy g `[Q]`.

    starts: for each player, the probabilities of its sequences before its first move. Default: 1.
    """
    work = Workspace(form, "g x")
    work["g"][:] = g
    for player, first in enumerate(form.span[:-1].tolist()):
        count = form.starts(player)
        work["x"][first : first + count] = 1.0 if starts is None else starts[player]
    work.run(program(map(work.layout.realise, range(form.players))))
    return work["x"].copy()


def gathered(form: SequenceForm, player: int, x: np.ndarray) -> np.ndarray:
    """Return `[Q]` the utilities of a player's leaves against plans x; 0 at other sequences."""
    work = Workspace(form, "x u")
    work["x"][:] = x
    work.run(program(work.layout.gather(player)))
    return work["u"].copy()


def responded(form: SequenceForm, player: int, utilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[Q]` utilities folded back by a player's best response, and `[Q]` its strategy.

    utilities: `[Q]` utilities of leaves, see `gathered`. The response takes the first of equal actions.
    """
    work = Workspace(form, "u v g")
    work["u"][:] = utilities
    work.run(program(work.layout.fold_best(player), work.layout.choose(player, "g")))
    return work["u"].copy(), work["g"].copy()
