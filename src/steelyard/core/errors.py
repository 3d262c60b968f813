"""Everything Steelyard raises, one tree under one base class.

    SteelyardError
    ├── OptionError        an option of a scorer, target, gate or run is wrong (ValueError)
    ├── FieldError         a case lacks a field a scorer needs, or it has the wrong type
    ├── TextError          a text cannot be compared (ValueError)
    ├── StepError          the steps of a scorer are declared or used wrongly (TypeError)
    ├── ScoreError         a step returned something that is not a score on the scorer's scale
    ├── DataError          a record of a file or of the given data is wrong (ValueError)
    ├── ConfigError        a configuration file is wrong (ValueError)
    ├── TargetError        a target did not give an output
    ├── RunError           a run cannot start, or would mean nothing
    ├── ExtraError         an optional package is not installed (ImportError)
    └── LoopError          waiting here would wait forever (RuntimeError)

A message says what was wrong (the value in `!r`), where, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import Repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.core.run import EvalRun

_SHOWN = 80
_BOUNDED = Repr()  # of nested values: a few levels and elements, however many there are
_BOUNDED.maxother = _BOUNDED.maxstring = _SHOWN


def shown(value: object) -> str:
    """`repr`, cut to one short line so that a hostile value cannot flood a message."""
    text = repr(value[: _SHOWN + 1]) if isinstance(value, str | bytes) else _BOUNDED.repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence that suggests the known word nearest to `word`, or nothing."""
    from difflib import get_close_matches  # only a wrong name pays for the import

    found = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


class SteelyardError(Exception):
    """The base of every error this package raises on purpose."""


class OptionError(SteelyardError, ValueError):
    """An option has a value that is not allowed."""

    def __init__(self, owner: str, option: str, value: object, allowed: str) -> None:
        super().__init__(f"{owner}: {option} is {shown(value)}; it must be {allowed}")
        self.owner, self.option, self.value, self.allowed = owner, option, value, allowed


class FieldError(SteelyardError):
    """A field of a case is missing or is not what the scorer needs."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} {problem}")
        self.field = field


class TextError(SteelyardError, ValueError):
    """A text cannot be compared; `offset` says where, in the text as given."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class StepError(SteelyardError, TypeError):
    """The steps of a scorer are declared or used wrongly."""


class ScoreError(SteelyardError):
    """A step returned something that is not a score on the scorer's scale."""


class DataError(SteelyardError, ValueError):
    """A record cannot be read; `file` and `line` say where."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(_located(message, file, line))
        self.file, self.line = file, line


class ConfigError(SteelyardError, ValueError):
    """A configuration file is wrong; `file`, `line` and `key` say where."""

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(_located(f"{key}: {message}" if key else message, file, line))
        self.file, self.line, self.key = file, line, key


class TargetError(SteelyardError):
    """A target did not give an output.

    `retry_after` is the wait in seconds that a server asked for; a target that
    knows another try cannot help sets `retryable=False`.
    """

    def __init__(
        self, message: str, *, retryable: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.retryable, self.retry_after = retryable, retry_after


class RunError(SteelyardError):
    """A run cannot start or would mean nothing; `run` holds what was finished."""

    def __init__(self, message: str, run: EvalRun | None = None) -> None:
        super().__init__(message)
        self.run = run


class ExtraError(SteelyardError, ImportError):
    """An optional package that is needed here is not installed."""


class LoopError(SteelyardError, RuntimeError):
    """A blocking call was made on the thread it would wait for."""


def _located(message: str, file: str | None, line: int | None) -> str:
    where: list[Any] = [part for part in (file, line) if part is not None]
    return f"{':'.join(map(str, where))}: {message}" if where else message
