"""`run_evals` and `evaluate`, awaited or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from steelyard.core.errors import OptionError
from steelyard.core.loop import start
from steelyard.core.options import check_bool, check_count, check_number
from steelyard.core.run import EvalRun
from steelyard.core.scorer import Scorer
from steelyard.runner.checks import checked_gates, checked_scorers
from steelyard.runner.engine import Engine, Plan
from steelyard.runner.progress import checked_progress
from steelyard.runner.source import Data, check_data
from steelyard.stats import Gate
from steelyard.targets.function import as_target
from steelyard.targets.recorded import Recorded

Progress = bool | Callable[[int, int | None], None]


async def run_evals(
    *,
    target: Any,
    data: Data,
    scorers: Sequence[Scorer],
    gates: Iterable[Gate] = (),
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
    timeout: float | None = None,
    retries: int = 0,
    repeats: int = 1,
    progress: Progress = False,
    keep_results: bool = True,
    name: str | None = None,
) -> EvalRun:
    """Ask the target for each case's output, score it, and sum up.

    Args:
        target: A plain or async function of the input, an object with `ainvoke`,
            `invoke`, `generate` or `run`, or one of `steelyard.targets`.
        data: Cases, as `EvalTestCase` or dicts; an iterable or async iterable.
        scorers: One or more, with different ids.
        gates: Conditions made by `gate(...)` that decide the verdict.
        concurrency: Cases in flight at once; at most twice as many are read ahead.
        on_item_complete: Called with the item as given, the `TargetResult` (None when the
            target failed) and the scores by scorer id, once a case and repeat.
        timeout: Seconds for one answer of the target.
        retries: How often a failed answer is asked for again.
        repeats: How often each case is run.
        progress: True for a bar on a terminal, or a function of (done, total or None).
        keep_results: False keeps the aggregates only.

    A target or scorer that raises makes an error result, and the rest goes on. Raises
    `OptionError` or `RunError` for a run that cannot start or would mean nothing.
    Cancelled, it re-raises with the finished part as the exception's `.run`.
    """
    engine = _engine("run_evals", **locals())
    return await engine.execute()


def run_evals_sync(
    *,
    target: Any,
    data: Data,
    scorers: Sequence[Scorer],
    gates: Iterable[Gate] = (),
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
    timeout: float | None = None,
    retries: int = 0,
    repeats: int = 1,
    progress: Progress = False,
    keep_results: bool = True,
    name: str | None = None,
) -> EvalRun:
    """`run_evals` for callers who do not await; Ctrl-C returns a run of status `interrupted`.

    >>> from steelyard.metrics import ContainsMetric
    >>> run = run_evals_sync(
    ...     target=str.upper, data=[{"input": "hi"}], scorers=[ContainsMetric(keywords=["HI"])]
    ... )
    >>> run.scores
    {'contains': 1.0}
    """
    return _blocking(_engine("run_evals_sync", **locals()))


async def evaluate(
    cases: Data,
    scorers: Sequence[Scorer],
    *,
    gates: Iterable[Gate] = (),
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
    progress: Progress = False,
    keep_results: bool = True,
    name: str | None = None,
) -> EvalRun:
    """Score cases that have their outputs; `run_evals` without a target.

    Deterministic scorers work in batches, others case by case under `concurrency`.
    """
    arguments = locals()
    engine = _engine("evaluate", target=Recorded(), data=arguments.pop("cases"), **arguments)
    return await engine.execute()


def evaluate_sync(
    cases: Data,
    scorers: Sequence[Scorer],
    *,
    gates: Iterable[Gate] = (),
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
    progress: Progress = False,
    keep_results: bool = True,
    name: str | None = None,
) -> EvalRun:
    """`evaluate` for callers who do not await; Ctrl-C returns a run of status `interrupted`.

    >>> from steelyard.metrics import ContainsMetric
    >>> run = evaluate_sync([{"actual_output": "Paris."}], [ContainsMetric(keywords=["Paris"])])
    >>> run.summary.scorers["contains"].passed
    1
    """
    arguments = locals()
    return _blocking(
        _engine("evaluate_sync", target=Recorded(), data=arguments.pop("cases"), **arguments)
    )


def _engine(
    owner: str,
    *,
    target: Any,
    data: Any,
    scorers: Any,
    gates: Any,
    progress: Any,
    concurrency: int,
    keep_results: bool,
    timeout: float | None = None,
    retries: int = 0,
    repeats: int = 1,
    **rest: Any,
) -> Engine:
    check_data(owner, data)
    check_count(owner, "concurrency", concurrency, least=1)
    check_count(owner, "retries", retries, least=0)
    check_count(owner, "repeats", repeats, least=1)
    check_bool(owner, "keep_results", keep_results)
    callback = rest.get("on_item_complete")
    if callback is not None and not callable(callback):
        raise OptionError(owner, "on_item_complete", callback, "a function or None")
    if timeout is not None:
        check_number(owner, "timeout", timeout, "None or seconds above 0", lambda n: n > 0)
    found = as_target(target)
    # A recording of the cases themselves needs no asking, so its cases can go in batches.
    recorded = isinstance(found, Recorded) and found.cases is None
    chosen = checked_scorers(owner, scorers)
    plan = Plan(
        data=data,
        target=None if recorded else found,
        scorers=chosen,
        gates=checked_gates(owner, gates, chosen),
        concurrency=concurrency,
        timeout=timeout,
        retries=retries,
        repeats=repeats,
        keep_results=keep_results,
        progress=checked_progress(owner, progress),
        **rest,
    )
    return Engine(plan)


def _blocking(engine: Engine) -> EvalRun:
    """Run on the loop thread; an interrupt here stops the run there and waits for what it has."""
    future = start(engine.execute())
    try:
        return future.result()
    except KeyboardInterrupt:
        engine.stop_soon()
        return future.result()
