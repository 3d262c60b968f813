"""Functions and agent objects: how they are asked, and what is taken from what they return."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError, TargetError
from steelyard.core.usage import Usage
from steelyard.targets import FunctionTarget, Recorded, TargetResult, as_target
from steelyard.targets.base import StillRunning

from .asking import ask, refusal

CASE = EvalTestCase(input="Hi")
ORDER = ["ainvoke", "invoke", "generate", "run", "__call__"]


def agent(names: list[str]) -> Any:
    """An object whose methods each say how they were called."""

    def method(name: str) -> Any:
        if name == "ainvoke":

            async def answered(self: Any, input: Any) -> str:
                return f"{name} {input}"
        else:

            def answered(self: Any, input: Any) -> str:  # type: ignore[misc]  # async or not, as agents are
                return f"{name} {input}"

        return answered

    return type("Agent", (), {name: method(name) for name in names})()


# --- as_target -------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_an_object_is_asked_by_the_first_method_it_has(first: int):
    assert ask(as_target(agent(ORDER[first:]))).output == f"{ORDER[first]} Hi"


def test_a_method_must_be_callable():
    asked = agent(["__call__"])
    asked.invoke = None
    assert ask(as_target(asked)).output == "__call__ Hi"


def test_a_target_is_itself():
    for target in (Recorded(), FunctionTarget(str)):
        assert as_target(target) is target


def test_an_own_target_needs_no_base_class():
    class Mine:
        async def answer(self, case: EvalTestCase) -> TargetResult:
            return TargetResult(output=case.id)

        async def aclose(self) -> None:
            pass

    mine = Mine()
    assert as_target(mine) is mine


@pytest.mark.parametrize("wrong", [None, 7, "agent", object(), Recorded, dict, {"a": 1}])
def test_what_cannot_be_asked_is_an_option_error(wrong: Any):
    with pytest.raises(OptionError, match="ainvoke, invoke, generate, run"):
        as_target(wrong)


# --- kinds of functions ----------------------------------------------------------------


def plain(input: Any) -> str:
    return f"plain {input}"


async def asynchronous(input: Any) -> str:
    await asyncio.sleep(0)
    return f"async {input}"


class AsyncCallable:
    async def __call__(self, input: Any) -> str:
        return f"async object {input}"

    async def method(self, input: Any) -> str:
        return f"async method {input}"


@pytest.mark.parametrize(
    ("function", "output"),
    [
        (plain, "plain Hi"),
        (asynchronous, "async Hi"),
        (AsyncCallable(), "async object Hi"),
        (AsyncCallable().method, "async method Hi"),
        (functools.partial(asynchronous), "async Hi"),
        (functools.partial(AsyncCallable()), "async object Hi"),
        (lambda asked: asynchronous(asked), "async Hi"),
        (str.upper, "HI"),
        (len, 2),
    ],
)
def test_each_kind_of_function_is_called_rightly(function: Any, output: Any):
    assert ask(as_target(function)).output == output


def test_async_functions_run_on_the_loop_and_plain_ones_in_a_daemon_thread():
    async def on_loop(input: Any) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert ask(as_target(on_loop)).output is True
    seen = ask(as_target(lambda asked: [threading.current_thread()])).output[0]
    assert seen is not threading.main_thread()
    assert seen.daemon


def test_plain_functions_see_the_context_of_the_caller():
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("seen")
    assert ask(as_target(lambda asked: variable.get())).output == "seen"


def test_a_plain_function_does_not_block_the_loop():
    async def together() -> float:
        target = as_target(lambda asked: time.sleep(0.2) or "done")
        started = time.monotonic()
        await asyncio.gather(*(target.answer(CASE) for _ in range(10)))
        return time.monotonic() - started

    assert asyncio.run(together()) < 1


def test_an_exception_arrives_as_it_is():
    def fails(input: Any) -> str:
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        ask(as_target(fails))


@pytest.mark.parametrize("kind", [StopIteration, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_an_exception_that_would_end_the_loop_becomes_a_target_error(kind: type[BaseException]):
    def fails(input: Any) -> str:
        raise kind("enough")

    assert f"{kind.__name__}: enough" in str(refusal(as_target(fails)))


# --- cancelling ------------------------------------------------------------------------


def test_a_cancelled_plain_function_still_runs_and_says_when_it_ends():
    may_end = threading.Event()

    def slow(input: Any) -> str:
        may_end.wait(5)
        return "late"

    async def cancel() -> None:
        asking = asyncio.create_task(FunctionTarget(slow).answer(CASE))
        await asyncio.sleep(0.02)
        asking.cancel()
        with pytest.raises(StillRunning) as caught:
            await asking
        assert not caught.value.ended.done()
        may_end.set()
        await asyncio.wait_for(caught.value.ended, 2)

    asyncio.run(cancel())


@pytest.mark.parametrize("fails", [False, True])
def test_a_function_that_ends_after_its_loop_disturbs_nobody(fails: bool):
    may_end, ended = threading.Event(), threading.Event()

    def slow(input: Any) -> str:
        try:
            may_end.wait(5)
            if fails:
                raise ValueError("late")
            return "late"
        finally:
            ended.set()

    async def abandon() -> None:
        with pytest.raises(StillRunning):
            await asyncio.wait_for(FunctionTarget(slow).answer(CASE), 0.02)

    asyncio.run(abandon())
    may_end.set()
    assert ended.wait(2)
    for thread in threading.enumerate():
        if thread.name == "steelyard-target":
            thread.join(2)


def test_a_cancelled_async_function_is_cancelled():
    cleaned = []

    async def slow(input: Any) -> str:
        try:
            await asyncio.sleep(5)
        finally:
            cleaned.append(True)
        return "late"

    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(FunctionTarget(slow).answer(CASE), 0.02))
    assert cleaned == [True]


# --- results ---------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["", "x", 0, 1.5, False, [], [{"role": "assistant"}], {"k": 1}])
def test_json_is_an_output(output: Any):
    result = ask(as_target(lambda asked: output))
    assert (result.output, result.raw) == (output, output)


@pytest.mark.parametrize(
    ("attributes", "output"),
    [
        ({"output": "o", "text": "t", "content": "c"}, "o"),
        ({"text": "t", "content": "c"}, "t"),
        (
            {"output": None, "content": [{"type": "text", "text": "c"}]},
            [{"type": "text", "text": "c"}],
        ),
        ({"text": lambda: "method", "content": "c"}, "c"),
        ({"output": ""}, ""),
    ],
)
def test_the_output_of_an_object_is_under_a_known_name(attributes: dict[str, Any], output: Any):
    answered = SimpleNamespace(**attributes)
    result = ask(as_target(lambda asked: answered))
    assert result.output == output
    assert result.raw is answered


@pytest.mark.parametrize("result", [None, object(), b"bytes"])
def test_a_result_without_an_output_is_an_error(result: Any):
    with pytest.raises(TargetError, match=r"None|none of \.output, \.text, \.content"):
        ask(as_target(lambda asked: result))


@pytest.mark.parametrize(
    "result",
    [
        {"usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        SimpleNamespace(output="x", usage=SimpleNamespace(input_tokens=1, output_tokens=2)),
        SimpleNamespace(output="x", usage=lambda: {"input_tokens": 1, "output_tokens": 2}),
        SimpleNamespace(output="x", usage_metadata={"input_tokens": 1, "output_tokens": 2}),
    ],
)
def test_usage_is_taken_along(result: Any):
    assert ask(as_target(lambda asked: result)).usage == Usage(1, 2)
