"""Stories of Koi-Koi: rounds in Japanese on a phone, the keyboard, the choice of koi-koi, rules."""

import pytest

from tests.web.sitting import changed, press, sit, version
from tests.web.visiting import violations

TARGET = 44  # pixels
#: Whether two elements overlap.
_OVERLAP = """(names) => {
  const [one, other] = names.map((name) => document.querySelector(name).getBoundingClientRect());
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}"""
#: Elements that are not inside of the window, actions that are covered, and the boxes of the parts that must not move.
_LAYOUT = """() => {
  const box = (element) => element.getBoundingClientRect();
  const parts = [...document.querySelectorAll(
    ".hana-hand > li, .hana-field > li, .hana-strip, .hana-sheet button, .hana-end button, .hana-stock")];
  const outside = parts.filter((part) => {
    const { left, top, right, bottom } = box(part);
    return left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
  });
  const covered = [...document.querySelectorAll(".koikoi button[data-action], [data-role=next]")].filter((part) => {
    const { left, top, width, height } = box(part);
    return width > 0 && !part.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  const [opponent, own] = [...document.querySelectorAll(".hana-strip")].map((part) => Math.round(box(part).top));
  const { dataset: { rows } } = document.querySelector(".hana-hand");
  const field = document.querySelector(".hana-middle");
  return { outside: outside.map((part) => part.className), covered: covered.map((part) => part.outerHTML),
    scroll: scrollY, rows,
    places: [opponent, own, Math.round(box(field).top), Math.round(box(document.querySelector(".hana-hand")).bottom)] };
}"""
SIZES = [(1280, 720), (1920, 1080), (1024, 768), (320, 640), (360, 740), (390, 844)]


#: Click an element, and wait for the next version of the table.
_TAKE = """(selector) => new Promise((done) => {
  const version = () => Number(document.querySelector("[data-version]").dataset.version);
  const before = version();
  const look = () => (version() > before ? done() : setTimeout(look, 4));
  document.querySelector(selector).click();
  look();
})"""


def take(page, selector):
    """Take an action like `act`, but in one question to the page: it may be covered or still move."""
    page.evaluate(_TAKE, selector)


def act(page, selector):
    """Click an action and wait for the answer."""
    before = version(page)
    page.locator(selector).first.click()
    return changed(page, before)


def small_targets(page):
    """Return the controls of the page below the size of a target."""
    return page.evaluate(
        """size => [...document.querySelectorAll("main button, main summary, main a")].filter((element) => {
          const { width, height } = element.getBoundingClientRect();
          return element.offsetParent && (width < size || height < size);
        }).map((element) => element.outerHTML.slice(0, 80))""",
        TARGET,
    )


def test_a_round_in_japanese_on_a_phone(visit):
    """A whole round at 360 pixels: Japanese everywhere, no sideways scrolling, targets of 44 pixels."""
    story = visit(language="ja", width=360)
    page = sit(story, "koikoi3", "request")
    page.wait_for_selector(".hana-hand button")
    assert page.locator(".hana-hand button").count() == 8
    assert page.locator(".hana-field [data-card]").count() == 8
    first = page.locator(".hana-hand button").first
    code = first.get_attribute("aria-label").split(" ")[0]
    assert any("\u3040" <= letter <= "\u9fff" for letter in first.get_attribute("aria-label"))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert small_targets(page) == []
    act(page, ".hana-hand button")
    moved = page.eval_on_selector_all(".koikoi [data-card]", "cards => cards.map((card) => card.dataset.card)")
    assert code in moved or page.query_selector(".hana-field button")  # in a pile or on the field
    while not page.query_selector("[data-role=ending]"):
        act(page, ".koikoi button[data-action]")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert small_targets(page) == []
    act(page, "[data-role=next]")
    assert page.get_attribute("[data-hand]", "data-hand") == "1"


def test_cards_light_what_they_take(visit):
    """The focus on a card of the hand marks the field cards of its month, and only those."""
    assert lit_cards(sit(visit(), "koikoi3", "off"))


def lit_cards(page):
    """Focus each card of the hand, and return the number of cards that take one of the field."""
    page.wait_for_selector(".hana-hand button")
    field = page.eval_on_selector_all(".hana-field [data-card]", "cards => cards.map((card) => card.dataset.card)")
    lit = 0
    for place in range(8):
        button = page.locator(".hana-hand button").nth(place)
        button.focus()
        own = button.get_attribute("aria-label").split(" ")[0]
        taken = page.eval_on_selector_all(".hana-field .takes", "cards => cards.map((card) => card.dataset.card)")
        same = [code for code in field if month_of(code) == month_of(own)]
        assert taken == same
        assert bool(same) == ("takes" in button.get_attribute("class") or "completes" in button.get_attribute("class"))
        assert page.inner_text(".hana-say")
        lit += bool(taken)
    return lit


