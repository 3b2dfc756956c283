"""Notebooks: results show themselves, magics run cells in the sandbox; in a real IPython shell and a real kernel."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("IPython", reason="the extra `jupyter` is not installed")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import bench
from bench.jupyter.progress import NotebookProgress

ROOT = Path(__file__).parents[2]
RETEST = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
BOARD = ROOT / "fixtures" / "srb5030.toml"
SCRIPT = ROOT / "fixtures" / "scripted_answer.jsonl"


@pytest.fixture
def shell():
    found = InteractiveShell.instance()
    found.reset()
    found.run_line_magic("load_ext", "bench")
    found.push({"bench": bench, "RETEST": RETEST, "BOARD": BOARD})
    yield found
    found.reset()
    InteractiveShell.clear_instance()


@pytest.fixture
def analysis(shell):
    with bench.analyze(RETEST, board=BOARD) as found:
        shell.push({"analysis": found})
        yield found


def looks(shell, value):
    data, _ = shell.display_formatter.format(value)
    return data["text/html"], data["text/markdown"], data["text/plain"]


def test_an_analysis_and_its_report_show_their_verdicts(shell, analysis):
    for value in (analysis, analysis.guard):
        html, markdown, plain = looks(shell, value)
        assert '<span class="badge corrected">corrected</span>' in html
        assert "Columns of retest" in html
        assert "| value\\_v \\[VOUT\\] | corrected | V |" in markdown
        assert "value_v: header says V, the values are mV" in plain


def test_a_run_shows_code_value_and_charts(shell, analysis):
    run = analysis.run("print('fifteen'); {'columns': ['a'], 'rows': [['<b>']], 'truncated': False}")
    html, markdown, plain = looks(shell, run)
    assert "fifteen" in html
    assert "&lt;b&gt;" in html
    assert "<td>" not in html.replace("<td><", "")
    assert "```python" in markdown
    assert "fifteen" in plain


def test_an_answer_shows_traced_figures(shell, analysis):
    answer = analysis.ask("Do the retested boards pass?", model=f"scripted:{SCRIPT}")
    html, markdown, plain = looks(shell, answer)
    assert re.search(r'<mark class="traced" title="[^"]+">15</mark>', html)
    assert "| figure | where it comes from |" in markdown
    assert "answer: traced" in plain
    assert "Status: " in looks(shell, bench.verify("15 pass", [run for _, run in answer.runs]))[0]


def test_names_from_data_are_escaped_in_every_look(shell, tmp_path):
    export = tmp_path / "x.csv"
    export.write_text('serial,"<script>alert(1)</script>_v","| [x](javascript:1) **b**"\nA,5.0,1\nB,5.1,2\n')
    with bench.analyze(export) as found:
        html, markdown, _ = looks(shell, found)
    assert "<script" not in html
    assert "<script" not in markdown.replace("\\<", "")
    assert not re.search(r"(?<!\\)[\[\]]", markdown)


def test_what_a_model_wrote_fetches_nothing_in_markdown(shell, analysis, tmp_path):
    image = "![x](http://evil.test/?q) <img src=//evil.test> www.evil.test $x$"
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"text": f"16 pass {image}"}) + "\n")
    answer = analysis.ask("How many?", model=f"scripted:{script}")
    written = looks(shell, answer)[1]
    assert not re.search(r"(?<!\\)[!\[<$]|://|www\.", written.replace("**marked**", ""))
    assert "**marked**: " in written
    code = f"import warnings; warnings.warn({image!r}); open('/out/![x](y).txt', 'w').write('1'); result = {image!r}"
    for value in (analysis.run(code), bench.verify(f"16 pass {image}", [])):
        written = looks(shell, value)[1]
        assert "evil" in written
        assert "evil" not in re.sub(r"^(`{3,})\w+$.*?^\1$", "", written, flags=re.MULTILINE | re.DOTALL)


def test_results_show_themselves_without_the_extension():
    shell = InteractiveShell.instance()
    try:
        with bench.analyze(RETEST, board=BOARD) as found:
            assert "Columns of retest" in looks(shell, found.guard)[0]
    finally:
        InteractiveShell.clear_instance()


def test_a_cell_runs_in_the_sandbox(shell, analysis):
    with capture_output() as captured:
        shell.run_cell_magic("snippet", "", "print('printed')\ncon.sql('select count(*) from retest').fetchone()")
    assert captured.stdout.startswith("printed\n")
    (output,) = captured.outputs
    assert "[18]" in output.data["text/html"]
    assert "printed" not in output.data["text/html"]
    assert shell.user_ns["run"].value == [18]
    shell.run_cell_magic("snippet", "analysis --out second", "x = 2\nx")
    assert shell.user_ns["second"].value == 2
    with capture_output() as captured:
        shell.run_cell_magic("snippet", "--out third", "x / 0")
    assert "ZeroDivisionError" in captured.outputs[0].data["text/html"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nothing", "nothing is no analysis; there are: analysis"),
        ("analysis --out", "--out needs a value"),
        ("analysis --out 3x", "%%snippet [ANALYSIS]"),
        ("'", "No closing quotation"),
    ],
)
def test_a_wrong_line_is_told_without_a_traceback(shell, analysis, line, message):
    with capture_output() as captured:
        shell.run_cell(f"%%snippet {line}\n1")
    said = captured.stdout + captured.stderr
    assert message in said
    assert "Traceback" not in said


def test_without_an_analysis_the_cell_says_how_to_make_one(shell):
    with capture_output() as captured:
        shell.run_cell("%%snippet\n1")
    assert "analysis = bench.analyze" in captured.stdout + captured.stderr


def test_a_question_is_asked_and_the_model_remembered(shell, analysis):
    answer = shell.run_line_magic("ask", f'--model scripted:{SCRIPT} "Do the retested boards pass?"')
    assert answer.status == "traced"
    assert answer.question == "Do the retested boards pass?"
    again = shell.run_cell_magic("ask", "analysis --on", "Do the retested boards pass?")
    assert again.model == answer.model
    with capture_output() as captured:
        shell.run_cell("%ask")
    assert "%ask [ANALYSIS]" in captured.stdout + captured.stderr


def test_a_plot_shows_raw_and_corrected_values(shell, analysis):
    found = analysis.plot("value_v")
    assert found._repr_html_().count("<svg ") == 2
    assert repr(found) == "<plots of retest.value_v [VOUT]: corrected>"
    with pytest.raises(bench.UsageError, match="does not judge this column"):
        analysis.plot("serial")
    with pytest.raises(bench.UsageError, match="did you mean value_v"):
        analysis.plot("value")


def test_progress_is_drawn_after_a_second_and_taken_away():
    shown = []

    class Handle:
        def update(self, bundle, raw):
            shown.append(bundle["text/plain"])

    def display(bundle, *, raw, display_id):
        shown.append(bundle["text/plain"])
        return Handle()

    now = [0.0]
    progress = NotebookProgress(display, lambda: now[0])
    for moment in (0.5, 1.5, 1.6, 2.0):
        now[0] = moment
        progress("Reading <a>", int(moment * 10), 100)
    progress.close()
    assert shown == ["Reading <a> 15 of 100", "Reading <a> 20 of 100", ""]


def test_a_column_is_a_quantity():
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    with bench.analyze(RETEST, board=BOARD) as analysis:
        found = analysis.quantity("value_v")
        assert str(found.units) == "volt"
        assert found.to("mV").magnitude[0] == pytest.approx(4975.0)
        assert found.magnitude.shape == (18,)
    with bench.analyze(ROOT / "fixtures/production_run/production-run-2026-10.csv", board=BOARD) as analysis:
        assert str(analysis.quantity("value", measurement="RIPPLE").units) == "millivolt"
        with pytest.raises(bench.UsageError, match=r"holds several units: %, A.* name a measurement"):
            analysis.quantity("value")
        with pytest.raises(bench.UsageError, match="there is no measurement 'X'"):
            analysis.quantity("value", measurement="X")
        with pytest.raises(bench.UsageError, match="it has no unit"):
            analysis.quantity("serial")
    with bench.analyze(ROOT / "fixtures/two_scales/line-check-2026-10-30.csv") as analysis:
        with pytest.warns(UserWarning, match="vout_v was refused and is null"):
            found = analysis.quantity("vout_v")
        assert numpy.isnan(found.magnitude).all()


KERNEL_CELLS = [
    "%load_ext bench\nimport bench",
    f"analysis = bench.analyze({str(RETEST)!r}, board={str(BOARD)!r})\nanalysis",
    "analysis.guard",
    "%%snippet\nprint('from the sandbox')\n"
    "chart({'title': 'Rail', 'data': {'values': [{'x': 1, 'y': 2}]}, 'mark': 'point', 'encoding': "
    "{'x': {'field': 'x', 'type': 'quantitative'}, 'y': {'field': 'y', 'type': 'quantitative'}}})\n7",
    f'%ask --model scripted:{SCRIPT} "Do the retested boards pass?"',
    "analysis.close()",
]


def test_all_of_it_works_in_a_real_kernel(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [nbformat.v4.new_code_cell(source) for source in KERNEL_CELLS]
    book = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=120, kernel_name="python3").execute()
    written = ["".join(part["text"] for part in cell["outputs"] if "text" in part) for cell in book["cells"]]
    shown = [
        [part["data"] for part in cell["outputs"] if part.get("data", {}).get("text/html")] for cell in book["cells"]
    ]  # a line of progress that was taken away is an empty one
    assert written == ["", "", "", "from the sandbox\n", "", ""]
    assert [len(found) for found in shown] == [0, 1, 1, 1, 1, 0]
    assert "Columns of retest" in shown[1][0]["text/html"]
    assert "corrected" in shown[2][0]["text/markdown"]
    assert "data:image/svg+xml;base64," in shown[3][0]["text/html"] or "pip install" in shown[3][0]["text/html"]
    assert "answer: traced" in shown[4][0]["text/plain"]
