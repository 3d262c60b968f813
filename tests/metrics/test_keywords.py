"""`ContainsMetric`: the documented examples, the options, and equal batches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import field
from steelyard.core.errors import OptionError
from steelyard.metrics import ContainsMetric
from steelyard.test_case import EvalTestCase
from steelyard.text import fold
from tests.strategies import short_texts


def test_documented_example() -> None:
    test_case = EvalTestCase(
        input="Перечислите основные цвета",
        actual_output="Основные цвета — красный, синий и желтый.",
    )
    metric = ContainsMetric(
        threshold=1.0,
        keywords=["красный", "синий", "желтый"],
        mode="all",
        case_sensitive=False,
    )
    result = asyncio.run(metric.evaluate(test_case))
    assert result.score == 1.0
    assert result.success is True


@pytest.mark.parametrize(
    ("output", "keywords", "mode", "score"),
    [
        ("Python — популярный язык.", ["Python", "JavaScript"], "any", 1.0),
        ("Операция выполнена успешно.", ["ошибка", "сбой", "исключение"], "none", 1.0),
        ("Основные цвета — красный и синий.", ["красный", "синий", "желтый"], "all", 0.0),
        ("", ["a"], "none", 1.0),
        ("", ["a"], "any", 0.0),
        ("", ["a"], "all", 0.0),
    ],
)
def test_modes(output: str, keywords: list[str], mode: Any, score: float) -> None:
    metric = ContainsMetric(keywords=keywords, mode=mode)
    assert metric.measure(EvalTestCase(actual_output=output)).score == score


def test_analysis_and_reason() -> None:
    metric = ContainsMetric(
        keywords=["красный", "Синий", "жёлтый"], mode="all", case_sensitive=False
    )
    score = metric.measure(EvalTestCase(actual_output="синий, СИНИЙ и красный"))
    assert score.reason == "2 of 3 keywords found; missing: 'жёлтый'"
    assert score.analyze_step_result == {
        "found": {"красный": [[15, 22]], "Синий": [[0, 5], [7, 12]]},
        "missing": ["жёлтый"],
    }
    unwanted = ContainsMetric(keywords=["a"], mode="none").measure(EvalTestCase(actual_output="a"))
    assert unwanted.reason == "1 of 1 keyword found; unwanted: 'a'"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keywords": "a"},
        {"keywords": []},
        {"keywords": [""]},
        {"keywords": [" \u200b"]},
        {"keywords": [3]},
        {"keywords": None},
        {"keywords": ["\u064b"], "ignore_diacritics": True},
        {"keywords": ["a"], "mode": "some"},
        {"keywords": ["a"], "mode": ["any"]},
        {"keywords": ["a"], "threshold": 0},
        {"keywords": ["a"], "threshold": 1.1},
        {"keywords": ["a"], "threshold": True},
        {"keywords": ["a"], "threshold": float("nan")},
        {"keywords": ["a"], "threshold": None},
        {"keywords": ["a"], "case_sensitive": "yes"},
        {"keywords": ["a"], "id": " "},
    ],
)
def test_wrong_options_raise_when_the_metric_is_made(options: dict[str, Any]) -> None:
    with pytest.raises((OptionError, TypeError)):
        ContainsMetric(**options)


@pytest.mark.parametrize("output", [None, 0, False, 1.5, ["a"], {"a": 1}])
@pytest.mark.parametrize("mode", ["any", "all", "none"])
def test_an_output_that_is_not_text_is_an_error_never_a_pass(output: Any, mode: Any) -> None:
    score = ContainsMetric(keywords=["a"], mode=mode).measure(EvalTestCase(actual_output=output))
    assert (score.status, score.score, score.success) == ("error", None, None)
    assert score.error is not None
    assert "actual_output" in score.error.message


@pytest.mark.parametrize(
    "metadata", [{}, {"keywords": None}, {"keywords": "a"}, {"keywords": []}, {"keywords": [""]}]
)
def test_keywords_of_a_case_are_checked_like_the_option(metadata: dict[str, Any]) -> None:
    metric = ContainsMetric(keywords=field("metadata.keywords"))
    score = metric.measure(EvalTestCase(actual_output="a", metadata=metadata))
    assert score.status == "error"
    assert "metadata.keywords" in str(score.reason)


options = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["any", "all", "none"]),
        "case_sensitive": st.booleans(),
        "whole_words": st.booleans(),
        "ignore_diacritics": st.booleans(),
    }
)
outputs = st.one_of(short_texts, st.none(), st.just("a" + "\u0301" * 1001))


@given(st.lists(outputs, max_size=3), options)
def test_batches_give_equal_scores(texts: list[str | None], chosen: dict[str, Any]) -> None:
    metric = ContainsMetric(keywords=["a", "ß", "é"], **chosen)
    cases = [EvalTestCase(actual_output=text) for text in texts]
    one_by_one = [asyncio.run(_recorded(metric, case)) for case in cases]
    assert metric.score_batch(cases) == one_by_one


async def _recorded(metric: ContainsMetric, case: EvalTestCase) -> Any:
    from steelyard.core.scorer import score_case

    return await score_case(metric, case, None)


@given(short_texts, st.lists(st.sampled_from(["a", "b", "ß", "é"]), min_size=1, max_size=3))
def test_modes_are_what_they_say(text: str, keywords: list[str]) -> None:
    found = {k for k in keywords if fold(k) in fold(text)}
    analysis = ContainsMetric(keywords=keywords).measure(EvalTestCase(actual_output=text))
    assert set(analysis.analyze_step_result["found"]) <= found
    there = set(analysis.analyze_step_result["found"])
    for mode, holds in (("any", there), ("all", there == set(keywords)), ("none", not there)):
        metric = ContainsMetric(keywords=keywords, mode=mode)  # type: ignore[arg-type]
        assert metric.measure(EvalTestCase(actual_output=text)).score == float(bool(holds))
