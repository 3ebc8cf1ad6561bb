"""The form of a spot: painting, text, board, sizes, and a solve from the first card to the solution."""

import json
import random
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tefuda.holdem.ranges import Range

RIVER = {
    "game": "spot", "board": "Qs Jh 2h 8d 3c", "pot": 100, "stack": 200, "oop": "AA,KK,QJs", "ip": "QQ,AK,T9s",
    "bets": "50%,a", "raises": "a",
}  # fmt: skip


def cell(page, name):
    """The cell of a class in the range that is shown."""
    return page.locator(f".painter:not([hidden]) [data-class='{name}']")


def text_of(page):
    """The text of the range that is shown."""
    return page.input_value(".painter:not([hidden]) .text")


def query_of(page):
    """The values of the page's address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def fill(page, text):
    """Write a range."""
    with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
        page.fill(".painter:not([hidden]) .text", text)
        page.keyboard.press("Enter")
    page.wait_for_selector(".painter:not([hidden])[aria-busy=false]")


def drag(page, first, last):
    """Drag from a cell to another one."""
    (left, top), (right, bottom) = ((box["x"] + 8, box["y"] + 8) for box in (cell(page, first).bounding_box(),
                                                                         cell(page, last).bounding_box()))  # fmt: skip
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=60)
    with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
        page.mouse.up()


def test_a_drag_over_twenty_cells_is_one_step_of_undoing(visit):
    page = visit(height=900).open("/solve")
    fill(page, "AA")
    drag(page, "A2s", "A9s")
    drag(page, "K2s", "K9s")
    assert Range.read(text_of(page)) == Range.read("AA,A9s-A2s,K9s-K2s")
    drag(page, "A9s", "A2s")  # begins on a painted cell: it erases
    assert Range.read(text_of(page)) == Range.read("AA,K9s-K2s")
    for left in ("AA,A9s-A2s,K9s-K2s", "AA,A9s-A2s"):
        with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
            page.keyboard.press("Control+z")
        assert Range.read(text_of(page)) == Range.read(left)


def test_keys_paint(visit):
    """Arrows move, Space paints, Shift with arrows paints on; the weight is that of the button."""
    page = visit(height=900).open("/solve")
    fill(page, "22")
    page.click(".painter:not([hidden]) .choice button:text-is('50')")
    cell(page, "AA").focus()
    for key in ("Space", "Shift+ArrowRight", "ArrowDown", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.painter:not([hidden]) .text').value.includes('AK')")
    assert Range.read(text_of(page)) == Range.read("22,AA:0.5,AK:0.5")
    assert cell(page, "AKo").get_attribute("aria-label").startswith("AKo 50")


def test_suits_of_a_class(visit):
    """Toggles take single hands away; the cell shows it by a cut corner."""
    page = visit(height=900).open("/solve")
    fill(page, "A5s,KQo,77")
    for name, count in (("A5s", 4), ("KQo", 12), ("77", 6)):
        cell(page, name).focus()
        cell(page, name).click()  # erases
        cell(page, name).click()  # paints
        assert page.locator(".painter:not([hidden]) .suit-toggle").count() == count
        with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
            page.locator(".painter:not([hidden]) .suit-toggle").first.click()
        assert "cut" in cell(page, name).get_attribute("class")
    own = Range.read(text_of(page))
    assert (own.weights > 0).sum() == 3 + 11 + 5
    page.wait_for_selector("[data-role=start]:enabled")  # hands with cards of the board are left out


def test_text_to_chart_to_text_is_stable(visit):
    """The server's text of the chart that a text paints is the same range; 200 random ranges."""
    page = visit().open("/solve")
    draw = random.Random(4)
    texts = []
    for _ in range(200):
        weights = [0.0] * 1326
        for hand in draw.sample(range(1326), draw.choice((1, 40, 700))):
            weights[hand] = draw.choice((1.0, 0.5, 0.25, 0.123))
        texts.append(str(Range(weights)))
    program = """async (texts) => {
      const { rangeText, cellsOf } = await import('/static/js/spots/hands.js');
      const { post } = await import('/static/js/api.js');
      const once = async (text) => post('/api/ranges', { text });
      return Promise.all(texts.map(async (text) => (await once(rangeText(cellsOf(await once(text))))).text));
    }"""
    assert page.evaluate(program, texts) == texts


def test_an_error_of_a_range_stands_beside_it(visit):
    one = visit(height=900)
    one.expected.add(400)
    page = one.open("/solve")
    fill(page, "AKs,QQ+,ZZ,T9s")
    page.wait_for_selector(".painter:not([hidden]) .error:has-text('ZZ')")
    assert page.get_attribute(".painter:not([hidden]) .text", "aria-invalid") == "true"
    page.wait_for_selector("[data-role=start]:disabled")
    fill(page, "AKs,QQ+,T9s")
    page.wait_for_selector("[data-role=start]:enabled")


