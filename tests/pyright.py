"""Types by pyright of examples and of programs in the docs: ``python -m tests.pyright``."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("own-game", "first-steps", "games", "spot", "sweeps")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def copy_programs(folder: Path) -> None:
    """Write the programs to check into a folder; the blocks of a page are one program."""
    for path in (*(ROOT / "examples").glob("*.py"), ROOT / "tests" / "data" / "user_program.py"):
        shutil.copy(path, folder)
    for page in PAGES:
        text = (ROOT / "docs" / f"{page}.md").read_text()
        (folder / f"{page.replace('-', '_')}.py").write_text("\n\n".join(BLOCK.findall(text)))


def check() -> int:
    """Run basedpyright in standard mode; return its exit code."""
    with tempfile.TemporaryDirectory() as name:
        copy_programs(Path(name))
        settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}
        (Path(name) / "pyrightconfig.json").write_text(json.dumps(settings))
        words = ("-m", "basedpyright", "--project", name, "--pythonpath", sys.executable)
        return subprocess.run([sys.executable, *words]).returncode


if __name__ == "__main__":
    sys.exit(check())
