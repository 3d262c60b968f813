"""`EvalTestCase`, `Score`, ids, usage and `field`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from steelyard import EvalTestCase, SteelyardError, Usage, field
from steelyard.core.errors import DataError, FieldError, OptionError
from steelyard.core.ids import CaseIds, content_id
from steelyard.core.paths import follow, parse_path
from steelyard.metrics import ContentSimilarityMetric


def test_ground_truth_is_another_name_of_expected_output() -> None:
    assert EvalTestCase(ground_truth="a").expected_output == "a"
    assert EvalTestCase(expected_output="a").ground_truth == "a"
    assert EvalTestCase(expected_output="a", ground_truth="a").expected_output == "a"
    with pytest.raises(FieldError, match="'a' and 'b'"):
        EvalTestCase(expected_output="a", ground_truth="b")


def test_records_may_use_camel_case_and_unknown_keys_go_to_metadata() -> None:
    record = {"actualOutput": "a", "groundTruth": "b", "lang": "en", "metadata": {"x": 1}, "id": 7}
    case = EvalTestCase.from_dict(record)
    assert (case.actual_output, case.expected_output, case.id) == ("a", "b", "7")
    assert case.metadata == {"x": 1, "lang": "en"}


@pytest.mark.parametrize(
    "record",
    [
        {"actual_output": "a", "actualOutput": "b"},
        {"ground_truth": "a", "expected_output": "b"},
        {"metadata": {"x": 1}, "x": 2},
        {"metadata": []},
        {"id": ""},
        {"id": True},
        {"duration": -1},
        {"duration": "1"},
        {"usage": 3},
        ["not a mapping"],
    ],
)
def test_wrong_records_are_errors(record: Any) -> None:
    with pytest.raises(SteelyardError):
        EvalTestCase.from_dict(record)


def test_only_none_is_missing() -> None:
    case = EvalTestCase(actual_output="", expected_output=0)
    assert (case.actual_output, case.expected_output) == ("", 0)


def test_cases_copy_and_pickle() -> None:
    case = EvalTestCase(input="a", metadata={"k": [1]}, usage={"prompt_tokens": 3})
    assert pickle.loads(pickle.dumps(case)) == copy.deepcopy(case) == case
    assert case.usage == Usage(input_tokens=3)


def test_ids_are_given_or_hashed_and_later_twins_are_numbered() -> None:
    ids = CaseIds()
    twin = EvalTestCase(input="a", expected_output="b")
    assert ids.of(EvalTestCase(id="x")) == "x"
    first = ids.of(twin)
    assert first == content_id(twin)
    assert [ids.of(twin), ids.of(twin)] == [f"{first}#2", f"{first}#3"]
    assert ids.of(EvalTestCase(input="a", expected_output="c")) != first
    with pytest.raises(DataError, match="'x'"):
        ids.of(EvalTestCase(id="x"))


def test_content_ids_of_text_and_json_agree() -> None:
    """The quick way for text gives what JSON gives, surrogates included."""
    assert content_id(EvalTestCase(input='é\ud800"')) != content_id(EvalTestCase(input="é"))
    assert content_id(EvalTestCase(input={"a": 1, "b": 2})) == content_id(
        EvalTestCase(input={"b": 2, "a": 1})
    )
    with pytest.raises(DataError, match="give the case an id"):
        content_id(EvalTestCase(input=object()))


def test_lazily_explained_scores_equal_hash_and_pickle() -> None:
    metric = ContentSimilarityMetric()
    case = EvalTestCase(actual_output="a b", expected_output="b a")
    [quick] = metric.score_batch([case])
    assert pickle.loads(pickle.dumps(quick)) == metric.measure(case)
    [another] = metric.score_batch([case])
    assert another.reason == metric.measure(case).reason
    with pytest.raises(AttributeError, match="nothing"):
        another.nothing  # noqa: B018  # the access is the test


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("metadata.keywords", ("metadata", "keywords")),
        ("$.choices[0].text", ("choices", 0, "text")),
        ("choices.0", ("choices", "0")),
        ('$["my key"][-1]', ("my key", -1)),
        ("$", ()),
    ],
)
def test_paths(path: str, parts: tuple[Any, ...]) -> None:
    assert parse_path(path) == parts


@pytest.mark.parametrize("path", ["", "a..b", "a[", "a[x]", ".", "$x$"])
def test_malformed_paths_are_errors(path: str) -> None:
    with pytest.raises(OptionError):
        parse_path(path)


def test_following_a_path_says_how_far_it_went() -> None:
    value = {"choices": [{"text": "a"}]}
    assert follow(value, parse_path("choices.0.text")) == "a"
    with pytest.raises(LookupError, match="choices is a list of 1"):
        follow(value, parse_path("choices.1"))
    with pytest.raises(LookupError, match="the top has 'choices'"):
        follow(value, parse_path("x"))


def test_fields_are_checked_when_made_and_when_resolved() -> None:
    with pytest.raises(OptionError, match=r"metadata\.keywords"):
        field("keywords")
    with pytest.raises(OptionError, match="did you mean 'metadata'"):
        field("metdata.x")
    with pytest.raises(FieldError, match=r"metadata\.x is missing"):
        field("metadata.x").of(EvalTestCase())
