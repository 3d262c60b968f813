"""What goes into a kernel over columns and what comes out, whichever kernel it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from steelyard.core.errors import DataError, TextError
from steelyard.core.options import check_choice

Span = tuple[int, int]
"""Where something is in the text as given: `text[start:end]`."""

Mode = Literal["any", "all", "none"]
"""Which of the keywords must be there."""


@runtime_checkable
class ArrowArray(Protocol):
    """One Arrow array, by the PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...


@runtime_checkable
class ArrowStream(Protocol):
    """A chunked Arrow array, by the PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...


TextColumn = ArrowArray | ArrowStream | Sequence[str | None]
"""Texts: an Arrow column (string, large string, string view or a dictionary of these,
chunked or not), or a sequence of `str` and None."""


class Column(Protocol):
    """What a kernel makes of columns: a value a row, None where the texts had a None.

    It is an Arrow array for whoever asks (`__arrow_c_array__`). A row whose text cannot
    be compared is None too, and `errors` has the error by the row's number.
    """

    @property
    def errors(self) -> Mapping[int, TextError]: ...

    def __len__(self) -> int: ...

    def to_pylist(self) -> list[Any]: ...

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...


def check_mode(mode: Mode) -> None:
    """Raise `OptionError` for anything but a mode."""
    check_choice("contains", "mode", mode, get_args(Mode))


def unequal(left: int, right: int) -> DataError:
    """The error for two columns that do not belong together."""
    return DataError(f"the columns have {left} and {right} rows; they must be equally long")


def not_text(kind: str) -> DataError:
    """The error for a column of something else."""
    return DataError(
        f"the column is of type {kind}, not of text; give strings (Arrow's string, large_string"
        " or string_view, or a dictionary of them) or a sequence of str and None"
    )


def not_utf8(offset: int) -> TextError:
    """The error for bytes in an Arrow column that claims they are text."""
    return TextError(f"the text is not valid UTF-8 at byte {offset}", offset)
