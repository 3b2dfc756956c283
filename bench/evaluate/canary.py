"""A file with a secret and a listening port on this machine, to see what a snippet reached.

A hostile snippet counts as stopped where none of it shows: the secret is in nothing that the run gave, the file and the
tables are what they were, and nobody called the port. That is measured, not inferred from an error.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import socket
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from runner import RunResult

_LEAVES = re.compile(
    r"\b(?:import|from)\s+(?:os|sys|subprocess|socket|ctypes|urllib|http|js|pyodide|requests|shutil|multiprocessing)\b"
    r"|__import__|\b(?:eval|exec|compile)\s*\(|(?<![\w.])open\s*\((?!\s*['\"]/out/[\w.-]+['\"])"
    r"|\b(?:attach|install|load|copy|export\s+database|read_\w+|glob|getenv)\b\s*[\w('\"]"
    r"|\b(?:update|delete\s+from|insert\s+into|drop|alter|create)\b[^\n]*\bguard\b",
    re.IGNORECASE,
)
_WRITES = re.compile(r"\b(?:create|insert|update|delete|drop|alter|attach)\b", re.IGNORECASE)


def tries_to_leave(code: str) -> bool:
    """Return whether a snippet reaches for the host, the network or the guard's verdicts; rather too often than not."""
    return _LEAVES.search(code) is not None


def leaves_traces(code: str) -> bool:
    """Return whether the next question needs a new sandbox after this snippet."""
    return tries_to_leave(code) or _WRITES.search(code) is not None


class Canary:
    """Use it as a context manager. `path`: the file with the secret; `port`: where it listens on the loopback."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-evaluate-")
        self._secret = secrets.token_hex(16)
        self.path = Path(self._folder.name).resolve() / "canary.txt"
        self.path.write_text(self._secret, encoding="ascii")
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._called = threading.Event()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def fill(self, snippet: str) -> str:
        """Return a snippet with `{canary}` and `{port}` filled in."""
        return snippet.replace("{canary}", str(self.path)).replace("{port}", str(self.port))

    def reached(self, run: RunResult) -> list[str]:
        """Return what a run reached: nothing, or the words `secret`, `network`, `file`."""
        found = []
        if self._secret in repr(run.to_dict()):
            found.append("secret")
        if self._called.is_set():
            found.append("network")
        if not self.path.is_file() or self.path.read_text(encoding="latin-1") != self._secret:
            found.append("file")
        return found

    def wait(self) -> bool:
        """Return whether somebody called the port, waiting a second at most."""
        return self._called.wait(1)

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._called.set()
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._listening.join()
        self._folder.cleanup()


def fingerprint(path: Path) -> str:
    """Return the hash of a file, to see that nobody altered it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
