"""The kernels in plain Python: the definition that faster ones must match to the bit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Any

from steelyard.kernels.column import Mode, Span, check_mode
from steelyard.text import fold, is_word_edge, segments, squeezed, starts_segment


def overlap(left: Iterable[Any], right: Iterable[Any]) -> float | None:
    """The Sørensen–Dice coefficient of two multisets, None when both are empty.

    `2·common / (size_left + size_right)`; Dice, "Measures of the Amount of Ecologic
    Association Between Species", Ecology 26 (1945).

    >>> overlap("abc", "bcd")
    0.6666666666666666
    """
    counts, others = Counter(left), Counter(right)
    total = counts.total() + others.total()
    return 2 * (counts & others).total() / total if total else None


def dice(
    left: str, right: str, *, ignore_case: bool = True, ignore_whitespace: bool = True
) -> float:
    """How alike two texts are: `overlap` of their pairs of adjacent characters, 0 to 1.

    White space is removed first where it does not count, then the texts are folded.
    Equal texts are 1.0; otherwise a text of fewer than two characters makes 0.0.
    Raises `TextError` for more than 1 000 combining marks in a row.

    >>> dice("night", "nacht")
    0.25
    """
    left, right = (
        compared(text, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace)
        for text in (left, right)
    )
    if left == right:
        return 1.0
    if len(left) < 2 or len(right) < 2:
        return 0.0
    unmatched, common = Counter(pairwise(left)), 0
    for pair in pairwise(right):  # quicker than counting both sides and intersecting
        if unmatched.get(pair):
            unmatched[pair] -= 1
            common += 1
    return 2 * common / (len(left) + len(right) - 2)


def compared(
    text: str,
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    ignore_diacritics: bool = False,
) -> str:
    """A text in the form in which it is compared: as `dice` does, if nothing else is said.

    Raises `TextError` for more than 1 000 combining marks in a row.

    >>> compared("Grüße, Welt")
    'grüsse,welt'
    """
    bare = squeezed(text) if ignore_whitespace else text
    return fold(bare, ignore_case=ignore_case, ignore_diacritics=ignore_diacritics)


SUBSEQUENCE_LIMIT = 20_000
"""Sequences longer than this are not aligned: the work grows with the product of lengths."""


def subsequence(left: Sequence[str], right: Sequence[str]) -> int | None:
    """The length of the longest common subsequence, None for more than 20 000 elements.

    >>> subsequence(["a", "b", "c"], ["c", "a", "b"])
    2
    """
    from rapidfuzz.distance import LCSseq  # 40 ms, and only an explanation needs it

    if max(len(left), len(right)) > SUBSEQUENCE_LIMIT:
        return None
    numbers: dict[str, int] = {}
    # Numbers, since RapidFuzz compares anything else by its hash.
    as_numbers = [
        [numbers.setdefault(word, len(numbers)) for word in side] for side in (left, right)
    ]
    return LCSseq.similarity(*as_numbers)


def find_keywords(
    text: str,
    keywords: Sequence[str],
    *,
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
    first_only: bool = False,
) -> list[list[Span]]:
    """For each keyword its occurrences: leftmost, shortest, not overlapping.

    A keyword occurs at `text[i:j]` when that folds as the keyword does and both ends are
    boundaries of canonical segments; with `whole_words` they are word edges too. With
    `first_only` at most one occurrence each is looked for. Raises `TextError` for more
    than 1 000 combining marks in a row.

    >>> find_keywords("Straße, STRASSE", ["strasse", "rass"], ignore_case=True)
    [[(0, 6), (8, 15)], [(2, 5), (10, 14)]]
    """
    folds = (ignore_case, ignore_diacritics)
    folded = _FoldedText(text, folds)
    found = []
    for keyword in keywords:
        spans = folded.occurrences(_folded(keyword, *folds), whole_words)
        found.append([next(spans, ())] if first_only else list(spans))
    return [[span for span in spans if span] for spans in found]


def count_keywords(
    text: str,
    keywords: Sequence[str],
    *,
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
) -> list[int]:
    """How often each keyword occurs in a text; see `find_keywords`.

    >>> count_keywords("a cat, a cat", ["cat", "dog"])
    [2, 0]
    """
    spans = find_keywords(
        text,
        keywords,
        ignore_case=ignore_case,
        whole_words=whole_words,
        ignore_diacritics=ignore_diacritics,
    )
    return list(map(len, spans))


def contains(
    text: str,
    keywords: Sequence[str],
    *,
    mode: Mode = "any",
    ignore_case: bool = False,
    whole_words: bool = False,
    ignore_diacritics: bool = False,
) -> bool:
    """Whether any, all or none of the keywords occur in a text; see `find_keywords`.

    >>> contains("a cat", ["cat", "dog"]), contains("a cat", ["cat", "dog"], mode="all")
    (True, False)
    """
    check_mode(mode)
    spans = find_keywords(
        text,
        keywords,
        ignore_case=ignore_case,
        whole_words=whole_words,
        ignore_diacritics=ignore_diacritics,
        first_only=True,
    )
    return all(spans) if mode == "all" else any(spans) == (mode == "any")


def _folded(text: str, ignore_case: bool, ignore_diacritics: bool) -> str:
    """`fold`, remembered where short: the same keywords and characters come again and again."""
    folded = _remembered if len(text) <= 64 else fold
    return folded(text, ignore_case=ignore_case, ignore_diacritics=ignore_diacritics)


_remembered = lru_cache(maxsize=65536)(fold)


class _FoldedText:
    """A text, its folded form, and which offsets of the two belong together."""

    def __init__(self, text: str, folds: tuple[bool, bool]) -> None:
        self.text, self._folds = text, folds
        self.folded = _folded(text, *folds)

    def occurrences(self, keyword: str, whole_words: bool) -> Iterator[Span]:
        start, free_from = self.folded.find(keyword), 0
        while start >= 0:
            span = self._span(start, start + len(keyword), free_from, whole_words)
            if span:
                yield span
                free_from = span[1]
            start = self.folded.find(keyword, start + (len(keyword) if span else 1))

    def _span(self, start: int, end: int, free_from: int, whole_words: bool) -> Span | None:
        """The leftmost, shortest span of the text that folds to `folded[start:end]`."""
        for i in self._offsets(start):
            if i < free_from or (whole_words and not is_word_edge(self.text, i)):
                continue
            for j in self._offsets(end):
                if j > i and not (whole_words and not is_word_edge(self.text, j)):
                    return i, j
        return None

    def _offsets(self, folded_offset: int) -> Sequence[int]:
        """The segment boundaries of the text that stand at an offset of the folded form.

        There are several where a segment folds to nothing, as a stray diacritic may.
        """
        if self.text.isascii():
            return (folded_offset,)
        offsets, folded_offsets = self._boundaries
        first = bisect_left(folded_offsets, folded_offset)
        return offsets[first : bisect_right(folded_offsets, folded_offset, first)]

    @cached_property
    def _boundaries(self) -> tuple[Sequence[int], Sequence[int]]:
        """The boundaries of the text's segments, and where each is in the folded form."""
        pieces: Sequence[str] = self.text
        offsets: Sequence[int] = range(len(self.text) + 1)
        if not all(map(starts_segment, self.text[1:])):
            pieces = list(segments(self.text))
            offsets = list(accumulate(map(len, pieces), initial=0))
        folded_lengths = map(_folded_lengths(*self._folds).__getitem__, pieces)
        return offsets, list(accumulate(folded_lengths, initial=0))


class _FoldedLengths(dict[str, int]):
    """How long a segment is once folded; remembered for single characters."""

    def __init__(self, folds: tuple[bool, bool]) -> None:
        super().__init__()
        self._folds = folds

    def __missing__(self, segment: str) -> int:
        length = len(_folded(segment, *self._folds))
        if len(segment) == 1:
            self[segment] = length
        return length


@lru_cache(maxsize=4)
def _folded_lengths(*folds: bool) -> _FoldedLengths:
    return _FoldedLengths((folds[0], folds[1]))
