"""Spots of hold'em on the command line: solved, saved, resumed, refused."""

import re
from contextlib import contextmanager

import pytest

from tefuda.apps.cli.shared import runs
from tefuda.apps.cli.shared.interruption import interruption_requested
from tests.apps.conftest import last_json
from tests.holdem.known_spots import TOY


def test_spots(tefuda, tmp_path):
    """The toy river: EV, exploitability, and a saved run, resumed and shown at another node."""
    found = last_json(tefuda("solve", "spot", *TOY, "--until", "0.1%", "--out", "run", "--json"))
    assert found["ev"] == pytest.approx([75, 25], abs=0.2) and found["exploitability_percent"] < 0.1
    again = last_json(tefuda("solve", "--resume", "run", "--line", "AllIn(100)", "--json"))
    assert again["ev"] == found["ev"] and again["frequencies"]["Call"] == pytest.approx(0.5, abs=0.02)
    shown = tefuda("solve", "spot", *TOY, "--until", "1%")
    assert "c Check, a AllIn(100)" in shown.stdout and "NashConv / 2" in shown.stdout
    assert "decision nodes" in shown.stderr and "building boards and betting" in shown.stderr
    assert (
        "saved in   runs/spot-dcfr-3-1" in shown.stdout
        and 'tefuda show runs/spot-dcfr-3-1 --line "root" --classes' in shown.stdout
    )
    assert not re.search("^. QQ", shown.stdout, re.MULTILINE)  # the table of classes is requested
    assert re.search("^. QQ", tefuda("show", "runs/spot-dcfr-3-1", "--line", "root", "--classes").stdout, re.MULTILINE)
    kept = last_json(tefuda("show", "runs/spot-dcfr-3-1", "--line", "all-in", "--json"))
    assert kept["line"] == "AllIn(100)" and kept["exploitability_percent"] < 1
    (tmp_path / "spot.txt").write_text("board=Ts3h2h5c9s\npot=100\nstack=100\noop=KK\nip=AA,QQ\nriver_bet=a\n")
    turned = last_json(tefuda("solve", "spot", "--spot", "spot.txt", "--iterations", 200, "--json"))
    assert turned["ev"] == pytest.approx([25, 75], abs=1) and turned["iterations"] == 200
    more = last_json(tefuda("solve", "spot", "--spot", "spot.txt", "--oop", "AA,QQ", "--ip", "KK", "--json"))
    assert more["ev"] == pytest.approx([75, 25], abs=1)


def test_few_sizes(tefuda, tmp_path):
    """All-in is the best size of the toy river: the file has it alone, and the table its loss."""
    given = (*TOY[:-1], "20,60,a", "--raises", "a", "--until", "0.1%")
    found = last_json(tefuda("holdem", "sizes", *given, "--out", "simple.txt", "--json"))
    assert found["nodes"][0]["chosen"] == ["AllIn(100)"] and len(found["nodes"][0]["losses"]) == 3
    assert found["losses"][0] == pytest.approx(0, abs=0.2) and found["out"] == "simple.txt"
    shown = last_json(tefuda("solve", "spot", "--spot", "simple.txt", "--tree", "--json"))["tree"]
    assert shown[1:3] == ["  0 Check: pot 100, 100 behind", "    1 Check: pot 100, 100 behind: showdown"]
    assert "  0 AllIn(100): pot 200, 0 behind" in shown and not any("0 Bet" in line for line in shown)
    table = tefuda("holdem", "sizes", *given).stdout
    assert re.search(r"OOP +│ +root", table) and "% of the pot" in table
    assert "no node has more sizes" in tefuda("holdem", "sizes", "--spot", "simple.txt").stdout
    assert "--sizes" in tefuda("holdem", "sizes", *given, "--sizes", 3, code=2).stderr
    tefuda("holdem", "sizes", *given, "--iterations", 3, code=2)


def test_trees_of_spots(tefuda):
    found = last_json(tefuda("solve", "spot", *TOY, "--raises", "a", "--set", "river_bet=50,a", "--tree", "--json"))
    assert found["decisions"] == 8 and found["hands"] == [12, 6] and "  0 Bet(50): pot 150, 50 behind" in found["tree"]
    assert (
        "8 decision nodes on 1 board"
        in tefuda("solve", "spot", *TOY, "--raises", "a", "--set", "river_bet=50,a", "--tree").stdout
    )


