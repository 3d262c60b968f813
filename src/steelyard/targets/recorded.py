"""Answers recorded earlier, as a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError, TargetError, shown
from steelyard.core.ids import content_id
from steelyard.targets.base import TargetResult


@dataclass(frozen=True)
class Recorded:
    """Gives back recorded outputs instead of asking anybody.

    Args:
        cases: The recordings, as `EvalTestCase` or dicts; a case finds its own by id where
            both have one, else by the same input and expected output, else by the same
            input. None stands for the outputs that the cases of the run carry themselves.

    Raises `DataError` for two recordings of one case that differ, and `TargetError` when
    asked for a case without a recording.
    """

    cases: Iterable[EvalTestCase | Mapping[str, Any]] | None = None
    _by_key: dict[tuple[str, str], EvalTestCase | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for given in self.cases or ():
            case = given if isinstance(given, EvalTestCase) else EvalTestCase.from_dict(given)
            for key in _keys(case):
                self._add(key, case)

    def _add(self, key: tuple[str, str], case: EvalTestCase) -> None:
        known = self._by_key.setdefault(key, case)
        if known is None or known.actual_output == case.actual_output:
            return
        if key[0] == "id":
            raise DataError(f"two recordings of case {case.id!r} have different outputs")
        self._by_key[key] = None  # the same question was answered in several ways

    async def answer(self, case: EvalTestCase) -> TargetResult:
        found = case if self.cases is None else self._find(case)
        if found is None or found.actual_output is None:
            asked = f"case {case.id!r} (input {shown(case.input)})"
            raise TargetError(f"there is no recording for {asked}", retryable=False)
        return TargetResult(output=found.actual_output, usage=found.usage, duration=found.duration)

    def _find(self, case: EvalTestCase) -> EvalTestCase | None:
        return next((self._by_key[key] for key in _keys(case) if self._by_key.get(key)), None)

    async def aclose(self) -> None:
        """Recordings hold nothing to let go of."""


def _keys(case: EvalTestCase) -> list[tuple[str, str]]:
    """How a recording is looked up, the surest way first."""
    keys = [("content", content_id(case)), ("input", content_id(EvalTestCase(input=case.input)))]
    return keys if case.id is None else [("id", case.id), *keys]
