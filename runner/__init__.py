"""A sandbox for snippets that a model wrote: Python and SQL on corrected tables, without any right on the machine.

What is promised, and what is not:

- The boundary is an operating system process: Deno without a single permission, given away before the first snippet.
  Pyodide and DuckDB-Wasm inside it are not boundaries; Python reaches JavaScript in many ways, and every one of them
  ends at Deno's denied permissions. No file of the host is read or written, no connection made, no program started.
- The process gets the bytes of one database, which holds only what a snippet may see, and the snippet. Its own folder
  is fresh and removed with it; nothing survives into another process. Within one session state is kept on purpose: a
  snippet can mislead a later run of the same session, never another session or the host.
- Whatever it says is untrusted: every frame is checked and the first anomaly ends it. A snippet can still lie in its
  own answer; that is no more than it could print.
- Wall time, memory, output, results and artifacts are bounded. SIGKILL enforces what an interrupt cannot. RLIMIT_DATA
  bounds memory beside WebAssembly on Linux only; elsewhere `layers` does not list `rlimits`, and JavaScript buffers
  are unbounded.
- Not promised: protection from a fault in V8 or Deno themselves (below stands `rlimits` alone; namespaces, Landlock
  and seccomp are not used yet); from timing and cache side channels; and that a process whose host was killed in the
  middle of a snippet ends at once: it does when the snippet ends or is interrupted at `wall_time_s`, a snippet that
  cannot be interrupted only at `cpu_time_s`, and its folder stays.
"""

from runner.errors import ImageError, LimitsError, ProtocolError, RunnerError, UnavailableError
from runner.image import Image, ImageStatus, find_image, image_status, install_image, verify_image
from runner.limits import ResourceLimits
from runner.result import Artifact, RunError, RunResult
from runner.sandbox import Sandbox

__all__ = [
    "Artifact",
    "Image",
    "ImageError",
    "ImageStatus",
    "LimitsError",
    "ProtocolError",
    "ResourceLimits",
    "RunError",
    "RunResult",
    "RunnerError",
    "Sandbox",
    "UnavailableError",
    "find_image",
    "image_status",
    "install_image",
    "verify_image",
]
