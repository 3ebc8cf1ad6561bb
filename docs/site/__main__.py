"""Build the documentation site into build/site: ``python -m docs.site`` (``make docs``)."""

import os
import subprocess
import sys
from pathlib import Path

from docs.site.pages import ROOT, collect
from docs.site.shared import write_shared

if __name__ == "__main__":
    collect(ROOT / "build" / "pages")
    write_shared(ROOT / "build" / "pages")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict", "--clean"]
    path = os.pathsep.join((str(ROOT), str(ROOT / "src")))
    sys.exit(subprocess.call(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}))
