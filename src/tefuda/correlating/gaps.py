"""Gaps of a correlation device to the sets of correlated equilibria, for any number of players.

A player that leaves the device knows nothing (NFCCE), or that obedience led to an infoset (EFCCE), or also the
recommendation there (EFCE) (von Stengel, Forges 2008; Farina, Bianchi, Sandholm 2020). Two conventions measure
the gain: the *total* is that of a best response in the game with the device, summed over players; the *largest* is that
of one trigger. Both are 0 together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.correlating.triggers import TriggerForm
from tefuda.errors import check_choice, check_range
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import SequenceForm

#: The concepts, from the largest set of equilibria to the smallest, and the conventions of gaps.
CONCEPTS = ("nfcce", "efcce", "efce")
CONVENTIONS = ("total", "largest")


@dataclass(frozen=True)
class Gaps:
    """The gaps of a device, by concept.

    A gain may be negative: a device can beat all own plans. The margin to spare is the same number without its sign.

    Attributes:
        values: value of each player if all obey.
        totals: gains of the players by a best response to the device, by concept.
        largest: largest gain of each player by one trigger, by concept.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> gaps = td.correlating.Device.of([td.Profile.uniform(tree)]).gaps
    >>> round(gaps.gap("efce"), 6), round(gaps.gap("nfcce", "largest"), 6)
    (0.916667, 0.541667)
    """

    values: tuple[float, ...]
    totals: Mapping[str, tuple[float, ...]]
    largest: Mapping[str, tuple[float, ...]]

    def gap(self, concept: str = "efce", how: str = "total", player: int | None = None) -> float:
        """Return a gap: the sum of the total gains, or the largest gain; negative gains count as 0.

        Args:
            concept: one of `CONCEPTS`.
            how: one of `CONVENTIONS`.
            player: the only player whose gains count, or None: all count.

        Raises:
            ParameterError: another concept or convention, or no such player.
        """
        check_choice("concept", concept, CONCEPTS)
        check_choice("how", how, CONVENTIONS)
        check_range("player", 0 if player is None else player, 0, len(self.values) - 1)
        gains = np.maximum(getattr(self, "totals" if how == "total" else how)[concept], 0.0)
        gains = gains if player is None else gains[[player]]
        return float(gains.sum() if how == "total" else gains.max())

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON values."""
        concepts = {
            concept: {
                **{how: self.gap(concept, how) for how in CONVENTIONS},
                "gains": list(self.totals[concept]),
                "largest_gains": list(self.largest[concept]),
            }
            for concept in CONCEPTS
        }
        return {"values": list(self.values), **concepts}


def gaps_of(form: SequenceForm, triggers: TriggerForm, table: np.ndarray) -> Gaps:
    """Return the gaps of a trigger table `[E]`; triggers: those of recommended actions."""
    work = Workspace(triggers, "u v")
    work["u"][:] = table
    work.run(program(*map(work.layout.fold_best, range(form.players))))
    gains = [_Gains(form, triggers, player, table, work["u"]) for player in range(form.players)]
    totals = {concept: tuple(each.totals[concept] for each in gains) for concept in CONCEPTS}
    largest = {concept: tuple(each.largest[concept] for each in gains) for concept in CONCEPTS}
    return Gaps(tuple(each.value for each in gains), totals, largest)


class _Gains:
    """The gains of one player.

    Arrays have a number for each of the player's sequences, its empty sequence first.
    """

    def __init__(
        self, form: SequenceForm, triggers: TriggerForm, player: int, table: np.ndarray, best: np.ndarray
    ) -> None:
        groups, own = form.groups_of(player), form.own(player)
        first, obeyed = triggers.first[own], triggers.latest[own].copy()  # copies whose trigger is the sequence itself
        decided = obeyed.copy()  # copies whose trigger is the sequence before the infoset
        for parents, actions in groups:
            obeyed[actions] += np.arange(len(actions))[:, None]
            decided[actions] = first[actions] + (obeyed - first)[parents]
        self._groups, self._direct = groups, table[obeyed]
        # The best responses from an infoset on, once the player knows its recommendation there, or before.
        informed, before = best[triggers.root[obeyed]], best[decided]
        obey, self.value = self._fold(lambda actions, after: after.sum(axis=0))
        coarse = self._fold(lambda actions, after: np.maximum(before[actions].max(axis=0), after.sum(axis=0)))
        fine = self._fold(lambda actions, after: np.maximum(informed[actions], after).sum(axis=0))
        never = float(informed[0]) - self.value
        self.totals = {"nfcce": never, "efcce": coarse[1] - self.value, "efce": fine[1] - self.value}
        gains = [(before[actions].max(axis=0) - obey[actions].sum(axis=0)).max() for _, actions in groups]
        here = (informed - obey)[1:].max(initial=-np.inf)
        self.largest = {"nfcce": never, "efcce": float(max(gains, default=0.0)), "efce": float(here) if groups else 0.0}

    def _fold(self, rule: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[np.ndarray, float]:
        """Fold the values of obedience back; return those after each sequence, and at the start.

        rule: value of infosets from their actions `[k, m]` and the values after these.
        """
        values = self._direct.copy()
        for parents, actions in reversed(self._groups):
            np.add.at(values, parents, rule(actions, values[actions]))
        return values, float(values[0])
