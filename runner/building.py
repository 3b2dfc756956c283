"""Making an image: parts come in, are checked against their pinned hashes, and are put in place whole or not at all.

Parts come by Deno's own npm client from a frozen `deno.lock`: it knows the registry and honours npm's configuration,
so no host stands here. What it has fetched stays until the image is made, so that an installation that was cut off
goes on where it was. Whatever it brought, or a pack holds, a part is kept only if its SHA-256 is the one in
`guest/parts.json`.

An image is built in a folder beside its place and moved there; its manifest comes last, by rename, and without it
there is no image. Installations of one cache wait for each other on a lock that the system drops with its holder, so
whoever holds it may remove what a killed installation left.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from runner.errors import ImageError, RunnerError
from runner.folders import private_folder
from runner.frames import Decoder, encode
from runner.image import (
    COMMAND,
    GUEST,
    MANIFEST,
    PACKAGES,
    SNAPSHOT,
    WARM,
    Image,
    Progress,
    deno_binary,
    find_image,
    guest_files,
    manifest_of,
    read_image,
    recipe,
    root_of,
    sha256_of,
)
from runner.limits import ResourceLimits
from runner.policy import Launch, launch
from runner.process import random_id, run_to_end
from runner.protocol import Protocol
from runner.wasm import trim_exports

_SNAPSHOT_PAGES = 16384
_SNAPSHOT_BYTES = 256 * 2**20
_BUILDING = ".building-"
_FETCHED = ".fetched"
_FETCHES = 30  # packages that the lock lists, for the progress bar
_NO_NETWORK = (
    "where there is a network: bench-analyze sandbox pack FILE; then here: bench-analyze sandbox install --from FILE"
)
# `Et` is the script's class for the exception-handling build. It is not exported, and the function that makes one is
# asynchronous; the script is pinned by its hash, so the name is known.
_WRAPPER = "export function load(require, module, exports, __filename, __dirname, process) {\nSCRIPT\nreturn Et;\n}\n"
Fill = Callable[[Path, Progress], None]  # puts parts, and wheels if there are any, into a folder


def silent(label: str, done: int, total: int) -> None:
    """Report no progress."""


def install_image(cache: Path | None = None, *, progress: Progress | None = None, force: bool = False) -> Image:
    """Make the image if it is not there, and return it. `progress(label, done, total)` is called from time to time;
    `force` makes it anew, without added packages.

    Raises:
        ImageError: a part cannot be fetched or is not the pinned one, or the folder cannot be written.
        UnavailableError: Deno is missing.
    """
    found = None if force else find_image(cache)
    if found is not None:
        return found
    deno, root = deno_binary(), root_of(cache)

    def fill(folder: Path, report: Progress) -> None:
        fetched = root / _FETCHED / recipe()
        _fetch(deno, fetched, report)
        take_parts(folder, lambda part: (fetched / "node_modules" / part["source"]).read_bytes(), report)
        shutil.rmtree(fetched.parent, ignore_errors=True)

    with locked(root):
        return (None if force else find_image(cache)) or build(root, fill, progress or silent)


def build(root: Path, fill: Fill, report: Progress, *, base: Image | None = None) -> Image:
    """Make an image and put it in place; the lock is held by the caller. `base`: an image whose parts are the same."""
    with _building(root) as folder:
        fill(folder, report)
        for name in () if (folder / "host.mjs").exists() else guest_files():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(GUEST / name, target)
        if not (folder / PACKAGES).exists():
            (folder / PACKAGES).write_text(json.dumps({"requested": [], "packages": []}))
        if base is None:
            report("Making the memory snapshot", 0, 1)
            (folder / SNAPSHOT).write_bytes(_snapshot(deno_binary(), folder))
            report("Making the memory snapshot", 1, 1)
        return _publish(folder, root)


def _publish(folder: Path, root: Path) -> Image:
    manifest = manifest_of(folder)
    has_packages = bool(json.loads((folder / PACKAGES).read_text())["packages"])
    place = root / (f"{recipe()}-{sha256_of(folder / PACKAGES)[:12]}" if has_packages else recipe())
    shutil.rmtree(place, ignore_errors=True)  # without a manifest, or damaged
    folder.rename(place)
    _warm(deno_binary(), place)
    _put(place / MANIFEST, manifest)
    _put(root / f"{recipe()}.current", place.name)
    image = read_image(place)
    if image is None:
        raise ImageError(f"the sandbox image in {place} was changed while it was put there", hint=COMMAND)
    return image


def _put(path: Path, text: str) -> None:
    building = path.with_name(f"{path.name}.new")
    with building.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    building.replace(path)


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the lock of a cache's images; wait for who holds it.

    Raises:
        ImageError: the folder cannot be written.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = (root / ".lock").open("a")
    except OSError as error:
        raise ImageError(
            f"the cache folder {root} cannot be written: {error.strerror}",
            hint="make it writable, or name another with BENCH_ANALYZE_CACHE",
        ) from None
    with lock:
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _building(root: Path) -> Iterator[Path]:
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
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("deno.json", "deno.lock"):
        shutil.copy(GUEST / name, folder / name)
    done = 0

    def count(line: str) -> None:
        nonlocal done
        done += "Initialize" in line or "Download" in line
        report("Fetching the sandbox's parts", min(done, _FETCHES), _FETCHES)

    environment = (("DENO_DIR", str(folder / "deno")), ("DENO_NO_UPDATE_CHECK", "1"), ("NO_COLOR", "1"))
    command = Launch((str(deno), "install", "--frozen"), environment, folder)
    code, _, complaint = run_to_end(command, inherit_environment=True, on_line=count)
    if code != 0:
        last = complaint.strip().splitlines()[-1:] or ["no reason given"]
        raise ImageError(
            f"the sandbox's parts cannot be fetched: {last[0]}",
            hint=f"check the network or npm's registry setting, then: {COMMAND}; or {_NO_NETWORK}",
        )


def take_parts(folder: Path, read: Callable[[dict[str, Any]], bytes], report: Progress) -> None:
    """Put the pinned parts into a folder; `read` gives the bytes of one.

    Raises:
        ImageError: it gave others.
    """
    parts: list[dict[str, Any]] = json.loads((GUEST / "parts.json").read_text())["parts"]
    for done, part in enumerate(parts):
        report("Checking the sandbox's parts", done, len(parts))
        data = read(part)
        if hashlib.sha256(data).hexdigest() != part["sha256"]:
            raise ImageError(
                f"{part['source']} is not the pinned part: its SHA-256 differs",
                hint="the registry, the mirror or the pack served something else",
            )
        (folder / part["name"]).write_bytes(data)
    script, engine = folder / "duckdb.mjs", folder / "duckdb.wasm"
    engine.write_bytes(trim_exports(engine.read_bytes(), script.read_text()))
    script.write_text(_WRAPPER.replace("SCRIPT", script.read_text()))
    report("Checking the sandbox's parts", len(parts), len(parts))


def _snapshot(deno: Path, folder: Path) -> bytes:
    modules = [name.removeprefix("python/") for name in guest_files() if name.startswith("python/")]
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


def _warm(deno: Path, place: Path) -> None:
    """Keep Deno's compiled form of the scripts, which every process gets its own copy of.

    It depends on the folder's place, so it is no part of the manifest; a start without it works and takes longer. Deno
    writes it when a script has run a second time.
    """
    request = Protocol(random_id(), ResourceLimits()).start(eager=True)
    for _ in range(2):
        run_to_end(launch(deno, place, place / WARM, wasm_pages=ResourceLimits().wasm_pages), stdin=request)
