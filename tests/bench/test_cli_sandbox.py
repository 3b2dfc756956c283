"""The sandbox commands: packages and packs, and a receipt that outlives both."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]


def wheel(folder: Path) -> Path:
    path = folder / "ripple-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ripple.py", "PEAK = 42\n")
        archive.writestr("ripple-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: ripple\nVersion: 1.0\n")
        archive.writestr("ripple-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("ripple-1.0.dist-info/RECORD", "")
    return path


def test_a_package_a_pack_and_receipts_from_before_and_after(cli: Cli, export: Path, tmp_path: Path) -> None:
    assert cli("sandbox", "install").exit_code == 0
    assert cli("sandbox", "pack", "base.pack").exit_code == 0
    own = {"BENCH_ANALYZE_CACHE": str(tmp_path / "cache"), "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9"}
    base = cli("sandbox", "install", "--from", "base.pack", "--json", environment=own).document
    cli(export, "-c", "1 + 1", "--receipt", "before.json", environment=own)
    added = cli("sandbox", "add", wheel(tmp_path), "--from", tmp_path, "--json", environment=own).document
    assert [package["name"] for package in added["packages"]] == ["ripple"]
    assert added["image"] != base["image"]
    told = cli("sandbox", "verify", environment=own).stdout
    assert "ripple 1.0: import ripple" in told
    used = cli(export, "-c", "import ripple\nripple.PEAK", "--json", "--receipt", "after.json", environment=own)
    assert used.document["runs"][0]["value"] == 42, used.said
    for name in ("before.json", "after.json"):  # each with the image that it was made with
        replayed = cli("replay", name, "--json", environment=own)
        assert (replayed.exit_code, replayed.document["circumstances"]) == (0, []), replayed.said
