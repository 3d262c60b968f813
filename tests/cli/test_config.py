"""`steelyard run` and `steelyard schema`: what a file may say, and how a mistake in it is named."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from steelyard.core.errors import ConfigError
from steelyard.files.yaml12 import load_yaml
from steelyard.runner.config import KEYS, load_config
from steelyard.specs import scorer_names
from steelyard.targets import CommandTarget, HttpTarget, OpenAIChat, Recorded
from tests.cli.conftest import ROOT, Program

GOOD = "target: recorded\ndata: [{input: a, actual_output: a}]\nscorers: [content_similarity]\n"


def config(folder: Path, text: str) -> Path:
    path = folder / "evals.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "evals.yaml: is None; it must be a mapping of name, target"),
        ("- a", "evals.yaml:1: is ['a']; it must be a mapping"),
        ("a: [1", "evals.yaml:1: not YAML"),
        ("target: recorded\n", "evals.yaml:1: 'data' is missing"),
        (GOOD + "scorer: [a]", "evals.yaml:4: scorer: unknown key; did you mean 'scorers'?"),
        (GOOD + "zzz: 1", "evals.yaml:4: zzz: unknown key; there are name, target"),
        (GOOD + "3: 1", "evals.yaml:4: 3: unknown key"),
        (GOOD + "target: recorded", "evals.yaml:4: 'target' stands twice"),
        (GOOD + "name: 3", "evals.yaml:4: name: is 3; it must be a text"),
        (GOOD + "concurrency: 0", "evals.yaml:4: concurrency: is 0; it must be a whole number, 1"),
        (GOOD + "concurrency: yes", "evals.yaml:4: concurrency: is 'yes'"),
        (GOOD + "concurrency: true", "evals.yaml:4: concurrency: is True"),
        (GOOD + "retries: 1.5", "evals.yaml:4: retries: is 1.5; it must be a whole number, 0"),
        (GOOD + "timeout: 0", "evals.yaml:4: timeout: is 0; it must be seconds above 0"),
        (GOOD + "timeout: .nan", "evals.yaml:4: timeout: is nan"),
        (GOOD + "timeout: .inf", "evals.yaml:4: timeout: is inf"),
        (GOOD + "timeout: 0:30", "evals.yaml:4: timeout: is '0:30'"),
        (GOOD + "gates: every", "evals.yaml:4: gates: is 'every'; it must be a list"),
        (GOOD + "gates:\n- errors <= 1\n- {contains: 3}", "evals.yaml:6: gates.1: "),
        (GOOD + "gates:\n- content_similarity: men > 1", "did you mean 'mean'?"),
        (GOOD + "gates: [{3: every}]", "evals.yaml:4: gates.0: "),
        (GOOD + "gates:\n- content_similarty: mean > 1", "evals.yaml:5: gates.0: run: gate is"),
        (GOOD + "gates:\n- content_similarity: every", "evals.yaml:5: gates.0: run: gate is"),
        (GOOD + "gates: [[a]]", "evals.yaml:4: gates.0: "),
        (GOOD + "gates: [null]", "evals.yaml:4: gates.0: "),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(config(tmp_path, text))
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))


@pytest.mark.parametrize(
    ("scorers", "said"),
    [
        ("[]\n", "evals.yaml:3: scorers: there are no scorers"),
        (
            "[content_similarity, content_similarity]",
            "evals.yaml:3: scorers: two scorers have the id",
        ),
        ("contains", "evals.yaml:3: scorers: is 'contains'; it must be a list"),
        (
            "\n- content_similarity\n- contain:\n    keywords: [a]",
            "evals.yaml:5: scorers.1.contain: ",
        ),
        ("\n- contain: {}", "did you mean 'contains'?"),
        (
            "\n- contains:\n    keywords: [a]\n    mod: all",
            "evals.yaml:6: scorers.0.contains.mod: ",
        ),
        (
            "\n- contains:\n    keywords: [a]\n    mode: al",
            "evals.yaml:6: scorers.0.contains.mode: ",
        ),
        ("\n- contains:\n    keywords: []", "evals.yaml:5: scorers.0.contains.keywords: "),
        (
            "\n- contains:\n    keywords:\n    - a\n    - 3",
            "evals.yaml:5: scorers.0.contains.keywords",
        ),
        ("\n- contains:\n    mode: all", "evals.yaml:4: scorers.0: contains: keywords is None"),
        (
            "\n- content_similarity: {threshold: [1]}",
            "evals.yaml:4: scorers.0.content_similarity.thr",
        ),
        ("\n- contains: {keywords: {field: keywords}}", "'metadata.keywords'"),
        ("\n- contains: {keywords: {field: 3}}", "evals.yaml:4: scorers.0"),
        ("\n- 'contains(**x)'", "evals.yaml:4: scorers.0: "),
    ],
)
def test_a_mistake_in_a_scorer_is_named(tmp_path: Path, scorers: str, said: str) -> None:
    path = config(tmp_path, f"target: recorded\ndata: [{{input: a}}]\nscorers: {scorers}")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("record", "evals.yaml:1: target: must be recorded, or one of"),
        ("{}", "evals.yaml:1: target: must be"),
        ("{recorded: a.jsonl, python: 'a:b'}", "evals.yaml:1: target: must be"),
        ("{pyhton: 'a:b'}", "evals.yaml:1: target.pyhton: unknown key; did you mean 'python'?"),
        ("{python: a}", "evals.yaml:1: target.python: is 'a'; it must be module:name"),
        ("{python: ':a'}", "it must be module:name"),
        ("{python: 'nowhere_at_all:a'}", "cannot be imported: ModuleNotFoundError: No module"),
        ("{python: '.a:b'}", "target.python: cannot be imported: TypeError: "),
        ("{python: 'json:nothing'}", "cannot be imported: AttributeError"),
        ("{python: 'broken_module:a'}", "cannot be imported: SyntaxError"),
        ("{recorded: absent.jsonl}", "absent.jsonl: cannot be read: No such file"),
        ("{recorded: 3}", "cannot tell the format"),
        ("{command: []}", "evals.yaml:1: target.command"),
        ("{command: ls}", "evals.yaml:1: target.command: is 'ls'; it must be a mapping of"),
        ("{command: {cmd: [ls]}}", "evals.yaml:1: target.command.cmd: unknown key"),
        ("{command: {cwd: .}}", "evals.yaml:1: target.command: 'command' is missing"),
        ("{command: {command: 3}}", "evals.yaml:1: target.command.command: "),
        ("{http: null}", "evals.yaml:1: target.http: is None; it must be a mapping of url"),
        ("{http: {url: 3}}", "evals.yaml:1: target.http.url: "),
        ("{openai_chat: {modell: x}}", "did you mean 'model'?"),
    ],
)
def test_a_mistake_in_the_target_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_module.py").write_text("def a(:\n")
    text = f"target: {target}\ndata: [{{input: a}}]\nscorers: [content_similarity]"
    with pytest.raises(ConfigError) as caught:
        load_config(config(tmp_path, text))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("3", "evals.yaml:2: data: is 3; it must be a mapping of file, format, map"),
        ("{}", "evals.yaml:2: data: must be a file"),
        ("{fil: a}", "evals.yaml:2: data.fil: unknown key; did you mean 'file'?"),
        ("absent.jsonl", "absent.jsonl: cannot be read: No such file"),
        ("a.jsonl", "a.jsonl:2: not JSON"),
        ("{file: a.jsonl, format: xml}", "evals.yaml:2: data.format: "),
        ("{file: a.jsonl, format: [csv]}", "evals.yaml:2: data.format: "),
        ("{file: b.jsonl, map: {input: q}}", "no record has 'q'"),
        ("{file: b.jsonl, map: {inputs: input}}", "did you mean 'input'?"),
        ("{file: b.jsonl, map: {input: 3}}", "evals.yaml:2: data.map.input: "),
        ("{file: b.jsonl, map: [a]}", "evals.yaml:2: data.map: "),
        ("\n- input: a\n- 3", "evals.yaml:4: data.1: a case is a mapping of fields, not 3"),
        ("\n- input: a\n- {duration: -1}", "evals.yaml:4: data.1: duration is -1"),
    ],
)
def test_a_mistake_in_the_data_is_named(tmp_path: Path, data: str, said: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"input": "a"}\noops\n')
    (tmp_path / "b.jsonl").write_text('{"input": "a"}\n')
    text = f"target: recorded\ndata: {data}\nscorers: [content_similarity]"
    with pytest.raises(ConfigError) as caught:
        load_config(config(tmp_path, text))
    assert said in str(caught.value)


def test_every_way_to_a_target_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.jsonl").write_text('{"input": "a", "actual_output": "b"}\n')
    found = {}
    for name, target in {
        "recorded": "recorded",
        "file": "{recorded: b.jsonl}",
        "python": "{python: 'json:dumps'}",
        "list": "{command: [cat, -u]}",
        "command": "{command: {command: [cat]}}",
        "http": "{http: {url: 'http://localhost:1/x'}}",
        "openai": "{openai_chat: {model: m, base_url: 'http://localhost:1/v1'}}",
    }.items():
        text = f"target: {target}\ndata: b.jsonl\nscorers: [content_similarity]"
        found[name] = load_config(config(tmp_path, text))["target"]
    kinds = [
        Recorded,
        Recorded,
        type(json.dumps),
        CommandTarget,
        CommandTarget,
        HttpTarget,
        OpenAIChat,
    ]
    assert list(map(type, found.values())) == kinds
    assert list(found["list"].command) == ["cat", "-u"]


def test_paths_are_relative_to_the_file(steelyard: Program) -> None:
    done = steelyard("run", ROOT / "examples/quickstart.yaml", "--json")
    assert done.code == 0
    assert done.json["name"] == "quickstart"
    assert done.json["verdict"] == "passed"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("", 0),
        ("gates: [content_similarity: mean >= 1]", 0),
        ("gates: [content_similarity: mean > 1]", 1),
        ("target: {command: ['false']}", 3),
        ("target: {command: ['false']}\ngates: [errors <= 1]", 0),
        ("target: {command: ['false']}\ngates: [content_similarity: mean > 1]", 3),
        ("scorers: []", 2),
        ("data: []", 2),
        ("gates: [contains: mean > 1]", 2),
        ("retries: x", 2),
    ],
)
def test_exit_codes(steelyard: Program, tmp_path: Path, more: str, code: int) -> None:
    keys = [line.split(":")[0] for line in more.splitlines()]
    kept = [line for line in GOOD.splitlines() if line.split(":")[0] not in keys]
    done = steelyard("run", config(tmp_path, "\n".join([*kept, more])))
    assert done.code == code
    assert "Traceback" not in done.err


def test_a_target_that_fails_shows_why(steelyard: Program, tmp_path: Path) -> None:
    (tmp_path / "failing_agent.py").write_text(
        "def answer(text):\n    raise KeyError('\\x1b[31m')\n"
    )
    text = GOOD.replace("recorded", "{python: 'failing_agent:answer'}")
    done = steelyard("run", config(tmp_path, text))
    assert done.code == 3
    assert "KeyError" in done.out
    assert "\x1b" not in done.out + done.err


def test_wrong_files_are_named(steelyard: Program, tmp_path: Path) -> None:
    (tmp_path / "wide.yaml").write_bytes("a: b".encode("utf-16"))
    for name, said in {
        "absent.yaml": "absent.yaml: cannot be read: No such file",
        ".": ".: cannot be read: Is a directory",
        "wide.yaml": "wide.yaml: not UTF-8 at byte 0",
    }.items():
        done = steelyard("run", name)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what importing a target leaves behind."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("failing_agent", "broken_module"):
        monkeypatch.delitem(sys.modules, name, raising=False)


# --- the schema ----------------------------------------------------------------------------


def test_the_schema_names_every_key_scorer_and_option(steelyard: Program) -> None:
    schema = steelyard("schema").json
    assert set(schema["properties"]) == set(KEYS)
    assert schema["required"] == ["target", "data", "scorers"]
    text, mapping = schema["properties"]["scorers"]["items"]["anyOf"]
    assert text["examples"] == list(mapping["properties"]) == list(scorer_names())
    options, _ = mapping["properties"]["contains"]["anyOf"]
    assert options["required"] == ["keywords"]
    assert options["properties"]["mode"] == {"enum": ["any", "all", "none"]}


@pytest.mark.parametrize("name", ["quickstart.yaml", "agent.yaml"])
def test_the_examples_hold_to_the_schema(steelyard: Program, name: str) -> None:
    document = load_yaml((ROOT / "examples" / name).read_text()).value
    _check(document, steelyard("schema").json)


def _check(value: Any, schema: dict[str, Any]) -> None:
    """As much of JSON Schema as ours is made of."""
    if "anyOf" in schema:
        assert any(_holds(value, option) for option in schema["anyOf"]), value
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    kinds |= {"integer": int, "number": (int, float)}  # type: ignore[dict-item]
    assert isinstance(value, kinds.get(schema.get("type", ""), object)), (value, schema)
    assert "enum" not in schema or value in schema["enum"]
    assert "const" not in schema or value == schema["const"]
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value)
        properties = schema.get("properties", {})
        for key, part in value.items():
            other = schema.get("additionalProperties", True)
            assert key in properties or other is not False, key
            _check(part, properties.get(key, other if isinstance(other, dict) else {}))
    for part in value if isinstance(value, list) else ():
        _check(part, schema.get("items", {}))


def _holds(value: Any, schema: dict[str, Any]) -> bool:
    try:
        _check(value, schema)
    except AssertionError:
        return False
    return True


RECORDED = "target: recorded\ndata:\n  - {id: x, actual_output: a}\n"
TWICE = RECORDED + "  - {id: x, actual_output: b}\nscorers: [{contains: {keywords: [a]}}]\n"
FIELD = RECORDED + "scorers:\n  - contains:\n      keywords: {field: NAME}\n"
NOTHING = "target: recorded\ndata: []\nscorers: [{contains: {keywords: [a]}}]\n"


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        (TWICE, "evals.yaml:4: data.1: data[1]: two cases have the id 'x'"),
        (FIELD.replace("NAME", "metadata.k"), "evals.yaml:5: scorers.0: no case has metadata.k"),
        (FIELD.replace("NAME", "metdata.k"), "evals.yaml:6: scorers.0.contains.keywords: "),
        (NOTHING, "evals.yaml:2: data: there are no cases"),
    ],
)
def test_what_a_run_would_refuse_is_refused_with_its_line(yaml, said, tmp_path):
    file = tmp_path / "evals.yaml"
    file.write_text(yaml, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert said in str(caught.value)
