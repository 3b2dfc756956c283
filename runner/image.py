"""The sandbox image: a folder with everything that a sandbox needs, made once and never changed.

It holds Pyodide's core, DuckDB-Wasm with its exports trimmed, our own guest files, wheels that were added, a memory
snapshot of the interpreter, and `manifest.json` with the SHA-256 of each. Its id is the hash of what the manifest
says of the parts; the snapshot is listed apart, because it is made on the machine: equal parts have equal ids
everywhere.

The folder's name is the hash of what an image is made from (the pinned parts and the guest files), so that a new
version of this package never finds an old image, and several stand side by side; with wheels, their hash follows, and
`NAME.current` says which of them is used. Making images is `runner/building.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from runner.errors import ImageError, UnavailableError

GUEST = Path(__file__).parent / "guest"
COMMAND = "bench-analyze sandbox install"
MANIFEST = "manifest.json"
SNAPSHOT = "snapshot.bin"
PACKAGES = "packages.json"
WARM = "warm"
DENO = "deno>=2.9.8,<2.10"
Progress = Callable[[str, int, int], None]  # label, done, total


@dataclass(frozen=True, slots=True)
class Image:
    """An installed image: its folder and its id."""

    path: Path
    id: str

    @property
    def packages(self) -> tuple[Package, ...]:
        """The packages that a snippet can import beside the standard library and duckdb, by name."""
        return listed_packages(self.path)


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel in an image. `modules`: the names that it is imported by."""

    name: str
    version: str
    file: str
    sha256: str
    modules: tuple[str, ...]


def listed_packages(folder: Path) -> tuple[Package, ...]:
    """Return what the list of packages in an image's folder says."""
    entries = json.loads((folder / PACKAGES).read_text())["packages"]
    return tuple(Package(**{**entry, "modules": tuple(entry["modules"])}) for entry in entries)


@dataclass(frozen=True, slots=True)
class ImageStatus:
    """What `image_status` found: `image` is None where none is installed; `others` are images of other versions."""

    image: Image | None
    folder: Path
    bytes: int
    others: tuple[Path, ...]


def default_cache() -> Path:
    """Return the user's cache folder by the convention of the system."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "bench-analyze"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "bench-analyze" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "bench-analyze"


def deno_binary() -> Path:
    """Return Deno's executable, which the `deno` package brings.

    Raises:
        UnavailableError: it is not installed.
    """
    try:
        from deno import find_deno_bin  # noqa: PLC0415 (its absence is an answer, not a crash at import)

        return Path(find_deno_bin())
    except (ImportError, FileNotFoundError):
        raise UnavailableError("Deno is not installed", hint=f"pip install '{DENO}'") from None


def guest_files() -> list[str]:
    """Return the names of our own files in an image."""
    scripts = sorted(path.name for path in GUEST.glob("*.mjs"))
    modules = sorted(path.relative_to(GUEST).as_posix() for path in (GUEST / "python").rglob("*.py"))
    return [*scripts, *modules]


@lru_cache(maxsize=1)
def recipe() -> str:
    """Return the hash of everything that an image is made from, which names its folder."""
    digest = hashlib.sha256((GUEST / "parts.json").read_bytes())
    digest.update((Path(__file__).parent / "wasm.py").read_bytes())
    for name in guest_files():
        digest.update(f"\0{name}\0".encode())
        digest.update((GUEST / name).read_bytes())
    return digest.hexdigest()[:16]


def root_of(cache: Path | None) -> Path:
    """Return the folder of a cache that holds the images."""
    return (cache or default_cache()) / "sandbox"


def place_of(root: Path) -> Path:
    """Return the folder of this version's image: the one that was named last, else the one without packages."""
    try:
        name = (root / f"{recipe()}.current").read_text().strip()
    except OSError:
        name = ""
    return root / name if name.startswith(recipe()) and (root / name / MANIFEST).is_file() else root / recipe()


def find_image(cache: Path | None = None, *, image_id: str | None = None) -> Image | None:
    """Return the installed image of this version, or None; with `image_id` the one that has it, whichever is in use.

    Looks at names and sizes; `verify_image` reads everything.
    """
    root = root_of(cache)
    if image_id is None:
        return read_image(place_of(root))
    found = (read_image(folder) for folder in sorted(root.glob(f"{recipe()}*/")))
    return next((image for image in found if image is not None and image.id == image_id), None)


def read_image(folder: Path) -> Image | None:
    """Return the image in a folder, None where there is none or a file is missing or of another size."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        if all((folder / name).stat().st_size == entry["bytes"] for name, entry in _listed(manifest).items()):
            return Image(folder, _id(manifest["files"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _id(files: dict[str, dict[str, Any]]) -> str:
    parts = {name: entry["sha256"] for name, entry in files.items()}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _listed(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {**manifest["files"], SNAPSHOT: manifest["snapshot"]}


def verify_image(image: Image) -> None:
    """Read the whole image against its manifest, and our own files in it against those of this version.

    Raises:
        ImageError: names the first file that is missing or differs.
    """
    manifest = json.loads((image.path / MANIFEST).read_text())
    for name, entry in _listed(manifest).items():
        try:
            whole = sha256_of(image.path / name) == entry["sha256"]
        except OSError as error:
            raise damaged(name, f"cannot be read ({error.strerror})") from None
        if not whole or (name in guest_files() and entry["sha256"] != sha256_of(GUEST / name)):
            raise damaged(name, "is not what was installed")


def damaged(name: str, what: str) -> ImageError:
    """Return the error for a file of an image that is not as it was."""
    return ImageError(f"the sandbox image is damaged: {name} {what}", hint=f"{COMMAND} --force")


def check_installed(cache: Path | None = None) -> Image:
    """Return the image of this version after reading it whole.

    Raises:
        ImageError: there is none, or it is damaged.
    """
    place = place_of(root_of(cache))
    image = read_image(place)
    if image is None and (place / MANIFEST).is_file():
        raise damaged(*_first_damage(place))
    if image is None:
        raise ImageError("the sandbox image is not installed", hint=COMMAND)
    verify_image(image)
    return image


def _first_damage(place: Path) -> tuple[str, str]:
    try:
        for name, entry in _listed(json.loads((place / MANIFEST).read_bytes())).items():
            if not (place / name).is_file():
                return name, "is missing"
            if (size := (place / name).stat().st_size) != entry["bytes"]:
                return name, f"has {size} bytes instead of {entry['bytes']}"
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return MANIFEST, "cannot be read"


def image_status(cache: Path | None = None) -> ImageStatus:
    """Return what is installed in a cache."""
    root = root_of(cache)
    folder = place_of(root)
    others = tuple(sorted(path for path in root.glob("*/") if path != folder and not path.name.startswith(".")))
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())  # Deno links to itself
    size = sum(path.stat().st_size for path in files)
    return ImageStatus(find_image(cache), folder, size, others)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest_of(folder: Path) -> str:
    """Return the manifest of a folder that is about to become an image."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {
        path.relative_to(folder).as_posix(): {"sha256": sha256_of(path), "bytes": path.stat().st_size} for path in paths
    }
    snapshot = files.pop(SNAPSHOT)
    versions = json.loads((GUEST / "parts.json").read_text())["versions"]
    return json.dumps(
        {"recipe": recipe(), "versions": versions, "files": files, "snapshot": snapshot}, indent=1, sort_keys=True
    )
