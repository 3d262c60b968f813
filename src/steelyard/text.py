"""What "the same text" means: folding, white space, segments, words, and the text of messages.

Everything works on Unicode code points. The pure-Python definitions live here; the
kernels build on them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from steelyard.core.errors import FieldError, TextError, shown

if TYPE_CHECKING:
    import regex

MARKS_IN_A_ROW = 1000
"""The most combining marks that may follow each other; NFC is quadratic in them."""

_INVISIBLE_SPACES = ("\ufeff", "\u200b", "\u2060")
_LETTERS_WITH_MARKS = "йїўЙЇЎ"


# --- white space -----------------------------------------------------------------------


def is_space(character: str) -> bool:
    """Whether a character is white space: `str.isspace`, U+FEFF, U+200B or U+2060."""
    return character.isspace() or character in _INVISIBLE_SPACES


def is_blank(text: str) -> bool:
    """Whether a text is empty or nothing but white space."""
    return all(map(is_space, text))


def remove_whitespace(text: str) -> str:
    """The text without any white space.

    >>> remove_whitespace(" a\\u200b b\\n")
    'ab'
    """
    return "".join(_visible(text, "").split())


def collapse_whitespace(text: str) -> str:
    """The text with each run of white space as one space, and none at its ends.

    >>> collapse_whitespace(" a\\u200b b\\n")
    'a b'
    """
    return " ".join(_visible(text, " ").split())


def _visible(text: str, replacement: str) -> str:
    if not text.isascii():
        for space in _INVISIBLE_SPACES:
            text = text.replace(space, replacement)
    return text


# --- folding ---------------------------------------------------------------------------


def fold(text: str, *, ignore_case: bool = False, ignore_diacritics: bool = False) -> str:
    """The text in the form in which it is compared: NFC, then case-folded, then NFC again.

    Raises `TextError` for more than 1 000 combining marks in a row. Case folding is
    Unicode's full one (`str.casefold`), so `STRASSE` folds as `straße` does.

    >>> fold("Straße", ignore_case=True), fold("жёлтый", ignore_diacritics=True)
    ('strasse', 'желтый')
    """
    if text.isascii():
        return text.lower() if ignore_case else text
    check_marks(text)
    text = unicodedata.normalize("NFC", text)
    if ignore_diacritics:
        text = _without_diacritics(text)
    return unicodedata.normalize("NFC", text.casefold()) if ignore_case else text


def check_marks(text: str) -> None:
    """Raise `TextError` where more than 1 000 combining marks follow each other."""
    first = _tower(text)
    if first is not None:
        raise _too_many_marks(first)


def _tower(text: str) -> int | None:
    """The offset of the first run of too many marks, if there is one."""
    # A run that long covers every 1001st character, so only those need a look.
    for probe in range(MARKS_IN_A_ROW, len(text), MARKS_IN_A_ROW + 1):
        if _is_mark(text[probe]):
            first = probe
            while first and _is_mark(text[first - 1]):
                first -= 1
            end = first + MARKS_IN_A_ROW + 1
            if len(text) >= end and all(map(_is_mark, text[probe:end])):
                return first
    return None


def _too_many_marks(offset: int) -> TextError:
    return TextError(
        f"more than {MARKS_IN_A_ROW} combining marks in a row at offset {offset}; no written"
        " language has them, so shorten or drop the text",
        offset,
    )


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def squeezed(text: str) -> str:
    """The text without white space, checked for marks; the error's offset is in `text`."""
    bare = remove_whitespace(text)
    first = _tower(bare)
    if first is not None:
        visible = [k for k, character in enumerate(text) if not is_space(character)]
        raise _too_many_marks(visible[first])
    return bare


def _without_diacritics(text: str) -> str:
    """NFC text without the marks that `ignore_diacritics` leaves out, in NFC.

    Marks (of a combining class other than 0) on Latin, Greek and Cyrillic letters go,
    Arabic harakat and Hebrew points go; й, ї and ў are letters of their own and stay.
    """
    apart = "".join(
        piece if piece in _LETTERS_WITH_MARKS else unicodedata.normalize("NFD", piece)
        for piece in _pattern(rf"([{_LETTERS_WITH_MARKS}])").split(text)
    )
    bare = _pattern(_DIACRITICS).sub(r"\1", apart)
    return unicodedata.normalize("NFC", bare)


_DIACRITICS = (
    r"(?V1)([[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]&&\p{L}])\P{ccc=0}+"
    r"|[\u064B-\u0652\u0670]"
    r"|[\u05B0-\u05BD\u05BF\u05C1\u05C2\u05C7\uFB1E]"
)


