"""The person's own hands: files that the page imports into a store, and the costs of their decisions."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.apps.web.jobs import Job, Jobs, Task
from tefuda.apps.web.workspace import SharedValues, Workspace
from tefuda.errors import ParameterError, RunError
from tefuda.files import read_json, write_json
from tefuda.holdem.cards import read_cards
from tefuda.holdem.hands.hand import NEXT
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.histories.collection import HandCollection
from tefuda.holdem.histories.heads_up import require_heads_up
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.reviews.planning import Plan, Settings, Waiting
from tefuda.holdem.reviews.ranges import RangeBook, holding
from tefuda.holdem.reviews.running import review
from tefuda.holdem.spots.size import MEMORY, default_sizes
from tefuda.holdem.spots.spot import Spot, make_spot
from tefuda.holdem.storage.store import FILE, HandStore
from tefuda.locks import unwritable

MOST = 200_000_000  # bytes of a file
_CHOICES = 4  # filters whose hands are stored: 100,000 hands have 70 MB
SAMPLE = Path(__file__).with_name("sample_hands.txt")
_UPLOAD = re.compile(r"[0-9a-f]{32}")
_IMPORT, _PRICING = "hands import", "hands review"  # jobs
_SKIPPED, _LISTED = "skipped.json", 1000  # file of skipped hands, and their number
_CENTS = 100  # parts of a big blind, the chips of spots where these are whole numbers
_TURN, _RIVER = 2, 3  # streets


def own_hands_of(workspace: Workspace) -> OwnHands:
    """Return the own hands of a workspace."""
    return workspace.part("own hands", lambda: OwnHands(workspace.own_folder / "hands", workspace.jobs))


class OwnHands:
    """Hands in a store. Files arrive in parts, in a folder for each upload, and are imported in a job.

    Args:
        folder: folder of the store.
        jobs: the jobs of the server.

    Attributes:
        choices: hands of the last filters.
    """

    def __init__(self, folder: Path, jobs: Jobs) -> None:
        self.folder, self._jobs, self._incoming = folder, jobs, folder / "incoming"
        self.choices = SharedValues(_CHOICES)
        self._store: HandStore | None = None
        self._hands, self._lock = HandCollection(), threading.Lock()
        shutil.rmtree(self._incoming, ignore_errors=True)  # of a server that was killed

    @property
    def hands(self) -> HandCollection:
        """All imported hands."""
        with self._lock:
            if self._store is None and (self.folder / FILE).exists():
                self._store = HandStore(self.folder)
            if self._store is not None and len(self._store) != len(self._hands):
                self._hands = self._store.hands
            return self._hands

    def receive(self, upload: str, name: str, offset: int, data: bytes) -> None:
        """Add a part to the end of a file of an upload.

        Raises:
            ParameterError: the upload has no valid id, or the part does not follow the one before.
            RunError: the file cannot be written.
        """
        path = self._folder_of(upload) / (re.sub(r"[^\w.+-]+", "_", name)[-80:].strip(".") or "hands")
        size = path.stat().st_size if path.exists() else 0
        if offset != size or size + len(data) > MOST:
            raise ParameterError(f"the part must begin at {size:,} and end before {MOST:,} bytes.", key="offset")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise unwritable(path, error) from None

    def start(self, upload: str) -> dict[str, Any]:
        """Import the files of an upload, or the sample for ``"sample"``; return the state.

        Raises:
            ParameterError: the upload has no valid id, or another import is running.
        """
        folder = self._folder_of(upload) if upload != "sample" else None
        files = [SAMPLE] if folder is None else sorted(folder.glob("*"))

        def listen(job: Job) -> None:
            if folder is not None and not job.active:
                shutil.rmtree(folder, ignore_errors=True)

        self._jobs.start(_IMPORT, import_files, self.folder, files, listener=listen)
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return the state of the last import, see `import_files`."""
        job = self._jobs.find(_IMPORT)
        begun = {"read": 0, "reasons": {}, "known": 0, "seconds": 0.0, "errors": []}
        found = (job.result or job.progress or begun) if job else begun
        return {**found, "active": bool(job and job.active), "error": job.error if job else ""}

    @property
    def review(self) -> dict[str, Any]:
        """The last review as JSON values, see `Review.summary`; without decisions before the first."""
        path = self._reviews / "review.json"
        return read_json(path) if path.exists() else {"decisions": [], "unpriced": {}}

    def unsolved(self, hands: Sequence[HandHistory], turns: bool) -> dict[str, float]:
        """Return the number of the spots of hands that are not solved yet, and their estimated seconds."""
        settings = Settings(RangeBook(), "", MEMORY, (0.0, 0.0), menus(turns))
        planned = [each for hand in hands for each in Plan(hand, settings).decisions()]
        tasks = {each.task.key: each.task for each in planned if isinstance(each, Waiting)}
        left = [task.seconds for task in tasks.values() if task.known(self._reviews) is None]
        return {"spots": len(left), "seconds": sum(left)}

    def price(self, hands: Sequence[HandHistory], turns: bool) -> dict[str, Any]:
        """Price the heroes' decisions in hands, in a job; return the state.

        Raises:
            ParameterError: another review is running.
        """
        self._jobs.start(_PRICING, price_hands, self._reviews, hands, turns)
        return self.pricing()

    def pricing(self) -> dict[str, Any]:
        """Return the state of the last review: spots done and in all, and its error."""
        job = self._jobs.find(_PRICING)
        done, of = (job and job.progress) or (0, 0)
        return {"active": bool(job and job.active), "done": done, "of": of, "error": job.error if job else ""}

    def stop_pricing(self) -> None:
        """Stop the review; solved spots are saved."""
        self._jobs.interrupt(_PRICING)

    @property
    def _reviews(self) -> Path:
        return self.folder / "reviews"

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.__exit__()

    def _folder_of(self, upload: str) -> Path:
        if not _UPLOAD.fullmatch(upload):
            raise ParameterError("upload must be 32 hexadecimal digits.", key="upload")
        return self._incoming / upload


