"""Progress lines of long computations without a terminal."""

import threading

from tefuda.apps.display import progress


def waiting():
    """Return the running timer."""
    (found,) = [one for one in threading.enumerate() if isinstance(one, threading.Timer) and not one.finished.is_set()]
    return found


def test_frequent_lines_are_delayed(monkeypatch, capsys):
    """The first line is shown at once, later only the latest one after a delay, none after the end."""
    monkeypatch.setattr(progress, "_EVERY", 3600.0)
    with progress.notifying("matches") as notify:
        for text in ("the strategy", "line-up 1", "line-up 2"):
            notify(text)
        assert capsys.readouterr().err == "matches: the strategy\n"
        timer = waiting()
        assert 0 < timer.interval <= 3600 and timer.daemon
        timer.function()  # the delay has passed
        assert capsys.readouterr().err == "matches: line-up 2\n"
        notify("line-up 3")
        again = waiting()
    assert again is not timer and again.finished.is_set() and not capsys.readouterr().err
