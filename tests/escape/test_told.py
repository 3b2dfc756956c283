"""What a snippet says reaches the terminal as text: no control sequence, no mark that reorders it, on no stream."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.cli import main
from runner import Image, Sandbox

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NASTY = "chr(27) + ']0;t' + chr(7) + chr(27) + '[2J' + chr(0x202E) + chr(0x061C) + chr(0x9B)"

SAID = {
    "printed": "print({0})",
    "on stderr": "import sys\nprint({0}, file=sys.stderr)",
    "an error's message": "raise ValueError({0})",
    "an error's name": "raise type({0} + 'A' * 5000, (Exception,), {{}})('x')",
    "a value": "{{{0}: [{0}]}}",
    "an artifact's name": "open('/out/' + {0}.replace('/', ''), 'w').close()",
    "an artifact's kind": "import bench_sandbox.artifacts as a\na._MEDIA['.x'] = {0}\nopen('/out/a.x', 'w').close()",
    "a missing package": "__import__({0})",
    "a column's name": "con.sql('select 1 as \"' + {0} + '\"')",
    "an engine's error": "con.sql('select \"' + {0} + '\"')",
}


@pytest.mark.parametrize("code", SAID.values(), ids=SAID)
def test_nothing_steers_the_terminal(
    image: Image, tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    export = tmp_path / "retest.csv"
    export.write_text("serial,value_v\n1,4.98\n2,4.99\n3,5.01\n")
    main([str(export), "-c", code.format(NASTY), "--receipt", str(tmp_path / "receipt.json")])
    told = capsys.readouterr()
    assert STEERS.search(told.out) is None
    assert STEERS.search(told.err) is None
    assert "a fault in bench-analyze" not in told.err
    assert len(told.err) < 2000


def test_charts_and_files_of_one_name_are_both_kept(image: Image) -> None:
    code = "open('/out/chart-1.vl.json', 'w').write('x')\nimport os\nos.mkdir('/out/chart-2.vl.json')\n"
    code += "open('/out/chart-2.vl.json/y', 'w').write('y')\nchart({'mark': 'point'})\nchart({'mark': 'bar'})"
    with Sandbox(image=image) as sandbox:
        names = [artifact.name for artifact in sandbox.run(code).artifacts]
    assert names == ["chart-3.vl.json", "chart-4.vl.json", "chart-1.vl.json", "chart-2.vl.json/y"]
