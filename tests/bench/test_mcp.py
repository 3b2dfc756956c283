"""`bench-analyze mcp` driven by the official client over real pipes."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
from mcp import Client, MCPError, StdioServerParameters

ROOT = Path(__file__).parents[2]
RETEST = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
KELVIN = ROOT / "fixtures" / "kelvin" / "thermal-2026-10-29.csv"
BOARD = ROOT / "fixtures" / "srb5030.toml"
TOOLS = {"list_tables", "describe_table", "guard_report", "run_snippet", "propose_unit"}
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


Connect = Callable[..., Any]


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Start a server for exports and connect to it."""

    @asynccontextmanager
    async def connected(*arguments: object) -> AsyncIterator[Client]:
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "BENCH_ANALYZE_CACHE") if name in os.environ}
        environment |= {"PYTHONPATH": str(ROOT), "BENCH_ANALYZE_DATA": str(tmp_path / "data")}
        command = ["-m", "bench", "mcp", *map(str, arguments)]
        async with Client(
            StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=tmp_path)
        ) as client:
            yield client

    return connected


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def test_tables_are_listed_and_described_with_units(connect: Connect) -> None:
    async with connect(RETEST, "--board", BOARD) as client:
        tools = await client.list_tools()
        assert {tool.name for tool in tools.tools} == TOOLS
        assert all(tool.description for tool in tools.tools)
        (table,) = (await client.call_tool("list_tables")).structured_content["tables"]
        assert (table["table"], table["rows"], table["outcome"]) == ("retest", 18, "corrected")
        found = (await client.call_tool("describe_table", {"table": "retest"})).structured_content
        (value,) = (column for column in found["columns"] if column["column"] == "value_v")
        assert (value["unit"], value["verdict"], value["values_were_in"], value["factor"]) == (
            "V", "corrected", "mV", 0.001,
        )  # fmt: skip
        assert found["limits"]["VOUT"] == {"lower": 4.95, "upper": 5.05, "unit": "V"}


async def test_the_guards_report_names_rules_and_evidence_and_quotes_no_cell(connect: Connect) -> None:
    async with connect(RETEST, KELVIN, "--board", BOARD) as client:
        answers = [text_of(await client.call_tool("guard_report")), text_of(await client.call_tool("list_tables"))]
        answers += [
            text_of(await client.call_tool("describe_table", {"table": name})) for name in ("retest", "thermal")
        ]
        answers += [(await client.read_resource("bench://ledger")).contents[0].text]
        judged = json.loads(answers[0])["tables"][0]["judged"][0]
        assert judged["rule"] == "e"
        assert "mV" in judged["evidence"]
        assert any("(hard)" in name for name in judged["evidence"]["mV"]["for"] + judged["evidence"]["V"]["against"])
    for path in (RETEST, KELVIN):
        header, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
        named = {"VOUT"}  # the profile names it
        cells = {cell for row in rows for cell in row if len(cell) > 3} - named - set(header)
        for answer in answers:
            assert not [cell for cell in cells if cell in answer]


async def test_a_snippet_runs_and_its_failure_is_an_answer(connect: Connect) -> None:
    async with connect(RETEST, "--board", BOARD) as client:
        code = "con.sql('select count(*) from retest where value_v between 4.95 and 5.05').fetchone()[0]"
        done = await client.call_tool("run_snippet", {"code": code})
        assert not done.is_error
        assert "value: 15" in text_of(done)
        failed = await client.call_tool("run_snippet", {"code": "1 / 0"})
        assert failed.is_error
        assert "ZeroDivisionError" in text_of(failed)
        told = json.loads((await client.read_resource("bench://receipts")).contents[0].text)
        assert [run["status"] for run in told["runs"]] == ["ok", "error"]
        assert Path(told["receipt"]).is_file()


async def test_a_chart_comes_as_an_image(connect: Connect) -> None:
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    encoding = "{'x': {'field': 'x', 'type': 'quantitative'}, 'y': {'field': 'y', 'type': 'quantitative'}}"
    code = f"chart({{'data': {{'values': [{{'x': 1, 'y': 2}}]}}, 'mark': 'point', 'encoding': {encoding}}})"
    async with connect(RETEST, "--board", BOARD) as client:
        done = await client.call_tool("run_snippet", {"code": code})
    (image,) = (part for part in done.content if part.type == "image")
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data).startswith(b"\x89PNG")


async def test_a_running_snippet_is_cancelled_and_the_next_one_runs(connect: Connect) -> None:
    heard = []
    async with connect(RETEST, "--board", BOARD, "--wall-time", 300) as client:
        await client.call_tool("run_snippet", {"code": "x = 1"})
        began = anyio.Event()

        async def progress(done: float, total: float | None, message: str | None) -> None:
            heard.append((done, total, message))
            if done >= 1:
                began.set()

        async with anyio.create_task_group() as group:

            async def endless() -> None:
                await client.call_tool("run_snippet", {"code": "while True: pass"}, progress_callback=progress)

            group.start_soon(endless)
            with anyio.fail_after(60):
                await began.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(60):
            done = await client.call_tool("run_snippet", {"code": "'x' in globals()"})
        assert not done.is_error
        assert "value: false" in text_of(done)
    assert heard[0][:2] == (0, 300)
    assert "of 300 s at most" in heard[0][2]


