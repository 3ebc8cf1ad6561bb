"""Many boards of a spot: read, solved over workers, saved, resumed, reported."""

import csv
import multiprocessing
import pickle
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import tefuda as td
from tefuda import files, locks
from tefuda.holdem.cards import cards_text
from tefuda.holdem.equities import equity
from tefuda.holdem.spots import batch
from tefuda.holdem.spots.batch import Report, _can_meet, read_boards, solve_boards
from tefuda.holdem.spots.spot import make_spot
from tests import forged
from tests.conftest import refused

SPOT = make_spot("Ts3h2h5c9s", 100, 100, "AA,QQ", "KK", "50%,a", "a")
BOARDS = "Ts3h2h5c9s; 2c2d2h3c3d; Qs 7c 7d 2h 2s:2"


def test_boards(tmp_path):
    assert [(one.folder, one.weight) for one in read_boards("QsJh2h;  # none\n AsKd7c : 24 ; ")] == [
        ("QsJh2h", 1), ("AsKd7c", 24),
    ]  # fmt: skip
    (tmp_path / "boards.txt").write_text("# two\nQs Jh 2h\n\nAs Kd 7c 2c: 0.5\n")
    assert [one.weight for one in read_boards(str(tmp_path / "boards.txt"))] == [1, 0.5]
    many = "\n".join(f"{high}s {low}h 2c 3d 4c" for high in "AKQJT98765" for low in "AKQJT9876")
    assert len(read_boards(many)) == 90 and len(many) < 2000  # a list, not a file's name
    assert len(read_boards("flops")) == 22_100  # without ranges, no two of them are equal


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "got none"),
        (";;", "got none"),
        ("Qs Jh", "three to five"),
        ("Qs Jh 2h 3h 4h 5h", "three to five"),
        ("Qs Jh 2h; 2h Jh Qs", "duplicate board 2hJhQs"),
        ("Qs Jh 2h:x", "a number above 0"),
        ("Qs Jh 2h:-1", "a number above 0"),
        ("Qs Jh 2h:nan", "a number above 0"),
        ("Qs Jh Qs", "repeated"),
        ("none.txt", "is no card"),
        ("A" * 400, "is no card"),
        (".", "is no card"),
    ],
)
def test_boards_refused(text, why):
    with pytest.raises(td.errors.ParameterError, match=why) as caught:
        read_boards(text)
    assert str(caught.value).endswith("^") or "got none" in why  # the position is marked


def test_each_board_as_if_alone(tmp_path):
    """Boards are solved as if alone, also with an executor; solved boards are loaded."""
    reports = []
    with ThreadPoolExecutor(2) as pool:
        found = solve_boards(
            SPOT, read_boards(BOARDS), tmp_path, iterations=60, workers=pool, progress=lambda *of: reports.append(of)
        )
    assert reports[-1] == (3, 3) and found.boards == 3 and [row["weight"] for row in found.rows] == [1, 1, 2]
    for row in found.rows:
        alone = td.solve(make_spot(row["board"], 100, 100, "AA,QQ", "KK", "50%,a", "a"), iterations=60)
        assert row["ev"] == list(alone.values) and row["frequencies"] == alone.strategy.frequencies("")
        assert row["exploitability_percent"] == alone.evaluation.figure
    means = found.means()
    pairs = [36 + 36, 36 + 36, 36 + 18]  # AA and QQ against KK, six hands each; three QQ without Qs
    assert [row["pairs"] for row in found.rows] == pairs
    weighed = [weight * number for weight, number in zip((1, 1, 2), pairs, strict=True)]
    assert means["ev"][0] == pytest.approx(np.average([row["ev"][0] for row in found.rows], weights=weighed))
    assert sum(means["frequencies"].values()) == pytest.approx(1)
    assert means["exploitability_percent"] == max(row["exploitability_percent"] for row in found.rows)
    drawn = [ev for _, ev in found.panels()[0].lines["EV"]]
    assert drawn == sorted(drawn, reverse=True) != [row["ev"][0] for row in found.rows]
    with open(tmp_path / "report.csv") as file:
        table = list(csv.DictReader(file))
    assert [row["board"] for row in table] == [row["board"] for row in found.rows]
    assert [float(row["pairs"]) for row in table] == pairs
    assert float(table[2]["Check"]) == found.rows[2]["frequencies"]["Check"]
    assert [len(panel.lines) for panel in found.panels()] == [2, 3]
    assert list(found.panels()[0].levels.values()) == [means["ev"][0], 100 * means["equity"][0]]  # the pot is 100
    assert list(found.panels()[1].levels.values()) == [100 * share for share in means["frequencies"].values()]
    assert all(panel.covers == (0, 100) for panel in found.panels())


