"""The image: the same id anywhere, a message for every way in which it can fail, and nothing half-made."""

from __future__ import annotations

import io
import os
import random
import resource
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import zstandard

from runner import Image, ImageError, Sandbox, check_installed, find_image, image_status, install_image, verify_image
from runner.packing import install_packed, pack_image

ROOT = Path(__file__).parents[2]
INSTALL = """
import sys
from pathlib import Path
from runner import RunnerError
from runner.packing import install_packed
try:
    print(install_packed(Path(sys.argv[1]), Path(sys.argv[2])).id)
except RunnerError as error:
    print(error)
    sys.exit(5)
"""


@pytest.fixture(scope="module")
def pack(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pack") / "sandbox.pack"
    assert pack_image(image, file) == file.stat().st_size
    return file


@pytest.fixture
def cache(image: Image, tmp_path: Path) -> Path:
    """A cache of its own with a copy of the image."""
    folder = tmp_path / "cache" / "sandbox" / image.path.name
    shutil.copytree(image.path, folder, ignore=shutil.ignore_patterns("warm"))
    (folder.parent / f"{image.path.name.partition('-')[0]}.current").write_text(folder.name)
    return tmp_path / "cache"


def started(pack: Path, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INSTALL, str(pack), str(cache)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_a_pack_gives_the_same_image_on_another_machine_without_a_network(
    image: Image, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NPM_CONFIG_REGISTRY", "HTTPS_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    made = install_packed(pack.parent, tmp_path / "a longer place")
    assert made.id == image.id
    verify_image(made)
    assert (made.path / "snapshot.bin").read_bytes() == (image.path / "snapshot.bin").read_bytes()
    with Sandbox(image=made) as sandbox:
        run = sandbox.run("con.sql('select 6 * 7').fetchone()[0]")
    assert (run.value, run.image) == (42, image.id)


def test_the_same_image_gives_the_same_pack(image: Image, pack: Path, tmp_path: Path) -> None:
    pack_image(image, tmp_path / "again.pack")
    assert (tmp_path / "again.pack").read_bytes() == pack.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.pack"]


def hostile() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../../bad.sh"))
    return file.getvalue()


def _altered(pack: Path, alter: object) -> bytes:
    plain = zstandard.ZstdDecompressor().decompressobj().decompress(pack.read_bytes())
    return zstandard.ZstdCompressor(level=1).compress(alter(plain))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda data: data[: len(data) // 2], "is no whole pack"),
        (
            lambda data: data.replace(b"loadPyodide", b"loadPyodidE", 1),
            r"pyodide\.mjs in the pack .* is not the pinned",
        ),
        (lambda data: hostile(), r"holds '\.\./\.\./bad\.sh', which no image has"),
        (lambda data: b"", "is no whole pack|another version"),
    ],
    ids=["cut", "altered", "path", "empty"],
)
def test_a_pack_that_is_not_whole_is_refused_and_leaves_nothing(
    pack: Path, tmp_path: Path, alter: object, message: str
) -> None:
    (tmp_path / "bad.pack").write_bytes(_altered(pack, alter))
    with pytest.raises(ImageError, match=message):
        install_packed(tmp_path / "bad.pack", tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache" / "sandbox").iterdir()] == [".lock"]


def test_what_is_no_pack_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.pack").write_text("hello")
    with pytest.raises(ImageError, match=r"x\.pack is no whole pack"):
        install_packed(tmp_path / "x.pack", tmp_path / "cache")
    with pytest.raises(ImageError, match=r"there is no pack .*none"):
        install_packed(tmp_path / "none", tmp_path / "cache")
    with pytest.raises(ImageError, match=r"holds 0 packs \(\*\.pack\), expected one"):
        install_packed(tmp_path / "cache", tmp_path / "cache")


def test_a_damaged_image_names_the_file(cache: Path) -> None:
    image = check_installed(cache)
    path = image.path / "duckdb.mjs"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"x")
    with pytest.raises(ImageError, match=r"damaged: duckdb\.mjs is not what was installed\. .*install --force"):
        check_installed(cache)
    path.write_bytes(data[:-1])
    assert find_image(cache) is None
    with pytest.raises(ImageError, match=rf"damaged: duckdb\.mjs has {len(data) - 1} bytes instead of {len(data)}"):
        check_installed(cache)
    path.unlink()
    with pytest.raises(ImageError, match=r"damaged: duckdb\.mjs is missing"):
        check_installed(cache)
    (image.path / "manifest.json").write_text("{")
    with pytest.raises(ImageError, match=r"damaged: manifest\.json cannot be read"):
        check_installed(cache)


def test_no_image_and_no_network_says_both_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9")
    with pytest.raises(ImageError, match=r"parts cannot be fetched: .*sandbox pack FILE.*sandbox install --from FILE"):
        install_image(tmp_path)
    assert find_image(tmp_path) is None
    assert {path.name for path in (tmp_path / "sandbox").iterdir()} <= {".lock", ".fetched"}
    with pytest.raises(ImageError, match=r"the sandbox image is not installed\. bench-analyze sandbox install"):
        check_installed(tmp_path)


def test_a_cache_that_cannot_be_written_says_so() -> None:
    with pytest.raises(ImageError, match=r"cache folder /proc/cache/sandbox cannot be written: .*BENCH_ANALYZE_CACHE"):
        install_image(Path("/proc/cache"))


def test_a_full_disk_is_told_and_leaves_nothing(pack: Path, tmp_path: Path) -> None:
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({5 * 2**20}, {resource.RLIM_INFINITY}))\n"
    done = subprocess.run(
        [sys.executable, "-c", limit + INSTALL, str(pack), str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 5, done.stderr
    assert "the sandbox image cannot be written to" in done.stdout
    assert "free some space" in done.stdout
    assert [path.name for path in (tmp_path / "sandbox").iterdir()] == [".lock"]


def test_two_installations_at_once_make_one_whole_image(image: Image, pack: Path, tmp_path: Path) -> None:
    both = [started(pack, tmp_path) for _ in range(2)]
    assert [each.communicate(timeout=300)[0].strip() for each in both] == [image.id] * 2
    assert check_installed(tmp_path).id == image.id
    assert image_status(tmp_path).others == ()


def test_a_kill_at_any_moment_leaves_a_whole_image_or_none(image: Image, pack: Path, tmp_path: Path) -> None:
    chance = random.Random(2026)
    for _ in range(int(os.environ.get("INSTALL_KILLS", "3"))):
        process = started(pack, tmp_path)
        try:
            process.wait(timeout=chance.uniform(0.1, 4))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        found = find_image(tmp_path)
        if found is not None:
            verify_image(found)
            shutil.rmtree(tmp_path / "sandbox")
    assert install_packed(pack, tmp_path).id == image.id
    left = {path.name for path in (tmp_path / "sandbox").iterdir()}
    assert left == {".lock", image.path.name, f"{image.path.name}.current"}
