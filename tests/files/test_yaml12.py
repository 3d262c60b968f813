"""YAML as version 1.2 reads it, the lines of its keys, and hostile documents."""

from __future__ import annotations

import math
from typing import Any

import pytest

from steelyard.core.errors import ConfigError
from steelyard.files import yaml12
from steelyard.files.yaml12 import load_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("12:30", "12:30"),
        ("1:2:3", "1:2:3"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01 10:00:00", "2024-01-01 10:00:00"),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("-7", -7),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        (".", "."),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("~", None),
        ("null", None),
        ("", None),
        ("=", "="),
        ("<<", "<<"),
        ("'12'", "12"),
        ('""', ""),
        ("!!str 12", "12"),
    ],
)
def test_scalars_are_those_of_version_1_2(text: str, value: Any) -> None:
    read = load_yaml(f"a: {text}\n").value["a"]
    assert (type(read), read) == (type(value), value)


def test_nan_is_a_number() -> None:
    assert math.isnan(load_yaml("a: .nan").value["a"])


def test_an_empty_document_is_none() -> None:
    assert load_yaml("").value is None
    assert load_yaml("# nothing\n").value is None


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("a: 1\nb:\n  c: 2\n  c: 3", "'c' stands twice", 4),
        ("a: &a [1, *a]", "nested deeper than 100", 1),
        ("a: 1\nb: !!python/object/apply:os.system [ls]", "python/object", 2),
        ("a: !!python/object:os.system x", "python/object", 1),
        ("a: !mine 1", "!mine", 1),
        ("a: !!binary aGk=", "binary", 1),
        ("? [a]\n: 1", "a key must be a text", 1),
        ("a: [1\nb: 2", "not YAML", 2),
        ("a: 1\n---\nb: 2", "another document", 2),
        ("a: *unknown", "undefined alias", 1),
        ("a: 1\n\nb: x\x01y", r"character '\x01'", 3),
        ("a: \x1b[31m", r"character '\x1b'", 1),
        ("a:\n\tb: 1", "not YAML", 2),
        ("a: " + "9" * 5000, "is not read", 1),
        ("-\n" * 3 + "- " + "[" * 101 + "]" * 101, "nested deeper than 100", 4),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, problem: str, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        load_yaml(text, "evals.yaml")
    assert str(caught.value).startswith(f"evals.yaml:{line}: ")
    assert problem in str(caught.value)


def test_nesting_beyond_the_stack_is_refused() -> None:
    with pytest.raises(ConfigError, match="nested deeper than 100"):
        load_yaml("[" * 2000)


def test_an_alias_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml12, "MOST_NODES", 10_000)
    bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
    bomb += "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 10))
    with pytest.raises(ConfigError, match="aliases multiply to over 10000 values"):
        load_yaml(bomb)


def test_an_honest_alias_is_read() -> None:
    assert load_yaml("a: &x [1]\nb: *x").value == {"a": [1], "b": [1]}


def test_every_key_and_element_has_its_line() -> None:
    document = load_yaml("# top\na: 1\nb:\n  - x\n  - y: {z: 2}\n")
    assert document.lines["a",] == 2
    assert document.lines["b", 0] == 4
    assert document.lines["b", 1, "y", "z"] == 5
