"""`steelyard score`: files, wrong options, bad lines, what is printed, and hostile texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Program, cases

BASELINE = ROOT / "examples/data/gemma3-270m-baseline.jsonl"
GOOD = {"input": "?", "expected_output": "abc", "actual_output": "abc"}
POOR = {"input": "?", "expected_output": "abc", "actual_output": "xyz"}
SIMILARITY = ("-s", "content_similarity")


@pytest.mark.parametrize(("more", "passed"), [("", 16), (", ignore_diacritics=True", 17)])
def test_known_answers_of_the_baseline(steelyard: Program, more: str, passed: int) -> None:
    keywords = 'keywords=field("metadata.keywords"), mode="all", case_sensitive=False'
    done = steelyard("score", BASELINE, *SIMILARITY, "-s", f"contains({keywords}{more})", "--json")
    assert done.code == 0
    assert done.json["scores"]["content_similarity"] == pytest.approx(0.4394, abs=5e-5)
    assert done.json["summary"]["scorers"]["contains"]["passed"] == passed
    assert done.json["verdict"] is None
    assert len(done.json["results"]) == 48


@pytest.mark.parametrize(
    ("records", "options", "code"),
    [
        ([GOOD], [], 0),
        ([GOOD], ["-g", "content_similarity: mean >= 0.9"], 0),
        ([POOR], ["-g", "content_similarity: mean >= 0.9"], 1),
        ([GOOD, "oops"], [], 3),
        ([GOOD, "oops"], ["-g", "content_similarity: mean >= 0.9"], 3),
        ([POOR, "oops"], ["-g", "content_similarity: mean >= 0.9"], 3),
        ([GOOD, "oops"], ["--allow-errors", "1"], 0),
        ([GOOD, "oops"], ["-g", "errors <= 1"], 0),
        ([GOOD, "oops", "oops"], ["--allow-errors", "1"], 3),
        ([POOR, "oops"], ["--allow-errors", "1", "-g", "content_similarity: mean >= 0.9"], 1),
        ([GOOD, "oops"], ["--strict"], 2),
        ([GOOD, {"input": "?"}], [], 3),
        ([], [], 2),
        ([""], [], 2),
    ],
)
def test_exit_codes(
    steelyard: Program, tmp_path: Path, records: list[Any], options: list[str], code: int
) -> None:
    done = steelyard("score", cases(tmp_path / "a.jsonl", *records), *SIMILARITY, *options)
    assert done.code == code
    assert "Traceback" not in done.err


def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_scored(
    steelyard: Program, tmp_path: Path
) -> None:
    cases(tmp_path / "a.jsonl", GOOD, "{oops", POOR)
    done = steelyard("score", "a.jsonl", *SIMILARITY)
    assert done.err.startswith("error: a.jsonl:2: not JSON at column 2: ")
    assert done.err.count("\n") == 1
    assert re.search(r"content_similarity\s+0\.5000 .* 2/3 +0 +1\n", done.out)
    assert "ERRORS in 1 of 3 results, which no gate allows for" in done.out
    strict = steelyard("score", "a.jsonl", *SIMILARITY, "--strict")
    assert (strict.out, strict.err) == ("", done.err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Usage: steelyard"),
        (["nope"], "No such command 'nope'"),
        (["score"], "Missing argument"),
        (["score", "a.jsonl"], "Missing option '--scorer'"),
        (["score", "a.jsonl", "--nope"], "No such option: --nope"),
        (["score", "a.jsonl", "-s", "contain"], "did you mean 'contains'?"),
        (["score", "a.jsonl", "-s", "contains(**x)"], "scorers: scorer is 'contains(**x)'"),
        (["score", "a.jsonl", *SIMILARITY, *SIMILARITY], "two scorers have the id"),
        (["score", "a.jsonl", *SIMILARITY, "-g", "mean >= 1"], "about a scorer"),
        (["score", "a.jsonl", *SIMILARITY, "-g", "content: mean >= 1"], "'content_similarity'"),
        (["score", "a.jsonl", *SIMILARITY, "-g", "content_similarity: men > 1"], "'mean'"),
        (["score", "a.jsonl", *SIMILARITY, "-g", "content_similarity: every"], "with a threshold"),
        (["score", "a.jsonl", *SIMILARITY, "--map", "input"], "FIELD=COLUMN"),
        (["score", "a.jsonl", *SIMILARITY, "--map", "inputs=q"], "did you mean 'input'?"),
        (["score", "a.jsonl", *SIMILARITY, "--map", "input=q"], "no record has 'q'"),
        (["score", "a.jsonl", *SIMILARITY, "--format", "parquet"], "one of jsonl, json"),
        (["score", "a.jsonl", *SIMILARITY, "--allow-errors", "-1"], "--allow-errors"),
        (["score", "a.parquet", *SIMILARITY], "a.parquet: cannot tell the format"),
        (["score", "absent.jsonl", *SIMILARITY], "absent.jsonl: cannot be read: No such file"),
        (["score", ".", *SIMILARITY, "--format", "csv"], "cannot be read: Is a directory"),
        (["score", "a.jsonl", "-s", "contains(keywords=field('metadata.k'))"], "no case has"),
        (["score", "empty.jsonl", *SIMILARITY], "there are no cases"),
        (["score", "bad.jsonl", *SIMILARITY, "--strict"], "bad.jsonl:1: "),
    ],
)
def test_wrong_usage_and_wrong_input_say_what_is_wrong_and_exit_with_2(
    steelyard: Program, tmp_path: Path, arguments: list[str], said: str
) -> None:
    cases(tmp_path / "a.jsonl", GOOD)
    (tmp_path / "empty.jsonl").touch()
    cases(tmp_path / "bad.jsonl", "[]")
    done = steelyard(*arguments)
    assert done.code == 2
    assert said in done.out + done.err
    assert "Traceback" not in done.err


def test_standard_input_is_read(steelyard: Program) -> None:
    jsonl = json.dumps(GOOD).encode()
    assert steelyard("score", "-", *SIMILARITY, "-q", stdin=jsonl).code == 0
    csv = b"input,answer\nabc,abc\n"
    options = ("--format", "csv", "--map", "actual_output=answer", "--json")
    done = steelyard("score", "-", *SIMILARITY, *options, stdin=csv)
    assert done.json["scores"] == {"content_similarity": 1.0}
    broken = steelyard("score", "-", *SIMILARITY, stdin=jsonl + b"\noops\n")
    assert (broken.code, broken.err[:17]) == (3, "error: <stdin>:2:")


def test_columns_are_renamed(steelyard: Program, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("q,answer\n007,007\n")
    renamed = ("--map", "input=q", "--map", "actual_output=answer")
    done = steelyard("score", "a.csv", *SIMILARITY, *renamed, "--json")
    assert done.json["results"][0]["case"]["actual_output"] == "007"
    assert done.json["scores"] == {"content_similarity": 1.0}


def test_quiet_prints_the_outcome_only(steelyard: Program, tmp_path: Path) -> None:
    cases(tmp_path / "a.jsonl", POOR)
    done = steelyard("score", "a.jsonl", *SIMILARITY, "-q", "-g", "content_similarity: mean > 0.9")
    assert done.out.startswith("FAILED 1 of 1 gate: content_similarity: mean > 0.9  (")
    assert "xyz" not in done.out


@pytest.mark.parametrize("columns", [1, 10, 40, 300])
def test_any_width_will_do(
    steelyard: Program, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = steelyard("score", BASELINE, *SIMILARITY, "-g", "content_similarity: mean >= 0.4")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= columns


HOSTILE = [
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "\u202egnp.exe\u2066",
    "\ud800 alone \udfff",
    "nul\0 and \x7f\x9b31m",
    "[red]x[/] [/nope] [link=http://x]y[/link] :smile:",
    "a\rb\x08c",
    "y" * 2**20,
    "👨‍👩‍👧" * 1000,
    "a" + "\u0301" * 5000,
    "{0} %s {x!r} \\x1b[31m",
    "\U000e0041\ufeff\u200b",
]
DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_is_shown_harmless(steelyard: Program, tmp_path: Path, text: str) -> None:
    everywhere = {"input": text, "expected_output": text, "actual_output": f"no {text}", "id": text}
    bad = json.dumps({"duration": text})
    cases(tmp_path / "a.jsonl", everywhere, bad, {**GOOD, text[:50]: text})
    scorers = (
        *SIMILARITY,
        "-s",
        f"contains(keywords=[{text[:200]!r}], id={text[:200]!r}, mode='none')",
    )
    done = steelyard("score", "a.jsonl", *scorers)
    assert done.code == 3
    assert not DANGEROUS.search(done.out + done.err)
    assert "Traceback" not in done.out + done.err
    assert len(done.out) < 20_000
    as_json = steelyard("score", "a.jsonl", *scorers, "--json")
    assert as_json.json["results"][0]["case"]["input"] == text


@pytest.mark.parametrize(
    "line",
    [
        '{"input": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"input": ' + "[" * 90 + "]" * 90 + ', "actual_output": "x"}',
        '{"input": 1e999, "actual_output": "x", "x": -1e999}',
        '{"input": "a", "actual_output": {"a": [1, null, "\\ud800"]}}',
        '{"input": [{"role": "user", "content": 3}], "actual_output": [{}]}',
        '{"input": ' + "9" * 4000 + ', "actual_output": 1}',
        "\0" * 100,
        "\x1b[31m",
    ],
    ids=range(8),
)
def test_a_hostile_record_is_an_error_and_no_traceback(
    steelyard: Program, tmp_path: Path, line: str
) -> None:
    cases(tmp_path / "a.jsonl", GOOD, line)
    done = steelyard("score", "a.jsonl", *SIMILARITY)
    assert done.code == 3
    assert not DANGEROUS.search(done.out + done.err)
    as_json = steelyard("score", "a.jsonl", *SIMILARITY, "--json")
    assert len(as_json.json["results"]) == 2


def test_a_hostile_file_name_is_shown_harmless(steelyard: Program) -> None:
    done = steelyard("score", "\x1b[31m\u202e\udcff.jsonl", *SIMILARITY)
    assert done.code == 2
    assert not DANGEROUS.search(done.err)


def test_wrong_arguments_are_shown_harmless(steelyard: Program, tmp_path: Path) -> None:
    cases(tmp_path / "a.jsonl", GOOD)
    for call in ("\x1b[31m", "contains(keywords=['\ud800'], \u202e=1)", "(" * 100_000):
        done = steelyard("score", "a.jsonl", "-s", call)
        assert (done.code, done.out) == (2, "")
        assert not DANGEROUS.search(done.err)


# --- the other commands --------------------------------------------------------------------


def test_scorers_lists_options_needs_and_an_example_that_works(
    steelyard: Program, tmp_path: Path
) -> None:
    done = steelyard("scorers")
    assert done.code == 0
    assert "mode: 'any' or 'all' or 'none' = 'any'" in done.out
    assert "needs: actual_output, expected_output or input" in done.out
    cases(tmp_path / "a.jsonl", GOOD)
    for example in re.findall(r"example: (.*)", done.out):
        assert steelyard("score", "a.jsonl", "-s", example).code == 0


def test_version_and_help(steelyard: Program) -> None:
    from steelyard import __version__

    assert steelyard("--version").out == f"steelyard {__version__}\n"
    for command in ((), ("run",), ("score",), ("scorers",), ("schema",)):
        assert "Usage: steelyard" in steelyard(*command, "-h").out
