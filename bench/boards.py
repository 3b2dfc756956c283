"""Finding and reading a board profile: the file that the caller named, else `board.toml` beside the export."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Literal

from bench.errors import ProfileError
from bench.guarded import BoardFile
from guards import GuardError, parse_board

BESIDE = "board.toml"


def board_for(export: Path, board: Path | None) -> BoardFile | None:
    """Return the profile for one export, or None.

    Raises:
        ProfileError: the file cannot be read, is no TOML, or says something that cannot be used.
    """
    if board is not None:
        return read_board(board, "given")
    beside = export.parent / BESIDE
    return read_board(beside, "beside") if _is_there(beside) else None


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be entered: reading the export says so
        return False


def read_board(path: Path, origin: Literal["given", "beside"]) -> BoardFile:
    """Read and parse one profile; see `board_for`."""
    data = _read(path)
    try:
        text = data.decode("utf-8-sig")
        board = parse_board(tomllib.loads(text), source=path.name)
    except UnicodeDecodeError as error:
        raise ProfileError(f"is not UTF-8 text (byte {error.start})", file=path, hint="save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(
            f"is not TOML: {error}", file=path, hint="mend that line; https://toml.io has the grammar"
        ) from error
    except GuardError as error:
        raise ProfileError(_without_source(str(error), path), file=path, hint="mend that key and run again") from error
    return BoardFile(path, text, hashlib.sha256(data).hexdigest(), board, origin)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ProfileError(
            "there is no such file", file=path, hint="name a board profile (TOML) with --board"
        ) from error
    except IsADirectoryError as error:
        raise ProfileError("is a folder", file=path, hint="name the profile's file with --board") from error
    except OSError as error:
        raise ProfileError(f"cannot be read: {error.strerror}", file=path, hint="mend its permissions") from error


def _without_source(text: str, path: Path) -> str:
    return text.removeprefix(f"{path.name}: ")


def with_unit(board: BoardFile, column: str, unit: str, why: str) -> str:
    """Return the profile's text with a column's unit settled by a table at its end; `why` becomes a comment.

    Raises:
        ProfileError: the profile already has a table for the column (the message names the line to change), or the unit
            is no label (a decade).
    """
    if column in board.board.columns:
        line = _line_of(board.text, column)
        raise ProfileError(
            f"it already says something of the column {column!r}",
            file=board.path, line=line, hint=f'give that table unit = "{unit}", and approve without --always',
        )  # fmt: skip
    comment = " ".join(why.split()).encode("unicode_escape").decode()
    key = json.dumps(column, ensure_ascii=False).replace("\x7f", "\\u007f")
    table = f'[columns.{key}]\nunit = "{unit}"   # {comment}\n'
    text = board.text.rstrip("\n") + "\n\n" + table
    try:
        parse_board(tomllib.loads(text), source=board.path.name)
    except (tomllib.TOMLDecodeError, GuardError) as error:
        raise ProfileError(
            f"{unit!r} for {column!r} cannot be added: {error}", file=board.path, hint="approve without --always"
        ) from error
    return text


def _line_of(text: str, column: str) -> int | None:
    """Return the number of the line that names the column's table."""
    pattern = re.compile(rf"""^\s*\[?\s*columns\s*\.\s*["']?{re.escape(column)}["']?\s*[\].=]""")
    return next((n for n, line in enumerate(text.splitlines(), 1) if pattern.match(line)), None)
