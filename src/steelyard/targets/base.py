"""What a target is, and how the object somebody hands over becomes one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from steelyard.core.case import EvalTestCase
from steelyard.core.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetResult:
    """What came back: the output, what it cost, and the object it was taken from."""

    output: Any
    usage: Usage | None = None
    duration: float | None = None
    raw: Any = field(default=None, repr=False, compare=False)


@runtime_checkable
class Target(Protocol):
    """Anything that turns a case into an output; the runner times it, retries it, cancels it."""

    async def answer(self, case: EvalTestCase) -> TargetResult:
        """The output for a case. Raise `TargetError` (or anything) when there is none."""

    async def aclose(self) -> None:
        """Let go of connections; called once, when the run ends."""


class StillRunning(Exception):  # noqa: N818  # not an error: it says what goes on after a cancel
    """Raised when `answer` is cancelled but its work cannot be stopped; `ended` says when it is."""

    def __init__(self, ended: asyncio.Future[None]) -> None:
        super().__init__()
        self.ended = ended
