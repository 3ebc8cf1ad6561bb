"""Steps of the stories at tables: sit down, press a key, wait for the next version."""

from tefuda.apps.web.routes.play import OFFERED

#: Games and parameters of the entries of the page Play, by name.
SETUPS = {name: {"game": game, "parameters": parameters} for name, game, parameters in OFFERED}
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
    """Sit down at a table of the page Play, against the first opponent; return the page."""
    setup = {"game": game, "parameters": {}, **SETUPS.get(game, {}), "opponents": [], "mode": mode}
    table = visit.context.request.post(f"{visit.server.address}/api/tables", data=setup).json()
    page = visit.open(f"/tables/{table['id']}", page)
    page.wait_for_selector("[data-version]")
    return page
