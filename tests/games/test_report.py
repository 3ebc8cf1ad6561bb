"""Reports of faults."""

from tefuda.games.report import Fault, Report


def test_a_report_in_words():
    """Faults precede warnings, each with its histories; a long history is cut and says by how much."""
    good = Report("g", 1234, 10, 5, True, ())
    assert good.ok and str(good) == "check_game g: all 1,234 histories, 5 infosets: no fault"
    long = Fault("sums", "not 1", (tuple(range(45)), ()))
    warned = Fault("slow", "takes long")
    text = str(Report("g", 7, 2, 3, False, (long,), (warned,))).splitlines()
    assert text[0] == "check_game g: random games: 7 histories, 3 infosets: 1 fault"
    assert (
        text[1] == "  - sums: not 1"
        and text[2].endswith(" 38 39 ... (5 more)")
        and text[2].startswith("      at 0 1 2")
    )
    assert text[3] == "      at the root" and text[4:] == ["  warnings:", "  - slow: takes long"]
    assert "2 faults" in str(Report("g", 7, 2, 3, True, (long, warned))) and not Report("g", 7, 2, 3, True, (long,)).ok
