"""`read_cases`: the cases of a file, whatever its format."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

from steelyard.core.case import CASE_FIELDS, EvalTestCase
from steelyard.core.errors import DataError, OptionError, SteelyardError, nearest, shown
from steelyard.core.paths import follow, parse_path
from steelyard.core.run import CaseResult
from steelyard.core.score import ErrorInfo
from steelyard.files.records import (
    Record,
    csv_records,
    json_records,
    jsonl_records,
    yaml_records,
)

Format = Literal["jsonl", "json", "csv", "tsv", "yaml"]
FORMATS: dict[str, Callable[[BinaryIO, str], Iterator[Record]]] = {
    "jsonl": jsonl_records,
    "json": json_records,
    "csv": csv_records,
    "tsv": partial(csv_records, delimiter="\t"),
    "yaml": yaml_records,
}
ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".yml": "yaml"} | {f".{f}": f for f in FORMATS}


def read_cases(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    format: Format | None = None,
    mapping: Mapping[str, str] | None = None,
    strict: bool = True,
) -> Iterator[EvalTestCase | CaseResult]:
    """The cases in a file, `"-"` for standard input, or an open binary stream, one by one.

    JSONL and CSV are read as they come, in constant memory. `mapping` renames: a case
    field to the column, or path in a record, that holds it. A record that cannot be read
    raises `DataError` with file and line; with `strict=False` it comes as a `CaseResult`
    with that error, and the rest is read.

    >>> import io
    >>> [case] = read_cases(io.BytesIO(b'{"q": "Hi"}'), format="jsonl", mapping={"input": "q"})
    >>> case.input
    'Hi'
    """
    name, chosen = _name(source), _format(source, format)
    renamed = _Renaming({} if mapping is None else mapping)
    with _open(source, name) as stream:
        for place, (line, record) in enumerate(FORMATS[chosen](stream, name), start=1):
            where = f"case {place}" if line is None else str(line)
            found = _case(record, renamed, name, line, where)
            if not isinstance(found, DataError):
                yield found
            elif strict:
                raise found
            else:
                info = ErrorInfo.of(found, "read")
                yield CaseResult(case=EvalTestCase(id=f"{name}:{where}"), error=info)
    renamed.check(name)


def _case(
    record: dict[str, Any] | DataError, renamed: _Renaming, file: str, line: int | None, where: str
) -> EvalTestCase | DataError:
    if isinstance(record, DataError):
        return record
    try:
        return EvalTestCase.from_dict(renamed(record))
    except SteelyardError as wrong:
        problem = str(wrong) if line is not None else f"{where}: {wrong}"
        return DataError(problem, file, line)


class _Renaming:
    """Puts columns under the case fields they are mapped to, and knows which it never saw."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        known = (*CASE_FIELDS, "ground_truth")
        if not isinstance(mapping, Mapping):
            raise OptionError("read_cases", "map", mapping, "a mapping of fields to columns")
        for field, column in mapping.items():
            if not isinstance(column, str):
                raise OptionError("map", str(field), column, "the name of a column, or a path")
            if field not in known:
                allowed = f"a field of a case{nearest(str(field), known)}"
                raise OptionError("map", "field", field, allowed)
        self._mapping = dict(mapping)
        self._unseen = dict(mapping)
        self._columns: list[str] = []

    def __call__(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._mapping:
            return record
        self._columns = self._columns or list(record)[:20]
        found = {f: self._find(record, f, column) for f, column in self._mapping.items()}
        rest = {k: v for k, v in record.items() if k not in self._mapping.values()}
        return {**rest, **{field: value for field, value in found.items() if value is not None}}

    def _find(self, record: Mapping[str, Any], field: str, column: str) -> Any:
        try:
            value = record[column] if column in record else follow(record, parse_path(column))
        except (LookupError, OptionError):  # a column's name need not be a path
            return None
        self._unseen.pop(field, None)
        return value

    def check(self, file: str) -> None:
        """Raise `DataError` for a column that no record had."""
        if self._unseen and self._columns:
            column = next(iter(self._unseen.values()))
            there = ", ".join(map(shown, self._columns))
            hint = nearest(column, self._columns)
            raise DataError(f"no record has {column!r}; there are {there}{hint}", file)


def _name(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", "<stream>"))


def _format(source: Any, format: str | None) -> str:
    if format is not None:
        if str(format) not in FORMATS:
            raise OptionError("read_cases", "format", format, f"one of {', '.join(FORMATS)}")
        return format
    if source == "-" or not isinstance(source, str | os.PathLike):
        return "jsonl"
    ending = Path(source).suffix.lower()
    if ending not in ENDINGS:
        known = f"its ending must be one of {', '.join(ENDINGS)}, or its format given"
        raise DataError(f"cannot tell the format; {known}", os.fspath(source))
    return ENDINGS[ending]


def _standard_input() -> BinaryIO:
    """Standard input through a buffer of our own.

    An interrupt may leave a thread waiting in it, and the interpreter aborts when it closes
    a buffer of its own that somebody waits in.
    """
    if sys.stdin is None:
        raise DataError("cannot be read: it is closed", "<stdin>")
    try:
        return io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False))
    except OSError:  # a stand-in without a descriptor
        return sys.stdin.buffer


def _open(source: Any, name: str) -> AbstractContextManager[BinaryIO]:
    if source == "-":
        return nullcontext(_standard_input())
    if not isinstance(source, str | os.PathLike):
        return nullcontext(source)
    try:
        return Path(source).open("rb")
    except (OSError, ValueError) as problem:  # ValueError for a NUL in the name
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise DataError(f"cannot be read: {reason}", name) from None
