"""The reference kernels over columns: one text after the other, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from steelyard.core.errors import TextError
from steelyard.kernels import reference
from steelyard.kernels.arrow import ArrowType, exported, texts_of
from steelyard.kernels.column import Column, Mode, TextColumn, unequal

# Every function takes `threads` as the native one does; one thread is all that helps here.


class ValueColumn:
    """A column of Python values; pyarrow is needed only to hand it on as an Arrow array."""

    def __init__(
        self, values: list[Any], kind: ArrowType, errors: Mapping[int, TextError] | None = None
    ) -> None:
        self._values, self._kind, self.errors = values, kind, errors or {}

    def __len__(self) -> int:
        return len(self._values)

    def to_pylist(self) -> list[Any]:
        return self._values

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
        return exported(self._values, self._kind, requested_schema)


def dice_column(
    left: TextColumn,
    right: TextColumn,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    threads: int = 1,
) -> Column:
    """`dice` of each row of two columns of equal length, as float64.

    Raises `DataError` for columns of unequal length or that are not text.

    >>> dice_column(["night", None], ["nacht", "day"]).to_pylist()
    [0.25, None]
    """
    lefts, rights = texts_of(left), texts_of(right)
    if len(lefts) != len(rights):
        raise unequal(len(lefts), len(rights))
    of = partial(reference.dice, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace)
    return _each(of, zip(lefts, rights, strict=True), "float64")


def compared_column(
    texts: TextColumn,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    ignore_diacritics: bool = False,
    threads: int = 1,
) -> Column:
    """Each text in the form in which it is compared, as large_string; see `compared`.

    >>> compared_column(["Grüße, Welt", None]).to_pylist()
    ['grüsse,welt', None]
    """
    of = partial(
        reference.compared,
        ignore_case=ignore_case,
        ignore_whitespace=ignore_whitespace,
        ignore_diacritics=ignore_diacritics,
    )
    return _each(of, zip(texts_of(texts)), "large_string")


def contains_column(
    texts: TextColumn,
    keywords: Sequence[str],
    *,
    mode: Mode = "any",
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
    threads: int = 1,
) -> Column:
    """Whether each text contains any, all or none of the keywords, as bool.

    >>> contains_column(["a cat", "a dog", None], ["cat", "cow"]).to_pylist()
    [True, False, None]
    """
    of = partial(
        reference.contains,
        keywords=keywords,
        mode=mode,
        ignore_case=ignore_case,
        whole_words=whole_words,
        ignore_diacritics=ignore_diacritics,
    )
    return _each(of, zip(texts_of(texts)), "bool")


def count_keywords_column(
    texts: TextColumn,
    keywords: Sequence[str],
    *,
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
    threads: int = 1,
) -> Column:
    """How often each keyword occurs in each text, as a list of int64 a row.

    >>> count_keywords_column(["a cat, a cat", None], ["cat", "dog"]).to_pylist()
    [[2, 0], None]
    """
    of = partial(
        reference.count_keywords,
        keywords=keywords,
        ignore_case=ignore_case,
        whole_words=whole_words,
        ignore_diacritics=ignore_diacritics,
    )
    return _each(of, zip(texts_of(texts)), "list<int64>")


def find_keywords_column(
    texts: TextColumn,
    keywords: Sequence[str],
    *,
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
    first_only: bool = False,
    threads: int = 1,
) -> Column:
    """Where each keyword occurs in each text; see `find_keywords`.

    In Arrow a row is a list (by keyword) of lists of `[start, end]`, in characters.

    >>> find_keywords_column(["a cat", None], ["cat", "dog"]).to_pylist()
    [[[(2, 5)], []], None]
    """
    of = partial(
        reference.find_keywords,
        keywords=keywords,
        ignore_case=ignore_case,
        whole_words=whole_words,
        ignore_diacritics=ignore_diacritics,
        first_only=first_only,
    )
    return _each(of, zip(texts_of(texts)), "list<list<span>>")


def _each(
    of: Callable[..., Any], rows: Iterable[tuple[str | TextError | None, ...]], kind: ArrowType
) -> ValueColumn:
    """The function of each row: None for a row with a None, an error for one that has one."""
    values: list[Any] = []
    errors: dict[int, TextError] = {}
    for row, texts in enumerate(rows):
        try:
            values.append(_value(of, texts))
        except TextError as error:
            values.append(None)
            errors[row] = error
    return ValueColumn(values, kind, errors)


def _value(of: Callable[..., Any], texts: tuple[str | TextError | None, ...]) -> Any:
    if None in texts:
        return None
    for text in texts:
        if isinstance(text, TextError):
            raise text
    return of(*texts)
