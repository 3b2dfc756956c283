"""The image's packages: each is unpacked when one of its modules is first looked for, and costs nothing before."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib import invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

PLACE = "/lib/packages"


class Finder:
    """The last in `sys.meta_path`: asked only for what is not there yet."""

    def __init__(self, packages: list[dict[str, Any]], read: Callable[[str], Any]) -> None:
        self._read = read
        self._files: dict[str, list[str]] = {}
        for package in packages:
            for module in package["modules"]:
                self._files.setdefault(module, []).append(package["file"])
        self._unpacked: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Unpack the wheels that have the module, and find it there."""
        files = self._files.pop(name, None)
        if files is None:
            return None
        for file in files:
            if file not in self._unpacked:
                self._unpacked.add(file)
                _unpack(self._read(file).to_bytes())
        invalidate_caches()
        return PathFinder.find_spec(name, path, target)


def _unpack(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            entry.filename = re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", entry.filename)
            archive.extract(entry, PLACE)


def provide(bridge: Any) -> None:
    """Make the image's packages importable. Charts are drawn without a screen."""
    found = json.loads(bridge.packages())
    os.environ.setdefault("MPLBACKEND", "Agg")
    if found:
        Path(PLACE).mkdir(parents=True, exist_ok=True)
        sys.path.append(PLACE)
        sys.meta_path.append(Finder(found, bridge.wheel))
