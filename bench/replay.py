"""`replay`: does what a receipt says again, and tells whether the figures are the same.

Compared are the inputs (export, profile), what the guard made of them (ledger, tables) and what each run gave. A
difference in any of them is told, with what was and what is. What surrounds them (versions, image, layers) is told as
well but is no difference: the same figures from another image are the same figures. A run that a limit or a crash ended
is compared by its status only, because how far it came is a matter of the machine's speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.boards import read_board
from bench.errors import StoreMissing, UsageError
from bench.guarded import BoardFile
from bench.pipeline import Inputs, analyze_inputs
from bench.progress import Progress
from bench.readers import ReadOptions
from bench.receipts import sha256
from bench.releases import Release, Word
from bench.sandboxes import SandboxSource
from guards import Approval, Past
from runner import ResourceLimits, RunnerError, RunResult

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from bench.store.opened import StoreAnalysis

_FINISHED = ("ok", "error")
_RUN = {
    "value_sha256": "value",
    "stdout_sha256": "standard output",
    "stderr_sha256": "standard error",
    "error": "error",
    "artifacts": "artifacts",
    "reads": "columns read",
    "warnings": "warnings",
    "state": "state",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as the receipt says: `then` and `now` are JSON values."""

    what: str
    then: object
    now: object

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"what": self.what, "then": self.then, "now": self.now}


@dataclass(frozen=True, slots=True)
class Replay:
    """What `replay` found. `differences` are those of figures, `circumstances` those of what surrounds them."""

    differences: tuple[Difference, ...]
    circumstances: tuple[Difference, ...]
    runs: tuple[RunResult, ...]

    @property
    def same(self) -> bool:
        """Whether everything that the receipt vouches for came out again."""
        return not self.differences


