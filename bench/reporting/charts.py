"""What a snippet drew, as a picture that a page can hold.

A chart's specification comes from a model, and what a model writes is data: one that holds an expression (which the
drawing library would execute), an address (which it would fetch), or a generator of rows is not drawn; a chart's
numbers belong into its data, where the snippet can compute them. The library works in a process of its own, with an
empty environment, for a limited time. What comes out is an image to the page, never a part of it.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bench.reporting.markup import Markup, text
from runner.policy import Launch
from runner.process import run_to_end

if TYPE_CHECKING:
    from runner import Artifact

VEGA_LITE = "application/vnd.vegalite"
INSTALL = "pip install 'bench-analyze[report]'"
DRAW_S = 30.0
LARGEST_SPEC = 2_000_000
LARGEST_PICTURE = 500_000
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"})
_FORBIDDEN = {
    "url": "an address", "href": "an address", "expr": "an expression", "signal": "an expression",
    "calculate": "an expression", "labelExpr": "an expression", "update": "an expression", "sequence": "a generator",
    "graticule": "a generator", "sphere": "a generator", "usermeta": "settings of the drawing library",
    "signals": "an expression", "customFormatTypes": "a function of the drawing library",
}  # fmt: skip
_EXPRESSIONS = ("filter", "test", "on", "clear", "and", "or", "not")
_SIZES = ("width", "height", "steps", "maxbins", "tickCount")
_LARGEST_SIDE = 4_000
_DRAW = (
    "import sys, json\n"
    "try:\n"
    "    import resource\n"
    "    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))\n"
    "    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
    "except (ImportError, OSError, ValueError):\n"
    "    pass\n"
    "import vl_convert\n"
    "job = json.load(sys.stdin)\n"
    "svg = vl_convert.vegalite_to_svg(job['spec'], allowed_base_urls=[])\n"
    "sys.stdout.buffer.write(vl_convert.svg_to_png(svg, scale=2) if job['png'] else svg.encode())\n"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image with what it shows, or the reason why there is none."""

    media_type: str = ""
    data: bytes = b""
    title: str = ""
    problem: str = ""

    @property
    def address(self) -> Markup:
        """The image as an address that holds it."""
        return Markup(f"data:{text(self.media_type)};base64,{base64.b64encode(self.data).decode()}")


def is_picture(artifact: Artifact) -> bool:
    """Return whether an artifact is an image or a chart."""
    return artifact.media_type in _IMAGES or artifact.media_type.startswith(VEGA_LITE)


def picture(artifact: Artifact, *, png: bool = False) -> Picture:
    """Return an image or chart as a picture; `png`: a chart as PNG instead of SVG."""
    if not artifact.media_type.startswith(VEGA_LITE):
        return _bounded(Picture(artifact.media_type, artifact.data, artifact.name), artifact)
    try:
        spec = json.loads(artifact.data)
        problem = refusal(spec, len(artifact.data))
    except (ValueError, RecursionError):
        return Picture(problem=f"{artifact.name} is no JSON, or too deep")
    if problem:
        return Picture(problem=f"{artifact.name} is not drawn: {problem}")
    if find_spec("vl_convert") is None:
        return Picture(problem=f"{artifact.name} is not drawn: it needs {INSTALL}")
    title = _title(spec) or artifact.name
    job = json.dumps({"spec": spec, "png": png}).encode()
    launch = Launch((sys.executable, "-I", "-c", _DRAW), (), Path(tempfile.gettempdir()))
    code, drawn, told = run_to_end(launch, stdin=job, timeout_s=DRAW_S)
    if code != 0 or not drawn:
        lines = told.strip().splitlines() or [f"it took more than {DRAW_S:.0f} s, or too much memory"]
        return Picture(problem=f"{artifact.name} could not be drawn: {lines[-1][:300]}")
    return _bounded(Picture("image/png" if png else "image/svg+xml", drawn, title), artifact)


def _bounded(found: Picture, artifact: Artifact) -> Picture:
    if len(found.data) <= LARGEST_PICTURE:
        return found
    size = f"{len(found.data):,} bytes, and {LARGEST_PICTURE:,} are shown at most"
    return Picture(problem=f"{artifact.name} is not shown: it has {size}")


def refusal(spec: object, size: int) -> str:
    """Return why a specification is not drawn, empty where it may be."""
    if not isinstance(spec, dict):
        return "it is no object"
    if size > LARGEST_SPEC:
        return f"it has {size:,} bytes, and {LARGEST_SPEC:,} are drawn at most"
    return next(_refusals(spec, ""), "")


def _refusals(node: object, where: str) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _refusals(item, where)
    elif isinstance(node, dict):
        for key, value in node.items():
            path = f"{where}.{key}" if where else str(key)
            if isinstance(value, list) and _is_rows(path, where):
                continue  # what stands there is data, whatever it is called
            if key in _FORBIDDEN:
                yield f"{path} is {_FORBIDDEN[key]}; compute it in the snippet"
            elif key in _EXPRESSIONS and any(isinstance(each, str) for each in _each(value)):
                yield f"{path} is an expression; compute it in the snippet"
            elif key in _SIZES and _too_large(value):
                yield f"{path} is more than {_LARGEST_SIDE}"
            else:
                yield from _refusals(value, path)


def _each(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _is_rows(path: str, where: str) -> bool:
    """Rows are lists only: the drawing library takes an object there for an expression."""
    return f".{path}".endswith(".data.values") or f".{where}".endswith(".datasets")


def _too_large(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > _LARGEST_SIDE


def _title(spec: dict[str, object]) -> str:
    for found in (spec.get("description"), spec.get("title")):
        title = found.get("text") if isinstance(found, dict) else found
        if isinstance(title, str) and title.strip():
            return title[:300]
    return ""
