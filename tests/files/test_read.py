"""Reading cases: every format, its edges, and what is said about a line that is wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError, OptionError
from steelyard.core.run import CaseResult
from steelyard.files import read_cases

BOM = b"\xef\xbb\xbf"


def read(data: bytes, format: Any = "jsonl", **options: Any) -> list[Any]:
    return list(read_cases(io.BytesIO(data), format=format, **options))


def inputs(data: bytes, format: Any = "jsonl", **options: Any) -> list[Any]:
    return [case.input for case in read(data, format, **options)]


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("jsonl", b'{"input": "a"}\n{"input": "b"}\n'),
        ("jsonl", b'{"input": "a"}\r\n{"input": "b"}\r\n'),
        ("jsonl", b'{"input": "a"}\n\n  \n{"input": "b"}'),
        ("jsonl", BOM + b'{"input": "a"}\n{"input": "b"}'),
        ("json", b'[{"input": "a"}, {"input": "b"}]'),
        ("json", BOM + b'{"cases": [{"input": "a"}, {"input": "b"}], "version": 1}\r\n'),
        ("yaml", b"- input: a\n- input: b\n"),
        ("yaml", BOM + b"cases:\r\n- {input: a}\r\n- {input: b}"),
        ("csv", b"input\na\nb\n"),
        ("csv", BOM + b"input\r\na\r\nb"),
        ("csv", BOM + b'"input"\n\na\n\nb\n\n'),
        ("tsv", b"input\tactual_output\na\tx,y\nb\tz\n"),
    ],
)
def test_marks_line_ends_and_blank_lines_are_no_part_of_a_case(format: str, data: bytes) -> None:
    assert inputs(data, format) == ["a", "b"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b"{oops", "not JSON at column 2"),
        (b"[1, 2]", "not an object of case fields"),
        (b'"text"', "not an object of case fields"),
        (b"null", "not an object of case fields"),
        (b'{"input": NaN}', "NaN is not JSON"),
        (b'{"input": -Infinity}', "-Infinity is not JSON"),
        (b'{"input": ' + b"9" * 5000 + b"}", "4300"),
        (b'{"input": "\xff"}', "not UTF-8 at byte 11"),
        (b'{"input": "a\x00b"}', "not JSON"),
        (b'{"input": ' + b"[" * 101 + b"]" * 101 + b"}", "nested deeper than 100"),
        (b'{"input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested"),
        (b'{"expected_output": "a", "ground_truth": "b"}', "expected_output"),
        (b'{"duration": -1}', "duration"),
        (b'{"metadata": 3}', "metadata"),
        (b'{"id": ""}', "id"),
        (BOM + b'{"input": 1}', "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_read(bad: bytes, problem: str) -> None:
    data = b'{"input": "a"}\n\n' + bad + b'\n{"input": "b"}\n'
    with pytest.raises(DataError) as caught:
        read(data)
    assert str(caught.value).startswith("<stream>:3: ")
    assert problem in str(caught.value)
    first, broken, last = read(data, strict=False)
    assert (first.input, last.input) == ("a", "b")
    assert isinstance(broken, CaseResult)
    assert broken.case.id == "<stream>:3"
    assert broken.error is not None
    assert broken.error.message == str(caught.value)


def test_strict_reading_gives_what_stands_before_the_bad_line() -> None:
    cases = read_cases(io.BytesIO(b'{"input": "a"}\nx\n'), format="jsonl")
    assert next(cases) == EvalTestCase(input="a")
    with pytest.raises(DataError, match="<stream>:2: "):
        next(cases)


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "yaml"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named(format: str, encoding: str) -> None:
    data = ("\ufeff" + 'input\n{"input": "a"}\n').encode(encoding)
    with pytest.raises(DataError, match="is UTF-16; convert it to UTF-8"):
        read(data, format)


def test_text_survives_as_it_is() -> None:
    texts = [
        "\ud800",
        "\udfff\ud800",
        "a\0b",
        "é",
        "e\u0301",
        "👍🏽",
        "\u2028\x85",
        "[red]x[/]",
        "🜨" * 9,
    ]
    data = "\n".join(json.dumps({"input": text}) for text in texts).encode()
    assert inputs(data) == texts
    assert inputs('{"input": "a\u2028b\x85c"}'.encode()) == ["a\u2028b\x85c"]


def test_a_deep_record_below_the_limit_is_read() -> None:
    [case] = read(b'{"input": ' + b"[" * 99 + b"]" * 99 + b', "x": "' + b"[" * 500 + b'"}')
    assert str(case.input) == "[" * 99 + "]" * 99


def test_jsonl_is_read_as_it_comes() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += 1
            assert self.given < 5
            line = b'{"input": "a"}\n'
            buffer[: len(line)] = line
            return len(line)

    cases = read_cases(io.BufferedReader(Endless()), format="jsonl")
    assert [next(cases).input for _ in range(3)] == ["a"] * 3  # type: ignore[union-attr]


# --- JSON and YAML files -------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"3", b'{"a": []}', b"null", b"", b"[1", b'{"cases": {}}'])
def test_a_json_file_that_is_no_list_of_cases_says_so(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^<stream>"):
        read(data, "json")


def test_a_bad_case_of_a_json_file_is_named_by_its_place() -> None:
    data = b'[{"input": "a"},\n\n\n 7, {"id": ""}]'
    first, second, third = read(data, "json", strict=False)
    assert first.input == "a"
    assert second.error.message == "<stream>: case 2 is 7, not an object"
    assert third.error.message.startswith("<stream>: case 3: id is ''")
    assert [second.case.id, third.case.id] == ["<stream>:case 2", "<stream>:case 3"]


def test_a_syntax_error_in_json_has_its_line() -> None:
    with pytest.raises(DataError, match=r"^<stream>:2: not JSON at column 2"):
        read(b"[1,\n x]", "json")


def test_a_bad_case_of_a_yaml_file_is_named_by_its_line() -> None:
    data = b"cases:\n- input: a\n\n- 7\n- id: ''\n"
    first, second, third = read(data, "yaml", strict=False)
    assert first.input == "a"
    assert second.error.message.startswith("<stream>:4: ")
    assert third.error.message.startswith("<stream>:5: id is ''")


def test_yaml_scalars_are_text_where_people_mean_text() -> None:
    assert inputs(b"- input: no\n- input: 12:30\n", "yaml") == ["no", "12:30"]


# --- CSV -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("007", "007"),
        ("N/A", "N/A"),
        ('"1,000"', "1,000"),
        ("  two spaces ", "  two spaces "),
        ('"first\nsecond"', "first\nsecond"),
        ('"first\r\nsecond"', "first\r\nsecond"),
        ('"say ""hi"""', 'say "hi"'),
        ("true", "true"),
        ("null", "null"),
        ("", ""),
        ('[{"role": "user"}]', '[{"role": "user"}]'),
        ("=1+1", "=1+1"),
        ("a\0b", "a\0b"),
        ("\ufeff", "\ufeff"),
        ("жёлтый", "жёлтый"),
    ],
)
def test_cells_are_text_as_written(written: str, cell: str) -> None:
    data = f"actual_output,lang\n{written},x\n".encode()
    if '"role"' in written:
        data = b'actual_output,lang\n"' + written.replace('"', '""').encode() + b'",x\n'
    [case] = read(data, "csv")
    assert case.actual_output == cell
    assert case.metadata == {"lang": "x"}


