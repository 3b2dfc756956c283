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
  bounds memory beside WebAssembly on Linux only; elsewhere `layers` does not list `rlimits`, JavaScript buffers are
  unbounded, and every result's warnings say so.
- Below Deno, for a fault in Deno or V8, stands what a Linux system offers, each named in `RunResult.layers` only where
  it holds: user, network, pid, ipc (with uts) and mount namespaces (a root of libraries, Deno and the image, all
  read-only), Landlock (reads those, writes nothing, no TCP), seccomp (no socket, no new process, no mount, no bpf,
  ...), rlimits with no core files and no byte for any file, a control group (v2) with a bound of memory and threads
  where one is handed to the user. None is needed; `require_layers` makes one so.
  On macOS the launcher watches over the process, and Deno alone holds; on Windows there is no launcher either.
- A process whose host was killed is ended by its launcher at once, and its folder removed; a folder that is left when
  the launcher was killed too, or had not started yet, is removed by the next sandbox of that user.
- What a snippet breaks of the interpreter is undone before the next run, or the process is replaced (`state`: lost).
- Not promised: that layers below stop a fault of the kernel; protection from timing and cache side channels.
"""

from runner.building import install_image
from runner.errors import ImageError, LimitsError, ProtocolError, RunnerError, UnavailableError
from runner.image import Image, ImageStatus, Package, check_installed, find_image, image_status, verify_image
from runner.limits import ResourceLimits
from runner.policy import LAYERS
from runner.pool import Pool
from runner.result import Artifact, RunError, RunResult
from runner.sandbox import CANCELLED, Sandbox

__all__ = [
    "CANCELLED",
    "LAYERS",
    "Artifact",
    "Image",
    "ImageError",
    "ImageStatus",
    "LimitsError",
    "Package",
    "Pool",
    "ProtocolError",
    "ResourceLimits",
    "RunError",
    "RunResult",
    "RunnerError",
    "Sandbox",
    "UnavailableError",
    "check_installed",
    "find_image",
    "image_status",
    "install_image",
    "verify_image",
]
