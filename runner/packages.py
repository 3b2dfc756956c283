"""Wheels in the image: pure Python ones, and those that were built for Pyodide (`pyemscripten`).

`pip download` resolves and fetches them with the sandbox's tags: it knows the index, honours pip's configuration and
checks the index's hashes. What it brought is checked again here, because Pyodide checks nothing: the tags, the
archive's own checksums, and that the name inside is the name outside. In the sandbox a wheel is unpacked when it is
first imported, so that a snippet which does not use it pays nothing.

A name that is nearly a well-known one is refused: it is what those hope for who publish look-alikes.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from runner.building import build, install_image, locked, silent
from runner.distribution import mirror, public
from runner.errors import ImageError
from runner.image import MANIFEST, PACKAGES, Image, Package, Progress, find_image, listed_packages, root_of, sha256_of
from runner.policy import Launch
from runner.process import run_to_end

WHEELS = "wheels"
PLATFORM = "pyemscripten_2026_0_wasm32"
PYTHON = "3.14"
_NEAR = 0.8  # difflib's ratio: one letter of five, two of six swapped
_KNOWN = frozenset(
    """altair attrs bokeh contourpy cycler duckdb fonttools jinja2 kiwisolver lmfit matplotlib mpmath narwhals networkx
    numpy openpyxl packaging pandas pandera pillow pint plotly polars pyarrow pydantic pydantic-core pyparsing pytest
    python-dateutil pytz pyyaml requests rich scikit-learn scipy seaborn setuptools shapely six statsmodels sympy
    tabulate typing-extensions uncertainties xarray""".split()
)
_TAGS = ["--python-version", PYTHON, "--implementation", "cp", "--abi", "cp314", "--abi", "abi3", "--abi", "none"]


def add_packages(
    names: Sequence[str],
    cache: Path | None = None,
    *,
    source: str | None = None,
    exactly: bool = False,
    progress: Progress | None = None,
) -> Image:
    """Put packages, and what they need, into the image; return the new one. The old one stays beside it.

    names: requirements ("pint", "pint==0.25"), or paths of wheels. source: a folder of wheels, an index's address, or
    that of a mirror of Pyodide's distribution, asked instead of pip's index and the public distribution. exactly: the
    names are meant as they are, look-alikes or not.

    Raises:
        ImageError: a name is no requirement or a look-alike, there is no fitting wheel, or one is not what it claims.
    """
    report = progress or silent
    wanted = [_wheel(name) if name.endswith(".whl") else _requirement(name, exactly) for name in names]
    base = find_image(cache) or install_image(cache, progress=progress)
    before = json.loads((base.path / PACKAGES).read_text())["requested"]
    requested = _merged(before, wanted)

    def fill(folder: Path, report: Progress) -> None:
        _link_parts(base, folder)
        report("Fetching packages", 0, 1)
        wheels = folder / WHEELS
        wheels.mkdir(exist_ok=True)
        _download(requested, wheels, base, source)
        report("Fetching packages", 1, 1)
        _check_listed_hashes(wheels, source)
        packages = [_inspected(path) for path in sorted(wheels.glob("*.whl"))]
        _write_list(folder, [_as_name(each) for each in requested], packages)

    root = root_of(cache)
    with locked(root):
        return build(root, fill, report, base=base)


def check_wheels(folder: Path, where: Path) -> None:
    """Compare the wheels in a folder with its list of packages.

    Raises:
        ImageError: one is missing, is not listed, or differs.
    """
    try:
        listed = listed_packages(folder)
        found = {path.name: path for path in (folder / WHEELS).glob("*")} if (folder / WHEELS).is_dir() else {}
        for each in listed:
            if sha256_of(found.pop(each.file)) != each.sha256:
                raise _refused(each.file, f"its SHA-256 is not the one in {where}")
    except (OSError, ValueError, KeyError, TypeError):
        raise ImageError(f"{where} does not hold the packages that it lists", hint="make it again") from None
    if found:
        raise _refused(min(found), f"{where} does not list it")
    for path in sorted((folder / WHEELS).glob("*.whl")):
        _inspected(path)


def _requirement(text: str, exactly: bool) -> str:
    try:
        found = Requirement(text)
    except InvalidRequirement as error:
        raise ImageError(
            f"{text!r} names no package ({str(error).splitlines()[0]})",
            hint="give a name such as pint, or a wheel's path",
        ) from None
    name = canonicalize_name(found.name)
    near = [] if exactly or name in _KNOWN else difflib.get_close_matches(name, sorted(_KNOWN), 1, _NEAR)
    if near:
        raise ImageError(
            f"{found.name} is not added: its name is close to {near[0]}, and look-alikes are how bad packages spread",
            hint=f"bench-analyze sandbox add {near[0]}; or add --exactly if {found.name} is meant",
        )
    return str(found)


def _wheel(path: str) -> str:
    if not Path(path).is_file():
        raise ImageError(f"there is no wheel {path}", hint="name a file that ends with .whl, or a package")
    check_tags(Path(path).name)
    return str(Path(path).absolute())


def _as_name(wanted: str) -> str:
    return str(parse_wheel_filename(Path(wanted).name)[0]) if wanted.endswith(".whl") else wanted


def _merged(before: Sequence[str], wanted: Sequence[str]) -> list[str]:
    by_name = {Requirement(_as_name(each)).name.lower(): each for each in (*before, *wanted)}
    return sorted(by_name.values())


def check_tags(file: str) -> None:
    """Raise `ImageError` for a wheel that the sandbox's interpreter cannot use; the message says what it is for."""
    try:
        _, _, _, tags = parse_wheel_filename(file)
    except InvalidWheelFilename as error:
        raise _refused(file, f"it is not named as a wheel ({error})") from None
    for tag in tags:
        if tag.platform == "any" and (tag.interpreter == "cp314" or re.fullmatch(r"py3\d*", tag.interpreter)):
            return
        if tag.platform == PLATFORM and (tag.interpreter in ("cp314", "py3") or tag.abi == "abi3"):
            return
    told = ", ".join(sorted(map(str, tags)))
    raise _refused(file, f"it is for {told}, the sandbox is Python {PYTHON} on {PLATFORM} (or any)")


