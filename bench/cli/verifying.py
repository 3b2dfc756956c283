"""The command `verify`: a text from anywhere, judged by the runs of a receipt."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import receipts
from bench.ask.figures import Context, Verification
from bench.ask.verify import verify
from bench.cli.reply import Reply
from bench.errors import UsageError
from bench.outcome import DONE, FAILED
from bench.render.answer import figures_text
from bench.render.values import lines_text, quoted

_CODES = {"traced": DONE, "declined": DONE, "no_figures": DONE, "marked": FAILED, "claims_run": FAILED}
_MEASURED = re.compile(r" \[(.+)\]\Z")  # as receipts name the units of a measurement
_NOTES = {
    "marked": "figures of the text come from no run of the receipt",
    "claims_run": "the text says that something was run, and the receipt has no run",
    "no_figures": "the text has no figures to trace",
}


def verify_reply(answer: str, receipt: Path, *, json: bool) -> Reply:
    """Judge a text: exit code 0 where every figure is traced or there is none, else 1.

    Raises:
        UsageError: a file cannot be read. ReceiptError: the receipt was altered.
    """
    found = receipts.read(receipt)
    text = _text(answer)
    verdict = verify(text, found["runs"], context=_context(found))
    code = _CODES[verdict.status]
    note = _NOTES.get(verdict.status)
    notes = (note,) if note else ()
    if json:
        return Reply(document=_document(answer, receipt, found["id"], verdict, code), notes=notes, exit_code=code)
    shown = [f"{verdict.status}: {answer}, receipt {found['id'][:12]}"]
    shown += quoted(verdict.marked_text.rstrip("\n")) if verdict.marked else []
    return Reply(text=lines_text([*shown, *figures_text(verdict.figures).split("\n")]), notes=notes, exit_code=code)


def _context(found: Mapping[str, Any]) -> Context:
    """Return what of a receipt may vouch beside its runs."""
    units = {
        (table.lower(), column.lower()): names
        for table, columns in found["units"].items()
        for column, names in columns.items()
    }
    measured = {
        match[1]: names
        for columns in found["units"].values()
        for column, names in columns.items()
        if (match := _MEASURED.search(column))
    }
    asked = (found["answer"] or {}).get("question", "")
    return Context(asked, found["limits"] or None, units, measured=measured)


def _document(answer: str, receipt: Path, identity: str, verdict: Verification, code: int) -> dict[str, object]:
    return {
        "answer": answer, "receipt": str(receipt), "id": identity, **verdict.to_dict(), "text": verdict.marked_text,
        "error": None, "exit_code": code,
    }  # fmt: skip


def _text(answer: str) -> str:
    try:
        return sys.stdin.read() if answer == "-" else Path(answer).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("the text is not UTF-8", file=answer, hint="save it as UTF-8") from error
    except OSError as error:
        message = f"the text cannot be read: {error.strerror or error}"
        raise UsageError(message, file=answer, hint="name a file that holds it, or - for standard input") from error
