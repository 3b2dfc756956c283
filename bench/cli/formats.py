"""The command that lists what can be read."""

from __future__ import annotations

from bench.cli.reply import Reply
from bench.readers import Format, formats


def formats_reply(*, json: bool) -> Reply:
    """List the formats, built in and added by entry points, in the order in which they are asked."""
    found = formats()
    if json:
        return Reply(document={"formats": [_entry(format_) for format_ in found], "error": None, "exit_code": 0})
    width = max(len(format_.name) for format_ in found)
    return Reply(text="\n".join(_line(format_, width) for format_ in found))


def _entry(format_: Format) -> dict[str, object]:
    return {
        "name": format_.name,
        "description": format_.description,
        "suffixes": list(format_.suffixes),
        "needs": format_.needs,
        "available": format_.available,
    }


def _line(format_: Format, width: int) -> str:
    missing = "" if format_.available else f" - needs the package {format_.needs}, which is not installed"
    return f"{format_.name:{width}}  {format_.description} ({', '.join(format_.suffixes)}){missing}"
