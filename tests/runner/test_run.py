"""`run_evals` and `evaluate`: results, failures, limits, and nothing vacuous."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import pytest

from steelyard import (
    EvalRun,
    EvalTestCase,
    create_content_similarity_scorer,
    create_scorer,
    evaluate,
    evaluate_sync,
    field,
    gate,
    not_scorable,
    run_evals,
    run_evals_sync,
)
from steelyard.core.errors import DataError, OptionError, RunError, SteelyardError, TargetError
from steelyard.core.loop import wait_for
from steelyard.metrics import ContainsMetric
from steelyard.runner.attempt import asked_wait

HAS_A = ContainsMetric(keywords=["a"])
SLOW = create_scorer(id="slow")


async def _slow_score(context: Any) -> float:
    await asyncio.sleep(0)
    return 1.0


SLOW = SLOW.generate_score(_slow_score)


def echo(text: Any) -> Any:
    return text


def run(**options: Any) -> EvalRun:
    given = {"target": echo, "data": [{"input": "a"}, {"input": "b"}], "scorers": [HAS_A]}
    return run_evals_sync(**{**given, **options})


def test_documented_example() -> None:
    scorer = create_content_similarity_scorer()
    seen: list[Any] = []

    async def agent(text: str) -> str:
        return "TypeScript provides static typing."

    async def main() -> EvalRun:
        return await run_evals(
            data=[
                {"input": "Summarize", "ground_truth": "TypeScript provides static typing."},
                {"input": "What is it?", "ground_truth": "Machine learning is a subset of AI."},
            ],
            scorers=[scorer],
            target=agent,
            on_item_complete=lambda item, target_result, scorer_results: seen.append(
                (item["input"], target_result.output, scorer_results[scorer.id].ground_truth)
            ),
        )

    result = asyncio.run(main())
    assert result.results[0].scores[scorer.id].score == 1.0
    assert 0.0 < result.scores["content_similarity"] < 1.0  # type: ignore[operator]
    assert seen[1] == (
        "What is it?",
        "TypeScript provides static typing.",
        "Machine learning is a subset of AI.",
    )
    assert result.verdict is None
    assert result.exit_code == 0


def test_a_failing_target_or_scorer_is_an_error_and_the_rest_goes_on() -> None:
    def target(text: str) -> str:
        if text == "b":
            raise ValueError("no b")
        return text

    broken = create_scorer(id="broken").generate_score(lambda context: 1 / 0)
    done = run(target=target, scorers=[HAS_A, broken])
    first, second = done.results
    assert first.scores["contains"].score == 1.0
    assert first.scores["broken"].error.type == "ZeroDivisionError"  # type: ignore[union-attr]
    assert second.error is not None
    assert (second.error.type, second.error.message, second.error.step) == (
        "ValueError",
        "no b",
        "target",
    )
    summary = done.summary.scorers["contains"]
    assert (summary.attempted, summary.scored, summary.errors) == (2, 1, 1)
    assert done.exit_code == 3


def test_results_are_in_the_datas_order_whatever_finishes_first() -> None:
    async def target(number: int) -> str:
        await asyncio.sleep(0.02 * (5 - number))
        return "a"

    done = run(target=target, data=[{"input": n} for n in range(5)], concurrency=5, repeats=2)
    assert [(r.case.input, r.repeat) for r in done.results] == [
        (n, k) for n in range(5) for k in (1, 2)
    ]


def test_concurrency_bounds_what_is_in_flight_and_what_is_read_ahead() -> None:
    flying = most = 0
    taken: list[int] = []

    def data() -> Iterator[dict[str, Any]]:
        for n in range(30):
            taken.append(n)
            yield {"input": n}

    async def target(number: int) -> str:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.005)
        assert len(taken) <= number + 1 + 3 + 2 * 3 + 1
        flying -= 1
        return "a"

    done = run(target=target, data=data(), concurrency=3)
    assert (most, done.summary.total, done.summary.errors) == (3, 30, 0)


def test_a_blocking_generator_does_not_stop_the_loop() -> None:
    def data() -> Iterator[dict[str, Any]]:
        yield {"input": "a"}
        time.sleep(0.3)
        yield {"input": "a"}

    ticks = 0

    async def main() -> None:
        nonlocal ticks
        running = asyncio.create_task(run_evals(target=echo, data=data(), scorers=[HAS_A]))
        while not running.done():
            await asyncio.sleep(0.01)
            ticks += 1
        await running

    asyncio.run(main())
    assert ticks > 10


def test_async_data() -> None:
    async def data() -> AsyncIterator[dict[str, str]]:
        for text in "ab":
            await asyncio.sleep(0)
            yield {"input": text}

    assert run(data=data()).scores == {"contains": 0.5}


def test_a_plain_function_that_times_out_is_left_and_counted_and_keeps_its_place() -> None:
    release = threading.Event()
    running = most = 0

    def target(text: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if text == "hang":
            release.wait(0.5)
        running -= 1
        return "a"

    data = [{"input": "hang"}, {"input": "x"}, {"input": "y"}]
    done = run(target=target, data=data, timeout=0.05, retries=3)
    release.set()
    assert done.results[0].error.type == "TimeoutError"  # type: ignore[union-attr]
    assert (done.results[0].attempts, most) == (1, 1)
    alone = run(target=lambda _: time.sleep(0.4), data=[{"input": 1}], timeout=0.05)
    assert alone.summary.left_running == 1
    assert alone.summary.duration < 0.3


def test_an_async_target_that_times_out_is_cancelled_and_retried() -> None:
    calls = 0

    async def target(text: str) -> str:
        nonlocal calls
        calls += 1
        await asyncio.sleep(5 if calls == 1 else 0)
        return "a"

    done = run(target=target, data=[{"input": 1}], timeout=0.05, retries=1)
    assert (calls, done.results[0].attempts, done.summary.errors) == (2, 2, 0)


def test_retries_wait_as_asked_and_stop_where_they_cannot_help() -> None:
    calls: list[float] = []

    def busy(text: str) -> str:
        calls.append(time.monotonic())
        if len(calls) < 3:
            raise TargetError("busy", retry_after=0.1)
        return "a"

    assert run(target=busy, data=[{"input": 1}], retries=2).results[0].attempts == 3
    assert min(calls[1] - calls[0], calls[2] - calls[1]) >= 0.1

    def never(text: str) -> str:
        raise TargetError("no such model", retryable=False)

    assert run(target=never, data=[{"input": 1}], retries=5).results[0].attempts == 1


def test_the_wait_that_a_clients_exception_carries_is_understood() -> None:
    class Response:
        status_code = 429
        headers: ClassVar = {"Retry-After": "7"}

    error = RuntimeError("too many")
    assert asked_wait(error) is None
    error.response = Response()  # type: ignore[attr-defined]
    assert asked_wait(error) == 7.0
    error.response.status_code = 500  # type: ignore[attr-defined]
    assert asked_wait(error) is None


def test_callbacks_may_be_async_and_may_fail() -> None:
    seen: list[str] = []

    async def callback(item: Any, target_result: Any, scores: Any) -> None:
        await asyncio.sleep(0)
        seen.append(item["input"])
        raise KeyError("oops")

    done = run(on_item_complete=callback)
    assert (sorted(seen), done.summary.callback_failures) == (["a", "b"], 2)
    assert "oops" in done.summary.callback_errors[0]
    assert done.exit_code == 0


def test_repeats_report_the_spread_within_cases() -> None:
    answers = iter("aba" + "aaa")
    done = run(target=lambda _: next(answers), data=[{"input": 1}, {"input": 2}], repeats=3)
    summary = done.summary.scorers["contains"]
    assert summary.attempted == 6
    assert summary.repeat_sd == pytest.approx((2 / 3 / 4) ** 0.5)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"data": []}, RunError, "no cases"),
        ({"data": iter([])}, RunError, "no cases"),
        ({"data": "text"}, OptionError, "data"),
        ({"data": {"input": 1}}, OptionError, "data"),
        ({"data": [3]}, DataError, r"data\[0\]"),
        ({"data": [{"id": "x"}, {"id": "x"}]}, DataError, r"data\[1\].*'x'"),
        ({"scorers": []}, RunError, "no scorers"),
        ({"scorers": HAS_A}, OptionError, "scorers"),
        ({"scorers": {"case": [HAS_A]}}, OptionError, "scorers"),
        ({"scorers": [ContainsMetric]}, OptionError, r"make one: ContainsMetric\("),
        ({"scorers": [HAS_A, HAS_A]}, RunError, "'contains'"),
        ({"concurrency": 0}, OptionError, "concurrency is 0"),
        ({"repeats": 0}, OptionError, "repeats"),
        ({"retries": -1}, OptionError, "retries"),
        ({"timeout": 0}, OptionError, "timeout"),
        ({"target": 3}, OptionError, "target"),
        ({"gates": [gate("contain", "every")]}, OptionError, "did you mean 'contains'"),
        ({"gates": ["every"]}, OptionError, "gate"),
        ({"scorers": [ContainsMetric(keywords=field("metadata.kw"))]}, RunError, "metadata.kw"),
        (
            {"scorers": [create_content_similarity_scorer(compare_to="expected_output")]},
            RunError,
            "no case has expected_output",
        ),
        (
            {"scorers": [SLOW], "gates": [gate("slow", "every")]},
            OptionError,
            "threshold",
        ),
    ],
)
def test_a_run_that_would_say_nothing_does_not_start(
    options: dict[str, Any], error: type[SteelyardError], message: str
) -> None:
    called: list[str] = []
    with pytest.raises(error, match=message):
        run(**{"target": lambda text: called.append(text) or "a", **options})
    assert not called


def test_a_stream_that_would_say_nothing_raises_when_it_ends_with_what_was_done() -> None:
    scorer = ContainsMetric(keywords=field("metadata.kw"))
    with pytest.raises(RunError, match=r"metadata\.kw") as caught:
        run(data=({"input": n} for n in range(3)), scorers=[scorer])
    assert caught.value.run is not None
    assert caught.value.run.summary.total == 3


def test_data_that_breaks_off_loses_nothing_finished() -> None:
    def data() -> Iterator[dict[str, str]]:
        yield {"input": "a"}
        raise OSError("disk gone")

    with pytest.raises(RunError, match="disk gone") as caught:
        run(data=data())
    assert caught.value.run is not None
    assert len(caught.value.run.results) == 1


def test_cancelling_hands_over_what_is_finished() -> None:
    async def target(text: str) -> str:
        await asyncio.sleep(0 if text == "a" else 60)
        return text

    async def main() -> EvalRun:
        running = asyncio.create_task(
            run_evals(target=target, data=[{"input": "a"}, {"input": "b"}], scorers=[HAS_A])
        )
        await asyncio.sleep(0.2)
        running.cancel()
        try:
            await running
        except asyncio.CancelledError as cancelled:
            return cancelled.run  # type: ignore[attr-defined,no-any-return]
        raise AssertionError("it was cancelled")

    partial = asyncio.run(main())
    assert (partial.status, partial.exit_code, len(partial.results)) == ("interrupted", 130, 1)


def test_an_endless_stream_is_fine_without_keeping_results() -> None:
    def data() -> Iterator[dict[str, int]]:
        number = 0
        while True:
            yield {"input": number}
            number += 1

    async def main() -> EvalRun:
        started = run_evals(target=lambda _: "a", data=data(), scorers=[HAS_A], keep_results=False)
        running = asyncio.create_task(started)
        await asyncio.sleep(0.3)
        running.cancel()
        try:
            return await running
        except asyncio.CancelledError as cancelled:
            return cancelled.run  # type: ignore[attr-defined,no-any-return]

    partial = asyncio.run(main())
    assert partial.results == ()
    assert partial.summary.scorers["contains"].scored == partial.summary.total > 10


def test_evaluate_mixes_batches_with_async_scorers() -> None:
    cases = [EvalTestCase(actual_output=text) for text in "ab"]
    done = asyncio.run(evaluate(cases, [SLOW, HAS_A], concurrency=2))
    assert [list(result.scores) for result in done.results] == [["slow", "contains"]] * 2
    assert done.scores == {"slow": 1.0, "contains": 0.5}
    assert all(score.run_id == done.id for r in done.results for score in r.scores.values())


def test_evaluate_needs_outputs() -> None:
    with pytest.raises(RunError, match="no case has actual_output"):
        evaluate_sync([{"input": "a"}], [HAS_A])


def test_not_scorable_is_counted_apart() -> None:
    scorer = create_scorer(id="x", threshold=1).generate_score(
        lambda context: not_scorable("empty") if context.run.output == "a" else 1.0
    )
    done = run(scorers=[scorer], gates=[gate("x", "every"), gate("x", "not_scorable <= 50%")])
    summary = done.summary.scorers["x"]
    assert (summary.scored, summary.not_scorable, summary.errors) == (1, 1, 0)
    assert done.verdict == "passed"


def test_a_batch_that_is_wrong_falls_back_to_the_steps() -> None:
    class Sloppy(ContainsMetric):
        def score_batch(self, cases: Any) -> Any:
            return []

    done = evaluate_sync([{"actual_output": "a"}], [Sloppy(keywords=["a"])])
    assert done.results[0].scores["sloppy"].score == 1.0


def test_the_sync_forms_refuse_the_loops_own_thread() -> None:
    async def inside() -> None:
        run()

    with pytest.raises(RuntimeError, match="await"):
        wait_for(inside())


def test_progress_is_told_of_every_result() -> None:
    told: list[tuple[int, int | None]] = []
    run(progress=lambda done, total: told.append((done, total)), repeats=2)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


async def _cancelled(anything: Any) -> float:
    raise asyncio.CancelledError("from inside")


async def _exits(anything: Any) -> float:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("raises", "name"), [(_cancelled, "CancelledError"), (_exits, "SystemExit")]
)
def test_a_cancellation_or_exit_from_inside_is_an_error_like_any_other(
    raises: Any, name: str
) -> None:
    done = run(target=raises)
    assert [r.error.type for r in done.results if r.error] == [name, name]
    scorer = create_scorer(id="odd").generate_score(raises)
    scored = evaluate_sync([{"actual_output": "a"}] * 3, [scorer])
    assert [r.scores["odd"].error.type for r in scored.results] == [name] * 3  # type: ignore[union-attr]
    assert (done.exit_code, scored.exit_code) == (3, 3)


def test_a_subclass_that_changes_a_step_is_scored_by_its_steps() -> None:
    class Half(ContainsMetric):
        def generate_score(self, context: Any) -> float:
            return 0.5

    done = evaluate_sync([{"actual_output": "a"}], [Half(keywords=["a"])])
    assert done.scores == {"half": 0.5}
    [score] = Half(keywords=["a"]).score_batch([EvalTestCase(actual_output="a")])
    assert score.score == 0.5


def test_a_stop_is_noticed_in_a_batch_and_by_a_target_that_swallows_it() -> None:
    async def stubborn(text: str) -> str:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            return "partial"
        return text

    async def partial(running: Any) -> EvalRun:
        task = asyncio.create_task(running)
        await asyncio.sleep(0.2)
        task.cancel()
        try:
            return await task
        except asyncio.CancelledError as cancelled:
            return cancelled.run  # type: ignore[attr-defined,no-any-return]

    data = [{"input": n, "actual_output": "a"} for n in range(100)]
    asked = asyncio.run(partial(run_evals(target=stubborn, data=data, scorers=[HAS_A])))
    assert asked.summary.total < 20
    slow = create_scorer(id="slow").generate_score(lambda context: time.sleep(0.05) or 1.0)
    scored = asyncio.run(partial(evaluate(data, [HAS_A, slow])))
    assert scored.summary.total < 20


def test_good_cases_before_a_bad_element_of_a_stream_are_kept() -> None:
    with pytest.raises(RunError, match=r"data\[2\]") as caught:
        run(data=iter([{"input": "a"}, {"input": "b"}, "oops"]))
    assert caught.value.run is not None
    assert caught.value.run.summary.total == 2


def test_a_progress_that_raises_is_reported_and_does_not_stop_the_run() -> None:
    done = run(progress=lambda done, total: 1 / 0)
    assert (done.summary.total, done.summary.callback_failures) == (2, 2)
