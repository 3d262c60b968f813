"""The four steps of a scorer: what they are given, how they run, what may come out."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field, replace
from numbers import Real
from time import perf_counter
from typing import Any, Protocol

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import ScoreError, shown
from steelyard.core.score import ErrorInfo, Score

STEP_NAMES = ("preprocess", "analyze", "generate_score", "generate_reason")


@dataclass(frozen=True, slots=True)
class ScorerInput:
    """What a step is asked about: the case, and its fields by the names callers use."""

    case: EvalTestCase
    run_id: str | None = None
    context: Any = None

    @property
    def input(self) -> Any:
        return self.case.input

    @property
    def output(self) -> Any:
        return self.case.actual_output

    @property
    def ground_truth(self) -> Any:
        return self.case.expected_output


@dataclass(slots=True)
class StepResults:
    """What the steps before this one returned."""

    preprocess_step_result: Any = None
    analyze_step_result: Any = None


@dataclass(slots=True)
class StepContext:
    """The one argument of every step; `score` is there for the reason."""

    run: ScorerInput
    results: StepResults = field(default_factory=StepResults)
    score: float | None = None


@dataclass(frozen=True, slots=True)
class NotScorable:
    """Returned by a step that finds nothing to judge."""

    reason: str


Step = Callable[[StepContext], Any]


class Scale(Protocol):
    """What a score needs to know of its scorer."""

    @property
    def id(self) -> str: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def best(self) -> float: ...
    @property
    def worst(self) -> float: ...
    def steps(self) -> tuple[tuple[str, Step], ...]: ...


def not_scorable(reason: str) -> NotScorable:
    """What a step returns when there is nothing to judge: no later step runs, the score is None.

    >>> not_scorable("the reference has no keywords")
    NotScorable(reason='the reference has no keywords')
    """
    return NotScorable(reason)


def run_steps(
    scorer: Scale, run: ScorerInput, catch: tuple[type[Exception], ...]
) -> Generator[Awaitable[Any], Any, Score]:
    """Run a scorer's steps in their order; yields what must be awaited, returns the `Score`.

    An exception in `catch` becomes a score of status `error`; any other propagates.
    """
    started = perf_counter()
    context = StepContext(run)
    reason: str | None = None
    step = None
    try:
        for step, function in scorer.steps():
            value = function(context)
            if isinstance(value, Awaitable):
                value = yield value
            if isinstance(value, NotScorable):
                return _not_scored(scorer, context, value.reason, perf_counter() - started)
            reason = _keep(scorer, context, step, value)
    except catch as error:
        return error_score(scorer, run, ErrorInfo.of(error, step))
    return _scored(scorer, context, reason, perf_counter() - started)


def _keep(scorer: Scale, context: StepContext, step: str, value: Any) -> str | None:
    """Put a step's result where later steps find it; the reason is returned."""
    if step == "generate_score":
        context.score = checked_score(scorer, value)
    elif step != "generate_reason":
        setattr(context.results, f"{step}_step_result", value)
    elif value is None or isinstance(value, str):
        return value
    else:
        raise ScoreError(f"scorer {scorer.id!r}: the reason is {shown(value)}; it must be a text")
    return None


def checked_score(scorer: Scale, value: Any) -> float:
    """`value` as a float; raises `ScoreError` unless it is finite and on the scorer's scale."""
    low, high = sorted((scorer.best, scorer.worst))
    # Compared before it is converted, since a huge integer is no float.
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and low <= value <= high and math.isfinite(value):
        return float(value)
    allowed = f"a finite number from {low:g} to {high:g}, or not_scorable(reason)"
    raise ScoreError(f"scorer {scorer.id!r}: the score is {shown(value)}; it must be {allowed}")


def succeeded(scorer: Scale, score: float | None) -> bool | None:
    """Whether a score reaches the threshold, or None where there is no threshold or score."""
    if scorer.threshold is None or score is None:
        return None
    return score >= scorer.threshold if scorer.best >= scorer.worst else score <= scorer.threshold


def error_score(scorer: Scale, run: ScorerInput, info: ErrorInfo) -> Score:
    """The one place where an error becomes a `Score`."""
    return Score(
        scorer_id=scorer.id,
        score=None,
        status="error",
        threshold=scorer.threshold,
        error=info,
        reason=f"{info.type}: {info.message}",
        ground_truth=run.ground_truth,
        run_id=run.run_id,
    )


def _not_scored(scorer: Scale, context: StepContext, reason: str, duration: float) -> Score:
    scored = _scored(scorer, context, reason, duration)
    return replace(scored, score=None, status="not_scorable", success=None)


def _scored(scorer: Scale, context: StepContext, reason: str | None, duration: float) -> Score:
    return Score(
        scorer_id=scorer.id,
        score=context.score,
        status="scored",
        threshold=scorer.threshold,
        success=succeeded(scorer, context.score),
        reason=reason,
        preprocess_step_result=context.results.preprocess_step_result,
        analyze_step_result=context.results.analyze_step_result,
        ground_truth=context.run.ground_truth,
        run_id=context.run.run_id,
        duration=duration,
    )


async def drive(steps: Generator[Awaitable[Any], Any, Score]) -> Score:
    """Run the steps, awaiting where they ask for it."""
    try:
        awaitable = next(steps)
        while True:
            try:
                value = await awaitable
            except Exception as error:  # noqa: BLE001  # the steps decide what to catch
                awaitable = steps.throw(error)
            else:
                awaitable = steps.send(value)
    except StopIteration as finished:
        score: Score = finished.value
        return score


def drive_blocking(steps: Generator[Awaitable[Any], Any, Score]) -> Score:
    """Run the steps here; only what must be awaited goes to the loop thread."""
    try:
        awaitable = next(steps)
        while True:
            # Imported when needed: asyncio costs more than everything else in the package.
            from steelyard.core.loop import wait_for

            try:
                value = wait_for(awaitable)
            except Exception as error:  # noqa: BLE001  # the steps decide what to catch
                awaitable = steps.throw(error)
            else:
                awaitable = steps.send(value)
    except StopIteration as finished:
        score: Score = finished.value
        return score
