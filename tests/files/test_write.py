"""What `write_cases` writes, `read_cases` reads back as equal cases."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError
from steelyard.files import read_cases, write_cases
from tests.strategies import texts


def joined(text: str) -> str:
    """The text with surrogates that pair joined, as JSON joins them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


any_text = st.one_of(texts, st.text(st.characters(exclude_categories=()), max_size=20)).map(joined)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(any_text, inside, max_size=3),
    max_leaves=8,
)
cases = st.builds(
    EvalTestCase,
    input=json_values,
    actual_output=json_values,
    expected_output=json_values,
    system_prompt=st.none() | any_text,
    retrieval_context=st.none() | st.lists(any_text, max_size=2),
    tools_called=st.none() | st.lists(json_values, max_size=2),
    usage=st.none() | st.just({"input_tokens": 3, "cost": 0.25}),
    duration=st.none() | st.floats(0, 1e9),
    metadata=st.dictionaries(any_text, json_values, max_size=2),
    id=st.none() | any_text.filter(bool),
    name=st.none() | any_text,
)


def round_trip(written: list[EvalTestCase], name: str) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        assert write_cases(written, path) == len(written)
        assert [p.name for p in path.parent.iterdir()] == [name]
        return list(read_cases(path))


@settings(deadline=None, max_examples=60)
@given(st.lists(cases, max_size=3))
def test_jsonl_json_and_yaml_give_back_equal_cases(written: list[EvalTestCase]) -> None:
    for name in ("cases.jsonl", "cases.json", "cases.yaml"):
        assert round_trip(written, name) == written


csv_texts = any_text.map(lambda text: text.encode("utf-8", "ignore").decode())
csv_cases = st.builds(
    EvalTestCase,
    input=csv_texts,
    actual_output=csv_texts,
    id=st.none() | csv_texts.filter(bool),
    duration=st.none() | st.floats(0, 1e9),
    metadata=st.dictionaries(csv_texts, json_values, max_size=1),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(csv_cases, max_size=3))
def test_csv_and_tsv_give_back_equal_cases(written: list[EvalTestCase]) -> None:
    for name in ("cases.csv", "cases.tsv"):
        assert round_trip(written, name) == written


@pytest.mark.parametrize(
    ("name", "case", "problem"),
    [
        ("a.csv", EvalTestCase(input=["a"]), "CSV holds only text there"),
        ("a.csv", EvalTestCase(input="\ud800"), "CSV has no lone surrogates"),
        ("a.jsonl", EvalTestCase(input=float("nan")), "cannot be written as JSON"),
        ("a.json", EvalTestCase(input=float("inf")), "cannot be written as JSON"),
        ("a.yaml", EvalTestCase(input=object()), "cannot be written as JSON"),
        ("a.csv", EvalTestCase(input="a", metadata={"x": {1, 2}}), "cannot be written as JSON"),
        ("a.txt", EvalTestCase(), "cannot tell the format"),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file_whole(
    tmp_path: Path, name: str, case: EvalTestCase, problem: str
) -> None:
    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(DataError, match=problem):
        write_cases([EvalTestCase(input="fine"), case], path)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert path.read_text() == "old"
