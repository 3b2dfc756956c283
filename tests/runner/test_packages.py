"""Packages in the image: what fits is importable without a network, and what does not is refused with its reason."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import runner.distribution
from runner import Image, ImageError, Sandbox, find_image, verify_image
from runner.distribution import Distribution, public
from runner.image import sha256_of
from runner.packages import add_packages, check_tags
from runner.packing import install_packed, pack_image


@pytest.fixture
def cache(image: Image, tmp_path: Path) -> Path:
    """A cache of its own with the image, by links where the file system has them."""

    def link(source: str, target: str) -> str:
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
        return target

    shutil.copytree(image.path, tmp_path / "cache" / "sandbox" / image.path.name, copy_function=link)
    return tmp_path / "cache"


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder with two wheels: `ripple` needs `spectrum`."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel(folder, "spectrum", "PEAK = 42\n")
    wheel(folder, "ripple", "import spectrum\nvalue = spectrum.PEAK / 2\n", requires="spectrum>=1")
    return folder


def wheel(
    folder: Path, name: str, code: str, *, tag: str = "py3-none-any", inside: str = "", requires: str = ""
) -> Path:
    path = folder / f"{name}-1.0-{tag}.whl"
    about = f"Metadata-Version: 2.1\nName: {inside or name}\nVersion: 1.0\n"
    about += f"Requires-Dist: {requires}\n" if requires else ""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", code)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", about)
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return path


def value(image: Image, code: str) -> object:
    with Sandbox(image=image) as sandbox:
        run = sandbox.run(code)
    assert run.status == "ok", run.error
    return run.value


def test_packages_of_a_folder_are_importable_and_change_the_id(image: Image, cache: Path, wheels: Path) -> None:
    made = add_packages(["ripple"], cache, source=str(wheels))
    assert [(each.name, each.version, each.modules) for each in made.packages] == [
        ("ripple", "1.0", ("ripple",)), ("spectrum", "1.0", ("spectrum",)),
    ]  # fmt: skip
    assert made.id != image.id
    verify_image(made)
    code = "import ripple, importlib.metadata as m\n[ripple.value, m.version('ripple')]"
    assert value(made, code) == [21.0, "1.0"]
    assert find_image(cache) == made
    assert find_image(cache, image_id=image.id) is not None
    with Sandbox(image=made) as sandbox:
        told = [str(sandbox.run(f"import {name}").error) for name in ("nothing_of_ours", "yaml.nodes")]
    assert "not in this sandbox image. To add it: bench-analyze sandbox add nothing_of_ours" in told[0]
    assert "bench-analyze sandbox add pyyaml" in told[1]


def test_a_pack_carries_the_packages(cache: Path, wheels: Path, tmp_path: Path) -> None:
    made = add_packages(["ripple"], cache, source=str(wheels))
    pack_image(made, tmp_path / "with.pack")
    other = install_packed(tmp_path / "with.pack", tmp_path / "other")
    assert (other.id, other.packages) == (made.id, made.packages)
    assert value(other, "import ripple\nripple.value") == 21.0


def test_pint_and_a_compiled_wheel_come_from_the_index(cache: Path) -> None:
    made = add_packages(["pint", "pydantic"], cache)
    assert any("pyemscripten" in each.file for each in made.packages)
    code = """
import pint, pydantic
class Board(pydantic.BaseModel):
    vout: float
