"""Pictures of the page for README and docs, ``docs/page-*.png``.

``python -m docs.site.screens`` writes them. It needs Chromium and the extras dev and web.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import tefuda as td
from tefuda.holdem import make_spot
from tests.web.serving import Served
from tests.web.visiting import OPTIONS, Visit

DOCS = Path(__file__).parent.parent
RANGE = "22+,A2s+,K9s+,QTs+,J9s+,T8s+,98s,AJo+,KQo,QJo"


def koikoi(visit: Visit) -> Page:
    """Show a round of Koi-Koi after some turns."""
    page = visit.open("/play?game=koikoi&rounds=3&mode=after")
    page.wait_for_selector("form.sit[data-ready]")
    page.click("form.sit button.main")
    for _ in range(6):
        version = page.wait_for_selector("[data-version]").get_attribute("data-version")
        page.keyboard.press("1")
        page.wait_for_function("v => document.querySelector('[data-version]')?.dataset.version !== v", arg=version)
    return page


def explore(visit: Visit) -> Page:
    """Show the first decision of a solved river."""
    page = visit.open("/explore/river/-")
    page.wait_for_selector("[role=grid]")
    return page


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as browsers:
        folder = Path(name)
        bets = {"bets": "50%,100%,a", "raises": "60%,a"}
        spot = make_spot("Qs Jh 2h 8c 3d", 100, 200, RANGE, RANGE, **bets)
        td.solve(spot, iterations=1000, checkpoint=folder / "river")
        server = Served(folder)
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=[*OPTIONS, "--no-sandbox"])
        for show in (koikoi, explore):
            visit = Visit(browser, server, width=1280, height=1000)
            page = show(visit)
            page.wait_for_selector("#preparation", state="hidden")
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=DOCS / f"page-{show.__name__}.png")
            visit.close()
        server.end()


if __name__ == "__main__":
    main()
