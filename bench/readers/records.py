"""The careful path: records that may be quoted, ragged, blank or broken, without a loop over rows.

The text goes through in blocks. Lines become a polars column; where quotes occur, each line's effect on the state
"inside quotes" is told by two patterns and composed down the column (the last line that fixes the state, and the
parity of the lines that flip it since). Records whose fields can be assigned are split; all others go to quarantine
with their text and a reason. A quote that never closes would swallow the rest of the file: its line is quarantined
and reading starts again behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

import polars as pl

from bench.export import LINE, QUARANTINE_SCHEMA, ROW, no_quarantine
from bench.readers import fields
from bench.readers.encoding import Text
from bench.readers.plain import Shape, prove, scan

_BLOCK_BYTES = 16 << 20
_LONGEST_RECORD_LINES = 1000
_LONGEST_RECORD_BYTES = 4 << 20
_MOST_RESTARTS = 10
REPEATED = "repeats the header"
RAGGED = "fields where the table has"
# A lone CR ends a line as well. Where it turns out to stand inside a quoted cell it is put back.
_LONE = "\uffff"
_TEXT, _RAW, _COUNT, _INSIDE = "\0text", "\0raw", "\0lines", "\0inside"


@dataclass(slots=True)
class Tally:
    """Where the lines went. All of them together are the lines from the first one read to the end of the file."""

    rows: int = 0
    quarantined: int = 0
    row_lines: int = 0
    quarantined_lines: int = 0
    blank_lines: int = 0
    comment_lines: int = 0
    trimmed_rows: int = 0
    headers: list[int] = field(default_factory=list)  # the lines of further headers, which are quarantined


@dataclass(slots=True)
class Piece:
    """What one block gave: kept rows (`_row`, `_line`, columns) and quarantined ones."""

    kept: pl.DataFrame
    quarantine: pl.DataFrame


@dataclass(slots=True)
class Careful:
    """Reads a text from byte `start`, the beginning of line `line`. `pieces` is to be consumed once, in order."""

    text: Text
    start: int
    line: int
    shape: Shape
    tally: Tally = field(default_factory=Tally)
    literal: bool = False  # quotes are plain characters: too many of them never closed
    cut: int = 0  # the number of a last line that has no end: what it lacks may have been lost

    def pieces(self, block_bytes: int = _BLOCK_BYTES) -> Iterator[Piece]:
        """Yield what each block holds."""
        carry, restarts = "", 0
        position, end = self.start, len(self.text.data)
        while position < end or carry:
            begin = position
            position = self._block_end(position, block_bytes)
            last = position >= end
            self.text.release()
            if not carry and (plain := self._plain_piece(begin, position)) is not None:
                yield plain
                continue
            lines = _lines(carry + bytes(self.text.data[begin:position]).decode("utf-8"))
            carry = ""
            while True:
                lines = self._inside(lines)
                broken = self._broken(lines, last=last)
                if broken is None:
                    break
                restarts += 1
                self.literal = self.literal or restarts > _MOST_RESTARTS
                if self.literal:
                    continue
                yield from self._emit(lines.head(broken))
                yield self._unclosed(lines.slice(broken, 1))
                lines = lines.slice(broken + 1)
            if not last:
                whole, carry = _whole(lines)
                yield from self._emit(whole)
            else:
                ended = self.text.data[-1:] in (b"\n", b"\r")
                self.cut = 0 if ended else self.line + lines.height - 1
                yield from self._emit(lines)

    def _block_end(self, position: int, size: int) -> int:
        data = self.text.data
        end = min(position + size, len(data))
        if end < len(data):
            cut = data.rfind(b"\n", position, end)
            cut = cut if cut >= 0 else data.find(b"\n", end)
            end = len(data) if cut < 0 else cut + 1
        return end

    def _plain_piece(self, begin: int, end: int) -> Piece | None:
        """Return a block's rows if the block is plain: a few ragged rows in a large file cost only their own block."""
        block = Text(bytes(self.text.data[begin:end]), None, 0, self.text.encoding)
        proof = prove(block, 0, self.shape)
        if proof is None or not proof.rows:
            return None
        done = self.tally.rows + self.tally.quarantined
        kept = scan(block, 0, self.line, self.shape).with_columns(pl.col(ROW) + done).collect()
        self.line += proof.rows
        self.tally.rows += proof.rows
        self.tally.row_lines += proof.rows
        return Piece(kept, no_quarantine())

    def _inside(self, lines: pl.DataFrame) -> pl.DataFrame:
        """Mark the lines that end inside quotes."""
        quoted = lines.get_column(_TEXT).str.contains('"', literal=True)
        if self.literal or not quoted.any():
            return lines.with_columns(pl.lit(False).alias(_INSIDE))
        d, text = self.shape.delimiter, pl.col(_TEXT)
        outside = text.str.contains(fields.ends_inside_from_outside(d))
        inside = pl.when(text.str.contains('"', literal=True)).then(
            text.str.contains(fields.ends_inside_from_inside(d))
        ).otherwise(True)  # fmt: skip
        states = lines.with_columns(outside.alias("\0o"), inside.alias("\0i"))
        fixed = pl.when(pl.col("\0o") == pl.col("\0i")).then(pl.col("\0o"))
        flips = (pl.col("\0o") & ~pl.col("\0i")).cum_sum()
        base = pl.when(pl.col("\0o") == pl.col("\0i")).then(flips).forward_fill().fill_null(0)
        odd = (flips - base) % 2 == 1
        return states.with_columns((fixed.forward_fill().fill_null(False) ^ odd).alias(_INSIDE)).drop("\0o", "\0i")

    def _broken(self, lines: pl.DataFrame, *, last: bool) -> int | None:
        """Return the index of the first line whose quote does not close as it should, None without one."""
        if not lines.get_column(_INSIDE).any():
            return None
        grouped = self._several(lines)
        wrong = (pl.col(_COUNT) > _LONGEST_RECORD_LINES) | (pl.col("\0size") > _LONGEST_RECORD_BYTES)
        open_end = lines.get_column(_INSIDE)[-1]
        final = pl.col("\0at") == grouped.get_column("\0at").max() if open_end else pl.lit(False)
        wrong = (
            wrong | (~final & (~pl.col("\0strict") | (pl.col("\0width") != self.shape.fields))) | (final & pl.lit(last))
        )
        found = grouped.filter(wrong).get_column("\0at")
        return int(found[0]) if found.len() else None

    def _several(self, lines: pl.DataFrame) -> pl.DataFrame:
        """Return the records that span several lines: index of the first, number of lines, number of fields."""
        d = self.shape.delimiter
        before = pl.col(_INSIDE).shift(1, fill_value=False)
        joined = (
            lines.with_row_index("\0at").with_columns((~before).cum_sum().alias("\0record"))
            .filter(pl.col(_INSIDE) | before)
            .group_by("\0record", maintain_order=True)
            .agg(pl.col("\0at").first(), pl.len().alias(_COUNT), pl.col(_TEXT).str.join("\n"))
        )  # fmt: skip
        return joined.with_columns(
            pl.col(_TEXT).str.len_bytes().alias("\0size"),
            (pl.lit(d) + pl.col(_TEXT)).str.count_matches(_delimited_field(d)).alias("\0width"),
            pl.col(_TEXT).str.strip_chars_end("\r" + _LONE).str.contains(fields.strict_record(d)).alias("\0strict"),
        )

    def _emit(self, lines: pl.DataFrame) -> Iterator[Piece]:
        if not lines.height:
            return
        records = self._records(lines)
        self.line += lines.height
        blank = records.get_column(_TEXT).str.strip_chars() == ""
        self.tally.blank_lines += int(blank.sum())
        records = records.filter(~blank)
        if self.shape.comment is not None:
            comment = records.get_column(_TEXT).str.starts_with(self.shape.comment)
            self.tally.comment_lines += int(records.filter(comment).get_column(_COUNT).sum())
            records = records.filter(~comment)
        if records.height:
            yield self._assigned(records)

    def _records(self, lines: pl.DataFrame) -> pl.DataFrame:
        """Return records: `_line`, text, number of lines."""
        numbered = lines.with_row_index(LINE, offset=self.line).with_columns(pl.col(LINE).cast(pl.Int64))
        if not lines.get_column(_INSIDE).any():
            return numbered.select(LINE, pl.col(_TEXT).str.strip_chars_end("\r" + _LONE), pl.lit(1).alias(_COUNT))
        before = pl.col(_INSIDE).shift(1, fill_value=False)
        return (
            numbered.group_by((~before).cum_sum().alias("\0record"), maintain_order=True)
            .agg(pl.col(LINE).first(), pl.col(_TEXT).str.join("\n"), pl.len().alias(_COUNT))
            .select(
                LINE,
                pl.col(_TEXT)
                .str.strip_chars_end("\r" + _LONE)
                .str.replace_all("\r" + _LONE + "\n", "\r", literal=True),
                _COUNT,
            )
        )

    def _assigned(self, records: pl.DataFrame) -> Piece:
        d, n = self.shape.delimiter, len(self.shape.columns)
        first = self.tally.rows + self.tally.quarantined + 1
        records = records.with_columns(pl.col(_TEXT).alias(_RAW))
        if d == " ":
            records = records.with_columns(pl.col(_TEXT).str.strip_chars(" \t").str.replace_all("[ \t]+", " "))
        quoted = pl.lit(False) if self.literal else pl.col(_TEXT).str.contains('"', literal=True)
        records = records.with_row_index(ROW, offset=first).with_columns(
            pl.col(ROW).cast(pl.Int64),
            quoted.alias("\0quoted"),
            (pl.col(_TEXT).str.count_matches(d, literal=True) + 1).alias("\0width"),
        )
        unquoted, quoted_ones = records.filter(~pl.col("\0quoted")), records.filter(pl.col("\0quoted"))
        parts, refused = [], []
        if unquoted.height:
            filled = pl.col(_TEXT).str.strip_chars_end(d + " ").str.count_matches(d, literal=True) + 1
            good = self._is_long_enough(n) & (filled <= n) & self._not_header()
            parts.append(self._split_plain(unquoted.filter(good)))
            refused.append(unquoted.filter(~good))
        if quoted_ones.height:
            kept, left = self._split_quoted(quoted_ones)
            parts.append(kept)
            refused.append(left)
        kept = pl.concat(parts).sort(ROW)
        if headers := self._headers(kept):
            kept = kept.filter(~pl.col(ROW).is_in(headers))
            refused.append(records.filter(pl.col(ROW).is_in(headers)))
        self.tally.rows += kept.height
        left = pl.concat([part.select(ROW, LINE, "\0width", _TEXT, _RAW, _COUNT) for part in refused]).sort(ROW)
        self.tally.row_lines += int(records.get_column(_COUNT).sum()) - int(left.get_column(_COUNT).sum())
        self.tally.quarantined += left.height
        self.tally.quarantined_lines += int(left.get_column(_COUNT).sum())
        return Piece(kept, self._refused(left))

    def _headers(self, kept: pl.DataFrame) -> list[int]:
        """Return the numbers of the rows that are further headers."""
        expected = self.shape.expected
        if expected is None:
            return []
        found = expected.found_in(kept, self.shape.columns)
        self.tally.headers += found.get_column(LINE).to_list()
        return found.get_column(ROW).to_list()

    def _is_long_enough(self, fields: int) -> pl.Expr:
        whole, short = pl.col("\0width") >= fields, pl.col("\0width") >= fields - self.shape.optional
        end = self.shape.short_end
        return short if end is None else whole | (short & pl.col(_TEXT).str.contains(end) & (pl.col(LINE) != self.cut))

    def _not_header(self) -> pl.Expr:
        return ~pl.col(_TEXT).is_in(self.shape.header_texts)

    def _split_plain(self, records: pl.DataFrame) -> pl.DataFrame:
        names, n = self.shape.columns, len(self.shape.columns)
        if not records.height:
            return pl.DataFrame(schema=self._schema())
        self.tally.trimmed_rows += int((records.get_column("\0width") > self.shape.fields).sum())
        if n == 1:
            first = pl.col(_TEXT).str.split(self.shape.delimiter).list.get(0)
            return records.select(ROW, LINE, pl.when(first != "").then(first).alias(names[0]))
        joined = records.get_column(_TEXT).str.join("\n").item() + "\n"
        cells = pl.read_csv(
            BytesIO(joined.encode()),
            has_header=False,
            separator=self.shape.delimiter,
            quote_char=None,
            infer_schema=False,
            schema=dict.fromkeys(names, pl.String),
            extra_columns="ignore",
            missing_columns="insert",
        )
        return records.select(ROW, LINE).hstack(cells)

    def _split_quoted(self, records: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        d, names, n = self.shape.delimiter, self.shape.columns, len(self.shape.columns)
        found = (pl.lit(d) + pl.col(_TEXT)).str.extract_all(_delimited_field(d)).list.eval(
            pl.element().str.slice(len(d))
        )  # fmt: skip
        records = records.with_columns(found.alias("\0cells")).with_columns(
            pl.col("\0cells").list.len().alias("\0width")
        )
        beyond = pl.col("\0cells").list.slice(n).list.join("").str.strip_chars() == ""
        good = self._is_long_enough(n) & beyond & self._not_header()
        kept = records.filter(good)
        self.tally.trimmed_rows += int((kept.get_column("\0width") > self.shape.fields).sum())
        cells = [
            _unquoted(pl.col("\0cells").list.get(at, null_on_oob=True)).alias(name) for at, name in enumerate(names)
        ]
        return kept.select(ROW, LINE, *cells), records.filter(~good).drop("\0cells")

    def _schema(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        return {ROW: pl.Int64, LINE: pl.Int64, **dict.fromkeys(self.shape.columns, pl.String)}

    def _refused(self, left: pl.DataFrame) -> pl.DataFrame:
        n = len(self.shape.columns)
        reason = (
            pl.when(~self._not_header()).then(pl.lit(REPEATED))
            .when(pl.col(LINE).is_in(self.tally.headers)).then(pl.lit("names where the columns hold numbers: a header"))
            .otherwise(pl.format(f"{{}} {RAGGED} {{}}", pl.col("\0width"), pl.lit(n)))
        )  # fmt: skip
        return left.select(ROW, LINE, reason.alias("reason"), pl.col(_RAW).alias("text")).cast(QUARANTINE_SCHEMA)

    def _unclosed(self, line: pl.DataFrame) -> Piece:
        text = line.get_column(_TEXT).str.strip_chars_end("\r" + _LONE)[0]
        self.tally.quarantined += 1
        self.tally.quarantined_lines += 1
        row = {
            ROW: self.tally.rows + self.tally.quarantined, LINE: self.line,
            "reason": "a quote opens and does not close where a field ends", "text": text,
        }  # fmt: skip
        self.line += 1
        return Piece(pl.DataFrame(schema=self._schema()), pl.DataFrame([row], schema=QUARANTINE_SCHEMA))


def _lines(text: str) -> pl.DataFrame:
    if "\r" in text.replace("\r\n", "\n"):
        found = pl.Series([text]).str.replace_all("\r([^\r\n])", f"\r{_LONE}\n${{1}}")
    else:
        found = pl.Series([text])
    lines = found.str.split("\n").explode().alias(_TEXT).to_frame()
    return lines.head(lines.height - 1) if lines.get_column(_TEXT)[-1] == "" else lines


def _whole(lines: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Return the lines up to the last whole record, and the text of what follows."""
    if not lines.height or not lines.get_column(_INSIDE)[-1]:
        return lines, ""
    outside = lines.with_row_index("\0at").filter(~pl.col(_INSIDE)).get_column("\0at")
    cut = int(outside[-1]) + 1 if outside.len() else 0
    rest = lines.slice(cut).get_column(_TEXT).str.join("\n").item()
    return lines.head(cut), rest.replace(f"\r{_LONE}\n", "\r") + "\n"


def _delimited_field(delimiter: str) -> str:
    return re.escape(delimiter) + fields.field(delimiter)


def _unquoted(cell: pl.Expr) -> pl.Expr:
    inner = cell.str.extract(r'(?s)^"((?:[^"]|"")*)"$', 1).str.replace_all('""', '"', literal=True)
    return pl.when(cell == "").then(None).otherwise(pl.coalesce(inner, cell))
