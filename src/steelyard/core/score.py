"""`Score`: what one scorer said of one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.core.usage import Usage

Status = Literal["scored", "not_scorable", "error"]
_MESSAGE = 2000

Explanation = tuple[Any, Any, str | None]
"""Preprocess result, analyze result, reason."""


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An exception as data: its type, its message, and the step it came from."""

    type: str
    message: str
    step: str | None = None

    @classmethod
    def of(cls, error: BaseException, step: str | None) -> ErrorInfo:
        """The error as data, its message cut to 2 000 characters."""
        message = str(error) or repr(error)
        cut = message if len(message) <= _MESSAGE else f"{message[:_MESSAGE]}…"
        return cls(type(error).__name__, cut, step)


class _Explained:
    """Lets a score work out its explanation when somebody first reads it."""

    __slots__ = ("_explain",)
    _explain: Callable[[], Explanation]

    def __getattr__(self, name: str) -> Any:
        # Reached only for a slot that is not set: one of the three left to `_explain`.
        if name not in _LAZY:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        for slot, value in zip(_LAZY, self._explain(), strict=True):
            object.__setattr__(self, slot, value)
        return getattr(self, name)


_LAZY = ("preprocess_step_result", "analyze_step_result", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(_Explained):
    """What one scorer said of one case.

    `score` is a finite float on the scorer's scale, or None where `status` is
    `not_scorable` or `error`. `success` is None without a threshold or a score.
    `duration` is in seconds. Two scores are equal whatever their run, cost and time.
    """

    scorer_id: str
    score: float | None
    status: Status
    threshold: float | None = None
    success: bool | None = None
    reason: str | None = None
    preprocess_step_result: Any = None
    analyze_step_result: Any = None
    error: ErrorInfo | None = None
    ground_truth: Any = None
    run_id: str | None = field(default=None, compare=False)
    usage: Usage | None = field(default=None, compare=False)
    duration: float | None = field(default=None, compare=False)


def lazily_explained(score: Score, explain: Callable[[], Explanation]) -> Score:
    """The same score, whose steps' results and reason come from `explain` on first read."""
    for slot in _LAZY:
        object.__delattr__(score, slot)
    object.__setattr__(score, "_explain", explain)
    return score


def in_run(score: Score, run_id: str) -> Score:
    """The same score, marked as part of a run; its explanation stays unread."""
    object.__setattr__(score, "run_id", run_id)
    return score
