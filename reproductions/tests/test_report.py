"""Claims in terminals and notebooks: escaped texts, no codes of the terminal."""

import io
from html.parser import HTMLParser

from tefuda.apps.display import consoles
from tefuda_reproductions.claims import Claim, ClaimTable
from tefuda_reproductions.report import claims_report

EVIL = ("[/x]", "[link=http://a]b[/link]", "a\x1b[2Jb", "<script>x</script>")


def table():
    claim = Claim(EVIL[0], EVIL[1], EVIL[2], EVIL[3], True)
    return ClaimTable(EVIL[2], (claim,), (EVIL[1], EVIL[2]))


def test_claims_in_a_terminal():
    screen = consoles.SafeConsole(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=100)
    for part in claims_report(table()):
        screen.print(part)
    found = screen.file.getvalue()
    assert "[/x]" in found and "[link=http://a]b[/link]" in found and "a\\x1b[2Jb" in found and "\x1b[2J" not in found


def test_claims_in_a_notebook():
    tags, words = [], []
    reader = HTMLParser()
    reader.handle_starttag, reader.handle_data = lambda tag, _: tags.append(tag), words.append
    reader.feed(table()._repr_html_())
    assert tags.count("table") == 1 and "script" not in tags
    assert "<script>x</script>" in words and "1 claim met, 0 not met" in "".join(words)
