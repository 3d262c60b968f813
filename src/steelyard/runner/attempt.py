"""Asking a target: the time limit, the tries, and the waits between them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.score import ErrorInfo
from steelyard.targets.base import StillRunning, Target, TargetResult
from steelyard.targets.retry_after import retry_after

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the second try, and at most between any two."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking: a result or an error, and a future for work that goes on."""

    attempts: int
    duration: float
    result: TargetResult | None = None
    error: ErrorInfo | None = None
    still_running: asyncio.Future[None] | None = None


async def ask(target: Target, case: EvalTestCase, timeout: float | None, retries: int) -> Answer:
    """Ask for an output, up to `retries` times more; the error is the last one's.

    A plain function that times out still runs, so it is not asked again.
    """
    for attempt in range(1, retries + 2):
        started = perf_counter()
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                result = await target.answer(case)
            return Answer(attempt, perf_counter() - started, result)
        except StillRunning as still:
            if not limit.expired():
                raise asyncio.CancelledError from None
            seconds = perf_counter() - started
            return Answer(attempt, seconds, error=_too_slow(timeout), still_running=still.ended)
        except (Exception, asyncio.CancelledError, SystemExit) as error:
            if ends_the_run(error):
                raise
            seconds = perf_counter() - started
            info = _too_slow(timeout) if limit.expired() else ErrorInfo.of(error, "target")
            if attempt > retries or not getattr(error, "retryable", True):
                return Answer(attempt, seconds, error=info)
            await asyncio.sleep(_wait(attempt, error))
    raise AssertionError("the last attempt returns")


def ends_the_run(error: BaseException) -> bool:
    """Whether an exception is the run's own cancellation, and not one that somebody raised."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _too_slow(timeout: float | None) -> ErrorInfo:
    return ErrorInfo("TimeoutError", f"no answer within {timeout:g} s", "target")


def _wait(attempt: int, error: BaseException) -> float:
    """Seconds until the next try: what the server asked for, else doubling, with jitter."""
    asked = asked_wait(error)
    if asked is not None:
        return asked
    longest: float = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  # jitter keeps no secret


def asked_wait(error: BaseException) -> float | None:
    """The wait in seconds that an exception carries, as `retry_after` or in its response.

    A `response` with status 429 or 503 and a `Retry-After` header counts, so that the
    exceptions of HTTP and provider clients are understood.
    """
    asked = getattr(error, "retry_after", None)
    response = getattr(error, "response", None)
    if asked is None and getattr(response, "status_code", None) in (429, 503):
        asked = _header(getattr(response, "headers", None))
    return None if asked is None else retry_after(str(asked))


def _header(headers: Any) -> Any:
    if not isinstance(headers, Mapping):
        return None
    return next((v for k, v in headers.items() if str(k).lower() == "retry-after"), None)
