"""CommandTarget: real programs, what they write, and how they are ended."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError
from steelyard.targets.command import CommandTarget

from .asking import ask, refusal

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"


def python(code: str, *arguments: str, **options: Any) -> CommandTarget:
    return CommandTarget([sys.executable, "-S", "-c", code, *arguments], **options)


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "agent"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


# --- what goes in and what comes out -----------------------------------------------------


@pytest.mark.parametrize("text", ["", "Hi", "Grüße 漢字 🎉", "a\r\nb\x00", "$(id); `id` | * ~"])
def test_a_text_goes_in_and_out_as_it_is(text: str):
    assert ask(python(ECHO), text).output == text


def test_a_long_text_goes_through_without_a_deadlock():
    text = "0123456789" * 300_000
    assert ask(python(ECHO), text).output == text


@pytest.mark.parametrize("value", [["a", {"b": None}], {"k": "ü"}, 1.5, False])
def test_any_other_input_goes_in_as_json(value: Any):
    code = "import json, sys; print(repr(json.load(sys.stdin)))"
    assert ask(python(code), value).output == repr(value)


@pytest.mark.parametrize(
    ("written", "output"),
    [("a\n", "a"), ("a\n\n", "a\n"), ("\n", ""), ("", ""), (" a \t", " a \t"), ("\na", "\na")],
)
def test_one_newline_at_the_end_is_no_part_of_the_output(written: str, output: str):
    assert ask(CommandTarget(["printf", "%s", written])).output == output


@pytest.mark.parametrize("input", [None, "ab\ud800", {1}, float("nan")])
def test_an_input_that_cannot_be_given_is_an_error(input: Any):
    error = refusal(python(ECHO), input)
    assert str(error).startswith("input ")
    assert not error.retryable
    assert "offset 2" in str(error) or not isinstance(input, str)


def test_arguments_are_not_read_by_a_shell():
    code = "import sys; print(sys.argv[1:])"
    assert ask(python(code, "$HOME", "a b", "*")).output == "['$HOME', 'a b', '*']"


def test_the_folder_and_the_variables_are_the_given_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KEPT", "1")
    code = "import os; print(os.getcwd(), os.environ['KEPT'], os.environ['ADDED'])"
    target = python(code, cwd=tmp_path, env={"ADDED": "s3cr3t"})
    assert ask(target).output == f"{tmp_path.resolve()} 1 s3cr3t"
    assert "s3cr3t" not in repr(target)


def test_a_program_is_found_from_the_folder(tmp_path: Path):
    script(tmp_path, "#!/bin/sh\ncat\n")
    assert ask(CommandTarget(["./agent"], cwd=tmp_path)).output == "Hi"


def test_the_standard_input_can_be_opened_by_its_name():
    assert ask(CommandTarget(["cat", "/dev/stdin"])).output == "Hi"


# --- what goes wrong ---------------------------------------------------------------------


def test_a_status_other_than_0_is_an_error_with_the_last_words():
    code = "import sys; sys.stderr.write('x' * 99999 + 'no model ü\\n'); sys.exit(3)"
    error = refusal(python(code))
    assert "status 3" in str(error)
    assert str(error).endswith("no model ü'")
    assert len(str(error)) < 500
    assert error.retryable


def test_a_silent_failure_says_so():
    assert "status 1; it wrote nothing" in str(refusal(CommandTarget(["false"])))


def test_a_signal_is_named():
    code = "import os; os.kill(os.getpid(), 15)"
    assert "ended by SIGTERM" in str(refusal(python(code)))


def test_output_that_is_not_utf_8_is_an_error_at_its_offset():
    assert "not UTF-8 at byte 2" in str(refusal(CommandTarget(["printf", r"ab\377"])))


def test_a_program_that_is_not_there_is_not_looked_for_again():
    error = refusal(CommandTarget(["./no-such-agent"]))
    assert "'./no-such-agent' cannot be started: No such file" in str(error)
    assert not error.retryable


@pytest.mark.parametrize(
    ("text", "mode"), [("#!/bin/sh\n", 0o644), ("no first line", 0o755), ("#!/no/sh\n", 0o755)]
)
def test_a_file_that_cannot_be_run_is_an_error(tmp_path: Path, text: str, mode: int):
    error = refusal(CommandTarget([script(tmp_path, text, mode)]))
    assert "cannot be started" in str(error)
    assert not error.retryable


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    error = refusal(CommandTarget(["cat"], cwd=tmp_path / "none"))
    assert f"{tmp_path / 'none'}' is no directory" in str(error)
    assert not error.retryable


def test_a_program_need_not_read_its_input():
    text = "x" * 3_000_000
    assert ask(python("print(1)"), text).output == "1"
    code = "import os, time; os.close(0); time.sleep(0.05); print(2)"
    assert ask(python(code), text).output == "2"


@pytest.mark.parametrize("excess", [0, 1])
def test_output_is_bounded(excess: int):
    target = CommandTarget(["printf", "%s", "x" * (1000 + excess)], max_output=1000)
    if excess:
        assert "more than max_output, 1000 bytes" in str(refusal(target))
    else:
        assert len(ask(target).output) == 1000


def test_a_program_that_never_stops_writing_is_killed():
    assert "was killed" in str(refusal(CommandTarget(["yes"], max_output=100_000)))


# --- how it ends -------------------------------------------------------------------------


def is_running(pid: int) -> bool:
    """Whether a process runs; one that is dead and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def gone(pid: int) -> bool:
    """Whether a process is gone within two seconds; a signal takes its time to arrive."""
    end = time.monotonic() + 2
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(pid)


def no_children() -> bool:
    """Whether this process has no child left to wait for."""
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return True


PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], {options})
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
{then}
"""


async def written(path: Path) -> list[int]:
    while not path.exists():
        await asyncio.sleep(0.01)
    return [int(pid) for pid in path.read_text().split()]


async def cancelled(target: CommandTarget, path: Path) -> list[int]:
    """The processes of an answer that is cancelled once they run."""
    asking = asyncio.create_task(target.answer(EvalTestCase(input="Hi")))
    pids = await asyncio.wait_for(written(path), 5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asking, 5)
    return pids


def test_cancelled_it_kills_the_program_and_its_children(tmp_path: Path):
    code = PARENT.format(options="", then="time.sleep(60)")
    pids = asyncio.run(cancelled(python(code, str(tmp_path / "pids")), tmp_path / "pids"))
    assert all(map(gone, pids))
    assert no_children()


def test_signals_that_ask_politely_are_not_enough(tmp_path: Path):
    ignore = "import signal; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; "
    code = ignore + PARENT.format(options="", then="time.sleep(60)")
    pids = asyncio.run(cancelled(python(code, str(tmp_path / "pids")), tmp_path / "pids"))
    assert all(map(gone, pids))


def test_cancelled_it_kills_children_that_outlive_the_program(tmp_path: Path):
    code = PARENT.format(options="", then="")
    pids = asyncio.run(cancelled(python(code, str(tmp_path / "pids")), tmp_path / "pids"))
    assert all(map(gone, pids))


def test_a_child_that_left_the_group_cannot_hold_the_answer_up(tmp_path: Path):
    code = PARENT.format(options="start_new_session=True", then="time.sleep(60)")
    parent, child = asyncio.run(cancelled(python(code, str(tmp_path / "pids")), tmp_path / "pids"))
    assert gone(parent)
    os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("steps", range(5))
def test_cancelled_while_it_starts_it_leaves_nothing(steps: int):
    async def at_once() -> None:
        asking = asyncio.create_task(CommandTarget(["sleep", "60"]).answer(EvalTestCase(input="")))
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(asking, 5)

    asyncio.run(at_once())
    assert no_children()


def test_a_half_started_program_is_killed_with_its_children(tmp_path: Path):
    path = tmp_path / "pids"

    async def at_once() -> None:
        target = python(PARENT.format(options="", then="time.sleep(60)"), str(path))
        asking = asyncio.create_task(target.answer(EvalTestCase(input="")))
        for _ in range(2):
            await asyncio.sleep(0)
        end = time.monotonic() + 5
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.01)  # a loop that is busy, so nobody knows yet that the program runs
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(asking, 5)

    asyncio.run(at_once())
    assert all(gone(int(pid)) for pid in path.read_text().split())


def test_a_time_limit_is_a_cancellation():
    async def limited() -> None:
        async with asyncio.timeout(0.1):
            await CommandTarget(["sleep", "60"]).answer(EvalTestCase(input=""))

    started = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(limited())
    assert time.monotonic() - started < 2
    assert no_children()


def test_ctrl_c_ends_the_program_too(tmp_path: Path):
    code = f"""
import asyncio, sys
from steelyard.core.case import EvalTestCase
from steelyard.targets.command import CommandTarget
command = [sys.executable, "-S", "-c", {PARENT.format(options="", then="time.sleep(60)")!r}]
target = CommandTarget([*command, {str(tmp_path / "pids")!r}])
asyncio.run(target.answer(EvalTestCase(input="Hi")))
"""
    running = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    pids = asyncio.run(asyncio.wait_for(written(tmp_path / "pids"), 10))
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=5)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert all(map(gone, pids))


def test_many_run_at_once_and_off_the_main_thread():
    outputs: list[Any] = []

    async def many() -> list[Any]:
        target = CommandTarget(["cat"])
        asked = (target.answer(EvalTestCase(input=str(n))) for n in range(20))
        return [result.output for result in await asyncio.gather(*asked)]

    thread = threading.Thread(target=lambda: outputs.extend(asyncio.run(many())))
    thread.start()
    thread.join(10)
    assert outputs == [str(n) for n in range(20)]
    assert no_children()


def test_nothing_stays_open():
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        ask(CommandTarget(["cat"]))
        refusal(CommandTarget(["false"]))
        refusal(CommandTarget(["./no-such-agent"]))
        refusal(CommandTarget(["yes"], max_output=10))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_debug_mode_has_nothing_to_say(caplog: pytest.LogCaptureFixture):
    async def once() -> None:
        await CommandTarget([sys.executable, "-c", "pass"]).answer(EvalTestCase(input="x" * 10**6))

    with caplog.at_level("WARNING", "asyncio"):
        asyncio.run(once(), debug=True)
    assert [r.message for r in caplog.records if "Executing" not in r.message] == []


# --- options -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"command": "./agent --flag"}, "no shell is used"),
        ({"command": b"./agent"}, "no shell is used"),
        ({"command": None}, "command"),
        ({"command": []}, "command"),
        ({"command": [""]}, "command"),
        ({"command": ["a", 1]}, "command"),
        ({"command": ["a\0"]}, "command"),
        ({"cwd": 1}, "cwd"),
        ({"env": ["A=1"]}, "env"),
        ({"env": {"A": 1}}, "env"),
        ({"env": {"A=B": "1"}}, "env"),
        ({"env": {"": "1"}}, "env"),
        ({"max_output": 0}, "max_output"),
    ],
)
def test_a_wrong_option_is_found_at_once(options: dict[str, Any], named: str):
    with pytest.raises(OptionError, match=named):
        CommandTarget(**{"command": ["cat"], **options})


def test_equal_commands_are_equal_targets():
    assert CommandTarget(["cat", "-n"]) == CommandTarget(("cat", "-n"))
