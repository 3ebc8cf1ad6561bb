"""Imported hands: files of hands that the person gives to the page, in a folder of the workspace."""

from __future__ import annotations

import re
import shutil
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, TefudaError
from tefuda.holdem.histories.collection import HandCollection
from tefuda.holdem.histories.reading import ENDINGS, read_histories
from tefuda.locks import unwritable

MOST = 200_000_000  # bytes of a file
SAMPLE = Path(__file__).with_name("sample_hands.txt")
_UPLOAD = re.compile(r"[0-9a-f]{32}")


def imports_of(workspace: Workspace) -> Imports:
    """Return the imported hands of a workspace."""
    return workspace.part("imports", lambda: Imports(workspace.own_folder / "hands"))


@dataclass
class Reading:
    """State of an import: hands read and skipped by reason, files, seconds, errors of files."""

    active: bool = True
    read: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    files: int = 0
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)


class Imports:
    """Hands of the files in a folder; files arrive in parts, and are then read."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.version = folder, 0
        self._incoming = folder.with_name("hands.new")
        self._hands: HandCollection | None = None
        self._lock, self._reading = threading.Lock(), Reading(active=False)
        shutil.rmtree(self._incoming, ignore_errors=True)  # of a server that was killed

    def receive(self, upload: str, name: str, offset: int, data: bytes) -> None:
        """Add a part to the end of a file of an upload.

        Raises:
            ParameterError: the upload has no valid id, or the part does not follow the one before.
            RunError: the file cannot be written.
        """
        path = self._folder_of(upload) / re.sub(r"[^\w.+-]+", "_", name)[-80:].strip(".")
        size = path.stat().st_size if path.exists() else 0
        if offset != size or size + len(data) > MOST:
            raise ParameterError(f"the part must begin at {size:,} and end before {MOST:,} bytes.", key="offset")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise unwritable(path, error) from None

    def start(self, upload: str) -> dict[str, Any]:
        """Read the files of an upload, or the sample for `"sample"`, in a thread; return the state."""
        files = [SAMPLE] if upload == "sample" else sorted(self._folder_of(upload).glob("*"))
        with self._lock:
            if not self._reading.active:
                self._reading = Reading()
                threading.Thread(target=self._read, args=(files, self._reading), daemon=True).start()
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return the state of the last import as JSON values."""
        return asdict(self._reading)

    @property
    def hands(self) -> HandCollection:
        """All imported hands; they are read at the first use."""
        with self._lock:
            if self._hands is None:
                self._hands = read_histories(self.folder) if any(self.folder.glob("*")) else HandCollection()
            return self._hands

    def close(self) -> None:
        """Delete files that were not read."""
        shutil.rmtree(self._incoming, ignore_errors=True)

    def _folder_of(self, upload: str) -> Path:
        if not _UPLOAD.fullmatch(upload):
            raise ParameterError("upload must be 32 hexadecimal digits.", key="upload")
        return self._incoming / upload

    def _read(self, files: list[Path], reading: Reading) -> None:
        """Store files, and read all hands again."""
        start = time.monotonic()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for file in files:
                shutil.copyfile(file, self._unused(file.name))
            hands = read_histories(self.folder)
            for name in hands.ignored:
                Path(name).unlink()
            reading.errors += [f"{Path(name).name} has no hands that can be read." for name in hands.ignored]
            reading.read, reading.reasons, reading.files = len(hands), hands.reasons, len(files)
            self._hands, self.version = hands, self.version + 1
        except (OSError, TefudaError) as error:
            reading.errors.append(str(error))
        finally:
            reading.active, reading.seconds = False, time.monotonic() - start

    def _unused(self, name: str) -> Path:
        """Return a path that no file has, with an ending that shows a file of hands."""
        path, number = self.folder / (name if Path(name).suffix in ENDINGS else f"{name}.txt"), 1
        while path.exists():
            number += 1
            path = self.folder / f"{number}-{name}"
        return path
