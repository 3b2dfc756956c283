"""Pyodide's distribution: compiled packages that the package index has in no form for the sandbox (numpy, pandas ...).

Its lock names every wheel with its SHA-256. That of the public distribution is the one which this repository pins, and
which the npm package of the same version holds; a mirror that the user names vouches for itself.
"""

from __future__ import annotations

import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from runner.errors import ImageError

PUBLIC = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
LOCK = "pyodide-lock.json"
_LOCK_SHA256 = "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010"
_TIMEOUT_S = 30
_LOCK_BYTES, _WHEEL_BYTES, _BLOCK = 16 << 20, 512 << 20, 1 << 20


@dataclass(frozen=True, slots=True)
class Distribution:
    """Where its files are, and what its lock lists: name (canonical) to entry."""

    address: str
    packages: Mapping[str, Mapping[str, Any]]

    def closure(self, name: str) -> dict[str, str]:
        """Return {file: SHA-256} of a package's wheel and of what it needs; nothing for a name that is not listed."""
        found: dict[str, str] = {}
        waiting, seen = [canonicalize_name(name)], set()
        while waiting:
            here = waiting.pop()
            entry = self.packages.get(here)
            if here not in seen and entry is not None:
                waiting += map(canonicalize_name, entry.get("depends", ()))
                if str(entry["file_name"]).endswith(".whl"):
                    found[entry["file_name"]] = entry["sha256"]
            seen.add(here)
        return found

    def fetch(self, name: str, folder: Path) -> bool:
        """Put the wheels of a package and of what it needs into the folder. Return whether the package is listed.

        Raises:
            ImageError: a file cannot be fetched, or is not the one that the lock lists.
        """
        wheels = self.closure(name)
        for file, sha256 in wheels.items():
            if "/" in file or "\\" in file:
                raise ImageError(f"{self.address} lists the file {file!r}", hint="name another mirror")
            if not (folder / file).exists():
                _download(self.address + file, folder / file, sha256)
        return bool(wheels)


def public() -> Distribution:
    """Return the public distribution.

    Raises:
        ImageError: it cannot be reached, or is not the one that this version knows.
    """
    data = _read(PUBLIC + LOCK)
    if hashlib.sha256(data).hexdigest() != _LOCK_SHA256:
        raise ImageError(f"{PUBLIC}{LOCK} is not the one that this version pins", hint="name a mirror with --from")
    return Distribution(PUBLIC, _packages(data, PUBLIC))


def mirror(address: str) -> Distribution | None:
    """Return the distribution at an address, None where there is no lock: it is a package index then."""
    base = address.rstrip("/") + "/"
    try:
        data = _read(base + LOCK)
    except ImageError:
        return None
    return Distribution(base, _packages(data, base))


def _packages(data: bytes, address: str) -> dict[str, Mapping[str, Any]]:
    try:
        listed = json.loads(data)["packages"]
        found = {str(canonicalize_name(name)): entry for name, entry in listed.items()}
        for entry in found.values():
            _ = str(entry["file_name"]), str(entry["sha256"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ImageError(f"{address}{LOCK} is no lock of Pyodide's", hint="name another mirror") from None
    return found


def _read(url: str) -> bytes:
    try:
        with closing(urllib.request.urlopen(url, timeout=_TIMEOUT_S)) as answer:
            data: bytes = answer.read(_LOCK_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ImageError(
            f"{url} cannot be fetched ({error})", hint="check the network, or give --from a folder"
        ) from None
    if len(data) > _LOCK_BYTES:
        raise ImageError(f"{url} is longer than any lock", hint="name another mirror")
    return data


def _download(url: str, target: Path, sha256: str) -> None:
    digest, size = hashlib.sha256(), 0
    part = target.with_name(target.name + ".part")
    try:
        with closing(urllib.request.urlopen(url, timeout=_TIMEOUT_S)) as answer, part.open("wb") as file:
            while block := answer.read(_BLOCK):
                size += len(block)
                if size > _WHEEL_BYTES:
                    raise ImageError(f"{url} is longer than any wheel", hint="name another mirror")
                digest.update(block)
                file.write(block)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        raise ImageError(
            f"{url} cannot be fetched ({error})", hint="check the network, or give --from a folder"
        ) from None
    if digest.hexdigest() != sha256.lower():
        part.unlink(missing_ok=True)
        raise ImageError(
            f"{target.name} is not added: its SHA-256 is not the one that {url.removesuffix(target.name)}{LOCK} lists",
            hint="name another mirror",
        )
    part.replace(target)


def _unreachable(url: str, error: Exception) -> ImageError:
    return ImageError(f"{url} cannot be fetched ({error})", hint="check the network, or give --from a folder")