def test_a_round_may_be_over_at_the_deal(serve, visit):
    """Four cards of a month, or four pairs, pay at once: the sheet says so, and the next round has a turn."""
    seed = "from tefuda.apps.web.tables import TableStore; TableStore.draw_seed = staticmethod(lambda: 113)"
    page = sit(visit(serve(before=seed)), "koikoi3", "off")
    page.wait_for_selector("[data-role=ending]")
    assert page.locator(".hana-hand button").count() == 0 and "6" in page.inner_text("[data-role=ending]")
    press(page, "Enter")
    page.wait_for_selector(".hana-hand button")


def month_of(code):
    """Return the month of a card's code."""
    return code[: next(place for place, letter in enumerate(code) if letter in "BARC")]


def test_koikoi_by_keyboard_to_the_sum(visit):
    """Digits play the reduced game to its end; a stop shows the sum, whose last line is the payoff."""
    page = sit(visit(theme="dark"), "mini8", "off")
    page.wait_for_selector(".koikoi")
    sums = 0
    for _ in range(40):
        if page.query_selector("[data-role=ending]"):
            lines = page.locator("[data-role=ending] tbody tr").all_inner_texts()
            if lines:
                points = int("".join(filter(str.isdigit, lines[-1])))
                assert points > 0 and str(points) in page.inner_text("[data-role=ending] h2")
                sums += 1
            if sums >= 2:
                break
            press(page, "Enter")
        else:
            press(page, "1")
    assert sums >= 2


def test_the_sheet_names_points_and_the_table_stays_visible(visit):
    """The choice between stop and koi-koi is beside field and hand; calling is counted."""
    page = sit(visit(), "mini8", "off")
    page.wait_for_selector(".koikoi")
    for _ in range(80):
        if page.query_selector("[data-role=ending]"):
            press(page, "Enter")
        elif page.locator(".hana-sheet button").count() == 2:
            break
        else:
            act(page, ".koikoi button[data-action]")
    sheet = page.locator(".hana-sheet")
    assert sheet.locator("tbody tr").count() >= 2
    assert page.evaluate("document.activeElement.closest('.hana-sheet')") is None  # neither is chosen beforehand
    assert page.evaluate(_OVERLAP, [".hana-field", ".hana-sheet"]) is False
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(_OVERLAP, [".hana-field", ".hana-sheet"]) is False
    act(page, ".choose-row button:last-child")
    assert page.locator(".hana-sheet button").count() == 0


def test_rules_are_read_in_both_languages(visit):
    """The page of rules opens beside the table, with the presets of the sit-down form."""
    for language, name in (("en", "goko"), ("ja", "五光")):
        story = visit(language=language)
        page = story.open("/play?game=koikoi3")
        page.wait_for_selector("form[data-ready]")
        page.select_option("select[name=preset]", "no_sake")
        page.wait_for_function("() => document.querySelector('select[name=opponent]').options.length > 1")
        page.select_option("select[name=opponent]", "greedy")
        page.click("form .main")
        page.click("[data-panel=rules] >> visible=true")
        page.wait_for_selector(".hana-rules summary")
        page.click(".hana-rules summary")
        page.wait_for_selector(".hana-rules table")
        rules = page.inner_text(".hana-rules")
        assert name in rules and "花見酒" not in rules


def test_the_first_tap_looks_and_the_second_plays(visit):
    """On a touch screen a card is looked at before it is played."""
    page = sit(visit(width=360, has_touch=True), "mini8", "off")
    page.wait_for_selector(".hana-hand button")
    before = version(page)
    card = page.locator(".hana-hand button").last
    card.tap()
    assert page.inner_text(".hana-say") and version(page) == before
    card.tap()
    assert changed(page, before) > before


def test_axe_finds_nothing_at_a_table_of_koikoi(visit):
    """The table, the choice of koi-koi or a card, and the end of a round have no violation of WCAG 2.2 AA."""
    page = sit(visit(language="ja", bypass_csp=True), "mini8", "after")
    page.wait_for_selector(".koikoi")
    seen = set()
    for _ in range(30):
        over = page.query_selector("[data-role=ending]")
        kind = "end" if over else "sheet" if page.query_selector(".hana-sheet") else "table"
        if kind not in seen:
            seen.add(kind)
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                assert violations(page) == []
        if len(seen) == 3:
            break
        act(page, "[data-role=next]" if over else ".koikoi button[data-action]")
    assert {"table", "end"} <= seen


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_round_stays_in_its_windows(language, visit):
    """Cards and buttons are inside at each step and size; strips, field and hand keep their places."""
    page = sit(visit(language=language), "koikoi3", "off")
    page.wait_for_selector(".hana-hand button")
    places = {}
    for _ in range(60):
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found = page.evaluate(_LAYOUT)
            assert (found["outside"], found["covered"], found["scroll"]) == ([], [], 0), (width, language)
            known = places.setdefault((width, height, found["rows"]), found["places"])
            assert all(abs(one - other) <= 1 for one, other in zip(known, found["places"], strict=True)), (known, found)
        if page.query_selector("[data-role=ending]"):
            break
        take(page, ".koikoi button[data-action]")
    assert page.query_selector("[data-role=ending]")


