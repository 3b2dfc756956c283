"""The report in a real browser: Chromium sees no error, asks for nothing, and axe-core finds nothing to mend.

It needs `chromium` (Debian's package), and for accessibility axe-core's file (`AXE_CORE` names it); without them the
tests are skipped and say so. `.ci/run` fetches both.
"""

from __future__ import annotations

import html
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

import bench

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = os.environ.get("AXE_CORE")
BOARD = ROOT / "fixtures" / "srb5030.toml"
RETEST = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
RUN_AXE = """
document.querySelectorAll("details").forEach(found => { found.open = true; });
axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(found => {
  const told = document.createElement("pre");
  told.id = "axe";
  told.textContent = JSON.stringify(found.violations);
  document.body.append(told);
});
"""
CHART = (
    "chart({'title': 'Rail', 'data': {'values': [{'x': 1, 'y': 2}]}, 'mark': 'point', 'encoding': "
    "{'x': {'field': 'x', 'type': 'quantitative'}, 'y': {'field': 'y', 'type': 'quantitative'}}}); print('done')"
)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (apt-get install chromium)")
needs_axe = pytest.mark.skipif(
    AXE is None, reason="AXE_CORE does not name axe.min.js (npm pack axe-core has package/axe.min.js)"
)


def browse(page, *options, width=1280):
    """Open a page; return its document after it has settled, and what the browser logged of its console."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"]
    flags += [f"--window-size={width},900", "--virtual-time-budget=10000", f"--user-data-dir={page.parent / 'profile'}"]
    command = [CHROMIUM, *flags, *options, "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    with bench.analyze(RETEST, board=BOARD) as analysis:
        run = analysis.run(CHART)
        answer = analysis.ask(
            "Do the retested boards pass?", model=f"scripted:{ROOT / 'fixtures' / 'scripted_answer.jsonl'}"
        )
        analysis.report(path, runs=[run], answer=answer)
    return path


@needs_chromium
def test_a_browser_has_nothing_to_say_and_nothing_to_fetch(report, tmp_path):
    log = tmp_path / "net.json"
    _, console = browse(report, f"--log-net-log={log}", "--disable-background-networking", "--no-first-run")
    assert console == []
    asked = set(re.findall(r'"(https?://[^"]+)"', log.read_text(encoding="utf-8", errors="replace")))
    # What Chromium asks its own maker for is not the page's; the page is a file and has no address to ask for.
    assert not {address for address in asked if "google" not in address and "gvt1" not in address}


@needs_chromium
@needs_axe
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_to_mend(report, width, colours):
    page = report.with_name(f"axe-{width}-{colours}.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", report.read_text(encoding="utf-8"))
    axe = Path(AXE).read_text(encoding="utf-8")
    page.write_text(f"{text}<script>{axe}</script><script>{RUN_AXE}</script>", encoding="utf-8")
    dark = ["--blink-settings=preferredColorScheme=0"] if colours == "dark" else []
    document, _ = browse(page, *dark, width=width)
    (told,) = re.findall(r'<pre id="axe">(.*?)</pre>', document, re.DOTALL)
    violations = json.loads(html.unescape(told))
    assert [(found["id"], [node["html"][:200] for node in found["nodes"]][:3]) for found in violations] == []


@pytest.fixture
def listener():
    """A server that counts who asks it for anything."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@needs_chromium
@pytest.mark.parametrize("policy", ["kept", "removed"])
def test_a_hostile_export_does_nothing(tmp_path, listener, policy):
    """Escapes alone must hold: with the page's policy taken away nothing happens either."""
    address, asked = listener
    attacks = [
        f"<script>fetch('{address}/script')</script>",
        f'"><img src="{address}/image" onerror="document.title=1">',
        f"</style></title><svg onload=\"document.title=1\"><use href='{address}/use'/></svg>",
        f"'><iframe src={address}/frame></iframe>",
        f"url({address}/css)",
        "\u202eright to left\u2066",
        "x" * 30_000,
    ]
    export = tmp_path / f"{attacks[0][:20]}.csv".replace("/", "_")
    quoted = ['"' + attack.replace('"', '""') + '"' for attack in attacks]
    rows = [["serial", "fixture", "vout_v", *quoted]]
    rows += [[quoted[n % 7], quoted[n % 3], str(4990 + n) if n else "OL", *quoted] for n in range(9)]
    export.write_text("\n".join(map(",".join, rows)) + "\n" + ",".join(quoted * 3) + "\n", encoding="utf-8")
    path = tmp_path / "report.html"
    with bench.analyze(export, board=BOARD) as analysis:
        spec = {"title": attacks[1], "data": {"url": f"{address}/chart"}, "mark": "point"}
        snippets = [f"print({attacks[1]!r}); {{{attacks[0]!r}: {attacks[2]!r}}}", f"raise ValueError({attacks[0]!r})",
                    f"open('/out/x.svg', 'w').write({SVG.format(address)!r})", f"chart({spec!r})"]  # fmt: skip
        runs = [analysis.run(snippet) for snippet in snippets]
        assert [run.status for run in runs] == ["ok", "error", "ok", "ok"]
        analysis.report(path, runs=runs)
    page = path.read_text(encoding="utf-8")
    if policy == "removed":
        path.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page), encoding="utf-8")
    document, console = browse(path)
    assert asked == []
    assert console == []
    assert "<script" not in document
    assert "<iframe" not in document
    assert re.search(r"<title>bench-analyze: ", document)


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.document.title=1">'
    '<script>fetch("{0}/svg")</script><image href="{0}/inner" width="9" height="9"/></svg>'
)
