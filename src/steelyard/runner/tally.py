"""Counting results as they come, in memory that does not hold them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from steelyard.core.run import CaseResult, RunSummary, ScorerSummary
from steelyard.core.score import Score
from steelyard.core.usage import Usage

CALLBACK_ERRORS_KEPT = 10


class ScorerTally:
    """One scorer's counts and its scores, eight bytes each."""

    def __init__(self, repeats: int) -> None:
        self.scores = array("d")
        self._counts = {"scored": 0, "not_scorable": 0, "error": 0}
        self._passed = self._failed = 0
        self._repeats = repeats
        self._unfinished: dict[int, tuple[int, list[float]]] = {}
        self._within = array("d")
        self._degrees = 0

    def add(self, score: Score, index: int) -> None:
        self._counts[score.status] += 1
        self._passed += score.success is True
        self._failed += score.success is False
        if score.score is not None:
            self.scores.append(score.score)
        if self._repeats > 1:
            self._add_repeat(score.score, index)

    def _add_repeat(self, score: float | None, index: int) -> None:
        """Fold a case's repeats into the spread within cases once all of them are there."""
        seen, scores = self._unfinished.pop(index, (0, []))
        if score is not None:
            scores.append(score)
        if seen + 1 < self._repeats:
            self._unfinished[index] = (seen + 1, scores)
        elif len(scores) > 1:
            self._within.append(_squares(scores))
            self._degrees += len(scores) - 1

    def summary(self) -> ScorerSummary:
        scores, count = self.scores, len(self.scores)
        # fsum is exact, so the numbers do not depend on the order in which cases finished.
        return ScorerSummary(
            attempted=sum(self._counts.values()),
            scored=self._counts["scored"],
            not_scorable=self._counts["not_scorable"],
            errors=self._counts["error"],
            passed=self._passed,
            failed=self._failed,
            mean=math.fsum(scores) / count if count else None,
            sd=math.sqrt(_squares(scores) / (count - 1)) if count > 1 else None,
            repeat_sd=math.sqrt(math.fsum(self._within) / self._degrees) if self._degrees else None,
            least=min(scores, default=None),
            greatest=max(scores, default=None),
        )


def _squares(scores: Sequence[float]) -> float:
    mean = math.fsum(scores) / len(scores)
    return math.fsum((score - mean) ** 2 for score in scores)


class Tally:
    """The counts of a whole run."""

    def __init__(self, scorer_ids: Sequence[str], repeats: int) -> None:
        self.scorers = {id: ScorerTally(repeats) for id in scorer_ids}
        self.total = 0
        self.callback_failures = 0
        self._repeats = repeats
        self._errors = 0
        self._usage = Usage()
        self._callback_errors: list[str] = []

    def add(self, result: CaseResult, index: int) -> None:
        self.total += 1
        self._errors += result.failed
        for id, score in result.scores.items():
            self.scorers[id].add(score, index)
            self._spend(score.usage)
        self._spend(result.usage)

    def add_callback_error(self, error: Exception) -> None:
        self.callback_failures += 1
        if len(self._callback_errors) < CALLBACK_ERRORS_KEPT:
            self._callback_errors.append(f"{type(error).__name__}: {error}")

    def _spend(self, usage: Usage | None) -> None:
        if usage is not None:
            self._usage += usage

    def summary(self, duration: float, left_running: int) -> RunSummary:
        return RunSummary(
            total=self.total,
            errors=self._errors,
            scorers={id: tally.summary() for id, tally in self.scorers.items()},
            duration=duration,
            usage=None if self._usage == Usage() else self._usage,
            repeats=self._repeats,
            left_running=left_running,
            callback_failures=self.callback_failures,
            callback_errors=tuple(self._callback_errors),
        )