def test_sizes_of_other_programs(tefuda, tmp_path):
    """A geometric size with a maximum, sizes of one player, and options that override them."""
    shown = last_json(tefuda("solve", "spot", *TOY, "--bets", "3e200%", "--raises", "", "--tree", "--json"))["tree"]
    assert "  0 Bet(22): pot 122, 78 behind" in shown  # 3 ** (1 / 3) - 1 = .442, half of which is bet
    text = "board=Ts3h2h5c9s\npot=100\nstack=100\noop=AA,QQ\nip=KK\nriver_bet=50%\nip_river_bet=a\nname=mine\n"
    (tmp_path / "spot.txt").write_text(text)
    file = ("solve", "spot", "--spot", "spot.txt", "--tree", "--json")
    shown = last_json(tefuda(*file))["tree"]
    assert "  0 Bet(50): pot 150, 50 behind" in shown and "    1 AllIn(100): pot 200, 0 behind" in shown
    shown = last_json(tefuda(*file, "--bets", "70%", "--pot", "100.0"))["tree"]
    assert "  0 Bet(70): pot 170, 30 behind" in shown and "    1 Bet(70): pot 170, 30 behind" in shown
    shown = last_json(tefuda(*file, "--limit", "5/10"))["tree"]
    assert "  0 Bet(20): pot 120, 80 behind" in shown and "    1 Bet(20): pot 120, 80 behind" in shown
    assert "line" not in tefuda(*file, "--set", "river_bet=50q", code=2).stderr  # the fault is the option's
    (tmp_path / "spot.txt").write_text(text.replace("ip=KK", "ip=KX"))
    assert "spot.txt, line 5" in tefuda(*file, code=2).stderr
    assert last_json(tefuda(*file, "--ip", "KK"))["hands"] == [12, 6]


def test_limit_holdem(tefuda):
    """Blinds 5/10: bets of 10 on the flop, 20 later, four per street (10 decisions, 9 ends, as published)."""
    spot = (
        "--board",
        "Ts3h2h",
        "--pot",
        40,
        "--stack",
        1000,
        "--oop",
        "AA,QQ",
        "--ip",
        "KK",
        "--limit",
        "5/10",
        "--tree",
    )
    lines = last_json(tefuda("solve", "spot", *spot, "--json"))["tree"]
    assert "  0 Bet(10): pot 50, 990 behind" in lines and "    1 Raise(20): pot 70, 980 behind" in lines
    streets = [line.strip().split(":")[0] for line in lines]
    assert sum(name == "0 Bet(20)" for name in streets) == 9 + 81 and not any("Raise(50)" in name for name in streets)
    three = last_json(tefuda("solve", "spot", *spot, "--set", "cap=3", "--json"))["tree"]
    assert sum(line.strip().startswith("0 Bet(20)") for line in three) == 7 + 49


@pytest.mark.parametrize(
    "options, told",
    [
        (("--limit", "5"), "limit is '5'"),
        (("--limit", "5/0"), "limit is '5/0'"),
        (("--limit", "5/10"), "--bets has no effect with --limit"),
        (("--pot", 10**30), "pot is 1000"),
        (
            ("--pot", 16.4),
            "pot is 16.4; it must be a whole number of chips. Multiply all amounts in chips by 10: pot 164",
        ),
        (("--set", "stack=91.85"), "by 100: pot 10000, stack 9185"),
        (("--pot", "nan"), "pot is nan"),
        (("--stack", "inf"), "stack is inf"),
        (("--bets", "0.5"), "50%"),
        (("--raises", "20c3r"), "20c, and cap=4"),
        (("--set", "pot=nan"), "pot is"),
        (("--set", "cap=x"), "cap is 'x'"),
        (("--set", "merging=1e17"), "merging is"),
        (("--set", "aggressor=7"), "aggressor is"),
        (("--set", "deck=7"), "deck: '7'"),
        (("--oop", "KX"), "oop: 'KX'"),
        (("--board", "Ts3h2h5c9s9s"), "repeated"),
        (("--bets", "70q"), "bets: '70q'"),
        (("--stack", -1), "stack is -1"),
        (("--until", "x%"), "until is 'x%'"),
        (("--memory", 10), "more than the limit"),
        (("--memory", "nan"), "memory is nan"),
        (("--line", "Bet(7)"), "'Bet(7)' is not an action"),
        (("--method", "cfr-br"), "unknown method 'cfr-br'"),
        (("--precision", "quarter"), "precision is 'quarter'"),
        (("--set", "river_bets=7"), "unknown option '--river-bets'. Did you mean '--river-bet'?"),
        (("--set", "locks=root"), "unknown option '--locks'. Did you mean '--lock'?"),
        (("--colour", "red"), "unknown option '--colour'"),
        (("--workers", 2), "--workers must be 1 for a river"),
        (("--lock", "Bet(7) = Call"), "allowed: Check, AllIn(100). Bet(7) = Call * ^^^^^^"),
        (("--lock", "root = Check 22"), "none of its hands is possible there"),
        (("--rake-cap", 3), "--rake-cap needs a rake"),
        (
            ("--line", "Check/Bet(7)"),
            "Check: 'Bet(7)' is not an action there; allowed: Check, AllIn(100). Check/Bet(7) ^^^^^^",
        ),
    ],
)
def test_spots_refused(tefuda, options, told):
    assert told in " ".join(tefuda("solve", "spot", *TOY, *options, code=2).stderr.split())


