"""`steelyard scorers`: what there is to score with."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, Field, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from steelyard.core.fields import FieldRef
from steelyard.specs import from_call, scorer_class, scorer_names

EXAMPLES = {
    "contains": 'contains(keywords=["Paris", "France"], mode="all", case_sensitive=False)',
    "content_similarity": "content_similarity(threshold=0.7)",
}


def scorers() -> None:
    """List the scorers: their options with types and defaults, the fields they need, an example."""
    typer.echo("\n\n".join(_described(name) for name in scorer_names()))


def _described(name: str) -> str:
    cls, example = scorer_class(name), EXAMPLES[name]
    summary = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    hints = get_type_hints(cls)
    lines = [name, f"  {summary}", "  options:"]
    lines += [f"    {_option(f, hints[f.name])}" for f in fields(cls) if f.init]
    needs = ", ".join(need.replace("|", " or ") for need in from_call(example).needs)
    return "\n".join([*lines, f"  needs: {needs}", f"  example: {example}"])


def _option(option: Field[Any], hint: Any) -> str:
    if option.name == "id":
        return "id: text = its name"
    default = " (required)" if option.default is MISSING else f" = {option.default!r}"
    return f"{option.name}: {_type(hint)}{default}"


def _type(hint: Any) -> str:
    """A type annotation in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(map(_type, arguments))
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if arguments:
        return f"list of {_type(arguments[0])}"
    words = {str: "text", FieldRef: 'field("…")', type(None): "None"}
    return words.get(hint) or str(hint.__name__)
