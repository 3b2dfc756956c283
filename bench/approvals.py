"""What people have said, one JSON line each in the user's data folder: who, when, why, and exactly what.

An approval is bound to the bytes of one export (SHA-256), to a column, and to a measurement and a segment where it
names them, a release to the bytes and a line; another export never meets them. The file is only ever appended to, so
that it says who settled what even after a later line has settled it otherwise.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import publishing
from bench.errors import EnvironmentProblem
from bench.export import Export
from bench.releases import Release, Word
from guards import Approval

_WHO = ("who", "when", "why")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line: a word with the export it is bound to, and when it was given (ISO 8601, UTC).

    `withdrawn`: the line takes back what earlier lines settled for the same rows; its unit is theirs.
    """

    word: Word
    sha256: str
    bytes: int
    path: str
    when: str
    withdrawn: bool = False

    @property
    def about(self) -> tuple[object, ...]:
        """What it is a word on: the export's bytes, the column, and the rows."""
        word = self.word
        if isinstance(word, Release):
            return self.sha256, word.line
        return self.sha256, word.column, word.measurement, word.segment

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        word = self.word
        what: dict[str, object] = {"line": word.line} if isinstance(word, Release) else {
            "column": word.column, "measurement": word.measurement,
            "segment": dict([word.segment]) if word.segment else None, "unit": word.unit,
        }  # fmt: skip
        return {
            "who": word.who, "when": self.when, "why": word.why,
            "export": {"path": self.path, "sha256": self.sha256, "bytes": self.bytes},
            **what, **({"withdrawn": True} if self.withdrawn else {}),
        }  # fmt: skip


def recorded(file: Path) -> list[Recorded]:
    """Return every approval of the file, the oldest first; none where there is no file.

    Raises:
        EnvironmentProblem: the file cannot be read, or a line is no approval.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentProblem(f"the approvals cannot be read: {error}", file=file, hint="mend the file") from error
    return [_parsed(line, file, number) for number, line in enumerate(lines, 1) if line.strip()]


def for_export(found: Sequence[Recorded], export: Export) -> tuple[Word, ...]:
    """Return what was said of one export. Its hash is asked for only where a word's size is the file's."""
    if not any(item.bytes == export.path.stat().st_size for item in found):
        return ()
    standing: list[Recorded] = []
    for item in found:
        if item.sha256 == export.sha256:
            standing = [other for other in standing if not item.withdrawn or other.about != item.about]
            standing += [] if item.withdrawn else [item]
    return tuple(item.word for item in standing)


def append(file: Path, entry: Recorded) -> None:
    """Add one line, on disk when this returns.

    Raises:
        EnvironmentProblem: the file cannot be written.
    """
    line = json.dumps(entry.to_dict(), ensure_ascii=False) + "\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        message = f"the approval could not be recorded: {error.strerror or error}"
        raise EnvironmentProblem(message, file=file, hint="BENCH_ANALYZE_DATA names another folder") from error


def _parsed(line: str, file: Path, number: int) -> Recorded:
    try:
        found = json.loads(line)
        export = found["export"]
        _check_texts([found[name] for name in _WHO] + [export["sha256"], export["path"]])
        word = _word(found)
        return Recorded(
            word, export["sha256"], int(export["bytes"]), export["path"], found["when"], found.get("withdrawn") is True
        )
    except (ValueError, TypeError, KeyError) as error:
        message = f"this line is no approval ({type(error).__name__}: {error})"
        raise EnvironmentProblem(message, file=file, line=number, hint="mend or remove that line") from error


def _word(found: Mapping[str, Any]) -> Word:
    if "line" in found:
        return Release(int(found["line"]), found["who"], found["why"])
    _check_texts([found["column"], found["unit"], found["measurement"] or ""])
    return Approval(
        found["column"], found["unit"], found["who"], found["why"], found["measurement"], _pair(found["segment"])
    )


def _check_texts(values: Sequence[object]) -> None:
    if not all(isinstance(value, str) for value in values):
        raise TypeError("a field is no text")


def _pair(segment: Mapping[str, Any] | None) -> tuple[str, str] | None:
    if segment is None:
        return None
    ((name, value),) = segment.items()
    return str(name), str(value)


def replace_text(file: Path, text: str) -> None:
    """Replace a profile's text whole or not at all.

    Raises:
        EnvironmentProblem: the file cannot be written.
    """
    building = publishing.building(file)
    try:
        building.write_bytes(text.encode())
        shutil.copymode(file, building)
        building.replace(file)
    except OSError as error:
        message = f"the profile could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=file, hint="mend its permissions; the approval stands") from error
    finally:
        with suppress(OSError):
            building.unlink(missing_ok=True)
