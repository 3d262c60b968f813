"""The compiled module of `native/python`; `native.py` is its only caller."""

from collections.abc import Callable, Sequence

from steelyard.kernels.column import Column, Mode, Span, TextColumn

version: str
debug: bool
unicode_versions: dict[str, str]

def dice(left: str, right: str, ignore_case: bool, ignore_whitespace: bool, /) -> float | None: ...
def dice_column(
    left: TextColumn,
    right: TextColumn,
    ignore_case: bool,
    ignore_whitespace: bool,
    threads: int,
    definition: Callable[[str, str], float],
    /,
) -> Column: ...
def compared(
    text: str, ignore_case: bool, ignore_whitespace: bool, ignore_diacritics: bool, /
) -> str | None: ...
def compared_column(
    texts: TextColumn,
    ignore_case: bool,
    ignore_whitespace: bool,
    ignore_diacritics: bool,
    threads: int,
    definition: Callable[[str], str],
    /,
) -> Column: ...

class Keywords:
    @staticmethod
    def compiled(
        keywords: Sequence[str],
        ignore_case: bool,
        whole_words: bool,
        ignore_diacritics: bool,
        /,
    ) -> Keywords | None: ...
    def contains(self, text: str, mode: Mode, /) -> bool | None: ...
    def count(self, text: str, /) -> list[int] | None: ...
    def find(self, text: str, first_only: bool, /) -> list[list[Span]] | None: ...
    def contains_column(
        self, texts: TextColumn, mode: Mode, threads: int, definition: Callable[[str], bool], /
    ) -> Column: ...
    def count_column(
        self, texts: TextColumn, threads: int, definition: Callable[[str], list[int]], /
    ) -> Column: ...
    def find_column(
        self,
        texts: TextColumn,
        first_only: bool,
        threads: int,
        definition: Callable[[str], list[list[Span]]],
        /,
    ) -> Column: ...
