"""The README's lines for cron and systemd do what they say, in the surroundings that those give them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import BOARD, Write, asked

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVICE, TIMER = (
    body for body in re.findall(r"^```ini\n(.*?)^```$", README, re.MULTILINE | re.DOTALL) if "xports" in body
)
(CRON,) = re.findall(r"^\*/10 \* \* \* \* (.+)$", README, re.MULTILINE)


@pytest.fixture
def place(inbox: Path) -> Path:
    """What the README calls /srv/bench: the inbox, a profile, and an environment with the command."""
    folder = inbox.parent
    (inbox / "board.toml").unlink()
    (folder / "board.toml").write_text(BOARD)
    command = folder / ".venv" / "bin" / "bench-analyze"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bench "$@"\n')
    command.chmod(0o755)
    return folder


def run(command: str, place: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line as cron does: by /bin/sh, with next to no environment."""
    found = command.replace("/srv/bench", str(place))
    environment = {"HOME": str(place), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}
    return subprocess.run(
        ["/bin/sh", "-c", found], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_line_for_cron(place: Path, inbox: Path, write: Write) -> None:
    write("final-2026-10-01.csv")
    done = run(CRON, place, Path("/"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert asked(place / "store.duckdb", "SELECT count(*), sum(rows_kept) FROM guard.exports") == [(1, 20)]
    write("final-2026-10-02.csv", first=20, scale=1000)
    told = run(CRON, place, Path("/"))
    assert "alerts: 1" in told.stdout  # what cron sends by mail


def test_the_service_and_its_timer(place: Path, write: Write, tmp_path: Path) -> None:
    write("final-2026-10-01.csv")
    start, folder = (
        re.findall(rf"^{name}=(.+)$", SERVICE, re.MULTILINE)[0] for name in ("ExecStart", "WorkingDirectory")
    )
    done = run(start, place, Path(folder.replace("/srv/bench", str(place))))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("store.duckdb: 1 export added with 20 rows")
    if shutil.which("systemd-analyze"):
        for name, text in (("bench-ingest.service", SERVICE), ("bench-ingest.timer", TIMER)):
            (tmp_path / name).write_text(text.replace("/srv/bench", str(place)))
        units = [str(tmp_path / name) for name in ("bench-ingest.service", "bench-ingest.timer")]
        checked = subprocess.run(
            ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")