def _refused(file: str, why: str) -> ImageError:
    return ImageError(f"the wheel {file} is refused: {why}", hint="take another build of it")


def _link_parts(base: Image, folder: Path) -> None:
    for path in base.path.rglob("*"):
        name = path.relative_to(base.path)
        if path.is_dir() or name.parts[0] in (WHEELS, "warm", PACKAGES, MANIFEST):
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, target)
        except OSError:  # another file system, or one without links
            shutil.copyfile(path, target)


def _download(requested: Sequence[str], wheels: Path, base: Image, source: str | None) -> None:
    """Fetch what was requested by pip; what the index has not, the distribution may have."""
    there = ["--find-links", str(base.path / WHEELS)] if (base.path / WHEELS).is_dir() else []
    with tempfile.TemporaryDirectory(prefix="bench-analyze-") as extra:
        found = mirror(source) if source is not None and "://" in source else None
        if found is not None:
            for each in requested:
                if not each.endswith(".whl"):
                    found.fetch(Requirement(each).name, Path(extra))
        where = ["--no-index"] if found is not None else _places(source)
        asked: set[str] = set()
        while text := _pip(requested, wheels, [*there, "--find-links", extra, *where], is_alone=bool(where)):
            missing = re.search(r"No matching distribution found for ([A-Za-z0-9._-]+)", text)
            if missing is None or source is not None or missing[1] in asked or not _from_public(missing[1], extra):
                raise _not_fetched(text, requested)
            asked.add(missing[1])


def _from_public(name: str, folder: str) -> bool:
    """Fetch a package from the public distribution; return whether it is there."""
    try:
        return public().fetch(name, Path(folder))
    except ImageError as error:
        raise ImageError(
            f"there is no wheel of {name} on the index that fits, and Pyodide's distribution: {error.message}",
            hint=error.hint,
        ) from None


def _places(source: str | None) -> list[str]:
    if source is None:
        return []
    if Path(source).is_dir():
        return ["--no-index", "--find-links", str(Path(source).absolute())]
    if "://" in source:
        return ["--index-url", source]
    raise ImageError(
        f"there is no folder {source}", hint="give --from a folder of wheels, an index's address, or a mirror's"
    )


