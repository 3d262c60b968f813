"""`EvalTestCase`: what is asked, what came back, what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from steelyard.core.errors import DataError, FieldError, shown
from steelyard.core.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class EvalTestCase:
    """One case; only the fields that a scorer needs must be there.

    `input`, `actual_output` and `expected_output` are a string, a list of chat
    messages (`{"role", "content"}`) or any JSON value; None is "missing".
    `ground_truth` is another name of `expected_output`: both given and different
    raises `FieldError`. `duration` is in seconds, `usage` in tokens and dollars.

    >>> case = EvalTestCase(input="2 + 2?", actual_output="4", ground_truth="4")
    >>> case.expected_output
    '4'
    """

    input: Any
    actual_output: Any
    expected_output: Any
    retrieval_context: list[str] | None
    system_prompt: str | None
    tools_called: list[Any] | None
    expected_tools: list[Any] | None
    steps: list[Any] | None
    expected_steps: list[Any] | None
    usage: Usage | None
    duration: float | None
    metadata: Mapping[str, Any]
    id: str | None
    name: str | None

    def __init__(
        self,
        *,
        input: Any = None,
        actual_output: Any = None,
        expected_output: Any = None,
        ground_truth: Any = None,
        retrieval_context: list[str] | None = None,
        system_prompt: str | None = None,
        tools_called: list[Any] | None = None,
        expected_tools: list[Any] | None = None,
        steps: list[Any] | None = None,
        expected_steps: list[Any] | None = None,
        usage: Usage | Mapping[str, Any] | None = None,
        duration: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        id: str | int | None = None,
        name: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "input", input)
        put(self, "actual_output", actual_output)
        put(self, "expected_output", _one_of(expected_output, ground_truth))
        put(self, "retrieval_context", retrieval_context)
        put(self, "system_prompt", system_prompt)
        put(self, "tools_called", tools_called)
        put(self, "expected_tools", expected_tools)
        put(self, "steps", steps)
        put(self, "expected_steps", expected_steps)
        put(self, "usage", None if usage is None else Usage.of_field(usage))
        put(self, "duration", None if duration is None else _seconds(duration))
        put(self, "metadata", {} if metadata is None else _mapping(metadata))
        put(self, "id", None if id is None else _identifier(id))
        put(self, "name", name)

    @property
    def ground_truth(self) -> Any:
        """Another name of `expected_output`."""
        return self.expected_output

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> EvalTestCase:
        """A case from a record; camelCase names are known, unknown keys go to `metadata`.

        Raises `DataError` where one field comes twice with different values.

        >>> EvalTestCase.from_dict({"input": "Hi", "groundTruth": "Hello", "lang": "en"}).metadata
        {'lang': 'en'}
        """
        if not isinstance(record, Mapping):
            raise DataError(f"a case is a mapping of fields, not {shown(record)}")
        known: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for key, value in record.items():
            name = _NAMES.get(key)
            if name is None:
                extra[str(key)] = value
            elif name in known and known[name] is not None and known[name] != value:
                raise DataError(f"{name} comes twice, as {shown(known[name])} and {shown(value)}")
            elif known.get(name) is None:
                known[name] = value
        return cls(**known | {"metadata": _merged(known.get("metadata"), extra)})


def with_id(case: EvalTestCase, id: str, *, fresh: bool) -> EvalTestCase:
    """The case with an id; a `fresh` one, which nobody else has seen, is not copied."""
    if case.id == id:
        return case
    if not fresh:
        return replace(case, id=id)
    object.__setattr__(case, "id", id)
    return case


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


CASE_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(EvalTestCase))
_NAMES = {
    spelling: name for name in (*CASE_FIELDS, "ground_truth") for spelling in (name, _camel(name))
}


def _one_of(expected_output: Any, ground_truth: Any) -> Any:
    if ground_truth is None:
        return expected_output
    if expected_output is not None and expected_output != ground_truth:
        both = f"{shown(expected_output)} and {shown(ground_truth)}"
        problem = f"and ground_truth are one field, given as {both}; give one"
        raise FieldError("expected_output", problem)
    return ground_truth


def _seconds(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= _LONGEST:
        raise FieldError("duration", f"is {shown(value)}; it must be seconds, 0 or more")
    return float(value)


_LONGEST = 1e15


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FieldError("metadata", f"is {shown(value)}; it must be a mapping")
    return value


def _identifier(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise FieldError("id", f"is {shown(value)}; it must be a text or a whole number")
    return str(value)


def _merged(metadata: Any, extra: dict[str, Any]) -> Mapping[str, Any]:
    if metadata is None:
        return extra
    given = _mapping(metadata)
    for key in extra.keys() & given.keys():
        if extra[key] != given[key]:
            raise DataError(f"{key!r} stands beside metadata and in it, with different values")
    return {**given, **extra}
