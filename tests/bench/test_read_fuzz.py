"""A short run of the fuzzer; `python tests/perf/fuzz_read.py 20000` is the long one. Found faults are fixed cases."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def fuzzer() -> ModuleType:
    path = Path(__file__).parents[1] / "perf" / "fuzz_read.py"
    spec = importlib.util.spec_from_file_location("fuzz_read", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_exports_are_read_or_refused() -> None:
    fuzz = fuzzer()
    outcomes = fuzz.run(300, 20260831, *fuzz.corpus_of(None))
    assert sum(outcomes.values()) == 300
    assert outcomes["delimited"] > 150


FOUND = [
    b"",
    b"\xa0",
    b"sep=;\n",
    b";\r1",
    b"sep=,\n\n \n",
]


@pytest.mark.parametrize("content", FOUND, ids=range(len(FOUND)))
def test_found_faults_stay_fixed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    fuzzer().check(path)
