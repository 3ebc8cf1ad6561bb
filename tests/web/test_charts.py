"""Charts: values at the pointer, zoom, scales, and differences to the best line."""

from itertools import pairwise

import pytest

import tefuda as td

METHODS = ("cfr", "cfr+", "dcfr")


@pytest.fixture(scope="module")
def curves(server):
    """Three runs of Kuhn poker: the address that compares them, and their curves by name."""
    names = {f"chart-{name.replace('+', '-plus')}": name for name in METHODS}
    runs = {
        name: td.solve(td.load_game("kuhn"), method, iterations=300, checkpoint=server.folder / name)
        for name, method in names.items()
    }
    return f"/runs?compare={','.join(names)}", {name: run.curve for name, run in runs.items()}


def tip(page):
    """The number of iterations and the values of the tip, from the first line to the last."""
    return page.inner_text(".tip > b"), [float(text) for text in page.locator(".tip li b").all_inner_texts()]


def test_the_tip_has_the_values_of_the_table_best_first(curves, visit):
    address, known = curves
    page = visit().open(address)
    page.locator(".area").focus()
    points = sorted({point.iteration for curve in known.values() for point in curve})
    for iteration in points[:5]:
        page.keyboard.press("ArrowRight")
        at, values = tip(page)
        exact = [max(p for p in curve if p.iteration <= iteration).figure for curve in known.values()]
        assert at == str(iteration)
        assert values == pytest.approx(sorted(exact), rel=1e-3)
    page.click("summary:has-text('As table')")
    cells = page.locator(".twin td:last-child").all_inner_texts()
    assert {f"{value:.4g}" for value in values} <= {f"{float(cell):.4g}" for cell in cells}


def test_a_drag_zooms_and_a_double_click_resets(curves, visit):
    page = visit().open(curves[0])
    box = page.locator(".area").bounding_box()
    whole = page.locator(".across").all_inner_texts()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.locator(".across").all_inner_texts() != whole
    page.dblclick(".area")
    assert page.locator(".across").all_inner_texts() == whole


def test_differences_are_never_below_zero(curves, visit):
    page = visit().open(curves[0])
    page.click("text=Difference to best")
    page.locator(".area").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        values = tip(page)[1]
        assert values[0] == 0 and min(values) == 0


def test_labels_are_apart_and_inside(curves, visit):
    """In both languages the names of lines are 15 pixels apart and inside the window."""
    for language in ("en", "ja"):
        page = visit(language=language, width=360).open(curves[0])
        boxes = page.evaluate(
            "[...document.querySelectorAll('.plot .name')].map(e => e.getBoundingClientRect().toJSON())"
        )
        tops = sorted(box["top"] for box in boxes)
        assert all(high - low >= 15 for low, high in pairwise(tops)), tops
        assert all(box["right"] <= 360 for box in boxes)
