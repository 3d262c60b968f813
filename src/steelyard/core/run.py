"""`CaseResult` and `EvalRun`: what came of the cases, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.core.case import EvalTestCase
from steelyard.core.score import ErrorInfo, Score
from steelyard.core.usage import Usage

RunStatus = Literal["complete", "interrupted"]
Verdict = Literal["passed", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case, run once: its scores by scorer id, or the error that ended it.

    `repeat` counts from 1; (case id, repeat) is the key of a result. `attempts` is
    how often the target was asked, `duration` its last answer's seconds.
    """

    case: EvalTestCase
    repeat: int = 1
    scores: Mapping[str, Score] = field(default_factory=dict)
    error: ErrorInfo | None = None
    attempts: int = 0
    usage: Usage | None = None
    duration: float | None = None

    @property
    def failed(self) -> bool:
        """True when the case or any of its scores ended in an error."""
        return self.error is not None or any(s.status == "error" for s in self.scores.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerSpec:
    """How a scorer was set up, so that a run explains itself and can be done again.

    A function among the options stands as its qualified name, and `rebuildable` is False.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    best: float
    worst: float
    needs: tuple[str, ...]
    version: str
    rebuildable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerSummary:
    """One scorer's counts and numbers over a run; numbers are over scored cases only.

    `attempted` = `scored` + `not_scorable` + `errors`. `sd` is the sample standard
    deviation between results, `repeat_sd` the pooled one within a case's repeats.
    """

    attempted: int = 0
    scored: int = 0
    not_scorable: int = 0
    errors: int = 0
    passed: int = 0
    failed: int = 0
    mean: float | None = None
    sd: float | None = None
    repeat_sd: float | None = None
    least: float | None = None
    greatest: float | None = None

    @property
    def pass_rate(self) -> float | None:
        """The share that passed of those that could pass or fail, or None without any."""
        judged = self.passed + self.failed
        return self.passed / judged if judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The counts of a run: results in all, results with an error, each scorer's own.

    `duration` is in seconds, for the whole run. `left_running` counts plain functions
    that timed out and could not be stopped. `callback_errors` are the first ten.
    """

    total: int
    errors: int
    scorers: Mapping[str, ScorerSummary]
    duration: float
    usage: Usage | None = None
    repeats: int = 1
    left_running: int = 0
    callback_failures: int = 0
    callback_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A gate, whether it held, and the numbers it was decided on."""

    gate: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRun:
    """The results of a run and how they were made.

    `results` are in the data's order (empty with `keep_results=False`). `headline`,
    `verdict` and `exit_code` come from one rule: 130 interrupted, 3 errors that no
    gate allowed, 1 a gate failed, 0 otherwise.
    """

    id: str
    status: RunStatus
    scorers: tuple[ScorerSpec, ...]
    summary: RunSummary
    gates: tuple[GateResult, ...]
    headline: str
    exit_code: int
    results: tuple[CaseResult, ...] = field(default=(), repr=False)
    name: str | None = None
    started: str | None = None

    @property
    def scores(self) -> dict[str, float | None]:
        """Each scorer's mean over the cases it scored, None where it scored none."""
        return {id: summary.mean for id, summary in self.summary.scorers.items()}

    @property
    def verdict(self) -> Verdict | None:
        """`passed`, `failed`, or None for a run without gates."""
        if not self.gates:
            return None
        return "passed" if self.exit_code == 0 else "failed"
