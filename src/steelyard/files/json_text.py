"""JSON as its standard has it: no NaN, no infinity, nothing dropped silently."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.core.errors import DataError, shown
from steelyard.files.source import RecordProblem

_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING = r'"(?:[^"\\]|\\.)*"'


class _NumberProblem(Exception):  # noqa: N818  # becomes a RecordProblem once its line is known
    """A number that JSON does not have or that a float cannot hold."""

    def __init__(self, literal: str, message: str) -> None:
        self.literal, self.message = literal, message


def parse_json(text: str) -> Any:
    """The value of a JSON text; anything wrong is a `RecordProblem` with its line."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as problem:
        what = f"invalid JSON at column {problem.colno}: {problem.msg}"
        raise RecordProblem(what, problem.lineno) from None
    except _NumberProblem as problem:
        raise _placed(text, re.escape(problem.literal), problem.message) from None
    except RecursionError:
        raise RecordProblem("is nested too deep", None) from None
    except ValueError:  # the interpreter's limit on the digits of an int
        raise _placed(text, r"-?[0-9]{640,}", "has a whole number with too many digits") from None


def item_lines(text: str, key: str | None) -> Iterator[int]:
    """The line each item of a JSON array starts on: the document, or the array at `key`.

    The text must be valid and hold that array, which `parse_json` has seen to.
    """
    position = _array(text, key)
    line = 1 + text.count("\n", 0, position)
    while text[position] != "]":
        start = _skip(text, position + 1)
        line += text.count("\n", position, start)
        if text[start] == "]":
            return
        yield line
        position = _skip(text, _PLAIN.raw_decode(text, start)[1])
        line += text.count("\n", start, position)


def dump_json(value: Any, indent: int | None = None) -> str:
    """JSON in the script it was written in; a lone surrogate stays, as an escape."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def check_json(value: Any, where: str) -> None:
    """Raise `DataError` unless JSON can hold `value`, keys and numbers included."""
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"{where} is {value!r}; JSON has no such number")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise DataError(f"{where} has the key {shown(key)}; keys must be text (in quotes)")
            check_json(item, where)
    elif isinstance(value, list | tuple):
        for item in value:
            check_json(item, where)
    elif value is not None and not isinstance(value, str | int | float):
        raise DataError(f"{where} holds {shown(value)}; JSON has no such value")


def _placed(text: str, literal: str, message: str) -> RecordProblem:
    # A string may hold the same characters, so strings are matched first and passed over.
    for match in re.finditer(rf"{_STRING}|(?<![\w.+-])({literal})(?![\w.])", text):
        if match[1] is not None:
            start = match.start()
            column = start - text.rfind("\n", 0, start)
            return RecordProblem(f"{message} at column {column}", 1 + text.count("\n", 0, start))
    return RecordProblem(message, None)


def _array(text: str, key: str | None) -> int:
    position = _skip(text, 0)
    while key is not None:
        name, position = _PLAIN.raw_decode(text, _skip(text, position + 1))
        position = _skip(text, _skip(text, position) + 1)
        if name == key:
            break
        position = _skip(text, _PLAIN.raw_decode(text, position)[1])
    return position


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) != len(pairs):
        for key, value in pairs:
            if known[key] != value:
                problem = f"{key!r} comes twice in one object, as {shown(value)}"
                raise RecordProblem(f"{problem} and {shown(known[key])}", None)
    return known


def _float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _NumberProblem(literal, f"has the number {shown(literal)}, too large for a float,")
    return number


def _constant(literal: str) -> Any:
    raise _NumberProblem(literal, f"invalid JSON: {literal} is not a JSON number,")


_PLAIN = json.JSONDecoder()
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_constant=_constant
)
