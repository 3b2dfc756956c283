"""A sandbox for an analysis, its image made on first use.

Making the image needs the npm registry once. When that fails, or the database does not fit, a run's result says so: a
failure is an answer, and the tables are there without a sandbox.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from bench import settings
from bench.progress import Progress
from runner import (
    LimitsError,
    ResourceLimits,
    RunError,
    RunnerError,
    RunResult,
    Sandbox,
    find_image,
    install_image,
)


@dataclass
class SandboxSource:
    """Makes an analysis' one sandbox; the image is fetched if there is none. A failure to fetch it is remembered.

    `seed`: as in `runner.Sandbox`. `image_id`: take this image if it is in the cache, else the one of this version.
    `start` may be called long before `get`, so that the sandbox's start is hidden behind other work.
    """

    limits: ResourceLimits | None = None
    progress: Progress | None = None
    seed: int | None = 0
    image_id: str | None = None
    require_layers: tuple[str, ...] = ()
    _sandbox: Sandbox | None = None
    _failure: RunnerError | None = None

    def get(self) -> Sandbox:
        """Return the sandbox.

        Raises:
            RunnerError: the image cannot be made.
        """
        if self._failure is not None:
            raise self._failure
        if self._sandbox is not None:
            return self._sandbox
        cache = settings.load().cache
        try:
            image = find_image(cache, image_id=self.image_id) if self.image_id else None
            image = image or find_image(cache) or install_image(cache, progress=self.progress)
        except RunnerError as error:
            self._failure = error
            raise
        self._sandbox = Sandbox(limits=self.limits, image=image, seed=self.seed, require_layers=self.require_layers)
        return self._sandbox

    def start(self) -> None:
        """Begin to start the sandbox. Where that fails the first run tells why."""
        with suppress(RunnerError):
            self.get().start()

    def cancel(self) -> None:
        """End the run that is under way in another thread, if there is one."""
        if self._sandbox is not None:
            self._sandbox.cancel()

    def close(self) -> None:
        """End the sandbox, if there is one."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


def not_run(error: RunnerError) -> RunResult:
    """Return the result of a run that did not begin: limits that the database exceeds are a limit, not a fault."""
    status = "memory_limit" if isinstance(error, LimitsError) else "sandbox_unavailable"
    return RunResult(status, error=RunError(type(error).__name__, str(error)), state="lost")


def classified(run: RunResult) -> RunResult:
    """Return the result with a sandbox that had no room for the database told as the limit that it is."""
    if run.status == "sandbox_unavailable" and run.error is not None and run.error.type == LimitsError.__name__:
        return replace(run, status="memory_limit")
    return run
