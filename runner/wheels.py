"""A wheel of the user's own: built for the sandbox by pyodide-build, then put into the image like any other.

pyodide-build needs Python 3.12 or later, which this package does not: the first such Python on the path that has it is
started (`pip install 'bench-analyze[build]'` under that Python, or pyodide-build alone). It fetches its cross-build
environment, and Emscripten for compiled parts, on its first use; it runs what the source's own build says, with this
user's rights, so it is for sources that are trusted.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from runner.building import silent
from runner.errors import ImageError
from runner.image import Image, Progress
from runner.packages import add_packages
from runner.policy import Launch
from runner.process import run_to_end

OLDEST = (3, 12)
NEWEST = (3, 16)
_TOO_OLD, _LACKS = 3, 4
_ASKED = (
    f"import sys, importlib.util; sys.exit({_TOO_OLD} if sys.version_info < {OLDEST} else "
    f"0 if importlib.util.find_spec('pyodide_build') else {_LACKS})"
)
_TOLD = 5  # lines of a failed build


def build_wheel(source: Path, cache: Path | None = None, *, progress: Progress | None = None) -> Image:
    """Build the source (a project's folder, or its archive) and return the image with the wheel in it.

    Raises:
        ImageError: no such source, no Python that can build, or the build failed; the message has its last lines.
    """
    if not source.exists():
        raise ImageError(f"there is no {source}", hint="name a project's folder, or its archive (.tar.gz)")
    python = builder()
    report = progress or silent
    with tempfile.TemporaryDirectory(prefix="bench-analyze-") as place:
        report(f"Building {source.name}", 0, 1)
        wheel = _built(python, source.resolve(), Path(place))
        report(f"Building {source.name}", 1, 1)
        return add_packages([str(wheel)], cache, progress=progress)


def builder() -> str:
    """Return the Python that builds.

    Raises:
        ImageError: none on the path is new enough, or none has pyodide-build.
    """
    new_enough = None
    for python in _pythons():
        code, _, _ = run_to_end(Launch((python, "-c", _ASKED), (), Path.cwd()), inherit_environment=True)
        if code == 0:
            return python
        if code == _LACKS:
            new_enough = new_enough or python
    if new_enough is not None:
        raise ImageError(
            f"{new_enough} can build wheels, and has no pyodide-build",
            hint=f"{new_enough} -m pip install pyodide-build",
        )
    oldest = ".".join(map(str, OLDEST))
    raise ImageError(
        f"building needs Python {oldest} or later with pyodide-build, and none is on the path",
        hint=f"put one on the path and run: python{oldest} -m pip install pyodide-build",
    )


def _pythons() -> Iterator[str]:
    """Yield this Python, then those on the path, the newest first."""
    seen = {os.path.realpath(sys.executable)}
    yield sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found is not None and os.path.realpath(found) not in seen:
            seen.add(os.path.realpath(found))
            yield found


def _built(python: str, source: Path, place: Path) -> Path:
    command = (python, "-m", "pyodide_cli", "build", str(source), "--outdir", str(place))
    code, output, complaint = run_to_end(Launch(command, (), place), inherit_environment=True)
    wheels = sorted(place.glob("*.whl"))
    if code == 0 and len(wheels) == 1:
        return wheels[0]
    said = [line for line in (output.decode(errors="replace") + complaint).splitlines() if line.strip()]
    what = "failed" if code else f"made {len(wheels)} wheels where one was expected"
    raise ImageError(
        f"pyodide-build {what}: " + " / ".join(line.strip()[:300] for line in said[-_TOLD:]),
        hint=f"see all it says: {python} -m pyodide_cli build {source}",
    )