volts = pint.UnitRegistry().Quantity(Board(vout="4990").vout, "mV").to("V")
[volts.magnitude, str(volts.units)]
"""
    with Sandbox(image=made) as sandbox:
        for _ in range(2):  # the first import on a busy machine may take longer than a run may
            run = sandbox.run(code)
    assert run.value == [pytest.approx(4.99), "volt"], run.error


def refused(cache: Path, message: str, *names: str, source: Path | str | None = None) -> None:
    before = find_image(cache)
    with pytest.raises(ImageError, match=message):
        add_packages(names, cache, source=None if source is None else str(source))
    assert find_image(cache) == before
    assert not list((cache / "sandbox").glob(".building*"))


@pytest.mark.parametrize("tag", ["cp311-cp311-manylinux_2_28_x86_64", "cp313-cp313-pyodide_2025_0_wasm32"])
def test_a_wheel_for_another_python_is_refused(cache: Path, wheels: Path, tag: str) -> None:
    path = wheel(wheels, "scope", "", tag=tag)
    refused(cache, f"scope-1.0-{tag}.whl is refused: it is for {tag}, the sandbox is Python 3.14 on pyem", str(path))
    refused(cache, "there is no wheel of scope that is pure Python or built for pyemscripten", "scope", source=wheels)


@pytest.mark.parametrize("tag", ["py3-none-any", "py2.py3-none-any", "cp314-cp314-pyemscripten_2026_0_wasm32"])
def test_tags_that_fit(tag: str) -> None:
    check_tags(f"scope-1.0-{tag}.whl")


def test_a_wheel_that_is_not_what_a_folder_lists_is_refused(cache: Path, wheels: Path) -> None:
    (wheels / "SHA256SUMS").write_text(f"{'0' * 64}  spectrum-1.0-py3-none-any.whl\n")
    refused(cache, "spectrum-1.0-py3-none-any.whl is refused: its SHA-256 is not the one", "ripple", source=wheels)
    (wheels / "SHA256SUMS").unlink()
    entry = '{"packages": {"s": {"file_name": "spectrum-1.0-py3-none-any.whl", "sha256": "00"}}}'
    (wheels / "pyodide-lock.json").write_text(entry)
    refused(cache, "spectrum-1.0-py3-none-any.whl is refused: its SHA-256 is not the one", "ripple", source=wheels)


def test_a_wheel_that_is_not_what_an_index_lists_is_refused(cache: Path, wheels: Path, tmp_path: Path) -> None:
    page = tmp_path / "simple" / "spectrum" / "index.html"
    page.parent.mkdir(parents=True)
    path = wheels / "spectrum-1.0-py3-none-any.whl"
    page.write_text(f'<a href="{path.as_uri()}#sha256={"0" * 64}">{path.name}</a>')
    refused(cache, r"is not the one that the index lists: SHA-256 \w+", "spectrum", source=page.parents[1].as_uri())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    page.write_text(f'<a href="{path.as_uri()}#sha256={digest}">{path.name}</a>')
    assert add_packages(["spectrum"], cache, source=page.parents[1].as_uri()).packages[0].sha256 == digest


def test_a_wheel_that_is_damaged_or_says_another_name_inside_is_refused(cache: Path, wheels: Path) -> None:
    path = wheel(wheels, "meter", "READING = 'aaaaaaaaaaaaaaaa'\n")
    path.write_bytes(path.read_bytes().replace(b"aaaaaaaaaaaaaaaa", b"bbbbbbbbbbbbbbbb"))
    refused(cache, r"meter-1.0-py3-none-any.whl is refused: meter/__init__.py in it is damaged", "meter", source=wheels)
    path = wheel(wheels, "probe", "", inside="other")
    refused(cache, "probe", str(path))
    path.write_text("no zip")
    refused(cache, "probe", str(path))


@pytest.mark.parametrize(("name", "known"), [("pandsa", "pandas"), ("nunpy", "numpy"), ("matplotlibb", "matplotlib")])
def test_a_name_close_to_a_known_one_is_refused(cache: Path, name: str, known: str) -> None:
    refused(cache, f"{name} is not added: its name is close to {known}.*--exactly", name)


def test_names_and_places_that_cannot_be(cache: Path, tmp_path: Path) -> None:
    refused(cache, "'a b c' names no package", "a b c")
    refused(cache, "there is no wheel /none/x.whl", "/none/x.whl")
    refused(cache, "there is no folder /none", "pint", source="/none")


# ---- Pyodide's distribution, or a mirror of it
class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(wheels: Path) -> Iterator[str]:
    """A distribution on loopback: `ripple`, which needs `spectrum`."""
    entries = {
        path.name.split("-")[0]: {"file_name": path.name, "sha256": sha256_of(path), "depends": []}
        for path in wheels.glob("*.whl")
    }
    entries["ripple"]["depends"] = ["spectrum"]
    (wheels / "pyodide-lock.json").write_text(json.dumps({"info": {}, "packages": entries}))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(wheels)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_package_and_what_it_needs_come_from_a_mirror(cache: Path, served: str) -> None:
    made = add_packages(["ripple"], cache, source=served)
    assert [each.name for each in made.packages] == ["ripple", "spectrum"]
    with Sandbox(image=made) as sandbox:
        assert sandbox.run("import ripple\nripple.value").value == 21.0


def test_a_wheel_that_is_not_what_the_lock_lists_is_refused(cache: Path, wheels: Path, served: str) -> None:
    wheel(wheels, "spectrum", "PEAK = 43\n")
    with pytest.raises(ImageError, match=r"spectrum-1\.0-py3-none-any\.whl is not added: its SHA-256 is not the one"):
        add_packages(["ripple"], cache, source=served)


def test_a_name_that_the_mirror_has_not(cache: Path, served: str) -> None:
    with pytest.raises(ImageError, match=r"there is no wheel of filters that is pure Python or built for pyemscripten"):
        add_packages(["filters"], cache, source=served)


@pytest.mark.parametrize("text", ["not json", "[]", '{"packages": {"a": {}}}'])
def test_a_lock_that_is_none(cache: Path, wheels: Path, served: str, text: str) -> None:
    (wheels / "pyodide-lock.json").write_text(text)
    with pytest.raises(ImageError, match=r"pyodide-lock\.json is no lock of Pyodide's"):
        add_packages(["ripple"], cache, source=served)


def test_files_outside_the_distribution_are_not_asked_for(tmp_path: Path) -> None:
    evil = Distribution("http://127.0.0.1:9/", {"a": {"file_name": "../a.whl", "sha256": "0", "depends": []}})
    with pytest.raises(ImageError, match=r"lists the file '\.\./a\.whl'"):
        evil.fetch("a", tmp_path)


def test_what_the_index_has_not_comes_from_the_public_distribution_if_it_is_the_pinned_one(
    cache: Path,
    wheels: Path,
    served: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runner.distribution, "PUBLIC", served + "/")
    with pytest.raises(ImageError, match=r"is not the one that this version pins"):
        public()
    monkeypatch.setattr(runner.distribution, "_LOCK_SHA256", sha256_of(wheels / "pyodide-lock.json"))
    empty = wheels / "index"
    empty.mkdir()
    monkeypatch.setenv("PIP_INDEX_URL", f"{served}/index")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{served}/index")
    made = add_packages(["ripple"], cache)
    assert [each.name for each in made.packages] == ["ripple", "spectrum"]
    shutil.rmtree(empty)


def test_the_pinned_lock_is_that_of_the_image(image: Image) -> None:
    parts = json.loads((Path(runner.distribution.__file__).parent / "guest" / "parts.json").read_text())
    assert f"/v{parts['versions']['pyodide']}/" in runner.distribution.PUBLIC
