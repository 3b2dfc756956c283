"""The commands `trace show` and `trace export`: what was decided by whom, and conversations for fine-tuning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.ask.trace import Line, parse, shown, statuses, trajectory
from bench.cli.reply import Reply
from bench.errors import EnvironmentProblem, UsageError
from bench.render.terminal import printable
from bench.render.values import dumps


def show_reply(file: Path) -> Reply:
    """Show a trace. Raises `UsageError` and `TraceProblem`."""
    return Reply(text=printable(shown(_read(file))))


def export_reply(files: Sequence[Path], out: Path | None, status: Sequence[str]) -> Reply:
    """Return traces as chat-format trajectories, one JSON line each; only those whose answers all have one of these
    statuses, where any is named. Raises `UsageError`, `TraceProblem` and `EnvironmentProblem`."""
    traces = [_read(file) for file in files]
    wanted = [steps for steps in traces if not status or {*statuses(steps)} <= {*status}]
    text = "".join(dumps(trajectory(steps)) + "\n" for steps in wanted)
    left_out = len(traces) - len(wanted)
    notes = (f"{len(wanted)} trajectories" + (f", {left_out} left out" if left_out else ""),)
    if out is None:
        return Reply(text=text.removesuffix("\n"), notes=notes)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"the trajectories could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=out, hint="name another file with --out") from error
    return Reply(notes=(*notes, f"written: {out}"))


def _read(file: Path) -> list[Line]:
    try:
        return parse(file.read_text(encoding="utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise UsageError("the trace is not UTF-8", file=file, hint="name a file that --trace wrote") from error
    except OSError as error:
        message = f"the trace cannot be read: {error.strerror or error}"
        raise UsageError(message, file=file, hint="name a file that --trace wrote") from error
