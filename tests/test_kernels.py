"""The kernels against definitions that are slow and plain."""

from __future__ import annotations

import unicodedata
from collections import Counter

import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.kernels import compared, dice, find_keywords, overlap, subsequence
from steelyard.text import fold, segments
from tests.strategies import keywords, short_texts, texts


@given(texts, texts, st.booleans(), st.booleans())
def test_similarity_is_symmetric_and_in_range(
    left: str, right: str, case: bool, space: bool
) -> None:
    score = dice(left, right, ignore_case=case, ignore_whitespace=space)
    assert score == dice(right, left, ignore_case=case, ignore_whitespace=space)
    assert 0.0 <= score <= 1.0


@given(texts)
def test_similarity_of_a_text_with_itself_is_one(text: str) -> None:
    assert dice(text, text) == 1.0
    assert dice(text, unicodedata.normalize("NFD", text)) == 1.0


pairs = st.text("ab", max_size=7)


@given(pairs, pairs)
def test_one_means_equal_texts_or_equal_pairs(left: str, right: str) -> None:
    """1.0 exactly for equal texts or, from two characters on, equal multisets of pairs."""

    def counted(text: str) -> Counter[str]:
        return Counter(text[k : k + 2] for k in range(len(text) - 1))

    both = min(len(left), len(right)) >= 2
    assert (dice(left, right) == 1.0) == (
        left == right or (both and counted(left) == counted(right))
    )
    assert dice("abaab", "aabab") == 1.0


@given(texts, texts)
def test_similarity_is_the_definition(left: str, right: str) -> None:
    a, b = compared(left), compared(right)
    assume(a != b and min(len(a), len(b)) >= 2)
    pairs_left, pairs_right = (Counter(map(str.__add__, t, t[1:])) for t in (a, b))
    common = (pairs_left & pairs_right).total()
    assert dice(left, right) == 2 * common / (pairs_left.total() + pairs_right.total())


def naive(text: str, keyword: str, case: bool, whole: bool, marks: bool) -> list[list[int]]:
    """Every pair of offsets, tried in order: the design's definition as it stands."""
    options = {"ignore_case": case, "ignore_diacritics": marks}
    boundaries = [0]
    for segment in segments(text):
        boundaries.append(boundaries[-1] + len(segment))
    if whole:
        boundaries = [k for k in boundaries if is_edge(text, k)]
    wanted, found, free = fold(keyword, **options), [], 0
    for i in boundaries:
        for j in boundaries:
            if free <= i < j and fold(text[i:j], **options) == wanted:
                found.append([i, j])
                free = j
                break
    return found


def is_edge(text: str, k: int) -> bool:
    scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
    touching = text[max(k - 1, 0) : k + 1]
    return any(m.start() == k for m in regex.finditer(r"(?w)\b", text)) or any(
        regex.search(rf"\p{{Script={script}}}", touching) for script in scripts
    )


@given(short_texts, keywords, st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=1500, deadline=None)
def test_occurrences_are_the_definition(
    text: str, keyword: str, case: bool, whole: bool, marks: bool
) -> None:
    assume(fold(keyword, ignore_case=case, ignore_diacritics=marks))
    [spans] = find_keywords(
        text, [keyword], ignore_case=case, whole_words=whole, ignore_diacritics=marks
    )
    assert [list(span) for span in spans] == naive(text, keyword, case, whole, marks)


@given(short_texts, st.lists(keywords, min_size=1, max_size=3), st.booleans())
def test_first_only_finds_the_first(text: str, wanted: list[str], case: bool) -> None:
    every = find_keywords(text, wanted, ignore_case=case)
    assert find_keywords(text, wanted, ignore_case=case, first_only=True) == [s[:1] for s in every]


def test_part_of_an_expansion_is_no_match() -> None:
    assert find_keywords("straße", ["stras", "s"], ignore_case=True) == [[], [(0, 1)]]
    assert find_keywords("straße", ["strass"], ignore_case=True) == [[(0, 5)]]
    assert find_keywords("café", ["cafe"]) == [[]]
    assert find_keywords("cafe\u0301", ["cafe"]) == [[]]


def test_whole_words() -> None:
    find = {"whole_words": True}
    assert find_keywords("18.5", ["18"], **find) == [[]]
    assert find_keywords("18 and 18", ["18"], **find) == [[(0, 2), (7, 9)]]
    assert find_keywords("I like C++!", ["C++"], **find) == [[(7, 10)]]
    assert find_keywords("東京タワー", ["京"], **find) == [[(1, 2)]]
    assert find_keywords("category cat", ["cat"], **find) == [[(9, 12)]]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_subsequence_and_overlap_are_the_definitions(left: list[str], right: list[str]) -> None:
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    assert subsequence(left, right) == rows[-1][-1]
    total = len(left) + len(right)
    common = (Counter(left) & Counter(right)).total()
    assert overlap(left, right) == (2 * common / total if total else None)
