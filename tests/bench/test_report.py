"""`--report`: one file that holds everything, stays small, and treats what came from data as text."""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

import polars as pl
import pytest

import bench
from bench.reporting import charts
from bench.reporting.markup import Markup, tag, text
from bench.reporting.scale import Scale, number_text, scale_for
from runner import Artifact

ROOT = Path(__file__).parents[2]
RETEST = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
BOARD = ROOT / "fixtures" / "srb5030.toml"
EXECUTED = ("script", "iframe", "object", "embed", "link", "base", "form", "style")


def report_of(tmp_path, export, board=BOARD, **given):
    path = tmp_path / "report.html"
    with bench.analyze(export, board=board) as analysis:
        assert analysis.report(path, **given) == path
    return path.read_text(encoding="utf-8")


def words(page):
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def test_a_report_has_the_verdicts_the_plots_and_the_evidence(tmp_path):
    page = report_of(tmp_path, RETEST)
    said = " ".join(words(page).split())
    assert "18 rows read = 18 kept + 0 quarantined; 18 changed" in said
    assert "header says V, the values are mV" in said
    assert "value_v [VOUT] as the export has it, read in V" in said
    assert "value_v [VOUT] after correction, in V" in said
    assert "Limits 4.95 to 5.05 V (dashed). Absolute range -0.3 to 6 V (dotted)." in said
    assert "Side by side: lot." in said
    assert re.search(r"Evidence: rule e, \d+ witnesses", said)
    assert "7aa32834ba0668328888ee5c0c24b48f2d48214a86e02936d337c2d425d812d5" in said


def test_nothing_in_a_report_is_fetched_or_executed(tmp_path):
    page = report_of(tmp_path, RETEST)
    assert "default-src &#x27;none&#x27;" in page
    assert not re.search(r"<(script|iframe|object|embed|link|base|form)\b", page)
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", page)
    assert "http://" not in page
    assert "https://" not in page


def test_the_command_writes_run_answer_and_receipt_into_it(cli, tmp_path):
    path = tmp_path / "r.html"
    code = "print('fifteen'); con.sql('select count(*) from retest where value_v > 4.95').fetchone()"
    done = cli(RETEST, "--board", BOARD, "-c", code, "--report", path, "--receipt", tmp_path / "receipt.json")
    assert done.exit_code == 0, done.stderr
    assert f"report: {path}" in done.stderr
    said = words(path.read_text(encoding="utf-8"))
    assert "fifteen" in said
    assert "[15]" in said
    assert str(tmp_path / "receipt.json") in said
    assert "The receipt" in said