def test_short_long_and_undecodable_rows_are_named_by_their_line() -> None:
    data = b'input,id\na,1\nb\n"c\nd",2,3\n\xff,4\ne,5\n'
    results = read(data, "csv", strict=False)
    assert [getattr(r, "input", None) for r in results] == ["a", None, None, None, "e"]
    messages = [r.error.message for r in results if isinstance(r, CaseResult)]
    assert messages == [
        "<stream>:3: has 1 cells where the header has 2",
        "<stream>:5: has 3 cells where the header has 2",
        "<stream>:6: not UTF-8 at byte 0",
    ]


@pytest.mark.parametrize(
    ("header", "problem"),
    [("input,a,a", "named 'a'"), ("input,,b", "no name"), ("input, ,b", "no name")],
)
def test_a_header_must_name_each_column_once(header: str, problem: str) -> None:
    with pytest.raises(DataError, match=rf"^<stream>:1: .*{problem}"):
        read(f"{header}\n1,2,3\n".encode(), "csv")


def test_a_header_that_is_not_utf_8_is_an_error() -> None:
    with pytest.raises(DataError, match=r"^<stream>:1: not UTF-8"):
        read(b"input,\xff\na,b\n", "csv")


def test_a_megabyte_cell_is_read_and_the_limit_of_others_is_left() -> None:
    before = csv.field_size_limit()
    data = b"input\n" + (b"x" * 2**20 + b"\n") * 2
    one, other = (read_cases(io.BytesIO(data), format="csv") for _ in range(2))
    lengths = [len(next(cases).input) for cases in (one, other, one, other)]  # type: ignore[union-attr]
    assert lengths == [2**20] * 4
    assert csv.field_size_limit() == before


