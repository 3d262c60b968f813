"""YAML as version 1.2 reads it, with the line of every key, and safe on hostile files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from steelyard.core.errors import ConfigError, shown
from steelyard.files.records import DEEPEST

Place = tuple[str | int, ...]
MOST_NODES = 1_000_000
_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A document's value, and the line (from 1) of each of its keys and elements by path."""

    value: Any
    lines: Mapping[Place, int]


class _Loader(yaml.SafeLoader):
    """SafeLoader with the core schema of YAML 1.2: `no` and `12:30` are text."""

    # A dictionary of its own, so that the one of SafeLoader stays as it is.
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # as the base class declares it


_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+0123456789.",
    ),
)
for _name, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(f"^(?:{_pattern})$"), list(_first))


def load_yaml(text: str, file: str | None = None) -> YamlDocument:
    """The document in `text`; raises `ConfigError` with file and line for what is wrong.

    Keys that stand twice, aliases that multiply beyond a million values, tags that would
    make objects and nesting deeper than 100 are refused.

    >>> load_yaml("a: no\\nb: 12:30").value, load_yaml("a: 1\\nb: [2]").lines["b", 0]
    ({'a': 'no', 'b': '12:30'}, 2)
    """
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as wrong:
        line = wrong.problem_mark.line + 1 if wrong.problem_mark else None
        raise ConfigError(f"not YAML: {wrong.problem or wrong.context}", file, line) from None
    except yaml.reader.ReaderError as wrong:
        line = text.count("\n", 0, wrong.position) + 1
        raise ConfigError(f"not YAML: character {chr(wrong.character)!a}", file, line) from None
    except RecursionError:
        raise ConfigError(f"nested deeper than {DEEPEST}", file) from None
    reader = _Reader(file)
    return YamlDocument(None if node is None else reader.read(node, ()), reader.lines)


class _Reader:
    """Turns nodes into values, noting lines and counting what aliases repeat."""

    def __init__(self, file: str | None) -> None:
        self.lines: dict[Place, int] = {}
        self._file = file
        self._count = 0

    def read(self, node: Node, place: Place) -> Any:
        self._count += 1
        self.lines.setdefault(place, node.start_mark.line + 1)
        if self._count > MOST_NODES:
            self._refuse(node, f"aliases multiply to over {MOST_NODES} values")
        if len(place) > DEEPEST:
            self._refuse(node, f"nested deeper than {DEEPEST}")
        if isinstance(node, MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, place)
        if isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.read(part, (*place, k)) for k, part in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        return self._refuse(node, f"tag {shown(node.tag)} is not read")

    def _mapping(self, node: MappingNode, place: Place) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self._refuse(key_node, "a key must be a text")
            key = self._scalar(key_node)
            if key in mapping:
                self._refuse(key_node, f"{shown(key)} stands twice")
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            mapping[key] = self.read(value_node, (*place, key))
        return mapping

    def _scalar(self, node: ScalarNode) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        if kind == "str":
            return text
        try:
            return _CONVERT[kind](text)
        except (KeyError, ValueError):
            return self._refuse(node, f"{shown(text)} with tag {shown(node.tag)} is not read")

    def _refuse(self, node: Node, problem: str) -> Any:
        raise ConfigError(problem, self._file, node.start_mark.line + 1)


def _int(text: str) -> int:
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


_CONVERT: dict[str, Any] = {
    "null": lambda _: None,
    "bool": lambda text: text.lower() == "true",
    "int": _int,
    "float": lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan")),
}
