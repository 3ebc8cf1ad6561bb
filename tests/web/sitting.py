"""Steps of the stories at tables: sit down, press a key, wait for the next version."""

#: Make a table of a setup; returns its state.
SIT = """
async (setup) => {
  const headers = { "Content-Type": "application/json" };
  return (await fetch("/api/tables", { method: "POST", headers, body: JSON.stringify(setup) })).json();
}
"""


def version(page):
    return int(page.get_attribute("[data-version]", "data-version"))


def changed(page, before):
    """Wait until the table has a later version than before; return it."""
    page.wait_for_function(
        "before => Number(document.querySelector('[data-version]')?.dataset.version ?? 0) > before", arg=before
    )
    return version(page)


def press(page, key):
    """Press a key and wait for the answer."""
    before = version(page)
    page.keyboard.press(key)
    return changed(page, before)


def sit(visit, game="leduc", mode="after", page=None):
    """Sit down at a table by the page Play; return the page."""
    page = visit.open(f"/play?game={game}&mode={mode}", page)
    page.wait_for_selector("form[data-ready]")
    page.click("form .main")
    page.wait_for_selector("[data-version]")
    return page
