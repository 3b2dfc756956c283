"""Starts Deno below the layers that the system has and watches over it: a process of its own, run as a script.

It is not part of the host's process because namespaces need a process without threads, and because somebody must be
there when the host is killed: then it kills Deno and removes its folder. It is started as

    python -I -S launcher.py FOLDER LAYERS DATA_BYTES CPU_SECONDS REPORT LIFELINE -- DENO ARGUMENT...

REPORT is a pipe to the host: a line `held NAME` or `missing NAME REASON` each layer. LIFELINE is a pipe from it that
nobody writes to: its end is the host's end.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps, without what that imports
import os
import resource
import select
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# As a script's neighbours: the package takes long to import.
import cgroups  # type: ignore[import-not-found]
import confine  # type: ignore[import-not-found]

SIGKILL = 9
PARENT_EVERY_MS = 1000
NAMESPACES = {
    "user": confine.NEW_USER,
    "network": confine.NEW_NET,
    "pid": confine.NEW_PID,
    "ipc": confine.NEW_IPC | confine.NEW_UTS,
}


class Report:
    """What holds and what does not, as lines to the host."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def held(self, *names: str) -> None:
        """Name layers that hold."""
        for name in names:
            os.write(self._descriptor, f"held {name}\n".encode())

    def missing(self, name: str, reason: object) -> None:
        """Name a layer that does not, and why."""
        text = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        os.write(self._descriptor, f"missing {name} {text}\n".encode())


def can_separate(flags: int) -> str:
    """Try namespaces in a process that ends at once: one that half entered them could not go back. Return the reason
    against them, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            confine.separate(flags)
        except OSError as error:
            os.write(writing, (error.strerror or str(error)).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    reason = os.read(reading, 200).decode()
    os.close(reading)
    return reason


def enter_namespaces(wanted: set[str], report: Report) -> set[str]:
    """Enter the namespaces that are wanted: all of them, or none where the system refuses."""
    names = [name for name in NAMESPACES if name in wanted]
    flags = 0
    for name in names:
        flags |= NAMESPACES[name]
    if not flags:
        return set()
    reason = can_separate(flags)
    if reason:
        for name in names:
            report.missing(name, reason)
        return set()
    confine.separate(flags)
    report.held(*names)
    return set(names)


def bound(kind: int, wanted: int) -> None:
    """Set a limit of this process, unless one that is lower holds for it already."""
    _, hard = resource.getrlimit(kind)
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (value, value))


def limit(data_bytes: int, cpu_s: int, report: Report) -> None:
    """Bound memory beside WebAssembly and processor time, and refuse core files and any byte written to a file: Deno's
    own SQLite makes files for temporary tables without asking for a permission. The signal for the latter is ignored,
    as Python does from its start and what it executes inherits."""
    bound(resource.RLIMIT_CORE, 0)
    bound(resource.RLIMIT_FSIZE, 0)
    if cpu_s:
        bound(resource.RLIMIT_CPU, cpu_s)
    if data_bytes and sys.platform == "linux":  # elsewhere it does not count what V8 maps
        bound(resource.RLIMIT_DATA, data_bytes)
        report.held("rlimits")


def confine_further(wanted: set[str], entered: set[str], deno: str, folder: str, report: Report) -> None:
    """The layers that the process puts on itself, just before it becomes Deno."""
    readable = [os.getcwd(), folder, *confine.LIBRARIES]  # Deno needs to write nowhere, not even into its own folder
    if "mount" in wanted:
        try:
            if "user" not in entered:
                raise OSError(1, "needs a user namespace")
            confine.own_root([*readable, deno], own_processes="pid" in entered)
            report.held("mount")
        except OSError as error:
            report.missing("mount", error)
    confine.die_with_parent()
    if "user" in wanted and "user" not in entered and os.getuid() == 0:
        with cgroups.Tolerant():
            confine.drop_capabilities()
    loaders = [
        f"{at}/{name}" for at in ("/lib64", "/lib") if os.path.isdir(at) for name in os.listdir(at) if name[:3] == "ld-"
    ]
    layers = (
        ("landlock", lambda: confine.landlock([*readable, "/proc"], [deno, *loaders])),
        ("seccomp", confine.seccomp),
    )
    for name, put_on in layers:
        if name in wanted:
            try:
                put_on()
                report.held(name)
            except OSError as error:
                report.missing(name, error)


def make_group(wanted: set[str], data_bytes: int, report: Report) -> cgroups.Group | None:
    """Make the control group that Deno shall enter, where the system hands one out."""
    if "cgroup" not in wanted:
        return None
    try:
        group = cgroups.Group(cgroups.bounds(data_bytes))
    except OSError as error:
        report.missing("cgroup", error)
        return None
    return group


def enter(group: cgroups.Group | None, report: Report) -> None:
    """Move this process into the group."""
    if group is not None:
        try:
            group.enter()
            report.held("cgroup")
        except OSError as error:
            report.missing("cgroup", error)


def become(
    argv: list[str], wanted: set[str], entered: set[str], folder: str, data_bytes: int, cpu_s: int, report: Report
) -> None:
    """Become Deno."""
    try:
        limit(data_bytes if "rlimits" in wanted else 0, cpu_s, report)
        if sys.platform == "linux":
            confine_further(wanted, entered, argv[0], folder, report)
        os.execve(argv[0], argv, dict(os.environ))
    except OSError as error:
        report.missing("deno", error)
    os._exit(127)


def give_away(group: cgroups.Group | None, stderr: int) -> None:
    """Remove the group of a process that has ended, and say so where it ended by the group's bound of memory."""
    if group is not None:
        if group.ran_out_of_memory:
            os.write(stderr, b"fatal: out of memory (control group)\n")
        group.remove()


def watch(child: int, lifeline: int) -> int:
    """Wait until Deno ends, or kill it when the host has ended. Return its wait status, or -1 for the latter."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    pidfd = os.pidfd_open(child) if hasattr(os, "pidfd_open") else -1
    if pidfd >= 0:
        poll.register(pidfd, select.POLLIN)
    parent = os.getppid()
    while True:
        ready = [descriptor for descriptor, _ in poll.poll(PARENT_EVERY_MS if pidfd >= 0 else 20)]
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if lifeline in ready or os.getppid() != parent:
            os.kill(child, SIGKILL)
            os.waitpid(child, 0)
            return -1


def remove(folder: str) -> None:
    """Remove a folder with all that is in it."""
    for at, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(f"{at}/{name}")
        for name in folders:
            os.rmdir(f"{at}/{name}")
    os.rmdir(folder)


def main() -> None:
    """See the module's docstring."""
    folder, names, data_bytes, cpu_s, report_to, lifeline, _, *argv = sys.argv[1:]
    wanted = set(names.split(","))
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # a host that ignores it would have children vanish unwaited for
    argv[0] = os.path.realpath(argv[0])
    for descriptor in (int(report_to), int(lifeline)):
        os.set_inheritable(descriptor, False)
    report = Report(int(report_to))
    group = make_group(wanted, int(data_bytes), report) if sys.platform == "linux" else None
    entered = enter_namespaces(wanted, report) if sys.platform == "linux" else set()
    child = os.fork()
    if child == 0:
        enter(group, report)
        become(argv, wanted, entered, folder, int(data_bytes), int(cpu_s), report)
    os.close(int(report_to))
    stderr = os.dup(2)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    status = watch(child, int(lifeline))
    give_away(group, stderr)
    if status == -1:
        remove(folder)
        os._exit(1)
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), os.WTERMSIG(status))  # the host sees what Deno died of
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


if __name__ == "__main__":
    main()
