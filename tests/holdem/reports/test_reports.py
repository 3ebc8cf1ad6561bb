"""Statistics and results of a player: the sample hands, random hands, groups, graphs."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.holdem import HandCollection, TableRules, read_histories, record_of
from tefuda.holdem.histories.reading import read_text
from tefuda.holdem.reports.counting import BIT, COUNTED, positions
from tefuda.holdem.reports.graph import result_graph
from tefuda.holdem.reports.groups import GROUPS
from tefuda.holdem.reports.statistics import Share
from tests.holdem.histories.writers import WRITERS, random_hand

FOLDER = Path(__file__).parents[2] / "data" / "hands44"
EXPECTED = json.loads((FOLDER / "statistics.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def samples():
    return read_histories(FOLDER)


@pytest.fixture(scope="module")
def played():
    """Random hands of all kinds of tables, with players named by their places."""
    hands = [random_hand(seed) for seed in range(150)]
    return HandCollection(tuple(record_of(hand.game, hand.state) for hand in hands))


def test_statistics_of_the_samples(samples):
    total = samples.report("Ash").total
    counted = {name: list(total.counts[name]) for name in COUNTED if name in EXPECTED}
    assert counted == {name: EXPECTED[name] for name in counted} and len(counted) == 9
    assert (total.hands, total.cash_hands, total.walks) == (15, 13, 1)
    assert total.counts["wwsf"].chances == EXPECTED["saw_flop"]
    run_outs = total.counts["wtsd_with_run_outs"].chances - total.counts["wtsd"].chances
    assert run_outs == EXPECTED["all_in_before_flop"]
    aggression = EXPECTED["aggression"]
    assert (total.bets, total.calls, total.folds) == tuple(aggression[n] for n in ("bets_and_raises", "calls", "folds"))
    assert (total.af, total.afq.share) == (aggression["af"], aggression["afq"])


def test_results_of_the_samples(samples):
    total = samples.report("Ash").total
    found = total.net, total.adjusted, total.red, total.blue
    names = ("net_bb", "all_in_adjusted_bb", "red_bb", "blue_bb")
    assert [round(each, 4) for each in found] == [EXPECTED[name] for name in names]
    assert round(total.per_100, 2) == EXPECTED["bb_per_100"]


def test_hands_for_a_narrow_interval(samples):
    """The figure of the literature: sd 9.5 bb, +-5 bb/100 (a hand has the sd, not 100 hands)."""
    total = replace(samples.report("Ash").total, deviation=9.5, cash_hands=138_682)
    assert round(total.hands_needed) == 138_682 and total.half_width == pytest.approx(5, abs=1e-4)


def test_hero_is_the_default(samples):
    assert samples.report().total.hands == 18 and samples.report("*").total.hands == samples.table().rows.size
    with pytest.raises(UnknownNameError):
        samples.report("Nobody")
    with pytest.raises(UnknownNameError):
        samples.report("Ash", by="colour")


def test_hands_without_a_hero_name_players(played):
    with pytest.raises(ParameterError, match="p1") as caught:
        played.report()
    assert caught.value.key == "player"


@pytest.mark.parametrize("made, chances", [(0, 0), (0, 5), (5, 5), (10, 14), (1, 1000)])
def test_wilson_intervals(made, chances):
    from scipy.stats import binomtest

    share = Share(made, chances)
    if not chances:
        assert share.interval == (0, 1) and math.isnan(share.share)
        return
    right = binomtest(made, chances).proportion_ci(0.95, "wilson")
    assert share.interval == pytest.approx((right.low, right.high), abs=2e-5)


def test_counts_are_possible(played):
    """Made is at most chances in each row, a raise is a voluntary bet, and showdowns follow flops."""
    table = played.table()
    chances, made = table["chances"], table["made"]
    assert not (made & ~chances).any()

    def did(name):
        return made & BIT[name] != 0

    def could(name):
        return chances & BIT[name] != 0

    for part, whole in [("pfr", "vpip"), ("three_bet", "pfr"), ("four_bet", "pfr"), ("rfi", "pfr"), ("limp", "vpip")]:
        assert not (did(part) & ~did(whole)).any()
    for part, whole in [("squeeze", "three_bet"), ("steal", "rfi"), ("wtsd", "wtsd_with_run_outs")]:
        assert not (could(part) & ~could(whole)).any()
    assert (could("wsd") == table["showdown"]).all()
    assert all(did(name).any() and (could(name) & ~did(name)).any() for name in COUNTED)
    is_at_showdown = np.bincount(table["hand"], table["showdown"])
    assert not (is_at_showdown == 1).any()


def test_results_of_all_players_are_zero(played):
    """Without fees the results of a hand sum to 0, also adjusted; red and blue sum to the net."""
    table = played.table()
    adjusted = table.adjusted() * table["big"]
    assert np.abs(np.bincount(table["hand"], table["net"])).max() == 0
    assert np.abs(np.bincount(table["hand"], adjusted)).max() < 1e-6
    assert (adjusted != table["net"]).sum() > 50
    total = played.report("*").total
    assert total.red + total.blue == pytest.approx(total.net)


def test_fees_are_shared_by_contribution():
    """Results and fees of a hand of a room sum to 0, also with adjusted results."""
    texts = [WRITERS["pokerstars"](random_hand(seed)) for seed in range(60)]
    hands = read_text("\n\n".join(filter(None, texts)), "random")
    table = hands.table()
    assert len(hands) > 40 and table["rake"].sum() > 0
    for results in (table["net"], table.adjusted() * table["big"]):
        assert np.abs(np.bincount(table["hand"], results + table["rake"])).max() < 1e-6
    assert hands.report().total.hands == len(hands)


@pytest.mark.parametrize("by", GROUPS)
def test_groups_sum_to_the_total(played, samples, by):
    for hands in (played, samples):
        found = hands.report("*", by=by)
        for name in ("hands", "walks", "cash_hands", "bets", "calls", "folds", "net", "adjusted", "red", "rake"):
            assert sum(getattr(group, name) for group in found.groups) == pytest.approx(getattr(found.total, name))
        for name, share in found.total.counts.items():
            parts = [group.counts[name] for group in found.groups]
            assert share == (sum(part.made for part in parts), sum(part.chances for part in parts))
        assert len({group.name for group in found.groups}) == len(found.groups)


def test_names_of_groups(samples):
    def names(by):
        return [group.name for group in samples.report("Ash", by=by).groups]

    assert names("position") == ["HJ", "CO", "BTN", "SB", "BB"]
    assert names("pot") == ["walk", "single-raised", "3bet", "4bet"]
    assert names("month") == ["2026-02", "2026-03", "2026-04", "2026-05", "2026-06", "2026-07"]
    assert names("class")[:3] == ["unknown", "AKs", "AJs"] and "0.05/0.1 USD" in names("stake")


@pytest.mark.parametrize(
    "players, names",
    [(2, "BB BTN"), (3, "SB BB BTN"), (4, "SB BB CO BTN"), (6, "SB BB UTG HJ CO BTN"),
     (10, "SB BB UTG UTG+1 UTG+2 UTG+3 LJ HJ CO BTN")],
)  # fmt: skip
def test_positions(players, names):
    blinds = (2, 1) if players == 2 else (1, 2, *(0,) * (players - 2))
    assert positions(TableRules((100,) * players, blinds)) == names.split()


def test_positions_without_a_small_blind():
    assert positions(TableRules((100,) * 4, (2, 0, 0, 0))) == ["BB", "UTG", "CO", "BTN"]


def test_graph_ends_at_the_sums(samples):
    graph, total = samples.graph("Ash"), samples.report("Ash").total
    ends = [line[-1] for line in (graph.net, graph.adjusted, graph.showdown, graph.no_showdown)]
    assert ends == pytest.approx([total.net, total.adjusted, total.blue, total.red])
    assert graph.half_width[-1] / 13 * 100 == pytest.approx(total.half_width)
    assert [*graph.panel().lines] == ["net", "all-in adjusted", "showdown", "no showdown"]
    assert graph.panel().lines["net"][-1] == (13, pytest.approx(total.net)) and len(graph.panel().bands["net"]) == 13
    with pytest.raises(ParameterError):
        samples.filter("cash=no", "Ash").graph("Ash")


def test_a_graph_over_days_ends_each_day_with_its_last_hand(samples):
    """The sum of each day is that of the report by dates; of unknown times there are no days."""
    graph, results = samples.graph("Ash"), dict[str, float]()
    for hand in samples:
        if "Ash" in hand.net and hand.tournament is None and hand.start:
            day = hand.start.isoformat()[:10]
            results[day] = results.get(day, 0.0) + hand.net["Ash"] / hand.rules.smallest_bet(0)
    numbers, places = graph.points(100, "days")
    assert numbers.tolist() == [*range(1, len(results) + 1)]
    assert np.diff(graph.net[places], prepend=0).tolist() == pytest.approx([results[day] for day in sorted(results)])
    assert graph.points(3)[0].tolist() == [1, 7, 13] and len(graph.points(2, "days")[0]) == 2
    timeless = samples.filter("", "Ash").table().of("Ash")
    timeless.rows["start"] = np.nan
    for wrong in ("days", "weeks"):
        with pytest.raises(ParameterError):
            result_graph(timeless).panel(wrong)


def test_frame(samples):
    pytest.importorskip("pandas")
    frame = samples.to_frame("Ash")
    assert len(frame) == 15 and frame.net_bb.notna().all() and [*frame["class"]][7] == "AKs"
    assert len(samples.to_frame()) == samples.table().rows.size


def test_report_of_no_hands(samples):
    total = samples.filter("result>1000000", "Ash").report("*", by="position").total
    assert total.hands == 0 and math.isnan(total.per_100) and math.isnan(total.half_width)
