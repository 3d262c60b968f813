"""The native kernels, with the definition asked for what they do not decide.

A native function answers None, and a native column calls the definition, for a text
with a character that not every side knows, a lone surrogate, or too many marks. The
values and the errors are therefore those of `reference`, which has the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TypedDict, Unpack

from steelyard.kernels import _native, reference, reference_columns
from steelyard.kernels.column import Column, Mode, Span, TextColumn, check_mode


class _Search(TypedDict, total=False):
    ignore_case: bool
    whole_words: bool
    ignore_diacritics: bool


@lru_cache(maxsize=32)
def _compiled(
    keywords: tuple[str, ...],
    *,
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
) -> _native.Keywords | None:
    return _native.Keywords.compiled(keywords, ignore_case, whole_words, ignore_diacritics)


def dice(
    left: str, right: str, *, ignore_case: bool = True, ignore_whitespace: bool = True
) -> float:
    value = _native.dice(left, right, ignore_case, ignore_whitespace)
    if value is not None:
        return value
    return reference.dice(left, right, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace)


def dice_column(
    left: TextColumn,
    right: TextColumn,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    threads: int = 1,
) -> Column:
    of = partial(reference.dice, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace)
    return _native.dice_column(left, right, ignore_case, ignore_whitespace, threads, of)


def compared(
    text: str,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    ignore_diacritics: bool = False,
) -> str:
    folded = _native.compared(text, ignore_case, ignore_whitespace, ignore_diacritics)
    if folded is not None:
        return folded
    return reference.compared(
        text,
        ignore_case=ignore_case,
        ignore_whitespace=ignore_whitespace,
        ignore_diacritics=ignore_diacritics,
    )


def compared_column(
    texts: TextColumn,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    ignore_diacritics: bool = False,
    threads: int = 1,
) -> Column:
    of = partial(
        reference.compared,
        ignore_case=ignore_case,
        ignore_whitespace=ignore_whitespace,
        ignore_diacritics=ignore_diacritics,
    )
    flags = (ignore_case, ignore_whitespace, ignore_diacritics)
    return _native.compared_column(texts, *flags, threads, of)


def contains(
    text: str, keywords: Sequence[str], *, mode: Mode = "any", **options: Unpack[_Search]
) -> bool:
    check_mode(mode)
    compiled = _compiled(tuple(keywords), **options)
    found = None if compiled is None else compiled.contains(text, mode)
    return reference.contains(text, keywords, mode=mode, **options) if found is None else found


def contains_column(
    texts: TextColumn,
    keywords: Sequence[str],
    *,
    mode: Mode = "any",
    threads: int = 1,
    **options: Unpack[_Search],
) -> Column:
    check_mode(mode)
    compiled = _compiled(tuple(keywords), **options)
    if compiled is None:
        return reference_columns.contains_column(texts, keywords, mode=mode, **options)
    of = partial(reference.contains, keywords=keywords, mode=mode, **options)
    return compiled.contains_column(texts, mode, threads, of)


def count_keywords(text: str, keywords: Sequence[str], **options: Unpack[_Search]) -> list[int]:
    compiled = _compiled(tuple(keywords), **options)
    counts = None if compiled is None else compiled.count(text)
    return reference.count_keywords(text, keywords, **options) if counts is None else counts


def count_keywords_column(
    texts: TextColumn, keywords: Sequence[str], *, threads: int = 1, **options: Unpack[_Search]
) -> Column:
    compiled = _compiled(tuple(keywords), **options)
    if compiled is None:
        return reference_columns.count_keywords_column(texts, keywords, **options)
    of = partial(reference.count_keywords, keywords=keywords, **options)
    return compiled.count_column(texts, threads, of)


def find_keywords(
    text: str, keywords: Sequence[str], *, first_only: bool = False, **options: Unpack[_Search]
) -> list[list[Span]]:
    compiled = _compiled(tuple(keywords), **options)
    found = None if compiled is None else compiled.find(text, first_only)
    if found is not None:
        return found
    return reference.find_keywords(text, keywords, first_only=first_only, **options)


def find_keywords_column(
    texts: TextColumn,
    keywords: Sequence[str],
    *,
    first_only: bool = False,
    threads: int = 1,
    **options: Unpack[_Search],
) -> Column:
    compiled = _compiled(tuple(keywords), **options)
    if compiled is None:
        return reference_columns.find_keywords_column(
            texts, keywords, first_only=first_only, **options
        )
    of = partial(reference.find_keywords, keywords=keywords, first_only=first_only, **options)
    return compiled.find_column(texts, first_only, threads, of)
