"""Gates, percentiles, and the one rule for headline, verdict and exit code."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import evaluate_sync, gate
from steelyard.core.errors import OptionError, RunError
from steelyard.core.run import EvalRun
from steelyard.metrics import ContainsMetric, ContentSimilarityMetric
from steelyard.stats import percentile

SCORERS = [ContainsMetric(keywords=["a"]), ContentSimilarityMetric()]


def run(outputs: list[Any], *gates: Any) -> EvalRun:
    cases = [{"actual_output": o, "expected_output": "abc", "id": k} for k, o in enumerate(outputs)]
    return evaluate_sync(cases, SCORERS, gates=gates)


@pytest.mark.parametrize(
    ("scorer", "condition", "holds"),
    [
        ("contains", "mean >= 0.5", True),
        ("contains", "mean > 0.5", False),
        ("contains", "pass_rate >= 50%", True),
        ("contains", "pass_rate >= 51%", False),
        ("contains", "passed >= 2", True),
        ("contains", "failed < 2", False),
        ("contains", "every", False),
        ("contains", "median>=0.5", True),
        ("content_similarity", "p0 >= 0", True),
        ("content_similarity", "p100 >= 1", True),
        ("content_similarity", "max <= 0.9", False),
        ("content_similarity", "min >= 0.0", True),
        ("content_similarity", "sd < 1", True),
    ],
)
def test_gates_decide(scorer: str, condition: str, holds: bool) -> None:
    done = run(["abc", "a", "x", "y"], gate(scorer, condition))
    assert [g.passed for g in done.gates] == [holds]
    assert (done.verdict, done.exit_code) == (("passed", 0) if holds else ("failed", 1))
    assert "of 4" in done.gates[0].detail or "over 4" in done.gates[0].detail


def test_errors_fail_a_gate_unless_allowed() -> None:
    strict = run(["abc", None, "a"], gate("contains", "mean >= 0.5"))
    assert (strict.gates[0].passed, strict.exit_code, strict.verdict) == (False, 3, "failed")
    allowed = run(["abc", None, "a"], gate("contains", "mean >= 0.5"), gate("errors <= 1"))
    assert (allowed.exit_code, allowed.verdict) == (0, "passed")
    share = run(["abc", None, "a"], gate("errors <= 10%"))
    assert (share.exit_code, share.verdict) == (3, "failed")
    one_scorer = run(["abc", None, "a"], gate("contains", "errors <= 1"))
    assert one_scorer.exit_code == 3


def test_errors_without_gates_are_exit_code_3_and_no_verdict() -> None:
    done = run(["abc", None])
    assert (done.exit_code, done.verdict) == (3, None)
    assert "1 of 2 results" in done.headline


def test_a_bound_off_the_scale_is_refused() -> None:
    with pytest.raises(OptionError, match="from 0 to 1"):
        run(["a"], gate("contains", "mean >= 5"))
    assert run(["a"], gate("contains", "mean >= .9")).verdict == "passed"


def test_a_percent_gate_on_nothing_is_no_crash() -> None:
    with pytest.raises(RunError, match="no cases"):
        evaluate_sync(iter([]), SCORERS, gates=[gate("errors <= 5%")])


def test_nothing_scored_fails_a_gate() -> None:
    done = run([None, 3], gate("contains", "mean >= 0"), gate("errors <= 5"))
    assert [g.passed for g in done.gates] == [False, True]
    assert done.exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("contains", "mean"),
        ("contains", "meen >= 1"),
        ("contains", "p101 >= 1"),
        ("contains", "mean == 1"),
        ("contains", "mean >= x"),
        ("contains", "pass_rate >= 90"),
        ("contains", "mean <= 1e400"),
        ("mean >= 1",),
        ("every",),
        ("contains", 3),
        (None,),
    ],
)
def test_wrong_gates_raise(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(OptionError):
        gate(*arguments)


@given(st.lists(st.floats(0, 1), min_size=1), st.integers(0, 100))
def test_percentiles_lie_between_neighbours(values: list[float], percent: int) -> None:
    assert min(values) <= percentile(values, percent) <= max(values)
    assert percentile(values, 0) == min(values)
    assert percentile(values, 100) == max(values)