async def test_a_proposal_waits_for_a_person(connect: Connect, tmp_path: Path) -> None:
    async with connect(KELVIN, "--board", BOARD) as client:
        arguments = {"table": "thermal", "column": "tcase_c", "unit": "K", "why": "the logger's manual; $(touch x)"}
        made = (await client.call_tool("propose_unit", arguments)).structured_content
        assert made["status"] == "pending"
        assert made["command"].startswith(f"bench-analyze approve {KELVIN} --column tcase_c --unit K --why '")
        told = json.loads((await client.read_resource("bench://proposals")).contents[0].text)
        assert told == {"proposals": [made]}
        found = (await client.call_tool("describe_table", {"table": "thermal"})).structured_content
        (column,) = (column for column in found["columns"] if column["column"] == "tcase_c")
        assert column["verdict"] == "refused"
    assert not (tmp_path / "data" / "approvals.jsonl").exists()


HOSTILE = [
    ("describe_table", {"table": "retest'; drop table retest; --"}, "there is no table"),
    ("describe_table", {"table": "../../etc/passwd"}, "the tables are retest"),
    ("describe_table", {"table": ""}, "table is empty"),
    ("describe_table", {"table": "x" * 100_000}, "at most 400"),
    ("describe_table", {"table": {"a": 1}}, "valid string"),
    ("describe_table", {}, "Field required"),
    ("guard_report", {"table": "\u202e"}, "there is no table"),
    ("run_snippet", {"code": 7}, "valid string"),
    ("run_snippet", {"code": "x" * 300_000}, "at most 200000"),
    ("propose_unit", {"table": "retest", "column": "value_v", "unit": "parsec", "why": "w"}, "is no unit"),
    ("propose_unit", {"table": "retest", "column": "value", "unit": "mV", "why": "w"}, "did you mean value_v?"),
    ("propose_unit", {"table": "retest", "column": "serial", "unit": "mV", "why": "w"}, "does not judge this column"),
    ("propose_unit", {"table": "retest", "column": "value_v", "unit": "mV", "why": " "}, "why is empty"),
    ("propose_unit", {"table": "retest", "column": "value_v", "unit": "mV", "why": "w" * 501}, "at most 500"),
    ("approve", {"table": "retest"}, "Unknown tool"),
]


async def test_hostile_arguments_are_answered_with_what_there_is(connect: Connect) -> None:
    async with connect(RETEST, "--board", BOARD) as client:
        for tool, arguments, said in HOSTILE:
            done = await client.call_tool(tool, arguments)
            assert done.is_error, (tool, arguments)
            assert said in text_of(done), (tool, text_of(done)[:500])
            assert "Traceback" not in text_of(done)
        with pytest.raises(MCPError, match="nothing"):
            await client.read_resource("bench://nothing")
        assert not (await client.call_tool("list_tables")).is_error


async def test_the_profile_is_a_resource(connect: Connect) -> None:
    async with connect(RETEST, "--board", BOARD) as client:
        names = {str(found.uri) for found in (await client.list_resources()).resources}
        assert names == {"bench://profile", "bench://ledger", "bench://receipts", "bench://proposals"}
        assert "[nodes.VOUT]" in (await client.read_resource("bench://profile")).contents[0].text


async def test_a_large_result_is_cut(connect: Connect) -> None:
    async with connect(RETEST, "--board", BOARD) as client:
        done = await client.call_tool("run_snippet", {"code": "print('x' * 500_000); list(range(100_000))"})
    assert not done.is_error
    assert len(text_of(done)) < 10_000
    assert "more characters are not shown" in text_of(done)


def test_an_export_that_is_not_there_is_said_before_anything_is_served(cli: Any) -> None:
    done = cli("mcp", "nowhere.csv")
    assert done.exit_code == 2
    assert "nowhere.csv" in done.stderr
    assert done.stdout == ""


def test_a_store_is_served_too(cli: Any, tmp_path: Path) -> None:
    """Its exports are approved one by one, so a proposal says where."""
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / RETEST.name).write_bytes(RETEST.read_bytes())
    store = tmp_path / "store.duckdb"
    assert cli("ingest", inbox, "--db", store, "--board", BOARD, "--settle", 0).exit_code == 0

    async def ask() -> tuple[str, str]:
        environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "")}
        command = ["-m", "bench", "mcp", "--from", str(store)]
        async with Client(StdioServerParameters(command=sys.executable, args=command, env=environment)) as client:
            listed = await client.call_tool("list_tables")
            arguments = {"table": "retest", "column": "value_v", "unit": "mV", "why": "w"}
            return text_of(listed), text_of(await client.call_tool("propose_unit", arguments))

    listed, proposed = anyio.run(ask)
    assert '"rows":18' in listed.replace(" ", "").replace("\n", "")
    assert "open that export instead" in proposed
