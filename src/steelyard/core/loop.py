"""The package's own event loop, on one daemon thread, for callers who do not await."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Coroutine
from concurrent.futures import Future
from typing import TypeVar

from steelyard.core.errors import LoopError

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def start(awaitable: Awaitable[T]) -> Future[T]:
    """Run `awaitable` on the loop thread; the future is cancelled to cancel it."""
    loop = _running_loop()
    if threading.current_thread() is _thread:
        if isinstance(awaitable, Coroutine):
            awaitable.close()  # so that it does not complain of never being awaited
        raise LoopError(
            "this is the event loop's own thread, which would wait for itself;"
            " await evaluate(...) or run_evals(...) here"
        )
    return asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop)


def wait_for(awaitable: Awaitable[T]) -> T:
    """The result of `awaitable`, run on the loop thread while this thread waits.

    Works in a notebook or a running server, whose own loop is left alone. On the
    loop thread itself it raises `LoopError`.
    """
    future = start(awaitable)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop, _thread
    with _lock:
        if _loop is None or _thread is None or not _thread.is_alive():
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_run, args=(_loop,), name="steelyard", daemon=True)
            _thread.start()
        return _loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


def _forget() -> None:
    """After a fork the thread is gone in the child and its lock may be held: start anew."""
    global _loop, _thread, _lock
    _loop, _thread, _lock = None, None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
