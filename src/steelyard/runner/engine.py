"""The engine of a run: workers that take cases, ask the target, score, and report."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from steelyard.core.errors import DataError, RunError
from steelyard.core.ids import new_run_id
from steelyard.core.run import CaseResult, EvalRun, RunStatus
from steelyard.core.scorer import Scorer
from steelyard.runner.attempt import ask
from steelyard.runner.checks import NeededFields
from steelyard.runner.progress import Report, close
from steelyard.runner.scoring import Scores, Scoring
from steelyard.runner.source import Cases, Data, Item, is_list, stream
from steelyard.runner.tally import Tally
from steelyard.stats import Gate, outcome
from steelyard.targets.base import Target, TargetResult

LONGEST_STRETCH = 0.02
"""Seconds for which a worker that never waits keeps the loop to itself."""

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
    progress: Report | None = None
    keep_results: bool = True
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    """One repeat of one case, with the scores that came with its batch."""

    item: Item
    repeat: int
    scores: Scores


class Engine:
    """One run. `execute` runs it; `stop`, called in the loop's thread, ends it early."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.run_id = new_run_id()
        self._started, self._clock = datetime.now(UTC), perf_counter()
        self._scoring = Scoring(plan.scorers, self.run_id)
        self._tally = Tally([scorer.id for scorer in plan.scorers], plan.repeats)
        self._cases = Cases()
        given = () if plan.target is None else ("actual_output",)
        self._needed = NeededFields(plan.scorers, given)
        self._data = plan.data
        self._results: list[tuple[int, int, CaseResult]] = []
        self._ready: deque[_Task] = deque()
        self._workers: list[asyncio.Task[None]] = []
        self._left: list[asyncio.Future[None]] = []
        self._failure: BaseException | None = None
        self._exhausted = self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def execute(self) -> EvalRun:
        """Run to the end, or to `stop`; cancelled, it re-raises with the run so far as `.run`."""
        self._loop = asyncio.get_running_loop()
        self._look_through_list()
        self._reading, self._nothing_left = asyncio.Lock(), asyncio.Event()
        self._lists = self._stream()
        self._workers = [asyncio.create_task(self._work()) for _ in range(self.plan.concurrency)]
        try:
            await asyncio.wait(self._workers)
        except asyncio.CancelledError as cancelled:
            self.stop()
            await asyncio.gather(*self._workers, return_exceptions=True)
            cancelled.run = self._run("interrupted")  # type: ignore[attr-defined]  # handed over
            raise
        finally:
            close(self.plan.progress)
            await self._lists.aclose()
            if self.plan.target is not None:
                await self.plan.target.aclose()
        return self._finished()

    def stop(self) -> None:
        """Take no new cases, and cancel what is in flight."""
        self._stopped = True
        for worker in self._workers:
            worker.cancel()

    def stop_soon(self) -> None:
        """`stop`, from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.stop)

    # --- the data ------------------------------------------------------------------------

    def _look_through_list(self) -> None:
        """Make the items of a list before anything runs; streams are looked at as they come."""
        if is_list(self._data):
            self._data = [self._item(given) for given in self._data]
            self._refuse_vacuous(None)

    def _items(self, elements: list[Any]) -> list[Item]:
        """The items of a stream's elements, up to the first that is no case, which ends it."""
        items: list[Item] = []
        try:
            items.extend(map(self._item, elements))
        except DataError as error:
            self._exhausted, self._failure = True, error
        return items

    def _item(self, given: Any) -> Item:
        item = self._cases.item(given)
        self._needed.see(item)
        return item

    def _stream(self) -> AsyncGenerator[list[Any], None]:
        batches = self.plan.target is None and self._scoring.has_batches
        return stream(self._data, BATCH if batches else 2 * self.plan.concurrency)

    async def _fill(self) -> None:
        """Have a task ready, unless the data or the run is at its end."""
        async with self._reading:
            while not (self._ready or self._exhausted):
                try:
                    given = await anext(self._lists)
                    items = given if is_list(self._data) else self._items(given)
                    self._ready.extend(self._tasks(items))
                except StopAsyncIteration:
                    self._exhausted = True
                except Exception as error:  # noqa: BLE001  # of the data; raised when the run ends
                    self._exhausted, self._failure = True, error
            if not self._ready:
                self._nothing_left.set()

    def _tasks(self, items: list[Item]) -> list[_Task]:
        scores: list[Scores] = [{} for _ in items]
        if self.plan.target is None:
            scores = self._scoring.batch([item.case for item in items])
        repeats = range(1, self.plan.repeats + 1)
        pairs = zip(items, scores, strict=True)
        return [_Task(item, repeat, scored) for item, scored in pairs for repeat in repeats]

    # --- one case after another ----------------------------------------------------------

    async def _work(self) -> None:
        rested = perf_counter()
        while not self._stopped:
            if not self._ready:
                await self._fill()
            if perf_counter() - rested > LONGEST_STRETCH:
                await asyncio.sleep(0)  # lets an interrupt in, and the others have a turn
                rested = perf_counter()
            if self._ready:
                await self._do(self._ready.popleft())
            elif self._exhausted:
                return

    async def _do(self, task: _Task) -> None:
        item, case = task.item, task.item.case
        if item.broken is not None and item.broken.error is not None:
            scores = self._scoring.failed(case, item.broken.error)
            result = replace(item.broken, repeat=task.repeat, scores=scores)
            return await self._complete(item, result, None)
        if self.plan.target is None:
            scores = await self._scoring.complete(case, task.scores)
            given = TargetResult(output=case.actual_output, usage=case.usage)
            result = CaseResult(
                case=case,
                repeat=task.repeat,
                scores=scores,
                usage=case.usage,
                duration=case.duration,
            )
            return await self._complete(item, result, given)
        return await self._ask(task, self.plan.target)

    async def _ask(self, task: _Task, target: Target) -> None:
        case = task.item.case
        answer = await ask(target, case, self.plan.timeout, self.plan.retries)
        found = answer.result
        if found is None and answer.error is not None:
            scores = self._scoring.failed(case, answer.error)
        elif found is not None:
            case = replace(
                case,
                actual_output=found.output,
                usage=found.usage,
                duration=answer.duration if found.duration is None else found.duration,
            )
            scores = await self._scoring.complete(case, self._scoring.batch([case])[0])
        result = CaseResult(
            case=case,
            repeat=task.repeat,
            scores=scores,
            error=answer.error,
            attempts=answer.attempts,
            usage=None if found is None else found.usage,
            duration=case.duration if found else answer.duration,
        )
        await self._complete(task.item, result, found)
        if answer.still_running is not None:
            await self._hold(answer.still_running)

    async def _hold(self, still_running: asyncio.Future[None]) -> None:
        """Keep this worker's place for a call that goes on, while there are cases to wait for."""
        self._left.append(still_running)
        if not self._ready:
            await self._fill()
        drained = asyncio.create_task(self._drained())
        try:
            await asyncio.wait({still_running, drained}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            drained.cancel()

    async def _drained(self) -> None:
        await self._nothing_left.wait()

    async def _complete(self, item: Item, result: CaseResult, found: TargetResult | None) -> None:
        self._tally.add(result, item.index)
        if self.plan.keep_results:
            self._results.append((item.index, result.repeat, result))
        if self.plan.on_item_complete is not None:
            try:
                called = self.plan.on_item_complete(item.given, found, result.scores)
                if inspect.isawaitable(called):
                    await called
            except Exception as error:  # noqa: BLE001  # reported in the summary, not the end of a run
                self._tally.add_callback_error(error)
        if self.plan.progress is not None:
            try:
                self.plan.progress(self._tally.total, self._expected())
            except Exception as error:  # noqa: BLE001  # as above
                self._tally.add_callback_error(error)

    def _expected(self) -> int | None:
        return len(self._data) * self.plan.repeats if is_list(self._data) else None

    # --- the end -------------------------------------------------------------------------

    def _finished(self) -> EvalRun:
        crashed: list[BaseException | None] = [
            RunError("a worker was cancelled from outside") if w.cancelled() else w.exception()
            for w in self._workers
            if not (w.cancelled() and self._stopped)
        ]
        failure = self._failure or next((error for error in crashed if error), None)
        if failure is not None:
            run = self._run("interrupted")
            raise RunError(f"the run ended early: {failure}", run) from failure
        if self._stopped:
            return self._run("interrupted")
        run = self._run("complete")
        self._refuse_vacuous(run)
        return run

    def _refuse_vacuous(self, run: EvalRun | None) -> None:
        problem = self._needed.problem()
        if problem is not None:
            raise RunError(problem, run)

    def _run(self, status: RunStatus) -> EvalRun:
        left = sum(not future.done() for future in self._left)
        summary = self._tally.summary(perf_counter() - self._clock, left)
        scores = {id: tally.scores for id, tally in self._tally.scorers.items()}
        came_to = outcome(status, self.plan.gates, summary, scores)
        self._results.sort(key=lambda row: row[:2])
        return EvalRun(
            id=self.run_id,
            name=self.plan.name,
            status=status,
            started=self._started.isoformat(timespec="seconds"),
            scorers=tuple(scorer.spec for scorer in self.plan.scorers),
            summary=summary,
            gates=came_to.gates,
            headline=came_to.headline,
            exit_code=came_to.exit_code,
            results=tuple(result for _, _, result in self._results),
        )
