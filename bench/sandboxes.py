"""A sandbox for an analysis, its image made on first use.

Making the image needs the npm registry once. When that fails, or the database does not fit, a run's result says so: a
failure is an answer, and the tables are there without a sandbox.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bench import settings
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

Progress = Callable[[str, int, int], None]


@dataclass
class SandboxMaker:
    """Makes an analysis' sandbox; the image is fetched if there is none. A failure to fetch it is remembered."""

    limits: ResourceLimits | None
    progress: Progress | None
    _failure: RunnerError | None = None

    def __call__(self) -> Sandbox:
        """Return a sandbox that has not started.

        Raises:
            RunnerError: the image cannot be made.
        """
        if self._failure is not None:
            raise self._failure
        cache = settings.load().cache
        try:
            image = find_image(cache) or install_image(cache, progress=self.progress)
        except RunnerError as error:
            self._failure = error
            raise
        return Sandbox(limits=self.limits, image=image)

    def started(self) -> Sandbox | None:
        """Return a sandbox that is starting, or None where that failed: the first run will tell why."""
        try:
            sandbox = self()
        except RunnerError:
            return None
        sandbox.start()
        return sandbox


def not_run(error: RunnerError) -> RunResult:
    """Return the result of a run that did not begin: limits that the database exceeds are a limit, not a fault."""
    status = "memory_limit" if isinstance(error, LimitsError) else "sandbox_unavailable"
    return RunResult(status, error=RunError(type(error).__name__, str(error)), state="lost")


def classified(run: RunResult) -> RunResult:
    """Return the result with a sandbox that had no room for the database told as the limit that it is."""
    if run.status == "sandbox_unavailable" and run.error is not None and run.error.type == LimitsError.__name__:
        return replace(run, status="memory_limit")
    return run
