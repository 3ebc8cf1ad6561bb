"""Tables of other games: windows, rules in both languages, the ladder, more actions."""

import json
import random
from pathlib import Path

import pytest

import tefuda
import tefuda as td
from tefuda.apps.web.routes.play import OFFERED
from tefuda.games.catalogue import GAMES
from tefuda.holdem import make_spot
from tests.web.sitting import SIT, changed, press, version

HANDS = 20
SIZES = ((1280, 800), (360, 740))
FILES = ("efg", "nfg", "openspiel")  # their rules are those of a file
GAME = {name: (game, parameters) for name, game, parameters in OFFERED if game != "koikoi" and "mini" not in game}
OPPONENTS = {"rps": "random", "river": "solution", "holdem": "caller", "holdem_any": "caller"}
#: Own cards, actions and bids that are not inside of the window (actions behind "More" are not visible), the number of
#: actions that can neither be seen nor be reached by "More", and the place of the scroll bar.
_LAYOUT = """() => {
  const seen = (part) => part.getClientRects().length > 0;
  const outside = [...document.querySelectorAll(
      ".seat.own .card-face, .seat.own .plate, .controls > *, .ladder button, .felt-say, .middle .card-face")]
    .filter(seen).filter((part) => {
      const { left, top, right, bottom } = part.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
    }).map((part) => part.outerHTML.slice(0, 120));
  const hidden = [...document.querySelectorAll("[data-action]")]
    .filter((part) => !seen(part) && !seen(document.querySelector(".controls .more")));
  return [outside, hidden.length, scrollY];
}"""
#: Click an action, or the next hand after the end of one; returns whether the hand was over, with the next version.
_CLICK = """(draw) => new Promise((done) => {
  const version = () => Number(document.querySelector("[data-version]").dataset.version);
  const before = version();
  const actions = [...document.querySelectorAll("[data-action]")];
  const isEnd = !actions.length;
  if (isEnd && !document.querySelector("[data-role=end]").innerText) throw new Error("the hand has no end");
  (isEnd ? document.querySelector("[data-role=next]") : actions[Math.floor(draw * actions.length)]).click();
  const look = () => (version() > before ? done(isEnd) : setTimeout(look, 4));
  look();
})"""


def sit(page, game, parameters, **setup):
    """Make a table and open it."""
    state = page.evaluate(SIT, {"game": game, "parameters": parameters, "mode": "off", **setup})
    return state["id"]


@pytest.mark.parametrize("name", GAME)
def test_everything_is_in_the_window_at_every_step(name, visit):
    """Own cards and all actions are inside at both sizes, in twenty hands of random actions."""
    game, parameters = GAME[name]
    person, draw = visit(language="ja" if len(name) % 2 else "en"), random.Random(name)
    page = person.open("/help")
    table = sit(page, game, parameters, opponents=[OPPONENTS.get(name, "uniform")])
    person.open(f"/tables/{table}")
    hands, sizes = 0, list(SIZES)
    while hands < HANDS:
        sizes.reverse()  # the window has the size of the step before already
        for width, height in sizes:
            if page.viewport_size["width"] != width:
                page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(_LAYOUT) == [[], 0, 0], (hands, width)
        hands += page.evaluate(_CLICK, draw.random())


def test_every_game_has_five_rules_in_both_languages():
    book = json.loads((Path(tefuda.__file__).parent / "apps/web/static/words/rules.json").read_text("utf-8"))
    for game in set(GAMES) - set(FILES):
        sentences = [book[f"rules.{game}.{number}"] for number in range(1, 6)]
        assert all(each["en"] and each["ja"] for each in sentences), game


def test_rules_are_open_at_the_first_hand_only(visit):
    person = visit(language="ja")
    page = person.open("/help")
    table = sit(page, "kuhn", {}, opponents=["uniform"])
    person.open(f"/tables/{table}")
    rules = page.locator(".rules-panel")
    assert rules.locator("li").count() == 5 and rules.locator("details[open]").count() == 1
    while page.query_selector("[data-action]"):
        press(page, "1")
    press(page, "Enter")
    assert rules.locator("details[open]").count() == 0


def test_a_ladder_of_bids(visit):
    """Lower bids are disabled, the standing bid is marked, a click bids, and 0 calls liar."""
    person = visit()
    page = person.open("/help")
    table = sit(page, "liars_dice", {}, opponents=["always-pass"])
    person.open(f"/tables/{table}")
    before = version(page)
    page.locator(".ladder button:enabled").first.click()
    changed(page, before)
    standing = page.locator(".ladder button.mark")
    assert standing.count() == 1 and standing.is_disabled()
    cells = page.locator(".ladder button").all()
    places = [cell.is_enabled() for cell in cells]
    assert len(cells) == 12 and places == sorted(places)
    press(page, "0")
    assert page.inner_text("[data-role=end]") and page.locator(".seat:not(.own) [data-card]").count() == 1


