"""What the sandbox's process is started with: a pure function from paths and limits to a command line, pinned by a
test.

Every permission of Deno is denied but reading the image's own folder while it loads; that one is given away before the
first snippet. `--no-remote`, `--no-npm` and `--cached-only` close the dynamic imports that Deno allows from some hosts
even under `--deny-net`; `--no-prompt` matters because a revoked right is asked for again otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOST_SCRIPT = "host.mjs"
LAUNCHER = Path(__file__).with_name("launcher.py")
LAYERS = ("deno", "rlimits", "cgroup", "user", "network", "pid", "ipc", "mount", "landlock", "seccomp")
"""What can hold a snippet: Deno's denied permissions; limits of the process; a control group; the five namespaces;
Landlock; seccomp."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start: command line, the whole environment, working directory."""

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    cwd: Path


def launch(deno: Path, image: Path, deno_dir: Path, *, wasm_pages: int) -> Launch:
    """Return how the sandbox's process is started. The image is the working directory: its path needs no quoting
    then."""
    argv = (
        str(deno),
        "run",
        "--quiet",
        "--no-prompt",
        "--no-remote",
        "--no-npm",
        "--cached-only",
        "--no-config",
        "--no-lock",
        "--allow-read=.",
        "--deny-write",
        "--deny-net",
        "--deny-env",
        "--deny-run",
        "--deny-sys",
        "--deny-ffi",
        "--deny-import",
        f"--v8-flags=--wasm-max-mem-pages={wasm_pages}",
        HOST_SCRIPT,
    )
    environment = (
        ("DENO_DIR", str(deno_dir)),
        ("DENO_NO_UPDATE_CHECK", "1"),
        ("NO_COLOR", "1"),
        ("SQLITE_TMPDIR", str(deno_dir)),  # where Deno's SQLite makes files without asking for a permission
        ("TZ", "UTC"),
    )
    return Launch(argv, environment, image)


def below(
    inner: Launch,
    python: str,
    folder: Path,
    *,
    layers: tuple[str, ...],
    data_bytes: int,
    cpu_s: int,
    pipes: tuple[int, int],
) -> Launch:
    """Return how the launcher is started that starts `inner` below the layers named; `pipes` are its report and its
    lifeline (see launcher.py)."""
    report, lifeline = pipes
    names = ",".join(layer for layer in layers if layer != "deno") or "none"
    argv = (
        python,
        "-I",
        "-S",
        str(LAUNCHER),
        str(folder),
        names,
        str(data_bytes),
        str(cpu_s),
        str(report),
        str(lifeline),
    )
    return Launch((*argv, "--", *inner.argv), inner.environment, inner.cwd)
