"""A published claim beside our figure, met or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Claim:
    """One claim.

    what: what is claimed. published: the published figure, as text. ours: our figure. met: whether ours confirms it.
    condition: what counts as confirming, e.g. ``"within 1e-7"``.
    """

    what: str
    published: str
    ours: str
    condition: str
    met: bool


def close(what: str, published: float, ours: float, tolerance: float) -> Claim:
    """A claim met if our figure is within `tolerance` of the published one."""
    met = abs(ours - published) <= tolerance
    return Claim(what, f"{published:.10g}", f"{ours:.10g}", f"within {tolerance:g}", met)


def below(what: str, published: str, ours: float, bound: float) -> Claim:
    """A claim met if our figure is at most `bound`."""
    return Claim(what, published, f"{ours:.4g}", f"at most {bound:g}", ours <= bound)


def above(what: str, published: str, ours: float, bound: float) -> Claim:
    """A claim met if our figure is at least `bound`."""
    return Claim(what, published, f"{ours:.4g}", f"at least {bound:g}", ours >= bound)


def within(what: str, published: float, ours: Sequence[float], tolerance: float) -> Claim:
    """A claim met if our figure is within `tolerance` of the published one for every seed."""
    shown = f"{min(ours):.4g} to {max(ours):.4g}"
    met = all(abs(one - published) <= tolerance for one in ours)
    return Claim(what, f"{published:.4g}", shown, f"within {tolerance:g}, {len(ours)} seeds", met)


@dataclass(frozen=True)
class Panel:
    """One picture: lines of (x, y) by name, and levels across; on logarithmic axes unless said."""

    title: str
    across: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)
    upwards: str = "NashConv (game's unit per game)"
    logarithmic: bool = True


@dataclass(frozen=True)
class ClaimTable:
    """All claims of one source, with what should be known when reading them.

    panels: what can be drawn.
    """

    title: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every claim is met."""
        return all(claim.met for claim in self.claims)

    def summary(self) -> dict[str, Any]:
        """The table as JSON values."""
        rows = [asdict(claim) for claim in self.claims]
        return {"title": self.title, "met": self.met, "claims": rows, "notes": list(self.notes)}


#: Runs an experiment; told what it is doing now and then. Keyword arguments are its options.
Experiment = Callable[..., ClaimTable]
