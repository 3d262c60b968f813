"""Columns read and written by pyarrow, which only the reference kernels need."""

from __future__ import annotations

from typing import Any, Literal

from steelyard.core.errors import DataError, TextError, shown
from steelyard.core.extras import load_extra
from steelyard.kernels.column import ArrowArray, ArrowStream, TextColumn, not_text, not_utf8

ArrowType = Literal["float64", "bool", "large_string", "list<int64>", "list<list<span>>"]


def texts_of(column: TextColumn) -> list[str | TextError | None]:
    """The texts of a column; in place of one that is not valid UTF-8 its error.

    Raises `DataError` for a column of something else, `ExtraError` for an Arrow column
    where pyarrow is not installed.
    """
    if isinstance(column, ArrowArray | ArrowStream):
        return _from_arrow(column)
    if isinstance(column, str | bytes) or not hasattr(column, "__iter__"):
        raise not_text(type(column).__name__)
    texts: list[str | TextError | None] = list(column)
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise DataError(f"row {row} of the column is {shown(text)}; it must be str or None")
    return texts


def _from_arrow(column: ArrowArray | ArrowStream) -> list[str | TextError | None]:
    pa = load_extra("pyarrow", "columnar")
    as_array = pa.chunked_array if isinstance(column, ArrowStream) else pa.array
    array = as_array(column)
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if pa.types.is_null(kind):
        return [None] * len(array)
    if not _is_text(pa.types, kind):
        raise not_text(str(array.type))
    try:
        return array.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError:
        return [_decoded(text) for text in array.cast(pa.large_binary()).to_pylist()]


def _is_text(types: Any, kind: Any) -> bool:
    is_text: bool = (
        types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    )
    return is_text


def _decoded(text: bytes | None) -> str | TextError | None:
    try:
        return None if text is None else text.decode()
    except UnicodeDecodeError as wrong:
        return not_utf8(wrong.start)


def exported(values: list[Any], kind: ArrowType, requested_schema: object) -> tuple[Any, Any]:
    """The values as the capsules of an Arrow array."""
    pa = load_extra("pyarrow", "columnar")
    types = {
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "large_string": pa.large_string(),
        "list<int64>": pa.list_(pa.int64()),
        "list<list<span>>": pa.list_(pa.list_(pa.list_(pa.int64(), 2))),
    }
    array = pa.array(values, types[kind])
    return array.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]