def test_more_actions_on_a_phone(visit):
    """From the fifth action on a phone has a sheet, which also takes amounts."""
    person = visit(width=360, height=740)
    page = person.open("/help")
    table = sit(page, "nolimit_leduc", {}, opponents=["always-call"])
    person.open(f"/tables/{table}")
    assert page.locator(".controls .act:visible").count() == 4
    before = version(page)
    page.locator(".controls .more").click()
    page.locator(".more-sheet [data-action]").last.click()
    changed(page, before)
    table = sit(page, "holdem", {"bets": "any"}, opponents=["caller"])
    person.open(f"/tables/{table}")
    before = version(page)
    page.locator(".controls .more").click()
    page.locator(".more-sheet input").fill("4")
    page.locator(".more-sheet .main").click()
    changed(page, before)
    assert "4" in page.inner_text(".log li:has-text('You')")


def test_a_coach_keeps_its_height(visit):
    """The panel of the coach moves no panel below it, and ticks actions as good as the best."""
    person = visit()
    page = person.open("/help")
    table = sit(page, "leduc", {}, opponents=["equilibrium"], mode="after")
    person.open(f"/tables/{table}")
    box = page.locator(".coach-box")
    height = box.bounding_box()["height"]
    press(page, "1")
    assert box.bounding_box()["height"] == height
    assert page.locator("[data-role=advice] .advice-row .good.name").count() >= 1


def test_play_has_tiles_and_remembers_the_last_choice(visit):
    """A tile has a picture and a sentence; the choices of the last table are filled in."""
    person = visit()
    page = person.open("/play")
    page.wait_for_selector("form[data-ready]")
    tiles = page.locator(".game-tile")
    assert tiles.count() == len(OFFERED) == tiles.locator("small:not(:empty)").count()
    with page.expect_response(lambda answer: "/api/play/opponents" in answer.url) as listed:
        page.locator(".game-tile", has_text="Kuhn poker").click()
    listed.value.finished()
    page.wait_for_function("() => document.querySelector('select[name=opponent] option[value=trembling]')")
    page.select_option("select[name=opponent]", "trembling")
    page.select_option("select[name=mode]", "request")
    page.click("form .main")
    page.wait_for_selector("[data-version]")
    page = person.open("/play")
    page.wait_for_selector("form[data-ready]")
    chosen = [page.locator(f"select[name={name}]").input_value() for name in ("opponent", "mode")]
    assert page.locator("input[name=game]:checked").get_attribute("value") == "kuhn"
    assert chosen == ["trembling", "request"]
    assert page.locator("option:checked").first.evaluate("each => each.parentElement.label ?? ''") == "medium"


@pytest.mark.parametrize("width", [1280, 360])
def test_a_turn_of_koikoi_is_taken_back(width, visit):
    """After the first own turn the hand can be as before; the round is marked as helped."""
    person = visit(width=width, height=740)
    page = person.open("/help")
    table = sit(page, "koikoi", {"rounds": 3}, opponents=["greedy"])
    person.open(f"/tables/{table}")
    before = page.inner_text(".hana-hand"), page.locator(".hana-hand [data-card]").count()
    assert page.locator("[data-role=back]").count() == 0
    press(page, "1")
    number = version(page)
    if width < 761:
        page.locator("[data-panel=moves]:visible").click()
    page.locator("[data-role=back]:visible").click()
    changed(page, number)
    assert (page.inner_text(".hana-hand"), page.locator(".hana-hand [data-card]").count()) == before
    state = page.evaluate("async (id) => (await fetch(`/api/tables/${id}`)).json()", table)
    assert state["helped"]


@pytest.mark.parametrize("width", [1280, 360])
def test_only_one_node_is_dealt(width, visit):
    """From a decision of a solved spot, and from a node of a run, each hand begins at that node."""
    person = visit(language="ja" if width == 360 else "en", width=width, height=740)
    page = person.open("/help")
    setup = {"opponents": ["solution"], "mode": "request"}
    table = sit(page, "spot", GAME["river"][1], **setup)
    person.open(f"/tables/{table}")
    press(page, "1")
    while not page.query_selector("[data-action]"):
        press(page, "Enter")
        press(page, "1")
    page.wait_for_selector("[data-role=drill]")
    before = person.number()
    page.locator("[data-role=drill]").click()
    person.shown(after=before)
    moves = page.locator(".log li").all_inner_texts()
    assert moves and page.locator("[data-role=drill]").count() == 0
    assert page.locator("#head-here .pill").first.inner_text() == ("一局面" if width == 360 else "one node")
    for hand in range(3):
        assert page.locator(".log li").all_inner_texts() == moves, hand
        while page.query_selector("[data-action]"):
            press(page, "1")
        press(page, "Enter")


def test_a_node_of_a_run_is_dealt(visit, server):
    spot = make_spot("Qs Jh 2h 8d 3c", 100, 200, "AA-TT,AK,AQ,KQ", "QQ-99,AQ,AJ,KQ,T9s", "50%,a", "a")
    td.solve(spot, iterations=30, checkpoint=server.folder / "drilled")
    person = visit()
    page = person.open("/explore/drilled/Check")
    before = person.number()
    page.get_by_role("button", name="Deal only this node").click()
    person.shown(after=before)
    assert page.locator(".log li").count() == 1 and page.locator("[data-action]").count() == 3
