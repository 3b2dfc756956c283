"""The layers below Deno on Linux: namespaces, a root of its own, Landlock, seccomp. No package, only system calls.

This module runs in the launcher's process (launcher.py) between its start and Deno's, and imports nothing of the
package. Each layer either holds afterwards or raises OSError with the reason; none is needed for another, and Deno's
denied permissions hold without them: they are for a fault in V8 or Deno.

Sources: user_namespaces(7), pivot_root(2), Documentation/userspace-api/landlock.rst (ABI 1 to 6), seccomp(2).
"""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_MACHINE = os.uname().machine

NEW_USER, NEW_PID, NEW_NET, NEW_IPC, NEW_UTS, NEW_MOUNT = 1 << 28, 1 << 29, 1 << 30, 1 << 27, 1 << 26, 1 << 17
NOBODY = 65534
_BIND, _REC, _PRIVATE, _REMOUNT, _RDONLY, _DETACH = 1 << 12, 1 << 14, 1 << 18, 1 << 5, 1, 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_READ, _EXECUTE, _WRITE = 1 << 2 | 1 << 3, 1 << 0, 1 << 1  # Landlock: read file and folder; execute; write to a file
_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_FS_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}

_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE, _CLONE3, _CLONE_THREAD, _X32 = {"x86_64": 56, "aarch64": 220}, 435, 0x10000, 0x40000000
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x50000 | 1, 0x50000 | 38
# What a process may not ask the kernel for: connections, other processes, mounts, keys, the kernel's own programs.
_REFUSED = {
    "x86_64": """
    accept 43, accept4 288, acct 163, add_key 248, adjtimex 159, bind 49, bpf 321, chroot 161, clock_adjtime 305,
    clock_settime 227, connect 42, delete_module 176, execveat 322, fanotify_init 300, finit_module 313, fork 57,
    fsconfig 431, fsmount 432, fsopen 430, fspick 433, init_module 175, io_uring_enter 426, io_uring_register 427,
    io_uring_setup 425, kcmp 312, kexec_file_load 320, kexec_load 246, keyctl 250, kill 62, listen 50, mount 165,
    mount_setattr 442, move_mount 429, mq_open 240, msgget 68, name_to_handle_at 303, open_by_handle_at 304,
    open_tree 428, perf_event_open 298, personality 135, pidfd_getfd 438, pidfd_open 434, pivot_root 155,
    process_madvise 440, process_vm_readv 310, process_vm_writev 311, ptrace 101, quotactl 179, reboot 169,
    request_key 249, semget 64, setdomainname 171, sethostname 170, setns 308, settimeofday 164, shmget 29,
    socket 41, swapoff 168, swapon 167, syslog 103, tkill 200, umount2 166, unshare 272, userfaultfd 323, vfork 58,""",
    "aarch64": """
    accept 202, accept4 242, acct 89, add_key 217, adjtimex 171, bind 200, bpf 280, chroot 51, clock_adjtime 266,
    clock_settime 112, connect 203, delete_module 106, execveat 281, fanotify_init 262, finit_module 273,
    fsconfig 431, fsmount 432, fsopen 430, fspick 433, init_module 105, io_uring_enter 426, io_uring_register 427,
    io_uring_setup 425, kcmp 272, kexec_file_load 294, kexec_load 104, keyctl 219, kill 129, listen 201, mount 40,
    mount_setattr 442, move_mount 429, mq_open 180, msgget 186, name_to_handle_at 264, open_by_handle_at 265,
    open_tree 428, perf_event_open 241, personality 92, pidfd_getfd 438, pidfd_open 434, pivot_root 41,
    process_madvise 440, process_vm_readv 270, process_vm_writev 271, ptrace 117, quotactl 60, reboot 142,
    request_key 218, semget 190, setdomainname 162, sethostname 161, setns 268, settimeofday 170, shmget 194,
    socket 198, swapoff 225, swapon 224, syslog 116, tkill 130, umount2 39, unshare 97, userfaultfd 282,""",
}


def _call(done: int, what: str) -> int:
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return done


def _prctl(option: int, *arguments: int) -> None:
    _call(_libc.prctl(option, *map(ctypes.c_ulong, (*arguments, 0, 0, 0, 0)[:4])), f"prctl {option}")


def die_with_parent() -> None:
    """Be killed when the launcher ends; and gain no right by executing a file, which Landlock and seccomp ask for."""
    _prctl(1, 9)
    _prctl(38, 1)


def drop_capabilities() -> None:
    """For a process of root outside a user namespace: executing Deno gives none of root's rights."""
    _prctl(28, 0x0F)  # SECBIT_NOROOT and NO_SETUID_FIXUP, locked
    _prctl(47, 4)


# ---- namespaces
def separate(flags: int) -> None:
    """Enter new namespaces; in a new user namespace be nobody there."""
    uid, gid = os.getuid(), os.getgid()
    _call(_libc.unshare(flags), "unshare")
    if flags & NEW_USER:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {uid} 1"), ("gid_map", f"{NOBODY} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _call(_libc.mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3]), f"mount {target}")


