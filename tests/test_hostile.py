"""A thousand hostile inputs give a score or a clear error, and never a traceback."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from steelyard import evaluate_sync
from steelyard.metrics import ContainsMetric, ContentSimilarityMetric

PIECES = (
    "\0", "\ud800", "\udfff", "\u0301" * 1001, "\u0301" * 999, "\u202e", "\u200f", "\x1b[2J", "\r",
    "\u2028", "\ufeff", "\U0010ffff", "ﷺ", "ß", "İ", "क्ष", "각", "\u1100\u1161", "👩‍👩‍👧",
    "[red]x[/red]", "{{input}}", "'; --", "<script>", "\\", '"', "é", "e\u0301", " " * 50,
    "a" * 3000,
)  # fmt: skip


def nested(depth: int) -> Any:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


def hostile(chosen: random.Random) -> Any:
    kind = chosen.random()
    if kind < 0.85:
        return "".join(chosen.choices(PIECES, k=chosen.randint(0, 6)))
    odd = (None, 0, False, 1e308, [], {}, nested(50), [{"role": "assistant", "content": [None]}])
    return chosen.choice(odd)


def records() -> list[dict[str, Any]]:
    chosen = random.Random(20)
    found = [
        {name: hostile(chosen) for name in ("input", "actual_output", "expected_output")}
        for _ in range(1000)
    ]
    found[0]["actual_output"] = "ab ſ" * 200_000
    found[0]["expected_output"] = "ab s" * 200_000
    found[1]["actual_output"] = "👍\u0301é" * 20_000
    return found


SCORERS = [
    ContentSimilarityMetric(),
    ContainsMetric(
        keywords=["s", "é", "\ud800"],
        case_sensitive=False,
        whole_words=True,
        ignore_diacritics=True,
    ),
]


def test_every_score_is_a_number_or_names_its_error() -> None:
    run = evaluate_sync(records(), SCORERS)
    for result in run.results:
        for score in result.scores.values():
            if score.status == "scored":
                assert score.score is not None
                assert 0.0 <= score.score <= 1.0
                assert score.reason
            else:
                assert score.error is not None
                assert score.error.type in ("FieldError", "TextError")
                assert score.error.message


def test_the_command_line_shows_no_traceback(tmp_path: Path) -> None:
    lines = [json.dumps(record) for record in records()]
    lines += ["[" * 100_000, '{"actual_output": NaN}', "{", '"text"', '{"id": []}', "9" * 10_000]
    file = tmp_path / "hostile.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    with file.open("ab") as stream:
        stream.write(b'\n\xff\xfe{"actual_output": 1}\n')
    program = Path(sys.executable).with_name("steelyard")
    command = [program, "score", file, "-s", "content_similarity", "-s", 'contains(keywords=["s"])']
    for extra in ([], ["--json"]):
        done = subprocess.run([*command, *extra], capture_output=True, check=False)
        assert done.returncode == 3, done.stderr
        assert b"Traceback" not in done.stderr + done.stdout
        assert b"\x1b" not in done.stdout
        assert b"hostile.jsonl:1001: " in done.stderr
        if extra:
            assert len(json.loads(done.stdout)["results"]) == 1007
