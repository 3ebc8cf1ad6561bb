"""Draw the page's icons from icon.svg with Chromium: ``python -m docs.site.icons``."""

from __future__ import annotations

import os
from pathlib import Path

from tests.browsers import BROWSER

STATIC = Path(__file__).parents[2] / "src/tefuda/apps/web/static"
SIZES = (192, 512)
_GROUND = (
    "rgb(251 250 247)"  # the page's; an icon may be cut to a circle: it fills its square, and the picture has room
)
_PAGE = "<body style='margin:0;background:{ground};display:grid;place-items:center;height:100vh'>{picture}</body>"


def main() -> None:
    """Write the icons."""
    from playwright.sync_api import sync_playwright

    picture = (STATIC / "icon.svg").read_text("utf-8").replace("<svg ", "<svg width='68%' ", 1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER, chromium_sandbox=os.geteuid() != 0, args=["--disable-gpu"]
        )
        for size in SIZES:
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(_PAGE.format(ground=_GROUND, picture=picture))
            page.screenshot(path=STATIC / f"icon-{size}.png")
        browser.close()


if __name__ == "__main__":
    main()
