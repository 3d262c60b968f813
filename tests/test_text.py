"""What "the same text" means, against plainer definitions."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings

from steelyard.core.errors import FieldError, TextError
from steelyard.text import (
    _COMPOSES_BACKWARD,
    collapse_whitespace,
    fold,
    is_word_edge,
    remove_whitespace,
    segments,
    squeezed,
    text_of,
    words,
)
from tests.strategies import texts


def is_space(character: str) -> bool:
    return character.isspace() or character in "\ufeff\u200b\u2060"


@given(texts)
def test_whitespace_is_what_the_design_says(text: str) -> None:
    assert remove_whitespace(text) == "".join(c for c in text if not is_space(c))
    collapsed = "".join(" " if is_space(c) else c for c in text).split(" ")
    assert collapse_whitespace(text) == " ".join(part for part in collapsed if part)


@given(texts)
def test_canonically_equal_texts_fold_alike(text: str) -> None:
    for form in ("NFC", "NFD"):
        other = unicodedata.normalize(form, text)
        for case in (True, False):
            for marks in (True, False):
                options = {"ignore_case": case, "ignore_diacritics": marks}
                assert fold(other, **options) == fold(text, **options)


@given(texts)
@settings(max_examples=300)
def test_folding_works_segment_by_segment(text: str) -> None:
    """What the alignment of offsets rests on: no folding reaches across a boundary."""
    assert "".join(segments(text)) == text
    for case in (True, False):
        for marks in (True, False):
            options = {"ignore_case": case, "ignore_diacritics": marks}
            pieces = "".join(fold(piece, **options) for piece in segments(text))
            assert pieces == fold(text, **options)


def test_backward_composing_characters_are_those_of_this_python() -> None:
    """The table holds every starter that NFC joins to the character before it."""
    found = set()
    for point in range(0x110000):
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            second = chr(int(parts[1], 16))
            composed = unicodedata.normalize("NFC", chr(int(parts[0], 16)) + second)
            if unicodedata.combining(second) == 0 and composed == chr(point):
                found.add(second)
    hangul = {chr(p) for p in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    assert found | hangul <= _COMPOSES_BACKWARD


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Citroën", "Citroen"),
        ("жёлтый", "желтый"),
        ("її ў й́", "її ў й"),
        ("łøđ", "łøđ"),
        ("が", "が"),
        ("कि", "कि"),
        ("كِتَاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("ΐ ᾳ", "ι α"),
    ],
)
def test_diacritics(text: str, bare: str) -> None:
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text), ignore_diacritics=True) == bare


def test_too_many_marks_are_refused_with_their_offset() -> None:
    fold("a" + "\u0301" * 1000)
    with pytest.raises(TextError, match="offset 1;") as caught:
        fold("a" + "\u0301" * 1001)
    assert caught.value.offset == 1


def test_marks_that_meet_once_white_space_is_gone_are_refused_too() -> None:
    text = "ab " + ("\u0301" * 600 + " ") * 2
    fold(text)
    with pytest.raises(TextError) as caught:
        squeezed(text)
    assert caught.value.offset == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't stop: 18.5 km!", ["Don't", "stop", "18.5", "km"]),
        ("今天好", ["今", "天", "好"]),
        ("👍🏽 ok", ["👍🏽", "ok"]),
        (" … ", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_word_edges_of_scripts_without_spaces() -> None:
    assert is_word_edge("東京タワービル", 4)
    assert not is_word_edge("18.5", 2)
    assert is_word_edge("AI模型", 2)


USER = {"role": "user", "content": "Hi"}
MODEL = {"role": "assistant", "content": [{"type": "text", "text": "Hello"}, {"type": "image"}]}


def test_text_of_messages_is_that_of_the_right_role() -> None:
    assert text_of([USER, MODEL, MODEL], "actual_output") == "Hello\nHello"
    assert text_of([USER, MODEL], "input") == "Hi"
    assert text_of("", "input") == ""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "actual_output is missing"),
        (0, "actual_output is of type int"),
        (False, "actual_output is of type bool"),
        ({"a": 1}, "actual_output is of type dict"),
        ([], "actual_output is of type list"),
        (["a"], "actual_output is of type list"),
        ([USER], "without text from the assistant"),
        ([{"role": "assistant", "content": 3}], r"actual_output\[0\].content is of type int"),
        ([{"role": "assistant", "content": [3]}], r"content\[0\] is of type int"),
        ([{"role": "assistant", "content": None}], "without text"),
    ],
)
def test_text_of_anything_else_is_an_error(value: object, message: str) -> None:
    with pytest.raises(FieldError, match=message):
        text_of(value, "actual_output")
