"""Results of long experiments are saved while they run."""

import pytest

import tefuda as td
from tefuda_reproductions.experiment import spread_saved


def test_results_are_saved_at_any_interruption(tmp_path):
    """After an interruption in the third task only that task runs again; results have the tasks' order."""
    file, worked, reports = tmp_path / "folder" / "found.json", [], []
    tasks = [("b", 1), ("a", 2), ("c", 3)]

    def square(task):
        if len(worked) == 2 and task == ("c", 3):
            worked.append("interrupted")
            raise KeyboardInterrupt
        worked.append(task)
        return task[1] ** 2

    with pytest.raises(KeyboardInterrupt):
        spread_saved(file, 1, square, tasks, lambda done, of: reports.append((done, of)))
    assert spread_saved(file, 1, square, tasks, lambda done, of: reports.append((done, of))).tolist() == [1, 4, 9]
    assert worked == [("b", 1), ("a", 2), "interrupted", ("c", 3)] and reports == [(1, 3), (2, 3), (3, 3)]
    assert spread_saved(file, 1, square, tasks[::-1], lambda done, of: None).tolist() == [9, 4, 1]
    assert len(worked) == 4


@pytest.mark.parametrize("damage", ['{"b/1": "much"}', "[1]", "{", '{"b/1": 1}'])
def test_a_damaged_file_is_refused(tmp_path, damage):
    file = tmp_path / "found.json"
    file.write_text(damage)
    with pytest.raises(td.errors.RunError, match=r"found\.json"):
        spread_saved(file, 1, len, [("b", 1)], lambda done, of: None)
