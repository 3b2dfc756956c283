"""The sandbox image: a folder with everything that a sandbox needs, made once and never changed.

It holds Pyodide's core, DuckDB-Wasm with its exports trimmed, our own guest files, a memory snapshot of the
interpreter with the standard library and the guest's modules imported, and `manifest.json` with the SHA-256 of each.
Its id is the hash of the manifest. The folder's name is the hash of what it is made from (the pinned parts and the
guest files), so that a new version of this package never finds an old image, and several stand side by side.

Parts come by Deno's own npm client from a frozen `deno.lock`: it knows the registry and honours npm's configuration,
so no host stands here. Whatever it brought, a part is kept only if its SHA-256 is the one in `guest/parts.json`.

An image is built in a folder beside its place and moved there; its manifest comes last, by rename, and without it
there is no image. Installations of one cache wait for each other on
a lock that the system drops with its holder, so whoever holds it may remove what a killed installation left.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from runner.errors import ImageError, RunnerError, UnavailableError
from runner.folders import private_folder
from runner.frames import Decoder, encode
from runner.limits import ResourceLimits
from runner.policy import HOST_SCRIPT, Launch, launch
from runner.process import random_id, run_to_end
from runner.protocol import Protocol
from runner.wasm import trim_exports

GUEST = Path(__file__).parent / "guest"
COMMAND = "bench-analyze sandbox install"
DENO = "deno>=2.9.8,<2.10"
MANIFEST = "manifest.json"
SNAPSHOT = "snapshot.bin"
_SNAPSHOT_PAGES = 16384
_SNAPSHOT_BYTES = 256 * 2**20
_BUILDING = ".building-"
_PACKAGES = 30  # that the lock lists, for the progress bar
NPM = "npm"
WARM = "warm"
# `Et` is the script's class for the exception-handling build. It is not exported, and the function that makes one is
# asynchronous; the script is pinned by its hash, so the name is known.
_WRAPPER = "export function load(require, module, exports, __filename, __dirname, process) {\nSCRIPT\nreturn Et;\n}\n"
Progress = Callable[[str, int, int], None]  # label, done, total


@dataclass(frozen=True, slots=True)
class Image:
    """An installed image: its folder and its id."""

    path: Path
    id: str


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


def _parts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((GUEST / "parts.json").read_text())["parts"]
    return found


def _guest_files() -> list[str]:
    scripts = sorted(path.name for path in GUEST.glob("*.mjs"))
    modules = sorted(path.relative_to(GUEST).as_posix() for path in (GUEST / "python").rglob("*.py"))
    return [*scripts, *modules]


@lru_cache(maxsize=1)
def recipe() -> str:
    """Return the hash of everything that an image is made from, which names its folder."""
    digest = hashlib.sha256((GUEST / "parts.json").read_bytes())
    for name in _guest_files():
        digest.update(f"\0{name}\0".encode())
        digest.update((GUEST / name).read_bytes())
    return digest.hexdigest()[:16]


def _place(cache: Path) -> Path:
    return cache / "sandbox" / recipe()


def find_image(cache: Path | None = None) -> Image | None:
    """Return the installed image of this version, or None. Looks at names and sizes; `verify_image` reads
    everything."""
    folder = _place(cache or default_cache())
    try:
        text = (folder / MANIFEST).read_bytes()
        files: dict[str, dict[str, Any]] = json.loads(text)["files"]
        if all((folder / name).stat().st_size == entry["bytes"] for name, entry in files.items()):
            return Image(folder, hashlib.sha256(text).hexdigest())
    except (OSError, ValueError, KeyError):
        return None
    return None


def verify_image(image: Image) -> None:
    """Read the whole image against its manifest.

    Raises:
        ImageError: names the first file that differs.
    """
    manifest = json.loads((image.path / MANIFEST).read_text())
    for name, entry in manifest["files"].items():
        if _sha256(image.path / name) != entry["sha256"]:
            raise ImageError(
                f"the sandbox image is damaged: {name} is not what was installed", hint=f"{COMMAND} --force"
            )


def image_status(cache: Path | None = None) -> ImageStatus:
    """Return what is installed in a cache."""
    root = (cache or default_cache()) / "sandbox"
    folder = root / recipe()
    others = tuple(sorted(path for path in root.glob("*/") if path != folder and not path.name.startswith(".")))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return ImageStatus(find_image(cache), folder, size, others)


def install_image(cache: Path | None = None, *, progress: Progress | None = None) -> Image:
    """Make the image if it is not there, and return it. `progress(label, done, total)` is called from time to time.

    Raises:
        ImageError: a part cannot be fetched or is not the pinned one, or the folder cannot be written.
        UnavailableError: Deno is missing.
    """
    cache = cache or default_cache()
    found = find_image(cache)
    if found is not None:
        return found
    deno = deno_binary()
    report = progress or (lambda label, done, total: None)
    with _locked(cache):
        return find_image(cache) or _build(deno, cache, report)


def _build(deno: Path, cache: Path, report: Progress) -> Image:
    with _building(cache) as folder:
        _fetch(deno, folder / NPM, report)
        _take_parts(folder, report)
        _take_guest(folder)
        shutil.rmtree(folder / NPM)
        report("Making the memory snapshot", 0, 1)
        (folder / SNAPSHOT).write_bytes(_snapshot(deno, folder))
        report("Making the memory snapshot", 1, 1)
        manifest = _manifest(folder)
        place = _place(cache)
        shutil.rmtree(place, ignore_errors=True)  # without a manifest, or damaged
        folder.rename(place)
        _warm(deno, place)
        (place / f"{MANIFEST}.new").write_text(manifest)
        (place / f"{MANIFEST}.new").replace(place / MANIFEST)
    image = find_image(cache)
    if image is None:
        raise ImageError(f"the sandbox image in {place} was changed while it was put there", hint=COMMAND)
    return image


@contextmanager
def _locked(cache: Path) -> Iterator[None]:
    root = cache / "sandbox"
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = (root / ".lock").open("a")
    except OSError as error:
        raise ImageError(
            f"the cache folder {root} cannot be written: {error.strerror}", hint="make it writable"
        ) from None
    with lock:
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _building(cache: Path) -> Iterator[Path]:
    root = cache / "sandbox"
    for leftover in root.glob(f"{_BUILDING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    folder = root / f"{_BUILDING}{random_id()}"
    try:
        folder.mkdir()
        yield folder
    except OSError as error:
        raise ImageError(
            f"the sandbox image cannot be written to {root}: {error.strerror or error}", hint="free some space"
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fetch(deno: Path, folder: Path, report: Progress) -> None:
    folder.mkdir()
    for name in ("deno.json", "deno.lock"):
        shutil.copy(GUEST / name, folder / name)
    done = 0

    def count(line: str) -> None:
        nonlocal done
        done += "Initialize" in line or "Download" in line
        report("Fetching the sandbox's parts", min(done, _PACKAGES), _PACKAGES)

    environment = (("DENO_DIR", str(folder / "deno")), ("DENO_NO_UPDATE_CHECK", "1"), ("NO_COLOR", "1"))
    command = Launch((str(deno), "install", "--frozen"), environment, folder)
    code, _, complaint = run_to_end(command, inherit_environment=True, on_line=count)
    if code != 0:
        last = complaint.strip().splitlines()[-1:] or ["no reason given"]
        raise ImageError(
            f"the sandbox's parts cannot be fetched: {last[0]}",
            hint=f"check the network or npm's registry setting, then: {COMMAND}",
        )


def _take_parts(folder: Path, report: Progress) -> None:
    parts = _parts()
    for done, part in enumerate(parts):
        report("Checking the sandbox's parts", done, len(parts))
        data = (folder / NPM / "node_modules" / part["source"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != part["sha256"]:
            raise ImageError(
                f"{part['source']} is not the pinned part: its SHA-256 differs",
                hint="the registry or mirror served something else",
            )
        (folder / part["name"]).write_bytes(data)
    script, engine = folder / "duckdb.mjs", folder / "duckdb.wasm"
    engine.write_bytes(trim_exports(engine.read_bytes(), script.read_text()))
    script.write_text(_WRAPPER.replace("SCRIPT", script.read_text()))
    report("Checking the sandbox's parts", len(parts), len(parts))


def _take_guest(folder: Path) -> None:
    for name in _guest_files():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(GUEST / name, target)


def _snapshot(deno: Path, folder: Path) -> bytes:
    modules = [name.removeprefix("python/") for name in _guest_files() if name.startswith("python/")]
    request = encode({"type": "start", "mode": "snapshot", "modules": modules, "limits": {}, "seed": 0})
    deno_dir = private_folder()
    try:
        code, output, complaint = run_to_end(launch(deno, folder, deno_dir, wasm_pages=_SNAPSHOT_PAGES), stdin=request)
        frames = list(Decoder(_SNAPSHOT_BYTES).feed(output))
    except RunnerError as error:
        raise ImageError(f"the memory snapshot cannot be made: {error}") from None
    finally:
        shutil.rmtree(deno_dir, ignore_errors=True)
    if code != 0 or len(frames) != 1:
        raise ImageError(
            f"the memory snapshot cannot be made: {complaint.strip()[-500:]}",
            hint="this Deno or this machine does not fit",
        )
    return frames[0][1]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _manifest(folder: Path) -> str:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {
        path.relative_to(folder).as_posix(): {"sha256": _sha256(path), "bytes": path.stat().st_size} for path in paths
    }
    versions = json.loads((GUEST / "parts.json").read_text())["versions"]
    return json.dumps({"versions": versions, "files": files}, indent=1, sort_keys=True)


def _warm(deno: Path, place: Path) -> None:
    """Keep Deno's compiled form of the scripts, which every process gets its own copy of.

    It depends on the folder's place, so it is no part of the manifest; a start without it works and takes longer. Deno
    writes it when a script has run a second time.
    """
    request = Protocol(random_id(), ResourceLimits()).start(eager=True)
    for _ in range(2):
        run_to_end(launch(deno, place, place / WARM, wasm_pages=_SNAPSHOT_PAGES), stdin=request)


__all__ = ["HOST_SCRIPT", "Image", "ImageStatus", "find_image", "image_status", "install_image", "verify_image"]
