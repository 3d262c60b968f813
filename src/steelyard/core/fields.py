"""`field("metadata.keywords")`: an option whose value comes from each case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.core.case import CASE_FIELDS, EvalTestCase
from steelyard.core.errors import FieldError, OptionError, nearest
from steelyard.core.paths import follow, parse_path


@dataclass(frozen=True, slots=True)
class FieldRef:
    """Stands for the value at `path` of whichever case is being scored."""

    path: str

    def __post_init__(self) -> None:
        path: object = self.path  # which may be anything in a file
        head = parse_path(path)[:1] if isinstance(path, str) else ()
        if head and head[0] in (*CASE_FIELDS, "ground_truth"):
            return
        hint = nearest(str(head[0]), CASE_FIELDS) if head else ""
        if not hint and head:
            hint = f"; a field of your own is 'metadata.{self.path}'"
        raise OptionError("field", "path", self.path, f"a field of a case{hint}")

    def of(self, case: EvalTestCase) -> Any:
        """The value in `case`; `FieldError` says what is missing and what is there."""
        head, *rest = parse_path(self.path)
        value = getattr(case, str(head))
        try:
            value = follow(value, tuple(rest)) if value is not None else None
        except LookupError as missing:
            raise FieldError(self.path, f"is missing: {missing}") from None
        if value is None:
            raise FieldError(self.path, "is missing")
        return value

    def present(self, case: EvalTestCase) -> bool:
        try:
            self.of(case)
        except FieldError:
            return False
        return True


def field(path: str) -> FieldRef:
    """An option that is data, taken from each case: `keywords=field("metadata.keywords")`.

    >>> field("metadata.keywords").of(EvalTestCase(metadata={"keywords": ["Paris"]}))
    ['Paris']
    """
    return FieldRef(path)