def test_the_address_restores_the_form(visit):
    """Board by typing, sizes as chips: another visit of the address shows the same fields."""
    one = visit(height=900)
    page = one.open("/solve")
    page.click("text=Clear >> nth=-1")
    page.focus(".deck button")
    page.keyboard.type("AhKd7c2s")
    page.click("[data-row=ip_raise] .new")
    page.keyboard.type("2.5x")
    page.keyboard.press("Enter")
    page.click("[data-row=oop_bet] [data-size='33%']")
    page.wait_for_selector("[data-role=start]:enabled")
    page.wait_for_timeout(400)  # the address follows the last change
    before = query_of(page)
    assert before["board"] == "Ah Kd 7c 2s"
    sizes = json.loads(before["more"])
    assert sizes["ip_turn_raise"] == "60%,a,2.5x" and sizes["oop_turn_bet"] == "75%,a"
    page.reload()
    one.shown(page)
    page.wait_for_selector("[data-role=start]:enabled")
    page.wait_for_timeout(400)
    assert query_of(page) == before


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768), (360, 740)])
def test_the_button_is_always_in_the_window(size, visit):
    """At each place of the scroll bar."""
    page = visit(width=size[0], height=size[1]).open("/solve")
    page.wait_for_selector("[data-role=start]:enabled")
    for top in (0, 300, 10_000):
        page.evaluate("top => scrollTo(0, top)", top)
        box = page.evaluate("document.querySelector('[data-role=start]').getBoundingClientRect().toJSON()")
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], (top, box)


@pytest.mark.parametrize("width, height", [(1280, 800), (1024, 768), (360, 740)])
def test_a_river_from_the_form_to_its_solution(width, height, visit):
    """The curve appears in the window; Explore leads to the solution."""
    one = visit(width=width, height=height)
    page = one.open(f"/solve?{urlencode(RIVER)}")
    page.wait_for_selector("[data-role=start]:enabled")
    page.click("[data-role=start]")
    page.wait_for_selector(".results.solved .plot")
    box = page.evaluate("document.querySelector('.results .plot').getBoundingClientRect().toJSON()")
    assert box["y"] >= 48 and box["y"] + box["height"] <= height
    page.wait_for_selector(".live[data-status=ended]")
    before = one.number()
    page.click(".so-far a")
    one.shown(after=before)
    assert "/explore/spot-" in page.url


def test_presets_and_saved_ranges(visit):
    """A preset fills the chart; a saved range stands above the presets, and Undo takes it back."""
    page = visit(height=900).open("/solve")
    page.on("dialog", lambda dialog: dialog.accept("mine"))
    with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
        page.select_option(".painter:not([hidden]) .range-top select", label="UTG opens")
    assert "55+" in text_of(page)
    page.click(".painter:not([hidden]) button[aria-label='Save the range']")
    names = ".painter:not([hidden]) .range-top option"
    assert page.locator(names).nth(1).inner_text() == "mine"
    page.reload()
    page.wait_for_selector("[data-role=start]:enabled")
    assert page.locator(names).nth(1).inner_text() == "mine"
    page.click(".painter:not([hidden]) button[aria-label='Save the range']")  # replaces it
    page.click(".message button")
    assert page.locator(names).nth(1).inner_text() == "UTG opens"


def test_amounts_in_big_blinds_or_chips(visit):
    """The form's example is in big blinds; plan and address have chips, ten for a big blind."""
    one = visit(height=900)
    page = one.open("/solve")
    page.wait_for_selector("[data-role=start]:enabled")
    amounts = [page.input_value(f"[name={name}]") for name in ("pot", "stack")]
    assert amounts == ["5.5", "20"] and query_of(page)["pot"] == "55"
    page.fill("[name=stack]", "25.3")
    page.keyboard.press("Enter")
    page.click(".chips-row button:text-is('chips')")
    assert page.input_value("[name=stack]") == "253" and query_of(page)["stack"] == "253"
    page.click(".chips-row button:text-is('bb')")
    page.reload()
    one.shown(page)
    page.wait_for_selector("[data-role=start]:enabled")
    assert page.input_value("[name=stack]") == "25.3"


def test_a_preset_names_its_player(visit):
    """The position of a preset stands at the tab, at the sizes, and in the address."""
    one = visit(height=900)
    page = one.open("/solve")
    assert page.locator(".ranges-panel [aria-pressed]:has(small) b").all_inner_texts() == ["BB", "BTN"]
    with page.expect_response(lambda answer: answer.url.endswith("/api/ranges")):
        page.select_option(".painter:not([hidden]) .range-top select", label="SB opens")
    page.wait_for_function("() => location.search.includes('SB')")  # the address follows the last change
    page.reload()
    one.shown(page)
    assert page.locator(".ranges-panel [aria-pressed]:has(small) b").all_inner_texts() == ["SB", "BTN"]
    assert "SB" in page.locator("[data-row=oop_bet]").inner_text()


def test_a_solution_shows_its_first_decision_and_values(visit):
    """The panel beside the curve has the numbers of the library."""
    page = visit(height=900).open(f"/solve?{urlencode({**RIVER, 'iterations': 30})}")
    page.wait_for_selector("[data-role=start]:enabled")
    page.click("[data-role=start]")
    page.wait_for_selector(".so-far td")
    run = query_of(page)["runs"]
    node = page.evaluate("async (run) => (await fetch(`/api/spots/${run}/-`)).json()", run)
    shown = page.locator(".so-far tbody tr").all_inner_texts()
    for player, text in zip(node["players"], shown, strict=True):
        assert float(text.split()[1]) == pytest.approx(player["ev"], rel=6e-3)
    assert page.locator(".so-far .bar > span").count() == len(node["actions"])


def test_a_spot_that_is_too_large_offers_one_size(visit):
    bets, raises = "9%,20%,33%,50%,75%,100%,150%,a", "20%,33%,50%,75%,100%,a"
    flop = {**RIVER, "board": "Qs Jh 2h", "stack": 9000, "bets": bets, "raises": raises}
    page = visit(height=900).open(f"/solve?{urlencode(flop)}")
    page.click(".facts-row button")
    page.wait_for_selector("[data-role=start]:enabled")
    assert "75" in query_of(page)["bets"] and page.locator(".facts-row .error").count() == 0
