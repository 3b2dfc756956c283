"""XML as a light tree that knows its lines. Entities of a document's own are refused: no report needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from bench.readers.formats import unreadable
from bench.source import Source


@dataclass(slots=True)
class Element:
    """An element. `tag` and the attributes' names are without namespace; `line` is 1-based."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the descendants with this tag, in document order."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.all(tag)

    def first(self, *path: str) -> Element | None:
        """Return the first child by tag, and its first child by the next tag, and so on."""
        found: Element | None = self
        for tag in path:
            found = next((child for child in found.children if child.tag == tag), None) if found is not None else None
        return found

    def value(self, *path: str) -> str | None:
        """Return the stripped text at a path, None if there is none."""
        found = self.first(*path)
        return (found.text.strip() or None) if found is not None else None


class _Entity(Exception):  # noqa: N818 - caught below
    pass


def parse(source: Source, content: bytes) -> Element:
    """Return the root element.

    Raises:
        ExportError: it is no well-formed XML; the message has the line.
    """
    parser = expat.ParserCreate()
    root = Element("", {}, 0)
    stack = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > 500:
            raise _Entity("elements are nested more than 500 deep")
        named = {name.rpartition(":")[2]: value for name, value in attributes.items()}
        element = Element(tag.rpartition(":")[2], named, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        stack[-1].text += data

    def entity(name: str, *_: object) -> None:
        raise _Entity(f"it declares an entity of its own, {name!r}")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        raise unreadable(source, "XML", expat.ErrorString(problem.code), line=problem.lineno) from problem
    except (_Entity, ValueError, LookupError) as problem:
        raise unreadable(source, "XML", problem, line=parser.CurrentLineNumber) from problem
    return root.children[0]