def small_spot(oop, ip, locks=()):
    """A spot of 20 cards; its board shares no card with the hands named below."""
    deck = "".join(rank + suit for rank in "AKQJT" for suit in "shdc")
    return make_spot("TsJsTh", 100, 100, oop, ip, "a", "a", deck=deck, locks=list(locks))


RANGES = {
    "classes": ("AK,QQ", "KK,QJs", []),
    "one suit": ("AsKs", "QQ", []),
    "two pairs of suits": ("AsKs,AhKh", "QdQc", []),
    "three suits": ("AsKs", "QdQc,AcKd:0.5", []),
    "weights": ("AsKs,AhKh:0.5", "QQ", []),
    "locks": ("AK,QQ", "KK", ["Check = Check KsKh"]),
    "locks on cards": ("AK,QQ", "KK", ["Check/Check/Ac = Check"]),
}


@pytest.mark.parametrize("name", RANGES)
def test_isomorphic_flops_of_a_spot(name):
    """Each flop is in one class, and flops of a class have the same equity; the mean of all is exact.

    The exact equity before the flop counts all boards at once, independently of flops, weights and pairs.
    """
    spot = small_spot(*RANGES[name])
    deck, ranges = spot.deck, spot.ranges
    boards, rows = read_boards("flops", spot), []
    for board in boards:
        found = equity(*ranges, cards_text(board.cards), deck=deck)
        pairs = replace(spot, board=board.cards, locks=()).pairs
        assert found.total == pytest.approx(pairs * 78)  # complete boards: two of the 13 cards left
        rows.append({
            "weight": board.weight, "pairs": pairs, "equity": [found.first, found.second], "ev": [0, 0],
            "frequencies": {"all-in": found.first}, "exploitability_percent": 0,
        })  # fmt: skip
    exact = equity(*ranges, deck=deck)
    means = Report(tuple(rows), len(rows)).means()
    assert means["equity"] == pytest.approx([exact.first, exact.second], abs=1e-12)
    assert means["frequencies"]["all-in"] == pytest.approx(exact.first, abs=1e-12)
    alone = [flop for flop in combinations(deck, 3) if _can_meet(spot, flop)]
    assert sum(board.weight for board in boards) == len(alone)