@lru_cache(maxsize=32)
def _pattern(source: str) -> regex.Pattern[str]:
    import regex  # 30 ms that texts without diacritics or word options need not pay

    return regex.compile(source)


# --- canonical segments ----------------------------------------------------------------

_COMPOSES_BACKWARD = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e"
    "\u1b35\U00011127\U0001133e\U00011357\U000113b8\U000113bb\U000113c2\U000113c5\U000113c7"
    "\U000113c8\U000113c9\U000114b0\U000114ba\U000114bd\U000115af\U00011930\U0001611e"
    "\U0001611f\U00016120\U00016121\U00016122\U00016123\U00016124\U00016125\U00016126"
    "\U00016127\U00016128\U00016129\U00016d67"
) | {
    chr(point) for start, end in ((0x1161, 0x1176), (0x11A8, 0x11C3)) for point in range(start, end)
}
"""Characters of combining class 0 that NFC may join to the one before (Unicode to 16.0)."""


@lru_cache(maxsize=65536)
def starts_segment(character: str) -> bool:
    """Whether a canonical segment begins here: NFC never joins this to what is before it."""
    if character < "\u0300":
        return True
    first = unicodedata.normalize("NFD", character)[0]
    return unicodedata.combining(first) == 0 and first not in _COMPOSES_BACKWARD


def segments(text: str) -> Iterator[str]:
    """The canonical segments of a text: a character with all that NFC could join to it.

    >>> [len(segment) for segment in segments("e\\u0301a")]
    [2, 1]
    """
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or starts_segment(text[end]):
            yield text[start:end]
            start = end


# --- words -----------------------------------------------------------------------------

_WORD_EDGE = r"(?V1w)\b"
_WORD = r"[\p{Alphabetic}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]"
_NO_SPACES = (
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}]"
)


def words(text: str) -> list[str]:
    """The words of a text: the segments of UAX #29 that hold a letter, a digit or a picture.

    >>> words("Don't stop: 18.5 km!")
    ["Don't", 'stop', '18.5', 'km']
    """
    is_word = _pattern(_WORD).search
    return [piece for piece in _pattern(_WORD_EDGE).split(text) if is_word(piece)]


def is_word_edge(text: str, offset: int) -> bool:
    """Whether no word runs across `offset`.

    That is a boundary of UAX #29, or any place that touches a script written without
    spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar).
    """
    if _pattern(_WORD_EDGE).match(text, offset):
        return True
    return _pattern(_NO_SPACES).search(text[max(0, offset - 1) : offset + 1]) is not None


# --- the text of a field ---------------------------------------------------------------

TextField = Literal["input", "actual_output", "expected_output"]
_TEXT_PARTS = (None, "text", "input_text", "output_text")


def text_of(value: Any, field: TextField) -> str:
    """The text of a field of a case.

    A string is itself. Of a list of chat messages it is the text parts of the
    assistant's messages (of the user's, for `input`) joined by newlines. Anything else
    raises `FieldError` with the field and the type.

    >>> text_of([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
    ...         "actual_output")
    'Hello'
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise FieldError(field, "is missing")
    if not isinstance(value, list | tuple) or not value or not _are_messages(value):
        kind = type(value).__name__
        raise FieldError(field, f"is of type {kind} ({shown(value)}), not text or chat messages")
    role = "user" if field == "input" else "assistant"
    parts = [
        part
        for place, message in enumerate(value)
        if message["role"] == role
        for part in _text_parts(message.get("content"), f"{field}[{place}].content")
    ]
    if not parts:
        raise FieldError(field, f"is a list of messages without text from the {role}")
    return "\n".join(parts)


def _are_messages(value: Any) -> bool:
    return all(isinstance(m, Mapping) and isinstance(m.get("role"), str) for m in value)


def _text_parts(content: Any, where: str) -> list[str]:
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list | tuple):
        raise FieldError(where, f"is of type {type(content).__name__}, not text or a list of parts")
    return [text for place, part in enumerate(content) for text in _of_part(part, where, place)]


def _of_part(part: Any, where: str, place: int) -> list[str]:
    if isinstance(part, str):
        return [part]
    if not isinstance(part, Mapping):
        raise FieldError(f"{where}[{place}]", f"is of type {type(part).__name__}, not a part")
    if part.get("type") not in _TEXT_PARTS:
        return []
    text = part.get("text")
    if not isinstance(text, str):
        raise FieldError(f"{where}[{place}].text", f"is {shown(text)}, not text")
    return [text]
