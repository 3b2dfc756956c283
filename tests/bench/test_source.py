import hashlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bench import source as source_module
from bench.errors import BenchError, EnvironmentProblem, ExportChanged, ExportError, ExportMissing
from bench.source import Source, decompress


@pytest.mark.parametrize("size", [0, 1, 1000, source_module.WHOLE_BYTES, source_module.WHOLE_BYTES + 1, 40 << 20])
def test_hash_size_and_bytes_of_a_file(tmp_path: Path, size: int) -> None:
    content = (b"1.25,3.5\n" * (size // 9 + 1))[:size]
    path = tmp_path / "export.csv"
    path.write_bytes(content)
    source = Source(path)
    assert source.sha256 == hashlib.sha256(content).hexdigest()
    assert source.bytes == size
    assert decompress(source.compressed()) == content
    assert decompress(source.compressed()) == content  # it can be asked for twice


def test_incompressible_bytes_survive_the_temporary_file(tmp_path: Path) -> None:
    content = os.urandom(source_module.SPOOL_BYTES + 12345)
    path = tmp_path / "noise.bin"
    path.write_bytes(content)
    assert decompress(Source(path).compressed()) == content


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "growing.csv"
    path.write_bytes(b"1,2\n" * (source_module.WHOLE_BYTES // 4 + 1))
    source = Source(path)
    with path.open("ab") as file:
        file.write(b"3,4\n")
    with pytest.raises(ExportChanged, match=r"growing\.csv: the file changed while it was read .* Hint: wait until"):
        _ = source.sha256, source.check()


def test_a_small_file_that_changes_later_is_noticed_by_check(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,2\n")
    source = Source(path)
    source.check()
    path.write_text("a,b\n1,2\n3,4\n")
    assert source.bytes == 8  # what was read stays what it was
    with pytest.raises(ExportChanged, match="it had 8 bytes, now 12"):
        source.check()


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ExportMissing, match=r"absent\.csv: there is no such file\. Hint: check the path"):
        Source(tmp_path / "absent.csv")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ExportMissing, match="this is a directory, not an export"):
        Source(tmp_path)


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(ExportError, match="cannot be read"):
        Source(Path("a\0b.csv"))


def test_a_pipe_is_read_whole() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a,b\n1,2\n")
    os.close(writing)
    source = Source(Path(f"/dev/fd/{reading}"))
    os.close(reading)
    assert decompress(source.compressed()) == b"a,b\n1,2\n"
    assert source.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


def test_no_room_for_the_bytes_is_a_problem_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(os.urandom(source_module.SPOOL_BYTES + (1 << 20)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    source = Source(path)
    with pytest.raises(EnvironmentProblem, match=r"no temporary folder could be made .* Hint: free space"):
        source.compressed()


def test_scratch_goes_with_the_source(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("1")
    source = Source(path)
    scratch = source.scratch()
    (scratch / "rows").write_text("kept")
    assert source.scratch() == scratch
    del source
    assert not scratch.exists()


def test_errors_pickle_and_say_where() -> None:
    problem = ExportError("it is odd.", file="x.csv", line=3, column="v", hint="look.")
    again = pickle.loads(pickle.dumps(problem))
    assert str(again) == str(problem) == "x.csv:3: column 'v': it is odd. Hint: look."
    assert isinstance(again, BenchError)
    assert again.to_dict() == {
        "kind": "export",
        "message": "it is odd.",
        "file": "x.csv",
        "line": 3,
        "column": "v",
        "hint": "look.",
    }


def test_a_pipe_whose_writer_pauses_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.csv"
    os.mkfifo(pipe)
    command = f"exec > {pipe}; printf 'a,b\\n'; sleep 0.3; printf '1,2\\n'"
    with subprocess.Popen(["sh", "-c", command]):
        assert Source(pipe).data == b"a,b\n1,2\n"


def test_an_interrupt_ends_the_wait_for_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "never.csv"
    os.mkfifo(pipe)
    code = f"import polars; from pathlib import Path; from bench.source import Source; Source(Path({str(pipe)!r}))"
    running = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2], stderr=subprocess.PIPE)
    with pipe.open("w") as writer:
        writer.write("a,b\n")
        writer.flush()
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=30)
    assert b"KeyboardInterrupt" in stderr


def test_bytes_that_nobody_was_to_keep_are_compressed_when_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(600_000))
    assert len(content) > source_module.WHOLE_BYTES
    path.write_bytes(content)
    for keep in (False, True):
        source = Source(path, keep=keep)
        assert source.sha256 == hashlib.sha256(content).hexdigest()
        assert decompress(source.compressed()) == content
        assert decompress(source.compressed()) == content
    source = Source(path)
    assert source.bytes == len(content)
    path.write_bytes(content + b"1,1\n")
    with pytest.raises(ExportChanged, match="the file changed while it was read"):
        source.compressed()
