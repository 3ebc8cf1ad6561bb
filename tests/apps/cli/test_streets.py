"""``tefuda resolve`` on spots: a street re-solved, and a spot solved street by street."""

from tests.apps.conftest import last_json

TURN = ("--board", "2c2d2h3c", "--pot", 100, "--stack", 100, "--oop", "AA,QQ", "--ip", "KK", "--bets", "a")


def test_streets_are_re_solved(tefuda):
    """The toy river after an approximate turn, with the same and finer sizes; no gain, no change."""
    tefuda("solve", "spot", *TURN, "--iterations", 3, "--out", "run")
    found = last_json(tefuda("resolve", "run", "--line", "Check/Check/3d", "--json"))
    assert [one["player"] for one in found["players"]] == ["OOP", "IP"] and found["node"]["street"] == "river"
    assert all(one["margin"] >= -1e-12 for one in found["players"]) and found["players"][0]["accepted"]
    options = ("--line", "Check/Check/3d", "--bets", "50,a", "--gadget", "cfr-d", "--at", "Bet(50)")
    shown = tefuda("resolve", "run", *options, "--iterations", 50).stdout
    assert "IP: f Fold, c Call" in shown and "OOP by cfr-d: the opponent's hands lose" in shown
    long = ("--iterations", "1e12", "--at", "Bet(7)")  # refused before solving, which would never end
    assert "is not an action there" in tefuda("resolve", "run", "--line", "Check/Check/3d", *long, code=2).stderr
    assert "no street starts" in tefuda("resolve", "run", "--line", "Check", code=2).stderr
    assert "gadget is 'reach'" in tefuda("resolve", "run", "--line", "x", "--gadget", "reach", code=2).stderr


def test_depth_limited_solving(tefuda, tmp_path):
    text = "board=2c2d2h3c\npot=100\nstack=100\noop=AA,QQ\nip=KK\nturn_bet=a\nriver_bet=a\n"
    (tmp_path / "turn.txt").write_text(text)
    options = ("resolve", "spot", "--cut", "deal", "--spot", "turn.txt", "--iterations", 150, "--below", 150)
    solved, rough = (last_json(tefuda(*options, "--leaves", one, "--json")) for one in ("solved", "checked-down"))
    assert solved["exploitability_percent"] < rough["exploitability_percent"] and solved["node"]["street"] == "turn"
    assert "exploitability of the strategy" in tefuda(*options, "--leaves", "checked-down").stdout
    assert "is not an action there" in tefuda(*options, "--at", "Bet(3)", code=2).stderr
    assert "--below has no effect" in tefuda(*options, "--leaves", "net", code=2).stderr
    assert "cut is '1'" in tefuda(*options, "--cut", "1", code=2).stderr
    rough = ("--leaves", "checked-down")
    assert "--each has no effect with" in tefuda(*options, *rough, "--each", 3, code=2).stderr
    assert "gadget is 'cfr-d'" in tefuda(*options, "--gadget", "cfr-d", code=2).stderr
    (tmp_path / "turn.txt").write_text(text + "rake_rate=0.1\nrake_cap=5\nlock=root = Check AA\n")
    assert "--gadget unsafe" in tefuda(*options, code=2).stderr
    found = last_json(tefuda(*options, *rough, "--gadget", "unsafe", "--json"))
    assert 93 < sum(found["ev"]) < 95 and found["node"]["frequencies"]["Check"] >= 0.5  # AA has half of the weight
