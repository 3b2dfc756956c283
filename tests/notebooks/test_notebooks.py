"""Each notebook runs from top to bottom, and gives what a reader sees stored in it.

Where a sentence has changed on purpose, STORE_NOTEBOOKS=1 stores what they give now.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra `test`)")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (extra `test`)")
pytest.importorskip("ipykernel", reason="the extra `jupyter` is not installed")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# What may differ from one run to the next: durations, moments, sizes of files.
CHANGING = [
    (r"\d+\.\d+ s\b", "S"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "MOMENT"),
    (r"\d+(\.\d+)? [kM]B", "SIZE"),
]
MACHINE = re.compile(r"/(?:tmp|home|root|work|Users|var)/|site-packages|File \"")


def texts(book):
    """Return what each code cell showed as text, and whether as HTML too, without what may differ."""
    found = []
    for cell in book["cells"]:
        shown = [part["text"] for part in cell.get("outputs", []) if "text" in part]
        for data in (part["data"] for part in cell.get("outputs", []) if "data" in part):
            shown += [data.get("text/plain", ""), "HTML" if data.get("text/html") else ""]
        text = "".join(shown)
        for pattern, word in CHANGING:
            text = re.sub(pattern, word, text)
        found.append(text)
    return found


def store(book, path):
    """Write a notebook that was executed, without what is of this machine or of no use to a reader."""
    book["metadata"] = nbformat.read(path, as_version=4)["metadata"]
    for cell in book["cells"]:
        cell["metadata"] = {}
        # a line of progress that was taken away is an empty one
        cell["outputs"] = [part for part in cell.get("outputs", []) if part.get("data", {}).get("text/html") != ""]
        if cell["cell_type"] != "code":
            del cell["outputs"]
    nbformat.write(book, path)


@pytest.fixture
def place(tmp_path):
    """The notebooks in a folder beside the fixtures, in which they may leave files."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    return tmp_path / "notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_gives_what_is_stored_in_it(path, place, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("BENCH_ANALYZE_DATA", str(place / "data"))
    monkeypatch.setenv("IPYTHONDIR", str(place / "ipython"))
    book = nbformat.read(path, as_version=4)
    stored = texts(book)
    where = {"metadata": {"path": str(place)}}
    client = nbclient.NotebookClient(book, timeout=180, kernel_name="python3", resources=where, coalesce_streams=True)
    client.execute()
    if os.environ.get("STORE_NOTEBOOKS"):
        store(book, path)
        return
    for number, (now, before) in enumerate(zip(texts(book), stored, strict=True)):
        assert now == before, f"cell {number}: run the notebook again and store it"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_shown_and_name_no_machine(path):
    book = nbformat.read(path, as_version=4)
    assert not [output for cell in book["cells"] for output in cell.get("outputs", []) if output.output_type == "error"]
    assert sum(bool(cell.get("outputs")) for cell in book["cells"]) >= 3
    assert all(cell["execution_count"] for cell in book["cells"] if cell["cell_type"] == "code")
    assert not MACHINE.search(re.sub(r"base64,[\w+/=]+", "", path.read_text(encoding="utf-8")))


def test_the_six_notebooks_are_there():
    assert len(NOTEBOOKS) == 6
