"""One file that holds an image, for machines without a network.

A pack is a tar archive in zstd with the parts and the wheels; our own files and the memory snapshot are not in it,
because the installing side has the first and makes the second (2 s). So nothing in a pack is believed: each part has
the SHA-256 that is pinned in `guest/parts.json`, each wheel the one in the pack's list of packages, and no other file
is taken. The same image gives the same bytes.
"""

from __future__ import annotations

import io
import json
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import IO

import zstandard

from runner.building import build, locked, silent
from runner.errors import ImageError
from runner.image import GUEST, PACKAGES, Image, Progress, recipe, root_of, sha256_of, verify_image
from runner.packages import WHEELS, check_wheels
from runner.process import random_id

_LEVEL = 10
_MAX_BYTES = 2 * 2**30  # of one file in a pack
_RECIPE = "recipe"


def pack_image(image: Image, file: Path, *, progress: Progress | None = None) -> int:
    """Write an image as one file, whole or not at all, and return its size in bytes.

    Raises:
        ImageError: the image is damaged, or the file cannot be written.
    """
    report = progress or silent
    verify_image(image)
    names = [*_part_names(), PACKAGES, *(f"{WHEELS}/{each.file}" for each in image.packages)]
    building = file.with_name(f".{file.name}.{random_id()[:8]}.building")
    try:
        with building.open("xb") as raw:
            with zstandard.ZstdCompressor(level=_LEVEL).stream_writer(raw, closefd=False) as packed:
                _write(packed, image, names, report)
            size = raw.tell()
        building.replace(file)
    except OSError as error:
        raise ImageError(
            f"the pack {file} cannot be written: {error.strerror or error}",
            hint="free some space, or name another file",
        ) from None
    finally:
        with suppress(OSError):
            building.unlink(missing_ok=True)
    return size


def _part_names() -> list[str]:
    return [part["name"] for part in json.loads((GUEST / "parts.json").read_text())["parts"]]


def _write(packed: IO[bytes], image: Image, names: list[str], report: Progress) -> None:
    with tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, _RECIPE, recipe().encode())
        for done, name in enumerate(names):
            report("Packing", done, len(names))
            _add(archive, name, (image.path / name).read_bytes())


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def install_packed(source: Path, cache: Path | None = None, *, progress: Progress | None = None) -> Image:
    """Make the image from a pack, or from the only pack (`*.pack`) in a folder; no network is used.

    Raises:
        ImageError: it is no pack, of another version, or a file in it is not the pinned one.
        UnavailableError: Deno is missing.
    """
    file = _pack_in(source)

    def fill(folder: Path, report: Progress) -> None:
        report("Unpacking", 0, 1)
        _take(file, folder)
        _check_parts(folder, file)
        check_wheels(folder, file)
        report("Unpacking", 1, 1)

    root = root_of(cache)
    with locked(root):
        return build(root, fill, progress or silent)


def _pack_in(source: Path) -> Path:
    if not source.is_dir():
        return source
    found = sorted(source.glob("*.pack"))
    if len(found) != 1:
        raise ImageError(
            f"the folder {source} holds {len(found)} packs (*.pack), expected one", hint="name the file with --from"
        )
    return found[0]


def _take(file: Path, folder: Path) -> None:
    known = {_RECIPE, PACKAGES, *_part_names()}
    try:
        with (
            file.open("rb") as raw,
            zstandard.ZstdDecompressor().stream_reader(raw) as packed,
            tarfile.open(fileobj=packed, mode="r|") as archive,
        ):
            for entry in archive:
                _take_one(archive, entry, folder, known, file)
    except FileNotFoundError:
        raise ImageError(f"there is no pack {file}", hint="bench-analyze sandbox pack FILE makes one") from None
    except (zstandard.ZstdError, tarfile.TarError, EOFError) as error:
        raise ImageError(f"{file} is no whole pack: {error}", hint="copy it again; sandbox pack makes one") from None
    if not (folder / _RECIPE).is_file() or (folder / _RECIPE).read_bytes() != recipe().encode():
        raise ImageError(
            f"the pack {file} was made by another version of bench-analyze", hint="make it with the same version"
        )
    (folder / _RECIPE).unlink()


def _take_one(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path, known: set[str], file: Path) -> None:
    wheel = entry.name.removeprefix(f"{WHEELS}/")
    is_wheel = entry.name == f"{WHEELS}/{wheel}" and wheel.endswith(".whl") and "/" not in wheel
    data = archive.extractfile(entry) if entry.isreg() and entry.size < _MAX_BYTES else None
    if data is None or not (entry.name in known or is_wheel):
        raise ImageError(f"the pack {file} holds {entry.name!r}, which no image has", hint="make it by sandbox pack")
    target = folder / entry.name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(data.read())


def _check_parts(folder: Path, file: Path) -> None:
    for part in json.loads((GUEST / "parts.json").read_text())["parts"]:
        path = folder / part["name"]
        if not path.is_file() or sha256_of(path) != part.get("made_sha256", part["sha256"]):
            raise ImageError(
                f"{part['name']} in the pack {file} is not the pinned part: its SHA-256 differs",
                hint="copy the pack again, or make it by the same version",
            )
