"""Colours in a terminal: cards, bars, links; none without colours."""

import io
import re

import pytest

from tefuda.apps.display import colours, consoles
from tefuda.apps.display.colours import action_bar, file_link, print_cards, with_symbols
from tefuda.apps.grids import Grid
from tefuda.figure import ACTION_COLOURS, PAPER, action_colours, ink_on
from tests.contrast import contrast


def printed(monkeypatch, draw, **settings):
    """The characters that are written to a terminal."""
    settings = {"color_system": "truecolor", "force_terminal": True, "width": 80} | settings
    console = consoles.SafeConsole(record=False, file=(file := io.StringIO()), **settings)
    for module in (consoles, colours):
        monkeypatch.setattr(module, "out", console)
    draw(console)
    return file.getvalue()


def plain(text):
    return re.sub("\x1b\\[[^m]*m", "", text)


def test_cards_have_a_symbol_and_a_colour(monkeypatch):
    """Colour is never the only cue of a suit or kind; words and amounts are no cards."""
    text = "You hold Kc 5s, 1B pine with crane, KcQh, 12C3; bet 50, 3C, As it is 10B."
    written = printed(monkeypatch, lambda console: print_cards(text))
    assert plain(written) == f"{with_symbols(text)}\n"
    assert with_symbols("KcQh 2d 12C3 10B 11A 5R Tc") == "K♣Q♥ 2♦ 12C3– 10B★ 11A○ 5R⚑ T♣"
    assert with_symbols("cards 13C, 1.5B, Ks9, player 1") == "cards 13C, 1.5B, Ks9, player 1"
    assert written.count("\x1b[") == 2 * len(re.findall("[♠♥♦♣★○⚑–]", plain(written)))


@pytest.mark.parametrize("settings", [{"no_color": True}, {"color_system": None}])
def test_without_colours_text_is_as_before(monkeypatch, capsys, settings):
    assert printed(monkeypatch, lambda console: print_cards("You hold Kc."), **settings) == ""
    assert capsys.readouterr().out == "You hold Kc.\n"
    grid = Grid(("a",), (("x",),), bars=((("check", 1.0),),), fills={(0, 0): "#000000"})
    assert "\x1b[3" not in printed(monkeypatch, lambda console: console.print(grid), **settings)
    assert file_link("saved", "x") == "saved"


def test_faint_cells_are_grey(monkeypatch):
    grid = Grid(("a", "b"), (("x", "7"),), faint=frozenset({(0, 1)}))
    written = printed(monkeypatch, lambda console: console.print(grid))
    assert re.search("\x1b\\[90m *7", written) and not re.search("\x1b\\[90m *x", written)


def test_bars_have_the_shares_of_actions():
    """A bar is as wide as asked, and each part starts with its action's letter."""
    bar = action_bar((("fold", 0.5), ("call", 0.25), ("raise to 8", 0.25)), 20)
    assert bar.plain == f"{'F':10}{'C':5}{'R':5}"
    assert [str(span.style).split()[-1] for span in bar.spans] == [ACTION_COLOURS[n] for n in ("fold", "call", "bet")]
    assert action_bar((("a", 1 / 3), ("b", 1 / 3), ("c", 1 / 3)), 20).plain == f"{'A':7}{'B':6}{'C':7}"
    assert action_bar((("a", 1.0), ("b", 0.0)), 5).plain == "A    "


def test_fills_of_actions():
    """Bets are darker the larger they are; other games take the fills in order."""
    names = ["Fold", "Call", "Raise(150)", "Raise(300)", "AllIn(400)"]
    fills = [ACTION_COLOURS[name] for name in ("fold", "call", "small bet", "large bet", "all-in")]
    assert list(action_colours(names)) == fills
    assert action_colours(["rock", "paper"]) == tuple(ACTION_COLOURS.values())[:2]
    assert len(action_colours([str(n) for n in range(20)])) == 20


def test_text_is_readable_on_every_fill():
    for fill in ACTION_COLOURS.values():
        assert contrast(fill, ink_on(fill)) >= 4.6, fill
    for colour in colours._COLOURS.values():
        assert contrast(colour, PAPER) >= 4.5, colour


def test_links_open_files(monkeypatch, tmp_path):
    folder = tmp_path / "my runs"
    written = printed(monkeypatch, lambda console: consoles.show(file_link(f"saved in {folder}", folder)))
    assert folder.as_uri() in written and "\x1b]8;" in written
