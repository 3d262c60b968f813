"""Checks of option values, shared by everything that has options."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from steelyard.core.errors import OptionError, nearest


def check_bool(owner: str, option: str, value: object) -> None:
    if not isinstance(value, bool):
        raise OptionError(owner, option, value, "True or False")


def check_choice(owner: str, option: str, value: object, choices: Sequence[str | None]) -> None:
    if value in choices and not isinstance(value, bool):
        return
    hint = nearest(value, [c for c in choices if c]) if isinstance(value, str) else ""
    raise OptionError(owner, option, value, f"one of {', '.join(map(repr, choices))}{hint}")


def check_number(
    owner: str, option: str, value: object, allowed: str, holds: Callable[[float], bool]
) -> None:
    """Raise `OptionError` unless `value` is a finite number for which `holds`."""
    if not is_finite(value) or not holds(value):  # type: ignore[arg-type]  # is_finite says it is a number
        raise OptionError(owner, option, value, allowed)


def is_finite(value: object) -> bool:
    """Whether a value is a number, no bool, that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_count(owner: str, option: str, value: object, least: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]  # whole says it is an int
        raise OptionError(owner, option, value, f"a whole number, {least} or more")


def check_text(owner: str, option: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise OptionError(owner, option, value, "a text that is not blank")