def test_fields_that_are_not_text_are_read_as_json() -> None:
    data = 'input;duration;retrieval_context;id\na;1.5;["x"];\nb;;;7\nc;soon;;8\n'
    first, second, third = read(
        data.replace(";", "\t").replace('["x"]', '"[""x""]"').encode(), "tsv", strict=False
    )
    assert (first.duration, first.retrieval_context, first.id) == (1.5, ["x"], None)
    assert (second.duration, second.retrieval_context, second.id) == (None, None, "7")
    assert third.error.message == "<stream>:4: duration is 'soon', which is not JSON"


def test_a_stream_somebody_handed_over_stays_open() -> None:
    stream = io.BytesIO(b"input\na\n")
    assert len(list(read_cases(stream, format="csv"))) == 1
    assert not stream.closed
    next(read_cases(io.BytesIO(b"input\na\nb\n"), format="csv"))  # left unfinished


# --- renaming ------------------------------------------------------------------------------


def test_columns_and_paths_are_mapped_to_fields() -> None:
    data = b'{"q": "Hi", "answer": {"text": "Hello"}, "what\'s [this]": 1}\n{"q": "Ho"}\n'
    mapping = {"input": "q", "actual_output": "answer.text", "name": "what's [this]"}
    first, second = read(data, mapping=mapping)
    assert (first.input, first.actual_output, first.name) == ("Hi", "Hello", 1)
    assert first.metadata == {"answer": {"text": "Hello"}}
    assert (second.input, second.actual_output) == ("Ho", None)


def test_a_column_that_no_record_has_is_an_error_with_what_there_is() -> None:
    with pytest.raises(DataError) as caught:
        read(b'{"question": "Hi", "answer": "x"}\n', mapping={"actual_output": "anwser"})
    assert str(caught.value) == (
        "<stream>: no record has 'anwser'; there are 'question', 'answer'; did you mean 'answer'?"
    )


@pytest.mark.parametrize("column", ["weird[", "a..b", "$x", ""])
def test_a_name_that_is_no_path_is_a_column_like_another(column: str) -> None:
    sparse = b'{"a": 1}\n' + json.dumps({column: "x"}).encode()
    assert inputs(sparse, mapping={"input": column}) == [None, "x"]


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [
        ({"actual_ouput": "a"}, "did you mean 'actual_output'?"),
        ({3: "a"}, "field is 3"),
        ({"input": 3}, "input is 3"),
        (["input"], "a mapping of fields to columns"),
        ("input=a", "a mapping of fields to columns"),
    ],
)
def test_a_wrong_mapping_is_refused(mapping: Any, problem: str) -> None:
    with pytest.raises(OptionError) as caught:
        read(b"{}", mapping=mapping)
    assert problem in str(caught.value)


# --- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("logs.parquet", "cannot tell the format"),
        ("logs", "cannot tell the format"),
        ("absent.jsonl", "cannot be read: No such file"),
        ("folder.jsonl", "cannot be read: Is a directory"),
        ("nul\0.jsonl", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(DataError, match=problem) as caught:
        list(read_cases(tmp_path / name))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("format", ["parquet", "", 3, ["csv"]])
def test_an_unknown_format_is_refused(format: Any) -> None:
    with pytest.raises(OptionError, match="one of jsonl, json, csv, tsv, yaml"):
        read(b"", format)


def test_endings_are_told_apart_whatever_their_case(tmp_path: Path) -> None:
    for ending, data in {
        ".NDJSON": '{"input": 1}',
        ".Yml": "- input: 1",
        ".TSV": "input\n1",
    }.items():
        path = tmp_path / f"cases{ending}"
        path.write_text(data)
        assert len(list(read_cases(path))) == 1


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_an_empty_file_has_no_cases(format: str) -> None:
    assert read(b"", format) == read(b"\n\n", format) == []
