"""Answers recorded earlier, as a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError, FieldError, OptionError, TargetError, shown
from steelyard.core.ids import content_id
from steelyard.targets.base import TargetResult

Key = tuple[str, str]


@dataclass(frozen=True)
class Recorded:
    """Gives back recorded outputs, with their usage and duration, instead of asking anybody.

    Args:
        cases: The recordings, as `EvalTestCase` or dicts; a case finds its own by id where
            both have one, else by the same input and expected output, else by the same
            input. None stands for the outputs that the cases of the run carry themselves.

    Raises `OptionError` for what is no iterable of cases and `DataError` for two recordings
    of one case that differ. `answer` raises `TargetError` for a case without a recording,
    or where several with its input differ.

    >>> import asyncio
    >>> recorded = Recorded([{"input": "Capital of France?", "actual_output": "Paris."}])
    >>> asyncio.run(recorded.answer(EvalTestCase(input="Capital of France?"))).output
    'Paris.'
    """

    cases: Iterable[EvalTestCase | Mapping[str, Any]] | None = field(default=None, repr=False)
    _by_key: dict[Key, EvalTestCase | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.cases is None:
            return
        if isinstance(self.cases, str | bytes | Mapping) or not isinstance(self.cases, Iterable):
            allowed = "cases, such as those of steelyard.files.read_cases, or None"
            raise OptionError("recorded", "cases", self.cases, allowed)
        # An iterator gives its cases once, and two equal targets should stay equal.
        cases = tuple(_as_case(place, given) for place, given in enumerate(self.cases))
        object.__setattr__(self, "cases", cases)
        for case in cases:
            self._add(case)

    def _add(self, case: EvalTestCase) -> None:
        if case.actual_output is None:
            return
        for key in _recorded_under(case):
            known = self._by_key.setdefault(key, case)
            if known is None or known.actual_output == case.actual_output:
                continue
            if key[0] == "id":
                raise DataError(f"two recordings of {_named(case)} have different outputs")
            self._by_key[key] = None  # the same question was answered in several ways

    async def answer(self, case: EvalTestCase) -> TargetResult:
        found = case if self.cases is None else self._find(case)
        if found is None or found.actual_output is None:
            raise TargetError(f"no output is recorded for {_named(case)}", retryable=False)
        return TargetResult(output=found.actual_output, usage=found.usage, duration=found.duration)

    def _find(self, case: EvalTestCase) -> EvalTestCase | None:
        keys = [key for key in _asked_by(case) if key in self._by_key]
        found = next((self._by_key[key] for key in keys if self._by_key[key]), None)
        if keys and found is None:
            problem = "differ; give the case and its recording an id"
            raise TargetError(f"the recordings of {_named(case)} {problem}", retryable=False)
        return found

    async def aclose(self) -> None:
        """Recordings hold nothing to let go of."""


def _as_case(place: int, given: Any) -> EvalTestCase:
    if isinstance(given, EvalTestCase):
        return given
    try:
        return EvalTestCase.from_dict(given)
    except (DataError, FieldError) as wrong:
        raise DataError(f"cases[{place}]: {wrong}") from None


def _recorded_under(case: EvalTestCase) -> list[Key]:
    id = case.id or _content(case)
    keys = [*_alike(case, "any"), *(() if _has_own_id(case) else _alike(case, "nameless"))]
    return keys if id is None else [("id", id), *keys]


def _asked_by(case: EvalTestCase) -> list[Key]:
    """How a recording is looked for, the surest way first.

    One that has an id is another case's where the case has a different one.
    """
    id = case.id or _content(case)
    keys = _alike(case, "nameless" if _has_own_id(case) else "any")
    return keys if id is None else [("id", id), *keys]


def _alike(case: EvalTestCase, whose: str) -> list[Key]:
    contents = (_content(case), _content(EvalTestCase(input=case.input)))
    ways = zip(("content", "input"), contents, strict=True)
    return [(f"{whose} {way}", content) for way, content in ways if content is not None]


def _has_own_id(case: EvalTestCase) -> bool:
    """Whether the id was given; a run makes one from the content where none was."""
    return case.id is not None and case.id.partition("#")[0] != _content(case)


def _content(case: EvalTestCase) -> str | None:
    if case.input is None:
        return None
    try:
        return content_id(case)
    except DataError:
        return None  # not JSON, so only its id can find it


def _named(case: EvalTestCase) -> str:
    about = f"with input {shown(case.input)}"
    return f"case {case.id!r} {about}" if case.id is not None else f"the case {about}"