def test_an_answer_shows_which_figures_are_traced_and_which_are_marked(cli, tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text(
        '{"tool": "run_python", "code": "con.sql(\\"select count(*) from retest where value_v > 4.95\\")'
        '.fetchone()[0]"}\n'
        '{"text": "15 boards pass, and 77 are fine."}\n{"text": "15 boards pass, and 77 are fine."}\n',
        encoding="utf-8",
    )
    path = tmp_path / "r.html"
    cli(RETEST, "--board", BOARD, "--ask", "How many pass?", "--model", f"scripted:{script}", "--report", path)
    page = path.read_text(encoding="utf-8")
    assert re.search(r'<mark class="traced" title="[^"]+">15</mark>', page)
    assert re.search(r'<mark class="marked" title="[^"]+">77</mark>', page)
    assert "How many pass?" in words(page)


@pytest.mark.parametrize(
    ("name", "hint"), [("report.txt", "end --report with .html"), ("retest.csv", "end --report with .html")]
)
def test_a_report_is_an_html_file(cli, tmp_path, name, hint):
    done = cli(RETEST, "--report", tmp_path / name)
    assert done.exit_code == 2
    assert "a report is an HTML file" in done.stderr
    assert hint in done.stderr


def test_a_report_never_replaces_what_is_read(cli, tmp_path):
    export = tmp_path / "export.html"
    export.write_text("serial,v_v\nA,1\n", encoding="utf-8")
    done = cli(export, "--report", export)
    assert done.exit_code == 2
    assert "names a file that is read" in done.stderr


def test_a_folder_that_is_not_there_is_named(cli, tmp_path):
    done = cli(RETEST, "--report", tmp_path / "nowhere" / "r.html")
    assert done.exit_code == 2
    assert "the folder does not exist" in done.stderr
    assert "Traceback" not in done.stderr


HOSTILE = [
    "<script>document.title='pwned'</script>",
    '"><img src=x onerror="document.title=1">',
    "</style></title><svg onload=alert(1)>",
    "right\u202eto\u2066left",
    "x" * 30_000,
    "javascript:alert(1)",
]


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "<b>retest & co.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["serial", "fixture", "vout_v", *HOSTILE])
        for number in range(8):
            fixture = HOSTILE[number % 3]
            writer.writerow([HOSTILE[0], fixture, 4990 + number if number else "OL", *HOSTILE])
        writer.writerow([HOSTILE[1], "one field too many", *["9"] * 12])
    return path


def test_text_from_data_stays_text(tmp_path, hostile):
    page = report_of(tmp_path, hostile)
    assert "<img" not in page
    assert "<script" not in page
    assert "onload=alert" not in re.sub(r"&lt;.*?&gt;", "", page)
    assert "\u202e" not in page
    assert "\\u202e" in page
    assert page.count("<title>") == 1 + page.count("<svg ") - page.count("<title id")
    assert "characters more)" in page


def test_a_snippets_words_stay_text(tmp_path):
    with bench.analyze(RETEST, board=BOARD) as analysis:
        run = analysis.run("print('<script>1</script>'); {'<b>': '</pre><script>2</script>'}")
        failed = analysis.run("raise ValueError('<script>3</script>')")
        page = analysis.report(tmp_path / "r.html", runs=[run, failed]).read_text(encoding="utf-8")
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 4


def test_five_million_rows_or_hundreds_of_columns_stay_small(tmp_path):
    rows = 300_000
    channels = {f"ch{n}_v": [5.0 + n % 7 / 100 + k / 1e5 for k in range(400)] for n in range(300)}
    wide = pl.DataFrame({"serial": [f"S{n}" for n in range(400)]} | channels)
    long = pl.DataFrame({"t": range(rows)}).select(
        pl.col("t").alias("index"), (4990 + pl.col("t") % 97 / 10).alias("vout_v"), (pl.col("t") % 8).alias("fixture")
    )
    for frame, limit in ((wide, 3_000_000), (long, 200_000)):
        export = tmp_path / "export.csv"
        frame.write_csv(export)
        page = report_of(tmp_path, export)
        assert len(page) < limit
        assert 'class="marks' in page
    assert "vout_v as the export has it" in page


def test_more_columns_than_are_drawn_are_counted(tmp_path):
    export = tmp_path / "export.csv"
    names = [f"ch{number}_v" for number in range(160)]
    export.write_text(",".join(names) + "\n" + (",".join(["5.01"] * 160) + "\n") * 4, encoding="utf-8")
    assert "10 more judged columns are in the tables above and are not drawn" in words(report_of(tmp_path, export))


@pytest.mark.parametrize("text", ["serial,vout_v\n", "a,b\nx,y\n", "serial,vout_v\nA,OL\nB,9.9e37\n"])
def test_an_export_without_values_has_a_report(tmp_path, text):
    export = tmp_path / "export.csv"
    export.write_text(text, encoding="utf-8")
    said = words(report_of(tmp_path, export))
    assert "There is no value to draw." in said or "No column holds measured values." in said


def test_raw_numbers_with_a_decimal_comma_are_drawn_as_numbers(tmp_path):
    export = tmp_path / "export.csv"
    rows = [f"S{n};4990,{n};{5 + n / 10:.1f}".replace(".", ",") for n in range(6)]
    export.write_text("\n".join(["serial;vout_v;vin_v", *rows]) + "\n", encoding="utf-8")
    assert "6 marks from 4990 to 4990.5." in words(report_of(tmp_path, export))


def test_flags_and_quarantine_have_row_and_line(tmp_path):
    page = " ".join(words(report_of(tmp_path, ROOT / "fixtures/overloads/dmm-log-2026-10-29.csv")).split())
    assert "dmm_log 4 5 vout_v" in page
    ragged = " ".join(words(report_of(tmp_path, ROOT / "fixtures/ragged_rows/load-step-2026-10-29.csv")).split())
    assert "Quarantined rows (2)" in ragged


@pytest.mark.parametrize("name", sorted(path.parent.name for path in ROOT.glob("fixtures/*/expected.json")))
def test_every_fixture_has_a_report_with_its_ids_once(tmp_path, name):
    (export,) = (path for path in (ROOT / "fixtures" / name).glob("*.csv"))
    page = report_of(tmp_path, export, board=None)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "NaN" not in page


CHART = (
    b'{"title": "Rail", "data": {"values": [{"x": 1, "y": 2}]}, "mark": "point", '
    b'"encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}}'
)


def chart(data, media="application/vnd.vegalite.v5+json"):
    return charts.picture(Artifact("chart-1.vl.json", media, data))


def test_a_chart_is_drawn_as_an_image():
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    found = chart(CHART)
    assert found.media_type == "image/svg+xml"
    assert found.title == "Rail"
    assert found.data.startswith(b"<svg")
    assert found.address.startswith("data:image/svg+xml;base64,")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (b'{"data": {"url": "file:///etc/passwd"}}', "data.url is an address"),
        (b'{"layer": [{"data": {"url": "http://127.0.0.1/x"}}]}', "layer.data.url is an address"),
        (b'{"transform": [{"calculate": "1", "as": "y"}]}', "transform.calculate is an expression"),
        (b'{"transform": [{"filter": "datum.x > 1"}]}', "transform.filter is an expression"),
        (b'{"transform": [{"filter": {"not": {"or": ["datum.x > 1"]}}}]}', "not.or is an expression"),
        (b'{"encoding": {"x": {"condition": {"test": {"and": ["1"]}}}}}', "test.and is an expression"),
        (b'{"config": {"signals": [{"name": "a", "init": "1"}]}}', "config.signals is an expression"),
        (b'{"config": {"customFormatTypes": true}}', "customFormatTypes is a function"),
        (b'{"params": [{"name": "p", "expr": "1"}]}', "params.expr is an expression"),
        (b'{"mark": {"type": "image", "href": "x"}}', "mark.href is an address"),
        (b'{"data": {"sequence": {"start": 0, "stop": 1e9}}}', "data.sequence is a generator"),
        (b'{"width": 1e9}', "width is more than 4000"),
        (b'{"encoding": {"x": {"axis": {"values": {"expr": "1"}}}}}', "encoding.x.axis.values.expr is an expression"),
        (b'{"encoding": {"x": {"axis": {"values": [{"signal": "1"}]}}}}', "values.signal is an expression"),
        (b'{"params": [{"select": {"type": "point", "on": "click[event.x > 1]"}}]}', "select.on is an expression"),
        (b'{"data": {"values": {"signal": "1"}}}', "data.values.signal is an expression"),
        (b'{"datasets": {"d": {"signal": "1"}}}', "datasets.d.signal is an expression"),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "too deep"),
        (b"[1]", "it is no object"),
        (b"{", "is no JSON"),
    ],
)
def test_a_chart_that_would_compute_or_fetch_is_not_drawn(spec, problem):
    found = chart(spec)
    assert problem in found.problem
    assert not found.data


