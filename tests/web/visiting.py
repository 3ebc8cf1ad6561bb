"""Visits of a browser: a context of its own, and everything it requested and printed."""

import re
from functools import cache
from importlib.resources import files

#: Chromium as root in a container has no sandbox; no other host is resolved.
OPTIONS = [
    "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--process-per-site",
]  # fmt: skip
COMPILING = 400_000  # milliseconds that a server may need for its kernels, the first time
LONGEST = 60_000  # milliseconds that a story waits for one thing, on a busy machine
#: Compressed bytes and number of all answers of a page, as the browser received them.
WEIGHT = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const unlike = new Map(all.map((each) => [each.name, each.encodedBodySize]));
  return [[...unlike.values()].reduce((sum, size) => sum + size, 0), unlike.size];
}"""
#: How much the parts of a page have moved while it was loaded (cumulative layout shift).
SHIFT = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().reduce((sum, each) => sum + each.value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(done, 500, 0);
})"""
_SPARE = 2  # contexts of the same options that wait for their next visit
_spare = {}  # contexts that visits have given back: their warm cache saves most of the time of a page
#: Size of a message of a refused request; the story that expects it names its status.
_REFUSED = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")


class Visit:
    """A browser context with one page or several; the test checks its messages and requests.

    Contexts are used again, with empty storage, unless the visit is fresh: then its cache is empty too.

    Attributes:
        page: the first page.
        requests: addresses of all requests.
        messages: errors and warnings of the console, uncaught errors, and failures of the server.
        expected: statuses of refusals that the story provokes, such as 404 or 409; 0 for a server that is down.
    """

    def __init__(self, browser, server, *, language="en", theme="light", width=1280, height=800, fresh=False,
                 **options):  # fmt: skip
        self.server, self.requests, self.messages, self.expected = server, [], [], set()
        locale = {"en": "en-US", "ja": "ja-JP"}[language]
        options = {"locale": locale, "color_scheme": theme, "viewport": {"width": width, "height": height}, **options}
        self._spare = None if fresh else _spare.setdefault((browser, repr(options)), [])
        self.context = self._spare.pop() if self._spare else browser.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(LONGEST)
        self.context.add_cookies([server.cookie])
        self._listeners = {
            "request": lambda request: self.requests.append(request.url), "response": self._response,
            "console": self._console, "weberror": lambda error: self.messages.append(f"uncaught: {error.error}"),
        }  # fmt: skip
        for event, listener in self._listeners.items():
            self.context.on(event, listener)
        self.page = self.new_page()

    def new_page(self):
        """Open another tab."""
        return self.context.new_page()

    def open(self, address="/", page=None):
        """Go to an address of the server, and wait until the page is shown."""
        page = page or self.page
        page.goto(f"{self.server.address}{address}")
        return self.shown(page)

    def shown(self, page=None, after=""):
        """Wait until a page is shown; after a click, give the number that `number` returned before."""
        page = page or self.page
        page.wait_for_function("before => (document.body?.dataset.shown ?? '') !== before", arg=after)
        return page

    def number(self, page=None):
        """Return the number of the shown page, which changes with each page."""
        return (page or self.page).evaluate("document.body.dataset.shown ?? ''")

    def check(self):
        """Assert that no other host was asked, and that console and server had no errors."""
        foreign = [url for url in self.requests if not url.startswith((self.server.address, "data:", "blob:"))]
        assert not foreign, foreign
        assert not self.messages, self.messages

    def _response(self, response):
        if response.status >= 500:
            self.messages.append(f"{response.status} {response.url}")

    def _console(self, message):
        refusal = _REFUSED.match(message.text)
        status = int(refusal[1]) if refusal else 0 if "net::ERR_" in message.text else None
        if message.type in ("error", "warning") and status not in self.expected:
            self.messages.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def close(self):
        """Close all pages of the visit; its context is empty, or ends."""
        if self.context is None:
            return
        context, self.context = self.context, None
        if self._spare is None or len(self._spare) >= _SPARE or not context.pages:
            context.close()
            return
        storage = {"origin": self.server.address, "storageTypes": "local_storage"}
        context.new_cdp_session(context.pages[0]).send("Storage.clearDataForOrigin", storage)
        for page in context.pages:
            page.close()
        context.clear_cookies()
        for event, listener in self._listeners.items():
            context.remove_listener(event, listener)
        self._spare.append(context)


@cache
def axe():
    """The script of axe-core, a dependency of the tests alone."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(page, rules=()):
    """The rules of axe that a page breaks, with the elements; of all rules, or of some by name."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe())
    options = {"resultTypes": ["violations"], **({"runOnly": {"type": "rule", "values": rules}} if rules else {})}
    result = page.evaluate("options => axe.run(document, options)", options)
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"]][:3]) for rule in result["violations"]]


def amount(text):
    """Return the number of a text of the page."""
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))
