"""A program as a target: the input on its standard input, the answer on its standard output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError, TargetError, shown
from steelyard.core.options import check_count
from steelyard.targets.base import TargetResult

_STDERR_SHOWN = 500
_CHUNK = 64 * 1024


@dataclass(frozen=True)
class CommandTarget:
    """Runs a program for each case; no shell sees the command or the input.

    Args:
        command: The program and its arguments, a list.
        cwd: The folder it runs in.
        env: Variables beside those of this process.
        max_output: The most bytes of standard output.

    A text goes in as it is and anything else as JSON, in UTF-8; the output is standard
    output without its last newline. Cancelled, the program and what it started are
    killed. Raises `OptionError` when made wrongly, and `TargetError` for a program that
    is not there, ends with a code other than 0, or writes too much or not UTF-8.

    >>> import asyncio
    >>> asyncio.run(CommandTarget(["cat"]).answer(EvalTestCase(input="Hi"))).output
    'Hi'
    """

    command: Sequence[str]
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    max_output: int = 10 * 2**20

    def __post_init__(self) -> None:
        if isinstance(self.command, str):
            allowed = f"a list, such as {self.command.split()!r}; no shell is used"
            raise OptionError("command", "command", self.command, allowed)
        parts = list(self.command) if isinstance(self.command, list | tuple) else []
        if not parts or not all(isinstance(part, str) for part in parts) or not parts[0]:
            raise OptionError("command", "command", self.command, "a list of a program's words")
        check_count("command", "max_output", self.max_output, least=1)

    async def answer(self, case: EvalTestCase) -> TargetResult:
        given = _as_bytes(case.input)
        process = await self._start()
        try:
            output, errors, _ = await asyncio.gather(
                _read(process.stdout, self.max_output),
                _read_tail(process.stderr),
                _write(process.stdin, given),
            )
            code = await process.wait()
        except BaseException:
            await _kill(process)
            raise
        if code != 0:
            raise TargetError(f"{self.command[0]} ended with code {code}: {shown(errors)}")
        return TargetResult(output=_decoded(output))

    async def aclose(self) -> None:
        """Each program has ended with its answer."""

    async def _start(self) -> Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=self.cwd,
                env={**os.environ, **self.env},
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            said = f"{self.command[0]} cannot be started: {problem}"
            raise TargetError(said, retryable=False) from problem


def _as_bytes(value: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as wrong:
        problem = f"input has a lone surrogate at offset {wrong.start}, which UTF-8 cannot hold"
        raise TargetError(problem, retryable=False) from None


def _decoded(output: bytes) -> str:
    try:
        return output.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as wrong:
        raise TargetError(f"the output is not UTF-8 at byte {wrong.start}") from None


async def _write(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    # A program may end, or close its input, without reading all of it.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(data)
        await stream.drain()
    stream.close()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await stream.wait_closed()


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    output = bytearray()
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        output += chunk
        if len(output) > most:
            raise TargetError(f"the output is longer than {most} bytes", retryable=False)
    return bytes(output)


async def _read_tail(stream: asyncio.StreamReader | None) -> str:
    tail = b""
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        tail = (tail + chunk)[-_STDERR_SHOWN:]
    return tail.decode("utf-8", "replace").strip()


async def _kill(process: Process) -> None:
    """End the program with all that it started, and wait until the system has let go of it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
    transport = getattr(process, "_transport", None)  # asyncio leaves its pipes to the collector
    if transport is not None:
        transport.close()
