"""Shared files hold everything their pages ask for."""

import json
import re
from urllib.parse import quote, quote_plus

import pytest

import tefuda as td
from tefuda.apps.share.answers import answer
from tefuda.apps.share.bundle import bundled
from tefuda.apps.share.contents import chapter_contents, contents_of, run_contents
from tefuda.apps.share.making import shared_file
from tefuda.apps.web.messages.chapters import chapters
from tefuda.apps.web.messages.widgets import WIDGETS
from tefuda.apps.web.static_files import StaticFiles
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, RunError, UnknownNameError
from tests.apps.conftest import last_json
from tests.apps.share.reading import data_of

COMPONENT = "!'()*-._~"  # letters that JavaScript's encodeURIComponent leaves
FILES = {name: data.decode() for name, data in StaticFiles().content.items() if name.startswith("js/")}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "my run"
    td.solve(td.load_game("kuhn"), "cfr+", iterations=100, checkpoint=folder)
    td.solvers.rename_run(folder, "</title><script>alert(1)</script>")
    return folder


@pytest.mark.parametrize("name", FILES)
def test_every_module_of_the_page_can_be_bundled(name):
    bundled(FILES.__getitem__, [name])


def test_a_tree_is_shared_with_every_history_infoset_and_public_state(run, kuhn):
    data, start = run_contents(run).data, "/api/explore/my%20run"
    seats = 1 + kuhn.players
    positions = [address for address, page in data.items() if "merged" in page]
    assert len(positions) == len(kuhn.player) * seats
    assert sum(address.startswith(f"{start}/infoset?") for address in data) == kuhn.infosets
    assert data[f"{start}/infoset?name=0%3A+J%7C"] == {"path": "J Q"}
    assert sum(address.startswith(f"{start}/public?") for address in data) == 4
    assert data[start]["nash_conv"] == pytest.approx(td.load(run).nash_conv, rel=1e-5)


def position_of(path, seat):
    """The address of a history."""
    query = "" if seat is None else f"?seat={seat}"
    return f"/at/{quote(path, safe=COMPONENT)}{query}"


def test_links_of_a_tree_stay_inside(run):
    """Every history, infoset, public state and drawing to which a page leads is in the file."""
    start = "/api/explore/my%20run"
    data = {address.removeprefix(start): page for address, page in run_contents(run).data.items()}
    asked = {"", "/whole", "/whole?seat=0", "/whole?seat=1"}
    asked |= {position_of(history["path"], None) for history in data["/whole"]["nodes"]}
    asked |= {f"/infoset?name={quote_plus(name)}" for name in data[""]["infosets"]}
    asked |= {f"/public?number={state['number']}" for state in data[""]["public_states"]}
    for history in data["/whole"]["nodes"]:
        path, labels = history["path"], history["path"].split("~")
        for seat in (None, 0, 1):
            page = data[position_of(path, seat)]
            before, here = labels[:-1], [] if path == "-" else labels
            paths = ["~".join(here[:number]) or "-" for number in range(len(labels))]
            paths += ["~".join([*before, label]) for label in page["siblings"]]
            paths += ["~".join([*here, action["label"]]) for action in page["actions"]]
            asked |= {position_of(each["path"], seat) for each in page["merged"]}
            asked |= {position_of(each, seat) for each in paths}
            if page["public_state"] is not None:
                asked.add(f"/public?number={page['public_state']}")
    for table in (page for page in data.values() if "rows" in page):
        asked |= {position_of(row["path"], seat) for row in table["rows"] for seat in (None, 0, 1)}
    assert len(asked) > 150 and asked <= data.keys()


def test_a_shared_file_is_harmless_and_has_words_and_styles(run):
    page = shared_file(run_contents(run))
    assert "<script>alert" not in page and page.count("</title>") == 1
    data = data_of(page)
    assert {
        "/static/words/common.json",
        "/static/words/place.json",
    } <= data.keys() or "/static/words/explore.json" in data
    assert '<style data-name="base">' in page and '<style data-name="place">' in page
    assert "http://" not in re.sub(r"http://(www\.w3\.org|inside)", "", page) and "https://" not in page


@pytest.mark.parametrize("name", chapters())
def test_a_chapter_is_shared_with_its_pictures_and_all_settings(name):
    contents = chapter_contents(name)
    count = 1
    for values in WIDGETS[name].settings.values():
        count *= len(values)
    assert len(contents.data) == 1 + count
    text = json.dumps(contents.data[f"/api/learn/chapters/{name}"])
    assert "/api/learn/pictures" not in text and "data:image/svg+xml;base64," in text


def test_other_runs_are_refused(tmp_path):
    td.solve(td.RulesForm(td.load_game("leduc")), "external", iterations=2, checkpoint=tmp_path / "run")
    for target, kind in (
        (tmp_path / "run", ParameterError),
        (tmp_path / "none", RunError),
        ("learn/none", UnknownNameError),
    ):
        with pytest.raises(kind):
            contents_of(str(target))
    with pytest.raises(ParameterError):
        answer(Workspace(tmp_path), "/api/none")


def test_a_run_of_an_own_game_is_shared_with_its_game(tefuda):
    """Its file is that of the same game of the package; without the game it is refused."""
    with open("own.py", "w", encoding="utf-8") as file:
        file.write("from tefuda.games.small.kuhn import Kuhn\nclass Own(Kuhn):\n    name = 'own'\n")
    tefuda("solve", "own.py:Own", "--iterations", 10, "--out", "run")
    tefuda("share", "run", code=2)
    tefuda("share", "run", "--game", "own.py:Own", "--out", "own.html")
    tefuda("solve", "kuhn", "--iterations", 10, "--out", "run2")
    own, kuhn = contents_of("run", game="own.py:Own"), contents_of("run2")
    assert len(own.data) == len(kuhn.data)


def test_the_command_writes_the_file(tefuda):
    tefuda("solve", "kuhn", "--iterations", 10, "--out", "run")
    found = last_json(tefuda("share", "run", "--out", "kuhn.html", "--json"))
    with open("kuhn.html", encoding="utf-8") as file:
        page = file.read()
    assert found["bytes"] == len(page.encode()) < 300_000
    assert "/api/explore/run" in data_of(page)
    tefuda("share", "nowhere", code=2)
