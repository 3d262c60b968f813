"""Scorers by name: the registry, and the forms they have in YAML and on the command line.

content_similarity                               a name
contains(keywords=["Paris"], mode="all")         a call, on the command line
contains: {keywords: [Paris], mode: all}         a mapping, in YAML and JSON
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

from steelyard.core.errors import OptionError, SteelyardError, nearest
from steelyard.core.fields import FieldRef
from steelyard.core.run import ScorerSpec
from steelyard.core.scorer import Scorer

_HOMES = {
    "contains": "steelyard.metrics.keywords:ContainsMetric",
    "content_similarity": "steelyard.metrics.similarity:ContentSimilarityMetric",
}
_LONGEST_CALL = 20_000


def scorer_names() -> tuple[str, ...]:
    """The names of all scorers that can be made by name."""
    return tuple(_HOMES)


def scorer_class(name: str) -> type[Scorer]:
    """The class of a scorer; an unknown name raises `OptionError` with the nearest one.

    >>> scorer_class("contains").__name__
    'ContainsMetric'
    """
    if name not in _HOMES:
        allowed = f"one of {', '.join(_HOMES)}{nearest(str(name), _HOMES)}"
        raise OptionError("scorers", "name", name, allowed)
    module, attribute = _HOMES[name].split(":")
    found: type[Scorer] = getattr(import_module(module), attribute)
    return found


def scorer_options(cls: type[Scorer]) -> dict[str, Any]:
    """A scorer's options and their defaults, `MISSING` for one that is required."""
    return {f.name: f.default for f in fields(cls) if f.init}


def build_scorer(name: str, options: Mapping[str, Any]) -> Scorer:
    """A scorer from its name and options; raises `OptionError` for what is wrong with either.

    >>> build_scorer("contains", {"keywords": {"field": "metadata.keywords"}}).keywords
    FieldRef(path='metadata.keywords')
    """
    cls = scorer_class(name)
    known = scorer_options(cls)
    for option in options:
        if option not in known:
            allowed = f"an option: {', '.join(known)}{nearest(str(option), known)}"
            raise OptionError(name, "option", option, allowed)
    for option, default in known.items():
        if default is MISSING and option not in options:
            raise OptionError(name, option, None, "given")
    return cls(**{option: _value(name, option, value) for option, value in options.items()})


def from_spec(spec: ScorerSpec) -> Scorer:
    """The scorer that a run was made with, from its record."""
    if not spec.rebuildable:
        raise SteelyardError(f"scorer {spec.id!r} has functions, which a record cannot give back")
    return build_scorer(spec.name, {**spec.options, "id": spec.id})


def from_mapping(entry: Any) -> Scorer:
    """A scorer from its form in YAML: a name, or a mapping of one name to its options.

    >>> from_mapping({"content_similarity": {"threshold": 0.5}}).threshold
    0.5
    """
    if isinstance(entry, str):
        return from_call(entry)
    if isinstance(entry, Mapping) and len(entry) == 1:
        [(name, options)] = entry.items()
        if options is None or isinstance(options, Mapping):
            return build_scorer(name, options or {})
    raise OptionError("scorers", "entry", entry, "a name, or {name: {option: value}}")


def from_call(text: str) -> Scorer:
    """A scorer from its form on the command line: a name, or a call with literal options.

    Nothing is executed: the text is parsed, and only literals and `field("...")` are read.

    >>> from_call('contains(keywords=["Paris"], mode="all")').mode
    'all'
    """
    name, options = _parsed(text)
    return build_scorer(name, options)


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    wrong = OptionError("scorers", "scorer", text, 'a name, or name(option="value", ...)')
    if len(text) > _LONGEST_CALL:
        raise wrong
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None
    if isinstance(node, ast.Name):
        return node.id, {}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        raise wrong
    options = {_named(k, wrong): _literal(k) for k in node.keywords}
    if len(options) < len(node.keywords):
        raise OptionError("scorers", "scorer", text, "a call that gives each option once")
    return node.func.id, options


def _named(keyword: ast.keyword, wrong: OptionError) -> str:
    if keyword.arg is None:
        raise wrong
    return keyword.arg


def _literal(keyword: ast.keyword) -> Any:
    node = keyword.value
    try:
        if _is_field(node):
            return {"field": ast.literal_eval(node.args[0])}  # type: ignore[attr-defined]  # _is_field says it is a call
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        allowed = 'a literal such as ["Paris"], "all", 0.5 or True, or field("metadata.x")'
        raise OptionError("scorers", str(keyword.arg), _source(node), allowed) from None


def _is_field(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id == "field" and len(node.args) == 1 and not node.keywords  # type: ignore[attr-defined]  # is_call says so


def _source(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def _value(name: str, option: str, value: Any) -> Any:
    if not (isinstance(value, Mapping) and set(value) == {"field"}):
        return value
    try:
        return FieldRef(value["field"])
    except OptionError as wrong:
        raise OptionError(name, option, value["field"], wrong.allowed) from None
