"""The data of a run as a stream of cases: from a list, an iterable or an async iterable."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from steelyard.core.case import EvalTestCase, with_id
from steelyard.core.errors import DataError, OptionError, SteelyardError, shown
from steelyard.core.ids import CaseIds
from steelyard.core.run import CaseResult

Data = Iterable[Any] | AsyncIterable[Any]


@dataclass(frozen=True, slots=True)
class Item:
    """One case of the data: its place, what was given for it, and the case with its id.

    A record that could not be read comes as a `CaseResult` whose `error` says why.
    """

    index: int
    given: Any
    case: EvalTestCase
    broken: CaseResult | None = None


class Cases:
    """Makes items of whatever the data holds, and gives each case its id."""

    def __init__(self) -> None:
        self._ids = CaseIds()
        self._count = 0

    def item(self, given: Any) -> Item:
        """The next item; `DataError` names its place in the data."""
        place = self._count
        try:
            broken = given if isinstance(given, CaseResult) and given.error else None
            case = broken.case if broken else as_case(given)
            case = with_id(case, self._ids.of(case), fresh=case is not given)
        except SteelyardError as error:
            raise DataError(f"data[{place}]: {error}") from error
        self._count += 1
        return Item(place, given, case, broken and replace(broken, case=case))


def as_case(given: Any) -> EvalTestCase:
    if isinstance(given, EvalTestCase):
        return given
    if isinstance(given, Mapping):
        return EvalTestCase.from_dict(given)
    raise DataError(f"a case is an EvalTestCase or a dict of its fields, not {shown(given)}")


def check_data(owner: str, data: Any) -> None:
    """Raise `OptionError` for what iterates but is no list of cases."""
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable | AsyncIterable):
        allowed = "a list or other iterable of cases; read files with steelyard.files.read_cases"
        raise OptionError(owner, "data", data, allowed)


def is_list(data: Data) -> TypeGuard[Sequence[Any]]:
    return isinstance(data, Sequence)


def stream(data: Data, ahead: int) -> AsyncGenerator[list[Any], None]:
    """The data in lists of at most `ahead` elements, as many as are there, never waiting for more.

    At most `ahead` elements are taken before they are asked for.
    """
    if isinstance(data, AsyncIterable):
        return _one_by_one(data)
    if is_list(data):
        return _slices(data, ahead)
    return _Reader(data, ahead).lists()


async def _one_by_one(data: AsyncIterable[Any]) -> AsyncGenerator[list[Any], None]:
    async for element in data:
        yield [element]


async def _slices(data: Sequence[Any], ahead: int) -> AsyncGenerator[list[Any], None]:
    for start in range(0, len(data), ahead):
        yield list(data[start : start + ahead])


class _Reader:
    """Takes elements from an iterable in a thread: one that waits does not stop the loop."""

    def __init__(self, data: Iterable[Any], ahead: int) -> None:
        self._data = data
        self._room = threading.Semaphore(ahead)
        self._taken: deque[Any] = deque()
        self._error: BaseException | None = None
        self._ended = self._closed = False

    async def lists(self) -> AsyncGenerator[list[Any], None]:
        self._loop, self._ready = asyncio.get_running_loop(), asyncio.Event()
        threading.Thread(target=self._read, name="steelyard-data", daemon=True).start()
        try:
            while not self._ended or self._taken:
                await self._ready.wait()
                self._ready.clear()
                taken = [self._taken.popleft() for _ in range(len(self._taken))]
                if taken:
                    yield taken
                self._room.release(max(1, len(taken)))
        finally:
            self._closed = True
            self._room.release()
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            elements = iter(self._data)
            while self._room.acquire() and not self._closed:
                self._taken.append(next(elements))
                self._wake()
        except StopIteration:
            pass
        except BaseException as error:  # noqa: BLE001  # raised again where the data is awaited
            self._error = error
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._ready.set)
        except RuntimeError:
            self._closed = True  # the loop was closed: nobody reads any more