def test_the_opponents_turn_is_shown_in_stages(visit):
    """Stages mark the moved card; a turn is over after 1.8 s of the page's clock, and a key skips it."""
    story = visit(fresh=True)
    story.page.clock.install()
    page = sit(story, "koikoi3", "off")
    page.emulate_media(reduced_motion="no-preference")
    page.wait_for_selector(".hana-hand button")
    seen = set()
    for turn in range(8):
        if page.query_selector("[data-role=ending], .hana-sheet"):
            break
        before = version(page)
        page.locator(".koikoi button[data-action]").first.click()
        changed(page, before)
        stage = page.get_attribute("[data-version]", "data-stage")
        if stage is not None:
            seen.add(int(stage))
            if turn % 2:
                page.keyboard.press("Shift")
            else:
                page.clock.run_for(1800)
        page.wait_for_function("() => !document.querySelector('[data-version]').dataset.stage")
    assert seen and seen <= {0, 1, 2, 3}


def test_nothing_moves_with_reduced_motion(visit):
    """The last state is shown at once, with the marks of the last move."""
    page = sit(visit(), "koikoi3", "off")
    page.wait_for_selector(".hana-hand button")
    for _ in range(3):
        before = version(page)
        page.locator(".koikoi button[data-action]").first.click()
        changed(page, before)
        assert page.evaluate("document.getAnimations().length") == 0
        assert not page.get_attribute("[data-version]", "data-stage")
    assert page.query_selector(".hana-last .hana-move")


def test_a_match_names_its_winner(visit):
    """The end of a match is a sheet of its own; the head has the final score."""
    page = sit(visit(), "koikoi3", "off")
    page.wait_for_selector(".hana-hand button")
    for _ in range(200):
        if page.query_selector(".hana-end.match"):
            break
        take(page, "[data-role=next]" if page.query_selector("[data-role=ending]") else ".koikoi button[data-action]")
    shown = page.locator(".final-score > span").evaluate_all("all => all.map(each => each.lastChild.textContent)")
    own, other = (int(text.replace("\N{MINUS SIGN}", "-")) for text in shown)
    title = page.inner_text(".hana-end h2")
    assert ("You win" in title, "draw" in title) == (own > other, own == other)
    assert page.locator(".rounds li").count() == 3
    assert all(text in page.inner_text("#head-here") for text in shown)


@pytest.mark.parametrize("language, size", [("en", (1280, 720)), ("ja", (360, 740)), ("en", (320, 640))])
def test_a_first_lesson(visit, language, size):
    """Three guided turns of one deal, with sentences and marks; any card may be played."""
    story, hands, texts = visit(language=language, width=size[0], height=size[1]), [], []
    page = story.open("/play")
    page.wait_for_selector("form[data-ready]")
    before = story.number()
    page.locator("[data-role=lesson]").click()
    story.shown(after=before)
    for turn in range(4):
        say = page.locator(".hana-say")
        texts.append(say.inner_text())
        assert texts[-1].startswith(f"{turn + 1}/3") == (turn < 3), texts
        assert say.evaluate("part => part.scrollHeight <= part.clientHeight + 1"), texts
        assert page.locator(".hana-hand .best").count() == (turn < 3)
        hands.append(page.locator(".hana-hand button").count())
        assert page.evaluate(_LAYOUT)["outside"] == []
        page.reload()
        story.shown()
        assert say.inner_text() == texts[-1]
        act(page, ".hana-hand button.best" if turn % 2 == 0 and turn < 3 else ".hana-hand button >> nth=-1")
        while page.locator(".hana-field button").count():
            act(page, ".hana-field button")
    assert hands == [8, 7, 6, 5] and len({*texts}) == 4
    state = page.evaluate("async () => (await fetch(`/api${location.pathname}`)).json()")
    assert state["helped"] and not state["end"]
    story.open("/play")
    assert page.locator("[data-role=lesson]").count() == 0, "offered at the first visit only"
