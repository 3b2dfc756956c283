"""What a person sees: width and colour on a terminal only, quiet and verbose, completion, help with examples."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli.app import app
from bench.cli.progress import note, progress_bar
from bench.render.screen import on_screen

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
fcntl = pytest.importorskip("fcntl", reason="this system has no pseudo-terminals")
termios = pytest.importorskip("termios", reason="this system has no pseudo-terminals")

ROOT = Path(__file__).parents[2]
RETEST = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
KELVIN = ROOT / "fixtures" / "kelvin" / "thermal-2026-10-29.csv"
BOARD = ROOT / "fixtures" / "srb5030.toml"


@pytest.fixture
def terminal(tmp_path):
    """Run `bench-analyze` with stdout on a pseudo-terminal of some width; return what it shows."""

    def run(*arguments, columns=80, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        there = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
        there |= {"PYTHONPATH": str(ROOT), "BENCH_ANALYZE_DATA": str(tmp_path), "TERM": "xterm-256color", **environment}
        command = [sys.executable, "-m", "bench", *map(str, arguments)]
        with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=there) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    data = os.read(ours, 65_536)
                except OSError:  # how Linux says that the other end is closed
                    break
                if not data:
                    break
                shown += data
            process.wait()
        os.close(ours)
        return shown.decode().replace("\r\n", "\n")

    return run


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_lines_fit_the_terminal_and_the_refused_column_has_colour(terminal, columns):
    shown = terminal(KELVIN, "--board", BOARD, columns=columns)
    assert max(map(len, plain(shown).splitlines())) <= columns
    assert "\x1b[1;31mtcase_c:\x1b[0m" in shown
    assert "\x1b" not in shown.split("tcase_c")[0].rsplit("\n", 1)[0]
    assert "the values are withheld. Proposal: the values are K." in " ".join(plain(shown).split())


def test_a_files_name_steers_no_progress_bar():
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stderr, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        with progress_bar(color=False) as progress:
            progress("Checking \x1b]0;title\x07[bold]x", 0, 2)
        note("waits for \x1b[2Jstore\nbench-analyze: approved")
    shown = b""
    while b"waits" not in shown or not shown.endswith(b"\n"):
        shown += os.read(ours, 65_536)
    os.close(ours)
    assert b"Checking \\x1b]0;title\\x07[bold]x" in shown
    assert b"waits for \\x1b[2Jstore\\nbench-analyze: approved" in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_welcome(terminal, environment):
    assert "\x1b" not in terminal(RETEST, "--board", BOARD, **environment)


def test_redirected_text_is_one_line_a_column_and_nothing_but_results(cli):
    done = cli(RETEST, "--board", BOARD, "-c", "1")
    assert "\x1b" not in done.said
    assert (
        sum(line.startswith("  value_v: ") and line.endswith("Divided by 1000.") for line in done.stdout.splitlines())
        == 1
    )
    assert "receipt:" not in done.stdout
    assert "receipt:" in done.stderr


def test_quiet_leaves_out_what_stayed_as_it_was(cli):
    done = cli(RETEST, "--board", BOARD, "-c", "1", "--quiet")
    assert "value_v: header says V" in done.stdout
    assert "serial" not in done.stdout
    assert "value: 1" in done.stdout
    assert done.stderr == ""
    refused = cli(KELVIN, "--board", BOARD, "-q")
    assert refused.exit_code == 3
    assert "vout_v" not in refused.stdout
    assert "refused: thermal.tcase_c" in refused.stderr


def test_verbose_shows_every_witness_and_what_held_the_run(cli):
    done = cli(RETEST, "--board", BOARD, "-c", "1", "-v")
    assert "retest.value_v [VOUT]: corrected by rule e" in done.stdout
    assert re.search(r"run 1: \d+\.\d\d s; layers deno.*; image \w+; limits wall_time_s 10", done.stderr)
    both = cli(RETEST, "-q", "-v")
    assert both.exit_code == 2
    assert "--quiet and --verbose were both given" in both.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(cli, shell):
    done = cli("completion", shell)
    assert done.exit_code == 0
    assert "ingest" in done.stdout
    assert "explain" in done.stdout
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True, timeout=30)


@pytest.mark.parametrize("command", [name for name in app if not name.startswith("-")])
def test_help_of_each_command_has_examples(here, command, capsys):
    done = here(command, "--help")
    assert done.exit_code == 0
    assert "Examples:" in done.stdout
    assert re.search(rf"^ +bench-analyze {command}", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x.csv", "--bord", "b.toml"], "Did you mean --board?"),
        (["x.csv", "--reprot", "r.html"], "Did you mean --report?"),
        (["ingset", "inbox"], "bench-analyze ingest --help"),
        (["completion", "tcsh"], "bash"),
    ],
)
def test_misspelt_words_are_answered_with_the_right_ones(here, arguments, said):
    done = here(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_code_and_values_are_not_broken():
    code = "```python\n" + "x = " + "1 + " * 60 + "1\n```"
    value = "value: " + "[1, 2, 3], " * 30
    assert on_screen(f"{code}\n{value}", [], width=80, color=False) == f"{code}\n{value}"


def test_a_broken_line_hangs_below_its_name():
    shown = on_screen("  vout_v: " + "word " * 30, [("  vout_v:", "refused")], width=40, color=False)
    first, *others = shown.split("\n")
    assert first.startswith("  vout_v: word")
    assert all(line.startswith("    word") for line in others)
