"""The commands about the sandbox's image."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from bench import settings
from bench.cli.reply import Reply
from bench.outcome import DONE, UNAVAILABLE
from runner import Image, RunnerError, find_image, image_status, install_image, verify_image

Progress = Callable[[str, int, int], None]


def install_reply(progress: Progress | None, *, force: bool, json: bool) -> Reply:
    """Make the image if it is not there; `force` makes it anew."""
    cache = settings.load().cache
    if force and (found := find_image(cache)):
        shutil.rmtree(found.path, ignore_errors=True)
    try:
        install_image(cache, progress=progress)
    except RunnerError as error:
        return _reply(None, error, json=json)
    return status_reply(json=json)


def status_reply(*, json: bool) -> Reply:
    """Say whether the image is there, and read it whole against its manifest."""
    image = find_image(settings.load().cache)
    if image is None:
        return _reply(
            None, RunnerError("the sandbox image is not installed", hint="bench-analyze sandbox install"), json=json
        )
    try:
        verify_image(image)
    except RunnerError as error:
        return _reply(image, error, json=json)
    return _reply(image, None, json=json)


def _reply(image: Image | None, error: RunnerError | None, *, json: bool) -> Reply:
    code = DONE if error is None else UNAVAILABLE
    status = image_status(settings.load().cache)
    if json:
        found = {
            "image": image.id if image else None,
            "path": status.folder,
            "bytes": status.bytes,
            "others": list(status.others),
            "error": _error(error),
            "exit_code": code,
        }
        return Reply(document=found, notes=() if error is None else (str(error),), exit_code=code)
    if error is not None:
        return Reply(notes=(str(error),), exit_code=code)
    others = f"\n{len(status.others)} of other versions beside it" if status.others else ""
    size = status.bytes / 1e6
    text = f"image {image.id if image else ''}\n{status.folder} ({size:.0f} MB), every part as its hash says{others}"
    return Reply(text=text, exit_code=code)


def _error(error: RunnerError | None) -> dict[str, object] | None:
    if error is None:
        return None
    return {
        "kind": "sandbox_unavailable", "message": error.message, "file": None, "line": None, "column": None,
        "hint": error.hint or None,
    }  # fmt: skip
