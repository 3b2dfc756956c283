"""The commands about the sandbox's image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from bench import settings
from bench.cli.reply import Reply
from bench.errors import with_hint
from bench.outcome import DONE, UNAVAILABLE, USAGE
from bench.progress import Progress
from runner import Image, RunnerError, check_installed, image_status, install_image
from runner.packages import add_packages
from runner.packing import install_packed, pack_image
from runner.wheels import build_wheel


def install_reply(progress: Progress | None, *, source: Path | None, force: bool, json: bool) -> Reply:
    """Make the image if it is not there, or from a pack; `force` makes it anew."""

    def make() -> Image:
        cache = settings.load().cache
        if source is not None:
            return install_packed(source, cache, progress=progress)
        return install_image(cache, progress=progress, force=force)

    return _done(make, json=json)


def status_reply(*, json: bool) -> Reply:
    """Say whether the image is there and whole, and which packages it has."""
    return _done(lambda: check_installed(settings.load().cache), json=json)


def add_reply(
    names: Sequence[str], progress: Progress | None, *, source: str | None, exactly: bool, json: bool
) -> Reply:
    """Put packages into the image."""
    cache = settings.load().cache

    def make() -> Image:
        return add_packages(names, cache, source=source, exactly=exactly, progress=progress)

    return _done(make, json=json, failed=USAGE)


def build_reply(source: Path, progress: Progress | None, *, json: bool) -> Reply:
    """Build a wheel of the user's own and put it into the image."""
    return _done(lambda: build_wheel(source, settings.load().cache, progress=progress), json=json, failed=USAGE)


def pack_reply(file: Path, progress: Progress | None, *, json: bool) -> Reply:
    """Write the image as one file."""
    try:
        image = check_installed(settings.load().cache)
        size = pack_image(image, file, progress=progress)
    except RunnerError as error:
        return _reply(None, error, json=json)
    if json:
        return Reply(document={"image": image.id, "pack": file, "bytes": size, "error": None, "exit_code": DONE})
    return Reply(text=f"image {image.id}\n{file} ({size / 1e6:.1f} MB)")


def _done(make: Callable[[], Image], *, json: bool, failed: int = UNAVAILABLE) -> Reply:
    try:
        image = make()
    except RunnerError as error:
        return _reply(None, error, json=json, failed=failed)
    return _reply(image, None, json=json)


def _reply(image: Image | None, error: RunnerError | None, *, json: bool, failed: int = UNAVAILABLE) -> Reply:
    code = DONE if error is None else failed
    status = image_status(settings.load().cache)
    packages = image.packages if image else ()
    if json:
        found = {
            "image": image.id if image else None,
            "path": status.folder,
            "bytes": status.bytes,
            "packages": [asdict(each) for each in packages],
            "others": list(status.others),
            "error": _error(error),
            "exit_code": code,
        }
        return Reply(document=found, notes=() if error is None else (_told(error),), exit_code=code)
    if error is not None:
        return Reply(notes=(_told(error),), exit_code=code)
    lines = [f"image {image.id if image else ''}"]
    lines.append(f"{status.folder} ({status.bytes / 1e6:.0f} MB), every part as its hash says")
    lines += [f"  {each.name} {each.version}: import {', '.join(each.modules)}" for each in packages]
    if status.others:
        lines.append(f"{len(status.others)} of other versions or packages beside it")
    return Reply(text="\n".join(lines), exit_code=code)


def _told(error: RunnerError) -> str:
    return with_hint(error.message, error.hint)


def _error(error: RunnerError | None) -> dict[str, object] | None:
    if error is None:
        return None
    return {
        "kind": "sandbox_unavailable", "message": error.message, "file": None, "line": None, "column": None,
        "hint": error.hint or None,
    }  # fmt: skip
