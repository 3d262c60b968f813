"""The program as people start it: a process, its pipes, its signals and its exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.cli.conftest import PROGRAM, ROOT, start

BASELINE = ROOT / "examples/data/gemma3-270m-baseline.jsonl"


def test_quickstart_gives_the_known_answers() -> None:
    process = start(["run", "examples/quickstart.yaml"])
    out, err = (text.decode() for text in process.communicate(timeout=30))
    assert (process.returncode, err) == (0, "")
    similarity, contains = out.splitlines()[1:3]
    assert similarity.split()[:2] == ["content_similarity", "0.4394"]
    assert "17/48" in contains
    assert "PASSED 2 gates on 48 results" in out
    assert "\x1b" not in out


def test_head_closing_the_pipe_is_no_traceback() -> None:
    process = start(["score", BASELINE, "-s", "content_similarity", "--json"])
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=30)


def test_a_full_disk_is_no_traceback() -> None:
    command = [PROGRAM, "score", BASELINE, "-s", "content_similarity"]
    with Path("/dev/full").open("wb") as full:
        filled = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert filled.stderr == b"error: [Errno 28] No space left on device\n"
    assert filled.returncode == 2


def test_an_interrupt_prints_what_is_finished_and_exits_with_130(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "def answer(text):\n"
        "    if text != 'first':\n"
        "        open('started', 'w').close()\n"
        "        time.sleep(60)\n"
        "    return text\n"
    )
    (tmp_path / "evals.yaml").write_text(
        "target: {python: 'slow:answer'}\n"
        "data: [{input: first}, {input: second}, {input: third}]\n"
        "scorers: [content_similarity]\n"
        "gates: [content_similarity: mean >= 0.5]\n"
    )
    process = start(["run", "evals.yaml"], cwd=tmp_path)
    waited = time.monotonic()
    while not (tmp_path / "started").exists():
        assert time.monotonic() < waited + 20
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=10))
    assert process.returncode == 130
    assert "INTERRUPTED after 1 result" in out
    assert "1.0000" in out
    assert "Traceback" not in out + err
    assert err == ""


def test_an_interrupted_score_of_standard_input_prints_what_is_finished() -> None:
    process = start(["score", "-", "-s", "content_similarity", "-q"], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"input": "a", "actual_output": "a"}\n')
    process.stdin.flush()
    time.sleep(1.5)  # the program starts and reads; nothing shows when it has
    os.kill(process.pid, signal.SIGINT)
    process.wait(timeout=10)  # though standard input is still open
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert b"INTERRUPTED after 1 result" in out
    assert err == b""


def test_progress_is_on_a_terminal_and_none_elsewhere() -> None:
    near, far = os.openpty()
    command = [PROGRAM, "score", BASELINE, "-s", "content_similarity"]
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=far, env=environment)
    out, _ = process.communicate(timeout=30)
    os.close(far)
    drawn = os.read(near, 100_000)
    os.close(near)
    assert b"48/48" in drawn
    assert b"\x1b" not in out
