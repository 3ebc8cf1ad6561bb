"""Modules as one script: known forms of imports and exports alone."""

import base64
import hashlib
import re

import pytest

from tefuda.apps.share.bundle import bundled
from tefuda.apps.share.document import document
from tefuda.errors import ParameterError
from tests.apps.share.reading import data_of

MODULES = {
    "js/main.js": 'import { add as plus, ONE } from "./sums.js";\nimport * as sums from "./sums.js";\n'
    'import { page } from "./pages/a.js";\nexport const total = plus(ONE, sums.ONE) + page();\n',
    "js/sums.js": "export const ONE = 1;\nfunction add(a, b) {\n  return a + b;\n}\nexport { add };\n",
    "js/pages/a.js": 'import { get } from "../data.js";\nexport function page() {\n  return get("/a");\n}\n',
    "js/data.js": "export const get = (address) => globalThis.tefudaData[address];\n",
}
HOSTILE = "</title><img src=x onerror=alert(1)>"


def test_modules_run_once_after_those_they_import():
    script = bundled(MODULES.__getitem__, ["js/main.js", "js/pages/a.js"])
    order = re.findall(r'^modules\["([^"]+)"\]', script, re.MULTILINE)
    assert order == ["js/sums.js", "js/data.js", "js/pages/a.js", "js/main.js"]
    assert "import" not in script and "export" not in script


def test_imports_by_calls_load_entries():
    source = "export const load = (name) => import(`./pages/${name}.js`);\n"
    script = bundled({**MODULES, "js/main.js": source}.__getitem__, ["js/main.js"])
    assert 'loadModule("js", `./pages/${name}.js`)' in script and "import" not in script


@pytest.mark.parametrize(
    "line",
    [
        'import x from "./sums.js";',
        "import {",
        "import { ONE } from './sums.js';",
        'import { ONE } from "sums";',
        "export default 1;",
        "export let x = 1;",
        'export * from "./sums.js";',
        "await fetch();",
        "const here = import.meta.url;",
    ],
)
def test_other_forms_are_refused(line):
    with pytest.raises(ParameterError) as caught:
        bundled({**MODULES, "js/main.js": f"{line}\n"}.__getitem__, ["js/main.js"])
    assert caught.value.key == "js/main.js"


def test_circles_are_refused():
    modules = {"a.js": 'import { b } from "./b.js";', "b.js": 'import { a } from "./a.js";'}
    with pytest.raises(ParameterError):
        bundled(modules.__getitem__, ["a.js"])


def test_a_document_allows_its_own_script_and_styles_alone():
    data = {"/a": {"name": HOSTILE, "kana": "手札", "none": None}}
    page = document(HOSTILE, f'/a?"{HOSTILE}', data, "run();", {"base": "body { margin: 0; }"})
    assert "<img" not in page
    policy = re.search(r'content="(default-src[^"]*)"', page)[1]
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert (allowed["default-src"], allowed["base-uri"], allowed["form-action"]) == ("'none'",) * 3
    for tag, key in (("script", "script-src"), ("style", "style-src")):
        (text,) = re.findall(rf"<{tag}(?: data-name=\"base\")?>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert allowed[key] == f"'sha256-{digest}'"
    assert data_of(page) == data


@pytest.mark.parametrize("script, style", [('x = "</script>"', ""), ("", "/* </STYLE > */")])
def test_texts_that_end_their_element_are_refused(script, style):
    with pytest.raises(ParameterError):
        document("title", "/", {}, script, {"base": style})
