"""The engine of a run: workers that take cases, ask the target, score, and report."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import RunError, SteelyardError
from steelyard.core.ids import new_run_id
from steelyard.core.run import CaseResult, EvalRun, RunStatus
from steelyard.core.score import ErrorInfo, Score
from steelyard.core.scorer import Scorer
from steelyard.core.steps import ScorerInput, error_score
from steelyard.runner.attempt import Answer, ask
from steelyard.runner.checks import NeededFields
from steelyard.runner.scoring import Scoring
from steelyard.runner.source import Cases, Data, Item, is_list, stream
from steelyard.runner.tally import Tally
from steelyard.stats import Gate, outcome
from steelyard.targets.base import Target, TargetResult

BATCH = 256
"""Cases scored together where outputs are there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything a run was asked to do, checked."""

    data: Data
    scorers: tuple[Scorer, ...]
    target: Target | None = None
    gates: tuple[Gate, ...] = ()
    concurrency: int = 1
    on_item_complete: Callable[..., Any] | None = None
    timeout: float | None = None
    retries: int = 0
    repeats: int = 1
    progress: Callable[[int, int | None], None] | None = None
    keep_results: bool = True
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    """One repeat of one case, with the scores that came with its batch."""

    item: Item
    repeat: int
    scores: dict[str, Score]


class Engine:
    """One run. `execute` runs it; `stop`, from the loop's thread, ends it early."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.run_id = new_run_id()
        self._scoring = Scoring(plan.scorers, self.run_id)
        self._tally = Tally([scorer.id for scorer in plan.scorers], plan.repeats)
        self._cases = Cases()
        given = () if plan.target is None else ("actual_output",)
        self._needed = NeededFields(plan.scorers, given)
        self._results: list[tuple[int, int, CaseResult]] = []
        self._ready: deque[_Task] = deque()
        self._reading = asyncio.Lock()
        self._workers: list[asyncio.Task[None]] = []
        self._left: set[asyncio.Future[None]] = set()
        self._stopped = False
        self._failure: Exception | None = None
        self._started = time.time()
        self._clock = time.perf_counter()

    # --- the run -------------------------------------------------------------------------

    async def execute(self) -> EvalRun:
        """Run to the end, or to `stop`. Cancelled, it re-raises with the run so far as `.run`."""
        self._drained = asyncio.get_running_loop().create_future()
        self._lists = stream(self._checked_data(), self._ahead())
        self._workers = [asyncio.create_task(self._work()) for _ in range(self.plan.concurrency)]
        try:
            await asyncio.wait(self._workers)
        except asyncio.CancelledError as cancelled:
            await self._end_workers()
            cancelled.run = self._run("interrupted")  # type: ignore[attr-defined]  # handed over
            raise
        finally:
            await self._close()
        return self._finished()

    def stop(self) -> None:
        """Take no new cases, and cancel what is in flight."""
        self._stopped = True
        for worker in self._workers:
            worker.cancel()

    async def _end_workers(self) -> None:
        self.stop()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _close(self) -> None:
        await self._lists.aclose()  # type: ignore[attr-defined]  # all of them are generators
        if self.plan.target is not None:
            await self.plan.target.aclose()

    def _finished(self) -> EvalRun:
        for worker in self._workers:
            if not worker.cancelled() and worker.exception() is not None:
                self._failure = self._failure or worker.exception()  # type: ignore[assignment]
        if self._stopped and self._failure is None:
            return self._run("interrupted")
        run = self._run("complete" if self._failure is None else "interrupted")
        problem = self._needed.problem()
        if self._failure is not None:
            raise RunError(f"the run ended early: {self._failure}", run) from self._failure
        if not run.summary.total:
            raise RunError("there are no cases; a run over none would say nothing", run)
        if problem:
            raise RunError(problem, run)
        return run

    # --- the data ------------------------------------------------------------------------

    def _checked_data(self) -> Data:
        """The data; a list is looked through before anything runs."""
        if not is_list(self.plan.data):
            return self.plan.data
        cases, needed = Cases(), NeededFields(self.plan.scorers, self._given())
        items = [cases.item(given) for given in self.plan.data]  # type: ignore[union-attr]
        for item in items:
            if item.broken is None:
                needed.see(item.case)
        if not items:
            raise RunError("there are no cases; a run over none would say nothing")
        if needed.problem():
            raise RunError(str(needed.problem()))
        return items

    def _ahead(self) -> int:
        batches = self.plan.target is None and self._scoring.has_batches
        return BATCH if batches else 2 * self.plan.concurrency
