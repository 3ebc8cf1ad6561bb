"""Stories of the review of a hand, of the exploit lab, and of a person's own play."""

import re

import pytest

import tefuda as td
from tefuda.apps.web.routes.play import _RIVER
from tefuda.exploiting.responses import FRONTIERS
from tests.web.sitting import SIT, press
from tests.web.visiting import amount

#: Play hands with the first or last action until a number of hands is over, or a hand has a mistake.
_PLAY = """
async ([id, place, hands, mistake]) => {
  const headers = { "Content-Type": "application/json" };
  const send = async (path, body) =>
    (await fetch(`/api/tables/${id}/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  let state = await (await fetch(`/api/tables/${id}`)).json();
  for (;;) {
    while (!state.end) state = await send("act", { version: state.version, action: state.actions.at(place).index });
    const last = state.hand + 1 >= hands;
    const review = (last || mistake) && (await (await fetch(`/api/tables/${id}/hands/${state.hand}`)).json());
    if (last || (mistake && review.cost > 1)) return review;
    state = await send("next", { version: state.version });
  }
}
"""


def sit(page, **setup):
    return page.evaluate(SIT, {"game": "kuhn", "parameters": {}, "opponents": ["always-raise"], **setup})


def test_a_hint_and_a_review(visit):
    """A hint marks the hand; the review has the costs of the decisions, and keys go to the mistakes."""
    person = visit()
    page = person.open("/play")
    table = sit(page, mode="request")["id"]
    person.open(f"/tables/{table}")
    page.keyboard.press("h")
    page.locator('[data-role="advice"]').wait_for()
    review = page.evaluate(_PLAY, [table, 0, 100, True])
    mistakes = [entry["advice"] for entry in review["decisions"] if entry["advice"]["verdict"] == "blunder"]
    person.open(f"/tables/{table}/hands/{review['hand']}?at={len(review['moves']) + 1}")
    page.keyboard.press("k")
    last = next(n for n, entry in enumerate(review["decisions"]) if entry["advice"] is mistakes[-1])
    at = 1 + next(n for n, move in enumerate(review["moves"]) if move["decision"] == last)
    page.locator(f'[data-at="{at - 1}"]').wait_for()
    assert page.locator(".verdict.blunder").count() == 1
    figures = [amount(text) for text in page.locator("dl.figures dd").all_inner_texts()]
    assert figures == pytest.approx([review[name] for name in ("payoff", "luck", "skill", "cost")], rel=1e-3, abs=1e-9)
    assert page.locator(".moves-grid .move").count() == len(review["moves"])
    page.reload()
    person.shown()
    assert page.locator(".page-review").get_attribute("data-at") == str(at - 1)
    first = person.open(f"/tables/{table}/hands/0")
    assert first.get_by_text("hint").count() >= 1, "the hand with the hint is marked"
    person.expected.add(404)
    person.open(f"/tables/{table}/hands/{review['hand'] + 1}")
    assert page.locator(".error").count() == 1, "hands that are not over have no review"


GAMES = {
    "kuhn": {}, "leduc": {"players": 3}, "liars_dice": {}, "nolimit_leduc": {}, "goofspiel": {}, "rps": {}, "mini8": {},
    "spot": _RIVER, "koikoi": {"rounds": 3},
}  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_a_review_visits_each_move_once(game, visit):
    """The right arrow visits all moves; no text is broken, and the graph ends at the result."""
    person = visit(language="ja" if game in ("leduc", "koikoi") else "en", width=360 if game == "leduc" else 1280)
    page = person.open("/help")
    opponent = {"spot": "solution", "koikoi": "greedy"}.get(game, "uniform")
    setup = {"coach": "uniform"} if game == "rps" else {}
    table = sit(page, game=game, parameters=GAMES[game], opponents=[opponent], mode="request", **setup)["id"]
    review = page.evaluate(_PLAY, [table, 0, 1, False])
    person.open(f"/tables/{table}/hands/0?at=1")
    seen = []
    for place in range(len(review["moves"]) + 1):
        assert page.locator(".page-review").get_attribute("data-at") == str(place)
        text = page.inner_text("main") + page.inner_html(".review-graph")
        assert not re.search(r"\b(nan|null|undefined|NaN|Infinity)\b|\[object", text), (place, text)
        assert page.url.endswith(f"at={place + 1}")
        current = page.locator(".moves-grid [aria-current]")
        seen += [current.get_attribute("data-place")] if current.count() else []
        page.keyboard.press("ArrowRight")
    assert seen == [str(place) for place in range(len(review["moves"]))]
    line = page.locator(".review-graph .line").get_attribute("d")
    under = page.locator(".review-graph .under").get_attribute("d")
    last, zero = (float(each.split(",")[-1]) for each in (line, under.split(" L")[-1].removesuffix(" Z")))
    assert (zero > last) - (zero < last) == (review["payoff"] > 0) - (review["payoff"] < 0)


