"""A command as a target: the input on its standard input, the output on its standard output."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError, TargetError
from steelyard.core.options import check_count
from steelyard.targets.base import TargetResult

_ERRORS_KEPT, _ERRORS_SHOWN = 4096, 300
"""Bytes of standard error that are kept, and characters of it that a message shows."""
_LASTING = (errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOEXEC, errno.E2BIG, errno.EPERM)


@dataclass(frozen=True)
class CommandTarget:
    """Runs a command once per case; no shell is involved.

    A text input is given on standard input as UTF-8, any other as JSON. The output is
    standard output without the newline at its end.

    Args:
        command: The program and its arguments, such as `["./agent", "--brief"]`.
        cwd: The directory to run in, and to find a relative program from.
        env: Environment variables to add to those of this process; not shown in `repr`.
        max_output: The most bytes of standard output; a command that writes more is killed.

    Raises `OptionError` when made with a wrong option. `answer` raises `TargetError` when
    the command cannot be started, exits with a status other than 0, or writes too much or
    what is not UTF-8. Cancelled, it kills the command's whole process group and waits
    until it is gone. A command ends when standard output and error are closed too, so one
    that leaves a process behind must not leave it these.

    >>> asyncio.run(CommandTarget(["cat"]).answer(EvalTestCase(input="Grüße"))).output
    'Grüße'
    """

    command: Sequence[str]
    _: KW_ONLY
    cwd: str | os.PathLike[str] | None = None
    env: Mapping[str, str] | None = field(default=None, repr=False)
    max_output: int = 10 * 2**20

    def __post_init__(self) -> None:
        if isinstance(self.command, str | bytes) or not isinstance(self.command, Sequence):
            allowed = 'a list, such as ["./agent", "--flag"]; no shell is used'
            raise OptionError("command", "command", self.command, allowed)
        if not self.command or not all(map(_is_argument, self.command)) or not self.command[0]:
            allowed = "a list of texts without NUL, a program and its arguments"
            raise OptionError("command", "command", self.command, allowed)
        object.__setattr__(self, "command", tuple(self.command))
        if self.cwd is not None and not isinstance(self.cwd, str | os.PathLike):
            raise OptionError("command", "cwd", self.cwd, "a path of a directory")
        self._check_env()
        check_count("command", "max_output", self.max_output, 1)

    def _check_env(self) -> None:
        if self.env is not None and not isinstance(self.env, Mapping):
            raise OptionError("command", "env", type(self.env), "a mapping of texts")
        for name, value in (self.env or {}).items():
            if not _is_argument(name) or not name or "=" in name or not _is_argument(value):
                raise OptionError("command", "env", name, "names and values without NUL")

    async def answer(self, case: EvalTestCase) -> TargetResult:
        given = _stdin(case.input)
        process = _Process(self.max_output)
        try:
            await self._start(process)
            process.write(given)
            await process.over.wait()
        finally:
            await process.end()
        return TargetResult(output=self._output(process))

    async def _start(self, process: _Process) -> None:
        loop = asyncio.get_running_loop()
        env = None if self.env is None else {**os.environ, **self.env}
        starting = asyncio.ensure_future(
            loop.subprocess_exec(
                lambda: process, *self.command, cwd=self.cwd, env=env, start_new_session=True
            )
        )
        try:
            # Shielded, since asyncio would end a half started command without its children.
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait([starting])
            raise
        except (OSError, ValueError) as problem:
            raise self._not_started(problem) from problem

    def _not_started(self, problem: OSError | ValueError) -> TargetError:
        if not isinstance(problem, OSError):
            return TargetError(f"{self._name}: {problem}", retryable=False)
        lasting = problem.errno in _LASTING
        if self.cwd is not None and not os.path.isdir(self.cwd):  # noqa: PTH112  # takes what cwd may be
            return TargetError(f"cwd {os.fspath(self.cwd)!r} is no directory", retryable=False)
        return TargetError(
            f"{self._name} cannot be started: {problem.strerror}", retryable=not lasting
        )

    def _output(self, process: _Process) -> str:
        if process.too_long:
            problem = f"wrote more than max_output, {self.max_output} bytes, and was killed"
            raise TargetError(f"{self._name} {problem}")
        if process.code:
            raise TargetError(f"{self._name} {_ending(process.code)}; {process.last_words()}")
        try:
            text = process.output.decode()
        except UnicodeDecodeError as wrong:
            where = f"not UTF-8 at byte {wrong.start}"
            raise TargetError(f"the output of {self._name} is {where}") from None
        return text.removesuffix("\n")

    @property
    def _name(self) -> str:
        return f"the command {self.command[0]!r}"

    async def aclose(self) -> None:
        """Commands end with their answers, so there is nothing to let go of."""


class _Process(asyncio.SubprocessProtocol):
    """One running command: what it wrote so far, and how it is made to end."""

    def __init__(self, max_output: int) -> None:
        self.output, self.errors = bytearray(), bytearray()
        self.over = asyncio.Event()
        self.too_long = False
        self._max_output = max_output
        self._transport: Any = None

    @property
    def code(self) -> int:
        code: int = self._transport.get_returncode()
        return code

    def last_words(self) -> str:
        """The end of standard error, in quotes."""
        words = bytes(self.errors).decode(errors="replace").rstrip()
        if not words:
            return "it wrote nothing to standard error"
        cut = "…" if len(words) > _ERRORS_SHOWN else ""
        return f"its standard error ends with {cut}{words[-_ERRORS_SHOWN:]!r}"

    def write(self, given: bytes) -> None:
        stdin = self._transport.get_pipe_transport(0)
        stdin.write(given)
        stdin.close()

    async def end(self) -> None:
        """Kill the command where it still runs, and wait until it is gone."""
        if self._transport is None:
            return
        if not self.over.is_set():
            self._kill()
            await self.over.wait()
        self._transport.close()

    def _kill(self) -> None:
        # The group outlives its leader while any of its processes holds on to the output.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        for descriptor in (0, 1, 2):
            # A process that left the group could keep these open for ever.
            self._transport.get_pipe_transport(descriptor).close()

    # --- what the event loop calls ---------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.errors += data
            del self.errors[:-_ERRORS_KEPT]
        elif not self.too_long:
            self.output += data
            if len(self.output) > self._max_output:
                self.too_long = True
                self._kill()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """The process has exited and all its pipes are closed."""
        self.over.set()


def _ending(code: int) -> str:
    if code > 0:
        return f"exited with status {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _stdin(value: Any) -> bytes:
    if value is None:
        raise TargetError("input is missing", retryable=False)
    try:
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        return text.encode()
    except UnicodeEncodeError as wrong:
        problem = f"holds half a character (a lone surrogate) at offset {wrong.start}"
    except (TypeError, ValueError, RecursionError) as wrong:
        problem = f"is neither text nor JSON: {wrong}"
    raise TargetError(f"input {problem}", retryable=False)


def _is_argument(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value
