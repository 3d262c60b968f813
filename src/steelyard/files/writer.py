"""`write_cases`: cases to a file, whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from steelyard.core.case import CASE_FIELDS, EvalTestCase
from steelyard.core.errors import DataError, shown
from steelyard.files.reader import Format, _format

_TEXT_FIELDS = ("input", "actual_output", "expected_output", "system_prompt", "id", "name")


def write_cases(
    cases: Iterable[EvalTestCase], destination: str | os.PathLike[str], format: Format | None = None
) -> int:
    """Write cases to a file that `read_cases` reads back as equal ones; returns their number.

    Fields that are None are left out. The file appears whole: it is written beside and
    renamed. CSV holds only text in `input` and the outputs; anything else raises
    `DataError`.
    """
    path, write = Path(destination), _WRITERS[_format(destination, format)]
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    records = [as_record(case) for case in cases]
    try:
        with beside.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            write(records, stream)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return len(records)


def as_record(case: EvalTestCase) -> dict[str, Any]:
    """A case as a plain record, without the fields that are None or empty."""
    values = {name: getattr(case, name) for name in CASE_FIELDS}
    if case.usage is not None:
        values["usage"] = {k: v for k, v in asdict(case.usage).items() if v is not None}
    return {k: v for k, v in values.items() if v is not None and not (k == "metadata" and not v)}


def _write_jsonl(records: Sequence[dict[str, Any]], stream: TextIO) -> None:
    # backslashreplace writes a lone surrogate as the escape that JSON has for it.
    stream.writelines(f"{_json(record)}\n" for record in records)


def _write_json(records: Sequence[dict[str, Any]], stream: TextIO) -> None:
    stream.write(f"{_json(records, indent=2)}\n")


def _write_yaml(records: Sequence[dict[str, Any]], stream: TextIO) -> None:
    # JSON is YAML, and leaves no doubt about what is text; but YAML allows fewer characters.
    text = _json(records, indent=2)
    stream.write(_NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def _json(value: Any, indent: int | None = None) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as problem:
        raise DataError(f"a case cannot be written as JSON: {problem}") from None


def _write_csv(records: Sequence[dict[str, Any]], stream: TextIO, delimiter: str = ",") -> None:
    names = [name for name in CASE_FIELDS if any(name in record for record in records)]
    writer = csv.writer(
        stream, delimiter=delimiter, lineterminator="\r\n"
    )  # so that a lone CR in a cell is quoted too
    writer.writerow(names)
    writer.writerows([_cell(name, record.get(name)) for name in names] for record in records)


def _cell(name: str, value: Any) -> str:
    if name not in _TEXT_FIELDS:
        return "" if value is None else _json(value)
    if value is None and name in ("id", "name"):
        return ""
    if not isinstance(value, str):
        raise DataError(f"{name} is {shown(value)}; CSV holds only text there, so write JSONL")
    if _SURROGATE.search(value):
        raise DataError(f"{name} is {shown(value)}; CSV has no lone surrogates, so write JSONL")
    return value


_SURROGATE = re.compile("[\ud800-\udfff]")


def _write_tsv(records: Sequence[dict[str, Any]], stream: TextIO) -> None:
    _write_csv(records, stream, "\t")


_WRITERS: dict[str, Callable[[Sequence[dict[str, Any]], TextIO], None]] = {
    "jsonl": _write_jsonl,
    "json": _write_json,
    "yaml": _write_yaml,
    "csv": _write_csv,
    "tsv": _write_tsv,
}
