"""Records from a stream of bytes: one function for each format, each record with its line.

A record that cannot be read comes as the `DataError` that says why, so that the rest can
be read.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from steelyard.core.errors import ConfigError, DataError, shown

Record = tuple[int | None, dict[str, Any] | DataError]
"""The line where a record begins (ends in CSV, None in JSON, which has places), and the record."""

DEEPEST = 100

_BOM = b"\xef\xbb\xbf"
_UTF16_MARKS = ("\udcff\udcfe", "\udcfe\udcff")  # as surrogateescape shows them
_JSON_FIELDS = frozenset(
    {
        "retrieval_context",
        "tools_called",
        "expected_tools",
        "steps",
        "expected_steps",
        "usage",
        "metadata",
        "duration",
    }
)
_OPTIONAL_FIELDS = frozenset(("id", "name"))


def jsonl_records(stream: BinaryIO, file: str) -> Iterator[Record]:
    """One JSON object a line, read as the lines come; blank lines are passed over."""
    for number, line in enumerate(stream, start=1):
        if number == 1:
            line = _without_mark(line, file)  # the mark is no part of the line
        if line.strip():
            yield number, _attempt(partial(_json_object, line), file, number)


def json_records(stream: BinaryIO, file: str) -> Iterator[Record]:
    """A JSON array of objects, or an object whose `cases` is one."""
    found = _attempt(lambda: parse_json(_without_mark(stream.read(), file)), file, None)
    yield from _listed(found, file)


def yaml_records(stream: BinaryIO, file: str) -> Iterator[Record]:
    """A YAML list of mappings, or a mapping whose `cases` is one."""
    from steelyard.files.yaml12 import load_yaml  # YAML is loaded by those who read it

    def load() -> Any:
        return load_yaml(_decoded(_without_mark(stream.read(), file)))

    document = _attempt(load, file, None)
    if isinstance(document, DataError):
        yield 1, document
        return
    inside = isinstance(document.value, dict)
    for place, (_, record) in enumerate(_listed(document.value, file)):
        path = ("cases", place) if inside else (place,)
        line = document.lines.get(path, 1)
        yield line, DataError(str(record), file, line) if isinstance(record, DataError) else record


def csv_records(stream: BinaryIO, file: str, delimiter: str = ",") -> Iterator[Record]:
    """Rows by the csv module's rules, under the names in the first; cells are text as written."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    rows = csv.reader(text, delimiter=delimiter)
    try:
        header = _header(rows, file)
        while (row := _attempt(lambda: _next(rows), file, rows.line_num + 1)) is not None:
            if isinstance(row, DataError):
                yield rows.line_num, row
            elif row:
                cells = _attempt(partial(_cells, header, row), file, rows.line_num)
                yield rows.line_num, cells
    finally:
        with suppress(ValueError):  # the file may be closed already
            text.detach()  # the stream is not ours to close


def _listed(found: Any, file: str) -> Iterator[Record]:
    if isinstance(found, DataError):
        yield 1, found
        return
    cases = found.get("cases") if isinstance(found, dict) else found
    if not isinstance(cases, list):
        problem = f"holds {shown(found)}; it must be a list of cases, or have one under 'cases'"
        yield 1, DataError(problem, file)
        return
    for place, record in enumerate(cases, start=1):
        if isinstance(record, dict):
            yield None, record
        else:
            yield None, DataError(f"case {place} is {shown(record)}, not an object", file)


def _attempt(read: Callable[[], Any], file: str, line: int | None) -> Any:
    """What `read` gives, or the `DataError` that says why it gives nothing."""
    try:
        return read()
    except json.JSONDecodeError as wrong:
        at = line or wrong.lineno
        return DataError(f"not JSON at column {wrong.colno}: {wrong.msg}", file, at)
    except UnicodeDecodeError as wrong:
        return DataError(f"not UTF-8 at byte {wrong.start}", file, line)
    except RecursionError:
        return DataError("nested too deeply to be read", file, line)
    except ConfigError as wrong:
        return DataError(str(wrong), file)
    except (DataError, ValueError, csv.Error) as wrong:
        located = isinstance(wrong, DataError) and wrong.file
        return wrong if located else DataError(str(wrong), file, line)


def parse_json(data: bytes | str) -> Any:
    """JSON as its standard has it, so that `NaN` raises `ValueError`."""
    text = _decoded(data) if isinstance(data, bytes) else data
    value = json.loads(text, parse_constant=_no_constant)
    if text.count("[") + text.count("{") > DEEPEST:
        _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    """Refuse what the parser can read but Python's own `repr` and `==` may not."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        inside = [v for v in layer if isinstance(v, dict | list)]
        layer = [part for v in inside for part in (v.values() if isinstance(v, dict) else v)]
        if not inside:
            return
    raise ValueError(f"nested deeper than {DEEPEST}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write null")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8")


def _without_mark(data: bytes, file: str) -> bytes:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError("is UTF-16; convert it to UTF-8", file)
    return data.removeprefix(_BOM)


def _json_object(line: bytes) -> dict[str, Any]:
    value = parse_json(line)
    if not isinstance(value, dict):
        raise DataError(f"is {shown(value)}, not an object of case fields")
    return value


def _header(rows: Iterator[list[str]], file: str) -> list[str]:
    found = _attempt(lambda: _utf8(_next(rows) or []), file, 1)
    if isinstance(found, DataError):
        raise found
    names: list[str] = found
    if any(not name.strip() for name in names):
        raise DataError(f"a column has no name: {shown(names)}", file, 1)
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise DataError(f"two columns are named {twice!r}", file, 1)
    return names


def _cells(header: list[str], row: list[str]) -> dict[str, Any]:
    if len(row) != len(header):
        raise DataError(f"has {len(row)} cells where the header has {len(header)}")
    return {name: _cell(name, cell) for name, cell in zip(header, _utf8(row), strict=True)}


def _utf8(row: list[str]) -> list[str]:
    if row and row[0].startswith(_UTF16_MARKS):
        raise DataError("is UTF-16; convert it to UTF-8")
    for cell in row:
        cell.encode("utf-8", "surrogateescape").decode("utf-8")  # raises where it was not UTF-8
    return row


def _cell(name: str, cell: str) -> Any:
    """Text as written; the few fields that are not text are read as JSON."""
    if name in _OPTIONAL_FIELDS:
        return cell or None
    if name not in _JSON_FIELDS:
        return cell
    try:
        return parse_json(cell) if cell.strip() else None
    except ValueError:
        raise DataError(f"{name} is {shown(cell)}, which is not JSON") from None


def _next(rows: Iterator[list[str]]) -> list[str] | None:
    """The next row, or None. The csv module's limit of 128 KiB a cell is everybody's, so it is
    lifted only while this row is read."""
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(before)
