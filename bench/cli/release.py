"""`bench-analyze approve --line N`: a person releases a quarantined line, or takes that back.

The cells that the line would give are shown first; the guard then judges the row like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench import settings
from bench.approvals import for_export, recorded
from bench.cli.approve import Ask, Wish, decided, record, who_of, why_of
from bench.cli.reply import Reply
from bench.errors import UsageError
from bench.readers import read
from bench.releases import Release, cells_of
from bench.render.values import lines_text


def release_reply(wish: Wish, lines: Sequence[int], *, withdraw: bool, yes: bool, ask: Ask) -> Reply:
    """Show the act, have it confirmed, record it, and say what was done.

    Raises:
        UsageError: a line is not in quarantine or cannot be a row, none was released that is to be taken back, or there
            is nobody to confirm it.
    """
    export = read(wish.export, wish.options)
    given = [Release(line, who_of(wish), why_of(wish)) for line in dict.fromkeys(lines)]
    act = [f"export: {wish.export} (SHA-256 {export.sha256})"]
    if withdraw:
        said = [word for word in for_export(recorded(settings.load().approvals), export) if isinstance(word, Release)]
        for each in given:
            act.append(_taken_back(each, said))
    else:
        for each in given:
            act.append(f"release: line {each.line}, as the row")
            act += [f"  {name} = {cell or '(empty)'}" for name, cell in cells_of(export, each.line).items()]
    act.append(f"{'withdrawn' if withdraw else 'released'} by: {given[0].who}, because: {given[0].why}")
    text = lines_text(act)
    what = ("a withdrawal", "nothing was withdrawn") if withdraw else ("a release", "nothing was released")
    if (refused := decided(text, *what, yes=yes, ask=ask)) is not None:
        return refused
    return Reply(text=text, notes=tuple(record(wish, export, given, withdrawn=withdraw)))


def _taken_back(wanted: Release, said: Sequence[Release]) -> str:
    standing = next((word for word in said if word.line == wanted.line), None)
    if standing is None:
        lines = ", ".join(str(word.line) for word in said) or "none"
        raise UsageError(f"line {wanted.line} was not released in this export", hint=f"released here: {lines}")
    return f"withdraw: line {standing.line}, released by {standing.who}, because: {standing.why}"
