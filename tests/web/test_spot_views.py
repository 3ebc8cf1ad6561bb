"""Stories of the views of a spot: EV of actions, all cards, two runs at one line."""

import re

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem import Node, make_spot
from tefuda.holdem.cards import hand_number, read_cards

RANGES = ("AA-TT,AK,AQ,KQ,QJ,JT,A7s", "QQ-77,AQ,AJ,KQ,T9s")
LIMITS = (0.004, 0.02, 0.07, 0.18)
_LEVELS = """
async (cells) => {
  const { lossLevel } = await import("/static/js/ranges.js");
  return cells.map(([loss, pot]) => lossLevel(loss, pot));
}
"""


@pytest.fixture(scope="session")
def strategies(server):
    """Two runs of one turn with different sizes."""
    solved = {}
    for name, sizes in (("views-a", "33%,75%,a"), ("views-b", "75%")):
        spot = make_spot("Qs 7h 2d 5c", 55, 200, *RANGES, sizes, "a")
        solved[name] = td.solve(spot, iterations=20, checkpoint=server.folder / name).strategy
    return solved


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))


def test_the_table_has_the_evs_of_the_library(visit, strategies):
    """Each EV and loss, to the printed digits; the colour is the level of the loss."""
    node = Node(strategies["views-a"], "Check")
    evs = np.stack(list(node.action_evs.values()))
    page = visit().open("/explore/views-a/Check?view=evs")
    rows = page.locator("[data-hand]").evaluate_all(
        "rows => rows.map((row) => [row.dataset.hand, [...row.querySelectorAll('.loss')]"
        ".map((cell) => [cell.firstChild.textContent, cell.lastChild.textContent, cell.className])])"
    )
    assert len(rows) == np.count_nonzero(node.reach[1])
    for hand, cells in rows:
        values = evs[:, hand_number(*read_cards(hand))]
        for (text, loss, kind), value in zip(cells, values, strict=True):
            assert number(text) == pytest.approx(value, abs=0.00501)
            lost = values.max() - value
            assert number(loss or "0") == pytest.approx(-lost, abs=0.00501)
            if all(abs(lost / node.pot - limit) > 1e-4 for limit in LIMITS):
                assert kind == f"loss loss-{sum(lost / node.pot >= limit for limit in LIMITS)}"


def test_levels_are_those_of_the_rule(visit):
    random = np.random.default_rng(1)
    cells = np.stack([-random.exponential(20, 1000), random.uniform(20, 200, 1000)], axis=1)
    wanted = [sum(-loss / pot >= limit for limit in LIMITS) for loss, pot in cells.tolist()]
    assert visit().open("/help").evaluate(_LEVELS, cells.tolist()) == wanted and {*wanted} == {0, 1, 2, 3, 4}


def test_the_table_is_sorted_and_filtered(visit, strategies):
    visitor = visit()
    page = visitor.open("/explore/views-a/Check?view=evs")
    page.locator('[data-key="by-1"]').click()
    page.wait_for_selector("th[aria-sort=descending] [data-key='by-1']")  # the address changes before the table
    values = [number(text) for text in page.locator("[data-hand] td:nth-child(3) b").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.locator('.cell[data-class="AQs"]').click()
    page.wait_for_function("() => document.querySelectorAll('[data-hand]').length === 3")
    page.locator('[data-key="class"]').click()
    page.locator('[data-key="made"]').select_option("set")
    page.wait_for_function("() => document.querySelectorAll('[data-hand]').length < 10")
    hands = page.locator("[data-hand]").evaluate_all("rows => rows.map((row) => row.dataset.hand)")
    assert {re.sub("[shdc]", "", hand) for hand in hands} == {"QQ", "77"}
    page.locator('[data-key="of-2"]').click()
    page.wait_for_url("**of=Bet*")
    page.reload()
    page.locator("[data-hand]").first.wait_for()
    assert page.locator('[data-key="of-2"]').get_attribute("aria-checked") == "true"


def test_all_cards_lead_to_their_nodes(visit, strategies):
    """The figures of each card are those of its node; the strip has all cards in order."""
    visitor = visit()
    page = visitor.open("/explore/views-a/Check~Check?view=cards")
    cells = page.locator("a.card-cell")
    assert cells.count() == 48 == page.locator(".strip a").count()
    for place in (0, 20, 47):
        card = re.search(r"~(\w\w)\?", cells.nth(place).get_attribute("href"))[1]
        node = Node(strategies["views-a"], f"Check/Check/{card}")
        assert number(cells.nth(place).locator(".value").inner_text()) == pytest.approx(node.ev(0), abs=0.00501)
    order = page.locator(".strip a").evaluate_all("all => all.map((one) => one.dataset.card)")
    evs = {card: Node(strategies["views-a"], f"Check/Check/{card}").ev(0) for card in (order[0], order[-1])}
    assert evs[order[0]] > evs[order[-1]]
    before = visitor.number()
    cells.first.click()
    visitor.shown(after=before)
    assert page.url.split("?")[0].endswith("/explore/views-a/Check~Check~As") and "view=cards" in page.url


def test_two_runs_at_one_line(visit, strategies):
    """The differences are those of the EVs by class; a line that one run lacks is named."""
    page = visit().open("/explore/views-a/Check?view=compare&with=views-b")
    assert page.get_by_role("grid").count() == 3
    first, second = ({c.name: c.ev for c in Node(strategies[n], "Check").hands(1).grid()} for n in strategies)
    shown = (
        page.get_by_role("grid")
        .nth(2)
        .locator(".cell:not(.empty)")
        .evaluate_all("cells => cells.map((cell) => cell.getAttribute('aria-label'))")
    )
    for label in shown:
        name, text = label.split(": ")
        assert number(text) == pytest.approx(first[name] - second[name], abs=0.0151)
    assert len(shown) > 10
    lacking = visit()
    lacking.expected.add(400)
    page = lacking.open("/explore/views-a/Bet(18)?view=compare&with=views-b")
    assert "no such line" in page.locator("main .error").last.inner_text()