@pytest.mark.parametrize(
    "name, groups",  # of interchangeable suits, by hand
    [
        ("classes", ["shdc"]),
        ("one suit", ["s", "hdc"]),
        ("two pairs of suits", ["sh", "dc"]),
        ("three suits", ["s", "h", "d", "c"]),
        ("weights", ["s", "h", "dc"]),
        ("locks", ["sh", "dc"]),
        ("locks on cards", ["shd", "c"]),
    ],
)
def test_flops_by_the_suits_that_may_change_places(name, groups):
    spot = small_spot(*RANGES[name])
    together = ["".join(sorted(group)) for group in groups]
    found = {board.cards: board.weight for board in read_boards("flops", spot)}

    def canonical(flop):
        columns = ["".join(str(card // 4) for card in flop if "cdhs"[card % 4] == suit) for suit in "cdhs"]
        return tuple(tuple(sorted(columns["cdhs".index(suit)] for suit in group)) for group in together)

    classes = Counter(canonical(flop) for flop in combinations(spot.deck, 3) if _can_meet(spot, flop))
    assert {canonical(flop): weight for flop, weight in found.items()} == classes and len(found) == len(classes)


@pytest.mark.slow
def test_mean_equity_over_flops_is_the_equity_before_them():
    """AKs has .46048526 against QQ over all boards; without weights of compatible hands .45747."""
    spot = make_spot("3c3d2h", 100, 100, "AKs", "QQ")
    boards = read_boards("flops", spot)
    shares = [equity("AKs", "QQ", cards_text(board.cards)) for board in boards]
    weights = [board.weight * one.total for board, one in zip(boards, shares, strict=True)]
    assert np.average([one.first for one in shares], weights=weights) == pytest.approx(0.46048526, abs=1e-8)


class Elsewhere(Executor):
    """An executor like Dask's: it can submit, pickles arguments and results, and may break."""

    def __init__(self, breaks_at=None):
        self.asked, self.breaks_at = 0, breaks_at

    def submit(self, function, *arguments):
        future = Future()
        self.asked += 1
        if self.asked == self.breaks_at:
            future.set_exception(BrokenProcessPool("killed"))
        else:
            one, given = pickle.loads(pickle.dumps((function, arguments)))
            future.set_result(pickle.loads(pickle.dumps(one(*given))))
        return future


def without_seconds(rows):
    return [{name: figure for name, figure in row.items() if name != "seconds"} for row in rows]


def test_any_executor_gives_the_same(tmp_path):
    """Figures agree in this process, with threads, processes, a minimal executor and a broken one."""
    boards = read_boards(BOARDS)
    here = solve_boards(SPOT, boards, tmp_path / "here", iterations=15)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        for number, workers in enumerate((threads, processes, Elsewhere())):
            there = solve_boards(SPOT, boards, tmp_path / str(number), iterations=15, workers=workers)
            assert without_seconds(there.rows) == without_seconds(here.rows) and there.boards == 3
    with pytest.warns(RuntimeWarning, match="process"):
        broken = solve_boards(SPOT, boards, tmp_path / "broken", iterations=15, workers=Elsewhere(breaks_at=2))
    assert without_seconds(broken.rows) == without_seconds(here.rows)
    assert len((tmp_path / "broken" / "report.csv").read_text().splitlines()) == 4


def test_interrupted_before_workers_were_asked(tmp_path):
    """A board solved since the last report is in the report."""

    class Hasty(Elsewhere):
        def submit(self, function, *arguments):
            if self.asked == 2:
                raise KeyboardInterrupt
            return super().submit(function, *arguments)

    with pytest.raises(KeyboardInterrupt):
        solve_boards(SPOT, read_boards(BOARDS), tmp_path, iterations=5, workers=Hasty())
    assert len((tmp_path / "report.csv").read_text().splitlines()) == 3


def test_isomorphic_boards(tmp_path):
    """Isomorphic boards have the same figures, whatever the folders."""
    spot = make_spot("Ts3h2h5c", 100, 100, "AA,QQ,T9s", "KK,JJ", "a", "a")
    found = solve_boards(spot, read_boards("Ts3h2h5c; Tc3d2d5h; Th3c2c5d:3"), tmp_path, iterations=20)
    first = found.rows[0]
    for row in found.rows[1:]:
        for name in ("ev", "equity"):
            assert row[name] == pytest.approx(first[name], abs=1e-4)
        assert row["frequencies"] == pytest.approx(first["frequencies"], abs=1e-4)
    assert found.means()["ev"] == pytest.approx(first["ev"], abs=1e-4) and found.rows[2]["weight"] == 3


def test_hands_that_share_a_card_with_a_board_are_dropped(tmp_path):
    """Two of three hands are compatible with the second board; the third is refused before any solving."""
    spot = make_spot("Ts3h2h5c9s", 100, 100, "AsAh,QsQh,JsJh", "KK", "a", "a", locks=["root = Check AsAh"])
    found = solve_boards(spot, read_boards("Ts3h2h5c9s; As3h2h5c9s"), tmp_path / "two", iterations=50)
    alone = make_spot("As3h2h5c9s", 100, 100, "QsQh,JsJh", "KK", "a", "a")
    assert found.rows[1]["ev"] == pytest.approx(td.solve(alone, iterations=50).values, abs=1e-9)
    with pytest.raises(td.errors.ParameterError, match="compatible"):
        solve_boards(spot, read_boards("Ts3h2h5c9s; AsQsJs2c3c"), tmp_path / "none", iterations=50)
    assert not (tmp_path / "none").exists()


def test_interrupted_and_resumed(tmp_path, monkeypatch):
    """Complete boards are in the report; the same call solves only the rest."""
    solved, real = [], batch.solve

    def hasty(spot, *arguments, **options):
        if len(solved) == 1:
            raise KeyboardInterrupt
        solved.append(spot)
        return real(spot, *arguments, **options)

    monkeypatch.setattr(batch, "solve", hasty)
    with pytest.raises(KeyboardInterrupt):
        solve_boards(SPOT, read_boards(BOARDS), tmp_path, iterations=20)
    assert len((tmp_path / "report.csv").read_text().splitlines()) == 2
    monkeypatch.setattr(batch, "solve", lambda *a, **o: solved.append(0) or real(*a, **o))
    found = solve_boards(SPOT, read_boards(BOARDS), tmp_path, iterations=20)
    assert len(found.rows) == 3 and len(solved) == 3
    (tmp_path / "Ts3h2h5c9s" / "figures.json").unlink()  # as after a kill between the two: the run is read, not solved
    again = solve_boards(SPOT, read_boards(BOARDS), tmp_path, iterations=20)
    assert len(solved) == 3 and [row["ev"] for row in again.rows] == [row["ev"] for row in found.rows]


def test_figures_only(tmp_path):
    found = solve_boards(SPOT, read_boards(BOARDS), tmp_path, until=5, keep=False)
    assert not list(tmp_path.rglob("*.npz")) and all(row["exploitability_percent"] <= 5 for row in found.rows)
    assert solve_boards(SPOT, read_boards(BOARDS), tmp_path, until=5, keep=False).rows == found.rows


def test_saved_figures_use_the_new_weights(tmp_path):
    boards = read_boards(BOARDS)[::2]
    before = solve_boards(SPOT, boards, tmp_path, iterations=5).means()["ev"]
    now = solve_boards(SPOT, [boards[0]._replace(weight=3.0), boards[1]], tmp_path, iterations=5)
    assert [row["weight"] for row in now.rows] == [3, 2] and now.means()["ev"] != before


def test_boards_of_different_streets(tmp_path):
    """Donk bets follow the last aggressor on each board's street."""
    given = {"aggressor": "ip", "turn_donk": "a", "river_donk": "50%"}
    spot = make_spot("Ts3h2h5c9s", 100, 100, "AA,QQ", "KK", "25%", "a", **given)
    found = solve_boards(spot, read_boards("Ts3h2h5c9s; Ts3h2h5c"), tmp_path, iterations=10)
    assert [list(row["frequencies"]) for row in found.rows] == [["Check", "Bet(50)"], ["Check", "AllIn(100)"]]
    for row in found.rows:
        alone = td.solve(make_spot(row["board"], 100, 100, "AA,QQ", "KK", "25%", "a", **given), iterations=10)
        assert row["ev"] == list(alone.values)


def test_refused(tmp_path):
    boards = read_boards(BOARDS)
    solve_boards(SPOT, boards[:1], tmp_path, iterations=5)
    with pytest.raises(td.errors.RunError, match="another"):
        solve_boards(SPOT, boards[::-1], tmp_path, iterations=6)
    assert not (tmp_path / boards[1].folder).exists() and not (tmp_path / boards[2].folder).exists()
    td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA", "KK", "a", "a"), iterations=2, checkpoint=tmp_path / "2c2d2h3c3d")
    with pytest.raises(td.errors.RunError, match="another"):
        solve_boards(SPOT, boards[:2], tmp_path, iterations=5)
    with pytest.raises(td.errors.ParameterError, match="range"):
        solve_boards(SPOT, read_boards("As Ah Ad Qs Qh; Kc Kd Ks 2c 3c"), tmp_path / "new", iterations=5)
    for wrong, why in (([], "boards must be"), ([boards[0]] * 2, "without duplicates")):
        with pytest.raises(td.errors.ParameterError, match=why):
            solve_boards(SPOT, wrong, tmp_path / "new", iterations=5)
    with refused(td.errors.ParameterError, key="the weight of Ts3h2h5c9s", value=0.0):
        solve_boards(SPOT, [boards[0]._replace(weight=0.0)], tmp_path / "new", iterations=5)
    with pytest.raises(td.errors.SizeError):
        solve_boards(SPOT, boards, tmp_path / "new", iterations=5, memory=10)
    assert not (tmp_path / "new").exists()
    (tmp_path / boards[0].folder / "figures.json").write_text("{}")
    with pytest.raises(td.errors.RunError, match="damaged"):
        solve_boards(SPOT, boards[:1], tmp_path, iterations=5)


def test_forged_figures_and_two_processes(tmp_path, monkeypatch):
    """Forged figures of a board are either reported correctly or refused; one process writes a folder."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    boards = read_boards("Ts3h2h5c9s")
    whole = solve_boards(SPOT, boards, tmp_path, iterations=2, keep=False)
    place = tmp_path / "Ts3h2h5c9s" / "figures.json"
    good, refused = files.read_json(place), 0
    for what, figures in forged.objects(good["figures"], (None, -1, "x", float("nan"), [], {})):
        forged.write_json(place, {**good, "figures": figures})
        try:
            found = solve_boards(SPOT, boards, tmp_path, iterations=2, keep=False)
        except td.errors.RunError as error:
            refused += "figures.json" in str(error)
        else:
            assert all(np.isfinite(value) for value in (*found.means()["ev"], *found.means()["equity"])), what
    assert refused > 30
    forged.write_json(place, {**good, "figures": []})
    with pytest.raises(td.errors.RunError, match=r"figures\.json"):
        solve_boards(SPOT, boards, tmp_path, iterations=2, keep=False)
    files.write_json(place, good)
    with locks.locked(tmp_path / "report.json"), pytest.raises(td.errors.BusyError):
        solve_boards(SPOT, boards, tmp_path, iterations=2, keep=False)
    assert solve_boards(SPOT, boards, tmp_path, iterations=2, keep=False) == whole