def test_a_review_plays_by_itself(visit):
    """Space plays and pauses; a click on the graph goes to its place; back leaves the review."""
    person = visit()
    page = person.open("/help")
    table = sit(page, game="leduc", opponents=["always-call"])["id"]
    page.evaluate(_PLAY, [table, 0, 1, False])
    person.open(f"/tables/{table}/hands/0?at=1")
    page.keyboard.press(" ")
    page.locator('[data-at="1"]').wait_for()
    page.keyboard.press(" ")
    page.locator('.steps [data-role="last"]').click()
    box = page.locator(".review-graph svg").bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 40)
    assert page.locator(".page-review").get_attribute("data-at") == "0"
    page.locator(".dock a").click()
    page.locator(".table-window").wait_for()


def test_a_frontier_has_the_numbers_of_the_library(visit, kuhn):
    """The table of Kuhn is `td.exploiting.frontier`; a strategy, its changes and its address go together."""
    person = visit()
    page = person.open("/exploit?game=kuhn&seat=1&opponent=uniform&kind=rnr&p=0.5")
    page.get_by_role("button", name="Compute").click()
    page.locator(".knob").last.wait_for()
    model, value = td.Profile.uniform(kuhn), 1 / 18
    rows = page.locator(".lab-picture tr:has(.knob)").all()
    expected = zip(FRONTIERS["rnr"], td.exploiting.frontier(model, 1, "rnr"), strict=True)
    for row, (parameter, response) in zip(rows, expected, strict=True):
        shown = [amount(text) for text in row.locator("th, td").all_inner_texts()]
        wanted = [parameter, response.exploitation, value - response.worst_case, response.worst_case]
        assert shown == pytest.approx(wanted, abs=1e-4)
    page.locator(".knob", has_text="1").last.click()
    assert page.url.endswith("p=1")
    assert page.locator(".changes li").count() == len(td.exploiting.largest_changes(
        td.exploiting.safe_best_response(model, 1, 0.0).profile, td.restricted_nash(model, 1, 1.0).profile, 1
    ))  # fmt: skip
    page.get_by_role("button", name="Play 1,000 deals").click()
    page.get_by_text("over 2,000 hands").wait_for()
    page.reload()
    page.locator(".knob").last.wait_for()
    assert page.locator(".knob[aria-current]").inner_text() == "1"


def test_own_play_leads_to_the_lab(visit):
    """From 100 hands on the table shows how exploitable they were, and the lab takes them as opponent."""
    person = visit(language="ja", width=360)
    page = person.open("/play")
    table = sit(page, game="leduc", opponents=["equilibrium"])["id"]
    page.evaluate(_PLAY, [table, -1, 100, False])
    person.open(f"/tables/{table}")
    own = page.locator('[data-role="own-play"]')
    own.locator("summary").click()
    own.locator("li").last.wait_for()
    own.get_by_role("link").click()
    page.locator("select[name=opponent]").wait_for()
    assert page.locator("select[name=opponent]").input_value() == "me"
    page.locator("select[name=kind]").select_option("dbr")
    page.wait_for_url("**kind=dbr*")


@pytest.mark.parametrize("game, width", [("leduc", 1280), ("koikoi", 360)])
def test_another_action_is_tried(game, width, visit):
    """Try begins a marked variation at a decision; back returns to the move of the hand."""
    person = visit(width=width, height=740)
    page = person.open("/help")
    opponent = {"koikoi": "greedy", "leduc": "uniform"}[game]
    table = sit(page, game=game, parameters=GAMES[game] if game == "koikoi" else {}, opponents=[opponent])["id"]
    review = page.evaluate(_PLAY, [table, 0, 1, False])
    place = next(number for number, move in enumerate(review["moves"]) if move["decision"] == 0)
    person.open(f"/tables/{table}/hands/0?at={place + 1}")
    moves = page.inner_html(".moves-grid")
    before = person.number()
    page.locator("[data-try]").last.click()
    person.shown(after=before)
    assert page.locator("#head-here .pill").first.inner_text() == "variation" and table not in page.url
    while page.locator("[data-action]").count():
        press(page, "1")
    assert page.locator("[data-role=next]").count() == 0
    before = person.number()
    page.locator("a.button.main:visible").click()
    person.shown(after=before)
    assert page.url.endswith(f"/tables/{table}/hands/0?at={place + 1}") and page.inner_html(".moves-grid") == moves
    page.go_back()
    page.locator("[data-version]").wait_for()
    page.go_back()
    page.locator(".moves-grid").wait_for()
    assert f"/tables/{table}/hands/0" in page.url
