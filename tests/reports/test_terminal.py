"""The terminal report as it looks, against golden files; `clean`; and a run as JSON.

`STEELYARD_GOLDEN=write pytest tests/reports` writes the golden files anew.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from rich.cells import cell_len
from rich.console import Console

from steelyard.core.run import EvalRun
from steelyard.metrics import ContainsMetric, ContentSimilarityMetric
from steelyard.reports.json import run_as_json
from steelyard.reports.terminal import clean, print_run
from steelyard.runner import evaluate_sync
from steelyard.stats import gate
from tests.strategies import texts

GOLDEN = Path(__file__).parent / "golden"
RECORDS = [
    {
        "id": "capital",
        "input": "Capital of France?",
        "expected_output": "Paris.",
        "actual_output": "Paris.",
    },
    {
        "id": "цвета",
        "input": "Цвета?",
        "expected_output": "Красный и синий.",
        "actual_output": "Синий.",
    },
    {
        "id": "首都",
        "input": "日本の首都は？",
        "expected_output": "東京です。",
        "actual_output": "京都です。" * 30,
    },
    {"id": "none", "input": "?", "expected_output": "x"},
    {
        "id": "hostile",
        "input": "\x1b[31m[red]x[/]",
        "expected_output": "a\nb",
        "actual_output": "\u202eba",
    },
]


@pytest.fixture(scope="module")
def run() -> EvalRun:
    scorers = [
        ContentSimilarityMetric(threshold=0.5),
        ContainsMetric(keywords=["Paris", "синий", "東京"], case_sensitive=False),
    ]
    gates = [
        gate("content_similarity", "mean >= 0.9"),
        gate("contains", "pass_rate >= 50%"),
        gate("errors <= 2"),
    ]
    return evaluate_sync(RECORDS, scorers, gates=gates)


def printed(run: EvalRun, width: int, *, quiet: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, force_terminal=False)
    print_run(run, console, quiet=quiet)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def masked(text: str) -> str:
    text = re.sub(r"\(\d+\.\d\d s", "(0.00 s", text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.mark.parametrize(("width", "quiet"), [(80, False), (40, False), (80, True)])
def test_the_report_looks_as_it_did(run: EvalRun, width: int, quiet: bool) -> None:
    golden = GOLDEN / f"report-{width}{'-quiet' * quiet}.txt"
    shown = masked(printed(run, width, quiet=quiet))
    if os.environ.get("STEELYARD_GOLDEN") == "write":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1, 8, 20, 40, 71, 72, 80, 200])
def test_no_line_is_wider_than_the_terminal(run: EvalRun, width: int) -> None:
    lines = printed(run, width).splitlines()
    assert max(map(cell_len, lines)) <= max(width, 2)  # a wide character needs two columns


def test_the_report_has_no_escapes_where_there_is_no_terminal(run: EvalRun) -> None:
    assert "\x1b" not in printed(run, 80)


@settings(deadline=None, max_examples=200)
@given(texts)
def test_clean_gives_one_bounded_line_without_control_characters(text: str) -> None:
    shown = clean(text)
    assert not re.search(
        "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    shown.encode("utf-8")
    assert clean(shown) == shown


def test_clean_cuts_a_long_text_before_looking_at_it() -> None:
    assert clean("x" * 10**7) == "x" * 300 + "…"


def test_a_run_as_json_has_all_of_it_and_is_json(run: EvalRun) -> None:
    plain = json.loads(run_as_json(run))
    assert [r["case"]["id"] for r in plain["results"]] == [r["id"] for r in RECORDS]
    assert plain["verdict"] == "failed"
    assert plain["exit_code"] == 1
    assert plain["scores"] == run.scores
    assert plain["summary"]["scorers"]["contains"]["pass_rate"] == 0.5
    assert plain["results"][4]["case"]["input"] == "\x1b[31m[red]x[/]"


def test_json_holds_what_json_can_and_shows_the_rest(run: EvalRun) -> None:
    odd = {"inf": math.inf, "nan": math.nan, "set": {1}, 3: "\ud800", "deep": [{"x": (1, None)}]}
    result = replace(run.results[0], case=replace(run.results[0].case, metadata=odd))
    plain = json.loads(run_as_json(replace(run, results=(result,))))
    assert plain["results"][0]["case"]["metadata"] == {
        "inf": "inf",
        "nan": "nan",
        "set": "{1}",
        "3": "\ud800",
        "deep": [{"x": [1, None]}],
    }