def import_files(task: Task, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Import files into the store of a folder, and list skipped hands there; the function of a job.

    Returns the numbers of hands read, of hands skipped by reason, and of files read before; seconds; errors of files.
    """
    start, errors, reasons, rows = time.monotonic(), list[str](), Counter[str](), list[Any]()
    read = known = 0

    def state(more: int = 0) -> dict[str, Any]:
        seconds = time.monotonic() - start
        return {"read": read + more, "reasons": dict(reasons), "known": known, "seconds": seconds, "errors": errors}

    with HandStore(folder, create=True) as store:
        for file in files:
            try:
                done = store.add(file, progress=lambda number: task.publish(state(number)))
            except RunError as error:  # it has no hands
                errors.append(str(error).replace(f"{file.parent}/", ""))
                continue
            read, known = read + done.added + done.repeated, known + done.known_files
            reasons.update(done.collection.reasons)
            rows += [[each.reason, each.detail, each.source.rpartition("/")[2], each.line] for each in done.skipped]
    before = skipped_in(folder)
    total = dict(Counter(before["reasons"]) + reasons)
    write_json(folder / _SKIPPED, {"reasons": total, "rows": [*before["rows"], *rows][-_LISTED:]})
    return state()


def skipped_in(folder: Path) -> dict[str, Any]:
    """Return the numbers of hands that were skipped by reason, and the last of them."""
    path = folder / _SKIPPED
    return read_json(path) if path.exists() else {"reasons": {}, "rows": []}


def menus(turns: bool) -> dict[int, Any]:
    """Return the sizes of spots by their first street: rivers, or turns and rivers."""
    return {street: default_sizes(street - 1, 1, 1) for street in ((_TURN, _RIVER) if turns else (_RIVER,))}


def price_hands(task: Task, folder: Path, hands: Sequence[HandHistory], turns: bool) -> None:
    """Price the heroes' decisions in hands; the function of a job."""

    def progress(done: int, of: int) -> None:
        task.publish((done, of))
        if task.interrupted():
            raise RunError("the review was stopped; solved spots are saved.")

    review(hands, menus=menus(turns), folder=folder, progress=progress)


class DecisionSpot(NamedTuple):
    """An action of a recorded hand in the heads-up spot from its street on.

    Attributes:
        spot: arguments of `make_spot` besides the ranges.
        line: line before the action.
        seat: player to act: 0 out of position, 1 in position.
        players: numbers of both players in the hand, out of position first.
        chip: chips of the file in a chip of the spot.
    """

    spot: dict[str, Any]
    line: str
    seat: int
    players: tuple[int, int]
    chip: float


def decision_spot(hand: HandHistory, step: int) -> DecisionSpot:
    """Return the spot of an action of a hand.

    Raises:
        ParameterError: the hand has no such action, or it is not heads-up on a turn or river.
    """
    actions = [before for before, token in hand.replay() if token != NEXT]
    street = actions[step].street if step < len(actions) else 0
    betting, menu = require_heads_up(hand, STREETS[street]), menus(turns=True).get(street)
    if menu is None:
        raise ParameterError("flops are not solved here; choose an action on the turn or the river.", key="step")
    number = sum(before.street == street for before in actions[:step])
    seat, cents = betting.players.index(actions[step].mover), Fraction(_CENTS, hand.rules.smallest_bet(0))
    scale = betting.scale if betting.divisor % cents.denominator else cents
    betting = betting.scaled(scale)
    return DecisionSpot(betting.spot_texts(dict(menu)), betting.line(number), seat, betting.players, float(1 / scale))


def spot_with_ranges(hand: HandHistory, decision: DecisionSpot) -> Spot:
    """Return the spot of an action with the ranges that are assumed for its players."""
    board = read_cards(decision.spot["board"])
    ranges = {player: RangeBook().of(hand, player).range for player in decision.players}
    if hand.hero in ranges:
        ranges[hand.hero] = holding(ranges[hand.hero], hand.hand.hole(hand.hero))[0]
    oop, ip = (str(each.without(board).fill_blocked(board)) for each in ranges.values())
    return make_spot(**decision.spot, oop=oop, ip=ip)