def _bind(root: str, path: str, descriptor: int) -> None:
    target = root + path
    if os.path.isdir(f"/proc/self/fd/{descriptor}"):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    _mount(f"/proc/self/fd/{descriptor}", target, None, _BIND | _REC)
    if path not in DEVICES:
        kept = os.statvfs(target).f_flag & 0xC0E  # what the mount has already cannot be taken off
        _mount(None, target, None, _BIND | _REMOUNT | _RDONLY | kept)


def own_root(readable: list[str], *, own_processes: bool) -> None:
    """See a file system in which nothing is but these paths, to be read only, a few devices and /proc."""
    cwd = os.getcwd()
    _call(_libc.unshare(NEW_MOUNT), "unshare")
    _mount(None, "/", None, _REC | _PRIVATE)
    links = [path for path in readable if os.path.islink(path)]
    paths = [path for path in (*readable, *DEVICES, "/proc") if path not in links and os.path.exists(path)]
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    root = "/tmp"
    _mount("tmpfs", root, "tmpfs", 2 | 4, "size=1m,mode=755")
    try:
        for path in links:
            os.symlink(os.readlink(path), root + path)
        _mount_proc(root, opened.pop("/proc"), is_new=own_processes)
        for path, descriptor in opened.items():
            _bind(root, path, descriptor)
        _mount(None, root, None, _REMOUNT | _RDONLY | 2 | 4)
        os.chdir(root)
        _call(_libc.syscall(_PIVOT_ROOT[_MACHINE], b".", b"."), "pivot_root")
    except OSError:
        os.chdir(cwd)
        _libc.umount2(root.encode(), _DETACH)
        raise
    _call(_libc.umount2(b".", _DETACH), "umount")
    os.chdir(cwd)


def _mount_proc(root: str, old: int, *, is_new: bool) -> None:
    os.mkdir(root + "/proc")
    try:
        if not is_new:
            raise PermissionError
        _mount("proc", root + "/proc", "proc", 2 | 4 | 8)
    except OSError:  # in a container whose own /proc is masked in part, a new one is refused
        _mount(f"/proc/self/fd/{old}", root + "/proc", None, _BIND | _REC)


DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nix/store")


# ---- Landlock
class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def landlock(readable: list[str], executable: list[str]) -> None:
    """Let this process and what it starts read these paths only, write nothing, connect nowhere, signal nobody."""
    version = _call(_libc.syscall(_RULESET, None, 0, 1), "landlock")
    rights = _FS_RIGHTS[min(version, 5)]
    rules = _Ruleset(rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _call(_libc.syscall(_RULESET, ctypes.byref(rules), size, 0), "landlock")
    wanted = [(path, _READ) for path in readable] + [(path, _READ | _EXECUTE) for path in executable]
    wanted += [(path, _READ | _WRITE) for path in DEVICES]
    for path, allowed in wanted:
        if os.path.exists(path):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            of_files = 0xC007  # execute, write, read, truncate, ioctl: what makes sense for a file
            rule = _Rule(allowed & rights & (-1 if os.path.isdir(path) else of_files), descriptor)
            _call(_libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0), f"landlock {path}")
            os.close(descriptor)
    _call(_libc.syscall(_RESTRICT, ruleset, 0), "landlock")
    os.close(ruleset)


# ---- seccomp
class _Filter(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Filter)))


def refused(machine: str) -> dict[str, int]:
    """Return the system calls that seccomp refuses on a machine, by name."""
    words = _REFUSED[machine].replace(",", " ").split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def seccomp() -> None:
    """Refuse system calls that an interpreter of snippets has no use for, and any new process (threads stay)."""
    if _MACHINE not in _REFUSED:
        raise OSError(0, f"no filter is written for {_MACHINE}")
    load, equal, flagged, at_least, give = 0x20, 0x15, 0x45, 0x35, 0x06
    program = [(load, 0, 0, 4), (equal, 1, 0, _ARCHITECTURE[_MACHINE]), (give, 0, 0, _EPERM), (load, 0, 0, 0)]
    program += [(at_least, 0, 1, _X32), (give, 0, 0, _EPERM), (equal, 0, 1, _CLONE3), (give, 0, 0, _ENOSYS)]
    for number in refused(_MACHINE).values():
        program += [(equal, 0, 1, number), (give, 0, 0, _EPERM)]
    program += [(equal, 0, 3, _CLONE[_MACHINE]), (load, 0, 0, 16), (flagged, 1, 0, _CLONE_THREAD), (give, 0, 0, _EPERM)]
    program.append((give, 0, 0, _ALLOW))
    filters = (_Filter * len(program))(*(_Filter(*line) for line in program))
    _call(_libc.prctl(22, 2, ctypes.byref(_Program(len(program), filters)), 0, 0), "seccomp")
