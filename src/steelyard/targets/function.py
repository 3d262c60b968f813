"""Functions and agent objects as targets."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError, TargetError, shown
from steelyard.core.usage import Usage
from steelyard.targets.base import StillRunning, Target, TargetResult

METHODS = ("ainvoke", "invoke", "generate", "run")
_OUTPUTS = ("output", "text", "content")
_USAGES = ("usage", "usage_metadata")


def as_target(target: Any) -> Target:
    """The target that `target` stands for.

    A target is itself. An object with `ainvoke`, `invoke`, `generate` or `run` (the first
    of these it has) is asked by that method, any other callable by calling it. Raises
    `OptionError` for anything else.
    """
    if isinstance(target, Target) and not isinstance(target, type):
        return target
    if not isinstance(target, type):
        methods = (getattr(target, name, None) for name in METHODS)
        function = next((method for method in methods if callable(method)), target)
        if callable(function):
            return FunctionTarget(function)
    allowed = f"a function, an object with {', '.join(METHODS)}, or one of steelyard.targets"
    raise OptionError("run_evals", "target", target, allowed)


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A plain or async function of the input; plain ones run in a daemon thread of their own."""

    function: Callable[[Any], Any]

    async def answer(self, case: EvalTestCase) -> TargetResult:
        if _is_async(self.function):
            result = await self.function(case.input)
        else:
            result = await _in_thread(self.function, case.input)
            if inspect.isawaitable(result):
                result = await result
        return TargetResult(output=output_of(result), usage=usage_of(result), raw=result)

    async def aclose(self) -> None:
        """Functions hold nothing to let go of."""


def _is_async(function: Callable[..., Any]) -> bool:
    called = type(function).__call__ if not inspect.isroutine(function) else function
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


async def _in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """The result of a call in a daemon thread, which no executor waits for at exit.

    Cancelled, it raises `StillRunning`, since a thread cannot be stopped.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()
    ended: asyncio.Future[None] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(function, argument)
        except BaseException as raised:  # noqa: BLE001  # handed to the loop, which raises it
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(finish, value, error)

    def finish(value: Any, error: BaseException | None) -> None:
        ended.set_result(None)
        if result.cancelled():
            return
        if error is None:
            result.set_result(value)
        else:
            result.set_exception(_carried(error))

    threading.Thread(target=work, name="steelyard-target", daemon=True).start()
    try:
        return await result
    except asyncio.CancelledError:
        if ended.done():
            raise
        raise StillRunning(ended) from None


def _carried(error: BaseException) -> BaseException:
    """An exception that a future can carry; StopIteration and exits would end the loop."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return TargetError(f"the target raised {type(error).__name__}: {error}")


def output_of(result: Any) -> Any:
    """The output in what a target returned: itself if JSON, else `.output`, `.text` or `.content`.

    Raises `TargetError` for None and for an object with none of these.
    """
    if isinstance(result, str | int | float | list | tuple | Mapping):
        return result
    for name in _OUTPUTS:
        value = getattr(result, name, None)
        if value is not None and not callable(value):
            return value
    if result is None:
        raise TargetError("the target returned None; it must return its output")
    names = ", ".join(f".{name}" for name in _OUTPUTS)
    raise TargetError(f"the target returned {shown(result)}, which has none of {names}")


def usage_of(result: Any) -> Usage | None:
    """The tokens and cost that a result reports under `.usage` or `.usage_metadata`, if it does."""
    for name in _USAGES:
        value = result.get(name) if isinstance(result, Mapping) else getattr(result, name, None)
        usage = Usage.of(value() if callable(value) else value)
        if usage is not None:
            return usage
    return None
