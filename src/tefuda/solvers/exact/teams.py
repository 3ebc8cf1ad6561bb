"""Teams: threads that run a program of steps together, with the same bits as one thread.

Each thread runs its share of every step: a range of sequences, of pairs or of a group's infosets. Barriers separate the
steps. A team needs cores that do nothing else, since every barrier waits for the slowest thread. `Pace` therefore
measures both ways of running the program and chooses the faster one.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
import warnings
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from tefuda._kernels import programs as kernels
from tefuda.errors import ParameterError, out_of_range
from tefuda.forms.programs import ONCE, Instruction, Workspace, program
from tefuda.forms.sequence import SequenceForm

_LANES = 16  # infosets that the kernels update at once: parts of a group begin at multiples of it
_LEAST = 2_048  # sequences of a group that is split: its two barriers take the time of a thousand sequences
_COLUMNS = 9  # of a step in a share
_SLEEP = 5e-5  # seconds between two looks at a barrier whose other threads are late

_HISTORIES = 900_000  # least size of a tree for a team: with smaller ones two threads are hardly faster
_MOST = 64  # threads of a team; every barrier looks at all of them

#: The steps of each thread between two barriers.
Phase = list[list[Instruction]]


def team_size(workers: int | Executor | None, histories: int) -> int:
    """Return the number of threads for a tree; 1 if workers is None.

    Raises:
        ParameterError: workers is not a number of threads, or the tree is too small for more than one.
    """
    if workers is None:
        return 1
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= _MOST:
        raise out_of_range("workers", workers, f"a number of threads from 1 to {_MOST}")
    if workers > 1 and histories < _HISTORIES:
        raise ParameterError(
            f"workers must be 1 for trees of fewer than {_HISTORIES:,} histories, on which threads save no time; got "
            f"{workers} for {histories:,} histories. Leave workers out.",
            key="workers",
        )
    return workers


def shares(form: SequenceForm, steps: np.ndarray, threads: int) -> list[np.ndarray]:
    """Return each thread's share `[S, 9]` of a program."""
    phases = [phase for step in steps.tolist() for phase in _phases(form, step, threads)]
    # The first thread needs no barrier between two steps that it runs alone.
    ends = [not (_is_alone(one) and _is_alone(two)) for one, two in itertools.pairwise(phases)] + [True]
    found: list[list[Instruction]] = [[] for _ in range(threads)]
    number = 0
    for phase, end in zip(phases, ends, strict=True):
        number += end
        for share, part in zip(found, phase, strict=True):
            share += [*part, (kernels.BARRIER, number, sum(ends))] if end else part
    return [program(share, columns=_COLUMNS) for share in found]


def _is_alone(phase: Phase) -> bool:
    """Return whether only the first thread has steps."""
    return not any(phase[1:])


def _phases(form: SequenceForm, step: list[int], threads: int) -> list[Phase]:
    kind, first, end, *arrays = step
    if kind == kernels.MATCH:
        return [
            phase
            for group in range(end - 1, first - 1, -1)
            for phase in (
                _parts(form, kernels.MATCH_PART, group, arrays, threads),
                _alone(_part(kernels.ADD_MEANS, group, arrays[1:3]), threads),
            )
        ]
    if kind == kernels.REALISE:
        return [_parts(form, kernels.REALISE_PART, group, arrays, threads) for group in range(first, end)]
    if kind == kernels.BLOCKS:
        return [_blocks(form, step, threads)]
    if kind == kernels.LEAVES:
        # A sequence costs about as much as two leaves.
        cost = np.diff(form.leaf_start[first : end + 1].astype(np.int64)) + 2
        return [_ranges(step, first + balanced(cost, threads))]
    if kind in (kernels.PAIRS, kernels.ACCUMULATE, kernels.COPY, kernels.PULL):
        return [_ranges(step, np.linspace(first, end, threads + 1).astype(np.int64))]
    return [_alone(tuple(step), threads)]


def _alone(step: Instruction, threads: int) -> Phase:
    return [[step], *([] for _ in range(threads - 1))]


def _ranges(step: Sequence[int | np.uint64], bounds: np.ndarray) -> Phase:
    """Return a step with a range for each thread."""
    kind, _, _, *arrays = step
    ranges = itertools.pairwise(bounds.tolist())
    return [[(kind, low, stop, *arrays)] if low < stop else [] for low, stop in ranges]


