"""Tokens and money: what an answer or a judgement cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from steelyard.core.errors import FieldError

_N = TypeVar("_N", int, float)
_INPUT = ("input_tokens", "prompt_tokens", "inputTokens")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens")
_KNOWN = (*_INPUT, *_OUTPUT, "cost")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read, tokens written, and money spent (US dollars); None is "not reported".

    >>> Usage(input_tokens=10) + Usage(input_tokens=5, output_tokens=2, cost=0.5)
    Usage(input_tokens=15, output_tokens=2, cost=0.5)
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cost, other.cost),
        )

    @classmethod
    def of(cls, value: Any) -> Usage | None:
        """Usage read from a mapping or object with the common token names, or None.

        A number that is negative, not finite or not a number counts as not reported.
        """
        if value is None or isinstance(value, Usage):
            return value
        names = {name: _get(value, name) for name in _KNOWN}
        usage = cls(_tokens(names, _INPUT), _tokens(names, _OUTPUT), _number(names["cost"]))
        return None if usage == cls() else usage

    @classmethod
    def of_field(cls, value: Any) -> Usage | None:
        """Usage of a case, which must be a `Usage`, a mapping of its names, or None."""
        usage = cls.of(value)
        if usage is None and value is not None:
            problem = f"is {value!r}; it must hold input_tokens, output_tokens or cost"
            raise FieldError("usage", problem)
        return usage


def _sum(left: _N | None, right: _N | None) -> _N | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _tokens(names: Mapping[str, Any], accepted: tuple[str, ...]) -> int | None:
    number = next((n for n in (_number(names[name]) for name in accepted) if n is not None), None)
    return None if number is None else int(number)


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < float("inf") else None
