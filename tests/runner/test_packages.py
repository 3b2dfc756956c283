"""Packages in the image: what fits is importable without a network, and what does not is refused with its reason."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from runner import Image, ImageError, Sandbox, find_image, verify_image
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
