"""Where the bytes come from: a path, a stream or stdin, and the format its name tells."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Literal, TypeAlias, cast

from steelyard.core.errors import DataError, OptionError
from steelyard.core.options import check_choice

Format: TypeAlias = Literal["jsonl", "json", "csv", "yaml"]
FORMATS: tuple[Format, ...] = ("jsonl", "json", "csv", "yaml")
_ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class RecordProblem(Exception):  # noqa: N818  # a problem of one record; it never leaves this package
    """What is wrong with a record, and on which line of the text at hand."""

    def __init__(self, message: str, line: int | None = 1) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def check_source(owner: str, source: object) -> None:
    """Raise now what would else come up only when the first case is asked for."""
    if isinstance(source, io.TextIOBase):
        raise OptionError(owner, "source", source, "opened in binary mode")
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "readline"):
        raise OptionError(owner, "source", source, 'a path, a binary stream, or "-" for stdin')
    if isinstance(source, str | os.PathLike) and source != "-":
        path = Path(os.fsdecode(source))
        os_guarded(path.stat, name_of(source), "read")
        if path.is_dir():
            raise DataError("is a directory; give a file", name_of(source))


def open_source(source: str | os.PathLike[str] | BinaryIO) -> AbstractContextManager[BinaryIO]:
    """The source's bytes; closes what it opens, and only that."""
    if source == "-":
        if sys.stdin is None:  # type: ignore[redundant-expr]  # None under pythonw and daemons
            raise DataError("there is no standard input", name_of(source))
        return nullcontext(sys.stdin.buffer)
    if isinstance(source, str | os.PathLike):
        path = Path(os.fsdecode(source))
        return cast("BinaryIO", os_guarded(lambda: path.open("rb"), name_of(source), "read"))
    return nullcontext(source)


def name_of(source: object) -> str:
    """The name that messages and ids use: the path as given, `<stdin>` or `<stream>`."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fsdecode(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def format_of(owner: str, name: str, format: str | None) -> Format:
    """The format given, else the one the name's ending tells, else JSONL for a bare stream."""
    check_choice(owner, "format", format, (None, *FORMATS))
    if format is not None:
        return cast("Format", format)
    if name.startswith("<"):
        return "jsonl"
    found = _ENDINGS.get(PurePath(name).suffix.lower())
    if found is None:
        choices = ", ".join(map(repr, FORMATS))
        known = f"known are {', '.join(_ENDINGS)}; or give the option format, one of {choices}"
        raise DataError(f"the ending of the name does not tell the format; {known}", name)
    return found


def delimiter_of(name: str) -> str:
    return "\t" if name.lower().endswith(".tsv") else ","


def lines(stream: BinaryIO, file: str) -> Iterator[bytes]:
    """The lines as they arrive, ends included, without a byte-order mark."""
    first = True
    while raw := os_guarded(stream.readline, file, "read"):
        yield _unmarked(raw, file) if first else raw
        first = False


def whole(stream: BinaryIO, file: str, most: int | None = None) -> bytes:
    """Everything, without a byte-order mark; more than `most` bytes is an error."""
    size = -1 if most is None else most + 1
    raw = _unmarked(os_guarded(lambda: stream.read(size), file, "read"), file)
    if most is not None and len(raw) > most:
        raise DataError(f"is larger than {most >> 20} MiB; use JSONL", file)
    return raw


def decoded(raw: bytes) -> str:
    """The text of UTF-8 bytes; `RecordProblem` names the line and the byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError as problem:
        before = raw[: problem.start]
        place = problem.start - before.rfind(b"\n")
        what = f"is not UTF-8: byte {place} of the line is 0x{raw[problem.start]:02x}"
        raise RecordProblem(what, before.count(b"\n") + 1) from None


def os_guarded(call: Callable[[], Any], file: str, verb: str) -> Any:
    """What `call` returns; an error of the operating system becomes a `DataError`."""
    try:
        return call()
    except OSError as problem:
        raise DataError(f"cannot be {_PAST[verb]}: {_reason(problem)}", file) from problem
    except ValueError as problem:  # a null character in a path, a closed stream
        raise DataError(f"cannot be {_PAST[verb]}: {problem}", file) from problem


_PAST = {"read": "read", "write": "written"}


def _reason(problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        return "there is no such file or directory"
    return re.sub("^[A-Z](?=[a-z])", lambda m: m[0].lower(), problem.strerror or str(problem))


def _unmarked(raw: Any, file: str) -> bytes:
    if not isinstance(raw, bytes):
        raise DataError("the stream gives text; open it in binary mode", file)
    if raw.startswith(_UTF_16):
        raise DataError("is UTF-16; convert it to UTF-8", file)
    return raw.removeprefix(_BYTE_ORDER_MARK)
