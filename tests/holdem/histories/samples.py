"""Sample files of hands, in tests/data/hands44, and their right results."""

import json
from pathlib import Path

from tefuda.holdem.histories.reading import decoded

FOLDER = Path(__file__).parents[2] / "data" / "hands44"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
FILES = [FOLDER / name for name in EXPECTED]
TEXTS = {file.name: decoded(file.read_bytes()) for file in FILES}
