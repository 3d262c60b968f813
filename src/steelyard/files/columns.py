"""Which column of a record holds which field of a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from steelyard.core.case import CASE_FIELDS
from steelyard.core.errors import DataError, OptionError, nearest, shown
from steelyard.core.options import check_choice, check_text
from steelyard.core.paths import Path, follow, parse_path

_FIELDS = (*CASE_FIELDS, "ground_truth")
_SHOWN = 20
# Of these an empty cell is "none"; for the fields of plain text it is the empty text.
_NAMES = ("id", "name")
_TEXTS = ("input", "actual_output", "expected_output", "ground_truth", "system_prompt")

Cell = Literal["text", "name", "json"]


class Columns:
    """Moves the columns of records to the case fields that a mapping names.

    A mapped field comes from its column alone: a column that has the field's own name
    is passed over. Raises `OptionError` for a field that cases do not have.

    >>> Columns({"actual_output": "answer.text"}).moved({"answer": {"text": "4"}, "n": 1})
    {'answer': {'text': '4'}, 'n': 1, 'actual_output': '4'}
    """

    def __init__(self, mapping: Mapping[str, str] | None) -> None:
        if mapping is not None and not isinstance(mapping, Mapping):
            raise OptionError("read_cases", "mapping", mapping, "a mapping of field to column")
        self._columns = dict(mapping or {})
        for field, column in self._columns.items():
            check_choice("read_cases", "a field of mapping", field, _FIELDS)
            check_text("read_cases", f"the column of {field}", column)
        self._overridden = {name for field in self._columns for name in _spellings(field)}
        self._absent = dict(self._columns)
        self._seen: dict[str, None] = {}

    def moved(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record by case fields; an absent column leaves its field missing."""
        if not self._columns:
            return record
        if self._absent and len(self._seen) <= _SHOWN:
            self._seen.update(dict.fromkeys(map(str, record)))
        fields: dict[str, Any] = {}
        gone = set(self._overridden)
        for field, column in self._columns.items():
            try:
                fields[field], plain = _taken(record, column)
            except LookupError:
                continue
            gone.add(plain)
            self._absent.pop(field, None)
        return {key: value for key, value in record.items() if key not in gone} | fields

    def check_found(self, file: str) -> None:
        """Raise `DataError` for columns that no record had, where there were records."""
        if self._absent and self._seen:
            raise _no_column(self._absent, list(self._seen), file, None)

    def check_header(self, header: list[str], file: str, line: int) -> None:
        """Raise `DataError` for columns that a header row does not have."""
        absent = {f: c for f, c in self._columns.items() if _top(header, c) not in header}
        if absent:
            raise _no_column(absent, header, file, line)

    def cells(self, header: list[str]) -> list[Cell]:
        """How to read each column's cells: as text, as text or nothing, or as JSON."""
        return [self._cell(header, column) for column in header]

    def _cell(self, header: list[str], column: str) -> Cell:
        mapped = [f for f, c in self._columns.items() if _plain(header, c) == column]
        if mapped:
            return next((_KINDS[f] for f in mapped if _KINDS[f] != "json"), "json")
        if column in _SPELLINGS and column not in self._overridden:
            return _KINDS[_SPELLINGS[column]]
        inside = any(_top(header, c) == column for c in self._columns.values())
        return "json" if inside else "text"


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _spellings(field: str) -> set[str]:
    names = ("expected_output", "ground_truth")
    return {s for name in (names if field in names else (field,)) for s in (name, _camel(name))}


_SPELLINGS = {spelling: name for name in _FIELDS for spelling in (name, _camel(name))}
_KINDS: dict[str, Cell] = {
    field: "text" if field in _TEXTS else "name" if field in _NAMES else "json"
    for field in _FIELDS
}


def _path(column: str) -> Path | None:
    try:
        return parse_path(column)
    except OptionError:  # not a path, so a name that the records may still have literally
        return None


def _taken(record: Mapping[str, Any], column: str) -> tuple[Any, str]:
    """The value, and the column it leaves empty ("" where it lay deeper)."""
    if column in record:
        return record[column], column
    path = _path(column)
    if path is None:
        raise LookupError(column)
    return follow(record, path), str(path[0]) if len(path) == 1 else ""


def _top(header: list[str], column: str) -> str | None:
    path = _path(column)
    return column if column in header or not path else str(path[0])


def _plain(header: list[str], column: str) -> str | None:
    path = _path(column)
    return column if column in header else str(path[0]) if path and len(path) == 1 else None


def _no_column(
    absent: Mapping[str, str], seen: list[str], file: str, line: int | None
) -> DataError:
    wanted = ", ".join(f"{column!r} (for {field})" for field, column in absent.items())
    there = ", ".join(map(shown, seen[:_SHOWN])) + (", …" if len(seen) > _SHOWN else "")
    hint = nearest(next(iter(absent.values())), seen)
    return DataError(f"there is no column {wanted}; the columns are {there}{hint}", file, line)
