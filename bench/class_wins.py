"""Write `equities.npz`, the preflop wins of each class of hands against each other class.

``python -m bench.class_wins [FILE]`` counts all pairs of hands and all boards in half a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tefuda._kernels.jit import kernel
from tefuda.files import write_arrays
from tefuda.holdem import equities
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS
from tefuda.holdem.kernels.equity import live_hands
from tefuda.holdem.rank import SETS
from tefuda.holdem.suits import PERMUTATIONS


@kernel
def _count(sets, cards, class_of, boards, times, wins):
    """Add to wins[i, j] the wins of class i against class j, over boards and pairs without a shared card."""
    size, classes = sets.shape[0], wins.shape[0]
    live, strengths = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    below, of_card = np.empty(classes, dtype=np.int32), np.empty((52, classes), dtype=np.int32)
    for b in range(boards.shape[0]):
        number = live_hands(sets, boards[b], live, strengths)
        below[:] = 0
        of_card[:] = 0
        start = 0
        while start < number:
            stop = start
            while stop < number and strengths[stop] == strengths[start]:
                own = wins[class_of[live[stop]]]
                one, two = of_card[cards[live[stop], 0]], of_card[cards[live[stop], 1]]
                for j in range(classes):
                    own[j] += times[b] * (below[j] - one[j] - two[j])
                stop += 1
            for i in range(start, stop):
                below[class_of[live[i]]] += 1
                of_card[cards[live[i], 0], class_of[live[i]]] += 1
                of_card[cards[live[i], 1], class_of[live[i]]] += 1
            start = stop


def count_class_wins() -> np.ndarray:
    """Return `[169, 169]` int32 wins of the row's class against the column's."""
    boards, times = equities.list_boards((), PERMUTATIONS)
    wins = np.zeros((len(CLASSES), len(CLASSES)), dtype=np.int32)
    _count(SETS, HANDS, CLASS_OF, boards, times, wins)
    return wins


if __name__ == "__main__":
    write_arrays(Path(sys.argv[1]) if len(sys.argv) > 1 else equities.TABLE, {"wins": count_class_wins()}, {})
