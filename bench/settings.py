"""The only reader of the environment: folders of this user, and what they ask of a terminal.

`BENCH_ANALYZE_CACHE` and `BENCH_ANALYZE_DATA` move the two folders (a test floor may have no writable home); the
defaults are the operating system's own, by platformdirs.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APPLICATION = "bench-analyze"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the surroundings say.

    `cache`: sandbox images (can be made again). `data`: receipts and approvals (cannot). `color`: whether colour is
    welcome (https://no-color.org). `debug`: whether an internal fault shows its traceback.
    """

    cache: Path
    data: Path
    color: bool = True
    debug: bool = False

    @property
    def approvals(self) -> Path:
        """The file of approvals."""
        return self.data / "approvals.jsonl"

    @property
    def receipts(self) -> Path:
        """The folder of receipts."""
        return self.data / "receipts"


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings; `environment` replaces the process's own."""
    found = os.environ if environment is None else environment
    cache, data = found.get("BENCH_ANALYZE_CACHE"), found.get("BENCH_ANALYZE_DATA")
    return Settings(
        cache=Path(cache) if cache else platformdirs.user_cache_path(APPLICATION),
        data=Path(data) if data else platformdirs.user_data_path(APPLICATION),
        color="NO_COLOR" not in found and found.get("TERM") != "dumb",
        debug=bool(found.get("BENCH_ANALYZE_DEBUG")),
    )


def login() -> str | None:
    """Return the name that the user is logged in by, None where the system knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None


def ollama_url() -> str:
    """Return where Ollama is: the address of its own variable, else where it listens unless told otherwise."""
    return os.environ.get("OLLAMA_BASE_URL") or "http://localhost:11434/v1"
