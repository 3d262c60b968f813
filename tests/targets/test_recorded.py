"""Recorded: which recording is a case's own."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.core.builder import create_scorer
from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError, OptionError
from steelyard.core.ids import content_id
from steelyard.core.usage import Usage
from steelyard.runner import run_evals_sync
from steelyard.targets.recorded import Recorded

from .asking import ask, refusal


def recording(output: Any, input: Any = "Hi", **fields: Any) -> dict[str, Any]:
    return {"input": input, "actual_output": output, **fields}


def test_without_recordings_the_case_brings_its_output():
    usage = Usage(input_tokens=3)
    result = ask(Recorded(), actual_output=["x"], usage=usage, duration=1.5)
    assert (result.output, result.usage, result.duration) == (["x"], usage, 1.5)


def test_a_case_without_an_output_is_named():
    error = refusal(Recorded(), "What?", id="q7")
    assert "'q7'" in str(error)
    assert "'What?'" in str(error)
    assert not error.retryable


def test_usage_and_duration_are_those_of_the_recording():
    recorded = Recorded([recording("a", usage={"output_tokens": 2}, duration=0.5)])
    result = ask(recorded, usage=Usage(9), duration=9.0)
    assert (result.usage, result.duration) == (Usage(output_tokens=2), 0.5)


def test_the_id_counts_most():
    recorded = Recorded([recording("a", id="1"), recording("b", "Ho", id=2)])
    assert ask(recorded, "Ho", id="1").output == "a"
    assert ask(recorded, "Hi", id="2").output == "b"


def test_without_ids_the_same_question_is_the_same_case():
    recorded = Recorded([recording("a", expected_output="x"), recording("b", ground_truth="y")])
    assert ask(recorded, expected_output="x").output == "a"
    assert ask(recorded, expected_output="y").output == "b"
    assert "differ" in str(refusal(recorded, expected_output="z"))


def test_the_input_alone_is_enough_where_it_is_clear():
    recorded = Recorded([recording("a", expected_output="x"), recording("b", ["Ho", {"k": 1}])])
    assert ask(recorded).output == "a"
    assert ask(recorded, ["Ho", {"k": 1}], expected_output="new").output == "b"
    assert "no output is recorded" in str(refusal(recorded, "Hm"))


@pytest.mark.parametrize(
    ("recorded_id", "asked_id", "found"),
    [(None, "1", True), ("1", None, True), ("1", "2", False), ("1", "1", True)],
)
def test_a_different_id_is_a_different_case(
    recorded_id: str | None, asked_id: str | None, found: bool
):
    recorded = Recorded([recording("a", id=recorded_id)])
    if found:
        assert ask(recorded, id=asked_id).output == "a"
    else:
        assert "no output is recorded" in str(refusal(recorded, id=asked_id))


def test_an_id_made_by_a_run_is_no_id_of_its_own():
    made = content_id(EvalTestCase(input="Hi"))
    assert ask(Recorded([recording("a", id="1")]), id=made).output == "a"
    assert ask(Recorded([recording("a")]), id=f"{made}#2").output == "a"
    assert ask(Recorded([recording("a", id=made)]), id="1").output == "a"


def test_a_run_over_recordings_finds_all_of_them():
    scorer = create_scorer(id="is_a").generate_score(
        lambda c: float(c.run.case.actual_output == "a")
    )
    recorded = Recorded([recording("a"), recording("a", "Ho", id="x")])
    data = [{"input": "Hi"}, {"input": "Hi"}, {"input": "Ho"}]
    run = run_evals_sync(target=recorded, data=data, scorers=[scorer])
    assert [result.scores["is_a"].score for result in run.results] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("fields", [{"id": "1"}, {}, {"expected_output": "x"}])
def test_two_outputs_for_one_case_are_an_error(fields: dict[str, Any]):
    Recorded([recording("a", **fields), recording("a", **fields)])
    with pytest.raises(DataError, match="different outputs"):
        Recorded([recording("a", **fields), recording("b", **fields)])


def test_a_recording_without_an_output_is_none():
    recorded = Recorded([recording(None), recording("a")])
    assert ask(recorded).output == "a"
    refusal(Recorded([recording(None)]))


def test_false_outputs_are_outputs():
    for output in ("", 0, False, []):
        assert ask(Recorded([recording(output)])).output == output


def test_an_input_that_is_not_json_is_found_by_id_only():
    recorded = Recorded([recording("a", {1}, id="1"), recording("b", None, id="2")])
    assert ask(recorded, {1}, id="1").output == "a"
    refusal(recorded, {1})
    refusal(recorded, None)


def test_cases_are_taken_once_and_not_shown():
    recorded = Recorded(iter([EvalTestCase(**recording("a")), recording("b", "Ho")]))
    assert ask(recorded, "Ho").output == "b"
    assert repr(recorded) == "Recorded()"
    assert recorded == Recorded([recording("a"), recording("b", "Ho")])


@pytest.mark.parametrize("cases", ["log.jsonl", b"x", {"input": "Hi"}, 7])
def test_what_is_no_list_of_cases_is_an_option_error(cases: Any):
    with pytest.raises(OptionError, match="cases"):
        Recorded(cases)


@pytest.mark.parametrize("wrong", ["Hi", {"duration": -1}, {"id": True}])
def test_a_wrong_recording_is_named_by_its_place(wrong: Any):
    with pytest.raises(DataError, match=r"cases\[1\]"):
        Recorded([recording("a"), wrong])