@pytest.mark.parametrize(
    "words, told",
    [
        (("solve", "holdem", "--limit", "--deals", -1), "--deals is -1"),
        (("solve", "holdem", "--limit", "--deals", "x"), "--deals is 'x'"),
        (("solve", "holdem", "--limit", "--buckets", "x"), "--buckets is 'x'"),
        (("holdem", "equity", "AA", "KK", "--samples", 1), "--samples is 1"),
        (("solve", "spot", *TOY, "--bets=70q"), "--bets: '70q'"),
        (("solve", "spot", *TOY, "--rake", 2), "--rake is 2"),
        (("solve", "spot", *TOY, "--rake", "x"), "--rake is 'x'"),
        (("solve", "spot", *TOY, "--rake-rate", 2), "--rake-rate is 2"),
        (("solve", "spot", *TOY, "--set", "rake_rate=2"), " rake_rate is 2"),
        (("solve", "kuhn", "--players", 1), "--players is 1"),
        (("holdem", "batch", "--boards", "Qs"), "--boards: 'Qs'"),
        (("holdem", "pushfold", "--stack", 0.5), "--stack is 0.5"),
    ],
)
def test_refusals_name_options_as_on_the_command_line(tefuda, words, told):
    assert told in tefuda(*words, code=2).stderr


def test_nothing_left_to_bet(tefuda):
    """The value of a spot that is all-in is its equity."""
    options = (
        "--board",
        "Ts3h2h5c",
        "--pot",
        100,
        "--stack",
        0,
        "--oop",
        "AA,76s",
        "--ip",
        "KK,A4s",
        "--iterations",
        1,
    )
    share = last_json(tefuda("holdem", "equity", "AA,76s", "KK,A4s", "--board", "Ts3h2h5c", "--json"))["equity"][0]
    found = last_json(tefuda("solve", "spot", *options, "--json"))
    assert found["ev"] == pytest.approx([100 * share, 100 - 100 * share], abs=1e-9) and found["frequencies"] == {}
    assert "nothing is left to bet" in tefuda("solve", "spot", *options).stdout


def test_a_wrong_line_is_refused_before_solving(tefuda, tmp_path):
    refused = tefuda("solve", "spot", *TOY, "--line", "Bet(7)", "--out", "run", code=2)
    assert "'Bet(7)' is not an action" in refused.stderr and not (tmp_path / "run").exists()


def test_interrupted(tefuda, monkeypatch):
    """The solution so far is shown and saved, with a hint to resume and the exit code of Ctrl-C."""

    @contextmanager
    def at_once():
        yield lambda: True

    monkeypatch.setattr(runs, "interruption_requested", at_once)
    assert "--resume runs/spot-dcfr-3-1" in tefuda("solve", "spot", *TOY, code=130).stderr
    found = tefuda("solve", "spot", *TOY, "--out", "run", "--json", code=130)
    assert "--resume run" in found.stderr and last_json(found)["status"] == "interrupted"
    monkeypatch.setattr(runs, "interruption_requested", interruption_requested)
    assert last_json(tefuda("solve", "--resume", "run", "--json"))["exploitability_percent"] < 0.5


def test_a_resumed_run_keeps_its_spot(tefuda):
    tefuda("solve", "spot", *TOY, "--iterations", 2, "--out", "run")
    found = last_json(tefuda("solve", "--resume", "run", "--workers", 1, "--iterations", 3, "--json"))
    assert (
        found["iterations"] == 3 and found["game"] == "spot" and found["frequencies"].keys() == {"Check", "AllIn(100)"}
    )
    for option in (("--pot", 100), ("--turn-bet", "a")):
        refused = tefuda("solve", "--resume", "run", *option, code=2)
        assert f"{option[0]} has no effect with --resume" in refused.stderr
    assert "--tree has no effect with --resume" in tefuda("solve", "--resume", "run", "--tree", code=2).stderr
    assert "with --precision single" in tefuda("solve", "--resume", "run", "--precision", "half", code=2).stderr


def test_keys_of_a_file_are_options(tefuda):
    """Ranges and sizes are texts, also those that look like numbers."""
    words = ("solve", "spot", *TOY, "--oop", "22", "--river-bet", "33,75", "--tree", "--json")
    found = last_json(tefuda(*words))
    assert found["hands"] == [3, 6] and {"  0 Bet(33): pot 133, 67 behind", "  0 Bet(75): pot 175, 25 behind"} <= {
        *found["tree"]
    }
    assert found == last_json(
        tefuda("solve", "spot", *TOY, "--oop", 22, "--set", "river_bet=33,75", "--tree", "--json")
    )


def test_options_of_spots_alone(tefuda):
    assert "--tree is an option of spots" in tefuda("solve", "kuhn", "--tree", code=2).stderr
    assert "--line is an option of spots" in tefuda("solve", "kuhn", "--line", "b", code=2).stderr


def test_another_evaluator(tefuda):
    found = tefuda("solve", "spot", *TOY, "--evaluator", "none", "--iterations", 2)
    assert "2 iterations of dcfr-3" in found.stdout and "exploitability" not in found.stdout


def test_missing_options(tefuda):
    assert "--board is missing" in tefuda("solve", "spot", code=2).stderr
