"""A control group of the sandbox's own, where the system hands out a part of its tree (cgroup v2).

It bounds what the process really holds, kernel memory and threads with it, where RLIMIT_DATA counts what was promised.
Like confine.py it runs in the launcher's process and imports nothing of the package.

A group with processes in it can have no controllers for groups below it. So the group is made beside ours, below the
nearest group above that we may write to and that has the controllers: under systemd that is the user manager's slice,
or a service with `Delegate=yes` and `DelegateSubgroup=`.

Sources: cgroups(7); Documentation/admin-guide/cgroup-v2.rst ("Delegation", "No Internal Process Constraint").
"""

from __future__ import annotations

import os

PREFIX = "bench-analyze-"
THREADS = 256  # Deno with its workers has about 30


class Tolerant:
    """`contextlib.suppress(OSError)`, without the 4 ms of importing it that every start of a sandbox would pay."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, OSError)


def bounds(memory_bytes: int) -> dict[str, str]:
    """Return what a sandbox's group is bounded by: the file of each bound, and what is written into it."""
    return {"memory.max": str(memory_bytes), "memory.oom.group": "1", "pids.max": str(THREADS)}


class Group:
    """A group that was made, with `bound` written into it.

    Raises:
        OSError: with the reason, where the system hands out none with the controllers of these bounds.
    """

    def __init__(self, bound: dict[str, str]) -> None:
        controllers = sorted({name.split(".")[0] for name in bound})
        above = next((path for path in groups_above() if _offers(path, controllers)), None)
        if above is None:
            needed = " and ".join(controllers)
            raise OSError(0, f"no control group with the controllers {needed} is handed to this user")
        sweep(above)
        self.path = f"{above}/{PREFIX}{os.getpid()}"
        os.mkdir(self.path)
        try:
            for name, value in bound.items():
                self._set(name, value)
            with Tolerant():  # a kernel without swap accounting has no such file
                self._set("memory.swap.max", "0")
            self._entry = os.open(f"{self.path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            os.rmdir(self.path)
            raise

    def _set(self, name: str, value: str) -> None:
        with open(f"{self.path}/{name}", "w") as file:
            file.write(value)

    def enter(self) -> None:
        """Move this process into the group. It may have another root by now: the door was opened before."""
        os.write(self._entry, b"0")

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel ended a process of the group because of its bound."""
        with Tolerant(), open(f"{self.path}/memory.events") as events:
            return any(line.startswith("oom_kill ") and line.split()[1] != "0" for line in events)
        return False

    def remove(self) -> None:
        """Remove the group, whose processes have ended."""
        with Tolerant():
            os.rmdir(self.path)


def groups_above() -> list[str]:
    """Return the folders of our own group and of those above it, the nearest first."""
    root = _mounted()
    with open("/proc/self/cgroup") as file:
        own = next((line[3:].strip() for line in file if line.startswith("0::")), None)
    if root is None or own is None:
        return []
    parts = [part for part in own.split("/") if part not in ("", "..")]
    return ["/".join([root, *parts[:length]]) for length in range(len(parts), -1, -1)]


def _mounted() -> str | None:
    with open("/proc/self/mountinfo") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            if after.startswith("cgroup2 "):
                return before.split()[4].encode().decode("unicode_escape")
    return None


def _offers(path: str, controllers: list[str]) -> bool:
    """Return whether groups can be made here that the controllers bound, switching them on where that is ours to do."""
    if not (os.access(path, os.W_OK) and os.access(f"{path}/cgroup.procs", os.W_OK)):
        return False
    if not set(controllers) <= _words(f"{path}/cgroup.controllers"):
        return False
    missing = [name for name in controllers if name not in _words(f"{path}/cgroup.subtree_control")]
    try:
        if missing:
            with open(f"{path}/cgroup.subtree_control", "w") as file:
                file.write(" ".join(f"+{name}" for name in missing))
    except OSError:  # processes are in it
        return False
    return True


def _words(path: str) -> set[str]:
    with Tolerant(), open(path) as file:
        return set(file.read().split())
    return set()


def sweep(above: str) -> None:
    """Remove groups that launchers left when they were killed; one with a process in it stays."""
    with Tolerant():
        for name in os.listdir(above):
            if name.startswith(PREFIX):
                with Tolerant():
                    os.rmdir(f"{above}/{name}")