def replay(
    receipt: Mapping[str, Any],
    source: Path,
    *,
    exports: Sequence[Path] = (),
    board: Path | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Do again what a receipt says. `source` is the receipt's own path; `exports` and `board` stand for files that are
    no longer where they were.

    Raises:
        UsageError: an export or a profile is not there (the message says how to name it), or limits that this version
            does not know.
        ExportError, ProfileError, EnvironmentProblem: as `bench.analyze`.
    """
    runs = receipt["runs"]
    first = runs[0] if runs else {}
    sandboxes = SandboxSource(
        _limits(first.get("limits"), source), progress, seed=first.get("seed", 0), image_id=first.get("image")
    )
    try:
        if receipt["store"] is not None:
            analysis: Analysis = _of_store(receipt["store"], source, exports, sandboxes)
        else:
            analysis = analyze_inputs(_inputs(receipt, source, exports, board), sandboxes, progress=progress)
    except BaseException:
        sandboxes.close()
        raise
    with analysis:
        found = tuple(analysis.run(run["snippet"], clock_ms=run["clock_ms"]) for run in runs)
        now = analysis.receipt()
        return Replay(tuple(_differences(receipt, now)), tuple(_circumstances(receipt, now)), found)


def _of_store(then: Mapping[str, Any], source: Path, given: Sequence[Path], sandboxes: SandboxSource) -> StoreAnalysis:
    """Take the same exports from the store again; `given`: where the store is now."""
    from bench.store.locking import Patience  # noqa: PLC0415 - only receipts of a store pay for it
    from bench.store.opened import opened  # noqa: PLC0415
    from bench.store.stores import is_delta  # noqa: PLC0415
    from bench.store.working import Selection  # noqa: PLC0415

    delta = is_delta(then["path"])
    path = given[0] if given else Path(then["path"]) if delta else _there(then["path"], source)
    lost = UsageError(
        f"the store of this receipt is not there any more: {then['path']}",
        file=source,
        hint=f"say where it is now: bench-analyze replay {source} --export {'delta:NEWPLACE' if delta else 'STORE'}",
    )
    if path is None:
        raise lost
    selection = Selection(tuple(then["tables"]), None, then["where"], then["keys"])
    try:
        return opened(path, selection, sandboxes, Patience(), versions=then.get("delta"))
    except StoreMissing as error:
        if given:
            raise
        raise lost from error


def _inputs(receipt: Mapping[str, Any], source: Path, exports: Sequence[Path], board: Path | None) -> Inputs:
    then = receipt["exports"]
    if len(exports) > len(then):
        raise UsageError(
            f"{len(exports)} exports were given, the receipt names {len(then)}", hint="leave --export out, or name one"
        )
    paths = _paths(then, source, exports)
    return Inputs(
        paths,
        [_board(entry["profile"], source, board) for entry in then],
        ReadOptions(**_known(ReadOptions, receipt["options"], source, "option")),
        [[_word(item) for item in entry["approvals"]] for entry in then],
        [name for entry in then for name in entry["tables"]],
        past=[[Past(**_known(Past, item, source, "member of history")) for item in entry["history"]] for entry in then],
    )


def _paths(then: Sequence[Mapping[str, Any]], source: Path, given: Sequence[Path]) -> list[Path]:
    """Match the files that were given by content, then to what is missing; look for the others where they were."""
    for path in given:
        if not path.is_file():
            raise UsageError("there is no such file", file=path, hint="name the export with --export FILE")
    others = {sha256(path.read_bytes()): path for path in given}
    found = [others.pop(entry["sha256"], None) for entry in then]
    places = [_there(entry["path"], source) for entry in then]
    unnamed = sorted((number for number, path in enumerate(found) if path is None), key=lambda n: places[n] is not None)
    for number, path in zip(unnamed, others.values(), strict=False):  # another content: it stands for what is missing
        found[number] = path
    found = [path or place for path, place in zip(found, places, strict=True)]
    return [path or _lost(entry, source, found.count(None)) for entry, path in zip(then, found, strict=True)]


def _there(recorded: str, source: Path) -> Path | None:
    path = Path(recorded)
    return next((each for each in (path, source.parent / path.name) if each.is_file()), None)


def _lost(entry: Mapping[str, Any], source: Path, missing: int) -> Path:
    files = " ".join(["--export FILE"] * missing)
    raise UsageError(
        f"the export of this receipt is not there any more: {entry['path']} "
        f"({entry['bytes']} bytes, SHA-256 {entry['sha256'][:12]}...)",
        file=source,
        hint=f"say where it is now: bench-analyze replay {source} {files}",
    )


def _board(profile: Mapping[str, str] | None, source: Path, given: Path | None) -> BoardFile | None:
    if profile is None:
        return None
    path = given or _there(profile["path"], source)
    if path is None:
        raise UsageError(
            f"the board profile of this receipt is not there any more: {profile['path']} "
            f"(SHA-256 {profile['sha256'][:12]}...)",
            file=source,
            hint=f"say where it is now: bench-analyze replay {source} --board FILE",
        )
    return read_board(path, "given")


def _word(item: Mapping[str, Any]) -> Word:
    if "line" in item:
        return Release(**item)
    segment = item["segment"]
    return Approval(**{**item, "segment": tuple(segment) if segment else None})


def _limits(limits: Mapping[str, Any] | None, source: Path) -> ResourceLimits:
    try:
        return ResourceLimits(**_known(ResourceLimits, limits or {}, source, "limit"))
    except RunnerError as error:
        raise UsageError(error.message, file=source, hint=error.hint) from error


def _known(kind: type, values: Mapping[str, Any], source: Path, what: str) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    if unknown := sorted(values.keys() - names):
        raise UsageError(
            f"this version knows no {what} {', '.join(unknown)}", file=source, hint="replay it with a newer version"
        )
    return dict(values)


def _differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    for old, new in zip(then["exports"], now["exports"], strict=True):
        yield from _compared(f"export {Path(old['path']).name}", old["sha256"], new["sha256"])
        profiles = [(each["profile"] or {}).get("sha256") for each in (old, new)]
        yield from _compared("board profile", *profiles)
        yield from _compared("names of the tables", old["tables"], new["tables"])
    versions = [(each["store"] or {}).get("version") for each in (then, now)]
    yield from _compared("what the store holds of it", *versions)
    yield from _compared("ledger of the guard", then["ledger_sha256"], now["ledger_sha256"])
    for name, old in then["tables"].items():
        new = now["tables"].get(name) or {}
        yield from _compared(f"content of the table {name}", old["sha256"], new.get("sha256"))
        yield from _compared(f"raw text of the table {name}", old["raw_sha256"], new.get("raw_sha256"))
    for number, (old, new) in enumerate(zip(then["runs"], now["runs"], strict=True), 1):
        run = f" of run {number}" if len(then["runs"]) > 1 else ""
        yield from _compared(f"status{run}", old["status"], new["status"])
        if old["status"] == new["status"] and old["status"] in _FINISHED:
            for member, what in _RUN.items():
                if old[member] != new[member]:
                    shown = "value" if member == "value_sha256" else member
                    yield Difference(f"{what}{run}", old[shown], new[shown])


def _circumstances(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    yield from _compared("rules of the guard", then["rules_version"], now["rules_version"])
    for name in sorted(then["versions"].keys() | now["versions"].keys()):
        yield from _compared(f"version of {name}", then["versions"].get(name), now["versions"].get(name))
    told = set()
    for old, new in zip(then["runs"], now["runs"], strict=True):
        for member, what in (("image", "sandbox image"), ("layers", "isolation layers")):
            if member not in told and old[member] != new[member]:
                told.add(member)
                yield Difference(what, old[member], new[member])


def _compared(what: str, then: object, now: object) -> Iterator[Difference]:
    if then != now:
        yield Difference(what, then, now)