def test_words_in_a_charts_data_are_data():
    for data in ({"data": {"values": [{"url": "http://x", "expr": "1"}]}}, {"datasets": {"url": [{"expr": "1"}]}}):
        assert charts.refusal({**data, "layer": [{**data, "mark": "point"}]}, 10) == ""


def test_a_picture_that_is_too_large_is_named_and_not_shown():
    found = charts.picture(Artifact("photo.png", "image/png", b"x" * 600_000))
    assert found.problem == "photo.png is not shown: it has 600,000 bytes, and 500,000 are shown at most"


def test_what_the_library_cannot_draw_is_said():
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    assert "chart-1.vl.json could not be drawn" in chart(b'{"mark": {"type": "nonsense"}}').problem


def test_markup_escapes_everything_that_is_not_markup():
    found = tag("p", "<b>", ["&", Markup("<i></i>"), None, 7], title='"><script>')
    assert found == '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;<i></i>7</p>'
    assert text("\x1b[31m\ud800") == "\\x1b[31m\\ud800"


@pytest.mark.parametrize(
    ("values", "marks", "log", "inside"),
    [
        ([4.9, 5.1], [4.95, 5.05, 6, -0.3], False, 6),
        ([4.99, 5.0], [1000.0], False, 5.0),
        ([1e-6, 1.0], [], True, 1e-3),
        ([-1.0, 1000.0], [], False, 0.0),
        ([5.0, 5.0], [], False, 5.0),
        ([0.0], [], False, 0.0),
    ],
)
def test_an_axis_holds_the_values_and_the_marks_that_are_near(values, marks, log, inside):
    scale = scale_for(values, marks)
    assert scale.log is log
    assert all(0 <= scale.at(value) <= 1 for value in [*values, inside])
    assert 1 <= len(scale.ticks()) <= 12
    assert all(-1e-9 <= scale.at(tick) <= 1 + 1e-9 for tick in scale.ticks())


def test_far_marks_do_not_flatten_the_values():
    assert scale_for([4.99, 5.0], [1000.0]).high < 6


def test_numbers_are_written_as_engineers_write_them():
    assert [number_text(value) for value in (5.0, -0.0, 1e-9, 4.99371234)] == ["5", "0", "1e-09", "4.99371"]
    assert Scale(0, 10).ticks() == [0, 2.5, 5.0, 7.5, 10.0]


def test_a_long_column_shows_means_and_extents_and_each_value_of_a_short_one(tmp_path):
    export = tmp_path / "export.csv"
    rows = pl.DataFrame({"serial": [f"S{n % 90}" for n in range(20_000)], "vout_v": [4.99, 5.01] * 10_000})
    rows.write_csv(export)
    page = report_of(tmp_path, export)
    assert 'class="extent inside"' in page
    assert "Each mark is the mean of neighbouring rows" in page
    assert 'class="extent' not in report_of(tmp_path, RETEST)


def test_a_bound_that_a_logarithmic_axis_cannot_hold_is_not_drawn():
    scale = scale_for([1e-3, 10.0], [])
    assert scale.log
    assert not scale.shows(-0.3)
    assert scale.shows(1.0)


def test_a_store_has_a_report_too(cli, tmp_path):
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / RETEST.name).write_bytes(RETEST.read_bytes())
    store, path = tmp_path / "store.duckdb", tmp_path / "r.html"
    assert cli("ingest", tmp_path / "inbox", "--db", store, "--board", BOARD, "--settle", 0).exit_code == 0
    done = cli("--from", store, "-c", "con.sql('select count(*) from retest').fetchone()", "--report", path)
    assert done.exit_code == 0, done.stderr
    said = " ".join(words(path.read_text(encoding="utf-8")).split())
    assert "From the store store.duckdb." in said
    assert "value_v [VOUT] after correction" in said or "value_v [VOUT], in V" in said
    assert "[18]" in said
