"""`ContentSimilarityMetric`: recorded numbers, bands, references, and equal batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from steelyard import create_content_similarity_scorer
from steelyard.core.errors import OptionError
from steelyard.metrics import ContentSimilarityMetric
from steelyard.test_case import EvalTestCase
from tests.strategies import texts

FILE = Path(__file__).parent.with_name("vectors") / "text_scorers.jsonl"
ROWS = map(json.loads, FILE.read_text(encoding="utf-8").rstrip("\n").split("\n"))
VECTORS = [row for row in ROWS if row["scorer"] == "content_similarity"]


def name(row: dict[str, Any]) -> str:
    return "-".join(map(str, (row["case"], *row["options"].values())))


def test_there_are_vectors() -> None:
    assert len(VECTORS) == 105


@pytest.mark.parametrize("row", VECTORS, ids=name)
def test_recorded_numbers(row: dict[str, Any]) -> None:
    case = EvalTestCase(input=row["input"], actual_output=row["output"])
    score = create_content_similarity_scorer(**row["options"]).measure(case)
    assert score.score == pytest.approx(row["score"], abs=1e-12)
    if "differs" not in row:
        assert score.score == pytest.approx(row["peer_score"], abs=1e-12)


def test_an_option_left_out_keeps_its_default() -> None:
    scorer = create_content_similarity_scorer(ignore_whitespace=False)
    assert (scorer.ignore_case, scorer.scale, scorer.threshold) == (True, 1.0, None)


def test_the_reference_is_the_expected_output_else_the_input() -> None:
    case = EvalTestCase(input="question", actual_output="answer", expected_output="answer")
    metric = ContentSimilarityMetric()
    assert metric.measure(case).score == 1.0
    assert metric.measure(case).analyze_step_result["compared_to"] == "expected_output"
    alone = EvalTestCase(input="answer", actual_output="answer")
    assert metric.measure(alone).analyze_step_result["compared_to"] == "input"
    assert ContentSimilarityMetric(compare_to="input").measure(case).score < 1.0
    insisted = ContentSimilarityMetric(compare_to="expected_output").measure(alone)
    assert insisted.status == "error"
    assert insisted.error is not None
    assert insisted.error.message == "expected_output is missing"


@pytest.mark.parametrize(
    ("reference", "output", "reason"),
    [
        ("Hi there", "hi  THERE", "a perfect match (1.00): equal texts"),
        ("", " ", "a perfect match (1.00): equal texts"),
        ("abaab", "aabab", "the same character pairs (1.00) in a different text"),
        ("the cat sat on the mat", "on the mat sat the cat!", "the same words in another order"),
        ("The quick brown fox", "The quick brown fix", "high similarity"),
        ("night rain", "nacht rain", "moderate similarity"),
        ("night", "nacht", "low similarity (0.25): few common elements"),
        ("abc", "xyz", "no similarity (0.00)"),
        ("abc", "", "one of the texts is empty"),
        ("abc", "abc abc abc abc", "4.0 times as long"),
    ],
)
def test_reasons_name_the_band_and_what_explains_it(
    reference: str, output: str, reason: str
) -> None:
    case = EvalTestCase(actual_output=output, expected_output=reference)
    assert reason in str(ContentSimilarityMetric().measure(case).reason)


def test_scale_and_threshold_are_in_the_units_of_the_score() -> None:
    metric = ContentSimilarityMetric(scale=10, threshold=2.5)
    score = metric.measure(EvalTestCase(actual_output="night", expected_output="nacht"))
    assert (score.score, score.success, metric.best) == (2.5, True, 10.0)
    assert "low similarity (0.25)" in str(score.reason)


@pytest.mark.parametrize(
    "options",
    [
        {"scale": 0},
        {"scale": float("inf")},
        {"scale": "1"},
        {"threshold": 1.5},
        {"threshold": -0.1},
        {"compare_to": "output"},
        {"ignore_case": 1},
    ],
)
def test_wrong_options_raise(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        ContentSimilarityMetric(**options)


def test_processed_texts_are_collapsed_folded_and_trimmed() -> None:
    case = EvalTestCase(actual_output=" Straße\n\n 1 ", expected_output="a\u200bb")
    assert ContentSimilarityMetric().measure(case).preprocess_step_result == {
        "processed_input": "a b",
        "processed_output": "strasse 1",
    }


@given(texts, texts)
def test_batches_give_equal_scores(left: str, right: str) -> None:
    metric = ContentSimilarityMetric(threshold=0.5)
    cases = [EvalTestCase(actual_output=left, expected_output=right), EvalTestCase(input=left)]
    assert metric.score_batch(cases) == [metric.measure(case) for case in cases]


@given(texts, texts)
def test_explanations_are_shares(left: str, right: str) -> None:
    case = EvalTestCase(actual_output=left, expected_output=right)
    analysis = ContentSimilarityMetric().measure(case).analyze_step_result
    shares = [analysis[k] for k in ("word_overlap", "order_agreement", "length_ratio")]
    assert all(share is None or 0.0 <= share <= 1.0 for share in shares)
