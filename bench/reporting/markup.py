"""HTML and SVG that cannot be broken out of: every text is escaped where it enters, and only `Markup` is left as it is.

What came from an export, a profile or a snippet is text, whatever it looks like: control characters and the marks that
reorder text are spelled out, a lone surrogate too, and what is very long is cut with a word on how much is missing.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from bench.render.terminal import printable

LONGEST = 20_000
_VOID = frozenset({"meta", "br", "img", "hr", "path", "rect", "line"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = object  # Markup stays; None is nothing; iterables are joined; everything else is text


def text(value: object, longest: int = LONGEST) -> Markup:
    """Return any value as escaped text."""
    found = str(value)
    if len(found) > longest:
        found = f"{found[:longest]} … ({len(found) - longest:,} characters more)"
    found = printable(found).encode("utf-8", "backslashreplace").decode()
    return Markup(html.escape(found, quote=True))


def _quoted(value: object) -> str:
    return value if isinstance(value, Markup) else text(value)


def joined(children: Iterable[Child], between: str = "") -> Markup:
    """Return the children one after the other."""
    return Markup(between.join(_child(child) for child in children))


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """Return one element. `class_` is class, `aria_label` aria-label; an attribute that is None or False is left out,
    one that is True stands without a value, and `Markup` is left as it is."""
    parts = [f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{_quoted(value)}"'
             for key, value in attributes.items() if value is not None and value is not False]  # fmt: skip
    if name in _VOID:
        return Markup(f"<{name}{''.join(parts)}/>")
    return Markup(f"<{name}{''.join(parts)}>{joined(children)}</{name}>")


def table(caption: Child, head: Iterable[Child], rows: Iterable[Iterable[Child]], **attributes: object) -> Markup:
    """Return a table; the first cell of each row is its header. It scrolls sideways by itself, also by the keyboard."""
    heads = tag("tr", (tag("th", cell, scope="col") for cell in head))
    body = (
        tag("tr", (tag("td", cell) if number else tag("th", cell, scope="row") for number, cell in enumerate(row)))
        for row in rows
    )
    inner = tag("table", tag("caption", caption), tag("thead", heads), tag("tbody", body), **attributes)
    return tag("div", inner, class_="scroll", tabindex=0, role="group", aria_label=_plain(caption))


def definitions(pairs: Iterable[tuple[Child, Child]]) -> Markup:
    """Return names with what they are; a pair whose second part is None or empty is left out."""
    return tag("dl", (tag("div", tag("dt", name), tag("dd", what)) for name, what in pairs if what not in (None, "")))


def code(body: object, label: str) -> Markup:
    """Return a block of code or output as it stands."""
    inner = body if isinstance(body, Markup) else text(str(body).rstrip("\n"))
    return tag("pre", tag("code", inner), tabindex=0, role="group", aria_label=label)


def details(summary: Child, *children: Child) -> Markup:
    """Return what opens when asked."""
    return tag("details", tag("summary", summary), *children)


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return text(child)
    if isinstance(child, Iterable) and not isinstance(child, bytes):
        return joined(child)
    return text(child)


def _plain(caption: Child) -> str:
    return str(caption) if not isinstance(caption, Markup) else "table"
