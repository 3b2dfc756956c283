"""A sandbox for an analysis, its image made on first use.

Making the image needs the npm registry once; when that fails the sandbox is built all the same, and each run answers
`sandbox_unavailable` with the way out: a failure is an answer, and the tables are there without a sandbox.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from bench import settings
from runner import ResourceLimits, RunnerError, Sandbox, find_image, install_image

if TYPE_CHECKING:
    from runner import Image

Progress = Callable[[str, int, int], None]


def make_sandbox(limits: ResourceLimits | None, progress: Progress | None) -> Sandbox:
    """Return a sandbox that has not started; the image is fetched if there is none."""
    cache = settings.load().cache
    image: Image | None = find_image(cache)
    if image is None:
        with suppress(RunnerError):
            image = install_image(cache, progress=progress)
    return Sandbox(limits=limits or ResourceLimits(), image=image)
