"""Pictures of the page for README and docs, ``docs/page-*.png``.

``python -m docs.site.screens`` writes them. It needs Chromium and the extras dev and web.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import tefuda as td
from tefuda.holdem import make_spot
from tests.browsers import BROWSER
from tests.web.serving import Served
from tests.web.visiting import OPTIONS, Visit

DOCS = Path(__file__).parent.parent
RANGE = "22+,A2s+,K9s+,QTs+,J9s+,T8s+,98s,AJo+,KQo,QJo"
HEIGHTS = {"explore": 1000}  # pixels; of all others 800


def home(visit: Visit) -> Page:
    """Show Home before anything was played."""
    return visit.open("/")


def koikoi(visit: Visit) -> Page:
    """Show a round of Koi-Koi after some turns."""
    page = visit.open("/")
    page.click("[data-role=play]")
    page.wait_for_selector(".hana-grid")
    for _ in range(4):
        version = page.wait_for_selector("[data-version]").get_attribute("data-version")
        page.keyboard.press("1")
        page.wait_for_function("v => document.querySelector('[data-version]')?.dataset.version !== v", arg=version)
    return page


def spot(visit: Visit) -> Page:
    """Show the form of a spot, solved."""
    page = visit.open("/solve")
    page.click("[data-role=start]:enabled")
    page.wait_for_selector(".live[data-status=ended]", timeout=600_000)
    page.wait_for_selector(".so-far td")
    return page


def explore(visit: Visit) -> Page:
    """Show the first decision of a solved river."""
    page = visit.open("/explore/river/-")
    page.wait_for_selector("[role=grid]")
    return page


def main() -> None:
    """Write the pictures."""
    bets = {"bets": "50%,100%,a", "raises": "60%,a"}
    river = make_spot("Qs Jh 2h 8c 3d", 100, 200, RANGE, RANGE, **bets)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as browsers:
        server = Served(Path(name))
        browser = browsers.chromium.launch(executable_path=BROWSER, args=[*OPTIONS, "--no-sandbox"])
        for show in (home, explore, spot, koikoi):
            if show is explore:
                td.solve(river, iterations=1000, checkpoint=server.folder / "river")
            visit = Visit(browser, server, width=1280, height=HEIGHTS.get(show.__name__, 800))
            page = show(visit)
            page.evaluate("document.getElementById('preparation').hidden = true; scrollTo(0, 0)")
            page.screenshot(path=DOCS / f"page-{show.__name__}.png")
            visit.close()
        server.end()


if __name__ == "__main__":
    main()
