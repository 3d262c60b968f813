"""The JSON Schema of `evals.yaml`, made from the options that the classes really have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from steelyard.core.fields import FieldRef
from steelyard.files import FORMATS
from steelyard.runner.config import DATA_KEYS, NUMBERS, REQUIRED, TARGETS
from steelyard.specs import scorer_class, scorer_names

_NAMED: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    Any: {},
    FieldRef: {
        "type": "object",
        "properties": {"field": {"type": "string"}},
        "required": ["field"],
        "additionalProperties": False,
    },
}


def config_schema() -> dict[str, Any]:
    """The schema, draft 2020-12, by which editors complete and check an `evals.yaml`."""
    least = {"concurrency": {"minimum": 1}, "repeats": {"minimum": 1}, "retries": {"minimum": 0}}
    numbers = {
        key: {**_NAMED[kind], **least.get(key, {"exclusiveMinimum": 0})}
        for key, kind in NUMBERS.items()
    }
    properties: dict[str, Any] = {
        "name": {"type": "string", "description": "What the run is called."},
        "target": _target(),
        "data": _data(),
        "scorers": {"type": "array", "minItems": 1, "items": _scorer()},
        "gates": {"type": "array", "items": _gate()},
        **numbers,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steelyard evals",
        **_object(properties, REQUIRED),
    }


def _object(properties: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _options(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    known = [f for f in fields(cls) if f.init]
    required = [f.name for f in known if f.default is MISSING and f.default_factory is MISSING]
    return _object({f.name: _of(hints[f.name]) for f in known}, required)


def _of(hint: Any) -> dict[str, Any]:
    """The schema of a type annotation."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [_of(argument) for argument in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if hint in _NAMED:
        return _NAMED[hint]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object"}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _of(arguments[0])}
    return {}


def _scorer() -> dict[str, Any]:
    by_name = {name: _options(scorer_class(name)) for name in scorer_names()}
    mapping = _object({name: {"anyOf": [o, {"type": "null"}]} for name, o in by_name.items()})
    # A name is written bare, or as a call, so any text may be right.
    return {"anyOf": [{"type": "string", "examples": list(by_name)}, {**mapping, **_ONE}]}


def _target() -> dict[str, Any]:
    ways: dict[str, Any] = {name: _options(cls) for name, cls in TARGETS.items()}
    command = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    ways["command"] = {"anyOf": [command, ways["command"]]}
    ways |= {"recorded": {"type": "string"}, "python": {"type": "string", "pattern": ".+:.+"}}
    return {"anyOf": [{"const": "recorded"}, {**_object(ways), **_ONE}]}


def _data() -> dict[str, Any]:
    text = {"type": "string"}
    renaming = {"type": "object", "additionalProperties": text}
    file = dict(zip(DATA_KEYS, (text, {"enum": list(FORMATS)}, renaming), strict=True))
    cases = {"type": "array", "items": {"type": "object"}}
    return {"anyOf": [text, _object(file, ["file"]), cases]}


def _gate() -> dict[str, Any]:
    text = {"type": "string"}
    return {"anyOf": [text, {"type": "object", "additionalProperties": text, **_ONE}]}


_ONE = {"minProperties": 1, "maxProperties": 1}