def _parts(form: SequenceForm, kind: np.uint64, group: int, arrays: list[int], threads: int) -> Phase:
    """Return a step of a group with a range of infosets for each thread."""
    _, m, k, _ = form.groups[group].tolist()
    threads_here = threads if m * k >= _LEAST else 1
    vectors = -(-m // _LANES)
    bounds = np.minimum(_LANES * (vectors * np.arange(threads_here + 1) // threads_here), m)
    phase = _ranges(_part(kind, group, arrays), bounds)
    return phase + [[] for _ in range(threads - threads_here)]


def _part(kind: np.uint64, group: int, arrays: list[int]) -> Instruction:
    """Return a step of a group; the number of the group follows five arrays."""
    return (kind, 0, 0, *(arrays + [0] * 5)[:5], group)


def _blocks(form: SequenceForm, step: list[int], threads: int) -> Phase:
    """Return a step of blocks with a range for each thread, at whose ends the own sequences change."""
    kind, first, end, x, u, block, stop = step[:7]
    own = form.blocks[block:stop, 0].astype(np.int64)
    # A column of a block costs about as much as 1.5 leaves, a block as much as 6.
    cost = 1.5 * form.blocks[block:stop, 4::2].astype(np.float64).prod(axis=1) + 6
    places = np.searchsorted(own, own[balanced(cost, threads)[1:-1]])
    bounds = [first, *own[places].tolist(), end]
    blocks = [block, *(block + places).tolist(), stop]
    ranges = zip(itertools.pairwise(bounds), itertools.pairwise(blocks), strict=True)
    return [[(kind, low, high, x, u, one, two)] if low < high else [] for (low, high), (one, two) in ranges]


def balanced(cost: np.ndarray, parts: int) -> np.ndarray:
    """Return `[parts + 1]` the bounds of consecutive items in parts of about equal cost."""
    total = np.cumsum(cost)
    inner = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
    return np.concatenate([[0], inner, [len(cost)]])


class Pace:
    """The choice between one thread and a team, by the time that an iteration takes at present.

    A team is used while it is at least as fast as the best of the last measurements of one thread. The way that is not
    used is measured again later. A team that was slower waits until all that it lost is a small part of the time since.
    """

    _MEASURED = 0.01  # seconds of a measurement of the way that is not used
    _CHUNK = 0.05  # seconds between two choices
    _INTERVAL = 0.5  # least seconds between two measurements
    _LOSS = 1 / 30  # part of the time that measurements may cost
    _KEPT = 5  # measurements of one thread: other programs make some of them longer

    def __init__(self) -> None:
        self._used = False  # whether a team is used
        self._alone: deque[float] = deque(maxlen=self._KEPT)  # seconds of an iteration
        self._team = 0.0
        self._due = 0.0  # time of the next measurement of the other way

    def choose(self, now: float) -> tuple[bool, int]:
        """Return whether a team runs next, and the number of iterations."""
        if not self._alone:
            return False, 1
        measured = now >= self._due
        together, alone = self._used != measured, min(self._alone)
        seconds = self._MEASURED if measured else self._CHUNK
        return together, max(1, int(seconds / ((together and self._team) or alone)))

    def record(self, together: bool, iterations: int, seconds: float, now: float) -> None:
        """Record the time that iterations took until now."""
        cost = seconds / iterations
        if not together:
            self._alone.append(cost)
            if self._used:
                self._wait(seconds - iterations * self._team, now)
            return
        self._team, best = cost, min(self._alone)
        if cost > best:
            self._wait(seconds - iterations * best, now)
        elif not self._used:
            self._due = now  # one thread is measured at once, warm
        self._used = cost <= best

    def _wait(self, lost: float, now: float) -> None:
        """Put off the next measurement after one that lost some seconds."""
        self._due = now + max(self._INTERVAL, lost / self._LOSS)


class Team:
    """Two or more threads that run a program on a workspace."""

    def __init__(self, work: Workspace, steps: np.ndarray, threads: int) -> None:
        self._work, self._steps, self._pace = work, steps, Pace()
        self._shares = shares(work.layout.form, steps, threads)
        self._run_share(0, ONCE[:0], self._counters(), [])  # loads the kernel

    def run(self, rules: np.ndarray) -> None:
        """Run the program once per rule, by one thread or by all, whichever is faster at present."""
        while len(rules):
            start = time.perf_counter()
            together, count = self._pace.choose(start)
            now, rules = rules[:count], rules[count:]
            if together and not self._run_together(now):
                warnings.warn("no further thread can be started; continuing with one.", RuntimeWarning, 2)
                self._pace.record(True, 1, math.inf, start)  # is never chosen again
                together = False
            if not together:
                self._work.run(self._steps, now)
            end = time.perf_counter()
            self._pace.record(together, len(now), end - start, end)

    def _counters(self) -> np.ndarray:
        return np.zeros(len(self._shares) * int(kernels.COUNTER_STEP), dtype=np.uint64)

    def _run_together(self, rules: np.ndarray) -> bool:
        """Run the program once per rule by all threads; return False, with nothing done, if they cannot start."""
        counters, ready = self._counters(), threading.Event()
        errors: list[BaseException] = []  # all threads end as soon as there is one

        def work(number: int) -> None:
            ready.wait()
            try:
                self._run_share(number, rules, counters, errors)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(1, len(self._shares))]
        started = False
        try:
            for thread in threads:
                thread.start()
            started = True
            ready.set()
            self._run_share(0, rules, counters, errors)
        except BaseException as error:
            errors.append(error)
        ready.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        if errors and (started or not isinstance(errors[0], RuntimeError)):
            raise errors[0]
        return started

    def _run_share(self, number: int, rules: np.ndarray, counters: np.ndarray, errors: Sequence[BaseException]) -> None:
        form, state, steps = self._work.layout.form, self._work.state, self._shares[number]
        thread, done, total = np.uint64(number), 0, len(rules) * len(steps)
        while not errors:
            rest = (rules, counters, thread, np.uint64(done))
            done = int(kernels.run_share(form.index, form.values, state, steps, *rest))
            if done == total:
                return
            time.sleep(_SLEEP)