def _pip(requested: Sequence[str], wheels: Path, where: Sequence[str], *, is_alone: bool) -> str:
    """Run pip; return nothing when it succeeded, else what it said. `is_alone`: its own configuration is not asked."""
    command = [sys.executable, "-m", "pip", "download", "--only-binary=:all:", "--disable-pip-version-check", *_TAGS]
    command += ["--platform", PLATFORM, "--platform", "any", "--dest", str(wheels), *where, "--", *requested]
    alone = (("PIP_NO_INPUT", "1"), *((("PIP_CONFIG_FILE", os.devnull), ("PIP_FIND_LINKS", "")) if is_alone else ()))
    code, output, complaint = run_to_end(Launch(tuple(command), alone, wheels), inherit_environment=True)
    return "" if code == 0 else output.decode(errors="replace") + complaint or "pip failed"


def _not_fetched(text: str, requested: Sequence[str]) -> ImageError:
    names = ", ".join(_as_name(each) for each in requested)
    if "No module named pip" in text:
        return ImageError("pip is not in this environment, and it fetches packages", hint="python -m ensurepip")
    if "DO NOT MATCH THE HASHES" in text:
        found = re.search(r"Expected sha256 (\w+).*?Got\s+(\w+)", text, re.DOTALL)
        told = f": SHA-256 {found[2][:12]}... instead of {found[1][:12]}..." if found else ""
        return ImageError(f"{names}: a wheel is not the one that the index lists{told}", hint="try another mirror")
    if found := re.search(r"No matching distribution found for (\S+)", text):
        return ImageError(
            f"there is no wheel of {found[1]} that is pure Python or built for {PLATFORM} (Python {PYTHON})",
            hint="give --from a folder or mirror that has one (Pyodide's distribution has numpy, pandas ...)",
        )
    errors = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR")]
    last = errors or text.strip().splitlines() or ["no reason given"]
    return ImageError(f"{names} cannot be fetched: {last[-1][:300]}", hint="check the network or pip's index setting")


def _check_listed_hashes(wheels: Path, source: str | None) -> None:
    """A folder may say what its wheels must be: `pyodide-lock.json` as Pyodide's distribution has it, or SHA256SUMS."""
    folder = Path(source) if source is not None else None
    if folder is None or not folder.is_dir():
        return
    listed: dict[str, str] = {}
    if (lock := folder / "pyodide-lock.json").is_file():
        entries = json.loads(lock.read_text())["packages"].values()
        listed |= {entry["file_name"]: entry["sha256"] for entry in entries}
    if (sums := folder / "SHA256SUMS").is_file():
        pairs = (line.split(maxsplit=1) for line in sums.read_text().splitlines() if line.strip())
        listed |= {name.lstrip("*").strip(): value for value, name in pairs}
    for path in wheels.glob("*.whl"):
        if path.name in listed and sha256_of(path) != listed[path.name].lower():
            raise _refused(path.name, f"its SHA-256 is not the one that {folder} lists")


def _inspected(path: Path) -> Package:
    check_tags(path.name)
    name, version, _, _ = parse_wheel_filename(path.name)
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
            members = archive.namelist()
            (about,) = [each for each in members if re.fullmatch(r"[^/]+\.dist-info/METADATA", each)]
            told = Parser().parsestr(archive.read(about).decode("utf-8", "replace"))
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise _refused(path.name, f"it is no whole wheel ({error})") from None
    if broken:
        raise _refused(path.name, f"{broken} in it is damaged")
    if canonicalize_name(told["Name"] or "") != name or told["Version"] != str(version):
        raise _refused(path.name, f"inside it says {told['Name']} {told['Version']}")
    if any(each.startswith(("/", "\\")) or ".." in each.split("/") for each in members):
        raise _refused(path.name, "a file in it would land outside its folder")
    return Package(str(name), str(version), path.name, sha256_of(path), _modules(members))


def _modules(members: Sequence[str]) -> tuple[str, ...]:
    found = set()
    for each in members:
        parts = re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", each).split("/")
        if parts[0].endswith((".dist-info", ".data", ".libs")):
            continue
        if len(parts) > 1 or parts[0].endswith((".py", ".so")):
            found.add(parts[0].partition(".")[0])
    return tuple(sorted(found))


def _write_list(folder: Path, requested: Sequence[str], packages: Sequence[Package]) -> None:
    entries = [
        {"name": p.name, "version": p.version, "file": p.file, "sha256": p.sha256, "modules": list(p.modules)}
        for p in packages
    ]
    (folder / PACKAGES).write_text(json.dumps({"requested": list(requested), "packages": entries}, indent=1))
