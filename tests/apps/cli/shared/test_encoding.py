"""Characters that a terminal cannot encode."""

import os
import subprocess
import sys

import pytest

from tefuda.apps.cli.shared.encoding import replace_unencodable


@pytest.mark.parametrize(
    "text, written",
    [("1 ± 2", "1 +- 2"), ("é", "e"), ("a – b × c", "a - b x c"), ("茶", "\\u8336"), ("“x” ≥ 2…", '"x" >= 2...')],
)
def test_characters_are_replaced_by_encodable_ones(text, written):
    whole, place = "", 0
    while place < len(text):
        if text[place].isascii():
            whole, place = whole + text[place], place + 1
        else:
            letters, place = replace_unencodable(UnicodeEncodeError("ascii", text, place, place + 1, "no such letter"))
            whole += letters
    assert whole == written


def test_unencodable_names_are_escaped(tmp_path):
    """Names of a custom game outside ASCII raise no error."""
    (tmp_path / "own.py").write_text(
        "class Café:\n"
        "    name, players = 'café', 1\n"
        "    def root(self): return ''\n"
        "    def player(self, state): return -2 if state else 0\n"
        "    def actions(self, state): return ('thé', '茶')\n"
        "    def chances(self, state): return ()\n"
        "    def child(self, state, action): return action\n"
        "    def payoffs(self, state): return (1,)\n"
        "    def view(self, state, player): return 'soif é'\n",
        encoding="utf-8",
    )
    words = [sys.executable, "-X", "utf8=0", "-m", "tefuda", "inspect", "own.py:Café", "--estimate", "--play", "1"]
    for encoding in ("ascii", "cp1252"):
        told = subprocess.run(
            words, cwd=tmp_path, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}
        )
        text = told.stdout.decode(encoding)
        assert told.returncode == 0 and ("caf\xe9" if encoding == "cp1252" else "cafe") in text, told.stderr
        assert "may th" in text and "\\u8336" in text


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no full disk")
@pytest.mark.parametrize("words", [["games"], ["--version"], ["games", "--json"]])
def test_output_on_a_full_disk_is_one_line(words):
    """Also output that fits into the buffer, which is written at the end."""
    with open("/dev/full", "wb") as full:
        told = subprocess.run([sys.executable, "-m", "tefuda", *words], stdout=full, stderr=subprocess.PIPE)
    assert told.returncode == 1 and told.stderr.count(b"\n") == 1 and told.stderr.startswith(b"tefuda: ")


def test_output_without_a_reader_is_silent():
    here, there = os.pipe()
    os.close(here)
    told = subprocess.run([sys.executable, "-m", "tefuda", "--version"], stdout=there, stderr=subprocess.PIPE)
    os.close(there)
    assert (told.returncode, told.stderr) == (1, b"")
